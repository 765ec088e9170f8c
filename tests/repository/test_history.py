"""The history of a repository through the git command line."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, Unavailable
from marrow.repository.history import Commit, commits

Git = Callable[..., str]


def test_a_commit_is_told_whole(repository: Path, git: Git) -> None:
    (repository / "b").write_text("1")
    (repository / "ä ö").write_text("1")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "Über alles\n\nbecause\nof this\n\nSigned-off-by: x\n")
    newest, first = commits(repository)
    assert newest == Commit(
        hash=git(repository, "rev-parse", "HEAD").strip(),
        author="name of author",
        at=datetime(2026, 3, 1, 10, tzinfo=UTC),
        subject="Über alles",
        body="because\nof this\n\nSigned-off-by: x",
        files=("b", "ä ö"),
    )
    assert (first.subject, first.body, first.files) == ("first", "", ("file.txt",))


def test_merges_empty_commits_and_names_of_any_kind_keep_commits_apart(repository: Path, git: Git) -> None:
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "empty")
    git(repository, "checkout", "--quiet", "-b", "side", "HEAD~1")
    name = "\nline" + "a" * 40
    (repository / name).write_text("1")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--allow-empty-message", "--message", "")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--message", "merge", "side")
    found = {commit.subject: commit.files for commit in commits(repository)}
    assert found == {"merge": (), "empty": (), "": (name,), "first": ("file.txt",)}


def test_limit_and_since_bound_what_is_told(repository: Path, git: Git) -> None:
    for day in ("05", "06"):
        date = f"2026-03-{day}T00:00:00Z"
        git(repository, "commit", "--quiet", "--allow-empty", "-m", day, GIT_COMMITTER_DATE=date, GIT_AUTHOR_DATE=date)
    assert [c.subject for c in commits(repository, limit=2)] == ["06", "05"]
    assert list(commits(repository, limit=0)) == []
    assert [c.subject for c in commits(repository, since=datetime(2026, 3, 5, 12, tzinfo=UTC))] == ["06"]
    assert [c.subject for c in commits(repository, since=datetime(2026, 3, 4))] == ["06", "05"]
    assert len(list(commits(repository, since=datetime(1, 1, 1)))) == 3
    assert [c.files for c in commits(repository, files=False)] == [(), (), ()]
    with pytest.raises(Invalid) as caught:
        commits(repository, limit=-1)
    assert caught.value.field == "limit"


def test_a_repository_without_commits_has_no_history(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "--quiet", "fresh")
    assert list(commits(tmp_path / "fresh")) == []


def test_a_detached_head_and_a_bare_repository_have_theirs(repository: Path, git: Git, tmp_path: Path) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare")
    assert [c.subject for c in commits(repository)] == [c.subject for c in commits(tmp_path / "bare")] == ["first"]


def test_a_folder_that_is_no_repository_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(Invalid) as caught:
            list(commits(folder))
        assert caught.value.field == "root"


def test_a_damaged_repository_is_said_to_be_and_not_taken_for_empty(repository: Path) -> None:
    for folder in (repository / ".git" / "objects").iterdir():
        for file in folder.iterdir():
            file.unlink()
    with pytest.raises(Unavailable):
        list(commits(repository))


def test_without_git_on_the_machine_the_error_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(Unavailable) as caught:
        list(commits(repository))
    assert "git" in caught.value.hint


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_another_users_repository_is_left_to_the_users_own_trust(
    repository: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("HOME", str(home))
    for path in (repository, repository / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(Unavailable):
        list(commits(repository))
    (home / ".gitconfig").write_text("[safe]\n\tdirectory = *\n")
    assert len(list(commits(repository))) == 1


def test_programs_named_by_a_repository_are_not_started(repository: Path, git: Git, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    sprung = tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\n")
    trap.chmod(0o755)
    for key in ("core.pager", "core.fsmonitor", "diff.external", "gpg.program", "pager.log", "diff.x.textconv"):
        git(repository, "config", key, str(trap))
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "diff.orderFile", "missing")
    git(repository, "config", "diff.relative", "true")
    (repository / ".gitattributes").write_text("* diff=x\n")
    raw = git(repository, "cat-file", "commit", "HEAD")
    head, _, message = raw.partition("\n\n")
    signed = f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n{message}"
    (tmp_path / "signed").write_text(signed)
    address = git(repository, "hash-object", "-t", "commit", "-w", str(tmp_path / "signed")).strip()
    git(repository, "update-ref", "HEAD", address)
    assert [c.files for c in commits(repository)] == [("file.txt",)]
    assert not sprung.exists()
    git(repository, "-c", "diff.orderFile=", "log", "-1")
    assert sprung.exists()  # the trap is set, and git alone walks into it


def test_variables_of_another_repository_do_not_mislead(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "--quiet", "other")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", "nothing")
    assert [c.subject for c in commits(repository)] == ["first"]


def test_odd_dates_and_bytes_are_survived(repository: Path, git: Git, tmp_path: Path) -> None:
    tree = git(repository, "rev-parse", "HEAD^{tree}").strip()
    who = "x <x@example.org>"
    for text in (f"author {who} 99999999999999 +0000\ncommitter {who} 5 +0000", f"author {who} x\ncommitter {who} x"):
        (tmp_path / "raw").write_bytes(f"tree {tree}\n{text}\n\n".encode() + b"\xff\xfe subject\n")
        address = git(repository, "hash-object", "-t", "commit", "-w", "--literally", str(tmp_path / "raw")).strip()
        git(repository, "update-ref", "HEAD", address)
        (commit,) = commits(repository)
        assert commit.at.tzinfo is UTC
        assert commit.at.year == 1970
        assert commit.subject.endswith("subject")


def test_a_message_without_end_is_cut(repository: Path, git: Git, tmp_path: Path) -> None:
    (tmp_path / "message").write_text("subject\n\n" + "word\n" * 500_000)
    git(repository, "commit", "--quiet", "--allow-empty", "--file", str(tmp_path / "message"))
    newest, first = commits(repository)
    assert len(newest.body) <= 1024 * 1024
    assert (newest.subject, first.subject) == ("subject", "first")


def test_a_reader_that_stops_early_leaves_no_process_behind(
    repository: Path, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "message").write_text("more than a pipe holds\n\n" + "word\n" * 200_000)
    git(repository, "commit", "--quiet", "--amend", "--file", str(tmp_path / "message"))
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "newest")
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def remembered(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        started.append(real(*arguments, **options))  # type: ignore[call-overload]
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", remembered)
    told = commits(repository)
    assert next(told).subject == "newest"
    assert [process.poll() for process in started] == [None]
    told.close()  # type: ignore[attr-defined]
    assert [process.returncode is not None for process in started] == [True]
