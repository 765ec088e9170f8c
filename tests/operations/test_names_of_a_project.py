"""A repository whose memory began before it had an origin, and clones of it: nobody's memory goes out of sight."""

from __future__ import annotations

from pathlib import Path

from marrow.app import open_memory

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
