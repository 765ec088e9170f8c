"""A file's bytes as a map, within limits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import pytest

from marrow.codemap import parse
from marrow.codemap.languages.python import NESTED, QUERY, UNORDERED
from marrow.codemap.languages.table import language
from marrow.model.errors import TooLarge


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(parse, "PARSE_SECONDS", 0.05)
    parse._parser.cache_clear()
    yield
    parse._parser.cache_clear()


@pytest.mark.usefixtures("impatient")
def test_a_text_that_takes_a_grammar_for_ever_is_given_up_and_the_next_one_is_parsed() -> None:
    quotes = b"".join(b"'" * 4000 + b"\n" for _ in range(15))
    with pytest.raises(TooLarge):
        parse.map_of("quotes.cpp", quotes)
    assert [symbol.name for symbol in parse.map_of("fine.cpp", b"int fine() { return 1; }\n").symbols] == ["fine"]


@pytest.mark.parametrize("source", [b"", b"a", b"a\n", b"a\r\nb\rc\n\nd", b"\n\n", b"one\ntwo\nthree"])
def test_the_line_of_every_place_is_one_more_than_the_line_ends_before_it(source: bytes) -> None:
    starts = parse.line_starts(source)
    for at in range(len(source) + 1):
        line = bisect_right(starts, at)
        assert line == source.count(b"\n", 0, at) + 1
        assert starts[line - 1] == source.rfind(b"\n", 0, at) + 1


def test_nodes_come_in_the_order_of_the_text_the_longer_first() -> None:
    source = b"x = a(b(1))(c)(d(e)(f))\ny = z = g()\ndef h():\n    def i(): return j(k)(l)\n    return i()\n"
    root = parse.tree_of(language("python"), source).root_node
    found = parse.captured("python", QUERY, root, UNORDERED, NESTED)
    expected = parse.captures("python", QUERY)(root)
    assert found.keys() == expected.keys()
    for name in found.keys() - UNORDERED:
        assert [(one.start_byte, one.end_byte) for one in found[name]] == [
            (one.start_byte, one.end_byte) for one in expected[name]
        ]
