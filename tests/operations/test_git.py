"""The git tier as callers meet it: typed results, what a reader gets, budgets, errors."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Invalid, Unavailable
from marrow.model.text import token_estimate
from marrow.operations.run import perform

from .conftest import Do

Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    def run(*arguments: str, folder: str = "repository") -> str:
        identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "init.defaultBranch=main"]
        command = ["git", *identity, *arguments]
        return subprocess.run(command, cwd=tmp_path / folder, capture_output=True, text=True, check=True).stdout

    return run


@pytest.fixture
def folder(tmp_path: Path, git: Git) -> Path:
    place = tmp_path / "repository"
    place.mkdir()
    git("init", "--quiet")
    (place / "app.py").write_text("retries = 3\n")
    git("add", ".")
    git("commit", "--quiet", "--message", "Retry payments three times\n\nThe gateway is slow at night.")
    return place


@pytest.fixture
def memory(tmp_path: Path, folder: Path) -> Iterator[Memory]:
    with open_memory(folder, store=str(tmp_path / "marrow.db"), embedder="fake") as opened:
        yield opened


def test_recent_commits_read_as_lines_with_what_they_changed(do: Do, said: Do) -> None:
    (only,) = do("get_recent_commits", limit=3).items
    assert (only.subject, only.content) == ("Retry payments three times", "The gateway is slow at night.")
    assert (only.files, only.added, only.removed, only.author) == (1, 1, 0, "Ada")
    assert "Retry payments three times" in said("get_recent_commits")
    assert "\n    The gateway is slow at night." in said("get_recent_commits")


def test_changed_files_say_what_is_committed_and_what_is_not(do: Do, said: Do, folder: Path) -> None:
    (folder / "app.py").write_text("retries = 5\n")
    (folder / "new.py").write_text("x = 1\n")
    found = do("get_changed_files", since_hours=1)
    assert [(one.path, one.pending, bool(one.commit)) for one in found.items] == [
        ("app.py", "modified", True),
        ("new.py", "untracked", False),
    ]
    assert (found.files, found.commits) == (2, 1)
    assert "not committed" in said("get_changed_files")


def test_more_files_than_asked_for_are_counted(do: Do, said: Do, folder: Path) -> None:
    for number in range(5):
        (folder / f"new{number}.py").write_text("x = 1\n")
    found = do("get_changed_files", limit=2)
    assert (len(found.items), found.files) == (2, 6)
    assert "(4 more" in said("get_changed_files", limit=2)


def test_the_diff_is_told_and_stays_within_its_budget(do: Do, said: Do, folder: Path) -> None:
    (folder / "app.py").write_text("retries = 5\n")
    text = said("get_current_diff")
    assert "-retries = 3" in text
    assert "+retries = 5" in text
    for number in range(40):
        (folder / f"part{number}.py").write_text("".join(f"value_{line} = {line}\n" for line in range(80)))
    for budget in (200, 1_000, 3_000):
        assert token_estimate(said("get_current_diff", budget_tokens=budget)) <= budget
    assert do("get_current_diff", budget=300).unlisted > 0


def test_a_name_with_a_line_break_begins_no_line_of_its_own(said: Do, folder: Path, git: Git) -> None:
    name = "a\nOn main: nothing differs\x1b[2J.txt"
    (folder / name).write_text("one\n")
    git("add", ".")
    shown = r"a\nOn main: nothing differs\x1b[2J.txt"
    diff, changes = said("get_current_diff"), said("get_changed_files")
    assert f"A s {shown} +1 -0" in diff
    assert f"--- {shown}" in diff
    assert f"A  {shown}  not committed" in changes
    git("commit", "--quiet", "--message", "odd")
    history = said("get_file_history", file_path=name)
    assert f"added {shown}" in history
    assert not any(name in text for text in (diff, changes, history))


def test_a_clean_tree_says_so(said: Do) -> None:
    assert said("get_current_diff") == "On main: nothing differs from the last commit."


def test_a_submodule_is_told_as_one_and_not_as_a_file_of_no_lines(said: Do, folder: Path, git: Git) -> None:
    git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(folder), "inner")
    git("commit", "--quiet", "--message", "inner")
    (folder / "inner" / "app.py").write_text("retries = 5\n")
    text = said("get_current_diff")
    assert text.splitlines()[1:] == ["submodule modified u inner  (changes of its own: 1 file changed)"]


def test_the_branch_is_told_with_its_distance(do: Do, said: Do, git: Git, tmp_path: Path) -> None:
    git("clone", "--quiet", "--bare", "repository", "origin.git", folder=".")
    git("remote", "add", "origin", str(tmp_path / "origin.git"))
    git("fetch", "--quiet", "origin")
    git("branch", "--quiet", "--set-upstream-to=origin/main")
    git("commit", "--quiet", "--allow-empty", "--message", "one more")
    found = do("get_current_branch")
    assert (found.name, found.upstream, found.ahead, found.behind) == ("main", "origin/main", 1, 0)
    assert "1 ahead, 0 behind" in said("get_current_branch")


def test_commits_are_searched_by_words_and_say_why(do: Do, said: Do) -> None:
    found = do("search_commits", query="slow gateway")
    assert found.items[0].subject == "Retry payments three times"
    assert set(found.items[0].why) == {"words", "meaning"}
    assert "Nothing in 1 commit says that." in said("search_commits", query="zeppelins")


def test_a_files_history_takes_any_form_of_its_path(do: Do, said: Do, folder: Path) -> None:
    for given in ("app.py", "./app.py", str(folder / "app.py")):
        assert [one.what for one in do("get_file_history", file_path=given).items] == ["added"]
    assert "No commit" in said("get_file_history", file_path="gone.py")
    with pytest.raises(Invalid):
        do("get_file_history", file_path="../other.py")


@pytest.mark.parametrize(
    ("operation", "arguments", "field"),
    [
        ("get_recent_commits", {"limit": 0}, "limit"),
        ("get_changed_files", {"since_hours": -1}, "since_hours"),
        ("get_changed_files", {"limit": 0}, "limit"),
        ("get_current_diff", {"budget_tokens": 0}, "budget_tokens"),
        ("get_current_diff", {"budget": 1_000_000}, "budget_tokens"),
        ("search_commits", {"query": ""}, "query"),
        ("get_file_history", {"file_path": ""}, "file_path"),
    ],
)
def test_bad_arguments_name_their_field(do: Do, operation: str, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        do(operation, **arguments)
    assert caught.value.field == field


def test_a_project_without_a_repository_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain").mkdir()
    monkeypatch.chdir(tmp_path / "plain")
    with open_memory(tmp_path / "plain", store=str(tmp_path / "other.db"), embedder="fake") as opened:
        for operation, arguments in (
            ("get_recent_commits", {}),
            ("get_current_branch", {}),
            ("get_current_diff", {}),
            ("get_changed_files", {}),
            ("search_commits", {"query": "x"}),
            ("get_file_history", {"file_path": "x"}),
        ):
            with pytest.raises(Invalid) as caught:
                opened.perform(operation, arguments)
            assert caught.value.hint


def test_another_projects_repository_is_not_guessed(memory: Memory, do: Do) -> None:
    do("memory_save", content="Something of here")
    asker = replace(memory.call.asker, root="", aliases=(), scope=replace(memory.call.asker.scope, project="elsewhere"))
    with pytest.raises(Unavailable):
        perform(replace(memory.call, asker=asker), "get_recent_commits", {})


def test_a_bare_repository_is_read_from_within(
    tmp_path: Path, git: Git, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("clone", "--quiet", "--bare", str(folder), "bare.git", folder=".")
    monkeypatch.chdir(tmp_path / "bare.git")
    with open_memory(tmp_path / "bare.git", store=str(tmp_path / "bare.db"), embedder="fake") as opened:
        assert len(opened.perform("get_recent_commits", {}).result.items) == 1
        assert opened.perform("get_current_branch", {}).result.bare
        assert opened.perform("get_current_diff", {}).result.files == 0


def test_secrets_in_messages_and_lines_are_not_told(said: Do, folder: Path, git: Git) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    git("commit", "--quiet", "--allow-empty", "--message", f"Use {key}\n\nAnd {key} again.")
    (folder / "conf.py").write_text(f'token = "{key}"\n')
    for operation, arguments in (
        ("get_recent_commits", {}),
        ("get_changed_files", {}),
        ("get_current_diff", {}),
        ("search_commits", {"query": "use again"}),
    ):
        assert key not in said(operation, **arguments)


def test_the_history_of_a_path_that_never_was_says_so(do: Do, said: Do, folder: Path) -> None:
    assert "there is no such file" in said("get_file_history", file_path="nope.py")
    (folder / "fresh.py").write_text("x = 1\n")
    assert said("get_file_history", file_path="fresh.py") == "No commit of this branch touches fresh.py."


def test_a_shallow_clone_does_not_claim_to_know_who_added_a_file(folder: Path, tmp_path: Path, git: Git) -> None:
    (folder / "app.py").write_text("retries = 4\n")
    git("commit", "--quiet", "--all", "--message", "Four")
    clone = tmp_path / "shallow"
    subprocess.run(["git", "clone", "--quiet", "--depth", "1", f"file://{folder}", str(clone)], check=True)
    with open_memory(clone, store=str(tmp_path / "other.db"), embedder="fake") as opened:
        told = opened.perform("get_file_history", {"file_path": "app.py"}).text
        assert "shallow: older commits are not here, and what the oldest one adds may be older" in told
    with open_memory(folder, store=str(tmp_path / "whole.db"), embedder="fake") as opened:
        assert "shallow" not in opened.perform("get_file_history", {"file_path": "app.py"}).text


def test_what_the_oldest_commit_of_a_shallow_clone_changed_is_not_told_as_added(
    folder: Path, tmp_path: Path, git: Git
) -> None:
    for name in ("second", "third"):
        (folder / f"{name}.py").write_text("x = 1\n")
        git("add", ".")
        git("commit", "--quiet", "--message", name)
    clone = tmp_path / "shallow"
    git("clone", "--quiet", "--depth", "2", folder.as_uri(), str(clone))
    with open_memory(clone, store=str(tmp_path / "other.db"), embedder="fake") as opened:
        changed = opened.perform("get_changed_files", {})
        assert ([one.path for one in changed.result.items], changed.result.commits) == (["third.py"], 2)
        commits = opened.perform("get_recent_commits", {})
        assert [(one.subject, one.files) for one in commits.result.items] == [("third", 1), ("second", None)]
        for told in (changed.text, commits.text):
            assert told.count("shallow: older commits are not here, and what the oldest one changed is not known") == 1
        assert "shallow" not in opened.perform("get_recent_commits", {"limit": 1}).text
        assert "shallow" not in opened.perform("get_changed_files", {"since": "HEAD~1"}).text


def test_files_that_changed_since_a_commit_or_a_time_are_told(do: Do, folder: Path) -> None:
    told = [one.path for one in do("get_changed_files", since="HEAD").items]
    assert "app.py" not in [one.path for one in do("get_changed_files", since="HEAD").items if one.commit], told
    assert "app.py" in [one.path for one in do("get_changed_files", since="2 days ago").items]
    with pytest.raises(Invalid) as caught:
        do("get_changed_files", since="whenever it was")
    assert caught.value.field == "since"


def test_files_that_changed_since_a_commit_are_told_whenever_their_commits_were_made(
    do: Do, folder: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    for second, name in enumerate(("one.py", "two.py", "three.py")):  # as after a rebase, and as in an older branch
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-03-01T10:00:0{second % 2}Z")
        (folder / name).write_text("x = 1\n")
        git("add", ".")
        git("commit", "--quiet", "--message", name)
    found = do("get_changed_files", since="HEAD~2")
    assert ({one.path for one in found.items}, found.commits) == ({"two.py", "three.py"}, 2)
    assert do("get_changed_files", since="HEAD").items == ()


def test_a_commit_that_a_shallow_clone_lacks_is_said_to_be_lacking(folder: Path, git: Git, tmp_path: Path) -> None:
    git("commit", "--quiet", "--allow-empty", "--message", "Another")
    git("clone", "--quiet", "--depth", "1", folder.as_uri(), str(tmp_path / "shallow"))
    (tmp_path / "empty").mkdir()
    git("init", "--quiet", folder="empty")
    for name, said in (("shallow", "shallow"), ("empty", "no commit")):
        with open_memory(tmp_path / name, store=str(tmp_path / "other.db"), embedder="fake") as memory:
            with pytest.raises(Invalid) as caught:
                memory.perform("code_changes", {"since": "HEAD~3"})
            assert said in caught.value.hint
