"""Stores: where memories are kept. `open_store(url)` gives one; `receive` is the one door for writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.errors import Invalid

if TYPE_CHECKING:
    from .protocol import Store


def open_store(
    url: str,
    *,
    read_only: bool = False,
    busy_timeout_ms: int = 10_000,
    as_it_is: bool = False,
    illegible: bool = False,
) -> Store:
    """The store at an address: `memory:`, a path, or `sqlite:path`. `as_it_is` reads one of an older format, such as a
    backup, without migrating it. With `illegible` a file that is no database any more is opened as a damaged one."""
    scheme, colon, rest = url.partition(":")
    if url == "memory:":
        from .memory import MemoryStore

        return MemoryStore()
    if colon and scheme == "sqlite":
        url = rest
    elif "://" in url:
        raise Invalid(f"{scheme}: is no kind of store.", hint="Give a path, sqlite:PATH or memory:.", field="store")
    if not url:
        raise Invalid("The store has no name.", hint="Give a path, sqlite:PATH or memory:.", field="store")
    from .sqlite import SqliteStore

    return SqliteStore(
        url, read_only=read_only, busy_timeout_ms=busy_timeout_ms, as_it_is=as_it_is, illegible=illegible
    )


__all__ = ["open_store"]
