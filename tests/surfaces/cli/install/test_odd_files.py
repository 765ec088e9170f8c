"""Files of hosts that are links, read-only, or not where one thinks; and receipts that cannot be read."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.surfaces.cli.doctor import chain_checks
from marrow.surfaces.cli.hosts.apply import DRAFT
from marrow.surfaces.cli.hosts.checks import Check, checks
from marrow.surfaces.cli.hosts.programs import programs_here

from ..conftest import Here
from .conftest import Seen, everything_in


def test_a_link_to_nothing_stays_one_and_what_it_led_to_goes_again(
    here: Here, home: Path, seen: Callable[[], Seen]
) -> None:
    link = home / ".gemini" / "settings.json"
    link.parent.mkdir()
    link.symlink_to("../dotfiles/gemini/settings.json")
    assert here("install", "gemini", "--yes").code == 0
    assert (home / "dotfiles/gemini/settings.json").is_file()
    here("uninstall", "gemini", "--yes")
    assert link.is_symlink()
    assert not (home / "dotfiles").exists(), "neither our entries nor the folders made for them are left"


def test_a_file_of_ours_that_was_moved_and_linked_to_is_emptied_of_ours(here: Here, home: Path) -> None:
    here("install", "cursor", "--yes")
    link, moved = home / ".cursor" / "mcp.json", home / "dotfiles" / "mcp.json"
    moved.parent.mkdir()
    link.rename(moved)
    link.symlink_to(moved)
    here("uninstall", "cursor", "--yes")
    assert link.is_symlink()
    assert not moved.exists()


@pytest.mark.parametrize(("mask", "mode"), [(0o077, 0o600), (0o022, 0o644)])
def test_a_new_file_has_the_permissions_that_the_user_gives_to_new_files(
    here: Here, home: Path, mask: int, mode: int
) -> None:
    before = os.umask(mask)
    try:
        here("install", "claude-code", "--yes")
    finally:
        os.umask(before)
    assert stat.S_IMODE((home / ".claude.json").stat().st_mode) == mode


def test_a_file_that_is_read_only_is_not_replaced(here: Here, home: Path) -> None:
    path = home / ".gemini" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}\n")
    path.chmod(0o444)
    before = everything_in(home)
    ran = here("install", "gemini", "--yes")
    assert ran.code == 73
    assert f"{path} cannot be written: it is read-only." in ran.err
    assert {name: data for name, data in everything_in(home).items() if not name.startswith(".marrow")} == before


def test_a_receipt_that_cannot_be_read_is_said_to_be_so(here: Here, home: Path) -> None:
    (home / ".marrow" / "installed" / "gemini.json").mkdir(parents=True)
    for command in ("install", "uninstall"):
        ran = here(command, "gemini", "--yes")
        assert "installed/gemini.json cannot be read: Is a directory." in ran.err
        assert "hint: " in ran.err


def test_one_broken_receipt_does_not_keep_the_others_in(here: Here, home: Path) -> None:
    here("install", "gemini", "cursor", "--yes")
    (home / ".marrow" / "installed" / "gemini.json").write_text("{")
    ran = here("uninstall", "--yes")
    assert "gemini.json is no receipt" in ran.err
    assert "Without Gemini CLI: marrow uninstall cursor\n" in ran.err
    assert here("uninstall", "cursor", "--yes").code == 0
    assert "marrow" in json.loads((home / ".gemini" / "settings.json").read_text())["mcpServers"]


def test_without_any_receipt_it_is_said_how_to_take_out_what_a_host_still_calls(here: Here, home: Path) -> None:
    here("install", "gemini", "--yes")
    (home / ".marrow" / "installed" / "gemini.json").unlink()
    assert "`marrow install HOST` and then `marrow uninstall HOST`" in here("uninstall", "--yes").out
    assert "`marrow install HOST` and then `marrow uninstall HOST`" in here("uninstall", "gemini", "--yes").err


def test_what_someone_put_into_our_server_is_kept_when_it_is_renewed(here: Here, home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    here("install", "cursor", "--yes")
    held = json.loads(path.read_text())
    held["mcpServers"]["marrow"]["env"] = {"MARROW_PROJECT": "orchard"}
    path.write_text(json.dumps(held, indent=4))
    assert "nothing to do" in here("install", "cursor", "--yes").out
    assert all(check.ok for check in checks("cursor"))
    for number in (1, 2):  # the second time, too, it is theirs and not ours
        moved = replace(programs_here(), mcp=(f"/new/python{number}", "-P", "-m", "marrow", "mcp"))
        with here.monkeypatch.context() as patched:
            patched.setattr("marrow.surfaces.cli.install.programs_here", lambda moved=moved: moved)
            here("install", "cursor", "--yes")
        server = json.loads(path.read_text())["mcpServers"]["marrow"]
        assert server["command"] == f"/new/python{number}"
        assert server["env"] == {"MARROW_PROJECT": "orchard"}
    here("uninstall", "cursor", "--yes")
    assert not path.exists()


def test_a_file_that_was_emptied_since_is_no_reason_to_stay(here: Here, home: Path) -> None:
    here("install", "claude-code", "codex", "--yes")
    for name in (".claude.json", ".codex/config.toml"):
        (home / name).write_bytes(b"\n")
    assert here("uninstall", "--yes").code == 0
    assert (home / ".claude.json").read_bytes() == b"\n"


def test_what_is_in_a_repository_is_checked_there_and_named_by_uninstall(here: Here, repository: Path) -> None:
    here("install", "claude-code", "--repository", "--yes")
    (repository / ".mcp.json").unlink()
    here.monkeypatch.chdir(repository)
    with here.monkeypatch.context() as patched:
        patched.setattr("marrow.surfaces.cli.doctor._attempt", lambda name, check: Check(name, True, ""))
        found = {check.name: check for check in chain_checks()}
    assert found["claude-code in this repository: hooks"].ok
    assert "Run `marrow install claude-code --repository`." in found["claude-code in this repository: MCP server"].hint
    assert "It is in this repository: add --repository." in here("uninstall", "--yes").out


@pytest.mark.parametrize(("host", "name"), [("gemini", ".gemini/settings.json"), ("cursor", ".cursor/mcp.json")])
def test_comments_that_someone_wrote_since_stay_and_stop_nothing(here: Here, home: Path, host: str, name: str) -> None:
    path = home / name
    here("install", host, "--yes")
    path.write_text(path.read_text().replace("{", "{ // mine", 1))
    if host == "gemini":
        assert "nothing to do" in here("install", host, "--yes").out
    assert here("uninstall", host, "--yes").code == 0
    assert path.read_text().split() == ["{", "//", "mine", "}"]


def test_a_plugin_is_seen_in_a_file_with_comments_too(here: Here, home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('\ufeff{\n  // on\n  "enabledPlugins": {"marrow@marrow": true},\n}\n', encoding="utf-8")
    assert "as the plugin marrow@marrow" in here("install", "claude-code", "--yes").err


def test_where_the_gemini_cli_is_told_to_be_elsewhere_its_file_is_there(here: Here, home: Path, tmp_path: Path) -> None:
    here.monkeypatch.setenv("GEMINI_CLI_HOME", str(tmp_path / "elsewhere"))
    here("install", "gemini", "--yes")
    assert (tmp_path / "elsewhere" / ".gemini" / "settings.json").is_file()
    assert not (home / ".gemini").exists()


def test_what_a_killed_run_left_goes_with_the_rest(here: Here, home: Path, seen: Callable[[], Seen]) -> None:
    before = seen()
    here("install", "claude-code", "--yes")
    for folder in (home, home / ".claude", home / ".claude" / "skills" / "marrow-search"):
        (folder / f"{DRAFT}x1").write_text("a copy")
    here("uninstall", "--yes")
    assert seen() == before
