"""The vectors of the passages of texts, in SQLite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from .rows import ENTRY_BITS, as_json

if TYPE_CHECKING:
    from ..protocol import Vector


class PassageReader(Protocol):
    """A part of the protocol `Vectors`. Statements are run by the reader that this is a part of."""

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any: ...

    def vector_model(self) -> tuple[str, int] | None: ...

    def refined_marks(self) -> dict[int, int]: ...

    def passage_vectors(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        from ..stored_vectors import rows_from

        model, marks = self.vector_model(), self.refined_marks()
        quick = [entry for entry in entries if entry > marks.get(entry >> ENTRY_BITS, 0)]
        found = self._run("vectors_of", (as_json(quick),)) if quick and model is not None else ()
        return {entry: rows_from(blob, model[1]) for entry, blob in found} if model is not None else {}
