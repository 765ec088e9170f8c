"""A call graph as text, Mermaid and JSON."""

from __future__ import annotations

import json

from marrow.codemap.draw import Arc, Graph, Vertex, as_json, as_mermaid, as_text

GRAPH = Graph(
    (1,),
    {
        1: Vertex(1, "a.py", "main", "function", 3),
        2: Vertex(2, "b.py", "Store.close", "method", 9),
        3: Vertex(3, "b.py", 'odd"<name>', "function", 20),
    },
    (Arc(1, 2, 2, 0.98, "import"), Arc(2, 3, 1, 0.6, "unique"), Arc(3, 2, 1, 0.99, "local")),
)


def test_text_is_a_tree_that_ends_where_it_was_before() -> None:
    assert as_text(GRAPH).splitlines() == [
        "*main (a.py:3)",
        "  → Store.close x2 (b.py:9)",
        '    → odd"<name> (b.py:20) [unique 0.60]',
        "      → Store.close (b.py:9) …",
    ]


def test_mermaid_has_a_group_for_each_file_and_no_open_quote() -> None:
    text = as_mermaid(GRAPH)
    assert text.startswith("flowchart LR")
    assert text.count("subgraph") == 2
    assert "n1 --> n2" in text
    assert "n2 -.-> n3" in text
    assert 'n3["odd&quot;&lt;name&gt;"]' in text


def test_json_has_every_node_and_edge() -> None:
    found = json.loads(json.dumps(as_json(GRAPH)))
    assert [node["name"] for node in found["nodes"]] == ["main", "Store.close", 'odd"<name>']
    assert found["edges"][0] == {"from": 1, "to": 2, "times": 2, "confidence": 0.98, "reason": "import"}


def test_a_ring_without_a_beginning_is_drawn_from_what_was_asked() -> None:
    ring = Graph((1,), {1: GRAPH.vertices[1], 2: GRAPH.vertices[2]}, (Arc(1, 2, 1, 1, ""), Arc(2, 1, 1, 1, "")))
    assert as_text(ring).splitlines()[0] == "*main (a.py:3)"
