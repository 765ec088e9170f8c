"""Impact: what depends on a symbol, how far away, which tests reach it, and what is remembered about it."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from ...codemap.entry import TEST
from ...model.code import CALLABLES, TYPES
from ...model.link import Anchor
from ...model.record import CURRENT, Record
from ...store.code import Known, MapReader
from ...store.protocol import Reader
from ..engine import Asker
from .callers import reached_through, sites
from .find import overloads
from .interfaces import Interfaces
from .type_relations import implementors, members, overrides

DISTANCE_MAX, REACHED_MAX = 6, 500
MEMORIES_MAX, FILE_MEMORIES_MAX, ENTRIES_MAX = 20, 3, 200
# A commit tells that a symbol was touched: the latest of them, after what is known about it.
COMMIT, COMMITS_MAX = "commit", 5
SITES_MAX, BEYOND_MAX = 5_000, 200
# How sure it is that a change of a method touches one that takes its place; and that a call of a method means the one
# below that takes its place.
OVERRIDES, THROUGH_ABOVE = 0.9, 0.5
_WORD = re.compile(r"\w+")


class Reached(NamedTuple):
    """A symbol that depends on what was asked about: through how many calls, and how sure the weakest of them is."""

    symbol: Known
    distance: int
    confidence: float
    through: str = ""


class Impact(NamedTuple):
    """`files` are those whose own lines depend on it. `beyond` counts what depends on it one call further away than was
    asked for; `left_out` and `tests_left` what there was no room for, and which was not followed."""

    symbols: tuple[Known, ...]
    dependents: tuple[Reached, ...]
    tests: tuple[Reached, ...]
    files: tuple[str, ...]
    left_out: int = 0
    beyond: int = 0
    tests_left: int = 0


class Remembered(NamedTuple):
    """`own` are memories of the symbols themselves, `of_file` those of their whole files."""

    own: list[Record]
    of_file: list[Record]


def impact(reader: MapReader, symbols: Sequence[Known], *, distance: int = DISTANCE_MAX) -> Impact:
    """The nearest first."""
    found: dict[int, Reached] = {}
    files: dict[str, None] = {}
    interfaces = Interfaces(reader)
    edge = [Reached(one, 0, 1.0) for symbol in symbols for one in _parts(reader, symbol)]
    start = {one.symbol.id for one in edge} | {one.id for one in symbols}
    left: dict[bool, set[int]] = {True: set(), False: set()}
    room = {True: REACHED_MAX, False: REACHED_MAX}  # tests do not take the place of what they test
    for away in range(1, distance + 1):
        following: list[Reached] = []
        for one in edge:
            for caller, confidence, through in _above(interfaces, one.symbol, files):
                if caller.id in found or caller.id in start:
                    continue
                is_test = bool(caller.flags & TEST)
                if not room[is_test]:
                    left[is_test].add(caller.id)
                    continue
                room[is_test] -= 1
                sure = round(one.confidence * confidence, 3)
                reached = Reached(caller, away, sure, through)
                found[caller.id] = reached
                following.append(reached)
        edge = following
        if not edge:
            break
    ordered = sorted(found.values(), key=lambda one: (one.distance, -one.confidence, one.symbol.path, one.symbol.start))
    tests = tuple(one for one in ordered if one.symbol.flags & TEST)
    others = tuple(one for one in ordered if not one.symbol.flags & TEST)
    further = {caller.id for one in edge[:BEYOND_MAX] for caller, _, _ in _above(interfaces, one.symbol, {})}
    beyond = further - found.keys() - start - left[True] - left[False]
    return Impact(tuple(symbols), others, tests, tuple(files), len(left[False]), len(beyond), len(left[True]))


def _parts(reader: MapReader, symbol: Known) -> list[Known]:
    """A type depends on itself through its methods too."""
    if symbol.kind not in TYPES:
        return [symbol]
    return [symbol, *(one for one in members(reader, symbol) if one.kind in CALLABLES)]


def _above(interfaces: Interfaces, symbol: Known, files: dict[str, None]) -> Iterable[tuple[Known, float, str]]:
    """Who depends on a symbol itself, how surely, and through what."""
    reader = interfaces.reader
    same = overloads(reader, symbol)
    for site in sites(reader, *same, limit=SITES_MAX):
        if site.caller is None:
            files[site.path] = None
        else:
            yield site.caller, site.confidence, symbol.qualified
    if symbol.kind in TYPES:
        for below in implementors(reader, symbol, deep=False):
            yield below, 1.0, symbol.qualified
    elif symbol.parent is not None:
        for other in dict.fromkeys((*overrides(reader, symbol), *interfaces.below(symbol))):
            yield other, OVERRIDES, symbol.qualified
    for up in dict.fromkeys(reached_through(interfaces, same)):
        for site in sites(reader, up, limit=SITES_MAX):
            if site.caller is not None:
                yield site.caller, site.confidence * THROUGH_ABOVE, up.qualified


def remembered(reader: Reader, asker: Asker, symbols: Sequence[Known], now: int) -> Remembered:
    """The memories that are anchored to these symbols, to their lines, or to their files as a whole; of those the ones
    that name a symbol are its own. One that is of another symbol of the same file is none of them."""
    targets = {target for symbol in symbols for target in (*_names(symbol), symbol.path)}
    entries = reader.anchored(asker.namespace, sorted(targets), asker.places(), CURRENT)[:ENTRIES_MAX]
    anchors = reader.anchors(entries, CURRENT)
    own = [one for one in entries if any(_is_of(anchor, symbols) for anchor in anchors.get(one, ()))]
    paths = {symbol.path for symbol in symbols}
    wide = [one for one in entries if one not in set(own) and _is_wide(anchors.get(one, ()), paths)]
    of_files = _active(reader, wide, now)
    words = {symbol.name for symbol in symbols}
    naming = [one for one in of_files if not words.isdisjoint(_WORD.findall(one.node.content))]
    others = [one for one in of_files if one not in naming]
    every = [*_active(reader, own, now), *naming]
    told = [one for one in every if one.node.kind != COMMIT]
    touching = sorted((one for one in every if one.node.kind == COMMIT), key=lambda one: -one.last_at)[:COMMITS_MAX]
    return Remembered([*told[: MEMORIES_MAX - len(touching)], *touching], others[:FILE_MEMORIES_MAX])


def _active(reader: Reader, entries: Sequence[int], now: int) -> list[Record]:
    return [one for one in reader.records_of(entries, CURRENT) if one.standing.is_active(now)]


def _names(symbol: Known) -> tuple[str, ...]:
    return f"{symbol.path}::{symbol.qualified}", symbol.qualified, symbol.name


def _is_of(anchor: Anchor, symbols: Sequence[Known]) -> bool:
    """Whether an anchor is of a symbol, of what is in it, or of lines in it."""
    fields = anchor.fields
    if anchor.type == "symbol":
        path = str(fields.get("path") or "")
        inner = [one for one in symbols if path in ("", one.path)]
        return any(anchor.target in _names(one) or anchor.target.startswith(f"{one.qualified}.") for one in inner)
    if anchor.type != "lines":
        return False
    first, last = int(fields.get("start") or 0), int(fields.get("end") or fields.get("start") or 0)
    return any(anchor.target == one.path and first <= one.stop and last >= one.start for one in symbols)


def _is_wide(anchors: Iterable[Anchor], paths: Container[str]) -> bool:
    """Whether it is of a file as a whole, not only of something in it."""
    return any(one.type == "file" and one.target in paths and one.fields.get("with") != "symbol" for one in anchors)
