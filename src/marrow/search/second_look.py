"""A second look: the best of what readers took in, held against the question by another embedder than the one that
their vectors are of.

The background makes better vectors of everything, and takes minutes to hours for a large repository. A question need
not wait for that: the few passages that could answer it are embedded as it is asked. It says more than the quick
vectors, which have no sense of a word's surroundings, and both together say more than either: they err in different
places. So once the better vectors are there, the quick embedder has its look. Picked on bench/knowledge and two
repositories more; on a third, asked once after that, it was better too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from ..model.errors import MarrowError
from ..providers.embedder import Embedder, elsewhere, sure_from
from .find import LINKED_BY, Hit
from .gather import vector_of
from .passages import embedded_pieces
from .weights import Weights, is_taken_in, weights_of

if TYPE_CHECKING:
    from ..store.protocol import Reader, Vector
    from .question import Question

# How many of the best are looked at again, and how many passages of each.
FIRST, PASSAGES = 16, 2
# The say of the better embedder where it looks again, and of the quick one where it does.
BETTER_SHARE, QUICK_SHARE = 0.6, 0.2
# So many vectors of passages are kept: the next question is often about the same texts.
KEPT = 4_096
THREADS = 4
# The parts of a score that the text itself has; the others are shares of these.
_TEXT = frozenset(Weights._fields)


@dataclass(frozen=True, slots=True)
class SecondLook:
    """`other` is what the passages are embedded with, and `share` its say: it `is_better` than what has looked first,
    or quicker. `kept` are the vectors that it made before."""

    other: Embedder
    share: float = BETTER_SHARE
    is_better: bool = True
    first: int = FIRST
    passages: int = PASSAGES
    kept: dict[bytes, Vector] = field(default_factory=dict)

    def again(self, reader: Reader, before: Embedder, question: Question, hits: Sequence[Hit]) -> list[Hit]:
        """These hits, the first of them weighed anew."""
        first = [hit for hit in hits[: self.first] if _is_weighed(hit)]
        try:
            nearness = self._nearness(reader, before, question, first)
        except MarrowError:
            nearness = {}  # one that cannot run must not silence what was found without it
        surely = 1.0 if question.is_elsewhere else sure_from(self.other)
        seen = {hit.record.entry: self._weighed(hit, nearness[hit.record.entry], surely) for hit in first if nearness}
        return [seen.get(hit.record.entry, hit) for hit in hits]

    def _weighed(self, hit: Hit, nearness: float, surely: float) -> Hit:
        """With what was seen. The signals are shares of what the text says, and keep their share."""
        found = hit.evidence
        if found is None:
            return hit
        meaning = (1.0 - self.share) * found.meaning + self.share * max(0.0, nearness)
        gained = weights_of(hit.record).meaning * (meaning - found.meaning)
        before = sum(value for name, value in hit.why if name in _TEXT)
        share = max(0.0, before + gained) / before if before > 0 else 1.0
        why = tuple(
            (name, value * share if name not in _TEXT else value + gained if name == "meaning" else value)
            for name, value in hit.why
        )
        sure = max(0.0, nearness - surely) if self.is_better else found.sure
        return replace(
            hit, score=sum(value for _, value in why), why=why, evidence=replace(found, meaning=meaning, sure=sure)
        )

    def _nearness(
        self, reader: Reader, before: Embedder, question: Question, hits: Sequence[Hit]
    ) -> Mapping[int, float]:
        """How near the best passages of each are by this embedder; which are the best, the one before has said."""
        vector = vector_of(reader, before, question)[0] if hits else None
        if vector is None:
            return {}
        near = reader.passage_similarities([hit.record.entry for hit in hits], vector)
        chosen: dict[int, list[str]] = {}
        for hit in hits:
            entry, pieces = hit.record.entry, embedded_pieces(hit.record.node.content)
            cosines = near.get(entry, ())
            # Vectors that were made when texts were cut in another way say nothing of these passages.
            best = sorted(range(len(pieces)), key=lambda at: -cosines[at]) if len(cosines) == len(pieces) else [0]
            chosen[entry] = [pieces[at] for at in best[: self.passages]]
        vectors = self._vectors([piece for pieces in chosen.values() for piece in pieces])
        other = elsewhere(self.other) if question.is_elsewhere else self.other
        asked = other.query(question.subject)
        return {entry: max(float(vectors[piece] @ asked) for piece in pieces) for entry, pieces in chosen.items()}

    def _vectors(self, pieces: Sequence[str]) -> Mapping[str, Vector]:
        """Kept by what says nothing of the text: a passage that is erased is not to be read here. Others may clear
        what is kept at any moment."""
        found: dict[str, Vector] = {}
        for piece in pieces:
            if (vector := self.kept.get(_mark(piece))) is not None:
                found[piece] = vector
        missing = [piece for piece in dict.fromkeys(pieces) if piece not in found]
        if len(self.kept) + len(missing) > KEPT:
            self.kept.clear()
        for piece, vector in zip(missing, self._embedded(missing), strict=True):
            found[piece] = self.kept[_mark(piece)] = vector
        return found

    def _embedded(self, texts: Sequence[str]) -> list[Vector]:
        """A text at a time is embedded on one core; somebody waits, so several cores take a share each."""
        if not texts:
            return []
        shares = min(THREADS, os.cpu_count() or 1, len(texts))
        if shares == 1:
            return list(self.other.documents(texts))
        with ThreadPoolExecutor(shares) as pool:
            parts = list(pool.map(self.other.documents, [texts[share::shares] for share in range(shares)]))
        return [parts[at % shares][at // shares] for at in range(len(texts))]


def _mark(piece: str) -> bytes:
    return blake2b(piece.encode(), digest_size=16).digest()


def _is_weighed(hit: Hit) -> bool:
    """Whether it was found by what it says; what a link led to stands where the link put it."""
    is_linked = any(name.startswith(LINKED_BY) for name, _ in hit.why)
    return hit.evidence is not None and is_taken_in(hit.record) and not is_linked
