"""The file of a map: what is put in comes out, and what is damaged or of another format is told from what is whole."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from marrow.model.code import Binding, Call, FileMap, Import, Symbol
from marrow.model.errors import NotFound, StoreDamaged
from marrow.store.code import FileRow, MapFile, map_file
from marrow.store.code.packing import (
    Link,
    Place,
    pack_calls,
    pack_links,
    pack_outline,
    pack_places,
    symbol_id,
    unpack_calls,
    unpack_links,
    unpack_outline,
    unpack_places,
)

MAP = FileMap(
    "python",
    "pkg",
    (
        Symbol("class", "Store", "Store", -1, 1, 9, "class Store(Base)", "Keeps.", ("final",), "ab", ("Base",)),
        Symbol("method", "close", "Store.close", 0, 3, 4, "def close(self)", hash="cd", returns="None"),
    ),
    (Import("os", "os", "", 1, True), Import("*", "x", "*", 2)),
    (Binding(1, "self"), Binding(0, "path", "Path", "", 1)),
    (Call(1, 4, 8, "self.path.unlink"), Call(-1, 9, 0, "Store{}")),
    2,
)


def made(path: Path) -> MapFile:
    file = MapFile(path)
    with file.making() as (_, writer):
        writer.add_files([FileRow(1, "a.py", "python", state="mapped")])
        writer.add_texts([(1, pack_outline(MAP), pack_calls(MAP.calls))])
        writer.add_symbols([(symbol_id(1, 0), "Store", "", "class", 1, 9, None, 0, 0)])
        writer.index()
    return file


def test_a_map_is_read_as_it_was_written() -> None:
    outline, numbers = unpack_outline(pack_outline(MAP))
    assert outline._replace(calls=unpack_calls(pack_calls(MAP.calls))) == MAP
    assert numbers is None
    assert list(unpack_outline(pack_outline(MAP, [4, 2]))[1] or ()) == [4, 2]


def test_an_empty_map_is_read_as_it_was_written() -> None:
    empty = FileMap("go")
    assert unpack_outline(pack_outline(empty))[0] == empty
    assert unpack_calls(pack_calls(())) == ()


@pytest.mark.parametrize(
    "calls",
    [
        (Call(0, 1, 2, "a\0b"), Call(0, 1, 2, "c")),  # what stands between texts stands in one
        (Call(-1, 40_000, 2, "a"), Call(3, 70_000, 0, "")),  # a number that two bytes do not hold
        (Call(1, 1, 1, "a", "type"), Call(1, 1, 1, "a", "type")),
    ],
)
def test_whatever_a_column_holds_is_read_as_it_was_written(calls: tuple[Call, ...]) -> None:
    assert unpack_calls(pack_calls(calls)) == calls


def test_hashes_and_values_that_are_not_always_there_are_read_as_they_were_written() -> None:
    symbols = tuple(Symbol("class", "a", "a", -1, 1, 1, hash=f"{n:016x}") for n in (0, 2**64 - 1))
    bindings = (Binding(1, "a", within=40_000), Binding(1, "b", "B"))
    assert unpack_outline(pack_outline(FileMap("c", "", symbols, (), bindings)))[0][2:5] == (symbols, (), bindings)


def test_a_part_of_which_a_byte_changed_is_damage() -> None:
    data = pack_calls(MAP.calls)
    with pytest.raises(StoreDamaged):
        unpack_calls(data[:-1] + bytes((data[-1] ^ 1,)))


def test_links_and_places_are_read_as_they_were_written() -> None:
    links = [Link(0, symbol_id(70_000, 3), "local"), Link(900, symbol_id(2, 0), "seen")]
    assert unpack_links(pack_links(links)) == links
    places = [Place(-1, 1, "unique"), Place(7, 60_000, "import")]
    assert unpack_places(pack_places(places)) == places


def test_bytes_that_are_no_map_are_damage() -> None:
    with pytest.raises(StoreDamaged):
        unpack_outline(b"nothing of the kind")


def test_a_map_that_is_not_finished_takes_nothings_place(tmp_path: Path) -> None:
    file = made(tmp_path / "x.map")
    with suppress(RuntimeError), file.making() as (_, writer):
        writer.add_files([FileRow(1, "other.py", "python", state="mapped")])
        raise RuntimeError
    with file.reading() as reader:
        assert [row.path for row in reader.files()] == ["a.py"]
    assert [path.name for path in tmp_path.iterdir() if ".new" in path.name] == []


def test_a_file_that_another_process_put_in_its_place_is_read(tmp_path: Path) -> None:
    first = made(tmp_path / "x.map")
    with first.reading() as reader:
        assert len(reader.files()) == 1
    second = MapFile(tmp_path / "x.map")
    with second.making() as (_, writer):
        writer.add_files([FileRow(1, "b.py", "python"), FileRow(2, "c.py", "python")])
        writer.index()
    with first.reading() as reader:
        assert [row.path for row in reader.files()] == ["b.py", "c.py"]


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    file = made(tmp_path / "x.map")
    file.close()
    content = file.path.read_bytes()
    file.path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    with pytest.raises(StoreDamaged), file.reading() as reader:
        reader.files()


def test_a_file_of_another_format_counts_as_damaged(tmp_path: Path) -> None:
    file = made(tmp_path / "x.map")
    file.close()
    connection = apsw.Connection(str(file.path))
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    with pytest.raises(StoreDamaged), file.reading() as reader:
        reader.files()


def test_no_file_is_not_found(tmp_path: Path) -> None:
    file = MapFile(tmp_path / "none.map")
    assert not file.exists()
    with pytest.raises(NotFound), file.reading():
        pass


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    file = made(tmp_path / "x.map")
    with suppress(RuntimeError), file.writing() as writer:
        writer.set_about("key", "value")
        raise RuntimeError
    with file.reading() as reader:
        assert reader.about("key") is None


def test_loose_names_come_and_go_by_file(tmp_path: Path) -> None:
    file = made(tmp_path / "x.map")
    with file.writing() as writer:
        writer.change_loose(1, (), ("open", "run"))
        writer.change_loose(2, (), ("open",))
        writer.change_loose(1, ("open",), ())
        assert writer.loose("open") == [2]
        assert writer.loose("run") == [1]
        writer.change_loose(2, ("open",), ())
        assert writer.loose("open") == []


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    file = made(tmp_path / "maps" / "x.map")
    assert file.path.stat().st_mode & 0o077 == 0
    assert file.path.parent.stat().st_mode & 0o077 == 0


def test_every_named_query_is_used_and_every_query_that_is_run_exists() -> None:
    folder = Path(map_file.__file__).parent
    names = re.findall(r"^-- name: (\w+)", (folder / "queries.sql").read_text(encoding="utf-8"), re.M)
    texts = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py"))
    run = set(re.findall(r"_(?:run|many)\(\s*\"(\w+)\"", texts))
    assert sorted(set(names)) == sorted(names)
    assert run <= set(names)
    assert [name for name in names if f'"{name}"' not in texts] == []
