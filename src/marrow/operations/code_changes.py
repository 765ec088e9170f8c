"""code: what changed in the code, by its functions and types, and what a change touches."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..codemap.function_map import TOKENS, draw
from ..memory.code.changes import changes
from ..memory.code.find import one_symbol
from ..memory.code.function_map import FunctionMap, changed_function_maps, file_function_map
from ..memory.code.impact import DISTANCE_MAX, Reached, impact, remembered
from ..memory.code.kept_map import KeptMap, inside
from ..memory.code.opened import opened
from ..memory.code.since import since_of
from ..model.address import shown
from ..model.errors import Invalid
from ..model.text import first_line
from ..store.code import Known, MapReader
from .table import Call, operation


def _map(call: Call, *, whole: bool = False) -> KeptMap:
    return opened(call.engine, call.asker, call.progress, whole=whole)


class FunctionMapFile(NamedTuple):
    """A file's functions and types. `content` is how it reads; `entries` are mark, kind, name, head and lines."""

    path: str
    lines: int
    content: str
    entries: tuple[dict[str, Any], ...]
    note: str = ""


class FunctionMapResult(NamedTuple):
    """Function maps, with what changed since when."""

    since: str
    items: tuple[FunctionMapFile, ...]
    left_out: int = 0

    def text(self) -> str:
        if not self.items:
            return f"No function or type changed since {self.since}."
        parts = [f"{item.content}\n  ({item.note})" if item.note else item.content for item in self.items]
        head = f"since {self.since}; what has no mark is UNCHANGED"
        more = [f"({self.left_out} more files: raise budget_tokens)"] if self.left_out else []
        return "\n".join([head, *parts, *more])


def _function_map(found: FunctionMap, tokens: int) -> FunctionMapFile:
    shown_entries = tuple(
        {
            "mark": entry.mark,
            "kind": entry.kind,
            "name": entry.qualified,
            "signature": entry.signature,
            "start": entry.start,
            "end": entry.end,
            **({"was": entry.was} if entry.was else {}),
        }
        for entry in found.entries
    )
    return FunctionMapFile(
        found.path, found.lines, draw(found.path, found.entries, found.lines, tokens), shown_entries, found.note
    )


@operation("code")
def code_function_map(
    call: Call,
    path: Annotated[str, "a file; without it: every file in which something changed"] = "",
    since: Annotated[str, "a commit, time, session or snapshot; default: the last commit"] = "",
    tokens: Annotated[int, "about so many for a file"] = TOKENS,
) -> FunctionMapResult:
    """What a file consists of, instead of reading it: functions and types with lines, marked NEW, MODIFIED, DELETED."""
    if not 20 <= tokens <= 5_000:
        raise Invalid("tokens is a whole number from 20 to 5,000.", field="tokens")
    kept = _map(call)
    meant = since_of(call.engine, call.asker, kept.root, since, kept.mapped_at())
    with kept.reading() as reader:
        if path.strip():
            found = [file_function_map(reader, kept.root, inside(kept.root, path), meant)]
            left = 0
        else:
            found, left = changed_function_maps(reader, kept.root, meant)
    return FunctionMapResult(meant.words, tuple(_function_map(one, tokens) for one in found), left)


class ChangeView(NamedTuple):
    """What became of a symbol: new, modified, deleted, renamed or moved; `was` is where it was."""

    what: str
    path: str
    line: int
    kind: str
    name: str
    content: str = ""
    was: str = ""

    def text(self) -> str:
        was = f" (was {self.was})" if self.was else ""
        return f"{self.what:<8} {self.path}:{self.line} {self.kind} {self.name}{was}"


class ChangesResult(NamedTuple):
    """The symbols that changed since when, with how many of each."""

    since: str
    counts: dict[str, int]
    items: tuple[ChangeView, ...]
    files: int = 0
    left_out: int = 0

    def text(self) -> str:
        if not self.items:
            return f"Nothing changed in functions or types since {self.since} ({self.files} files differ)."
        told = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        lines = [f"since {self.since}: {told} in {self.files} files", *(item.text() for item in self.items)]
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens)")
        return "\n".join(lines)


@operation("code")
def code_changes(
    call: Call,
    since: Annotated[str, "a commit, branch, time, session or snapshot; default: the last commit"] = "",
    path: Annotated[str, "only a file or folder"] = "",
    kind: Annotated[str, "only class, function, method, ..."] = "",
) -> ChangesResult:
    """Which functions and types are new, modified, deleted, renamed or moved, by their content and not by lines."""
    kept = _map(call)
    meant = since_of(call.engine, call.asker, kept.root, since, kept.mapped_at())
    start = inside(kept.root, path) if path.strip() else ""
    with kept.reading() as reader:
        found = changes(reader, kept.root, meant)
    items = [
        ChangeView(
            one.what,
            one.path,
            one.symbol.start,
            one.symbol.kind,
            one.symbol.qualified,
            one.symbol.signature,
            f"{one.was[0]}::{one.was[1]}" if one.was[1] else "",
        )
        for one in found.found
        if (not start or one.path == start or one.path.startswith(f"{start}/")) and kind in ("", one.symbol.kind)
    ]
    counts: dict[str, int] = {}
    for item in items:
        counts[item.what] = counts.get(item.what, 0) + 1
    return ChangesResult(meant.words, counts, tuple(items), found.files, found.left_out)


class ImpactView(NamedTuple):
    """Something that depends on it: how many calls away, and how sure the way is."""

    path: str
    line: int
    kind: str
    name: str
    distance: int
    confidence: float
    through: str = ""

    def text(self) -> str:
        return f"{self.distance}  {self.path}:{self.line} {self.name} [{self.confidence:.2f}] through {self.through}"


class ImpactResult(NamedTuple):
    """What depends on symbols, which tests reach them, and which memories are anchored there."""

    of: tuple[str, ...]
    items: tuple[ImpactView, ...]
    tests: tuple[ImpactView, ...]
    files: tuple[str, ...]
    memories: tuple[dict[str, str], ...]
    left_out: int = 0

    def text(self) -> str:
        names = ", ".join(self.of[:8]) + (f" and {len(self.of) - 8} more" if len(self.of) > 8 else "")
        count = len(self.items) + self.left_out
        lines = [f"{names}: {count} symbols depend on it" if count else f"{names}: nothing in the code depends on it"]
        lines += [f"  {item.text()}" for item in self.items]
        if self.left_out:
            lines.append(f"  ({self.left_out} more: raise budget_tokens)")
        if self.files:
            lines.append(f"files whose own lines use it: {', '.join(self.files)}")
        lines.append(f"tests that reach it: {len(self.tests)}" if self.tests else "no test reaches it")
        lines += [f"  {item.text()}" for item in self.tests[:10]]
        if self.memories:
            lines.append("remembered about it:")
            lines += [f"  [{one['address']}] {one['title']}" for one in self.memories]
        return "\n".join(lines)


def _reached(one: Reached) -> ImpactView:
    symbol = one.symbol
    return ImpactView(
        symbol.path, symbol.start, symbol.kind, symbol.qualified, one.distance, one.confidence, one.through
    )


@operation("code", spellings={"symbol": ("name",), "diff": ("since",)})
def code_impact(
    call: Call,
    symbol: Annotated[str, "what is to be changed"] = "",
    diff: Annotated[str, "instead: everything that changed since a commit or time; HEAD: not yet committed"] = "",
    distance: Annotated[int, "so many calls away"] = 4,
) -> ImpactResult:
    """What depends on a symbol or on what changed, through how many calls; tests that reach it; memories about it."""
    if not 1 <= distance <= DISTANCE_MAX:
        raise Invalid(f"distance is a whole number from 1 to {DISTANCE_MAX}.", field="distance")
    if not symbol.strip() and not diff.strip():
        raise Invalid(
            "Neither a symbol nor a diff was given.", hint="diff=HEAD: what is not committed.", field="symbol"
        )
    kept = _map(call, whole=True)
    meant = None
    if not symbol.strip():
        meant = since_of(call.engine, call.asker, kept.root, diff, kept.mapped_at())
    with kept.reading() as reader:
        if meant is None:
            chosen = [one_symbol(reader, symbol)]
        else:
            found = changes(reader, kept.root, meant).found
            chosen = _present(reader, [(one.path, one.symbol.qualified) for one in found])
        reached = impact(reader, chosen, distance=distance)
    with call.engine.store.reading() as store:
        records = remembered(store, call.asker, chosen, call.engine.clock())
    memories = tuple({"address": shown(r.node.address), "title": first_line(r.node.content, 100)} for r in records)
    return ImpactResult(
        tuple(one.qualified for one in chosen),
        tuple(_reached(one) for one in reached.dependents),
        tuple(_reached(one) for one in reached.tests),
        reached.files,
        memories,
        reached.left_out,
    )


def _present(reader: MapReader, places: list[tuple[str, str]]) -> list[Known]:
    found: list[Known] = []
    for path, qualified in places:
        row = reader.file_at(path)
        if row is not None:
            found += [one for one in reader.symbols_of(row.id) if one.qualified == qualified]
    return found
