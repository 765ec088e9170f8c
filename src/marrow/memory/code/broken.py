"""Broken: what a change took away though the code still names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...codemap.compare import DELETED, MOVED, RENAMED, Difference
from ...model.code import CALLABLES, TYPES
from ...store.code import MapReader
from .callers import CallSite, loose_sites
from .named_places import Named, NamedPlace, named_places

NAMES_MAX = 60
_OWN = ("self.", "this.", "super.", "super().", "cls.", "Self.")
_WORDS = re.compile(r"\w+")
_TOLD = CALLABLES | TYPES | frozenset(("constant", "variable"))


class Broken(NamedTuple):
    """`qualified` stood in `path` and is deleted, or goes by another name or from another place now."""

    what: str
    qualified: str
    path: str
    places: tuple[NamedPlace, ...]
    total: int


def broken(
    reader: MapReader, differences: Sequence[Difference], renamed: Sequence[tuple[str, str]] = ()
) -> list[Broken]:
    """What went and is still named, the most first. Where something else has the name now, only calls that lead nowhere
    tell; what was a member counts where its type is named too, or in its own file. Of files that are `renamed` (old and
    new path) all went, even what is otherwise as it was."""
    went = _went(differences)
    names = {one[1].rpartition(".")[2] for one in list(went)[:NAMES_MAX]}
    unknown = {name for name in names if not reader.symbols_named(name, 1)}
    owners = {one[1].split(".")[-2] for one in went if "." in one[1]}
    named = named_places(reader, unknown | owners, shown=200)
    found: list[Broken] = []
    for what, qualified, path in list(went)[:NAMES_MAX]:
        owner, _, name = qualified.rpartition(".")
        owner = owner.rpartition(".")[2]
        some = named.get(name, Named()) if name in unknown else _loose(reader, name, bool(owner))
        places = some.places
        if owner:
            near = {path, *(place.path for place in named.get(owner, Named()).places)}
            places = tuple(place for place in places if place.path in near)
        if places:
            total = some.total if not owner else len(places)
            found.append(Broken(what, qualified, path, places, total))
    known = {(one.qualified, one.path) for one in found}
    found += [one for one in _missed(reader, renamed) if (one.qualified, one.path) not in known]
    return sorted(found, key=lambda one: -one.total)


def _missed(reader: MapReader, renamed: Sequence[tuple[str, str]]) -> Iterator[Broken]:
    """What stands in a file of another name now, with the calls that lead nowhere and are made from where the old file
    was seen: from beside it, or by its name."""
    left = NAMES_MAX
    for old, new in renamed:
        row = reader.file_at(new)
        for one in reader.symbols_of(row.id) if row is not None else ():
            if one.within or one.kind not in _TOLD or not left:
                continue
            left -= 1
            sites = loose_sites(reader, one.name, reader.loose(one.name))
            kept = [site for site in sites if _means(reader, site.path, site.chain, one.name, old, new)]
            places = [NamedPlace(site.path, site.line, _caller(site), site.chain) for site in kept]
            if places:
                yield Broken(MOVED, one.qualified, old, tuple(places), len(places))


def _means(reader: MapReader, path: str, chain: str, name: str, old: str, new: str) -> bool:
    """Whether a call in a file may mean something that stood in another."""
    folder, _, file = old.rpartition("/")
    called = {file.partition(".")[0], folder.rpartition("/")[2]} - {""}
    before, _, last = chain.removesuffix("{}").rpartition(".")
    if last != name or (before and before not in called):
        return False
    row = reader.file_at(path)
    outline = reader.outline(row.id, bare=True) if row is not None else None
    imports = outline[0].imports if outline is not None else ()
    if before or any({*_WORDS.findall(one.module)[-1:], one.name} & called for one in imports):
        return any(before in ("", one.local) for one in imports)
    is_beside = path.rpartition("/")[0] == folder != new.rpartition("/")[0]
    return is_beside and not any(one.local == name for one in imports)


def _caller(site: CallSite) -> str:
    return site.caller.qualified if site.caller else ""


def _went(differences: Sequence[Difference]) -> dict[tuple[str, str, str], None]:
    """What became of it, its old name, and its old path. Members of a type that went are not told by themselves."""
    went: dict[tuple[str, str, str], None] = {}
    gone = {(one.path, one.symbol.qualified) for one in differences if one.what == DELETED}
    gone |= {one.was for one in differences if one.what in (RENAMED, MOVED) and one.symbol.kind in TYPES}
    for one in differences:
        if one.symbol.kind not in _TOLD:
            continue
        if one.what == DELETED:
            within = one.symbol.qualified.rpartition(".")[0]
            is_local = bool(within) and one.symbol.kind not in CALLABLES | TYPES
            if (one.path, within) not in gone and not is_local:
                went[DELETED, one.symbol.qualified, one.path] = None
        elif one.what in (RENAMED, MOVED) and (one.was[0], one.was[1].rpartition(".")[0]) not in gone:
            went[one.what, one.was[1], one.was[0]] = None
    return went


def _loose(reader: MapReader, name: str, is_member: bool) -> Named:
    sites = loose_sites(reader, name, reader.loose(name))
    kept = [one for one in sites if (one.chain.startswith(_OWN) if is_member else one.chain in (name, f"{name}{{}}"))]
    places = [NamedPlace(one.path, one.line, _caller(one), one.chain) for one in kept]
    return Named(tuple(places), len(places))
