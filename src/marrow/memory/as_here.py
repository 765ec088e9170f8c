"""Memories as the code in the working tree at hand bears them out. What a standing says of drift is true of the main
working tree; in another one of the same repository it is looked at when it is told."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.record import Record
from ..repository.elsewhere import is_linked
from .engine import Asker, Engine


def as_here(engine: Engine, asker: Asker, records: Sequence[Record]) -> list[Record]:
    """The same records in the same order, with the drift that they have in this working tree."""
    if not records or not asker.root or not is_linked(asker.root):
        return list(records)

    from .drift_here import drift_here

    return drift_here(engine, asker, records)
