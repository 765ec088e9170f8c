"""What each step of a change does, inside the door's transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ..model.change import (
    AGAIN,
    CHANGED,
    KNOWN,
    NEW,
    SAME,
    Merge,
    NameProject,
    Outcome,
    Pin,
    Reinforce,
    Relate,
    Restate,
    RestoreTo,
    Say,
    Supersede,
    TakeSnapshot,
)
from ..model.errors import Conflict, Immutable, Invalid, NotFound
from ..model.event import Snapshot
from ..model.link import HISTORY_RELS, Anchor, Link, check_rel
from ..model.node import VIEW, Node, Occurrence
from ..model.record import CURRENT, Record
from ..model.scope import ADMIN, WRITE
from ..model.standing import (
    ACTIVE,
    RETRACTED,
    SUPERSEDED,
    Standing,
    changed,
    changed_after,
    kept_closed,
    placed,
    reinforced,
    union,
)
from .desk import Desk, Prepared
from .merging import merge, name_project

SALT_BYTES = 8
# Relations that say what comes first: a circle of them says nothing.
ORDERED_RELS = frozenset(("caused_by", "depends_on", "blocks", "enables", "supersedes", "derived_from"))
CIRCLE_NODES_MAX = 10_000


def apply(desk: Desk, prepared: Prepared) -> Outcome:
    step: Any = prepared.step
    return _APPLY[type(step)](desk, step, prepared)


def _say(desk: Desk, step: Say, prepared: Prepared) -> Outcome:
    node = prepared.node or Node.make(step.kind, step.content, step.inputs)
    outcome, record = _place(desk, node, step.occurrence, step.standing, step.given, step.anchors, prepared)
    for rel, target in step.links:
        _link(desk, node.address, desk.find(target, "links").node.address, check_rel(rel))
    desk.domain = desk.domain or record.standing.domain
    return Outcome(outcome, node.address, record.project, record.entry, prepared.redacted, record)


def _place(
    desk: Desk,
    node: Node,
    said: Occurrence,
    standing: Standing,
    given: frozenset[str],
    anchors: Sequence[Anchor],
    prepared: Prepared,
) -> tuple[str, Record]:
    """Put a node into the project with this standing: what happened, and the record as it is now."""
    project = desk.change.project
    desk.check_kind(node.kind)
    entry, fresh = desk.writer.place(desk.change.namespace, project, node, said.at)
    is_new_occurrence = desk.writer.occur(entry, said, desk.seq)
    if fresh:
        what = NEW
        chosen = placed(standing, desk.entropy(SALT_BYTES).hex(), desk.at, said.at)
    else:
        before = desk.writer.records_of([entry], CURRENT)[0]
        if before.standing.is_active(desk.now):
            what = KNOWN if is_new_occurrence else SAME
            chosen = _met_again(before.standing, standing, given, desk.at) if is_new_occurrence else before.standing
        else:
            what = AGAIN
            count, salt = before.standing.generation + 1, before.standing.salt
            at = changed_after(before.standing, desk.at)
            chosen = replace(standing, generation=count, salt=salt, changed_at=at, reinforced_at=desk.at)
    record = Record(entry, project, node, chosen, desk.seq, said.at, said.at)
    if what == SAME:
        return what, record
    if fresh:
        desk.index(entry, node.content, chosen, anchors)
        if len(prepared.vectors) and (vector := prepared.vectors[0]) is not None:
            desk.writer.index_vectors([(entry, vector)])
    elif anchors or (chosen.tags, chosen.aliases) != (before.standing.tags, before.standing.aliases):
        known = desk.writer.anchors([entry], CURRENT).get(entry, [])
        targets = {anchor.target for anchor in known}
        further = [anchor for anchor in anchors if anchor.target not in targets]
        # What is seen again in the same files has the words that it had. Whoever searches keeps them in memory, and
        # reads those of the whole project again when one text of it has changed.
        if further or (chosen.tags, chosen.aliases) != (before.standing.tags, before.standing.aliases):
            desk.index(entry, node.content, chosen, [*known, *further])
    desk.writer.pin(entry, anchors, desk.seq)
    desk.stand(record, chosen)
    if what == AGAIN:
        _no_longer_superseded(desk, node.address)
    return what, record


def _met_again(known: Standing, said: Standing, given: frozenset[str], now: int) -> Standing:
    """The standing of a node that is said once more: reinforced, and with what the caller chose added to it."""
    chosen: dict[str, Any] = {}
    for name in given:
        ours, theirs = getattr(known, name), getattr(said, name)
        if name in ("tags", "aliases"):
            chosen[name] = union(ours, theirs)
        elif name in ("priority", "confidence", "pinned"):
            chosen[name] = max(ours, theirs)
        else:
            chosen[name] = theirs
    again = reinforced(known, now)
    said_more = replace(again, **chosen)
    return said_more if said_more == again else replace(said_more, changed_at=changed_after(known, now))


def _no_longer_superseded(desk: Desk, address: str) -> None:
    for link in desk.writer.links(desk.change.namespace, [address], (desk.change.project,), CURRENT):
        if link.rel == "supersedes" and link.target == address:
            desk.writer.link(desk.change.namespace, replace(link, at=desk.at, closed=True), desk.seq)


def _supersede(desk: Desk, step: Supersede, prepared: Prepared) -> Outcome:
    old = desk.find(step.old)
    if not old.standing.is_active(desk.now):
        raise Conflict(
            f"{step.old[:12]} is {old.standing.state_at(desk.now)}: it is no longer what holds.",
            hint="`marrow get` shows what took its place; update that one.",
            field="address",
        )
    if not old.standing.semantic:
        raise Immutable(hint="Save what is new as a node of its own and relate the two.", field="content")
    node = Node.make(old.node.kind, step.content, ())
    if node.address == old.node.address:
        raise Invalid("The new text is the same as the old one.", hint="Give only standing to change.", field="content")
    changes = dict(step.changes)
    inherited = changed(old.standing, {"drift": "", "reason": "", "generation": 1, **changes})
    anchors = desk.writer.anchors([old.entry], CURRENT).get(old.entry, [])
    desk.principal.check(WRITE, desk.change.namespace, old.project)
    in_place = replace(desk.change, project=old.project)
    desk.change, outer = in_place, desk.change
    given = frozenset({*changes, "tags", "aliases", "priority", "confidence", "pinned", "expires_at"})
    what, record = _place(desk, node, step.occurrence, inherited, given, anchors, prepared)
    for link in desk.writer.links(desk.change.namespace, [old.node.address], (old.project,), CURRENT):
        if link.rel not in HISTORY_RELS:
            source = node.address if link.source == old.node.address else link.source
            target = node.address if link.target == old.node.address else link.target
            if source != target:
                handed = replace(link, source=source, target=target, at=desk.at)
                desk.writer.link(desk.change.namespace, handed, desk.seq)
    at = changed_after(old.standing, desk.at)
    gone = replace(old.standing, state=SUPERSEDED, reason=step.reason, changed_at=at)
    desk.stand(old, gone)
    desk.writer.link(
        desk.change.namespace, Link(node.address, old.node.address, "supersedes", old.project, desk.at), desk.seq
    )
    desk.domain = desk.domain or inherited.domain
    desk.change = outer
    return Outcome(what, node.address, record.project, record.entry, prepared.redacted, record)


def _restate(desk: Desk, step: Restate, prepared: Prepared) -> Outcome:
    record = desk.find(step.address)
    changes = dict(step.changes)
    is_expected = not step.expects or record.standing.state == step.expects
    # What no longer holds stays readable: who may read it can be changed, and nothing else about it.
    may_change = record.standing.state == ACTIVE or "state" in changes or changes.keys() == {"classification"}
    if not is_expected or not may_change:
        raise Conflict(
            f"{step.address[:12]} is {record.standing.state}.",
            hint="Save its text again to bring it back.",
            field="address",
        )
    chosen = changed(record.standing, {**changes, "reason": step.reason or record.standing.reason})
    desk.domain = desk.domain or chosen.domain
    if chosen == record.standing:
        return Outcome(SAME, record.node.address, record.project, record.entry)
    if chosen.tags != record.standing.tags or chosen.aliases != record.standing.aliases:
        known = desk.writer.anchors([record.entry], CURRENT).get(record.entry, [])
        desk.index(record.entry, record.node.content, chosen, known)
    desk.stand(record, replace(chosen, changed_at=changed_after(record.standing, desk.at)))
    return Outcome(CHANGED, record.node.address, record.project, record.entry)


def _reinforce(desk: Desk, step: Reinforce, prepared: Prepared) -> Outcome:
    record = desk.find(step.address)
    if not record.standing.is_active(desk.now):
        raise Conflict(
            f"{step.address[:12]} is {record.standing.state_at(desk.now)}.",
            hint="Save its text again to bring it back.",
            field="address",
        )
    desk.stand(record, reinforced(record.standing, desk.at))
    desk.domain = desk.domain or record.standing.domain
    return Outcome(KNOWN, record.node.address, record.project, record.entry)


def _relate(desk: Desk, step: Relate, prepared: Prepared) -> Outcome:
    source, target = desk.find(step.source, "source"), desk.find(step.target, "target")
    rel = check_rel(step.rel)
    if step.closed:
        link = Link(source.node.address, target.node.address, rel, desk.change.project, desk.at, closed=True)
        changed = desk.writer.link(desk.change.namespace, link, desk.seq)
        if not changed:
            raise NotFound(f"There is no such link: {rel}.", hint="`marrow get` shows a node's links.", field="rel")
        desk.touch(source.node.address, bytes(32))
        return Outcome(CHANGED, source.node.address, desk.change.project, source.entry)
    if rel == "supersedes" and not source.standing.is_active(desk.now):
        raise Conflict(
            f"{step.source[:12]} is {source.standing.state_at(desk.now)}: it cannot take the place of another.",
            hint="Save its text again first.",
            field="source",
        )
    changed = _link(desk, source.node.address, target.node.address, rel)
    if rel == "supersedes" and target.standing.state == ACTIVE:
        at = changed_after(target.standing, desk.at)
        desk.stand(target, replace(target.standing, state=SUPERSEDED, changed_at=at))
    return Outcome(NEW if changed else SAME, source.node.address, desk.change.project, source.entry)


def _link(desk: Desk, source: str, target: str, rel: str) -> bool:
    if source == target:
        raise Invalid("A node cannot be linked to itself.", hint="Give two different addresses.", field="target")
    if rel in ORDERED_RELS and _leads_to(desk, target, source, rel):
        raise Invalid(
            f"{target[:12]} already leads to {source[:12]} by {rel}: this link would close a circle.",
            hint="Turn it round, end the other link, or use relates_to.",
            field="target",
        )
    link = Link(source, target, rel, desk.change.project, desk.at)
    changed = desk.writer.link(desk.change.namespace, link, desk.seq)
    if changed:
        for address in (source, target):
            desk.touch(address, desk.touched.get(address, bytes(32)))
    return changed


def _leads_to(desk: Desk, start: str, goal: str, rel: str) -> bool:
    seen, edge = {start}, {start}
    while edge and len(seen) < CIRCLE_NODES_MAX:
        links = desk.writer.links(desk.change.namespace, sorted(edge), None, CURRENT)
        reached = {link.target for link in links if link.rel == rel and link.source in edge}
        edge = reached - seen
        seen |= reached
        if goal in seen:
            return True
    return False


def _pin(desk: Desk, step: Pin, prepared: Prepared) -> Outcome:
    record = desk.find(step.address)
    if record.project != desk.change.project:
        desk.principal.check(WRITE, desk.change.namespace, record.project)
    ended = desk.writer.pin(record.entry, step.closed, desk.seq, closed=True)
    made = desk.writer.pin(record.entry, step.opened, desk.seq)
    if not ended and not made:
        return Outcome(SAME, record.node.address, record.project, record.entry)
    anchors = desk.writer.anchors([record.entry], CURRENT).get(record.entry, [])
    desk.index(record.entry, record.node.content, record.standing, anchors)
    desk.touch(record.node.address, desk.touched.get(record.node.address, bytes(32)))
    desk.domain = desk.domain or record.standing.domain
    return Outcome(CHANGED, record.node.address, record.project, record.entry)


def _take_snapshot(desk: Desk, step: TakeSnapshot, prepared: Prepared) -> Outcome:
    if any(known.name == step.name for known in (*desk.snapshots, *desk.writer.snapshots(desk.change.namespace))):
        raise Conflict(f"There is a snapshot {step.name!r} already.", hint="Choose another name.", field="name")
    desk.snapshots.append(Snapshot(step.name, desk.seq, "", desk.at, step.tags, step.note))
    desk.changed = True
    return Outcome(NEW)


def _restore(desk: Desk, step: RestoreTo, prepared: Prepared) -> Outcome:
    """Bring back what held at `step.seq`; what was closed since stays closed, and views say what they say now. A
    restore is undone by restoring to the number before its event."""
    space = desk.change.namespace
    desk.principal.check(ADMIN, space)
    if isinstance(step.seq, bool) or not isinstance(step.seq, int) or not 0 <= step.seq < desk.seq:
        raise Invalid(
            f"There is no event {str(step.seq)[:40]}.", hint=f"Give a number from 0 to {desk.seq - 1}.", field="seq"
        )
    touched = {t.address for event in desk.writer.events(space, after=step.seq) for t in event.touched if t.address}
    places = step.projects
    standing = [r for r in desk.writer.records(space, sorted(touched), places, CURRENT) if r.node.kind != VIEW]
    addresses = sorted({r.node.address for r in standing})
    then = {r.entry: r for r in desk.writer.records(space, addresses, places, step.seq)}
    for record in standing:
        was = then.get(record.entry)
        count = record.standing.generation + 1
        if was is None and record.standing.state != RETRACTED:
            gone = replace(record.standing, state=RETRACTED, reason=f"restored to {step.seq}", changed_at=desk.at)
            desk.stand(record, replace(gone, generation=count))
        elif was is not None and (again := kept_closed(was.standing, record.standing)).held() != record.standing.held():
            desk.stand(record, replace(again, generation=count, changed_at=desk.at, salt=was.standing.salt))
        _restore_names(desk, record, was or record, step.seq)
    before = {link.line: link for link in desk.writer.links(space, addresses, places, step.seq)}
    after = {link.line: link for link in desk.writer.links(space, addresses, places, CURRENT)}
    for line, link in {**before, **after}.items():
        if (line in before) != (line in after):
            desk.writer.link(space, replace(link, at=desk.at, closed=line in after), desk.seq)
            # The event must name what it changed: a later restore finds the links by it.
            desk.touch(link.source, desk.touched.get(link.source, bytes(32)))
    return Outcome(CHANGED if desk.changed else SAME)


def _restore_names(desk: Desk, record: Record, was: Record, seq: int) -> None:
    """The anchors of `seq` again, and the words that a node is found by: its tags, aliases and anchors."""
    entry = record.entry
    before = desk.writer.anchors([entry], seq).get(entry, [])
    after = desk.writer.anchors([entry], CURRENT).get(entry, [])
    opened = desk.writer.pin(entry, [a for a in before if a not in after], desk.seq)
    closed = desk.writer.pin(entry, [a for a in after if a not in before], desk.seq, closed=True)
    if opened or closed:
        desk.touch(record.node.address, desk.touched.get(record.node.address, bytes(32)))
    named = (was.standing.tags, was.standing.aliases) != (record.standing.tags, record.standing.aliases)
    if opened or closed or named:
        desk.index(entry, record.node.content, was.standing, before)


_APPLY: dict[type, Callable[[Desk, Any, Prepared], Outcome]] = {
    Say: _say,
    Supersede: _supersede,
    Restate: _restate,
    Reinforce: _reinforce,
    Relate: _relate,
    Pin: _pin,
    TakeSnapshot: _take_snapshot,
    RestoreTo: _restore,
    NameProject: name_project,
    Merge: merge,
}
