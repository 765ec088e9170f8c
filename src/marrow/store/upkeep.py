"""What a store can do about itself: copies of it, what is wrong with it, and what mends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol


class Upkeep(Protocol):
    def backup(self, path: str) -> None: ...

    def restore(self, path: str, kept: str = "") -> None:
        """What a backup holds in the place of everything here, which is `kept` first; nobody writes in between."""

    def damages(self) -> list[str]:
        """What is wrong with the rows that cannot be made again, in words."""

    def problems(self) -> list[str]:
        """What is wrong with the place itself (a damaged file, a missing index), in words; empty when all is well."""

    def is_broken(self) -> bool:
        """Whether some of what is derived can neither be read nor dropped: only `rebuild` helps."""

    def rebuild(self, kept: str, complete: Callable[[str], None]) -> Sequence[str]:
        """Everything that can be read, in a new place that `complete` is told of, and makes the words and the tree of;
        then in the place of what is here, which is `kept`. Nobody writes meanwhile. Which parts lost something."""

    def has_old_words(self) -> bool:
        """Whether the index of words is from before the way of making terms changed: what is asked for now may not be
        found in it."""

    def note_new_words(self) -> None:
        """All of it was made again."""

    def copies(self) -> list[str]:
        """The backups that lie beside it: they hold what it held when they were made."""

    def sweep(self) -> None:
        """After an erasure: leave nothing of it in free pages, logs or index segments."""
