"""Codex's rollouts in their three forms."""

from __future__ import annotations

import io
import json
from typing import Any

from marrow.ingest.conversation import form_of, read_transcript
from marrow.ingest.item import Item

SESSION = "019a2d7a-41c4-78b1-b7cc-a45d62a89cd5"
NOW = 1_767_225_600_000_000


def read(*lines: dict[str, Any], name: str = f"rollout-2025-10-29T00-59-38-{SESSION}.jsonl") -> Item:
    data = b"".join(json.dumps(one).encode() + b"\n" for one in lines)
    assert form_of(data) == "codex"
    (item,) = read_transcript(io.BytesIO(data), name=name, now=NOW)
    assert isinstance(item, Item)
    return item


def enveloped(kind: str, payload: dict[str, Any], second: int = 0) -> dict[str, Any]:
    return {"timestamp": f"2025-10-29T00:59:{second:02d}.317Z", "type": kind, "payload": payload}


def message(role: str, text: str) -> dict[str, Any]:
    type_ = "input_text" if role == "user" else "output_text"
    return {"type": "message", "role": role, "content": [{"type": type_, "text": text}]}


META = enveloped("session_meta", {"id": SESSION, "cwd": "/srv", "cli_version": "0.46.0", "git": {"branch": "work"}})


def test_a_rollout_is_read_once_though_it_says_everything_twice() -> None:
    item = read(
        META,
        enveloped("response_item", message("user", "<environment_context>…</environment_context>"), 1),
        enveloped(
            "response_item", message("user", "# AGENTS.md instructions for /srv\n\n<INSTRUCTIONS>x</INSTRUCTIONS>"), 1
        ),
        enveloped("response_item", message("user", "Which port?"), 2),
        enveloped("event_msg", {"type": "user_message", "message": "Which port?", "kind": "plain"}, 2),
        enveloped("turn_context", {"model": "m"}, 2),
        enveloped("event_msg", {"type": "agent_reasoning", "text": "THOUGHT"}, 3),
        enveloped("response_item", {"type": "reasoning", "summary": [], "encrypted_content": "gAAA"}, 3),
        enveloped(
            "response_item",
            {
                "type": "function_call",
                "name": "shell",
                "arguments": json.dumps({"command": ["bash", "-lc", "ss -ltn"]}),
            },
            4,
        ),
        enveloped("response_item", {"type": "function_call_output", "call_id": "c", "output": "OUTPUT"}, 4),
        enveloped("event_msg", {"type": "agent_message", "message": "Port 8443."}, 5),
        enveloped("response_item", message("assistant", "Port 8443."), 5),
    )
    assert item.draft.content == "User: Which port?\n\nCodex: [shell: ss -ltn]\nPort 8443."
    assert item.path == f"codex:{SESSION}"
    assert item.draft.thread == SESSION
    assert item.draft.metadata["branch"] == "work"


def test_the_older_bare_form_is_read() -> None:
    item = read(
        {"id": SESSION, "timestamp": "2025-06-01T10:00:00Z", "instructions": None},
        {"record_type": "state"},
        message("user", "Fix the build"),
        {
            "type": "function_call",
            "name": "apply_patch",
            "arguments": "*** Begin Patch\n*** Update File: a.py\n@@\n*** End Patch",
        },
        message("assistant", "It builds."),
        name="rollout.jsonl",
    )
    assert item.draft.content == "User: Fix the build\n\nCodex: [apply_patch: a.py]\nIt builds."
    assert item.draft.thread == SESSION


def test_what_codex_exec_streams_is_read() -> None:
    item = read(
        {"type": "thread.started", "thread_id": SESSION},
        {"type": "turn.started"},
        {"type": "item.completed", "item": {"id": "i0", "type": "reasoning", "text": "THOUGHT"}},
        {"type": "item.completed", "item": {"id": "i1", "type": "command_execution", "command": "ls"}},
        {"type": "item.completed", "item": {"id": "i2", "type": "agent_message", "text": "Four files."}},
        name="out.jsonl",
    )
    assert item.draft.content == "Codex: [shell: ls]\nFour files."


def test_a_request_from_an_editor_is_kept_without_what_was_open() -> None:
    text = "# Context from my IDE setup:\n## Open tabs:\n- a.py\n## My request for Codex:\nRename it\n"
    item = read(META, enveloped("event_msg", {"type": "user_message", "message": text}, 1))
    assert item.draft.content == "User: Rename it"
