"""Every operation by name, without loading any: `listing.txt` is made from the table by `make docs`.

A program that runs one operation loads that one's module. What needs them all imports `catalogue`.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .table import Operation

FILE = "listing.txt"


class Listed(NamedTuple):
    """What can be said of an operation without its arguments. `command` are its words on the command line."""

    name: str
    group: str
    module: str
    command: tuple[str, ...]
    aliases: tuple[str, ...]
    summary: str


@cache
def listed() -> dict[str, Listed]:
    """By name, in the table's order."""
    # Not by `importlib.resources` or `pathlib`: they would be a quarter of the time of `marrow --help`.
    with open(os.path.join(os.path.dirname(__file__), FILE), encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = {}
    for line in lines:
        name, group, module, command, aliases, summary = line.split("\t")
        found[name] = Listed(name, group, module, tuple(command.split()), tuple(aliases.split()), summary)
    return found


@cache
def names() -> dict[str, str]:
    """Every name and alias, with the name that it stands for."""
    return {known: one.name for one in listed().values() for known in (one.name, *one.aliases)}


def load(name: str) -> Operation:
    """The operation of this name. Loads its module if need be."""
    from .table import TABLE

    if name not in TABLE:
        import_module(f"{__package__}.{listed()[name].module}")
    return TABLE[name]


def text_of(operations: Iterable[Operation]) -> str:
    """What `listing.txt` says of these."""
    rows = (
        (o.name, o.group, _module(o), " ".join(o.command), " ".join(o.aliases), o.summary.replace("\t", " "))
        for o in operations
    )
    return "".join("\t".join(row) + "\n" for row in rows)


def _module(operation: Operation) -> str:
    return operation.function.__module__.rpartition(".")[2]
