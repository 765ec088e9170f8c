"""The table of derivations: Marrow's own, and those that users declare. Each row says what is computed of what, for
which kinds, and when; beside it stands what computes it.

What belongs to readers (action items, decisions) and what needs an outside service (transcripts, descriptions) is
declared here and given from above: this layer imports neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any, NamedTuple

from ..model.derivation import (
    AT_ONCE,
    AT_SAVE,
    CONTENT,
    LATER,
    LOCAL,
    OF_FILE,
    Derivation,
    basis_of,
    in_order,
    value_text,
)
from ..model.errors import MarrowError
from ..model.node import DOCUMENT_KINDS
from .local import is_decision, summary_of, topics_of

DOCUMENTS = DOCUMENT_KINDS
_PROSE = tuple(kind for kind in DOCUMENTS if kind not in ("log", "commit"))
BUILT_IN: tuple[Derivation, ...] = (
    Derivation("chunks", when=AT_SAVE, what="the passages of a long text, each searched for itself"),
    Derivation("embedding", of=("chunks",), when=AT_SAVE, what="a vector for each passage"),
    Derivation("summary", kinds=DOCUMENTS, when=AT_ONCE, what="what it says, in at most 200 characters"),
    Derivation("topics", kinds=_PROSE, when=AT_ONCE, what="its telling words"),
    Derivation("is_adr", "2", kinds=("document", "decision"), when=AT_ONCE, what="whether it is a decision record"),
    Derivation("action_items", "5", kinds=("meeting", "incident"), when=AT_ONCE, what="what is to be done, by whom"),
    Derivation("decisions", kinds=("meeting",), when=AT_ONCE, what="what was decided"),
    Derivation("symbols", kinds=("code",), what="the names that a source file declares"),
    Derivation("transcript", provider="speech", when=OF_FILE, what="what is said in a recording"),
    Derivation("image_text", provider="sight", when=OF_FILE, what="the text in an image"),
    Derivation("description", provider="describing", when=OF_FILE, what="what an image shows"),
)


class Input(NamedTuple):
    """What something is derived from: a node, or with `is_file` a media file. `at` is when it was said, 0 where nobody
    knows; `path` is where it was read from; `people` are those whom somebody named as having been there."""

    digest: str
    kind: str = ""
    content: str = ""
    path: str = ""
    at: int = 0
    project: str = ""
    is_file: bool = False
    people: tuple[str, ...] = ()


class Task(NamedTuple):
    """One computation: of which input, and the values that it is of, in the order of `of`."""

    input: Input
    values: tuple[Any, ...]


class Made(NamedTuple):
    """What came of a task: JSON text, or what was wrong."""

    value: str = ""
    error: str = ""
    ms: float = 0.0
    provider: str = LOCAL
    model: str = ""
    tokens: int = 0
    cost_usd: float = 0.0


# Computes tasks one after the other. It never fails as a whole because of one of them.
Maker = Callable[[Derivation, Sequence[Task]], Iterable[Made]]
Compute = Callable[[Task], object]


@dataclass(frozen=True)
class Table:
    """`ordered` such that each comes after what it is of; `problems` by the names of those that cannot be computed;
    `clean` are those whose values hold nothing that is not in their input."""

    ordered: tuple[Derivation, ...]
    makers: Mapping[str, Maker]
    problems: Mapping[str, str] = field(default_factory=dict)
    clean: frozenset[str] = frozenset()

    def named(self, name: str) -> Derivation | None:
        return next((one for one in self.ordered if one.name == name), None)

    def is_of_files(self, one: Derivation) -> bool:
        """Whether it is of a media file, be it by a detour."""
        parts = [found for part in one.of if (found := self.named(part)) is not None]
        return one.when == OF_FILE or any(self.is_of_files(part) for part in parts)

    def digest(self) -> str:
        """Another one when anything is declared otherwise."""
        return basis_of("table", "1", [f"{one.name} {one.version} {one.of} {one.kinds}" for one in self.ordered])


def table_of(
    computes: Mapping[str, Compute] | None = None,
    declared: Sequence[tuple[Derivation, Maker]] = (),
    makers: Mapping[str, Maker] | None = None,
    problems: Mapping[str, str] | None = None,
) -> Table:
    """Marrow's own with what is given from above: functions and makers for rows that have none here, and the user's own
    derivations. A name that is taken is a problem of the later one."""
    own: dict[str, Maker] = {name: each(compute) for name, compute in {**_COMPUTES, **(computes or {})}.items()}
    own |= makers or {}
    rows = {one.name: one for one in BUILT_IN}
    wrong = dict(problems or {})
    for one, maker in declared:
        if one.name in rows:
            taken = "Marrow's own" if rows[one.name] in BUILT_IN else "declared twice"
            wrong.setdefault(f"{one.name} {one.version}", f"{one.name} is {taken}: it needs another name.")
            continue
        rows[one.name], own[one.name] = replace(one, when=LATER), maker
    kept = [one for one in rows.values() if one.when != AT_SAVE]
    ordered, never = in_order(kept)
    at_save = tuple(one for one in BUILT_IN if one.when == AT_SAVE)
    clean = frozenset(_COMPUTES) | {"symbols", "action_items", "decisions"}
    return Table((*at_save, *ordered), own, {**wrong, **never}, clean)


def each(compute: Compute) -> Maker:
    """A maker of a function of ours: what it raises is kept with the task."""

    def make(one: Derivation, tasks: Sequence[Task]) -> Iterator[Made]:
        for task in tasks:
            started = perf_counter()
            try:
                made = Made(value_text(compute(task)), provider=one.provider)
            except (MarrowError, ValueError, RecursionError, OSError) as problem:
                made = Made(error=_told(problem), provider=one.provider)
            yield made._replace(ms=(perf_counter() - started) * 1000)

    return make


def _told(problem: Exception) -> str:
    return str(problem) if isinstance(problem, MarrowError) else f"{type(problem).__name__}: {problem}"


_COMPUTES: Mapping[str, Compute] = {
    "summary": lambda task: summary_of(task.input.content, task.input.kind),
    "topics": lambda task: topics_of(task.input.content),
    "is_adr": lambda task: is_decision(task.input.content),
}

__all__ = ["BUILT_IN", "CONTENT", "DOCUMENTS", "Compute", "Input", "Made", "Maker", "Table", "Task", "each", "table_of"]
