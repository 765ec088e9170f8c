"""The stores that every test of the suite runs on. A new store joins by one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from marrow.store import open_store
from marrow.store.protocol import Store

STORES: dict[str, Callable[[Path], Store]] = {
    "memory": lambda folder: open_store("memory:"),
    "sqlite": lambda folder: open_store(str(folder / "marrow.db")),
}
