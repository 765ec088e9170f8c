"""Questions made from texts: in three styles, from the text alone, and the same every time."""

from __future__ import annotations

from random import Random

import pytest

from marrow.search.known_items import (
    BLURRED,
    SENTENCE,
    STYLES,
    WORDS,
    Vocabulary,
    blur,
    is_askable,
    passage_asked,
    questions_about,
)
from marrow.search.related_words import LINES, related
from marrow.store.terms import STOP_WORDS, terms_of

from .notes import BY_NAME, NOTES, Note

TEXT = BY_NAME["outage"].content
VOCABULARY = Vocabulary.of(note.content for note in NOTES)
NO_WORDS = Vocabulary({})


def rarities(*texts: str) -> dict[str, float]:
    """The longer a term, the more it says: plain to see in a test."""
    return {term: float(len(term)) for text in texts for term in terms_of(text)}


def asked(text: str, seed: int = 1, vocabulary: Vocabulary = VOCABULARY) -> dict[str, str]:
    return dict(questions_about(text, rarities(text), vocabulary, Random(seed)))


def test_every_note_is_asked_about_in_every_style() -> None:
    assert [note.name for note in NOTES if not is_askable(note.content)] == []
    assert [note.name for note in NOTES if list(asked(note.content)) != list(STYLES)] == []


def test_the_same_seed_asks_the_same_and_another_does_not() -> None:
    assert [asked(note.content, 3) for note in NOTES] == [asked(note.content, 3) for note in NOTES]
    assert [asked(note.content, 3) for note in NOTES] != [asked(note.content, 4) for note in NOTES]


@pytest.mark.parametrize("seed", range(8))
def test_words_are_the_most_telling_ones_as_they_are_written(seed: int) -> None:
    said = asked(TEXT, seed)[WORDS].split()
    assert 3 <= len(said) <= 5
    assert set(said) < set(TEXT.replace(":", "").split())
    assert set(said) >= {"migration", "exclusive", "checkout"}


def test_words_come_in_another_order_than_in_the_text() -> None:
    orders = [[TEXT.index(word) for word in asked(TEXT, seed)[WORDS].split()] for seed in range(8)]
    assert any(order != sorted(order) for order in orders)


@pytest.mark.parametrize("note", NOTES, ids=lambda note: note.name)
def test_a_sentence_is_asked_without_its_most_telling_third(note: Note) -> None:
    said = asked(note.content)[SENTENCE]
    assert said.endswith("?")
    values = rarities(note.content)
    left = [word for word in said.rstrip("?").lower().split() if word not in STOP_WORDS]
    gone = set(terms_of(note.content)) - set(terms_of(said)) - STOP_WORDS
    assert len(left) >= 2
    assert gone
    assert max(values[term] for term in gone) == max(v for term, v in values.items() if term not in STOP_WORDS)


def test_a_blurred_question_has_other_words_in_the_places_of_some() -> None:
    for note in NOTES:
        said = set(terms_of(asked(note.content)[BLURRED]))
        assert said
        assert asked(note.content)[BLURRED] not in note.content
    kept = [len(set(terms_of(asked(n.content)[BLURRED])) - set(terms_of(n.content))) > 0 for n in NOTES]
    assert sum(kept) > len(NOTES) / 2


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("getUserById", "get user by id"),
        ("tenant_id", "tenant id"),
        ("UUIDv7", "uuidv"),
        ("src/app.py", "src app py"),
        ("repositories", "repo"),
        ("labels", "label"),
        ("carries", "carry"),
        ("Postgres", ""),
        ("class", ""),
    ],
)
def test_a_word_is_blurred_by_its_parts_its_like_or_its_number(word: str, other: str) -> None:
    assert blur(word, NO_WORDS, Random(1)) == other


def test_a_word_of_the_same_family_is_taken_from_the_memory_itself() -> None:
    family = Vocabulary.of(["They delivered it.", "The delivery is late.", "deliveries", "delta"])
    assert blur("delivery", family, Random(1)) == "delivered"
    assert blur("delta", family, Random(1)) == ""


def test_numbers_and_hashes_are_never_asked_for() -> None:
    text = "Build 4711 of commit 9fceb02d0ae598e95 timed out after 99.9 seconds because the runner ran out of memory."
    for seed in range(8):
        questions = asked(text, seed)
        assert not {"4711", "99.9", "9fceb02d0ae598e95"} & set(f"{questions[WORDS]} {questions[BLURRED]}".split())


@pytest.mark.parametrize(
    "text", ["", "ok", "Fixed it.", "We are on it, and so are they.", "1 2 3 4 5 6 7", "a b c d e f"]
)
def test_a_text_that_says_too_little_is_not_asked_about(text: str) -> None:
    assert not is_askable(text)


def test_of_a_long_text_one_passage_is_asked_about() -> None:
    text = " ".join(note.content for note in NOTES)
    pieces = {passage_asked(text, Random(seed)) for seed in range(20)}
    assert len(pieces) > 5
    assert all(piece in text and len(piece) < 600 for piece in pieces)
    assert passage_asked(TEXT, Random(1)) == TEXT


def test_text_in_other_scripts_does_no_harm() -> None:
    for text in (
        "日本語のテキストです。" * 20,
        "Größe und Länge müssen übereinstimmen, sonst schlägt die Prüfung fehl.",
    ):
        assert all(question.text for question in questions_about(text, rarities(text), VOCABULARY, Random(1)))


def test_a_related_word_is_another_word_and_goes_both_ways() -> None:
    for line in filter(None, LINES.split("\n")):
        for word in line.split():
            others = related(word)
            assert others
            assert word not in others
            assert set(line.split()) - {word} <= set(others)
