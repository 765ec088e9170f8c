"""A home with hosts in it: what their files may look like before anyone installs anything."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.claude_code import claude_code, claude_code_program  # noqa: F401 fixtures

# Where hosts look besides the home: a developer's own must not be found.
VARIABLES = ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "XDG_CONFIG_HOME")


@pytest.fixture(autouse=True)
def _nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def home(environment: dict[str, str]) -> Path:
    return Path(environment["HOME"])


Seen = dict[str, bytes]


def everything_in(folder: Path) -> Seen:
    """Every file, link and empty folder below, with what it holds."""
    seen: Seen = {}
    for above, folders, files in os.walk(folder):
        for name in folders:
            path = Path(above, name)
            if not any(path.iterdir()):
                seen[path.relative_to(folder).as_posix() + "/"] = b""
        for name in files:
            path = Path(above, name)
            seen[path.relative_to(folder).as_posix()] = path.read_bytes()
    return seen


@pytest.fixture
def seen(home: Path) -> Callable[[], Seen]:
    """What is in the home, Marrow's own folder aside."""
    return lambda: {name: data for name, data in everything_in(home).items() if not name.startswith(".marrow")}
