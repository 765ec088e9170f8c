"""Writing to memory. A transaction keeps what it overwrote and puts it back when it fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...model.event import Event, Head, Snapshot, Touched
from ...model.link import Anchor, Link, said_after
from ...model.node import Node, Occurrence
from ...model.record import FOREVER, Interval
from ...model.standing import ACTIVE, Standing
from ..protocol import Measurement, Use
from .derived import DerivedWriter
from .reader import MemoryReader
from .sessions import SessionWriter
from .sources import SourceWriter
from .tables import Entry, LinkRow, Tables

if TYPE_CHECKING:
    from ..protocol import Vector

_NOTHING = object()


class MemoryWriter(MemoryReader, SessionWriter, SourceWriter, DerivedWriter):
    """Every protocol of `Writer`. What it overwrites is kept until the transaction ends."""

    def __init__(self, tables: Tables) -> None:
        super().__init__(tables)
        self._undo: list[tuple[dict[Any, Any], Any, Any]] = []

    def _set(self, table: dict[Any, Any], key: Any, value: Any) -> None:
        self._undo.append((table, key, table.get(key, _NOTHING)))
        table[key] = value

    def _drop(self, table: dict[Any, Any], key: Any) -> None:
        if key in table:
            self._undo.append((table, key, table.pop(key)))

    def roll_back(self) -> None:
        for table, key, value in reversed(self._undo):
            if value is _NOTHING:
                table.pop(key, None)
            else:
                table[key] = value

    def _next(self, counter: str) -> int:
        number = int(self._t.facts.get(counter, 0)) + 1
        self._set(self._t.facts, counter, number)
        return number

    def _know(self, namespace: str, project: str) -> None:
        if (namespace, project) not in self._t.projects:
            self._set(self._t.projects, (namespace, project), ())

    def expect(self, namespace: str, project: str, addresses: Sequence[str]) -> None:
        """Everything is at hand already."""

    def place(self, namespace: str, project: str, node: Node, at: int) -> tuple[int, bool]:
        key = (namespace, project, node.address)
        if key in self._t.placed:
            return self._t.placed[key], False
        self._know(namespace, project)
        if (namespace, node.address) not in self._t.nodes:
            self._set(self._t.nodes, (namespace, node.address), node)
        id_ = self._next("entry")
        entry = Entry(id_, namespace, project, node.address, self.head(namespace).seq + 1)
        self._set(self._t.entries, id_, entry)
        self._set(self._t.placed, key, id_)
        return id_, True

    def occur(self, entry: int, said: Occurrence, seq: int) -> bool:
        known = self._t.entries[entry]
        if any(o == said for _, o in known.occurrences):
            return False
        self._set(self._t.entries, entry, replace(known, occurrences=(*known.occurrences, (seq, said))))
        return True

    def stand(self, entry: int, standing: Standing, leaf: bytes, seq: int) -> None:
        known = self._t.entries[entry]
        ended = [replace(i, end=seq) if i.end == FOREVER else i for i in known.intervals if i.start != seq]
        opened = (*ended, Interval(seq, FOREVER, standing))
        kept = leaf if standing.state == ACTIVE else None
        self._set(self._t.entries, entry, replace(known, intervals=opened, leaf=kept))

    def keep_leaf(self, entry: int, leaf: bytes) -> None:
        known = self._t.entries[entry]
        is_active = known.intervals[-1].standing.state == ACTIVE
        self._set(self._t.entries, entry, replace(known, leaf=leaf if is_active else None))

    def link(self, namespace: str, link: Link, seq: int) -> bool:
        if not all((namespace, end) in self._t.nodes for end in (link.source, link.target)):
            return False
        rows = [(key, row) for key, row in self._link_rows(namespace) if row.link.line == link.line]
        is_open = bool(rows) and rows[-1][1].end == FOREVER
        if is_open != link.closed:
            return False
        if is_open:
            key, row = rows[-1]
            self._set(self._t.links, key, LinkRow(row.link, row.start, seq, said_after(link, row.link.at)))
        else:
            self._know(namespace, link.project)
            opened = replace(link, at=said_after(link, rows[-1][1].ended_at)) if rows else link
            self._set(self._t.links, (namespace, self._next("link")), LinkRow(opened, seq, FOREVER))
        return True

    def pin(self, entry: int, anchors: Sequence[Anchor], seq: int, closed: bool = False) -> bool:
        before = self._t.entries[entry]
        rows = list(before.anchors)
        for anchor in anchors:
            at = next((i for i, (_, end, a) in enumerate(rows) if a == anchor and end == FOREVER), None)
            if closed and at is not None:
                rows[at] = (rows[at][0], seq, anchor)
            elif not closed and at is None:
                rows.append((seq, FOREVER, anchor))
        if tuple(rows) == before.anchors:
            return False
        self._set(self._t.entries, entry, replace(before, anchors=tuple(rows)))
        return True

    def buckets(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, list[bytes]]:
        return {prefix: self.bucket(namespace, prefix) for prefix in prefixes}

    def inner(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, bytes]:
        return {prefix: self._t.merkle.get((namespace, prefix), b"") for prefix in prefixes}

    def grow(self, namespace: str, inner: Mapping[str, bytes]) -> None:
        for prefix, children in inner.items():
            self._set(self._t.merkle, (namespace, prefix), children)

    def append(self, namespace: str, event: Event) -> None:
        self._set(self._t.events, (namespace, event.seq), event)
        self._set(self._t.heads, namespace, Head(event.seq, event.at, event.hash, event.root))

    def attach(self, namespace: str, seq: int, chain: Sequence[Event]) -> None:
        nameless = [replace(e, touched=tuple(Touched(t.commitment, None, None) for t in e.touched)) for e in chain]
        self._set(self._t.chains, (namespace, seq), tuple(nameless))

    def snapshot(self, namespace: str, snapshot: Snapshot) -> None:
        self._set(self._t.snapshots, (namespace, snapshot.name), snapshot)

    def name_project(self, namespace: str, name: str, aliases: Sequence[str]) -> None:
        taken = {a for (space, n), known in self._t.projects.items() if space == namespace and n != name for a in known}
        known = self._t.projects.get((namespace, name), ())
        added = {alias for alias in aliases if alias not in taken and alias != name}
        self._set(self._t.projects, (namespace, name), tuple(sorted({*known, *added})))

    def index_words(self, entry: int, body: str, names: str) -> None:
        self._set(self._t.words, entry, Counter(f"{body} {names}".split()))

    def index_vectors(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        from ..stored_vectors import to_bytes

        for entry, vector in vectors:
            self._set(self._t.vectors, entry, to_bytes(vector))

    def refine(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        self.index_vectors(vectors)
        known: frozenset[int] = self._t.facts.get("refined", frozenset())
        self._set(self._t.facts, "refined", known | {entry for entry, _ in vectors})

    def clear_words(self) -> None:
        for entry in list(self._t.words):
            self._drop(self._t.words, entry)

    def clear_vectors(self, model: str, dimensions: int) -> None:
        for entry in list(self._t.vectors):
            self._drop(self._t.vectors, entry)
        self._set(self._t.facts, "vector_model", (model, dimensions))
        self._set(self._t.facts, "refined", frozenset())

    def erase(self, namespace: str, addresses: Sequence[str]) -> None:
        gone = set(addresses)
        self._erase_traces_of(namespace, gone)
        self._erase_sources_of(namespace, gone)
        self._erase_derived_of(namespace, gone)
        for entry in [e for e in self._t.entries.values() if e.namespace == namespace and e.address in gone]:
            for table in (self._t.entries, self._t.words, self._t.vectors, self._t.uses):
                self._drop(table, entry.id)
            self._drop(self._t.placed, (namespace, entry.project, entry.address))
        for address in gone:
            self._drop(self._t.nodes, (namespace, address))
        for key, row in list(self._t.links.items()):
            if key[0] == namespace and gone.intersection((row.link.source, row.link.target)):
                self._drop(self._t.links, key)
        for key, event in list(self._t.events.items()):
            if key[0] == namespace and any(t.address in gone for t in event.touched):
                kept = (Touched(t.commitment, None, None) if t.address in gone else t for t in event.touched)
                self._set(self._t.events, key, replace(event, touched=tuple(kept)))

    def count_use(self, entries: Sequence[int], used: bool, at: int) -> None:
        for entry in entries:
            if entry not in self._t.entries:
                continue
            known = self._t.uses.get(entry, Use())
            counted = (
                replace(known, used=known.used + 1)
                if used
                else Use(known.recalled + 1, known.used, max(known.recalled_at, at))
            )
            self._set(self._t.uses, entry, counted)

    def measure(self, lines: Sequence[Measurement]) -> None:
        for line in lines:
            self._set(self._t.measurements, self._next("measurement"), line)

    def prune_measurements(self, before: int) -> int:
        old = [key for key, line in self._t.measurements.items() if line.at < before]
        for key in old:
            self._drop(self._t.measurements, key)
        return len(old)
