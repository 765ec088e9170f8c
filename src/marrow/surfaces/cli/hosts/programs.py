"""How a host starts Marrow: for its hooks, as an MCP server, and as a command that a skill writes down."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass

from ....model.errors import Conflict

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
HOOK_PROGRAM = os.path.join(PACKAGE, "surfaces", "hook", "run.py")
HOOK_MARK = "surfaces/hook/run.py"
# Environments that are made for one run and may be gone tomorrow: of `uvx`, and of `pipx run`.
_PASSING = re.compile(r"[/\\](?:uv[/\\](?:archive|environments|builds)-v\d+|pipx[/\\]\.cache)[/\\]")


@dataclass(frozen=True, slots=True)
class Programs:
    """`hook` is followed by HOST and EVENT, `mcp` by nothing. `command` is what stands before the words of a call."""

    hook: tuple[str, ...]
    mcp: tuple[str, ...]
    command: str

    def on_event(self, host: str, event: str) -> tuple[str, ...]:
        return (*self.hook, host, event)


# For files that others read too, on other machines: whatever `marrow` is on the PATH there.
PORTABLE = Programs(("marrow", "hook"), ("marrow", "mcp"), "marrow")


def programs_here(interpreter: str = sys.executable) -> Programs:
    """This interpreter and this Marrow, by their whole paths: a hook must not look for them every time.

    -I and -S leave out what a hook does not need. -P keeps the folder that a server is started in off the path of
    modules: a repository may have a `json.py` of its own.
    """
    if _PASSING.search(interpreter):
        raise Conflict(
            f"This Marrow runs from an environment that is made for one run ({interpreter}).",
            hint="Install it for good, as with `pipx install .` in the clone (docs/how-to/install.md), and try again.",
        )
    server = (interpreter, "-P", "-m", "marrow", "mcp")
    beside = shutil.which("marrow", path=os.path.dirname(interpreter))
    whole = (beside,) if beside else (interpreter, "-P", "-m", "marrow")
    called = "marrow" if shutil.which("marrow") else shell_line(whole)
    return Programs((interpreter, "-I", "-S", HOOK_PROGRAM), server, called)


def shell_line(words: tuple[str, ...]) -> str:
    """Words as one line for a shell, on this system."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


_HOOK = re.compile(r"(?:^|[/\s])marrow hook (?:claude-code|codex|cursor|vscode|copilot|gemini|antigravity|opencode)\b")


def is_ours(value: object) -> bool:
    """Whether an entry of a host's file starts Marrow, whichever Marrow that is, as a hook or as a server."""
    words = list(_texts(value))
    lines = [word.replace("\\", "/") for word in words]
    if any(HOOK_MARK in line or _HOOK.search(line) for line in lines):
        return True
    starts = any(os.path.splitext(os.path.basename(line))[0] == "marrow" for line in lines)
    return starts and ("mcp" in words or "hook" in words)


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _texts(item)]
    return [text for item in value for text in _texts(item)] if isinstance(value, list | tuple) else []
