"""Reading from SQLite: named statements in, values out. One reader is one consistent view."""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from ...model.event import Event, Head, Snapshot
from ...model.link import Anchor, Link
from ...model.merkle import EMPTY_ROOT
from ...model.node import Occurrence
from ...model.record import CURRENT, Filter, Interval, Project, Record
from ..chains import unpacked
from ..protocol import Attachment, Measurement, Projects, Use
from .rows import as_json, event_of, interval_of, occurrence_of, queries, record_of, standing_of
from .vectors import VectorCache

if TYPE_CHECKING:
    from ..protocol import Vector

SUBSTRING_TERMS_MAX = 200
ENTRY_BITS = 32


def first_entry(project: int) -> int:
    return project << ENTRY_BITS


def last_entry(project: int) -> int:
    return (project << ENTRY_BITS) + (1 << ENTRY_BITS) - 1


class SqliteReader:
    """Every protocol of `Reader`. Lives as long as its transaction."""

    def __init__(self, connection: apsw.Connection, cache: VectorCache, path: str) -> None:
        self._connection = connection
        self._cache = cache
        self._path = path
        self._sql = queries()
        self._ids: dict[str, dict[str, int]] = {}

    def _run(self, name: str, bindings: Sequence[Any] | Mapping[str, Any] = ()) -> Any:
        """A named statement's cursor. Rows are whatever the statement selects, so they are not typed here."""
        return self._connection.execute(self._sql[name], bindings)

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
        self._cache.renew(self.vector_epoch())
        kept = self._cache.projects.get(namespace, {})
        if not all(name in kept for name in projects):
            kept = self._cache.projects[namespace] = dict(self._project_ids(namespace))
        return sorted(kept[name] for name in projects if name in kept)

    def _spans(self, namespace: str, projects: Projects) -> list[tuple[int, int]]:
        """(first entry, last entry) of these projects; those that lie side by side are searched as one."""
        spans: list[tuple[int, int]] = []
        for project in self._chosen_ids(namespace, projects):
            if spans and spans[-1][1] + 1 == first_entry(project):
                spans[-1] = (spans[-1][0], last_entry(project))
            else:
                spans.append((first_entry(project), last_entry(project)))
        return spans

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

    def records_of(self, entries: Sequence[int], seq: int) -> list[Record]:
        if not entries:
            return []
        bindings = {"entries": as_json(entries), "seq": seq}
        return [record_of(row) for row in self._run("records_of_entries", bindings)]

    def select(
        self, namespace: str, wanted: Filter, seq: int, now: int, limit: int | None = None, offset: int = 0
    ) -> list[int]:
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
        for entry, before, after in self._run("neighbours", {"entries": as_json(entries), "reach": reach}):
            for side in (json.loads(before), json.loads(after)):
                found[entry] += [(other, distance) for distance, other in enumerate(side, 1)]
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
        low = bytes.fromhex(prefix.ljust(64, "0"))
        high = bytes.fromhex(prefix.ljust(64, "f"))
        row = self._run("namespace", (namespace,)).fetchone()
        if row is None:
            return []
        return [leaf for (leaf,) in self._run("bucket", {"namespace": row[0], "low": low, "high": high})]

    def children(self, namespace: str, prefix: str) -> bytes | None:
        row = self._run("namespace", (namespace,)).fetchone()
        if row is None:
            return None
        found: bytes | None = self._run("children", (row[0], prefix)).get
        return found

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

    # Words

    def match(
        self, namespace: str, terms: Sequence[str], projects: Projects, within: Iterable[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        try:
            return self._matched(namespace, self._match_query(terms), projects, within, limit)
        except (apsw.CorruptError, apsw.SQLError):
            # The index is derived: without it the vectors still answer, and `problems` says what to do.
            return []

    def _matched(
        self, namespace: str, query: str, projects: Projects, within: Iterable[int] | None, limit: int
    ) -> list[tuple[int, float]]:
        if not query:
            return []
        found: list[tuple[int, float]] = []
        chosen = None if within is None else as_json(sorted(within))
        for first, last in self._spans(namespace, projects):
            bindings = {"query": query, "first": first, "last": last}
            if chosen is not None:
                found += self._run("match_within", bindings | {"within": chosen, "limit": limit}).fetchall()
            else:
                # Those that are no longer active are few: ask for that many more, and leave them out.
                gone = self._gone(first, last)
                rows = self._run("match", bindings | {"limit": limit + len(gone)})
                found += [row for row in rows if row[0] not in gone]
        found.sort(key=lambda row: (-row[1], row[0]))
        return found[:limit]

    def _match_query(self, terms: Sequence[str]) -> str:
        parts: list[str] = []
        for term in terms:
            core = term.strip("*").replace('"', "")
            if term.startswith("*"):
                parts += [f'"{found}"' for found in self._terms_containing(core)]
            elif core:
                parts.append(f'"{core}"*' if term.endswith("*") else f'"{core}"')
        return " OR ".join(parts)

    def _terms_containing(self, part: str) -> list[str]:
        if not part:
            return []
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab('main', 'words', 'row')"
        )
        escaped = part.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        rows = self._run("terms_containing", {"pattern": f"%{escaped}%", "limit": SUBSTRING_TERMS_MAX})
        return [term for (term,) in rows]

    def _gone(self, first: int, last: int) -> set[int]:
        """The entries in a span that are not active now."""
        gone = {entry for (entry,) in self._run("inactive", (first, last))}
        gone.update(entry for (entry,) in self._run("expired", (self._cache.now(), first, last)))
        return gone

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
    ) -> list[tuple[int, float]]:
        found: list[tuple[int, float]] = []
        chosen = None if within is None else list(within)
        for project in self._chosen_ids(namespace, projects):
            matrix = self._cache.matrix(self, project)
            gone = () if chosen is not None else self._gone(first_entry(project), last_entry(project))
            found += matrix.nearest(vector, limit, chosen, gone, least)
        found.sort(key=lambda row: (-row[1], row[0]))
        return found[:limit]

    def similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        return self._cache.similarities(self, entries, vector)

    def vector_epoch(self) -> str:
        return self.fact("vector_epoch") or "0"

    def fact(self, name: str) -> str | None:
        found: str | None = self._run("fact", (name,)).get
        return found

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
        counted: dict[str, int] = dict(self._run("sizes").fetchall())
        for suffix, name in (("", "bytes"), ("-wal", "log_bytes")):
            file = self._path + suffix
            counted[name] = os.path.getsize(file) if os.path.exists(file) else 0
        return counted

    def unindexed(self) -> tuple[list[int], list[int]]:
        """The entries that the keyword index and the vectors do not have."""
        words = [entry for (entry,) in self._run("unindexed_words")]
        return words, [entry for (entry,) in self._run("unindexed_vectors")]
