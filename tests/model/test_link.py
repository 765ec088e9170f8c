"""Relations and anchors as callers give them."""

from __future__ import annotations

import pytest

from marrow.model.errors import Invalid
from marrow.model.link import RELS, Anchor, check_meant, check_rel, make_anchor


@pytest.mark.parametrize("rel", [*RELS, "implements", "x", "a_1"])
def test_known_and_own_relations_are_accepted(rel: str) -> None:
    assert check_rel(rel) == rel


@pytest.mark.parametrize("rel", ["", "Relates", "1st", "a-b", "a b", "x" * 41, "rel\n", None, 7])
def test_what_is_no_relation_is_refused(rel: object) -> None:
    with pytest.raises(Invalid) as caught:
        check_rel(rel)
    assert caught.value.field == "rel"
    assert "relates_to" in caught.value.hint


@pytest.mark.parametrize(
    ("given_", "meant"), [("cause_by", "caused_by"), ("depend_on", "depends_on"), ("supersede", "supersedes")]
)
def test_a_relation_that_is_nearly_our_own_is_refused_with_the_one_that_was_meant(given_: str, meant: str) -> None:
    with pytest.raises(Invalid) as caught:
        check_meant(given_)
    assert caught.value.field == "rel"
    assert caught.value.hint == f"Did you mean {meant}?"


@pytest.mark.parametrize("rel", [*RELS, "implements", "mentions"])
def test_our_own_relations_and_those_that_are_like_none_of_them_are_meant_as_they_are(rel: str) -> None:
    assert check_meant(rel) == rel


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        ("src/app.py", Anchor("file", "src/app.py")),
        ("./src/app.py", Anchor("file", "src/app.py")),
        ("src\\app.py", Anchor("file", "src/app.py")),
        ("src/app.py:10-20", Anchor("lines", "src/app.py", '{"end":20,"start":10}')),
        ("src/app.py:7", Anchor("lines", "src/app.py", '{"end":7,"start":7}')),
        ({"type": "symbol", "target": "app.main"}, Anchor("symbol", "app.main")),
        ({"path": "a.py"}, Anchor("file", "a.py")),
        ({"type": "grep", "pattern": "TODO"}, Anchor("pattern", "TODO")),
        ({"type": "content_hash", "path": "a.py", "hash": "f00"}, Anchor("lines", "a.py", '{"hash":"f00"}')),
        ({"type": "dependency", "name": "numpy", "version": "2"}, Anchor("dependency", "numpy", '{"version":"2"}')),
    ],
)
def test_anchor_is_understood(given_: object, meant: Anchor) -> None:
    assert make_anchor(given_) == meant
    assert make_anchor(given_).fields == meant.fields


@pytest.mark.parametrize(
    "given_",
    [
        "",
        "  ",
        None,
        5,
        {},
        {"type": "planet", "target": "x"},
        {"type": "file"},
        {"type": "file", "target": 5},
        "../up.py",
        "/etc/passwd",
        "C:\\x",
        "a/../../b",
        {"type": "lines", "path": "../x"},
        [],
        {"target": "a", "x": float("nan")},
    ],
)
def test_what_is_no_anchor_is_refused(given_: object) -> None:
    with pytest.raises(Invalid) as caught:
        make_anchor(given_)
    assert caught.value.field in ("anchors", "metadata")


def test_a_symbol_and_a_pattern_keep_the_path_that_they_came_with() -> None:
    symbol = make_anchor({"type": "symbol", "symbol": "Store.close", "path": "src/store.py"})
    assert (symbol.target, symbol.fields) == ("Store.close", {"path": "src/store.py"})
    pattern = make_anchor({"type": "grep", "pattern": "x = 1", "path": "src/store.py", "regex": True})
    assert (pattern.type, pattern.target, pattern.fields["path"]) == ("pattern", "x = 1", "src/store.py")
    assert make_anchor({"type": "commit", "hash": "3fa9c1d2"}).target == "3fa9c1d2"
