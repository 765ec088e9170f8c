"""Long texts are looked at by passage: what answers a question stands in one place of them."""

from __future__ import annotations

import re
from functools import lru_cache

# A text up to this long is one passage; a longer one is cut at the ends of sentences into pieces of about the other.
WHOLE_MAX = 500
PASSAGE = 350
# Of a very long text the beginning is read this far.
READ = 40_000

# A title is looked for in so many lines, and cut after so many characters.
TITLE_LINES, TITLE_LENGTH = 12, 100
# What many a source begins with, whatever it is about.
_NO_TITLE = ("package ", "import ", "from ", "use ", "#include", "Copyright", "SPDX", "This Source Code", "---", "#!")
# The fields at the top of a document, and the comments with which a template says how these are filled in.
_FIELDS = re.compile(r"(---|\+\+\+)[ \t]*\n(?P<fields>(?:.*\n){1,200}?)\1[ \t]*\n")
_DIRECTIONS = re.compile(r"(?:\s*<!--(?:[^-]|-(?!->))*-->)+")
_TITLE_FIELD = re.compile(r"^title[ \t]*[:=][ \t]*(\S.*)$", re.I | re.M)
_EDGES = "#/*\"' -=<>!;"

# White space after the end of a sentence, or the end of a line. To look back from white space alone takes half the time
# of looking back from every place.
_SENTENCE_END = re.compile(r"\s(?:(?<=[.;!?]\s)\s*|(?<=\n)\n*)")


def embedded_pieces(text: str) -> tuple[str, ...]:
    """The passages as they are embedded: each after the first with the title of the whole before it, since a passage
    alone often does not say what it is about. Picked on bench/knowledge."""
    pieces = passages_of(text)
    title = title_of(text) if len(pieces) > 1 else ""
    return (pieces[0], *(f"{title}\n{piece}" for piece in pieces[1:])) if title else pieces


def title_of(text: str) -> str:
    """The first line that says something; "" where none of the first does. Of the fields at the top only the title
    does."""
    if text.startswith(("---", "+++")) and (above := _FIELDS.match(text)):
        if named := _TITLE_FIELD.search(above["fields"]):
            return named[1].strip(" \"'")[:TITLE_LENGTH]
        directions = _DIRECTIONS.match(text, above.end())
        text = text[directions.end() if directions else above.end() :]
    for line in text[: TITLE_LINES * 200].split("\n", TITLE_LINES)[:TITLE_LINES]:
        said = line.strip().strip(_EDGES)
        if len(said) > 3 and not said.startswith(_NO_TITLE) and not line.startswith(_NO_TITLE):
            return said[:TITLE_LENGTH]
    return ""


def passages_of(text: str) -> tuple[str, ...]:
    """The text in pieces of whole sentences; the text itself when it is short."""
    if len(text) <= WHOLE_MAX:
        return (text,)
    above, below = _directions(text)
    return (text[:above], *_passages(text[below:READ])) if below else _passages(text[:READ])


def _directions(text: str) -> tuple[int, int]:
    """Where what a template says below the fields begins and ends: that is in no passage. 0 and 0 where it says
    nothing."""
    if not text.startswith(("---", "+++")) or "<!--" not in text[:READ]:
        return 0, 0
    above = _FIELDS.match(text)
    found = _DIRECTIONS.match(text, above.end()) if above else None
    return (found.start(), found.end()) if found and text[found.end() : READ].strip() else (0, 0)


@lru_cache(maxsize=1024)
def _passages(text: str) -> tuple[str, ...]:
    found: list[str] = []
    piece = ""
    for sentence in _SENTENCE_END.split(text):
        if piece and len(piece) + len(sentence) >= PASSAGE:
            found.append(piece)
            piece = ""
        piece = f"{piece} {sentence}" if piece else sentence
    return (*found, piece) if piece else tuple(found)


def spans_of(text: str) -> tuple[tuple[int, int], ...]:
    """Where each passage of a text begins and ends in it."""
    if len(text) <= WHOLE_MAX:
        return ((0, len(text)),)
    above, below = _directions(text)
    return ((0, above), *_spans(text, below)) if below else _spans(text, 0)


def _spans(whole: str, start: int) -> tuple[tuple[int, int], ...]:
    text = whole[:READ]
    found: list[tuple[int, int]] = []
    begin = end = first = start
    length = 0
    gaps = ((gap.start(), gap.end()) for gap in _SENTENCE_END.finditer(text, start))
    for last, following in (*gaps, (len(text), 0)):
        size = last - first
        if length and length + size >= PASSAGE:
            found.append((begin, end))
            length = 0
        begin, length = (begin, length + 1 + size) if length else (first, size)
        end, first = last, following
    return (*found, (begin, end)) if length else tuple(found)
