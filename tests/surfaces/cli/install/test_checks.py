"""Whether an installation still works: every link of the chain that can break is found broken."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from marrow.surfaces.cli.hosts.checks import Check, checks, installed_hosts
from marrow.surfaces.cli.hosts.programs import Programs, programs_here

from ..conftest import Here

INSTALL = "marrow.surfaces.cli.install.programs_here"


def broken(found: list[Check]) -> list[str]:
    return [check.name for check in found if not check.ok]


@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor", "copilot", "gemini", "opencode"])
def test_a_fresh_installation_works(here: Here, host: str) -> None:
    here("install", host, "--yes")
    found = checks(host)
    assert [check for check in found if not check.ok] == []
    assert {"installed", "hook", "server"} <= {check.name for check in found}
    assert [one.name for one in installed_hosts()] == [host]


def test_without_an_installation_there_is_one_check_and_it_says_so(here: Here) -> None:
    (only,) = checks("codex")
    assert (only.ok, only.hint) == (False, "Run `marrow install codex`.")
    assert installed_hosts() == []


def test_an_entry_that_someone_took_out_is_missed(here: Here, home: Path) -> None:
    here("install", "claude-code", "--yes")
    (home / ".claude" / "settings.json").write_text("{}", encoding="utf-8")
    (home / ".claude.json").unlink()
    found = checks("claude-code")
    assert broken(found) == ["hooks", "MCP server"]
    assert [check.hint for check in found if not check.ok] == ["Run `marrow install claude-code`."] * 2
    here("install", "claude-code", "--yes")
    assert broken(checks("claude-code")) == []


def test_a_file_that_can_no_longer_be_read_is_said(here: Here, home: Path) -> None:
    here("install", "cursor", "--yes")
    (home / ".cursor" / "hooks.json").write_text("{ // mine", encoding="utf-8")
    assert broken(checks("cursor")) == ["files"]


def test_an_interpreter_that_is_gone_is_found(here: Here) -> None:
    here.monkeypatch.setattr(INSTALL, lambda: programs_here("/nowhere/python"))
    here("install", "claude-code", "--yes")
    found = checks("claude-code")
    assert broken(found) == ["hook", "server"]
    assert "/nowhere/python" in next(check.detail for check in found if check.name == "hook")


def test_a_hook_program_that_does_nothing_is_found_though_it_ends_well(here: Here, tmp_path: Path) -> None:
    program = tmp_path / "surfaces" / "hook" / "run.py"
    program.parent.mkdir(parents=True)
    program.write_text("pass\n", encoding="utf-8")
    made = programs_here()
    here.monkeypatch.setattr(
        INSTALL, lambda: Programs((sys.executable, "-I", "-S", str(program)), made.mcp, made.command)
    )
    here("install", "claude-code", "--yes")
    (hook,) = (check for check in checks("claude-code") if check.name == "hook")
    assert not hook.ok
    assert "without doing anything" in hook.detail
    program.write_text("print('hello')\n", encoding="utf-8")
    assert "it printed" in next(check.detail for check in checks("claude-code") if check.name == "hook")


def test_a_damaged_receipt_is_said_and_not_a_crash(here: Here, home: Path) -> None:
    here("install", "codex", "--yes")
    (home / ".marrow" / "installed" / "codex.json").write_text("{}", encoding="utf-8")
    (only,) = checks("codex")
    assert not only.ok
    assert "no receipt" in only.detail
    assert here("uninstall", "--yes").code == 2
