"""Spatial: what is known about a place in the code: a file, or some of its lines and the symbols there."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..codemap.fingerprint import Span
from ..model.code import Symbol
from ..model.errors import Invalid
from ..model.link import Anchor
from ..model.record import CURRENT, Record
from ..model.scope import READ
from .anchors.check import is_companion
from .anchors.checkout import Checkout
from .engine import Asker, Engine
from .known_about import naming, read_from
from .known_here import tells
from .verify import clean_path

NEAR_LINES = 10
LOOKED_AT = 2_000
WHOLE_FILE = 1 << 30
ITSELF = "the file itself"


class Known(NamedTuple):
    """A memory, where in the file it hangs (`lines 10-20`, `Store.close`, `the file`, or `names Store.close` where only
    its text does), and how far that is from the lines asked about."""

    record: Record
    where: str
    distance: int
    is_named: bool = False


class Around(NamedTuple):
    """`symbols` are those in the lines that were asked about, the outer ones first; `commits` is how many of those that
    were taken in touched the file. `is_there`: the checkout at hand has such a file or folder, or there is none."""

    path: str
    items: tuple[Known, ...]
    symbols: tuple[Symbol, ...]
    commits: int = 0
    is_there: bool = True


def spatial(engine: Engine, asker: Asker, file: str, start_line: int = 0, end_line: int = 0) -> Around:
    """The nearest first; what is about the file as a whole comes last, and then what a scan took from the code."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    path, span = _asked(file, start_line, end_line)
    checkout = Checkout(asker.root) if asker.root else None
    symbols = checkout.symbols(path) if checkout is not None and checkout.has(path) else ()
    now = engine.clock()
    with engine.store.reading() as reader:
        entries = reader.anchored(asker.namespace, [path], asker.places(), CURRENT)[:LOOKED_AT]
        every = [record for record in reader.records_of(entries, CURRENT) if record.standing.is_active(now)]
        records = [record for record in every if tells(record)]
        anchors = reader.anchors([record.entry for record in records], CURRENT)
        near = [one for one in symbols if span is None or _distance(Span(one.start, one.end), span) <= NEAR_LINES]
        named = naming(engine, reader, asker, near, now)
        itself = read_from(reader, asker, [path], now).get(path, [])
    found = [_nearest(record, anchors.get(record.entry, []), path, span, symbols) for record in records]
    found += [_naming(symbol, record, span) for symbol, record in named]
    found += [Known(record, ITSELF, WHOLE_FILE if span is not None else 0) for record in itself]
    nearest: dict[int, Known] = {}  # of each memory
    for one in sorted((one for one in found if one is not None), key=_order):
        nearest.setdefault(one.record.entry, one)
    within = tuple(one for one in symbols if span is None or (one.start <= span.last and one.end >= span.first))
    is_there = checkout is None or os.path.lexists(os.path.join(checkout.root, path))
    commits = sum(one.node.kind == "commit" for one in every)
    return Around(path, tuple(nearest.values()), within, commits, is_there)


def _naming(symbol: Symbol, record: Record, span: Span | None) -> Known:
    """What names a symbol and is not anchored to it: a document often does."""
    far = _distance(Span(symbol.start, symbol.end), span) if span is not None else 0
    return Known(record, f"names {symbol.qualified}", far, is_named=True)


def _distance(lines: Span, span: Span) -> int:
    return max(0, lines.first - span.last, span.first - lines.last)


def _order(one: Known) -> tuple[bool, bool, int, float, int]:
    """What people and sessions said comes before what the code says of itself: that stands there anyway. And what is
    anchored there before what only names it."""
    standing = one.record.standing
    return "scan" in standing.tags, one.is_named, one.distance, -standing.priority, -one.record.last_at


def _asked(file: str, start: int, end: int) -> tuple[str, Span | None]:
    """`src/app.py:10-20` is a file with its lines."""
    path, _, lines = file.strip().partition(":")
    if lines and not start:
        first, _, last = lines.partition("-")
        if first.isdigit() and (not last or last.isdigit()):
            start, end = int(first), int(last or first)
    path = clean_path(path)
    if not path or path.startswith("/") or ".." in path.split("/"):
        raise Invalid(
            f"{file[:80]!r} is no file of the project.", hint="Give it from the project's root.", field="file"
        )
    if start < 0 or (end and end < start):
        raise Invalid("Lines go from a first to a last one.", hint="start_line 10, end_line 20.", field="start_line")
    return path, Span(start, end or start) if start else None


def _nearest(
    record: Record, anchors: list[Anchor], path: str, span: Span | None, symbols: tuple[Symbol, ...]
) -> Known | None:
    """By the anchor that is nearest to the lines; None when all of them are too far."""
    places = [place for anchor in anchors if (place := _place(anchor, path, symbols)) is not None]
    companion_only = any(is_companion(one) and one.target == path for one in anchors)
    best: Known | None = None
    for where, lines in places:
        if lines is None:
            known = Known(record, where, WHOLE_FILE if span is not None else 0)
        elif span is None:
            known = Known(record, where, 0)
        else:
            far = _distance(lines, span)
            if far > NEAR_LINES:
                continue
            known = Known(record, where, far)
        if best is None or known.distance < best.distance or (best.where == "the file" and known.where != "the file"):
            best = known
    if best is None and companion_only and not places:
        return Known(record, "the file", WHOLE_FILE if span is not None else 0)
    return best


def _place(anchor: Anchor, path: str, symbols: tuple[Symbol, ...]) -> tuple[str, Span | None] | None:
    about = anchor.fields
    if anchor.type == "lines" and anchor.target == path:
        start, end = about.get("start"), about.get("end")
        if isinstance(start, int) and isinstance(end, int):
            return f"lines {start}-{end}" if end != start else f"line {start}", Span(start, end)
        return "the file", None
    if anchor.type == "symbol" and about.get("path") == path:
        now = next((one for one in symbols if one.qualified == anchor.target), None)
        start, end = (now.start, now.end) if now else (about.get("start", 1), about.get("end", 1))
        return anchor.target, Span(int(start), int(end))
    if anchor.type == "pattern" and path in (about.get("path"), about.get("known")):
        return f"pattern {anchor.target!r}", None
    if anchor.type == "dependency" and about.get("path") == path:
        return f"dependency {anchor.target}", None
    if anchor.type == "file" and anchor.target == path and not is_companion(anchor):
        return "the file", None
    return None
