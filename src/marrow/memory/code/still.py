"""Which calls of a file that was edited surely lead where they did: they need not be resolved again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...model.code import TOP, FileMap
from ...store.code.packing import Link
from .replace import Replaced

# By the id of the symbol that a call stands in (-1 for the file itself) and what it calls: where that leads, and why.
Leads = Mapping[tuple[int, str], tuple[int, str] | None]

_PARTS = re.compile(r"\w+")


def still_lead(one: Replaced, links: Sequence[Link]) -> Leads:
    """Nothing where anything changed that names are looked up by: imports, what went, what means something else."""
    if not one.was_whole or one.lost or one.retyped or one.names:
        return {}
    if _imports(one.old, one.old_ids) != _imports(one.new, one.new_ids):
        return {}
    same = _same_scopes(one)
    came = {new.symbol.name for new in one.came}
    targets = {link.call: (link.target, link.reason) for link in links}
    found: dict[tuple[int, str], tuple[int, str] | None] = {}
    speaks: dict[str, bool] = {}
    for at, call in enumerate(one.old.calls):
        chain = call.chain
        scope = one.old_ids[call.scope] if call.scope != TOP else -1
        if scope not in same:
            continue
        if chain not in speaks:
            speaks[chain] = bool(came) and not came.isdisjoint(_PARTS.findall(chain))
        if not speaks[chain]:
            found[scope, chain] = targets.get(at)
    return found


def _imports(found: FileMap, ids: Sequence[int]) -> set[tuple[object, ...]]:
    return {
        (one.local, one.module, one.name, one.exported, ids[one.scope] if one.scope != TOP else -1)
        for one in found.imports
    }


def _same_scopes(one: Replaced) -> set[int]:
    """The symbols in which, and around which, every name stands for what it did."""
    before, after = _bound(one.old, one.old_ids), _bound(one.new, one.new_ids)
    same = {-1} if before.get(-1) == after.get(-1) else set()
    known = set(one.old_ids)
    for id_, symbol in zip(one.new_ids, one.new.symbols, strict=True):  # parents come first
        parent = one.new_ids[symbol.parent] if symbol.parent != TOP else -1
        if id_ in known and parent in same and before.get(id_) == after.get(id_):
            same.add(id_)
    return same


def _bound(found: FileMap, ids: Sequence[int]) -> dict[int, list[tuple[object, ...]]]:
    bound: dict[int, list[tuple[object, ...]]] = {}
    for one in found.bindings:
        scope = ids[one.scope] if one.scope != TOP else -1
        within = ids[one.within] if one.within is not None and one.within != TOP else one.within
        bound.setdefault(scope, []).append((one.name, one.type, one.value, within))
    return bound
