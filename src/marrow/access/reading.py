"""A reader that shows what a view permits and no more. What is hidden answers as what is not there.

Every method of the reader's protocol is written out: one that is forgotten is missing, and shows nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ..model.event import Event, Head, Snapshot
from ..model.link import Anchor, Link
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter, Interval, Project, Record, on_path, said_so
from ..store.protocol import Attachment, Measurement, Projects, Reader, Use
from .allowed import Allowed
from .beside import BesideReader

if TYPE_CHECKING:
    from ..store.protocol import Vector

BATCH = 500
REACH_MAX = 256
# What a search of some entries is asked for at first, and how much more each time.
FIRST_PAGE, GROWTH = 64, 4


class RestrictedReader(BesideReader):
    """As the view `allowed` has it. Another namespace than its own is empty."""

    def __init__(self, inner: Reader, namespace: str, allowed: Allowed) -> None:
        self._inner = inner
        self._namespace = namespace
        self._allowed = allowed

    def _is_mine(self, namespace: str) -> bool:
        return namespace == self._namespace

    def _is_seen(self, entry: int) -> bool:
        return entry in self._allowed.entries

    def _of(self, entries: Iterable[int]) -> list[int]:
        return [entry for entry in entries if self._is_seen(entry)]

    def _seen(self, addresses: Collection[str]) -> set[str]:
        return self._allowed.addresses(self._inner, self._namespace, addresses)

    def _shown(self, records: Iterable[Record], seq: int) -> list[Record]:
        """The records that may be seen; with the times of those places alone where they may be seen to be said."""
        found = [record for record in records if self._is_seen(record.entry)]
        if not self._allowed.view.is_about_saying or not found:
            return found
        said = self.occurrences([record.entry for record in found], seq)
        times = {entry: [one.at for one in some] for entry, some in said.items() if some}
        return [
            replace(record, first_at=min(at), last_at=max(at)) for record in found if (at := times.get(record.entry))
        ]

    def unrestricted(self) -> Reader:
        """The reader that sees everything: for what views themselves say."""
        found = self._inner
        while isinstance(found, RestrictedReader):
            found = found._inner
        return found

    def hidden_paths(self, project: str, service: str) -> frozenset[str]:
        """The paths of a service at which something was read that is hidden: nothing can be put in its place."""
        inner = self._inner
        below = inner.hidden_paths(project, service) if isinstance(inner, RestrictedReader) else frozenset[str]()
        rows = inner.sources(self._namespace, (project,), service=service)
        return below | {one.path for one in self._hidden(rows)}

    # Nodes

    def addresses(self, namespace: str, prefix: str, projects: Projects, limit: int) -> list[str]:
        if not self._is_mine(namespace):
            return []
        asked = min(limit, FIRST_PAGE)
        while True:
            some = self._inner.addresses(namespace, prefix, projects, asked)
            found = self._placed_in(some, projects)
            if len(found) >= limit or len(some) < asked:
                return found[:limit]
            asked *= GROWTH

    def _placed_in(self, addresses: Sequence[str], projects: Projects) -> list[str]:
        """Those that are seen in one of these projects."""
        seen = self._seen(addresses)
        if projects is not None:
            for at in range(0, len(addresses), BATCH):
                batch = [address for address in addresses[at : at + BATCH] if address in seen]
                records = self._inner.records(self._namespace, batch, projects, CURRENT)
                there = {record.node.address for record in records if self._is_seen(record.entry)}
                seen -= {address for address in batch if address not in there}
        return [address for address in addresses if address in seen]

    def placed(self, namespace: str, addresses: Sequence[str]) -> Mapping[str, list[int]]:
        if not self._is_mine(namespace):
            return {}
        placed = {address: self._of(some) for address, some in self._inner.placed(namespace, addresses).items()}
        return {address: entries for address, entries in placed.items() if entries}

    def records(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Record]:
        if not self._is_mine(namespace):
            return []
        return self._shown(self._inner.records(namespace, addresses, projects, seq), seq)

    def records_of(self, entries: Sequence[int], seq: int) -> list[Record]:
        return self._shown(self._inner.records_of(self._of(entries), seq), seq)

    def texts_of(self, entries: Sequence[int]) -> list[tuple[int, str, str]]:
        return self._inner.texts_of(self._of(entries))

    def kinds_of(self, entries: Sequence[int]) -> Mapping[int, str]:
        return self._inner.kinds_of(self._of(entries))

    def select(
        self, namespace: str, wanted: Filter, seq: int, now: int, limit: int | None = None, offset: int = 0
    ) -> list[int]:
        if not self._is_mine(namespace):
            return []
        if limit is None:
            found = self._chosen(self._inner.select(namespace, wanted, seq, now), wanted, seq)
            return found[offset:]
        found, start, size = [], 0, max(FIRST_PAGE, 2 * (offset + limit))
        while True:
            some = self._inner.select(namespace, wanted, seq, now, size, start)
            found += self._chosen(some, wanted, seq)
            if len(found) >= offset + limit or len(some) < size:
                return found[offset : offset + limit]
            start, size = start + size, size * GROWTH

    def _chosen(self, entries: Sequence[int], wanted: Filter, seq: int) -> list[int]:
        """Those that are seen; and that a filter chooses by what is seen of them."""
        found = self._of(entries)
        asks = any((wanted.service, wanted.user, wanted.thread, wanted.metadata))
        asks = asks or wanted.since is not None or wanted.until is not None
        if not self._allowed.view.is_about_saying or not (asks or wanted.path):
            return found
        kept: list[int] = []
        for at in range(0, len(found), BATCH):
            batch = found[at : at + BATCH]
            said = self.occurrences(batch, seq)
            pinned = self._inner.anchors(batch, seq) if wanted.path else {}
            for entry in batch:
                places = said.get(entry, ())
                is_there = not wanted.path or on_path(wanted.path, places, pinned.get(entry, ()))
                if is_there and (not asks or any(said_so(wanted, one) for one in places)):
                    kept.append(entry)
        return kept

    def occurrences(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Occurrence]]:
        found = self._inner.occurrences(self._of(entries), seq)
        view = self._allowed.view
        if not view.is_about_saying:
            return found
        return {entry: [one for one in said if view.permits_saying(one)] for entry, said in found.items()}

    def intervals(self, entry: int) -> list[Interval]:
        return self._inner.intervals(entry) if self._is_seen(entry) else []

    def made_from(self, namespace: str, address: str) -> list[str]:
        if not self._is_mine(namespace) or not self._seen([address]):
            return []
        found = self._inner.made_from(namespace, address)
        seen = self._seen(found)
        return [one for one in found if one in seen]

    def neighbours(self, entries: Sequence[int], reach: int) -> Mapping[int, list[tuple[int, int]]]:
        """As if nothing else had been said between them."""
        asked, width = self._of(entries), GROWTH * reach
        while True:
            sides = {entry: list(_sides(near)) for entry, near in self._inner.neighbours(asked, width).items()}
            kept = {entry: [self._of(side) for side in some] for entry, some in sides.items()}
            is_short = any(
                len(side) == width and len(left) < reach
                for entry, some in sides.items()
                for side, left in zip(some, kept[entry], strict=True)
            )
            if not is_short or width >= REACH_MAX:
                return {
                    entry: [
                        (other, distance * sign)
                        for number, side in enumerate(some)
                        for sign in ((-1, 1)[number % 2],)
                        for distance, other in enumerate(side[:reach], 1)
                    ]
                    for entry, some in kept.items()
                }
            width *= GROWTH

    # Links

    def links(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Link]:
        if not self._is_mine(namespace):
            return []
        return list(self._linked(self._inner.links(namespace, addresses, projects, seq)))

    def _linked(self, links: Sequence[Link]) -> Iterator[Link]:
        """Those with both ends to be seen."""
        seen = self._seen([end for link in links for end in (link.source, link.target)])
        return (link for link in links if link.source in seen and link.target in seen)

    def all_links(self, namespace: str, projects: Projects) -> Iterator[Link]:
        return self._linked(list(self._inner.all_links(namespace, projects)) if self._is_mine(namespace) else [])

    def anchors(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Anchor]]:
        return self._inner.anchors(self._of(entries), seq)

    def anchored(self, namespace: str, targets: Sequence[str], projects: Projects, seq: int) -> list[int]:
        return self._of(self._inner.anchored(namespace, targets, projects, seq)) if self._is_mine(namespace) else []

    # Chain. Its numbers, times and hashes are those of the whole: they say that something happened, and not what.

    def head(self, namespace: str) -> Head:
        return self._inner.head(namespace) if self._is_mine(namespace) else Head()

    def events(
        self, namespace: str, after: int = 0, until: int | None = None, limit: int | None = None, latest: bool = False
    ) -> Iterator[Event]:
        """Those that touched something that is seen, without the rest of it; and those that touched nothing, such as
        snapshots. One that is asked for alone is given without all that it says: its time and its root are no secret,
        and `as_of` needs them."""
        if not self._is_mine(namespace):
            return
        is_alone = until is not None and until == after + 1
        left = limit
        for event in self._inner.events(namespace, after, until, None, latest):
            if left is not None and left <= 0:
                return
            shown = self._masked(event)
            if shown is None and is_alone:
                shown = replace(event, actor="", operation="", layer="", summary="", project="", domain="", touched=())
            if shown is not None:
                left = None if left is None else left - 1
                yield shown

    def _masked(self, event: Event) -> Event | None:
        if not event.touched:
            return event
        seen = self._seen([touched.address for touched in event.touched if touched.address])
        kept = tuple(touched for touched in event.touched if touched.address in seen)
        if not kept:
            return None
        if len(kept) == len(event.touched):
            return event
        # What it did in all, and where first, is said of what is hidden too.
        return replace(event, touched=kept, summary=event.operation, domain="")

    def sequence_at(self, namespace: str, at: int) -> int:
        return self._inner.sequence_at(namespace, at) if self._is_mine(namespace) else 0

    def snapshots(self, namespace: str) -> list[Snapshot]:
        """What somebody wrote to a snapshot may be about anything: no view can judge it. The name is asked for."""
        found = self._inner.snapshots(namespace) if self._is_mine(namespace) else []
        return [replace(snapshot, tags=(), note="") for snapshot in found]

    def attachments(self, namespace: str) -> Iterator[Attachment]:
        """The events of other memories do not name their nodes, so that nobody can say which of them may be seen."""
        return iter(())

    def leaves(self, namespace: str, seq: int) -> Iterator[tuple[str, bytes]]:
        if not self._is_mine(namespace):
            return
        for address, leaf in self._inner.leaves(namespace, seq):
            if self._seen([address]):
                yield address, leaf

    def bucket(self, namespace: str, prefix: str) -> list[bytes]:
        """The tree is that of everything: nothing of it is shown."""
        return []

    def children(self, namespace: str, prefix: str) -> bytes | None:
        return None

    # Places. Which projects one may see is no matter of views but of rights: here they are only counted anew.

    def namespaces(self) -> list[str]:
        return [name for name in self._inner.namespaces() if self._is_mine(name)]

    def projects(self, namespace: str) -> list[Project]:
        if not self._is_mine(namespace):
            return []
        return [self._counted(project) for project in self._inner.projects(namespace)]

    def _counted(self, project: Project) -> Project:
        key = ("project", project.name, project.total, project.active)
        if key not in self._allowed.counted:
            place = Filter(projects=(project.name,), include_superseded=True)
            every = self.select(self._namespace, place, CURRENT, 0)
            active = self.select(self._namespace, replace(place, include_superseded=False), CURRENT, 0)
            latest = self.records_of(every[:1], CURRENT)
            self._allowed.counted[key] = (len(active), len(every), latest[0].last_at if latest else 0)
        active_count, total, last_at = self._allowed.counted[key]
        return replace(project, active=active_count, total=total, last_at=last_at)

    def project_named(self, namespace: str, name: str) -> str | None:
        return self._inner.project_named(namespace, name) if self._is_mine(namespace) else None

    # Words and vectors: as if there were no other texts, so that no score tells of one.

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
        if not self._is_mine(namespace):
            return []
        return self._inner.match(namespace, terms, projects, within, limit, self._among(among), also)

    def _among(self, entries: Collection[int] | None) -> Collection[int]:
        found: Collection[int] = self._allowed.ids if entries is None else self._of(entries)
        return found

    def aliased(self, namespace: str, projects: Projects) -> frozenset[int]:
        return (
            frozenset(self._of(self._inner.aliased(namespace, projects))) if self._is_mine(namespace) else frozenset()
        )

    def frequencies(
        self, namespace: str, terms: Sequence[str], projects: Projects, among: Collection[int] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        if not self._is_mine(namespace):
            return 0, {}
        return self._inner.frequencies(namespace, terms, projects, self._among(among))

    def holding(
        self, namespace: str, terms: Sequence[str], projects: Projects, entries: Sequence[int]
    ) -> Mapping[str, Collection[int]]:
        seen = sorted(set(self._among(entries))) if self._is_mine(namespace) else []
        return self._inner.holding(namespace, terms, projects, seen)

    def vector_model(self) -> tuple[str, int] | None:
        return self._inner.vector_model()

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
        if not self._is_mine(namespace):
            return []
        return self._inner.nearest(namespace, vector, projects, within, limit, least, self._among(among))

    def similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        return self._inner.similarities(self._of(entries), vector)

    def passage_similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, Sequence[float]]:
        return self._inner.passage_similarities(self._of(entries), vector)

    def vectors_of(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        return self._inner.vectors_of(self._of(entries))

    def passage_vectors(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        return self._inner.passage_vectors(self._of(entries))

    def refined(self, namespace: str, projects: Projects, besides: int = 0) -> float:
        """A share that says which embedder to ask with, and nothing of any text."""
        return self._inner.refined(namespace, projects, besides) if self._is_mine(namespace) else 0.0

    def unrefined(self, limit: int, namespace: str = "", projects: Projects = None) -> list[int]:
        """What is done in the background is done for all, and never through a view."""
        return []

    # Counters

    def uses(self, entries: Sequence[int]) -> Mapping[int, Use]:
        return self._inner.uses(self._of(entries))

    def measurements(self, since: int, kind: str = "") -> list[Measurement]:
        """Operations, times and costs: no text and no address is in them."""
        return self._inner.measurements(since, kind)

    def sizes(self) -> Mapping[str, int]:
        """What can be counted of what is seen, and the bytes of those texts; everything else is 0."""
        nothing = dict.fromkeys(self._inner.sizes(), 0)
        if "sizes" not in self._allowed.counted:
            texts = self._inner.texts_of(sorted(self._allowed.entries))
            nodes = {address: len(content.encode()) for _, address, content in texts}
            self._allowed.counted["sizes"] = {"nodes": len(nodes), "bytes": sum(nodes.values())}
        found: dict[str, int] = self._allowed.counted["sizes"]
        return {**nothing, **found, "entries": len(self._allowed.entries)}


def _sides(near: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """The others before and after, for each thread in turn. A side begins anew with its nearest."""
    sides: list[tuple[int, list[int]]] = []
    for other, distance in near:
        if abs(distance) == 1:
            sides.append((distance, []))
        sides[-1][1].append(other)
    for sign, side in sides:
        # Before comes first in every pair; where one of them is empty, it is still there.
        yield from ([side, []] if sign < 0 else [[], side])
