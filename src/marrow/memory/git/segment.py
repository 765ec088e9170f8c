"""A run of commits as the index holds them: which term is in which message how often, and a vector for each.

Segments are written once and never changed, so a process that has one needs to read only those that came later.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...store.terms import terms_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

# A posting is the place of a message in its segment and, in the lowest bits, how often it has the term.
COUNT_BITS = 8
COUNT_MAX = (1 << COUNT_BITS) - 1
LENGTH_MAX = (1 << 16) - 1


@dataclass(frozen=True)
class Segment:
    """`first` is the number of its first commit. `starts[i]` is where the postings of the i-th of the sorted `terms`
    begin. Arrays are as they lie in the file."""

    first: int
    terms: Sequence[str]
    starts: NDArray[Any]
    postings: NDArray[Any]
    lengths: NDArray[Any]

    def span(self, term: str) -> tuple[int, int]:
        """From where to where its postings are; the same twice when it has none."""
        place = bisect_left(self.terms, term)
        if place == len(self.terms) or self.terms[place] != term:
            return 0, 0
        return int(self.starts[place]), int(self.starts[place + 1])

    def blobs(self) -> tuple[bytes, bytes, bytes, bytes]:
        return (
            "\n".join(self.terms).encode(),
            self.starts.tobytes(),
            self.postings.tobytes(),
            self.lengths.tobytes(),
        )


def segment_of(first: int, texts: Sequence[str]) -> Segment:
    import numpy as np

    found: dict[str, list[int]] = {}
    lengths = np.zeros(len(texts), dtype=np.uint16)
    for place, text in enumerate(texts):
        terms = terms_of(text)
        lengths[place] = min(len(terms), LENGTH_MAX)
        for term, count in Counter(terms).items():
            found.setdefault(term, []).append(place << COUNT_BITS | min(count, COUNT_MAX))
    terms = sorted(found)
    starts = np.zeros(len(terms) + 1, dtype=np.uint32)
    np.cumsum([len(found[term]) for term in terms], out=starts[1:])
    postings = np.fromiter((one for term in terms for one in found[term]), dtype=np.uint32, count=int(starts[-1]))
    return Segment(first, terms, starts, postings, lengths)


def joined(segments: Sequence[Segment]) -> Segment:
    """Several that follow each other, as one."""
    import numpy as np

    first = segments[0].first
    found: dict[str, list[NDArray[Any]]] = {}
    for one in segments:
        moved = one.postings + np.uint32((one.first - first) << COUNT_BITS)
        for place, term in enumerate(one.terms):
            found.setdefault(term, []).append(moved[one.starts[place] : one.starts[place + 1]])
    terms = sorted(found)
    parts = [np.concatenate(found[term]) for term in terms]
    starts = np.zeros(len(terms) + 1, dtype=np.uint32)
    np.cumsum([len(part) for part in parts], out=starts[1:])
    postings = np.concatenate(parts) if parts else np.empty(0, dtype=np.uint32)
    return Segment(first, terms, starts, postings, np.concatenate([one.lengths for one in segments]))


def segment_from(first: int, terms: bytes, starts: bytes, postings: bytes, lengths: bytes) -> Segment:
    import numpy as np

    return Segment(
        first,
        terms.decode().split("\n") if terms else [],
        np.frombuffer(starts, dtype=np.uint32),
        np.frombuffer(postings, dtype=np.uint32),
        np.frombuffer(lengths, dtype=np.uint16),
    )
