"""Import a bundle: take in what another memory knows, as one event.

Nodes and occurrences are united; where two standings or links differ, the same one wins on either side. So two memories
that exchange bundles know the same afterwards, in whichever order they do it, and doing it again changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..model.change import Copy, Merge, NameProject
from ..model.circles import SUPERSEDES, circles, forks
from ..model.link import Link
from ..model.record import CURRENT, Record
from ..model.scope import WRITE
from ..model.standing import united
from ..store.protocol import Reader
from ..store.receive import prepare
from .bundle import BYTES_MAX, read_bundle
from .bundle_places import at_home, chosen, sent_to
from .engine import Asker, Engine, submit
from .files import existing_file, opened
from .import_told import Told, forked, opposed, told_of
from .imported import Imported

Progress = Callable[[int, "int | None"], None]
BATCH = 500


class _Plan(NamedTuple):
    """The part of a merge that this memory does not know yet. Of its links, `made` open and `over` end one."""

    merge: Merge
    new: int
    changed: int
    unchanged: int
    told: tuple[Told, ...]
    made: int
    over: int


def import_bundle(
    engine: Engine,
    asker: Asker,
    source: str,
    *,
    project: str = "",
    from_project: str = "",
    dry_run: bool = False,
    bytes_max: int = BYTES_MAX,
    progress: Progress | None = None,
) -> Imported:
    """Read it whole and check all of it, then merge. `from_project` takes one of its projects, `project` says where
    it goes; `bytes_max` bounds what it may unpack to."""
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    file_path = existing_file(source)
    with opened(file_path) as file:
        bundle = read_bundle(file, None if progress is None else lambda line: progress(line, None), bytes_max)
    given = chosen(bundle.merge, from_project)
    step = prepare([given], None, engine.redact_extra)[0].step
    merge = step if isinstance(step, Merge) else given
    with engine.store.reading() as reader:
        merge = sent_to(merge, project) if project else at_home(reader, asker, merge)
    redacted = sum(
        ours.node.address != theirs.node.address for ours, theirs in zip(merge.copies, given.copies, strict=True)
    )
    places = sorted({copy.project for copy in merge.copies})
    for place in places:
        asker.principal.check(WRITE, asker.namespace, place)  # before anything says what is known there
    with engine.store.reading() as reader:
        plan = _plan(reader, asker.namespace, merge)
    needed = plan.merge
    events: tuple[int, ...] = ()
    if not dry_run and (needed.copies or needed.links or needed.projects):
        summary = f"import {file_path.name[:80]}: {plan.new} new and {plan.changed} changed records"
        events = (submit(engine, asker, "memory_import", [needed], summary=summary).seq,)
    totals = (plan.new + plan.changed + plan.unchanged, plan.new, plan.changed, plan.unchanged)
    done = Imported(source, "bundle", dry_run, *totals, plan.made, redacted, events, projects=tuple(places))
    return done._replace(told=plan.told, links_ended=plan.over)


def _plan(reader: Reader, namespace: str, merge: Merge) -> _Plan:
    found: dict[tuple[str, str], str] = {}
    told: dict[tuple[str, str], Told] = {}
    copies: list[Copy] = []
    for at in range(0, len(merge.copies), BATCH):
        batch = merge.copies[at : at + BATCH]
        for copy, (what, record) in zip(batch, _news(reader, namespace, batch), strict=True):
            key = (copy.project, copy.node.address)
            found[key] = max(found.get(key, ""), what)
            if what:
                copies.append(copy)
                told.setdefault(key, told_of(record, copy))
    ours = {link.line: link for link in reader.all_links(namespace, None)}
    links = _new_links(reader, namespace, merge, ours)
    kept = replace(merge, copies=tuple(copies), links=links, projects=_new_projects(reader, namespace, merge.projects))
    kinds = list(found.values())
    said = (
        *told.values(),
        *opposed(reader, namespace, _closed(ours, links), copies),
        *forked(reader, namespace, _forked(ours, links), copies),
    )
    made = sum(not link.closed for link in links)
    over = sum(link.closed and link.line in ours and not ours[link.line].closed for link in links)
    return _Plan(kept, kinds.count("new"), kinds.count("changed"), kinds.count(""), said, made, over)


def _news(reader: Reader, namespace: str, copies: Sequence[Copy]) -> list[tuple[str, Record | None]]:
    """For each copy: new, changed, or empty when everything that it says is known; and what is known."""
    addresses = list(dict.fromkeys(copy.node.address for copy in copies))
    ours = {(r.project, r.node.address): r for r in reader.records(namespace, addresses, None, CURRENT)}
    entries = [record.entry for record in ours.values()]
    said, pinned = reader.occurrences(entries, CURRENT), reader.anchors(entries, CURRENT)

    def what(copy: Copy, record: Record | None) -> str:
        if record is None:
            return "new"
        is_known = (
            united(record.standing, copy.standing) == record.standing
            and set(copy.occurrences).issubset(said.get(record.entry, ()))
            and set(copy.anchors).issubset(pinned.get(record.entry, ()))
        )
        return "" if is_known else "changed"

    known = [ours.get((copy.project, copy.node.address)) for copy in copies]
    return [(what(copy, record), record) for copy, record in zip(copies, known, strict=True)]


def _new_links(
    reader: Reader, namespace: str, merge: Merge, ours: Mapping[tuple[str, str, str, str], Link]
) -> tuple[Link, ...]:
    """The links that say something later than ours. One that leads to a node that is in neither memory is left out."""
    here = {copy.node.address for copy in merge.copies}
    ends = {end for link in merge.links for end in (link.source, link.target)} - here
    here |= {end for end in ends if reader.addresses(namespace, end, None, 1)}
    return tuple(link for link in merge.links if link.source in here and link.target in here and _is_later(link, ours))


def _closed(ours: Mapping[tuple[str, str, str, str], Link], new: Sequence[Link]) -> list[Link]:
    """The circles of supersession that these links close, where they lie: of others nothing is said."""
    places = {link.project for link in new}
    links = {**{line: link for line, link in ours.items() if link.project in places}, **{one.line: one for one in new}}
    return circles(links.values()) if places else []


def _forked(ours: Mapping[tuple[str, str, str, str], Link], new: Sequence[Link]) -> dict[tuple[str, str], list[str]]:
    """What these links let another take the place of, and one has taken it before."""
    replaced = {(link.project, link.target) for link in new if link.rel == SUPERSEDES}
    links = {**ours, **{one.line: one for one in new}} if replaced else {}
    return forks(link for link in links.values() if (link.project, link.target) in replaced)


def _is_later(theirs: Link, ours: Mapping[tuple[str, str, str, str], Link]) -> bool:
    known = ours.get(theirs.line)
    return known is None or theirs.weight > known.weight


def _new_projects(reader: Reader, namespace: str, projects: Sequence[NameProject]) -> tuple[NameProject, ...]:
    known = {project.name: set(project.aliases) for project in reader.projects(namespace)}
    taken = {alias for aliases in known.values() for alias in aliases}
    return tuple(p for p in projects if p.name not in known or {*p.aliases} - {p.name} - taken)
