"""What a summary keeps of the texts that it stands for: the best sentences, the exact values, and how much is covered.

Pure and deterministic: no model is asked. Terms are those of the keyword index. A term weighs `ln(1 + N/df)` over the
N texts, so what few of them say weighs more; a sentence is chosen for how much of all the texts it covers.
"""

from __future__ import annotations

import heapq
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model.text import shorten, token_estimate
from ..store.terms import STOP_WORDS, terms_of

HEADING = "Exact values:"
SUMMARY_TOKENS = 200
SENTENCE_TOKENS_MAX = 80
CLAUSE_LENGTH_MAX = 150
# How much of a long clause is kept before a value.
CLAUSE_LEAD = 60
# A sentence of the summary says a clause when it has all of its values and this share of its terms.
SAID_SHARE = 0.6
# Long sentences cover more and cost more; the root of the cost keeps fragments from winning by being short.
COST_POWER = 0.5

_STOP_TERMS = frozenset(term for word in STOP_WORDS for term in terms_of(word))
_SENTENCE_END = re.compile(r"\n+|(?<=[.!?])\s+(?![a-z])|(?<=[。！？])")
# A text with a few of these is kept; a summary of nothing but them would be refused.
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]+")
_BULLET = re.compile(r"\s*(?:[-*•>]|#{1,6}|\d{1,2}[.)])\s+")
_WORD = re.compile(r"\S+")
_AROUND = ".,;:!?()[]{}<>\"'“”‘’*"
_PRINTABLE = re.compile(r"[!-~]+")
_CODE_NAME = re.compile(r"(?=.*[_.\d]|.*[a-z][A-Z])[A-Za-z_][\w.-]*\Z")
_FILE = re.compile(
    r"[\w.-]*\w\.(?:c|cc|cfg|conf|cpp|cs|css|csv|db|env|go|h|hpp|html?|ini|ipynb|java|js|json|jsonl|jsx|kt|lock|log|md|"
    r"php|proto|ps1|py|pyi|rb|rs|rst|scala|sh|sql|swift|tf|toml|ts|tsx|txt|vue|xml|ya?ml|zig)\Z"
)
_PATH_START = ("/", "~/", "./", "../")


class Corpus(NamedTuple):
    """The texts that are summed up, the terms of each, and in how many of them a term stands."""

    texts: tuple[str, ...]
    terms: tuple[frozenset[str], ...]
    found_in: Mapping[str, int]

    def weight(self, term: str) -> float:
        return math.log(1 + len(self.texts) / self.found_in[term])


def corpus_of(texts: Sequence[str]) -> Corpus:
    terms = tuple(content_terms(text) for text in texts)
    return Corpus(tuple(texts), terms, Counter(term for one in terms for term in one))


def content_terms(text: str) -> frozenset[str]:
    """The terms of a text without the words that say nothing."""
    return frozenset(terms_of(text)) - _STOP_TERMS


def sentences(text: str) -> list[str]:
    """The sentences and lines of a text, without the marks of lists and headings."""
    found: list[str] = []
    for part in _SENTENCE_END.split(_CONTROLS.sub(" ", text)):
        mark = _BULLET.match(part)
        line = (part[mark.end() :] if mark else part).strip()
        if line and line != HEADING:
            found.append(line)
    return found


def coverage(corpus: Corpus, kept: str) -> float:
    """The share of the texts' terms, by weight, that `kept` has: from 0 to 1."""
    have = content_terms(kept)
    total = sum(corpus.weight(term) for term in sorted(corpus.found_in))
    if not total:
        return 1.0
    found = sum(corpus.weight(term) for term in sorted(corpus.found_in) if term in have)
    return min(1.0, round(found / total, 4))


def missing(corpus: Corpus, kept: str, limit: int) -> tuple[str, ...]:
    """The words that matter most to the texts and that `kept` does not have, as the texts write them."""
    have = content_terms(kept)
    lost = [term for term in corpus.found_in if term not in have]
    lost.sort(key=lambda term: (-_matters(corpus, term), term))
    written = _as_written(corpus.texts, lost[: 4 * limit])
    return tuple(dict.fromkeys(written[term] for term in lost if term in written))[:limit]


def _matters(corpus: Corpus, term: str) -> float:
    """How much of all the texts a term stands for: its weight, once for each text that has it."""
    return corpus.found_in[term] * corpus.weight(term)


def _as_written(texts: Iterable[str], wanted: Sequence[str]) -> dict[str, str]:
    left, written = set(wanted), {}
    for text in texts:
        for word in _WORD.findall(text):
            core = word.strip(_AROUND + "`")
            for term in left.intersection(terms_of(core)):
                written[term] = core if len(core) <= CLAUSE_LENGTH_MAX else term
                left.discard(term)
        if not left:
            break
    return written


def extract(corpus: Corpus, tokens: int = SUMMARY_TOKENS) -> str:
    """The sentences that together cover most of the texts, in the order of the texts, within about `tokens`."""
    candidates = [_ended(shorten(line, SENTENCE_TOKENS_MAX)) for text in corpus.texts for line in sentences(text)]
    terms = [content_terms(line) & corpus.found_in.keys() for line in candidates]
    costs = [max(1, token_estimate(line)) for line in candidates]
    heap = [
        (-_gain(corpus, terms[i]) / costs[i] ** COST_POWER, i) for i in range(len(candidates)) if costs[i] <= tokens
    ]
    heapq.heapify(heap)
    covered: set[str] = set()
    chosen: list[int] = []
    left = tokens
    while heap:
        value, at = heapq.heappop(heap)
        if not value or costs[at] > left:
            continue
        # What is covered only grows, so an old value is an upper bound: reckon anew, and take it if it still leads.
        now = -_gain(corpus, terms[at] - covered) / costs[at] ** COST_POWER
        if heap and (now, at) > heap[0]:
            heapq.heappush(heap, (now, at))
        elif now:
            chosen.append(at)
            covered |= terms[at]
            left -= costs[at]
    if not chosen:
        return shorten(" ".join(dict.fromkeys(candidates)) or "…", tokens)
    return " ".join(candidates[at] for at in sorted(chosen))


def _gain(corpus: Corpus, terms: Iterable[str]) -> float:
    return sum(_matters(corpus, term) for term in sorted(terms))


def _ended(line: str) -> str:
    return line if line[-1] in ".!?…:。！？" else line + "."


def preserved(texts: Sequence[str], summary: str) -> tuple[str, ...]:
    """The clauses with exact values (numbers, versions, paths, settings) that the summary does not say already."""
    said: dict[str, list[tuple[frozenset[str], frozenset[str]]]] = {}
    for line in sentences(summary):
        words = frozenset(_cores(line))
        known = (words, content_terms(line))
        for word in words:
            said.setdefault(word, []).append(known)
    kept: dict[str, str] = {}
    for text in texts:
        for clause in _clauses(text):
            values = _values(clause)
            if not values or _is_said(clause, values, said):
                continue
            for piece in _pieces(clause, values):
                kept.setdefault(" ".join(piece.casefold().split()).rstrip(_AROUND), piece)
    return tuple(kept.values())


def _is_said(
    clause: str, values: Sequence[tuple[int, int]], said: Mapping[str, list[tuple[frozenset[str], frozenset[str]]]]
) -> bool:
    exact = {core for start, end in values for core in _cores(clause[start:end])}
    if not exact:
        return False
    terms = content_terms(clause)
    return any(
        exact <= words and len(terms & known) >= SAID_SHARE * len(terms) for words, known in said.get(min(exact), ())
    )


def _cores(text: str) -> list[str]:
    """The words of a text without the marks around them."""
    return [core for word in _WORD.findall(text) if (core := word.strip(_AROUND).casefold())]


def _clauses(text: str) -> list[str]:
    found: list[str] = []
    for line in sentences(text):
        parts = re.split(r";\s", line)
        for part in parts:
            found += re.split(r",\s", part) if len(part) > CLAUSE_LENGTH_MAX else [part]
    return [clause.strip() for clause in found]


def _values(clause: str) -> list[tuple[int, int]]:
    """Where the exact values of a clause stand, in order."""
    words = list(_WORD.finditer(clause))
    found: list[tuple[int, int]] = []
    for at, word in enumerate(words):
        text = word[0]
        core = text.strip(_AROUND)
        if text == "=" and 0 < at < len(words) - 1:
            found.append((words[at - 1].start(), words[at + 1].end()))
        elif text.endswith(":") and at < len(words) - 1 and _CODE_NAME.match(core):
            found.append((word.start(), words[at + 1].end()))
        elif _is_exact(core):
            found += _narrowed(word)
    return found


def _is_exact(core: str) -> bool:
    if any(character.isdigit() for character in core) or "`" in core or "://" in core:
        return True
    if core.startswith("--"):
        return len(core) > 2
    if "=" in core.strip("=") or _FILE.match(core):
        return True
    slashes = core.count("/")
    return slashes > 1 or (slashes == 1 and len(core) > 1 and (core.startswith(_PATH_START) or "." in core))


def _narrowed(word: re.Match[str]) -> list[tuple[int, int]]:
    """In a script without spaces a word is a whole clause: there, only the parts in ASCII are the value."""
    if len(word[0]) <= CLAUSE_LEAD or word[0].isascii():
        return [word.span()]
    parts = [part for part in _PRINTABLE.finditer(word[0]) if _is_exact(part[0])]
    return [(word.start() + part.start(), word.start() + part.end()) for part in parts] or [word.span()]


def _pieces(clause: str, values: Sequence[tuple[int, int]]) -> list[str]:
    """The clause, or where it is too long, the stretches of it that hold the values."""
    if len(clause) <= CLAUSE_LENGTH_MAX:
        return [clause]
    pieces: list[str] = []
    room = CLAUSE_LENGTH_MAX - 2
    done = 0
    for start, end in values:
        if end <= done:
            continue
        lead = max(min(done, start), start - max(0, min(CLAUSE_LEAD, room - (end - start))))
        first = _word_start(clause, lead, start)
        last = _word_end(clause, first + room, end)
        done = last
        before, after = "…" if first else "", "…" if last < len(clause) else ""
        pieces.append(f"{before}{clause[first:last].strip()}{after}")
    return pieces


def _word_start(clause: str, at: int, before: int) -> int:
    """The first place from `at` on, and not after `before`, where a word begins."""
    while 0 < at < before and not clause[at - 1].isspace():
        at += 1
    return at


def _word_end(clause: str, at: int, after: int) -> int:
    """The last place up to `at`, and not before `after`, where a word ends. A value that is longer is cut at `at`."""
    if at >= len(clause) or at <= after:
        return min(at, len(clause))
    while at > after and not clause[at].isspace():
        at -= 1
    return at
