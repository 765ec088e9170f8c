"""The command line as people meet it: a process of its own, on a terminal or in a pipe, or a quick run in this one."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from marrow.__main__ import main

MARROW = [sys.executable, "-m", "marrow"]


@dataclass(frozen=True)
class Ran:
    """How a run ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(frozen=True)
class CommandLine:
    """`marrow` in a process of its own, with a home and a repository of its own."""

    repository: Path
    environment: dict[str, str]

    def run(self, *arguments: str, given: bytes | str = b"", env: Mapping[str, str] | None = None) -> Ran:
        data = given.encode() if isinstance(given, str) else given
        done = subprocess.run(
            [*MARROW, *arguments],
            input=data,
            capture_output=True,
            cwd=self.repository,
            env={**self.environment, **(env or {})},
            check=False,
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def on_terminal(
        self, *arguments: str, columns: int = 80, typed: bytes = b"", env: Mapping[str, str] | None = None
    ) -> Ran:
        """The same on a terminal: what is written to either stream is in `out`."""
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen(
            [*MARROW, *arguments],
            stdin=child,
            stdout=child,
            stderr=child,
            cwd=self.repository,
            env={**self.environment, "TERM": "xterm-256color", **(env or {})},
        )
        os.close(child)
        os.write(parent, typed)
        written = b""
        while True:
            try:
                part = os.read(parent, 65536)
            except OSError:  # Linux says so when the other side is closed
                break
            if not part:
                break
            written += part
        os.close(parent)
        return Ran(process.wait(), written.decode().replace("\r\n", "\n"), "")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository with a document and three commits."""
    folder = tmp_path / "repository"
    (folder / "docs").mkdir(parents=True)
    (folder / "README.md").write_text(
        "# Kiln\n\nKiln bakes reports from tables.\n\n## Choice of database\n\n"
        "The reports are kept in SQLite, because it needs no server and the files are small.\n",
        encoding="utf-8",
    )
    (folder / "docs" / "deploy.md").write_text(
        "# Deploying Kiln\n\nDeploy on Tuesdays: the warehouse is closed for loading on every other day.\n",
        encoding="utf-8",
    )
    git = ["git", "-C", str(folder), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    messages = (
        "Add the first report",
        "Retry the upload three times\n\nThe proxy drops idle connections after a minute.",
        "Pin the fonts\n\nReports looked different on every machine.\n\nSigned-off-by: Ada <ada@example.org>",
    )
    subprocess.run([*git, "init", "-q", "-b", "main"], check=True, capture_output=True)
    subprocess.run([*git, "add", "."], check=True, capture_output=True)
    for message in messages:
        subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True, capture_output=True)
    return folder


@pytest.fixture
def environment(child_environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """The variables of a user who has nothing yet."""
    unwanted = ("MARROW_", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "GIT_")
    kept = {name: value for name, value in child_environment.items() if not name.startswith(unwanted)}
    for name in ("home", "temporary"):
        (tmp_path / name).mkdir(exist_ok=True)
    return {
        **kept,
        "HOME": str(tmp_path / "home"),
        "MARROW_HOME": str(tmp_path / "home" / ".marrow"),
        "TMPDIR": str(tmp_path / "temporary"),
        "PYTHONUTF8": "1",
    }


@pytest.fixture
def marrow(repository: Path, environment: dict[str, str]) -> CommandLine:
    return CommandLine(repository, environment)


class Here:
    """`marrow` in this process: quick, for breadth."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.capsys = capsys
        self.monkeypatch = monkeypatch

    def __call__(self, *arguments: str, given: bytes = b"") -> Ran:
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given)))
        self.capsys.readouterr()
        code = main(list(arguments))
        said = self.capsys.readouterr()
        return Ran(code, said.out, said.err)


@pytest.fixture
def here(
    repository: Path,
    environment: dict[str, str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Here:
    for name in ("NO_COLOR", "COLUMNS", *(name for name in os.environ if name.startswith("MARROW_"))):
        monkeypatch.delenv(name, raising=False)
    for name in ("HOME", "MARROW_HOME", "TMPDIR"):
        monkeypatch.setenv(name, environment[name])
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)  # the program puts its own there
    monkeypatch.chdir(repository)
    return Here(capsys, monkeypatch)
