"""A store seen through a view answers as one that never had what is hidden: words, vectors, links, counts."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from marrow.access.reading import RestrictedReader
from marrow.access.restricted import Restricted, restrict
from marrow.access.writing import RestrictedWriter
from marrow.memory.engine import Asker, Engine
from marrow.memory.views import view_define
from marrow.model.change import Relate, Say
from marrow.model.derivation import Derived, value_digest
from marrow.model.link import make_anchor
from marrow.model.node import Occurrence, metadata_text
from marrow.model.record import CURRENT, Filter, Record
from marrow.model.session import Injection, Session
from marrow.model.source import CURSOR, NO_ADDRESS, SKIPPED, Source
from marrow.model.standing import Standing
from marrow.providers.embedder import FakeEmbedder
from marrow.store import open_store
from marrow.store.protocol import Reader, Writer

from ..memory.conftest import Clock
from .conftest import PUBLIC, Hand, asker_of

ELSEWHERE = "harbour"


def methods(protocol: type) -> set[str]:
    return {
        name
        for base in protocol.__mro__
        for name, part in vars(base).items()
        if inspect.isfunction(part) and not name.startswith("_")
    }


@pytest.mark.parametrize(("protocol", "made"), [(Reader, RestrictedReader), (Writer, RestrictedWriter)])
def test_every_method_of_the_protocol_is_written_out(protocol: type, made: type) -> None:
    """One that is new must be thought about here: what does it show of what is hidden?"""
    own = {name for base in made.__mro__ if base.__module__.startswith("marrow.access") for name in vars(base)}
    assert methods(protocol) - own == set()
    assert not hasattr(made, "__getattr__")


class Said:
    """What is said in both stores, and what in one alone: a line each."""

    def __init__(self, hands: list[Hand], whole: Hand) -> None:
        self._hands, self._whole = hands, whole
        self.hidden: list[str] = []
        self.seen: list[str] = []

    def both(self, content: str, **about: Any) -> str:
        (address, *_) = [say(hand, content, **about) for hand in self._hands]
        self.seen.append(address)
        return address

    def only(self, content: str, **about: Any) -> str:
        address = say(self._whole, content, **{"classification": "secret", **about})
        for hand in self._hands:
            if hand is not self._whole:
                hand.clock.forward(seconds=1)
        self.hidden.append(address)
        return address


def say(hand: Hand, content: str, **about: Any) -> str:
    """With a service, metadata and links besides what the hand takes."""
    said = Occurrence(
        hand.clock.now,
        thread=about.pop("thread", ""),
        service=about.pop("service", ""),
        metadata=metadata_text(about.pop("metadata", {})),
    )
    kind, inputs, project = about.pop("kind", "claim"), about.pop("inputs", ()), about.pop("project", None)
    anchors = tuple(make_anchor(one) for one in about.pop("anchors", ()))
    links = tuple(about.pop("links", ()))
    standing = Standing(**about)
    step = Say(kind, content, said, standing, frozenset(about), tuple(inputs), links, anchors)
    (address,) = hand.do(step, project=project)
    hand.clock.forward(seconds=1)
    return address


@pytest.fixture(params=("memory", "sqlite"))
def twins(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Hand, Hand, Said]]:
    """A store with something hidden, and one that never had it."""
    hands = []
    for name in ("whole", "small"):
        store = open_store("memory:" if request.param == "memory" else str(tmp_path / f"{name}.db"))
        clock = Clock()
        hands.append(Hand(Engine(store, FakeEmbedder(), clock), asker_of("orchard"), clock))
    view_define(hands[0].engine, hands[0].asker, "team", PUBLIC)
    view_define(hands[1].engine, hands[1].asker, "team", PUBLIC)
    said = Said(hands, hands[0])
    fill(said, hands)
    yield hands[0], hands[1], said
    for hand in hands:
        hand.engine.store.close()


def fill(said: Said, hands: list[Hand]) -> None:
    first = said.both("The gate opens at seven", thread="t", anchors=["src/gate.py"], service="billing")
    said.only("The gate code is 4711 at seven", thread="t", anchors=["src/gate.py"], service="billing")
    said.only("Seven seven seven gates", thread="t", service="payroll", metadata={"path": "pay/a.md"})
    second = said.both("Apples are picked in the orchard before seven", thread="t", tags=("fruit",), aliases=("pome",))
    third = said.both(
        "The barn holds apples and a gate", thread="t", service="billing", metadata={"path": "docs/barn.md"}
    )
    long = said.only("A very long secret text about apples " * 40, aliases=("pome", "hush"), pinned=True)
    said.both("Ladders lean on the barn", kind="decision", domain="decisions", links=(("caused_by", first),))
    said.only("Barn keys lie below the third stone", links=(("relates_to", third),))
    said.both("In the harbour ships wait for apples", project=ELSEWHERE)
    said.only("In the harbour a smuggler waits", project=ELSEWHERE)
    said.both("Summary of the gate and the barn", kind="summary", inputs=(first, third))
    said.only("Summary of the keys", kind="summary", inputs=(first, long))
    for hand in hands:
        hand.do(Relate(second, third, "relates_to"))
        hand.clock.forward(seconds=1)
    hands[0].do(Relate(first, said.hidden[0], "blocks"))
    for hand in hands:
        hand.clock.forward(seconds=1)


def seen(hand: Hand) -> Restricted:
    return restrict(hand.engine.store, hand.asker.namespace, "team")


SPACE = "local"
PLACES = (None, ("orchard",), (ELSEWHERE, ""), ())
TERMS = ["gate", "seven", "apples", "barn", "appl*", "*oor*", "smuggler", "pome"]


def named(reader: Reader, entries: Any) -> list[str]:
    """Entries by their addresses: the same in both stores."""
    texts = {entry: address for entry, address, _ in reader.texts_of(list(entries))}
    return [texts[entry] for entry in entries]


def told(record: Record) -> Record:
    return replace(record, entry=0, since_seq=0, standing=replace(record.standing, salt="", changed_at=0))


def vector(text: str) -> Any:
    return FakeEmbedder().query(text)


ASKED: dict[str, Callable[[Reader], Any]] = {
    "match": lambda r: [
        [(named(r, [e])[0], round(s, 9)) for e, s in r.match(SPACE, TERMS, p, None, 50)] for p in PLACES
    ],
    "match within": lambda r: [
        (named(r, [e])[0], round(s, 9))
        for e, s in r.match(SPACE, ["seven"], None, r.select(SPACE, Filter(tags=("fruit",)), CURRENT, 0), 5)
    ],
    "frequencies": lambda r: [r.frequencies(SPACE, TERMS, p) for p in PLACES],
    "holding": lambda r: {
        term: named(r, sorted(some))
        for term, some in r.holding(SPACE, TERMS, None, r.select(SPACE, Filter(), CURRENT, 0)).items()
    },
    "aliased": lambda r: named(r, sorted(r.aliased(SPACE, None))),
    "nearest": lambda r: [
        [(named(r, [e])[0], round(s, 5)) for e, s in r.nearest(SPACE, vector("gate code"), p, None, 20, -1.0)]
        for p in PLACES
    ],
    "neighbours": lambda r: {
        named(r, [e])[0]: [(named(r, [other])[0], d) for other, d in near]
        for e, near in r.neighbours(r.select(SPACE, Filter(thread="t"), CURRENT, 0), 2).items()
    },
    "addresses": lambda r: [r.addresses(SPACE, digit, p, 3) for digit in ("", *"0123456789abcdef") for p in PLACES],
    "records": lambda r: [
        told(one)
        for one in r.records(SPACE, r.addresses(SPACE, "", None, 100), None, CURRENT)
        if one.node.kind != "view"
    ],
    "select": lambda r: [
        named(r, r.select(SPACE, Filter(projects=p, include_superseded=True), CURRENT, 0, limit, offset))
        for p in PLACES
        for limit, offset in ((None, 0), (2, 0), (2, 3), (50, 1))
    ],
    "select by path": lambda r: named(r, r.select(SPACE, Filter(path="src"), CURRENT, 0)),
    "occurrences": lambda r: {
        named(r, [e])[0]: said for e, said in r.occurrences(r.select(SPACE, Filter(), CURRENT, 0), CURRENT).items()
    },
    "links": lambda r: [
        sorted((x.source, x.rel, x.target) for x in r.links(SPACE, r.addresses(SPACE, "", None, 100), p, CURRENT))
        for p in PLACES
    ],
    "all_links": lambda r: sorted((x.source, x.rel, x.target, x.closed) for x in r.all_links(SPACE, None)),
    "made_from": lambda r: {a: r.made_from(SPACE, a) for a in r.addresses(SPACE, "", None, 100)},
    "anchored": lambda r: named(r, r.anchored(SPACE, ["src/gate.py"], None, CURRENT)),
    "projects": lambda r: [p for p in r.projects(SPACE) if p.name],
    "services": lambda r: [dict(r.services(SPACE, p)) for p in PLACES],
}


@pytest.mark.parametrize("what", ASKED)
def test_what_is_hidden_leaves_no_trace_in(what: str, twins: tuple[Hand, Hand, Said]) -> None:
    whole, small, _ = twins
    with seen(whole).reading() as ours, seen(small).reading() as theirs:
        assert ASKED[what](ours) == ASKED[what](theirs)
    with whole.engine.store.reading() as everything, small.engine.store.reading() as theirs:
        assert ASKED[what](everything) != ASKED[what](theirs), "the question does not tell the two apart"


def test_an_address_that_is_hidden_answers_as_one_that_is_not_there(twins: tuple[Hand, Hand, Said]) -> None:
    whole, _, said = twins
    with whole.engine.store.reading() as reader:
        entries = [entry for some in reader.placed(SPACE, said.hidden).values() for entry in some]
    with seen(whole).reading() as reader:
        assert len(entries) == len(said.hidden)
        assert reader.placed(SPACE, said.hidden) == {}
        assert reader.records(SPACE, said.hidden, None, CURRENT) == []
        assert reader.records_of(entries, CURRENT) == []
        assert reader.texts_of(entries) == []
        assert dict(reader.kinds_of(entries)) == {}
        assert dict(reader.occurrences(entries, CURRENT)) == {}
        assert dict(reader.anchors(entries, CURRENT)) == {}
        assert [reader.intervals(entry) for entry in entries] == [[]] * len(entries)
        assert dict(reader.similarities(entries, vector("gate"))) == {}
        assert dict(reader.passage_similarities(entries, vector("gate"))) == {}
        assert dict(reader.vectors_of(entries)) == {}
        assert dict(reader.passage_vectors(entries)) == {}
        assert dict(reader.uses(entries)) == {}
        assert reader.links(SPACE, said.hidden, None, CURRENT) == []
        assert all(reader.addresses(SPACE, address, None, 10) == [] for address in said.hidden)
        assert all(address not in said.hidden for address, _ in reader.leaves(SPACE, CURRENT))
        assert reader.unrefined(100) == []
        assert reader.bucket(SPACE, "") == []
        assert reader.children(SPACE, "") is None
        assert list(reader.attachments(SPACE)) == []


def test_another_namespace_is_empty(twins: tuple[Hand, Hand, Said]) -> None:
    whole, _, _ = twins
    with restrict(whole.engine.store, SPACE, "team").reading() as reader:
        assert reader.namespaces() == [SPACE]
        assert reader.projects("other") == []
        assert reader.addresses("other", "", None, 10) == []
        assert reader.frequencies("other", ["gate"], None) == (0, {})


def test_events_name_only_what_is_seen_and_the_rest_is_not_told(
    engine: Engine, asker: Asker, hand: Hand, through: Any
) -> None:
    held = through()
    shown = hand.say("seen")
    secret = hand.say("hidden", classification="secret")
    said = Say("claim", "seen later", Occurrence(hand.clock.now))
    quiet = Say("claim", "hidden later", Occurrence(hand.clock.now), Standing(classification="secret"))
    later, hushed = hand.do(said, quiet)
    with engine.store.reading() as reader:
        numbers = {t.address: e.seq for e in reader.events(SPACE) for t in e.touched}
        last = reader.head(SPACE).seq
    with held.store.reading() as reader:
        events = list(reader.events(SPACE))
        assert [t.address for e in events for t in e.touched] == [shown, later]
        mixed = events[-1]
        assert (mixed.seq, mixed.summary, mixed.domain) == (numbers[hushed], mixed.operation, "")
        assert [e.seq for e in reader.events(SPACE, limit=1, latest=True)] == [last]
        assert [e.seq for e in reader.events(SPACE, limit=1)] == [numbers[shown]]
        (alone,) = reader.events(SPACE, after=numbers[secret] - 1, until=numbers[secret])
        assert (alone.actor, alone.operation, alone.summary, alone.touched) == ("", "", "", ())
        assert alone.at > 0


def test_now_decides_also_about_the_past(engine: Engine, hand: Hand, through: Any) -> None:
    held = through()
    closed = hand.say("public once")
    opened = hand.say("secret once", classification="secret")
    then = hand.head()
    hand.restate(closed, classification="secret")
    hand.restate(opened, classification="public")
    with held.store.reading() as reader:
        assert [r.node.address for r in reader.records(SPACE, [closed, opened], None, then)] == [opened]
        assert named(reader, reader.select(SPACE, Filter(), then, 0)) == [opened]


def test_sources_derived_rows_and_what_was_told_follow_their_nodes(engine: Engine, hand: Hand, through: Any) -> None:
    held = through()
    shown, secret = hand.say("seen"), hand.say("hidden", classification="secret")
    file = "ab" * 32
    say(hand, "a recording", classification="secret", kind="meeting", metadata={"digest": file})
    say(hand, "kept for billing", service="billing")
    say(hand, "kept for payroll", service="payroll", classification="secret")
    rows = [
        Source("orchard", "billing", f"{name}.md", "document", node) for name, node in (("a", shown), ("b", secret))
    ]
    rows += [Source("orchard", service, "#at", CURSOR, NO_ADDRESS) for service in ("billing", "payroll")]
    rows += [Source("orchard", "billing", "broken.pdf", SKIPPED, NO_ADDRESS)]
    digest = value_digest("1")
    made = [Derived(i, "summary", "1", value="1", digest=digest, basis=digest) for i in (shown, secret, file)]
    told_ = [Injection("s", "1", hand.clock.now, "prompt", address, 3) for address in (shown, secret)]
    with engine.store.writing() as writer:
        writer.keep_sources(SPACE, rows)
        writer.keep_derived(SPACE, made)
        writer.note_injections(SPACE, "orchard", told_)
        writer.keep_session(
            SPACE, Session("s", "codex", "orchard", title="the hidden thing", detail={"subject": ["x"]})
        )
    with held.store.reading() as reader:
        assert [(s.service, s.path) for s in reader.sources(SPACE, None)] == [("billing", "#at"), ("billing", "a.md")]
        assert [s.path for s in reader.sources_of(SPACE, [shown, secret], None)] == ["a.md"]
        assert dict(reader.services(SPACE, None)) == {"billing": 1}
        assert [row.input for row in reader.derived(SPACE, [shown, secret, file])] == [shown]
        assert [row.input for row in reader.derived_rows(SPACE)] == [shown]
        assert [(c.name, c.count) for c in reader.derived_counts(SPACE)] == [("summary", 1)]
        assert secret not in [address for _, address in reader.underived(SPACE, "topics", "1")]
        assert shown in [address for _, address in reader.underived(SPACE, "topics", "1")]
        assert [one.address for one in reader.injections(SPACE)] == [shown]
        assert reader.injections(SPACE, address=secret) == []
        session = reader.session(SPACE, "s")
        assert session is not None
        assert (session.title, dict(session.detail)) == ("", {})
        assert [one.title for one in reader.sessions(SPACE, None)] == [""]
        assert reader.traces(SPACE) == []
        assert set(reader.trace_counts(SPACE).values()) == {0}


def test_sizes_count_only_what_is_seen(engine: Engine, hand: Hand, through: Any) -> None:
    held = through()
    hand.say("seen")
    hand.say("hidden", classification="secret")
    with held.store.reading() as reader:
        sizes = reader.sizes()
    assert (sizes["nodes"], sizes["entries"], sizes["bytes"]) == (1, 1, len("seen"))
    assert {count for name, count in sizes.items() if name not in ("nodes", "entries", "bytes")} == {0}


def test_of_a_node_that_was_said_in_several_places_only_the_permitted_ones_show(
    engine: Engine, hand: Hand, through: Any
) -> None:
    held = through({"service": ["billing"]})
    address = say(hand, "in three places", service="payroll", metadata={"path": "pay.md"})
    middle = hand.clock.now
    say(hand, "in three places", service="billing", metadata={"path": "bill.md"})
    say(hand, "in three places", service="payroll", thread="t", metadata={"path": "late.md"})
    say(hand, "nowhere here")
    with held.store.reading() as reader:
        (record,) = reader.records_of(reader.select(SPACE, Filter(), CURRENT, 0), CURRENT)
        assert record.node.address == address
        assert (record.first_at, record.last_at) == (middle, middle)
        assert [o.fields["path"] for o in reader.occurrences([record.entry], CURRENT)[record.entry]] == ["bill.md"]
        for hidden in (Filter(service="payroll"), Filter(thread="t"), Filter(since=middle + 1), Filter(path="pay.md")):
            assert reader.select(SPACE, hidden, CURRENT, 0) == []
        assert reader.select(SPACE, Filter(path="bill.md"), CURRENT, 0, 5) == [record.entry]
        assert dict(reader.services(SPACE, None)) == {"billing": 1}
