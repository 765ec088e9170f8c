"""Compiles the settings of a folder: once for each change, because it loads what a hook cannot pay for."""

from __future__ import annotations

import os
from contextlib import suppress

from marrow import settings
from marrow.capture import where
from marrow.capture.compiled import INVALID, Place, values
from marrow.model.errors import MarrowError


def compile_settings(place: Place) -> dict[str, str]:
    """The values by name, as text, kept for the next time; nothing where the settings are not valid."""
    stamp = place.stamp()  # before reading: a change in between makes the result old, not wrong
    try:
        flat = settings.flat(settings.load(environ=place.environ, cwd=place.root))
    except MarrowError as problem:
        flat = f"{INVALID}{problem.code}\n"
    _keep(place.flat, stamp + flat)
    return values(flat)


def _keep(path: str, text: str) -> None:
    """Puts the file in its place whole. Where that fails the next hook compiles again; nothing else depends on it."""
    temporary = f"{path}.{os.urandom(6).hex()}.tmp"
    data = text.encode("utf-8", "replace")
    with suppress(OSError):
        where.make(os.path.dirname(path))
        file = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            whole = os.write(file, data) == len(data)
        finally:
            os.close(file)
        if whole:
            os.replace(temporary, path)
    with suppress(OSError):
        os.unlink(temporary)
