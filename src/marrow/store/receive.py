"""The one door for writes: every change of a memory comes through here.

It checks who may write, cleans and redacts the text before anything touches the disk, computes addresses, applies the
steps of a change in one transaction (`apply.py`), brings the Merkle root up to date by what changed, and appends the
one event that says so. Stores only keep rows; what a change means is decided here, so it is the same for all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..model.change import Change, Merge, NameProject, Pin, Receipt, Restate, Say, Step, Supersede, TakeSnapshot
from ..model.errors import Conflict, Invalid, NotFound
from ..model.event import SALT_BYTES, SYSTEM, Event, Head, Touched
from ..model.link import Anchor
from ..model.merkle import (
    BUCKET_DIGITS,
    bucket_hash,
    by_parent,
    inner_hash,
    levels,
    no_children,
    prefixes,
    with_child,
    with_children,
)
from ..model.node import Node, Occurrence, metadata_text
from ..model.record import CURRENT, Filter
from ..model.redact import Redacted, redact, redact_value
from ..model.scope import ADMIN, WRITE, Principal
from ..model.standing import Standing
from ..model.text import clean, counted
from .admit import admit, check_addresses
from .apply import apply
from .desk import Desk, Prepared
from .protocol import Store, Writer

if TYPE_CHECKING:
    from .protocol import Vector

Embed = Callable[[Sequence[str]], "Sequence[Vector | None]"]  # None: it could not be embedded now
Entropy = Callable[[int], bytes]
SUMMARY_LENGTH_MAX = 200
REBUILD_BATCH = 1000
_NOTHING = Redacted("", ())


def receive(
    store: Store,
    change: Change,
    principal: Principal,
    *,
    now: int,
    embed: Embed | None = None,
    model: tuple[str, int] | None = None,
    redact_extra: Sequence[str] = (),
    entropy: Entropy = os.urandom,
    also: Callable[[Writer], None] | None = None,
) -> Receipt:
    """Do what the change asks, all of it or nothing. When this returns, it is on the disk. `model` is that of `embed`
    and its number of dimensions; where the store has vectors of another one, none are written. `also` is called after
    the steps, in the same transaction, even when they changed nothing: for what is kept beside the chain."""
    principal.check(WRITE, change.namespace, change.project)
    admit(change, now)
    extra = tuple(redact_extra)
    change = _without_secrets(change, extra)
    prepared = prepare(change.steps, embed, extra)
    with store.writing() as writer:
        if model is not None and not _takes_on(writer, model):
            _leave_out_vectors(prepared)
        head = writer.head(change.namespace)
        desk = Desk(writer, change, principal, head.seq + 1, max(now, head.at), now, entropy)
        nodes = [one.node.address for one in prepared if one.node is not None]
        if len(nodes) > 1:
            writer.expect(change.namespace, change.project, nodes)
        outcomes = tuple([apply(desk, step) for step in prepared])
        if also is not None:
            also(writer)
        if not desk.changed:
            return Receipt(head.seq, head.at, head.root, outcomes, has_changed=False)
        if change.aliases:
            writer.name_project(change.namespace, change.project, change.aliases)
        root = _grow(writer, change.namespace, desk.touched, head)
        summary = redacted_name(change.summary or change.operation, extra)[:SUMMARY_LENGTH_MAX]
        event = _event(desk, change, head, root, summary)
        writer.append(change.namespace, event)
        for snapshot in desk.snapshots:
            writer.snapshot(change.namespace, replace(snapshot, seq=event.seq, root=root))
        for chain in desk.chains:
            writer.attach(change.namespace, event.seq, chain)
        return Receipt(event.seq, event.at, root, outcomes)


def _takes_on(writer: Writer, model: tuple[str, int]) -> bool:
    """Whether the store's vectors are of this model; a new store takes it on."""
    theirs = writer.vector_model()
    if theirs is None:
        writer.clear_vectors(*model)
    return theirs in (None, model)


def _leave_out_vectors(prepared: Iterable[Prepared]) -> None:
    """An upgrade may bring another embedder at any time, and what is said then is not to be refused: words find it,
    and it gets its vector when all of them are made anew."""
    for one in prepared:
        one.vectors = ()


def _without_secrets(change: Change, extra: tuple[str, ...]) -> Change:
    """The names around a change: a project called after a token is a token on the disk."""
    actor, project = redacted_name(change.actor, extra), redacted_name(change.project, extra)
    aliases = tuple([redacted_name(alias, extra) for alias in change.aliases])
    if (actor, project, aliases) == (change.actor, change.project, change.aliases):
        return change
    return replace(change, actor=actor, project=project, aliases=aliases)


def erase(
    store: Store,
    principal: Principal,
    namespace: str,
    addresses: Sequence[str],
    *,
    actor: str,
    now: int,
    entropy: Entropy = os.urandom,
) -> Receipt:
    """Remove nodes for good. The event that says so names them by commitments alone."""
    principal.check(ADMIN, namespace)
    check_addresses(addresses, "address")
    if not addresses:
        raise Invalid("There is nothing to erase.", hint="Give the addresses of the nodes.", field="address")
    with store.writing() as writer:
        for address in addresses:
            if not writer.addresses(namespace, address, None, 1):
                raise NotFound(f"Nothing here has the address {address[:12]}.", hint="Search for it.", field="address")
        head = writer.head(namespace)
        change = Change("erase", actor, namespace, "", (), f"erase {counted(len(addresses), 'node')}", SYSTEM)
        desk = Desk(writer, change, principal, head.seq + 1, max(now, head.at), now, entropy)
        for address in addresses:
            desk.touched[address] = bytes(32)
        writer.erase(namespace, addresses)
        root = _grow(writer, namespace, desk.touched, head)
        event = _event(desk, change, head, root, change.summary)
        forgotten = tuple(Touched(t.commitment, None, None) for t in event.touched)
        event = replace(event, touched=forgotten)
        writer.append(namespace, event)
    store.sweep()
    return Receipt(event.seq, event.at, root, ())


def prepare(steps: Iterable[Step], embed: Embed | None, redact_extra: Sequence[str]) -> list[Prepared]:
    """Everything that needs no lock: clean and redact texts, find addresses, embed."""
    prepared = [_prepared(step, redact_extra) for step in steps]
    texts = [text for one in prepared for text in one.texts()]
    if embed is not None and texts:
        vectors = iter(embed(texts))
        for one in prepared:
            one.vectors = [next(vectors) for _ in one.texts()]
    return prepared


def _prepared(step: Step, extra: Sequence[str]) -> Prepared:
    if isinstance(step, Say | Supersede):
        content = redact(clean(step.content), extra)
        occurrence, also = _redacted_occurrence(step.occurrence, extra)
        kept = content.text if not content.counts else clean(content.text) if content.text.strip() else ""
        if not kept:
            raise Invalid(
                "Nothing is left of the text when its private parts are taken out.",
                hint="Say what may be remembered outside of <private>.",
                field="content",
            )
        counts = _added(content, also)
        if isinstance(step, Say):
            standing = _redacted_standing(step.standing, extra)
            anchors = _redacted_anchors(step.anchors, extra)
            node = Node.make(step.kind, kept, step.inputs)
            if (kept, occurrence, standing, anchors) == (step.content, step.occurrence, step.standing, step.anchors):
                return Prepared(step, counts, node=node)
            given = replace(step, content=kept, occurrence=occurrence, standing=standing, anchors=anchors)
            return Prepared(given, counts, node=node)
        reason = redact(step.reason, extra).text
        changes = tuple((name, _redacted_field(value, extra)) for name, value in step.changes)
        return Prepared(replace(step, content=kept, occurrence=occurrence, reason=reason, changes=changes), counts)
    if isinstance(step, Merge):
        return Prepared(_redacted_merge(step, extra))
    if isinstance(step, Restate):
        changes = tuple((name, _redacted_field(value, extra)) for name, value in step.changes)
        return Prepared(replace(step, changes=changes, reason=redact(step.reason, extra).text))
    if isinstance(step, Pin):
        return Prepared(replace(step, opened=_redacted_anchors(step.opened, extra)))
    if isinstance(step, NameProject):
        return Prepared(_redacted_project(step, tuple(extra)))
    if isinstance(step, TakeSnapshot):
        texts: dict[str, Any] = {name: _redacted_field(getattr(step, name), extra) for name in ("name", "tags", "note")}
        return Prepared(replace(step, **texts))
    return Prepared(step)


def _redacted_field(value: object, extra: Sequence[str]) -> object:
    if isinstance(value, str):
        return redact(value, extra).text
    if isinstance(value, tuple):
        return tuple(_redacted_field(item, extra) for item in value)
    return value


def _redacted_standing(standing: Standing, extra: Sequence[str]) -> Standing:
    domain = redacted_name(standing.domain, tuple(extra))
    if not (standing.tags or standing.aliases or standing.reason) and domain == standing.domain:
        return standing
    tags = tuple(redact(tag, extra).text for tag in standing.tags)
    aliases = tuple(redact(alias, extra).text for alias in standing.aliases)
    reason = redact(standing.reason, extra).text
    return replace(standing, domain=domain, tags=tags, aliases=aliases, reason=reason)


def _redacted_anchors(anchors: Sequence[Anchor], extra: Sequence[str]) -> tuple[Anchor, ...]:
    if not anchors:
        return ()
    return tuple(
        replace(anchor, target=redact(anchor.target, extra).text, detail=_redacted_json(anchor.detail, extra))
        for anchor in anchors
    )


def _redacted_json(text: str, extra: Sequence[str]) -> str:
    return text if text == "{}" else metadata_text(_object(redact_value(json.loads(text), extra).value))


def _redacted_occurrence(said: Occurrence, extra: Sequence[str]) -> tuple[Occurrence, Redacted]:
    named = said.thread or said.user or said.service or said.source or said.chain
    if not named and said.metadata == "{}":
        return said, _NOTHING
    names = ("thread", "user", "service", "source", "chain")
    given = tuple(extra)
    texts: dict[str, Any] = {name: redacted_name(value, given) for name in names if (value := getattr(said, name))}
    if said.metadata == "{}":
        is_same = all(getattr(said, name) == text for name, text in texts.items())
        return (said if is_same else replace(said, **texts)), _NOTHING
    metadata, found = _redacted_metadata(said.metadata, given)
    return replace(said, metadata=metadata, **texts), found


# Who takes in documents looks at a batch of them before the door does: the door must not do the work again.
@lru_cache(maxsize=640)
def _redacted_metadata(metadata: str, extra: tuple[str, ...]) -> tuple[str, Redacted]:
    found = redact_value(json.loads(metadata), extra)
    return metadata_text(_object(found.value)), Redacted("", found.counts)


@lru_cache(maxsize=1024)
def redacted_name(name: str, extra: tuple[str, ...]) -> str:
    """Users, threads and sources come again and again."""
    return redact(name, extra).text


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def _added(*found: Redacted) -> tuple[tuple[str, int], ...]:
    if not any(one.counts for one in found):
        return ()
    counts: dict[str, int] = {}
    for one in found:
        for rule, count in one.counts:
            counts[rule] = counts.get(rule, 0) + count
    return tuple(sorted(counts.items()))


def _redacted_merge(step: Merge, extra: Sequence[str]) -> Merge:
    """What comes from another memory goes through the same door. A node that held a secret gets a new address."""
    for copy in step.copies:
        if not copy.node.is_true_to_address():
            raise Conflict(
                f"Node {copy.node.address[:12]} does not have the address that its content gives.",
                hint="The bundle was altered or damaged; nothing was imported.",
                field="source",
            )
    nodes = _redacted_nodes({copy.node.address: copy.node for copy in step.copies}, extra)
    copies = []
    for copy in step.copies:
        occurrences = tuple(_redacted_occurrence(said, extra)[0] for said in copy.occurrences)
        standing, anchors = _redacted_standing(copy.standing, extra), _redacted_anchors(copy.anchors, extra)
        node = nodes[copy.node.address]
        project = redacted_name(copy.project, tuple(extra))
        copies.append(
            replace(copy, project=project, node=node, occurrences=occurrences, standing=standing, anchors=anchors)
        )
    named = {address: node.address for address, node in nodes.items()}
    links = tuple(
        replace(
            link,
            source=named.get(link.source, link.source),
            target=named.get(link.target, link.target),
            project=redacted_name(link.project, tuple(extra)),
        )
        for link in step.links
    )
    projects = tuple(_redacted_project(project, tuple(extra)) for project in step.projects)
    return replace(step, copies=tuple(copies), links=links, projects=projects, chain=_clean_chain(step.chain, extra))


def _clean_chain(chain: tuple[Event, ...], extra: Sequence[str]) -> tuple[Event, ...]:
    """Another memory's chain is kept as it is or not at all: a changed word would break it."""
    texts = {text for e in chain for text in (e.actor, e.operation, e.summary, e.project, e.domain)}
    return () if any(redact(text, extra).counts for text in texts) else chain


def _redacted_project(step: NameProject, extra: tuple[str, ...]) -> NameProject:
    return NameProject(redacted_name(step.name, extra), tuple(redacted_name(alias, extra) for alias in step.aliases))


def _redacted_nodes(given: Mapping[str, Node], extra: Sequence[str]) -> Mapping[str, Node]:
    """The nodes without their secrets. One that was made from a node with a new address names that one."""
    nodes = dict(given)
    for address, node in given.items():
        content = redact(node.content, extra)
        if content.counts:
            kept = content.text if content.text.strip() else "[redacted]"
            nodes[address] = Node.make(node.kind, clean(kept), node.inputs)
    made = [address for address, node in given.items() if node.inputs]
    while True:
        renamed = {address: node.address for address, node in nodes.items() if address != node.address}
        for address in made if renamed else ():
            inputs = [renamed.get(name, name) for name in given[address].inputs]
            nodes[address] = Node.make(nodes[address].kind, nodes[address].content, inputs)
        if {address: node.address for address, node in nodes.items() if address != node.address} == renamed:
            return nodes


def _grow(writer: Writer, namespace: str, addresses: Iterable[str], head: Head) -> str:
    """The root after these nodes changed: their buckets and the inner nodes above them are hashed again, no others."""
    touched = {address[:BUCKET_DIGITS] for address in addresses}
    if not touched:
        return head.root
    leaves = writer.buckets(namespace, touched)
    level = {prefix: bucket_hash(leaves.get(prefix, ())) for prefix in touched}
    kept = writer.inner(namespace, {prefix[:digits] for prefix in touched for digits in range(BUCKET_DIGITS)})
    grown: dict[str, bytes] = {}
    if len(touched) == 1:  # as with most changes: a path, and no tree
        ((prefix, child),) = level.items()
        for digits in reversed(range(BUCKET_DIGITS)):
            above_it = prefix[:digits]
            grown[above_it] = with_child(kept.get(above_it, no_children()), prefix[digits], child)
            child = inner_hash(grown[above_it])
        writer.grow(namespace, grown)
        return child.hex()
    for _ in range(BUCKET_DIGITS):
        above = {p: with_children(kept.get(p, no_children()), changed) for p, changed in by_parent(level).items()}
        level = {prefix: inner_hash(children) for prefix, children in above.items()}
        grown |= above
    writer.grow(namespace, grown)
    return level[""].hex()


def rebuild_tree(store: Store, namespace: str) -> str:
    """Hash the whole tree again from the standings: a repair of what is derived. The root must be the chain's."""
    with store.writing() as writer:
        entries = writer.select(namespace, Filter(include_superseded=True), CURRENT, 0)
        for start in range(0, len(entries), REBUILD_BATCH):
            for record in writer.records_of(entries[start : start + REBUILD_BATCH], CURRENT):
                writer.keep_leaf(record.entry, record.standing.leaf(record.node.address, record.project))
        built = levels(writer.leaves(namespace, CURRENT))
        for digits, level in zip(reversed(range(BUCKET_DIGITS)), built, strict=True):
            names = prefixes(digits)
            kept = writer.inner(namespace, names)
            built_now = {prefix: level.get(prefix, no_children()) for prefix in names}
            writer.grow(namespace, {p: c for p, c in built_now.items() if c != kept.get(p, no_children())})
        return inner_hash(built[-1].get("", no_children())).hex()


def _event(desk: Desk, change: Change, head: Head, root: str, summary: str) -> Event:
    salts = desk.entropy(SALT_BYTES * len(desk.touched))
    touched = tuple(
        Touched.make(address, salts[SALT_BYTES * i : SALT_BYTES * (i + 1)]) for i, address in enumerate(desk.touched)
    )
    # The leaves are salted and the commitments too: the hash of the detail gives nothing away either.
    detail = hashlib.sha256(
        b"".join(t.commitment + leaf for t, leaf in zip(touched, desk.touched.values(), strict=True))
    )
    return Event(
        seq=desk.seq,
        at=desk.at,
        actor=change.actor,
        operation=change.operation,
        layer=change.layer,
        summary=summary,
        project=change.project,
        domain=desk.domain,
        touched=touched,
        detail=detail.hexdigest(),
        root=root,
        previous=head.hash,
    ).sealed()


__all__ = ["Embed", "Entropy", "erase", "prepare", "rebuild_tree", "receive"]
