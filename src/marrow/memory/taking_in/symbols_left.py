"""Of how many commits it is still to be found which symbols they touched."""

from __future__ import annotations

from ..engine import Asker, Engine
from .bookmark import bookmark, bookmarks

# The row that says so, for each service.
SYMBOLS = "#symbols"
LEFT = "left"


def symbols_left(engine: Engine, asker: Asker, service: str | None = None) -> int:
    """As the last run left it; without a service, in the whole project."""
    noted = bookmarks(engine, asker, SYMBOLS) if service is None else [bookmark(engine, asker, service, SYMBOLS)]
    return sum(left for one in noted if isinstance(left := one.get(LEFT), int))
