"""What a store can do, as small protocols by capability. Memory, SQLite and PostgreSQL are peers behind them.

A store keeps rows and answers questions about them. It decides nothing: what a save means, what is redacted, what
becomes an event is the write door's business (`receive.py`), and is therefore the same for every store.

Every read takes a sequence number: `CURRENT` for now, an earlier one to see what held then. `projects` None means
every project of the namespace; an empty tuple means none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from ..model.derivation import Derived, DerivedCount
from ..model.event import Event, Head, Snapshot
from ..model.link import Anchor, Link
from ..model.node import Node, Occurrence
from ..model.record import Filter, Interval, Project, Record
from ..model.session import Injection, Session
from ..model.source import Source
from ..model.standing import Standing
from ..model.trace import Trace
from .upkeep import Upkeep

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

Projects = tuple[str, ...] | None
TRACES_LIMIT, SESSIONS_LIMIT, INJECTIONS_LIMIT, DERIVED_LIMIT = 1000, 100, 1000, 1000


@dataclass(frozen=True, slots=True)
class Use:
    """How often a record was recalled and then used. Statistics: outside the chain, the root and `as_of`."""

    recalled: int = 0
    used: int = 0
    recalled_at: int = 0


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of telemetry: what was done, how long it took, how many tokens went in and out."""

    at: int
    type: str
    ms: float
    tokens_in: int = 0
    tokens_out: int = 0
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Attachment:
    """Another memory's chain, kept beside the event `seq` that imported it. `chain` is None when it cannot be read."""

    seq: int
    head: str
    length: int
    chain: tuple[Event, ...] | None


class Nodes(Protocol):
    """Nodes and how they stand."""

    def addresses(self, namespace: str, prefix: str, projects: Projects, limit: int) -> list[str]:
        """The addresses that begin with `prefix` and are placed in one of `projects`, in order."""

    def records(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Record]:
        """These nodes as they stood at `seq`, one record for each project that they were placed in by then."""

    def placed(self, namespace: str, addresses: Sequence[str]) -> Mapping[str, list[int]]:
        """The entries of these nodes, in whichever projects: cheaper than their records."""

    def records_of(self, entries: Sequence[int], seq: int) -> list[Record]:
        """The same by the store's own handles, in the order given; entries that did not exist at `seq` are left out."""

    def texts_of(self, entries: Sequence[int]) -> list[tuple[int, str, str]]:
        """(entry, address, content) of these, in the order given: a record costs more than a comparison needs."""

    def kinds_of(self, entries: Sequence[int]) -> Mapping[int, str]:
        """The kind of each of these that is there: most of what a record costs is its text."""

    def select(
        self, namespace: str, wanted: Filter, seq: int, now: int, limit: int | None = None, offset: int = 0
    ) -> list[int]:
        """The entries that `wanted` asks for, the latest said first."""

    def occurrences(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Occurrence]]:
        """Where and when each was said, earliest first."""

    def intervals(self, entry: int) -> list[Interval]:
        """Every standing that an entry ever had, in order."""

    def made_from(self, namespace: str, address: str) -> list[str]:
        """The nodes that have `address` among their inputs."""

    def neighbours(self, entries: Sequence[int], reach: int) -> Mapping[int, list[tuple[int, int]]]:
        """For each that was said in a thread: (entry, distance) of those said just before it, below 0, and after."""


class Links(Protocol):
    """Links between nodes and anchors into the code."""

    def links(self, namespace: str, addresses: Sequence[str], projects: Projects, seq: int) -> list[Link]:
        """The links that held at `seq` and start or end at one of `addresses`."""

    def all_links(self, namespace: str, projects: Projects) -> Iterator[Link]:
        """Every link as it is now, the closed ones too."""

    def anchors(self, entries: Sequence[int], seq: int) -> Mapping[int, list[Anchor]]: ...

    def anchored(self, namespace: str, targets: Sequence[str], projects: Projects, seq: int) -> list[int]:
        """The entries that are anchored to one of these files or symbols, by its whole name."""


class Chain(Protocol):
    """Events, roots and snapshots of a namespace."""

    def head(self, namespace: str) -> Head: ...

    def events(
        self, namespace: str, after: int = 0, until: int | None = None, limit: int | None = None, latest: bool = False
    ) -> Iterator[Event]:
        """Events with `after` < seq <= `until`, oldest first, or latest first."""

    def sequence_at(self, namespace: str, at: int) -> int:
        """The number of the last event at or before a time; 0 when there was none."""

    def snapshots(self, namespace: str) -> list[Snapshot]: ...

    def attachments(self, namespace: str) -> Iterator[Attachment]:
        """The chains of other memories that came with imports, in order."""

    def leaves(self, namespace: str, seq: int) -> Iterator[tuple[str, bytes]]:
        """(address, leaf) of everything active at `seq`, computed from the standings."""

    def bucket(self, namespace: str, prefix: str) -> list[bytes]:
        """The kept leaves of the active entries whose addresses begin with `prefix`."""

    def children(self, namespace: str, prefix: str) -> bytes | None:
        """What is kept of the children of an inner node of the Merkle tree."""


class Places(Protocol):
    """Namespaces and the projects in them."""

    def namespaces(self) -> list[str]: ...

    def projects(self, namespace: str) -> list[Project]: ...

    def project_named(self, namespace: str, name: str) -> str | None:
        """The project that goes by this name or alias."""


class Words(Protocol):
    """The keyword index. Derived: it can be dropped and built again."""

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
        """(entry, score) of those that contain any of the terms, best first. A term ending in * is a prefix,
        one between two * a part of a word. `within` None: whatever is active now. `among`: as if there were no texts
        but these: no other is found, and none is counted for a score. `also`: those of these that contain any come
        too, wherever they stand."""

    def aliased(self, namespace: str, projects: Projects) -> frozenset[int]:
        """The entries that have aliases and are active now."""

    def frequencies(
        self, namespace: str, terms: Sequence[str], projects: Projects, among: Collection[int] | None = None
    ) -> tuple[int, Mapping[str, int]]:
        """How many texts these projects have, and how many of them have each term. `among`: of these alone."""

    def holding(
        self, namespace: str, terms: Sequence[str], projects: Projects, entries: Sequence[int]
    ) -> Mapping[str, Collection[int]]:
        """Which of these entries have each term. Where the index cannot say, all of them."""


class Vectors(Protocol):
    """The vectors. Derived. Vectors of one model only: `vector_model` says which."""

    def vector_model(self) -> tuple[str, int] | None: ...

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
        """(entry, cosine) of the nearest above `least`, best first: exact, and complete under any filter. `within` and
        `among` are as in `match`. Where neither is given and `least` leaves only what is close (.4), a store may go
        about it in a quicker way that misses one in some hundreds."""

    def similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        """The cosine of each of these entries that has a vector."""

    def passage_similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, Sequence[float]]:
        """The cosine of each passage of these entries, in their order: one for a text that has one vector."""

    def vectors_of(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        """The vectors of these entries, of those that have one."""

    def passage_vectors(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        """The vectors of these entries as they were saved: a row for each passage. Of those that have one, and none of
        which was replaced by a better one."""

    def refined(self, namespace: str, projects: Projects, besides: int = 0) -> float:
        """Which share of these projects' vectors was replaced by better ones of the same space; 0 without any. The last
        so many `besides`, which were saved a moment ago, are not asked for."""

    def unrefined(self, limit: int, namespace: str = "", projects: Projects = None) -> list[int]:
        """The next, of one project and rising, whose vectors could be better: of all, or of these of a namespace."""


class Counters(Protocol):
    """Statistics and telemetry: apart from the chain, lost without harm."""

    def uses(self, entries: Sequence[int]) -> Mapping[int, Use]: ...

    def measurements(self, since: int, kind: str = "") -> list[Measurement]: ...

    def sizes(self) -> Mapping[str, int]:
        """How many rows of each kind there are, derived ones included, and the file's bytes."""


class Sessions(Protocol):
    """What hosts reported and were told: kept for a time, outside chain, root and `as_of`. A project is only a name."""

    def traces(
        self,
        namespace: str,
        *,
        project: str | None = None,
        session: str = "",
        state: str = "",
        after: int = 0,
        limit: int = TRACES_LIMIT,
        latest: bool = False,
    ) -> list[Trace]:
        """In order of arrival, those above `after`: the first, or the `latest`. Empty is not asked, None is any."""

    def trace_counts(self, namespace: str) -> Mapping[str, int]:
        """How many are raw, done and failed."""

    def sessions(
        self,
        namespace: str,
        projects: Projects,
        *,
        open: bool | None = None,  # noqa: A002
        since: int | None = None,
        limit: int = SESSIONS_LIMIT,
    ) -> list[Session]:
        """Those last heard of first; `open` only those that have not ended or only those that have."""

    def session(self, namespace: str, session: str) -> Session | None: ...

    def injections(
        self,
        namespace: str,
        *,
        session: str = "",
        address: str = "",
        since: int | None = None,
        limit: int = INJECTIONS_LIMIT,
    ) -> list[Injection]:
        """The latest first. `address` is a whole one."""

    def inbox_position(self, segment: str) -> int:
        """Up to which byte of a segment everything is in this store; 0 for one that is not known."""


class Sources(Protocol):
    """What was taken in from where. Derived: a cache beside the occurrences, outside the chain and `as_of`."""

    def sources(
        self,
        namespace: str,
        projects: Projects,
        *,
        service: str | None = None,
        path: str | None = None,
        but_service: str | None = None,
    ) -> list[Source]:
        """In order of project, service and path; None asks nothing. `but_service` is left out."""

    def sources_with(self, namespace: str, part: str, projects: Projects) -> list[Source]:
        """Those with this in their path, whatever the case of its letters from A to Z. Cheaper than all of them."""

    def sources_of(self, namespace: str, addresses: Sequence[str], projects: Projects) -> list[Source]:
        """Where these nodes were read from, and still are."""

    def services(self, namespace: str, projects: Projects) -> Mapping[str, int]:
        """The services that active nodes belong to, with how many. What was read from files is of who holds it."""


class Derivations(Protocol):
    """What derivations gave. Derived: outside the chain and `as_of`. A row is seen from the projects in which its input
    is placed, or for which its file was read."""

    def derived(
        self, namespace: str, inputs: Sequence[str], projects: Projects = None, *, names: Sequence[str] = ()
    ) -> list[Derived]:
        """What was derived from these inputs, in order of input and name. No `names` asks for all."""

    def derived_rows(
        self,
        namespace: str,
        projects: Projects = None,
        *,
        names: Sequence[str] = (),
        state: str = "",
        after: tuple[str, str] = ("", ""),
        limit: int = DERIVED_LIMIT,
    ) -> list[Derived]:
        """The same whatever the input, those after this (input, name). What is empty is not asked."""

    def derived_counts(self, namespace: str, projects: Projects = None) -> list[DerivedCount]:
        """How many rows of each name, version and state there are, in this order."""

    def underived(
        self,
        namespace: str,
        name: str,
        version: str,
        kinds: Sequence[str] = (),
        projects: Projects = None,
        *,
        after: int = 0,
        limit: int = DERIVED_LIMIT,
    ) -> list[tuple[int, str]]:
        """(number, address) of the active nodes of these kinds, or of any, of which this is due: there is no row, or
        one of another version, or one that is marked as due. Those with a number above `after`, in this order."""


class Reader(Nodes, Links, Chain, Places, Words, Vectors, Counters, Sessions, Sources, Derivations, Protocol):
    """One consistent view of the store."""


class Writer(Reader, Protocol):
    """Rows go in here, and only the write door calls it. Everything happens when the transaction ends, or nothing."""

    def expect(self, namespace: str, project: str, addresses: Sequence[str]) -> None:
        """A hint and no more: these nodes are about to be placed, so that what is known of them is read at once."""

    def place(self, namespace: str, project: str, node: Node, at: int) -> tuple[int, bool]:
        """Make sure that the node is there and placed in the project: its entry, and whether it is new there."""

    def occur(self, entry: int, said: Occurrence, seq: int) -> bool:
        """Note an occurrence; False when it was known."""

    def stand(self, entry: int, standing: Standing, leaf: bytes, seq: int) -> None:
        """End the interval that is open, if any, and open one with this standing."""

    def keep_leaf(self, entry: int, leaf: bytes) -> None:
        """Keep this leaf with the standing that an entry has now. Derived: a repair, not a change."""

    def link(self, namespace: str, link: Link, seq: int) -> bool:
        """Open or close a link; False when it already stood so."""

    def pin(self, entry: int, anchors: Sequence[Anchor], seq: int, closed: bool = False) -> bool: ...

    def buckets(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, list[bytes]]:
        """What `bucket` gives for each of these; without those that are empty."""

    def inner(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, bytes]:
        """What `children` gives for each of these; without those of which nothing is kept."""

    def grow(self, namespace: str, inner: Mapping[str, bytes]) -> None:
        """Keep the children of these inner nodes of the Merkle tree."""

    def append(self, namespace: str, event: Event) -> None: ...

    def attach(self, namespace: str, seq: int, chain: Sequence[Event]) -> None:
        """Keep another memory's chain beside the event that imported it."""

    def snapshot(self, namespace: str, snapshot: Snapshot) -> None: ...

    def name_project(self, namespace: str, name: str, aliases: Sequence[str]) -> None: ...

    def index_words(self, entry: int, body: str, names: str) -> None:
        """Put an entry into the keyword index, in place of what it had there: terms, with a space between each two."""

    def index_vectors(self, vectors: Sequence[tuple[int, Vector]]) -> None: ...

    def refine(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        """Better vectors in the place of those of the entries that `unrefined` gave, in its order."""

    def clear_words(self) -> None: ...

    def clear_vectors(self, model: str, dimensions: int) -> None:
        """Drop every vector; from now on those of this model are kept."""

    def erase(self, namespace: str, addresses: Sequence[str]) -> None:
        """Remove these nodes from every table and index, and their addresses from the events."""

    def count_use(self, entries: Sequence[int], used: bool, at: int) -> None: ...

    def measure(self, lines: Sequence[Measurement]) -> None: ...

    def prune_measurements(self, before: int) -> int: ...

    def keep_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        """In the place of what was known of the same project, service and path."""

    def drop_sources(self, namespace: str, sources: Sequence[Source]) -> None: ...

    def keep_derived(self, namespace: str, rows: Sequence[Derived]) -> None:
        """In the place of what was known of the same input and name. The door is `receive_derived`."""

    def mark_due(self, namespace: str, inputs: Sequence[str], names: Sequence[str]) -> int:
        """These, where they are done, are due again; how many that were."""

    def drop_derived(self, namespace: str, inputs: Sequence[str], names: Sequence[str] = ()) -> int:
        """Remove what was derived from these inputs, by these names or all; how many rows that were. (`erase` does so
        for its nodes and for the files that they were read from.)"""

    def keep_traces(self, namespace: str, project: str, traces: Sequence[Trace]) -> int:
        """Add those whose id is not known yet, in this order; how many that were. The door is `receive_traces`."""

    def settle_traces(self, namespace: str, numbers: Sequence[int], state: str, error: str = "") -> None:
        """One more attempt was made on these, and this is how it ended. Those that are gone are passed over."""

    def keep_session(self, namespace: str, session: Session) -> None:
        """In the place of what was known of it."""

    def note_injections(self, namespace: str, project: str, injections: Sequence[Injection]) -> None: ...

    def place_inbox(self, segment: str, offset: int) -> None: ...

    def drop_inbox(self, segment: str) -> None: ...

    def prune_traces(self, before_at: int) -> int:
        """Drop the traces of every namespace that are older, in whatever state; how many that were."""

    def prune_sessions(self, before_at: int) -> int:
        """Drop the sessions that were last heard of before, and the injections that are older; how many sessions."""

    def erase_sessions(self, namespace: str, session: str, projects: Projects) -> int:
        """Remove sessions with their traces and injections: one by its name or "" for all, in these projects. How many
        rows that were. (`erase` takes the traces of the sessions in which a node was said, and where it was told.)"""


class Store(Upkeep, Protocol):
    """A place that keeps memories. Safe to use from several threads, and where it is a file from several processes."""

    url: str
    read_only: bool

    def known_as(self, namespace: str, names: Sequence[str]) -> str | None:
        """The project that goes by the first of these names that any goes by. Every opening asks: a store answers
        without what only a reader needs."""

    def reading(self) -> AbstractContextManager[Reader]: ...

    def writing(self) -> AbstractContextManager[Writer]:
        """The one writer. Leaving it normally means durable; an exception leaves nothing behind."""

    def close(self) -> None: ...


def first_known(places: Places, namespace: str, names: Sequence[str]) -> str | None:
    """`known_as`, asked of what reads."""
    known = (places.project_named(namespace, name) for name in names)
    return next((found for found in known if found is not None), None)
