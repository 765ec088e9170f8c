"""Which words name which command: those of Marrow itself, and every operation of the table.

An operation goes by its `command` words. Where these are taken it goes by the words of its whole name (`memory help`).
Hidden, and always accepted: whole names, as words or as one (`memory_recall`, `memory-recall`), and aliases. An alias
gives way to the commands that are there: `search context` is a search for "context".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from ...model.groups import GROUPS
from ...operations.listing import Listed, listed, load, names
from ...operations.table import Operation
from . import own
from .other_words import MEANT


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: the words that it is shown as, and what it does. An operation of the table is loaded when it is asked
    for; one of Marrow's own is here already."""

    words: tuple[str, ...]
    about: Operation | Listed

    @property
    def is_own(self) -> bool:
        return isinstance(self.about, Operation)

    @property
    def operation(self) -> Operation:
        return self.about if isinstance(self.about, Operation) else load(self.about.name)

    @property
    def name(self) -> str:
        return " ".join(self.words)

    @property
    def group(self) -> str:
        return self.about.group

    @property
    def summary(self) -> str:
        return self.about.summary


@cache
def entries() -> dict[tuple[str, ...], Entry]:
    """Every run of words that names a command. The ones that are shown come first, in the table's order."""
    found = {mine.command: Entry(mine.command, mine) for mine in own.OWN}
    found |= {words: found[name,] for words, name in own.ALSO.items()}
    for one in listed().values():
        words = one.command if one.command not in found else tuple(one.name.split("_"))
        if words not in found:  # one of Marrow's own may do all that an operation does, and more
            found[words] = Entry(words, one)
    for entry in list(found.values()):
        if entry.is_own:
            continue
        found.setdefault(tuple(entry.about.name.split("_")), entry)
        for alias in entry.about.aliases:
            words = tuple(alias.removeprefix("memory_").split("_"))
            if not any(words[:length] in found for length in range(1, len(words) + 1)):
                found[words] = entry
    return found


def shown() -> list[Entry]:
    return [entry for words, entry in entries().items() if words == entry.words]


def by_group() -> Iterator[tuple[str, str, list[Entry]]]:
    """(group, what it is about, its commands), in the table's order; Marrow's own come last."""
    for group, meaning in {**GROUPS, own.GROUP: own.GROUP_MEANING}.items():
        yield group, meaning, [entry for entry in shown() if entry.group == group]


def entry_of(name: str) -> Entry:
    """The command of an operation of the table."""
    named = [entry for entry in shown() if entry.about.name == name]
    return next((entry for entry in named if not entry.is_own), named[0])


def find(given: Sequence[str]) -> tuple[Entry | None, int]:
    """The command that the longest run of words at the beginning names, and how many words that took."""
    known = entries()
    words = []
    for word in given:
        if word.startswith("-"):
            break
        words.append(word)
    for length in range(len(words), 0, -1):
        if (entry := known.get(tuple(words[:length]))) is not None:
            return entry, length
    name = names().get(words[0].replace("-", "_")) if words else None
    return (entry_of(name), 1) if name else (None, 0)


def below(words: Sequence[str]) -> list[Entry]:
    """The commands whose words begin with these and go on."""
    start = tuple(words)
    return [entry for entry in shown() if len(entry.words) > len(start) and entry.words[: len(start)] == start]


def nearest_names(given: str, others: Iterable[str] = ()) -> list[str]:
    """The names that somebody may have meant, best first; none where nothing comes near."""
    if given in MEANT:
        return [MEANT[given]]
    from difflib import get_close_matches

    return get_close_matches(given, [*(entry.name for entry in shown()), *names(), *others])


def next_words(words: Sequence[str]) -> dict[str, str]:
    """The words that may follow these on the way to a command, each with what it leads to."""
    found: dict[str, str] = {}
    for entry in below(words):
        word = entry.words[len(words)]
        if len(entry.words) == len(words) + 1:
            found[word] = entry.summary
        else:
            found.setdefault(word, f"commands of {' '.join(entry.words[: len(words) + 1])}")
    return found
