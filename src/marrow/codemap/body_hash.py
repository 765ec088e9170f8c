"""The hash of a symbol's own text, that does not see comments, white space or trailing commas.

All of it is done on one copy of the text that keeps its length, so that places stay what they are: comments are blanked
out, a string is one mark and blanks, and the beginning and end of a block are marks in the white space beside it. A
symbol's text is then a slice of it, and no part of the text is taken into the hand for each symbol.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import blake2b

HASH_BYTES = 8

Span = tuple[int, int]

SPACE = b" \t\r\n\f\v\\"
# What takes the place of what is not hashed, of a string, and of where a block begins. `_TIGHT` is where that begins
# right after its colon. From `_CLOSE` on: where so many blocks end, less one; nobody ends more at once.
_BLANK, _STRING, _OPEN, _TIGHT, _CLOSE, _CLOSE_LAST = 0, 1, 2, 4, 14, 31
_COLON = ord(":")

_PLAIN_STRING = re.compile(rb"'([^'\"\\\n]*)'\Z")
_TRAILING_COMMA = re.compile(rb",(?=[)\]}])")
_NOT_PLAIN = re.compile(rb"[\"\\\n]")


def hashing(
    source: bytes, comments: Sequence[Span], strings: Sequence[Span], blocks: Sequence[Span], optional: bytes
) -> Callable[[int, int, Sequence[Span]], str]:
    """What hashes a part of the text, without the parts `without` in it (sorted, apart from each other)."""
    text, starts, texts = _marked(source, comments, strings)
    is_tight = _mark_blocks(text, blocks)
    flat, dropped = bytes(text), bytes((_BLANK,)) + SPACE + optional
    fresh = blake2b(digest_size=HASH_BYTES).copy  # quicker than to say each time what is wanted

    @cache
    def in_order() -> tuple[list[Span], list[Span]]:  # few files need it
        return sorted(comments), sorted(strings)

    def is_in_string(place: int) -> bool:
        at = bisect_left(starts, place) - 1
        return at >= 0 and place < starts[at] + len(texts[at])

    def hash_of(first: int, last: int, without: Sequence[Span]) -> str:
        if not flat[first] and is_in_string(first):  # `${function () { … }}`: the string's one mark says nothing of it
            inner_comments, inner_strings, left_out = (_between(spans, first, last) for spans in (*in_order(), without))
            return hashing(source[first:last], inner_comments, inner_strings, (), optional)(0, last - first, left_out)
        if without:
            parts, own = [], list[bytes]()
            for begin, end in (*without, (last, last)):
                parts.append(flat[first:begin])
                at = bisect_left(starts, first)
                own += texts[at : bisect_left(starts, begin, at)]
                first = end
            bare = b"".join(parts).translate(None, dropped)
        else:
            at = bisect_left(starts, first)
            own = texts[at : bisect_left(starts, last, at)]
            bare = flat[first:last].translate(None, dropped)
        if is_tight:
            bare = bare.replace(bytes((_TIGHT,)), bytes((_COLON, _OPEN)))
        bare = _TRAILING_COMMA.sub(b"", bare)
        hashed = fresh()
        hashed.update(bare)
        if own:
            hashed.update(_alike(own))
        return hashed.hexdigest()

    return hash_of


def _between(spans: Sequence[Span], first: int, last: int) -> list[Span]:
    """Those that begin in a part of the text, counted from where that begins."""
    some = spans[bisect_left(spans, (first, 0)) : bisect_left(spans, (last, 0))]
    return [(begin - first, end - first) for begin, end in some]


def _marked(
    source: bytes, comments: Sequence[Span], strings: Sequence[Span]
) -> tuple[bytearray, list[int], list[bytes]]:
    """The text with its comments and strings marked and one byte more, where the strings begin, and what they are."""
    text = bytearray(source)
    text.append(_BLANK)
    for begin, end in comments:
        text[begin:end] = bytes(end - begin)
    starts, texts = list[int](), list[bytes]()
    for begin, end in sorted(strings):
        if begin < end and text[begin]:  # else it is in a comment or in another string
            text[begin:end] = bytes(end - begin)
            text[begin] = _STRING
            starts.append(begin)
            texts.append(source[begin:end])
    return text, starts, texts


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


def _alike(strings: list[bytes]) -> bytes:
    """Strings as one text in which the kind of quote of a plain one does not matter."""
    whole = b"\0" + b"\0".join(strings)
    quotes = whole.count(b"'")
    if not quotes:
        return whole
    if quotes == 2 * whole.count(b"\0'") and not _NOT_PLAIN.search(whole):  # all of them are plain
        return whole.replace(b"'", b'"')
    return b"\0" + b"\0".join([_PLAIN_STRING.sub(rb'"\1"', one) if one[0] == 39 else one for one in strings])
