"""The promise of the bundle: memories that exchange what they know, know the same afterwards, whatever the order."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from marrow.memory.audit_verify import audit_verify
from marrow.memory.export import export
from marrow.memory.import_bundle import import_bundle
from marrow.model.change import Reinforce, Relate, Restate, RestoreTo, Say, Supersede
from marrow.model.errors import Conflict, Immutable, Invalid, NotFound
from marrow.model.link import Anchor
from marrow.model.node import Node, Occurrence
from marrow.model.standing import Standing

from .fixtures_store import World, knowledge, make_world

TEXTS = ("The gate is green.", "The gate is blue.", "Plums are ripe.", "Pears are not.")
PROJECTS = ("orchard", "meadow", "")
TAGS = ("paint", "fruit", "gate")

text = st.sampled_from(TEXTS)
place = st.sampled_from(PROJECTS)
number = st.integers(0, 3)

Move = tuple[Any, ...]
moves = st.one_of(
    st.tuples(st.just("say"), text, place, st.sets(st.sampled_from(TAGS)), st.booleans(), number),
    st.tuples(st.just("forget"), text, place),
    st.tuples(st.just("compress"), text, place),
    st.tuples(st.just("revive"), text, place),
    st.tuples(st.just("restate"), text, place, st.sampled_from((0.1, 0.5, 0.9)), st.booleans()),
    st.tuples(st.just("classify"), text, place, st.sampled_from(("public", "internal", "secret"))),
    st.tuples(st.just("supersede"), text, text, place),
    st.tuples(st.just("relate"), st.sampled_from(("relates_to", "enables")), st.booleans()),
    st.tuples(st.just("replace"), text, text, place),
    st.tuples(st.just("reinforce"), text, place),
    st.tuples(st.just("summarise"), text, text, place),
    st.tuples(st.just("restore"), number),
    st.tuples(st.just("wait"), st.integers(1, 5)),
)
histories = st.lists(moves, max_size=14)


def address(content: str) -> str:
    return Node.make("claim", content).address


def act(world: World, move: Move) -> None:
    """One move through the real door. One that makes no sense now is refused there, and that is fine."""
    name, *rest = move
    with suppress(Conflict, NotFound, Invalid, Immutable):
        _act(world, name, rest)


def _act(world: World, name: str, rest: Sequence[Any]) -> None:
    at = world.clock.now
    if name == "say":
        content, project, tags, pinned, thread = rest
        anchors = (Anchor("file", f"{thread}.py"),) if pinned else ()
        said = Occurrence(at, thread=f"t{thread}")
        standing = Standing(tags=tuple(sorted(tags)), pinned=pinned)
        world.do(Say("claim", content, said, standing, frozenset({"tags", "pinned"}), anchors=anchors), project=project)
    elif name in ("forget", "compress", "revive"):
        state = {"forget": "retracted", "compress": "compressed", "revive": "active"}[name]
        world.do(Restate(address(rest[0]), (("state", state),), name), project=rest[1])
    elif name == "restate":
        content, project, priority, approved = rest
        world.do(Restate(address(content), (("priority", priority), ("approved", approved))), project=project)
    elif name == "classify":
        world.do(Restate(address(rest[0]), (("classification", rest[2]),)), project=rest[1])
    elif name == "supersede":
        world.do(Supersede(address(rest[0]), rest[1], Occurrence(at), "better"), project=rest[2])
    elif name == "relate":
        world.do(Relate(address(TEXTS[0]), address(TEXTS[1]), *rest))
    elif name == "replace":
        world.do(Relate(address(rest[0]), address(rest[1]), "supersedes"), project=rest[2])
    elif name == "reinforce":
        world.do(Reinforce(address(rest[0])), project=rest[1])
    elif name == "summarise":
        inputs = tuple({address(rest[0]), address(rest[1])})
        world.do(Say("summary", "In short.", Occurrence(at), inputs=inputs), project=rest[2])
    elif name == "restore":
        world.do(RestoreTo(max(0, world.seq() - rest[0])))
    else:
        world.clock.now += 1_000_000 * rest[0]


def bundle(world: World, folder: Path, name: str) -> str:
    path = str(folder / name)
    export(world.engine, world.asker, path, overwrite=True)
    return path


def take(world: World, path: str) -> None:
    import_bundle(world.engine, world.asker, path)


def lived(kind: str, folder: Path, name: str, history: Sequence[Move], ahead: int = 0) -> World:
    """A memory with a history. All of them begin with the same two claims, so that their links meet."""
    world = make_world(kind, folder, name)
    world.clock.now += ahead
    for content in TEXTS[:2]:
        world.say(content, at=1)
    for move in history:
        act(world, move)
    return world


skews = st.sampled_from((0, 1_500_000, -3_000_000))


@settings(suppress_health_check=list(HealthCheck))
@given(one=histories, other=histories, ahead=skews)
def test_memories_that_exchange_agree_in_either_order(one: list[Move], other: list[Move], ahead: int) -> None:
    check_exchange("memory", one, other, ahead)


@settings(suppress_health_check=list(HealthCheck), max_examples=12)
@given(one=histories, other=histories, ahead=skews)
def test_memories_in_files_that_exchange_agree_in_either_order(one: list[Move], other: list[Move], ahead: int) -> None:
    check_exchange("sqlite", one, other, ahead)


def check_exchange(kind: str, one: list[Move], other: list[Move], ahead: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        a, b = lived(kind, folder, "a", one), lived(kind, folder, "b", other, ahead)
        from_a, from_b = bundle(a, folder, "a.bundle"), bundle(b, folder, "b.bundle")
        c, d = make_world(kind, folder, "c"), make_world(kind, folder, "d")
        for world, order in ((a, [from_b]), (b, [from_a]), (c, [from_a, from_b]), (d, [from_b, from_a])):
            for path in order:
                take(world, path)
        expected = knowledge(a)
        for world in (b, c, d):
            assert knowledge(world) == expected
        for world in (a, b, c, d):
            before = world.seq()
            take(world, from_a)
            take(world, bundle(a, folder, "again.bundle"))
            assert world.seq() == before
            assert audit_verify(world.engine, world.asker).problems == ()
        for world in (a, b, c, d):
            world.engine.store.close()


@settings(suppress_health_check=list(HealthCheck))
@given(
    rounds=st.lists(st.tuples(histories, histories, st.sampled_from(("ab", "ba", "a", "b", ""))), max_size=4),
    ahead=st.sampled_from((0, 1_500_000)),
)
def test_memories_that_keep_living_and_exchanging_agree_whenever_both_have_heard_of_all(
    rounds: list[tuple[list[Move], list[Move], str]], ahead: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        a, b = lived("memory", folder, "a", ()), lived("memory", folder, "b", (), ahead)
        for ours, theirs, order in rounds:
            for world, history in ((a, ours), (b, theirs)):
                for move in history:
                    act(world, move)
            for teller in order:
                if teller == "a":
                    take(b, bundle(a, folder, "x.bundle"))
                else:
                    take(a, bundle(b, folder, "x.bundle"))
        take(a, bundle(b, folder, "x.bundle"))
        take(b, bundle(a, folder, "x.bundle"))
        assert knowledge(a) == knowledge(b)


def test_link_that_was_closed_before_the_other_memory_heard_of_it_stays_closed(tmp_path: Path) -> None:
    """Three memories: one opens a link, one had it too and closed it later, one hears of the closing first."""
    a, b, c = (make_world("sqlite", tmp_path, name) for name in "abc")
    for world in (a, b, c):
        world.say(TEXTS[0], at=1)
        world.say(TEXTS[1], at=1)
    one, two = address(TEXTS[0]), address(TEXTS[1])
    a.relate(one, "enables", two)
    b.clock.now = a.clock.now + 10_000_000
    b.relate(one, "enables", two)
    b.relate(one, "enables", two, closed=True)
    take(c, bundle(b, tmp_path, "b.bundle"))
    take(c, bundle(a, tmp_path, "a.bundle"))
    take(a, bundle(b, tmp_path, "b.bundle"))
    assert knowledge(a)["links"] == knowledge(c)["links"]
    assert all(link.closed for link in c.read(lambda r: list(r.all_links("local", None))))
    for world in (a, b, c):
        world.engine.store.close()


def test_later_opening_of_the_same_link_is_known_on_both_sides(tmp_path: Path) -> None:
    a, b, c = (make_world("memory", tmp_path, name) for name in "abc")
    for world in (a, b, c):
        world.say(TEXTS[0], at=1)
        world.say(TEXTS[1], at=1)
    one, two = address(TEXTS[0]), address(TEXTS[1])
    a.relate(one, "enables", two)
    c.clock.now = a.clock.now + 5_000_000
    c.relate(one, "enables", two)
    c.relate(one, "enables", two, closed=True)
    b.clock.now = c.clock.now + 5_000_000
    b.relate(one, "enables", two)
    from_a, from_b, from_c = (bundle(world, tmp_path, f"{i}.bundle") for i, world in enumerate((a, b, c)))
    for world, order in ((a, (from_b, from_c)), (b, (from_a, from_c)), (c, (from_a, from_b))):
        for path in order:
            take(world, path)
    assert knowledge(a)["links"] == knowledge(b)["links"] == knowledge(c)["links"]
    assert [link.closed for link in a.read(lambda r: list(r.all_links("local", None)))] == [False]
