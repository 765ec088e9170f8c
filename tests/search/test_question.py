"""What can be read from a question's words alone."""

from __future__ import annotations

import pytest

from marrow.model.record import Filter
from marrow.search.question import Asked, Question, pairs_of

from .notes import NOW


def asked(text: str, **wanted: int) -> Question:
    return Question(text, "local", Filter(**wanted), NOW)  # type: ignore[arg-type]


def test_the_words_that_say_when_are_no_part_of_the_subject() -> None:
    question = asked("What did we decide about queues last week?")
    assert question.spoken is not None
    assert question.spoken.said == "last week"
    assert set(question.terms) == {"decid", "queue"}


@pytest.mark.parametrize("text", ["last week?", "Yesterday", "since Monday"])
def test_a_question_of_nothing_but_a_time_is_its_own_subject(text: str) -> None:
    assert asked(text).subject == text
    assert asked(text).terms


def test_an_event_stays_in_the_subject_because_it_may_be_what_is_asked_about() -> None:
    question = asked("What did we decide about queues since ADR-012?")
    assert question.spoken is not None
    assert question.spoken.event == "ADR-012"
    assert {"queue", "adr", "012"} <= set(question.terms)


@pytest.mark.parametrize("wanted", [{"since": 1}, {"until": 1}, {"since": 0}])
def test_a_filter_that_names_a_time_has_said_it(wanted: dict[str, int]) -> None:
    question = asked("What did we decide about queues last week?", **wanted)
    assert question.spoken is None
    assert "week" in question.terms


@pytest.mark.parametrize(
    ("text", "is_pattern"),
    [("post*", True), ("*post* queu*", True), ("", True), ("?!", True), ("post* queue", False), ("postgres", False)],
)
def test_a_pattern_has_no_meaning_beside_its_letters(text: str, is_pattern: bool) -> None:
    assert asked(text).is_pattern == is_pattern


@pytest.mark.parametrize(
    "text",
    [
        "When did it break?",
        "  when was that",
        "and when?",
        "How long is it?",
        "how old is it",
        "Since when?",
        "What year?",
    ],
)
def test_a_question_that_asks_for_a_time(text: str) -> None:
    assert asked(text).asks_for_a_time


@pytest.mark.parametrize(
    "text", ["Whenever it breaks", "Who did it when?", "how longer texts work", "What times?", "It was when", ""]
)
def test_a_question_that_does_not_ask_for_a_time(text: str) -> None:
    assert not asked(text).asks_for_a_time


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Sales asks how many bulbs a bridge takes", {"bulb", "bridg", "take"}),
        ("Support wants to know when the kiln is fired", {"kiln", "fire"}),
        ("How much time does the solver get?", {"solver"}),
        ("What is asked of a reviewer?", {"ask", "review"}),
    ],
)
def test_who_asks_and_that_they_ask_is_no_part_of_the_subject(text: str, terms: set[str]) -> None:
    assert set(asked(text).terms) == terms


@pytest.mark.parametrize(
    "text", ["I was away, what did we note last week?", "What happened yesterday?", "what did we do last week"]
)
def test_a_question_that_names_a_time_and_nothing_else_asks_for_whatever_there_is(text: str) -> None:
    assert asked(text).asks_for_whatever


@pytest.mark.parametrize(
    "text", ["What happened to the kiln last week?", "What did we note?", "What did we decide last week?", "kiln"]
)
def test_a_question_that_names_something_does_not(text: str) -> None:
    assert not asked(text).asks_for_whatever


@pytest.mark.parametrize(
    ("text", "telling"),
    [
        ("Why does `[ $a -le 5 ] && [ $b -ne 3 ]` fail in the script?", {"le", "ne"}),
        ("The lo and el of the si parser are swapped, how do we fix it?", {"lo", "el", "si"}),
        ("Does the La Liga feed go to de and la?", {"la", "de"}),
        ("What to do if it dies on Friday?", {"die"}),
        ("which process dies first", {"die"}),
        ("what does NACH mean", {"nach"}),
        ("LE and SE in se_linux", {"le", "se"}),
        ("DER vs das encoding certificate", {"der", "das"}),
    ],
)
def test_names_in_a_program_make_no_question_of_another_language(text: str, telling: set[str]) -> None:
    question = asked(text)
    assert not question.is_elsewhere
    assert telling <= set(question.terms)


@pytest.mark.parametrize(
    ("text", "silent"),
    [
        ("Warum nutzen wir die Redis Queue?", {"warum", "wir", "die"}),
        ("Wann läuft der Export in der Nacht an?", {"wann", "der"}),
        ("pourquoi le cache est vide ?", {"pourquoi", "le", "est"}),
        ("Почему мы выбрали Redis?", {"почему", "мы"}),
        ("Wie hoch ist der Mond?", {"wie", "ist", "der"}),
    ],
)
def test_question_of_another_language_is_known_by_the_words_that_ask(text: str, silent: set[str]) -> None:
    question = asked(text)
    assert question.is_elsewhere
    assert not silent & set(question.terms)


def test_pairs_skip_the_words_that_say_nothing() -> None:
    assert pairs_of("The limit of the uploads is high") == {("limit", "upload"), ("upload", "high")}
    assert pairs_of("limit") == frozenset()
    assert pairs_of("") == frozenset()


def test_what_is_covered_is_weighed_by_how_much_each_term_says() -> None:
    known = Asked({"kiln": 3.0, "fire": 1.0}, {})
    assert known.covered(["kiln", "fire"], frozenset({"kiln"})) == pytest.approx(0.75)
    assert known.covered(["kiln", "fire"], frozenset({"fire", "kiln", "more"})) == pytest.approx(1.0)
    assert known.covered(["kiln"], frozenset()) == 0.0
    assert known.covered([], frozenset({"kiln"})) == 0.0


def test_the_words_by_which_one_asks_cover_little_of_what_was_asked() -> None:
    known = Asked({"use": 2.0, "kafka": 3.0}, {})
    assert known.covered(["use", "kafka"], frozenset({"use", "pnpm"})) < 0.15
    assert known.covered(["use", "kafka"], frozenset({"kafka"})) > 0.85
    assert known.covered(["use"], frozenset({"use"})) == 1.0


def test_another_name_covers_a_term_when_all_of_it_is_there() -> None:
    known = Asked({"k8s": 1.0}, {"k8s": (frozenset({"container", "platform"}),)})
    assert known.covered(["k8s"], frozenset({"container"})) == 0.0
    assert known.covered(["k8s"], frozenset({"container", "platform"})) == 1.0


@pytest.mark.parametrize(
    ("text", "commits", "subject"),
    [
        ("why was commit 377d8464 made?", ("377d8464",), "why was commit made?"),
        ("what did commit 06363342 change?", ("06363342",), "what did commit change?"),
        ("377d846400", ("377d846400",), "377d846400*"),
        ("why is 06363342 in the log?", (), "why is 06363342 in the log?"),
        ("was it defaced?", (), "was it defaced?"),
        ("where is v1-377d8464 from?", (), "where is v1-377d8464 from?"),
        ("what is in a/377d8464?", (), "what is in a/377d8464?"),
    ],
)
def test_a_hash_names_a_commit_and_is_nothing_to_speak_of(text: str, commits: tuple[str, ...], subject: str) -> None:
    question = asked(text)
    assert question.commits == commits
    assert " ".join(question.subject.split()) == subject
