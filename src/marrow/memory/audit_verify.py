"""Audit verify: compute everything again from the canonical rows, and name exactly what does not agree.

Verified are the address of every node, the chain of events and its end, the kept Merkle tree against the standings,
the root of every snapshot, and the chains of other memories that came with imports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..access.restricted import enforced
from ..model.address import shown
from ..model.errors import Forbidden, MarrowError
from ..model.event import NO_HASH, Event
from ..model.merkle import BUCKET_DIGITS, child_of, inner_hash, levels, no_children, prefixes, root_of
from ..model.record import CURRENT
from ..model.scope import READ
from ..store.protocol import Reader
from .differences import batches
from .engine import Asker, Engine

Progress = Callable[[int, "int | None"], None]
PROBLEMS_MAX = 200
BATCH = 500
# The operation of the event that takes a snapshot. None takes one away.
SNAPSHOT_CREATE = "snapshot_create"
# What a row that was altered can raise on its way to a value.
_UNREADABLE = (MarrowError, ValueError, TypeError, KeyError, IndexError)


class Verified(NamedTuple):
    """`checked` counts what was looked at. `problems` names what is damaged, at most a few hundred of them.

    `derived` are those of the problems that `reindex` repairs: the kept tree, not what it is kept of."""

    ok: bool
    checked: Mapping[str, int]
    problems: tuple[str, ...]
    derived: tuple[str, ...] = ()


@dataclass
class _Findings:
    checked: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    problems: list[str] = field(default_factory=list)
    derived: list[str] = field(default_factory=list)

    def wrong(self, what: str) -> None:
        if len(self.problems) < PROBLEMS_MAX:
            self.problems.append(what)

    def wrong_in_tree(self, what: str) -> None:
        if len(self.derived) < PROBLEMS_MAX:
            self.derived.append(what)


def audit_verify(engine: Engine, asker: Asker, *, progress: Progress | None = None) -> Verified:
    """Verify the caller's namespace, all of it. Reads only."""
    space = asker.namespace
    asker.principal.check(READ, space)
    if enforced(engine.store):
        raise Forbidden(
            "Only one who sees everything can verify the whole.", hint="Do it without the setting `view`.", field="view"
        )
    found = _Findings()
    with engine.store.reading() as reader:
        _check_nodes(reader, space, found, progress)
        events = _check_chain(reader, space, found)
        if _leaves_are_readable(reader, space, found):
            _check_tree(reader, space, found)
            _check_snapshots(reader, space, events, found)
        _check_attachments(reader, space, found)
    problems = (*found.problems, *found.derived)
    return Verified(not problems, dict(found.checked), problems, tuple(found.derived))


def _check_nodes(reader: Reader, space: str, found: _Findings, progress: Progress | None) -> None:
    """Page by page, by the first two digits of the address."""
    pages = prefixes(2)
    for number, prefix in enumerate(pages, 1):
        for batch in batches(reader.addresses(space, prefix, None, CURRENT), BATCH):
            found.checked["nodes"] += len(batch)
            try:
                _check_batch(reader, space, batch, found)
            except _UNREADABLE:
                for address in batch:
                    _check_alone(reader, space, address, found)
        if progress is not None:
            progress(number, len(pages))


def altered_nodes(reader: Reader) -> list[str]:
    """Which nodes of the whole store are not what their addresses say, in words: the first part of a verification."""
    found = _Findings()
    for space in reader.namespaces():
        _check_nodes(reader, space, found, None)
    return found.problems


def _check_batch(reader: Reader, space: str, addresses: Sequence[str], found: _Findings) -> None:
    records = reader.records(space, addresses, None, CURRENT)
    found.checked["records"] += len(records)
    standing = {record.node.address: record.node for record in records}
    for address in addresses:
        if address not in standing:
            found.wrong(f"node {shown(address)} stands in no project")
        elif not standing[address].is_true_to_address():
            found.wrong(f"node {shown(address)} does not have the address that its content gives")
    said = reader.occurrences([record.entry for record in records], CURRENT)
    for record in records:
        if not said.get(record.entry):
            found.wrong(f"node {shown(record.node.address)} was never said in project {record.project!r}")


def _check_alone(reader: Reader, space: str, address: str, found: _Findings) -> None:
    try:
        _check_batch(reader, space, [address], found)
    except _UNREADABLE as problem:
        found.wrong(f"node {shown(address)} cannot be read: {problem}")


class _Past(NamedTuple):
    """What one event left: the root after it, whether a node that it touched was erased since, and what it was."""

    root: str = ""
    is_erased: bool = False
    operation: str = ""
    at: int = 0


def _check_chain(reader: Reader, space: str, found: _Findings) -> list[_Past]:
    head = reader.head(space)
    known: list[_Past] = []
    before: Event | None = None
    try:
        for event in reader.events(space):
            found.checked["events"] += 1
            _check_event(event, before, found)
            known += [_Past()] * (event.seq - 1 - len(known))
            is_erased = any(touched.address is None for touched in event.touched)
            known.append(_Past(event.root, is_erased, event.operation, event.at))
            before = event
    except _UNREADABLE as problem:
        found.wrong(f"event {len(known) + 1} cannot be read: {problem}")
        return known
    end = (before.seq, before.at, before.hash) if before else (0, 0, NO_HASH)
    if end != (head.seq, head.at, head.hash):
        found.wrong(f"the chain ends at event {end[0]}, and the head says {head.seq}")
    if before is not None and before.root != head.root:
        found.wrong(f"the root after event {before.seq} is not the head's")
    return known


def _check_event(event: Event, before: Event | None, found: _Findings) -> None:
    expected = before.seq + 1 if before else 1
    if event.seq != expected:
        found.wrong(f"events {expected} to {event.seq - 1} are missing")
    elif event.previous != (before.hash if before else NO_HASH):
        found.wrong(f"event {event.seq} does not follow the one before it")
    if event.digest() != event.hash:
        found.wrong(f"event {event.seq} does not have the hash that its content gives")
    if before is not None and event.at < before.at:
        found.wrong(f"event {event.seq} is earlier than the one before it")
    for touched in event.touched:
        if not touched.holds():
            found.wrong(f"event {event.seq} names a node that it did not touch: {shown(touched.address or '')}")


def _leaves_are_readable(reader: Reader, space: str, found: _Findings) -> bool:
    try:
        found.checked["leaves"] = sum(1 for _ in reader.leaves(space, CURRENT))
    except _UNREADABLE as problem:
        found.wrong(f"the active set cannot be read: {problem}")
        return False
    return True


def _check_tree(reader: Reader, space: str, found: _Findings) -> None:
    """The kept tree, from the leaves up, against one that is computed from the standings."""
    computed: dict[str, dict[str, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for address, leaf in reader.leaves(space, CURRENT):
        computed[address[:BUCKET_DIGITS]][address].append(leaf)
    pairs = ((address, leaf) for bucket in computed.values() for address, leaves in bucket.items() for leaf in leaves)
    built = levels(pairs)
    for digits, level in zip(reversed(range(BUCKET_DIGITS)), built, strict=True):
        for parent in prefixes(digits):
            kept = reader.children(space, parent) or no_children()
            expected = level.get(parent, no_children())
            found.checked["inner nodes"] += bool(kept or expected)
            if kept != expected:
                found.wrong_in_tree(f"the kept tree is wrong below {_below(parent, kept, expected)}")
    _check_kept_leaves(reader, space, computed, found)
    root, head = inner_hash(built[-1].get("", no_children())).hex(), reader.head(space)
    if root != head.root:
        found.wrong(f"the standings give the root {shown(root)}, and event {head.seq} says {shown(head.root)}")


def _check_kept_leaves(
    reader: Reader, space: str, computed: Mapping[str, Mapping[str, Sequence[bytes]]], found: _Findings
) -> None:
    for prefix, leaves in computed.items():
        kept = reader.bucket(space, prefix)
        for address, expected in leaves.items():
            if not set(expected).issubset(kept):
                found.wrong_in_tree(f"the kept leaf of node {shown(address)} is not what its standing gives")
        if len(kept) > len(_flat(leaves.values())):
            found.wrong_in_tree(f"leaves are kept below {prefix} of nodes that are not active")


def _flat(lists: Iterable[Sequence[bytes]]) -> list[bytes]:
    return [leaf for leaves in lists for leaf in leaves]


def _below(parent: str, kept: bytes, expected: bytes) -> str:
    differ = [digit for digit in "0123456789abcdef" if child_of(kept, digit) != child_of(expected, digit)]
    return ", ".join(parent + digit for digit in differ) or (parent or "the root")


def _check_snapshots(reader: Reader, space: str, events: Sequence[_Past], found: _Findings) -> None:
    """A snapshot's root must be that of its event, and of the standings then; and every event that took one has it.

    Where a node of that time was erased since, the standings cannot give it any more; the chain still does."""
    first_erased = next((number for number, event in enumerate(events, 1) if event.is_erased), CURRENT)
    missing = {number for number, event in enumerate(events, 1) if event.operation == SNAPSHOT_CREATE}
    for snapshot in reader.snapshots(space):
        found.checked["snapshots"] += 1
        event = events[snapshot.seq - 1] if 0 < snapshot.seq <= len(events) else _Past()
        if snapshot.seq not in missing or event.at != snapshot.at:
            found.wrong(f"snapshot {snapshot.name!r} was not taken by event {snapshot.seq}")
        missing.discard(snapshot.seq)
        if event.root != snapshot.root:
            found.wrong(f"snapshot {snapshot.name!r} does not have the root of event {snapshot.seq}")
        elif snapshot.seq < first_erased and root_of(reader.leaves(space, snapshot.seq)) != snapshot.root:
            found.wrong(f"the standings at event {snapshot.seq} do not give the root of snapshot {snapshot.name!r}")
    for number in sorted(missing):
        found.wrong(f"the snapshot that event {number} took is missing")


def _check_attachments(reader: Reader, space: str, found: _Findings) -> None:
    for attachment in reader.attachments(space):
        found.checked["attached chains"] += 1
        where = f"the chain that came with event {attachment.seq}"
        if attachment.chain is None:
            found.wrong(f"{where} cannot be read")
            continue
        if (len(attachment.chain), attachment.chain[-1].hash) != (attachment.length, attachment.head):
            found.wrong(f"{where} does not end where it did")
        inner = _Findings()
        before: Event | None = None
        for event in attachment.chain:
            _check_event(event, before, inner)
            before = event
        for problem in inner.problems:
            found.wrong(f"{where}: {problem}")
