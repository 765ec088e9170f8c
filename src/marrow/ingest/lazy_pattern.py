"""Regular expressions that are compiled when they are first used: together they cost more than a start may."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property


class LazyPattern:
    """The part of `re.Pattern` that readers need."""

    def __init__(self, form: str, flags: int = 0) -> None:
        self._form, self._flags = form, flags

    @cached_property
    def _made(self) -> re.Pattern[str]:
        return re.compile(self._form, self._flags)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self._made.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self._made.fullmatch(text)

    def search(self, text: str) -> re.Match[str] | None:
        return self._made.search(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self._made.finditer(text)

    def sub(self, new: str, text: str) -> str:
        return self._made.sub(new, text)

    def split(self, text: str) -> list[str]:
        return [part or "" for part in self._made.split(text)]
