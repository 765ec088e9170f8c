"""Backup and restore: the whole store, kept and put back."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import apsw
import pytest

from marrow.memory.audit_verify import audit_verify
from marrow.memory.backup import backup
from marrow.memory.engine import Engine
from marrow.memory.restore import restore
from marrow.model.errors import Conflict, Forbidden, Invalid, NotAStore, NotFound, StoreDamaged
from marrow.store import open_store

from . import fixtures_store
from .fixtures_store import NO_ADMIN, World, in_namespace, knowledge, make_world

on_disk = fixtures_store.on_disk


def grown(world: World) -> World:
    a = world.say("The gate is green.", tags=("paint",))
    world.supersede(a, "The gate is blue.")
    world.say("Elsewhere.", project="meadow")
    return world


def test_backup_is_a_store_with_everything_in_it(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    made = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db"))
    assert (made.nodes, made.head.root) == (3, on_disk.root())
    assert made.bytes == (tmp_path / "b.db").stat().st_size
    assert stat.S_IMODE((tmp_path / "b.db").stat().st_mode) == 0o600
    copy = World(
        Engine(open_store(str(tmp_path / "b.db")), on_disk.engine.embedder, on_disk.clock), on_disk.asker, on_disk.clock
    )
    assert knowledge(copy) == knowledge(on_disk)
    assert audit_verify(copy.engine, copy.asker).ok
    copy.engine.store.close()


def test_backup_names_a_text_that_was_changed_behind_its_address(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    assert backup(on_disk.engine, on_disk.asker, str(tmp_path / "sound.db")).altered == ()
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("UPDATE nodes SET content = 'The gate is red.' WHERE content = 'The gate is blue.'")
    connection.close()
    made = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db"))
    assert len(made.altered) == 1
    assert "does not have the address" in made.altered[0]
    assert (tmp_path / "b.db").exists()


def test_backup_leaves_no_other_file_and_does_not_overwrite(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    folder = tmp_path / "backups"
    folder.mkdir()
    backup(on_disk.engine, on_disk.asker, str(folder / "b.db"))
    assert [file.name for file in folder.iterdir()] == ["b.db"]
    before = (folder / "b.db").read_bytes()
    with pytest.raises(Conflict) as problem:
        backup(on_disk.engine, on_disk.asker, str(folder / "b.db"))
    assert problem.value.field == "path"
    assert (folder / "b.db").read_bytes() == before
    with pytest.raises(NotFound):
        backup(on_disk.engine, on_disk.asker, str(tmp_path / "nowhere" / "b.db"))


def test_memory_that_is_not_on_the_disk_says_what_to_do_instead(tmp_path: Path) -> None:
    world = make_world("memory", tmp_path)
    with pytest.raises(Conflict, match="export"):
        backup(world.engine, world.asker, str(tmp_path / "b.db"))
    (tmp_path / "x").write_text("x")
    with pytest.raises(Conflict):
        restore(world.engine, world.asker, str(tmp_path / "x"), dry_run=False, confirm=True)


def test_backup_and_restore_need_the_right_to_administer(on_disk: World, tmp_path: Path) -> None:
    made = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path
    for asker in (on_disk.as_(rights=NO_ADMIN), on_disk.as_(projects=frozenset({"orchard"}))):
        with pytest.raises(Forbidden):
            backup(on_disk.engine, asker, str(tmp_path / "c.db"))
        with pytest.raises(Forbidden):
            restore(on_disk.engine, asker, made, dry_run=False, confirm=True)


def test_tenant_among_others_can_neither_carry_off_nor_turn_back_the_whole_store(
    on_disk: World, tmp_path: Path
) -> None:
    grown(on_disk)
    made = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path
    tenant = in_namespace(on_disk, "tenant")
    World(on_disk.engine, tenant, on_disk.clock).say("Ours.")
    with pytest.raises(Forbidden):
        backup(on_disk.engine, tenant, str(tmp_path / "c.db"))
    with pytest.raises(Forbidden):
        restore(on_disk.engine, tenant, made, dry_run=False, confirm=True)
    assert not (tmp_path / "c.db").exists()


def test_restore_puts_everything_back_and_keeps_what_was_there(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    then = knowledge(on_disk)
    path = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path
    later = on_disk.say("Said after the backup.")
    now = knowledge(on_disk)
    told = restore(on_disk.engine, on_disk.asker, path)
    assert told.dry_run
    assert told.before is not None
    assert (told.head.seq, told.before.seq) == (3, 4)
    assert knowledge(on_disk) == now
    with pytest.raises(Invalid) as problem:
        restore(on_disk.engine, on_disk.asker, path, dry_run=False)
    assert problem.value.field == "confirm"
    assert knowledge(on_disk) == now
    done = restore(on_disk.engine, on_disk.asker, path, dry_run=False, confirm=True)
    assert knowledge(on_disk) == then
    assert on_disk.record(later) is None
    assert on_disk.words("after") == set()
    assert Path(done.kept).exists()
    assert stat.S_IMODE(Path(done.kept).stat().st_mode) == 0o600
    restore(on_disk.engine, on_disk.asker, done.kept, dry_run=False, confirm=True)
    assert knowledge(on_disk) == now
    assert on_disk.say("And it goes on.")
    assert audit_verify(on_disk.engine, on_disk.asker).ok


def test_file_that_is_no_backup_is_refused_and_nothing_changes(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    before = knowledge(on_disk)
    files = set(tmp_path.iterdir())
    (tmp_path / "text").write_text("not a store at all, only some words")
    with pytest.raises(NotAStore):
        restore(on_disk.engine, on_disk.asker, str(tmp_path / "text"), dry_run=False, confirm=True)
    with pytest.raises(NotFound):
        restore(on_disk.engine, on_disk.asker, str(tmp_path / "nothing"), dry_run=False, confirm=True)
    with pytest.raises(Invalid):
        restore(on_disk.engine, on_disk.asker, str(on_disk.path), dry_run=False, confirm=True)
    assert knowledge(on_disk) == before
    assert set(tmp_path.iterdir()) - files == {tmp_path / "text"}


def test_damaged_backup_is_refused(on_disk: World, tmp_path: Path) -> None:
    for number in range(300):
        on_disk.say(f"Claim number {number} of a good many, with words in it.")
    path = Path(backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path)
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])
    before = knowledge(on_disk)
    with pytest.raises(StoreDamaged):
        restore(on_disk.engine, on_disk.asker, str(path), dry_run=False, confirm=True)
    assert knowledge(on_disk) == before


def test_backup_that_was_copied_into_place_by_hand_can_be_restored_over(on_disk: World, tmp_path: Path) -> None:
    """It has no log, so its one lock keeps readers out too."""
    grown(on_disk)
    source = str(tmp_path / "b.db")
    backup(on_disk.engine, on_disk.asker, source)
    place = tmp_path / "copied.db"
    shutil.copyfile(source, place)
    copied = World(Engine(open_store(str(place)), on_disk.engine.embedder, on_disk.clock), on_disk.asker, on_disk.clock)
    restore(copied.engine, copied.asker, source, dry_run=False, confirm=True)
    assert knowledge(copied) == knowledge(on_disk)
    assert [file.stat().st_size > 0 for file in tmp_path.glob("copied.db.before-restore-*")] == [True]
    copied.engine.store.close()


def test_backup_without_vectors_or_words_can_be_restored_for_they_are_derived(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    path = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path
    with apsw.Connection(path) as connection:
        connection.execute("DELETE FROM vectors")
        connection.execute("INSERT INTO words (words) VALUES ('delete-all')")
    connection.close()
    restore(on_disk.engine, on_disk.asker, path, dry_run=False, confirm=True)
    assert on_disk.engine.store.problems() != []
    assert audit_verify(on_disk.engine, on_disk.asker).ok


def test_damaged_store_can_be_restored_and_its_bytes_are_kept(on_disk: World, tmp_path: Path) -> None:
    for number in range(300):
        on_disk.say(f"Claim number {number} of a good many, with words in it.")
    then = knowledge(on_disk)
    path = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path
    on_disk.engine.store.close()
    assert on_disk.path is not None
    raw = on_disk.path.read_bytes()
    on_disk.path.write_bytes(raw[: len(raw) // 3])
    broken = open_store(str(on_disk.path))
    world = World(Engine(broken, on_disk.engine.embedder, on_disk.clock), on_disk.asker, on_disk.clock, on_disk.path)
    done = restore(world.engine, world.asker, path, dry_run=False, confirm=True)
    assert knowledge(world) == then
    assert world.say("And it goes on.")
    assert Path(done.kept).exists()
    broken.close()


def test_restored_vectors_of_another_model_are_told(on_disk: World, tmp_path: Path) -> None:
    grown(on_disk)
    path = backup(on_disk.engine, on_disk.asker, str(tmp_path / "b.db")).path
    other = Engine(on_disk.engine.store, fixtures_store.FakeEmbedder(8), on_disk.clock)
    assert "reindex" in restore(other, on_disk.asker, path, dry_run=False, confirm=True).vectors
    assert restore(on_disk.engine, on_disk.asker, path, dry_run=False, confirm=True).vectors == ""
