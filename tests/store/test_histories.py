"""Seeded random histories give the same answers on every store.

The same steps, with the same randomness and the same clock, go to all stores; after them everything that can be read
must agree, now and at random earlier numbers. The stores' own handles differ, so nodes are compared by project and
address. MARROW_TEST_HISTORIES asks for more histories, MARROW_TEST_HISTORY_STEPS for longer ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from marrow.model.change import (
    Copy,
    Merge,
    NameProject,
    Outcome,
    Pin,
    Reinforce,
    Relate,
    Restate,
    RestoreTo,
    Say,
    Supersede,
    TakeSnapshot,
)
from marrow.model.errors import MarrowError
from marrow.model.link import Anchor, Link
from marrow.model.merkle import EMPTY_ROOT
from marrow.model.node import Node, Occurrence, metadata_text
from marrow.model.record import CURRENT, Filter
from marrow.model.standing import Standing
from marrow.store.protocol import Measurement, Reader
from marrow.store.terms import query_terms

from .door import SECOND, START, Door, picture, vector_of, verify
from .stores import STORES

HISTORIES = int(os.environ.get("MARROW_TEST_HISTORIES", "24"))
STEPS = int(os.environ.get("MARROW_TEST_HISTORY_STEPS", "60"))
WORDS = (
    "port database backup night worker queue cache getUserById retry_count schema v3.12 鍵 café deploy rollback".split()
)
PROJECTS = ("p", "q", "")
TAGS = ("db", "net", "Ops", "ä")
RELS = ("relates_to", "depends_on", "blocks", "derived_from", "supersedes", "own_rel")
PATHS = ("src/a.py", "src/b.py", "docs/x.md")

Move = Callable[["History"], Any]


class History:
    """Draws the next step from what the first store knows, and gives it to all of them."""

    def __init__(self, seed: int, doors: list[Door]) -> None:
        self.chance = Random(seed)
        self.doors = doors
        self.namespace = "local"
        self.errors: list[str] = []

    def everyone(self, act: Callable[[Door], Any]) -> None:
        """Do the same on every store: the same outcome, or the same error."""
        results = []
        for door in self.doors:
            try:
                done: Any = act(door)
                results.append([done.seq, done.at, done.root, [_nameless(outcome) for outcome in done.outcomes]])
            except MarrowError as problem:
                results.append([type(problem), problem.code, problem.field, problem.message])
                self.errors.append(problem.code)
        same(results)

    def step(self, *steps: Any, project: str) -> None:
        now = START + self.chance.randrange(-5, 200) * SECOND
        self.everyone(lambda door: door.do(*steps, project=project, namespace=self.namespace, now=now))

    # What there is to choose from

    def known(self) -> list[tuple[str, str, str]]:
        def read(reader: Reader) -> list[tuple[str, str, str]]:
            addresses = reader.addresses(self.namespace, "", None, 1000)
            records = reader.records(self.namespace, addresses, None, CURRENT)
            return sorted((r.project, r.node.address, r.node.content) for r in records)

        found: list[tuple[str, str, str]] = self.doors[0].ask(read)
        return found

    def pick(self) -> tuple[str, str, str]:
        known = self.known()
        return self.chance.choice(known) if known else ("p", "f" * 64, "")

    def text(self) -> str:
        return " ".join(self.chance.choice(WORDS) for _ in range(self.chance.randint(1, 3))) + "."

    def occurrence(self) -> Occurrence:
        c = self.chance
        metadata: dict[str, object] = {"path": c.choice(PATHS)} if c.random() < 0.3 else {}
        if c.random() < 0.3:
            metadata["owner"] = c.choice(("ada", True, 1, None))
        at = START + c.randrange(-50, 50) * SECOND
        return Occurrence(
            at, c.choice(("", "t", "u")), c.choice(("", "ada")), c.choice(("", "api")), metadata=metadata_text(metadata)
        )

    def standing(self) -> Standing:
        c = self.chance
        return Standing(
            domain=c.choice(("context", "tasks")),
            semantic=c.random() < 0.9,
            priority=c.choice((0.1, 0.5, 1)),
            pinned=c.random() < 0.2,
            tags=tuple(sorted(c.sample(TAGS, c.randrange(3)))),
            aliases=("the alias",) if c.random() < 0.1 else (),
            expires_at=START + 60 * SECOND if c.random() < 0.1 else None,
        )

    def anchors(self) -> tuple[Anchor, ...]:
        return tuple(Anchor("file", self.chance.choice(PATHS)) for _ in range(self.chance.randrange(2)))

    def given(self) -> frozenset[str]:
        return frozenset(
            self.chance.sample(("tags", "aliases", "priority", "pinned", "domain"), self.chance.randrange(4))
        )


def _nameless(outcome: Outcome) -> Outcome:
    """Without the store's own handles."""
    return replace(outcome, entry=0, record=outcome.record and replace(outcome.record, entry=0))


def say(h: History) -> None:
    links = ((h.chance.choice(RELS), h.pick()[1]),) if h.chance.random() < 0.15 else ()
    inputs = (h.pick()[1],) if h.chance.random() < 0.15 else ()
    kind = h.chance.choice(("claim", "decision"))
    step = Say(kind, h.text(), h.occurrence(), h.standing(), h.given(), inputs, links, h.anchors())
    h.step(step, project=h.chance.choice(PROJECTS))


def say_many(h: History) -> None:
    steps = [Say("claim", h.text(), h.occurrence(), h.standing(), h.given()) for _ in range(h.chance.randint(2, 6))]
    h.step(*steps, project=h.chance.choice(PROJECTS))


def supersede(h: History) -> None:
    project, address, _ = h.pick()
    text = h.pick()[2] if h.chance.random() < 0.3 else h.text()
    changes = (("priority", 0.7),) if h.chance.random() < 0.3 else ()
    h.step(Supersede(address, text or "x", h.occurrence(), "because", changes), project=project)


def restate(h: History) -> None:
    project, address, _ = h.pick()
    choices = [
        ("tags", ("new", "db")),
        ("pinned", True),
        ("confidence", 0.2),
        ("aliases", ("other name",)),
        ("drift", "moved"),
        ("approved", False),
    ]
    h.step(Restate(address, tuple(h.chance.sample(choices, 2)), "restated"), project=project)


def forget(h: History) -> None:
    project, address, _ = h.pick()
    h.step(Restate(address, (("state", "retracted"),), "forgotten"), project=project)


def reinforce(h: History) -> None:
    project, address, _ = h.pick()
    h.step(Reinforce(address), project=project)


def relate(h: History) -> None:
    project, source, _ = h.pick()
    h.step(Relate(source, h.pick()[1], h.chance.choice(RELS)), project=project)


def pin(h: History) -> None:
    project, address, _ = h.pick()
    h.step(Pin(address, h.anchors(), h.anchors()), project=project)


def unrelate(h: History) -> None:
    links: list[Link] = h.doors[0].ask(lambda r: list(r.all_links(h.namespace, None)))
    if links:
        link = h.chance.choice(links)
        h.step(Relate(link.source, link.target, link.rel, closed=True), project=link.project)


def snapshot(h: History) -> None:
    h.step(TakeSnapshot(f"s{h.chance.randrange(6)}", ("tag",), "note"), project="p")


def restore(h: History) -> None:
    """The root is that of then, unless something was erased since; undone, that of before."""
    events = h.doors[0].ask(lambda r: list(r.events(h.namespace)))
    seq = h.chance.randrange(len(events) + 1)
    h.step(RestoreTo(seq), project="p")
    if events and not any(event.operation == "erase" for event in events[seq:]):
        root = lambda: h.doors[0].ask(lambda r: r.head(h.namespace).root)  # noqa: E731
        assert root() == (events[seq - 1].root if seq else EMPTY_ROOT)
        if h.chance.random() < 0.3:
            h.step(RestoreTo(len(events)), project="p")
            assert root() == events[-1].root


def name(h: History) -> None:
    h.step(NameProject(h.chance.choice(("p", "q", "r")), (f"alias-{h.chance.randrange(4)}",)), project="p")


def erase(h: History) -> None:
    address = h.pick()[1]
    h.everyone(lambda door: door.erase(address, namespace=h.namespace))


def merge(h: History) -> None:
    """A bundle of new nodes and of known ones that stand otherwise there."""
    c = h.chance
    copies, texts = [], [h.text(), h.text(), h.pick()[2] or "y"]
    for text in texts:
        node = Node.make("claim", text)
        standing = replace(
            h.standing(),
            state=c.choice(("active", "active", "retracted", "superseded")),
            generation=c.randint(1, 3),
            changed_at=START + c.randrange(100) * SECOND,
            salt=c.randbytes(8).hex(),
        )
        said = tuple({h.occurrence() for _ in range(c.randint(1, 3))})
        copies.append(
            Copy(c.choice(PROJECTS), node, standing, tuple(sorted(said, key=lambda o: o.identity())), h.anchors())
        )
    ends = [copy.node.address for copy in copies] + [h.pick()[1]]
    links = []
    for _ in range(c.randrange(3)):
        one, two = c.choice(ends), c.choice(ends)
        if one != two:
            links.append(
                Link(
                    one,
                    two,
                    c.choice(RELS[:4]),
                    c.choice(PROJECTS),
                    START + c.randrange(100) * SECOND,
                    c.random() < 0.3,
                )
            )
    h.step(Merge(tuple(copies), tuple(links), (NameProject("q", ("from afar",)),)), project="p")


def count(h: History) -> None:
    """Counters and telemetry, in between."""
    project, address, _ = h.pick()
    at, used = START + h.chance.randrange(100), h.chance.random() < 0.5
    for door in h.doors:
        with door.store.writing() as writer:
            entries = [r.entry for r in writer.records(h.namespace, [address], (project,), CURRENT)]
            writer.count_use(entries, used, at)
            writer.measure([Measurement(at, "recall", 1.0)])


MOVES: dict[Move, int] = {
    say: 10,
    say_many: 3,
    supersede: 5,
    restate: 4,
    forget: 3,
    reinforce: 2,
    relate: 5,
    unrelate: 2,
    pin: 3,
    snapshot: 1,
    restore: 2,
    name: 1,
    erase: 1,
    merge: 3,
    count: 1,
}


def same(answers: list[Any]) -> None:
    for answer in answers[1:]:
        assert apart(answers[0], answer) == []


def apart(one: Any, other: Any, path: str = "") -> list[str]:
    """Where two answers differ, in words: a whole picture is too much to look at."""
    if one == other:
        return []
    if isinstance(one, dict) and isinstance(other, dict):
        keys = sorted({*one, *other}, key=repr)
        return [line for key in keys for line in apart(one.get(key), other.get(key), f"{path} / {key}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [line for n, (a, b) in enumerate(zip(one, other, strict=True)) for line in apart(a, b, f"{path} / {n}")]
    return [f"{path}: {one!r} is not {other!r}"]


def compare(h: History) -> None:
    """Everything that can be read agrees, now and at an earlier number."""
    for door in h.doors:
        verify(door.store)
    same([picture(door.store, apart=True) for door in h.doors])
    last = h.doors[0].ask(lambda r: r.head(h.namespace).seq)
    for seq in {h.chance.randint(0, last) for _ in range(2)}:
        same([picture(door.store, seq) for door in h.doors])
        for wanted in (_filter(h), _filter(h)):
            now = START + h.chance.randrange(100) * SECOND
            same([_chosen(door, h.namespace, wanted, seq, now) for door in h.doors])
            same([_chosen(door, h.namespace, wanted, CURRENT, now) for door in h.doors])
    for moment in (START, START + h.chance.randrange(200) * SECOND):
        same([door.ask(lambda r, at=moment: r.sequence_at(h.namespace, at)) for door in h.doors])
    query = f"{h.text()} {h.chance.choice(WORDS)[:3]}* new alias"
    places = h.chance.choice((None, ("p",), ("q", "")))
    same([sorted(_found(door, h.namespace, query, places)) for door in h.doors])
    same([_near(door, h.namespace, query, places) for door in h.doors])


def _filter(h: History) -> Filter:
    c = h.chance
    choices: dict[str, Any] = {
        "projects": c.choice((None, ("p",), ("q", "r"), ())),
        "kinds": c.choice(((), ("claim",))),
        "domains": c.choice(((), ("tasks",))),
        "tags": tuple(c.sample(TAGS, c.randrange(3))),
        "tags_all": c.random() < 0.5,
        "user": c.choice(("", "ada")),
        "thread": c.choice(("", "t")),
        "metadata": c.choice(((), (("owner", "true"),))),
        "path": c.choice(("", "src", "src/a.py")),
        "since": c.choice((None, START)),
        "until": c.choice((None, START + 20 * SECOND)),
        "pinned": c.choice((None, True, False)),
    }
    asked = c.sample(sorted(choices), 3)
    return Filter(include_superseded=c.random() < 0.5, **{key: choices[key] for key in asked})


def _names(reader: Reader, entries: list[int], seq: int) -> list[tuple[str, str]]:
    return [(r.project, r.node.address) for r in reader.records_of(entries, seq)]


def _chosen(door: Door, space: str, wanted: Filter, seq: int, now: int) -> list[tuple[int, str, str]]:
    """Sorted: records said at the same moment come in the order of the store's own handles."""
    with door.store.reading() as reader:
        entries = reader.select(space, wanted, seq, now)
        times = [r.last_at for r in reader.records_of(entries, seq)]
        assert times == sorted(times, reverse=True)
        return sorted((-at, *name) for at, name in zip(times, _names(reader, entries, seq), strict=True))


def _found(door: Door, space: str, query: str, places: Any) -> list[tuple[str, str]]:
    with door.store.reading() as reader:
        return _names(reader, [e for e, _ in reader.match(space, query_terms(query), places, None, 10_000)], CURRENT)


def _near(door: Door, space: str, query: str, places: Any) -> list[tuple[float, str, str]]:
    with door.store.reading() as reader:
        hits = reader.nearest(space, vector_of(query), places, None, 10_000)
        names = _names(reader, [e for e, _ in hits], CURRENT)
        return sorted((round(-score, 5), *name) for (_, score), name in zip(hits, names, strict=True))


@pytest.mark.parametrize("seed", range(HISTORIES))
def test_every_store_tells_the_same_history(seed: int, tmp_path: Path) -> None:
    doors = []
    for kind, build in sorted(STORES.items()):
        (tmp_path / kind).mkdir()
        doors.append(Door(build(tmp_path / kind), seed=seed))
    history = History(seed, doors)
    moves, weights = list(MOVES), list(MOVES.values())
    for number in range(STEPS):
        history.namespace = "local" if history.chance.random() < 0.85 else "theirs"
        history.chance.choices(moves, weights)[0](history)
        if number % 6 == 5:
            compare(history)
    compare(history)
    assert len(history.errors) < len(doors) * STEPS // 2, "most steps should do something"
    for door in doors:
        door.store.close()
