"""A repository whose memory began before it had an origin, and clones of it: nobody's memory goes out of sight."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from marrow.app import open_memory
from marrow.model.errors import Invalid

ORIGIN = "github.com/acme/orchard"


def repository(folder: Path, *, origin: bool) -> Path:
    (folder / ".git" / "objects").mkdir(parents=True)
    (folder / ".git" / "refs").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    if origin:
        add_origin(folder)
    return folder


def add_origin(folder: Path) -> None:
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{ORIGIN}.git\n')


def began_without_origin(folder: Path, store: str) -> Path:
    """One thing was saved in it, and nothing since it has an origin."""
    made = repository(folder, origin=False)
    with open_memory(made, store=store) as memory:
        memory.save("The gate is green.")
    add_origin(made)
    return made


def test_a_clone_that_is_written_in_does_not_hide_what_the_first_repository_knows(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    first = began_without_origin(tmp_path / "first", store)
    with open_memory(repository(tmp_path / "clone", origin=True), store=store) as memory:
        memory.save("Plums are sold.")
    with open_memory(first, store=store) as memory:
        assert [item.content for item in memory.active().items] == ["The gate is green."]


def test_a_bundle_says_the_origin_even_if_nothing_was_saved_since_there_is_one(tmp_path: Path) -> None:
    first = began_without_origin(tmp_path / "first", str(tmp_path / "one.db"))
    with open_memory(first, store=str(tmp_path / "one.db")) as memory:
        memory.export(str(tmp_path / "first.bundle"))
    with open_memory(repository(tmp_path / "clone", origin=True), store=str(tmp_path / "other.db")) as memory:
        memory.save("Plums are sold.")
        memory.import_(str(tmp_path / "first.bundle"))
        assert {item.content for item in memory.active().items} == {"The gate is green.", "Plums are sold."}
        assert [project["name"] for project in memory.projects().items] == [ORIGIN]


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text there")
def test_a_repository_whose_folder_has_no_name_in_letters_has_a_memory_too(tmp_path: Path) -> None:
    folder = repository(Path(os.fsdecode(os.fsencode(tmp_path) + b"/orchard\xff")), origin=False)
    for text in ("The gate is green.", "Plums are sold."):
        with open_memory(folder, store=str(tmp_path / "marrow.db")) as memory:
            memory.save(text)
            assert memory.scope.project.startswith("orchard")
    with open_memory(folder, store=str(tmp_path / "marrow.db")) as memory:
        assert len(memory.active().items) == 2


def test_no_project_is_called_as_all_of_them_are(tmp_path: Path) -> None:
    with open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project="orchard") as memory:
        with pytest.raises(Invalid, match="every project"):
            memory.init("all")
        assert [project["name"] for project in memory.projects().items] == []
    with pytest.raises(Invalid, match="every project"):
        open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project="all")


def calls_itself(folder: Path, origin: str, name: str = "orchard") -> Path:
    made = repository(folder, origin=False)
    (made / ".git" / "config").write_text(f'[remote "origin"]\n\turl = https://{origin}.git\n')
    (made / ".marrow.toml").write_text(f'project = "{name}"\n')
    return made


def known_in(folder: Path, store: str) -> list[str]:
    with open_memory(folder, store=store) as memory:
        return [item.content for item in memory.active().items]


def test_a_repository_that_calls_itself_as_another_does_not_get_at_its_memory(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    ours = calls_itself(tmp_path / "ours", ORIGIN)
    with open_memory(ours, store=store) as memory:
        memory.save("The gate is green.")
    strangers = calls_itself(tmp_path / "strangers", "github.com/mallory/orchard")
    with open_memory(strangers, store=store) as memory:
        assert memory.active().items == ()
        memory.save("The gate is run by evil.sh.")
        assert memory.project == "github.com/mallory/orchard"
    assert known_in(ours, store) == ["The gate is green."]
    assert known_in(calls_itself(tmp_path / "clone", ORIGIN), store) == ["The gate is green."]


def test_a_repository_does_not_take_over_a_project_that_was_named_by_hand(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    with open_memory(tmp_path, store=store, project="orchard") as memory:
        memory.save("The gate is green.")
    assert known_in(calls_itself(tmp_path / "strangers", "github.com/mallory/orchard"), store) == []


def test_repositories_share_a_memory_when_their_user_says_so(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    with open_memory(calls_itself(tmp_path / "first", ORIGIN), store=store) as memory:
        memory.save("The gate is green.")
    second = calls_itself(tmp_path / "second", "github.com/acme/orchard-web")
    with open_memory(second, store=store) as memory:
        (note,) = [one for one in memory.doctor().items if "another" in one["what"]]
        assert note["do"] == "`marrow init orchard` if both are one."
        assert "(`marrow init orchard` if both are one)" in memory.status().text()
        memory.save("The web has a gate too.")
        done = memory.init("orchard")
        assert (done.left, done.left_active) == ("github.com/acme/orchard-web", 1)
        assert "stays there: 1 active" in done.text()
    with open_memory(second, store=store) as memory:
        assert [item.content for item in memory.active().items] == ["The gate is green."]
        assert not [one for one in memory.doctor().items if "another" in one["what"]]
        assert memory.status().named == ""


def test_a_repository_that_names_itself_keeps_its_memory_under_another_origin(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    ours = calls_itself(tmp_path / "ours", ORIGIN)
    with open_memory(ours, store=store) as memory:
        memory.save("The gate is green.")
    (ours / ".git" / "config").write_text('[remote "origin"]\n\turl = https://gitlab.example/acme/orchard.git\n')
    assert known_in(ours, store) == ["The gate is green."]


def test_folders_of_one_repository_have_memories_of_their_own_by_their_names(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    root = calls_itself(tmp_path / "ours", ORIGIN, "plums")
    (root / "pears").mkdir()
    (root / "pears" / ".marrow.toml").write_text('project = "pears"\n')
    for folder, text in ((root, "Plums are sold."), (root / "pears", "Pears are not.")):
        with open_memory(folder, store=store) as memory:
            memory.save(text)
    assert known_in(root, store) == ["Plums are sold."]
    assert known_in(root / "pears", store) == ["Pears are not."]


def test_a_name_given_by_hand_is_that_project_wherever_it_is_given(tmp_path: Path) -> None:
    store = str(tmp_path / "marrow.db")
    with open_memory(calls_itself(tmp_path / "ours", ORIGIN), store=store) as memory:
        memory.save("The gate is green.")
    strangers = calls_itself(tmp_path / "strangers", "github.com/mallory/orchard")
    with open_memory(strangers, store=store, project="orchard") as memory:
        assert [item.content for item in memory.active().items] == ["The gate is green."]
