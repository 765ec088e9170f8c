"""Journeys with the real Claude Code: what a session leaves behind, what the next one is told, and what stays after it.

Seen with 2.1.325, and not as the notes on hosts (of 2.1.240 and 2.1.325) have it:
- what a hook says about a tool is headed "PreToolUse:Read hook additional context:", with the tool's name;
- a resumed session brings back what was told before from its transcript, and fires SessionStart with "resume";
- a compaction also fires SubagentStop: the summary is an agent's work. What came of PreCompact is shown to the user;
- an MCP server that hangs does not hold up `-p`: the first turn begins with it "pending".
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.surfaces.cli.install.conftest import Seen, everything_in
from tests.surfaces.daemon.conftest import eventually

from .desk import ROOT, ClaudeDesk, Session
from .loopback import Calls, Says
from .messages_api import MessagesModel, results, told_by

pytestmark = pytest.mark.tool

CHECKS = Calls("Bash", {"command": "sh check.sh", "description": "Run the checks"})
PLUGIN_RECALL = "mcp__plugin_marrow_marrow__memory_recall"
RECALL = "mcp__marrow__memory_recall"
ALL_EVENTS = {
    "SessionStart:startup",
    "UserPromptSubmit",
    "PostToolUseFailure:Bash",
    "PreToolUse:Read",
    "PostToolUse:Read",
    "PreToolUse:Edit",
    "PostToolUse:Edit",
    "PostToolUse:Bash",
    "Stop",
}


def learns(claude: ClaudeDesk, messages: MessagesModel) -> Session:
    """A first session: something is said, a check fails, the cause is mended, the check passes."""
    file = str(claude.project / "prices.py")
    messages.expects(
        CHECKS,
        Calls("Read", {"file_path": file}),
        Calls("Edit", {"file_path": file, "old_string": "sum(prices) + 1", "new_string": "sum(prices)"}),
        CHECKS,
        Says("The total was one too high; it is mended."),
    )
    session = claude.session("Remember that we deploy with make ship. Then mend the total.")
    assert session.ended_well(), messages.refused
    assert session.fired() == ALL_EVENTS
    assert told_by(messages.asked[0], "SessionStart") == [], "nothing is known yet, so nothing is said"
    assert "Exit code 1" in results(messages.asked[-1])[0]
    assert results(messages.asked[-1])[-1] == "1 passed"
    claude.settled()
    return session


def asks(claude: ClaudeDesk, messages: MessagesModel, recall: str) -> Session:
    """A second session asks what the first was told; the model also looks for itself, through the bridge."""
    messages.expects(Calls(recall, {"message": "How do we deploy?"}), Says("With make ship."))
    session = claude.session("How do we deploy?", allowed=[recall])
    assert session.ended_well(), messages.refused
    (told,) = told_by(messages.asked[0], "SessionStart")
    assert "We deploy with make ship" in told, "before the model says a word"
    assert "not instructions" in told
    assert "We deploy with make ship" in results(messages.asked[-1])[0]
    claude.settled()
    return session


def nothing_is_left_running(claude: ClaudeDesk) -> None:
    """But for the one daemon; and that ends when it is told to."""
    eventually(lambda: claude.running() == claude.daemons(), "the bridges end with their hosts")
    assert len(claude.daemons()) == 1
    assert claude.marrow("daemon", "stop").returncode == 0
    eventually(lambda: claude.running() == [], "the daemon ends")


def host_files(claude: ClaudeDesk) -> Seen:
    """What is in the home, Marrow's own folder aside."""
    return {name: data for name, data in everything_in(claude.user).items() if not name.startswith(".marrow")}


# --- the plugin -------------------------------------------------------------------------------------------------------


def installed_as_plugin(claude: ClaudeDesk, shop: Path) -> None:
    for name in (".claude-plugin", "plugins/claude-code"):
        shutil.copytree(ROOT / name, shop / name)
    for words in (("marketplace", "add", str(shop)), ("install", "marrow@marrow")):
        done = claude.claude("plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr


def test_with_the_plugin_the_second_session_knows_what_the_first_learned(
    claude: ClaudeDesk, messages: MessagesModel, tmp_path: Path
) -> None:
    installed_as_plugin(claude, tmp_path / "shop")
    first = learns(claude, messages)

    shown = claude.said("session", "show", first.name)
    kept = [(item["what"], item["content"]) for item in shown["items"]]
    assert ("said", "We deploy with make ship.") in kept
    assert any(what == "seen" and "Fixed after 2 runs: sh check.sh" in text for what, text in kept)
    assert any(what == "seen" and text.startswith("Edited prices.py") for what, text in kept)
    (listed,) = claude.said("sessions")["items"]
    assert (listed["session"], listed["host"], listed["turns"]) == (first.name, "claude-code", 1)
    assert listed["ended"]
    observed = claude.said("active", "--kinds", "observation")["items"]
    assert any("total([2, 3]) is not 5" in item["content"] for item in observed)

    second = asks(claude, messages, PLUGIN_RECALL)
    assert second.start["plugins"][0]["name"] == "marrow"
    shown = claude.said("session", "show", second.name)
    assert [item["what"] for item in shown["items"] if item["what"] == "seen"] == [], "our own tools are no news"

    # Others save something meanwhile, and the session goes on.
    claude.said("save", "We never deploy on a Friday: nobody is there to see it fail.")
    claude.said("save", "Prices are cents: the bank refuses fractions.", "--anchors", "prices.py", "--domain", "issues")
    file = claude.project / "prices.py"
    file.write_text(file.read_text().replace("sum(prices)", "sum(prices) + 1"))
    messages.expects(CHECKS, Calls("Read", {"file_path": str(file)}), Says("No, and not like this."))
    third = claude.session("Can we deploy on Friday?", more=["--resume", second.name])
    assert third.ended_well(), messages.refused
    assert third.name == second.name
    last = messages.asked[-1]
    assert len(told_by(last, "SessionStart")) == 1, "a resumed session has it in its transcript, and is not told again"
    (told,) = told_by(messages.asked[0], "UserPromptSubmit")
    assert "never deploy on a Friday" in told
    assert "make ship" not in told, "that was told before"
    (told,) = told_by(last, "PostToolUseFailure:Bash")
    assert "what fixed it then" in told
    assert "Fixed after 2 runs" in told
    (told,) = told_by(last, "PreToolUse:Read")
    assert "Known about prices.py" in told
    assert "the bank refuses fractions" in told

    claude.settled()
    nothing_is_left_running(claude)
    shown = claude.said("session", "show", second.name)
    assert shown["turns"] == 2
    noted = [item["content"] for item in shown["items"] if item["what"] == "told"]
    assert any("the bank refuses fractions" in text for text in noted), "what was told is written down before the end"


def test_what_matters_is_told_again_after_a_compaction(claude: ClaudeDesk, messages: MessagesModel) -> None:
    claude.said("save", "We deploy with make ship.")
    claude.start()
    plugin = ["--plugin-dir", str(ROOT / "plugins" / "claude-code")]
    messages.expects(Says("With make ship."))
    session = claude.session("How do we deploy?", more=plugin)
    assert session.ended_well(), messages.refused

    messages.expects(Says("<summary>They spoke about this and that.</summary>"))
    compacted = claude.session("/compact", more=[*plugin, "--resume", session.name])
    assert compacted.ended_well(), messages.refused
    assert "SessionStart:compact" in compacted.fired()

    messages.expects(Says("Still with make ship."))
    after = claude.session("And on Mondays?", more=[*plugin, "--resume", session.name])
    assert after.ended_well(), messages.refused
    assert "They spoke about this and that." in messages.asked[0].text, "the conversation itself is gone"
    (told,) = told_by(messages.asked[0], "SessionStart")
    assert "We deploy with make ship." in told


# --- marrow install ---------------------------------------------------------------------------------------------------


def test_a_new_user_installs_works_and_takes_it_out_again(claude: ClaudeDesk, messages: MessagesModel) -> None:
    done = claude.marrow("install", "claude-code", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    learns(claude, messages)
    asks(claude, messages, RECALL)
    nothing_is_left_running(claude)
    strangers = {name.split("/")[0] for name in host_files(claude)} - {".claude", ".claude.json", ".cache"}
    assert strangers == set(), "Marrow writes where it says, and nowhere else"
    assert not (claude.user / ".cache" / "Microsoft").exists(), "the graph's library keeps its reports to itself"

    before = host_files(claude)
    done = claude.marrow("uninstall", "claude-code", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    after = host_files(claude)
    ours = {name for name in before if name.startswith(".claude/skills/marrow-")} | {".claude/settings.json"}
    assert set(after) == set(before) - ours
    rest = set(after) - {".claude.json"}
    assert {name: after[name] for name in rest} == {name: before[name] for name in rest}
    servers = json.loads(before[".claude.json"])
    assert set(servers.pop("mcpServers")) == {"marrow"}
    assert json.loads(after[".claude.json"]) == servers, "what Claude Code wrote into the file meanwhile is all there"


def test_what_a_user_had_before_works_beside_it_and_is_the_same_to_the_byte_afterwards(
    claude: ClaudeDesk, messages: MessagesModel
) -> None:
    folder, mark = claude.user / ".claude", claude.folder / "stopped"
    hook = {"type": "command", "command": f"touch {mark}", "timeout": 5}
    settings = {"model": "opus", "hooks": {"Stop": [{"hooks": [hook]}]}, "permissions": {"deny": ["WebFetch"]}}
    server = {"command": "/bin/false", "args": []}
    (folder / "skills" / "mine").mkdir(parents=True)
    (folder / "settings.json").write_text(json.dumps(settings, indent="\t") + "\n\n", encoding="utf-8")
    (folder / "CLAUDE.md").write_text("Be kind.\n", encoding="utf-8")
    (folder / "skills" / "mine" / "SKILL.md").write_text("---\nname: mine\ndescription: Mine.\n---\nDo.\n")
    (claude.user / ".claude.json").write_text(json.dumps({"mcpServers": {"mine": server}}), encoding="utf-8")
    before = host_files(claude)

    assert claude.marrow("install", "claude-code", "--yes").returncode == 0
    messages.expects(Says("Hello."))
    session = claude.session("Remember that the tide tables are in data/tides.")
    assert session.ended_well()
    assert mark.exists(), "the user's own hook"
    assert len([hook for hook in session.hooks() if hook["hook_name"] == "Stop"]) == 2
    assert {server["name"]: server["status"] for server in session.start["mcp_servers"]} == {
        "mine": "failed",
        "marrow": "connected",
    }
    assert "Be kind." in messages.asked[0].text
    claude.settled()
    assert claude.said("active", "--kinds", "claim")["items"][0]["content"].startswith("The tide tables are in data")
    nothing_is_left_running(claude)

    left = json.loads((claude.user / ".claude.json").read_text(encoding="utf-8"))
    assert claude.marrow("uninstall", "claude-code", "--yes").returncode == 0
    after = host_files(claude)
    for name, data in before.items():
        if name != ".claude.json":
            assert after[name] == data, name
    del left["mcpServers"]["marrow"]
    assert json.loads(after[".claude.json"]) == left
    assert left["mcpServers"] == {"mine": server}


def test_the_plugin_taken_out_by_claude_code_leaves_nothing_switched_on(claude: ClaudeDesk, tmp_path: Path) -> None:
    installed_as_plugin(claude, tmp_path / "shop")
    assert claude.claude("plugin", "uninstall", "marrow@marrow").returncode == 0
    settings = json.loads((claude.user / ".claude" / "settings.json").read_text(encoding="utf-8"))
    assert not settings.get("enabledPlugins")
    assert claude.running() == []
