"""Merging what another memory knows: idempotent, and the same in either order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from marrow.model.change import Copy, Merge, NameProject, RestoreTo
from marrow.model.errors import Conflict, Invalid, TooLarge
from marrow.model.link import Anchor, Link
from marrow.model.node import Node, Occurrence
from marrow.model.record import CURRENT, Filter, Record
from marrow.model.standing import Standing
from marrow.store.protocol import Reader

from ..door import START, Door, picture
from ..stores import STORES

A, B, C = "The port is 5432.", "The port is 5433.", "Backups run at night."


def bundle(door: Door, *addresses: str, anchors: tuple[Anchor, ...] = ()) -> tuple[Copy, ...]:
    """Copies of some nodes as they stand here."""
    return door.ask(lambda r: tuple(_copies(r, door.namespace, addresses, anchors)))  # type: ignore[no-any-return]


def everything(door: Door) -> Merge:
    def read(reader: Reader) -> Merge:
        addresses = reader.addresses(door.namespace, "", None, 10_000)
        copies = tuple(_copies(reader, door.namespace, addresses, ()))
        links = tuple(reader.all_links(door.namespace, None))
        projects = tuple(NameProject(p.name, p.aliases) for p in reader.projects(door.namespace))
        return Merge(copies, links, projects, tuple(reader.events(door.namespace)))

    found: Merge = door.ask(read)
    return found


def _copies(reader: Reader, space: str, addresses: object, more: tuple[Anchor, ...]) -> list[Copy]:
    records = reader.records(space, list(addresses), None, CURRENT)  # type: ignore[call-overload]
    entries = [r.entry for r in records]
    said, pins = reader.occurrences(entries, CURRENT), reader.anchors(entries, CURRENT)
    return [
        Copy(r.project, r.node, r.standing, tuple(said.get(r.entry, ())), (*pins.get(r.entry, ()), *more))
        for r in records
    ]


def active_here(door: Door) -> list[Record]:
    with door.store.reading() as reader:
        return reader.records_of(reader.select("local", Filter(projects=("p",)), CURRENT, door.now), CURRENT)


def knowledge(door: Door) -> dict[str, object]:
    """What two memories must agree on after they have exchanged all they know."""
    shape = picture(door.store)[door.namespace]
    lines = {(x.source, x.rel, x.target, x.project) for x in shape["links"]}
    spans = {name: (r.first_at, r.last_at, r.standing) for name, r in shape["records"].items()}
    return {
        "root": shape["root"],
        "occurrences": shape["occurrences"],
        "anchors": shape["anchors"],
        "lines": lines,
        "spans": spans,
    }


@pytest.fixture
def pair(door: Door, request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Door, Door]:
    kind = "sqlite" if "sqlite" in request.node.name else "memory"
    folder = tmp_path / "other"
    folder.mkdir()
    return door, Door(STORES[kind](folder), seed=7)


def test_merging_into_an_empty_memory_gives_the_same_root(pair: tuple[Door, Door]) -> None:
    here, there = pair
    a = here.say(A, thread="t", anchors=(Anchor("file", "db.toml"),))
    here.say(A, at=START - 50)
    b = here.supersede(a, B)
    here.say(C, project="q", metadata={"owner": "ada"})
    here.relate(b, "relates_to", a)
    there.do(everything(here))
    assert there.root() == here.root()
    assert knowledge(there) == knowledge(here)
    assert there.record(a).first_at == START - 50
    assert sorted(there.find("port backups")) == sorted(here.find("port backups"))
    assert there.near(B) == here.near(B)
    there.store.close()


def test_merging_twice_changes_nothing(pair: tuple[Door, Door]) -> None:
    here, there = pair
    a = here.say(A)
    here.supersede(a, B)
    taken = everything(here)
    there.do(taken)
    before = picture(there.store)
    receipt = there.do(taken)
    assert receipt.outcomes[0].what == "unchanged"
    assert picture(there.store) == before
    there.store.close()


@pytest.mark.parametrize("seed", range(12))
def test_two_memories_that_exchange_reach_the_same_root_in_either_order(pair: tuple[Door, Door], seed: int) -> None:
    here, there = pair
    chance = Random(seed)
    for door in pair:
        for _ in range(12):
            _wander(door, chance)
    before_here, before_there = everything(here), everything(there)
    here.do(before_there)
    there.do(before_here)
    assert here.root() == there.root()
    assert knowledge(here) == knowledge(there)
    there.store.close()


def _wander(door: Door, chance: Random) -> None:
    texts = [A, B, C, "One.", "Two."]
    active = [record.node for record in active_here(door)]
    door.now += chance.randrange(3) * 500_000
    move = chance.randrange(6)
    if move <= 1 or len(active) < 2:
        door.say(chance.choice(texts), thread=chance.choice("xy"), standing={"tags": (chance.choice("mn"),)})
        return
    one, two = chance.sample(active, 2)
    if move == 2:
        door.forget(one.address)
    elif move == 3 and one.content != "Two.":
        door.supersede(one.address, "Two.")
    elif move == 4:
        door.relate(one.address, "relates_to", two.address)
    else:
        door.restate(one.address, priority=chance.choice((0.1, 0.9)))


def test_retracted_there_is_retracted_here_whatever_the_clocks(pair: tuple[Door, Door]) -> None:
    here, there = pair
    a = here.say(A)
    there.do(everything(here))
    there.forget(a)
    here.restate(a, priority=1.0)
    here.restate(a, priority=0.2)
    here.do(everything(there))
    assert here.standing(a).state == "retracted"
    there.store.close()


def test_closed_link_closes_here(pair: tuple[Door, Door]) -> None:
    here, there = pair
    a, b = here.say(A), here.say(B)
    here.relate(a, "blocks", b)
    there.do(everything(here))
    assert there.lines(a) == {(a, "blocks", b)}
    here.relate(a, "blocks", b, closed=True)
    there.now = here.now
    there.do(everything(here))
    assert there.lines(a) == set()
    there.store.close()


def test_link_to_a_node_that_did_not_come_along_is_left_out(door: Door) -> None:
    a = door.say(A)
    door.do(Merge((), (Link(a, "e" * 64, "blocks", "p", START),)))
    assert door.links(a) == []


def test_merge_can_be_undone_by_restoring(pair: tuple[Door, Door]) -> None:
    here, there = pair
    here.say(A)
    there.say(B)
    root = there.root()
    there.do(everything(here))
    receipt = there.do(RestoreTo(1))
    assert receipt.root == root
    assert there.select() == [B]
    there.store.close()


def test_words_follow_a_standing_that_was_merged(pair: tuple[Door, Door]) -> None:
    here, there = pair
    a = here.say(A)
    there.do(everything(here))
    there.restate(a, tags=("postgres",))
    there.now += 10
    here.do(everything(there))
    assert here.find("postgres") == [A]
    there.store.close()


def test_node_with_a_secret_gets_another_address_and_its_links_follow(door: Door) -> None:
    secret = Node.make("claim", "The key is ghp_" + "a1B2" * 9 + " for now.")
    made = Node.make("summary", "About the key.", [secret.address])
    said = (Occurrence(START),)
    copies = (Copy("p", secret, Standing(), said), Copy("p", made, Standing(), said))
    door.do(Merge(copies, (Link(made.address, secret.address, "derived_from", "p", START),)))
    kept, about = active_here(door)
    if kept.node.kind == "summary":
        kept, about = about, kept
    assert "ghp_" not in kept.node.content
    assert kept.node.is_true_to_address()
    assert about.node.is_true_to_address()
    assert about.node.inputs == (kept.node.address,)
    assert door.lines(kept.node.address) == {(about.node.address, "derived_from", kept.node.address)}
    assert door.records(secret.address) == []


@pytest.mark.parametrize(
    ("copy", "error"),
    [
        (Copy("p", Node("claim", "altered", (), "a" * 64), Standing(), (Occurrence(START),)), Conflict),
        (Copy("p", Node.make("claim", "x" * (1024 * 1024 + 1)), Standing(), (Occurrence(START),)), TooLarge),
        (Copy("p", Node.make("claim", "nul \x00 nul"), Standing(), (Occurrence(START),)), Invalid),
        (Copy("p", Node.make("claim", "never said"), Standing(), ()), Invalid),
    ],
)
def test_copy_that_is_no_node_is_refused_and_nothing_of_the_bundle_stays(
    door: Door, copy: Copy, error: type[Exception]
) -> None:
    good = Copy("p", Node.make("claim", "good"), Standing(), (Occurrence(START),))
    door.say(A)
    before = picture(door.store)
    with pytest.raises(error) as caught:
        door.do(Merge((good, copy)))
    assert caught.value.field == "source"  # type: ignore[attr-defined]
    assert picture(door.store) == before


def test_standing_of_a_merge_keeps_its_own_salt_and_time(pair: tuple[Door, Door]) -> None:
    here, there = pair
    a = here.say(A)
    there.do(everything(here))
    assert there.standing(a) == here.standing(a)
    assert replace(there.record(a), entry=0, since_seq=0) == replace(here.record(a), entry=0, since_seq=0)
    there.store.close()
