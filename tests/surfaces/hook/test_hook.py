"""The hook, started as hosts start it: it keeps, asks, tells, and never gets in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marrow.capture import paused, where
from marrow.version import __version__

from ...capture.fake_daemon import daemon, hanging, refusing, telling
from ...capture.hosts import ADAPTERS, Recorded, recorded
from ...model.secret_corpus import CORPUS
from .conftest import HOOK, Host, texts

BASH = {"tool_name": "Bash", "tool_input": {"command": "npm test"}, "tool_response": {"stdout": "ok", "stderr": ""}}
EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "a"}}
TOLD = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "We deploy blue."}}


def test_event_becomes_one_line_with_its_id_and_time(host: Host) -> None:
    assert host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **BASH)) == ""
    assert host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **BASH)) == ""
    first, second = host.lines()
    assert first["id"] != second["id"]
    assert [len(line["id"]) for line in (first, second)] == [16, 16]
    assert first["at"] <= second["at"]
    assert (first["v"], first["event"], first["host"], first["cwd"]) == (
        1,
        "post-tool",
        "claude-code",
        str(host.project),
    )


SENT = [row for row in recorded() if row.expect and row.expect.get("does") != "read"]


@pytest.mark.parametrize("name", sorted(ADAPTERS))
def test_recorded_events_of_every_host_reach_the_inbox(host: Host, name: str) -> None:
    rows = [row for row in SENT if row.host == name]
    for row in rows:
        host.environ = dict(row.environ)
        printed = host.fire(name, row.event, row.payload)
        assert printed == "" or name == "antigravity"
    kept: list[Recorded] = [row for row in rows if row.expect and row.expect.get("event") != "pre-tool"]
    assert [line["event"] for line in host.lines()] == [
        ADAPTERS[name].trace(row.event, row.payload, row.environ)["event"] for row in kept
    ]


def test_prompt_is_told_what_the_daemon_says(host: Host) -> None:
    with daemon(host.home, telling("We deploy blue.")) as asked:
        printed = host.fire(
            "claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="How do we deploy?")
        )
    assert json.loads(printed) == TOLD
    (line,) = host.lines()
    assert asked[0]["method"] == "marrow/hook"
    assert asked[0]["params"] == line


@pytest.mark.parametrize(
    ("event", "fields", "asks"),
    [
        ("SessionStart", {"source": "startup"}, True),
        ("UserPromptSubmit", {"prompt": "x"}, True),
        ("PreToolUse", EDIT, True),
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": "a"}}, True),
        ("PreToolUse", {"tool_name": "Bash", "tool_input": {"command": "ls"}}, False),
        ("PostToolUseFailure", {"tool_name": "Bash", "tool_input": {"command": "ls"}, "error": "no"}, True),
        ("PostToolUseFailure", {"tool_name": "Read", "tool_input": {"file_path": "a"}, "error": "no"}, False),
        ("PostToolUse", BASH, False),
        ("Stop", {}, False),
        ("SessionEnd", {"reason": "other"}, False),
        ("PreCompact", {"trigger": "auto"}, False),
    ],
)
def test_only_asking_events_ask(host: Host, event: str, fields: dict[str, Any], asks: bool) -> None:
    with daemon(host.home, telling("known")) as asked:
        printed = host.fire("claude-code", event, host.claude(event, **fields))
    assert [request["params"]["event"] for request in asked if "params" in request] != [] or not asks
    assert bool(asked) is asks
    assert ("known" in printed) is asks


def test_prompt_says_its_version_so_that_a_daemon_of_before_an_upgrade_gives_way(host: Host) -> None:
    with daemon(host.home, telling("")) as asked:
        for event, fields in (("UserPromptSubmit", {"prompt": "x"}), ("PreToolUse", EDIT)):
            host.fire("claude-code", event, host.claude(event, **fields))
    assert [request.get("client") for request in asked] == [__version__, None]


def test_reads_are_asked_about_and_not_kept(host: Host) -> None:
    read = {"tool_name": "Read", "tool_input": {"file_path": "a.py"}, "tool_response": {}}
    with daemon(host.home, telling("known")):
        assert "known" in host.fire("claude-code", "PreToolUse", host.claude("PreToolUse", **read))
    host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **read))
    assert host.lines() == []
    (host.project / ".marrow.toml").write_text('capture.tools = ["all"]\n')
    host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **read))
    assert [line["does"] for line in host.lines()] == ["read"]


def test_host_that_takes_no_context_is_not_asked_for(host: Host) -> None:
    with daemon(host.home, telling("known")) as asked:
        payload = {"timestamp": "t", "sessionId": "s", "hookEventName": "UserPromptSubmit", "cwd": "/x", "prompt": "p"}
        assert host.fire("vscode", "UserPromptSubmit", payload) == ""
    assert asked == []
    assert [line["prompt"] for line in host.lines()] == ["p"]


# --- settings, pauses ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "event", "kept", "asked"),
    [
        ("capture.enabled = false", "UserPromptSubmit", 0, 1),
        ('recall.mode = "off"', "UserPromptSubmit", 1, 0),
        ('recall.mode = "off"', "SessionStart", 1, 1),
        ("context.budget_tokens = 0", "SessionStart", 1, 0),
        ("capture.enabled = perhaps", "UserPromptSubmit", 0, 0),
    ],
)
def test_settings_of_the_project_are_obeyed(host: Host, setting: str, event: str, kept: int, asked: int) -> None:
    (host.project / ".marrow.toml").write_text(setting + "\n")
    with daemon(host.home, telling("x")) as requests:
        for _ in range(2):  # once compiling the settings, once with what was compiled
            host.fire("claude-code", event, host.claude(event, prompt="p", source="startup"))
    assert (len(host.lines()), len(requests)) == (2 * kept, 2 * asked)


def test_variables_name_the_project_and_the_store(host: Host) -> None:
    host.environ = {"MARROW_PROJECT": "lantern", "MARROW_STORE": "memory:", "MARROW_RECALL_MODE": "off"}
    host.fire("claude-code", "Stop", host.claude("Stop"))
    (line,) = host.lines()
    assert (line["project"], line["store"]) == ("lantern", "memory:")


@pytest.mark.parametrize("whose", ["all", "root", "name"])
def test_paused_project_neither_keeps_nor_asks(host: Host, whose: str) -> None:
    if whose == "name":
        host.environ = {"MARROW_PROJECT": "lamp"}
    paused.pause(host.home, "*" if whose == "all" else "lamp", 0, str(host.project) if whose == "root" else "")
    with daemon(host.home, telling("x")) as asked:
        assert host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="p")) == ""
    assert (host.lines(), asked) == ([], [])
    paused.resume(host.home)
    host.fire("claude-code", "Stop", host.claude("Stop"))
    assert len(host.lines()) == 1


def test_sessions_that_marrow_started_are_left_alone(host: Host) -> None:
    host.environ = {"MARROW_INTERNAL_SESSION": "1"}
    assert host.fire("claude-code", "Stop", host.claude("Stop")) == ""
    assert host.lines() == []


# --- secrets ---------------------------------------------------------------------------------------------------------


def test_no_secret_reaches_the_disk_or_the_daemon(host: Host) -> None:
    with daemon(host.home, telling("x")) as asked:
        for start in range(0, len(CORPUS), 12):
            some = [place.format(secret) for _, place, secret in CORPUS[start : start + 12]]
            output = {"stdout": some[0], "stderr": some[-1], "more": {"nested": some[1:]}}
            fields = {"tool_name": "Bash", "tool_input": {"command": some[-1], "description": some[0]}}
            host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **fields, tool_response=output))
            host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="\n\n".join(some)))
            host.fire("claude-code", "Stop", host.claude("Stop", last_assistant_message=some[-1]), "--debug")
    kept = "\n".join(texts(host.lines())) + "\n".join(texts(asked))
    everything = host.written()
    for rule, _, secret in CORPUS:
        for part in secret.splitlines():
            if len(part) > 3:
                assert part not in kept, rule
                assert json.dumps(part)[1:-1] not in everything, rule
    assert all(line["redacted"] > 0 for line in host.lines() if line["event"] == "prompt")


def test_values_under_telling_names_and_private_blocks_are_gone(host: Host) -> None:
    fields = {
        "tool_name": "mcp__vault__put",
        "tool_input": {"password": "correct horse", "env": [{"name": "API_KEY", "value": "battery staple"}]},
        "tool_response": "kept <private>gone gone</private> kept",
    }
    host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **fields))
    (line,) = host.lines()
    assert line["redacted"] == 3
    assert line["output"] == "kept  kept"
    for gone in ("horse", "staple", "gone"):
        assert gone not in host.written()


def test_what_the_project_redacts_is_redacted(host: Host) -> None:
    (host.project / ".marrow.toml").write_text('redact.extra = ["LAMP-[0-9]+"]\n')
    host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="ticket LAMP-4711 is open"))
    (line,) = host.lines()
    assert line["prompt"] == "ticket [redacted:extra] is open"


# --- whatever happens ------------------------------------------------------------------------------------------------

GARBAGE = {
    "nothing": b"",
    "space": b"  \n",
    "text": b"hello",
    "torn": b'{"session_id":"s","cwd":',
    "list": b"[1,2]",
    "number": b"42",
    "null": b"null",
    "no utf-8": b"\xff\xfe\x00{}",
    "zeros": b"\0" * 1000,
    "deep": b"[" * 200_000,
    "empty object": b"{}",
    "two objects": b"{}{}",
    "wrong types": b'{"session_id":[],"cwd":4,"hook_event_name":{}}',
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_nothing(host: Host, name: str) -> None:
    for event in ("PostToolUse", "UserPromptSubmit"):
        assert host.fire("claude-code", event, GARBAGE[name]) == ""
    assert host.lines() == []


@pytest.mark.parametrize(
    "words", [[], ["claude-code"], ["nohost", "Stop"], ["claude-code", "NoEvent"], ["a", "b", "c"]]
)
def test_wrong_command_line_is_nothing(host: Host, words: list[str]) -> None:
    given = json.dumps(host.claude("NoEvent")).encode()
    done = subprocess.run(host.command(*words), input=given, env=host.environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert host.lines() == []


def test_half_characters_and_control_characters_are_kept_as_far_as_they_can(host: Host) -> None:
    payload = (
        b'{"session_id":"s","hook_event_name":"UserPromptSubmit","cwd":"/x","prompt":"a\\ud800b\tc\\u0000d \xff e"}'
    )
    host.fire("claude-code", "UserPromptSubmit", payload)
    (line,) = host.lines()
    assert line["prompt"] == "a?b\tc\x00d \ufffd e"


def test_byte_order_mark_does_no_harm(host: Host) -> None:
    host.fire("claude-code", "Stop", b"\xef\xbb\xbf" + json.dumps(host.claude("Stop")).encode())
    assert len(host.lines()) == 1


def test_huge_output_is_kept_in_part(host: Host) -> None:
    fields = {**BASH, "tool_response": {"stdout": "line of a log\n" * 400_000 + "the end", "stderr": ""}}
    host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **fields))
    (line,) = host.lines()
    assert len(json.dumps(line)) < 33_000
    assert line["output"]["stdout"].startswith("line of a log")
    assert line["output"]["stdout"].endswith("the end")


def test_input_without_an_end_is_given_up(host: Host) -> None:
    payload = host.claude("UserPromptSubmit", prompt="x" * (9 * 1024 * 1024))
    hook = subprocess.Popen(
        host.command("claude-code", "UserPromptSubmit"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=host.environment(),
    )
    printed, _ = hook.communicate(json.dumps(payload).encode())
    assert (hook.returncode, printed, host.lines()) == (0, b"", [])


def test_host_that_never_closes_its_end_is_not_waited_for(host: Host) -> None:
    hook = subprocess.Popen(host.command("claude-code", "Stop"), stdin=subprocess.PIPE, env=host.environment())
    assert hook.stdin
    hook.stdin.write(json.dumps(host.claude("Stop")).encode() + b"\n")
    hook.stdin.flush()
    assert hook.wait(120) == 0
    hook.stdin.close()
    assert len(host.lines()) == 1


def test_hanging_daemon_costs_the_answer_and_nothing_else(host: Host) -> None:
    with daemon(host.home, hanging):
        for event in ("UserPromptSubmit", "SessionStart", "PreToolUse"):
            fields = {"prompt": "p", "source": "startup", "tool_name": "Edit", "tool_input": {"file_path": "a"}}
            assert host.fire("claude-code", event, host.claude(event, **fields)) == ""
    assert [line["event"] for line in host.lines()] == ["prompt", "session-start"]


def test_dead_daemon_costs_the_answer_and_nothing_else(host: Host) -> None:
    for event in ("UserPromptSubmit", "SessionStart", "Stop", "SessionEnd"):
        assert host.fire("claude-code", event, host.claude(event, prompt="p", source="startup")) == ""
    assert [line["event"] for line in host.lines()] == ["prompt", "session-start", "stop", "session-end"]


def test_a_start_that_nobody_answered_is_asked_for_with_the_first_prompt_and_no_later_one(host: Host) -> None:
    assert host.fire("claude-code", "SessionStart", host.claude("SessionStart", source="startup")) == ""
    prompt = host.claude("UserPromptSubmit", prompt="How do we deploy?")
    with daemon(host.home, telling("We deploy blue.")) as asked:
        for given in ({**prompt, "session_id": "s-2"}, prompt, prompt):
            assert json.loads(host.fire("claude-code", "UserPromptSubmit", given)) == TOLD
    assert [one["params"].get("untold") for one in asked] == [None, True, None]
    assert all("untold" not in line for line in host.lines())


def test_a_start_that_was_answered_is_not_asked_for_again(host: Host) -> None:
    with daemon(host.home, telling("")) as asked:
        host.fire("claude-code", "SessionStart", host.claude("SessionStart", source="startup"))
        host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="How do we deploy?"))
    assert [one["params"].get("untold") for one in asked] == [None, None]


def test_refusing_daemon_costs_the_answer_and_nothing_else(host: Host) -> None:
    with daemon(host.home, refusing(-32603, "the store is locked")):
        assert host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="p")) == ""
    assert len(host.lines()) == 1


@pytest.mark.parametrize("trouble", ["read-only", "file in the way", "no home"])
def test_inbox_that_cannot_be_written_leaves_the_turn_as_it_is(host: Host, trouble: str) -> None:
    folder = Path(where.inbox(host.home))
    if trouble == "file in the way":
        folder.write_text("no folder")
    elif trouble == "read-only":
        folder.symlink_to("/proc/self")  # where nobody can make a file
    with daemon(host.home, telling("We deploy blue.")):
        if trouble == "no home":
            host.environ = {"MARROW_HOME": "/proc/self/none"}
        printed = host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="p"))
    assert printed == "" if trouble == "no home" else json.loads(printed) == TOLD


def test_full_disk_leaves_the_turn_as_it_is(host: Host) -> None:
    """No file may grow: what the hook writes comes back short or not at all."""
    program = f"""
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10, 10))
os.execv(sys.executable, {host.command("claude-code", "UserPromptSubmit", "--debug")!r})
"""
    with daemon(host.home, telling("We deploy blue.")):
        done = subprocess.run(
            [sys.executable, "-c", program],
            input=json.dumps(host.claude("UserPromptSubmit", prompt="p")).encode(),
            env=host.environment(),
            capture_output=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == TOLD


def test_host_that_hangs_up_is_no_error(host: Host) -> None:
    read, write = os.pipe()
    os.close(read)
    with daemon(host.home, telling("x")):
        done = subprocess.run(
            host.command("claude-code", "UserPromptSubmit"),
            input=json.dumps(host.claude("UserPromptSubmit", prompt="p")).encode(),
            env=host.environment(),
            stdout=write,
            stderr=subprocess.PIPE,
            check=False,
        )
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")


# --- starting the daemon, and what is loaded -------------------------------------------------------------------------

STARTER = """
import sys
sys.executable = {interpreter!r}
from marrow.surfaces.hook import main
sys.exit(main({words!r}))
"""


@pytest.mark.parametrize(
    ("event", "starts"),
    [("SessionStart", True), ("UserPromptSubmit", True), ("Stop", True), ("SessionEnd", True), ("PostToolUse", False)],
)
def test_daemon_that_is_away_is_started_by_the_events_that_need_it(
    host: Host, tmp_path: Path, event: str, starts: bool, child_environment: dict[str, str]
) -> None:
    for stamp in Path(where.run(host.home)).glob("starting.*"):
        stamp.unlink()
    called, interpreter = tmp_path / "called", tmp_path / "python"
    os.mkfifo(called)
    interpreter.write_text(f'#!/bin/sh\necho "$MARROW_HOME $*" > {called}\n')
    interpreter.chmod(0o700)
    program = STARTER.format(interpreter=str(interpreter), words=["claude-code", event])
    fields = {**BASH, "prompt": "p", "source": "startup"}
    environ = {**host.environment(), "PYTHONPATH": child_environment["PYTHONPATH"]}
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(host.claude(event, **fields)).encode(),
        env=environ,
        check=False,
    )
    assert done.returncode == 0
    assert bool(list(Path(where.run(host.home)).glob("starting.*"))) is starts
    if starts:
        assert called.read_text().split() == [host.home, "-P", "-m", "marrow", "daemon", "run"]


FORBIDDEN = set(
    "dataclasses typing inspect pathlib tomllib enum logging subprocess re json socket hashlib functools contextlib "
    "threading tempfile marrow.settings marrow.model.redact marrow.app marrow.store marrow.operations".split()
)
MODULES = """
import sys
sys.path.append({source!r})
from marrow.surfaces.hook.turn import main
main({words!r})
print(*sys.modules, file=sys.stderr)
"""


@pytest.mark.parametrize("event", ["PostToolUse", "UserPromptSubmit", "Stop"])
def test_ordinary_event_loads_nothing_that_costs(host: Host, event: str) -> None:
    payload = json.dumps(host.claude(event, **BASH, prompt="How do we deploy?"))
    program = MODULES.format(source=str(HOOK.parents[3]), words=["claude-code", event])
    with daemon(host.home, telling("x")):
        for _ in range(2):  # the first one compiles the settings
            done = subprocess.run(
                [sys.executable, "-I", "-S", "-c", program],
                input=payload,
                env=host.environment(),
                capture_output=True,
                text=True,
                check=True,
            )
    loaded = set(done.stderr.split())
    assert "marrow.capture.inbox" in loaded
    assert loaded & FORBIDDEN == set()
    assert [name for name in loaded if name.startswith("marrow.capture.hosts.")] == ["marrow.capture.hosts.claude_code"]


def test_log_says_what_was_done_and_not_what_was_said(host: Host) -> None:
    host.fire("claude-code", "UserPromptSubmit", host.claude("UserPromptSubmit", prompt="the moon plan"), "--debug")
    host.environ = {"MARROW_INTERNAL_HOOK_LOG": "1"}
    host.fire("claude-code", "PostToolUse", host.claude("PostToolUse", **BASH))
    host.fire("claude-code", "Stop", b"{torn")
    lines = host.log().splitlines()
    assert [line.split(": ")[-1] for line in lines] == ["captured", "captured", "no input"]
    assert "moon" not in host.log()


def test_the_module_form_does_the_same(host: Host, child_environment: dict[str, str]) -> None:
    program = "import sys; from marrow.surfaces.hook import main; sys.exit(main(sys.argv[1:]))"
    environ = {**host.environment(), "PYTHONPATH": child_environment["PYTHONPATH"]}
    with daemon(host.home, telling("We deploy blue.")):
        done = subprocess.run(
            [sys.executable, "-c", program, "claude-code", "UserPromptSubmit"],
            input=json.dumps(host.claude("UserPromptSubmit", prompt="p")).encode(),
            env=environ,
            capture_output=True,
            check=False,
        )
    assert (done.returncode, json.loads(done.stdout)) == (0, TOLD)
