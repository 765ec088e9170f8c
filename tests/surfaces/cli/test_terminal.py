"""On a terminal: laid out, coloured unless that is not wanted, wrapped, and nothing in a memory can drive it."""

from __future__ import annotations

import re

import pytest

from .conftest import CommandLine

ESCAPE = "\x1b"
PLAIN = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def test_a_terminal_gets_colour_and_age(marrow: CommandLine) -> None:
    marrow.run("save", "we use SQLite: no server", "--domain", "decisions", "--tags", "db", "--pinned")
    out = marrow.on_terminal("recall", "why sqlite").out
    assert "\x1b[32mdecisions/claim\x1b[0m" in out
    lines = PLAIN.sub("", out).splitlines()
    assert lines[0] == "Pinned"
    assert re.fullmatch(r"[0-9a-f]{12}  decisions/claim  just now  pinned  #db", lines[1])
    assert lines[2] == "  we use SQLite: no server"


@pytest.mark.parametrize(("words", "env"), [(["--no-color"], {}), ([], {"NO_COLOR": "1"})])
def test_without_colour_the_same_is_said(marrow: CommandLine, words: list[str], env: dict[str, str]) -> None:
    marrow.run("save", "we use SQLite: no server")
    for command in (["recall", "sqlite"], ["log"], ["help"], ["nonsense"], ["config"]):
        coloured, plain = marrow.on_terminal(*command), marrow.on_terminal(*command, *words, env=env)
        assert ESCAPE in coloured.out
        assert ESCAPE not in plain.out
        assert PLAIN.sub("", coloured.out) == plain.out


@pytest.mark.parametrize("columns", [20, 100])
def test_text_is_wrapped_to_the_terminal_whatever_its_width(marrow: CommandLine, columns: int) -> None:
    text = "The furnace is lit at six and checked twice, 日本語 too, before anyone may open the door of it."
    marrow.run("save", text, "--domain", "patterns")
    marrow.run("snapshot", "create", "before")
    for command in (["recall", "when is the furnace lit"], ["log"], ["status"], ["snapshot", "list"], ["projects"]):
        ran = marrow.on_terminal(*command, columns=columns)
        assert ran.code == 0
        assert max(_cells(line) for line in PLAIN.sub("", ran.out).splitlines()) <= columns
    said = PLAIN.sub("", marrow.on_terminal("recall", "when is the furnace lit", columns=columns).out)
    assert "日本語" in said


def _cells(line: str) -> int:
    from rich.cells import cell_len

    return cell_len(line)


def test_a_narrow_terminal_loses_no_text_of_a_table(marrow: CommandLine) -> None:
    marrow.run("save", "The furnace is lit at six and checked twice before anyone may open the door.")
    for columns in (30, 200):
        said = "".join(PLAIN.sub("", marrow.on_terminal("log", columns=columns).out).split())
        assert "Thefurnaceislitatsix" in said


def test_what_a_memory_says_cannot_drive_the_terminal(marrow: CommandLine) -> None:
    hostile = "harmless \x1b]0;owned\x07 and \x1b[2J red \x9b31m \u202etxt.exe"
    address = marrow.run("save", hostile, "--json").json["items"][0]["address"]
    for command in (["recall", "harmless red"], ["get", address], ["log"], ["search", "harmless", "--explain"]):
        out = marrow.on_terminal(*command, "--no-color").out
        assert "harmless" in out
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out)


def test_json_is_json_on_a_terminal_too(marrow: CommandLine) -> None:
    marrow.run("save", "we use SQLite: no server")
    assert marrow.on_terminal("recall", "sqlite", "--json").json["items"][0]["content"] == "we use SQLite: no server"
    assert marrow.on_terminal("nonsense", "--json").json["error"]["code"] == "invalid"


def test_short_work_shows_no_progress(marrow: CommandLine) -> None:
    marrow.run("save", "we use SQLite: no server")
    assert "━" not in marrow.on_terminal("audit", "verify").out


def test_something_is_only_lost_after_a_yes(marrow: CommandLine) -> None:
    address = marrow.run("save", "a secret plan", "--json").json["items"][0]["address"]
    declined = marrow.on_terminal("erase", address, typed=b"n\n")
    assert declined.code == 1
    assert "would be erased" in declined.out
    assert "Go on? [y/N]" in declined.out
    assert "Nothing was changed." in declined.out
    assert marrow.run("get", address).code == 0
    assert marrow.on_terminal("erase", address, typed=b"\x04").code == 1
    assert marrow.on_terminal("erase", address, typed=b"y\n").code == 0
    assert marrow.run("get", address).code == 3


def test_without_a_terminal_something_is_only_lost_when_it_was_said(marrow: CommandLine) -> None:
    address = marrow.run("save", "a secret plan", "--json").json["items"][0]["address"]
    looked = marrow.run("erase", address, given="y\n")
    assert (looked.code, looked.err) == (0, "")
    assert "1 node would be erased" in looked.out
    assert "Nothing was changed yet" in looked.out
    refused = marrow.run("erase", address, "--no-dry-run", given="y\n")
    assert (refused.code, refused.out) == (2, ""), refused.err
    assert "--yes" in refused.err
    rehearsed = marrow.run("erase", address, "--dry-run", "--yes")
    assert rehearsed.code == 0
    assert marrow.run("get", address).code == 0
    assert marrow.run("erase", address, "--yes").code == 0
    assert marrow.run("get", address).code == 3


def test_json_cannot_drive_the_terminal_and_is_the_same_value(marrow: CommandLine) -> None:
    hostile = "red \x9b31m \u202etxt.exe"
    address = marrow.run("save", hostile, "--json").json["items"][0]["address"]
    found = marrow.on_terminal("get", address, "--json")
    assert not {"\x9b", "\u202e"}.intersection(found.out)
    assert found.json["content"] == hostile
