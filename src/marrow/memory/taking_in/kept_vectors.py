"""Kept vectors: a new version of a text has most of the passages of the one before it, and these have their vectors
already. Only what is new in it is embedded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ...model.errors import MarrowError
from ...model.record import Record
from ...search.passages import embedded_pieces
from ...store.receive import Embed
from ..engine import Engine

if TYPE_CHECKING:
    from ...store.protocol import Vector


def keeping(engine: Engine, embed: Embed | None, earlier: Mapping[str, Record]) -> Embed | None:
    """An embedder that takes what it can from earlier versions. `earlier` has them, by the text that is new."""
    if embed is None or not earlier:
        return embed

    def chosen(texts: Sequence[str]) -> Sequence[Vector | None]:
        known = _passages(engine, [earlier[text] for text in texts if text in earlier])
        later = [text for text in texts if known and text in earlier]
        rest = [text for text in texts if not known or text not in earlier]
        found = dict(zip(rest, embed(rest), strict=True)) if rest else {}
        found |= zip(later, _completed(engine, later, known), strict=True)
        return [found[text] for text in texts]

    return chosen


def _passages(engine: Engine, records: Iterable[Record]) -> dict[str, Vector]:
    """The passages of these texts as they are embedded, with their vectors."""
    texts = {record.entry: record.node.content for record in records}
    with engine.store.reading() as reader:
        kept = reader.passage_vectors(list(texts)) if texts and reader.vector_model() == engine.model() else {}
    found: dict[str, Vector] = {}
    for entry, rows in kept.items():
        pieces = embedded_pieces(texts[entry])
        if len(pieces) == len(rows):  # or they were cut in another way, and would have to be made anew
            found.update(zip(pieces, rows, strict=True))
    return found


def _completed(engine: Engine, texts: Sequence[str], known: dict[str, Vector]) -> Sequence[Vector | None]:
    """The vectors of these texts, of which some passages are known."""
    import numpy as np

    if not texts:
        return ()
    engine.embedded(texts)
    engine.make_way()
    pieces = [embedded_pieces(text) for text in texts]
    missing = list(dict.fromkeys(piece for some in pieces for piece in some if piece not in known))
    try:
        known |= zip(missing, engine.embedder.documents(missing), strict=True) if missing else ()
    except MarrowError:  # a service does not answer: `reindex` makes them later
        return [None] * len(texts)
    return [known[some[0]] if len(some) == 1 else np.stack([known[piece] for piece in some]) for some in pieces]


def only_new(embed: Embed | None, known: Collection[str]) -> Embed | None:
    """An embedder that computes each text once, and none that is known: a file that was only renamed costs nothing."""
    if embed is None:
        return None

    def chosen(texts: Sequence[str]) -> Sequence[Vector | None]:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        found = dict(zip(new, embed(new) if new else (), strict=True))
        return [found.get(text) for text in texts]

    return chosen
