"""The adapters: what each host sends becomes one kind of line, and each host is told in the form that it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.capture import event as events
from marrow.capture import trim
from marrow.capture.json_text import render

from .hosts import ADAPTERS, Recorded, recorded

ROWS = recorded()
FIELDS = set(
    "host event session cwd turn agent mode source prompt tool does input output error ms message trigger reason "
    "transcript".split()
)
DOES = set("edit write read shell search web task mcp other".split())
FORBIDDEN_KEYS = {"decision", "permissionDecision", "continue", "suppressOutput", "systemMessage", "reason"}


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_recorded_event_becomes_its_line(row: Recorded) -> None:
    line = ADAPTERS[row.host].trace(row.event, row.payload, row.environ)
    if row.expect is None:
        assert line is None
        return
    assert line is not None
    assert {name: line.get(name) for name in row.expect} == row.expect
    assert line.keys() <= FIELDS
    assert line["event"] in events.EVENTS
    assert line.get("does", "other") in DOES
    assert json.loads(render(line)) == line


@pytest.mark.parametrize("row", [row for row in ROWS if row.tells is not None], ids=str)
def test_host_is_told_in_its_own_form(row: Recorded) -> None:
    adapter, name = ADAPTERS[row.host], events.fired(row.event, row.payload)
    answer = adapter.answer(name, "CONTEXT", row.environ)
    assert (json.loads(answer) if answer else "") == row.tells
    silent = adapter.answer(name, "", row.environ)
    assert "CONTEXT" not in silent
    if row.host != "antigravity":
        assert silent == ""


def test_every_host_has_recorded_events_for_all_that_it_sends() -> None:
    seen = {(row.host, row.expect["event"]) for row in ROWS if row.expect and "event" in row.expect}
    everywhere = {"session-start", "post-tool", "stop"}
    for host in ADAPTERS:
        assert everywhere <= {event for name, event in seen if name == host}, host
    for host in ADAPTERS.keys() - {"antigravity"}:
        assert {"prompt", "pre-tool", "pre-compact"} <= {event for name, event in seen if name == host}, host


@pytest.mark.parametrize("row", [row for row in ROWS if row.tells], ids=str)
def test_what_is_told_stays_within_the_hosts_limits(row: Recorded) -> None:
    adapter, name = ADAPTERS[row.host], events.fired(row.event, row.payload)
    answer = adapter.answer(name, "naïve line\n" * 5000, row.environ)
    texts = list(_texts(json.loads(answer)))
    assert max(map(len, texts)) <= 10_000
    if row.host == "copilot":
        assert len(answer.encode()) <= 10_000
    if row.host == "codex":
        assert max(map(len, texts)) <= 8_000


def _texts(value: Any) -> Any:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(item)


@pytest.mark.parametrize("row", [row for row in ROWS if row.host == "codex" and row.tells], ids=str)
def test_codex_gets_nothing_that_its_closed_schemas_do_not_have(row: Recorded) -> None:
    answer = json.loads(ADAPTERS["codex"].answer(events.fired(row.event, row.payload), "x", {}))
    assert answer.keys() == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}


@pytest.mark.parametrize("row", [row for row in ROWS if row.tells], ids=str)
def test_nothing_decides_for_the_host(row: Recorded) -> None:
    answer = json.loads(ADAPTERS[row.host].answer(events.fired(row.event, row.payload), "x", row.environ))
    decided = answer.keys() & FORBIDDEN_KEYS
    if row.host == "antigravity" and row.event == "Stop":
        assert answer == {"decision": "allow"}
    elif row.host == "cursor" and row.event == "beforeSubmitPrompt":
        assert answer["continue"] is True
    else:
        assert decided == set()


@pytest.mark.parametrize("host", ADAPTERS)
def test_an_event_without_a_session_is_not_kept(host: str) -> None:
    assert ADAPTERS[host].trace("Stop", {}, {}) is None
    assert ADAPTERS[host].trace("stop", {"cwd": "/home/ada"}, {}) is None


def test_the_id_of_a_session_is_one_line_whatever_was_sent() -> None:
    line = ADAPTERS["claude-code"].trace("Stop", {"session_id": "one\ntwo\r\x00\x1b three", "cwd": "/r"}, {})
    assert line is not None
    assert line["session"] == "onetwo three"
    assert ADAPTERS["claude-code"].trace("Stop", {"session_id": "\n\n", "cwd": "/r"}, {}) is None


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.sampled_from(sorted({key for row in ROWS for key in row.payload}))
_NAMES = st.sampled_from(sorted({row.event for row in ROWS}))


@pytest.mark.parametrize("host", ADAPTERS)
@given(name=_NAMES, payload=st.dictionaries(_KEYS, _VALUES, max_size=8))
def test_a_payload_of_any_shape_gives_a_line_or_none(host: str, name: str, payload: dict[str, Any]) -> None:
    line = ADAPTERS[host].trace(name, payload, {})
    if line is not None:
        assert line.keys() <= FIELDS
        trim.fitted(trim.finished(trim.rough(line)))


@given(data=st.data())
def test_a_recorded_payload_with_one_field_replaced_gives_a_line_or_none(data: st.DataObject) -> None:
    row = data.draw(st.sampled_from(ROWS))
    payload = {**row.payload, data.draw(st.sampled_from(sorted(row.payload))): data.draw(_VALUES)}
    line = ADAPTERS[row.host].trace(row.event, payload, row.environ)
    assert line is None or line["event"] in events.EVENTS


def test_antigravity_takes_the_prompt_from_the_transcript(tmp_path: Path) -> None:
    asked = [
        {"type": "USER_INPUT", "status": "DONE", "content": "<USER_REQUEST>\nfirst\n</USER_REQUEST> more"},
        {"type": "PLANNER_RESPONSE", "source": "MODEL", "content": "done"},
        {"type": "USER_INPUT", "status": "DONE", "content": "second"},
    ]
    transcript = tmp_path / "t.jsonl"
    payload = {"conversationId": "c", "invocationNum": 0, "transcriptPath": str(transcript), "workspacePaths": ["/x"]}
    transcript.write_text(json.dumps(asked[0]) + "\n{torn\n")
    first = ADAPTERS["antigravity"].trace("PreInvocation", payload, {})
    assert (first["event"], first["prompt"]) == ("session-start", "first")
    transcript.write_text("\n".join(map(json.dumps, asked)))
    second = ADAPTERS["antigravity"].trace("PreInvocation", payload, {})
    assert (second["event"], second["prompt"]) == ("prompt", "second")


@pytest.mark.parametrize("code", ["²", "9" * 5_000, "-1", ""])
def test_a_strange_exit_code_in_the_words_of_gemini_is_only_text(code: str) -> None:
    payload = {"session_id": "s", "tool_name": "run_shell_command", "tool_input": {"command": "make"}}
    said = {"tool_response": {"llmContent": f"Output: x\nExit Code: {code}"}}
    line = ADAPTERS["gemini"].trace("AfterTool", {**payload, **said}, {})
    assert line is not None
    assert line["event"] == events.POST_TOOL


@pytest.mark.parametrize("odd", [["loop"], {"kind": "loop"}, 5, None])
def test_a_prompt_whose_source_is_no_text_is_kept_as_a_persons(odd: Any) -> None:
    payload = {"session_id": "s", "cwd": "/lamp", "prompt": "Dim it.", "source": odd}
    line = ADAPTERS["claude-code"].trace("UserPromptSubmit", payload, {})
    assert line is not None
    assert line["prompt"] == "Dim it."


@pytest.mark.parametrize("odd", ["\x00", "\ud800", "/nowhere/t.jsonl"])
def test_a_transcript_that_cannot_be_opened_costs_no_event(odd: str) -> None:
    payload = {"conversationId": "c", "workspacePaths": ["/lamp"], "transcriptPath": odd, "invocationNum": 0}
    line = ADAPTERS["antigravity"].trace("PreInvocation", payload, {})
    assert line is not None
    assert line["session"] == "c"
