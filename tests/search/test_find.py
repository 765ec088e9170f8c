"""Finding the right one of sixty notes: by words and meaning, under filters, by its other names, weighed by signals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.model.link import make_anchor
from marrow.model.moments import MICROS_PER_DAY
from marrow.providers.embedder import Embedder, NoEmbedder
from marrow.providers.static import StaticEmbedder
from marrow.providers.transformer import TransformerEmbedder
from marrow.search.find import Found
from marrow.search.weights import LEARNED

from .notes import BY_NAME, NOTES, NOW, START, Lantern, lantern, names, texts


@pytest.fixture
def worded() -> Iterator[Lantern]:
    """One of its own, to be added to, that goes by words alone."""
    with lantern(NoEmbedder()) as made:
        yield made


QUESTIONS = [
    ("why did we pick Postgres rather than MongoDB", "postgres"),
    ("how do we store money amounts", "money"),
    ("why are labels showing question marks for some names", "umlaut"),
    ("what happened on Black Friday", "pool"),
    ("which client leaked memory in the worker", "leak"),
    ("how are webhooks to customers protected against replay", "webhooks"),
    ("why not JWT for sessions", "jwt"),
    ("how are tenants kept apart", "tenants"),
    ("what caused the checkout outage in March", "outage"),
    ("are timestamps in UTC or local time", "times"),
    ("why did the certificate take the domain down", "certificate"),
    ("how many approvals does a pull request need", "reviews"),
    ("why were invoices off by a cent", "rounding"),
    ("what renders shipping labels", "labels"),
    ("why did customers get notifications twice", "dupes"),
]


def test_the_better_tier_tells_logging_in_from_logs() -> None:
    """By its word alone the question is about logs; the quick tier is not sure either."""
    with lantern(TransformerEmbedder()) as memory:
        assert names(memory.found("how do staff log in"))[0] == "login"


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_the_right_note_is_first(known: Lantern, question: str, answer: str) -> None:
    assert names(known.found(question))[0] == answer


@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS])
def test_the_best_comes_first_by_score(known: Lantern, question: str) -> None:
    scores = [hit.score for hit in known.found(question)]
    assert len(scores) == 10
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1]


def test_finding_gives_the_hits_and_how_much_each_asked_term_says(known: Lantern) -> None:
    found = known.ask("database of the Zanzibar office", limit=3)
    assert isinstance(found, Found)
    assert len(found.hits) == 3
    assert {*found.asked.rarities} == {"databas", "zanzibar", "offic"}
    assert found.asked.rarities["zanzibar"] > found.asked.rarities["databas"] > 0


def test_a_text_with_every_word_that_means_the_same_scores_about_one(known: Lantern) -> None:
    for note in NOTES:
        best = known.found(note.content.rstrip("?."), limit=1)[0]
        assert best.record.node.content == note.content
        assert 0.6 < best.score - best.part("in_time") < 1.3


@pytest.mark.parametrize("embedder", [NoEmbedder(), StaticEmbedder()], ids=["words", "meaning"])
@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS[:5]])
def test_every_store_finds_the_same(tmp_path: Path, embedder: Embedder, question: str) -> None:
    with lantern(embedder) as one, lantern(embedder, at=str(tmp_path / "marrow.db")) as other:
        here, there = one.found(question), other.found(question)
    assert texts(here) == texts(there)
    for mine, theirs in zip(here, there, strict=True):
        assert dict(mine.why) == pytest.approx(dict(theirs.why), abs=1e-6)


def test_meaning_finds_what_shares_no_word_and_words_alone_do_not(known: Lantern, by_words: Lantern) -> None:
    question = "automobile insurance premiums"
    for memory in (known, by_words):
        assert not {term for term in question.split() if any(term in note.content for note in NOTES)}
        assert all(hit.part("words") == 0 for hit in memory.found(question))
    assert by_words.found(question) == []
    assert "money" in names(known.found("currency as whole numbers", limit=3))


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Postgres MongoDB", "postgres"), ("TLS certificate", "certificate"), ("ZPL ASCII", "umlaut")],
)
def test_without_an_embedder_it_goes_by_words(by_words: Lantern, question: str, answer: str) -> None:
    hits = by_words.found(question)
    assert names(hits)[0] == answer
    assert all(hit.part("words") > 0 and hit.part("meaning") == 0 for hit in hits)
    assert hits[0].part("words") == pytest.approx(LEARNED.words, rel=0.3)


def test_words_that_nobody_ever_said_take_nothing_from_a_text(by_words: Lantern) -> None:
    plain = by_words.found("Postgres MongoDB", limit=1)[0]
    wordy = by_words.found("Postgres MongoDB xylophone quixotic", limit=1)[0]
    assert wordy.part("words") == pytest.approx(plain.part("words"))


def test_a_domain_leaves_only_its_own(known: Lantern) -> None:
    hits = known.found("database", domains=("issues",), limit=60)
    assert names(hits)
    assert {hit.record.standing.domain for hit in hits} == {"issues"}
    everything = known.found("database", limit=60)
    assert set(names(hits)) == {name for name in names(everything) if BY_NAME[name].domain == "issues"}


def test_kinds_leave_only_their_own(known: Lantern) -> None:
    assert names(known.found("ZPL sent as ASCII"))[0] == "umlaut"
    hits = known.found("ZPL sent as ASCII", kinds=("question",), limit=60)
    assert names(hits)[0] == "printer"
    assert {hit.record.node.kind for hit in hits} == {"question"}


def test_tags_leave_only_their_own_in_any_case(known: Lantern) -> None:
    hits = known.found("signing in", tags=("AUTH",), limit=60)
    assert set(names(hits)) == {"login", "jwt"}
    assert known.found("signing in", tags=("auth", "web"), tags_all=True) == []


def test_times_leave_only_what_was_said_in_them(known: Lantern) -> None:
    day = BY_NAME["outage"].day
    since, until = START + day * MICROS_PER_DAY, START + (day + 3) * MICROS_PER_DAY
    question = "the customers and the database"
    everything = names(known.found(question, limit=60))
    after = names(known.found(question, since=since, limit=60))
    assert set(after) == {name for name in everything if BY_NAME[name].day >= day}
    between = names(known.found(question, since=since, until=until, limit=60))
    assert set(between) == {name for name in everything if day <= BY_NAME[name].day <= day + 3}
    assert len(everything) > len(after) > len(between) > 0


def test_limit_is_hard_and_what_is_ruled_out_is_not_found(known: Lantern) -> None:
    hits = known.found("database", limit=3)
    assert len(hits) == 3
    rest = known.found("database", limit=3, without=[hits[0].record.entry])
    assert names(hits)[0] not in names(rest)
    assert names(rest)[:2] == names(hits)[1:]


@pytest.mark.parametrize("pattern", ["post*", "*ostg*", "Postg*"])
def test_a_pattern_finds_only_what_matches_it(known: Lantern, pattern: str) -> None:
    part = pattern.strip("*").lower()
    hits = known.found(pattern, limit=60)
    assert set(names(hits)) == {note.name for note in NOTES if part in note.content.lower()}
    assert all(hit.part("meaning") == 0 for hit in hits)


@pytest.mark.parametrize("pattern", ["zzz*", "*qqq*", "*", "!?"])
def test_a_pattern_that_matches_nothing_finds_nothing(known: Lantern, pattern: str) -> None:
    assert known.found(pattern) == []


# --- files at hand --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("file", ["src/app.py", "./src/app.py"])
def test_what_is_about_a_file_at_hand_is_found_whatever_it_says(filled: Lantern, file: str) -> None:
    said = "Never call it twice."
    filled.say(said, anchors=(make_anchor("src/app.py"),))
    plain = filled.by_text("tidy up the database")
    hit = filled.by_text("tidy up the database", files=[file])[said]
    assert hit.part("at_hand") == pytest.approx(LEARNED.at_hand)
    assert said not in plain or plain[said].score < hit.score
    assert [
        text for text, one in filled.by_text("tidy up the database", files=[file]).items() if one.part("at_hand")
    ] == [said]


def test_a_file_that_nothing_is_about_changes_nothing(known: Lantern) -> None:
    plain, other = known.found("the database"), known.found("the database", files=["src/other.py"])
    assert [(h.record.entry, h.score) for h in plain] == [(h.record.entry, h.score) for h in other]


def test_a_file_at_hand_does_not_bring_what_the_filter_leaves_out(filled: Lantern) -> None:
    filled.say("Never call it twice.", anchors=(make_anchor("src/app.py"),), tags=("yard",))
    hits = filled.found("tidy up", files=["src/app.py"], tags=("db",), limit=60)
    assert "Never call it twice." not in texts(hits)


@pytest.mark.parametrize("file", ["", "./"])
def test_an_empty_path_is_no_file_at_hand(known: Lantern, file: str) -> None:
    assert not any(hit.part("at_hand") for hit in known.found("tidy up", files=[file], limit=60))


def test_a_file_at_hand_may_be_written_with_backslashes(filled: Lantern) -> None:
    filled.say("Never call it twice.", anchors=(make_anchor("src\\app.py"),))
    assert filled.by_text("tidy up", files=["src\\app.py"])["Never call it twice."].part("at_hand")


# --- other names ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "alias", "question"),
    [
        ("Kubernetes restarts the pods at night.", "k8s", "who owns k8s"),
        ("The k8s pods restart at night.", "Kubernetes", "who owns Kubernetes"),
        ("Granny is the mainframe in the cellar.", "Granny", "how old is Granny"),
    ],
)
def test_a_note_is_found_by_its_other_name(by_words: Lantern, said: str, alias: str, question: str) -> None:
    with lantern(NoEmbedder()) as memory:
        memory.say(said, aliases=(alias,))
        assert texts(memory.found(question))[0] == said


@pytest.mark.parametrize(("asked", "other"), [("k8s", "Kubernetes"), ("Kubernetes", "k8s")])
def test_what_goes_by_two_names_is_found_by_the_other_in_notes_without_aliases(asked: str, other: str) -> None:
    with lantern(NoEmbedder()) as memory:
        memory.say("Kubernetes runs our workers.", aliases=("k8s",))
        plain = f"The {other} upgrade is planned by Nina."
        memory.say(plain)
        assert plain in texts(memory.found(f"Who plans the upgrade of {asked}?", limit=3))
        assert memory.by_text(asked)[plain].part("words") > 0


@pytest.mark.parametrize("question", ["algorithm", "the goat", "a gigawatt"])
def test_a_short_alias_does_not_match_inside_other_words(question: str) -> None:
    with lantern(NoEmbedder()) as memory:
        memory.say("The gateway restarts at night.", aliases=("gw", "go", "al"))
        assert memory.found(question) == []


def test_a_text_that_has_both_names_of_what_was_asked_does_not_count_twice() -> None:
    with lantern(NoEmbedder()) as memory:
        memory.say("The gateway restarts at night.", aliases=("gw", "portal"))
        assert memory.found("gw")[0].part("words") < 1.5 * LEARNED.words


# --- signals --------------------------------------------------------------------------------------------------------

# Two notes whose texts weigh the same: as many words, each as often. Meaning would tell them apart.
ONE, OTHER = "The crane in the alpha yard is yellow.", "The crane in the gamma yard is yellow."


def twins(memory: Lantern, *, one: dict[str, Any] | None = None, days: tuple[float, float] = (50, 50)) -> list[str]:
    """The order of two that are alike but for how the first of them stands."""
    address = memory.say(ONE, day=days[0])
    memory.say(OTHER, day=days[1])
    if one:
        memory.restate(address, **one)
    return texts(memory.found("crane yard yellow", limit=2))


@pytest.mark.parametrize(
    ("stands", "is_first"),
    [
        ({"priority": 1.0}, True),
        ({"priority": 0.0}, False),
        ({"confidence": 1.0}, True),
        ({"confidence": 0.2}, False),
        ({"reinforced": 5}, True),
        ({"drift": "gone"}, False),
        ({"drift": "changed"}, False),
    ],
)
def test_how_a_record_stands_moves_it(worded: Lantern, stands: dict[str, Any], is_first: bool) -> None:
    assert twins(worded, one=stands) == ([ONE, OTHER] if is_first else [OTHER, ONE])


@pytest.mark.parametrize(("days", "is_first"), [((110, 1), True), ((1, 110), False)])
def test_of_two_that_are_alike_the_later_one_comes_first(
    worded: Lantern, days: tuple[float, float], is_first: bool
) -> None:
    assert twins(worded, days=days) == ([ONE, OTHER] if is_first else [OTHER, ONE])


def test_where_nobody_reports_what_is_used_nothing_sinks(worded: Lantern) -> None:
    before = twins(worded)
    first = worded.by_text("crane yard yellow", limit=2)[before[0]]
    with worded.engine.store.writing() as writer:
        for _ in range(9):
            writer.count_use([first.record.entry], used=False, at=NOW)
    assert texts(worded.found("crane yard yellow", limit=2)) == before


@pytest.mark.parametrize("used", [True, False])
def test_what_is_recalled_and_used_rises_and_what_is_not_sinks(worded: Lantern, used: bool) -> None:
    twins(worded)
    found = worded.by_text("crane yard yellow", limit=2)
    hit, other = found[ONE], found[OTHER]
    with worded.engine.store.writing() as writer:
        for _ in range(5):
            writer.count_use([hit.record.entry], used=False, at=NOW)
            writer.count_use([hit.record.entry] if used else [], used=True, at=NOW)
        if not used:  # somebody reports what is used: of another memory that was found with it
            writer.count_use([other.record.entry], used=True, at=NOW)
    assert texts(worded.found("crane yard yellow", limit=2))[0] == (ONE if used else OTHER)


@pytest.mark.parametrize(
    ("question", "domain"),
    [("Why is the crane in the yard yellow?", "decisions"), ("Which error has the crane in the yard?", "issues")],
)
def test_a_domain_that_the_message_is_after_is_preferred(worded: Lantern, question: str, domain: str) -> None:
    worded.say(ONE, day=50, domain=domain)
    worded.say(OTHER, day=50)
    hits = worded.found(question, limit=2)
    assert texts(hits) == [ONE, OTHER]
    assert hits[0].part("domain") > 0 == hits[1].part("domain")


# --- what is over ---------------------------------------------------------------------------------------------------


def test_an_amendment_is_found_before_what_it_amends(filled: Lantern) -> None:
    question = BY_NAME["deploys"].content
    assert names(filled.found(question))[0] == "deploys"
    amendment = "Deploys no longer go out on Thursdays before noon."
    filled.say(amendment, day=100)
    hits = filled.found(question)
    assert names(hits)[:2] == [amendment, "deploys"]
    assert hits[0].score < hits[1].score


def test_a_long_amendment_is_found_before_what_it_amends_though_no_passage_of_it_can_be_among_the_best(
    worded: Lantern,
) -> None:
    others = " ".join(f"Nothing else was noted on day {day}." for day in range(80))
    crane = "The yellow crane lifts barrels from river barges"
    for morning in range(6):
        worded.say(f"{crane} on quay {morning}. {others}", day=10 + morning)
    amended = worded.say(f"{crane} in the yard every morning. {others}", day=20)
    amendment = f"From now on the yellow crane in the yard lifts barrels no more. {others}"
    worded.say(amendment, day=90)
    best, second = worded.found("yellow crane lifts barrels from river barges in the yard", limit=2)
    assert (best.record.node.content, second.record.node.address) == (amendment, amended)
    assert best.score < second.score


def test_what_is_retracted_is_found_only_when_asked_for(filled: Lantern) -> None:
    (hit,) = filled.found("integer cents", limit=1)
    assert hit.record.node.content == BY_NAME["money"].content
    filled.restate(hit.record.node.address, state="retracted")
    assert "money" not in names(filled.found("integer cents", limit=60))
    assert names(filled.found("integer cents", include_superseded=True))[0] == "money"


def test_what_is_superseded_is_absent_and_what_superseded_it_is_found(filled: Lantern) -> None:
    old = filled.say("The kiln is fired with coal.", day=40)
    filled.supersede(old, "The kiln is fired with gas.", day=80)
    found = texts(filled.found("How is the kiln fired?", limit=60))
    assert found[0] == "The kiln is fired with gas."
    assert "The kiln is fired with coal." not in found


def test_the_past_is_searched_as_it_was(filled: Lantern) -> None:
    with filled.engine.store.reading() as reader:
        before = reader.head(filled.asker.namespace).seq
    old = filled.say("The kiln is fired with coal.", day=40)
    with filled.engine.store.reading() as reader:
        then = reader.head(filled.asker.namespace).seq
    filled.supersede(old, "The kiln is fired with gas.", day=80)
    assert "The kiln is fired with coal." not in texts(filled.found("How is the kiln fired?", seq=before))
    assert texts(filled.found("How is the kiln fired?", seq=then))[0] == "The kiln is fired with coal."
    assert "The kiln is fired with gas." not in texts(filled.found("How is the kiln fired?", seq=then, limit=60))


def test_another_name_is_known_though_many_with_names_are_near_in_meaning() -> None:
    with lantern(StaticEmbedder(), is_empty=True) as memory:
        for number in range(150):
            plan = f"Restart plan {number}: services are restarted in a window at night, one zone after the other"
            memory.say(plan, aliases=(f"qzx{number}",))
        memory.say("Postgres is the database of the ledger service.", aliases=("PG",))
        memory.say("Postgres goes down on Sundays at six.")
        assert memory.ask("is PG down at some time").asked.others
