"""A store as the tests use it: through the door, with a clock, randomness and an embedder that repeat themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any

from marrow.model.change import Change, Outcome, Receipt, Relate, Restate, Say, Step, Supersede
from marrow.model.link import Anchor, Link
from marrow.model.merkle import BUCKET_DIGITS, prefixes, root_of
from marrow.model.node import Occurrence, metadata_text
from marrow.model.record import CURRENT, Filter, Record
from marrow.model.scope import Principal
from marrow.model.standing import Standing
from marrow.providers.embedder import FakeEmbedder
from marrow.store.chains import broken_at
from marrow.store.protocol import Reader, Store, Writer
from marrow.store.receive import erase, receive
from marrow.store.terms import query_terms

if TYPE_CHECKING:
    from marrow.store.protocol import Vector

SECOND = 1_000_000
START = 1_700_000_000 * SECOND
EMBEDDER = FakeEmbedder(32)
NOBODY = "f" * 64
APART = {"measurements", "traces", "sessions", "injections", "sources", "derived"}


class Door:
    """Says, changes and asks in one line each. Every change is one second after the one before it."""

    def __init__(self, store: Store, *, seed: int = 0, namespace: str = "local", project: str = "p") -> None:
        self.store = store
        self.namespace, self.project = namespace, project
        self.now = START
        self._chance = Random(seed)
        with store.writing() as writer:
            if writer.vector_model() is None:
                writer.clear_vectors(EMBEDDER.model, EMBEDDER.dimensions)

    def entropy(self, count: int) -> bytes:
        return self._chance.randbytes(count)

    def do(
        self,
        *steps: Step,
        project: str | None = None,
        namespace: str | None = None,
        now: int | None = None,
        principal: Principal | None = None,
        also: Callable[[Writer], None] | None = None,
        **change: Any,
    ) -> Receipt:
        """Send steps through the door as one change."""
        space = self.namespace if namespace is None else namespace
        place = self.project if project is None else project
        self.now = self.now + SECOND if now is None else now
        asked = Change(change.pop("operation", "test"), "tester", space, place, steps, **change)
        who = principal or Principal("tester", namespace=space)
        embed = EMBEDDER.documents
        return receive(self.store, asked, who, now=self.now, embed=embed, entropy=self.entropy, also=also)

    def one(self, step: Step, **change: Any) -> Outcome:
        return self.do(step, **change).outcomes[0]

    def say(self, text: str, *, kind: str = "claim", standing: dict[str, Any] | None = None, **more: Any) -> str:
        """Say a text; its address. Standing, thread, metadata and the rest by name."""
        return self.say_so(text, kind=kind, standing=standing, **more).address

    def say_so(
        self,
        text: str,
        *,
        kind: str = "claim",
        standing: dict[str, Any] | None = None,
        at: int | None = None,
        metadata: dict[str, object] | None = None,
        links: Sequence[tuple[str, str]] = (),
        anchors: Sequence[Anchor] = (),
        inputs: Sequence[str] = (),
        project: str | None = None,
        namespace: str | None = None,
        now: int | None = None,
        **said: str,
    ) -> Outcome:
        when = self.now + SECOND if now is None else now
        occurrence = Occurrence(when if at is None else at, metadata=metadata_text(metadata), **said)
        chosen = standing or {}
        step = Say(
            kind,
            text,
            occurrence,
            Standing(**chosen),
            frozenset(chosen),
            tuple(inputs),
            tuple(links),
            tuple(anchors),
        )
        return self.one(step, project=project, namespace=namespace, now=when)

    def supersede(self, old: str, text: str, reason: str = "", /, **changes: Any) -> str:
        said = Occurrence(self.now + SECOND)
        return self.one(Supersede(old, text, said, reason, tuple(changes.items()))).address

    def restate(self, address: str, /, reason: str = "", **changes: Any) -> Outcome:
        return self.one(Restate(address, tuple(changes.items()), reason))

    def forget(self, address: str, project: str | None = None) -> Outcome:
        return self.one(Restate(address, (("state", "retracted"),), "forgotten"), project=project)

    def relate(self, source: str, rel: str, target: str, closed: bool = False) -> Outcome:
        return self.one(Relate(source, target, rel, closed))

    def erase(self, *addresses: str, namespace: str | None = None) -> Receipt:
        space = self.namespace if namespace is None else namespace
        self.now += SECOND
        who = Principal("tester", namespace=space)
        return erase(self.store, who, space, addresses, actor="tester", now=self.now, entropy=self.entropy)

    # Asking

    def ask(self, question: Callable[[Reader], Any]) -> Any:
        with self.store.reading() as reader:
            return question(reader)

    def records(self, *addresses: str, seq: int = CURRENT, projects: tuple[str, ...] | None = None) -> list[Record]:
        found: list[Record] = self.ask(lambda r: r.records(self.namespace, addresses, projects, seq))
        return found

    def record(self, address: str, seq: int = CURRENT, project: str | None = None) -> Record:
        place = self.project if project is None else project
        (found,) = self.records(address, seq=seq, projects=(place,))
        return found

    def standing(self, address: str, seq: int = CURRENT, project: str | None = None) -> Standing:
        return self.record(address, seq, project).standing

    def links(self, *addresses: str, seq: int = CURRENT) -> list[Link]:
        found: list[Link] = self.ask(lambda r: r.links(self.namespace, addresses, None, seq))
        return found

    def lines(self, *addresses: str, seq: int = CURRENT) -> set[tuple[str, str, str]]:
        return {(link.source, link.rel, link.target) for link in self.links(*addresses, seq=seq)}

    def anchors(self, address: str, seq: int = CURRENT) -> list[str]:
        entry = self.record(address, seq).entry
        return [a.target for a in self.ask(lambda r: r.anchors([entry], seq)).get(entry, [])]

    def seq(self) -> int:
        return int(self.ask(lambda r: r.head(self.namespace).seq))

    def root(self) -> str:
        return str(self.ask(lambda r: r.head(self.namespace).root))

    def select(self, *, seq: int = CURRENT, now: int | None = None, **asked: Any) -> list[str]:
        """The contents that a filter chooses, in the store's order."""
        moment = self.now if now is None else now

        def contents(reader: Reader) -> list[str]:
            entries = reader.select(self.namespace, Filter(**asked), seq, moment)
            return [record.node.content for record in reader.records_of(entries, seq)]

        found: list[str] = self.ask(contents)
        return found

    def find(self, query: str, *, within: Sequence[int] | None = None, limit: int = 100, **where: Any) -> list[str]:
        """The contents that the words of a query find, best first."""
        projects = where.get("projects")

        def contents(reader: Reader) -> list[str]:
            terms = query_terms(query)
            hits = reader.match(where.get("namespace", self.namespace), terms, projects, within, limit)
            return [record.node.content for record in reader.records_of([entry for entry, _ in hits], CURRENT)]

        found: list[str] = self.ask(contents)
        return found

    def near(self, text: str, *, within: Sequence[int] | None = None, limit: int = 100, **where: Any) -> list[str]:
        """The contents whose vectors are nearest to a text's."""
        space, projects = where.get("namespace", self.namespace), where.get("projects")

        def contents(reader: Reader) -> list[str]:
            hits = reader.nearest(space, vector_of(text), projects, within, limit)
            return [record.node.content for record in reader.records_of([entry for entry, _ in hits], CURRENT)]

        found: list[str] = self.ask(contents)
        return found


def vector_of(text: str) -> Vector:
    return EMBEDDER.query(text)


def verify(store: Store) -> None:
    """What must hold after every step: the chain verifies, and the kept root is that of the standings."""
    with store.reading() as reader:
        for namespace in reader.namespaces():
            head = reader.head(namespace)
            events = list(reader.events(namespace))
            assert broken_at(events) is None
            assert [e.seq for e in events] == list(range(1, head.seq + 1))
            assert all(one.at <= two.at for one, two in pairwise(events))
            if events:
                assert (events[-1].hash, events[-1].root, events[-1].at) == (head.hash, head.root, head.at)
            assert root_of(reader.leaves(namespace, head.seq)) == head.root
            kept = reader.bucket(namespace, "")
            assert sorted(kept) == sorted(leaf for _, leaf in reader.leaves(namespace, head.seq))


def picture(store: Store, seq: int | None = None, *, apart: bool = False) -> dict[str, Any]:
    """Everything that can be read, without the store's own handles: equal pictures are equal memories.

    With `seq` only what held then. With `apart` also the measurements and what hosts reported.
    """
    with store.reading() as reader:
        shape: dict[str, Any] = {space: _picture_of(reader, space, seq) for space in reader.namespaces()}
        if seq is None:
            sizes = dict(reader.sizes())
            kinds = set(sizes) - {"bytes", "log_bytes"} - (set() if apart else APART)
            shape["sizes"] = {kind: sizes[kind] for kind in sorted(kinds)}
            shape["vector model"] = reader.vector_model()
        if apart:
            shape["measurements"] = reader.measurements(0)
            shape["reported"] = {space: _reported(reader, space) for space in reader.namespaces()}
        return shape


def _picture_of(reader: Reader, space: str, at: int | None) -> dict[str, Any]:
    seq = CURRENT if at is None else at
    addresses = reader.addresses(space, "", None, 1_000_000)
    records = reader.records(space, addresses, None, seq)
    entries = [r.entry for r in records]
    names = {r.entry: (r.project, r.node.address) for r in records}
    said, pinned = reader.occurrences(entries, seq), reader.anchors(entries, seq)
    shape: dict[str, Any] = {
        "records": {names[r.entry]: replace(r, entry=0) for r in records},
        "occurrences": {names[e]: said.get(e, []) for e in entries},
        "anchors": {names[e]: pinned.get(e, []) for e in entries},
        "links": reader.links(space, addresses, None, seq),
        "root": root_of(reader.leaves(space, seq)),
    }
    if at is not None:
        return shape
    near = reader.neighbours(entries, 2)
    return shape | {
        "addresses": addresses,
        "intervals": {names[e]: reader.intervals(e) for e in entries},
        "neighbours": {names[e]: sorted((names[o], d) for o, d in near.get(e, [])) for e in entries},
        "made from": {a: reader.made_from(space, a) for a in addresses},
        "every link": list(reader.all_links(space, None)),
        "head": reader.head(space),
        "events": list(reader.events(space)),
        "snapshots": reader.snapshots(space),
        "projects": reader.projects(space),
        "uses": {names[e]: use for e, use in reader.uses(entries).items()},
        "tree": _tree(reader, space, addresses),
    }


def _reported(reader: Reader, space: str) -> list[Any]:
    """What hosts reported: every trace, session and injection, without the store's own numbers."""
    traces = [replace(trace, number=0) for trace in reader.traces(space, limit=CURRENT)]
    return [traces, reader.sessions(space, None, limit=CURRENT), reader.injections(space, limit=CURRENT)]


def _tree(reader: Reader, space: str, addresses: Sequence[str]) -> str:
    """One hash over the kept Merkle tree: its upper levels, and what is above each of the addresses."""
    upper = [prefix for digits in (0, 1, 2) for prefix in prefixes(digits)]
    deep = {address[:digits] for address in addresses for digits in range(3, BUCKET_DIGITS)}
    return hashlib.sha256(b"|".join(reader.children(space, p) or b"" for p in [*upper, *sorted(deep)])).hexdigest()
