"""Whether a recalled memory was used in what followed: it was named, its file was edited, or its words came back.

That two texts share a subject proves nothing, so only what the memory brought counts: words that say something, that
did not stand in the message that asked, and that come back close together. Something as particular as an identifier
may come back alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from ..model.address import PREFIX_LENGTH_MIN
from ..store.terms import STOP_WORDS, terms_of
from .passages import passages_of
from .replaced import values

NAMED, EDITED, REPEATED = "named", "its file was edited", "its words were repeated"

# How many of a memory's own words must come back, and which share of them.
WORDS_LEAST, WORDS_SHARE = 4, 0.35
# One identifier that could be a product's or anybody's is chance; two of them are not.
LOOSE_LEAST = 2
# A number of one digit counts whatever it is beside.
DIGITS_LEAST = 2

_ADDRESS = re.compile(rf"(?<![\w-])[0-9a-f]{{{PREFIX_LENGTH_MIN},64}}(?![\w-])")
_PARTICULAR = re.compile(
    r"(?<![\w/.-])(?:"
    r"[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+"  # snake_case, SETTINGS_LIKE_THIS
    r"|[a-z][a-z0-9]*[A-Z]\w*"  # camelCase
    r"|--[a-z][a-z0-9]+(?:-[a-z0-9]+)+"  # --an-option
    r"|[A-Z]{2,10}-\d+"  # a ticket
    r"|[\w.-]+/(?:[\w.-]+/)*[\w-]+\.\w{1,5}"  # src/app.py
    r"|[\w.-]+(?:/[\w.-]+){2,}"  # a/longer/path
    r")(?![\w/])"
)
_LOOSE = re.compile(
    r"(?<![\w/.-])(?:"
    r"(?:[A-Z][a-z0-9]+){2,}[A-Z]*"  # RetryPolicy, but GitHub too
    r"|[A-Za-z_]\w*\.[a-z]{1,4}(?![\w.])"  # app.py
    r"|[a-z]\w*\(\)"  # flush()
    r"|(?=\w*\d)(?=\w*[a-z])\w{4,}"  # utf8mb4
    r"|v?\d+\.\d+(?:\.\d+)+"  # 1.4.2
    r")(?!\w)"
)
_FOLDED = re.compile(r"[\W_]+")
_SENTENCE_END = re.compile(r"(?<=[.;!?])\s+|\n+")

# Words that everybody writes at work, whatever it is about.
_WORK = (
    "able actually add allow always another answer anything app apply around ask away back bad became began best "
    "better big bit break broke broken bug build built call came case cause change check choose chose chosen clear "
    "code come command commit complete config correct create current data day decide default different doesn't don't "
    "ensure error even ever every everything example exist expect fail far feature felt file find fine first fix "
    "follow found function gave give given go gone good great happen hard help high hold idea implement important "
    "include instead issue keep kept kind knew know known large last late later least leave left less line list "
    "little local log long look lot low made main make many matter mean memory message method miss move name need "
    "never new next nothing number okay old one open part pass path place point possible problem process project "
    "provide put question quite ran rather read ready reason remain remove replace repo repository require result "
    "return right run said save say second see seem seen sent server service set show side simple since small "
    "something start state step still stop sure system take taken team test text thing think thought three time today "
    "together told took try turn two type understand update use user usual value version want way week well went "
    "whether whole without word work write written wrong wrote year yet"
)
_COMMON = STOP_WORDS | frozenset(terms_of(" ".join(STOP_WORDS))) | frozenset(terms_of(_WORK))


# Further down, what comes back comes back by chance; and neither a long text nor a long memory may cost seconds.
CONTENT_READ, SAID_READ = 8_000, 20_000


def was_used(
    content: str, address: str, anchors: Sequence[str], said: str, files: Sequence[str], asked: str = ""
) -> str:
    """Why a memory counts as used, or "". `anchors` are the paths that it is pinned to, `said` is what was written
    after it was recalled, `files` what was edited, and `asked` the message that it was recalled for."""
    content, said = content[:CONTENT_READ], said[:SAID_READ]
    if any(address.startswith(found) for found in _ADDRESS.findall(said.lower())):
        return NAMED
    if _is_edited(anchors, files):
        return EDITED
    return REPEATED if said and _is_repeated(content, said, asked) else ""


def _is_edited(anchors: Sequence[str], files: Sequence[str]) -> bool:
    """Anchors are paths from the root of the repository; what was edited may be named from the root of the disk."""
    edited = [file.replace("\\", "/").removeprefix("./") for file in files]
    return any(file == path or file.endswith(f"/{path}") for path in anchors if path for file in edited)


def _is_repeated(content: str, said: str, asked: str) -> bool:
    stretches = _stretches(said)
    known = _marks(asked)
    for passage in passages_of(content):
        mine = _marks(passage)
        words = mine.words - known.terms
        particular, loose = mine.particular - known.identifiers, mine.loose - known.identifiers
        for stretch in stretches:
            repeated = words & stretch.terms
            if len(repeated) >= max(WORDS_LEAST, WORDS_SHARE * len(words)):
                return True
            if particular & stretch.identifiers or len(loose & stretch.identifiers) >= LOOSE_LEAST:
                return True
        if _has_value(passage, mine.words, said, asked):
            return True
    return False


def _has_value(passage: str, words: frozenset[str], said: str, asked: str) -> bool:
    """A number came back with what it counts, in a sentence that speaks of something else of the memory too."""
    brought = _values(passage) - _values(asked)
    if not brought:
        return False
    for sentence in _sentences(said):
        for unit, _ in brought & _values(sentence):
            if not (words - {unit}).isdisjoint(_marks(sentence).terms):
                return True
    return False


class _Marks(NamedTuple):
    """What a text can be recognised by: all its terms, those that say something, and its identifiers."""

    terms: frozenset[str]
    words: frozenset[str]
    particular: frozenset[str]
    loose: frozenset[str]

    @property
    def identifiers(self) -> frozenset[str]:
        return self.particular | self.loose


@lru_cache(maxsize=1024)
def _marks(text: str) -> _Marks:
    terms = frozenset(terms_of(text))
    words = frozenset(term for term in terms if _says_something(term))
    particular = _folded(_PARTICULAR.findall(text))
    return _Marks(terms, words, particular, _folded(_LOOSE.findall(text)) - particular)


def _says_something(term: str) -> bool:
    if term in _COMMON or term.isdigit():
        return False
    return len(term) > 2 or not term.isascii()  # a pair of Chinese characters is a word


def _folded(found: Iterable[str]) -> frozenset[str]:
    """Identifiers however they are spelt: getUserById is get_user_by_id."""
    return frozenset(_FOLDED.sub("", name).lower() for name in found)


@lru_cache(maxsize=1024)
def _values(text: str) -> frozenset[tuple[str, str]]:
    """(what is counted, number) of the numbers that say something."""
    return frozenset(
        (unit, number)
        for unit, numbers in values(text).items()
        for number in numbers
        if sum(map(str.isdigit, number)) >= DIGITS_LEAST
    )


@lru_cache(maxsize=8)
def _stretches(said: str) -> tuple[_Marks, ...]:
    """Each two neighbouring passages: far apart in a long text, words come together by chance."""
    pieces = passages_of(said)
    if len(pieces) < 2:
        return tuple(_marks(piece) for piece in pieces)
    return tuple(_marks(f"{one}\n{other}") for one, other in pairwise(pieces))


@lru_cache(maxsize=8)
def _sentences(said: str) -> tuple[str, ...]:
    return tuple(sentence for passage in passages_of(said) for sentence in _SENTENCE_END.split(passage))
