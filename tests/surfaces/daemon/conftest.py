"""A daemon of its own for each test: a home, a repository, and everything that runs there ended afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from marrow.capture import line, where

ROOT = Path(__file__).parents[3]
HOOK = ROOT / "src" / "marrow" / "surfaces" / "hook" / "run.py"
# Only what fails waits for so long: a busy machine is no failure.
PATIENCE_SECONDS = 90.0


class House:
    """A user's home with a repository in it, and the programs that run there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "h" / ".marrow"
        self.project = folder / "project"
        self._started: list[subprocess.Popen[bytes]] = []
        self.project.mkdir(parents=True)
        (folder / "h").mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        source = str(ROOT / "src")
        self.environ = {**kept, "HOME": str(folder / "h"), "MARROW_HOME": str(self.home), "PYTHONPATH": source}
        self.environ["TMPDIR"] = str(folder)
        # Patience, because a busy machine is no failure. What happens when it runs out has tests of its own.
        self.environ["MARROW_RECALL_TIME_BUDGET_MS"] = "20000"

    def marrow(self, *words: str, **more: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "marrow", *words]
        asked = {"cwd": self.project, "env": self.environ, "capture_output": True, "text": True, "timeout": 60}
        return subprocess.run(command, check=False, **{**asked, **more})

    def started(self, *words: str, **more: Any) -> subprocess.Popen[bytes]:
        asked = {"cwd": self.project, "env": self.environ, "stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        made = subprocess.Popen([sys.executable, "-m", "marrow", *words], **{**asked, **more})
        self._started.append(made)
        return made

    def hook(self, event: str, session: str = "s1", **payload: Any) -> subprocess.CompletedProcess[bytes]:
        """As Claude Code starts it."""
        said = {"session_id": session, "cwd": str(self.project), "hook_event_name": event, "transcript_path": "/x"}
        return subprocess.run(
            [sys.executable, "-I", "-S", str(HOOK), "claude-code", event],
            input=json.dumps({**said, **payload}).encode(),
            env=self.environ,
            cwd=self.project,
            capture_output=True,
            check=False,
            timeout=60,
        )

    def told(self, event: str, session: str = "s1", **payload: Any) -> str:
        """What the hook put into the session's context."""
        out = self.hook(event, session, **payload).stdout
        found: str = json.loads(out)["hookSpecificOutput"]["additionalContext"] if out else ""
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return line.ask(method, params or {}, PATIENCE_SECONDS, home=str(self.home), environ=self.environ)

    def is_listening(self) -> bool:
        return line.is_there(home=str(self.home), environ=self.environ)

    def pid(self) -> int:
        return int(json.loads((self.home / "run" / "daemon.lock").read_text())["pid"])

    def start(self) -> int:
        done = self.marrow("daemon", "start", "--json")
        assert done.returncode == 0, done.stderr
        return int(json.loads(done.stdout)["pid"])

    def daemons(self) -> list[int]:
        """The processes that are daemons of this home."""
        found = []
        for folder in Path("/proc").iterdir():
            if folder.name.isdigit():
                try:
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                    environ = (folder / "environ").read_bytes()
                except OSError:
                    continue
                if b"daemon" in words and str(self.home).encode() in environ:
                    found.append(int(folder.name))
        return found

    def end(self) -> None:
        """Ends the daemon. Where it took long to start, on a busy machine, its host has started a second one, and that
        takes the place of the one that is told to end: it is told too."""

        def is_over() -> bool:
            with suppress(OSError):
                line.ask("marrow/stop", {}, PATIENCE_SECONDS, home=str(self.home), environ=self.environ)
            return self.daemons() == []

        eventually(is_over, "the daemon has ended")

    def close(self) -> None:
        for process in self._started:
            if process.poll() is None:  # its test has failed: it must not fail the next one's
                process.kill()
                process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()
        for pid in self.daemons():
            os.kill(pid, signal.SIGKILL)


def eventually(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < until, f"never: {what}"
        time.sleep(0.02)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    if sys.platform == "win32":
        pytest.skip("looks for processes in /proc")
    made = House(tmp_path)
    assert len(os.fsencode(where.socket(str(made.home)))) < 108
    yield made
    made.close()
