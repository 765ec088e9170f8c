"""watch: a repository is kept current, by the daemon or by git's own hooks, which belong to others too."""

from __future__ import annotations

import os
import select
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.capture import where
from marrow.capture.in_turn import in_turn
from marrow.jobs.watching import Target, hook_lines, words_of
from marrow.model.errors import Invalid, NotFound, StoreLocked
from marrow.repository.git_hooks import HOOKS

from ..repository.conftest import Git, git, home
from .conftest import PROJECT, Do

__all__ = ["git", "home"]

SHELL_HOOK = b"#!/usr/bin/env bash -eu\n# mine\n\techo \xff mine >> ran\nexit 0"


class Repo:
    """A repository with spaces in its path."""

    def __init__(self, folder: Path, git: Git) -> None:
        self.folder, self._git = folder, git
        folder.mkdir(parents=True)
        self.git("init", "--quiet")
        self.commit("Begin", notes="We fire at night.")

    def git(self, *arguments: str, **variables: str) -> str:
        return self._git(self.folder, *arguments, **variables).strip()

    def commit(self, message: str, **files: str) -> str:
        for name, text in files.items():
            (self.folder / f"{name}.md").write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def hook(self, name: str = "post-commit") -> Path:
        return self.folder / ".git" / "hooks" / name

    def put(self, data: bytes, name: str = "post-commit", mode: int = 0o755) -> Path:
        path = self.hook(name)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        path.chmod(mode)
        return path


@pytest.fixture
def repo(tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("MARROW_EMBEDDER", "fake")
    return Repo(tmp_path / "the kiln's" / "my repo", git)


class Background:
    """The interpreter that hooks start, behind a pipe: it begins when somebody listens, and tells when it has ended."""

    def __init__(self, folder: Path) -> None:
        self.pipe = folder / "pipe"
        os.mkfifo(self.pipe)
        self.program = folder / "the python"
        package = Path(sys.modules["marrow"].__file__ or "").parents[1]
        self.program.write_text(
            f"#!/bin/sh\nexec 9>'{self.pipe}'\necho started >&9\nexport PYTHONPATH='{package}' MARROW_EMBEDDER=fake\n"
            f"'{sys.executable}' \"$@\"\n",
            encoding="utf-8",
        )
        self.program.chmod(0o755)

    def wait(self) -> int:
        """Until all that was started has ended; how many that were."""
        pipe = os.open(self.pipe, os.O_RDONLY | os.O_NONBLOCK)
        polled = select.poll()
        polled.register(pipe, select.POLLIN)
        said = b""
        try:
            while True:
                assert polled.poll(60_000), "nothing was started, or it does not end"
                found = os.read(pipe, 4096)
                if not found:
                    return said.count(b"started")
                said += found
        finally:
            os.close(pipe)


@pytest.fixture
def background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Background:
    made = Background(tmp_path)
    monkeypatch.setattr(sys, "executable", str(made.program))
    return made


def state(do: Do) -> Any:
    (item,) = do("watch").items
    return item["state"]


def documents(do: Do) -> set[str]:
    return {item["path"] for item in do("list_documents").items if ":" not in item["path"]}


def test_nothing_is_watched_until_somebody_asks_for_it(do: Do, said: Do) -> None:
    assert do("watch").items == ()
    assert "marrow watch ." in said("watch")


def test_a_repository_is_taken_in_and_listed(do: Do, said: Do, repo: Repo) -> None:
    done = do("watch", repository=str(repo.folder))
    assert done.added == 2
    (item,) = do("watch").items
    assert (item["service"], item["root"], item["state"]) == ("my repo", str(repo.folder), "current")
    assert item["commit"] == repo.git("rev-parse", "HEAD")[:10]
    assert not item["hooks"]
    assert documents(do) == {"notes.md"}
    assert "my repo" in said("watch")


def test_a_folder_in_a_repository_means_the_repository(do: Do, repo: Repo) -> None:
    (repo.folder / "docs").mkdir()
    do("watch", repository=str(repo.folder / "docs"))
    assert do("watch").items[0]["root"] == str(repo.folder)


def test_one_that_moved_on_is_behind_until_it_is_asked_for_again(do: Do, repo: Repo) -> None:
    do("watch", repository=str(repo.folder))
    repo.commit("More", more="More.")
    assert state(do) == "behind"
    assert do("watch", repository=str(repo.folder)).added == 2
    assert state(do) == "current"


@pytest.fixture
def listening(memory: Memory) -> Iterator[None]:
    """A line that something listens on, as on a daemon's."""
    path = where.socket(home := memory.settings.get("home", str))
    for folder in (where.run(home), os.path.dirname(path)):
        where.make(folder)
    with socket.socket(socket.AF_UNIX) as line:
        line.bind(path)
        line.listen()
        yield
    shutil.rmtree(os.path.dirname(path))


def test_where_no_daemon_runs_it_is_told_how_one_starts(do: Do, said: Do, repo: Repo) -> None:
    assert "marrow daemon start" in said("watch", repository=str(repo.folder))
    repo.commit("More")
    listed = said("watch")
    assert "behind" in listed
    assert "No daemon runs" in listed
    assert "marrow daemon start" in listed
    (note,) = do("watch").notes
    assert "\n" not in note


def test_a_running_daemon_is_not_asked_for(said: Do, repo: Repo, listening: None) -> None:
    said("watch", repository=str(repo.folder))
    repo.commit("More")
    assert "No daemon" not in said("watch")


def test_hooks_need_no_daemon_until_they_fail_to_tell(said: Do, repo: Repo, background: Background) -> None:
    assert "No daemon" not in said("watch", repository=str(repo.folder), hooks=True)
    repo.git("reset", "--quiet", "--soft", repo.git("commit-tree", "-m", "Apart", "HEAD^{tree}"))  # no hook tells of it
    assert "No daemon runs" in said("watch")


def test_one_that_is_behind_because_capture_is_paused_is_told_so(do: Do, said: Do, repo: Repo, listening: None) -> None:
    do("watch", repository=str(repo.folder))
    do("pause")
    repo.commit("More")
    assert "marrow resume" in said("watch")
    do("resume")
    assert "marrow resume" not in said("watch")


def test_one_that_is_gone_is_told_and_can_be_dropped(do: Do, said: Do, repo: Repo, tmp_path: Path) -> None:
    do("watch", repository=str(repo.folder))
    repo.folder.rename(tmp_path / "elsewhere")
    assert state(do) == "gone"
    assert "not there" in said("watch")
    do("watch", repository=str(repo.folder), stop=True)
    assert do("watch").items == ()


def test_one_that_is_stopped_keeps_what_was_read(do: Do, repo: Repo) -> None:
    do("watch", repository=str(repo.folder))
    do("watch", repository=str(repo.folder), stop=True)
    assert do("watch").items == ()
    assert documents(do) == {"notes.md"}
    with pytest.raises(NotFound):
        do("watch", repository=str(repo.folder), stop=True)


def test_a_folder_without_a_repository_is_refused(do: Do, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(Invalid):
        do("watch", repository=str(tmp_path / "plain"))
    assert do("watch").items == ()


def test_a_worktree_that_is_named_later_takes_the_place_of_the_first(do: Do, repo: Repo, tmp_path: Path) -> None:
    do("watch", repository=str(repo.folder), hooks=True)
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "tree"))
    notes = do("watch", repository=str(tmp_path / "tree"), hooks=True).notes
    (item,) = do("watch").items
    assert (item["root"], item["hooks"]) == (str(tmp_path / "tree"), True)
    assert str(repo.folder) in notes[0]
    text = repo.hook().read_text(encoding="utf-8")
    assert text.count(">>> marrow watch") == 1
    assert str(tmp_path / "tree") in text


def test_a_commit_is_taken_in_by_its_hook_and_does_not_wait_for_it(do: Do, repo: Repo, background: Background) -> None:
    do("watch", repository=str(repo.folder), hooks=True)
    assert do("watch").items[0]["hooks"]
    for name in HOOKS:
        assert os.access(repo.hook(name), os.X_OK)
    repo.commit("More", more="More.")  # ends although what it started has not begun
    assert state(do) == "behind"
    assert background.wait() == 1
    assert state(do) == "current"
    assert documents(do) == {"notes.md", "more.md"}


def test_a_merge_and_a_rebase_are_told_by_their_hooks(do: Do, repo: Repo, background: Background) -> None:
    repo.git("switch", "--quiet", "--create", "side")
    repo.commit("Side", side="Side.")
    repo.git("switch", "--quiet", "main")
    do("watch", repository=str(repo.folder), hooks=True)
    repo.git("merge", "--quiet", "side")
    background.wait()
    assert documents(do) == {"notes.md", "side.md"}
    repo.git("commit", "--quiet", "--amend", "--message", "Side, in other words")
    background.wait()
    assert state(do) == "current"


def test_many_commits_in_a_row_end_with_the_last_and_leave_nothing_running(
    do: Do, repo: Repo, background: Background
) -> None:
    do("watch", repository=str(repo.folder), hooks=True)
    for number in range(6):
        repo.commit(f"Number {number}", **{f"n{number}": f"Number {number}."})
    assert background.wait() == 6
    runs = [event for event in do("audit", limit=100).items if event["operation"] == "ingest_committed"]
    assert len(runs) == 2  # the first reading, and one for all of these
    assert state(do) == "current"
    assert documents(do) == {"notes.md", *(f"n{number}.md" for number in range(6))}


def test_what_a_commit_of_another_worktree_starts_is_nothing(
    do: Do, repo: Repo, background: Background, git: Git, tmp_path: Path
) -> None:
    do("watch", repository=str(repo.folder), hooks=True)
    repo.git("worktree", "add", "--quiet", "-b", "side", str(tmp_path / "tree"))
    git(tmp_path / "tree", "commit", "--quiet", "--allow-empty", "--message", "Elsewhere")
    repo.commit("Here")
    assert background.wait() == 1


def test_a_hook_of_another_tool_is_kept_to_the_byte_and_still_runs(do: Do, repo: Repo, background: Background) -> None:
    path = repo.put(SHELL_HOOK.replace(b"env bash -eu", b"env bash"), mode=0o750)
    before = path.read_bytes()
    do("watch", repository=str(repo.folder), hooks=True)
    assert path.read_bytes() != before
    (repo.folder / ".git" / "info" / "exclude").write_text("ran\n", encoding="utf-8")
    repo.commit("More", more="More.")
    background.wait()  # though the hook leaves at its end
    assert (repo.folder / "ran").read_bytes() == b"\xff mine\n"
    assert state(do) == "current"
    do("watch", repository=str(repo.folder), hooks=False)
    assert path.read_bytes() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o750
    assert not repo.hook("post-merge").exists()
    assert do("watch").items[0]["hooks"] is False


def test_lines_that_another_tool_adds_later_stay_when_ours_go(do: Do, repo: Repo) -> None:
    do("watch", repository=str(repo.folder), hooks=True)
    path = repo.hook()
    path.write_bytes(path.read_bytes() + b"echo theirs\n")
    do("watch", repository=str(repo.folder), stop=True)
    assert path.read_bytes() == b"#!/bin/sh\necho theirs\n"
    assert [name for name in HOOKS if repo.hook(name).exists()] == ["post-commit"]


def test_putting_hooks_in_twice_is_putting_them_in_once(do: Do, repo: Repo) -> None:
    repo.put(SHELL_HOOK)
    do("watch", repository=str(repo.folder), hooks=True)
    once = [repo.hook(name).read_bytes() for name in HOOKS]
    do("watch", repository=str(repo.folder), hooks=True)
    assert [repo.hook(name).read_bytes() for name in HOOKS] == once


def left_alone(do: Do, repo: Repo) -> str:
    """What is said of a hook that is not touched; it is told once, and the others are put in."""
    before = repo.hook().read_bytes()
    result = do("watch", repository=str(repo.folder), hooks=True)
    assert repo.hook().read_bytes() == before
    assert b">>> marrow watch" in repo.hook("post-merge").read_bytes()
    assert len(result.notes) == 2
    assert str(repo.hook()) in result.notes[0]
    do("watch", repository=str(repo.folder), stop=True)
    assert repo.hook().read_bytes() == before
    return str(result.notes[0])


@pytest.mark.parametrize(
    "data",
    [
        b"#!/usr/bin/env python3\nprint(1)\n",
        b"\x7fELF\n\x00",
        b"echo no first line\n",
        b"",
        b"#!/bin/sh",
        b"#!/bin/csh\n",
    ],
)
def test_a_hook_that_is_no_shell_script_is_left_alone(do: Do, repo: Repo, data: bytes) -> None:
    repo.put(data, mode=0o644)
    assert "no shell script" in left_alone(do, repo)


def test_a_hook_that_may_not_run_is_left_alone(do: Do, repo: Repo) -> None:
    repo.put(b"#!/bin/sh\necho switched off\n", mode=0o644)
    assert "may not be run" in left_alone(do, repo)


def test_a_link_is_left_alone(do: Do, repo: Repo, tmp_path: Path) -> None:
    target = tmp_path / "their hook"
    target.write_bytes(b"#!/bin/sh\n")
    repo.hook().parent.mkdir(exist_ok=True)
    repo.hook().symlink_to(target)
    assert "link" in left_alone(do, repo)
    assert repo.hook().is_symlink()


def test_a_hook_that_git_tracks_is_left_alone(do: Do, repo: Repo) -> None:
    repo.git("config", "core.hooksPath", "hooks of all")
    folder = repo.folder / "hooks of all"
    folder.mkdir()
    (folder / "post-commit").write_bytes(b"#!/bin/sh\ntrue\n")
    (folder / "post-commit").chmod(0o755)
    repo.commit("Hooks for everyone")
    notes = do("watch", repository=str(repo.folder), hooks=True).notes
    assert "git tracks it" in notes[0]
    assert (folder / "post-commit").read_bytes() == b"#!/bin/sh\ntrue\n"


def test_hooks_are_put_where_git_looks_for_them(do: Do, repo: Repo, background: Background, tmp_path: Path) -> None:
    shared = tmp_path / "shared hooks"
    repo.git("config", "core.hooksPath", str(shared))
    do("watch", repository=str(repo.folder), hooks=True)
    assert sorted(path.name for path in shared.iterdir()) == sorted(HOOKS)
    assert not repo.hook().exists()
    repo.commit("More", more="More.")
    background.wait()
    assert state(do) == "current"
    repo.git("config", "--unset", "core.hooksPath")
    repo.git("config", "core.hooksPath", str(shared))
    do("watch", repository=str(repo.folder), stop=True)
    assert list(shared.iterdir()) == []


def test_a_folder_of_hooks_that_repositories_share_has_lines_for_each(
    do: Do, repo: Repo, git: Git, tmp_path: Path
) -> None:
    other = Repo(tmp_path / "other", git)
    shared = tmp_path / "shared"
    for one in (repo, other):
        one.git("config", "core.hooksPath", str(shared))
        do("watch", repository=str(one.folder), hooks=True)
    assert (shared / "post-commit").read_text(encoding="utf-8").count(">>> marrow watch") == 2
    do("watch", repository=str(repo.folder), stop=True)
    text = (shared / "post-commit").read_text(encoding="utf-8")
    assert text.count(">>> marrow watch") == 1
    assert str(other.folder) in text


def test_no_folder_of_hooks_is_said_and_nothing_else_changes(do: Do, repo: Repo) -> None:
    repo.git("config", "core.hooksPath", os.devnull)
    with pytest.raises(Exception, match="hooks"):
        do("watch", repository=str(repo.folder), hooks=True)


@pytest.mark.parametrize("program", ["/nowhere/python", "/bin/false"])
def test_a_commit_does_not_mind_that_marrow_is_gone(repo: Repo, tmp_path: Path, program: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(sys, "executable", program)
    target = Target(str(tmp_path / "gone.db"), "local", PROJECT, "my repo", str(repo.folder))
    repo.put(b"#!/bin/sh -eu\n" + hook_lines(target, str(tmp_path)).encode() + b"\n")
    done = subprocess.run([str(repo.hook())], cwd=repo.folder, capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"", b"")
    repo.commit("All the same")
    assert not (tmp_path / "gone.db").exists()


def taking_in(memory: Memory, repo: Repo, **more: Any) -> subprocess.Popen[bytes]:
    package = Path(sys.modules["marrow"].__file__ or "").parents[1]
    store = memory.store.url.removeprefix("sqlite:")
    target = Target(store, "local", PROJECT, "my repo", str(repo.folder))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "marrow", *words_of(target)],
        env={**os.environ, "PYTHONPATH": str(package), "GIT_DIR": "/nowhere"},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **more,
    )


def ended(process: subprocess.Popen[bytes]) -> tuple[int, bytes]:
    said = process.communicate(timeout=120)[1]
    return process.returncode, said


def test_two_hooks_at_once_say_everything_once(do: Do, memory: Memory, repo: Repo) -> None:
    do("watch", repository=str(repo.folder))
    repo.commit("More", more="More.", notes="We fire at noon.")
    started = [taking_in(memory, repo) for _ in range(2)]
    assert [ended(one) for one in started] == [(0, b""), (0, b"")]
    assert state(do) == "current"
    assert documents(do) == {"notes.md", "more.md"}
    said = [event for event in do("audit", limit=100).items if event["operation"] == "ingest_history"]
    assert len(said) == 2  # the first message, and the second


def test_a_repository_that_nobody_follows_any_more_is_not_read(do: Do, memory: Memory, repo: Repo) -> None:
    do("watch", repository=str(repo.folder))
    do("watch", repository=str(repo.folder), stop=True)
    repo.commit("More", more="More.")
    assert ended(taking_in(memory, repo)) == (0, b"")
    assert documents(do) == {"notes.md"}


def test_while_capture_is_paused_nothing_is_taken_in_by_itself(do: Do, memory: Memory, repo: Repo) -> None:
    do("watch", repository=str(repo.folder))
    repo.commit("More", more="More.")
    do("pause")
    assert ended(taking_in(memory, repo)) == (0, b"")
    assert state(do) == "behind"
    do("resume")
    assert ended(taking_in(memory, repo)) == (0, b"")
    assert state(do) == "current"


def test_somebody_who_waits_is_told_that_it_is_being_taken_in(
    do: Do, memory: Memory, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("marrow.jobs.watching.PATIENCE_SECONDS", 0.0)
    store, home = memory.store.url.removeprefix("sqlite:"), memory.settings.get("home", str)
    with in_turn(home, (store, "local", PROJECT, "my repo"), 0.0), pytest.raises(StoreLocked):
        do("watch", repository=str(repo.folder))


def test_hooks_need_a_store_that_another_process_can_open(repo: Repo) -> None:
    with open_memory(repo.folder, store="memory:", embedder="fake") as memory:
        assert memory.watch(".").items[0]["state"] == "current"
        with pytest.raises(Invalid):
            memory.watch(".", hooks=True)
    assert not repo.hook().exists()
