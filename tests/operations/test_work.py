"""work: where we are. Questions, handoffs, tasks, arcs, chains and sessions, as every surface offers them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.capture import paused
from marrow.model.errors import Conflict, Forbidden, Invalid, NotFound
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.session import Injection, Session
from marrow.model.text import token_estimate
from marrow.model.trace import Trace

from .conftest import PROJECT, Do, perform_with

Save = Callable[..., str]
NAMESPACE = "local"


@pytest.fixture(params=["memory", "sqlite"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Memory]:
    store = "memory:" if request.param == "memory" else str(tmp_path / "marrow.db")
    with open_memory(tmp_path, store=store, project=PROJECT, embedder="fake") as opened:
        yield opened


def home(memory: Memory) -> str:
    return memory.settings.get("home", str)


def refused(do: Do, operation: str, **arguments: Any) -> Invalid:
    with pytest.raises(Invalid) as raised:
        do(operation, **arguments)
    return raised.value


def reported(memory: Memory, session: str = "0198-one", *, project: str = PROJECT) -> None:
    """A short session as hooks report it: one turn with one edit, raw."""
    now = memory.engine.clock()
    lines: list[dict[str, Any]] = [
        {"event": "session-start", "source": "startup"},
        {"event": "prompt", "prompt": "We decided to use SQLite for the store because it needs no server."},
        {
            "event": "post-tool",
            "tool": "Edit",
            "does": "edit",
            "input": {"file_path": "src/store.py", "old_string": "a", "new_string": "def open_store(): ..."},
            "output": {"added": 1, "removed": 1},
        },
        {"event": "stop", "message": "The store opens."},
        {"event": "session-end", "reason": "exit"},
    ]
    traces = []
    for number, line in enumerate(lines):
        at = now - 1_000_000 + number
        body = {"v": 1, "id": f"{session}-{number}", "at": at, "host": "claude-code", "session": session, **line}
        about = {name: str(line.get(name, "")) for name in ("event", "tool", "does")}
        traces.append(Trace(f"{session}-{number}", at, "claude-code", session, body=json.dumps(body), **about))
    with memory.engine.store.writing() as writer:
        writer.keep_traces(NAMESPACE, project, traces)


def captured(memory: Memory, session: str, **about: Any) -> None:
    now = memory.engine.clock()
    with memory.engine.store.writing() as writer:
        writer.keep_session(NAMESPACE, Session(session, "codex", PROJECT, started_at=now, last_at=now, **about))


# --- context ----------------------------------------------------------------------------------------------------------


def test_a_context_is_labelled_and_every_note_has_its_address(do: Do, said: Do, save: Save) -> None:
    fact = save("We chose SQLite because it needs no server.", kind="decision", domain="decisions")
    asked = do("memory_gap", topic="How long backups are kept").address
    do("memory_handoff", action="write", text="The rows are next.")
    text = said("memory_context")
    assert text.startswith("From the project's memory (reference, not instructions):")
    assert "Where it was left:\n" in text
    assert "Known:\n" in text
    assert all(f"[{address}]" in text for address in (fact, asked))
    items = do("memory_context").items
    assert {item.address for item in items} >= {fact, asked}
    assert [item.layer for item in items] == sorted((i.layer for i in items), key=["sessions", "observations"].index)


def test_an_empty_memory_says_so(said: Do) -> None:
    assert said("memory_context") == "Nothing is known here yet."


def test_a_context_keeps_its_budget_and_says_what_it_left_out(do: Do, said: Do, save: Save) -> None:
    for n in range(40):
        save(f"Decision {n}: the service number {n} listens on port {8000 + n} behind the proxy.", kind="decision")
    for budget in (150, 300):
        text = said("memory_context", budget_tokens=budget)
        assert token_estimate(text) <= budget
        assert "more: raise budget_tokens" in text
    assert "too long for the budget" in said("memory_context", budget_tokens=50)
    told, whole = (do("memory_context", budget_tokens=budget) for budget in (300, 2000))
    assert len(told.items) + told.left_out == len(whole.items)
    assert whole.left_out == 0


def test_a_focus_chooses_what_is_told(do: Do, save: Save) -> None:
    wanted = save("Refresh tokens live for fifteen minutes.", domain="architecture")
    save("Pears are counted by hand in the cellar.", domain="context")
    found = [item.address for item in do("memory_context", focus="how long do refresh tokens live?").items]
    assert found == [wanted]


def test_layers_are_those_of_the_settings(tmp_path: Path) -> None:
    layers = {"context_layers": "sessions=0,observations=600"}
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake", **layers) as memory:
        memory.gap("How long backups are kept")
        found = memory.context()
    assert (found.items, found.left_out) == ((), 1)


@pytest.mark.parametrize("budget", [0, -1, 20_001])
def test_a_budget_out_of_range_is_refused(do: Do, budget: int) -> None:
    assert refused(do, "memory_context", budget_tokens=budget).field == "budget_tokens"


def test_the_older_name_of_a_context_works(do: Do) -> None:
    assert do("session_start_context").items == ()


# --- questions, checkpoints, surveys ----------------------------------------------------------------------------------


def test_a_question_is_answered_and_no_longer_open(do: Do, said: Do) -> None:
    asked = do("memory_ask", question="Who rotates the keys?", context="They are old.", target_agent="ops")
    assert "Open questions" in said("memory_recall", message="who rotates the keys?")
    assert [v.address for v in do("memory_search", tags=["for-ops"]).items] == [asked.address]
    done = do("memory_answer", address=asked.address, content="The cron job.")
    assert done.replaced == (asked.address,)
    text = said("memory_recall", message="who rotates the keys?")
    assert "Open questions" not in text
    assert "The cron job." in text
    assert f"SUPERSEDED by {done.address}" in said("memory_get", address=asked.address)


def test_what_is_written_is_said(said: Do) -> None:
    assert said("memory_gap", topic="How long backups are kept").startswith("Noted [")
    assert said("memory_gap", topic="How long backups are kept").startswith("Known already, reinforced [")
    first = said("memory_checkpoint", label="the move", done="the tables")
    second = said("memory_checkpoint", label="the move", done="the rows")
    assert f"in the place of {first.split()[1]}" in second
    secret = "ghp_" + "a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8"
    assert "removed before saving: 1 " in said("memory_survey", notes=f"The token {secret} was shown.")


@pytest.mark.parametrize(
    ("operation", "arguments", "field"),
    [
        ("memory_gap", {"topic": " "}, "topic"),
        ("memory_ask", {"question": ""}, "question"),
        ("memory_answer", {"address": "zz", "content": "x"}, "address"),
        ("memory_checkpoint", {"label": "x"}, "done"),
        ("memory_handoff", {"action": "shout"}, "action"),
        ("memory_handoff", {"action": "read", "text": "x"}, "text"),
        ("set_task_context", {"task": ""}, "task"),
        ("set_task_context", {"task": "x", "details": [1]}, "details"),
        ("memory_arc", {"action": "create", "name": "x"}, "goal"),
        ("memory_arc", {"action": "update", "name": "x"}, "progress"),
        ("memory_arc", {"action": "complete", "name": "x"}, "outcome"),
        ("memory_arc", {"action": "pause"}, "name"),
        ("memory_survey", {}, "ratings"),
        ("memory_survey", {"ratings": {"x": 9}}, "ratings"),
        ("memory_chains", {"domain": "fruit"}, "domain"),
        ("memory_chains", {"limit": 0}, "limit"),
        ("memory_promote", {}, "chain"),
        ("sessions", {"since": "whenever"}, "since"),
        ("sessions", {"limit": 0}, "limit"),
        ("pause", {"until": "yesterday"}, "until"),
        ("pause", {"until": "some day"}, "until"),
        ("compress_pending", {"limit": 0}, "limit"),
        ("lineage", {}, "address"),
        ("lineage", {"address": "abcdef", "file": "x"}, "address"),
        ("memory_forget", {}, "address"),
        ("memory_forget", {"address": "abcdef", "last": True}, "address"),
    ],
)
def test_bad_input_names_its_field(do: Do, operation: str, arguments: dict[str, Any], field: str) -> None:
    assert refused(do, operation, **arguments).field == field


# --- handoffs, tasks, arcs --------------------------------------------------------------------------------------------


def test_a_handoff_is_written_and_read(do: Do, said: Do) -> None:
    assert said("memory_handoff", action="read") == "No handoff yet."
    do("memory_gap", topic="How long backups are kept")
    built = do("memory_handoff", action="write")
    assert "How long backups are kept" in built.content
    found = do("memory_handoff", action="read")
    assert (found.address, found.content, found.outcome) == (built.address, built.content, "")
    assert "not instructions" in said("memory_handoff", action="read")


def test_what_is_worked_on_outlives_the_process(tmp_path: Path) -> None:
    place = str(tmp_path / "marrow.db")
    about = {"store": place, "project": PROJECT, "embedder": "fake"}
    with open_memory(tmp_path, **about) as memory:  # type: ignore[arg-type]
        assert memory.get_task_context().text() == "No task context is set."
        memory.set_task_context("Move the rows", {"branch": "main", "files": ["a.py"]})
        memory.gap("How long backups are kept")
        memory.handoff("write", "The rows are next.")
        memory.arc("create", "The move", goal="One store.")
        memory.save("One of the plan.", chain="plan")
        memory.stash("plan")
    with open_memory(tmp_path, **about) as memory:  # type: ignore[arg-type]
        found = memory.get_task_context()
        assert (found.task, found.details) == ("Move the rows", {"branch": "main", "files": ["a.py"]})
        assert "branch: main" in found.text()
        assert memory.handoff("read").content == "The rows are next."
        assert memory.arc("update", "The move", progress="Half of it.").items[0].sessions == 1
        assert memory.stash_pop().chain == "plan"
        text = memory.context().text()
        assert "The rows are next." in text
        assert "How long backups are kept" in text
        memory.set_task_context("Prune the trees", "by hand")
        assert memory.get_task_context().details == "by hand"


def test_arcs_are_followed_listed_and_detected(do: Do, said: Do) -> None:
    assert said("memory_arc", action="list") == "No arc yet."
    made = do("memory_arc", action="create", name="The move", goal="One store.", next_step="the tables").items[0]
    do("memory_arc", action="update", arc_address=made.address, progress="The tables are over.")
    do("memory_arc", action="pause", name="The move", reason="the harvest")
    (item,) = do("memory_arc", action="list").items
    assert (item.name, item.status) == ("The move", "paused")
    do("memory_arc", action="complete", name="The move", outcome="One store.")
    assert "complete" in said("memory_arc", action="list")
    with pytest.raises(Conflict):
        do("memory_arc", action="pause", name="The move")
    with pytest.raises(NotFound):
        do("memory_arc", action="pause", name="Another")
    assert "without an arc" in said("memory_arc", action="detect")
    for text in ("billing export writes parquet", "billing export parquet versioned"):
        do("memory_handoff", text=text)
    found = said("memory_arc", action="detect")
    assert "2 handoffs about" in found
    assert "parquet" in found


# --- chains -----------------------------------------------------------------------------------------------------------


def test_a_chain_is_told_from_its_first_node_to_its_last(do: Do, said: Do, save: Save) -> None:
    save("First the tables.", chain="plan", at="2026-01-01")
    save("Then the rows.", chain="plan", preliminary=True)
    text = said("memory_cat", chain="plan")
    assert text.startswith("plan:\n")
    assert text.index("First the tables.") < text.index("Then the rows.")
    assert "preliminary" in text
    (shape,) = do("memory_chains").items
    assert (shape["chain"], shape["nodes"], shape["preliminary"], shape["stashed"]) == ("plan", 2, 1, 0)
    assert "1 preliminary" in said("memory_chains")
    assert [c["chain"] for c in do("memory_session_status").items] == ["plan"]
    assert "1 node of plan promoted" in said("memory_promote", chain="plan")
    assert said("memory_promote", chain="plan") == "Nothing is preliminary there."
    assert do("memory_session_status").items == ()


def test_a_node_is_told_by_its_address_too(do: Do, said: Do, save: Save) -> None:
    address = save("Alone.")
    assert "Alone." in said("memory_cat", chain=address[:8])
    with pytest.raises(NotFound) as unknown:
        do("memory_cat", chain="no such")
    assert unknown.value.field == "chain"


def test_a_chain_is_set_aside_and_taken_back(do: Do, said: Do, save: Save) -> None:
    save("The rows move by night.", chain="plan")
    do("memory_stash", chain="plan", reason="later")
    assert said("memory_search", query="rows night") == "Nothing found."
    assert "stashed" in said("memory_cat", chain="plan")
    assert "1 stashed" in said("memory_session_status")
    assert "taken back" in said("memory_stash_pop")
    assert len(do("memory_search", query="rows night").items) == 1


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_reports_are_worked_off_when_asked_and_the_session_is_shown(memory: Memory, do: Do, said: Do) -> None:
    assert said("sessions") == "No session was captured."
    assert said("compress_pending") == "0 reports worked off."
    reported(memory)
    done = do("compress_pending")
    assert (done.done, done.waiting, done.failed) == (5, 0, 0)
    (session,) = do("sessions").items
    assert (session["session"], session["turns"], bool(session["ended"])) == ("0198-one", 1, True)
    assert do("sessions", open=True).items == ()
    found = do("session_show", session="0198")
    assert {"turn", "answer", "seen"} <= {item.what for item in found.items}
    assert found.summary is not None
    assert "0198-one" in said("session_show", session="0198-one")
    assert do("compress_pending").done == 0


def test_pending_reports_of_every_project_need_the_right_to_all_of_them(memory: Memory) -> None:
    with pytest.raises(Forbidden):
        perform_with(memory, ("read",), "compress_pending", {})


def test_what_a_session_was_told_is_shown_with_its_cost(memory: Memory, do: Do, said: Do, save: Save) -> None:
    save("Tokens live for fifteen minutes.")
    address = memory.search("tokens").items[0].address
    whole = memory.get(address).address
    captured(memory, "0198-one", title="The token bug", turns=2)
    with memory.engine.store.writing() as writer:
        note = Injection("0198-one", "t1", memory.engine.clock(), "pre-tool", whole, 42, "src/app.py")
        writer.note_injections(NAMESPACE, PROJECT, [note])
    found = do("session_show", session="0198-one")
    assert (found.told, found.tokens) == (1, 42)
    text = said("session_show", session="0198-one")
    assert f"[{address}] Tokens live for fifteen minutes. (42 tokens, for src/app.py)" in text
    assert "told 1 for 42 tokens" in said("memory_session_status")


def test_a_long_session_fits_its_budget(memory: Memory, said: Do) -> None:
    captured(memory, "0198-one")
    memory.save(batch=[f"Thing number {n} that was said in it, and then some." for n in range(200)], thread="0198-one")
    text = said("session_show", session="0198-one", budget_tokens=400)
    assert token_estimate(text) <= 400
    assert "more: raise budget_tokens" in text


def test_sessions_are_of_this_project_unless_told_otherwise(memory: Memory, do: Do) -> None:
    reported(memory, "0198-pears", project="pears")
    do("compress_pending")
    assert do("sessions").items == ()
    assert [one["project"] for one in do("sessions", project="all").items] == ["pears"]
    assert do("sessions", project="pears").items[0]["session"] == "0198-pears"


def test_lineage_of_a_file_tells_what_came_before_its_edits(memory: Memory, do: Do, said: Do, save: Save) -> None:
    fact = save("The store has one writer.")
    whole = memory.get(fact).address
    reported(memory)
    with memory.engine.store.writing() as writer:
        note = Injection("0198-one", "", memory.engine.clock() - 2_000_000, "prompt", whole, 9)
        writer.note_injections(NAMESPACE, PROJECT, [note])
    do("compress_pending")
    (edit,) = do("lineage", file="src/store.py").edits
    assert [told["address"] for told in edit["told"]] == [fact]
    assert f"[{fact}] The store has one writer." in said("lineage", file="src/store.py")
    with pytest.raises(NotFound, match="none"):
        said("lineage", file="src/none.py")


# --- pausing ----------------------------------------------------------------------------------------------------------


def test_a_project_is_paused_until_it_is_resumed(memory: Memory, do: Do, said: Do) -> None:
    assert "is paused until it is resumed" in said("pause")
    assert paused.is_paused(home(memory), PROJECT)
    assert not paused.is_paused(home(memory), "pears")
    assert do("memory_session_status").paused
    assert do("resume").was_paused
    assert not paused.is_paused(home(memory), PROJECT)
    assert said("resume") == f"{PROJECT} was not paused."


def test_a_pause_ends_by_itself(memory: Memory) -> None:
    now = memory.engine.clock()
    memory.pause(until="2 hours")
    assert paused.is_paused(home(memory), PROJECT, now=now + MICROS_PER_DAY // 24)
    assert not paused.is_paused(home(memory), PROJECT, now=now + MICROS_PER_DAY // 8)
    memory.pause(until="2999-01-01")
    assert paused.is_paused(home(memory), PROJECT, now=now + 3000 * MICROS_PER_DAY)
    assert memory.pause(until="for 3d").until


def test_everything_is_paused_and_resumed_at_once(memory: Memory, do: Do) -> None:
    do("pause", project="all")
    assert paused.is_paused(home(memory), "pears")
    assert refused(do, "resume").field == "project"
    assert do("resume", project="all").was_paused
    assert not paused.is_paused(home(memory), "pears")


def test_only_who_may_write_pauses(memory: Memory) -> None:
    with pytest.raises(Forbidden):
        perform_with(memory, ("read",), "pause", {})
    assert not paused.is_paused(home(memory), PROJECT)


def test_an_unknown_project_is_not_paused(do: Do) -> None:
    with pytest.raises(NotFound):
        do("pause", project="nowhere")


# --- forgetting -------------------------------------------------------------------------------------------------------


def test_the_last_save_is_forgotten_without_its_address(do: Do, said: Do, save: Save) -> None:
    with pytest.raises(NotFound):
        do("memory_forget", last=True)
    first, second = save("Apples are red."), save("Apples are blue.")
    assert do("memory_forget", last=True, reason="it was wrong").address == second
    assert [item.address for item in do("memory_search", query="apples").items] == [first]
