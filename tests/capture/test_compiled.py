"""The compiled settings: as the settings module reads them, made anew when anything changed, never half."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from marrow import settings
from marrow.capture import compiled
from marrow.capture.compile_settings import compile_settings
from marrow.capture.compiled import Place, items, number, read


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository in a user's home."""
    root = tmp_path / "joe" / "lamp"
    (root / ".git").mkdir(parents=True)
    return root


def place(project: Path, **environ: str) -> Place:
    user_home = project.parent
    return Place(str(project), str(user_home / ".marrow"), {"HOME": str(user_home), **environ})


def test_values_are_those_of_the_settings(project: Path) -> None:
    (project / ".marrow.toml").write_text(
        'capture.enabled = false\nproject = "lamp"\nrecall.mode = "always"\nredact.extra = ["a\\\\d=\\"b", "c\\\\t"]\n'
    )
    here = place(project)
    assert read(here) is None
    made = compile_settings(here)
    assert read(here) == made
    loaded = settings.load(environ=here.environ, cwd=str(project))
    assert not compiled.is_on(made, "capture.enabled")
    assert made["recall.mode"] == "always"
    assert made["project"] == "lamp"
    assert items(made, "redact.extra") == list(loaded.get("redact.extra", tuple))
    assert items(made, "capture.tools") == ["all", "-reads"]
    assert number(made, "recall.time_budget_ms", 1) == 300


def test_nothing_set_means_the_defaults(project: Path) -> None:
    made = compile_settings(place(project))
    assert compiled.is_on(made, "capture.enabled")
    assert items(made, "redact.extra") == []
    assert read(place(project)) == made


@pytest.mark.parametrize("whose", ["project", "user"])
def test_a_file_that_came_changed_or_went_makes_it_old(project: Path, whose: str) -> None:
    file = project / ".marrow.toml" if whose == "project" else project.parent / ".marrow" / "config.toml"
    file.parent.mkdir(exist_ok=True)
    seen = []
    for text in (None, 'recall.mode = "off"\n', 'recall.mode = "always"\n', None):
        if text is not None:
            file.write_text(text)
        elif file.exists():
            file.unlink()
        here = place(project)
        fresh = read(here)
        seen.append((fresh or compile_settings(here))["recall.mode"])
    assert seen == ["first", "off", "always", "first"]


def test_variables_are_obeyed_and_kept_apart(project: Path) -> None:
    plain, off = place(project), place(project, MARROW_RECALL_MODE="off")
    assert compile_settings(plain)["recall.mode"] == "first"
    assert compile_settings(off)["recall.mode"] == "off"
    assert read(plain) != read(off)
    assert place(project, MARROW_STORE="/x", MARROW_TOKEN="t", MARROW_INTERNAL_X="1").flat == plain.flat


def test_another_configuration_file_is_watched_too(project: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text('recall.mode = "off"\n')
    here = place(project, MARROW_CONFIG=str(other))
    assert compile_settings(here)["recall.mode"] == "off"
    other.write_text('recall.mode = "always"\n')
    assert read(place(project, MARROW_CONFIG=str(other))) is None


def test_settings_that_are_not_valid_give_nothing_and_are_remembered(project: Path) -> None:
    (project / ".marrow.toml").write_text("capture.enabled = perhaps\n")
    here = place(project)
    assert compile_settings(here) == {}
    assert read(here) == {}
    (project / ".marrow.toml").write_text("capture.enabled = true\n")
    assert read(place(project)) is None


def test_the_file_holds_no_secret_and_is_the_users_alone(project: Path) -> None:
    (project.parent / ".marrow").mkdir()
    (project.parent / ".marrow" / "config.toml").write_text(
        'token = "swordfish-4711"\nstore = "postgres://u:pw1@db/x"\n'
    )
    here = place(project)
    compile_settings(here)
    assert stat.S_IMODE(os.stat(here.flat).st_mode) == 0o600
    text = Path(here.flat).read_text()
    assert "swordfish" not in text
    assert "pw1" not in text


def test_a_folder_that_cannot_be_written_costs_the_kept_form_only(project: Path) -> None:
    home = project.parent / ".marrow"
    home.write_text("a file in the folder's place")
    here = place(project)
    assert compile_settings(here)["recall.mode"] == "first"
    assert read(here) is None


def test_project_file_is_found_as_the_settings_find_it(tmp_path: Path) -> None:
    home = tmp_path / "joe"
    folders = [home, home / "a", home / "a" / "b" / "c", home / "r" / "s", tmp_path / "out" / "d"]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    (home / "r" / ".git").mkdir()
    for marked in (home, home / "a", home / "r", tmp_path / "out", tmp_path):
        (marked / ".marrow.toml").write_text("")
        for folder in folders:
            theirs = settings.find_project_file(str(folder), str(home))
            assert compiled.find_project_file(str(folder), str(home)) == theirs, (marked, folder)
        (marked / ".marrow.toml").unlink()


def test_escapes_come_back(project: Path) -> None:
    for text in ("plain", "tab\there", "line\nend", "back\\slash", "\\n", "a\\\\\tb", "ends\\"):
        escaped = text.translate(str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}))
        assert compiled.unescaped(escaped) == text
