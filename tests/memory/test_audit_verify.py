"""Audit verify: an untouched memory verifies, and whatever is altered is named."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from marrow.memory.audit_verify import audit_verify
from marrow.memory.erase import erase
from marrow.memory.export import export
from marrow.memory.import_bundle import import_bundle
from marrow.memory.snapshot import snapshot_create, snapshot_restore
from marrow.model.errors import Forbidden
from marrow.model.merkle import BUCKET_DIGITS
from marrow.store.chains import packed

from . import fixtures_store
from .fixtures_store import World, make_world

world = fixtures_store.world
on_disk = fixtures_store.on_disk


def history(world: World) -> list[str]:
    """A memory with something of everything in it; the addresses of four nodes."""
    a = world.say("The gate is green.", tags=("paint",))
    b = world.say("The fence is white.", thread="t", metadata={"owner": "ada"})
    world.relate(a, "relates_to", b)
    snapshot_create(world.engine, world.asker, "first")
    c = world.supersede(a, "The gate is blue.")
    world.say("The fence is white.")
    d = world.say("Elsewhere.", project="meadow")
    snapshot_restore(world.engine, world.asker, "first", dry_run=False, confirm=True)
    world.say("The gate is blue.")
    snapshot_create(world.engine, world.asker, "second")
    return [a, b, c, d]


def with_attachment(world: World, folder: Path) -> None:
    other = make_world("memory", folder, "foreign")
    other.say("Said in another memory.")
    other.say("Said there too.")
    export(other.engine, other.asker, str(folder / "foreign.bundle"))
    import_bundle(world.engine, world.asker, str(folder / "foreign.bundle"))


def test_untouched_memory_verifies(world: World, tmp_path: Path) -> None:
    history(world)
    with_attachment(world, tmp_path)
    found = audit_verify(world.engine, world.asker)
    assert found.problems == ()
    assert found.ok
    assert found.checked["nodes"] == 6
    assert found.checked["events"] == world.seq()
    assert found.checked["snapshots"] == 2
    assert found.checked["attached chains"] == 1
    assert found.checked["inner nodes"] > BUCKET_DIGITS


def test_empty_memory_verifies(world: World) -> None:
    assert audit_verify(world.engine, world.asker).ok


def test_memory_verifies_after_an_erasure_although_old_roots_cannot_be_computed_any_more(world: World) -> None:
    a, *_ = history(world)
    erase(world.engine, world.asker, address=a, dry_run=False, confirm=True)
    found = audit_verify(world.engine, world.asker)
    assert found.problems == ()


def test_another_namespace_is_not_looked_at(world: World) -> None:
    history(world)
    found = audit_verify(world.engine, fixtures_store.in_namespace(world, "theirs"))
    assert found.ok
    assert found.checked.get("nodes", 0) == 0


def test_verifying_needs_the_right_to_read_everything(world: World) -> None:
    with pytest.raises(Forbidden):
        audit_verify(world.engine, world.as_(projects=frozenset({"orchard"})))


DAMAGES = {
    "content": (
        "UPDATE nodes SET content = 'The gate is red.' WHERE content = 'The gate is green.'",
        "{a}",
        "content gives",
    ),
    "node's row": (
        "DELETE FROM entries WHERE node = (SELECT id FROM nodes WHERE address = x'{b_raw}')",
        "{b}",
        "no project",
    ),
    "occurrences": ("DELETE FROM occurrences WHERE thread = 't' OR metadata = '{{}}'", "{b}", "never said"),
    "standing": (
        "UPDATE standings SET confidence = 0.1 WHERE until = 4611686018427387904 AND entry IN "
        "(SELECT e.id FROM entries e JOIN nodes n ON n.id = e.node WHERE n.address = x'{b_raw}')",
        "standings give the root",
        "",
    ),
    "unreadable standing": (
        "UPDATE standings SET classification = 'nonsense' WHERE until = 4611686018427387904 AND entry IN "
        "(SELECT e.id FROM entries e JOIN nodes n ON n.id = e.node WHERE n.address = x'{b_raw}')",
        "{b}",
        "cannot be read",
    ),
    "tags that are no JSON": (
        "UPDATE standings SET tags = '[oops' WHERE until = 4611686018427387904 AND entry IN "
        "(SELECT e.id FROM entries e JOIN nodes n ON n.id = e.node WHERE n.address = x'{b_raw}')",
        "{b}",
        "cannot be read",
    ),
    "event": ("UPDATE events SET actor = 'mallory' WHERE seq = 2", "event 2 ", "hash"),
    "event's time": ("UPDATE events SET at = 5 WHERE seq = 3", "event 3 ", "earlier"),
    "event that is gone": ("DELETE FROM events WHERE seq = 4", "events 4 to 4 are missing", ""),
    "end of the chain": (
        "DELETE FROM events WHERE seq = (SELECT max(seq) FROM events)",
        "the chain ends at",
        "head says",
    ),
    "named node": (
        "UPDATE events SET addresses = x'{b_raw}' WHERE seq = 1",
        "event 1 names a node",
        "{b}",
    ),
    "root of an event": ("UPDATE events SET root = zeroblob(32) WHERE seq = 4", "event 4 ", "hash"),
    "head": ("UPDATE namespaces SET hash = zeroblob(32)", "the chain ends at", ""),
    "snapshot": (
        "UPDATE snapshots SET root = zeroblob(32) WHERE name = 'second'",
        "snapshot 'second'",
        "root of event",
    ),
    "snapshot that is gone": ("DELETE FROM snapshots WHERE name = 'first'", "event 4 took is missing", ""),
    "snapshot at another event": (
        "UPDATE snapshots SET (seq, root) = (SELECT seq, root FROM events WHERE seq = 2) WHERE name = 'first'",
        "snapshot 'first' was not taken by event 2",
        "",
    ),
    "snapshot that nobody took": (
        "INSERT INTO snapshots SELECT namespace, 'third', seq, root, at, '[]', '' FROM events WHERE seq = 2",
        "snapshot 'third' was not taken by event 2",
        "",
    ),
    "past standing": (
        "UPDATE standings SET priority = 0.123 WHERE start = 1",
        "snapshot 'first'",
        "standings at event",
    ),
    "kept tree": ("UPDATE merkle SET children = zeroblob(512) WHERE prefix = ''", "kept tree is wrong below", ""),
    "kept leaf": (
        "UPDATE standings SET leaf = zeroblob(32) WHERE leaf IS NOT NULL AND entry IN "
        "(SELECT e.id FROM entries e JOIN nodes n ON n.id = e.node WHERE n.address = x'{b_raw}')",
        "kept leaf",
        "{b}",
    ),
    "attached chain": ("UPDATE attachments SET chain = x'00'", "the chain that came with event", "cannot be read"),
    "length of an attached chain": ("UPDATE attachments SET length = 7", "the chain that came with event", "end where"),
}


@pytest.mark.parametrize("what", DAMAGES)
def test_whatever_is_altered_is_named(on_disk: World, tmp_path: Path, what: str) -> None:
    a, b, _, _ = history(on_disk)
    with_attachment(on_disk, tmp_path)
    assert audit_verify(on_disk.engine, on_disk.asker).ok
    sql, *expected = DAMAGES[what]
    names = {"a": a[:12], "b": b[:12], "a_raw": a, "b_raw": b}
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute(sql.format(**names))
        assert connection.changes() > 0
    connection.close()
    found = audit_verify(on_disk.engine, on_disk.asker)
    assert not found.ok
    parts = [part.format(**names) for part in expected]
    assert any(all(part in problem for part in parts) for problem in found.problems), found.problems


def test_altered_event_of_an_attached_chain_is_named(on_disk: World, tmp_path: Path) -> None:
    with_attachment(on_disk, tmp_path)
    with on_disk.engine.store.writing() as writer:
        (attached,) = writer.attachments("local")
        assert attached.chain is not None
        forged = type(attached.chain[0])(
            **{
                **{name: getattr(attached.chain[0], name) for name in attached.chain[0].__slots__},
                "summary": "nothing happened",
            }
        )
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("UPDATE attachments SET chain = ?", (packed((forged, *attached.chain[1:])),))
    connection.close()
    found = audit_verify(on_disk.engine, on_disk.asker)
    assert found.problems == (
        f"the chain that came with event {attached.seq}: event 1 does not have the hash that its content gives",
    )


def test_damage_to_the_kept_tree_is_told_apart_from_damage_to_the_memory(on_disk: World) -> None:
    history(on_disk)
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("UPDATE merkle SET children = zeroblob(512)")
    connection.close()
    found = audit_verify(on_disk.engine, on_disk.asker)
    assert found.problems
    assert found.problems == found.derived


def test_progress_is_told(world: World) -> None:
    told: list[tuple[int, int | None]] = []
    audit_verify(world.engine, world.asker, progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (256, 256)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
