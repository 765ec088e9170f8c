"""The history of a file: the same from git and from the index, across renames."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.git.file_commits import file_commits
from marrow.memory.git.search_commits import search_commits
from marrow.model.errors import Invalid

from .conftest import Git, Saying

LONG = "a line that is long enough to be known again\n" * 8


@pytest.fixture
def renamed(say: Saying, git: Git) -> None:
    """`deep/old.txt` becomes `deep/new.txt`, then `final.txt`; another file takes the old name."""
    folder = say.folder
    say("begin", deep_old=LONG)
    say("grow", deep_old=LONG + "more\n")
    git(folder, "mv", "deep/old.txt", "deep/new.txt")
    say("first move")
    say("between", deep_new=LONG + "more\nand more\n")
    git(folder, "mv", "deep/new.txt", "final.txt")
    say("second move")
    say("another", deep_old="something else\n")
    say("last", final=LONG + "more\nand more\nand more\n")


def told(engine: Engine, asker: Asker, path: str, limit: int = 20) -> list[tuple[str, str, str]]:
    return [(one.subject, one.path, one.what) for one in file_commits(engine, asker, asker.root, path, limit)]


EXPECTED = [
    ("last", "final.txt", "modified"),
    ("second move", "final.txt", "renamed"),
    ("between", "deep/new.txt", "modified"),
    ("first move", "deep/new.txt", "renamed"),
    ("grow", "deep/old.txt", "modified"),
    ("begin", "deep/old.txt", "added"),
]


@pytest.mark.usefixtures("renamed")
def test_git_follows_a_file_through_its_renames(engine: Engine, asker: Asker) -> None:
    assert told(engine, asker, "final.txt") == EXPECTED


@pytest.mark.usefixtures("renamed")
def test_the_index_gives_the_same(engine: Engine, asker: Asker) -> None:
    search_commits(engine, asker, asker.root, "begin")
    assert told(engine, asker, "final.txt") == EXPECTED


@pytest.mark.usefixtures("renamed")
def test_a_limit_within_an_older_name_is_kept(engine: Engine, asker: Asker) -> None:
    for _ in range(2):
        assert told(engine, asker, "final.txt", 3) == EXPECTED[:3]
        search_commits(engine, asker, asker.root, "begin")


@pytest.mark.usefixtures("renamed")
def test_a_name_that_was_left_says_so(engine: Engine, asker: Asker) -> None:
    search_commits(engine, asker, asker.root, "begin")
    assert told(engine, asker, "deep/new.txt")[0] == ("second move", "deep/new.txt", "moved away")


def test_the_index_sees_a_new_commit(engine: Engine, asker: Asker, say: Saying) -> None:
    search_commits(engine, asker, asker.root, "first")
    say("second", file="changed\n")
    assert [subject for subject, _, _ in told(engine, asker, "file.txt")] == ["second", "first"]


def test_a_deleted_file_has_a_history(engine: Engine, asker: Asker, say: Saying) -> None:
    say("away", file=None)
    expected = [("away", "file.txt", "deleted"), ("first", "file.txt", "added")]
    assert told(engine, asker, "file.txt") == expected
    search_commits(engine, asker, asker.root, "first")
    assert told(engine, asker, "file.txt") == expected


def test_commits_of_another_branch_are_left_out(engine: Engine, asker: Asker, say: Saying, git: Git) -> None:
    search_commits(engine, asker, asker.root, "first")
    git(Path(asker.root), "checkout", "--quiet", "-b", "side")
    say("aside", file="aside\n")
    assert len(told(engine, asker, "file.txt")) == 2
    git(Path(asker.root), "checkout", "--quiet", "main")
    assert len(told(engine, asker, "file.txt")) == 1


def test_a_name_with_marks_of_patterns_is_taken_as_it_is(engine: Engine, asker: Asker, say: Saying) -> None:
    (say.folder / "*.txt").write_text("a star\n")
    say("a star")
    assert [subject for subject, _, _ in told(engine, asker, "*.txt")] == ["a star"]


def test_a_file_that_never_was_has_no_history(engine: Engine, asker: Asker) -> None:
    assert told(engine, asker, "nothing.txt") == []


def test_a_limit_out_of_bounds_is_refused(engine: Engine, asker: Asker) -> None:
    with pytest.raises(Invalid):
        told(engine, asker, "file.txt", 0)
