"""The code map in the background: edits update it, traces heal it, a session's start makes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.app import Memories
from marrow.jobs.chores import Chores
from marrow.memory.code.callers import callers
from marrow.memory.code.kept_map import KeptMap
from marrow.store.code import Known

from .conftest import Home


def kept(home: Home) -> KeptMap:
    place = home.place()
    assert place.engine.maps is not None
    return place.engine.maps(place.asker.root)


def named(home: Home, name: str) -> list[Known]:
    with kept(home).reading() as reader:
        return reader.symbols_named(name)


@pytest.fixture
def source(home: Home) -> Path:
    path = home.folder / "one" / "app.py"
    path.write_text("def port():\n    return 8080\n", encoding="utf-8")
    return path


def edit(home: Home, source: Path, old: str, new: str) -> None:
    source.write_text(source.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    given = {"file_path": str(source), "old_string": old, "new_string": new}
    home.write("post-tool", tool="Edit", does="edit", input=given, output="ok")


def test_an_edit_that_a_hook_reports_is_in_the_map_at_once(home: Home, source: Path) -> None:
    kept(home).update(1)
    chores = home.chores()
    edit(home, source, "port", "harbour")
    chores.turn(lambda: False, lambda: False)
    assert named(home, "port") == []
    assert len(named(home, "harbour")) == 1


def test_an_edit_makes_no_map_where_there_is_none(home: Home, source: Path) -> None:
    edit(home, source, "port", "harbour")
    home.chores().turn(lambda: False, lambda: False)
    assert not kept(home).has_map()


def test_a_stack_trace_in_the_output_of_a_command_confirms_calls(home: Home, source: Path) -> None:
    source.write_text(
        "def run(name):\n    return globals()[name]()\n\n\ndef port():\n    return 1 / 0\n", encoding="utf-8"
    )
    kept(home).update(1)
    lines = [f'  File "{source}", line {line}, in {name}' for line, name in ((2, "run"), (6, "port"))]
    text = "\n".join(["Traceback (most recent call last):", *lines, "ZeroDivisionError: division by zero"])
    home.write("post-tool", tool="Bash", does="shell", input={"command": "python app.py"}, output={"stderr": text})
    home.chores().turn(lambda: False, lambda: False)
    with kept(home).reading() as reader:
        (symbol,) = reader.symbols_named("port")
        assert [site.reason for site in callers(reader, symbol).sites] == ["seen"]


def _waited(chores: Chores) -> None:
    mapper = chores._code._mapper
    assert mapper is not None
    mapper.wait(120)


def test_a_project_without_a_map_gets_one_after_a_session_began_and_while_it_is_quiet(home: Home, source: Path) -> None:
    chores = home.chores()
    home.write("session-start")
    chores.turn(lambda: False, lambda: False)
    chores.turn(lambda: False, lambda: False)
    assert not kept(home).has_map()
    while chores.turn(lambda: False, lambda: True):
        pass
    _waited(chores)
    assert len(named(home, "port")) == 1
    chores.stop()


def test_what_the_setting_leaves_out_is_not_mapped_in_the_background_either(home: Home, source: Path) -> None:
    (source.parent / ".marrow.toml").write_text('[ignore]\nextra = ["vendor/"]\n', encoding="utf-8")
    (source.parent / "vendor").mkdir()
    theirs = source.parent / "vendor" / "theirs.py"
    theirs.write_text("def theirs():\n    return 1\n", encoding="utf-8")
    chores = home.chores()
    home.write("session-start")
    while chores.turn(lambda: False, lambda: True):
        pass
    _waited(chores)
    assert (len(named(home, "port")), named(home, "theirs")) == (1, [])
    edit(home, theirs, "return 1", "return 2")
    chores.turn(lambda: False, lambda: False)
    assert named(home, "theirs") == []
    chores.stop()


def test_what_maps_ends_with_the_chores(home: Home, source: Path) -> None:
    chores = home.chores()
    home.write("session-start")
    while chores.turn(lambda: False, lambda: True):
        pass
    mapper = chores._code._mapper
    assert mapper is not None
    chores.stop()
    assert mapper.poll() is not None
    assert isinstance(home.memories, Memories)


def test_what_was_saved_before_the_map_was_made_is_pinned_when_it_is(home: Home, source: Path) -> None:
    memory = home.memories.at(str(source.parent))
    address = memory.save("`port` must stay below 9000.").items[0].address
    chores = home.chores()
    home.write("session-start")
    while chores.turn(lambda: False, lambda: True):
        pass
    _waited(chores)
    assert list(memory.get(address).anchors) == []
    chores.turn(lambda: False, lambda: True)
    assert sorted(memory.get(address).anchors) == ["file app.py", "symbol port"]
