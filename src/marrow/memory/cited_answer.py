"""A model's answer, sentence by sentence: whether what it cites says so. Pure.

A sentence is confirmed when the sources that it cites have its numbers and what it quotes, and most of its telling
words. What is not is marked in the answer itself: it may be true, but nothing that was cited says it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ..store.terms import STOP_WORDS, terms_of

UNSUPPORTED, UNCITED, UNKNOWN_SOURCE, INVENTED = "unsupported", "uncited", "no such source", "not in the source"
# The least share of a sentence's words, by how much each says, that its sources must have.
SHARE_LEAST = 0.4
WORDS_LEAST = 4

_CITED = re.compile(r"\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]")
_SENTENCE = re.compile(r"(?<=[.!?])(?:(?:\s*\[[\d,; ]+\])+[.]?)?\s+(?!\[\d)(?=[\"'(*A-Z0-9`\[-])|\n+")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:/-]\d+)*(?![\w])")
_QUOTED = re.compile(r"[\"“”]([^\"“”\n]{3,200})[\"“”]|`([^`\n]{2,120})`")
_SAYS_NOTHING = re.compile(
    r"\b(?:sources?|context|memor(?:y|ies)|documents?)\b[^.]{0,60}\b(?:do(?:es)? not|don't|doesn't|no|nothing|not)\b"
    r"|\b(?:not|nothing)\b[^.]{0,40}\b(?:in|by) the (?:sources?|context)\b",
    re.I,
)

Weigh = Callable[[Sequence[str]], Mapping[str, float]]


class Sentence(NamedTuple):
    """What was said, what it cites, and what is wrong with it; `why` is empty for one that is confirmed."""

    text: str
    cited: tuple[int, ...] = ()
    why: str = ""
    missing: tuple[str, ...] = ()

    @property
    def mark(self) -> str:
        if not self.why:
            return ""
        return f" [{self.why}{': ' + ', '.join(self.missing) if self.missing else ''}]"


class Checked(NamedTuple):
    """The answer with its marks, and its sentences."""

    text: str
    sentences: tuple[Sentence, ...]

    @property
    def doubtful(self) -> tuple[Sentence, ...]:
        return tuple(one for one in self.sentences if one.why)

    @property
    def cited(self) -> tuple[int, ...]:
        return tuple(sorted({number for one in self.sentences for number in one.cited}))


def check(answer: str, sources: Mapping[int, str], weigh: Weigh) -> Checked:
    """The answer, each sentence held against the sources that it cites. `weigh` says how much terms say here."""
    found: list[Sentence] = []
    marked: list[str] = []
    for piece, gap in _sentences(answer.strip()):
        one = _checked(piece, sources, weigh)
        found.append(one)
        marked.append(f"{piece}{one.mark}{gap}")
    return Checked("".join(marked), tuple(one for one in found if one.text))


def _sentences(text: str) -> list[tuple[str, str]]:
    """(sentence, what follows it). Citations after the full stop belong to the sentence before them."""
    found = []
    start = 0
    for match in _SENTENCE.finditer(text):
        whole = match.group()
        gap = whole[len(whole.rstrip()) :] if whole.strip() else whole
        found.append((text[start : match.end() - len(gap)], gap))
        start = match.end()
    return [*found, (text[start:], "")]


def _checked(piece: str, sources: Mapping[int, str], weigh: Weigh) -> Sentence:
    cited = tuple(dict.fromkeys(int(n) for group in _CITED.findall(piece) for n in re.findall(r"\d+", group)))
    said = _CITED.sub(" ", piece).strip()
    words = [term for term in dict.fromkeys(terms_of(said)) if term not in STOP_WORDS]
    if not words:
        return Sentence(said, cited)
    if unknown := tuple(str(number) for number in cited if number not in sources):
        return Sentence(said, cited, UNKNOWN_SOURCE, unknown)
    if not cited:
        is_plain = len(words) < WORDS_LEAST or said.endswith((":", "?")) or _SAYS_NOTHING.search(said)
        return Sentence(said, (), "" if is_plain and not _NUMBER.search(_unlisted(said)) else UNCITED)
    text = "\n".join(sources[number] for number in cited)
    if missing := _missing(said, text):
        return Sentence(said, cited, INVENTED, missing)
    weights = weigh(words)
    has = frozenset(terms_of(text))
    total = sum(weights.get(term, 0.0) for term in words)
    met = sum(weights.get(term, 0.0) for term in words if term in has)
    is_borne_out = total <= 0 or met / total >= SHARE_LEAST
    return Sentence(said, cited, "" if is_borne_out else UNSUPPORTED)


def _unlisted(said: str) -> str:
    """Without the number of a list's entry before it."""
    return re.sub(r"^\s*(?:[-*]|\d{1,2}[.)])\s+", "", said)


def _missing(said: str, text: str) -> tuple[str, ...]:
    """The numbers and quotations of a sentence that its sources have not. A number of one digit may be a count."""
    small = " ".join(text.lower().split())
    numbers = set(_NUMBER.findall(text)) | {one.replace(",", "") for one in _NUMBER.findall(text)}
    parts = {part for number in numbers for part in re.split(r"\D+", number)}
    known = numbers | parts | set(re.findall(r"\d+", text))
    found = [
        number
        for number in _NUMBER.findall(_unlisted(said))
        if len(number) > 1 and number not in known and number.replace(",", "") not in known
    ]
    quotes = [quote or name for quote, name in _QUOTED.findall(said)]
    found += [quote for quote in quotes if " ".join(quote.lower().split()).strip(".,") not in small]
    return tuple(dict.fromkeys(found))
