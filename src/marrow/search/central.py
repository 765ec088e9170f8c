"""Whether a text is about a subject, or only mentions it."""

from __future__ import annotations

from collections import Counter

from ..store.terms import terms_of
from .cut import MEANING_MIN
from .find import Hit
from .question import Asked, Question

# A text is about something when most of the asked words stand in its title, or again and again in it: from so many
# words on, once is in passing.
MOST, SHORT = 0.5, 120
TITLE_WORTH = 2


def is_central(question: Question, known: Asked, hit: Hit, *, plainly: bool = False) -> bool:
    """Whether it is about what was asked, and does not only mention it. A short text is where it says it once, unless
    it must be `plainly` so."""
    if question.is_pattern or (hit.evidence is not None and hit.evidence.meaning >= MEANING_MIN):
        return True
    content = hit.record.node.content
    said = terms_of(content)
    names = " ".join(
        (content.lstrip("# \n").split("\n", 1)[0], *hit.record.standing.aliases, *hit.record.standing.tags)
    )
    counts = Counter(said)
    counts.update(TITLE_WORTH * terms_of(names))
    needed = 1 if len(said) < SHORT and not plainly else TITLE_WORTH
    return known.covered(question.terms, frozenset(term for term, count in counts.items() if count >= needed)) >= MOST
