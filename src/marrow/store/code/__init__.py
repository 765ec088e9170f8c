"""The kept code map: one file of its own for each checkout. It is derived, and can be dropped at any time.

The names below are loaded when they are first used: a process that only parses packs what it found, and opens no file.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .map_file import FORMAT, MapFile, is_of_older_format
    from .reader import FileRow, Known, MapReader, Version
    from .writer import MapWriter

__all__ = ["FORMAT", "FileRow", "Known", "MapFile", "MapReader", "MapWriter", "Version", "is_of_older_format"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'marrow.store.code' has no attribute {name!r}")
    from . import map_file, reader, writer

    return next(getattr(part, name) for part in (reader, writer, map_file) if hasattr(part, name))
