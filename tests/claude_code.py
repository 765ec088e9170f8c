"""The real Claude Code, brought once into `.cache/`: a native program, run offline and in a home of its own.

`from tests.claude_code import claude_code  # noqa: F401` makes the fixture known to a module or a conftest. A test that
uses it is marked `tool`. Where the program cannot be brought, the test is skipped, and in CI it fails.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tools import missing, node_at_least, npm_package

PACKAGE, VERSION, NODE = "@anthropic-ai/claude-code", "2.1.325", (18, 0)
SECONDS = 120


def claude_program() -> Path:
    """The program itself. npm brings the build for this system beside the package, which is only a launcher."""
    package = npm_package(PACKAGE, VERSION, node_at_least(NODE))
    builds = sorted(package.parent.glob(f"{package.name}-*"))
    found = [build / name for build in builds for name in ("claude", "claude.exe") if (build / name).is_file()]
    if not found:
        missing("Claude Code", f"{PACKAGE} {VERSION} has no program for this system")
    return found[0]


@dataclass(frozen=True)
class ClaudeCode:
    """The program, in a home. `path` are folders that go before the system's, such as that of `marrow`."""

    program: Path
    home: Path
    path: tuple[Path, ...] = ()

    def environment(self, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Nothing of the developer's own: no keys, no settings, no traffic but to `ANTHROPIC_BASE_URL`."""
        folders = [*map(str, self.path), "/usr/local/bin", "/usr/bin", "/bin"]
        return {
            "PATH": os.pathsep.join(folders),
            "HOME": str(self.home),
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
            "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",  # nobody: a test with an API of its own names it
            "ANTHROPIC_API_KEY": "sk-dummy",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "IS_SANDBOX": "1",
            **(more or {}),
        }

    def run(
        self, *arguments: str, cwd: Path, env: Mapping[str, str] | None = None, given: str = ""
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(self.program), *arguments],
            cwd=cwd,
            env=self.environment(env),
            input=given,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )


@pytest.fixture(scope="session")
def claude_code_program() -> Path:
    return claude_program()


@pytest.fixture
def claude_code(claude_code_program: Path, tmp_path: Path) -> ClaudeCode:
    home = tmp_path / "claude-home"
    home.mkdir()
    return ClaudeCode(claude_code_program, home)
