"""Rebase: what may have become stale because a memory changed, was replaced, or lost its ground in the code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.change import Receipt, Restate, Step
from ..model.link import HISTORY_RELS, Anchor
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ, WRITE
from ..model.standing import ACTIVE
from ..store.protocol import Reader
from .anchors.check import is_companion
from .anchors.finding import CHANGED, GONE
from .anchors.known import checkout_of
from .engine import Asker, Engine, resolve, submit
from .verify import PASSING_KINDS, verify_records

OPERATION = "memory_rebase"
STALE = "potentially_stale"
# How strongly each reason speaks, the strongest first.
REASONS = ("made from it", "linked", "same place in the code", "same chain", "same file")
SAME_FILE_MAX = 20
NODES_MAX = 200


class Doubt(NamedTuple):
    """A memory that may no longer hold, and why it is thought so; `code` says what the code did to it, if anything."""

    record: Record
    reasons: tuple[str, ...]
    code: str = ""


class Rebased(NamedTuple):
    """`changed` is what started it: replaced, forgotten, drifted; "" when it stands as it did."""

    record: Record
    changed: str
    items: tuple[Doubt, ...]
    receipt: Receipt | None


def rebase(engine: Engine, asker: Asker, address: object, *, dry_run: bool = False) -> Rebased:
    """Mark with a tag what hangs on a memory; with `dry_run` only look. The code is asked too, where it is at hand."""
    asker.principal.check(READ if dry_run else WRITE, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
        found = _hanging_on(reader, asker, record, engine.clock())
        entries = [record.entry, *(one.entry for one, _ in found)]
        anchors = reader.anchors(entries, CURRENT)
    code: dict[str, str] = {}
    if asker.root:
        records = [record, *(one for one, _ in found)]
        checkout = checkout_of(engine, asker.root)
        looked = verify_records(engine, asker, checkout, records, anchors, note=not dry_run)
        for item in looked.items:
            if item.verdict in (CHANGED, GONE):
                code[item.record.node.address] = "; ".join(one.said for one in item.findings if one.said)
    doubts = [Doubt(one, tuple(reasons), code.get(one.node.address, one.standing.drift)) for one, reasons in found]
    doubts.sort(key=lambda one: (not one.code, min(REASONS.index(_plain(r)) for r in one.reasons), -one.record.last_at))
    steps = [] if dry_run else _marks(doubts)
    receipt = None
    if steps:
        summary = f"rebase: {len(steps)} may be stale"
        receipt = submit(engine, asker, OPERATION, steps, summary=summary, project=record.project)
    return Rebased(record, _what_happened(record, code), tuple(doubts), receipt)


def _hanging_on(reader: Reader, asker: Asker, record: Record, now: int) -> list[tuple[Record, list[str]]]:
    """Everything active that was made from it, is linked to it, is about the same place, or is in the same chain."""
    reasons: dict[int, list[str]] = {}
    records: dict[int, Record] = {}
    projects = (record.project,)

    def note(found: Sequence[Record], reason: str) -> None:
        for one in found:
            is_other = one.node.address != record.node.address and one.standing.is_active(now)
            if is_other and one.node.kind not in PASSING_KINDS and len(records) < NODES_MAX:
                records[one.entry] = one
                if reason not in reasons.setdefault(one.entry, []):
                    reasons[one.entry].append(reason)

    address, space = record.node.address, asker.namespace
    line = {address, *_replacing(reader, asker, record)}
    for one in sorted(line):
        note(reader.records(space, reader.made_from(space, one), projects, CURRENT), "made from it")
        for link in reader.links(space, [one], projects, CURRENT):
            if link.rel not in HISTORY_RELS:
                other = link.target if link.source == one else link.source
                note(reader.records(space, [other], projects, CURRENT), f"linked: {link.rel}")
    anchors = reader.anchors([record.entry], CURRENT).get(record.entry, [])
    for anchor in anchors:
        entries = reader.anchored(space, [anchor.target], projects, CURRENT)
        same = [one for one in reader.records_of(entries, CURRENT) if one.entry != record.entry]
        if anchor.type in ("symbol", "lines") or not is_companion(anchor):
            theirs = reader.anchors([one.entry for one in same], CURRENT)
            exact = [one for one in same if any(_is_same_place(anchor, other) for other in theirs.get(one.entry, ()))]
            note(exact, "same place in the code")
        note(same[:SAME_FILE_MAX], "same file")
    chains = {said.chain for said in reader.occurrences([record.entry], CURRENT).get(record.entry, []) if said.chain}
    if chains:
        note(_later_in(reader, asker, record, chains, now), "same chain")
    return [(records[entry], reasons[entry]) for entry in records if entry not in _own(reader, space, line)]


def _own(reader: Reader, space: str, line: set[str]) -> set[int]:
    """The memory itself in its other versions."""
    return {one.entry for one in reader.records(space, sorted(line), None, CURRENT)}


def _replacing(reader: Reader, asker: Asker, record: Record) -> list[str]:
    """What took its place, and what it took the place of: they hang on the same things."""
    links = reader.links(asker.namespace, [record.node.address], (record.project,), CURRENT)
    return [
        link.target if link.source == record.node.address else link.source for link in links if link.rel == "supersedes"
    ]


def _is_same_place(one: Anchor, other: Anchor) -> bool:
    if (one.type, one.target) != (other.type, other.target) or one.type not in ("symbol", "lines"):
        return False
    if one.type == "symbol":
        return bool(one.fields.get("path") == other.fields.get("path"))
    ours, theirs = one.fields, other.fields
    return bool(ours.get("start", 0) <= theirs.get("end", 0) and theirs.get("start", 0) <= ours.get("end", 0))


def _later_in(reader: Reader, asker: Asker, record: Record, chains: set[str], now: int) -> list[Record]:
    wanted = Filter(projects=(record.project,), since=record.first_at)
    entries = reader.select(asker.namespace, wanted, CURRENT, now, 5_000)
    said = reader.occurrences(entries, CURRENT)
    members = [entry for entry in entries if any(one.chain in chains for one in said.get(entry, []))]
    return reader.records_of(members, CURRENT)


def _marks(doubts: Sequence[Doubt]) -> list[Step]:
    """A tag for what is not marked yet. Saying or updating a memory is what takes the doubt away."""
    return [
        Restate(
            one.record.node.address,
            (("tags", tuple(sorted({*one.record.standing.tags, STALE}))),),
            one.code or f"may be stale: {', '.join(one.reasons)}",
            ACTIVE,
        )
        for one in doubts
        if STALE not in one.record.standing.tags and _plain(one.reasons[0]) != "same file"
    ]


def _plain(reason: str) -> str:
    return reason.partition(":")[0]


def _what_happened(record: Record, code: dict[str, str]) -> str:
    if record.standing.state != ACTIVE:
        return record.standing.state
    return code.get(record.node.address, "") or (f"code {record.standing.drift}" if record.standing.drift else "")
