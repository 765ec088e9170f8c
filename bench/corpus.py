"""Texts and questions to measure with: seeded, shaped like what developers write, owned by nobody.

Word frequencies fall as in real text: a few words are in most sentences, most words in few. Questions are whole
sentences with common words in them, because that is what makes a keyword index slow.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

COMMON = (
    "the a of to and in is that for it was on are as with be this by from or we have not but at they you which can "
    "will has its when there use if should because after all so more been one into then than only do also no may other"
).split()
VERBS = (
    "uses needs returns breaks retries caches validates rejects migrates locks flushes renders parses signs rotates "
    "schedules drops merges splits indexes encodes streams batches throttles logs"
).split()
OPENINGS = (
    "We decided that",
    "The reason is that",
    "It turned out that",
    "Root cause:",
    "Convention here:",
    "After the incident",
    "For now",
    "In production",
    "The tests show that",
    "Nobody should forget that",
)
QUESTIONS = (
    "why do we {0} the {1} when the {2} is not there",
    "what did we decide about the {0} and the {1} in the {2}",
    "how should the {0} be used with {1} if it {2}",
    "what is the reason that the {0} was changed from {1} to {2}",
    "where is it said that {0} has to be done before {1} and after {2}",
)
SYLLABLES = (
    "con tra mit ver sol ben dar fen gol hul jas kel lom mar nor pel quin ros sil tam ul vor wen xan yor zen".split()
)


# One node in a hundred has this tag, so that a filter can keep one in a hundred.
RARE_TAG, RARE_EVERY = "rare", 100
# A project has so many names of its own; they come again and again.
IDENTIFIERS = 3_000


class Writer:
    """One seed, one language: a vocabulary of made-up technical words under Zipf's law."""

    def __init__(self, seed: int = 7, words: int = 12_000) -> None:
        self.random = random.Random(seed)
        known: dict[str, None] = {}
        while len(known) < words:
            known["".join(self.random.choices(SYLLABLES, k=self.random.choice((2, 3, 3, 4))))] = None
        self.words = list(known)
        self.weights = [1 / (rank + 2) for rank in range(words)]
        total = 0.0
        self.cumulative = [total := total + weight for weight in self.weights]
        pairs = (self.technical(2) for _ in range(IDENTIFIERS))
        self.identifiers = [f"{a}_{b}" if self.random.random() < 0.5 else a + b.capitalize() for a, b in pairs]

    def technical(self, count: int) -> list[str]:
        return self.random.choices(self.words, cum_weights=self.cumulative, k=count)

    def text(self) -> str:
        """A memory: one to four sentences, an identifier, a number now and then."""
        sentences = []
        for _ in range(self.random.choice((1, 2, 2, 3, 4))):
            parts = [self.random.choice(OPENINGS)]
            for word in self.technical(self.random.randint(4, 9)):
                parts += [self.random.choice(COMMON), word] if self.random.random() < 0.7 else [word]
            parts.insert(self.random.randint(1, len(parts)), self.random.choice(VERBS))
            if self.random.random() < 0.4:
                parts.append(self.random.choice(self.identifiers))
            if self.random.random() < 0.3:
                parts.append(str(self.random.randint(2, 9000)))
            sentences.append(" ".join(parts) + ".")
        return " ".join(sentences)

    def texts(self, count: int) -> Iterator[str]:
        for number in range(count):
            yield f"{self.text()} (note {number})"

    def drafts(self, count: int) -> Iterator[dict[str, Any]]:
        """Texts as they are saved, one in a hundred with the rare tag."""
        for number, text in enumerate(self.texts(count)):
            yield {"content": text, "tags": [RARE_TAG]} if number % RARE_EVERY == 37 else {"content": text}

    def question(self) -> str:
        return self.random.choice(QUESTIONS).format(*self.technical(3))

    def exchange(self) -> tuple[str, str]:
        """A question, and a memory that answers it."""
        words = self.technical(3)
        question = self.random.choice(QUESTIONS).format(*words)
        openings, verbs = (self.random.choice(some) for some in (OPENINGS, VERBS))
        return question, f"{openings} the {words[0]} {verbs} the {words[1]} before it is a {words[2]}. {self.text()}"
