"""Which place of a text answers a question. Where its words stand closest together is often the title of a record and
the lines that say who decided when: these tell what it is about, and not what it says."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from ...ingest.adr_layout import Layout, layout
from ...ingest.formats.front_matter import end_of_head
from ...search.best_passage import Place, Sought
from ...search.question import Asked
from ...store.terms import terms_of
from ..attribution import SPOKEN
from .attributed import Attributed

# So many characters are shown of a place, and from so few on what follows a decision is shown with it.
ROOM, BRIEF = 840, 280
# Of what is shown around a place, one part in so many stands before it.
BEFORE = 3
# How much of what the best place of a decision has its beginning must have, to be shown instead of that.
AS_TELLING = 0.5
# So much of what was asked stands in the title of a record that is about it as a whole.
NAMED = 0.6
# What asks for what was decided, and not for a detail of it.
_ASKS = re.compile(
    r"\b(?:why|which|how (?:do|does|did|should|will|are|is)|reasons?|rationale|decid\w+|decisions?|"
    r"cho(?:se|sen|ose|ice)|pick(?:ed)?|settled?|reject(?:ed|ion)?|accept(?:ed)?|instead|rather than|alternatives?)\b",
    re.I,
)


class _Asked(NamedTuple):
    """`asks` where it asks for what was decided, `is_whole` where the record as a whole is about the question."""

    sought: Sought
    asks: bool
    is_whole: bool


def answering(source: Attributed, question: str, known: Asked) -> Attributed:
    """With the place that answers: of a decision record what was decided, of all else what does not stand in the
    fields at its top."""
    content, path = source.record.node.content, source.origin.path
    if source.record.node.kind == "decision" and (path or source.decided):
        asked = _asked(question, known, source.title)
        return replace(source, place=_of_decision(content, layout(path, content), source.place, asked))
    above = end_of_head(content)
    place = source.place
    if place is None and path and len(content) - above > ROOM and source.record.node.kind not in SPOKEN:
        place = _best(content, above, len(content), Sought.of(known.rarities, known.most))
        source = replace(source, place=place)
    if not above or (place is not None and place.start >= above) or not content[above:].strip():
        return source
    return replace(source, place=_from(content, above, max(place.end if place else 0, above + ROOM // 2), len(content)))


def widened(source: Attributed, room: int) -> Attributed:
    """With so many characters: all below the fields at its top where that is no longer, else what stands around the
    place that answers, in whole lines, more of it after than before: an answer follows what it is about."""
    content, above = source.record.node.content, _above(source)
    place = source.place or Place(above, len(content), 1.0)
    if place.end - place.start >= room:
        return source
    if len(content) - above <= room:
        return replace(source, place=Place(above, len(content), place.share))
    spare = room - (place.end - place.start)
    # What was decided comes first: what a long record has before it is how it came to that.
    before = 0 if source.record.node.kind == "decision" else max(0, min(spare // BEFORE, place.start - above))
    earliest, latest = place.start - before, min(len(content), place.end + spare - before)
    start = earliest if earliest <= above else content.find("\n", earliest - 1, place.start) + 1 or place.start
    end = latest if latest == len(content) else max(place.end, content.rfind("\n", place.end, latest))
    return replace(source, place=Place(start, end, place.share))


def _above(source: Attributed) -> int:
    """How much stands before what a text says: its fields."""
    content = source.record.node.content
    if source.record.node.kind == "decision" and (source.origin.path or source.decided):
        above = layout(source.origin.path, content).body
    else:
        above = end_of_head(content)
    return above if content[above:].strip() else 0


def _asked(question: str, known: Asked, title: str) -> _Asked:
    asking = _ASKS.findall(question)
    words = frozenset(terms_of(" ".join(asking)))
    told = {term: value for term, value in known.rarities.items() if term not in words}
    most = sum(told.values())
    named = sum(told[term] for term in told.keys() & frozenset(terms_of(title)))
    return _Asked(Sought.of(told, most), bool(asking), named >= NAMED * most)


def _of_decision(content: str, laid: Layout, place: Place | None, asked: _Asked) -> Place | None:
    if place is None and len(content) - laid.body <= ROOM:
        return Place(laid.body, len(content), 1.0) if laid.body else None
    if place is not None and (place.start < laid.body or any(a <= place.start < b for a, b in laid.frames)):
        place = None
    if laid.decision is None:
        return place or _from(content, laid.body, laid.body + ROOM // 2, len(content))
    start, end = laid.decision
    is_inside = place is not None and start <= place.start < end
    if place is not None and not is_inside and not asked.asks:
        return place
    if end - start <= ROOM:
        return _from(content, start, laid.follows if end - start < BRIEF else end, max(end, laid.follows))
    if place is not None and not asked.asks:
        return place
    # How a long decision begins sums it up; but another place in it may say far more of the question.
    opening = _from(content, start, start + ROOM, end)
    best = None if place is None or asked.is_whole else _best(content, start, end, asked.sought)
    said = _best(content, opening.start, opening.end, asked.sought)
    is_opening = best is None or (said is not None and said.share >= AS_TELLING * best.share)
    return opening if is_opening else best


def _best(content: str, start: int, end: int, sought: Sought) -> Place | None:
    within = content[start:end]
    found = sought.best_passage(within)
    return None if found is None else Place(start + found.start, start + found.end, found.share)


def _from(content: str, start: int, until: int, end: int) -> Place:
    """Whole paragraphs or lines from a place on, as many as there is room for."""
    start += len(content[start:end]) - len(content[start:end].lstrip("\n"))
    stop = min(until, end, start + ROOM)
    if stop < end:
        ends = [content.rfind(mark, start + ROOM // 2, stop) for mark in ("\n\n", "\n", ". ")]
        stop = next((at + (mark == 2) for mark, at in enumerate(ends) if at > 0), stop)
    stop = start + len(content[start:stop].rstrip())
    return Place(start, stop, 1.0)
