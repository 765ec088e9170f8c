"""Whether any installed package declares derivations, asked without loading one of them."""

from __future__ import annotations

from functools import lru_cache

GROUP = "marrow.derivations"


@lru_cache(maxsize=1)
def any_installed() -> bool:
    """Looked up once in a process: it reads the metadata of every package."""
    from importlib.metadata import entry_points

    return bool(entry_points(group=GROUP))
