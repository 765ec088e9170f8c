"""Which place of a long text answers a question: the passage that has most of the asked words and is nearest to it in
meaning, with room around it. Where the words stand closest together alone is often where a thing is only mentioned."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from ..store.terms import terms_of
from .best_passage import Place
from .passages import spans_of

if TYPE_CHECKING:
    from ..model.record import Record
    from ..store.protocol import Reader, Vector
    from .question import Asked, Question

# So many passages are looked at, those nearest in meaning; and so many characters are shown of one that is cited.
NEAREST, ROOM = 8, 840


def nearest_places(
    reader: Reader,
    vector: Vector | None,
    question: Question,
    records: Sequence[tuple[Record, Asked, Place]],
    room: int = ROOM,
) -> Mapping[int, Place]:
    """By entry, the place of each of these that answers. With each comes what is known of the asked terms, and the
    place where its words stand closest together. `vector` is the question's, where there are vectors to ask."""
    if vector is None or not records:
        return {}
    near = reader.passage_similarities([record.entry for record, _, _ in records], vector)
    found: dict[int, Place] = {}
    for record, known, place in records:
        spans, cosines = spans_of(record.node.content), near.get(record.entry, ())
        # Vectors that were made when texts were cut in another way say nothing of these passages.
        if len(cosines) == len(spans):
            found[record.entry] = _best(
                record.node.content, spans, cosines, place, known.covering(question.terms), room
            )
    return found


def _best(
    content: str,
    spans: Sequence[tuple[int, int]],
    cosines: Sequence[float],
    place: Place,
    covered: Callable[[frozenset[str]], float],
    room: int,
) -> Place:
    worded = [at for at, (start, end) in enumerate(spans) if start < place.end and place.start < end]
    if not worded:  # it stands further on than passages are embedded
        return place
    nearest = sorted(range(len(spans)), key=lambda at: -cosines[at])[:NEAREST]
    shares = {at: covered(frozenset(terms_of(content[slice(*spans[at])]))) for at in (*nearest, *worded)}
    best = max(shares, key=lambda at: shares[at] + cosines[at])
    start, end = spans[best]
    # A passage without an end, as of a file that is one line, is no place.
    return Place(*_with_room(content, start, end, room), shares[best]) if end - start <= 2 * room else place


def _with_room(content: str, start: int, end: int, room: int) -> tuple[int, int]:
    """Whole lines, as many before as after, while there is room; of lines without an end as much as there is."""
    more = max(0, room - (end - start)) // 2
    begin = content.rfind("\n", 0, max(0, start - more)) + 1
    if start - begin > room:
        begin = max(0, start - more)
    stop = content.find("\n", min(len(content), max(end, begin + room)))
    return begin, min(len(content) if stop < 0 else stop, max(end, begin + 2 * room))
