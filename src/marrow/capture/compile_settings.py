"""Compiles the settings of a folder: once for each change, because it loads what a hook cannot pay for."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from contextlib import suppress

from marrow.capture import where
from marrow.capture.compiled import INVALID, Place, values
from marrow.model.errors import MarrowError
from marrow.settings import SETTINGS, Settings, Value, load

_ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def compile_settings(place: Place) -> dict[str, str]:
    """The values by name, as text, kept for the next time; nothing where the settings are not valid."""
    stamp = place.stamp()  # before reading: a change in between makes the result old, not wrong
    try:
        text = flat(load(environ=place.environ, cwd=place.root))
    except MarrowError as problem:
        text = f"{INVALID}{problem.code}\n"
    _keep(place.flat, stamp + text)
    return values(text)


def flat(settings: Settings) -> str:
    """The compiled form that the hook reads without TOML: `name=value` lines in the table's order, without secrets.

    Items of a list are parted by tabs; a table has a line a key (`context.layers.code=500`). No value is no text.
    Backslash, line ends and tabs are escaped as in Python; in keys, `\\e` stands for `=`. A store's user is left out.
    """
    lines = []
    for setting in SETTINGS:
        rows: list[tuple[str, Value]] = [(setting.name, value := settings.values[setting.name])]
        if isinstance(value, Mapping):
            rows = [(f"{setting.name}.{_escaped(k).replace('=', chr(92) + 'e')}", item) for k, item in value.items()]
        for name, item in rows if not setting.secret else ():
            items = item if isinstance(item, tuple) else () if item is None else (item,)
            text = chr(9).join(map(_escaped, items))
            lines.append(f"{name}={re.sub('://.*@', '://', text) if setting.type == 'store' else text}\n")
    return "".join(lines)


def _escaped(item: object) -> str:
    return (str(item).lower() if isinstance(item, bool) else str(item)).translate(_ESCAPES)


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
