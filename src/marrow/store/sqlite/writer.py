"""Writing to SQLite. Only the write door uses this, inside its one transaction."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import apsw

from ...model.event import NO_HASH, Event, Snapshot
from ...model.link import Anchor, Link
from ...model.merkle import EMPTY_ROOT
from ...model.node import Node, Occurrence
from ...model.record import FOREVER
from ...model.standing import Standing
from ..chains import packed
from ..protocol import Measurement
from .reader import SqliteReader, first_entry, last_entry
from .rows import SWEEP_DUE, as_json, standing_row, touched_columns

if TYPE_CHECKING:
    from ..protocol import Vector

_ENTRY_TABLES = ("words", "vector", "uses", "anchors", "standings", "occurrences")


class SqliteWriter(SqliteReader):
    """Every protocol of `Writer`."""

    _namespaces: dict[str, int]
    _fresh: dict[int, int]
    _next: dict[int, int]

    def begin(self) -> SqliteWriter:
        """Start with nothing remembered from another transaction."""
        self._namespaces, self._fresh, self._next = {}, {}, {}
        return self

    def finish(self) -> None:
        """What is written once for the whole transaction."""
        for project, number in self._next.items():
            self._run("keep_next_entry", (number, project))

    def _namespace(self, name: str) -> int:
        known = self._namespaces.get(name)
        if known is None:
            row = self._run("namespace", (name,)).fetchone()
            empty = (name, bytes.fromhex(NO_HASH), bytes.fromhex(EMPTY_ROOT))
            known = self._namespaces[name] = row[0] if row else self._run("add_namespace", empty).get
        return known

    def _project(self, namespace: str, name: str) -> int:
        ids = self._project_ids(namespace)
        if name not in ids:
            ids[name] = self._run("add_project", (self._namespace(namespace), name)).get
        return ids[name]

    def place(self, namespace: str, project: str, node: Node, at: int) -> tuple[int, bool]:
        space, place = self._namespace(namespace), self._project(namespace, project)
        address = bytes.fromhex(node.address)
        bindings = {"namespace": space, "address": address, "first": first_entry(place), "last": last_entry(place)}
        found = self._run("node_and_entry", bindings).fetchone()
        if found and found[1] is not None:
            return found[1], False
        if found:
            node_id = found[0]
        else:
            node_id = self._run("add_node", (space, address, node.kind, node.content)).get
            for given in node.inputs:
                self._run("add_input", (node_id, bytes.fromhex(given)))
        if place not in self._next:
            self._next[place] = self._run("next_entry", (place,)).get
        entry = first_entry(place) + self._next[place]
        self._next[place] += 1
        self._run("add_entry", (entry, node_id, at, at))
        self._fresh[entry] = at
        return entry, True

    def occur(self, entry: int, said: Occurrence, seq: int) -> bool:
        before = self._connection.total_changes()
        row = (said.at, said.thread, said.user, said.service, said.source, said.chain, said.metadata)
        self._run("add_occurrence", (entry, said.identity(), seq, *row))
        added = self._connection.total_changes() > before
        if added and self._fresh.get(entry) != said.at:
            self._run("stretch_entry", {"entry": entry, "at": said.at})
        return added

    def stand(self, entry: int, standing: Standing, leaf: bytes, seq: int) -> None:
        if entry in self._fresh:
            del self._fresh[entry]
        else:
            # What was opened by this same event is replaced: an event has one outcome.
            self._run("drop_standing", {"entry": entry, "seq": seq})
            self._run("close_standing", {"entry": entry, "seq": seq})
        self._run("open_standing", standing_row(entry, seq, standing, leaf if standing.state == "active" else None))

    def keep_leaf(self, entry: int, leaf: bytes) -> None:
        self._run("keep_leaf", {"entry": entry, "leaf": leaf})

    def link(self, namespace: str, link: Link, seq: int) -> bool:
        space = self._namespace(namespace)
        source = self._run("node_id", (space, bytes.fromhex(link.source))).get
        target = self._run("node_id", (space, bytes.fromhex(link.target))).get
        if source is None or target is None:
            return False
        project = self._project(namespace, link.project)
        bindings = {"source": source, "rel": link.rel, "target": target, "project": project}
        row = self._run("link_now", bindings).fetchone()
        is_open = row is not None and row[1] == FOREVER
        if is_open != link.closed:
            return False
        if is_open:
            self._run("close_link", {"id": row[0], "seq": seq, "at": link.at})
        elif link.closed:
            return False
        else:
            self._run("open_link", (project, source, target, link.rel, link.at, seq))
        return True

    def pin(self, entry: int, anchors: Sequence[Anchor], seq: int, closed: bool = False) -> bool:
        changed = False
        for anchor in anchors:
            found = self._run("anchor_now", (entry, anchor.type, anchor.target, anchor.detail)).get
            if closed and found is not None:
                self._run("close_anchor", (seq, found))
            elif not closed and found is None:
                self._run("open_anchor", (entry, anchor.type, anchor.target, anchor.detail, seq))
            else:
                continue
            changed = True
        return changed

    def grow(self, namespace: str, prefix: str, children: bytes) -> None:
        self._run("grow", (self._namespace(namespace), prefix, children))

    def append(self, namespace: str, event: Event) -> None:
        space = self._namespace(namespace)
        root, hash_ = bytes.fromhex(event.root), bytes.fromhex(event.hash)
        row = (event.at, event.actor, event.operation, event.layer, event.summary, event.project, event.domain)
        sealed = (*touched_columns(event.touched), bytes.fromhex(event.detail), root, hash_)
        self._run("add_event", (space, event.seq, *row, *sealed))
        self._run("move_head", (event.seq, event.at, hash_, root, space))

    def attach(self, namespace: str, seq: int, chain: Sequence[Event]) -> None:
        head = bytes.fromhex(chain[-1].hash)
        self._run("attach", (self._namespace(namespace), seq, head, len(chain), packed(chain)))

    def snapshot(self, namespace: str, snapshot: Snapshot) -> None:
        row = (snapshot.name, snapshot.seq, bytes.fromhex(snapshot.root), snapshot.at)
        self._run("add_snapshot", (self._namespace(namespace), *row, as_json(snapshot.tags), snapshot.note))

    def name_project(self, namespace: str, name: str, aliases: Sequence[str]) -> None:
        space, project = self._namespace(namespace), self._project(namespace, name)
        for alias in aliases:
            if alias != name:
                self._run("add_alias", (space, alias, project))

    def index_words(self, entry: int, body: Sequence[str], names: Sequence[str]) -> None:
        try:
            if entry not in self._fresh:
                self._run("remove_words", (entry,))
            self._run("add_words", (entry, " ".join(body), " ".join(names)))
        except (apsw.CorruptError, apsw.SQLError):
            # The index is derived: what is said is kept all the same, and `problems` counts it as not indexed.
            return

    def index_vectors(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        from ..matrix import to_bytes

        for entry, vector in vectors:
            self._run("put_vector", (entry, to_bytes(vector)))
        if any(entry not in self._fresh for entry, _ in vectors):
            self.new_epoch()

    def new_epoch(self) -> None:
        """What other processes keep in memory about this file is no longer right."""
        self._run("put_fact", ("vector_epoch", os.urandom(8).hex()))

    def clear_words(self) -> None:
        self._run("clear_words")

    def clear_vectors(self, model: str, dimensions: int) -> None:
        self._run("clear_vectors")
        self._run("put_fact", ("vector_model", json.dumps([model, dimensions])))
        self.new_epoch()

    def erase(self, namespace: str, addresses: Sequence[str]) -> None:
        space = self._namespace(namespace)
        for address in addresses:
            raw = bytes.fromhex(address)
            node = self._run("node_id", (space, raw)).get
            if node is not None:
                for (entry,) in self._run("entries_of_node", (node,)).fetchall():
                    for table in _ENTRY_TABLES:
                        self._run(f"erase_entry_{table}", (entry,))
                    self._run("erase_entry", (entry,))
                self._run("erase_links", {"node": node})
                self._run("erase_inputs", (node,))
                self._run("erase_node", (node,))
            for seq, salts, names in self._run("events_naming", (space, raw)).fetchall():
                self._run("scrub_event", (*_scrubbed(salts, names, raw), space, seq))
        self._run("put_fact", (SWEEP_DUE, "1"))
        self.new_epoch()

    def count_use(self, entries: Sequence[int], used: bool, at: int) -> None:
        for entry in entries:
            bindings = {"entry": entry} if used else {"entry": entry, "at": at}
            self._run("count_used" if used else "count_recalled", bindings)

    def measure(self, lines: Sequence[Measurement]) -> None:
        for line in lines:
            row = (line.at, line.type, line.ms, line.tokens_in, line.tokens_out, line.detail)
            self._run("add_measurement", row)

    def prune_measurements(self, before: int) -> int:
        return len(self._run("prune_measurements", (before,)).fetchall())


def _scrubbed(salts: bytes, addresses: bytes, address: bytes) -> tuple[bytes, bytes]:
    """The two columns of an event with every mention of one address, and its salt, as zeroes."""
    for i in range(len(addresses) // 32):
        if addresses[32 * i : 32 * i + 32] == address:
            salts = salts[: 16 * i] + bytes(16) + salts[16 * i + 16 :]
            addresses = addresses[: 32 * i] + bytes(32) + addresses[32 * i + 32 :]
    return salts, addresses
