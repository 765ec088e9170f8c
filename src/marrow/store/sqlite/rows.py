"""Rows to values and back. The order of columns is that of the tables in the migrations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ...model.event import Event, Touched
from ...model.node import Node, Occurrence
from ...model.record import Interval, Record
from ...model.standing import Standing

Row = tuple[Any, ...]
# The number of an entry begins with that of its project.
ENTRY_BITS = 32


def first_entry(project: int) -> int:
    return project << ENTRY_BITS


def last_entry(project: int) -> int:
    return (project << ENTRY_BITS) + (1 << ENTRY_BITS) - 1


def bounds_of(prefix: str) -> tuple[bytes, bytes]:
    """The first and the last address that begins so."""
    return bytes.fromhex(prefix + "0" * (len(prefix) % 2)), bytes.fromhex(prefix.ljust(64, "f"))


def spans_of(projects: Sequence[int]) -> list[tuple[int, int]]:
    """(first entry, last entry) of these projects, which are in order; those that lie side by side are one."""
    spans: list[tuple[int, int]] = []
    for project in projects:
        if spans and spans[-1][1] + 1 == first_entry(project):
            spans[-1] = (spans[-1][0], last_entry(project))
        else:
            spans.append((first_entry(project), last_entry(project)))
    return spans


def standing_of(row: Sequence[Any]) -> Standing:
    """From the columns of `standings` after entry, start and until."""
    (state, domain, semantic, priority, confidence, pinned, preliminary, classification, approved, tags, aliases) = row[
        :11
    ]
    reinforced, reinforced_at, expires_at, drift, generation, changed_at, reason, salt = row[11:19]
    return Standing(
        state,
        domain,
        bool(semantic),
        priority,
        confidence,
        bool(pinned),
        bool(preliminary),
        classification,
        None if approved is None else bool(approved),
        tuple(json.loads(tags)) if tags != "[]" else (),
        tuple(json.loads(aliases)) if aliases != "[]" else (),
        reinforced,
        reinforced_at,
        expires_at,
        drift,
        generation,
        changed_at,
        reason,
        salt,
    )


def standing_row(entry: int, seq: int, standing: Standing, leaf: bytes | None) -> Row:
    return (
        entry,
        seq,
        standing.state,
        standing.domain,
        standing.semantic,
        float(standing.priority),
        float(standing.confidence),
        standing.pinned,
        standing.preliminary,
        standing.classification,
        standing.approved,
        as_json(standing.tags) if standing.tags else "[]",
        as_json(standing.aliases) if standing.aliases else "[]",
        standing.reinforced,
        standing.reinforced_at,
        standing.expires_at,
        standing.drift,
        standing.generation,
        standing.changed_at,
        standing.reason,
        standing.salt,
        leaf,
    )


def node_of(kind: str, content: str, address: bytes, inputs: str) -> Node:
    return Node(kind, content, tuple(sorted(json.loads(inputs))) if inputs != "[]" else (), address.hex())


def record_of(row: Row) -> Record:
    """From entry, project, first and last time, the columns of `standings`, and those of a node."""
    return record_with(node_of(*row[27:]), row)


def record_with(node: Node, row: Row) -> Record:
    """The same of a node that is known."""
    entry, project, first_at, last_at = row[:4]
    return Record(entry, project, node, standing_of(row[7:26]), row[5], first_at, last_at)


def leaves_of(text: str | None) -> list[bytes]:
    """The leaves of a node's entries, from their digits with commas between them."""
    return [bytes.fromhex(leaf) for leaf in text.split(",")] if text else []


def interval_of(row: Row) -> Interval:
    return Interval(row[1], row[2], standing_of(row[3:22]))


def occurrence_of(row: Row) -> Occurrence:
    """From at, thread, user, service, source, chain, metadata."""
    return Occurrence(*row)


def event_of(row: Row) -> Event:
    (
        seq,
        at,
        actor,
        operation,
        layer,
        summary,
        project,
        domain,
        commitments,
        salts,
        addresses,
        detail,
        root,
        hash_,
        before,
    ) = row
    touched = tuple(
        _touched(commitments[32 * i : 32 * i + 32], salts[16 * i : 16 * i + 16], addresses[32 * i : 32 * i + 32])
        for i in range(len(commitments) // 32)
    )
    return Event(
        seq,
        at,
        actor,
        operation,
        layer,
        summary,
        project,
        domain,
        touched,
        detail.hex(),
        root.hex(),
        before.hex(),
        hash_.hex(),
    )


def _touched(commitment: bytes, salt: bytes, address: bytes) -> Touched:
    return Touched(commitment, salt, address.hex()) if any(address) else Touched(commitment, None, None)


def touched_columns(touched: Sequence[Touched]) -> tuple[bytes, bytes, bytes]:
    return (
        b"".join(t.commitment for t in touched),
        b"".join(t.salt or bytes(16) for t in touched),
        b"".join(bytes.fromhex(t.address) if t.address else bytes(32) for t in touched),
    )


def as_json(values: Sequence[object]) -> str:
    return json.dumps(list(values), ensure_ascii=False, separators=(",", ":"))
