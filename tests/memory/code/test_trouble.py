"""What goes wrong around a map: other processes, kills, damage, names that are no text."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import apsw
import pytest

from marrow.memory.code import build as build_module
from marrow.memory.code import kept_map as kept_module
from marrow.memory.code import update as update_module
from marrow.memory.code.callers import callers
from marrow.memory.code.impact import impact
from marrow.memory.code.kept_map import KeptMap
from marrow.memory.code.orphans import orphans
from marrow.model.errors import StoreDamaged
from marrow.store.code import MapFile

from .conftest import Project, edges, symbol


def another(project: Project) -> KeptMap:
    """As another process has it."""
    return KeptMap(project.kept.root, MapFile(project.kept.file.path))


def test_a_map_that_another_process_made_anew_is_not_taken_for_the_one_before(mapped: Project, tmp_path: Path) -> None:
    mapped.write("aa.py", "def first():\n    return 1\n")  # every file has another number from now on
    another(mapped).rebuild(1)
    mapped.replace("shop/lines.py", "def joined", "def glued")
    mapped.update()
    fresh = KeptMap(mapped.kept.root, MapFile(tmp_path / "fresh.map"))
    fresh.rebuild(1)
    assert edges(mapped.kept) == edges(fresh)


def test_what_a_killed_process_began_is_taken_away(project: Project) -> None:
    place = project.kept.file.path
    place.parent.mkdir(parents=True)
    left = [place.with_name(f"{place.name}.77-1.new{suffix}") for suffix in ("", "-wal", "-shm")]
    other = place.with_name("another.map.77-1.new")
    for path in (*left, other):
        path.write_bytes(b"half")
    project.update()
    assert not any(path.exists() for path in left)
    assert other.exists()


def test_who_waited_for_another_process_has_a_whole_map_if_that_was_asked_for(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, may_end = threading.Event(), threading.Event()
    built = build_module.build

    def slow(*given: object, **more: object) -> None:
        built(*given, **more)  # type: ignore[arg-type]
        began.set()
        may_end.wait(30)

    monkeypatch.setattr(kept_module, "build", slow)
    first = threading.Thread(target=lambda: another(project).update(1, whole=False))
    first.start()
    began.wait(30)
    monkeypatch.undo()
    waiting = another(project)
    monkeypatch.setattr(waiting.file, "exists", iter([False, *[True] * 100]).__next__)
    may_end.set()
    waiting.update(2, whole=True)
    first.join()
    assert waiting.is_whole()


def test_a_language_whose_parser_may_never_end_is_parsed_where_it_can_be_killed(
    mapped: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(path: str, source: bytes) -> None:
        raise AssertionError(f"{path} was parsed in this process")

    monkeypatch.setattr(update_module, "parse", never)
    mapped.write("shop/Till.kt", "fun opened(): Int = 1\n")
    mapped.update()
    with mapped.kept.reading() as reader:
        assert symbol(reader, "opened").name == "opened"


def test_damage_that_shows_while_reading_is_gone_the_next_time(mapped: Project) -> None:
    with mapped.kept.file.writing() as writer:
        writer.change_text(2, b"no outline", b"no calls")
    with pytest.raises(StoreDamaged), mapped.kept.reading() as reader:
        reader.whole(2)
    mapped.update()
    with mapped.kept.reading() as reader:
        assert all(reader.whole(row.id) is not None for row in reader.files() if row.state == "mapped")


def test_a_map_that_contradicts_itself_is_made_again(mapped: Project) -> None:
    connection = apsw.Connection(str(mapped.kept.file.path))
    connection.execute("UPDATE files SET id = 1000 WHERE path = 'shop/lines.py'")
    connection.execute("INSERT INTO files (id, path, language, state) VALUES (1001, 'shop/new.py', 'python', 'mapped')")
    connection.close()
    mapped.write("shop/new.py", "def fresh():\n    return 1\n")
    mapped.update()
    with mapped.kept.reading() as reader:
        assert symbol(reader, "fresh").path == "shop/new.py"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="there every name is text")
def test_a_file_whose_name_is_no_text_keeps_nothing_else_from_being_mapped(project: Project) -> None:
    root = os.fsencode(project.root)
    names = [b"caf\xe9.py", b"caf\xe9.bin"]
    for name in names:
        Path(os.fsdecode(os.path.join(root, name))).write_bytes(b"def f():\n    return 1\n")
    project.update()
    project.kept.update(5, only=[os.fsdecode(names[0])])
    with project.kept.reading() as reader:
        assert symbol(reader, "Store.save").path == "shop/store.py"


def test_a_process_that_ends_between_parts_leaves_names_and_calls_that_fit(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.kept.update(1, whole=False)
    monkeypatch.setattr(build_module, "PART_FILES", 1)
    with project.kept.reading() as reader:
        waiting = reader.files_stale(-1)
    asked = iter([True, False])
    build_module.resolve_waiting(project.kept.file, project.kept.root, waiting, lambda _: next(asked), None)
    with project.kept.reading() as reader:
        (done,) = set(waiting) - set(reader.files_stale(-1))
        loose = {name for name in ("joined", "Store", "save", "flush", "sorted", "join") if done in reader.loose(name)}
        linked = {link.call for link in reader.links(done)}
        calls = reader.calls(done)
    assert loose == {call.chain.rpartition(".")[2] for at, call in enumerate(calls) if at not in linked} - {""}


VALUES = """def by_size(one):
    return len(one)


def nowhere():
    return 1


class Box:
    @property
    def size(self):
        return 1


def main(boxes):
    return sorted(boxes, key=by_size)[0].size
"""


def test_what_is_handed_on_as_a_value_or_read_as_a_property_is_no_orphan(project: Project) -> None:
    project.write("boxes.py", VALUES)
    project.update()
    with project.kept.reading() as reader:
        found = {one.qualified for one in orphans(reader) if one.path == "boxes.py"}
        assert not callers(reader, symbol(reader, "by_size")).sites
    assert found == {"nowhere"}


def test_what_is_left_out_of_an_impact_is_counted_once(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write(
        "many.py", "def low():\n    return 1\n\n\ndef high():\n    low()\n    low()\n\n\ndef top():\n    low()\n"
    )
    project.write("tests/test_many.py", "from many import low\n\n\ndef test_low():\n    low()\n")
    project.update()
    monkeypatch.setattr("marrow.memory.code.impact.REACHED_MAX", 1)
    with project.kept.reading() as reader:
        found = impact(reader, [symbol(reader, "low")], distance=1)
    assert (len(found.dependents), len(found.tests), found.left_out) == (1, 1, 1)
