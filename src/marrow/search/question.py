"""A question, and what can be read from its words alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from ..model.record import CURRENT, Filter
from ..store.asking_words import asking_words
from ..store.terms import STOP_WORDS, is_asked_elsewhere, query_terms, terms_of
from .spoken_time import Spoken, spoken_time

_ASKS_FOR_A_TIME = re.compile(
    r"\s*(?:and |so |but |hey,? )?(?:since )?(?:when|how long|how old|what (?:date|day|month|year|time))\b", re.I
)

# As a record of a decision is called in a question; by its names the number is a part of one word.
_RECORD = re.compile(r"\b(adr)[ \t]{1,2}#?(?=\d{1,5}\b)", re.I)
# A commit by its hash, or the beginning of it. Of digits alone it may be any number, unless it is said to be one.
_COMMIT = re.compile(
    r"(?<![\w./#-])(?:(?=[0-9a-f]*\d)(?=\d*[a-f])|(?<=\bcommit )(?=\d))([0-9a-f]{7,40})(?![\w-])(?!\.\w)"
)
_PATH = re.compile(r"(?<![\w/.-])(?:[\w.-]+/)+[\w.-]*\w|(?<![\w/.-])[\w-]+\.[a-z]{1,4}(?![\w.])")
PATHS_READ = 2_000
# Words by which a question is asked, whatever it is about, and how much of what a word says they say. Not "go": where
# code is written it is a language as often.
GENERIC = frozenset(terms_of("use using used do does did get gets make makes run runs work works have has need needs"))
GENERIC_SHARE = 0.25
# A text that has this many of the rarest asked words has as much as one can expect.
TERMS_COUNTED = 8
# The words of asking: a text that says "two hours" answers "how long" without saying "long".
_ASKING = re.compile(
    r"\b(?:\w+ )?(?:asks?|asked|asking|wonders?|wondering|wants? to know) (?:me |us )?"
    r"(?=(?:how|what|when|where|which|who|why|whether|if|until|from)\b)",
    re.I,
)
_HOW_MUCH = re.compile(r"\bhow (?:much time|long|many|much|often|far|big|large|old|fast|soon|late|early|high)\b", re.I)
# Words that ask for whatever there is, and who asks was away: "what did we note last week?"
_WHATEVER = frozenset(
    terms_of(
        "note notes noted write wrote written record recorded save saved remember say said tell told do did done "
        "happen happened work worked discuss discussed talk talked change changed new news going miss missed away "
        "holiday vacation leave sick back catch thing things something anything everything know see team"
    )
)
_MONTH_TERMS = frozenset(
    terms_of("january february march april may june july august september october november december")
)


@dataclass(frozen=True)
class Question:
    """What is asked of the memory: a text, where to look, at which moment, and who must not be found."""

    text: str
    namespace: str
    wanted: Filter
    now: int
    seq: int = CURRENT
    limit: int = 10
    without: frozenset[int] = field(default_factory=frozenset)
    at_hand: tuple[str, ...] = ()  # files and symbols
    without_kinds: frozenset[str] = frozenset()
    by_meaning: int = 0  # so many more are read that are near in meaning, whatever their words
    among: frozenset[int] = frozenset()  # where there are some, only these are looked at

    @cached_property
    def spoken(self) -> Spoken | None:
        """The time it speaks of; a filter that names one has said it already."""
        if self.wanted.since is not None or self.wanted.until is not None:
            return None
        return spoken_time(self.text, self.now)

    @cached_property
    def spoken_names(self) -> frozenset[str]:
        """The names in the time that it speaks of, such as a month or a year: a text may name them too."""
        said = terms_of(self.spoken.said) if self.spoken else ()
        return frozenset(term for term in said if term in _MONTH_TERMS or (term.isdigit() and len(term) == 4))

    @cached_property
    def subject(self) -> str:
        """The question without the words that say when."""
        rest = self.spoken.rest if self.spoken and not self.spoken.event else self.text
        low = rest.lower()
        if any(word in low for word in ("ask", "wonder", "want")):
            rest = _ASKING.sub("", rest)
        if "how" in low:
            rest = _HOW_MUCH.sub("how", rest)
        if "adr" in low:
            rest = _RECORD.sub(r"\1-", rest)
        if self.commits:  # what the digits of a hash are is nothing that a text could speak of
            rest = _COMMIT.sub(" ", rest) if query_terms(_COMMIT.sub(" ", rest)) else f"{self.commits[0]}*"
        return rest if query_terms(rest) else self.text

    @cached_property
    def commits(self) -> tuple[str, ...]:
        """The commits that the text names by their hashes."""
        return tuple(dict.fromkeys(_COMMIT.findall(self.text[:PATHS_READ])))

    @cached_property
    def terms(self) -> tuple[str, ...]:
        return tuple(query_terms(self.subject))

    @cached_property
    def is_elsewhere(self) -> bool:
        """In another language than English. From where on a meaning is sure was measured in English alone: elsewhere
        what is only written in the same language comes as near."""
        return is_asked_elsewhere(self.text)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The files and symbols at hand, and the paths that the text names."""
        return (*self.at_hand, *_PATH.findall(self.text[:PATHS_READ]))

    @cached_property
    def is_pattern(self) -> bool:
        """Nothing was said, or a pattern, which has no meaning that a vector could know."""
        return all("*" in term for term in self.terms)

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """The words that stand beside each other in it."""
        return pairs_of(self.subject)

    @cached_property
    def asks_for_whatever(self) -> bool:
        """Whether it names a time and nothing else: then all that was said in that time answers it."""
        return self.spoken is not None and not self.spoken.weak and frozenset(self.terms) - STOP_WORDS <= _WHATEVER

    @cached_property
    def asks_for_a_time(self) -> bool:
        return _ASKS_FOR_A_TIME.match(self.text) is not None


class Asked(NamedTuple):
    """What the memory knows of the terms of a question: how much each says there, and the other names of a thing that
    a term is part of a name of. `most` is what a text with all that can be expected of it would have. `by_words_alone`:
    the embedder knows nothing of what it says."""

    rarities: Mapping[str, float]
    others: Mapping[str, tuple[frozenset[str], ...]]
    most: float = 0.0
    by_words_alone: bool = False

    def covered(self, terms: Sequence[str], has: frozenset[str]) -> float:
        """The share of the asked terms, by how much each says, that a text has by any name. Of a long message the most
        telling terms make a whole: no text speaks of all that is in it."""
        return self.covering(terms)(has)

    def covering(self, terms: Sequence[str]) -> Callable[[frozenset[str]], float]:
        """The same for many texts."""
        weights = [self.rarities.get(term, 0.0) * (GENERIC_SHARE if term in GENERIC else 1.0) for term in terms]
        total = sum(sorted(weights, reverse=True)[:TERMS_COUNTED])
        weighed, others = list(zip(terms, weights, strict=True)), self.others

        def share(has: frozenset[str]) -> float:
            met = [
                weight
                for term, weight in weighed
                if term in has or (others and any(name <= has for name in others.get(term, ())))
            ]
            return min(1.0, sum(met) / total) if total else 0.0

        return share


def pairs_of(text: str) -> frozenset[tuple[str, str]]:
    """Each two words that follow one another, those that say nothing left out."""
    elsewhere = asking_words()
    said = [term for term in terms_of(text) if term not in STOP_WORDS and term not in elsewhere]
    return frozenset(pairwise(said))
