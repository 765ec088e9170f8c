"""OpenCode's plugin, run by Node as OpenCode would: it passes events on, adds what it is told, and never fails."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marrow.capture.hosts import opencode
from marrow.surfaces.cli.hosts.opencode_plugin import opencode_plugin
from marrow.surfaces.cli.hosts.programs import Programs
from tests.tools import node_at_least

HOOK = """
import json, sys
given = json.load(sys.stdin)
with open({log!r}, "a") as file:
    file.write(json.dumps([sys.argv[1:], given]) + "\\n")
if sys.argv[2] in ("session.created", "chat.message"):
    print(json.dumps({{"context": "known: " + sys.argv[2]}}))
"""
TURN = """
import { Marrow } from "./marrow.mjs"
const hooks = await Marrow({ directory: "/src/orchard" })
await hooks.event({ event: { type: "session.created", properties: { info: { id: "s1" } } } })
await hooks["chat.message"](
  { sessionID: "s1", agent: "build", messageID: "m1" },
  { parts: [{ type: "text", text: "count apples" }, { type: "file" }] },
)
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s1", callID: "c1" }, { args: { command: "make" } })
await hooks["tool.execute.after"](
  { tool: "bash", sessionID: "s1", callID: "c1" }, { title: "make", output: "ok", metadata: { exit: 0 } })
const output = { system: ["theirs"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.event({ event: { type: "session.deleted", properties: { info: { id: "s1" } } } })
await hooks.event({ event: { type: "file.edited" } })
console.log(JSON.stringify(output.system))
"""
# OpenCode does not wait for what a plugin does on an event: the first call of the model may come before its end.
AT_ONCE = """
import { Marrow } from "./marrow.mjs"
const hooks = await Marrow({ directory: "/src/orchard" })
void hooks.event({ event: { type: "session.created", properties: { info: { id: "s1" } } } })
await hooks["chat.message"]({ sessionID: "s1" }, { parts: [{ type: "text", text: "count apples" }] })
const output = { system: [] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
console.log(JSON.stringify(output.system))
"""


def run(tmp_path: Path, hook: tuple[str, ...], turn: str = TURN) -> Any:
    (tmp_path / "marrow.mjs").write_text(opencode_plugin(Programs(hook, (), "marrow")), encoding="utf-8")
    (tmp_path / "turn.mjs").write_text(turn, encoding="utf-8")
    node = node_at_least((18, 0))
    done = subprocess.run([node, "turn.mjs"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.tool
def test_events_reach_the_hook_in_the_form_that_capture_reads(tmp_path: Path) -> None:
    log, program = tmp_path / "log", tmp_path / "hook.py"
    program.write_text(HOOK.format(log=str(log)), encoding="utf-8")
    assert run(tmp_path, (sys.executable, str(program))) == ["theirs", "known: session.created", "known: chat.message"]
    calls = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    traces = {}
    for (host, event), payload in calls:
        assert host == "opencode"
        traces[event] = opencode.trace(event, payload, {})
    assert set(traces) == {"session.created", "chat.message", "tool.execute.after", "session.idle", "session.deleted"}
    assert None not in traces.values()
    assert all(trace["session"] == "s1" and trace["cwd"] == "/src/orchard" for trace in traces.values() if trace)
    assert (traces["chat.message"] or {})["prompt"] == "count apples"
    after = traces["tool.execute.after"] or {}
    assert after["tool"] == "bash"
    assert after["input"] == {"command": "make"}


@pytest.mark.tool
def test_the_first_call_of_the_model_has_what_the_session_starts_with(tmp_path: Path) -> None:
    program = tmp_path / "hook.py"
    slow = "import time\nif sys.argv[2] == 'session.created': time.sleep(1)\n"
    program.write_text(HOOK.format(log=str(tmp_path / "log")) + slow, encoding="utf-8")
    told = run(tmp_path, (sys.executable, str(program)), AT_ONCE)
    assert told == ["known: session.created", "known: chat.message"]


@pytest.mark.tool
def test_a_hook_that_is_gone_or_fails_costs_opencode_nothing(tmp_path: Path) -> None:
    assert run(tmp_path, ("/nowhere/marrow",)) == ["theirs"]
    assert run(tmp_path, (sys.executable, "-c", "print('no json')")) == ["theirs"]
    assert run(tmp_path, (sys.executable, "-c", "import sys; sys.exit(3)")) == ["theirs"]
