"""Call graph: around a symbol, or of a file."""

from __future__ import annotations

from collections.abc import Iterable

from ...codemap.draw import Arc, Graph, Vertex
from ...model.code import CALLABLES, TYPES
from ...store.code import FileRow, Known, MapReader
from .callees import calls_in, inside
from .callers import sites
from .find import overloads

VERTICES_MAX = 120
_DRAWN = CALLABLES | TYPES


def call_graph(
    reader: MapReader, symbol: Known, *, depth: int = 2, up: bool = True, down: bool = True, limit: int = VERTICES_MAX
) -> Graph:
    """What a symbol calls and who calls it, so many steps away."""
    graph = _Growing(limit)
    graph.add(symbol)
    edge = [symbol]
    for _ in range(depth if down else 0):
        edge = [target for one in edge for target in graph.down(reader, one)]
    edge = [symbol]
    for _ in range(depth if up else 0):
        edge = [caller for one in edge for caller in graph.up(reader, one)]
    return graph.done((symbol.id,))


def file_graph(reader: MapReader, file: FileRow, *, depth: int = 1, limit: int = VERTICES_MAX) -> Graph:
    """What the functions of a file call, in it and so many steps out of it."""
    graph = _Growing(limit)
    symbols = [one for one in reader.symbols_of(file.id) if one.kind in CALLABLES]
    for one in symbols:
        graph.add(one)
    edge = symbols
    for _ in range(depth):
        edge = [target for one in edge for target in graph.down(reader, one)]
    return graph.done(tuple(one.id for one in symbols))


def among(reader: MapReader, symbols: Iterable[Known]) -> Graph:
    """The calls among some symbols, and who calls them from elsewhere is left out."""
    graph = _Growing(VERTICES_MAX)
    chosen = [one for one in symbols if one.kind in CALLABLES]
    for one in chosen:
        graph.add(one)
    graph.limit = len(graph.vertices)
    for one in chosen:
        if one.id in graph.vertices:
            graph.down(reader, one)
    return graph.done(())._replace(left_out=0)


class _Growing:
    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.vertices: dict[int, Vertex] = {}
        self._arcs: dict[tuple[int, int], Arc] = {}
        self._down: set[int] = set()
        self._up: set[int] = set()
        self._left: set[int] = set()

    def add(self, one: Known) -> bool:
        """Whether there was room for it."""
        if one.id in self.vertices:
            return True
        if len(self.vertices) >= self.limit:
            self._left.add(one.id)
            return False
        self.vertices[one.id] = Vertex(one.id, one.path, one.qualified, one.kind, one.start)
        return True

    def arc(self, caller: int, target: int, confidence: float, reason: str) -> None:
        known = self._arcs.get((caller, target))
        times = known.times + 1 if known is not None else 1
        if known is not None and known.confidence > confidence:
            confidence, reason = known.confidence, known.reason
        self._arcs[caller, target] = Arc(caller, target, times, confidence, reason)

    def down(self, reader: MapReader, one: Known) -> list[Known]:
        if one.id in self._down:
            return []
        self._down.add(one.id)
        file = one.id >> 20
        parents, numbers = reader.parents(file)
        own = inside(parents, one.at) if one.kind in CALLABLES else {one.at}
        fresh: dict[int, Known] = {}
        for callee in calls_in(reader, file, own, numbers)[0]:
            target = callee.target
            if target is None or target.kind not in _DRAWN:
                continue
            is_new = target.id not in self.vertices
            if self.add(target):
                self.arc(one.id, target.id, callee.confidence, callee.reason)
                if is_new:
                    fresh[target.id] = target
        return list(fresh.values())

    def up(self, reader: MapReader, one: Known) -> list[Known]:
        if one.id in self._up:
            return []
        self._up.add(one.id)
        fresh: dict[int, Known] = {}
        for site in sites(reader, *overloads(reader, one), limit=2_000):
            caller = site.caller
            if caller is None:
                continue
            is_new = caller.id not in self.vertices
            if self.add(caller):
                self.arc(caller.id, one.id, site.confidence, site.reason)
                if is_new:
                    fresh[caller.id] = caller
        return list(fresh.values())

    def done(self, roots: tuple[int, ...]) -> Graph:
        return Graph(roots, self.vertices, tuple(self._arcs.values()), len(self._left - self.vertices.keys()))
