"""Repositories that are followed: a moved HEAD is noticed and taken in beside the daemon, one at a time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marrow.capture import paused
from marrow.capture.in_turn import in_turn
from marrow.jobs.watching import ATTENDED, LIST_SECONDS, LOOK_SECONDS, RETRY_SECONDS, Watcher, words_of
from marrow.memory.code.frames import environment

from ..repository.conftest import Git
from ..repository.conftest import git as real_git
from .conftest import Home

__all__ = ["real_git"]

MINUTES = 120


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Desk:
    """A home with a watched repository, and a watcher whose time only the test moves."""

    def __init__(self, home: Home, git: Git) -> None:
        self.home, self._git, self.clock = home, git, Clock()
        self.root = home.folder / "one"
        self.git("init", "--quiet")
        self.commit("Begin", notes="We fire at night.")
        self.watcher = Watcher(str(home.home), self.clock)

    def git(self, *arguments: str) -> str:
        return self._git(self.root, *arguments).strip()

    def commit(self, message: str, **files: str) -> str:
        for name, text in files.items():
            (self.root / f"{name}.md").write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self.git("rev-parse", "HEAD")

    def watch(self, folder: str = "one", **more: Any) -> Any:
        return self.home.memories.at(str(self.home.folder / "one")).watch(str(self.home.folder / folder), **more)

    def look(self, seconds: float = LOOK_SECONDS) -> int:
        self.clock.now += seconds
        return self.watcher.look(lambda: [self.home.place()])

    def running(self) -> subprocess.Popen[bytes]:
        assert self.watcher._running is not None
        return self.watcher._running[1]

    def finish(self) -> int:
        return self.running().wait(MINUTES)

    def states(self) -> list[str]:
        return [item["state"] for item in self.home.memories.at(str(self.root)).watch().items]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    folder = tmp_path / "of git"
    folder.mkdir()
    made: Git = real_git.__wrapped__(folder)  # type: ignore[attr-defined]
    return made


@pytest.fixture
def desk(home: Home, git: Git) -> Any:
    made = Desk(home, git)
    yield made
    made.watcher.stop()


def test_a_head_that_moved_is_taken_in_by_a_process_of_its_own(desk: Desk) -> None:
    desk.watch()
    assert desk.look() == 0
    desk.commit("More", more="More.")
    assert desk.look() == 1
    assert desk.finish() == 0
    assert desk.states() == ["current"]
    assert desk.look() == 0
    assert desk.watcher._running is None


def test_where_nothing_is_watched_nothing_is_started(desk: Desk) -> None:
    assert [desk.look(LIST_SECONDS) for _ in range(3)] == [0, 0, 0]


def test_heads_are_looked_at_only_now_and_then(desk: Desk) -> None:
    desk.watch()
    desk.look()
    desk.commit("More")
    assert desk.look(LOOK_SECONDS / 2) == 0
    assert desk.look(LOOK_SECONDS / 2) == 1


def test_what_is_watched_later_is_found_by_the_next_list(desk: Desk) -> None:
    desk.look()
    desk.watch()
    desk.commit("More")
    assert desk.look() == 0
    assert desk.look(LIST_SECONDS) == 1


def test_one_repository_is_taken_in_at_a_time(desk: Desk, git: Git) -> None:
    other = desk.home.folder / "two"
    git(other, "init", "--quiet")
    git(other, "commit", "--quiet", "--allow-empty", "--message", "Other")
    desk.watch()
    desk.watch("two")
    desk.commit("More")
    git(other, "commit", "--quiet", "--allow-empty", "--message", "Other too")
    assert desk.look() == 1
    first = desk.running()
    first.wait(MINUTES)
    assert desk.look() == 1
    assert desk.running() is not first
    desk.finish()
    assert desk.states() == ["current", "current"]


def test_while_one_is_running_no_other_is_started(desk: Desk) -> None:
    desk.watch()
    desk.commit("More")
    place = desk.home.place()
    names = (place.engine.store.url.removeprefix("sqlite:"), "local", place.asker.scope.project, "one")
    with in_turn(str(desk.home.home), names, 0.0) as is_ours:
        assert is_ours
        assert desk.look() == 1  # it waits for us
        desk.commit("Meanwhile")
        assert [desk.look() for _ in range(3)] == [0, 0, 0]
    assert desk.finish() == 0
    assert desk.states() == ["current"]


def test_it_ends_with_the_watcher(desk: Desk) -> None:
    desk.watch()
    desk.commit("More")
    desk.look()
    process = desk.running()
    desk.watcher.stop()
    assert process.poll() is not None


def test_it_ends_with_whoever_started_it(desk: Desk) -> None:
    """As when the daemon is killed: nobody is left to end it."""
    desk.watch()
    desk.commit("More")
    place = desk.home.place()
    names = (place.engine.store.url.removeprefix("sqlite:"), "local", place.asker.scope.project, "one")
    with in_turn(str(desk.home.home), names, 0.0):
        desk.look()
        process = desk.running()
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(MINUTES) == 1
    assert desk.states() == ["behind"]


def test_a_repository_that_is_gone_is_passed_over_and_followed_when_it_is_back(desk: Desk) -> None:
    desk.watch()
    desk.look()
    desk.commit("More")
    away = desk.home.folder / "away"
    desk.root.rename(away)
    assert desk.look() == 0
    desk.root.mkdir()
    assert desk.look() == 0
    desk.root.rmdir()
    away.rename(desk.root)
    assert desk.look() == 1


def test_what_a_hook_took_in_already_is_not_taken_in_again(desk: Desk) -> None:
    desk.watch()
    desk.look()
    desk.commit("More")
    desk.watch()
    assert desk.look() == 0


def test_what_is_stopped_is_no_longer_followed(desk: Desk) -> None:
    desk.watch()
    desk.look()
    desk.watch(stop=True)
    desk.commit("More")
    assert [desk.look(), desk.look(LIST_SECONDS)] == [0, 0]


def test_while_capture_is_paused_nothing_is_started(desk: Desk) -> None:
    desk.watch()
    desk.commit("More")
    paused.pause(str(desk.home.home))
    assert desk.look(LIST_SECONDS) == 0
    paused.resume(str(desk.home.home))
    assert desk.look() == 1


def test_what_fails_is_not_tried_again_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.watch()
    desk.commit("More")
    monkeypatch.setattr(sys, "executable", "/bin/false")
    assert desk.look() == 1
    assert desk.finish() != 0
    assert [desk.look(), desk.look(LIST_SECONDS)] == [0, 0]
    assert desk.look(RETRY_SECONDS) == 1
    desk.finish()
    desk.commit("Another")
    assert desk.look() == 1
    desk.finish()


def test_the_chores_follow_and_end_what_they_began(desk: Desk) -> None:
    desk.watch()
    desk.commit("More", more="More.")
    chores = desk.home.chores()
    while chores.turn(lambda: False, lambda: False):
        pass
    running = chores._watcher._running
    assert running is not None
    assert running[1].wait(MINUTES) == 0
    assert desk.states() == ["current"]
    assert chores.state()["since_start"]["followed"] == 1
    chores.stop()


def test_a_repository_can_be_followed_for_another_project_than_its_own(desk: Desk, git: Git) -> None:
    """An organisation's memory holds many services."""
    other = desk.home.folder / "two"
    git(other, "init", "--quiet")
    git(other, "commit", "--quiet", "--allow-empty", "--message", "Because they asked")
    desk.watch("two")
    git(other, "commit", "--quiet", "--allow-empty", "--message", "And asked again")
    assert desk.look() == 1
    assert desk.finish() == 0
    memory = desk.home.memories.at(str(desk.root))
    assert [(item["service"], item["state"]) for item in memory.watch().items] == [("two", "current")]
    with memory.store.reading() as reader:
        found = reader.sources("local", (memory.project,), service="two")
    assert [source.kind for source in found].count("commit") == 2


def test_what_it_is_started_with_is_refused_where_it_is_incomplete() -> None:
    words = [sys.executable, "-P", "-m", "marrow", "daemon", "take-in", "somewhere", ATTENDED]
    done = subprocess.run(words, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode != 0
    assert words_of.__doc__
