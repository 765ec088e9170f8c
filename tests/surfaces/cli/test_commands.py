"""Every operation of the table is a command: it can be named, it is explained, and it answers."""

from __future__ import annotations

import io
import json
import shlex
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, get_args, get_origin

import pytest

from marrow.memory import renew
from marrow.model.errors import Invalid
from marrow.operations.catalogue import NAMES, TABLE
from marrow.operations.table import Argument, Operation
from marrow.store.sqlite.statements import TERMS_FORM
from marrow.surfaces.cli import commands, examples, own, pages
from marrow.surfaces.cli.arguments import choices, flag, is_address, is_list, is_mapping
from marrow.surfaces.cli.invocation import COMMON_FLAGS
from marrow.surfaces.cli.other_words import MEANT
from marrow.surfaces.cli.output import Output
from marrow.surfaces.cli.parsing import parse, shape_of

from .conftest import Here

ENTRIES = {entry.name: entry for entry in commands.shown()}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_operation_is_shown_once_and_found_by_its_words(name: str) -> None:
    shown = [entry for entry in commands.shown() if entry.operation.name == name]
    assert len(shown) == 1  # one of Marrow's own may stand in its place
    entry, length = commands.find([*shown[0].words, "--json"])
    assert entry is shown[0]
    assert length == len(shown[0].words)


def test_every_other_word_for_a_command_is_none_itself_and_means_one_that_is_there() -> None:
    for word, meant in MEANT.items():
        assert commands.find([word])[0] is None, word
        if not meant.startswith("-"):
            entry, length = commands.find(meant.split())
            assert entry is not None, meant
            rest = [one for one in meant.split()[length:] if one.startswith("--")]
            flags = {f"--{no}{flag(a.name)[2:]}" for a in entry.operation.arguments for no in ("", "no-")}
            assert set(rest) <= flags, meant


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_and_alias_is_accepted_as_one_word(name: str) -> None:
    for spelled in (name, name.replace("_", "-")):
        entry, length = commands.find([spelled])
        assert entry is not None
        assert entry.operation.name == NAMES[name] or entry.is_own
        assert length == 1


def test_an_alias_of_one_word_is_a_command_of_its_own() -> None:
    entry, length = commands.find(["show", "4f2a"])
    assert entry is not None
    assert (entry.name, length) == ("session show", 1)
    entry, _ = commands.find(["claim", "something"])
    assert entry is not None
    assert entry.operation.name == "memory_save"


def test_an_alias_never_takes_words_away_from_a_command() -> None:
    entry, length = commands.find(["search", "context"])
    assert entry is not None
    assert (entry.operation.name, length) == ("memory_search", 1)


def test_a_word_can_be_a_command_and_begin_another() -> None:
    assert commands.find(["audit", "--since", "today"])[1] == 1
    entry, length = commands.find(["audit", "verify"])
    assert entry is not None
    assert (entry.operation.name, length) == ("audit_verify", 2)


def test_after_two_dashes_words_are_no_longer_a_command() -> None:
    with pytest.raises(Invalid):
        parse(["audit", "--", "verify"], Output())  # audit itself takes no words
    entry, values, _ = parse(["log", "--", "--json"], Output())
    assert (entry.name, values) == ("log", {"topic": "--json"})


def test_what_marrow_does_itself_goes_before_an_operation_of_the_same_word() -> None:
    assert ENTRIES["help"].is_own
    assert ENTRIES["memory help"].operation.name == "memory_help"


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_command_has_help_that_names_its_arguments_and_shows_an_example(name: str) -> None:
    entry = ENTRIES[name]
    page = pages.page_of(entry.words)
    form = shape_of(entry)
    assert page.startswith(f"Usage: marrow {name}")
    assert entry.operation.summary.split(". ")[0].split()[0] in page
    for argument in form.positionals:
        assert argument.name.upper() in page
    for argument in form.options:
        assert flag(argument.name) in page
    for alias in entry.operation.aliases:
        assert alias in page
    assert "Examples:\n  " in page
    assert all(common in page for common in COMMON_FLAGS)


def test_the_top_of_help_is_short_and_names_only_what_is_there(here: Here) -> None:
    page = here("--help").out
    assert here().out == here("help").out == here("-h").out == page
    lines = page.splitlines()
    assert len(lines) < 70
    assert sum(line.startswith("  marrow ") for line in lines) == len(examples.FIRST_MINUTE) == 3
    assert {name for found in examples.EVERY_DAY.values() for name in found} <= {*ENTRIES}
    assert f"lists all {len(ENTRIES)} commands" in " ".join(page.split())


def test_help_on_commands_lists_every_command_under_its_group(here: Here) -> None:
    lines = [line.strip() for line in here("help", "commands").out.splitlines()]
    assert all(any(line == name or line.startswith(f"{name} ") for line in lines) for name in ENTRIES)


@pytest.mark.parametrize(
    "words", [["recall", "--help"], ["help", "recall"], ["--json", "recall", "-h", "x"], ["help", "memory_recall"]]
)
def test_help_on_a_command_can_be_asked_for_in_every_way(here: Here, words: list[str]) -> None:
    ran = here(*words)
    assert ran.code == 0
    assert ran.out.startswith("Usage: marrow recall MESSAGE… [OPTIONS]")


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_example_is_one_that_the_parser_accepts(name: str) -> None:
    entry = ENTRIES[name]
    for line in examples.examples_of(entry, shape_of(entry)):
        if line.startswith("marrow "):
            words = shlex.split(line.partition(" | ")[0])[1:]
            found, _, _ = parse(words, Output())
            assert found.words[: len(entry.words)] == entry.words, line
    assert set(examples.BY_HAND) <= {e.operation.name for e in ENTRIES.values()}


@pytest.mark.parametrize("name", sorted(TABLE))
def test_no_argument_takes_the_name_of_a_common_flag(name: str) -> None:
    taken = {flag(spelled) for a in TABLE[name].arguments for spelled in (a.name, *a.spellings)}
    assert not taken & {*COMMON_FLAGS, "--help", "--store", "--yes"}


@pytest.mark.parametrize("name", sorted(ENTRIES))
def test_every_argument_can_also_be_given_by_its_name_and_spellings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO())
    )  # what may come through a pipe is looked for there
    entry = ENTRIES[name]
    if entry.operation.name == "mcp":
        return  # it is started before the command line is
    for argument in entry.operation.arguments:
        for spelled in (argument.name, *argument.spellings):
            text = "k=v" if is_mapping(argument) else "1" if argument.type in (int, float) else '["x"]'
            words = [flag(spelled)] if argument.type is bool else [flag(spelled), text]
            _, values, _ = parse([*entry.words, *words], Output())
            assert argument.name in values


@pytest.mark.parametrize("name", sorted(TABLE))
def test_every_operation_answers_in_json(name: str, here: Here, tmp_path: Path) -> None:
    first = here("save", "we use SQLite: no server", "--json").json["items"][0]["address"]
    second = here("save", "the port of the API is 8080", "--json").json["items"][0]["address"]
    here("snapshot", "create", "before")
    (tmp_path / "file.jsonl").write_text('{"content": "from a file"}\n', encoding="utf-8")
    known = {"address": first, "source": first, "target": second, "a": "before", "project": _project(here)}
    entry = commands.entry_of(name)
    words: list[str] = []
    for argument in entry.operation.arguments:
        if argument.required:
            words += [flag(argument.name), _value(argument, entry.operation, known, tmp_path)]
    ran = here(*entry.words, *words, "--json")
    shape = ran.json
    assert isinstance(shape, dict)
    assert ("error" in shape) == (ran.code != 0)
    assert ran.code != 70
    assert ran.err == ""


def _project(here: Here) -> str:
    return str(here("status", "--json").json["project"])


def _value(argument: Argument, operation: Operation, known: dict[str, str], folder: Path) -> str:
    if few := choices(argument):
        return few[0]
    if argument.name in known and (is_address(argument, operation) or argument.name not in ("source", "target")):
        return known[argument.name]
    if argument.name == "source":
        return str(folder / "file.jsonl")
    if argument.name in ("path", "file"):
        return str(folder / "new.db")
    if get_origin(argument.type) in (list, tuple) or is_list(argument):
        return json.dumps([1 if get_args(argument.type)[:1] == (int,) else "a"])
    kind: Any = argument.type
    return {int: "1", float: "0.5"}.get(kind, "sqlite")


def test_own_commands_are_described_as_operations_are() -> None:
    assert all(mine.summary and mine.group == own.GROUP for mine in own.OWN)


def older_words(environment: dict[str, str]) -> Callable[[], list[tuple[str]]]:
    """Make the index of words an older Marrow's; what says then which form it has."""
    store = str(next(Path(environment["HOME"]).rglob("*.db")))

    def facts(statement: str) -> list[tuple[str]]:
        with closing(sqlite3.connect(store)) as connection, connection:
            return connection.execute(statement).fetchall()

    facts("DELETE FROM facts WHERE name = 'terms'")
    return lambda: facts("SELECT value FROM facts WHERE name = 'terms'")


def test_words_of_an_older_marrow_are_told_by_a_search_and_no_fault_and_a_save_renews_the_few(
    here: Here, environment: dict[str, str]
) -> None:
    here("save", "Die Straße ist lang.")
    form = older_words(environment)
    searched = here("search", "zzyzx", "--kinds", "incident")
    assert "marrow reindex words" in searched.out + searched.err
    looked = here("doctor")
    assert (looked.code, "older Marrow" in looked.out) == (0, True)
    assert form() == []
    assert here("save", "The gate is blue.").code == 0
    assert form() == [(TERMS_FORM,)]
    assert "reindex" not in here("search", "zzyzx", "--kinds", "incident").out


def test_words_of_an_older_marrow_in_a_large_store_are_left_to_the_daemon(
    here: Here, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here("save", "Die Straße ist lang.")
    form = older_words(environment)
    monkeypatch.setattr(renew, "FEW", 1)
    assert here("save", "The gate is blue.").code == 0
    assert form() == []
