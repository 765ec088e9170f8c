"""The background: the inbox becomes traces once, traces become memories when they are ripe, sessions are closed."""

from __future__ import annotations

import json
import time
from contextlib import closing
from typing import Any

import apsw
import pytest

from marrow.capture import inbox
from marrow.jobs.abandoned import IDLE_MICROS, close_abandoned
from marrow.jobs.drain import drain
from marrow.jobs.way import Way
from marrow.jobs.work_off import WAITING_MAX, ripe, work_off
from marrow.memory.engine import now_micros
from marrow.model.errors import Unavailable
from marrow.model.record import CURRENT, Filter
from marrow.model.trace import DONE, Trace

from .conftest import Home


def test_lines_of_two_projects_are_kept_for_theirs(home: Home) -> None:
    home.write("stop", project="one")
    home.write("stop", project="two", session="s2")
    assert home.drain() == 2
    assert home.drain() == 0
    assert len({trace.project for trace in home.kept()}) == 2


def test_what_is_drained_twice_is_kept_once(home: Home) -> None:
    home.write("stop")
    home.drain()
    segment = inbox.segments(str(home.home))[0]
    with home.default().engine.store.writing() as writer:
        writer.place_inbox(f"{segment}#{inbox.identity(str(home.home), segment)}", 0)  # as if it had been lost
    home.drain()
    assert len(home.kept()) == 1


def test_lines_that_are_no_traces_are_passed_over(home: Home) -> None:
    for text in ("no json", "[]", json.dumps({"event": "stop"}), json.dumps({"v": 1, "id": "x" * 99, "event": "stop"})):
        inbox.append(str(home.home), text)
    home.write("stop")
    while home.drain():
        pass
    assert [trace.event for trace in home.kept()] == ["stop"]


def test_a_check_leaves_no_trace(home: Home) -> None:
    inbox.append(str(home.home), json.dumps({"v": 1, "id": "c", "event": "check"}))
    assert home.drain() == 1
    assert home.kept() == []


def test_lines_of_a_folder_that_is_gone_stay_with_their_session(home: Home) -> None:
    home.write("prompt", prompt="Remember that the tests need Redis.")
    home.drain()
    work_off(home.place(), everything=True)
    name = home.kept()[0].project
    home.write("prompt", project="gone", prompt="Remember that the docs need Node.")
    home.drain()
    assert {trace.project for trace in home.kept()} == {name}


def test_a_line_for_a_store_of_its_own_goes_there_once(home: Home) -> None:
    own = str(home.folder / "own.db")
    home.write("stop", store=own)
    home.write("stop")
    home.drain()
    with home.memories.at(str(home.folder / "one"), own).store.reading() as reader:
        assert len(reader.traces("local")) == 1
    assert len(home.kept()) == 1


def trace(number: int, event: str, at: int = 0) -> Trace:
    return Trace(f"{number:x}", at, "claude-code", "s1", event, number=number)


def test_a_turn_is_told_as_a_whole_once_it_is_over() -> None:
    going_on = [trace(1, "prompt", 100), trace(2, "post-tool", 100)]
    assert ripe(going_on, 100, everything=False) == []
    assert ripe([*going_on, trace(3, "stop", 100)], 100, everything=False) == [[*going_on, trace(3, "stop", 100)]]
    assert ripe(going_on, 100, everything=True) == [going_on]
    over = [trace(1, "prompt", 90), trace(2, "stop", 95)]
    assert ripe([*over, trace(3, "prompt", 100)], 100, everything=False) == [over]


def test_what_waits_long_or_is_much_is_not_kept_waiting() -> None:
    long_ago = [trace(1, "post-tool", 0)]
    assert ripe(long_ago, 60_000_000, everything=False) == [long_ago]
    many = [trace(n, "post-tool", 100) for n in range(WAITING_MAX)]
    assert sum(map(len, ripe(many, 100, everything=False))) == WAITING_MAX


def test_a_session_that_nobody_ended_is_closed_with_a_handoff(home: Home) -> None:
    home.write("prompt", prompt="Remember that the tests need Redis.")
    home.write("stop", message="Noted.")
    home.drain()
    place = home.place()
    work_off(place)
    assert close_abandoned(place, place.engine.clock()) == 0
    assert close_abandoned(place, place.engine.clock() + 2 * IDLE_MICROS) == 1
    with place.engine.store.reading() as reader:
        (session,) = reader.sessions("local", None)
    assert session.ended_at is not None
    assert close_abandoned(place, place.engine.clock() + 2 * IDLE_MICROS) == 0


def test_a_trace_that_cannot_be_worked_off_is_kept_with_its_error_and_holds_up_no_other(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from marrow.jobs import work_off as module

    whole = module.witness

    def picky(engine: Any, asker: Any, rules: Any, traces: Any, **how: Any) -> Any:
        if any("poison" in one.body for one in traces):
            raise module.MarrowError("it is poison")
        return whole(engine, asker, rules, traces, **how)

    monkeypatch.setattr(module, "witness", picky)
    home.write("prompt", prompt="poison")
    home.write("prompt", prompt="Remember that the tests need Redis.")
    home.write("stop")
    home.drain()
    for _ in range(3):
        work_off(home.place(), everything=True)
    states = {one.event + one.state: one for one in home.kept()}
    assert "poison" in states["promptfailed"].error
    assert states["promptfailed"].attempts == 3
    assert "promptdone" in states
    assert home.chores().state()["failed"][0]["error"]


def test_a_store_that_cannot_be_written_now_is_tried_again_and_nothing_is_given_up(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from marrow.jobs import work_off as module

    def busy(*_: Any, **__: Any) -> None:
        raise Unavailable("busy")

    home.write("stop")
    home.drain()
    monkeypatch.setattr(module, "witness", busy)
    with pytest.raises(Unavailable):
        work_off(home.place())
    assert [one.state for one in home.kept()] == ["raw"]


def test_a_turn_of_chores_does_it_all_and_then_has_nothing_to_do(home: Home) -> None:
    home.write("prompt", prompt="Remember that the tests need Redis.")
    home.write("stop", message="Noted.")
    chores = home.chores()
    while chores.turn(lambda: False):
        pass
    assert chores.state()["queue"] == {"raw": 0, "done": 2, "failed": 0}
    assert "Redis" in home.memories.at(str(home.folder / "one")).recall("What do the tests need?").text()


def test_settings_that_change_hold_for_the_next_question(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from marrow.app import opening

    before = home.memories.at(str(home.folder / "one"))
    (home.folder / "one" / ".marrow.toml").write_text("[recall]\ntop_k = 2\n")
    monkeypatch.setattr(opening, "KEPT_SECONDS", 0.0)
    after = home.memories.at(str(home.folder / "one"))
    assert (before.settings.get("recall.top_k", int), after.settings.get("recall.top_k", int)) == (5, 2)
    assert after.store is before.store


def test_a_prompt_that_is_not_to_be_remembered_is_kept_as_having_been_there(home: Home) -> None:
    home.write("prompt", prompt="Don't remember this: the code name is Heron.")
    home.drain()
    (kept,) = home.kept()
    assert "Heron" not in kept.body
    assert kept.event == "prompt"


def test_the_answer_to_a_prompt_that_is_not_to_be_remembered_is_not_kept_either(home: Home) -> None:
    chores = home.chores()
    home.write("prompt", prompt="Don't remember this: the code name is Heron.")
    chores.all_now()
    home.write("stop", message="I see, it is called Heron.")
    home.write("stop", session="s2", message="Herons are birds.")
    home.write("prompt", prompt="Now add the login page.")
    home.write("stop", message="Done with the login page.")
    chores.all_now()
    kept = " ".join(trace.body for trace in home.kept())
    assert "it is called Heron" not in kept
    assert "Herons are birds." in kept
    assert "Done with the login page." in kept


def test_such_an_answer_is_not_kept_though_the_daemon_was_started_anew_in_between(home: Home) -> None:
    home.write("prompt", prompt="Don't remember this: the code name is Heron.")
    home.write("prompt", prompt="Look for herons.", agent="a1")
    home.chores().all_now()
    home.write("stop", message="I see, it is called Heron.")
    home.chores().all_now()
    home.write("prompt", prompt="Now add the login page.")
    home.chores().all_now()
    home.write("stop", message="Done with the login page.")
    home.chores().all_now()
    kept = " ".join(trace.body for trace in home.kept())
    assert "it is called Heron" not in kept
    assert "Done with the login page." in kept


def test_a_file_of_the_same_name_that_is_another_one_is_read_from_its_beginning(home: Home) -> None:
    home.write("stop")
    home.write("stop")
    home.drain()
    folder = home.home / "inbox"
    (folder / inbox.segments(str(home.home))[0]).rename(home.folder / "gone")
    home.write("stop")
    home.drain()
    assert len(home.kept()) == 3


def test_a_segment_that_cannot_be_read_holds_up_no_other(home: Home) -> None:
    home.write("stop")
    (home.home / "inbox" / "2001010101.jsonl").mkdir()
    assert home.drain() == 1


def test_a_fault_of_ours_counts_as_a_failure_of_its_trace(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from marrow.jobs import work_off as module

    def faulty(*_: Any, **__: Any) -> None:
        raise IndexError("nothing left")

    home.write("stop")
    home.drain()
    monkeypatch.setattr(module, "witness", faulty)
    for _ in range(3):
        work_off(home.place(), everything=True)
    (kept,) = home.kept()
    assert (kept.state, kept.attempts) == ("failed", 3)
    assert "IndexError" in kept.error


def test_lines_of_a_paused_project_are_dropped_wherever_they_come_from(home: Home) -> None:
    from marrow.capture import paused

    paused.pause(str(home.home), home.place().asker.scope.project)
    home.write("stop")
    home.write("stop", project="two")
    home.drain()
    assert [trace.project for trace in home.kept()] == [home.place("two").asker.scope.project]


def test_another_namespace_has_its_own_traces_and_memories(home: Home) -> None:
    home.write("prompt", prompt="Remember that the tests need Redis.", namespace="private")
    chores = home.chores()
    while chores.turn(lambda: False):
        pass
    assert home.kept() == []
    place = str(home.folder / "one")
    assert "Redis" not in home.memories.at(place).search("Redis").text()


def test_a_projects_own_settings_say_what_of_it_is_kept(home: Home) -> None:
    (home.folder / "two" / ".marrow.toml").write_text("[capture]\nmin_salience = 1.0\n")
    for project in ("one", "two"):
        home.write("prompt", project=project, session=project, prompt="We decided to use Redis for the tests.")
        home.write("stop", project=project, session=project)
    chores = home.chores()
    chores.all_now()
    assert "Redis" in home.memories.at(str(home.folder / "one")).search("Redis").text()
    assert "Redis" not in home.memories.at(str(home.folder / "two")).search("Redis").text()


def test_such_an_answer_is_not_kept_though_its_store_could_not_be_read_at_first(home: Home) -> None:
    own = home.folder / "own.db"
    home.write("prompt", store=str(own), prompt="Don't remember this: the code name is Heron.")
    home.chores().all_now()
    home.memories.close()
    there = own.rename(home.folder / "away.db")
    own.mkdir()
    home.write("stop", store=str(own), message="I see, it is called Heron.")
    anew = home.chores()
    anew.all_now()
    own.rmdir()
    there.rename(own)
    assert inbox.release(str(home.home)) == 1
    anew.all_now()
    with home.memories.at(str(home.folder / "one"), str(own)).store.reading() as reader:
        kept = [trace.body for trace in reader.traces("local")]
    assert len(kept) == 2
    assert "it is called Heron" not in " ".join(kept)


def test_a_line_whose_store_cannot_be_read_waits_for_it(home: Home) -> None:
    own = home.folder / "own.db"
    own.write_text("this is no store " * 100)
    home.write("stop", store=str(own))
    home.write("stop")
    home.drain()
    assert len(home.kept()) == 1
    own.unlink()
    assert inbox.release(str(home.home)) == 1
    home.drain()
    with home.memories.at(str(home.folder / "one"), str(own)).store.reading() as reader:
        assert len(reader.traces("local")) == 1
    assert inbox.release(str(home.home)) == 0


def test_a_store_of_its_own_that_cannot_be_written_holds_up_no_other(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARROW_STORE_BUSY_TIMEOUT_MS", "50")
    monkeypatch.setattr("marrow.jobs.chores.PUT_OFF_SECONDS", 0.2)
    monkeypatch.setattr("marrow.jobs.chores.RELEASE_SECONDS", 0.2)
    own = home.folder / "own.db"
    home.write("session-start", store=str(own))
    chores = home.chores()
    chores.turn(lambda: False)
    with closing(apsw.Connection(str(own))) as other:  # of our SQLite: locks of two of them in a process do not meet
        other.execute("BEGIN IMMEDIATE")
        home.write("prompt", store=str(own), prompt="Dim the lamp.")
        home.write("stop", store=str(own))
        home.write("session-start", project="two", session="s2")
        home.write("stop", project="two", session="s2")
        while chores.turn(lambda: False):
            pass
        assert [(trace.session, trace.state) for trace in home.kept()] == [("s2", DONE)] * 2
    until = time.monotonic() + 60
    told: list[tuple[str, str]] = []
    while told != [(event, DONE) for event in ("session-start", "prompt", "stop")]:
        assert time.monotonic() < until, told  # what was set aside is tried again after a moment
        time.sleep(0.1)
        chores.turn(lambda: False)
        with home.memories.at(str(home.folder / "one"), str(own)).store.reading() as reader:
            told = [(trace.event, trace.state) for trace in reader.traces("local")]


def test_a_store_of_its_own_that_may_only_be_read_holds_up_no_other(home: Home) -> None:
    own = home.folder / "own.db"
    home.write("session-start", store=str(own))
    chores = home.chores()
    chores.turn(lambda: False)
    home.memories.at(str(home.folder / "one"), str(own)).store.read_only = True
    home.write("prompt", store=str(own), prompt="Dim the lamp.")
    home.write("stop", project="two", session="s2")
    while chores.turn(lambda: False):
        pass
    assert [(trace.session, trace.state) for trace in home.kept()] == [("s2", DONE)]
    assert "Dim the lamp." in "".join(path.read_text() for path in home.home.rglob("*.jsonl*"))


def test_a_damaged_store_whose_session_is_asked_about_holds_up_no_other(home: Home) -> None:
    own = home.folder / "own.db"
    home.write("session-start", store=str(own))
    home.chores().all_now()
    home.memories.close()
    home.memories.at(str(home.folder / "one"), str(own))
    own.write_bytes(own.read_bytes()[:8192] + b"x" * 400_000)
    home.write("stop", store=str(own), message="It is dimmed.")
    home.write("stop", project="two", session="s2")
    home.chores().turn(lambda: False)
    assert [trace.session for trace in home.kept()] == ["s2"]
    assert "It is dimmed." in (home.home / inbox.HELD).read_text()


def test_a_store_of_its_own_that_cannot_be_tidied_holds_up_no_other(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARROW_STORE_BUSY_TIMEOUT_MS", "50")
    own = home.folder / "own.db"
    home.write("session-start", store=str(own))
    chores = home.chores()
    while chores.turn(lambda: False):
        pass
    monkeypatch.setattr("marrow.jobs.chores.MICROS_PER_HOUR", 0)  # an hour goes by
    chores._release_at = 0.0
    inbox.hold(str(home.home), "{}")
    with closing(apsw.Connection(str(own))) as other:  # of our SQLite: locks of two of them in a process do not meet
        other.execute("BEGIN IMMEDIATE")
        chores.turn(lambda: False)
    assert not (home.home / inbox.HELD).exists()


class Counted(Way):
    """Counts how often way was made."""

    made = 0

    def make(self) -> None:
        self.made += 1


def test_the_background_makes_way_between_two_traces(home: Home) -> None:
    for _ in range(20):
        home.write("prompt", prompt="Please change how the deployment works.")
    chores = home.chores()
    chores.way = way = Counted()
    while drain(str(home.home), chores._place_at, chores._default()):
        pass
    assert way.made >= 20
    before = way.made
    work_off(chores._default(), everything=True)
    assert way.made > before


def test_a_turn_that_somebody_waits_for_makes_way_for_nobody(home: Home) -> None:
    home.write("prompt", prompt="Remember that the tests need Redis.")
    home.write("stop", message="Noted.")
    chores = home.chores()
    chores.way = way = Counted()
    chores.turn_awaited(lambda: False)
    assert way.made == 0
    assert chores.state()["queue"]["done"] == 2
    home.write("stop")
    chores.turn(lambda: False)
    assert way.made > 0


def test_a_turn_that_is_awaited_takes_in_all_that_waits(home: Home) -> None:
    for number in range(20):
        given = {"tool": "Read", "does": "read", "input": {"file_path": f"src/{number}.py"}}
        home.write("post-tool", **given, output="x = 1\n" * 900)
    home.write("session-end")  # beyond what is read at once
    home.chores().turn_awaited(lambda: False)
    assert len(home.kept()) == home.number


def test_what_is_not_worked_off_in_time_is_worked_off_the_next_time(home: Home) -> None:
    home.write("stop", session="s1")
    home.write("stop", session="s2")
    home.drain()
    answers = iter((False, True))
    assert work_off(home.place(), is_stopping=lambda: next(answers)) == 1
    assert sorted(trace.state for trace in home.kept()) == ["done", "raw"]
    assert work_off(home.place()) == 1


def test_a_session_is_told_alike_in_one_part_or_in_many(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from marrow.jobs import work_off as module

    def session(project: str) -> None:
        for number in range(9):
            given = {"file_path": f"src/{number % 2}.py", "old_string": "a = 1", "new_string": f"a = {number}"}
            home.write("post-tool", project=project, session=project, tool="Edit", does="edit", input=given, output={})
            error = "make: *** No rule to make target 'x'.  Stop."
            given = {"command": "make x"}
            home.write(
                "tool-failed", project=project, session=project, tool="Bash", does="shell", input=given, error=error
            )
        home.write("stop", project=project, session=project, message="Done.")

    session("one")
    home.drain()
    work_off(home.default())
    monkeypatch.setattr(module, "BATCH_MAX", 4)
    session("two")
    home.drain()
    work_off(home.default())
    told = []
    for project in ("one", "two"):
        place = home.place(project)
        with place.engine.store.reading() as reader:
            wanted = Filter(projects=(place.asker.scope.project,), kinds=("summary",))
            entries = reader.select("local", wanted, CURRENT, now_micros())
            told.append([record.node.content.replace(project, "") for record in reader.records_of(entries, CURRENT)])
    assert told[0] == told[1]
    assert len(told[0]) == 1
