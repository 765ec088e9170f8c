"""SQLite as a store."""

from .store import SqliteStore

__all__ = ["SqliteStore"]
