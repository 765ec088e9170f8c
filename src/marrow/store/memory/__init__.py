"""The store in memory: a peer of the others, for tests, for trying things, and for memories that need not last."""

from .store import MemoryStore

__all__ = ["MemoryStore"]
