"""Refine: put better vectors of the same space in the place of the quick ones that saves wrote, a few at a time."""

from __future__ import annotations

from .engine import Engine, vectors_by

BATCH = 32


def refine(engine: Engine, limit: int = BATCH) -> int:
    """How many were replaced; 0 when there are none left, or nothing better is installed."""
    better = engine.refiner
    if better is None or engine.store.read_only:
        return 0
    with engine.store.reading() as reader:
        if reader.vector_model() != engine.model():
            return 0
        entries = reader.unrefined(limit)
        texts = {entry: text for entry, _, text in reader.texts_of(entries)} if entries else {}
    if not entries:
        return 0
    # An entry whose text is gone keeps its vector; it is passed over, or it would be met again for ever.
    made = dict(zip(texts, vectors_by(better, list(texts.values())), strict=True))
    with engine.store.writing() as writer:
        if writer.vector_model() != engine.model() or writer.unrefined(limit)[: len(entries)] != entries:
            return 0  # meanwhile the index was made anew, or another process was quicker
        kept = writer.vectors_of(entries)
        writer.refine([(entry, made.get(entry, kept[entry])) for entry in entries if entry in kept])
    return len(entries)


def refine_few(engine: Engine) -> int:
    """The same where little waits: what a person just saved is found by its meaning at once, and who has much to do
    leaves it to the daemon."""
    if engine.refiner is None:
        return 0
    with engine.store.reading() as reader:
        waiting = len(reader.unrefined(BATCH + 1))
    return refine(engine) if 0 < waiting <= BATCH else 0
