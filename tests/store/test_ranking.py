"""Ranking by words among many texts: rare words nominate, common ones only add, and little changes by that."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from marrow.model.change import Say
from marrow.model.node import Occurrence
from marrow.store import open_store
from marrow.store.sqlite import words
from marrow.store.sqlite.lengths import Lengths

from .door import START, Door

TEXTS = 900
QUESTIONS = 40


def vocabulary() -> tuple[list[str], list[float]]:
    names = [f"w{a}{b}" for a in "bcdfghjklm" for b in "aeioubcdfghjklmnpqrs"]
    return names, [1 / (rank + 2) for rank in range(len(names))]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """Texts in three projects whose words are as unevenly frequent as those of a language."""
    door = Door(open_store(str(tmp_path_factory.mktemp("crowded") / "memory.db")))
    chance = random.Random(5)
    names, weights = vocabulary()
    for project in "abc":
        texts = [" ".join(chance.choices(names, weights, k=chance.randint(5, 40))) for _ in range(TEXTS // 3)]
        door.do(*(Say("claim", f"{t} n{n}", Occurrence(START)) for n, t in enumerate(texts)), project=project)
    yield door
    door.store.close()


@pytest.fixture
def nominating(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Makes a few hundred texts many."""

    def make() -> None:
        monkeypatch.setattr(words, "POSTINGS_MAX", 60)
        monkeypatch.setattr(words, "CANDIDATES", 80)

    return make


def questions() -> list[list[str]]:
    chance = random.Random(6)
    names, weights = vocabulary()
    return [list(dict.fromkeys(chance.choices(names, weights, k=5))) for _ in range(QUESTIONS)]


def ranked(door: Door, terms: list[str], within: list[int] | None = None, limit: int = 10) -> list[tuple[int, float]]:
    return door.ask(lambda r: r.match("local", terms, None, within, limit))


def test_nominated_ranking_is_nearly_that_of_everything(crowded: Door, nominating: Callable[[], None]) -> None:
    whole = [ranked(crowded, terms) for terms in questions()]
    nominating()
    fewer = [ranked(crowded, terms) for terms in questions()]
    shares = [len({e for e, _ in a} & {e for e, _ in b}) / len(a) for a, b in zip(whole, fewer, strict=True)]
    assert sum(shares) / len(shares) >= 0.95
    for a, b in zip(whole, fewer, strict=True):
        scores = dict(a)
        assert all(score == pytest.approx(scores[entry], abs=1e-4) for entry, score in b if entry in scores)


def test_narrow_filter_is_complete_although_terms_are_common(crowded: Door, nominating: Callable[[], None]) -> None:
    every = [e for e, _ in ranked(crowded, questions()[0], limit=TEXTS)]
    kept = sorted(every)[::30]
    whole = [ranked(crowded, terms, kept, TEXTS) for terms in questions()]
    nominating()
    for terms, found in zip(questions(), whole, strict=True):
        again = ranked(crowded, terms, kept, TEXTS)
        assert [e for e, _ in again] == [e for e, _ in found]
        assert [s for _, s in again] == pytest.approx([s for _, s in found])
    assert all({e for e, _ in found} <= set(kept) for found in whole)
    assert any(whole)


def test_those_that_are_asked_for_by_name_come_with_their_exact_scores(
    crowded: Door, nominating: Callable[[], None]
) -> None:
    whole = [ranked(crowded, terms, limit=TEXTS) for terms in questions()]
    nominating()
    for terms, every in zip(questions(), whole, strict=True):
        also, scores = sorted(entry for entry, _ in every[15::9]), dict(every)
        found = crowded.ask(lambda r, t=terms, a=also: r.match("local", t, None, None, 10, also=a))
        assert set(also) <= {entry for entry, _ in found}
        assert all(dict(found)[entry] == pytest.approx(scores[entry], abs=1e-4) for entry in also)


def test_pattern_among_many_texts_is_one_term(crowded: Door, nominating: Callable[[], None]) -> None:
    asked = (["wb*"], ["*ba*"], ["wb*", "*ca*", "wma"])
    whole = [ranked(crowded, terms) for terms in asked]
    nominating()
    for terms, found in zip(asked, whole, strict=True):
        assert len(found) == len(ranked(crowded, terms)) == 10


def test_lengths_of_long_texts_are_read() -> None:
    long = bytes([0x81, 0x48, 0x05])  # 200 and 5
    found = Lengths().extended([((7 << 32) + 1, b"\x03\x01"), ((7 << 32) + 3, long)])
    assert found.terms.tolist() == [0, 4, 0, 205]
    assert (found.texts, found.total, found.next) == (2, 209, 4)
    more = found.extended([((7 << 32) + 4, b"\x02\x00")])
    assert more.terms.tolist() == [0, 4, 0, 205, 2]
    assert found.next == 4
