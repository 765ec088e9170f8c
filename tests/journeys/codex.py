"""The real Codex, brought once into `.cache/`: a native program, run offline and at a desk of its own."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.tools import missing, node_at_least, npm_package

from .desk import Desk
from .responses_api import KEY

PACKAGE, VERSION, NODE = "@openai/codex", "0.166.0", (18, 0)
SECONDS = 120
KEY_VARIABLE = "JOURNEY_KEY"
# Hooks that nobody has reviewed do not run. The review is on the terminal; this stands for it.
TRUSTING = "--dangerously-bypass-hook-trust"


def codex_program() -> Path:
    """The program itself. npm brings the build for this system beside the package, which is only a launcher."""
    package = npm_package(PACKAGE, VERSION, node_at_least(NODE))
    found = sorted(package.parent.glob(f"{package.name}-*/vendor/*/bin/codex"))
    if not found:
        missing("Codex", f"{PACKAGE} {VERSION} has no program for this system")
    return found[0]


class Exec:
    """A run of `codex exec`, by what it printed."""

    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.errors = done.returncode, done.stderr
        self.lines: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines() if line]

    @property
    def name(self) -> str:
        return str(next(line["thread_id"] for line in self.lines if line["type"] == "thread.started"))

    def items(self, kind: str) -> list[dict[str, Any]]:
        """What was done, such as `mcp_tool_call`."""
        done = [line["item"] for line in self.lines if line["type"] == "item.completed"]
        return [item for item in done if item["type"] == kind]

    def ended_well(self) -> bool:
        assert self.code == 0, (self.lines[-2:], self.errors)
        assert self.lines[-1]["type"] == "turn.completed"
        complaints = [item["message"] for item in self.items("error")]
        assert [text for text in complaints if "hook" in text and TRUSTING not in text] == []
        return True


class CodexDesk(Desk):
    """The desk of someone who works with Codex."""

    def __init__(self, folder: Path, program: Path, url: str) -> None:
        super().__init__(folder)
        self._program = program
        self.url = url
        self.environ |= {KEY_VARIABLE: KEY, "SHELL": "/bin/bash"}

    def codex(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self._program), *words],
            cwd=self.project,
            env=self.environ,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )

    def session(self, prompt: str, *more: str, model: str) -> Exec:
        """One prompt, from the start of a session to its end."""
        provider = f'{{name="journey",base_url="{self.url}/v1",wire_api="responses",env_key="{KEY_VARIABLE}"}}'
        given = {"model_provider": "journey", "model_providers.journey": provider, "model": model}
        settings = [word for name, value in given.items() for word in ("-c", f"{name}={value}")]
        flags = ["--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        return Exec(self.codex("exec", *flags, *settings, *more, prompt))
