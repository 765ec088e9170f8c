"""The hash of a symbol's own text, that does not see comments, white space or trailing commas.

All symbols of a file are done at once, because most of it is the same few steps over the whole text: comments and
strings are cut out (a string leaves a mark), the beginning and end of a block become marks in the white space beside
it, borders of symbols are put in as marks, what does not count is taken out, strings come back where their marks are,
and then the text is split at the borders. A symbol's own text is some of these pieces.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import accumulate, pairwise
from operator import ge, gt, sub
from typing import NamedTuple

HASH_BYTES = 8

Span = tuple[int, int]

SPACE = b" \t\r\n\f\v\\"
# What takes the place of a comment, of a string, and of where a block begins. `_TIGHT` is where that begins right after
# its colon. `_BORDER` is where a symbol begins or ends. From `_CLOSE` on: where so many blocks end, less one; nobody
# ends more at once.
_BLANK, _STRING, _OPEN, _TIGHT, _BORDER, _CLOSE, _CLOSE_LAST = 0, 1, 2, 4, 5, 14, 31
_COLON = ord(":")
_STRING_MARK, _BORDER_MARK = bytes((_STRING,)), bytes((_BORDER,))
# For a text that has one of those marks already, which code never has.
_NO_MARK = b"\x7f"

_TRAILING_COMMA = re.compile(rb",(?=[)\]}])")
_BETWEEN = b"\0"
# Strings have `_BETWEEN` before and after them.
_PLAIN_STRING = re.compile(rb"'(?<=\0')([^'\"\\\n\0]*)'(?=\0)")


class Around(NamedTuple):
    """What stands in a text beside what counts, in any order."""

    comments: Sequence[Span] = ()
    strings: Sequence[Span] = ()
    blocks: Sequence[Span] = ()
    optional: bytes = b""


def body_hashes(
    source: bytes, symbols: Sequence[Span], inside: Mapping[int, Sequence[Span]], around: Around
) -> list[str]:
    """The hashes of symbols by where they begin and end, each without the symbols that are `inside` it."""
    for mark in (_STRING_MARK, _BORDER_MARK):
        if mark in source:
            source = source.replace(mark, _NO_MARK)
    borders = sorted({place for span in symbols for place in span})
    cuts = _cuts(source, around.comments, around.strings)
    counts = [bisect_left(cuts.begins, border) for border in borders]
    pieces = _pieces(source, cuts, around, borders, counts)
    after = {border: at for at, border in enumerate(borders, 1)}  # the piece that begins there
    quoted = {
        border
        for border, count in zip(borders, counts, strict=True)
        if count and border < cuts.ends[count - 1] and cuts.begins[count - 1] not in cuts.comments
    }
    hashes = []
    for number, (first, last) in enumerate(symbols):
        left_out = inside.get(number, ())
        if first in quoted:  # `${function () { … }}`: the string's one mark says nothing of it
            hashes.append(_hash_alone(source, (first, last), left_out, around))
            continue
        begin, end = after[first], after[last]
        if not left_out and end == begin + 1:
            own = pieces[begin]
        else:
            parts = []
            for inner_first, inner_last in left_out:
                parts += pieces[begin : after[inner_first]]
                begin = after[inner_last]
            own = b"".join([*parts, *pieces[begin:end]])
        hashes.append(blake2b(own, digest_size=HASH_BYTES).hexdigest())
    return hashes


def _hash_alone(source: bytes, span: Span, left_out: Sequence[Span], around: Around) -> str:
    """The hash of a symbol that stands in a string, of its text alone."""
    first, last = span
    left_out, comments, strings = (
        [(begin - first, end - first) for begin, end in spans if first <= begin < last]
        for spans in (left_out, around.comments, around.strings)
    )
    symbols = [(0, last - first), *left_out]
    return body_hashes(source[first:last], symbols, {0: left_out}, Around(comments, strings, (), around.optional))[0]


class _Cuts(NamedTuple):
    """Comments and strings in order, those within others left out: where they begin and end, and where those of them
    begin that are comments."""

    begins: list[int]
    ends: list[int]
    comments: Mapping[int, int]


def _cuts(source: bytes, comments: Sequence[Span], strings: Sequence[Span]) -> _Cuts:
    commented = dict(comments)
    cut = {**dict(strings), **commented}  # a docstring is both, and counts as a comment
    begins = sorted(cut)
    ends = [cut[begin] for begin in begins]
    if any(map(gt, ends, begins[1:])) or any(map(ge, begins, ends)):
        apart, reached = list[int](), 0
        for begin in begins:
            if reached <= begin < cut[begin]:
                apart.append(begin)
                reached = cut[begin]
        begins, ends = apart, [cut[begin] for begin in apart]
    return _Cuts(begins, ends, commented)


def _pieces(source: bytes, cuts: _Cuts, around: Around, borders: Sequence[int], counts: Sequence[int]) -> list[bytes]:
    """What counts of the text before, between and after the borders. `counts` says how many cuts begin before each."""
    begins, ends, comments = cuts
    text = bytearray(source)
    text.append(_BLANK)
    for begin in begins:
        text[begin] = _BLANK
    is_tight = _mark_blocks(text, around.blocks)
    strings = [(begin, end) for begin, end in zip(begins, ends, strict=True) if begin not in comments]
    for begin, _ in strings:
        text[begin] = _STRING
    # Of each cut its first byte is left, so that a place is now earlier by the length of the cuts before it, less one
    # for each.
    marked = bytes(text)
    reached = [0, *ends]
    flat = b"".join([marked[begin : end + 1] for begin, end in zip(reached, [*begins, len(source)], strict=True)])
    gone = [0, *accumulate(map(sub, ends, begins))]
    places = [
        (border if border > reached[count] else reached[count]) - gone[count] + count
        for border, count in zip(borders, counts, strict=True)
    ]
    apart = [flat[begin:end] for begin, end in pairwise((0, *places, len(flat)))]
    bare = _BORDER_MARK.join(apart).translate(None, bytes((_BLANK,)) + SPACE + around.optional)
    if is_tight:
        bare = bare.replace(bytes((_TIGHT,)), bytes((_COLON, _OPEN)))
    bare = _TRAILING_COMMA.sub(b"", bare)
    if strings:
        whole = [b""] * (2 * len(strings) + 1)
        whole[::2] = bare.split(_STRING_MARK)
        whole[1::2] = _alike([source[begin:end] for begin, end in strings])
        bare = _STRING_MARK.join(whole)
    return bare.split(_BORDER_MARK)


def _mark_blocks(text: bytearray, blocks: Sequence[Span]) -> bool:
    """Whether some block begins right after its colon."""
    is_tight = False
    for begin, _ in blocks:
        if text[begin - 1] == _COLON:
            text[begin - 1] = _TIGHT
            is_tight = True
        else:
            text[begin - 1] = _OPEN
    for end, count in Counter([end for _, end in blocks]).items():
        text[end] = min(_CLOSE + count - 1, _CLOSE_LAST)
    return is_tight


def _alike(strings: list[bytes]) -> list[bytes]:
    """Strings in which the kind of quote of a plain one does not matter."""
    whole = _BETWEEN.join((b"", *strings, b""))
    if b"\0'" not in whole or whole.count(_BETWEEN) != len(strings) + 1:
        return strings
    return b'"'.join(_PLAIN_STRING.split(whole)).split(_BETWEEN)[1:-1]
