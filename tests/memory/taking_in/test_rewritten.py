"""Commits that were amended, rebased or reset away leave, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from marrow.memory.taking_in.rewritten import is_waiting
from marrow.memory.taking_in.take_in import TakenIn

from ...repository.conftest import Git, git, home
from .test_committed import BEGIN, SERVICE, Repo, engine, repo

__all__ = ["engine", "git", "home", "repo"]

READS = pytest.mark.parametrize("read", [Repo.take, Repo.messages], ids=["committed", "history"])


@READS
def test_a_message_that_was_amended_away_leaves(repo: Repo, read: Any) -> None:
    repo.commit("A draft", glaze="Glaze is grey.")
    read(repo)
    repo.git("commit", "--quiet", "--amend", "--message", "The final one")
    read(repo)
    assert repo.texts("commit") == {BEGIN, "The final one"}
    assert repo.known() == set(repo.git("rev-list", "HEAD").split())


@READS
def test_what_was_reset_away_comes_back_when_git_goes_back_to_it(repo: Repo, read: Any) -> None:
    second = repo.commit("Second")
    third = repo.commit("Third")
    read(repo)
    repo.git("reset", "--quiet", "--hard", f"{second}~")
    read(repo)
    assert repo.texts("commit") == {BEGIN}
    repo.git("reset", "--quiet", "--hard", third)
    read(repo)
    assert repo.texts("commit") == {BEGIN, "Second", "Third"}


@READS
def test_a_rebase_leaves_each_message_once_also_where_it_is_worded_as_before(repo: Repo, read: Any) -> None:
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("Side one", side="Side.")
    repo.commit("Side two", other="Other.")
    read(repo)
    repo.git("switch", "--quiet", "main")
    repo.commit("Meanwhile")
    repo.git("switch", "--quiet", "side")
    repo.git("rebase", "--quiet", "main")
    read(repo)
    assert repo.texts("commit") == {BEGIN, "Meanwhile", "Side one", "Side two"}
    assert repo.known() == set(repo.git("rev-list", "HEAD").split())


@READS
def test_where_git_has_what_was_dropped_no_more_it_leaves_all_the_same(repo: Repo, read: Any) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.git("branch", "kept")
    repo.commit("Dropped one")
    repo.commit("Dropped two")
    read(repo)
    repo.git("reset", "--quiet", "--hard", first)
    repo.commit("Instead")
    repo.prune()
    read(repo)
    assert repo.texts("commit") == {BEGIN, "Instead"}
    assert repo.known() == set(repo.git("rev-list", "HEAD").split())


@READS
def test_the_messages_of_other_branches_stay_for_as_long_as_there_is_one(repo: Repo, read: Any) -> None:
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("On the side")
    read(repo)
    repo.git("switch", "--quiet", "main")
    repo.commit("On the main way")
    read(repo)
    assert repo.texts("commit") == {BEGIN, "On the side", "On the main way"}
    repo.git("branch", "--quiet", "-D", "side")
    repo.commit("Next")
    read(repo)
    assert repo.texts("commit") == {BEGIN, "On the main way", "Next"}


@READS
def test_what_is_read_in_the_middle_of_a_rebase_leaves_with_its_end(repo: Repo, read: Any) -> None:
    """A hook reads the last commit of a rebase before the branch is moved to it."""
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("Draft")
    read(repo)
    repo.git("checkout", "--quiet", "--detach", "main")
    new = repo.commit("Done")
    read(repo)
    assert repo.texts("commit") == {BEGIN, "Draft", "Done"}  # the branch still has it
    repo.git("branch", "--quiet", "--force", "side", new)
    repo.git("switch", "--quiet", "side")
    read(repo)
    assert repo.texts("commit") == {BEGIN, "Done"}


def test_what_only_a_stash_still_reaches_leaves(repo: Repo) -> None:
    repo.commit("A draft")
    repo.take()
    repo.write(glaze="Not done yet.")
    repo.git("stash", "--quiet")
    repo.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "The final one")
    repo.take()
    assert repo.texts("commit") == {BEGIN, "The final one"}


def test_a_merged_branch_is_asked_about_no_more(repo: Repo) -> None:
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("On the side", side="Side.")
    repo.take()
    repo.git("switch", "--quiet", "main")
    repo.commit("On the main way")
    repo.take()
    assert is_waiting(repo.engine, repo.asker, SERVICE)
    repo.git("merge", "--quiet", "--no-edit", "side")
    repo.take()
    assert not is_waiting(repo.engine, repo.asker, SERVICE)
    assert repo.texts("commit") == {BEGIN, "On the side", "On the main way"}


def test_what_another_clone_has_not_fetched_is_not_lost(repo: Repo, tmp_path: Path, git: Git) -> None:
    repo.git("remote", "add", "origin", "git@example.org:pots/kiln.git")
    git(tmp_path, "clone", "--quiet", str(repo.folder), "clone")
    clone = Repo.__new__(Repo)
    clone.folder, clone._git, clone.engine, clone.asker = tmp_path / "clone", git, repo.engine, repo.asker
    clone.git("remote", "set-url", "origin", "git@example.org:pots/kiln.git")
    repo.commit("Not pushed yet")
    repo.messages()
    clone.commit("From the clone")
    clone.messages()
    assert repo.texts("commit") == {BEGIN, "Not pushed yet", "From the clone"}
    clone.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "In other words")
    clone.messages()
    assert repo.texts("commit") == {BEGIN, "Not pushed yet", "In other words"}


def test_of_what_was_lost_the_count_is_told(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.commit("Dropped")
    repo.messages()
    repo.git("reset", "--quiet", "--hard", first)
    taken = repo.messages().taken
    assert (taken.gone, taken.unchanged, taken.added) == (1, 1, 0)
    assert repo.messages().taken == TakenIn(unchanged=1)
