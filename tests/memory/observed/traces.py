"""Trace lines as the hooks write them, for tests."""

from __future__ import annotations

from itertools import count
from typing import Any

CWD = "/srv/shop"
_numbers = count(1)

Trace = dict[str, Any]


def trace(event: str, **fields: Any) -> Trace:
    number = next(_numbers)
    line = {
        "v": 1,
        "id": f"{number:016x}",
        "at": number * 1_000_000,
        "host": "claude-code",
        "session": "s1",
        "cwd": CWD,
    }
    return {**line, "event": event, "turn": "t1", **fields}


def tool(name: str, does: str, given: Any, output: Any = None, **fields: Any) -> Trace:
    return trace("post-tool", tool=name, does=does, input=given, output=output, **fields)


def failed(name: str, does: str, given: Any, error: str, **fields: Any) -> Trace:
    return trace("tool-failed", tool=name, does=does, input=given, error=error, **fields)


def shell(command: str, stdout: str = "", stderr: str = "", code: int = 0, **fields: Any) -> Trace:
    """As Claude Code tells of it: a command that fails comes as an error with its exit code."""
    if code:
        return failed("Bash", "shell", {"command": command}, f"Exit code {code}\n{stdout}{stderr}", **fields)
    output = {"stdout": stdout, "stderr": stderr, "interrupted": False, "isImage": False, "noOutputExpected": False}
    return tool("Bash", "shell", {"command": command}, output, **fields)


def edit(path: str, old: str, new: str, **fields: Any) -> Trace:
    given = {"file_path": f"{CWD}/{path}", "old_string": old, "new_string": new, "replace_all": False}
    return tool("Edit", "edit", given, {"filePath": f"{CWD}/{path}", "userModified": False}, **fields)


def write(path: str, text: str, kind: str = "create", **fields: Any) -> Trace:
    given = {"file_path": f"{CWD}/{path}", "content": text}
    return tool("Write", "write", given, {"type": kind, "filePath": f"{CWD}/{path}"}, **fields)


def prompt(text: str, **fields: Any) -> Trace:
    return trace("prompt", prompt=text, **fields)


def stop(message: str, **fields: Any) -> Trace:
    return trace("stop", message=message, **fields)
