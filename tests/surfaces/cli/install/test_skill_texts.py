"""The skills that come with Marrow: portable, and every call in them is one that works."""

from __future__ import annotations

import re
import shlex

import pytest

from marrow.operations.catalogue import TABLE
from marrow.surfaces.cli.hosts.skill_files import PORTABLE_KEYS, list_skills
from marrow.surfaces.cli.hosts.skill_texts import ROOT, plugin_skills, user_skills
from marrow.surfaces.cli.output import Output
from marrow.surfaces.cli.parsing import parse

NAMES = {"session-init", "session-save", "mem-search", "mem-decide", "mem-explain", "mem-forget", "mem-handoff"}
CALL = re.compile(r"`([a-z_]+)\((.*?)\)`")
COMMAND = re.compile(r"`marrow ([^`]+)`")
BODY_LINES_MAX = 40


def test_the_skills_are_these_and_portable() -> None:
    skills = list_skills(ROOT)
    assert {skill.name for skill in skills} == NAMES
    for path, text in {**plugin_skills(), **user_skills(), **user_skills("marrow")}.items():
        if path.endswith("/SKILL.md"):
            keys = [line.partition(":")[0] for line in text.split("---")[1].strip().split("\n")]
            assert set(keys) <= set(PORTABLE_KEYS), path
            assert f"name: {path.partition('/')[0]}\n" in text
            assert text.count("\n") <= BODY_LINES_MAX, path
        assert "{{" not in text, path


def test_each_says_what_it_is_for_and_when_to_use_it() -> None:
    assert [skill.name for skill in list_skills(ROOT) if " Use " not in skill.description] == []


def test_every_tool_that_a_skill_calls_takes_what_it_is_given() -> None:
    calls = [found for text in plugin_skills().values() for found in CALL.findall(text)]
    assert len(calls) > 15
    for name, given in calls:
        assert name in TABLE, name
        known = {argument.name for argument in TABLE[name].arguments}
        assert set(re.findall(r"(\w+)=", re.sub(r'"[^"]*"', '""', given))) <= known, (name, given)


def test_every_command_that_a_skill_runs_can_be_parsed() -> None:
    commands = [found for text in user_skills("marrow").values() for found in COMMAND.findall(text)]
    assert len(commands) > 15
    for words in commands:
        entry, _, _ = parse(shlex.split(words), Output())
        assert entry.name, words


def test_a_whole_path_stands_where_marrow_is_not_on_the_path() -> None:
    text = user_skills("/opt/marrow/bin/marrow")["marrow-search/SKILL.md"]
    assert '`/opt/marrow/bin/marrow recall "the question"`' in text


@pytest.mark.parametrize("files", [plugin_skills(), user_skills()], ids=["plugin", "user"])
def test_a_skill_that_another_names_is_there(files: dict[str, str]) -> None:
    there = {path.partition("/")[0] for path in files}
    named = {name for text in files.values() for name in re.findall(r"skill `([\w-]+)`", text)}
    assert named
    assert named <= there
