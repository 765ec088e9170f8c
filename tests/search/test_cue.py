"""Cues are found by a short way, and always as the whole pattern finds them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import cycle, islice
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.search.cue import Cue, plain_words
from marrow.search.later import AMENDS
from marrow.search.replaced import CHANGE

AROUND = st.text(alphabet="abnow from was to 12.;'-_\n", max_size=40)


def by_the_pattern(cue: Cue, text: str) -> str:
    found = re.search(cue.pattern, text.lower())
    return found[0] if found else ""


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF)) | st.text())
def test_plain_words_are_runs_of_small_letters(text: str) -> None:
    assert plain_words(text) == re.findall(r"[a-z]+", text)


def every_way(parsed: Iterable[tuple[Any, Any]]) -> list[str]:
    """Texts that a pattern matches, with every branch of it taken at least once."""
    found = [""]
    for what, of in parsed:
        ways = _ways(what, of)
        count = max(len(found), len(ways))
        found = [a + b for a, b in zip(islice(cycle(found), count), islice(cycle(ways), count), strict=True)]
    return found


def _ways(what: Any, of: Any) -> list[str]:
    if what is op.LITERAL:
        return [chr(of)]
    if what is op.IN:
        kind, value = of[0]
        return [chr(value) if kind is op.LITERAL else chr(value[0]) if kind is op.RANGE else "7"]
    if what is op.BRANCH:
        return [way for branch in of[1] for way in every_way(branch)]
    if what is op.SUBPATTERN:
        return every_way(of[3])
    if what is op.MAX_REPEAT:
        return [way * times for way in every_way(of[2]) for times in {of[0], of[0] + 1}]
    assert what in (op.AT, op.ASSERT, op.ASSERT_NOT), what
    return [""]


@pytest.mark.parametrize("cue", [CHANGE, AMENDS], ids=["change", "amends"])
def test_every_branch_of_a_pattern_is_found_by_its_words(cue: Cue) -> None:
    ways = [way for way in every_way(parser.parse(cue.pattern)) if by_the_pattern(cue, way)]
    assert len(ways) > 20
    for way in ways:
        for text in (way, f"the store {way}. it {way}"):
            assert cue.first(text) == by_the_pattern(cue, text), text


@pytest.mark.parametrize("cue", [CHANGE, AMENDS], ids=["change", "amends"])
@given(data=st.data())
def test_whatever_the_pattern_matches_is_found_by_its_words(cue: Cue, data: st.DataObject) -> None:
    matched = data.draw(st.from_regex(re.compile(cue.pattern, re.ASCII)).filter(lambda text: text == text.lower()))
    text = data.draw(AROUND) + matched + data.draw(AROUND)
    assert cue.first(text) == by_the_pattern(cue, text)
    assert cue.first(matched) == by_the_pattern(cue, matched)


@pytest.mark.parametrize("cue", [CHANGE, AMENDS], ids=["change", "amends"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "The store is in SQLite.",
        "We used to deploy on Fridays, from now on we do it on Tuesdays.",
        "NO LONGER true: it was Removed.",
        "renowned snowed unused",
        "2now now2 _now",
        "An amendment to the rule: we now go with Redis instead of Memcached.",
    ],
)
def test_a_cue_is_the_first_that_the_pattern_finds(cue: Cue, text: str) -> None:
    assert cue.first(text) == by_the_pattern(cue, text)
