"""The outline of a file: definitions as they were found, nested by where they begin and end, each with a hash of its
own text.

The hash is quick and does not see comments, white space or trailing commas. Symbols inside a symbol are left out of its
hash: a changed method does not change its class. Where two hashes are equal, the meaning is; where they differ, it may
still be only how the code is written (`fingerprint.py` looks closer).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import NamedTuple

from ..model.code import CALLABLES, TOP, TYPES, Symbol
from .body_hash import Span as Span
from .body_hash import Text, hashes
from .secrets import cut

# What calls and names can be in; a constant or a field is no place of its own.
SCOPES = CALLABLES | TYPES | frozenset(("module", "namespace"))
SIGNATURE_MAX, DOC_MAX, NAME_MAX = 300, 200, 200


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
_SPAN = itemgetter(*(Definition._fields.index(name) for name in ("first", "last")))


class Outline:
    """Definitions in any order become symbols with parents first. `comments` and `strings` are where those stand in the
    text (doc comments belong to the comments), in any order; `blocks` too where nothing else in the text shows where
    they begin and end (Python); `optional` are bytes that may be left out without a change of meaning (semicolons in
    JavaScript). Where only `scope_at` is asked, nothing but the scopes is worked out; `before` is an outline that knows
    them already, unless there are more now."""

    def __init__(
        self,
        source: bytes,
        definitions: Iterable[Definition],
        comments: Sequence[Span] = (),
        strings: Sequence[Span] = (),
        *,
        blocks: Sequence[Span] = (),
        optional: bytes = b"",
        before: Outline | None = None,
    ) -> None:
        self._source = source
        # By where they begin, the longer first; two sorts are quicker than one by pairs.
        self._found = sorted(sorted(definitions, key=_LAST, reverse=True), key=_FIRST)
        self._hashed = Text(source, comments, strings, blocks, optional)
        self._scopes = [at for at, found in enumerate(self._found) if found[0] in SCOPES]
        self._flattened: tuple[list[int], list[int]] = (
            before._flattened if before is not None and len(before._scopes) == len(self._scopes) else self._flat()
        )
        self._borders, inner = self._flattened
        places = [*self._scopes, TOP]  # the last is that of -1
        self._between = [places[one] for one in inner]

    def symbols(self, member_of: Callable[[str, str, str], str] | None = None) -> tuple[Symbol, ...]:
        """`member_of` says of what kind something is that stands in something else, by the kinds and its name."""
        found_, parents = self._found, self._nest()
        spans = list(map(_SPAN, found_))
        made: list[Symbol] = []
        new = tuple.__new__
        hashed = hashes(self._hashed, spans, parents)
        for found, parent, hash_ in zip(found_, parents, hashed, strict=True):
            kind, name, _, _, start, end, signature, doc, decorators, bases, returns, receiver = found
            if len(name) > NAME_MAX:
                name = cut(name, NAME_MAX)
            whole = name
            if parent != TOP:
                around = made[parent]
                whole = f"{receiver or around[2]}.{name}"
                if member_of is not None:
                    kind = member_of(kind, around[0], name)
            elif receiver:
                whole = f"{receiver}.{name}"
            signature = one_line(signature, SIGNATURE_MAX)
            if doc:
                doc = one_line(doc, DOC_MAX)
            fields = (kind, name, whole, parent, start, end, signature, doc)
            made.append(new(Symbol, (*fields, decorators, hash_, bases, returns, receiver)))
        return tuple(made)

    def scope_at(self, byte: int) -> int:
        """The innermost function, type or namespace around a place; `TOP` outside of all."""
        return self._between[bisect_right(self._borders, byte)]

    def borders(self) -> tuple[list[int], list[int]]:
        """Where scopes begin and end, and the scope before, between and after these places: `scope_at`, for many."""
        return self._borders, self._between

    def kind_of(self, index: int) -> str:
        return self._found[index].kind

    def _flat(self) -> tuple[list[int], list[int]]:
        """Where scopes begin and end, and the innermost scope before, between and after these places (the how manieth
        it is, or -1)."""
        found_ = self._found
        borders, between = list[int](), [-1]
        open_, ends = [-1], list[int]()
        for number, at in enumerate(self._scopes):
            found = found_[at]
            first, last = found[2], found[3]
            while ends and ends[-1] <= first:
                borders.append(ends.pop())
                open_.pop()
                between.append(open_[-1])
            while ends and ends[-1] < last:  # they overlap, which only broken code does
                ends.pop()
                open_.pop()
            borders.append(first)
            between.append(number)
            open_.append(number)
            ends.append(last)
        to = len(self._source) + 1
        while ends and ends[-1] <= to:
            borders.append(ends.pop())
            open_.pop()
            between.append(open_[-1])
        return borders, between

    def _nest(self) -> list[int]:
        parents, open_, ends = list[int](), [TOP], list[int]()
        for at, found in enumerate(self._found):
            first, last = found[2], found[3]
            while ends and (ends[-1] < last or ends[-1] <= first):
                ends.pop()
                open_.pop()
            parents.append(open_[-1])
            open_.append(at)
            ends.append(last)
        return parents


def one_line(text: str, limit: int) -> str:
    # Few have other white space than single blanks.
    line = text.strip() if text.isprintable() and "  " not in text else " ".join(text.split())
    return line if len(line) <= limit else cut(line, limit)
