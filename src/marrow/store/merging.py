"""Merging: take in what another memory knows. Whatever the order in which memories do it, they end with the same."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..model.change import CHANGED, NEW, SAME, Copy, Merge, NameProject, Outcome
from ..model.link import Link
from ..model.record import CURRENT, Record
from ..model.scope import WRITE
from ..model.standing import united
from .desk import Desk, Prepared

if TYPE_CHECKING:
    from .protocol import Vector


def name_project(desk: Desk, step: NameProject, prepared: Prepared) -> Outcome:
    space = desk.change.namespace
    known = {p.name: set(p.aliases) for p in desk.writer.projects(space)}
    # An alias names one project: one that another project has stays there.
    taken = {alias for name, aliases in known.items() if name != step.name for alias in aliases}
    if step.name in known and known[step.name].issuperset({*step.aliases} - {step.name} - taken):
        return Outcome(SAME, project=step.name)
    desk.writer.name_project(space, step.name, step.aliases)
    desk.changed = True
    return Outcome(NEW if step.name not in known else CHANGED, project=step.name)


def merge(desk: Desk, step: Merge, prepared: Prepared) -> Outcome:
    places = {copy.project for copy in step.copies} | {link.project for link in step.links}
    for place in sorted(places | {project.name for project in step.projects}):
        desk.principal.check(WRITE, desk.change.namespace, place)
    for project in step.projects:
        name_project(desk, project, prepared)
    vectors = prepared.vectors if len(prepared.vectors) else [None] * len(step.copies)
    for copy, vector in zip(step.copies, vectors, strict=True):
        _merge_copy(desk, copy, vector)
    ours = {link.line: link for link in desk.writer.all_links(desk.change.namespace, None)}
    for theirs in step.links:
        known = ours.get(theirs.line)
        is_later = known is None or theirs.weight > known.weight
        if is_later and _merge_link(desk, known, theirs):
            ours[theirs.line] = theirs
            desk.touch(theirs.source, desk.touched.get(theirs.source, bytes(32)))
    if step.chain and desk.changed:
        desk.chains.append(step.chain)
    return Outcome(CHANGED if desk.changed else SAME)


def _merge_link(desk: Desk, known: Link | None, theirs: Link) -> bool:
    """Let a link stand as another memory has it, with its time: the time decides the next merge, here and there."""
    is_closed = known is None or known.closed
    if is_closed == theirs.closed:
        before = replace(theirs, closed=not theirs.closed, at=theirs.at if known is None else known.at)
        desk.writer.link(desk.change.namespace, before, desk.seq)
    return desk.writer.link(desk.change.namespace, theirs, desk.seq)


def _merge_copy(desk: Desk, copy: Copy, vector: Vector | None) -> None:
    space = desk.change.namespace
    desk.check_kind(copy.node.kind)
    entry, fresh = desk.writer.place(space, copy.project, copy.node, copy.occurrences[0].at)
    for said in copy.occurrences:
        if desk.writer.occur(entry, said, desk.seq):
            desk.touch(copy.node.address, desk.touched.get(copy.node.address, bytes(32)))
    record = Record(entry, copy.project, copy.node, copy.standing, desk.seq, 0, 0)
    if fresh:
        desk.index(entry, copy.node.content, copy.standing, copy.anchors)
        if vector is not None:
            desk.writer.index_vectors([(entry, vector)])
        desk.writer.pin(entry, copy.anchors, desk.seq)
        desk.stand(record, copy.standing)
        return
    ours = desk.writer.records_of([entry], CURRENT)[0].standing
    chosen = united(ours, copy.standing)
    if desk.writer.pin(entry, copy.anchors, desk.seq):
        desk.touch(copy.node.address, desk.touched.get(copy.node.address, bytes(32)))
    if chosen != ours:
        anchors = desk.writer.anchors([entry], CURRENT).get(entry, [])
        desk.index(entry, copy.node.content, chosen, anchors)
        desk.stand(record, chosen)
