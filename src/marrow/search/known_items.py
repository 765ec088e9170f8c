"""Known items: questions whose answer is known, made from the texts of a memory, without a language model.

Each of the three styles is further from the text than the one before: its most telling words; a sentence of it without
them; words that stand near them. The same text, chance and rarities give the same questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from ..store.terms import STOP_WORDS, terms_of
from .passages import passages_of
from .related_words import related

WORDS, SENTENCE, BLURRED = "words", "sentence", "blurred"
STYLES = (WORDS, SENTENCE, BLURRED)

# A text with fewer different words that say something cannot be asked for in every style.
TELLING_MIN = 5
WORDS_ASKED = (3, 5)
BLURRED_ASKED = (4, 6)
SENTENCE_WORDS = (5, 40)
LEFT_MIN = 2
OPENINGS = ("What about", "How is it that", "Why is it that")
# Words that search looks for, and that nobody would ask by.
SAYS_LITTLE = STOP_WORDS | frozenset(
    "across against already along although always among another anything around away between cannot despite else "
    "enough even ever every everything however instead kept less made make many never nobody none nothing often one "
    "per quite rather really since still than though three together took toward two unless upon use used uses using "
    "via well went whatever whether within without yet".split()
)
# How much of a text is looked at: what is longer is asked about by one of its passages.
READ = 4_000
# Two words of one family begin alike: with so many letters, and so much of the longer one.
FAMILY_LETTERS, FAMILY_SHARE = 4, 0.66

_WORD = re.compile(r"\w+(?:['’./:@-]\w+)*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_HASH = re.compile(r"[0-9a-f]{7,}|\W*")
_SEAM = re.compile(r"(?<=[a-z])(?=[A-Z])|[\W\d_]+")
_PLAIN = re.compile(r"[a-z]{4,}")


class Asked(NamedTuple):
    """A question in one of the styles."""

    style: str
    text: str


class _Word(NamedTuple):
    """A word as it is written, where, and how much it says among the texts that are searched."""

    text: str
    at: int
    telling: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a memory by how they begin, so that one can stand for another of its family."""

    families: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Vocabulary:
        found: dict[str, set[str]] = {}
        for text in texts:
            for word in _WORD.findall(text[:READ].lower()):
                if _PLAIN.fullmatch(word):
                    found.setdefault(word[:FAMILY_LETTERS], set()).add(word)
        return cls({start: sorted(words) for start, words in found.items() if len(words) > 1})

    def other_form(self, word: str) -> str:
        """Another word of its family, if possible one that words alone would not find; empty when there is none."""
        lower = word.lower()
        near = [
            (terms_of(other) == terms_of(lower), -_shared(lower, other), other)
            for other in self.families.get(lower[:FAMILY_LETTERS], ())
            if other != lower and _shared(lower, other) >= FAMILY_SHARE * max(len(lower), len(other))
        ]
        return min(near)[2] if near else ""


def _shared(one: str, other: str) -> int:
    """With how many letters both begin."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def is_askable(content: str) -> bool:
    """Whether a text has enough in it to be asked about."""
    found: set[str] = set()
    for match in _WORD.finditer(content[:READ]):
        if _can_be_said(match[0]):
            found.update(terms_of(match[0])[:1])
            if len(found) >= TELLING_MIN:
                return True
    return False


def passage_asked(content: str, chance: Random) -> str:
    """What of a text is asked about: all of it when it is short, else one of its passages."""
    pieces = [piece for piece in passages_of(content) if is_askable(piece)]
    return chance.choice(pieces) if pieces else content[:READ]


def questions_about(
    text: str, rarities: Mapping[str, float], vocabulary: Vocabulary, chance: Random
) -> tuple[Asked, ...]:
    """The questions that a text gives, in the order of the styles; a style that it is too short for is left out."""
    words = [_Word(m[0], at, _telling(m[0], rarities)) for at, m in enumerate(_WORD.finditer(text))]
    best = _most_telling(words)
    made = (
        (WORDS, _by_words(best, chance)),
        (SENTENCE, _by_sentence(text, rarities, chance)),
        (BLURRED, _by_blurring(best, vocabulary, chance)),
    )
    return tuple(Asked(style, asked) for style, asked in made if asked)


def _can_be_said(word: str) -> bool:
    """Whether a person would use it in a question: no number, no hash, no path as long as a line."""
    return (
        2 < len(word) <= 30
        and any(map(str.isalpha, word))
        and word.lower() not in SAYS_LITTLE
        and not _HASH.fullmatch(word)
    )


def _telling(word: str, rarities: Mapping[str, float]) -> float:
    if word.lower() in STOP_WORDS:
        return 0.0
    return max((rarities.get(term, 0.0) for term in terms_of(word)), default=0.0)


def _most_telling(words: Iterable[_Word]) -> list[_Word]:
    """Each word that can be said once, the most telling first."""
    known: set[tuple[str, ...]] = set()
    found = []
    for word in sorted(words, key=lambda word: (-word.telling, word.at)):
        terms = tuple(terms_of(word.text))
        if word.telling and _can_be_said(word.text) and terms not in known:
            known.add(terms)
            found.append(word)
    return found


def _by_words(best: Sequence[_Word], chance: Random) -> str:
    count = chance.randint(*WORDS_ASKED)
    chosen = [word.text for word in best[:count]]
    chance.shuffle(chosen)
    return " ".join(chosen) if len(chosen) >= WORDS_ASKED[0] else ""


def _by_sentence(text: str, rarities: Mapping[str, float], chance: Random) -> str:
    """One of its sentences as a question, the most telling third of its words dropped."""
    possible = []
    for sentence in _SENTENCE_END.split(text):
        words = [_Word(m[0], at, _telling(m[0], rarities)) for at, m in enumerate(_WORD.finditer(sentence))]
        dropped = {w.at for w in sorted(words, key=lambda word: (-word.telling, word.at))[: len(words) // 3]}
        left = [word for word in words if word.at not in dropped]
        if SENTENCE_WORDS[0] <= len(words) <= SENTENCE_WORDS[1] and sum(w.telling > 0 for w in left) >= LEFT_MIN:
            possible.append(left)
    if not possible:
        return ""
    said = [word.text for word in chance.choice(possible)]
    first = said[0].lower() if said[0].istitle() else said[0]
    return f"{chance.choice(OPENINGS)} {' '.join([first, *said[1:]])}?"


def _by_blurring(best: Sequence[_Word], vocabulary: Vocabulary, chance: Random) -> str:
    """Its most telling words in their order, others in their places. Of twice as many as are asked: those by which
    words alone would not find it, then other forms, and last those that nothing can stand for."""
    count = chance.randint(*BLURRED_ASKED)
    blurred = [(word, blur(word.text, vocabulary, chance) or word.text) for word in best[: 2 * count]]
    blurred.sort(key=lambda pair: (_is_found(*pair), pair[0].text == pair[1]))
    chosen = sorted((word.at, other) for word, other in blurred[:count])
    return " ".join(text for _, text in chosen) if len(chosen) >= BLURRED_ASKED[0] else ""


def blur(word: str, vocabulary: Vocabulary, chance: Random) -> str:
    """Something that stands near a word: its parts, a word for the same, another form. Empty when there is nothing."""
    parts = [part for part in _SEAM.split(word) if part]
    if len(parts) > 1 or parts != [word]:
        return " ".join(part if part.isupper() else part.lower() for part in parts)
    if others := related(word):
        return chance.choice(others)
    if other := vocabulary.other_form(word):
        return other
    return _singular(word) if _PLAIN.fullmatch(word) else ""


def _singular(word: str) -> str:
    """One for many. Not the other way: what is no noun has no such form, and no rule knows which word is one."""
    if word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else ""


def _is_found(word: _Word, other: str) -> bool:
    """Whether a search by words for the other finds the word."""
    return not set(terms_of(word.text)).isdisjoint(terms_of(other))
