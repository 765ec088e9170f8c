"""What a new session is told about the code: functions that changed since the last one, and on demand who calls what.
Cheap: from the map as it is, and nothing where there is none."""

from __future__ import annotations

import re

from ...codemap.compare import DELETED, MODIFIED, MOVED, NEW, RENAMED, Difference
from ...model.code import CALLABLES, TYPES
from ...model.errors import MarrowError
from ...store.code import Known, MapReader
from ..engine import Asker, Engine
from .callees import callees
from .callers import sites
from .changes import changes
from .find import by_name, overloads
from .opened import kept
from .since import Since

NAMES_MAX, SYMBOLS_MAX, OTHERS_MAX = 8, 4, 6
# A session that began this short a time ago is the one that asks.
JUST_BEGUN_MICROS = 120 * 1_000_000
_NAME = re.compile(r"`([^`\s]{2,100})`|\b([A-Za-z_][\w]*(?:(?:\.|::)[A-Za-z_]\w*)+|[a-z]+_\w+|[A-Z][a-z]+[A-Z]\w*)\b")
_SHOWN = CALLABLES | TYPES


def changed_functions(engine: Engine, asker: Asker) -> list[str]:
    """Lines on what is new, modified and gone since the session before this one began."""
    try:
        found = _changed(engine, asker)
    except MarrowError:  # a map that is damaged or locked must not keep a session from beginning
        return []
    lines = []
    for what in (NEW, MODIFIED, RENAMED, MOVED, DELETED):
        some = [one for one in found if one.what == what and one.symbol.kind in _SHOWN]
        if some:
            named = ", ".join(f"{one.symbol.qualified} ({one.path}:{one.symbol.start})" for one in some[:NAMES_MAX])
            more = f" and {len(some) - NAMES_MAX} more" if len(some) > NAMES_MAX else ""
            lines.append(f"- functions {what} since the last session began: {named}{more}")
    return lines


def _changed(engine: Engine, asker: Asker) -> tuple[Difference, ...]:
    there = kept(engine, asker)
    if there is None:
        return ()
    now = engine.clock()
    with engine.store.reading() as reader:
        sessions = reader.sessions(asker.namespace, (asker.scope.project,), limit=3)
    before = [one.started_at for one in sessions if now - one.started_at > JUST_BEGUN_MICROS]
    if not before or before[0] < there.mapped_at():
        return ()
    with there.reading() as code:
        return changes(code, there.root, Since("the last session", at=before[0])).found


def calls_around(engine: Engine, asker: Asker, focus: str) -> list[str]:
    """Lines on who calls the symbols that a text names, and what they call."""
    names = list(dict.fromkeys(hit[1] or hit[2] for hit in _NAME.finditer(focus)))[:SYMBOLS_MAX]
    there = kept(engine, asker) if names else None
    if there is None:
        return []
    lines: list[str] = []
    try:
        with there.reading() as reader:
            for name in names:
                found = [one for one in by_name(reader, name.replace("::", ".")) if one.kind in _SHOWN]
                lines += [_around(reader, one) for one in found[:SYMBOLS_MAX]] if len(found) <= SYMBOLS_MAX else []
    except MarrowError:
        return []
    return lines


def _around(reader: MapReader, symbol: Known) -> str:
    known = sites(reader, *overloads(reader, symbol), limit=200)
    above = dict.fromkeys(site.caller.qualified if site.caller else site.path for site in known)
    below = dict.fromkeys(one.target.qualified for one in callees(reader, symbol).found if one.target is not None)
    return f"- {symbol.qualified} ({symbol.place}): called by {_few(list(above))}; calls {_few(list(below))}"


def _few(names: list[str]) -> str:
    more = f" and {len(names) - OTHERS_MAX} more" if len(names) > OTHERS_MAX else ""
    return f"{', '.join(names[:OTHERS_MAX])}{more}" if names else "nothing"
