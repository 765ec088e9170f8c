"""Reading from memory."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...model.event import Event, Head, Snapshot
from ...model.link import Anchor, Link
from ...model.merkle import EMPTY_ROOT
from ...model.node import Occurrence
from ...model.record import CURRENT, FOREVER, Filter, Interval, Project, Record, matches
from ...model.standing import ACTIVE
from ..bm25 import rarity, weight
from ..protocol import Attachment, Measurement, Projects, Use
from .derived import DerivedReader
from .sessions import SessionReader
from .sources import SourceReader
from .tables import LinkRow, Tables

if TYPE_CHECKING:
    from ..matrix import Matrix
    from ..protocol import Vector


class MemoryReader(SessionReader, SourceReader, DerivedReader):
    """Every protocol of `Reader`."""

    def __init__(self, tables: Tables) -> None:
        self._t = tables

    # Nodes

    def addresses(self, namespace: str, prefix: str, projects: Projects, limit: int) -> list[str]:
        found = {
            e.address
            for e in self._t.entries.values()
            if e.namespace == namespace and e.address.startswith(prefix) and (projects is None or e.project in projects)
        }
        return sorted(found)[:limit]

    def records(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Record]:
        places = sorted({e.project for e in self._t.entries.values() if e.namespace == namespace})
        asked = [p for p in places if projects is None or p in projects]
        keys = [(namespace, project, address) for address in addresses for project in asked]
        return self.records_of([self._t.placed[key] for key in keys if key in self._t.placed], seq)

    def placed(self, namespace: str, addresses: Sequence[str]) -> Mapping[str, list[int]]:
        found: dict[str, list[int]] = defaultdict(list)
        asked = frozenset(addresses)
        for (space, _, address), entry in self._t.placed.items():
            if space == namespace and address in asked:
                found[address].append(entry)
        return found

    def records_of(self, entries: Sequence[int], seq: int) -> list[Record]:
        found = []
        for id_ in entries:
            entry = self._t.entries.get(id_)
            held = next((i for i in entry.intervals if i.start <= seq < i.end), None) if entry else None
            if entry and held:
                times = [said.at for number, said in entry.occurrences if number <= seq] or [0]
                node = self._t.nodes[entry.namespace, entry.address]
                found.append(Record(id_, entry.project, node, held.standing, held.start, min(times), max(times)))
        return found

    def texts_of(self, entries: Sequence[int]) -> list[tuple[int, str, str]]:
        known = [self._t.entries[entry] for entry in entries if entry in self._t.entries]
        return [(e.id, e.address, self._t.nodes[e.namespace, e.address].content) for e in known]

    def kinds_of(self, entries: Sequence[int]) -> Mapping[int, str]:
        known = [self._t.entries[entry] for entry in entries if entry in self._t.entries]
        return {e.id: self._t.nodes[e.namespace, e.address].kind for e in known}

    def select(
        self, namespace: str, wanted: Filter, seq: int, now: int, limit: int | None = None, offset: int = 0
    ) -> list[int]:
        entries = [e.id for e in self._t.entries.values() if e.namespace == namespace]
        said, pinned = self.occurrences(entries, seq), self.anchors(entries, seq)
        records = [
            r
            for r in self.records_of(entries, seq)
            if matches(wanted, r, said.get(r.entry, []), pinned.get(r.entry, []), now)
        ]
        records.sort(key=lambda r: (-r.last_at, -r.entry))
        end = None if limit is None else offset + limit
        return [r.entry for r in records[offset:end]]

    def occurrences(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Occurrence]]:
        found = {}
        for id_ in entries:
            if id_ in self._t.entries:
                said = [o for at_seq, o in self._t.entries[id_].occurrences if at_seq <= seq]
                found[id_] = sorted(said, key=lambda o: (o.at, o.identity()))
        return found

    def intervals(self, entry: int) -> list[Interval]:
        return list(self._t.entries[entry].intervals) if entry in self._t.entries else []

    def made_from(self, namespace: str, address: str) -> list[str]:
        return sorted(
            n.address for (space, _), n in self._t.nodes.items() if space == namespace and address in n.inputs
        )

    def neighbours(self, entries: Sequence[int], reach: int) -> Mapping[int, list[tuple[int, int]]]:
        threads: dict[tuple[str, str, str], list[int]] = defaultdict(list)
        for entry in self._t.entries.values():
            for thread in {said.thread for _, said in entry.occurrences if said.thread}:
                threads[entry.namespace, entry.project, thread].append(entry.id)
        found: dict[int, list[tuple[int, int]]] = defaultdict(list)
        for members in threads.values():
            members.sort()
            for at, id_ in enumerate(members):
                if id_ in entries:
                    before = reversed(members[max(0, at - reach) : at])
                    for side, sign in ((before, -1), (members[at + 1 : at + 1 + reach], 1)):
                        found[id_] += [(other, sign * distance) for distance, other in enumerate(side, 1)]
        return found

    # Links

    def links(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Link]:
        asked = set(addresses)
        return [
            row.link
            for _, row in self._link_rows(namespace)
            if (row.link.source in asked or row.link.target in asked)
            and row.start <= seq < row.end
            and (projects is None or row.link.project in projects)
        ]

    def _link_rows(self, namespace: str) -> list[tuple[tuple[str, int], LinkRow]]:
        """In the order in which they were made: a dictionary loses it when a transaction is undone."""
        rows = ((key, row) for key, row in self._t.links.items() if key[0] == namespace)
        return sorted(rows, key=lambda item: item[0])

    def all_links(self, namespace: str, projects: Projects) -> Iterator[Link]:
        latest: dict[tuple[str, str, str, str], Link] = {}
        for _, row in self._link_rows(namespace):
            if projects is None or row.link.project in projects:
                now = row.link if row.end == FOREVER else replace(row.link, at=row.ended_at, closed=True)
                latest[now.source, now.target, now.rel, now.project] = now
        return iter([latest[key] for key in sorted(latest)])

    def anchors(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Anchor]]:
        found = {}
        for id_ in entries:
            if id_ in self._t.entries:
                held = [a for start, end, a in self._t.entries[id_].anchors if start <= seq < end]
                found[id_] = sorted(held, key=lambda a: (a.type, a.target, a.detail))
        return found

    def anchored(self, namespace: str, targets: Sequence[str], projects: Projects, seq: int) -> list[int]:
        wanted = frozenset(targets)
        found = [
            entry.id
            for entry in self._t.entries.values()
            if self._is_in(entry.id, namespace, projects)
            and any(
                start <= seq < end and a.target in wanted and a.type in ("file", "lines", "symbol")
                for start, end, a in entry.anchors
            )
        ]
        return sorted(found, reverse=True)

    # Chain

    def head(self, namespace: str) -> Head:
        return self._t.heads.get(namespace, Head(root=EMPTY_ROOT))

    def events(
        self, namespace: str, after: int = 0, until: int | None = None, limit: int | None = None, latest: bool = False
    ) -> Iterator[Event]:
        last = self.head(namespace).seq
        numbers = range(max(after, 0) + 1, min(last, CURRENT if until is None else until) + 1)
        ordered = list(reversed(numbers) if latest else numbers)[:limit]
        return iter([self._t.events[namespace, seq] for seq in ordered])

    def sequence_at(self, namespace: str, at: int) -> int:
        return max((seq for (space, seq), e in self._t.events.items() if space == namespace and e.at <= at), default=0)

    def snapshots(self, namespace: str) -> list[Snapshot]:
        found = [s for (space, _), s in self._t.snapshots.items() if space == namespace]
        return sorted(found, key=lambda s: (s.seq, s.name))

    def attachments(self, namespace: str) -> Iterator[Attachment]:
        for (space, seq), chain in sorted(self._t.chains.items()):
            if space == namespace:
                yield Attachment(seq, chain[-1].hash, len(chain), chain)

    def leaves(self, namespace: str, seq: int) -> Iterator[tuple[str, bytes]]:
        entries = [e.id for e in self._t.entries.values() if e.namespace == namespace]
        for record in self.records_of(entries, seq):
            if record.standing.state == ACTIVE:
                yield record.node.address, record.standing.leaf(record.node.address, record.project)

    def bucket(self, namespace: str, prefix: str) -> list[bytes]:
        entries = self._t.entries.values()
        return [e.leaf for e in entries if e.leaf and e.namespace == namespace and e.address.startswith(prefix)]

    def children(self, namespace: str, prefix: str) -> bytes | None:
        return self._t.merkle.get((namespace, prefix))

    # Places

    def namespaces(self) -> list[str]:
        return sorted({space for space, _ in self._t.projects} | set(self._t.heads))

    def projects(self, namespace: str) -> list[Project]:
        found = []
        for (space, name), aliases in sorted(self._t.projects.items()):
            if space == namespace:
                entries = [e.id for e in self._t.entries.values() if (e.namespace, e.project) == (namespace, name)]
                records = self.records_of(entries, CURRENT)
                active = sum(r.standing.state == ACTIVE for r in records)
                found.append(Project(name, aliases, active, len(records), max((r.last_at for r in records), default=0)))
        return found

    def project_named(self, namespace: str, name: str) -> str | None:
        if (namespace, name) in self._t.projects:
            return name
        known = ((n, aliases) for (space, n), aliases in self._t.projects.items() if space == namespace)
        return next((n for n, aliases in known if name in aliases), None)

    # Words

    def match(
        self,
        namespace: str,
        terms: Sequence[str],
        projects: Projects,
        within: Iterable[int] | None,
        limit: int,
        among: Collection[int] | None = None,
        also: Collection[int] = (),
    ) -> list[tuple[int, float]]:
        allowed = self._allowed(namespace, projects, within)
        # What is counted is counted in the projects that are asked, whatever became of the nodes.
        texts = self._texts(namespace, projects, among)
        mean = sum(words.total() for words in texts.values()) / max(1, len(texts)) or 1.0
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms):
            holders = {id_: count for id_, words in texts.items() if (count := _frequency(words, term))}
            for id_, count in holders.items():
                if id_ in allowed:  # `among` is in the texts already
                    worth = weight(float(count), float(texts[id_].total()), mean)
                    scores[id_] += rarity(len(texts), len(holders)) * worth
        found = sorted(scores.items(), key=lambda item: (-item[1], item[0]))
        wanted = frozenset(also)
        return found[:limit] + [one for one in found[limit:] if one[0] in wanted]

    def aliased(self, namespace: str, projects: Projects) -> frozenset[int]:
        active = self._allowed(namespace, projects, None)
        return frozenset(id_ for id_ in active if self._t.entries[id_].intervals[-1].standing.aliases)

    def frequencies(
        self, namespace: str, terms: Sequence[str], projects: Projects, among: Collection[int] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        texts = self._texts(namespace, projects, among).values()
        return len(texts), {term: sum(bool(_frequency(words, term)) for words in texts) for term in terms}

    def holding(
        self, namespace: str, terms: Sequence[str], projects: Projects, entries: Sequence[int]
    ) -> Mapping[str, Collection[int]]:
        texts = self._texts(namespace, projects, entries)
        return {term: {id_ for id_, words in texts.items() if _frequency(words, term)} for term in terms}

    def _texts(self, namespace: str, projects: Projects, among: Collection[int] | None) -> dict[int, Counter[str]]:
        texts = {id_: words for id_, words in self._t.words.items() if self._is_in(id_, namespace, projects)}
        if among is None:
            return texts
        chosen = set(among)
        return {id_: words for id_, words in texts.items() if id_ in chosen and words.total()}

    def _is_in(self, id_: int, namespace: str, projects: Projects) -> bool:
        entry = self._t.entries.get(id_)
        return entry is not None and entry.namespace == namespace and (projects is None or entry.project in projects)

    def _allowed(self, namespace: str, projects: Projects, within: Iterable[int] | None) -> set[int]:
        wanted = None if within is None else set(within)
        now = time.time_ns() // 1000
        return {
            e.id
            for e in self._t.entries.values()
            if e.namespace == namespace
            and (projects is None or e.project in projects)
            and (e.id in wanted if wanted is not None else e.intervals[-1].standing.is_active(now))
        }

    # Vectors

    def vector_model(self) -> tuple[str, int] | None:
        found: tuple[str, int] | None = self._t.facts.get("vector_model")
        return found

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
        allowed = self._allowed(namespace, projects, within)
        allowed = allowed if among is None else allowed.intersection(among)
        return self._matrix().nearest(vector, limit, allowed, (), least)

    def similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        return dict(self._matrix().cosines(entries, vector))

    def passage_similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, Sequence[float]]:
        return self._matrix().passage_cosines(entries, vector)

    def vectors_of(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        from ..stored_vectors import from_bytes

        dimensions = (self.vector_model() or ("", 1))[1]
        return {id_: from_bytes(self._t.vectors[id_], dimensions) for id_ in entries if id_ in self._t.vectors}

    def passage_vectors(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        from ..stored_vectors import rows_from

        dimensions = (self.vector_model() or ("", 1))[1]
        quick = self._t.vectors.keys() - self._refined()
        return {id_: rows_from(self._t.vectors[id_], dimensions) for id_ in entries if id_ in quick}

    def refined(self, namespace: str, projects: Projects, besides: int = 0) -> float:
        ours = [e.id for e in self._t.entries.values() if e.namespace == namespace]
        ours = [id_ for id_ in ours if projects is None or self._t.entries[id_].project in projects]
        every = [id_ for id_ in ours if id_ in self._t.vectors]
        count = len(every) - besides
        return min(1.0, len(self._refined().intersection(every)) / count) if count > 0 else 0.0

    def unrefined(self, limit: int, namespace: str = "", projects: Projects = None) -> list[int]:
        entries = self._t.entries
        left = sorted(self._t.vectors.keys() - self._refined())
        if namespace:
            left = [id_ for id_ in left if entries[id_].namespace == namespace]
            left = [id_ for id_ in left if projects is None or entries[id_].project in projects]
        first = (entries[left[0]].namespace, entries[left[0]].project) if left else None
        return [id_ for id_ in left if (entries[id_].namespace, entries[id_].project) == first][:limit]

    def _refined(self) -> frozenset[int]:
        found: frozenset[int] = self._t.facts.get("refined", frozenset())
        return found

    def _matrix(self) -> Matrix:
        from ..matrix import Matrix

        matrix = Matrix((self.vector_model() or ("", 0))[1])
        ordered = sorted(self._t.vectors)
        matrix.extend(ordered, [self._t.vectors[id_] for id_ in ordered])
        return matrix

    # Counters

    def uses(self, entries: Sequence[int]) -> Mapping[int, Use]:
        return {id_: self._t.uses[id_] for id_ in entries if id_ in self._t.uses}

    def measurements(self, since: int, kind: str = "") -> list[Measurement]:
        lines = self._t.measurements.values()
        return sorted((m for m in lines if m.at >= since and kind in ("", m.type)), key=lambda m: m.at)

    def sizes(self) -> Mapping[str, int]:
        t = self._t
        return {
            "nodes": len(t.nodes),
            "entries": len(t.entries),
            "occurrences": sum(len(e.occurrences) for e in t.entries.values()),
            "standings": sum(len(e.intervals) for e in t.entries.values()),
            "links": len(t.links),
            "anchors": sum(len(e.anchors) for e in t.entries.values()),
            "events": len(t.events),
            "snapshots": len(t.snapshots),
            "words": len(t.words),
            "vectors": len(t.vectors),
            "measurements": len(t.measurements),
            "traces": len(t.traces),
            "sessions": len(t.sessions),
            "injections": len(t.injections),
            "sources": len(t.sources),
            "derived": len(t.derived),
            "bytes": 0,
            "log_bytes": 0,
        }


def _frequency(words: Counter[str], term: str) -> int:
    core = term.strip("*")
    if not core:
        return 0
    if term.startswith("*"):
        return sum(count for word, count in words.items() if core in word)
    if term.endswith("*"):
        return sum(count for word, count in words.items() if word.startswith(core))
    return words[core]
