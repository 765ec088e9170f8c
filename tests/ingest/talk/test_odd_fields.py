"""Fields of another type than their program writes: one of them costs its line, never the file or those beside it."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from marrow.ingest.conversation import read_export, read_transcript
from marrow.ingest.item import Item, Skipped

NOW = 1_767_225_600_000_000
SESSION = "0198c2aa-1111-4222-8333-444455556666"


def ascii_head(value: object) -> str:
    return ascii(value)[:8]


ODD = pytest.mark.parametrize("odd", [["a"], {"a": 1}, 10**400, None, True, "\ud800"], ids=ascii_head)


def claude(kind: Any, text: str, at: Any) -> dict[str, Any]:
    return {"type": kind, "sessionId": SESSION, "timestamp": at, "message": {"role": "user", "content": text}}


def codex(kind: Any, item: Any, at: Any) -> dict[str, Any]:
    said = {"type": item, "role": "user", "content": [{"type": "input_text", "text": "Which store do we take?"}]}
    return {"type": kind, "timestamp": at, "payload": said}


def read(*lines: dict[str, Any]) -> list[Item | Skipped]:
    file = io.BytesIO(b"".join(json.dumps(one).encode() + b"\n" for one in lines))
    return read_transcript(file, name=f"{SESSION}.jsonl", now=NOW)


@ODD
def test_a_line_of_claude_code_with_an_odd_field_does_not_cost_the_others(odd: Any) -> None:
    at = "2025-11-02T10:00:00Z"
    (item,) = read(claude(odd, "no", at), claude("user", "Which store do we take?", odd))
    assert isinstance(item, Item)
    assert "Which store do we take?" in item.draft.content


@ODD
def test_a_line_of_codex_with_an_odd_field_does_not_cost_the_others(odd: Any) -> None:
    at = "2025-11-02T10:00:00Z"
    (item,) = read(codex(odd, "message", at), codex("response_item", odd, at), codex("response_item", "message", odd))
    assert isinstance(item, Item)
    assert "Which store do we take?" in item.draft.content


@ODD
def test_a_message_of_slack_with_an_odd_field_does_not_cost_the_others(odd: Any, tmp_path: Path) -> None:
    said = {"type": "message", "user": "U1", "ts": "1740823200.000100", "text": "Bigger disks"}
    export = tmp_path / "export.zip"
    with zipfile.ZipFile(export, "w") as archive:
        archive.writestr("users.json", "[]")
        archive.writestr("channels.json", json.dumps([{"id": "C1", "name": "ops"}]))
        archive.writestr("ops/2025-03-01.json", json.dumps([{**said, "text": "no", "subtype": odd, "ts": odd}, said]))
    items = [one for one in read_export(export, now=NOW) if isinstance(one, Item)]
    assert len(items) == 1
    assert "Bigger disks" in items[0].draft.content
