"""Text that must occur: as it is written, however it is laid out, or as a regular expression."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from typing import NamedTuple

from ...codemap.fingerprint import likeness
from ...model.errors import Invalid
from .checkout import Checkout

FILES_MAX = 50
PATTERN_MAX = 500
LINE_MAX = 2_000
NEAR = 0.49
SECONDS_MAX = 2.0
_PIECES = re.compile(r"\w+|\s+|[^\s\w]")
_REPEATS = re.compile(rb"[*+?{]")
# Where in the text on its input a pattern begins, line by line.
_PROGRAM = """
import os, re, sys
wanted, longest, at, left = re.compile(os.fsencode(sys.argv[1])), int(sys.argv[2]), 0, 100
for line in sys.stdin.buffer.read().splitlines(keepends=True):
    found = wanted.search(line.rstrip(b"\\r\\n")) if len(line) <= longest else None
    if found and left:
        print(at + found.start())
        left -= 1
    at += len(line)
"""
_LONGEST = re.compile(r"\w{3,}")


class Occurrence(NamedTuple):
    path: str
    line: int
    text: str
    in_comment: bool


@lru_cache(maxsize=256)
def compiled(pattern: str, is_regex: bool) -> re.Pattern[bytes]:
    """A text matches with any space between its words and marks, and with either kind of quotes."""
    if len(pattern) > PATTERN_MAX:
        raise Invalid(f"A pattern has at most {PATTERN_MAX} characters.", hint="Shorten it.", field="anchors")
    try:
        return re.compile(pattern.encode() if is_regex else _loose(pattern).encode(), re.M)
    except (re.error, OverflowError, RecursionError) as problem:
        raise Invalid(
            f"{pattern[:80]!r} is no regular expression: {problem}.", hint="Leave out regex for plain text."
        ) from problem


def occurrence(
    checkout: Checkout, pattern: str, path: str, *, is_regex: bool, comments: bool = True
) -> Occurrence | None:
    """Where a pattern occurs first: in a file, or in any. What stands in a comment comes last, or with `comments` False
    not at all."""
    wanted = compiled(pattern, is_regex)
    last = None
    for one in [path] if path else _candidates(checkout, pattern, is_regex):
        found = _in_file(checkout, one, wanted, is_regex=is_regex)
        if found is not None and not found.in_comment:
            return found
        last = last or found
    return last if comments else None


def nearest(checkout: Checkout, path: str, text: str) -> Occurrence | None:
    """The line of a file that is most like one that was there; None when none is."""
    wanted, best, score = text.encode(), 0, NEAR
    for number, line in enumerate(checkout.lines(path), 1):
        if len(line) <= LINE_MAX and (now := likeness(wanted, line)) > score:
            best, score = number, now
    return Occurrence(path, best, checkout.told(path, best, best).strip(), False) if best else None


def _candidates(checkout: Checkout, pattern: str, is_regex: bool) -> list[str]:
    """The files that have the longest word of it."""
    words = _LONGEST.findall(re.sub(r"\\\w|\[[^\]]*\]|\([^)]*\)|\w?[?*+|{]", " ", pattern) if is_regex else pattern)
    if words:
        return checkout.holding(max(words, key=len), FILES_MAX)
    return list(checkout.files()[:FILES_MAX])


def _in_file(checkout: Checkout, path: str, wanted: re.Pattern[bytes], *, is_regex: bool) -> Occurrence | None:
    source = checkout.source(path)
    if source is None:
        return None
    first = None
    for found in _matches(wanted, source, is_regex):
        in_comment = any(start <= found < end for start, end in checkout.tokens(path).comments)
        line = source.count(b"\n", 0, found) + 1
        text = checkout.told(path, line, line).strip()
        here = Occurrence(path, line, text[:200], in_comment)
        if not in_comment:
            return here
        first = first or here
    return first


def _matches(wanted: re.Pattern[bytes], source: bytes, is_regex: bool) -> list[int]:
    """Where it begins, the first hundred. A regular expression sees one line at a time, none of them long."""
    if not is_regex:
        return [found.start() for found, _ in zip(wanted.finditer(source), range(100), strict=False)]
    if len(_REPEATS.findall(wanted.pattern)) > 1:
        return _elsewhere(wanted, source)
    starts, at = [], 0
    for line in source.splitlines(keepends=True):
        if len(line) <= LINE_MAX and (found := wanted.search(line.rstrip(b"\r\n"))):
            starts.append(at + found.start())
        at += len(line)
        if len(starts) >= 100:
            break
    return starts


def _elsewhere(wanted: re.Pattern[bytes], source: bytes) -> list[int]:
    """By a process of its own, which can be ended: two repetitions may take for ever on a line of forty characters."""
    import subprocess

    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, wanted.pattern.decode(), str(LINE_MAX)]
    try:
        done = subprocess.run(command, input=source, capture_output=True, timeout=SECONDS_MAX, check=False)
    except (subprocess.TimeoutExpired, OSError) as problem:
        raise Invalid(
            f"{wanted.pattern.decode()[:80]!r} takes too long to look for.",
            hint="Leave out repetitions within repetitions.",
            field="anchors",
        ) from problem
    return [int(number) for number in done.stdout.split()]


def _loose(text: str) -> str:
    parts: list[str] = []
    before = ""
    for piece in _PIECES.findall(text.strip()):
        if piece.isspace():
            before = f"{before} "
            continue
        if parts:
            both_words = re.match(r"\w", piece) and re.search(r"\w\s*\Z", before)
            parts.append(r"\s+" if both_words else r"\s*")
        parts.append("[\"']" if piece in "\"'" else re.escape(piece))
        before = piece
    joined = "".join(parts)
    start = r"(?<!\w)" if re.match(r"\w", text.strip()) else ""
    end = r"(?!\w)" if re.search(r"\w\Z", text.strip()) else ""
    return f"{start}{joined}{end}"
