"""Completion: the scripts know the commands, and the rest is asked for."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from marrow.surfaces.cli import commands
from marrow.surfaces.cli.completion import addresses, candidates, projects

from .conftest import CommandLine, Here


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_has_every_command(here: Here, shell: str) -> None:
    ran = here("completion", shell)
    assert ran.code == 0
    for entry in commands.shown():
        assert entry.words[-1] in ran.out
        assert shell == "fish" or entry.name in ran.out


def test_another_shell_is_refused(here: Here) -> None:
    assert here("completion", "tcsh").code == 2


def test_words_of_commands_are_completed() -> None:
    assert set(candidates([], "sear")) == {"search"}
    assert set(candidates(["config"], "")) >= {"get", "set", "unset"}
    assert set(candidates(["audit"], "v")) == {"verify"}
    assert set(candidates(["--json"], "recal")) == {"recall"}
    assert "memory_recall" not in candidates([], "")


def test_options_and_their_values_are_completed() -> None:
    assert set(candidates(["search"], "--sc")) == {"--scope"}
    assert set(candidates(["search", "--scope"], "")) == {"project", "global", "all"}
    assert set(candidates(["search", "x", "--match"], "al")) == {"all"}
    assert {"--json", "--project", "--no-color"} <= set(candidates(["recall"], "--"))
    assert set(candidates(["completion"], "")) == {"bash", "zsh", "fish"}
    assert {"--json", "--store"} <= set(candidates([], "--"))


def test_addresses_are_completed_from_two_digits_on(here: Here) -> None:
    address = here("save", "we use SQLite: no server", "--json").json["items"][0]["address"]
    assert addresses(None, address[:2]) == [(address, "we use SQLite: no server")]
    assert candidates(["get"], address[:3]) == {address: "we use SQLite: no server"}
    assert candidates(["relate", address], address[:2].upper()) == {address: "we use SQLite: no server"}
    assert addresses(None, address[:1]) == addresses(None, "zz") == addresses(None, "") == []


def test_projects_are_completed(here: Here) -> None:
    here("init", "kiln")
    here("init", "kite")
    assert sorted(projects(None, "ki")) == ["kiln", "kite"]
    assert set(candidates(["status", "--project"], "kil")) == {"kiln"}
    assert set(candidates(["search", "x", "--project"], "kil")) == {"kiln"}


def test_completing_makes_no_store_and_never_fails(here: Here, environment: dict[str, str]) -> None:
    from pathlib import Path

    assert here("_complete", "get", "ab").out == ""
    assert here("_complete", "get", "--store", "/nowhere/x.db", "ab").out == ""
    assert here("_complete", "nonsense", "--x", "").code == 0
    assert here("_complete").code == 0
    assert not Path(environment["MARROW_HOME"]).exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
def test_bash_completes_with_the_script(marrow: CommandLine, here: Here) -> None:
    address = here("save", "we use SQLite: no server", "--json").json["items"][0]["address"]
    ask = f"""
{here("completion", "bash").out}
marrow() {{ "{MARROW_PYTHON}" -m marrow "$@"; }}
try() {{ COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _marrow; echo "${{COMPREPLY[@]}}"; }}
try marrow reca
try marrow config ''
try marrow audit v
try marrow search --sco
try marrow get {address[:4]}
"""
    ran = subprocess.run(
        ["bash", "-c", ask], env=marrow.environment, cwd=marrow.repository, capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert ran.stdout.splitlines() == ["recall", "get set unset", "verify", "--scope", address]


MARROW_PYTHON = __import__("sys").executable
