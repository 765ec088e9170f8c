"""Which of the two embedders has a second look at what the other one found."""

from __future__ import annotations

from ..providers.embedder import Embedder
from ..search.second_look import QUICK_SHARE, SecondLook
from .engine import Engine


def look_of(engine: Engine, embedder: Embedder, found: int) -> SecondLook | None:
    """A second look at what is found by this embedder, where there are two: the better one at the first few, for it
    takes its time, and the quick one at all."""
    return quick_look_of(engine, embedder, found) or (
        SecondLook(engine.refiner, kept=engine.looked) if engine.refiner is not None else None
    )


def quick_look_of(engine: Engine, embedder: Embedder, found: int) -> SecondLook | None:
    """The same where it costs next to nothing: the better embedder has looked first, and the quick one looks again."""
    if engine.refiner is None or embedder is not engine.refiner:
        return None
    return SecondLook(engine.embedder, QUICK_SHARE, is_better=False, first=found)
