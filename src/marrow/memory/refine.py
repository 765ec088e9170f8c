"""Refine: put better vectors of the same space in the place of the quick ones that saves wrote, a few at a time."""

from __future__ import annotations

import time

from ..store.protocol import Projects
from .engine import Asker, Engine, vectors_by

BATCH = 32
# What is done at once by who waits for it: a small repository, and no more than so long. In small parts, since a long
# document is many passages, and thirty of them take a quarter of a minute.
FEW, PART, SECONDS = 512, 4, 2.0


def refine(engine: Engine, limit: int = BATCH, namespace: str = "", projects: Projects = None) -> int:
    """How many were replaced; 0 when there are none left, or nothing better is installed. Of every project, or of these
    of a namespace."""
    better = engine.refiner
    if better is None or engine.store.read_only:
        return 0
    with engine.store.reading() as reader:
        if reader.vector_model() != engine.model():
            return 0
        entries = reader.unrefined(limit, namespace, projects)
        texts = {entry: text for entry, _, text in reader.texts_of(entries)} if entries else {}
    if not entries:
        return 0
    # An entry whose text is gone keeps its vector; it is passed over, or it would be met again for ever.
    made = dict(zip(texts, vectors_by(better, list(texts.values())), strict=True))
    with engine.store.writing() as writer:
        still = writer.unrefined(limit, namespace, projects)[: len(entries)]
        if writer.vector_model() != engine.model() or still != entries:
            return 0  # meanwhile the index was made anew, or another process was quicker
        kept = writer.vectors_of(entries)
        writer.refine([(entry, made.get(entry, kept[entry])) for entry in entries if entry in kept])
    return len(entries)


def refine_few(engine: Engine, asker: Asker, seconds: float = SECONDS) -> int:
    """The same for what is at hand, where little waits: what a person just saved or took in is found by its meaning at
    once, and who has much to do leaves it to the daemon. What waits in another project is not in the way. Begun and not
    done in time (long documents are many passages), it is gone on with by whoever comes next."""
    if engine.refiner is None:
        return 0
    done, ends = 0, time.monotonic() + seconds
    for project in dict.fromkeys((asker.scope.project, "")):
        with engine.store.reading() as reader:
            waiting = len(reader.unrefined(FEW + 1, asker.namespace, (project,)))
        for _ in range(0, waiting if waiting <= FEW else 0, PART):
            done += refine(engine, PART, asker.namespace, (project,))
            if time.monotonic() >= ends:
                return done
    return done
