"""Sessions as they are shown: what happened, what was told, what came of it, and what an edit had been told before."""

from __future__ import annotations

import json
from typing import Any

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.handoff import handoff_read, handoff_write
from marrow.memory.influences import influences
from marrow.memory.remember import remember
from marrow.memory.session_status import session_status
from marrow.memory.sessions import session_show, sessions
from marrow.model.draft import Draft
from marrow.model.errors import Ambiguous, Forbidden, Invalid, NotFound
from marrow.model.link import make_anchor
from marrow.model.moments import iso
from marrow.model.session import Injection, Session
from marrow.model.trace import Trace

from .conftest import Clock, Hand, asker_of

PLACE = ("orchard",)
ONE, OTHER = "0198-one", "0198-other"


class Host:
    """What a host's session leaves in a store, in one call each."""

    def __init__(self, engine: Engine, asker: Asker, clock: Clock) -> None:
        self.engine, self.asker, self.clock = engine, asker, clock

    def begins(self, name: str, project: str = "orchard", **about: Any) -> None:
        now = self.clock.forward(seconds=1)
        session = Session(name, "claude-code", project, started_at=now, last_at=now, **about)
        with self.engine.store.writing() as writer:
            writer.keep_session(self.asker.namespace, session)

    def reports(self, session: str, event: str, **body: Any) -> None:
        at = self.clock.forward(seconds=1)
        line = json.dumps({"event": event, "at": at, **body})
        trace = Trace(f"{at:016x}", at, "claude-code", session, event, body=line)
        with self.engine.store.writing() as writer:
            writer.keep_traces(self.asker.namespace, "orchard", [trace])

    def sees(self, session: str, content: str, tool: str, files: list[str]) -> str:
        at = self.clock.forward(seconds=1)
        draft = Draft(
            content,
            kind="observation",
            domain="history",
            thread=session,
            at=iso(at),
            source="hook:claude-code",
            anchors=[make_anchor(path) for path in files],
            metadata={"tool": tool, "files": files, "turn": "t1"},
        )
        return remember(self.engine, self.asker, [draft], operation="session_capture").saved[0].address

    def says(self, session: str, content: str, kind: str, **about: Any) -> str:
        self.clock.forward(seconds=1)
        draft = Draft(content, kind=kind, thread=session, **about)
        return remember(self.engine, self.asker, [draft], operation="session_capture").saved[0].address

    def told(self, session: str, address: str, event: str = "prompt", file: str = "") -> None:
        at = self.clock.forward(seconds=1)
        with self.engine.store.writing() as writer:
            note = Injection(session, "t1", at, event, address, 40, file)
            writer.note_injections(self.asker.namespace, "orchard", [note])


@pytest.fixture
def host(engine: Engine, asker: Asker, clock: Clock) -> Host:
    return Host(engine, asker, clock)


def test_the_latest_session_comes_first_and_filters_narrow(
    engine: Engine, asker: Asker, host: Host, clock: Clock
) -> None:
    host.begins(ONE, ended_at=clock.now + 1_000_000)
    later = clock.forward(days=1)
    host.begins(OTHER)
    host.begins("elsewhere", project="pears")

    def names(**asked: Any) -> list[str]:
        return [session.session for session in sessions(engine, asker, PLACE, **asked)]

    assert names() == [OTHER, ONE]
    assert names(is_open=True) == [OTHER]
    assert names(is_open=False) == [ONE]
    assert names(since=later) == [OTHER]
    assert names(limit=1) == [OTHER]
    assert len(sessions(engine, asker, None)) == 3
    for limit in (0, 1001):
        with pytest.raises(Invalid):
            names(limit=limit)


def test_a_session_is_shown_in_the_order_of_what_happened(
    engine: Engine, asker: Asker, host: Host, hand: Hand, clock: Clock
) -> None:
    fact = hand.say("Tokens live for fifteen minutes.")
    host.begins(ONE, turns=1, title="The token bug")
    host.reports(ONE, "prompt", prompt="Mend the token bug.\nIt hurts.")
    host.told(ONE, fact)
    edit = host.sees(ONE, "Edited app.py\n\nThe check is in.", "Edit", ["src/app.py"])
    rule = host.says(ONE, "Tokens are checked twice.", "decision", domain="decisions")
    host.reports(ONE, "stop", message="It is mended.")
    summary = host.says(ONE, "The token bug is mended.", "summary", domain="history")
    handoff = host.says(ONE, "Nothing is left.", "handoff", domain="tasks")
    found = session_show(engine, asker, "0198-o")
    assert found.session.title == "The token bug"
    assert [(one.what, one.text, one.address) for one in found.moments] == [
        ("turn", "Mend the token bug.", ""),
        ("told", "Tokens live for fifteen minutes.", fact),
        ("seen", "Edited app.py", edit),
        ("said", "Tokens are checked twice.", rule),
        ("answer", "It is mended.", ""),
    ]
    assert found.moments[1].tokens == 40
    assert found.summary is not None
    assert found.handoff is not None
    assert (found.summary.node.address, found.handoff.node.address) == (summary, handoff)
    assert found.waiting == 2


def test_a_session_goes_by_the_beginning_of_its_name_when_that_is_enough(
    engine: Engine, asker: Asker, host: Host
) -> None:
    host.begins(ONE)
    host.begins(ONE + "-more")
    host.begins(OTHER)
    assert session_show(engine, asker, ONE).session.session == ONE
    assert session_show(engine, asker, "0198-ot").session.session == OTHER
    with pytest.raises(Ambiguous) as several:
        session_show(engine, asker, "0198")
    assert OTHER in several.value.message
    assert session_show(engine, asker, " ").session.session == OTHER  # the latest
    with pytest.raises(NotFound) as wrong:
        session_show(engine, asker, "nobody")
    assert wrong.value.field == "session"


def test_sessions_of_projects_that_may_not_be_read_are_not_there(engine: Engine, host: Host) -> None:
    host.begins(ONE)
    stranger = asker_of("pears", projects=["pears"])
    assert sessions(engine, stranger, None) == []
    with pytest.raises(NotFound):
        session_show(engine, stranger, ONE)
    with pytest.raises(Forbidden):
        sessions(engine, asker_of("orchard", rights=("write",)), PLACE)


def test_the_status_counts_what_the_latest_session_did(engine: Engine, asker: Asker, host: Host, hand: Hand) -> None:
    empty = session_status(engine, asker)
    assert (empty.session, empty.seen, empty.told, empty.preliminary) == (None, 0, 0, ())
    fact = hand.say("Tokens live for fifteen minutes.")
    hand.say("Who rotates the keys?", kind="question")
    host.begins(ONE)
    host.reports(ONE, "prompt", prompt="Go.")
    host.told(ONE, fact)
    host.sees(ONE, "Edited app.py", "Edit", ["src/app.py"])
    host.says(ONE, "Perhaps twice.", "claim", chain="plan", preliminary=True)
    found = session_status(engine, asker)
    assert found.session is not None
    assert (found.seen, found.saved, found.told, found.tokens) == (1, 1, 1, 40)
    assert (found.waiting, found.questions, [chain.name for chain in found.preliminary]) == (1, 1, ["plan"])


def test_a_handoff_is_given_as_a_text_and_read_back(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    assert handoff_read(engine, asker) is None
    handoff_write(engine, asker, "The rows are next.")
    clock.forward(seconds=1)
    done = handoff_write(engine, asker, "The tests are next.")
    record = handoff_read(engine, asker)
    assert record is not None
    assert (record.node.address, record.node.kind) == (done.address, "handoff")
    assert (record.standing.domain, record.standing.priority, record.standing.confidence) == ("tasks", 0.5, 0.9)


def test_a_handoff_is_built_from_the_last_session_and_what_is_open(
    engine: Engine, asker: Asker, host: Host, hand: Hand, clock: Clock
) -> None:
    with pytest.raises(Invalid) as nothing:
        handoff_write(engine, asker)
    assert nothing.value.field == "text"
    hand.say("Who rotates the keys?", kind="question", domain="issues")
    host.begins(OTHER)
    host.sees(OTHER, "Edited old.py", "Edit", ["src/old.py"])
    host.begins(ONE, title="The token bug")
    host.sees(ONE, "Edited app.py\n\nThe check is in.", "Edit", ["src/app.py"])
    host.says(ONE, "Not the header: the cookie.", "claim", tags=("session", "correction"))
    host.says(ONE, "Tests run in parallel.", "preference", domain="patterns")
    first = handoff_write(engine, asker)
    for part in (
        "The token bug",
        "Worked on:\n- Edited app.py",
        "Corrections:\n- Not the header: the cookie.",
        "What the user wants:\n- Tests run in parallel.",
        "Open:\n- Who rotates the keys?",
    ):
        assert part in first.content
    assert "old.py" not in first.content
    host.sees(ONE, "Edited view.py", "Edit", ["src/view.py"])
    second = handoff_write(engine, asker)
    assert second.replaced == (first.address,)
    assert hand.state(first.address) == "superseded"
    assert "Edited view.py" in second.content


def test_an_edit_knows_what_its_session_had_been_told(
    engine: Engine, asker: Asker, host: Host, hand: Hand, clock: Clock
) -> None:
    before, after, other = (hand.say(f"Fact {n} about tokens.") for n in "abc")
    host.begins(ONE)
    host.told(ONE, before)
    host.told(ONE, before, "pre-tool", "src/app.py")
    host.told(OTHER, other)
    edit = host.sees(ONE, "Edited app.py", "Edit", ["src/app.py"])
    clock.forward(seconds=1)
    host.told(ONE, after)
    host.sees(ONE, "Ran the tests", "Bash", ["src/app.py"])
    (found,) = influences(engine, asker, file="./src/app.py")
    assert (found.edit.node.address, found.session, found.turn) == (edit, ONE, "t1")
    ((told, record),) = found.told
    assert (told.address, told.event, told.file) == (before, "pre-tool", "src/app.py")
    assert record is not None
    assert influences(engine, asker, file="src/other.py") == []


def test_a_commit_stands_for_the_edits_since_the_one_before_it(
    engine: Engine, asker: Asker, host: Host, clock: Clock
) -> None:
    def commits(name: str) -> None:
        at = clock.forward(seconds=1)
        draft = Draft(f"Commit {name}", kind="commit", at=iso(at), metadata={"commit": name})
        remember(engine, asker, [draft])

    host.sees(ONE, "Edited one.py", "Edit", ["one.py"])
    commits("aaaaaa1111")
    host.sees(ONE, "Edited two.py", "Write", ["two.py"])
    commits("bbbbbb2222")
    host.sees(ONE, "Edited three.py", "Edit", ["three.py"])

    def edited(commit: str) -> list[str]:
        return [found.edit.node.content for found in influences(engine, asker, commit=commit)]

    assert edited("bbbbbb") == ["Edited two.py"]
    assert edited("aaaaaa1111") == ["Edited one.py"]
    for commit, error in (("cccccc", NotFound), ("abc", Invalid), ("no commit", Invalid)):
        with pytest.raises(error) as wrong:
            edited(commit)
        assert wrong.value.field == "commit"
