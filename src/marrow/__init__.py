"""Marrow: the memory of a software project, for the agents and the people who work on it.

    import marrow

    m = marrow.open()
    m.save("We chose SQLite because it needs no server.", domain="decisions")
    for item in m.recall("why sqlite?").items:
        print(item.content)

The names below are loaded when they are first used: a hook imports one part and must not pay for the rest.
"""

from __future__ import annotations

from .version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .app import Memory
    from .app import open_memory as open  # noqa: A004 the name that people expect
    from .model.declared import derivation
    from .model.errors import MarrowError

__all__ = ["MarrowError", "Memory", "__version__", "derivation", "open"]


def __getattr__(name: str) -> object:
    if name == "MarrowError":
        from .model.errors import MarrowError

        return MarrowError
    if name == "derivation":
        from .model.declared import derivation

        return derivation
    if name in ("Memory", "open"):
        from . import app

        return app.Memory if name == "Memory" else app.open_memory
    raise AttributeError(f"module 'marrow' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
