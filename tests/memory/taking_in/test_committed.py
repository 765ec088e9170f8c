"""What was committed follows git: every way in which a HEAD moves, and nothing that was never committed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from marrow.ingest.history import hash_in
from marrow.memory.engine import Asker, Engine
from marrow.memory.taking_in import committed
from marrow.memory.taking_in.codebase import Ingested, ingest_codebase
from marrow.memory.taking_in.committed import COMMITTED, ingest_committed, last_committed
from marrow.memory.taking_in.take_in import TakenIn
from marrow.memory.taking_in.talk import Took, ingest_history
from marrow.model.errors import Conflict, Invalid
from marrow.model.record import CURRENT, Filter
from marrow.model.source import Source
from marrow.providers.embedder import FakeEmbedder
from tests.memory.conftest import asker_of

from ...repository.conftest import Git, git, home

__all__ = ["git", "home"]

TOKEN = "Zq7Zq7Zq7-the-secret"
SERVICE = "kiln"
BEGIN = "Begin, because there is no kiln yet"


class Counting(FakeEmbedder):
    """An embedder that notes what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def documents(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        return super().documents(texts)


class Repo:
    """A repository, and the memory that follows it."""

    def __init__(self, folder: Path, git: Git, engine: Engine, asker: Asker) -> None:
        self.folder, self._git, self.engine, self.asker = folder, git, engine, asker
        folder.mkdir()
        self.git("init", "--quiet")

    def git(self, *arguments: str) -> str:
        return self._git(self.folder, *arguments).strip()

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / f"{name}.md").write_text(text, encoding="utf-8")

    def commit(self, message: str, **files: str) -> str:
        self.write(**files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def messages(self) -> Took:
        """What `ingest_history` does when somebody calls it."""
        return ingest_history(self.engine, self.asker, repo_path=str(self.folder), service=SERVICE)

    def known(self) -> set[str]:
        """The commits that have a row."""
        with self.engine.store.reading() as reader:
            found = reader.sources(self.asker.namespace, (self.asker.scope.project,), service=SERVICE)
        return {commit for source in found if (commit := hash_in(source.path))}

    def prune(self) -> None:
        self.git("reflog", "expire", "--expire=now", "--all")
        self.git("gc", "--quiet", "--prune=now")

    def take(self, asker: Asker | None = None) -> Ingested:
        return ingest_committed(self.engine, asker or self.asker, str(self.folder), service=SERVICE)

    def codebase(self) -> TakenIn:
        return ingest_codebase(self.engine, self.asker, str(self.folder), service=SERVICE).taken

    def texts(self, kind: str = "document") -> set[str]:
        """What is remembered, of one kind."""
        with self.engine.store.reading() as reader:
            wanted = Filter(projects=(self.asker.scope.project,), kinds=(kind,))
            entries = reader.select(self.asker.namespace, wanted, CURRENT, self.engine.clock())
            return {record.node.content.strip() for record in reader.records_of(entries, CURRENT)}

    def rows(self) -> dict[str, Source]:
        with self.engine.store.reading() as reader:
            found = reader.sources(self.asker.namespace, (self.asker.scope.project,), service=SERVICE)
        return {source.path: source for source in found if source.path[0] != "#" and ":" not in source.path}

    def everything(self) -> str:
        """All that the store holds, as text."""
        with self.engine.store.reading() as reader:
            wanted = Filter(projects=(self.asker.scope.project,))
            entries = reader.select(self.asker.namespace, wanted, CURRENT, self.engine.clock())
            records = list(reader.records_of(entries, CURRENT))
            sources = reader.sources(self.asker.namespace, None)
        return f"{records} {sources}"

    def cursor(self) -> str:
        found = last_committed(self.engine, self.asker, SERVICE)
        return found.title if found is not None else ""

    def seq(self) -> int:
        with self.engine.store.reading() as reader:
            return reader.head(self.asker.namespace).seq

    def embedded(self) -> list[str]:
        assert isinstance(self.engine.embedder, Counting)
        texts, self.engine.embedder.texts = self.engine.embedder.texts, []
        return texts

    def settle(self, **about: Any) -> None:
        """What is known of the files is what a fresh memory of HEAD would know."""
        fresh = replace(self.asker, scope=replace(self.asker.scope, project="fresh"))
        ingest_committed(self.engine, fresh, str(self.folder), service=SERVICE)
        other = Repo.__new__(Repo)
        other.folder, other._git, other.engine, other.asker = self.folder, self._git, self.engine, fresh
        mine = {path: (row.kind, row.digest, row.address, row.size) for path, row in self.rows().items()}
        assert mine == {path: (row.kind, row.digest, row.address, row.size) for path, row in other.rows().items()}
        assert self.texts() == other.texts()
        assert self.cursor() == self.git("rev-parse", "HEAD")


@pytest.fixture
def engine(engine: Engine) -> Engine:
    return replace(engine, embedder=Counting())


@pytest.fixture
def repo(tmp_path: Path, git: Git, engine: Engine, asker: Asker) -> Repo:
    made = Repo(tmp_path / "my kiln", git, engine, asker)
    made.commit(BEGIN, glaze="Glaze is blue.", clay="Clay is red.")
    return made


def test_the_first_run_takes_in_head_and_its_messages(repo: Repo) -> None:
    done = repo.take()
    assert (done.service, done.files, done.taken.added) == (SERVICE, 2, 3)
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    assert repo.texts("commit") == {BEGIN}
    repo.settle()


def test_a_second_run_reads_and_computes_nothing(repo: Repo) -> None:
    repo.take()
    repo.embedded()
    before = repo.seq()
    assert repo.take() == Ingested(SERVICE, os.path.realpath(repo.folder), 0, 0, TakenIn())
    assert (repo.embedded(), repo.seq()) == ([], before)


def test_only_what_changed_is_read(repo: Repo) -> None:
    repo.take()
    repo.embedded()
    repo.commit("Green sells better", glaze="Glaze is green.")
    done = repo.take()
    assert (done.files, done.taken.changed, done.taken.added) == (1, 1, 1)
    assert repo.texts() == {"Glaze is green.", "Clay is red."}
    assert not any("Clay" in text for text in repo.embedded())
    repo.settle()


def test_what_is_uncommitted_staged_or_ignored_never_enters(repo: Repo) -> None:
    repo.commit("Ignore what is private", other="Open.")
    (repo.folder / ".gitignore").write_text("private.md\n", encoding="utf-8")
    repo.git("add", ".gitignore")
    repo.git("commit", "--quiet", "--message", "Ignore")
    repo.write(private=f"ignored {TOKEN}", untracked=f"untracked {TOKEN}", clay=f"changed {TOKEN}")
    repo.write(staged=f"staged {TOKEN}")
    repo.git("add", "staged.md")
    repo.take()
    assert TOKEN not in repo.everything()
    assert repo.texts() == {"Glaze is blue.", "Clay is red.", "Open."}
    repo.git("commit", "--quiet", "--message", "Commit another", "--only", "--allow-empty")
    repo.write(glaze="Glaze is green.")
    repo.git("commit", "--quiet", "--message", "Only the glaze", "--", "glaze.md")
    repo.take()
    assert TOKEN not in repo.everything()
    assert "Glaze is green." in repo.texts()


def test_a_file_of_secrets_stays_out_though_it_is_committed(repo: Repo) -> None:
    (repo.folder / "secrets.yaml").write_text(f"key: {TOKEN}\n", encoding="utf-8")
    repo.commit("Oh no")
    done = repo.take()
    assert TOKEN not in repo.everything()
    assert [one.path for one in done.taken.problems] == ["secrets.yaml"]


def test_a_renamed_file_moves_without_being_computed_again(repo: Repo) -> None:
    repo.take()
    repo.embedded()
    address = repo.rows()["glaze.md"].address
    (repo.folder / "docs").mkdir()
    repo.git("mv", "glaze.md", "docs/colours.md")
    repo.commit("A better place")
    done = repo.take()
    assert (done.taken.moved, done.taken.gone) == (1, 0)
    assert repo.rows()["docs/colours.md"].address == address
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    assert not any("Glaze" in text for text in repo.embedded())
    repo.settle()


def test_a_deleted_file_is_retracted_and_comes_back_with_a_revert(repo: Repo) -> None:
    repo.take()
    repo.git("rm", "--quiet", "glaze.md")
    repo.commit("No glaze any more")
    assert repo.take().taken.gone == 1
    assert repo.texts() == {"Clay is red."}
    repo.git("revert", "--no-edit", "HEAD")
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    repo.settle()


def test_a_merge_brings_both_sides(repo: Repo) -> None:
    repo.take()
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("From the side", side="Side.")
    repo.git("switch", "--quiet", "main")
    repo.commit("On the main way", clay="Clay is white.")
    repo.git("merge", "--quiet", "--no-edit", "side")
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is white.", "Side."}
    assert {"From the side", "On the main way"} <= repo.texts("commit")
    repo.settle()


def test_an_amended_commit_takes_the_place_of_the_first(repo: Repo) -> None:
    repo.commit("A draft", glaze="Glaze is grey.", extra="Only in the draft.")
    repo.take()
    repo.git("rm", "--quiet", "extra.md")
    repo.write(glaze="Glaze is gold.")
    repo.git("commit", "--quiet", "--all", "--amend", "--message", "The final one")
    repo.take()
    assert repo.texts() == {"Glaze is gold.", "Clay is red."}
    assert repo.texts("commit") == {BEGIN, "The final one"}
    repo.settle()


def test_a_rebase_is_followed(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("Side one", side="Side.")
    repo.commit("Side two", clay="Clay is white.")
    repo.take()
    repo.git("switch", "--quiet", "main")
    repo.commit("Meanwhile", glaze="Glaze is green.")
    repo.git("switch", "--quiet", "side")
    repo.git("rebase", "--quiet", "main")
    repo.take()
    assert repo.texts() == {"Glaze is green.", "Clay is white.", "Side."}
    repo.settle()


def test_a_branch_that_was_moved_by_force_is_followed(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit("Will be dropped", glaze="Glaze is grey.", extra="Extra.")
    repo.take()
    repo.git("reset", "--quiet", "--hard", first)
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    repo.settle()


def test_where_the_last_commit_is_gone_from_git_the_whole_tree_is_compared(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit("Will be gone", glaze="Glaze is grey.", extra="Extra.")
    repo.take()
    repo.git("reset", "--quiet", "--hard", first)
    repo.commit("Instead", clay="Clay is black.")
    repo.prune()
    done = repo.take()
    assert (done.taken.changed, done.taken.gone) == (2, 2)  # a file and a message
    assert repo.texts("commit") == {BEGIN, "Instead"}
    assert repo.texts() == {"Glaze is blue.", "Clay is black."}
    repo.settle()


def test_a_detached_head_is_followed(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit("Later", glaze="Glaze is green.")
    repo.take()
    repo.git("checkout", "--quiet", "--detach", first)
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    repo.settle()


def test_a_repository_without_commits_has_nothing_yet(tmp_path: Path, git: Git, engine: Engine, asker: Asker) -> None:
    empty = Repo(tmp_path / "empty", git, engine, asker)
    empty.write(draft="Not committed.")
    assert empty.take().taken == TakenIn()
    assert (empty.cursor(), empty.texts()) == ("", set())
    empty.commit("Now there is one")
    empty.take()
    assert empty.texts() == {"Not committed."}


def test_a_shallow_clone_is_followed_also_when_it_is_fetched_anew(repo: Repo, tmp_path: Path, git: Git) -> None:
    repo.commit("Second", glaze="Glaze is green.")
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repo.folder}", "shallow")
    clone = Repo.__new__(Repo)
    clone.folder, clone._git, clone.engine, clone.asker = tmp_path / "shallow", git, repo.engine, repo.asker
    clone.take()
    assert clone.texts() == {"Glaze is green.", "Clay is red."}
    repo.commit("Third", clay="Clay is white.")
    repo.commit("Fourth", extra="Extra.")
    clone.git("fetch", "--quiet", "--depth=1")
    clone.git("reset", "--quiet", "--hard", "origin/main")
    clone.prune()
    clone.take()
    assert clone.texts() == {"Glaze is green.", "Clay is white.", "Extra."}
    # What a shallow clone does not have may be before what it has.
    assert clone.texts("commit") == {"Second", "Fourth"}
    clone.settle()


def test_submodules_and_links_are_not_files(repo: Repo, tmp_path: Path, git: Git) -> None:
    other = Repo(tmp_path / "other", git, repo.engine, repo.asker)
    other.commit("In the other", inner="Inside of the other.")
    repo.take()
    repo.git("submodule", "--quiet", "add", str(other.folder), "module.md")
    (repo.folder / "link.md").symlink_to("clay.md")
    (repo.folder / "glaze.md").unlink()
    (repo.folder / "glaze.md").symlink_to("clay.md")
    repo.commit("Others")
    repo.take()
    assert set(repo.rows()) - {".gitmodules"} == {"clay.md"}
    assert {text for text in repo.texts() if "submodule" not in text} == {"Clay is red."}
    repo.settle()


def test_a_worktree_and_a_bare_repository_have_a_head_of_their_own(repo: Repo, tmp_path: Path, git: Git) -> None:
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "tree"))
    (tmp_path / "tree" / "side.md").write_text("Side.", encoding="utf-8")
    git(tmp_path / "tree", "add", ".")
    git(tmp_path / "tree", "commit", "--quiet", "--message", "Side")
    ingest_committed(repo.engine, repo.asker, str(tmp_path / "tree"), service=SERVICE)
    assert repo.texts() == {"Glaze is blue.", "Clay is red.", "Side."}
    git(tmp_path, "clone", "--quiet", "--bare", str(repo.folder), "bare.git")
    asker = asker_of("another")
    ingest_committed(repo.engine, asker, str(tmp_path / "bare.git"), service="bare")
    with repo.engine.store.reading() as reader:
        found = reader.sources(asker.namespace, ("another",), service="bare")
    assert {source.path for source in found if source.kind == "document"} == {"clay.md", "glaze.md"}


def test_after_each_other_neither_way_of_reading_changes_or_computes_anything(repo: Repo) -> None:
    (repo.folder / "kiln.py").write_text("def fire():\n    return 1280\n", encoding="utf-8")
    (repo.folder / "empty.py").write_text("", encoding="utf-8")
    (repo.folder / "data.json").write_text("[1]" * 200_000, encoding="utf-8")
    repo.commit("All sorts of files")
    repo.codebase()
    repo.take()
    repo.embedded()
    for read in (repo.codebase, lambda: repo.take().taken, repo.codebase):
        before, rows = repo.seq(), repo.rows()
        taken = read()
        assert (taken.added, taken.changed, taken.moved, taken.gone) == (0, 0, 0, 0)
        assert repo.embedded() == []
        assert repo.seq() == before
        assert {path: row.address for path, row in repo.rows().items()} == {p: row.address for p, row in rows.items()}
    fresh = repo.commit("Committed and read from the disk", clay="Clay is white.")
    repo.codebase()
    before = repo.seq()
    taken = repo.take().taken
    assert (taken.changed, taken.gone, taken.added) == (0, 0, 1)  # the message alone
    assert (repo.cursor(), repo.seq()) == (fresh, before + 1)


def test_what_comes_from_commits_first_is_not_read_twice_from_the_disk(repo: Repo) -> None:
    repo.take()
    repo.embedded()
    before = repo.seq()
    taken = repo.codebase()
    assert (taken.unchanged, taken.added, taken.changed) == (2, 0, 0)
    assert (repo.embedded(), repo.seq()) == ([], before)


def test_what_somebody_took_in_from_the_disk_stays_until_a_commit_changes_it(repo: Repo) -> None:
    repo.write(draft="A draft that was read on purpose.", clay="Clay is pink.")
    repo.codebase()
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is pink.", "A draft that was read on purpose."}
    repo.git("stash", "--quiet", "--include-untracked")
    repo.commit("Next", glaze="Glaze is green.", clay="Clay is white.")
    repo.take()
    assert repo.texts() >= {"Glaze is green.", "Clay is white."}


def test_a_run_that_was_broken_off_leaves_nothing_behind(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.take()
    repo.commit("Half read", glaze="Glaze is grey.", extra="Extra.")

    def broken(*_: Any, **__: Any) -> None:
        raise Conflict("broken off")

    with monkeypatch.context() as patched:
        patched.setattr(committed, "ingest_history", broken)
        with pytest.raises(Conflict):
            repo.take()
    assert "Extra." in repo.texts()
    repo.git("reset", "--quiet", "--hard", first)
    repo.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}
    repo.settle()


def test_a_message_of_a_run_that_was_broken_off_is_read_by_the_next(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise Conflict("broken off")

    with monkeypatch.context() as patched:
        patched.setattr(committed, "ingest_history", broken)
        with pytest.raises(Conflict):
            repo.take()
    repo.take()
    assert repo.texts("commit") == {BEGIN}


def test_a_pointer_to_a_large_file_elsewhere_does_not_take_the_place_of_the_file(repo: Repo) -> None:
    text = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"
    repo.commit("Large files", handbook=text)
    done = repo.take()
    assert "handbook.md" not in repo.rows()
    assert [one.path for one in done.taken.problems] == ["handbook.md"]


def test_odd_names_are_read_as_any_other(repo: Repo) -> None:
    names = ["with space.md", "new\nline.md", "quo'te\".md", ":(top)x.md", "-dash.md", "ünïcode.md"]
    for number, name in enumerate(names):
        (repo.folder / name).write_text(f"Text {number}.", encoding="utf-8")
    repo.commit("Odd names")
    repo.take()
    assert {f"Text {number}." for number in range(len(names))} <= repo.texts()
    repo.settle()


def test_another_repository_is_no_part_of_a_service(repo: Repo, tmp_path: Path, git: Git) -> None:
    repo.take()
    other = Repo(tmp_path / "other", git, repo.engine, repo.asker)
    other.commit("Other", other="Other.")
    with pytest.raises(Conflict):
        other.take()
    assert repo.texts() == {"Glaze is blue.", "Clay is red."}


def test_a_folder_without_a_repository_is_refused(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(Invalid):
        ingest_committed(engine, asker, str(tmp_path / "plain"))


def test_an_origin_that_is_added_later_is_the_same_repository(repo: Repo) -> None:
    repo.take()
    repo.git("remote", "add", "origin", "git@example.org:pots/kiln.git")
    repo.commit("Published", glaze="Glaze is green.")
    assert repo.take().taken.changed == 1


def test_nothing_of_the_repository_is_run_or_changed(repo: Repo, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch '{ran}'\ncat\n", encoding="utf-8")
    script.chmod(0o755)
    for name in ("core.fsmonitor", "diff.external", "filter.evil.smudge", "filter.evil.clean", "core.pager"):
        repo.git("config", name, str(script))
    (repo.folder / ".gitattributes").write_text("*.md filter=evil diff=evil\n", encoding="utf-8")
    subprocess.run(["git", "-C", str(repo.folder), "status"], capture_output=True, check=False)
    ran.unlink(missing_ok=True)
    repo.take()
    assert not ran.exists()
    assert COMMITTED.startswith("#")
