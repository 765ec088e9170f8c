"""A file's function map: what a model needs to know of a file instead of the file, in few tokens, with marks for what
changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model.code import CALLABLES, TOP, TYPES, Symbol
from ..model.text import counted, token_estimate
from .compare import DELETED, MODIFIED, MOVED, NEW, RENAMED, UNCHANGED, Difference

TOKENS = 150
MARKS = {what: what.upper() for what in (NEW, MODIFIED, DELETED, RENAMED, MOVED, UNCHANGED)}
SHOWN = CALLABLES | TYPES | frozenset("module namespace heading table".split())

_HEAD = re.compile(
    r"^(?:(?:export|default|async|public|private|protected|static|final|abstract|override|virtual|pub(?:\([^)]*\))?|"
    r"function|func|fn|def|fun|sub|class|struct|interface|trait|enum|impl|type|const|let|var|readonly)\s+)+"
)
_SPACES = re.compile(r"\s+")


class Entry(NamedTuple):
    """A line of a function map. `mark` is NEW, MODIFIED, RENAMED, MOVED, UNCHANGED or DELETED; `depth` how far in it
    stands; `owner` the type that it belongs to, where neither what is around it nor its head says that."""

    mark: str
    kind: str
    qualified: str
    signature: str
    start: int
    end: int
    depth: int = 0
    was: str = ""
    doc: str = ""
    owner: str = ""


def entries(symbols: Sequence[Symbol], differences: Iterable[Difference]) -> list[Entry]:
    """Functions and types of a file in their order, and those that are gone from it. Variables and fields only where
    they changed at the top."""
    marks: dict[tuple[str, int], Difference] = {}
    gone: list[Difference] = []
    for one in differences:
        if one.what == DELETED:
            gone.append(one)
        else:
            marks[one.symbol.qualified, one.symbol.start] = one
    found, depths = [], list[int]()
    for symbol in symbols:
        depth = depths[symbol.parent] + 1 if symbol.parent != TOP else 0
        depths.append(depth)
        change = marks.get((symbol.qualified, symbol.start))
        if symbol.kind not in SHOWN and (change is None or depth):
            continue
        was = f"{change.was[0]}::{change.was[1]}" if change is not None and change.was[1] else ""
        in_type = symbol.parent != TOP and symbols[symbol.parent].kind in TYPES
        owner = "" if in_type else symbol.receiver
        found.append(_entry(symbol, change.what if change is not None else UNCHANGED, depth, was, owner))
    shown = CALLABLES | TYPES
    found += [_entry(one.symbol, DELETED, 0, "", one.symbol.receiver) for one in gone if one.symbol.kind in shown]
    return found


def _entry(symbol: Symbol, what: str, depth: int, was: str, owner: str) -> Entry:
    signature = symbol.signature or symbol.qualified
    lines = (symbol.start, symbol.end)
    return Entry(MARKS[what], symbol.kind, symbol.qualified, signature, *lines, depth, was, symbol.doc, owner)


class Drawn(NamedTuple):
    """`without` says what there was no room for, `needs` how many tokens have room for it."""

    text: str
    without: str = ""
    needs: int = 0


def draw(path: str, found: Sequence[Entry], lines: int = 0, tokens: int = TOKENS) -> Drawn:
    """As text within about so many tokens: the fullest of several forms that has room. What changed is always there."""
    counts: dict[str, int] = {}
    for entry in found:
        counts[entry.mark] = counts.get(entry.mark, 0) + 1
    told = [mark for mark in MARKS.values() if counts.get(mark) and mark != MARKS[UNCHANGED]]
    changed = ", ".join(f"{counts[mark]} {mark}" for mark in told)
    size = f" ({counted(lines, 'line')})" if lines else ""
    head = f"{path}{size}{f': {changed}' if changed else ''}"
    if not found:
        return Drawn(f"{head}\n  no functions or types")
    needs = 0
    for form, without in ((_full, ""), (_heads, "comments"), (_names, "signatures"), (_grouped, "signatures")):
        text = "\n".join([head, *form(found)])
        takes = token_estimate(text)
        if takes <= tokens:
            return Drawn(text, without, needs)
        needs = takes if form in (_full, _heads) else needs
    return Drawn(_cut(head, found, tokens), "signatures and more", needs)


def _mark(entry: Entry) -> str:
    said = "" if entry.mark == "UNCHANGED" else f" {entry.mark}"
    return f"{said} (was {entry.was})" if entry.was else said


def _full(found: Sequence[Entry]) -> list[str]:
    return [
        f"{'  ' * (entry.depth + 1)}{_head(entry)} {entry.start}-{entry.end}{_mark(entry)}"
        + (f"  # {entry.doc}" if entry.doc else "")
        for entry in found
    ]


def _heads(found: Sequence[Entry]) -> list[str]:
    return [f"{'  ' * (entry.depth + 1)}{_bare(_head(entry))} {entry.start}{_mark(entry)}" for entry in found]


def _names(found: Sequence[Entry]) -> list[str]:
    return [f"{' ' * (entry.depth + 1)}{_last(entry)} {entry.start}{_mark(entry)}" for entry in found]


def _grouped(found: Sequence[Entry]) -> list[str]:
    """A line for each thing at the top, with the names of what is in it."""
    lines: list[list[str]] = []
    loose: list[str] = []
    for entry in found:
        if entry.depth and lines:
            lines[-1].append(f"{_last(entry)}{_mark(entry)}")
        elif entry.kind in CALLABLES and not _mark(entry):
            loose.append(_last(entry))
        else:
            lines.append([f"{entry.kind} {_last(entry)} {entry.start}-{entry.end}{_mark(entry)}"])
    told = [f" {first}{': ' + ', '.join(rest) if rest else ''}" for first, *rest in lines]
    return [*told, *([f" functions: {', '.join(loose)}"] if loose else [])]


def _cut(head: str, found: Sequence[Entry], tokens: int) -> str:
    """What changed first, then types and functions at the top, as many as there is room for."""
    first = [entry for entry in found if entry.mark != "UNCHANGED"]
    rest = [entry for entry in found if entry.mark == "UNCHANGED" and not entry.depth]
    lines, room = [head], tokens - token_estimate(head) - 8
    kept = 0
    for entry in (*first, *rest):
        line = f" {entry.qualified} {entry.start}{_mark(entry)}"
        room -= token_estimate(line) + 1
        if room < 0:
            break
        lines.append(line)
        kept += 1
    if kept < len(found):
        lines.append(f" … {len(found) - kept} more")
    return "\n".join(lines)


def _last(entry: Entry) -> str:
    return entry.qualified.rpartition(".")[2] if entry.depth else entry.qualified


def _head(entry: Entry) -> str:
    """Its head, with the type that it belongs to before its name: `fn Store::new()`, which Rust says above."""
    head, name = entry.signature, entry.qualified.rpartition(".")[2]
    place = re.search(rf"\b{re.escape(name)}\b", head) if entry.owner else None
    if place is None or entry.owner.rpartition(".")[2] in head[: place.start()]:
        return head
    join = "::" if "fn " in head[: place.start()] else "."
    return f"{head[: place.start()]}{entry.owner.replace('.', join)}{join}{head[place.start() :]}"


def _bare(signature: str) -> str:
    """A head without the words before the name and without the types in it."""
    text = _HEAD.sub("", _SPACES.sub(" ", signature))
    return text if len(text) <= 80 else f"{text[:79]}…"


def by_file(differences: Iterable[Difference]) -> Mapping[str, list[Difference]]:
    """Differences by the file that they are in now; those that are gone by the file that they were in."""
    found: dict[str, list[Difference]] = {}
    for one in differences:
        found.setdefault(one.path, []).append(one)
    return found
