"""What was committed, where git or a repository makes trouble: nothing is lost, and nothing enters that should not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.taking_in.committed import COMMITTED, ingest_committed, last_committed
from marrow.memory.taking_in.watched import WATCHED, keep_watching, watched
from marrow.model.errors import Unavailable
from marrow.model.record import CURRENT
from marrow.model.source import CURSOR

from ...repository.conftest import Git, git, home
from ...repository.test_tree import killed_after
from .test_committed import SERVICE, Repo, engine, repo

__all__ = ["engine", "git", "home", "repo"]

TOKENS = ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_zzcdefghijklmnopqrstuvwxyz0123456789")


def ignoring(repo: Repo, *patterns: str) -> Repo:
    """The same repository, in a memory that leaves these out."""
    other = Repo.__new__(Repo)
    other.folder, other._git, other.asker = repo.folder, repo._git, repo.asker
    other.engine = replace(repo.engine, ignore_extra=patterns)
    return other


def is_whole(repo: Repo) -> bool:
    row = last_committed(repo.engine, repo.asker, SERVICE)
    return row is not None and not row.digest


@pytest.mark.parametrize("size", [0, 60, 100])
def test_what_a_git_that_died_did_not_tell_comes_with_the_next_run(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    with monkeypatch.context() as patched:
        killed_after(size, patched)
        with pytest.raises(Unavailable):
            repo.take()
    assert not is_whole(repo)
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    assert is_whole(repo)
    repo.settle()


def test_what_a_partial_clone_has_not_fetched_comes_when_it_has(repo: Repo, tmp_path: Path, git: Git) -> None:
    repo.commit("More", kiln="The kiln is old.")
    repo.git("config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repo.folder}", "partial")
    partial = Repo.__new__(Repo)
    partial.folder, partial._git, partial.engine, partial.asker = tmp_path / "partial", git, repo.engine, repo.asker
    partial.git("checkout", "--quiet", "HEAD", "--", "clay.md")
    done = partial.take()
    assert partial.texts() == {"Clay is red."}
    assert {one.path for one in done.taken.problems} == {"glaze.md", "kiln.md"}
    assert not is_whole(partial)
    partial.git("checkout", "--quiet", "HEAD", "--", "glaze.md")
    partial.take()
    assert partial.texts() == {"Clay is red.", "Glaze is blue."}
    partial.git("checkout", "--quiet", "HEAD", "--", ".")
    partial.take()
    assert partial.texts() == {"Clay is red.", "Glaze is blue.", "The kiln is old."}
    assert is_whole(partial)
    partial.settle()


def test_a_file_that_is_called_as_a_row_of_ours_is_none(repo: Repo) -> None:
    keep_watching(repo.engine, repo.asker, str(repo.folder), SERVICE)
    for name in (COMMITTED, WATCHED, "#codebase", "#history", "#ignored"):
        (repo.folder / name).write_text("not one of ours", encoding="utf-8")
    repo.commit("Odd names", glaze="Glaze is green.")
    repo.codebase()
    repo.take()
    for name in (COMMITTED, WATCHED, "#codebase", "#history", "#ignored"):
        (repo.folder / name).unlink()
    head = repo.commit("Without them", clay="Clay is white.")
    repo.take()
    repo.codebase()
    assert repo.cursor() == head
    with repo.engine.store.reading() as reader:
        found = watched(reader, repo.asker.namespace, (repo.asker.scope.project,))
    assert [(one.root, one.commit) for one in found] == [(str(repo.folder), head)]
    assert repo.texts() == {"Glaze is green.", "Clay is white."}


def test_rows_that_are_no_cursors_are_not_watched(repo: Repo) -> None:
    repo.take()
    keep_watching(repo.engine, repo.asker, str(repo.folder), SERVICE)
    with repo.engine.store.reading() as reader:
        rows = reader.sources(repo.asker.namespace, (repo.asker.scope.project,), service=SERVICE)
    own = [row for row in rows if row.path in (WATCHED, COMMITTED)]
    assert {row.kind for row in own} == {CURSOR}
    theirs = [row._replace(service="evil", kind="document", title="/elsewhere") for row in own]
    half = [row._replace(service="half", kind=CURSOR if row.path == WATCHED else "document") for row in own]
    with repo.engine.store.writing() as writer:
        writer.keep_sources(repo.asker.namespace, [*theirs, *half])
    with repo.engine.store.reading() as reader:
        found = watched(reader, repo.asker.namespace, (repo.asker.scope.project,))
    assert {(one.service, one.commit) for one in found} == {(SERVICE, repo.cursor()), ("half", "")}


def test_files_whose_names_hold_secrets_are_followed_like_others(repo: Repo) -> None:
    for number, token in enumerate(TOKENS):
        (repo.folder / f"{token}.md").write_text(f"Note {number}.", encoding="utf-8")
    repo.commit("Named badly")
    repo.take()
    assert {"Note 0.", "Note 1."} <= repo.texts()
    assert not any(token in repo.everything() for token in TOKENS)
    before = repo.seq()
    repo.take()
    assert repo.seq() == before
    (repo.folder / f"{TOKENS[0]}.md").unlink()
    repo.commit("One less")
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red.", "Note 1."}
    repo.settle()
    with repo.engine.store.writing() as writer:  # as after a run that was broken off: the whole tree is compared
        row = last_committed(repo.engine, repo.asker, SERVICE)
        assert row is not None
        writer.keep_sources(repo.asker.namespace, [row._replace(title="", digest="x")])
    (repo.folder / f"{TOKENS[1]}.md").unlink()
    repo.commit("None left")
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    repo.settle()


def test_what_the_setting_ignores_never_enters(repo: Repo) -> None:
    (repo.folder / "private").mkdir()
    (repo.folder / "private" / "plan.md").write_text("A private plan.", encoding="utf-8")
    repo.commit("Plans", draft="A draft.")
    there = ignoring(repo, "private/", "/draft.md")
    there.take()
    assert there.texts() == {"Glaze is blue.", "Clay is red."}
    there.commit("Next", draft="Another draft.", glaze="Glaze is green.")
    there.take()
    assert there.texts() == {"Glaze is green.", "Clay is red."}


def test_what_is_ignored_from_now_on_leaves_and_comes_back_when_it_is_not(repo: Repo) -> None:
    repo.take()
    there = ignoring(repo, "clay.*")
    there.take()
    assert there.texts() == {"Glaze is blue."}
    before = there.seq()
    there.take()
    assert there.seq() == before
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}


def test_what_was_read_from_the_disk_and_is_ignored_now_leaves_too(repo: Repo) -> None:
    repo.codebase()
    there = ignoring(repo, "clay.md")
    there.take()
    assert there.texts() == {"Glaze is blue."}
    there.codebase()
    assert there.texts() == {"Glaze is blue."}


def test_a_commit_of_an_impossible_time_is_read_as_of_now(repo: Repo, engine: Engine, asker: Asker) -> None:
    tree = repo.git("rev-parse", "HEAD^{tree}")
    who = "a <a@example.org> 99999999999999 +0000"
    raw = repo.folder.parent / "raw"
    raw.write_text(f"tree {tree}\nauthor {who}\ncommitter {who}\n\nOdd\n")
    commit = repo.git("hash-object", "-t", "commit", "--literally", "-w", str(raw))
    repo.git("update-ref", "HEAD", commit)
    ingest_committed(engine, asker, str(repo.folder), service=SERVICE)
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    with engine.store.reading() as reader:
        rows = [row for row in repo.rows().values() if row.is_document]
        records = reader.records(asker.namespace, [row.address for row in rows], (asker.scope.project,), CURRENT)
        said = reader.occurrences([record.entry for record in records], CURRENT)
    assert {one.at for found in said.values() for one in found} == {engine.clock()}
