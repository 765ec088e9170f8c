"""The outline of a file: definitions as they were found, nested by where they begin and end, each with a hash of its
own text.

The hash is quick and does not see comments, white space or trailing commas. Symbols inside a symbol are left out of its
hash: a changed method does not change its class. Where two hashes are equal, the meaning is; where they differ, it may
still be only how the code is written (`fingerprint.py` looks closer).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import NamedTuple

from ..model.code import CALLABLES, TOP, TYPES, Symbol

# What calls and names can be in; a constant or a field is no place of its own.
SCOPES = CALLABLES | TYPES | frozenset(("module", "namespace"))
SIGNATURE_MAX, DOC_MAX, NAME_MAX = 300, 200, 200

Span = tuple[int, int]

# What takes the place of comments, strings, and the beginning and end of a block.
NOTHING, STRING, OPEN, CLOSE = b"", b"\x01", b"\x02", b"\x03"
SPACE = b" \t\r\n\f\v\\"

_PLAIN_STRING = re.compile(rb"""(['"])([^'"\\\n]*)\1\Z""")


class Definition(NamedTuple):
    """A symbol before it is placed: where it begins and ends in bytes and lines, decorators included."""

    kind: str
    name: str
    first: int
    last: int
    start: int
    end: int
    signature: str = ""
    doc: str = ""
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    returns: str = ""
    receiver: str = ""


class Outline:
    """Definitions in any order become symbols with parents first. `comments` and `strings` are where those stand in the
    text (doc comments belong to the comments), in any order; `blocks` too where nothing else in the text shows where
    they begin and end (Python); `optional` are bytes that may be left out without a change of meaning (semicolons in
    JavaScript)."""

    def __init__(
        self,
        source: bytes,
        definitions: Iterable[Definition],
        comments: Sequence[Span] = (),
        strings: Sequence[Span] = (),
        *,
        blocks: Sequence[Span] = (),
        optional: bytes = b"",
    ) -> None:
        self._source = source
        self._found = sorted(definitions, key=lambda d: (d.first, -d.last))
        special = [(a, b, NOTHING) for a, b in comments]
        special += [(a, b, STRING) for a, b in strings]
        for a, b in blocks:
            special.append((a, a, OPEN))
            special.append((b, b, CLOSE))
        special.sort()
        self._special = special
        self._starts = [one[0] for one in special]
        self._dropped = SPACE + optional
        self._parents = self._nest()
        self._borders, self._between = self._flat()

    def symbols(self) -> tuple[Symbol, ...]:
        inside: dict[int, list[Span]] = {}
        for at, parent in enumerate(self._parents):
            inside.setdefault(parent, []).append((self._found[at].first, self._found[at].last))
        made: list[Symbol] = []
        for at, found in enumerate(self._found):
            parent = self._parents[at]
            name = found.name[:NAME_MAX]
            above = found.receiver if found.receiver else made[parent].qualified if parent != TOP else ""
            made.append(
                Symbol(
                    found.kind,
                    name,
                    f"{above}.{name}" if above else name,
                    parent,
                    found.start,
                    found.end,
                    one_line(found.signature, SIGNATURE_MAX),
                    one_line(found.doc, DOC_MAX),
                    found.decorators,
                    self.hash_of(found.first, found.last, inside.get(at, ())),
                    found.bases,
                    found.returns,
                    found.receiver,
                )
            )
        return tuple(made)

    def scope_at(self, byte: int) -> int:
        """The innermost function, type or namespace around a place; `TOP` outside of all."""
        return self._between[bisect_right(self._borders, byte)]

    def kind_of(self, index: int) -> str:
        return self._found[index].kind

    def hash_of(self, first: int, last: int, without: Sequence[Span] = ()) -> str:
        """Of a part of the text, without the parts `without` in it (sorted, apart from each other)."""
        at = bisect_left(self._starts, first)
        to = bisect_left(self._starts, last, at)
        if at == to and not without:
            return self._digest(self._source[first:last], [])
        kept: list[bytes] = []
        strings: list[bytes] = []
        for begin, end in without:
            middle = bisect_left(self._starts, begin, at, to)
            self._keep(first, begin, at, middle, kept, strings)
            first, at = end, bisect_left(self._starts, end, middle, to)
        self._keep(first, last, at, to, kept, strings)
        return self._digest(b"".join(kept), strings)

    def _keep(self, here: int, last: int, at: int, to: int, kept: list[bytes], strings: list[bytes]) -> None:
        """The text between two places: without comments, with a mark for each string and block."""
        source = self._source
        for begin, end, mark in self._special[at:to]:
            if begin < here:  # inside of a comment or string
                continue
            kept.append(source[here:begin])
            kept.append(mark)
            if mark is STRING:
                strings.append(source[begin:end])
            here = end
        if here < last:
            kept.append(source[here:last])

    def _digest(self, text: bytes, strings: list[bytes]) -> str:
        bare = text.translate(None, self._dropped).replace(b",)", b")").replace(b",]", b"]").replace(b",}", b"}")
        if strings:
            bare = b"\0".join((bare, *[_plain(one) for one in strings]))
        return blake2b(bare, digest_size=8).hexdigest()

    def _flat(self) -> tuple[list[int], list[int]]:
        """Where scopes begin and end, and the innermost scope before, between and after these places."""
        borders, between, open_ = list[int](), [TOP], list[int]()
        for at, found in enumerate(self._found):
            if found.kind not in SCOPES:
                continue
            self._close(found.first, borders, between, open_)
            while open_ and self._found[open_[-1]].last < found.last:  # they overlap, which only broken code does
                open_.pop()
            borders.append(found.first)
            between.append(at)
            open_.append(at)
        self._close(len(self._source) + 1, borders, between, open_)
        return borders, between

    def _close(self, to: int, borders: list[int], between: list[int], open_: list[int]) -> None:
        while open_ and self._found[open_[-1]].last <= to:
            borders.append(self._found[open_.pop()].last)
            between.append(open_[-1] if open_ else TOP)

    def _nest(self) -> list[int]:
        parents, open_ = [], list[int]()
        for at, found in enumerate(self._found):
            while open_ and self._found[open_[-1]].last < found.last:
                open_.pop()
            while open_ and self._found[open_[-1]].last <= found.first:
                open_.pop()
            parents.append(open_[-1] if open_ else TOP)
            open_.append(at)
        return parents


def one_line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _plain(string: bytes) -> bytes:
    """What stands in a plain string, so that the kind of quote does not matter."""
    found = _PLAIN_STRING.match(string)
    return found[2] if found else string
