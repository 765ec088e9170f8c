"""In a conversation the answer stands beside the words of the question: neighbours lend, and what asks is held back."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.providers.embedder import NoEmbedder
from marrow.search.evidence import MEANING_SHARE, WORDS_SHARE
from marrow.search.find import Hit
from marrow.search.weights import LEARNED

from .notes import NOTES, Lantern, lantern, texts

ASKED = "rotate hydrofoil bearings"
SAID, QUESTION = "Somebody must rotate the hydrofoil bearings.", "How do we rotate the hydrofoil bearings?"
BEFORE = ("Salt got everywhere.", "It squeaks again.")
AFTER = ("Every second Sunday.", "With gloves on.", "Lunch is served.")
LENT = ("two_before", "reply")


def talk(memory: Lantern, middle: str) -> dict[str, Hit]:
    for text in (*BEFORE, middle, *AFTER):
        memory.say(text, day=100, thread="yard", kind="conversation")
    return memory.by_text(ASKED)


def own(hit: Hit) -> float:
    """What a text says by itself, which is what it can lend."""
    assert hit.evidence is not None
    return WORDS_SHARE * hit.evidence.words + MEANING_SHARE * hit.evidence.meaning


def lent(hit: Hit) -> dict[str, float]:
    return {name: value for name, value in hit.why if name in LENT}


def test_each_neighbour_is_lent_by_where_it_stands(filled: Lantern) -> None:
    hits = talk(filled, QUESTION)
    score = own(hits[QUESTION])
    assert score > 0.5
    assert hits[AFTER[0]].part("reply") == pytest.approx(LEARNED.reply * score)
    assert hits[AFTER[1]].part("two_before") == pytest.approx(LEARNED.two_before * score)
    assert not any(hits[text].part("reply") for text in (*BEFORE, QUESTION, AFTER[1]) if text in hits)
    assert AFTER[2] not in hits or max(lent(hits[AFTER[2]]).values(), default=0.0) < 0.1 * score


def test_the_reply_to_a_question_comes_next_to_it(filled: Lantern) -> None:
    hits = talk(filled, QUESTION)
    ordered = sorted(hits, key=lambda text: -hits[text].score)
    assert set(ordered[:2]) == {QUESTION, AFTER[0]}


def test_only_a_question_lends_to_the_turn_after_it(filled: Lantern) -> None:
    hits = talk(filled, SAID)
    assert hits[SAID].part("words") > 0.2
    assert AFTER[0] not in hits or lent(hits[AFTER[0]]).get("reply", 0.0) == 0.0
    assert hits[AFTER[1]].part("two_before") == pytest.approx(LEARNED.two_before * own(hits[SAID]))


def test_nobody_lends_across_threads(filled: Lantern) -> None:
    filled.say(QUESTION, day=100, thread="yard", kind="conversation")
    filled.say(AFTER[0], day=100, thread="office", kind="conversation")
    filled.say(AFTER[1], day=100, kind="conversation")
    assert not any(lent(hit) for hit in filled.found(ASKED, limit=60))


def test_notes_outside_of_a_thread_are_lent_nothing(filled: Lantern) -> None:
    hits = talk(filled, QUESTION)
    assert not any(lent(hits[note.content]) for note in NOTES if note.content in hits)


@pytest.mark.parametrize("wanted", [{"tags": ("yard",)}, {"kinds": ("claim",)}])
def test_a_neighbour_that_the_filter_leaves_out_is_not_found(filled: Lantern, wanted: dict[str, tuple[str]]) -> None:
    filled.say(QUESTION, thread="yard", tags=("yard",))
    filled.say(AFTER[0], thread="yard", kind="conversation")
    found = texts(filled.found(ASKED, limit=60, **wanted))
    assert QUESTION in found
    assert AFTER[0] not in found


def test_a_neighbour_that_is_over_is_not_found(filled: Lantern) -> None:
    filled.say(QUESTION, thread="yard")
    gone = filled.say(AFTER[0], thread="yard")
    assert AFTER[0] in texts(filled.found(ASKED, limit=60))
    filled.restate(gone, state="retracted")
    assert AFTER[0] not in texts(filled.found(ASKED, limit=60))


def test_threads_lend_alike_in_every_store(tmp_path: Path) -> None:
    found = []
    for at in ("memory:", str(tmp_path / "marrow.db")):
        with lantern(NoEmbedder(), at=at) as memory:
            found.append({text: pytest.approx(lent(hit)) for text, hit in talk(memory, QUESTION).items()})
    assert found[0] == {text: dict(parts.expected) for text, parts in found[1].items()}


@pytest.mark.parametrize(
    ("content", "kind", "is_held_back"),
    [
        ("Do we rotate the hydrofoil bearings?", "conversation", True),
        ("Do we rotate the hydrofoil bearings? ", "claim", True),
        ("Do we rotate the hydrofoil bearings? Yes.", "conversation", False),
        ("We rotate the hydrofoil bearings.", "conversation", False),
        ("Do we rotate the hydrofoil bearings?", "question", False),
        ("Do we rotate the hydrofoil bearings?", "gap", False),
    ],
)
def test_a_text_that_asks_is_held_back_unless_it_is_kept_as_a_question(
    filled: Lantern, content: str, kind: str, is_held_back: bool
) -> None:
    filled.say(content, kind=kind)
    hit = filled.found(ASKED, limit=1)[0]
    assert hit.record.node.kind == kind
    assert hit.part("asking") == (LEARNED.asking if is_held_back else 0)
    assert LEARNED.asking < 0


def test_an_answer_comes_before_the_one_who_asked_with_the_same_words(empty: Lantern) -> None:
    asks, answers = "Do we rotate the hydrofoil bearings?", "We do rotate the hydrofoil bearings."
    empty.say(asks, day=2)
    empty.say(answers, day=1)
    assert texts(empty.found(ASKED)) == [answers, asks]
