"""Drift in the background: an edit, a commit, the start of a session."""

from __future__ import annotations

import json
from typing import Any

import pytest

from marrow.jobs import drift
from marrow.jobs.place import Place
from marrow.jobs.work_off import work_off
from marrow.model.trace import Trace
from marrow.store.receive_traces import keep_traces

from ..memory.desk_code import Desk, desk

__all__ = ["desk"]


@pytest.fixture(autouse=True)
def _nothing_looked_at_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drift, "_heads", {})


def trace(desk: Desk, event: str, number: int, does: str = "", **given: Any) -> Trace:
    at = desk.memory.engine.clock() + number
    body = {"id": f"t{number}", "at": at, "host": "claude-code", "session": "s1", "event": event}
    body |= {"cwd": str(desk.root), "tool": does, "does": does, "input": given}
    return Trace(f"t{number}", at, "claude-code", "s1", event, "", does, does, json.dumps(body))


def place_of(desk: Desk) -> Place:
    return Place(desk.memory.engine, desk.memory.call.asker, desk.memory.settings)


def report(desk: Desk, *traces: Trace) -> None:
    """What a host's hooks report, worked off as the daemon does it."""
    names = (desk.memory.scope.namespace, desk.memory.project)
    keep_traces(desk.memory.store, *names, traces, redact_extra=(), position=None)
    work_off(place_of(desk), everything=True)


def test_an_edit_is_noticed_when_it_is_worked_off(desk: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is short.")
    other = desk.save("`parse_date` in src/app.py takes the day first.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    report(
        desk, trace(desk, "post-tool", 1, "edit", file_path=str(desk.root / "src/app.py"), new_string="TIMEOUT = 60")
    )
    assert (desk.drift(address), desk.drift(other)) == ("changed", "")


def test_an_edit_elsewhere_looks_at_nothing(desk: Desk) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    edits = [
        trace(desk, "post-tool", 1, "write", file_path="src/new.py"),
        trace(desk, "post-tool", 2, "read", file_path="src/app.py"),
    ]
    assert drift.follow(place_of(desk), edits) == 0


@pytest.mark.parametrize("command", ["mv src/app.py src/web.py", "git mv src/app.py src/web.py"])
def test_a_file_moved_by_a_command_is_followed(desk: Desk, command: str) -> None:
    address = desk.save("TIMEOUT in src/app.py is short.")
    desk.git("mv", "src/app.py", "src/web.py")
    report(desk, trace(desk, "post-tool", 1, "shell", command=command))
    assert desk.anchors(address) == ["file src/web.py", "symbol TIMEOUT"]


def test_a_commit_looks_at_what_it_changed_and_no_more(desk: Desk) -> None:
    desk.write("lib/other.py", "LIMIT = 3\n")
    desk.commit()
    address = desk.save("TIMEOUT in src/app.py is short.")
    desk.save("LIMIT in lib/other.py is low.")
    place = place_of(desk)
    assert drift.follow(place, [trace(desk, "session-start", 1)]) == 2, "at first everything"
    assert drift.follow(place, [trace(desk, "session-start", 2)]) == 0, "nothing was committed since"
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.commit()
    assert drift.follow(place, [trace(desk, "post-tool", 3, "shell", command="make && git commit -am x")]) == 1
    assert desk.drift(address) == "changed"


def test_what_was_looked_at_is_known_after_a_restart(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.save("TIMEOUT in src/app.py is short.")
    place = place_of(desk)
    assert drift.follow(place, [trace(desk, "session-start", 1)]) == 1
    monkeypatch.setattr(drift, "_heads", {})
    assert drift.follow(place, [trace(desk, "session-start", 2)]) == 0
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.commit()
    monkeypatch.setattr(drift, "_heads", {})
    assert drift.follow(place, [trace(desk, "session-start", 3)]) == 1


def test_another_branch_is_another_ground(desk: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is short.")
    place = place_of(desk)
    drift.follow(place, [trace(desk, "session-start", 1)])
    desk.git("checkout", "--quiet", "-b", "other")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.commit()
    drift.follow(place, [trace(desk, "post-tool", 2, "shell", command="git checkout -b other")])
    assert desk.drift(address) == "changed"
    desk.git("checkout", "--quiet", "-")
    drift.follow(place, [trace(desk, "post-tool", 3, "shell", command="git checkout -")])
    assert desk.drift(address) == ""


def test_commands_that_only_look_and_other_folders_are_passed_over(desk: Desk) -> None:
    root = str(desk.root)
    assert drift.touched_by(trace(desk, "post-tool", 1, "shell", command="git log src/app.py | cat"), root) == (
        [],
        False,
    )
    assert drift.touched_by(trace(desk, "post-tool", 2, "edit", file_path="/elsewhere/app.py"), root) == ([], False)
    assert drift.touched_by(trace(desk, "post-tool", 3, "edit", file_path="../out.py"), root) == ([], False)
    found, moves = drift.touched_by(trace(desk, "post-tool", 4, "shell", command="sed -i s/a/b/ src/app.py"), root)
    assert ("src/app.py" in found, moves) == (True, False)


def test_without_a_folder_nothing_is_looked_at(desk: Desk) -> None:
    place = place_of(desk)
    from dataclasses import replace

    nowhere = place._replace(asker=replace(place.asker, root=""))
    assert drift.follow(nowhere, [trace(desk, "session-start", 1)]) == 0


def test_what_was_saved_before_the_code_was_mapped_is_pinned_when_a_session_begins(desk: Desk) -> None:
    address = desk.save("`parse_date` takes the day first.")
    drift.follow(place_of(desk), [trace(desk, "session-start", 1)])
    assert desk.anchors(address) == []
    assert desk.memory.engine.maps is not None
    desk.memory.engine.maps(str(desk.root)).update(1)
    drift.follow(place_of(desk), [trace(desk, "session-start", 2)])
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]
