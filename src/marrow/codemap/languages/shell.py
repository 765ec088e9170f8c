"""Shell scripts: functions, variables of the script itself, what is sourced, and the words of commands."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from posixpath import join, normpath
from typing import TYPE_CHECKING

from ...model.code import FileMap, Import
from ..language import Finder, Language, Project, Rules
from .reading import Reading, Spelling, Step, part

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_definition) @function
(variable_assignment name: (variable_name) @variable)
(command name: (command_name (word) @word)) @command
(comment) @comment
[(string) (raw_string) (heredoc_body) (ansi_c_string)] @string
"""
# What the shell itself does: never a function of a project.
BUILTIN = frozenset(
    ". : [ [[ alias bg break cd command continue declare echo eval exec exit export false fg getopts hash help history "
    "jobs kill let local mapfile popd printf pushd pwd read readarray readonly return set shift shopt source test "
    "times trap true type typeset ulimit umask unalias unset wait".split()
)
FORWARDS = frozenset(("command", "exec", "eval", "trap", "time", "builtin"))

_FUNCTION = re.compile(rb"[\w:@+-]+\Z")
_LEADING = re.compile(r"^[\"']?(?:\$\{?[^/]*\}?|\$\([^)]*\)|`[^`]*`)/")
SPELLING = Spelling({"word": Step("name")}, lambda text: "")


def read(root: Node, source: bytes, path: str) -> FileMap:
    reading = Reading("bash", QUERY, SPELLING, root, source)
    for node in reading.nodes("function"):
        name = reading.text(node.child_by_field_name("name"))
        reading.define("function", node, name, node.child_by_field_name("body"))
    reading.place()
    known: set[str] = set()
    for node in reading.nodes("variable"):
        name = reading.text(node)
        whole = node.parent
        if name not in known and whole is not None and not reading.kind_at(node.start_byte):
            known.add(name)
            outer = whole.parent
            declared = outer if outer is not None and outer.type == "declaration_command" else whole
            is_constant = source[declared.start_byte :].startswith((b"readonly", b"declare -r"))
            reading.define("constant" if is_constant else "variable", declared, name)
    reading.settle()
    for node, command in zip(reading.nodes("word"), reading.nodes("command"), strict=True):
        _command(reading, node, command)
    return reading.map()


def _command(reading: Reading, node: Node, command: Node) -> None:
    word = reading.source[node.start_byte : node.end_byte]
    text = word.decode("utf-8", "replace")
    if text not in BUILTIN:
        if _FUNCTION.match(word):
            reading.add_call(node, text)
        return
    if text not in (".", "source") and text not in FORWARDS:
        return
    argument = command.child_by_field_name("argument")
    if argument is None:
        return
    if text in (".", "source"):
        module = _LEADING.sub("", reading.text(argument)).strip("\"'")
        if module and "$" not in module and "\n" not in module:
            reading.imports.append(Import("*", module, "*", node.start_point.row + 1, True))
        return
    called = reading.source[argument.start_byte : argument.end_byte].strip(b"\"'")
    if _FUNCTION.match(called) and not called.startswith(b"-"):
        first = part(argument, 0)
        reading.add_call(argument if first is None else first, called.decode())


def finder(project: Project) -> Finder:
    """A sourced file: from the folder of the script, from one further up, or by the end of its path."""

    @lru_cache(maxsize=65536)
    def find(path: str, module: str) -> Collection[str]:
        folder = path.rpartition("/")[0]
        while True:
            place = normpath(join(folder, module))
            if project.has(place):
                return (place,)
            if not folder:
                break
            folder = folder.rpartition("/")[0]
        tail = f"/{normpath(module).lstrip('./')}"
        found = [one for one in project.named(tail.rpartition("/")[2]) if f"/{one}".endswith(tail)]
        return tuple(found) if len(found) == 1 else ()

    return find


def _grammar() -> object:
    import tree_sitter_bash

    return tree_sitter_bash.language()


LANGUAGES = {"bash": Language("bash", (".sh", ".bash"), _grammar, read, Rules(finder=finder))}
