"""Renew: after an upgrade, vectors of the built-in embedder in the place of those that an earlier one made."""

from __future__ import annotations

from ..access.restricted import enforced
from ..providers.static import EARLIER, MODEL
from .engine import Engine
from .reindex import vectors_anew


def renew(engine: Engine) -> int:
    """How many vectors were made anew; 0 unless those of the store are of an embedder that was built in before. Another
    one was somebody's choice, and may cost something: that is left to `reindex`. It is done for all, and never through
    a view."""
    ours = engine.model()
    if engine.store.read_only or enforced(engine.store) or ours is None or ours[0] != MODEL:
        return 0
    with engine.store.reading() as reader:
        theirs = reader.vector_model()
    return vectors_anew(engine) if theirs is not None and theirs[0] in EARLIER else 0
