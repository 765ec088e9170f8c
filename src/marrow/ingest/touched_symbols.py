"""The symbols that commits touched: whose lines, in the text before or after it, each of them changed.

A line belongs to the innermost function, type or constant that it stands in. What a commit took away is found in the
text before it, so a deleted function is among what it touched. It takes time: whoever asks says how much there is, and
commits that were not come to are not told.
"""

from __future__ import annotations

import os
import re
from array import array
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from ..codemap.languages.table import language_of
from ..codemap.parse import map_of
from ..codemap.skipped import named_as_generated, why_skipped
from ..codemap.tame import TAME_BYTES_MAX, is_tame
from ..model.code import CALLABLES, TOP, TYPES, Symbol
from ..model.errors import MarrowError, Unavailable
from ..repository.file_sorts import is_secret
from ..repository.touched import TouchedFile, touched
from ..repository.tree import Blob, Content, contents

FILES_MAX = 20
SYMBOLS_MAX = 20
COMMITS_AT_ONCE = 40
NAME_LENGTH_MAX = 200
# So many bytes of sources are known at a time, by what stands where in them.
KNOWN_BYTES_MAX = 64 * 1024 * 1024
# Headings of prose are no symbols of code.
_NOT_READ = frozenset(("", "markdown"))
# These stand for themselves wherever they are; a field or a member stands for its type.
_OF_THEIR_OWN = CALLABLES | TYPES | frozenset(("table", "view", "index", "trigger"))
# What stands in one of these and in nothing else is better told by its file.
_TOO_WIDE = frozenset(("module", "namespace", "heading"))
_WORD = re.compile(rb"[0-9A-Za-z_\x80-\xff]")
_NOBODY = -1


class TouchedSymbol(NamedTuple):
    """A symbol of a file, and how many lines in it were added or taken away."""

    path: str
    name: str
    lines: int


class _Owners(NamedTuple):
    """To which of the `names` each line of a text belongs, from line 1 on. A line without a word belongs to nobody: git
    shows a function that is put before another as beginning with that one's last brace as often as not."""

    names: tuple[str, ...]
    lines: array[int]
    size: int

    def of(self, first: int, count: int) -> Iterator[str]:
        """A name for each of these lines that belongs to somebody."""
        for at in self.lines[first - 1 : first - 1 + count] if first > 0 else ():
            if at != _NOBODY:
                yield self.names[at]


_Text = tuple[str, str]  # a path and an object: the path says in which language it is


class TouchedSymbols:
    """Finds them in one repository, for so many seconds. What was read stays known for a while: the text before one
    commit is the text after another."""

    def __init__(self, root: str | os.PathLike[str], seconds: float, clock: Callable[[], float] = monotonic) -> None:
        self._root = root
        self._clock = clock
        self._left = seconds
        self._began = clock()
        self._has_told = False
        self._known: OrderedDict[_Text, _Owners] = OrderedDict()
        self._size = 0

    @property
    def _has_time(self) -> bool:
        return self._clock() - self._began < self._left

    def of(self, commits: Sequence[str]) -> Iterator[tuple[str, tuple[TouchedSymbol, ...]]]:
        """Of each commit those with most lines touched, in the order given, as far as the time goes. None for a merge,
        for a commit of many files, and for one of which git cannot tell it."""
        rest = list(commits)
        self._began = self._clock()
        while rest and self._has_time:
            batch, rest = rest[:COMMITS_AT_ONCE], rest[COMMITS_AT_ONCE:]
            told = touched(self._root, batch, _is_read, files_max=FILES_MAX)
            rest = [*told.untold, *rest]
            texts = [text for files in told.files.values() for file in files for text, _ in _touched_texts(file)]
            arriving = self._arriving(dict.fromkeys(texts))
            for commit, files in told.files.items():
                found, is_whole = self._found(files, arriving)
                # One that takes all the time is told as far as it was seen: else each run would begin with it again.
                if not is_whole and self._has_told:
                    self._left = 0.0
                    return
                self._has_told = True
                best = sorted(found.items(), key=lambda one: (-one[1], one[0]))[:SYMBOLS_MAX]
                # What is done with them takes its own time, not this one's.
                self._left -= self._clock() - self._began
                yield commit, tuple(TouchedSymbol(path, name, lines) for (path, name), lines in best)
                self._began = self._clock()

    def _found(self, files: Sequence[TouchedFile], arriving: Iterator[_Text]) -> tuple[Counter[_Text], bool]:
        """Lines by path and name, and whether there was time for all of them."""
        found = Counter[_Text]()
        for file in files:
            for text, spans in _touched_texts(file):
                if not self._has_time:
                    return found, False
                owners = self._owners(text, arriving)
                found.update((file.path, name) for first, count in spans for name in owners.of(first, count))
        return found, True

    def _owners(self, text: _Text, arriving: Iterator[_Text]) -> _Owners:
        while text not in self._known:
            if next(arriving, text) == text and text not in self._known:
                # There were too many between: it is read once more.
                next(self._arriving({text: None}), None)
                break
        return self._known.get(text) or _owners_in("", b"")

    def _arriving(self, texts: dict[_Text, None]) -> Iterator[_Text]:
        """Reads those that are not known, and takes each apart as it comes. A git that breaks off has no more."""
        wanted = [text for text in texts if text not in self._known]
        with suppress(Unavailable):
            for found in contents(self._root, [Blob(*text) for text in wanted], lambda _: TAME_BYTES_MAX):
                self._keep(found)
                yield found.blob

    def _keep(self, found: Content) -> None:
        owners = _owners_in(found.blob.path, found.data or b"")
        self._known[found.blob] = owners
        self._size += owners.size
        while self._size > KNOWN_BYTES_MAX and len(self._known) > 1:
            _, gone = self._known.popitem(last=False)
            self._size -= gone.size


def _is_read(path: str) -> bool:
    return language_of(path) not in _NOT_READ and not is_secret(path) and not named_as_generated(path)


def _touched_texts(file: TouchedFile) -> Iterator[tuple[_Text, list[tuple[int, int]]]]:
    """The text after and the text before, with the lines that are only there: (the first, how many)."""
    added = [(piece.to, piece.added) for piece in file.pieces if piece.added]
    removed = [(piece.at, piece.removed) for piece in file.pieces if piece.removed]
    for blob, spans in ((file.after, added), (file.before, removed)):
        if blob and spans:
            yield (file.path, blob), spans


def _owners_in(path: str, source: bytes) -> _Owners:
    """Nobody owns a line of what is not read: it is generated, wild, or in a grammar that is not there."""
    symbols: tuple[Symbol, ...] = ()
    if source and not why_skipped(source) and is_tame(source):
        # Whatever a grammar's reader does with a strange text is that text's failure.
        with suppress(MarrowError, ValueError, TypeError, LookupError, AttributeError, RecursionError, ImportError):
            symbols = map_of(path, source).symbols
    if not symbols:
        return _Owners((), array("i"), 1)
    told = source.split(b"\n")
    lines = array("i", [_NOBODY]) * len(told)
    for at, symbol in enumerate(symbols):  # those within come later
        if _is_owner(symbol):
            first, last = max(0, symbol.start - 1), min(symbol.end, len(told))
            lines[first:last] = array("i", [at]) * max(0, last - first)
    for at, line in enumerate(told):
        if not _WORD.search(line):
            lines[at] = _NOBODY
    return _Owners(tuple(symbol.qualified for symbol in symbols), lines, len(source))


def _is_owner(symbol: Symbol) -> bool:
    if symbol.kind in _TOO_WIDE or len(symbol.qualified) > NAME_LENGTH_MAX:
        return False
    is_body = symbol.kind == "property" and symbol.end > symbol.start
    return symbol.kind in _OF_THEIR_OWN or symbol.parent == TOP or is_body
