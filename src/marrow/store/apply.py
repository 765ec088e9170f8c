"""What each step of a change does, inside the door's transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..model.change import (
    AGAIN,
    CHANGED,
    KNOWN,
    NEW,
    SAME,
    Change,
    Copy,
    Merge,
    NameProject,
    Outcome,
    Pin,
    Reinforce,
    Relate,
    Restate,
    RestoreTo,
    Say,
    Step,
    Supersede,
    TakeSnapshot,
)
from ..model.errors import Conflict, Immutable, Invalid, NotFound
from ..model.event import Event, Snapshot
from ..model.link import HISTORY_RELS, Anchor, Link, check_rel
from ..model.node import GLOBAL_PROJECT, VIEW, Node, Occurrence
from ..model.record import CURRENT, Record
from ..model.scope import ADMIN, WRITE, Principal
from ..model.standing import (
    ACTIVE,
    RETRACTED,
    SUPERSEDED,
    Standing,
    changed,
    kept_closed,
    later,
    placed,
    reinforced,
    union,
)
from .protocol import Writer
from .terms import spaced_terms

if TYPE_CHECKING:
    from .protocol import Vector

SALT_BYTES = 8
# Relations that say what comes first: a circle of them says nothing.
ORDERED_RELS = frozenset(("caused_by", "depends_on", "blocks", "enables", "supersedes", "derived_from"))
CIRCLE_NODES_MAX = 10_000


@dataclass(slots=True)
class Prepared:
    """A step whose texts are clean, redacted and embedded."""

    step: Step
    redacted: tuple[tuple[str, int], ...] = ()
    vectors: Sequence[Vector | None] = ()
    node: Node | None = None

    def texts(self) -> list[str]:
        if isinstance(self.step, Say | Supersede):
            return [self.step.content]
        return [copy.node.content for copy in self.step.copies] if isinstance(self.step, Merge) else []


@dataclass
class Desk:
    """The working state of one change: the open transaction and what it has touched so far. `at` is the time of the
    event, never before the one before it; `now` is the clock, by which what has expired is judged."""

    writer: Writer
    change: Change
    principal: Principal
    seq: int
    at: int
    now: int
    entropy: Callable[[int], bytes]
    touched: dict[str, bytes] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    chains: list[tuple[Event, ...]] = field(default_factory=list)
    changed: bool = False
    domain: str = ""

    def touch(self, address: str, leaf: bytes) -> None:
        self.touched[address] = leaf
        self.changed = True

    def find(self, address: str, argument: str = "address") -> Record:
        """The record that a step speaks of: in the change's project, or else in the global scope."""
        places = (self.change.project, GLOBAL_PROJECT)
        found = self.writer.records(self.change.namespace, [address], places, CURRENT)
        if not found:
            raise NotFound(f"Nothing here has the address {address[:12]}.", hint="Search for it.", field=argument)
        record = next((r for r in found if r.project == self.change.project), found[0])
        self.check_kind(record.node.kind)
        return record

    def check_kind(self, kind: str) -> None:
        """Views say who may see what."""
        if kind == VIEW:
            self.principal.check(ADMIN, self.change.namespace)

    def stand(self, record: Record, standing: Standing) -> None:
        if record.project != self.change.project:
            self.principal.check(WRITE, self.change.namespace, record.project)
        leaf = standing.leaf(record.node.address, record.project)
        self.writer.stand(record.entry, standing, leaf, self.seq)
        self.touch(record.node.address, leaf)

    def index(self, record_entry: int, content: str, standing: Standing, anchors: Sequence[Anchor]) -> None:
        names = [*standing.tags, *standing.aliases, *(anchor.target for anchor in anchors)]
        self.writer.index_words(record_entry, spaced_terms(content), spaced_terms(" ".join(names)) if names else "")


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
            chosen = replace(standing, generation=count, salt=salt, changed_at=desk.at, reinforced_at=desk.at)
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
    return replace(reinforced(known, now), **chosen)


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
    gone = replace(old.standing, state=SUPERSEDED, reason=step.reason, changed_at=desk.at)
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
    desk.stand(record, replace(chosen, changed_at=desk.at))
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
        desk.stand(target, replace(target.standing, state=SUPERSEDED, changed_at=desk.at))
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
    before = {_line(link): link for link in desk.writer.links(space, addresses, places, step.seq)}
    after = {_line(link): link for link in desk.writer.links(space, addresses, places, CURRENT)}
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


def _line(link: Link) -> tuple[str, str, str, str]:
    return link.source, link.rel, link.target, link.project


def _name_project(desk: Desk, step: NameProject, prepared: Prepared) -> Outcome:
    space = desk.change.namespace
    known = {p.name: set(p.aliases) for p in desk.writer.projects(space)}
    # An alias names one project: one that another project has stays there.
    taken = {alias for name, aliases in known.items() if name != step.name for alias in aliases}
    if step.name in known and known[step.name].issuperset({*step.aliases} - {step.name} - taken):
        return Outcome(SAME, project=step.name)
    desk.writer.name_project(space, step.name, step.aliases)
    desk.changed = True
    return Outcome(NEW if step.name not in known else CHANGED, project=step.name)


def _merge(desk: Desk, step: Merge, prepared: Prepared) -> Outcome:
    places = {copy.project for copy in step.copies} | {link.project for link in step.links}
    for place in sorted(places | {project.name for project in step.projects}):
        desk.principal.check(WRITE, desk.change.namespace, place)
    for project in step.projects:
        _name_project(desk, project, prepared)
    vectors = prepared.vectors if len(prepared.vectors) else [None] * len(step.copies)
    for copy, vector in zip(step.copies, vectors, strict=True):
        _merge_copy(desk, copy, vector)
    ours = {_line(link): link for link in desk.writer.all_links(desk.change.namespace, None)}
    for theirs in step.links:
        known = ours.get(_line(theirs))
        is_later = known is None or (theirs.at, theirs.closed) > (known.at, known.closed)
        if is_later and _merge_link(desk, known, theirs):
            ours[_line(theirs)] = theirs
            desk.touch(theirs.source, desk.touched.get(theirs.source, bytes(32)))
    if step.chain and desk.changed:
        desk.chains.append(step.chain)
    return Outcome(CHANGED if desk.changed else SAME)


def _merge_link(desk: Desk, known: Link | None, theirs: Link) -> bool:
    """Let a link stand as another memory has it, with its time: the time decides the next merge, here and there."""
    is_closed = known is None or known.closed
    if is_closed == theirs.closed:
        desk.writer.link(desk.change.namespace, replace(theirs, closed=not theirs.closed), desk.seq)
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
    chosen = later(ours, copy.standing)
    if desk.writer.pin(entry, copy.anchors, desk.seq):
        desk.touch(copy.node.address, desk.touched.get(copy.node.address, bytes(32)))
    if chosen != ours:
        anchors = desk.writer.anchors([entry], CURRENT).get(entry, [])
        desk.index(entry, copy.node.content, chosen, anchors)
        desk.stand(record, chosen)


_APPLY: dict[type, Callable[[Desk, Any, Prepared], Outcome]] = {
    Say: _say,
    Supersede: _supersede,
    Restate: _restate,
    Reinforce: _reinforce,
    Relate: _relate,
    Pin: _pin,
    TakeSnapshot: _take_snapshot,
    RestoreTo: _restore,
    NameProject: _name_project,
    Merge: _merge,
}
