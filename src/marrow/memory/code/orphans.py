"""Orphans: functions that nobody calls or hands on, as far as the code says."""

from __future__ import annotations

from ...store.code import Known, MapReader
from .interfaces import Interfaces
from .mentions import mentioned
from .type_relations import overridden

LIMIT = 200


def orphans(reader: MapReader, folder: str = "", *, limit: int = LIMIT, sure: bool = True) -> list[Known]:
    """Without entry points and tests, and without what takes the place of a method above or of an interface. With
    `sure` also without those whose name is called somewhere where it is not known what is meant, or stands somewhere
    without being called (`key=by_size`, a property that is read)."""
    found: list[Known] = []
    for symbol in reader.orphans(folder):
        if sure and reader.loose(symbol.name):
            continue
        if symbol.parent is not None and overridden(reader, symbol):
            continue
        if symbol.kind == "constructor" and symbol.parent is not None and reader.incoming(symbol.parent):
            continue
        found.append(symbol)
    if sure:
        named = mentioned(reader, {symbol.name for symbol in found})
        found = [symbol for symbol in found if symbol.name not in named]
    interfaces = Interfaces(reader)
    return [symbol for symbol in found if not interfaces.above(symbol)][:limit]
