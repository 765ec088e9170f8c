"""A call graph as text, as Mermaid and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

MERMAID_LABEL_MAX = 60


class Vertex(NamedTuple):
    """A symbol in a graph, or a file's own lines (`qualified` is empty)."""

    id: int
    path: str
    qualified: str
    kind: str
    line: int
    mark: str = ""

    @property
    def label(self) -> str:
        return self.qualified or self.path


class Arc(NamedTuple):
    """A call from one to another, how often it is written, how sure it is, and why."""

    caller: int
    target: int
    times: int
    confidence: float
    reason: str


class Graph(NamedTuple):
    """`roots` are what was asked about. `left_out` counts symbols beyond the limit."""

    roots: tuple[int, ...]
    vertices: Mapping[int, Vertex]
    arcs: tuple[Arc, ...]
    left_out: int = 0


def as_text(graph: Graph, depth_max: int = 12) -> str:
    """A tree downwards from each root; what was drawn before is only named."""
    below: dict[int, list[Arc]] = {}
    for arc in graph.arcs:
        below.setdefault(arc.caller, []).append(arc)
    called = {arc.target for arc in graph.arcs}
    tops = [id_ for id_ in graph.vertices if id_ not in called]
    starts = [id_ for id_ in graph.roots if id_ in graph.vertices and (id_ not in called or not tops)]
    starts = list(dict.fromkeys([*tops, *starts])) or list(graph.roots)
    lines: list[str] = []
    drawn: set[int] = set()
    for start in starts:
        _branch(graph, below, start, lines, drawn, depth_max)
    if graph.left_out:
        lines.append(f"({graph.left_out} more: lower depth, or name a symbol)")
    return "\n".join(lines)


def _branch(
    graph: Graph, below: Mapping[int, Sequence[Arc]], start: int, lines: list[str], drawn: set[int], depth_max: int
) -> None:
    """Without recursion: a graph of code can be deep."""
    waiting: list[tuple[int, int, Arc | None]] = [(start, 0, None)]
    while waiting:
        id_, depth, arc = waiting.pop()
        vertex = graph.vertices[id_]
        root = "*" if id_ in graph.roots else ""
        how = f" [{arc.reason} {arc.confidence:.2f}]" if arc is not None and arc.confidence < 0.9 else ""
        times = f" x{arc.times}" if arc is not None and arc.times > 1 else ""
        mark = f" {vertex.mark}" if vertex.mark else ""
        again = " …" if id_ in drawn and below.get(id_) else ""
        lead = "  " * depth + ("→ " if depth else "")
        lines.append(f"{lead}{root}{vertex.label}{times} ({vertex.path}:{vertex.line}){how}{mark}{again}")
        if id_ in drawn or depth >= depth_max:
            continue
        drawn.add(id_)
        waiting += [
            (one.target, depth + 1, one) for one in reversed(below.get(id_, ())) if one.target in graph.vertices
        ]


def as_mermaid(graph: Graph) -> str:
    lines = ["flowchart LR"]
    files: dict[str, list[Vertex]] = {}
    for vertex in graph.vertices.values():
        files.setdefault(vertex.path, []).append(vertex)
    for at, (path, some) in enumerate(sorted(files.items())):
        lines.append(f'  subgraph f{at}["{_label(path)}"]')
        for vertex in some:
            mark = f" ({vertex.mark})" if vertex.mark else ""
            lines.append(f'    n{vertex.id}["{_label(vertex.label)}{mark}"]')
        lines.append("  end")
    for arc in graph.arcs:
        if arc.caller in graph.vertices and arc.target in graph.vertices:
            line = "-->" if arc.confidence >= 0.9 else "-.->"
            lines.append(f"  n{arc.caller} {line} n{arc.target}")
    lines += [f"  style n{id_} stroke-width:3px" for id_ in graph.roots if id_ in graph.vertices]
    return "\n".join(lines)


def _label(text: str) -> str:
    """Quotes and brackets would end a label."""
    short = text if len(text) <= MERMAID_LABEL_MAX else f"…{text[-MERMAID_LABEL_MAX + 1 :]}"
    return short.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def as_json(graph: Graph) -> dict[str, Any]:
    return {
        "roots": [graph.vertices[id_].label for id_ in graph.roots if id_ in graph.vertices],
        "nodes": [
            {
                "id": vertex.id,
                "name": vertex.qualified,
                "path": vertex.path,
                "kind": vertex.kind,
                "line": vertex.line,
                **({"mark": vertex.mark} if vertex.mark else {}),
            }
            for vertex in graph.vertices.values()
        ],
        "edges": [
            {
                "from": arc.caller,
                "to": arc.target,
                "times": arc.times,
                "confidence": round(arc.confidence, 3),
                "reason": arc.reason,
            }
            for arc in graph.arcs
        ],
    }
