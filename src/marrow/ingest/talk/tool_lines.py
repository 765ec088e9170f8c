"""One line for each thing that an agent did: enough to know what was done, without what came out of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

LINE_LENGTH_MAX = 160
FAILURE_LENGTH_MAX = 240
# What tells most about a call, in this order.
_TELLING = (
    "command cmd file_path path notebook_path pattern query url prompt description skill subject explanation input"
).split()
# Calls that only serve the agent's own order.
QUIET = frozenset("TodoWrite TodoRead TaskOutput BashOutput ToolSearch write_stdin view_image".split())


def tool_line(name: str, given: object) -> str:
    """`[Bash: pytest -q]`: a call in a line."""
    told = _told(given)
    return f"[{name}: {told}]" if told else f"[{name}]"


def failure_line(output: str) -> str:
    """`[failed: …]`: why a call did not do it; the last line mostly says."""
    lines = [line.strip() for line in output.strip().split("\n") if line.strip()]
    if not lines:
        return ""
    said = lines[0] if len(lines) == 1 else f"{lines[0]} … {lines[-1]}"
    return f"[failed: {_one_line(said, FAILURE_LENGTH_MAX)}]"


def _told(given: object) -> str:
    if isinstance(given, str):
        try:
            shape = json.loads(given)
        except (ValueError, RecursionError):
            return _patched(given) or _one_line(given, LINE_LENGTH_MAX)
        given = shape
    if isinstance(given, Mapping):
        for key in _TELLING:
            value = given.get(key)
            if isinstance(value, str) and value.strip():
                return _patched(value) or _one_line(value, LINE_LENGTH_MAX)
            if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
                return _one_line(_command(value), LINE_LENGTH_MAX)
    return ""


def _command(words: list[str]) -> str:
    """A command as it is typed: a shell that only runs a text is left out."""
    if len(words) >= 3 and words[1] in ("-c", "-lc") and words[0].rpartition("/")[2] in ("bash", "sh", "zsh"):
        return _patched(words[2]) or words[2]
    return " ".join(words)


def _patched(text: str) -> str:
    """The files that a patch touches."""
    if "*** Begin Patch" not in text[:200]:
        return ""
    marks = ("*** Update File: ", "*** Add File: ", "*** Delete File: ")
    names = [line.removeprefix(mark).strip() for line in text.split("\n") for mark in marks if line.startswith(mark)]
    return _one_line(", ".join(names), LINE_LENGTH_MAX)


def _one_line(text: str, most: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def texts_of(content: Any, *types: str) -> list[str]:
    """The texts in the blocks of a message; a plain text is one."""
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    blocks = (block for block in content if isinstance(block, dict) and block.get("type") in types)
    return [block["text"] for block in blocks if isinstance(block.get("text"), str)]
