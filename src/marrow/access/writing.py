"""A writer for one who is held to a view. What is hidden can be neither changed nor linked.

A text that is there and hidden is taken as if it were new: the answer is the same. It gains what everybody gives who
says it once more: an occurrence, and a reinforcement. How it is classified, approved, tagged and anchored stays as it
was, or saying it would uncover it. So it cannot be read afterwards, and that tells: who knows a text word for word can
find out that it is hidden. A path that holds something hidden is refused, which tells that too; replacing it would
leave the hidden version standing beside the new one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from ..model.derivation import Derived
from ..model.errors import Forbidden, NotFound
from ..model.event import Event, Snapshot
from ..model.link import Anchor, Link
from ..model.node import VIEW, Node, Occurrence
from ..model.record import CURRENT
from ..model.session import Injection, Session
from ..model.source import Source
from ..model.standing import ACTIVE, Standing, changed_after, reinforced
from ..model.trace import Trace
from ..store.protocol import Measurement, Writer
from .allowed import Allowed
from .reading import RestrictedReader

if TYPE_CHECKING:
    from ..store.protocol import Vector


def refuse(what: str) -> NoReturn:
    raise Forbidden(f"One who is held to a view cannot {what}.", hint="Do it without the setting `view`.", field="view")


class RestrictedWriter(RestrictedReader):
    """Every protocol of `Writer`. It also sees what it has placed itself."""

    def __init__(self, inner: Writer, namespace: str, allowed: Allowed) -> None:
        super().__init__(inner, namespace, allowed)
        self._writer = inner
        self._placed: dict[int, str] = {}
        self._taken: dict[int, Node] = {}

    def _is_seen(self, entry: int) -> bool:
        return entry in self._placed or super()._is_seen(entry)

    def _seen(self, addresses: Collection[str]) -> set[str]:
        own = {*self._placed.values(), *(node.address for node in self._taken.values())}
        return super()._seen(addresses) | own.intersection(addresses)

    def _check(self, entry: int) -> None:
        if not self._is_seen(entry) and entry not in self._taken:
            raise NotFound("Nothing here has that address.", hint="Search for it.", field="address")

    # Nodes

    def expect(self, namespace: str, project: str, addresses: Sequence[str]) -> None:
        self._writer.expect(namespace, project, addresses)

    def place(self, namespace: str, project: str, node: Node, at: int) -> tuple[int, bool]:
        if not self._is_mine(namespace) or node.kind == VIEW:
            refuse("define one" if self._is_mine(namespace) else "write in another namespace")
        entry, is_fresh = self._writer.place(namespace, project, node, at)
        if is_fresh:
            self._placed[entry] = node.address
        elif not self._is_seen(entry):
            self._taken[entry] = node
            return entry, True
        return entry, is_fresh

    def occur(self, entry: int, said: Occurrence, seq: int) -> bool:
        self._check(entry)
        is_new = self._writer.occur(entry, said, seq)
        return is_new or entry in self._taken

    def stand(self, entry: int, standing: Standing, leaf: bytes, seq: int) -> None:
        self._check(entry)
        node = self._taken.get(entry)
        if node is None:
            self._writer.stand(entry, standing, leaf, seq)
            return
        record = self._writer.records_of([entry], CURRENT)[0]
        known, now = record.standing, standing.changed_at
        kept = reinforced(known, now)
        if not known.is_active(now):
            said = {"state": ACTIVE, "generation": known.generation + 1, "expires_at": standing.expires_at}
            at = changed_after(known, now)
            kept = replace(known, **said, changed_at=at, reinforced_at=now)  # type: ignore[arg-type]
            self._bring_back(node.address, record.project, now, seq)
        self._writer.stand(entry, kept, kept.leaf(node.address, record.project), seq)

    def _bring_back(self, address: str, project: str, now: int, seq: int) -> None:
        """What is said again is no longer superseded."""
        for link in self._writer.links(self._namespace, [address], (project,), CURRENT):
            if link.rel == "supersedes" and link.target == address:
                self._writer.link(self._namespace, replace(link, at=now, closed=True), seq)

    def keep_leaf(self, entry: int, leaf: bytes) -> None:
        refuse("mend the tree")

    def link(self, namespace: str, link: Link, seq: int) -> bool:
        if not self._is_mine(namespace) or len(self._seen([link.source, link.target])) < 2:
            return False  # as of what is not there
        return self._writer.link(namespace, link, seq)

    def pin(self, entry: int, anchors: Sequence[Anchor], seq: int, closed: bool = False) -> bool:
        self._check(entry)
        return bool(anchors) if entry in self._taken else self._writer.pin(entry, anchors, seq, closed)

    def erase(self, namespace: str, addresses: Sequence[str]) -> None:
        refuse("erase")

    # Chain: the root and the events are those of everything.

    def buckets(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, list[bytes]]:
        return self._writer.buckets(namespace, prefixes)

    def inner(self, namespace: str, prefixes: Collection[str]) -> Mapping[str, bytes]:
        return self._writer.inner(namespace, prefixes)

    def grow(self, namespace: str, inner: Mapping[str, bytes]) -> None:
        self._writer.grow(namespace, inner)

    def append(self, namespace: str, event: Event) -> None:
        self._writer.append(namespace, event)

    def attach(self, namespace: str, seq: int, chain: Sequence[Event]) -> None:
        self._writer.attach(namespace, seq, chain)

    def snapshot(self, namespace: str, snapshot: Snapshot) -> None:
        self._writer.snapshot(namespace, snapshot)

    def name_project(self, namespace: str, name: str, aliases: Sequence[str]) -> None:
        self._writer.name_project(namespace, name, aliases)

    # Words and vectors

    def index_words(self, entry: int, body: str, names: str) -> None:
        if entry not in self._taken:
            self._check(entry)
            self._writer.index_words(entry, body, names)

    def index_vectors(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        self._writer.index_vectors([(entry, vector) for entry, vector in vectors if self._is_seen(entry)])

    def refine(self, vectors: Sequence[tuple[int, Vector]]) -> None:
        refuse("refine vectors")

    def clear_words(self) -> None:
        refuse("reindex")

    def clear_vectors(self, model: str, dimensions: int) -> None:
        """Only a store that has none yet takes on a model."""
        if self._writer.vector_model() is not None:
            refuse("reindex")
        self._writer.clear_vectors(model, dimensions)

    # Counters

    def count_use(self, entries: Sequence[int], used: bool, at: int) -> None:
        self._writer.count_use(self._of(entries), used, at)

    def measure(self, lines: Sequence[Measurement]) -> None:
        self._writer.measure(lines)

    def prune_measurements(self, before: int) -> int:
        return self._writer.prune_measurements(before)

    # Sources and derivations

    def keep_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        """A path at which something hidden was read is refused: who does not see it cannot put it out of force."""
        if not self._is_mine(namespace):
            return
        if hidden := self._hidden(self._kept_at(sources)):
            raise Forbidden(
                f"What was read from {hidden[0].path!r} before is hidden by the view, so it cannot be replaced here.",
                hint="Run the ingest without the setting `view`.",
                field="view",
            )
        self._writer.keep_sources(namespace, sources)

    def drop_sources(self, namespace: str, sources: Sequence[Source]) -> None:
        if self._is_mine(namespace):
            self._writer.drop_sources(namespace, self._shown_rows(self._kept_at(sources)))

    def _kept_at(self, sources: Sequence[Source]) -> list[Source]:
        """The rows that there are at these paths, whatever a caller says of them."""
        paths: dict[tuple[str, str], set[str]] = {}
        for one in sources:
            paths.setdefault((one.project, one.service), set()).add(one.path)
        found: list[Source] = []
        for (project, service), asked in paths.items():
            # The store looks through the whole service for one path too: so it is asked once.
            some = self._writer.sources(self._namespace, (project,), service=service)
            found += [kept for kept in some if kept.path in asked]
        return found

    def keep_derived(self, namespace: str, rows: Sequence[Derived]) -> None:
        known = set(self._known([row.input for row in rows]))
        self._writer.keep_derived(namespace, [row for row in rows if row.input in known])

    def mark_due(self, namespace: str, inputs: Sequence[str], names: Sequence[str]) -> int:
        return self._writer.mark_due(namespace, self._known(inputs), names)

    def drop_derived(self, namespace: str, inputs: Sequence[str], names: Sequence[str] = ()) -> int:
        return self._writer.drop_derived(namespace, self._known(inputs), names)

    def _known(self, inputs: Sequence[str]) -> list[str]:
        """Without the nodes that are hidden; what is no node is a file."""
        there, seen = self._writer.placed(self._namespace, inputs), self._seen(inputs)
        return [one for one in inputs if one in seen or one not in there]

    # Sessions. What is read here is read to be written again, and never shown.

    def session(self, namespace: str, session: str) -> Session | None:
        return self._writer.session(namespace, session)

    def keep_traces(self, namespace: str, project: str, traces: Sequence[Trace]) -> int:
        return self._writer.keep_traces(namespace, project, traces)

    def settle_traces(self, namespace: str, numbers: Sequence[int], state: str, error: str = "") -> None:
        self._writer.settle_traces(namespace, numbers, state, error)

    def keep_session(self, namespace: str, session: Session) -> None:
        """One whose words were not seen keeps them."""
        known = self._writer.session(namespace, session.session)
        if known is not None:
            title, detail = session.title or known.title, {**known.detail, **session.detail}
            session = replace(session, title=title, detail=detail)
        self._writer.keep_session(namespace, session)

    def note_injections(self, namespace: str, project: str, injections: Sequence[Injection]) -> None:
        self._writer.note_injections(namespace, project, injections)

    def place_inbox(self, segment: str, offset: int) -> None:
        self._writer.place_inbox(segment, offset)

    def drop_inbox(self, segment: str) -> None:
        self._writer.drop_inbox(segment)

    def prune_traces(self, before_at: int) -> int:
        return self._writer.prune_traces(before_at)

    def prune_sessions(self, before_at: int) -> int:
        return self._writer.prune_sessions(before_at)

    def erase_sessions(self, namespace: str, session: str, projects: tuple[str, ...] | None) -> int:
        refuse("erase")
