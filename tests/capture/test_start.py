"""Starting the daemon: once among many, not in a storm, detached, with nothing of its starter's."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from marrow.capture import start, where
from marrow.capture.start import APART_SECONDS, STORM_SECONDS, STORM_STARTS, ensure_started, listens, may_start, spawn

from .fake_daemon import daemon, telling

NOW = 1_000_000.0
CHILD = """
import json, os, sys
open(sys.argv[1], "w").write(json.dumps({
    "session": os.getsid(0), "pid": os.getpid(), "in": os.readlink("/proc/self/fd/0"),
    "out": os.readlink("/proc/self/fd/1"), "open": sorted(os.listdir("/proc/self/fd")), "environ": dict(os.environ)}))
print("said")
"""


@pytest.fixture
def home(tmp_path: Path) -> str:
    return str(tmp_path / "h")


def test_one_of_many_starts_it(home: str) -> None:
    with ThreadPoolExecutor(50) as pool:
        allowed = list(pool.map(lambda _: may_start(home, NOW), range(50)))
    assert allowed.count(True) == 1


def test_nobody_else_starts_it_within_seconds(home: str) -> None:
    assert may_start(home, NOW)
    assert not may_start(home, NOW + APART_SECONDS)
    assert may_start(home, NOW + 2 * APART_SECONDS)


def test_starts_that_lead_to_nothing_become_rare(home: str) -> None:
    moments = [NOW + number * 2 * APART_SECONDS for number in range(60)]
    assert sum(may_start(home, moment) for moment in moments) == STORM_STARTS
    assert may_start(home, NOW + STORM_SECONDS + APART_SECONDS)


def test_daemon_that_listens_clears_the_attempts(home: str) -> None:
    for number in range(STORM_STARTS):
        assert may_start(home, NOW + number * 2 * APART_SECONDS)
    listens(home)
    assert may_start(home, NOW + STORM_STARTS * 2 * APART_SECONDS)


def test_daemon_that_is_there_is_not_started(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "spawn", lambda *_: pytest.fail("started a second one"))
    with daemon(home, telling("x")):
        assert ensure_started(home=home, environ={})
        assert ensure_started(home=home, environ={}, force=True)


def test_daemon_that_began_to_listen_while_it_was_looked_for_is_not_started_again(
    home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []

    def look(**_: object) -> bool:
        looks.append(bool(looks))
        listens(home)  # it takes the stamps away once it listens
        return looks[-1]

    assert may_start(home)
    monkeypatch.setattr(start.line, "is_there", look)
    monkeypatch.setattr(start, "spawn", lambda *_: pytest.fail("started a second one"))
    assert ensure_started(1.0, home=home, environ={})


def test_started_process_is_on_its_own(home: str, tmp_path: Path) -> None:
    report, output = tmp_path / "report", os.path.join(where.log(home), "out")
    os.mkfifo(report)
    held_read, held_write = os.pipe()
    os.set_inheritable(held_write, True)  # as a host may have left it
    try:
        spawn([sys.executable, "-c", CHILD, str(report)], {"A": "b"}, output)
        found = json.loads(report.read_text())
        os.waitpid(found["pid"], 0)
    finally:
        os.close(held_write)
        os.close(held_read)
    assert found["session"] == found["pid"] != os.getsid(0)
    assert found["in"] == os.devnull
    assert found["out"] == output
    assert {"0", "1", "2"} <= set(found["open"])
    assert str(held_write) not in set(found["open"]) - {"3", "4"}
    assert found["environ"].items() >= {"A": "b"}.items()
    assert Path(output).read_text() == "said\n"


def test_environment_has_nothing_of_one_project(home: str) -> None:
    given = {"PATH": "/bin", "MARROW_PROJECT": "p", "MARROW_STORE": "s", "PYTHONPATH": ".", "MARROW_LOG_LEVEL": "debug"}
    own = start.environment(given, home)
    assert own["MARROW_HOME"] == home
    assert own["MARROW_LOG_LEVEL"] == "debug"
    assert own.keys().isdisjoint({"MARROW_PROJECT", "MARROW_STORE"})
    assert own.get("PYTHONPATH", "") != "."


def test_environment_holds_no_client_to_the_view_or_the_namespace_of_the_one_that_started_the_daemon(home: str) -> None:
    own = start.environment({"PATH": "/bin", "MARROW_VIEW": "team", "MARROW_NAMESPACE": "theirs"}, home)
    assert own.keys().isdisjoint({"MARROW_VIEW", "MARROW_NAMESPACE"})


def test_command_takes_no_code_from_the_current_folder() -> None:
    command = start.command()
    assert os.path.isabs(command[0])
    assert command[1:] == ["-P", "-m", "marrow", "daemon", "run"]
