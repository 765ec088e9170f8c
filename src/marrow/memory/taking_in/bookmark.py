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
    return next(iter(_noted(engine, asker, service, name)), {})


def bookmarks(engine: Engine, asker: Asker, name: str) -> list[dict[str, Any]]:
    """What was noted under a name for each service of the project."""
    return _noted(engine, asker, None, name)


def _noted(engine: Engine, asker: Asker, service: str | None, name: str) -> list[dict[str, Any]]:
    with engine.store.reading() as reader:
        found = reader.sources(asker.namespace, (asker.scope.project,), service=service, path=name)
    return [_read(source.title) for source in found if source.kind == CURSOR]


def _read(text: str) -> dict[str, Any]:
    try:
        noted = json.loads(text)
    except ValueError:
        return {}
    return noted if isinstance(noted, dict) else {}


def keep_bookmark(engine: Engine, asker: Asker, service: str, name: str, noted: Mapping[str, Any]) -> None:
    """In the place of what was noted before."""
    text = json.dumps(noted, separators=(",", ":"), sort_keys=True)
    row = Source(asker.scope.project, service, name, CURSOR, NO_ADDRESS, at=engine.clock(), title=text)
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [row])
