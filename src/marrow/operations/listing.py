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
READS = "reads"


class Listed(NamedTuple):
    """What can be said of an operation without its arguments. `command` are its words on the command line."""

    name: str
    group: str
    module: str
    command: tuple[str, ...]
    aliases: tuple[str, ...]
    only_reads: bool
    summary: str


@cache
def listed() -> dict[str, Listed]:
    """By name, in the table's order."""
    # Not by `importlib.resources` or `pathlib`: they would be a quarter of the time of `marrow --help`.
    with open(os.path.join(os.path.dirname(__file__), FILE), encoding="utf-8") as file:
        lines = file.read().splitlines()
    found = {}
    for line in lines:
        name, group, module, command, aliases, reads, summary = line.split("\t")
        words, others = tuple(command.split()), tuple(aliases.split())
        found[name] = Listed(name, group, module, words, others, reads == READS, summary)
    return found


@cache
def names() -> dict[str, str]:
    """Every name and alias, with the name that it stands for."""
    return {known: one.name for one in listed().values() for known in (one.name, *one.aliases)}


def that_read() -> list[str]:
    """The names and aliases of the operations that only read."""
    return [known for known, name in names().items() if listed()[name].only_reads]


def load(name: str) -> Operation:
    """The operation of this name. Loads its module if need be."""
    from .table import TABLE

    if name not in TABLE:
        import_module(f"{__package__}.{listed()[name].module}")
    return TABLE[name]


def text_of(operations: Iterable[Operation]) -> str:
    """What `listing.txt` says of these."""
    return "".join("\t".join(_row(operation)) + "\n" for operation in operations)


def _row(of: Operation) -> tuple[str, ...]:
    module = of.function.__module__.rpartition(".")[2]
    words, aliases, reads = " ".join(of.command), " ".join(of.aliases), READS if of.only_reads else ""
    return of.name, of.group, module, words, aliases, reads, of.summary.replace("\t", " ")
