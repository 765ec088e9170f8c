"""Rivals: others that took the place of the same memory, and hold beside it.

Whoever replaces something replaces what holds. Two people who exchange their memories may each have done so on their
side; then neither is the later word, and who reads one of them should know of the other. What readers took from files
is left out: that one record took the place of another is written there, and two that did so were meant to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.circles import SUPERSEDES
from ..model.link import Link
from ..model.record import Record
from ..search.weights import is_taken_in
from ..store.protocol import Projects, Reader

# In which project, and the address there.
_Place = tuple[str, str]


def rivals_of(
    reader: Reader, namespace: str, records: Sequence[Record], projects: Projects, seq: int, now: int
) -> Mapping[int, tuple[str, ...]]:
    """By entry of those of these records that have some: the addresses of its rivals."""
    mine = {(one.project, one.node.address): one.entry for one in records if not is_taken_in(one)}
    replaced: dict[_Place, list[int]] = {}
    for link in _supersessions(reader, namespace, [address for _, address in mine], projects, seq):
        if (entry := mine.get((link.project, link.source))) is not None:
            replaced.setdefault((link.project, link.target), []).append(entry)
    beside: dict[_Place, set[int]] = {}
    for link in _supersessions(reader, namespace, sorted({target for _, target in replaced}), projects, seq):
        others = replaced.get((link.project, link.target), ())
        beside.setdefault((link.project, link.source), set()).update(others)
    found: dict[int, list[str]] = {}
    for record in _held(reader, namespace, beside, projects, seq, now):
        for entry in beside[record.project, record.node.address] - {record.entry}:
            found.setdefault(entry, []).append(record.node.address)
    return {entry: tuple(sorted(addresses)) for entry, addresses in found.items()}


def _supersessions(
    reader: Reader, namespace: str, addresses: Sequence[str], projects: Projects, seq: int
) -> list[Link]:
    links = reader.links(namespace, addresses, projects, seq) if addresses else ()
    return [link for link in links if link.rel == SUPERSEDES]


def _held(
    reader: Reader, namespace: str, places: Mapping[_Place, object], projects: Projects, seq: int, now: int
) -> list[Record]:
    """Those of these places that hold."""
    addresses = sorted({address for _, address in places})
    if len(addresses) < 2:  # as nearly always: what replaced it is the one that was asked about
        return []
    records = reader.records(namespace, addresses, projects, seq)
    return [one for one in records if (one.project, one.node.address) in places and one.standing.is_active(now)]
