"""Any call may name its project: an operation that takes none of its own runs as if called from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Invalid, NotFound


@pytest.fixture
def store(tmp_path: Path) -> str:
    return str(tmp_path / "marrow.db")


@pytest.fixture
def elsewhere(tmp_path: Path, store: str) -> Iterator[Memory]:
    """Another project in the same store, with one thing in it."""
    with open_memory(tmp_path, store=store, project="elsewhere") as opened:
        opened.save("The port of the other service is 9090.")
        yield opened


@pytest.fixture
def here(tmp_path: Path, store: str, elsewhere: Memory) -> Iterator[Memory]:
    with open_memory(tmp_path, store=store, project="here") as opened:
        yield opened


def test_an_operation_without_a_project_of_its_own_runs_in_the_named_one(here: Memory) -> None:
    found = here.perform("memory_recall", {"message": "which port has the other service?", "project": "elsewhere"})
    assert [item.project for item in found.result.items] == ["elsewhere"]
    assert here.perform("memory_recall", {"message": "which port has the other service?"}).result.items == ()
    assert here.perform("memory_status", {"project": "elsewhere"}).result.project == "elsewhere"


def test_a_change_in_another_project_changes_that_one_only(here: Memory, elsewhere: Memory) -> None:
    address = elsewhere.search("port").items[0].address
    here.perform("memory_update", {"address": address, "pinned": True, "project": "elsewhere"})
    assert "pinned" in elsewhere.search("port").items[0].marks
    names = [one["name"] for one in here.perform("memory_projects", {}).result.items]
    assert "here" not in names  # Nothing was saved here, so nothing made this project known.


def test_the_callers_other_names_stay_its_own(tmp_path: Path, store: str, elsewhere: Memory) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / ".git" / "config").write_text('[remote "origin"]\n\turl = https://example.org/ada/here.git\n')
    with open_memory(tmp_path, store=store, project="here") as here:
        assert here.identity.aliases
        given = here.perform("memory_init", {"project": "elsewhere"}).result
        assert not set(given.aliases).intersection(here.identity.aliases)


def test_an_unknown_project_is_an_error_that_names_the_known_ones(here: Memory) -> None:
    with pytest.raises(NotFound) as raised:
        here.perform("memory_status", {"project": "elsewhre"})
    assert raised.value.field == "project"
    assert "elsewhere" in raised.value.hint


def test_a_project_that_is_no_text_is_refused(here: Memory) -> None:
    with pytest.raises(Invalid) as raised:
        here.perform("memory_status", {"project": 3})
    assert raised.value.field == "project"


@pytest.mark.parametrize(
    ("operation", "given"),
    [
        ("memory_search", {"query": "port of the other service"}),
        ("memory_active", {}),
        ("get_architectural_decisions", {}),
        ("ask", {"question": "Which port has the other service?"}),
    ],
)
def test_what_comes_from_several_projects_says_from_which(
    operation: str, given: dict[str, str], here: Memory, elsewhere: Memory
) -> None:
    elsewhere.save("The port of the other service is 7070.", kind="decision")
    here.save("The port of the other service is 7070.", kind="decision")
    here.save("A port of every service is in the wiki.", scope="global")
    several = here.perform(operation, {**given, "project": "all"}).text
    assert "in elsewhere" in several
    assert "in here" in several
    assert "in here" not in here.perform(operation, given).text


def test_no_project_is_the_one_at_hand(here: Memory) -> None:
    for nothing in (None, ""):
        assert here.perform("memory_status", {"project": nothing}).result.project == "here"
