"""Bringing a map up to date: only what changed is read, only what may mean something else is resolved again."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...codemap.compare import Shape, is_movable, only, shapes_of
from ...codemap.languages.table import language_of
from ...codemap.resolve import Resolver
from ...codemap.tame import ENDLESS, is_tame
from ...model.code import FileMap
from ...store.code import FileRow, MapWriter
from ...store.code.packing import NUMBER_MASK, unpack_calls, unpack_outline
from ...store.code.states import KEPT, MAPPED, SKIPPED
from .affected import affected
from .facts import KeptFacts, bare
from .parsing import Parsed, Read, last_name, line_count, parse
from .pool import Pool
from .replace import Came, Lost, Replaced, gone, replace
from .resolving import resolved
from .still import still_lead
from .worker import PARSE

# Beyond this many files it pays to start workers.
ALONE_MAX = 150
# So many files are resolved again at once; the others later.
AT_ONCE_MAX = 400


class Changed(NamedTuple):
    """A file whose content is not what the map has; `row` is the file's row with what was read."""

    row: FileRow
    read: Read
    is_new: bool


@dataclass
class Updated:
    """What an update did."""

    parsed: int = 0
    removed: int = 0
    renamed: int = 0
    resolved: int = 0
    left_stale: int = 0
    replaced: list[Replaced] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.parsed or self.removed or self.renamed)


def maps_of(root: str, changed: Sequence[Changed], redact_extra: Sequence[str] = ()) -> dict[str, tuple[FileMap, str]]:
    """The new maps, parsed here or by workers; with each why there is none."""
    tame = (one for one in changed if not one.read.reason and one.row.language not in ENDLESS)
    here = [one for one in tame if is_tame(one.read.source)]
    if len(here) > ALONE_MAX:
        here = []
    near = {one.row.path for one in here}
    found = {one.row.path: (FileMap(one.row.language), one.read.reason) for one in changed if one.read.reason}
    found |= {one.row.path: parse(one.row.path, one.read.source, redact_extra) for one in here}
    others = [(one.row.id, one.row.path) for one in changed if one.row.path not in near and not one.read.reason]
    if others:
        with Pool(root, redact_extra) as pool:
            for answer in pool.work((PARSE,), others, 8):
                one = Parsed(*answer)
                if one.reason:
                    found[one.path] = FileMap(one.language), one.reason
                else:
                    outline = unpack_outline(one.outline)[0]
                    found[one.path] = outline._replace(calls=unpack_calls(one.calls)), ""
            found |= {path: (FileMap(language_of(path)), why) for (_, path), why in pool.failed}
    return found


def apply(
    writer: MapWriter,
    facts: Callable[[], KeptFacts],
    changed: Sequence[Changed],
    maps: dict[str, tuple[FileMap, str]],
    removed: Sequence[FileRow],
    now: int,
    also: Iterable[int] = (),
) -> Updated:
    """Write the new maps, then resolve what is affected, and `also` these files (they have another path) with those
    that call into them. `facts` is asked for once the files are written."""
    done = Updated(removed=len(removed))
    for one in changed:
        found, reason = maps.get(one.row.path, (FileMap(one.row.language), "not parsed"))
        _one(writer, one, found, reason, now, done)
    for row in removed:
        emptied = replace(writer, row, FileMap(row.language), now, is_new=False)
        done.replaced.append(emptied)
    _settle_history(writer, done.replaced, now)
    edited = {one.file for one in done.replaced}
    reached, later = affected(writer, done.replaced, also)
    if len(reached) > AT_ONCE_MAX:
        later |= reached - edited
        reached &= edited
    near = reached | edited
    for row in removed:
        _drop(writer, row, next(one.old for one in done.replaced if one.file == row.id))
    gone_files = {row.id for row in removed}
    for some in done.replaced:
        for lost in some.lost:
            writer.drop_symbol(lost.id)
    later -= near | gone_files
    writer.set_stale(later, True)
    done.left_stale = len(later)
    replaced = {one.file: one for one in done.replaced}
    known = facts()
    for some in done.replaced:
        if some.file not in gone_files and known.path(some.file) is not None:
            known.give(some.path, bare(some.new), [id_ & NUMBER_MASK for id_ in some.new_ids])
    done.resolved = resolve_again(writer, known, sorted(near - gone_files), replaced, reached | later)
    return done


def _one(writer: MapWriter, one: Changed, found: FileMap, reason: str, now: int, done: Updated) -> None:
    row, read = one.row, one.read
    lost_all = bool(found.errors and not found.symbols)
    if (reason and not read.reason) or lost_all:
        before = None if one.is_new else writer.outline(row.id)
        if before is not None and before[0].symbols:  # what is there now says nothing: its last map stays
            writer.mark_file(row._replace(state=KEPT, reason=reason or "errors"))
            return
    state = SKIPPED if reason else MAPPED
    lines = line_count(read.source)
    row = row._replace(package=found.package, state=state, reason=reason, errors=found.errors, lines=lines, changed=now)
    if one.is_new:
        writer.add_files([row])
    done.replaced.append(replace(writer, row, found, now, is_new=one.is_new))
    done.parsed += 1


def _drop(writer: MapWriter, row: FileRow, old: FileMap) -> None:
    links = writer.links(row.id)
    writer.change_loose(row.id, loose_names(old, {link.call for link in links}), ())
    writer.relink(row.id, (), {})
    writer.drop_file(row.id)


def loose_names(found: FileMap, linked: set[int]) -> set[str]:
    """The last names of the calls that were not resolved."""
    chains = {call.chain for at, call in enumerate(found.calls) if at not in linked and call.kind == "call"}
    names = {last_name(chain) for chain in chains}
    names.discard("")
    return names


def _settle_history(writer: MapWriter, replaced: Sequence[Replaced], now: int) -> None:
    """What became of the symbols that went: they are in another file, have another name, or are gone."""
    lost = [one for some in replaced for one in some.lost]
    came = [one for some in replaced for one in some.came]
    to: dict[int, Came] = {}
    bodies = only((at, _body(one)) for at, one in enumerate(came) if is_movable(one.symbol))
    for found in lost:
        at = bodies.get(_body(found)) if is_movable(found.symbol) else None
        if at is not None and found.id not in to:
            to[found.id] = came[at]
            bodies[_body(found)] = None
    _moved_and_renamed(replaced, to)
    writer.add_versions(gone(one, now, to.get(one.id)) for one in lost)
    born = {to[one.id].id: one.born for one in lost if one.id in to}
    for id_, since in born.items():
        known = writer.symbol(id_)
        if known is not None:
            row = (*known[:1], *known[2:10], since, now)
            writer.put_symbols([row])


def _body(one: Lost | Came) -> tuple[object, ...]:
    return one.symbol.name, one.symbol.hash


def _moved_and_renamed(replaced: Sequence[Replaced], to: dict[int, Came]) -> None:
    """Those that have another file and another name."""
    taken = {one.id for one in to.values()}
    shapes: list[tuple[int, Shape, Came]] = []
    new = [one for some in replaced for one in some.came if one.id not in taken]
    places = {(some.path, one.place): one for some in replaced for one in some.came if one.id not in taken}
    if not new:
        return
    for some in replaced:
        for at, shape in shapes_of(some.new, [one.place for one in some.came if one.id not in taken]):
            shapes.append((len(shapes), shape, places[some.path, at]))
    found = only((at, shape) for at, shape, _ in shapes)
    for some in replaced:
        waiting = {one.place: one for one in some.lost if one.id not in to}
        for at, shape in shapes_of(some.old, waiting):
            place = found.get(shape)
            if place is not None:
                to[waiting[at].id] = shapes[place][2]
                found[shape] = None


def resolve_again(
    writer: MapWriter,
    facts: KeptFacts,
    files: Sequence[int],
    replaced: dict[int, Replaced],
    reached: Container[int] = (),
) -> int:
    """Resolve the calls of these files and write down what they lead to. Of those that were only edited themselves, and
    are not `reached` by another change, only what may lead elsewhere."""
    resolver = Resolver(facts)
    count = 0
    for file in files:
        path = facts.path(file)
        if path is None:
            continue
        links = writer.links(file)
        before = replaced[file].old if file in replaced else None
        calls = before.calls if before is not None else writer.calls(file)
        was = loose_names(FileMap("", calls=calls), {link.call for link in links})
        one = replaced.get(file)
        leads = still_lead(one, links) if one is not None and file not in reached else {}
        found = resolved(resolver, facts, path, leads)
        writer.relink(file, found.links, found.places)
        writer.change_loose(file, (was | found.settled()) - found.loose, found.loose - was)
        writer.set_extends(file, found.extends)
        count += 1
    writer.set_stale(files, False)
    return count
