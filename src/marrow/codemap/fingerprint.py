"""The fingerprint of a piece of source: the same as long as it means the same, however it is laid out and commented.

A piece of lines has a rolling fingerprint, so that it is found again wherever it went. A symbol has one that does not
see its own name, so that it is known again under another.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from difflib import SequenceMatcher
from hashlib import blake2b
from heapq import nsmallest
from typing import NamedTuple
from zlib import crc32

from ..model.code import CALLABLES, TYPES, Symbol
from .tokens import Tokens, tokens_of

_PRIME, _STEP = (1 << 61) - 1, 0x1F3D_5B79_A2C4_E681
SKETCH_SIZE = 24
ORDERED_MAX = 600
_WORD = re.compile(rb"\w+")
_PIECE = re.compile(rb"\w+|[^\s\w]")
# What stands in a symbol and is a place of its own: it has a fingerprint of its own.
_OWN = CALLABLES | TYPES


class Span(NamedTuple):
    """Lines from `first` to `last`, both counted from 1 and both in it."""

    first: int
    last: int


def lines_print(tokens: Tokens, first: int, last: int) -> str:
    """Of the tokens that begin on these lines: how many, and their hash. "" when there are none."""
    at = tokens.within(first, last)
    if not at:
        return ""
    value = _number(tokens.bare[at[0]])
    for index in at[1:]:
        value = (value * _STEP + _number(tokens.keys[index])) % _PRIME
    return f"{len(at)}.{value:016x}"


def find_lines(tokens: Tokens, wanted: str) -> list[Span]:
    """Where a piece with this fingerprint stands; every place, in order."""
    count, value = size_of(wanted), int(wanted.partition(".")[2], 16)
    total = len(tokens)
    if not 0 < count <= total:
        return []
    sums = [0]
    for key in tokens.keys:
        sums.append((sums[-1] * _STEP + _number(key)) % _PRIME)
    power = pow(_STEP, count - 1, _PRIME)
    found = []
    for start in range(total - count + 1):
        rest = (sums[start + count] - sums[start + 1] * power) % _PRIME
        if (_number(tokens.bare[start]) * power + rest) % _PRIME == value:
            found.append(Span(tokens.first[start], tokens.last[start + count - 1]))
    return found


def symbol_print(tokens: Tokens, symbols: Sequence[Symbol], index: int) -> str:
    """Of a symbol, without its names and without the functions and types inside it, which have their own: how many
    tokens, and their hash. "" when there are none."""
    symbol = symbols[index]
    names = {name.encode(): b"\0%d" % at for at, name in enumerate(reversed(symbol.qualified.split(".")))}
    inside = _inside(symbols, index) if symbol.kind in TYPES or symbol.kind in ("module", "namespace") else ()
    parts, before = [], -2
    for at in tokens.within(symbol.start, symbol.end):
        if any(one.first <= tokens.first[at] <= one.last for one in inside):
            continue
        bare = tokens.bare[at]
        if bare in names:
            parts.append(tokens.keys[at][: -len(bare)] + names[bare] if at == before + 1 else names[bare])
        else:
            parts.append(tokens.keys[at] if at == before + 1 else bare)
        before = at
    return f"{len(parts)}.{_hash(parts)}" if parts else ""


def size_of(print_: str) -> int:
    """How many tokens a fingerprint is of."""
    return int(print_.partition(".")[0] or 0)


def fingerprint(path: str, source: bytes) -> str:
    """Of a whole file."""
    keys = tokens_of(path, source).keys
    return _hash(keys) if keys else ""


def _hash(parts: Sequence[bytes]) -> str:
    return blake2b(b"\x01".join(parts), digest_size=8).hexdigest()


def sketch(source: bytes) -> str:
    """A short account of which words stand together in a text, for `sketched_likeness`. It costs no parsing."""
    words = [word for word in _WORD.findall(source) if len(word) > 1]
    triples = {crc32(b" ".join(words[at : at + 3])) for at in range(max(1, len(words) - 2))} if words else set()
    return "".join(f"{value:08x}" for value in nsmallest(SKETCH_SIZE, triples))


def sketched_likeness(one: str, other: str) -> float:
    """From 0 (nothing in common) to 1, by the sketches of two texts."""
    ours, theirs = ({text[at : at + 8] for at in range(0, len(text), 8)} for text in (one, other))
    if not ours or not theirs:
        return 1.0 if ours == theirs else 0.0
    both = sorted(ours | theirs)[:SKETCH_SIZE]
    return sum(value in ours and value in theirs for value in both) / len(both)


def likeness(one: bytes, other: bytes) -> float:
    """The share of words that two texts have in common, from 0 to 1."""
    ours, theirs = (Counter(_WORD.findall(text)) for text in (one, other))
    total = sum(ours.values()) + sum(theirs.values())
    return 2 * sum((ours & theirs).values()) / total if total else 1.0


def ordered_likeness(one: bytes, other: bytes) -> float:
    """The same by words and marks in their order: functions that do opposite things have the same words. Slower."""
    ours, theirs = (_PIECE.findall(text)[:ORDERED_MAX] for text in (one, other))
    return SequenceMatcher(None, ours, theirs, autojunk=False).ratio()


def most_like(lines: Sequence[bytes], wanted: Sequence[bytes], near: int) -> tuple[Span, float]:
    """The stretch of so many lines that shares most with `wanted`; of equal ones the nearest to line `near`."""
    size = max(1, min(len(wanted), len(lines)))
    if not lines:
        return Span(1, 1), 0.0
    sought = Counter(_WORD.findall(b"\n".join(wanted)))
    total = sum(sought.values())
    counts = [Counter(word for word in _WORD.findall(line) if word in sought) for line in lines]
    lengths = [len(_WORD.findall(line)) for line in lines]
    held = sum((counts[at] for at in range(size)), Counter[bytes]())
    length = sum(lengths[:size])
    best, score = 0, -1.0
    for start in range(len(lines) - size + 1):
        if start:
            held.subtract(counts[start - 1])
            held.update(counts[start + size - 1])
            length += lengths[start + size - 1] - lengths[start - 1]
        shared = sum(min(count, held[word]) for word, count in sought.items() if held[word] > 0)
        now = 2 * shared / (total + length) if total + length else 0.0
        if (now, -abs(start + 1 - near)) > (score, -abs(best + 1 - near)):
            best, score = start, now
    return Span(best + 1, best + size), score


def _inside(symbols: Sequence[Symbol], index: int) -> Collection[Span]:
    return [
        Span(one.start, one.end) for one in symbols if one.parent == index and one.kind in _OWN and one.receiver == ""
    ]


_KNOWN: dict[bytes, int] = {}
_KNOWN_MAX = 50_000


def _number(text: bytes) -> int:
    found = _KNOWN.get(text)
    if found is None:
        if len(_KNOWN) > _KNOWN_MAX:
            _KNOWN.clear()
        found = _KNOWN[text] = int.from_bytes(blake2b(text, digest_size=8).digest(), "big") % _PRIME
    return found


def at_line(symbols: Iterable[Symbol], line: int) -> Symbol | None:
    """The innermost symbol that a line stands in."""
    around = [one for one in symbols if one.start <= line <= one.end]
    return max(around, key=lambda one: (one.start, -one.end), default=None)
