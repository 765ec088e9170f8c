"""What most of a project leans on: the functions that are called from the most places outside of tests."""

from __future__ import annotations

from typing import NamedTuple

from ...codemap.entry import is_test_path
from ...model.code import CALLABLES
from ...store.code import Known, MapReader

# So many are looked at to find the few that are no tests' own.
LOOKED_AT = 60


class MostCalled(NamedTuple):
    symbol: Known
    calls: int


def most_called(reader: MapReader, folder: str, count: int) -> list[MostCalled]:
    """Those that are defined in a folder; "" is the whole project."""
    ids = dict(reader.most_called(LOOKED_AT))
    known = reader.symbols(ids)
    start = f"{folder}/" if folder else ""
    found = [
        MostCalled(one, ids[id_])
        for id_, one in known.items()
        if one.kind in CALLABLES and not is_test_path(one.path) and (one.path.startswith(start) or one.path == folder)
    ]
    return sorted(found, key=lambda one: (-one.calls, one.symbol.place))[:count]
