"""Impact: what depends on a symbol, how far away, which tests reach it, and what is remembered about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ...codemap.entry import TEST
from ...model.code import CALLABLES, TYPES
from ...model.record import CURRENT, Record
from ...store.code import Known, MapReader
from ...store.protocol import Reader
from ..engine import Asker
from .callers import sites
from .type_relations import implementors, members, overrides

DISTANCE_MAX, REACHED_MAX = 6, 500
MEMORIES_MAX = 20


class Reached(NamedTuple):
    """A symbol that depends on what was asked about: through how many calls, and how sure the weakest of them is."""

    symbol: Known
    distance: int
    confidence: float
    through: str = ""


class Impact(NamedTuple):
    """`files` are those whose own lines depend on it."""

    symbols: tuple[Known, ...]
    dependents: tuple[Reached, ...]
    tests: tuple[Reached, ...]
    files: tuple[str, ...]
    left_out: int = 0


def impact(reader: MapReader, symbols: Sequence[Known], *, distance: int = DISTANCE_MAX) -> Impact:
    """The nearest first."""
    found: dict[int, Reached] = {}
    files: dict[str, None] = {}
    edge = [Reached(one, 0, 1.0) for symbol in symbols for one in _parts(reader, symbol)]
    start = {one.symbol.id for one in edge} | {one.id for one in symbols}
    left = 0
    for away in range(1, distance + 1):
        following: list[Reached] = []
        for one in edge:
            for caller, confidence in _above(reader, one.symbol, files):
                if caller.id in found or caller.id in start:
                    continue
                if len(found) >= REACHED_MAX:
                    left += 1
                    continue
                sure = round(one.confidence * confidence, 3)
                reached = Reached(caller, away, sure, one.symbol.qualified)
                found[caller.id] = reached
                following.append(reached)
        edge = following
        if not edge:
            break
    ordered = sorted(found.values(), key=lambda one: (one.distance, -one.confidence, one.symbol.path, one.symbol.start))
    tests = tuple(one for one in ordered if one.symbol.flags & TEST)
    others = tuple(one for one in ordered if not one.symbol.flags & TEST)
    return Impact(tuple(symbols), others, tests, tuple(files), left)


def _parts(reader: MapReader, symbol: Known) -> list[Known]:
    """A type depends on itself through its methods too."""
    if symbol.kind not in TYPES:
        return [symbol]
    return [symbol, *(one for one in members(reader, symbol) if one.kind in CALLABLES)]


def _above(reader: MapReader, symbol: Known, files: dict[str, None]) -> Iterable[tuple[Known, float]]:
    for site in sites(reader, symbol, 5_000):
        if site.caller is None:
            files[site.path] = None
        else:
            yield site.caller, site.confidence
    if symbol.kind in TYPES:
        for below in implementors(reader, symbol, deep=False):
            yield below, 1.0
    elif symbol.parent is not None:
        for other in overrides(reader, symbol):
            yield other, 0.9


def remembered(reader: Reader, asker: Asker, symbols: Iterable[Known], now: int) -> list[Record]:
    """The memories that are anchored to these symbols or their files."""
    targets: dict[str, None] = {}
    for symbol in symbols:
        for target in (f"{symbol.path}::{symbol.qualified}", symbol.qualified, symbol.name, symbol.path):
            targets[target] = None
    entries = reader.anchored(asker.namespace, list(targets), asker.places(), CURRENT)
    found = reader.records_of(entries[: 4 * MEMORIES_MAX], CURRENT)
    return [one for one in found if one.standing.is_active(now)][:MEMORIES_MAX]
