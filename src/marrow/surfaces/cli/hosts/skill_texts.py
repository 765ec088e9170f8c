"""The skills that come with Marrow, written for a host: with its tools, or with the command line where there are none.

Both come from one text in `skills/`. In it `{{memory_recall message="…"}}` is a call. For a host that has the tools it
becomes `memory_recall(message="…")`, elsewhere the command: `marrow recall "…"`. `{{skill mem-search}}` is the name of
another skill as it is there, and `{{how}}` says how to make the calls.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from ....operations.catalogue import TABLE
from ..arguments import flag, is_list, shape
from .skill_files import FILE, REFERENCES, body_of, list_references, list_skills, load_reference

ROOT = Path(__file__).parent / "skills"
PREFIX = "marrow-"  # among the user's own skills; in a plugin the plugin's name stands before them
_CALL = re.compile(r"\{\{(\w+)((?: \w+=(?:\"[^\"]*\"|\w+))*)\}\}")
_ARGUMENT = re.compile(r" (\w+)=(\"[^\"]*\"|\w+)")
_OTHER = re.compile(r"\{\{skill ([\w-]+)\}\}")
_HOW = "{{how}}"
_LICENSE = "Apache-2.0"


@cache
def plugin_skills() -> dict[str, str]:
    """Path → text of every file of a plugin's skills, from the folder of skills: with the tools."""
    return _written("", "")


@cache
def user_skills(command: str = "") -> dict[str, str]:
    """The same as skills of a user's own. With a `command` they call that and need no tools."""
    return _written(command, PREFIX)


def _written(command: str, prefix: str) -> dict[str, str]:
    files: dict[str, str] = {}
    for skill in list_skills(ROOT):
        name = _named(skill.name, prefix)
        front = ["---", f"name: {name}", f"description: {skill.description}", f"license: {_LICENSE}", "---", ""]
        body = _rendered(body_of(ROOT, skill.name), command, prefix)
        files[f"{name}/{FILE}"] = "\n".join(front) + "\n" + body
        for path in list_references(ROOT, skill.name):
            text = load_reference(ROOT, skill.name, path)
            files[f"{name}/{REFERENCES}/{path}"] = _rendered(text, command, prefix)
    return files


def _named(name: str, prefix: str) -> str:
    return prefix + name.removeprefix("mem-") if prefix else name


def _rendered(text: str, command: str, prefix: str) -> str:
    how = (
        f"Run the commands below in the shell, in the project's folder. `{command} help` lists them all."
        if command
        else "Use the tools of the MCP server `marrow` (their names may carry a prefix of the host)."
    )
    text = _OTHER.sub(lambda found: f"`{_named(found[1], prefix)}`", text.replace(_HOW, how))
    return _CALL.sub(lambda found: f"`{_call(found[1], found[2], command)}`", text)


def _call(name: str, given: str, command: str) -> str:
    arguments: dict[str, str] = dict(_ARGUMENT.findall(given))
    operation = TABLE.get(name)
    if not command:
        lists = {a.name for a in operation.arguments if is_list(a)} if operation else set()
        said = (f"{key}={_as_list(value) if key in lists else value}" for key, value in arguments.items())
        return f"{name}({', '.join(said)})"
    placed = [a.name for a in shape(operation).positionals] if operation else []
    words = [command, *(operation.command if operation else name.removeprefix("memory_").split("_"))]
    words += [arguments.pop(key) for key in placed if key in arguments]
    for key, value in arguments.items():
        words += {"true": [flag(key)], "false": [f"--no-{flag(key)[2:]}"]}.get(value, [flag(key), value])
    return " ".join(words)


def _as_list(text: str) -> str:
    return json.dumps(text.strip('"').split(","))
