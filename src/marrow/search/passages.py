"""Long texts are looked at by passage: what answers a question stands in one place of them."""

from __future__ import annotations

import re
from functools import lru_cache

# A text up to this long is one passage; a longer one is cut at the ends of sentences into pieces of about the other.
WHOLE_MAX = 500
PASSAGE = 350
# Of a very long text the beginning is read this far.
READ = 40_000

_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")


@lru_cache(maxsize=1024)
def passages_of(text: str) -> tuple[str, ...]:
    """The text in pieces of whole sentences; the text itself when it is short."""
    if len(text) <= WHOLE_MAX:
        return (text,)
    found: list[str] = []
    piece = ""
    for sentence in _SENTENCE_END.split(text[:READ]):
        if piece and len(piece) + len(sentence) >= PASSAGE:
            found.append(piece)
            piece = ""
        piece = f"{piece} {sentence}" if piece else sentence
    return (*found, piece) if piece else tuple(found)
