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
from operator import itemgetter
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


_FIRST, _LAST = (itemgetter(Definition._fields.index(name)) for name in ("first", "last"))


class Outline:
    """Definitions in any order become symbols with parents first. `comments` and `strings` are where those stand in the
    text (doc comments belong to the comments), in any order; `blocks` too where nothing else in the text shows where
    they begin and end (Python); `optional` are bytes that may be left out without a change of meaning (semicolons in
    JavaScript). Where only `scope_at` is asked, nothing but the scopes is worked out."""

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
        # By where they begin, the longer first; two sorts are quicker than one by pairs.
        self._found = sorted(sorted(definitions, key=_LAST, reverse=True), key=_FIRST)
        self._comments, self._strings, self._blocks = comments, strings, blocks
        self._special: list[tuple[int, int, bytes]] = []
        self._starts: list[int] = []
        self._dropped = SPACE + optional
        self._borders, self._between = self._flat()

    def symbols(self) -> tuple[Symbol, ...]:
        self._mark()
        found_, parents = self._found, self._nest()
        inside: dict[int, list[Span]] = {}
        for found, parent in zip(found_, parents, strict=True):
            if parent != TOP:
                inside.setdefault(parent, []).append((found[2], found[3]))
        made: list[Symbol] = []
        qualified: list[str] = []
        new, hash_of = tuple.__new__, self._hash
        for at, (found, parent) in enumerate(zip(found_, parents, strict=True)):
            kind, name, first, last, start, end, signature, doc, decorators, bases, returns, receiver = found
            if len(name) > NAME_MAX:
                name = name[:NAME_MAX]
            above = receiver or (qualified[parent] if parent != TOP else "")
            whole = f"{above}.{name}" if above else name
            qualified.append(whole)
            signature = one_line(signature, SIGNATURE_MAX)
            doc = one_line(doc, DOC_MAX) if doc else ""
            hash_ = hash_of(first, last, inside.get(at, ()))
            fields = (kind, name, whole, parent, start, end, signature, doc)
            made.append(new(Symbol, (*fields, decorators, hash_, bases, returns, receiver)))
        return tuple(made)

    def scope_at(self, byte: int) -> int:
        """The innermost function, type or namespace around a place; `TOP` outside of all."""
        return self._between[bisect_right(self._borders, byte)]

    def kind_of(self, index: int) -> str:
        return self._found[index].kind

    def _mark(self) -> None:
        """Where something stands that is not hashed as it is."""
        special = [(a, b, NOTHING) for a, b in self._comments]
        special += [(a, b, STRING) for a, b in self._strings]
        special += [(a, a, OPEN) for a, _ in self._blocks]
        special += [(b, b, CLOSE) for _, b in self._blocks]
        special.sort()
        self._special = special
        self._starts = [one[0] for one in special]

    def _hash(self, first: int, last: int, without: Sequence[Span]) -> str:
        """Of a part of the text, without the parts `without` in it (sorted, apart from each other)."""
        starts = self._starts
        at = bisect_left(starts, first)
        to = bisect_left(starts, last, at)
        strings: list[bytes] = []
        if at == to and not without:
            text = self._source[first:last]
        else:
            kept: list[bytes] = []
            for begin, end in without:
                middle = at
                if at < to and starts[at] < begin:
                    middle = bisect_left(starts, begin, at, to)
                    self._keep(first, begin, at, middle, kept, strings)
                elif first < begin:
                    kept.append(self._source[first:begin])
                first, at = end, bisect_left(starts, end, middle, to)
            self._keep(first, last, at, to, kept, strings)
            text = b"".join(kept)
        bare = text.translate(None, self._dropped)
        if b"," in bare:
            bare = bare.replace(b",)", b")").replace(b",]", b"]").replace(b",}", b"}")
        if strings:
            bare = b"\0".join((bare, *[_plain(one) for one in strings]))
        return blake2b(bare, digest_size=8).hexdigest()

    def _keep(self, here: int, last: int, at: int, to: int, kept: list[bytes], strings: list[bytes]) -> None:
        """The text between two places: without comments, with a mark for each string and block."""
        source = self._source
        for begin, end, mark in self._special[at:to]:
            if begin < here:  # inside of a comment or string
                continue
            kept += (source[here:begin], mark)
            if mark is STRING:
                strings.append(source[begin:end])
            here = end
        if here < last:
            kept.append(source[here:last])

    def _flat(self) -> tuple[list[int], list[int]]:
        """Where scopes begin and end, and the innermost scope before, between and after these places."""
        borders, between = list[int](), [TOP]
        open_, ends = list[int](), list[int]()
        for at, found in enumerate(self._found):
            if found[0] not in SCOPES:
                continue
            first, last = found[2], found[3]
            while ends and ends[-1] <= first:
                borders.append(ends.pop())
                open_.pop()
                between.append(open_[-1] if open_ else TOP)
            while ends and ends[-1] < last:  # they overlap, which only broken code does
                ends.pop()
                open_.pop()
            borders.append(first)
            between.append(at)
            open_.append(at)
            ends.append(last)
        to = len(self._source) + 1
        while ends and ends[-1] <= to:
            borders.append(ends.pop())
            open_.pop()
            between.append(open_[-1] if open_ else TOP)
        return borders, between

    def _nest(self) -> list[int]:
        parents, open_, ends = list[int](), list[int](), list[int]()
        for at, found in enumerate(self._found):
            first, last = found[2], found[3]
            while ends and (ends[-1] < last or ends[-1] <= first):
                ends.pop()
                open_.pop()
            parents.append(open_[-1] if open_ else TOP)
            open_.append(at)
            ends.append(last)
        return parents


def one_line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def _plain(string: bytes) -> bytes:
    """What stands in a plain string, so that the kind of quote does not matter."""
    found = _PLAIN_STRING.match(string)
    return found[2] if found else string
