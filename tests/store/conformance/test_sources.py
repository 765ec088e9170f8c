"""What was taken in from where: kept by service and path, apart from the chain, and gone when a node is erased."""

from __future__ import annotations

from marrow.model.source import NO_ADDRESS, SKIPPED, Source
from marrow.model.standing import RETRACTED
from marrow.store.protocol import Store

from ..door import Door

SPACE = "local"
A, B = "a" * 64, "b" * 64
ONE = Source("p", "kiln", "src/a.py", "code", A, "1" * 64, 10, 5, 7, "a module")
TWO = Source("p", "kiln", "docs/b.md", "document", B, "2" * 64, 20, 6, 8, "A page")


def keep(store: Store, *sources: Source, space: str = SPACE) -> None:
    with store.writing() as writer:
        writer.keep_sources(space, sources)


def test_sources_come_back_in_order_and_by_what_is_asked(store: Store, door: Door) -> None:
    door.say("so that the namespace is there")
    other = ONE._replace(service="oven")
    elsewhere = ONE._replace(project="q")
    keep(store, ONE, TWO, other, elsewhere)
    assert door.ask(lambda r: r.sources(SPACE, ("p",))) == [TWO, ONE, other]
    assert door.ask(lambda r: r.sources(SPACE, None)) == [TWO, ONE, other, elsewhere]
    assert door.ask(lambda r: r.sources(SPACE, (), service="kiln")) == []
    assert door.ask(lambda r: r.sources(SPACE, None, service="oven")) == [other]
    assert door.ask(lambda r: r.sources(SPACE, ("p",), path="docs/b.md")) == [TWO]
    assert door.ask(lambda r: r.sources(SPACE, ("p",), but_service="kiln")) == [other]
    assert door.ask(lambda r: r.sources("elsewhere", None)) == []
    assert door.ask(lambda r: r.sources_of(SPACE, [A], ("p",))) == [ONE, other]


def test_sources_are_found_by_a_part_of_their_path(store: Store, door: Door) -> None:
    door.say("so that the namespace is there")
    upper, wild = ONE._replace(path="src/A.PY"), ONE._replace(path="src/x_y%.py")
    keep(store, ONE, upper, TWO, wild, ONE._replace(project="q"))
    assert door.ask(lambda r: r.sources_with(SPACE, "a.py", ("p",))) == [upper, ONE]
    assert door.ask(lambda r: r.sources_with(SPACE, "c/x_Y%", None)) == [wild]
    assert door.ask(lambda r: r.sources_with(SPACE, "_%.py", None)) == []
    assert door.ask(lambda r: r.sources_with(SPACE, "a.py", ())) == []
    assert door.ask(lambda r: r.sources_with("elsewhere", "a.py", None)) == []


def test_a_source_that_is_read_again_takes_the_place_of_the_one_before(store: Store, door: Door) -> None:
    door.say("so that the namespace is there")
    keep(store, ONE)
    keep(store, later := ONE._replace(address=B, at=9))
    assert door.ask(lambda r: r.sources(SPACE, None)) == [later]
    with store.writing() as writer:
        writer.drop_sources(SPACE, [ONE])
    assert door.ask(lambda r: r.sources(SPACE, None)) == []


def test_sources_are_outside_the_chain(store: Store, door: Door) -> None:
    door.say("so that the namespace is there")
    before = door.ask(lambda r: r.head(SPACE))
    keep(store, ONE, ONE._replace(path="x", kind=SKIPPED, address=NO_ADDRESS))
    assert door.ask(lambda r: r.head(SPACE)) == before
    assert door.ask(lambda r: r.sizes())["sources"] == 2


def test_an_erased_node_takes_its_sources_with_it(store: Store, door: Door) -> None:
    address = door.say("a page that must go")
    keep(store, ONE._replace(address=address), TWO)
    door.erase(address)
    assert door.ask(lambda r: r.sources(SPACE, None)) == [TWO]


def test_services_are_those_of_what_is_active(store: Store, door: Door) -> None:
    door.say("one", service="kiln")
    gone = door.say("two", service="kiln")
    door.say("three", service="oven")
    door.say("four")
    assert dict(door.ask(lambda r: r.services(SPACE, None))) == {"kiln": 2, "oven": 1}
    door.restate(gone, state=RETRACTED)
    assert dict(door.ask(lambda r: r.services(SPACE, ("p",)))) == {"kiln": 1, "oven": 1}
    assert dict(door.ask(lambda r: r.services(SPACE, ("nobody",)))) == {}
