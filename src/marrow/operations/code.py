"""code: what the repository is made of. Symbols, who calls what, and the map of a folder."""

from __future__ import annotations

import os
from typing import Annotated, Any, Literal, NamedTuple

from ..codemap.draw import as_json, as_mermaid, as_text
from ..codemap.entry import is_test_path
from ..codemap.languages.table import language_of
from ..memory.code.call_graph import VERTICES_MAX, call_graph, file_graph
from ..memory.code.callees import Callee, callees
from ..memory.code.callers import Above, CallSite, called_above, callers, other_names
from ..memory.code.find import beginning, matching, meant, one_symbol
from ..memory.code.folder_map import DEPTH_MAX, FolderEntry, folder_map
from ..memory.code.interfaces import Interfaces
from ..memory.code.kept_map import KeptMap, inside
from ..memory.code.most_called import most_called
from ..memory.code.opened import opened
from ..memory.code.parsing import written
from ..model.code import CALLABLES, TYPES
from ..model.errors import Invalid, NotFound
from ..model.text import counted
from ..store.code import Known, MapReader
from ..store.code.states import PLAIN, SKIPPED
from .table import Call, operation

LIMIT_MAX = 1_000
GRAPH_DEPTH_MAX = 6
# So many calls that are not resolved are told beside those that are.
LOOSE_LINES = 5
# And of the calls of each method whose place it takes.
ABOVE_LINES = 8
MOST_CALLED = 5
NEAR_SHOWN = 6
NAMED_WHERE = "code_impact says where its name stands."
FROM_ROOT = "Give a path from the root."


class SymbolView(NamedTuple):
    """A symbol in a list. `content` is its head and the first line of what is said about it."""

    path: str
    line: int
    end: int
    kind: str
    name: str
    content: str = ""

    def text(self) -> str:
        head = self.content or self.name
        return f"{self.path}:{self.line}-{self.end} {self.kind} {self.name}" + (
            f"  {head}" if head != self.name else ""
        )


class SymbolList(NamedTuple):
    """Symbols that have the name, or those of a file or folder."""

    of: str
    items: tuple[SymbolView, ...]
    left_out: int = 0
    near: tuple[str, ...] = ()
    note: str = ""

    def text(self) -> str:
        lines = [item.text() for item in self.items]
        if self.left_out:
            lines.append(f"({self.left_out} more: raise limit or budget_tokens, or give kind)")
        note = [f"({self.note})"] if self.note else []
        if lines:
            return "\n".join([*lines, *note])
        begins = any(name.startswith(self.of) for name in self.near)
        none = f"No symbol of {self.of!r}." + (
            f" {self.of}* finds what begins so: {', '.join(self.near)}."
            if begins
            else f" Did you mean {self.near[0]}?"
            if self.near
            else ""
        )
        return "\n".join([none, *note])


def _view(reader: MapReader, one: Known, heads: dict[int, tuple[Any, ...]]) -> SymbolView:
    file = one.id >> 20
    if file not in heads:
        outline = reader.outline(file)
        heads[file] = outline[0].symbols if outline is not None else ()
    symbols = heads[file]
    content = ""
    if one.at < len(symbols):
        symbol = symbols[one.at]
        content = f"{symbol.signature}  # {symbol.doc}" if symbol.doc else symbol.signature
    return SymbolView(one.path, one.start, one.stop, one.kind, one.qualified, content)


def _check_limit(limit: int) -> int:
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a whole number from 1 to {LIMIT_MAX:,}.", field="limit")
    return limit


def _map(call: Call, *, whole: bool = False) -> KeptMap:
    return opened(call.engine, call.asker, call.progress, whole=whole)


def _symbols(kept: KeptMap, given: str) -> tuple[list[Known], int]:
    """The symbol that is meant (all its overloads), with what calls it and what it calls resolved, and what its type
    and the interfaces that it may fulfil consist of; how many files still wait for that."""
    with kept.reading() as reader:
        found = meant(reader, given)
        one = found[-1]
        files = Interfaces(reader).files(one)
        others = other_names(reader, one)
    names = {one.name, one.within.rpartition(".")[2], *others} - {""}
    return found, kept.resolve_for(names, [one.id >> 20, *files])


@operation("code", spellings={"name": ("symbol", "query")})
def code_symbols(
    call: Call,
    name: Annotated[
        str, "a name, Class.name, path::name or path:line; its beginning with * after it; a path is taken as path"
    ] = "",
    path: Annotated[str, "instead: all of a file or folder"] = "",
    kind: Annotated[str, "only class, function, method, ..."] = "",
    limit: int = 50,
) -> SymbolList:
    """Where symbols are defined: by name, or those of a file. With their heads and line ranges."""
    _check_limit(limit)
    kept = _map(call)
    with kept.reading() as reader:
        if name.strip() and not path.strip() and _is_path(kept, reader, name.strip()):
            name, path = "", name
        if name.strip():
            found = _named(reader, name.strip(), kind)
            if path.strip():
                start = inside(kept.root, path)
                found = [one for one in found if one.path == start or one.path.startswith(f"{start}/") or not start]
        elif path.strip():
            found = _symbols_at(reader, inside(kept.root, path), kind)
        else:
            raise Invalid("Neither a name nor a path was given.", hint="Give name, or path for a file.", field="name")
        if name.strip() and not found and _is_spelt_as_a_path(name.strip()):
            raise NotFound(f"The code map has nothing at {name.strip()[:120]!r}.", hint=FROM_ROOT, field="name")
        heads: dict[int, tuple[Any, ...]] = {}
        items = tuple(_view(reader, one, heads) for one in found[:limit])
        near = tuple(beginning(reader, name, NEAR_SHOWN)) if name.strip() and not found else ()
        is_defined = any(one.kind in CALLABLES | TYPES for one in found)
        at = inside(kept.root, path) if path.strip() else ""
        note = "" if is_defined and name.strip() else _not_mapped(reader, at)
    return SymbolList(name.strip() or path.strip(), items, max(0, len(found) - limit), near, note)


def _is_spelt_as_a_path(given: str) -> bool:
    """(`Runner.go` is a method as well as a file.)"""
    return ":" not in given and ("/" in given or (given[0].islower() and bool(language_of(given))))


def _not_mapped(reader: MapReader, path: str) -> str:
    """What is not in the map though it is code: of a file, of a folder, or of the whole project."""
    row = reader.file_at(path) if path else None
    if row is not None:
        return f"not mapped: {row.reason or 'of no language that is mapped'}" if row.state in (SKIPPED, PLAIN) else ""
    skipped: dict[str, int] = {}
    for one in reader.files_below(path):
        if one.state == SKIPPED and one.reason:
            skipped[one.reason] = skipped.get(one.reason, 0) + 1
    told = ", ".join(f"{count} {reason}" for reason, count in sorted(skipped.items(), key=lambda one: -one[1]))
    return f"without files that are not mapped: {told}" if told else ""


def _named(reader: MapReader, name: str, kind: str) -> list[Known]:
    if name.endswith("*"):
        found = reader.symbols_beginning(name.rstrip("*"), LIMIT_MAX)
        return [one for one in found if not kind or one.kind == kind]
    return matching(reader, name, kind=kind, field="name")


def _is_path(kept: KeptMap, reader: MapReader, given: str) -> bool:
    """A file where a name was expected; or a folder, unless something in the code is called so."""
    if _is_file(kept, reader, given):
        return True
    if os.path.isabs(given) or ".." in given or _named(reader, given, ""):
        return False
    return bool(reader.files_below(inside(kept.root, given)))


def _symbols_at(reader: MapReader, path: str, kind: str) -> list[Known]:
    row = reader.file_at(path) if path else None
    files = [row] if row is not None else reader.files_below(path)
    if not files:
        raise NotFound(f"The code map has nothing at {path!r}.", hint=FROM_ROOT, field="path")
    found: list[Known] = []
    for file in files:
        found += [one for one in reader.symbols_of(file.id) if not kind or one.kind == kind]
        if len(found) > LIMIT_MAX * 10:
            break
    return found


class CallView(NamedTuple):
    """A call. `name` is the other side of it: who calls, or what is called; empty for a file's own lines."""

    path: str
    line: int
    name: str
    confidence: float
    reason: str
    chain: str = ""

    def text(self) -> str:
        how = f" [{self.reason} {self.confidence:.2f}]" if self.reason else ""
        said = f"  {self.chain}" if self.chain else ""
        return f"{self.path}:{self.line} {self.name or '(top level)'}{how}{said}"


class CallersResult(NamedTuple):
    """Who calls a symbol. `loose` are calls of the same name of which it is not known what they call."""

    symbol: str
    place: str
    total: int
    items: tuple[CallView, ...]
    loose: tuple[CallView, ...] = ()
    loose_files: int = 0
    waiting: int = 0
    left_out: int = 0
    kind: str = ""
    above: tuple[dict[str, Any], ...] = ()

    def text(self) -> str:
        lines = [f"{self.symbol} ({self.place}): {counted(self.total, 'call')}" if self.total else self._none()]
        lines += [f"  {item.text()}" for item in self.items]
        if self.left_out:
            lines.append(f"  ({self.left_out} more: raise limit or budget_tokens)")
        elif self.items and not self.above and all(is_test_path(item.path) for item in self.items):
            lines.append(f"Nothing but tests is known to call it. {NAMED_WHERE}")
        for one in self.above:
            calls = counted(one["calls"], "call")
            how = "which it overrides" if one["overridden"] else "whose place it can take"
            lines.append(f"may be reached through {one['name']} ({one['place']}), {how}: {calls}")
            lines += [f"  {item.text()}" for item in one["items"]]
            more = one["calls"] - len(one["items"])
            lines += [f"  ({more} more: code_callers of {one['name']})"] if more else []
        if self.loose:
            lines.append(f"called by that name in {counted(self.loose_files, 'file')}, not resolved:")
            shown = self.loose[:LOOSE_LINES] if self.items or self.left_out else self.loose
            lines += [f"  {item.text()}" for item in shown]
        if self.waiting:
            waiting = f"{self.waiting} files are" if self.waiting > 1 else "1 file is"
            lines.append(f"({waiting} not looked at yet, in which its name does not stand; memory_map does that)")
        return "\n".join(lines)

    def _none(self) -> str:
        what = f"{self.symbol} ({self.place})"
        if self.kind in TYPES:
            return f"Nowhere is one of {what} made, as far as is known. It may be extended, or named as a type."
        if self.kind and self.kind not in CALLABLES:
            calls = "and calls of what it holds are not resolved" if self.loose else "which is not called"
            return f"{what} is a {self.kind}, {calls}. {NAMED_WHERE}"
        if self.above:
            return f"No call of {what} itself is known."
        return f"No call of {what} is known. As a value, or read as a property, it may be used. {NAMED_WHERE}"


def _above(one: Above) -> dict[str, Any]:
    return {
        "name": one.method.qualified,
        "place": one.method.place,
        "calls": one.calls,
        "overridden": one.is_overridden,
        "items": tuple(_site(site) for site in one.sites[:ABOVE_LINES]),
    }


def _site(site: CallSite) -> CallView:
    name = site.caller.qualified if site.caller is not None else ""
    return CallView(site.path, site.line, name, round(site.confidence, 3), site.reason, written(site.chain))


@operation("code", spellings={"symbol": ("name",)})
def code_callers(
    call: Call,
    symbol: Annotated[str, "name, Class.name, path::Class.name or path:line"],
    loose: Annotated[bool, "also calls of that name that were not resolved"] = True,
    limit: int = 50,
) -> CallersResult:
    """Who calls a function or makes a type, with how sure that is and why."""
    _check_limit(limit)
    kept = _map(call)
    same, waiting = _symbols(kept, symbol)
    one = same[-1]
    with kept.reading() as reader:
        found = callers(reader, *same, loose=loose)
        above = called_above(reader, same)
    return CallersResult(
        one.qualified,
        one.place,
        len(found.sites),
        tuple(_site(site) for site in found.sites[:limit]),
        tuple(_site(site) for site in found.loose[:limit]),
        found.loose_files,
        waiting,
        max(0, len(found.sites) - limit),
        one.kind,
        tuple(_above(up) for up in above),
    )


class CalleesResult(NamedTuple):
    """What a symbol calls. `loose` are the calls that lead out of the project, or nowhere that is known."""

    symbol: str
    place: str
    items: tuple[CallView, ...]
    loose: tuple[str, ...] = ()
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"{self.symbol} ({self.place}) calls:" if self.items else f"{self.symbol} calls nothing of the project."
        ]
        lines += [f"  {item.text()}" for item in self.items]
        if self.left_out:
            lines.append(f"  ({self.left_out} more: raise budget_tokens)")
        if self.loose:
            lines.append(f"outside, or not resolved: {', '.join(self.loose)}")
        return "\n".join(lines)


def _callee(one: Callee) -> CallView:
    target = one.target
    name = target.qualified if target is not None else ""
    place = target.path if target is not None else ""
    return CallView(place, target.start if target is not None else 0, name, round(one.confidence, 3), one.reason)


@operation("code", spellings={"symbol": ("name",)})
def code_callees(
    call: Call, symbol: Annotated[str, "name, Class.name, path::Class.name or path:line"]
) -> CalleesResult:
    """What a function calls, with how sure that is; and by name what it calls outside of the project."""
    kept = _map(call)
    same, _ = _symbols(kept, symbol)
    one = same[-1]
    with kept.reading() as reader:
        all_of_them = [callees(reader, each) for each in same]
    items: dict[tuple[str, str, int], CallView] = {}
    for callee in (callee for found in all_of_them for callee in found.found):
        seen = _callee(callee)
        items.setdefault((seen.path, seen.name, seen.line), seen)
    loose = tuple(dict.fromkeys(written(callee.chain) for found in all_of_them for callee in found.loose))
    return CalleesResult(one.qualified, one.place, tuple(items.values()), loose)


class GraphResult(NamedTuple):
    """A call graph. `content` is the drawing; `graph` has nodes and edges when JSON was asked for."""

    of: str
    format: str
    content: str
    graph: dict[str, Any] | None = None
    left_out: int = 0

    def text(self) -> str:
        return self.content

    def shorter(self) -> GraphResult | None:
        """With the nearer half of its nodes and the calls among them; None where there is no more to leave out."""
        nodes = self.graph["nodes"] if self.graph is not None else []
        if self.graph is None or len(nodes) < 2:
            return None
        kept = nodes[: len(nodes) // 2]
        known = {node["id"] for node in kept}
        edges = [edge for edge in self.graph["edges"] if edge["from"] in known and edge["to"] in known]
        names = {node["name"] or node["path"] for node in kept}
        roots = [root for root in self.graph["roots"] if root in names]
        left = self.left_out + len(nodes) - len(kept)
        return self._replace(graph={"roots": roots, "nodes": kept, "edges": edges}, left_out=left)


@operation("code", spellings={"symbol": ("name",)})
def code_call_graph(
    call: Call,
    symbol: Annotated[str, "what the graph is around; a file's path is taken as path"] = "",
    path: Annotated[str, "a file: what its functions call"] = "",
    format: Annotated[Literal["text", "mermaid", "json"], "how it is drawn"] = "text",  # noqa: A002 as it is called
    depth: Annotated[int, "so many calls away"] = 2,
) -> GraphResult:
    """Who calls whom around a symbol or in a file: as text, as Mermaid, or as JSON."""
    if not 1 <= depth <= GRAPH_DEPTH_MAX:
        raise Invalid(f"depth is a whole number from 1 to {GRAPH_DEPTH_MAX}.", field="depth")
    kept = _map(call, whole=True)
    with kept.reading() as reader:
        if symbol.strip() and not path.strip() and _is_file(kept, reader, symbol):
            symbol, path = "", symbol
        if symbol.strip():
            one = one_symbol(reader, symbol)
            graph, of = call_graph(reader, one, depth=depth, limit=VERTICES_MAX), one.qualified
        elif path.strip():
            of = inside(kept.root, path)
            row = reader.file_at(of)
            if row is None:
                raise NotFound(f"The code map has no file {of!r}.", hint=FROM_ROOT, field="path")
            graph = file_graph(reader, row, depth=depth, limit=VERTICES_MAX)
        else:
            raise Invalid("Neither a symbol nor a path was given.", hint="Give one of them.", field="symbol")
    if format == "json":
        return GraphResult(of, format, as_text(graph), as_json(graph), graph.left_out)
    drawn = as_mermaid(graph) if format == "mermaid" else as_text(graph)
    return GraphResult(of, format, drawn or f"No call by {of} or of it is known.", None, graph.left_out)


def _is_file(kept: KeptMap, reader: MapReader, given: str) -> bool:
    """A file where a symbol was expected. (No symbol's name has a dot and the ending of a language in it.)"""
    return not os.path.isabs(given) and ".." not in given and reader.file_at(inside(kept.root, given)) is not None


class MapResult(NamedTuple):
    """The map of a folder: its folders and files with their main symbols."""

    path: str
    files: int
    lines: int
    symbols: int
    languages: dict[str, int]
    items: tuple[FolderEntry, ...]
    skipped: dict[str, int]
    most_called: tuple[dict[str, Any], ...] = ()
    left_out: int = 0
    deeper: int = 0
    depth: int = 0

    def text(self) -> str:
        skipped = ", ".join(f"{count} {reason}" for reason, count in self.skipped.items())
        if not self.files:
            nothing = f"There is no code in {self.path or 'the project'} that the map reads."
            return f"{nothing}\nskipped: {skipped}" if skipped else nothing
        languages = ", ".join(f"{name} {count}" for name, count in self.languages.items())
        where = self.path or "the project"
        sizes = ", ".join(counted(n, what) for n, what in zip(self[1:4], ("file", "line", "symbol"), strict=True))
        lines = [f"{where}: {sizes} ({languages})"]
        if self.most_called:
            named = ", ".join(
                f"{one['name']} ({one['path']}:{one['line']}, {one['calls']})" for one in self.most_called
            )
            lines.append(f"most called: {named}")
        for item in self.items:
            if item.is_folder:
                lines.append(f"{item.path}/  {counted(item.files, 'file')}, {counted(item.lines, 'line')}")
            else:
                names = f": {', '.join(item.main)}" if item.main else ""
                note = f" ({item.note})" if item.note else ""
                lines.append(f"  {item.path} {item.lines}{names}{note}")
        if self.left_out:
            lines.append(f"({self.left_out} more: give a folder, or raise budget_tokens)")
        if self.deeper:
            lie = f"{counted(self.deeper, 'file')} {'lies' if self.deeper == 1 else 'lie'} deeper"
            lines.append(f"({lie}: depth={self.depth + 1} shows more, and so does the path of a folder)")
        lines += [f"skipped: {skipped}"] if skipped else []
        return "\n".join(lines)


@operation("code")
def memory_map(
    call: Call,
    path: Annotated[str, "a folder; default: the whole project"] = "",
    depth: Annotated[int, "so many folders down"] = 2,
) -> MapResult:
    """The map of a folder: folders, files, sizes, main symbols, and what is called most. Maps the project first where
    that was not done."""
    if not 1 <= depth <= DEPTH_MAX:
        raise Invalid(f"depth is a whole number from 1 to {DEPTH_MAX}.", field="depth")
    kept = _map(call, whole=True)
    with kept.reading() as reader:
        found = folder_map(reader, kept.root, inside(kept.root, path), depth)
        busiest = most_called(reader, found.path, MOST_CALLED)
    return MapResult(
        found.path,
        found.files,
        found.lines,
        found.symbols,
        {name: files for name, files, _ in found.languages},
        found.entries,
        dict(found.skipped),
        tuple(
            {"name": one.symbol.qualified, "path": one.symbol.path, "line": one.symbol.start, "calls": one.calls}
            for one in busiest
        ),
        found.left_out,
        found.deeper if depth < DEPTH_MAX else 0,
        depth,
    )
