"""The hook as hosts start it: the installed command line, a home of its own, and nobody who starts a real daemon."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import marrow
from marrow.capture import inbox, start, where

HOOK = Path(marrow.__file__).parent / "surfaces" / "hook" / "run.py"


@dataclass
class Host:
    """One user's machine: a home, a project, and hooks that run in it."""

    home: str
    project: Path
    environ: dict[str, str] = field(default_factory=dict)

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-I", "-S", str(HOOK), *words]

    def environment(self) -> dict[str, str]:
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("MARROW_", "CLAUDE", "CURSOR"))
        }
        return {**kept, "HOME": str(self.project.parent), "MARROW_HOME": self.home, **self.environ}

    def fire(self, host: str, event: str, payload: object, *options: str) -> str:
        """Runs a hook; what it printed. It must end with 0 and say nothing on standard error."""
        given = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        done = subprocess.run(
            self.command(host, event, *options),
            input=given,
            env=self.environment(),
            cwd=self.project,
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return done.stdout.decode()

    def claude(self, event: str, **fields: Any) -> dict[str, Any]:
        return {"session_id": "s-1", "cwd": str(self.project), "hook_event_name": event, **fields}

    def lines(self) -> list[dict[str, Any]]:
        """Everything in the inbox; nothing of it torn."""
        found: list[dict[str, Any]] = []
        for segment in inbox.segments(self.home):
            chunk = inbox.read(self.home, segment, 0, 1 << 30)
            assert chunk.torn == 0
            found += [value for value, _ in chunk.entries]
        return found

    def written(self) -> str:
        """Every byte that Marrow left on the disk."""
        files = (path for path in Path(self.home).rglob("*") if path.is_file())
        return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)

    def log(self) -> str:
        return (Path(self.home) / "log" / "hook.log").read_text()


def nobody_starts(home: str) -> None:
    """So many starts were tried just now that nobody tries again."""
    where.make(where.run(home))
    now = int(time.time() // start.APART_SECONDS)
    for span in range(now - start.STORM_STARTS, now + 1):
        (Path(where.run(home)) / f"starting.{span}").touch()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    project = tmp_path / "joe" / "lamp"
    (project / ".git").mkdir(parents=True)
    home = str(tmp_path / "m")
    nobody_starts(home)
    return Host(home, project)


def texts(value: object) -> Sequence[str]:
    """Every text in a value, keys included."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for pair in value.items() for item in pair for text in texts(item)]
    return [text for item in value for text in texts(item)] if isinstance(value, list) else []
