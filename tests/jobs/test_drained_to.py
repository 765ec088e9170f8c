"""Where and when what hooks reported belongs: its project under all its names, its own session, and no time to come."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.app import Memories
from marrow.jobs.work_off import work_off
from marrow.memory.engine import now_micros
from marrow.model.record import CURRENT, Filter

from .conftest import Home


def _repository(folder: Path) -> None:
    """As git makes one, without an origin."""
    for name in ("objects", "refs"):
        (folder / ".git" / name).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def _said_in(home: Home, project: str) -> list[str]:
    place = home.place(project)
    with place.engine.store.reading() as reader:
        wanted = Filter(projects=(place.asker.scope.project,), kinds=("decision",))
        entries = reader.select("local", wanted, CURRENT, now_micros())
        return sorted(record.node.content for record in reader.records_of(entries, CURRENT))


def test_a_repository_that_only_hooks_wrote_for_is_known_again_when_it_moves_or_gets_an_origin(home: Home) -> None:
    _repository(home.folder / "three")
    home.write("session-start", project="three", source="startup")
    chores = home.chores()
    chores.all_now()  # what leaves nothing names nothing either
    home.write("prompt", project="three", prompt="We decided to shard by tenant.")
    home.write("stop", project="three", message="ok")
    chores.all_now()
    (home.folder / "three").rename(home.folder / "four")
    assert _said_in(home, "four") == ["We decided to shard by tenant."]
    (home.folder / "four" / ".git" / "config").write_text('[remote "origin"]\n\turl = https://github.com/ann/four\n')
    home.memories.close()
    home.memories = Memories()
    assert _said_in(home, "four") == ["We decided to shard by tenant."]


def test_an_origin_that_comes_while_the_daemon_runs_is_noticed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    from marrow.app import opening

    (home.folder / "three").mkdir()
    assert home.place("three").asker.scope.project.startswith("path:")
    _repository(home.folder / "three")
    (home.folder / "three" / ".git" / "config").write_text('[remote "origin"]\n\turl = https://github.com/ann/three\n')
    monkeypatch.setattr(opening, "KEPT_SECONDS", -1.0)
    assert home.place("three").asker.scope.project == "github.com/ann/three"


def test_a_clone_is_known_by_an_origin_that_its_repository_got_while_the_daemon_ran(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    from marrow.app import opening

    monkeypatch.setattr(opening, "KEPT_SECONDS", -1.0)
    origin = '[remote "origin"]\n\turl = https://github.com/ann/three\n'
    _repository(home.folder / "three")
    chores = home.chores()
    for said in ("We decided to shard by tenant.", "We decided to keep one row a day."):
        home.write("prompt", project="three", prompt=said)
        home.write("stop", project="three", message="ok")
        chores.all_now()
        (home.folder / "three" / ".git" / "config").write_text(origin)
    _repository(home.folder / "clone")
    (home.folder / "clone" / ".git" / "config").write_text(origin)
    assert len(_said_in(home, "clone")) == 2


def test_a_session_that_went_to_another_project_stays_ended_and_is_titled_by_its_own(home: Home) -> None:
    home.write("session-start", source="startup")
    home.write("prompt", prompt="Add the login page. We decided that names are unique.")
    home.write("prompt", project="two", prompt="Refactor the secret parser. We decided that orders have 30 lines.")
    home.write("stop", project="two", message="ok")
    home.write("session-end", project="two", reason="other")
    home.drain()
    place = home.default()
    work_off(place)
    work_off(place, everything=True)
    with place.engine.store.reading() as reader:
        session = reader.session("local", "s1")
    assert session is not None
    assert session.ended_at is not None
    assert session.title == "Add the login page"


def test_what_was_said_while_the_clock_was_ahead_is_kept(home: Home) -> None:
    ahead = now_micros() + 86_400_000_000
    home.write("prompt", at=ahead, prompt="We decided to shard by tenant.")
    home.write("session-end", at=ahead + 1, reason="other")
    home.chores().all_now()
    assert [trace.state for trace in home.kept()] == ["done", "done"]
    assert _said_in(home, "one") == ["We decided to shard by tenant."]
    with home.default().engine.store.reading() as reader:
        session = reader.session("local", "s1")
    assert session is not None
    assert session.last_at <= now_micros()
