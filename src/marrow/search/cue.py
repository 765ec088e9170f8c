"""Cues: words by which a text shows what it is, such as an announcement of a change."""

from __future__ import annotations

import re
from functools import cached_property

_WORD = re.compile(r"[a-z]+")
# Every sign but a small letter of ASCII ends a word.
_SPACED = bytes(sign if chr(sign).isalpha() and chr(sign).islower() and sign < 128 else 32 for sign in range(256))


def plain_words(low: str) -> list[str]:
    """What `[a-z]+` finds in a text, in about half the time."""
    return low.encode("ascii", "replace").translate(_SPACED).decode("ascii").split()


class Cue:
    """A pattern for texts in lower case; the words that it may begin with, and words of which one is in whatever it
    matches. Most texts have none of these, and to see that takes a tenth of the time that the pattern takes."""

    def __init__(self, pattern: str, *, beginnings: str, needs: str) -> None:
        self.pattern = pattern
        self._beginnings, self._needs = frozenset(beginnings.split()), frozenset(needs.split())

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """Made when a text is first looked at: a start that looks at none does not pay for it. To look for either case
        would take four times as long."""
        return re.compile(self.pattern)

    def first(self, text: str) -> str:
        """The words in a text, in lower case; empty when there are none."""
        low = text.lower()
        if self._needs.isdisjoint(plain_words(low)):
            return ""
        match, beginnings = self.compiled.match, self._beginnings
        for word in _WORD.finditer(low):
            if word[0] in beginnings and (found := match(low, word.start())):
                return found[0]
        return ""
