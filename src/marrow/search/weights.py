"""How much each piece of evidence weighs. Data: `bench/learn.py` learns it from the open sets, and prints how these
numbers compare with what it learned.

One set of weights for every memory: nothing here knows what kind of collection it is searching. The sets pull apart on
one of them: conversation wants less of `meaning` than code does, and it stands between the two.
"""

from __future__ import annotations

from typing import NamedTuple

from ..model.record import Record


class Weights(NamedTuple):
    """Each times a value between 0 and about 1; see `evidence.py` for what the values are."""

    words: float = 0.43
    meaning: float = 0.5
    # Lent by what was said two turns before in the same thread.
    two_before: float = 0.24
    # Lent by the question that a text is the next turn after.
    reply: float = 0.4
    # Taken from a text that ends with a question: it asks, and does not answer.
    asking: float = -0.1
    # A text that names a time, when the question asks for one.
    dated: float = 0.17
    # Said in the time that the question speaks of; taken from what was not.
    in_time: float = 0.45
    # About a file at hand.
    at_hand: float = 0.25
    # Called by its name in the question: ADR-46, the hash of a commit.
    named: float = 1.0
    # Read from a file whose name says what was asked.
    filed: float = 0.15


LEARNED = Weights()

# What readers took in from files: many words, written for other ends than to be found. Its meaning says more, and its
# words less. Picked on bench/knowledge.
TAKEN_IN = Weights(words=0.25, meaning=0.55)
# A commit is short, so that each of its words weighs much, and there are thousands: with the weights of what somebody
# told, those that share a word or two with a question stand before what answers it.
COMMITTED = Weights(words=0.3, meaning=0.5)
FILES = frozenset(("document", "code"))
COMMIT = "commit"
WRITTEN = frozenset("decision incident meeting design log".split())
# What somebody told in a few sentences was told to be found.
TOLD = 500
# Of the words of a long question no text has all. More than half of them says little more of what was taken in: the
# rest is how often words come in a long text, or how short it is.
MANY_TERMS, HALF, BEYOND = 6, 0.5, 0.25
# What somebody told is short, and has such a share of the asked words when one of them stands in it by chance: that
# says little, and what answers in other words must not stand behind it. Picked on the open sets and bench/paraphrase.
BY_CHANCE, LITTLE = 0.2, 0.2


def is_taken_in(record: Record) -> bool:
    """Whether a reader took it in, rather than somebody told it."""
    kind = record.node.kind
    return kind in FILES or kind == COMMIT or (kind in WRITTEN and len(record.node.content) > TOLD)


def weights_of(record: Record) -> Weights:
    if not is_taken_in(record):
        return LEARNED
    return COMMITTED if record.node.kind == COMMIT else TAKEN_IN


def counted(record: Record, words: float, terms: int) -> float:
    """How much it counts that a record has this share of the words of a question with so many terms. A short text with
    all of them has no more than all."""
    if not is_taken_in(record):
        return LITTLE * words + (1.0 - LITTLE) * max(0.0, words - BY_CHANCE) / (1.0 - BY_CHANCE)
    words = min(1.0, words)
    return words if words <= HALF or terms < MANY_TERMS else HALF + BEYOND * (words - HALF)
