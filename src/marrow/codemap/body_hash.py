"""The hashes of symbols' own texts, that do not see comments, white space or trailing commas.

All of it is done on one copy of the text that keeps its length, so that places stay what they are: comments are blanked
out, a string is one mark and blanks, and the beginning and end of a block are marks in the white space beside it. That
copy is cut where symbols begin and end, and all parts are freed at once of what is not hashed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from hashlib import blake2b
from typing import NamedTuple

from ..model.code import TOP

HASH_BYTES = 8

Span = tuple[int, int]

SPACE = b" \t\r\n\f\v\\"
# What takes the place of what is not hashed, of a string, and of where a block begins. `_CUT` stands between parts.
# `_TIGHT` is where a block begins right after its colon. From `_CLOSE` on: where so many blocks end, less one; nobody
# ends more at once.
_BLANK, _STRING, _OPEN, _CUT, _TIGHT, _CLOSE, _CLOSE_LAST = 0, 1, 2, 3, 4, 14, 31
_COLON, _QUOTE = ord(":"), ord("'")
_BETWEEN, _NO_CUT = bytes((_CUT,)), bytes((_OPEN,))
# What is put in the place of a comment or string, by its length: most are short.
_SHORT = 160
_BLANKS = tuple([bytes(length) for length in range(_SHORT)])
_MARKS = (b"", *(bytes((_STRING,)) + bytes(length) for length in range(_SHORT - 1)))


class Text(NamedTuple):
    """A source, where its comments and strings stand in it, its blocks where nothing else in it shows where they begin
    and end, and bytes that count for nothing."""

    source: bytes
    comments: Sequence[Span]
    strings: Sequence[Span]
    blocks: Sequence[Span] = ()
    optional: bytes = b""


def hashes(text: Text, symbols: Sequence[Span], parents: Sequence[int]) -> list[str]:
    """The hash of each symbol's text, without those of the symbols in it. `symbols` come by where they begin, the
    longer first, and `parents` says in which of them each stands."""
    found, in_strings = _hashed(text, symbols, parents)
    if in_strings:  # `${function () { … }}`: the one mark of the string around says nothing of it
        below: dict[int, list[Span]] = {}
        for span, parent in zip(symbols, parents, strict=True):
            below.setdefault(parent, []).append(span)
        comments, strings = sorted(text.comments), sorted(text.strings)
        for at in in_strings:
            first, last = symbols[at]
            inner = _between(below.get(at, ()), first, last)
            spans = [(0, last - first), *inner]
            within = _between(comments, first, last), _between(strings, first, last)
            part = Text(text.source[first:last], *within, (), text.optional)
            found[at] = _hashed(part, spans, [TOP, *[0] * len(inner)])[0][0]
    return found


def _between(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Those that begin in a part of the text, counted from where that begins."""
    some = spans[bisect_left(spans, (first, 0)) : bisect_left(spans, (last, 0))]
    return [(begin - first, end - first) for begin, end in some]


def _hashed(text: Text, symbols: Sequence[Span], parents: Sequence[int]) -> tuple[list[str], list[int]]:
    """The hashes, and which symbols begin within a string."""
    source, comments, strings, blocks, optional = text
    marked, kept = _marked(source, comments, strings)
    is_tight = _mark_blocks(marked, blocks)
    flat = bytes(marked)
    begins, ends, owners = _parts(symbols, parents)
    cut = flat.replace(_BETWEEN, _NO_CUT) if _CUT in flat else flat
    bare = _BETWEEN.join([cut[begin:end] for begin, end in zip(begins, ends, strict=True)])
    bare = bare.translate(None, bytes((_BLANK,)) + SPACE + optional)
    if is_tight:
        bare = bare.replace(bytes((_TIGHT,)), bytes((_COLON, _OPEN)))
    bare = bare.replace(b",)", b")").replace(b",]", b"]").replace(b",}", b"}")
    own: list[list[bytes]] = [[] for _ in symbols]
    for owner, part in zip(owners, bare.split(_BETWEEN), strict=False):
        own[owner].append(part)
    starts = [begin for begin, _ in kept]
    if kept:
        _add_strings(own, [source[begin:end] for begin, end in kept], starts, begins, ends, owners)
    fresh = blake2b(digest_size=HASH_BYTES).copy  # quicker than to say each time what is wanted
    found = []
    for parts in own:
        hashed = fresh()
        hashed.update(parts[0] if len(parts) == 1 else b"".join(parts))
        found.append(hashed.hexdigest())
    hidden = [at for at, (first, _) in enumerate(symbols) if not flat[first]]
    return found, [at for at in hidden if _is_in(kept, starts, symbols[at][0])]


def _add_strings(
    own: list[list[bytes]],
    texts: list[bytes],
    starts: list[int],
    begins: list[int],
    ends: list[int],
    owners: list[int],
) -> None:
    """To the parts of each symbol the strings in them, after all parts."""
    texts = [b'"%b"' % one[1:-1] if one[0] == _QUOTE and _is_plain(one) else one for one in texts]
    place = partial(bisect_left, starts)
    for owner, low, high in zip(owners, map(place, begins), map(place, ends), strict=True):
        if low < high:
            own[owner].append(b"\0" + b"\0".join(texts[low:high]))


def _is_plain(text: bytes) -> bool:
    """Whether the other kind of quotes would mean the same."""
    return text.count(b"'") == 2 and b'"' not in text and b"\\" not in text and b"\n" not in text


def _is_in(strings: Sequence[Span], starts: Sequence[int], place: int) -> bool:
    at = bisect_left(starts, place) - 1
    return at >= 0 and place < strings[at][1]


def _parts(symbols: Sequence[Span], parents: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The text of all symbols cut where they begin and end: where the parts begin, where they end, and of which symbol
    they are, the innermost."""
    begins, ends, owners = list[int](), list[int](), list[int]()
    open_, reached = TOP, 0

    def cut(to: int) -> None:
        begins.append(reached)
        ends.append(to)
        owners.append(open_)

    for at, ((first, _), parent) in enumerate(zip(symbols, parents, strict=True)):
        while open_ != parent:
            last = symbols[open_][1]
            if reached < last:
                cut(last)
                reached = last
            open_ = parents[open_]
        if open_ != TOP and reached < first:
            cut(first)
        open_, reached = at, first
    while open_ != TOP:
        last = symbols[open_][1]
        if reached < last:
            cut(last)
            reached = last
        open_ = parents[open_]
    return begins, ends, owners


def _marked(source: bytes, comments: Sequence[Span], strings: Sequence[Span]) -> tuple[bytearray, list[Span]]:
    """The text with its comments and strings marked and one byte more, and where the strings are."""
    text = bytearray(source)
    text.append(_BLANK)
    for begin, end in comments:
        size = end - begin
        text[begin:end] = _BLANKS[size] if size < _SHORT else bytes(size)
    kept = []
    for span in sorted(strings):
        begin, end = span
        if begin < end and text[begin]:  # else it is in a comment or in another string
            size = end - begin
            text[begin:end] = _MARKS[size] if size < _SHORT else b"\1" + bytes(size - 1)
            kept.append(span)
    return text, kept


def _mark_blocks(text: bytearray, blocks: Sequence[Span]) -> bool:
    """Whether some block begins right after its colon."""
    is_tight = False
    for begin, end in blocks:
        if text[begin - 1] == _COLON:
            text[begin - 1] = _TIGHT
            is_tight = True
        else:
            text[begin - 1] = _OPEN
        there = text[end]
        text[end] = _CLOSE if not _CLOSE <= there < _CLOSE_LAST else there + 1
    return is_tight
