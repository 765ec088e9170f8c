"""The real Claude Code while something is wrong with Marrow: the turn ends as it would without it."""

from __future__ import annotations

import os
import signal

import pytest

from tests.surfaces.daemon.conftest import eventually

from .desk import ROOT, ClaudeDesk, Session
from .loopback import Calls, Fails, Says
from .messages_api import MessagesModel, results, told_by

pytestmark = pytest.mark.tool

PLUGIN = ["--plugin-dir", str(ROOT / "plugins" / "claude-code")]
RECALL = "mcp__plugin_marrow_marrow__memory_recall"


@pytest.fixture
def hurried(claude: ClaudeDesk) -> ClaudeDesk:
    """With the time that a hook has when nobody changed it."""
    claude.environ["MARROW_RECALL_TIME_BUDGET_MS"] = "300"
    return claude


def works(claude: ClaudeDesk, messages: MessagesModel) -> Session:
    """A session in which a check fails and a file is read."""
    file = str(claude.project / "prices.py")
    check = Calls("Bash", {"command": "sh check.sh", "description": "Run the checks"})
    messages.expects(check, Calls("Read", {"file_path": file}), Says("I see."))
    session = claude.session("Remember that we deploy with make ship.", more=PLUGIN)
    assert session.ended_well(), messages.refused
    assert {"SessionStart:startup", "UserPromptSubmit", "PostToolUseFailure:Bash", "PreToolUse:Read", "Stop"} <= (
        session.fired()
    )
    assert "marrow-memory" not in messages.asked[-1].text
    return session


def test_a_daemon_that_hangs_costs_what_it_would_have_told_and_no_event(
    hurried: ClaudeDesk, messages: MessagesModel
) -> None:
    hurried.start()
    pid = hurried.pid()
    os.kill(pid, signal.SIGSTOP)
    session = works(hurried, messages)
    os.kill(pid, signal.SIGCONT)
    hurried.settled()
    shown = hurried.said("session", "show", session.name)
    kept = [item["content"] for item in shown["items"]]
    assert "We deploy with make ship." in kept
    assert any("sh check.sh failed" in text for text in kept)
    eventually(lambda: hurried.running() == [pid], "the bridge ends with its host")


def test_a_home_that_cannot_be_written_costs_the_memory_and_nothing_else(
    hurried: ClaudeDesk, messages: MessagesModel
) -> None:
    hurried.home.write_text("a file where the folder should be")
    session = works(hurried, messages)
    assert [server["status"] for server in session.start["mcp_servers"]] == ["failed"]
    eventually(lambda: hurried.running() == [], "nothing was started that stays")


def test_a_daemon_killed_in_the_middle_is_replaced_before_the_next_call(
    claude: ClaudeDesk, messages: MessagesModel
) -> None:
    claude.said("save", "We deploy with make ship.")
    killed = claude.start()
    messages.expects(
        # It is dead a moment later, on a busy machine a long one: a call before that is not the next one.
        Calls("Bash", {"command": f"kill -9 {killed}; sleep 1", "description": "An accident"}),
        Calls(RECALL, {"message": "How do we deploy?"}),
        Says("With make ship."),
    )
    session = claude.session("Is it quiet here?", more=PLUGIN, allowed=[RECALL])
    assert session.ended_well(), messages.refused
    assert "We deploy with make ship" in results(messages.asked[-1])[-1]
    eventually(lambda: claude.running() == claude.daemons(), "the bridge ends with its host")
    (living,) = claude.daemons()
    assert living != killed


def test_a_service_that_is_overloaded_for_a_moment_is_asked_again_and_nothing_is_told_twice(
    claude: ClaudeDesk, messages: MessagesModel
) -> None:
    claude.said("save", "We deploy with make ship.")
    claude.start()
    messages.expects(Fails(529, headers={"retry-after": "0"}), Says("With make ship."))
    session = claude.session("How do we deploy?", more=PLUGIN)
    assert session.ended_well(), messages.refused
    assert len(messages.asked) == 2
    assert told_by(messages.asked[0], "SessionStart") == told_by(messages.asked[1], "SessionStart") != []
    claude.settled()
    (listed,) = claude.said("sessions")["items"]
    assert listed["turns"] == 1
