"""code: what changed in the code, by its functions and types, and what a change touches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, NamedTuple

from ..codemap.compare import DELETED, NEW, Difference, Folded, folded
from ..codemap.entry import is_test_path
from ..codemap.function_map import TOKENS, draw
from ..memory.code.broken import Broken, broken
from ..memory.code.callers import called_above
from ..memory.code.changes import changes
from ..memory.code.find import meant
from ..memory.code.function_map import FunctionMap, changed_function_maps, file_function_map
from ..memory.code.impact import DISTANCE_MAX, Impact, Reached, impact, remembered
from ..memory.code.kept_map import KeptMap, inside
from ..memory.code.named_places import SHOWN, NamedPlace, named_places
from ..memory.code.opened import opened
from ..memory.code.since import since_of
from ..model.address import shown
from ..model.code import CALLABLES, TYPES
from ..model.errors import Invalid
from ..model.record import Record
from ..model.text import counted, first_line
from ..store.code import Known, MapReader
from .table import Call, operation

TOKENS_MIN, TOKENS_MAX = 20, 5_000
# So much for a file of so few functions and types.
SMALL_TOKENS, SMALL_ENTRIES = 400, 16
# What stands before and after the map of one file takes so much.
FRAME_TOKENS = 60
TESTS_SHOWN = 5
BROKEN_SHOWN, BROKEN_PLACES = 20, 4
# Of a change: so many names are looked for, and so many of what was deleted are told.
NAMES_MAX, DELETED_SHOWN = 10, 12
HEADING = "heading"
_VALUES = frozenset(("constant", "variable"))
_TOLD = CALLABLES | TYPES | _VALUES


def _map(call: Call, *, whole: bool = False) -> KeptMap:
    return opened(call.engine, call.asker, call.progress, whole=whole)


class FunctionMapFile(NamedTuple):
    """A file's functions and types. `content` is how it reads; `entries` are mark, kind, name, head and lines."""

    path: str
    lines: int
    content: str
    entries: tuple[dict[str, Any], ...]
    note: str = ""
    without: str = ""
    needs: int = 0


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
        more = [f"({counted(self.left_out, 'more file')}: raise budget_tokens)"] if self.left_out else []
        without = dict.fromkeys(item.without for item in self.items if item.without)
        needs = math.ceil((max(item.needs for item in self.items) + FRAME_TOKENS) / 100) * 100
        word = "budget_tokens" if len(self.items) == 1 else "tokens"  # one file may take the whole answer
        where = f"{word}={needs} has them" if needs <= TOKENS_MAX else "code_symbols lists them"
        more += [f"({' / '.join(without)} left out: {where})"] if without else []
        return "\n".join([head, *parts, *more])


def _function_map(found: FunctionMap, tokens: int) -> FunctionMapFile:
    drawn = draw(found.path, found.entries, found.lines, tokens)
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
    return FunctionMapFile(found.path, found.lines, drawn.text, shown_entries, found.note, drawn.without, drawn.needs)


@operation("code")
def code_function_map(
    call: Call,
    path: Annotated[str, "a file; without it: every file in which something changed"] = "",
    since: Annotated[str, "a commit, time, session or snapshot; default: the last commit"] = "",
    tokens: Annotated[int, "about so many for a file; default: 150, more for one small file, or budget_tokens"] = 0,
    budget_tokens: int = 0,
) -> FunctionMapResult:
    """What a file consists of, instead of reading it: functions and types with lines, marked NEW, MODIFIED, DELETED,
    RENAMED or MOVED."""
    if tokens and not TOKENS_MIN <= tokens <= TOKENS_MAX:
        raise Invalid(f"tokens is a whole number from {TOKENS_MIN} to {TOKENS_MAX:,}.", field="tokens")
    kept = _map(call)
    then = since_of(call.engine, call.asker, kept.root, since, kept.mapped_at())
    with kept.reading() as reader:
        if path.strip():
            found = [file_function_map(reader, kept.root, inside(kept.root, path), then)]
            left = 0
            is_small = len(found[0].entries) <= SMALL_ENTRIES
            room = min(max(TOKENS_MIN, budget_tokens), TOKENS_MAX) if budget_tokens else 0
            tokens = tokens or room or (SMALL_TOKENS if is_small else TOKENS)
        else:
            found, left = changed_function_maps(reader, kept.root, then)
    return FunctionMapResult(then.words, tuple(_function_map(one, tokens or TOKENS) for one in found), left)


class ChangeView(NamedTuple):
    """What became of a symbol: new, modified, deleted, renamed or moved; `was` is where it was. `members` counts what
    is in it and went with it."""

    what: str
    path: str
    line: int
    kind: str
    name: str
    content: str = ""
    was: str = ""
    members: int = 0

    def text(self) -> str:
        was = f" (was {self.was})" if self.was else ""
        members = f", with {counted(self.members, 'member')}" if self.members else ""
        return f"{self.what:<8} {self.path}:{self.line} {self.kind} {self.name}{was}{members}"


class ChangesResult(NamedTuple):
    """The symbols that changed since when, with how many of each; `renamed` are files that have another name now."""

    since: str
    counts: dict[str, int]
    items: tuple[ChangeView, ...]
    files: int = 0
    left_out: int = 0
    headings: int = 0
    renamed: tuple[dict[str, str], ...] = ()

    def text(self) -> str:
        touched = {item.path for item in self.items}
        renamed = [
            f"{'renamed':<8} {_renamed(one)}{'' if one['path'] in touched else ', as it is'}" for one in self.renamed
        ]
        headings = [f"({_headings(self.headings)}: give the kind heading, or the file)"] if self.headings else []
        if not self.items and not self.left_out:
            nothing = f"Nothing changed in functions or types since {self.since} ({self._differ()})."
            return "\n".join([nothing, *renamed, *headings])
        told = ", ".join(f"{count} {what}" for what, count in self.counts.items())
        lines = [f"since {self.since}: {told} in {counted(self.files, 'file')}", *renamed]
        lines += [item.text() for item in self.items]
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens)")
        return "\n".join([*lines, *headings])

    def _differ(self) -> str:
        return f"{counted(self.files, 'file')} differ{'s' if self.files == 1 else ''}"


@operation("code")
def code_changes(
    call: Call,
    since: Annotated[str, "a commit, branch, time, session or snapshot; default: the last commit"] = "",
    path: Annotated[str, "only a file or folder"] = "",
    kind: Annotated[str, "only class, function, method, ..."] = "",
) -> ChangesResult:
    """Which functions and types are new, modified, deleted, renamed or moved, by their content and not by lines."""
    kept = _map(call)
    then = since_of(call.engine, call.asker, kept.root, since, kept.mapped_at())
    start = inside(kept.root, path) if path.strip() else ""
    with kept.reading() as reader:
        found = changes(reader, kept.root, then)
    chosen = [
        one
        for one in found.found
        if _is_below(start, one.path) or (one.was[0] and _is_below(start, one.was[0]))
        if kind in ("", one.symbol.kind)
    ]
    # A changelog has more headings than the code has functions: they are counted, unless they are asked for.
    headings = 0 if kind or start in found.paths else sum(one.symbol.kind == HEADING for one in chosen)
    if headings:
        chosen = [one for one in chosen if one.symbol.kind != HEADING]
    items = [
        ChangeView(
            one.what,
            one.path,
            one.symbol.start,
            one.symbol.kind,
            one.symbol.qualified,
            one.symbol.signature,
            f"{one.was[0]}::{one.was[1]}" if one.was[1] else "",
            members,
        )
        for one, members in (folded(chosen) if not kind else [Folded(one) for one in chosen])
    ]
    counts: dict[str, int] = {}
    for item in items:
        counts[item.what] = counts.get(item.what, 0) + 1 + item.members
    files = sum(1 for one in found.paths if _is_below(start, one))
    renamed = tuple({"path": b, "was": a} for a, b in found.renamed if _is_below(start, a) or _is_below(start, b))
    return ChangesResult(then.words, counts, tuple(items), files, found.left_out, headings, renamed)


def _renamed(one: dict[str, str]) -> str:
    return f"{one['path']} (was {one['was']})"


def _headings(count: int) -> str:
    return f"{counted(count, 'heading')} of documents changed too"


def _is_below(start: str, path: str) -> bool:
    return not start or path == start or path.startswith(f"{start}/")


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


class PlaceView(NamedTuple):
    """A line that has a name; `name` is the function or type around it."""

    path: str
    line: int
    name: str = ""
    content: str = ""

    def text(self) -> str:
        return f"{self.path}:{self.line} {self.name or '(top level)'}  {self.content}"


class BrokenView(NamedTuple):
    """What was deleted, renamed or moved though the code still names it, with the first places."""

    what: str
    name: str
    path: str
    total: int
    places: tuple[PlaceView, ...]


class ImpactResult(NamedTuple):
    """What depends on symbols, which tests reach them, and which memories are anchored there."""

    of: tuple[str, ...]
    items: tuple[ImpactView, ...]
    tests: tuple[ImpactView, ...]
    files: tuple[str, ...]
    memories: tuple[dict[str, str], ...]
    left_out: int = 0
    tests_in_all: int = 0
    named_elsewhere: bool = False
    places: tuple[PlaceView, ...] = ()
    places_in_all: int = 0
    broken: tuple[BrokenView, ...] = ()
    of_files: tuple[dict[str, str], ...] = ()
    beyond: int = 0
    distance: int = 0
    since: str = ""
    above: tuple[dict[str, Any], ...] = ()
    named: tuple[str, ...] = ()
    deleted: tuple[dict[str, str], ...] = ()
    headings: int = 0
    renamed: tuple[dict[str, str], ...] = ()

    def text(self) -> str:
        lines = [*self._renamed(), *self._broken(), *self._deleted()]
        if not self.of:
            lines = lines or [f"No function or type changed since {self.since}, so nothing is touched."]
            lines += [f"({_headings(self.headings)})"] if self.headings else []
            return "\n".join([*lines, *self._remembered()])
        names = ", ".join(self.of[:8]) + (f" and {len(self.of) - 8} more" if len(self.of) > 8 else "")
        count = len(self.items) + self.left_out
        depends = "symbol depends" if count == 1 else "symbols depend"
        it = "it" if len(self.of) == 1 else "them"
        # Of several that changed together, one may call another.
        call = f"no call of {it}{' from elsewhere' if len(self.of) > 1 else ''} is known"
        known = f"{call}, except by tests" if self.tests_in_all else call
        lines.append(f"{names}: {count} {depends} on {it}" if count else f"{names}: {known}")
        lines += [f"  {item.text()}" for item in self.items]
        if self.left_out:
            lines.append(f"  ({self.left_out} more: raise budget_tokens)")
        if self.beyond:
            lines.append(f"  (at least {self.beyond} more beyond {counted(self.distance, 'call')}: raise distance)")
        for one in self.above:
            calls = counted(one["calls"], "call")
            lines.append(f"may be reached through {one['name']} ({one['place']}): {calls}")
        if self.named_elsewhere:
            places = counted(self.places_in_all, "place")
            whose = "its name stands" if len(self.of) == 1 else f"{', '.join(self.named)} {_stand(len(self.named))}"
            lines.append(f"only calls are followed; {whose} in {places} (some may mean something else):")
            lines += [f"  {place.text()}" for place in self.places]
        if self.files:
            lines.append(f"files whose own lines use it: {', '.join(self.files)}")
        lines.append(f"tests that reach it: {self.tests_in_all}" if self.tests_in_all else "no test calls it")
        lines += [f"  {item.text()}" for item in self.tests[:TESTS_SHOWN]]
        more = self.tests_in_all - len(self.tests[:TESTS_SHOWN])
        lines += [f"  (and {more} more)"] if more else []
        lines += [f"({_headings(self.headings)})"] if self.headings else []
        return "\n".join([*lines, *self._remembered()])

    def _remembered(self) -> list[str]:
        lines: list[str] = []
        if self.memories:
            lines.append("remembered about it:")
            lines += [f"  [{one['address']}] {one['title']}" for one in self.memories]
        if self.of_files:
            lines.append("about the whole file:")
            lines += [f"  [{one['address']}] {one['title']}" for one in self.of_files]
        return lines

    def _deleted(self) -> list[str]:
        """What is gone and was told above is not told again."""
        told = {(one.path, one.name) for one in self.broken}
        left = [one for one in self.deleted if (one["path"], one["name"]) not in told]
        lines: list[str] = []
        for is_shared, said in (
            (False, "not named any more"),
            (True, "others have the name, so that its calls cannot be told"),
        ):
            names = [f"{one['name']} ({one['path']})" for one in left if ("shared" in one) == is_shared]
            more = f" and {len(names) - DELETED_SHOWN} more" if len(names) > DELETED_SHOWN else ""
            lines += [f"deleted, and {said}: {', '.join(names[:DELETED_SHOWN])}{more}"] if names else []
        return lines

    def _renamed(self) -> list[str]:
        told = ", ".join(map(_renamed, self.renamed[:DELETED_SHOWN]))
        more = f" and {len(self.renamed) - DELETED_SHOWN} more" if len(self.renamed) > DELETED_SHOWN else ""
        missed = {one.path for one in self.broken} & {one["was"] for one in self.renamed}
        said = "renamed as it is" if len(self.renamed) == 1 else "renamed as they are"
        end = "" if missed else f"; no call misses {'it' if len(self.renamed) == 1 else 'them'}"
        return [f"{said}: {told}{more}{end}"] if self.renamed else []

    def _broken(self) -> list[str]:
        lines = ["gone, and still named:"] if self.broken else []
        for one in self.broken:
            lines.append(f"  {one.what} {one.name} (was in {one.path}): {counted(one.total, 'place')}")
            lines += [f"    {place.text()}" for place in one.places]
        return lines


def _stand(count: int) -> str:
    return "stands" if count == 1 else "stand"


def _place(one: NamedPlace) -> PlaceView:
    return PlaceView(one.path, one.line, one.within, one.content)


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
    """What depends on a symbol or on what changed, through how many calls; tests that reach it; memories about it.
    Without either: on what is not committed yet."""
    if not 1 <= distance <= DISTANCE_MAX:
        raise Invalid(f"distance is a whole number from 1 to {DISTANCE_MAX}.", field="distance")
    kept = _map(call, whole=True)
    since = None
    if not symbol.strip():
        since = since_of(call.engine, call.asker, kept.root, diff, kept.mapped_at())
    gone: list[Broken] = []
    found: list[Difference] = []
    headings = 0
    renamed: list[tuple[str, str]] = []
    deleted: tuple[dict[str, str], ...] = ()
    with kept.reading() as reader:
        if since is None:
            chosen = meant(reader, symbol)
        else:
            every = changes(reader, kept.root, since)
            found = [one for one in every.found if one.symbol.kind != HEADING]
            headings = len(every.found) - len(found)
            chosen = _present(reader, [(one.path, one.symbol.qualified) for one in found])
            gone = broken(reader, found, every.renamed)
            deleted = _deleted(reader, found)
            touched = {one.path for one in found}
            renamed = [one for one in every.renamed if one[1] not in touched]
        reached = impact(reader, chosen, distance=distance)
        names = _unfollowed(chosen, reached, found if since is not None else None)
        named = named_places(reader, names)
        above = called_above(reader, chosen) if since is None else []
    with call.engine.store.reading() as store:
        about = remembered(store, call.asker, [*chosen, *_before(found)], call.engine.clock())
    places = [place for one in named.values() for place in one.places[: SHOWN if len(named) == 1 else BROKEN_PLACES]]
    total = sum(one.total for one in named.values())
    return ImpactResult(
        tuple(dict.fromkeys(one.qualified for one in chosen)),
        tuple(_reached(one) for one in reached.dependents),
        tuple(_reached(one) for one in reached.tests),
        reached.files,
        _memories(about.own),
        reached.left_out,
        len(reached.tests) + reached.tests_left,
        bool(total),
        tuple(map(_place, places)),
        total,
        tuple(
            BrokenView(one.what, one.qualified, one.path, one.total, tuple(map(_place, one.places[:BROKEN_PLACES])))
            for one in gone[:BROKEN_SHOWN]
        ),
        _memories(about.of_file),
        reached.beyond,
        distance,
        since.words if since is not None else "",
        tuple({"name": up.method.qualified, "place": up.method.place, "calls": up.calls} for up in above),
        tuple(name for name, one in named.items() if one.total),
        deleted,
        headings,
        tuple({"path": b, "was": a} for a, b in renamed),
    )


def _memories(records: list[Record]) -> tuple[dict[str, str], ...]:
    return tuple({"address": shown(one.node.address), "title": first_line(one.node.content, 100)} for one in records)


def _unfollowed(chosen: list[Known], reached: Impact, found: Sequence[Difference] | None) -> list[str]:
    """The names of which calls say nothing: of what is not called, and of what nothing but tests is known to call. Of
    a change, what is new needs none."""
    if found is not None:
        fresh = {(one.path, one.symbol.qualified) for one in found if one.what == NEW}
        chosen = [one for one in chosen if one.kind in _TOLD and (one.path, one.qualified) not in fresh]
        inner = {one.id for one in chosen if one.kind in CALLABLES}
        chosen = [one for one in chosen if one.parent not in inner]
    else:
        chosen = chosen[-1:]
    is_used = bool(reached.dependents) or not all(map(is_test_path, reached.files))
    names = (one.name for one in chosen if not is_used or one.kind not in CALLABLES | TYPES)
    return list(dict.fromkeys(names))[:NAMES_MAX]


def _before(found: Sequence[Difference]) -> list[Known]:
    """What is gone, and what has another name or place now, as it was: something may be remembered about it."""
    before: list[Known] = []
    for one in found:
        is_gone = one.what == DELETED
        path, qualified = (one.path, one.symbol.qualified) if is_gone else one.was
        if qualified:
            within, _, name = qualified.rpartition(".")
            lines = (one.symbol.start, one.symbol.end) if is_gone else (1, 0)  # of another place nobody knows its lines
            before.append(Known(-1, path, name, within, one.symbol.kind, *lines, None, -1, 0, 0, 0))
    return before


def _deleted(reader: MapReader, found: Sequence[Difference]) -> tuple[dict[str, str], ...]:
    """Without what is in a type or function that is deleted too; `shared` where something else has the name."""
    gone = [one for one in found if one.what == DELETED and one.symbol.kind in _TOLD]
    within = {(one.path, one.symbol.qualified) for one in gone}
    return tuple(
        {"name": one.symbol.qualified, "path": one.path, "kind": one.symbol.kind}
        | ({"shared": "yes"} if reader.symbols_named(one.symbol.name, 1) else {})
        for one in gone
        if (one.path, one.symbol.qualified.rpartition(".")[0]) not in within
    )


def _present(reader: MapReader, places: list[tuple[str, str]]) -> list[Known]:
    found: list[Known] = []
    for path, qualified in places:
        row = reader.file_at(path)
        if row is not None:
            found += [one for one in reader.symbols_of(row.id) if one.qualified == qualified]
    return found
