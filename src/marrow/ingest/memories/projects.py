"""Which of the projects in another memory is meant: others keep all of them in one file."""

from __future__ import annotations

from collections.abc import Iterable

from ...model.errors import Invalid
from .found import Reader

ALL = "all"
_NAMES_SHOWN = 12


def chosen_projects(there: Iterable[str], asked: str, reader: Reader) -> frozenset[str]:
    """Those that are asked for, or else those that are called as this project is. One alone is meant."""
    names = sorted({name for name in there if name})
    if asked == ALL or not names:
        return frozenset(names)
    if asked:
        found = frozenset(name for name in names if is_called(name, asked))
        if found:
            return found
        raise Invalid(
            f"No project there is called {asked!r}.", hint=f"There are: {_told(names)}.", field="from_project"
        )
    own = frozenset(name for name in names if any(is_called(name, ours) for ours in reader.names))
    if own or len(names) == 1:
        return own or frozenset(names)
    raise Invalid(
        f"It holds {len(names)} projects, and none is called as this one.",
        hint=f"Say which with from_project, or all: {_told(names)}.",
        field="from_project",
    )


def is_called(name: str, asked: str) -> bool:
    """By its name, the last part of its path, or with a worktree behind it."""
    one, other = name.strip("/").lower(), asked.strip("/").lower()
    return one == other or one.startswith(f"{other}/") or one.rpartition("/")[2] == other.rpartition("/")[2]


def _told(names: list[str]) -> str:
    more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
    return ", ".join(names[:_NAMES_SHOWN]) + more
