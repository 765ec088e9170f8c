"""Where in a long text what was asked stands; and what no passage of it can exceed, which is known sooner."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from marrow.search.best_passage import Sought
from marrow.store.terms import query_terms, terms_of

WORDS = (
    "the cache is emptied when a Deploy happens; getUserById and happy users, İstanbul ẞ retries_max=5 v1.2.3".split()
)
text = st.lists(st.sampled_from(WORDS), max_size=600).map(" ".join)
question = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)


def sought(asked: str) -> Sought:
    """The words of a question, each rarer than the one before."""
    rarities = {term: 1.0 + number for number, term in enumerate(query_terms(asked))}
    return Sought.of(rarities, sum(rarities.values()))


@given(text, question)
def test_no_passage_has_more_than_was_said_to_be_possible_and_only_what_is_held_has_to_be_looked_for(
    content: str, asked: str
) -> None:
    looked_for = sought(asked)
    there = frozenset(terms_of(content))
    held = looked_for.held_by(1, {term: (1,) if term in there else () for term in query_terms(asked)})
    place = looked_for.best_passage(content)
    assert (place.share if place else 0.0) <= held.share_at_most() + 1e-9
    assert held.best_passage(content) == place


def test_the_passage_is_where_the_asked_words_stand_together() -> None:
    chance = random.Random(4)
    filler = [" ".join(chance.choices("lorem ipsum dolor sit amet cache deploy".split(), k=12)) for _ in range(200)]
    filler[120] = "The cache is emptied by the third retry of a deploy."
    content = "\n".join(filler)
    looked_for = sought("deploy cache empty retry")  # the rarest last
    place = looked_for.best_passage(content)
    assert place is not None
    assert "third retry" in content[place.start : place.end]


def test_a_text_without_any_asked_word_has_no_passage() -> None:
    looked_for = sought("kubernetes")
    assert looked_for.held_by(1, {"kubernet": ()}).share_at_most() == 0.0
    assert looked_for.best_passage("nothing of the kind " * 100) is None


def test_a_short_word_is_found_behind_longer_ones_that_it_is_part_of() -> None:
    builds = "\n".join(f"| build 1000{number}000 | ok |" for number in range(12))
    content = f"{'Some words before it. ' * 60}\n{builds}\nexit code 0: it was done\n{'Some words after it. ' * 30}"
    looked_for = Sought.of({"exit": 3.0, "code": 2.0, "0": 4.0}, 9.0)
    place = looked_for.best_passage(content)
    assert place is not None
    assert place.share == 1.0
    assert "exit code 0" in content[place.start : place.end]


def test_a_name_with_a_sign_at_its_end_is_found_where_it_stands() -> None:
    content = f"{'Some words before it. ' * 60}\nThe C# client and the C++ one retry.\n{'Some words after it. ' * 30}"
    for name in ("c#", "c++"):
        place = Sought.of({name: 3.0}, 3.0).best_passage(content)
        assert place is not None
        assert "client" in content[place.start : place.end]


def test_what_a_text_is_called_every_passage_of_it_has() -> None:
    content = f"{'Some words before it. ' * 60}\nIt was accepted in May.\n{'Some words after it. ' * 30}"
    looked_for = Sought.of({"accept": 1.0, "adr46": 3.0}, 4.0)
    alone, named = looked_for.best_passage(content), looked_for.best_passage(content, ["adr46"])
    assert alone is not None
    assert named is not None
    assert (alone.share, named.share) == (0.25, 1.0)
    assert named[:2] == alone[:2]


def test_a_text_of_which_only_the_name_is_asked_for_is_shown_from_its_beginning() -> None:
    content = "# 46. Module parameters\n\n" + "Some other words. " * 200
    place = Sought.of({"adr46": 3.0}, 3.0).best_passage(content, ["adr46"])
    assert place is not None
    assert (place.start, place.share) == (0, 1.0)


def test_words_that_stand_together_between_two_places_of_the_rarest_are_seen_as_one() -> None:
    """The rarest word stands four times, each further from the next than a passage is long; what else was asked stands
    together where neither of the first two reaches all of it."""
    places = {0: "zeta", 440: "heron lemur", 500: "quokka pond", 970: "zeta", 1940: "zeta", 2910: "zeta"}
    content = ""
    for at, words in places.items():
        content = content.ljust(at, "·")[:at].replace("·", " ") + words + " "
    rarities = {"zeta": 3.0, "heron": 2.0, "lemur": 2.0, "quokka": 2.0, "pond": 2.0}
    found = Sought.of(rarities, sum(rarities.values())).best_passage(content)
    assert found is not None
    assert found.share == 8 / 11
