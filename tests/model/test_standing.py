"""Standing: limits, activity, the leaf, and which of two holds after a merge."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.errors import Invalid
from marrow.model.standing import CLASSIFICATIONS, DOMAINS, DRIFTS, STATES, Standing, reinforced, union, united

short = st.text(st.characters(exclude_categories=("Cs",)), max_size=6)
names = st.lists(short, max_size=3).map(tuple)
standings = st.builds(
    Standing,
    state=st.sampled_from(STATES),
    domain=st.sampled_from(DOMAINS),
    semantic=st.booleans(),
    priority=st.sampled_from((0, 0.25, 0.5, 1)),
    confidence=st.sampled_from((0.0, 0.8, 1.0)),
    pinned=st.booleans(),
    preliminary=st.booleans(),
    classification=st.sampled_from(CLASSIFICATIONS),
    approved=st.sampled_from((None, True, False)),
    tags=names,
    aliases=names,
    reinforced=st.integers(0, 3),
    reinforced_at=st.integers(0, 3),
    expires_at=st.one_of(st.none(), st.integers(0, 3)),
    drift=st.sampled_from(DRIFTS),
    generation=st.integers(1, 3),
    changed_at=st.integers(0, 3),
    reason=short,
    salt=st.sampled_from(("", "aa", "bb")),
)
BOOKKEEPING = {"generation", "changed_at", "reason", "salt"}


@pytest.mark.parametrize("name", ["priority", "confidence"])
@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf"), "high", True, None])
def test_number_outside_its_range_is_refused(name: str, value: object) -> None:
    with pytest.raises(Invalid) as caught:
        Standing(**{name: value})  # type: ignore[arg-type]
    assert caught.value.field == name


@pytest.mark.parametrize(("name", "value"), [("state", "gone"), ("classification", "private"), ("drift", "far")])
def test_word_outside_its_list_is_refused_and_the_list_is_shown(name: str, value: str) -> None:
    with pytest.raises(Invalid) as caught:
        Standing(**{name: value})  # type: ignore[arg-type]
    assert caught.value.field == name
    assert "One of" in caught.value.hint


def test_expiry_ends_activity_at_its_moment() -> None:
    standing = Standing(expires_at=100)
    assert standing.is_active(99)
    assert not standing.is_active(100)
    assert not Standing(state="retracted").is_active(0)


@given(standings, standings)
def test_leaf_says_everything_that_holds_and_nothing_else(one: Standing, other: Standing) -> None:
    same = all(getattr(one, f.name) == getattr(other, f.name) for f in fields(Standing) if f.name not in BOOKKEEPING)
    assert (one.held() == other.held()) == same
    assert (one.leaf("a" * 64, "p") == other.leaf("a" * 64, "p")) == (same and one.salt == other.salt)
    assert one.leaf("a" * 64, "p") != one.leaf("b" * 64, "p")
    assert one.leaf("a" * 64, "p") != one.leaf("a" * 64, "q")


@given(standings)
def test_leaf_does_not_depend_on_whole_numbers_or_fractions(one: Standing) -> None:
    assert replace(one, priority=1).held() == replace(one, priority=1.0).held()


@given(standings, standings, standings)
def test_what_two_standings_unite_to_is_the_same_in_every_order(one: Standing, two: Standing, three: Standing) -> None:
    assert united(one, two) == united(two, one)
    assert united(united(one, two), three) == united(one, united(two, three))
    assert united(one, one) == one


def test_retracted_beats_active_whatever_the_time_and_a_new_generation_beats_both() -> None:
    gone = Standing(state="retracted", changed_at=1)
    assert united(Standing(changed_at=9), gone) is gone
    again = Standing(generation=2, changed_at=1)
    assert united(gone, again) is again


def test_reinforcing_counts_and_notes_when_and_is_no_change_of_the_rest() -> None:
    once = reinforced(Standing(reinforced=2, changed_at=7), 50)
    assert (once.reinforced, once.reinforced_at, once.changed_at) == (3, 50, 7)


@given(names, names)
def test_union_is_sorted_and_without_repetition(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert union(one, other) == union(other, one) == tuple(sorted({*one, *other}))
