"""Statistics and telemetry: apart from the chain, the root and `as_of`."""

from __future__ import annotations

from marrow.model.record import CURRENT
from marrow.store.protocol import Measurement, Use

from ..door import START, Door, picture


def test_counting_uses_changes_nothing_canonical(door: Door) -> None:
    a, b = door.say_so("One."), door.say_so("Two.")
    before = picture(door.store)
    with door.store.writing() as writer:
        writer.count_use([a.entry, b.entry, a.entry], False, START + 5)
        writer.count_use([a.entry], True, START + 9)
        writer.count_use([a.entry], False, START + 3)
    assert door.ask(lambda r: r.uses([a.entry, b.entry, 99])) == {
        a.entry: Use(3, 1, START + 5),
        b.entry: Use(1, 0, START + 5),
    }
    after = picture(door.store)
    assert after["local"].pop("uses") != before["local"].pop("uses")
    assert after == before


def test_use_before_recall_is_counted(door: Door) -> None:
    entry = door.say_so("One.").entry
    with door.store.writing() as writer:
        writer.count_use([entry], True, START)
        writer.count_use([], True, START)
    assert door.ask(lambda r: r.uses([entry])) == {entry: Use(0, 1, 0)}
    assert door.ask(lambda r: r.uses([])) == {}


def test_use_follows_the_node_through_its_changes(door: Door) -> None:
    a = door.say("One.")
    entry = door.record(a).entry
    with door.store.writing() as writer:
        writer.count_use([entry], False, START)
    door.forget(a)
    door.say("One.")
    assert door.ask(lambda r: r.uses([entry]))[entry].recalled == 1


def test_measurements_are_kept_in_order_of_time_and_pruned_by_age(door: Door) -> None:
    door.say("One.")
    before = picture(door.store)
    lines = [Measurement(30, "recall", 1.5, 10, 20, "x"), Measurement(10, "hook", 0.25), Measurement(20, "recall", 2)]
    with door.store.writing() as writer:
        writer.measure(lines)
        writer.measure([])
    read = lambda *asked: door.ask(lambda r: r.measurements(*asked))  # noqa: E731
    assert read(0) == sorted(lines, key=lambda m: m.at)
    assert read(20) == [lines[2], lines[0]]
    assert read(0, "hook") == [lines[1]]
    assert read(31) == read(0, "nothing") == []
    with door.store.writing() as writer:
        assert writer.prune_measurements(20) == 1
        assert writer.prune_measurements(20) == 0
    assert read(0) == [lines[2], lines[0]]
    assert picture(door.store) == before


def test_sizes_count_rows_of_each_kind(door: Door) -> None:
    a = door.say("One.")
    door.say("One.")
    door.say("One.", project="q")
    door.forget(a)
    sizes = dict(door.ask(lambda r: r.sizes()))
    for kind in ("bytes", "log_bytes"):
        assert sizes.pop(kind) >= 0
    assert sizes == {
        "nodes": 1,
        "entries": 2,
        "occurrences": 3,
        "standings": 4,
        "links": 0,
        "anchors": 0,
        "events": 4,
        "snapshots": 0,
        "words": 2,
        "vectors": 2,
        "measurements": 0,
        "traces": 0,
        "sessions": 0,
        "injections": 0,
        "derived": 0,
        "sources": 0,
    }


def test_reading_writes_nothing(door: Door) -> None:
    door.say("One.")
    before = picture(door.store, apart=True)
    door.find("one")
    door.near("one")
    door.select()
    door.ask(lambda r: list(r.leaves("local", CURRENT)))
    assert picture(door.store, apart=True) == before


def test_healthy_store_has_no_problems(door: Door) -> None:
    door.say("One.")
    assert door.store.problems() == []
    door.store.sweep()
    assert door.find("one") == ["One."]
