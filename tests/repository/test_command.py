"""Calling git: one that hangs is ended in time, and says so."""

from __future__ import annotations

import os
import select
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from marrow.model.errors import Unavailable
from marrow.repository import command
from marrow.repository.changed import listed
from marrow.repository.command import answered, content, conversation, fields, succeeds, telling
from marrow.repository.history import commits
from marrow.repository.working_tree import working_tree

from .conftest import Git

SHORT = 0.5


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "SECONDS", SHORT)
    monkeypatch.setattr(command, "WALK_SECONDS", SHORT)


@pytest.fixture
def hung(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A `git` that says something, starts a program that keeps its standard output open, and never ends."""
    pipe = tmp_path / "never"
    os.mkfifo(pipe)
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nprintf 'one\\0'\ncat {pipe}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    yield tmp_path / "pid"
    with suppress(OSError):  # nobody waits there
        os.close(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))  # lets the program that it started end


def all_fields(root: Path) -> Any:
    with closing(fields(root, "ls-files", "-z")) as told:
        return list(told)


def all_told(root: Path) -> Any:
    with telling(root, "status") as told:
        return list(told)


def all_answers(root: Path) -> Any:
    with conversation(root, "cat-file", "--batch", asked=b"") as told:
        return told.read()


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes there")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    "call",
    [
        all_fields,
        all_told,
        all_answers,
        lambda root: list(commits(root)),
        lambda root: content(root, "rev-parse", "HEAD", bytes_max=100),
        lambda root: succeeds(root, "rev-parse", "HEAD"),
    ],
)
def test_a_git_that_hangs_is_ended_and_told_of(repository: Path, hung: Path, call: Callable[[Path], Any]) -> None:
    with pytest.raises(Unavailable) as raised:
        call(repository)
    assert str(repository) in raised.value.message
    assert "git status" in raised.value.hint
    with pytest.raises(ProcessLookupError):
        os.kill(int(hung.read_text()), 0)


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes there")
def test_who_gives_a_limit_learns_that_it_was_reached_and_what_was_said_before(repository: Path, hung: Path) -> None:
    found = answered(repository, "grep", "x", bytes_max=100, seconds=SHORT)
    assert found.is_late
    assert found.told == b"one\0"


@pytest.fixture
def as_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing can be waited for there with a limit but the end of a process."""
    monkeypatch.delattr(select, "poll", raising=False)
    monkeypatch.delattr(os, "pidfd_open", raising=False)


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes there")
@pytest.mark.usefixtures("impatient", "as_on_windows")
@pytest.mark.parametrize("call", [all_fields, lambda root: content(root, "rev-parse", "HEAD", bytes_max=100)])
def test_a_git_that_hangs_is_ended_on_windows_too(repository: Path, hung: Path, call: Callable[[Path], Any]) -> None:
    program = hung.parent / "bin" / "git"
    program.write_text(program.read_text(encoding="utf-8").replace("cat", "exec cat"), encoding="utf-8")
    with pytest.raises(Unavailable, match="did not answer"):
        call(repository)
    found = answered(repository, "grep", "x", bytes_max=100, seconds=SHORT)
    assert (found.told, found.is_late) == (b"one\0", True)


@pytest.mark.usefixtures("as_on_windows")
def test_what_git_says_is_whole_on_windows_too(repository: Path) -> None:
    (repository / "a.txt").write_text("a", encoding="utf-8")
    assert list(fields(repository, "ls-files", "--others", "-z")) == [b"a.txt"]
    assert answered(repository, "rev-parse", "--git-dir", bytes_max=100, seconds=60).told == b".git\n"


@pytest.mark.skipif(os.name == "nt", reason="there are no such pipes there")
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("call", [listed, working_tree])
def test_a_pipe_that_is_called_gitignore_hangs_nothing(repository: Path, call: Callable[[Path], Any]) -> None:
    os.mkfifo(repository / ".gitignore")
    with pytest.raises(Unavailable):
        call(repository)


@pytest.mark.skipif(os.name == "nt", reason="the program is a shell script")
def test_a_missing_object_is_fetched_by_no_program_that_the_repository_names(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, program = tmp_path / "ran", tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {ran}\n", encoding="utf-8")
    program.chmod(0o755)
    for name, value in (
        ("core.repositoryformatversion", "1"),
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", f"ext::{program}"),
        ("protocol.ext.allow", "always"),  # speaks louder than the `protocol.allow` of whoever calls git
    ):
        git(repository, "config", name, value)
    blob = git(repository, "rev-parse", "HEAD:file.txt").strip()
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    # A git that does not know this variable fetches what is missing.
    monkeypatch.setattr(command, "_VARIABLES", {**command._VARIABLES, "GIT_NO_LAZY_FETCH": "0"})
    assert not succeeds(repository, "cat-file", "blob", blob)
    assert not ran.exists()
