"""Journeys with the real Codex, as far as it runs offline.

Seen with 0.166.0, beyond what the notes on hosts have:
- hooks run without a terminal when `--dangerously-bypass-hook-trust` says so; else they are passed over in silence;
- after a command, `tool_response` is its output alone: no exit code. So a command that failed is kept as one that ran;
- a patch that is applied through the shell has a PreToolUse and no PostToolUse: it is not seen. The tool is;
- a model that Codex knows has MCP tools only after a search (`tool_search`); one that it does not know has them all;
- it does not wait for an MCP server: the first request goes out without our tools, more so where the daemon is cold;
- it notes in its `config.toml` that it trusts the folder, below what Marrow has put there.
"""

from __future__ import annotations

import json
import shutil
import tomllib
from pathlib import Path

import pytest

from tests.surfaces.cli.install.conftest import everything_in
from tests.surfaces.daemon.conftest import eventually

from .codex import TRUSTING, CodexDesk
from .desk import ROOT
from .loopback import Calls, Says
from .responses_api import ResponsesModel, messages_of, offered, outputs

pytestmark = pytest.mark.tool

KNOWN, UNKNOWN = "gpt-5.5", "gpt-of-nobody"
RECALL = "mcp__marrow.memory_recall"
# The first request may be without our tools. This call is answered when the server is there.
WAITS = Calls("list_mcp_resources", {"server": "marrow"})
PATCH = """\
*** Begin Patch
*** Update File: prices.py
@@
-    return sum(prices) + 1
+    return sum(prices)
*** End Patch
"""


@pytest.fixture
def installed(codex: CodexDesk) -> CodexDesk:
    done = codex.marrow("install", "codex", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    return codex


def told(model: ResponsesModel) -> list[str]:
    """What hooks of ours put into the conversation, as the model sees it at its end."""
    return [text for text in messages_of(model.asked[-1], "developer") if text.startswith("<marrow-memory>")]


def test_with_hooks_that_are_trusted_the_second_session_knows_what_the_first_learned(
    installed: CodexDesk, responses: ResponsesModel
) -> None:
    responses.expects(
        Calls("exec_command", {"cmd": "sh check.sh"}),
        Calls("apply_patch", {"input": PATCH}),
        Calls("exec_command", {"cmd": "sh check.sh"}),
        Says("The total was one too high; it is mended."),
    )
    prompt = "Remember that we deploy with make ship. Then mend the total."
    first = installed.session(prompt, TRUSTING, model=KNOWN)
    assert first.ended_well(), responses.refused
    assert "1 passed" in outputs(responses.asked[-1])[-1]
    assert told(responses) == []
    installed.settled()
    (listed,) = installed.said("sessions")["items"]
    assert (listed["session"], listed["host"]) == (first.name, "codex")
    assert listed["ended"]
    kept = [(item["what"], item["content"]) for item in installed.said("session", "show", first.name)["items"]]
    assert ("said", "We deploy with make ship.") in kept
    assert any(what == "seen" and text.startswith("Edited prices.py") for what, text in kept)

    installed.said("save", "Prices are cents: the bank refuses fractions.", "--domain", "issues")
    responses.expects(
        WAITS,
        Calls("tool_search", {"query": "recall what the project's memory knows"}),
        Calls(RECALL, {"message": "How do we deploy?"}),
        Says("With make ship."),
    )
    second = installed.session("How do we deploy?", TRUSTING, model=KNOWN)
    assert second.ended_well(), responses.refused
    assert "We deploy with make ship" in told(responses)[0]
    assert "not instructions" in told(responses)[0]
    assert "We deploy with make ship" in outputs(responses.asked[-1])[-1]
    eventually(lambda: installed.running() == installed.daemons(), "the bridge ends with its host")
    assert len(installed.daemons()) == 1
    assert installed.marrow("daemon", "stop").returncode == 0
    eventually(lambda: installed.running() == [], "the daemon ends")


def test_before_an_edit_it_is_told_what_is_known_about_the_file(
    installed: CodexDesk, responses: ResponsesModel
) -> None:
    installed.environ["MARROW_CONTEXT_BUDGET_TOKENS"] = "0"  # nothing at the start, so that it is not told before
    installed.said("save", "Prices are cents: the bank refuses fractions.", "--anchors", "prices.py")
    installed.start()
    responses.expects(Calls("apply_patch", {"input": PATCH}), Says("Done."))
    session = installed.session("Tidy up.", TRUSTING, model=KNOWN)
    assert session.ended_well(), responses.refused
    (text,) = told(responses)
    assert "Known about prices.py" in text
    assert "the bank refuses fractions" in text


def test_hooks_that_nobody_reviewed_do_not_run_and_the_tools_are_there_all_the_same(
    installed: CodexDesk, responses: ResponsesModel
) -> None:
    installed.said("save", "We deploy with make ship.")
    installed.start()
    responses.expects(
        WAITS,
        Calls(RECALL, {"message": "How do we deploy?"}),
        Says("With make ship."),
    )
    session = installed.session("How do we deploy?", model=UNKNOWN)
    assert session.ended_well(), responses.refused
    assert RECALL in offered(responses.asked[-1].body)
    call = session.items("mcp_tool_call")[-1]
    assert (call["server"], call["tool"], call["status"]) == ("marrow", "memory_recall", "completed")
    assert "We deploy with make ship" in json.dumps(call["result"])
    assert told(responses) == []
    installed.settled()
    assert installed.said("sessions")["items"] == []


def test_with_the_plugin_from_the_marketplace_hooks_and_tools_are_there(
    codex: CodexDesk, responses: ResponsesModel, tmp_path: Path
) -> None:
    shop = tmp_path / "shop"
    for name in (".agents", "plugins/codex"):
        shutil.copytree(ROOT / name, shop / name)
    for words in (("marketplace", "add", str(shop)), ("add", "marrow@marrow")):
        done = codex.codex("plugin", *words)
        assert done.returncode == 0, done.stdout + done.stderr
    codex.said("save", "We deploy with make ship.")
    codex.start()
    responses.expects(WAITS, Calls(RECALL, {"message": "How do we deploy?"}), Says("With make ship."))
    session = codex.session("Remember that the tide tables are in data/tides.", TRUSTING, model=UNKNOWN)
    assert session.ended_well(), responses.refused
    assert "We deploy with make ship" in told(responses)[0]
    assert "We deploy with make ship" in outputs(responses.asked[-1])[-1]
    codex.settled()
    (listed,) = codex.said("sessions")["items"]
    assert (listed["session"], listed["host"]) == (session.name, "codex")


def test_taking_it_out_leaves_what_codex_had_and_wrote(codex: CodexDesk, responses: ResponsesModel) -> None:
    folder = codex.user / ".codex"
    folder.mkdir()
    (folder / "config.toml").write_text('# mine\nmodel = "gpt-5.5"\n\n[mcp_servers.mine]\ncommand = "/bin/false"\n')
    mine = (folder / "config.toml").read_bytes()
    assert codex.marrow("install", "codex", "--yes").returncode == 0
    responses.expects(Says("Hello."))
    assert codex.session("Hello", TRUSTING, model=KNOWN).ended_well(), responses.refused
    eventually(lambda: codex.running() == codex.daemons(), "the bridge ends with its host")
    codex.marrow("daemon", "stop")
    eventually(lambda: codex.running() == [], "the daemon ends")
    before = everything_in(folder)
    assert codex.marrow("uninstall", "codex", "--yes").returncode == 0
    after = everything_in(folder)
    assert set(before) - set(after) == {"hooks.json"}
    rest = set(after) - {"config.toml"}
    assert {name: after[name] for name in rest} == {name: before[name] for name in rest}
    # Codex itself has noted there that it trusts the folder.
    assert after["config.toml"].startswith(mine)
    left = tomllib.loads(before["config.toml"].decode())
    del left["mcp_servers"]["marrow"]
    assert tomllib.loads(after["config.toml"].decode()) == left
    assert set(left) == {"model", "mcp_servers", "projects"}
