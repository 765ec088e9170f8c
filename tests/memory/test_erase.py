"""Erase: what is erased is gone, from tables, indexes, log, free pages and the bytes of the files."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.audit_verify import audit_verify
from marrow.memory.doctor import doctor
from marrow.memory.erase import erase
from marrow.memory.export import export
from marrow.memory.import_bundle import import_bundle
from marrow.memory.snapshot import snapshot_create
from marrow.model.errors import Forbidden, Invalid, NotFound, StoreLocked, Unavailable
from marrow.model.link import Anchor
from marrow.model.record import CURRENT, Filter
from marrow.store import open_store

from . import fixtures_store
from .fixtures_store import NO_ADMIN, World, in_namespace, knowledge, make_world

world = fixtures_store.world
on_disk = fixtures_store.on_disk

# Each in a place of its own, none the beginning of another: the keyword index keeps words that begin alike together.
MARKERS = {
    "content": "Quxnordlicht",
    "tag": "wjarbtag",
    "alias": "zpfeilname",
    "reason": "vhorngrund",
    "metadata": "kzimtwert",
    "thread": "jfadenname",
    "user": "ynutzerin",
    "source": "bquellort",
    "anchor": "mankerplatz",
}


def gone(world: World, address: str) -> bool:
    return world.read(lambda r: r.addresses(world.asker.namespace, address, None, 1)) == []


def test_dry_run_tells_and_changes_nothing(world: World) -> None:
    address = world.say("Forget me.")
    told = erase(world.engine, world.asker, address=address)
    assert (told.dry_run, told.chosen, told.total, told.seq) == (True, (address[:12],), 1, None)
    assert "ackups" in told.reminder
    assert "export" in told.reminder
    assert not gone(world, address)
    assert world.seq() == 1


def test_erasing_needs_confirmation(world: World) -> None:
    address = world.say("Forget me.")
    with pytest.raises(Invalid) as problem:
        erase(world.engine, world.asker, address=address, dry_run=False)
    assert problem.value.field == "confirm"
    assert not gone(world, address)


def test_erased_node_is_nowhere_and_the_chain_still_verifies(world: World) -> None:
    address = world.say("The marshmallow is secret.", tags=("sweet",))
    kept = world.say("The gate is green.")
    world.relate(address, "enables", kept)
    snapshot_create(world.engine, world.asker, "before")
    done = erase(world.engine, world.asker, address=address[:10], dry_run=False, confirm=True)
    assert done.chosen == (address[:12],)
    assert done.seq == world.seq()
    assert gone(world, address)
    assert world.words("marshmallow") == set()
    assert world.words("sweet") == set()
    assert world.read(lambda r: list(r.all_links("local", None))) == []
    assert world.read(lambda r: r.records("local", [address], None, 1)) == []
    vector = world.engine.embedder.query("The marshmallow is secret.")
    found = world.read(lambda r: r.records_of([e for e, _ in r.nearest("local", vector, None, None, 9)], CURRENT))
    assert [record.node.address for record in found] == [kept]
    named = [t.address for event in world.read(lambda r: list(r.events("local"))) for t in event.touched]
    assert address not in named
    assert audit_verify(world.engine, world.asker).problems == ()
    with pytest.raises(NotFound):
        erase(world.engine, world.asker, address=address)


def test_what_was_made_from_it_goes_too_and_other_inputs_come_back(world: World) -> None:
    secret, plain = world.say("Secret."), world.say("Plain.")
    summary = world.say("Secret and plain.", kind="summary", inputs=[secret, plain])
    arc = world.say("All of it.", kind="arc", inputs=[summary])
    elsewhere = world.say("Other.")
    other_summary = world.say("Other in short.", kind="summary", inputs=[elsewhere])
    for address in (secret, plain, elsewhere):
        world.restate(address, state="compressed")
    done = erase(world.engine, world.asker, address=secret, dry_run=False, confirm=True)
    assert set(done.made_from_them) == {summary[:12], arc[:12]}
    assert done.brought_back == (plain[:12],)
    assert all(gone(world, address) for address in (secret, summary, arc))
    assert (world.state(plain), world.state(elsewhere), world.state(other_summary)) == (
        "active",
        "compressed",
        "active",
    )
    events = world.read(lambda r: list(r.events("local", latest=True)))
    assert [event.operation for event in events[:2]] == ["erase", "erase"]
    assert [touched.address for touched in events[1].touched] == [plain]
    assert audit_verify(world.engine, world.asker).ok


def test_what_another_summary_still_stands_for_stays_compressed(world: World) -> None:
    secret, plain = world.say("Secret."), world.say("Plain.")
    world.say("Both.", kind="summary", inputs=[secret, plain])
    world.say("Plain in short.", kind="summary", inputs=[plain])
    world.restate(plain, state="compressed")
    done = erase(world.engine, world.asker, address=secret, dry_run=False, confirm=True)
    assert done.brought_back == ()
    assert world.state(plain) == "compressed"


def test_what_comes_back_does_so_in_its_own_project(world: World) -> None:
    secret, plain = world.say("Secret.", project="meadow"), world.say("Plain.", project="meadow")
    world.say("Both.", kind="summary", inputs=[secret, plain], project="meadow")
    world.restate(plain, state="compressed", project="meadow")
    erase(world.engine, world.asker, address=secret, dry_run=False, confirm=True)
    record = world.record(plain, "meadow")
    assert record is not None
    assert record.standing.state == "active"


def test_what_a_user_said_is_erased_and_what_others_said_too_is_kept(world: World) -> None:
    alone = world.say("Said by Bo alone.", user="bo")
    twice = world.say("Said by Bo twice.", user="bo")
    world.say("Said by Bo twice.", user="bo", thread="again")
    shared = world.say("Said by Bo and Cy.", user="bo")
    world.say("Said by Bo and Cy.", user="cy")
    other = world.say("Said by Cy.", user="cy")
    forgotten = world.say("Said by Bo and forgotten.", user="bo")
    world.forget(forgotten)
    elsewhere = world.say("Said by Bo elsewhere.", user="bo", project="meadow")
    both = world.say("Said here by Bo, there by Cy.", user="bo")
    world.say("Said here by Bo, there by Cy.", user="cy", project="meadow")
    done = erase(world.engine, world.asker, user="bo", dry_run=False, confirm=True)
    assert set(done.chosen) == {a[:12] for a in (alone, twice, forgotten, elsewhere)}
    assert set(done.kept_shared) == {shared[:12], both[:12]}
    assert [gone(world, a) for a in (alone, twice, forgotten, elsewhere, shared, both, other)] == [True] * 4 + [
        False
    ] * 3


def test_thread_and_filter_choose_too(world: World) -> None:
    in_thread = world.say("In the thread.", thread="t")
    also = world.say("In it and elsewhere.", thread="t")
    world.say("In it and elsewhere.", thread="u")
    incident = world.say("It burned.", kind="incident")
    told = erase(world.engine, world.asker, thread="t")
    assert (told.chosen, told.kept_shared) == ((in_thread[:12],), (also[:12],))
    told = erase(world.engine, world.asker, filter=Filter(kinds=("incident",)))
    assert told.chosen == (incident[:12],)
    told = erase(world.engine, world.asker, filter=Filter(projects=("orchard",)))
    assert len(told.chosen) == 3
    world.say("It burned.", kind="incident", project="meadow")
    told = erase(world.engine, world.asker, filter=Filter(projects=("orchard",), kinds=("incident",)))
    assert (told.chosen, told.kept_shared) == ((), (incident[:12],))
    done = erase(world.engine, world.asker, user="nobody", dry_run=False, confirm=True)
    assert (done.total, done.seq) == (0, None)


def test_other_versions_are_told_and_not_taken(world: World) -> None:
    old = world.say("The gate is green.")
    new = world.supersede(old, "The gate is blue.")
    done = erase(world.engine, world.asker, address=new, dry_run=False, confirm=True)
    assert done.other_versions == (old[:12],)
    assert world.state(old) == "superseded"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"filter": Filter()},
        {"filter": Filter(include_superseded=True)},
        {"user": " "},
        {"address": "abcdef", "user": "bo"},
    ],
)
def test_it_must_be_said_what_to_erase(world: World, given: dict[str, object]) -> None:
    world.say("Here.")
    with pytest.raises(Invalid):
        erase(world.engine, world.asker, dry_run=False, confirm=True, **given)  # type: ignore[arg-type]
    assert world.seq() == 1


def test_erasing_needs_the_right_to_administer_everything(world: World) -> None:
    address = world.say("Here.")
    for asker in (world.as_(rights=NO_ADMIN), world.as_(projects=frozenset({"orchard"}))):
        with pytest.raises(Forbidden):
            erase(world.engine, asker, address=address)


def test_another_namespace_keeps_its_own(world: World) -> None:
    address = world.say("Said in both.")
    theirs = in_namespace(world, "theirs")
    there = make_there(world, theirs)
    there.say("Said in both.")
    erase(world.engine, world.asker, address=address, dry_run=False, confirm=True)
    assert gone(world, address)
    assert not gone(there, address)
    assert audit_verify(world.engine, theirs).ok


def make_there(world: World, asker: object) -> World:
    return World(world.engine, asker, world.clock, world.path)  # type: ignore[arg-type]


def test_erased_node_can_be_said_again_and_be_erased_again(world: World) -> None:
    address = world.say("Here.")
    for _ in range(2):
        erase(world.engine, world.asker, address=address, dry_run=False, confirm=True)
        assert gone(world, address)
        assert world.say("Here.") == address
    assert audit_verify(world.engine, world.asker).ok


def test_erasure_of_what_was_imported_leaves_the_attached_chain_whole(tmp_path: Path) -> None:
    one, other = make_world("sqlite", tmp_path, "one"), make_world("sqlite", tmp_path, "other")
    address = one.say("Quxnordlicht.")
    export(one.engine, one.asker, str(tmp_path / "b"))
    import_bundle(other.engine, other.asker, str(tmp_path / "b"))
    erase(other.engine, other.asker, address=address, dry_run=False, confirm=True)
    assert audit_verify(other.engine, other.asker).ok
    for raw in other.bytes().values():
        assert bytes.fromhex(address) not in raw
        assert b"nordlicht" not in raw.lower()
    for made in (one, other):
        made.engine.store.close()


def say_with_markers(world: World) -> str:
    address = world.say(
        f"{MARKERS['content']} shines over the orchard.",
        tags=(MARKERS["tag"],),
        aliases=(MARKERS["alias"],),
        metadata={"x": MARKERS["metadata"]},
        thread=MARKERS["thread"],
        user=MARKERS["user"],
        source=MARKERS["source"],
        anchors=[Anchor("file", f"{MARKERS['anchor']}.py")],
    )
    world.restate(address, reason=MARKERS["reason"], priority=0.9)
    return address


def traces(world: World, address: str) -> list[str]:
    """Where the bytes of a marker or of the address are found in the files."""
    wanted = {name: marker.lower().encode() for name, marker in MARKERS.items()}
    # The keyword index keeps what two neighbouring words have in common once, and stems.
    wanted |= {f"part of {name}": marker.lower().encode()[1:7] for name, marker in MARKERS.items()}
    found = []
    for suffix, raw in world.bytes().items():
        low = raw.lower()
        found += [f"{name} in the file{suffix}" for name, marker in wanted.items() if marker in low]
        if bytes.fromhex(address) in raw or address.encode() in raw or address[:12].encode() in raw:
            found.append(f"address in the file{suffix}")
    return found


@pytest.mark.parametrize("among", [0, 1500])
def test_nothing_of_it_is_left_in_the_bytes_of_the_files(on_disk: World, among: int) -> None:
    for number in range(among):
        on_disk.say(f"Claim {number} about q{number}x and the qu{number} trees.", tags=(f"w{number % 7}",), thread="x")
    address = say_with_markers(on_disk)
    on_disk.say(
        f"{MARKERS['content']} shines over the orchard.", user=MARKERS["user"], metadata={"y": MARKERS["metadata"]}
    )
    for number in range(among // 2):
        on_disk.say(f"Later claim {number} with z{number}.")
    new = on_disk.supersede(address, f"{MARKERS['content']} does not shine.", MARKERS["reason"])
    summary = on_disk.say(f"In short {MARKERS['content']}.", kind="summary", inputs=[address, new])
    assert traces(on_disk, address), "the test looks in the right place"
    for chosen in (new, address):
        erase(on_disk.engine, on_disk.asker, address=chosen, dry_run=False, confirm=True)
    assert gone(on_disk, summary)
    for erased in (address, new, summary):
        assert traces(on_disk, erased) == []
    assert audit_verify(on_disk.engine, on_disk.asker).ok
    assert on_disk.engine.store.problems() == []
    on_disk.engine.store.close()
    for erased in (address, new, summary):
        assert traces(on_disk, erased) == []


def test_nothing_is_left_either_when_a_user_is_erased(on_disk: World) -> None:
    for number in range(200):
        on_disk.say(f"Claim {number}.", user="someone else")
    address = say_with_markers(on_disk)
    erase(on_disk.engine, on_disk.asker, user=MARKERS["user"], dry_run=False, confirm=True)
    assert traces(on_disk, address) == []


def test_reader_that_stays_makes_the_erasure_unfinished_and_a_repair_finishes_it(on_disk: World) -> None:
    address = say_with_markers(on_disk)
    other = open_store(str(on_disk.path), busy_timeout_ms=50)
    opened, done = threading.Event(), threading.Event()

    def stay() -> None:
        with other.reading() as reader:
            reader.head("local")
            opened.set()
            done.wait(30)
        other.close()

    reading = threading.Thread(target=stay)
    reading.start()
    try:
        opened.wait(30)
        with pytest.raises(StoreLocked) as problem:
            erase(on_disk.engine, on_disk.asker, address=address, dry_run=False, confirm=True)
        assert "doctor" in problem.value.hint
    finally:
        done.set()
        reading.join()
    assert gone(on_disk, address)
    assert any("erasure" in line for line in on_disk.engine.store.problems())
    before = knowledge(on_disk)
    healed = doctor(on_disk.engine, on_disk.asker, repair=True)
    assert any("swept" in line for line in healed.repaired)
    assert on_disk.engine.store.problems() == []
    assert traces(on_disk, address) == []
    assert knowledge(on_disk) == before


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit there")
def test_disk_without_room_to_rebuild_the_file_does_not_say_that_nothing_was_changed(on_disk: World) -> None:
    import resource

    for number in range(8):
        on_disk.say(f"Filling {number}. " + " ".join(f"w{number}x{word}" for word in range(9_000)))
    address = on_disk.say("Forget me.")
    on_disk.engine.store.close()
    assert on_disk.path is not None
    store = open_store(str(on_disk.path))
    engine = replace(on_disk.engine, store=store)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (on_disk.path.stat().st_size, hard))
    try:
        with pytest.raises(Unavailable) as problem:
            erase(engine, on_disk.asker, address=address, dry_run=False, confirm=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "nothing was changed" not in problem.value.message
    assert "gone from the memory" in problem.value.message
    assert "doctor --repair" in problem.value.hint
    healed = doctor(engine, on_disk.asker, repair=True)
    assert any("swept" in line for line in healed.repaired)
    assert address[:12].encode() not in on_disk.path.read_bytes()
    assert b"Forget me" not in on_disk.path.read_bytes()
    store.close()
