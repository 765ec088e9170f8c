"""Doctor: says what is wrong and what to do, repairs what is derived, and never touches what is canonical."""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import pytest

import marrow
from marrow.memory.doctor import Diagnosis, doctor
from marrow.memory.engine import Engine
from marrow.memory.reindex import reindex
from marrow.model.errors import Forbidden, NotAStore, StoreDamaged
from marrow.providers.embedder import FakeEmbedder
from marrow.store import open_store

from . import fixtures_store
from .fixtures_store import NO_ADMIN, World, knowledge

world = fixtures_store.world
on_disk = fixtures_store.on_disk

CANONICAL = (
    "namespaces projects project_aliases nodes inputs entries occurrences standings links anchors events snapshots "
    "attachments"
).split()


def grown(world: World) -> World:
    a = world.say("The gate is green.", tags=("paint",))
    b = world.supersede(a, "The gate is blue.")
    world.relate(b, "enables", world.say("Plums are sold."))
    return world


def run(world: World, sql: str) -> None:
    with apsw.Connection(str(world.path)) as connection:
        connection.execute(sql)
    connection.close()


def canonical(world: World) -> dict[str, list[Any]]:
    """Every row that must never be touched, without the leaf that is derived from it."""
    with apsw.Connection(str(world.path)) as connection:
        found = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in CANONICAL}
    connection.close()
    found["standings"] = [row[:-1] for row in found["standings"]]
    return found


def said(diagnosis: Diagnosis, severity: str = "") -> list[str]:
    return [finding.what for finding in diagnosis.findings if severity in ("", finding.severity)]


def test_healthy_memory_has_nothing_above_a_note(world: World) -> None:
    found = doctor(grown(world).engine, world.asker)
    assert found.ok, found.findings
    assert found.repaired == ()
    assert found.counts["nodes"] == 3
    assert said(found, "error") == said(found, "warning") == []


def test_looking_changes_nothing(on_disk: World) -> None:
    grown(on_disk)
    run(on_disk, "DELETE FROM vectors")
    before = canonical(on_disk)
    found = doctor(on_disk.engine, on_disk.asker)
    assert not found.ok
    assert canonical(on_disk) == before
    assert said(doctor(on_disk.engine, on_disk.asker)) == said(found)


DERIVED = {
    "vectors are missing": ("DELETE FROM vectors WHERE entry % 2", "vector", "vectors"),
    "words are missing": ("DELETE FROM words WHERE rowid % 2", "keyword index", "keyword index"),
    "words are damaged": ("UPDATE words_data SET block = x'00112233' WHERE id > 10", "words", "keyword index"),
    "tree is wrong": ("UPDATE merkle SET children = zeroblob(512)", "kept tree", "tree"),
    "leaves are wrong": ("UPDATE standings SET leaf = zeroblob(32) WHERE leaf NOT NULL", "kept leaf", "tree"),
    "an erasure is unfinished": ("INSERT INTO facts VALUES ('sweep_due', '1')", "erasure", "swept"),
    "vectors are of another model": (
        "UPDATE facts SET value = '[\"other\", 16]' WHERE name = 'vector_model'",
        "the vectors are of other",
        "vectors with fake",
    ),
}


@pytest.mark.parametrize("what", DERIVED)
def test_whatever_is_derived_is_found_and_repaired(on_disk: World, what: str) -> None:
    grown(on_disk)
    sql, found_as, repaired_as = DERIVED[what]
    run(on_disk, sql)
    before = canonical(on_disk)
    found = doctor(on_disk.engine, on_disk.asker)
    assert any(found_as in line for line in said(found, "warning")), found.findings
    assert all(finding.do for finding in found.findings)
    healed = doctor(on_disk.engine, on_disk.asker, repair=True)
    assert any(repaired_as in line for line in healed.repaired), healed.repaired
    assert healed.ok, healed.findings
    assert canonical(on_disk) == before
    assert on_disk.read(lambda r: r.vector_model()) == on_disk.engine.model()
    assert on_disk.words("gate") == {"The gate is blue."}
    assert doctor(on_disk.engine, on_disk.asker, repair=True).repaired == ()


def test_words_of_an_older_marrow_are_a_note_and_are_renewed_by_a_repair(on_disk: World) -> None:
    grown(on_disk)
    run(on_disk, "DELETE FROM facts WHERE name = 'terms'")
    found = doctor(on_disk.engine, on_disk.asker)
    assert found.ok, found.findings
    assert any("older Marrow" in line for line in said(found, "note"))
    healed = doctor(on_disk.engine, on_disk.asker, repair=True)
    assert any("keyword index" in line for line in healed.repaired), healed.repaired
    assert not any("older Marrow" in line for line in said(healed))
    assert on_disk.words("gate") == {"The gate is blue."}


def break_page(world: World, table: str) -> None:
    """Other bytes over the first page of a table, which can then neither be read nor dropped."""
    with apsw.Connection(str(world.path)) as connection:
        connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).get
        size = connection.pragma("page_size")
    connection.close()
    world.engine.store.close()
    assert world.path is not None
    with world.path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)
    world.engine = replace(world.engine, store=open_store(str(world.path)))


BREAKABLE = "words_data words_idx words_config vectors merkle measurements measurements_by_at facts traces".split()


@pytest.mark.parametrize("table", BREAKABLE)
def test_derived_page_that_is_broken_is_repaired_in_a_new_file_and_the_broken_one_is_kept(
    on_disk: World, table: str
) -> None:
    grown(on_disk)
    before, known = canonical(on_disk), knowledge(on_disk)
    break_page(on_disk, table)
    found = doctor(on_disk.engine, on_disk.asker)
    assert said(found, "warning")
    assert said(found, "error") == []
    healed = doctor(on_disk.engine, on_disk.asker, repair=True)
    assert healed.ok, healed.findings
    assert any("anew" in line for line in healed.repaired)
    assert canonical(on_disk) == before
    assert knowledge(on_disk) == known
    assert on_disk.path is not None
    files = {file.name for file in on_disk.path.parent.glob(f"{on_disk.path.name}*")}
    assert len([name for name in files if ".before-repair-" in name]) == 1
    assert not [name for name in files if "rebuilding" in name]
    on_disk.say("The roof is red.")
    assert on_disk.words("roof") == {"The roof is red."}
    assert doctor(on_disk.engine, on_disk.asker).ok


def test_what_a_rebuild_that_was_killed_left_goes_with_the_next_once_nobody_can_be_at_work_on_it(
    on_disk: World,
) -> None:
    grown(on_disk)
    assert on_disk.path is not None
    old, young = (on_disk.path.with_name(f"{on_disk.path.name}.{pid}.rebuilding") for pid in (1, 2))
    for file in (old, young):
        file.write_text("half")
    journal = old.with_name(f"{old.name}-journal")
    journal.touch()
    long_ago = time.time() - 2 * 24 * 3600
    for file in (old, journal):
        os.utime(file, (long_ago, long_ago))
    on_disk.engine.store.sweep()
    assert [file.exists() for file in (old, journal, young)] == [False, False, True]
    assert str(young) in on_disk.engine.store.copies()


def test_reindex_also_mends_what_is_broken(on_disk: World) -> None:
    grown(on_disk)
    break_page(on_disk, "words_data")
    assert reindex(on_disk.engine, on_disk.asker, "words").words == 3
    assert on_disk.words("gate") == {"The gate is blue."}
    assert doctor(on_disk.engine, on_disk.asker).ok


def test_repair_that_fails_is_told_as_a_finding_and_not_as_a_repair(
    on_disk: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(on_disk)
    break_page(on_disk, "vectors")

    def fail(*given: object) -> None:
        raise StoreDamaged("A page cannot be read.", hint="Look with `marrow doctor`.")

    monkeypatch.setattr(on_disk.engine.store, "rebuild", fail)
    healed = doctor(on_disk.engine, on_disk.asker, repair=True)
    assert not healed.ok
    assert healed.repaired == ()
    assert "A page cannot be read" in healed.findings[0].what
    assert "export" in healed.findings[0].do


def test_damage_to_what_is_canonical_is_named_and_left_alone(on_disk: World) -> None:
    grown(on_disk)
    run(on_disk, "UPDATE nodes SET content = 'The gate is red.' WHERE content = 'The gate is blue.'")
    run(on_disk, "DELETE FROM vectors")
    before = canonical(on_disk)
    healed = doctor(on_disk.engine, on_disk.asker, repair=True)
    assert not healed.ok
    assert any("content gives" in line for line in said(healed, "error"))
    assert any("vectors" in line for line in healed.repaired), "what is derived is repaired all the same"
    assert said(healed, "warning") == []
    assert canonical(on_disk) == before


def test_truncated_file_is_told_with_what_to_do(on_disk: World) -> None:
    for number in range(100):
        on_disk.say(f"Claim {number} with some words to make it longer than a little.")
    on_disk.engine.store.close()
    assert on_disk.path is not None
    raw = on_disk.path.read_bytes()
    on_disk.path.write_bytes(raw[: len(raw) // 2])
    broken = Engine(open_store(str(on_disk.path)), on_disk.engine.embedder, on_disk.clock)
    found = doctor(broken, on_disk.asker, repair=True)
    assert not found.ok
    errors = [finding for finding in found.findings if finding.severity == "error"]
    assert "early" in errors[0].what
    assert "restore" in errors[0].do
    assert on_disk.path.read_bytes() == raw[: len(raw) // 2]
    broken.store.close()


def test_damaged_pages_are_told(on_disk: World) -> None:
    for number in range(300):
        on_disk.say(f"Claim {number} with some words to make it longer than a little.")
    with apsw.Connection(str(on_disk.path)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'events'").get
        size = connection.pragma("page_size")
    connection.close()
    on_disk.engine.store.close()
    assert on_disk.path is not None
    with on_disk.path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
    broken = Engine(open_store(str(on_disk.path)), on_disk.engine.embedder, on_disk.clock)
    found = doctor(broken, on_disk.asker)
    assert said(found, "error")
    assert found.counts is not None
    broken.store.close()


def test_other_embedder_is_a_warning_and_the_repair_makes_its_vectors(world: World) -> None:
    grown(world)
    other = replace(world.engine, embedder=FakeEmbedder(32))
    found = doctor(other, world.asker)
    assert any("fake-16/1" in line and "fake-32/1" in line for line in said(found, "warning"))
    healed = doctor(other, world.asker, repair=True)
    assert healed.ok
    assert world.read(lambda r: r.vector_model()) == other.model()


def test_file_that_others_can_read_is_told_and_closed_to_them(on_disk: World) -> None:
    grown(on_disk)
    assert on_disk.path is not None
    on_disk.path.chmod(0o644)
    found = doctor(on_disk.engine, on_disk.asker)
    assert any("mode 644" in line for line in said(found, "warning"))
    doctor(on_disk.engine, on_disk.asker, repair=True)
    assert on_disk.path.stat().st_mode & 0o777 == 0o600


def test_little_space_and_a_large_log_are_told(on_disk: World, monkeypatch: pytest.MonkeyPatch) -> None:
    grown(on_disk)
    total = shutil.disk_usage(".")
    monkeypatch.setattr("marrow.memory.doctor.shutil.disk_usage", lambda path: total._replace(free=1000))
    monkeypatch.setattr("marrow.memory.doctor.LOG_BYTES_MAX", 0)
    lines = said(doctor(on_disk.engine, on_disk.asker), "warning")
    assert any("1,000 bytes are free" in line for line in lines)
    assert any(line.startswith("the log has") for line in lines)


def test_memory_that_is_not_kept_is_a_note(tmp_path: Path) -> None:
    world = fixtures_store.make_world("memory", tmp_path)
    found = doctor(world.engine, world.asker)
    assert found.ok
    assert said(found, "note") == ["this memory is not kept on the disk"]


def test_repair_leaves_the_knowledge_as_it_is(world: World) -> None:
    grown(world)
    with world.engine.store.writing() as writer:
        writer.clear_words()
    before = knowledge(world)
    doctor(world.engine, world.asker, repair=True)
    assert knowledge(world) == before


def test_repair_needs_the_right_to_administer(world: World) -> None:
    doctor(world.engine, world.as_(rights=NO_ADMIN))
    with pytest.raises(Forbidden):
        doctor(world.engine, world.as_(rights=NO_ADMIN), repair=True)


def illegible(page: bytes, how: str) -> bytes:
    return {"zeros": bytes(len(page)), "noise": b"\xa5" * len(page), "magic": b"\xa5" * 16 + page[16:]}[how]


@pytest.mark.parametrize("how", ["zeros", "noise", "magic"])
def test_store_whose_first_page_is_gone_is_told_as_damaged_and_restored(tmp_path: Path, how: str) -> None:
    file, copy = tmp_path / "memory.db", tmp_path / "kept.backup"
    with marrow.open(tmp_path, store=str(file)) as memory:
        memory.save("The gate is green.")
        memory.backup(str(copy))
    raw = file.read_bytes()
    broken = illegible(raw[:4096], how) + raw[4096:]
    file.write_bytes(broken)
    with pytest.raises(NotAStore) as problem:
        marrow.open(tmp_path, store=str(file))
    assert "doctor" in problem.value.hint
    with marrow.open(tmp_path, store=str(file), create=False, damaged=True) as memory:
        found = memory.doctor(repair=True)
        assert not found.ok
        assert "damaged" in found.items[0]["what"]
        assert str(copy) in found.items[0]["do"]
        assert file.read_bytes() == broken
        would = memory.restore(str(copy), dry_run=True).text()
        assert f"{file}, which is damaged or never was a store, would be replaced, and kept beside it." in would
        done = memory.restore(str(copy), dry_run=False, confirm=True)
        assert Path(done.kept).read_bytes() == broken
        assert memory.search("gate").items[0].content == "The gate is green."
        assert memory.doctor().ok


def test_empty_file_beside_a_backup_is_no_healthy_store(tmp_path: Path) -> None:
    file, copy = tmp_path / "memory.db", tmp_path / "kept.backup"
    with marrow.open(tmp_path, store=str(file)) as memory:
        memory.save("The gate is green.")
        memory.backup(str(copy))
    for left in tmp_path.glob("memory.db*"):
        left.unlink()
    with marrow.open(tmp_path, store=str(file), create=False, damaged=True) as memory:
        gone = memory.doctor()
    assert gone.ok
    assert str(copy) in gone.items[0]["do"]
    file.touch()
    with marrow.open(tmp_path, store=str(file), create=False, damaged=True) as memory:
        found = memory.doctor()
    assert not found.ok
    assert "is empty" in found.items[0]["what"]
    assert str(copy) in found.items[0]["do"]
