"""Reading from SQLite: named statements in, values out. One reader is one consistent view."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from ...model.event import Event, Head, Snapshot
from ...model.link import Anchor, Link
from ...model.merkle import EMPTY_ROOT
from ...model.node import Node, Occurrence
from ...model.record import CURRENT, Filter, Interval, Project, Record
from ..chains import unpacked
from ..protocol import Attachment, Measurement, Projects, Use
from .derived import DerivedReader
from .kept_nodes import AT_ONCE_MAX
from .passage_rows import PassageReader
from .refined import RefinedReader
from .rows import (
    as_json,
    bounds_of,
    event_of,
    interval_of,
    leaves_of,
    node_of,
    occurrence_of,
    record_of,
    record_with,
    spans_of,
    standing_of,
)
from .sessions import SessionReader
from .sources import SourceReader
from .statements import queries
from .vectors import VectorCache
from .word_reader import WordReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..matrix import Compared
    from ..protocol import Vector
    from .words import KeptWords, Texts

    Entries = NDArray[np.int64]


class SqliteReader(SessionReader, SourceReader, DerivedReader, RefinedReader, PassageReader, WordReader):
    """Every protocol of `Reader`. Lives as long as its transaction."""

    def __init__(self, connection: apsw.Connection, cache: VectorCache, path: str, *, keeps: bool = True) -> None:
        """`keeps`: what is read stays in memory for others, as nothing can that may still be taken back."""
        self.keeps = keeps
        self._connection = connection
        self._cache = cache
        self._path = path
        self._sql = queries()
        self._ids: dict[str, dict[str, int]] = {}
        self._chosen_kept: dict[tuple[str, Projects], list[int]] = {}
        self._counts: dict[tuple[int, int, str], int] = {}
        self._searched: dict[tuple[int, ...], tuple[Texts, KeptWords | None]] = {}
        self._gone_then: tuple[object, Entries] | None = None
        # What the last question was compared with: of what words find, it is asked too how near it is.
        self._compared: tuple[Vector, Compared] | None = None
        self._facts: dict[str, str | None] = {}
        self._marks: dict[int, int] | None = None
        self._epoch: str | None = None
        self._facts_at = -1

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        """A named statement's cursor. Rows are whatever the statement selects, so they are not typed here."""
        return self._connection.execute(self._sql[name], bindings)

    def _run_each(self, name: str, bindings: Iterable[Sequence[Any]]) -> Any:
        """A named statement with each of these: the rows of all of them."""
        return self._connection.executemany(self._sql[name], bindings)

    def _project_ids(self, namespace: str) -> dict[str, int]:
        known = self._ids.get(namespace)
        if known is None:
            known = self._ids[namespace] = {name: id_ for id_, name in self._run("project_ids", (namespace,))}
        return known

    def _chosen(self, namespace: str, projects: Projects) -> str | None:
        """The rows of these projects as a JSON list, or None for all."""
        if projects is None:
            return None
        return as_json(self._chosen_ids(namespace, projects))

    def _chosen_ids(self, namespace: str, projects: Projects) -> list[int]:
        if projects is None:
            return sorted(self._project_ids(namespace).values())
        self._renew_facts()
        if (known := self._chosen_kept.get((namespace, projects))) is not None:
            return known
        self._cache.renew(self.vector_epoch())
        kept = self._cache.projects.get(namespace, {})
        if not all(name in kept for name in projects):
            kept = self._cache.projects[namespace] = dict(self._project_ids(namespace))
        found = self._chosen_kept[namespace, projects] = sorted(kept[name] for name in projects if name in kept)
        return found

    # Nodes

    def addresses(self, namespace: str, prefix: str, projects: Projects, limit: int) -> list[str]:
        bindings = {
            "namespace": namespace,
            "low": bytes.fromhex(prefix.ljust(64, "0")),
            "high": bytes.fromhex(prefix.ljust(64, "f")),
            "projects": self._chosen(namespace, projects),
            "limit": limit,
        }
        return [address for (address,) in self._run("addresses", bindings)]

    def records(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Record]:
        bindings = {
            "namespace": namespace,
            "addresses": as_json(addresses),
            "projects": self._chosen(namespace, projects),
            "seq": seq,
        }
        return [record_of(row) for row in self._run("records_of_addresses", bindings)]

    def placed(self, namespace: str, addresses: Sequence[str]) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        for address, entry in self._run("placed", {"namespace": namespace, "addresses": as_json(addresses)}):
            found[address].append(entry)
        return found

    def records_of(self, entries: Sequence[int], seq: int) -> list[Record]:
        if not entries:
            return []
        nodes = self._nodes_of(entries)
        rows = {row[0]: row for row in self._run("records_of_entries", {"entries": as_json(entries), "seq": seq})}
        # In a file that is damaged a node may be missing.
        return [record_with(nodes[entry], rows[entry]) for entry in entries if entry in rows and entry in nodes]

    def _nodes_of(self, entries: Sequence[int]) -> Mapping[int, Node]:
        kept = self._cache.nodes(self) if self.keeps and len(entries) <= AT_ONCE_MAX else None
        known = {} if kept is None else kept.of(entries)
        missing = [entry for entry in entries if entry not in known] if known else entries
        if missing:
            read = {entry: node_of(*row) for entry, *row in self._run("nodes_of_entries", (as_json(missing),))}
            if kept is not None:
                kept.keep(read)
            known |= read
        return known

    def texts_of(self, entries: Sequence[int]) -> list[tuple[int, str, str]]:
        rows = self._run_each("text_of_entry", [(entry,) for entry in entries])
        return [(entry, address.hex(), content) for entry, address, content in rows]

    def kinds_of(self, entries: Sequence[int]) -> Mapping[int, str]:
        return dict(self._run("kinds_of_entries", (as_json(entries),)))

    def select(
        self, namespace: str, wanted: Filter, seq: int, now: int, limit: int | None = None, offset: int = 0
    ) -> list[int]:
        if wanted.pinned and seq == CURRENT and not self._is_any_pinned(namespace, wanted.projects):
            return []
        tags = {tag.lower() for tag in wanted.tags}
        said = wanted.service or wanted.user or wanted.thread or wanted.metadata
        bindings = {
            "namespace": namespace,
            "projects": self._chosen(namespace, wanted.projects),
            "seq": seq,
            "now": now,
            "include_superseded": wanted.include_superseded,
            "kinds": as_json(wanted.kinds) if wanted.kinds else None,
            "domains": as_json(wanted.domains) if wanted.domains else None,
            "tags": as_json(sorted(tags)) if tags else None,
            "tags_least": len(tags) if wanted.tags_all else 1,
            "min_confidence": wanted.min_confidence,
            "classification": wanted.classification,
            "pinned": wanted.pinned,
            "approved": wanted.approved,
            "path": wanted.path,
            "folder": wanted.path.rstrip("/") + "/",
            "about_saying": bool(said) or wanted.since is not None or wanted.until is not None,
            "service": wanted.service,
            "user": wanted.user,
            "thread": wanted.thread,
            "since": wanted.since,
            "until": wanted.until,
            "metadata": as_json(wanted.metadata) if wanted.metadata else None,
            "limit": -1 if limit is None else limit,
            "offset": offset,
        }
        return [entry for (entry,) in self._run("select_entries", bindings)]

    def _is_any_pinned(self, namespace: str, projects: Projects) -> bool:
        """Most memories have nothing pinned, and every recall asks."""
        spans = spans_of(self._chosen_ids(namespace, projects))
        return any(self._run("pinned", span).get for span in spans)

    def occurrences(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Occurrence]]:
        found: dict[int, list[Occurrence]] = defaultdict(list)
        for entry, *rest in self._run("occurrences", {"entries": as_json(entries), "seq": seq}):
            found[entry].append(occurrence_of(tuple(rest)))
        return found

    def intervals(self, entry: int) -> list[Interval]:
        return [interval_of(row) for row in self._run("intervals", (entry,))]

    def made_from(self, namespace: str, address: str) -> list[str]:
        return [found for (found,) in self._run("made_from", (namespace, bytes.fromhex(address)))]

    def neighbours(self, entries: Sequence[int], reach: int) -> Mapping[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        # Most are in no thread. To ask that first takes a quarter of the time.
        threaded = [entry for (entry,) in self._run("threaded", (as_json(entries),))]
        bindings = {"entries": as_json(threaded), "reach": reach}
        for entry, before, after in self._run("neighbours", bindings) if threaded else ():
            for side, sign in ((json.loads(before), -1), (json.loads(after), 1)):
                found[entry] += [(other, sign * distance) for distance, other in enumerate(side, 1)]
        return found

    # Links

    def links(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Link]:
        bindings = {
            "namespace": namespace,
            "addresses": as_json(addresses),
            "projects": self._chosen(namespace, projects),
            "seq": seq,
        }
        return [Link(*row[:5]) for row in self._run("links", bindings)]

    def all_links(self, namespace: str, projects: Projects) -> Iterator[Link]:
        bindings = {"namespace": namespace, "projects": self._chosen(namespace, projects)}
        for source, target, rel, project, at, closed in self._run("all_links", bindings):
            yield Link(source, target, rel, project, at, bool(closed))

    def anchors(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Anchor]]:
        found: dict[int, list[Anchor]] = defaultdict(list)
        for entry, *rest in self._run("anchors", {"entries": as_json(entries), "seq": seq}):
            found[entry].append(Anchor(*rest))
        return found

    def anchored(self, namespace: str, targets: Sequence[str], projects: Projects, seq: int) -> list[int]:
        chosen = set(self._chosen_ids(namespace, projects))
        rows = self._run("anchored", {"targets": as_json(targets), "seq": seq})
        return [entry for (entry,) in rows if entry >> 32 in chosen]

    # Chain

    def head(self, namespace: str) -> Head:
        row = self._run("namespace", (namespace,)).fetchone()
        return Head(row[1], row[2], row[3].hex(), row[4].hex()) if row else Head(root=EMPTY_ROOT)

    def events(
        self, namespace: str, after: int = 0, until: int | None = None, limit: int | None = None, latest: bool = False
    ) -> Iterator[Event]:
        bindings = {
            "namespace": namespace,
            "after": after,
            "until": CURRENT if until is None else until,
            "limit": -1 if limit is None else limit,
        }
        for row in self._run("events_latest_first" if latest else "events_oldest_first", bindings):
            yield event_of(row)

    def sequence_at(self, namespace: str, at: int) -> int:
        return int(self._run("sequence_at", (namespace, at)).get)

    def snapshots(self, namespace: str) -> list[Snapshot]:
        rows = self._run("snapshots", (namespace,))
        return [
            Snapshot(name, seq, root, at, tuple(json.loads(tags)), note) for name, seq, root, at, tags, note in rows
        ]

    def attachments(self, namespace: str) -> Iterator[Attachment]:
        for seq, head, length, packed in self._run("attachments", (namespace,)):
            yield Attachment(seq, head.hex(), length, unpacked(packed))

    def leaves(self, namespace: str, seq: int) -> Iterator[tuple[str, bytes]]:
        for address, project, *row in self._run("leaves", {"namespace": namespace, "seq": seq}):
            yield address.hex(), standing_of(row[3:22]).leaf(address.hex(), project)

    def bucket(self, namespace: str, prefix: str) -> list[bytes]:
        row = self._run("namespace", (namespace,)).fetchone()
        if row is None:
            return []
        rows = self._run("buckets", (prefix, row[0], *bounds_of(prefix)))
        return [leaf for _, leaves in rows for leaf in leaves_of(leaves)]

    def children(self, namespace: str, prefix: str) -> bytes | None:
        row = self._run("namespace", (namespace,)).fetchone()
        if row is None:
            return None
        found = self._run("inner", (row[0], prefix)).fetchone()
        return None if found is None else found[1]

    # Places

    def namespaces(self) -> list[str]:
        return [name for (name,) in self._run("namespaces")]

    def projects(self, namespace: str) -> list[Project]:
        rows = self._run("projects", (namespace,))
        return [
            Project(name, tuple(sorted(json.loads(aliases))), active, total, last_at)
            for _, name, aliases, active, total, last_at in rows
        ]

    def project_named(self, namespace: str, name: str) -> str | None:
        found: str | None = self._run("project_named", {"namespace": namespace, "name": name}).get
        return found

    # Vectors

    def vector_model(self) -> tuple[str, int] | None:
        found = self.fact("vector_model")
        if found is None:
            return None
        model, dimensions = json.loads(found)
        return model, dimensions

    def nearest(
        self,
        namespace: str,
        vector: Vector,
        projects: Projects,
        within: Iterable[int] | None,
        limit: int,
        least: float = 0.0,
        among: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        from ..alike import CLOSE, alike
        from ..matrix import compared, shared_ids

        chosen = self._chosen_ids(namespace, projects)
        without = () if within is not None else self._gone(spans_of(chosen))
        asked = shared_ids(within, among)
        if asked is None and least >= CLOSE:
            return alike(self._cache.matrices(self, chosen), vector, limit, without, least)
        found = compared(self._cache.matrices(self, chosen), vector, limit, asked, without)
        self._compared = (vector, found)
        return found.best(limit, least)

    def similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        self._renew_facts()
        if self._compared is None or self._compared[0] is not vector:
            return self._cache.similarities(self, entries, vector)
        compared = self._compared[1]
        found = compared.of(entries)
        if len(found) < len(entries):
            found |= compared.of_others([entry for entry in entries if entry not in found], vector)
        missing = [entry for entry in entries if entry not in found] if len(found) < len(entries) else ()
        return {**found, **self._cache.similarities(self, missing, vector)} if missing else found

    def passage_similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, Sequence[float]]:
        return self._cache.passage_similarities(self, entries, vector)

    def vectors_of(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        from ..stored_vectors import from_bytes

        if self.keeps and (known := self._cache.vectors(self, entries)) is not None:
            return known
        dimensions = (self.vector_model() or ("", 1))[1]
        return {entry: from_bytes(blob, dimensions) for entry, blob in self._run("vectors_of", (as_json(entries),))}

    def vector_epoch(self) -> str:
        """What is kept in memory under another is no longer right. Where another file's content was put in the place of
        this one's, SQLite has counted up the version of its schema, before anybody could write a new epoch."""
        self._renew_facts()
        if self._epoch is None:
            self._epoch = f"{self.fact('vector_epoch') or 0} {self._run('schema_version').get}"
        return self._epoch

    def fact(self, name: str) -> str | None:
        self._renew_facts()
        if name not in self._facts:
            self._facts[name] = self._run("fact", (name,)).get
        return self._facts[name]

    def _renew_facts(self) -> None:
        """A view is of one moment, so a fact is read once; unless this very connection has written since."""
        changes = self._connection.total_changes()
        if changes != self._facts_at:
            self._facts, self._marks, self._epoch, self._facts_at = {}, None, None, changes
            self._counts, self._searched, self._compared, self._chosen_kept = {}, {}, None, {}

    def vectors_between(self, first: int, last: int) -> list[tuple[int, bytes]]:
        rows: list[tuple[int, bytes]] = self._run("vectors_from", (first, last)).fetchall()
        return rows

    # Counters

    def uses(self, entries: Sequence[int]) -> Mapping[int, Use]:
        rows = self._run("uses", {"entries": as_json(entries)})
        return {entry: Use(recalled, used, at) for entry, recalled, used, at in rows}

    def measurements(self, since: int, kind: str = "") -> list[Measurement]:
        return [Measurement(*row) for row in self._run("measurements", {"since": since, "type": kind})]

    def sizes(self) -> Mapping[str, int]:
        counted: dict[str, int] = dict(self._run("sizes").fetchall()) | self._session_sizes() | self._source_sizes()
        counted |= self._derived_sizes()
        for suffix, name in (("", "bytes"), ("-wal", "log_bytes")):
            file = self._path + suffix
            counted[name] = os.path.getsize(file) if os.path.exists(file) else 0
        return counted

    def unindexed(self) -> tuple[list[int], list[int]]:
        """The entries that the keyword index and the vectors do not have."""
        words = [entry for (entry,) in self._run("unindexed_words")]
        return words, [entry for (entry,) in self._run("unindexed_vectors")]
