"""A file's bytes as a map, within limits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from marrow.codemap import parse
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
