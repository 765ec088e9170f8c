"""Reports of a day, a range or a session, and the memory's evaluation of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.memory.coverage import coverage
from marrow.memory.engine import Asker, Engine
from marrow.memory.evaluate import EVALUATIONS, evaluate
from marrow.memory.report import report
from marrow.memory.report_range import range_of
from marrow.model.change import Say
from marrow.model.errors import Ambiguous, Invalid
from marrow.model.moments import MICROS_PER_DAY, iso
from marrow.model.node import Occurrence, metadata_text
from marrow.model.session import Injection, Session

from .conftest import Clock, Hand

HOUR = MICROS_PER_DAY // 24


def keep_session(hand: Hand, name: str, started: int, ended: int | None = None) -> None:
    last = ended or started
    with hand.engine.store.writing() as writer:
        writer.keep_session(
            "local", Session(name, "claude-code", hand.asker.scope.project, "", started, last, ended, 3, "A session")
        )


def observe(hand: Hand, content: str, session: str, before: int, files: list[str]) -> str:
    said = Occurrence(
        hand.clock.now,
        thread=session,
        metadata=metadata_text({"before": before, "after": len(content), "files": files}),
    )
    address = hand.do(Say("observation", content, said))[0]
    hand.clock.forward(seconds=1)
    return address


def commit(hand: Hand, content: str, files: list[str]) -> None:
    hand.do(Say("commit", content, Occurrence(hand.clock.now, metadata=metadata_text({"files": files}))))
    hand.clock.forward(seconds=1)


def test_a_report_says_whether_sessions_or_commits_touched_the_files(engine: Engine, asker: Asker, hand: Hand) -> None:
    assert report(engine, asker).touched_by == ()
    commit(hand, "Raise the limit", ["src/cards.py", "README.md"])
    found = report(engine, asker)
    assert found.touched_by == ("commits",)
    assert dict(found.files) == {"src/cards.py": 1, "README.md": 1}
    observe(hand, "Edited cards", "s1", 100, ["src/cards.py"])
    assert report(engine, asker).touched_by == ("sessions", "commits")


@pytest.mark.parametrize(
    ("given", "start", "end"),
    [
        ("", "2026-03-01T00:00:00Z", "2026-03-01T12:00:00Z"),
        ("yesterday", "2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z"),
        ("2026-02-10", "2026-02-10T00:00:00Z", "2026-02-11T00:00:00Z"),
        ("3 days", "2026-02-26T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("last week", "2026-02-22T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("2026-02-01..2026-02-03", "2026-02-01T00:00:00Z", "2026-02-04T00:00:00Z"),
        ("2026-02-01 to 2026-02-03", "2026-02-01T00:00:00Z", "2026-02-04T00:00:00Z"),
    ],
)
def test_a_range_is_read_as_people_write_it(engine: Engine, asker: Asker, given: str, start: str, end: str) -> None:
    found = range_of(engine, asker, given)
    assert (iso(found.start), iso(found.end)) == (start, end)


def test_a_session_is_a_range(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    keep_session(hand, "abc-1", clock.now - 2 * HOUR, clock.now - HOUR)
    keep_session(hand, "abd-2", clock.now - HOUR)
    assert range_of(engine, asker, "abc").session is not None
    assert range_of(engine, asker, "session").words == "session abd-2"
    with pytest.raises(Ambiguous):
        range_of(engine, asker, "ab")


@pytest.mark.parametrize("given", ["the other day", "2026-02-03..2026-02-01", "no-such-session"])
def test_what_is_no_range_is_refused(engine: Engine, asker: Asker, given: str) -> None:
    with pytest.raises(Invalid) as caught:
        range_of(engine, asker, given)
    assert caught.value.field == "range"


def test_a_day_is_told_and_the_day_before_is_not(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    hand.say("Learnt long ago", kind="learning")
    clock.forward(days=2)
    keep_session(hand, "today-1", clock.now)
    hand.say("Amounts are whole cents", kind="decision", domain="decisions")
    hand.say("Tests need the fake gateway", kind="learning")
    hand.say("The gateway times out at night", domain="issues")
    hand.say("Who signs refunds?", kind="question")
    observe(hand, "Ran the tests: 3 passed", "today-1", 4_000, ["src/payments.py"])
    observe(hand, "Edited the retries", "today-1", 2_000, ["src/payments.py", "src/cards.py"])
    found = report(engine, asker)
    assert [session.session for session in found.sessions] == ["today-1"]
    assert dict(found.kinds) == {"observation": 2, "decision": 1, "learning": 1, "claim": 1, "question": 1}
    assert [record.node.content for record in found.learnings] == ["Tests need the fake gateway"]
    assert [record.node.content for record in found.decisions] == ["Amounts are whole cents"]
    assert [record.node.content for record in found.issues] == ["The gateway times out at night"]
    assert [record.node.content for record in found.questions] == ["Who signs refunds?"]
    assert dict(found.files) == {"src/payments.py": 2, "src/cards.py": 1}
    assert found.code is None


def test_compression_compares_what_was_reported_with_what_is_kept(engine: Engine, asker: Asker, hand: Hand) -> None:
    observe(hand, "Ran the tests: three passed", "s", 4_000, [])
    found = report(engine, asker).compression
    assert (found.before, found.observations) == (1_000, 1)
    assert found.ratio > 100


def test_a_session_is_told_by_itself(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    keep_session(hand, "mine", clock.now)
    keep_session(hand, "other", clock.now)
    observe(hand, "Of mine", "mine", 100, [])
    observe(hand, "Of another", "other", 100, [])
    found = report(engine, asker, "mine")
    assert [session.session for session in found.sessions] == ["mine"]
    assert dict(found.kinds) == {"observation": 1}


def test_what_was_told_counts_with_whether_it_was_used(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    keep_session(hand, "s", clock.now)
    used, unused = hand.say("This was used"), hand.say("This was not")
    now = clock.now
    with engine.store.writing() as writer:
        told = [Injection("s", "1", now, "prompt", address, 20) for address in (used, unused)]
        writer.note_injections("local", asker.scope.project, told)
        writer.count_use([hand.record(used).entry], used=True, at=now)
    clock.forward(seconds=10)
    found = report(engine, asker).told
    assert (found.memories, found.distinct, found.tokens, found.used) == (2, 2, 40, 1)
    (judged,) = evaluate(engine, asker, "injections")
    assert judged.figures[0].value == 0.5
    assert judged.ok is True


def test_another_projects_memories_are_not_in_the_report(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Of elsewhere", kind="learning", project="elsewhere")
    assert report(engine, asker).learnings == ()


def test_commits_of_the_range_are_listed(engine: Engine, asker: Asker, clock: Clock) -> None:
    clock.forward(days=2)  # the commit is of the second of March, written on the first
    assert [one.subject for one in report(engine, asker, "3 days").commits] == ["Take payments by card"]
    assert report(engine, asker, "2026-01-01").commits == ()


def test_every_evaluation_can_be_asked_for_on_an_empty_memory(engine: Engine, asker: Asker) -> None:
    found = evaluate(engine, asker)
    assert [one.name for one in found] == list(EVALUATIONS)
    assert all(one.says for one in found)


def test_recall_is_evaluated_by_the_memorys_own_nodes(engine: Engine, asker: Asker, hand: Hand) -> None:
    for number in range(6):
        hand.say(
            f"The number {number} gateway of the northern region answers slowly on rainy mornings, case {number * 7}"
        )
    (judged,) = evaluate(engine, asker, "recall")
    assert {figure.name for figure in judged.figures} >= {"words", "all"}
    assert engine.recalled == []


def test_coverage_names_the_folders_that_nothing_is_known_about(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("The limit is 5000", anchors=["src/cards.py"])
    (judged,) = evaluate(engine, asker, "coverage")
    assert judged.figures[0].value == 0.2
    assert any("tests" in note for note in judged.notes)
    assert not any("src" in note for note in judged.notes)
    assert judged.ok is False
    assert "marrow coverage" in judged.notes[-1]


def test_coverage_goes_by_the_code_that_is_known_as_the_coverage_operation_does(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    for name in ("charge", "refund"):
        hand.say(f"{name} goes through the gateway", anchors=[f"src/payments.py::{name}"])
    known = coverage(engine, asker)
    (judged,) = evaluate(engine, asker, "coverage")
    assert known.known == known.symbols > 0
    assert f"{known.known} of {known.symbols} functions and types" in judged.says
    assert judged.ok is True
    for part in known.parts:
        folder = part.path.rpartition("/")[0] or "."
        assert not any(f"about {folder} (" in note for note in judged.notes)


def test_health_counts_what_is_in_doubt(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("This holds")
    hand.say("This may not", confidence=0.2)
    hand.say("This has moved", drift="changed")
    (judged,) = evaluate(engine, asker, "health")
    assert {figure.name: figure.value for figure in judged.figures} == {"drifted": 1, "unsure": 1, "open": 0}
    assert judged.ok is False


def test_an_unknown_evaluation_is_refused_with_the_nearest(engine: Engine, asker: Asker, root: Path) -> None:
    with pytest.raises(Invalid) as caught:
        evaluate(engine, asker, "covrage")
    assert "coverage" in caught.value.hint
    assert root.exists()
