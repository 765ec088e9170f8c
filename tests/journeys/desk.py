"""A developer's desk: a home of its own, a small repository, `marrow` on the PATH as pipx would put it, and whatever
runs there ended afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.claude_code import ClaudeCode
from tests.surfaces.daemon.conftest import House, eventually

from .messages_api import KEY

ROOT = Path(__file__).parents[2]
CHECK = """\
if ! grep -q 'return sum(prices)$' prices.py; then
    echo "AssertionError: total([2, 3]) is not 5" >&2
    exit 1
fi
echo "1 passed"
"""
PRICES = """\
def total(prices):
    return sum(prices) + 1
"""


class Desk(House):
    """Nothing is set but what a new user has set: Marrow's home is `~/.marrow`, because nobody said anything else."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.user = folder / "h"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.bin / "marrow").symlink_to(Path(sys.executable).parent / "marrow")
        for name in ("MARROW_HOME", "PYTHONPATH"):
            self.environ.pop(name)
        self.environ["PATH"] = os.pathsep.join((str(self.bin), "/usr/local/bin", "/usr/bin", "/bin"))
        # Hosts wait five seconds for a hook. It may use most of them here: a busy machine is no failure.
        self.environ["MARROW_RECALL_TIME_BUDGET_MS"] = "4000"
        (self.project / "check.sh").write_text(CHECK, encoding="utf-8")
        (self.project / "prices.py").write_text(PRICES, encoding="utf-8")

    def marrow(self, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        """As the user types it."""
        asked = {"cwd": self.project, "env": self.environ, "capture_output": True, "text": True, "timeout": 60}
        return subprocess.run([str(self.bin / "marrow"), *words], check=False, **{**asked, **more})

    def said(self, *words: str) -> Any:
        """The command's answer."""
        done = self.marrow(*words, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout)

    def settled(self) -> None:
        """Everything that hooks reported has been made into memories."""
        self.ask("marrow/drain")
        eventually(lambda: self.ask("marrow/status")["queue"]["raw"] == 0, "all was worked off")

    def running(self) -> list[int]:
        """Every process that was started from this home, by whomever."""
        mark, found = f"HOME={self.user}".encode(), []
        for folder in Path("/proc").iterdir():
            try:
                ours = folder.name.isdigit() and mark in (folder / "environ").read_bytes().split(b"\0")
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0] if ours else ""
            except OSError:  # it has just ended, or is another user's
                continue
            if ours and state != "Z":
                found.append(int(folder.name))
        return found

    def close(self) -> None:
        for pid in self.running():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue


# How a hook ends that nobody should notice.
QUIET = ("success", 0, "")


class Session:
    """A run of `claude -p`, by what it printed."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.errors = done.returncode, done.stderr
        self.lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines() if line]

    @property
    def result(self) -> dict[str, Any]:
        """How it ended."""
        found = [line for line in self.lines if line.get("type") == "result"]
        assert len(found) == 1, (self.lines[-3:], self.errors)
        return found[0]

    @property
    def name(self) -> str:
        return str(self.result["session_id"])

    @property
    def start(self) -> dict[str, Any]:
        """What it started with: tools, servers, plugins."""
        return next(line for line in self.lines if line.get("subtype") == "init")

    def hooks(self) -> list[dict[str, Any]]:
        """The hooks that ended while it was still printing; the session's end is later."""
        return [line for line in self.lines if line.get("subtype") == "hook_response"]

    def fired(self) -> set[str]:
        return {str(hook["hook_name"]) for hook in self.hooks()}

    def ended_well(self) -> bool:
        """The turn ended as a turn does, and no hook was noticed: no error, no word on a terminal, none cut short."""
        result = self.result
        assert (self.code, result["subtype"], result["is_error"]) == (0, "success", False), (result, self.errors)
        loud = [hook for hook in self.hooks() if (hook["outcome"], hook["exit_code"], hook["stderr"]) != QUIET]
        assert loud == []
        return True


class ClaudeDesk(Desk):
    """The desk of someone who works with Claude Code."""

    def __init__(self, folder: Path, program: Path, url: str) -> None:
        super().__init__(folder)
        self._claude = ClaudeCode(program, self.user, (self.bin,))
        self.url = url

    def claude(self, *words: str) -> subprocess.CompletedProcess[str]:
        env = {"ANTHROPIC_BASE_URL": self.url, "ANTHROPIC_API_KEY": KEY, "ENABLE_TOOL_SEARCH": "false"}
        # By itself Claude Code waits a second and a half for the hooks of a session's end: enough, but not when busy.
        env["CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS"] = "10000"
        kept = {name: value for name, value in self.environ.items() if name not in ("PATH", "HOME", "LANG")}
        return self._claude.run(*words, cwd=self.project, env={**kept, **env})

    def session(self, prompt: str, *, allowed: Sequence[str] = (), more: Sequence[str] = ()) -> Session:
        """One prompt, from the start of a session to its end."""
        tools = ["Bash", "Edit", "Read", *allowed]
        shown = ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        return Session(self.claude("-p", prompt, "--allowedTools", ",".join(tools), *shown, *more))
