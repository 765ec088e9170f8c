"""Erasing reaches what hosts reported: of a conversation, of a project, of a user, and of one node."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from marrow.memory.audit_verify import audit_verify
from marrow.memory.backup import backup
from marrow.memory.engine import Asker, Engine, submit
from marrow.memory.erase import erase
from marrow.memory.export import export
from marrow.memory.restore import restore
from marrow.model.change import Say
from marrow.model.errors import Invalid
from marrow.model.node import Occurrence
from marrow.model.record import CURRENT, Filter
from marrow.model.scope import Principal, Scope
from marrow.model.session import Injection, Session
from marrow.model.trace import DONE, Trace
from marrow.providers.embedder import FakeEmbedder
from marrow.store.receive_traces import keep_traces
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.connection import migrations

from . import fixtures_store
from .conftest import Hand
from .fixtures_store import START, Ticking, World, make_world

world = fixtures_store.world
on_disk = fixtures_store.on_disk
MARKER = "Quxnordlicht"


def report(world: World, session: str, project: str = "orchard") -> None:
    body = f'{{"prompt":"{MARKER} {session}"}}'
    given = [Trace(f"{session}-{n}", START + n, "codex", session, "prompt", body=body) for n in range(2)]
    keep_traces(world.engine.store, "local", project, given, redact_extra=(), position=None)
    with world.engine.store.writing() as writer:
        writer.keep_session("local", Session(session, "codex", project, title=f"{MARKER} {session}"))
        writer.note_injections(
            "local", project, [Injection(session, "t", START, "prompt", "a" * 64, 9, f"{session}.py")]
        )


def left(world: World) -> list[set[str]]:
    return [
        {one.session for one in world.read(read)}
        for read in (
            lambda r: r.traces("local"),
            lambda r: r.sessions("local", None),
            lambda r: r.injections("local"),
        )
    ]


def do(world: World, **chosen: Any) -> Any:
    return erase(world.engine, world.asker, dry_run=False, confirm=True, **chosen)


def test_conversation_goes_with_all_that_was_reported_of_it(world: World) -> None:
    report(world, "s1")
    report(world, "s2")
    said = world.say("Said in it.", thread="s1")
    told = erase(world.engine, world.asker, thread="s1")
    assert (told.chosen, told.sessions) == ((said[:12],), ("s1",))
    with pytest.raises(Invalid):
        erase(world.engine, world.asker, thread="s1", dry_run=False)
    assert left(world) == [{"s1", "s2"}] * 3
    assert do(world, thread="s1").sessions == ("s1",)
    assert left(world) == [{"s2"}] * 3
    assert audit_verify(world.engine, world.asker).ok
    assert world.engine.store.problems() == []


def test_conversation_of_which_nothing_was_made_goes_too(world: World) -> None:
    report(world, "s1")
    before = world.seq()
    done = do(world, thread="s1")
    assert (done.total, done.seq, done.sessions) == (0, None, ("s1",))
    assert left(world) == [set()] * 3
    assert world.seq() == before
    assert do(world, thread="s1").sessions == ()


def test_project_goes_with_its_sessions_and_another_keeps_its_own(world: World) -> None:
    report(world, "s1")
    report(world, "s2", "meadow")
    world.say("In the orchard.")
    assert do(world, filter=Filter(projects=("orchard",))).sessions == ("s1",)
    assert left(world) == [{"s2"}] * 3
    assert do(world, thread="s2", filter=Filter(projects=("orchard",))).sessions == ()
    assert left(world) == [{"s2"}] * 3


def test_some_of_a_conversation_takes_the_raw_traces_and_leaves_the_session(world: World) -> None:
    report(world, "s1")
    report(world, "s2")
    world.say("Bo said so.", thread="s1", user="bo")
    world.say("Cy said so.", thread="s2", user="cy")
    assert do(world, user="bo").sessions == ()
    assert left(world) == [{"s2"}, {"s1", "s2"}, {"s1", "s2"}]
    assert world.read(lambda r: r.session("local", "s1")).title == ""
    assert do(world, thread="s2", filter=Filter(kinds=("incident",))).total == 0
    assert left(world)[0] == {"s2"}


def test_no_byte_of_an_erased_conversation_is_left(on_disk: World) -> None:
    report(on_disk, "s1")
    on_disk.say("Something else.")
    assert any(MARKER.encode() in raw for raw in on_disk.bytes().values())
    do(on_disk, thread="s1")
    assert not any(MARKER.encode() in raw for raw in on_disk.bytes().values())


def test_reports_are_not_in_a_bundle(world: World, tmp_path: Path) -> None:
    report(world, "s1")
    world.say("Known.")
    export(world.engine, world.asker, str(tmp_path / "bundle"))
    files = [file for file in tmp_path.rglob("*") if file.is_file() and "marrow.db" not in file.name]
    assert files
    assert not any(MARKER.encode() in file.read_bytes() for file in files)


def test_verb_settles_a_trace_with_what_it_makes_of_it(world: World) -> None:
    report(world, "s1")
    (first, _) = world.read(lambda r: r.traces("local"))
    made = Say("observation", "Made from it.", Occurrence(START, "s1"))
    submit(world.engine, world.asker, "observe", [made], also=lambda w: w.settle_traces("local", [first.number], DONE))
    assert [t.state for t in world.read(lambda r: r.traces("local"))] == [DONE, "raw"]
    assert world.seq() == 1


def test_backup_of_the_first_format_is_restored_and_backed_up_again(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "old.db"), scripts=migrations()[:1])
    clock = Ticking()
    first = World(Engine(store, FakeEmbedder(16), clock), Asker(Principal("ada"), Scope(project="orchard")), clock)
    address = first.say("From long ago.", thread="s1")
    store.close()
    make_world("sqlite", tmp_path, "old").engine.store.close()
    world = make_world("sqlite", tmp_path, "new")
    report(world, "s1")
    told = restore(world.engine, world.asker, str(tmp_path / "old.db.format-1.backup"))
    assert (told.dry_run, told.nodes) == (True, 1)
    restore(world.engine, world.asker, str(tmp_path / "old.db.format-1.backup"), dry_run=False, confirm=True)
    assert left(world) == [set()] * 3
    report(world, "s2")
    assert left(world) == [{"s2"}] * 3
    assert world.state(address) == "active"
    assert backup(world.engine, world.asker, str(tmp_path / "again.db")).nodes == 1
    world.engine.store.close()


def test_what_tells_of_a_session_goes_with_what_was_said_in_it(engine: Engine, asker: Asker, hand: Hand) -> None:
    claim = hand.say("Maria lives at Elm Street 12.", thread="s1")
    account = hand.say("Handoff: Maria lives at Elm Street 12.", kind="handoff", thread="s1", tags=("session-account",))
    other = hand.say("Handoff: something else", kind="handoff", thread="s2", tags=("session-account",))
    done = erase(engine, asker, address=claim, dry_run=False, confirm=True)
    assert done.total == 2
    with engine.store.reading() as reader:
        assert reader.records(asker.namespace, [claim, account], None, CURRENT) == []
        assert reader.records(asker.namespace, [other], None, CURRENT)
