"""Writing to SQLite. Only the write door uses this, inside its one transaction."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import apsw

from ...model.event import NO_HASH, Event, Head, Snapshot
from ...model.link import Anchor, Link, said_after
from ...model.merkle import EMPTY_ROOT
from ...model.node import Node, Occurrence
from ...model.record import FOREVER
from ...model.standing import Standing
from ..chains import packed
from ..protocol import Measurement
from .derived import DerivedWriter
from .reader import SqliteReader
from .rows import (
    ENTRY_BITS,
    as_json,
    bounds_of,
    first_entry,
    last_entry,
    leaves_of,
    standing_row,
    touched_columns,
)
from .sessions import SessionWriter
from .sources import SourceWriter
from .statements import SWEEP_DUE, TERMS, queries
from .vectors import REFINED, WORDS

if TYPE_CHECKING:
    from ..protocol import Vector

# What is written for a node that is new, in the order in which it is written.
_FIRST_ROWS = ("add_node", "add_input", "add_entry", "add_occurrence", "open_standing", "open_anchor", "put_vector")
# The Merkle tree's inner nodes with so few digits are above nearly every node, and few: they are kept.
KEPT_DIGITS = 2
_ENTRY_TABLES = ("words", "vector", "uses", "anchors", "standings", "occurrences")


@lru_cache(maxsize=1)
def _of_words() -> frozenset[str]:
    """The names of the statements that look into the index of words."""
    return frozenset(name for name, statement in queries().items() if "words" in statement)


class Known:
    """What a connection knows of the file since its last write: numbers, names, where the chains end, whose vectors
    these are. It holds for the next write if nobody has written in between, which SQLite knows: `version` is its count
    of changes that this connection made or has seen."""

    def __init__(self) -> None:
        self.version = -1
        self.namespaces: dict[str, int] = {}
        self.heads: dict[str, Head] = {}
        self.projects: dict[tuple[str, str], int] = {}
        self.next_entries: dict[int, int] = {}
        self.next_node = 0
        self.model: tuple[str, int] | None = None
        self.inner: dict[tuple[str, str], bytes] = {}


class SqliteWriter(SqliteReader, SessionWriter, SourceWriter, DerivedWriter):
    """Every protocol of `Writer`."""

    _known: Known
    _reworded: set[int]
    _nodes: dict[tuple[int, bytes], int]
    _entries: dict[tuple[int, bytes], int | None]
    _fresh: dict[int, int]
    _unsaid: set[int]
    _waiting: dict[str, list[tuple[Any, ...]]]
    _is_waiting: bool
    _words: list[tuple[int, str, str]]

    def begin(self, known: Known | None = None) -> SqliteWriter:
        """Start with nothing remembered from another transaction but what still holds."""
        is_same = known is not None and known.version == self._connection.data_version()
        self._known = known if known is not None and is_same else Known()
        self._nodes, self._entries, self._fresh, self._unsaid = {}, {}, {}, set()
        self._waiting = {name: [] for name in _FIRST_ROWS}
        self._is_waiting, self._reworded = False, set()
        self._words = []
        return self

    def finish(self) -> None:
        self._write()
        self._write_words()

    def known(self) -> Known:
        """What is known once it is committed."""
        self._known.version = self._connection.data_version()
        return self._known

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        if self._is_waiting:
            self._write()
        if self._words and name in _of_words():
            self._write_words()
        return self._connection.execute(self._sql[name], bindings)

    def _run_each(self, name: str, bindings: Iterable[Sequence[Any]]) -> Any:
        if self._is_waiting:
            self._write()
        if self._words and name in _of_words():
            self._write_words()
        return self._connection.executemany(self._sql[name], bindings)

    def _wait(self, name: str, row: tuple[Any, ...]) -> None:
        """The rows of what is new are written together, before anything else is asked or written."""
        self._waiting[name].append(row)
        self._is_waiting = True

    def _write(self) -> None:
        self._is_waiting = False
        for name, rows in self._waiting.items():
            if rows:
                self._waiting[name] = []
                self._connection.executemany(self._sql[name], rows)

    def _write_words(self) -> None:
        """The words wait longest: each statement that may change several rows makes FTS5 write down what it has, and a
        part of its index for each text would cost more than the text."""
        rows, self._words = self._words, []
        if not rows:
            return
        # The index is derived: what is said is kept all the same, and `problems` counts it as not indexed.
        with suppress(apsw.CorruptError, apsw.SQLError):
            self._connection.executemany(self._sql["add_words"], rows)

    def head(self, namespace: str) -> Head:
        known = self._known.heads.get(namespace)
        if known is not None:
            return known
        row = self._run("namespace", (namespace,)).fetchone()
        if row is None:
            return Head(root=EMPTY_ROOT)
        self._known.namespaces[namespace] = row[0]
        found = self._known.heads[namespace] = Head(row[1], row[2], row[3].hex(), row[4].hex())
        return found

    def _namespace(self, name: str) -> int:
        known = self._known.namespaces.get(name)
        if known is None:
            row = self._run("namespace", (name,)).fetchone()
            empty = (name, bytes.fromhex(NO_HASH), bytes.fromhex(EMPTY_ROOT))
            known = self._known.namespaces[name] = row[0] if row else self._run("add_namespace", empty).get
        return known

    def _project(self, namespace: str, name: str) -> int:
        known = self._known.projects.get((namespace, name))
        if known is None:
            row = (self._namespace(namespace), name)
            known = self._run("project", row).get
            if known is None:
                known = self._run("add_project", row).get
                self._ids.pop(namespace, None)
            self._known.projects[namespace, name] = known
        return known

    def expect(self, namespace: str, project: str, addresses: Sequence[str]) -> None:
        space, place = self._namespace(namespace), self._project(namespace, project)
        self._look_up(space, place, [bytes.fromhex(address) for address in addresses])

    def _look_up(self, space: int, place: int, addresses: Sequence[bytes]) -> None:
        """Learn which of these nodes are there, and which of them in this project."""
        first, last = first_entry(place), last_entry(place)
        self._entries.update(((place, address), None) for address in addresses)
        for address, node, entry in self._run_each("node_and_entry", [(first, last, space, a) for a in addresses]):
            self._nodes[space, address], self._entries[place, address] = node, entry

    def place(self, namespace: str, project: str, node: Node, at: int) -> tuple[int, bool]:
        space, place = self._namespace(namespace), self._project(namespace, project)
        address = bytes.fromhex(node.address)
        if (place, address) not in self._entries:
            self._look_up(space, place, [address])
        known = self._entries[place, address]
        if known is not None:
            return known, False
        node_id = self._nodes.get((space, address))
        if node_id is None:
            node_id = self._nodes[space, address] = self._number_node()
            self._wait("add_node", (node_id, space, address, node.kind, node.content))
            for given in node.inputs:
                self._wait("add_input", (node_id, bytes.fromhex(given)))
        number = self._known.next_entries.get(place)
        if number is None:
            number = self._run("next_entry", (place,)).get
        self._known.next_entries[place] = number + 1
        entry: int = first_entry(place) + number
        self._entries[place, address] = entry
        self._wait("add_entry", (entry, node_id, at, at))
        self._fresh[entry] = at
        self._unsaid.add(entry)
        return entry, True

    def _number_node(self) -> int:
        number = self._known.next_node or self._run("next_node").get
        self._known.next_node = number + 1
        return int(number)

    def occur(self, entry: int, said: Occurrence, seq: int) -> bool:
        row = (said.at, said.thread, said.user, said.service, said.source, said.chain, said.metadata)
        if entry in self._unsaid and self._fresh.get(entry) == said.at:
            self._unsaid.remove(entry)
            self._wait("add_occurrence", (entry, said.identity(), seq, *row))
            return True
        self._write()
        before = self._connection.total_changes()
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
        self._wait("open_standing", standing_row(entry, seq, standing, leaf if standing.state == "active" else None))

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
            self._run("close_link", {"id": row[0], "seq": seq, "at": said_after(link, row[2])})
        elif link.closed:
            return False
        else:
            at = link.at if row is None else said_after(link, row[2])
            self._run("open_link", (project, source, target, link.rel, at, seq))
        return True

    def pin(self, entry: int, anchors: Sequence[Anchor], seq: int, closed: bool = False) -> bool:
        if entry in self._fresh and not closed:
            for anchor in dict.fromkeys(anchors):
                self._wait("open_anchor", (entry, anchor.type, anchor.target, anchor.detail, seq))
            return bool(anchors)
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

    def buckets(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, list[bytes]]:
        space, found = self._namespace(namespace), defaultdict[str, list[bytes]](list)
        bounds = ((prefix, space, *bounds_of(prefix)) for prefix in prefixes)
        for prefix, leaves in self._run_each("buckets", bounds):
            found[prefix] += leaves_of(leaves)
        return found

    def inner(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, bytes]:
        space, kept = self._namespace(namespace), self._known.inner
        found = {prefix: kept[namespace, prefix] for prefix in prefixes if (namespace, prefix) in kept}
        asked = [(space, prefix) for prefix in prefixes if prefix not in found]
        return found | dict(self._run_each("inner", asked)) if asked else found

    def grow(self, namespace: str, inner: Mapping[str, bytes]) -> None:
        space, kept = self._namespace(namespace), self._known.inner
        self._run_each("grow", [(space, prefix, children) for prefix, children in inner.items()])
        kept.update(((namespace, prefix), children) for prefix, children in inner.items() if len(prefix) <= KEPT_DIGITS)

    def append(self, namespace: str, event: Event) -> None:
        space = self._namespace(namespace)
        root, hash_ = bytes.fromhex(event.root), bytes.fromhex(event.hash)
        row = (event.at, event.actor, event.operation, event.layer, event.summary, event.project, event.domain)
        sealed = (*touched_columns(event.touched), bytes.fromhex(event.detail), root, hash_)
        self._run("add_event", (space, event.seq, *row, *sealed))
        self._run("move_head", (event.seq, event.at, hash_, root, space))
        self._known.heads[namespace] = Head(event.seq, event.at, event.hash, event.root)

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

    def index_words(self, entry: int, body: str, names: str) -> None:
        is_fresh = entry in self._fresh
        if not is_fresh:
            self._write()
            self._words_changed(entry)
            try:
                self._run("remove_words", (entry,))
            except (apsw.CorruptError, apsw.SQLError):
                return  # As above.
        self._words.append((entry, body, names))
        if not is_fresh:
            self._write_words()

    def index_vectors(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        from ..stored_vectors import to_bytes

        for entry, vector in vectors:
            self._wait("put_vector", (entry, to_bytes(vector)))
        if any(entry not in self._fresh for entry, _ in vectors):
            self.new_epoch()

    def refine(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        from ..stored_vectors import to_bytes

        for entry, vector in vectors:
            self._run("put_vector", (entry, to_bytes(vector)))
        for project in {entry >> 32 for entry, _ in vectors}:
            last = max(entry for entry, _ in vectors if entry >> 32 == project)
            self._run("put_fact", (f"{REFINED}{project}", str(last)))

    def new_epoch(self) -> None:
        """What other processes keep in memory about this file is no longer right."""
        self._run("put_fact", ("vector_epoch", os.urandom(8).hex()))

    def _words_changed(self, entry: int) -> None:
        """What is kept in memory of the words of this project is no longer right."""
        project = entry >> ENTRY_BITS
        if project not in self._reworded:
            self._reworded.add(project)
            self._run("put_fact", (f"{WORDS}{project}", os.urandom(8).hex()))

    def clear_words(self) -> None:
        self._run("clear_words")
        self.new_epoch()

    def note_terms(self, form: str) -> None:
        self._run("put_fact", (TERMS, form))

    def clear_vectors(self, model: str, dimensions: int) -> None:
        self._run("clear_vectors")
        self._run("clear_refined")
        self._run("put_fact", ("vector_model", json.dumps([model, dimensions])))
        self._known.model = None
        self.new_epoch()

    def _settle(self) -> None:
        if self._is_waiting:
            self._write()
        self._write_words()

    def _in_index(self, terms: Sequence[str]) -> list[str]:
        self._write_words()
        return super()._in_index(terms)

    def vector_model(self) -> tuple[str, int] | None:
        if self._known.model is None:
            self._known.model = super().vector_model()
        return self._known.model

    def erase(self, namespace: str, addresses: Sequence[str]) -> None:
        space = self._namespace(namespace)
        self._nodes, self._entries = {}, {}
        for address in addresses:
            raw = bytes.fromhex(address)
            node = self._run("node_id", (space, raw)).get
            if node is not None:
                entries = [entry for (entry,) in self._run("entries_of_node", (node,)).fetchall()]
                self._erase_traces_of(space, raw, entries)
                self._run("erase_sources_of", (space, raw))
                self._erase_derived_of(space, raw, entries)
                for entry in entries:
                    # The number is not given again: what others keep in memory goes by numbers that only rise.
                    self._run("keep_next_entry", {"entry": entry})
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
