"""What a failure is known by: its type and message, without what differs from one time to the next."""

from __future__ import annotations

import re

from .lines import one_line, plain

SIGNATURE_MAX = 200
_URL = re.compile(r"\b[a-z][a-z+]{1,10}://[^\s'\"<>)\]]+", re.I)
_WINDOWS = re.compile(r"\b[A-Za-z]:[\\/][^\s'\"<>|:*?]*")
_UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.I)
_HEX = re.compile(r"\b0x[0-9a-f]+\b|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b", re.I)
_PATH = re.compile(r"(?<![\w<])(?:~|\.{1,2})?(?:/[\w.@+%~-]+)+/?|(?<![\w/<])(?:[\w.@+-]+/)+[\w.@+-]+\.\w{1,5}\b")
_PLACE = re.compile(r"<path>(?::\d+)+|\b[\w.-]+\.[a-z]{1,4}(?::\d+)+")
_NUMBER = re.compile(
    r"(?<![A-Za-z_\d])[-+]?\d+(?:[.,_:]\d+)*(?:e[-+]?\d+)?(?:ns|µs|us|ms|s|kb|mb|gb|%)?(?![A-Za-z_\d])", re.I
)
_LEAD = re.compile(r"(?:uncaught |error: (?=\w+error\b)|e\s{2,}|\[error\]\s*|npm (?:err!|error)\s*)+", re.I)
_WORD = re.compile(r"[A-Za-z_]{3,}")
_SAY_LITTLE = frozenset(
    "assert assertionerror assertion error failed failure expected received actual got but was equal equals values "
    "value path hex left right true false none null undefined not that are they exception test and the tobe equality "
    "object want have differ differs match matches asserting".split()
)


def signature(message: str, where: str = "") -> str:
    """The same for the same failure, whatever the line, the address or the number. A message that could be any
    test's, such as `assert 3 == 4`, is known by the test's name (`where`) beside it."""
    text = one_line(_LEAD.sub("", plain(message[:2_000]).strip(), count=1))
    if not text:
        return ""
    for pattern, stand_in in (
        (_URL, "<url>"),
        (_UUID, "<hex>"),
        (_WINDOWS, "<path>"),
        (_PATH, "<path>"),
        (_PLACE, "<path>"),
        (_HEX, "<hex>"),
        (_NUMBER, "<n>"),
    ):
        text = pattern.sub(stand_in, text)
    text = one_line(text)
    if where and not _says_enough(text):
        text = f"{one_line(plain(where))[:80]}: {text}"
    return text[:SIGNATURE_MAX].rstrip()


def _says_enough(text: str) -> bool:
    """Whether it has two words that not every failure has, the type of an error counted."""
    words = {word.lower() for word in _WORD.findall(re.sub(r"<\w+>", " ", text))}
    return len(words - _SAY_LITTLE) >= 2
