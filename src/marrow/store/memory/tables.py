"""The tables of the store in memory: dictionaries of immutable values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ...model.derivation import Derived
from ...model.event import Event, Head, Snapshot
from ...model.link import Anchor, Link
from ...model.node import Node, Occurrence
from ...model.record import Interval
from ...model.session import Injection, Session
from ...model.source import Source
from ...model.trace import Trace
from ..protocol import Measurement, Use


@dataclass(frozen=True, slots=True)
class Entry:
    id: int
    namespace: str
    project: str
    address: str
    seq: int
    occurrences: tuple[tuple[int, Occurrence], ...] = ()
    intervals: tuple[Interval, ...] = ()
    leaf: bytes | None = None
    anchors: tuple[tuple[int, int, Anchor], ...] = ()


@dataclass(frozen=True, slots=True)
class LinkRow:
    """`link` is as it was opened; `ended_at` is the time at which it was closed."""

    link: Link
    start: int
    end: int
    ended_at: int = 0


@dataclass
class Tables:
    nodes: dict[tuple[str, str], Node] = field(default_factory=dict)
    entries: dict[int, Entry] = field(default_factory=dict)
    placed: dict[tuple[str, str, str], int] = field(default_factory=dict)
    projects: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    links: dict[tuple[str, int], LinkRow] = field(default_factory=dict)
    heads: dict[str, Head] = field(default_factory=dict)
    events: dict[tuple[str, int], Event] = field(default_factory=dict)
    snapshots: dict[tuple[str, str], Snapshot] = field(default_factory=dict)
    merkle: dict[tuple[str, str], bytes] = field(default_factory=dict)
    chains: dict[tuple[str, int], tuple[Event, ...]] = field(default_factory=dict)
    words: dict[int, Counter[str]] = field(default_factory=dict)
    vectors: dict[int, bytes] = field(default_factory=dict)
    uses: dict[int, Use] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    measurements: dict[int, Measurement] = field(default_factory=dict)
    traces: dict[int, tuple[str, Trace]] = field(default_factory=dict)
    trace_numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    sessions: dict[tuple[str, str], Session] = field(default_factory=dict)
    injections: dict[int, tuple[str, str, Injection]] = field(default_factory=dict)
    sources: dict[tuple[str, str, str, str], Source] = field(default_factory=dict)
    derived: dict[tuple[str, str, str], Derived] = field(default_factory=dict)
    inbox: dict[str, int] = field(default_factory=dict)
