"""Bookmarks: how far a source was read, so that the next run goes on from there. Kept beside what was read, as the
store keeps sources: a row of the kind `cursor`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ...model.source import CURSOR, NO_ADDRESS, Source
from ..engine import Asker, Engine


def bookmark(engine: Engine, asker: Asker, service: str, name: str) -> dict[str, Any]:
    """What was noted; nothing where nothing was, or where it cannot be read."""
    with engine.store.reading() as reader:
        found = reader.sources(asker.namespace, (asker.scope.project,), service=service, path=name)
    for source in found:
        if source.kind == CURSOR:
            try:
                noted = json.loads(source.title)
            except ValueError:
                return {}
            return noted if isinstance(noted, dict) else {}
    return {}


def keep_bookmark(engine: Engine, asker: Asker, service: str, name: str, noted: Mapping[str, Any]) -> None:
    """In the place of what was noted before."""
    text = json.dumps(noted, separators=(",", ":"), sort_keys=True)
    row = Source(asker.scope.project, service, name, CURSOR, NO_ADDRESS, at=engine.clock(), title=text)
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [row])
