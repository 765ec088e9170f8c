"""Long texts in passages of whole sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.search.passages import PASSAGE, READ, WHOLE_MAX, embedded_pieces, passages_of, spans_of, title_of

WORD = st.text("abcdefgh", min_size=1, max_size=9)
SENTENCE = st.lists(WORD, min_size=1, max_size=30).map(" ".join)
TEXT = st.lists(st.tuples(SENTENCE, st.sampled_from([". ", "! ", "? ", "; ", "\n", "\n\n"])), max_size=60).map(
    lambda pieces: "".join(sentence + end for sentence, end in pieces)
)


def test_a_short_text_is_one_passage_as_it_is() -> None:
    for text in ("", "Short.", "One. Two.\nThree.", "x" * WHOLE_MAX):
        assert passages_of(text) == (text,)


def test_a_long_text_is_cut_between_sentences() -> None:
    sentence = "This sentence speaks of parcels and nothing else at all, really."
    pieces = passages_of(" ".join([sentence] * 30))
    assert len(pieces) > 3
    assert all(set(piece.split(". ")) <= {sentence, sentence.rstrip(".")} for piece in pieces)


@given(TEXT)
def test_no_word_is_lost_or_torn(text: str) -> None:
    assert " ".join(passages_of(text)).split() == text.split()


@given(TEXT)
def test_a_passage_is_longer_than_usual_only_when_one_sentence_is(text: str) -> None:
    pieces = passages_of(text)
    if len(text) > WHOLE_MAX:
        for piece in pieces:
            is_one_sentence = all(end not in piece.strip() for end in (". ", "! ", "? ", "; "))
            assert len(piece) <= PASSAGE or is_one_sentence


@pytest.mark.parametrize("end", [". ", "! ", "? ", "; ", "\n", ".\n\n"])
def test_two_sentences_that_are_too_long_together_are_two_passages(end: str) -> None:
    text = end.join("x" * 200 + str(number) for number in range(6))
    assert [piece[200] for piece in passages_of(text)] == list("012345")


def test_short_sentences_share_a_passage() -> None:
    text = " ".join(["A short one."] * 80)
    assert all(PASSAGE / 2 < len(piece) <= PASSAGE for piece in passages_of(text)[:-1])


def test_a_text_without_an_end_is_one_passage() -> None:
    assert passages_of("word " * 200) == ("word " * 200,)


def test_of_a_very_long_text_the_beginning_is_read() -> None:
    pieces = passages_of("A sentence of some words. " * 4_000 + "The end.")
    assert sum(map(len, pieces)) <= READ
    assert "The end." not in pieces[-1]


@given(TEXT)
def test_each_passage_stands_where_it_is_said_to(text: str) -> None:
    assert [text[start:end].split() for start, end in spans_of(text)] == [piece.split() for piece in passages_of(text)]


@pytest.mark.parametrize("text", ["\n" * 900, ". " * 400, " ".join(["\n\nx.", "y" * 600]), "z" * (READ + 900)])
def test_there_are_as_many_places_as_passages_of_any_text(text: str) -> None:
    assert len(spans_of(text)) == len(passages_of(text))


DIRECTIONS = (
    "<!---\nDirections for above:\n\nstage: Leave as is. Ask when unsure.\n" + "teams: one of these.\n" * 40 + "-->\n"
)
FIELDS = "---\nstage: released\nstart-date: 2024-05-20\n---\n"


def test_what_a_template_says_below_the_fields_is_in_no_passage_and_moves_none() -> None:
    text = f"{FIELDS}\n{DIRECTIONS}\n<!-- The title. -->\n# One queue\n\n" + "It waits for all of them. " * 60
    spans = spans_of(text)
    assert not any("Directions" in piece or "Leave as is" in piece for piece in passages_of(text))
    assert len(spans) == len(passages_of(text))
    first = next(start for start, end in spans if "# One queue" in text[start:end])
    assert text[first:].lstrip().startswith("# One queue")
    assert {piece.split("\n")[0] for piece in embedded_pieces(text)[1:]} == {"One queue"}


def test_of_the_fields_at_the_top_the_title_says_what_a_text_is_about() -> None:
    assert title_of("---\nstage: released\ntitle: 'One queue'\n---\n# Summary\n") == "One queue"
    assert title_of(f"{FIELDS}\n# One queue\n") == "One queue"
    assert title_of("---\nNo fields, a ruler.\n") == "No fields, a ruler."


def test_a_comment_elsewhere_stays() -> None:
    text = "<!-- The cart of a shop, and what is in it. -->\n" + "<p>It waits.</p>\n" * 60
    assert passages_of(text)[0].startswith("<!-- The cart")
