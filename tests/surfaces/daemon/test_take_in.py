"""What the daemon and git's hooks start to take in commits ends with its work, and with whoever started it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from marrow.capture.in_turn import in_turn
from marrow.jobs.watching import COMMAND

from .conftest import House, eventually


class Followed:
    """A repository that is watched, and the processes that take it in."""

    def __init__(self, house: House, *words: str) -> None:
        self.house = house
        self.commit("Begin")
        done = house.marrow("watch", ".", *words, "--json")
        assert done.returncode == 0, done.stderr
        (item,) = json.loads(done.stdout)["items"]
        self.names = (str(house.home / "marrow.db"), "local", item["project"], item["service"])

    def commit(self, message: str) -> None:
        who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        command = ["git", *who, "commit", "--quiet", "--allow-empty", "--message", message]
        subprocess.run(command, cwd=self.house.project, env=self.house.environ, check=True)

    def taking_in(self) -> list[int]:
        """Those that take in, for this home."""
        word = COMMAND[-1].encode()
        return [pid for pid in self.house.daemons() if word in _words(pid)]

    def state(self) -> str:
        (item,) = json.loads(self.house.marrow("watch", "--json").stdout)["items"]
        return str(item["state"])


def _words(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:  # it has ended meanwhile
        return []


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_a_daemon_that_ends_however_leaves_no_process_that_takes_in(house: House, number: signal.Signals) -> None:
    followed = Followed(house)
    daemon = house.start()
    with in_turn(str(house.home), followed.names, 0.0) as is_ours:
        assert is_ours  # what the daemon starts waits for us, so it is there when the daemon ends
        followed.commit("More")
        eventually(lambda: bool(followed.taking_in()), "the daemon takes in what was committed")
        os.kill(daemon, number)
        eventually(lambda: house.daemons() == [], "everything has ended")
    assert followed.state() == "behind"


def test_what_a_hook_starts_ends_when_it_is_done(house: House) -> None:
    followed = Followed(house, "--hooks")
    with in_turn(str(house.home), followed.names, 0.0) as is_ours:
        assert is_ours
        followed.commit("More")
        eventually(lambda: bool(followed.taking_in()), "the hook has started it")
    eventually(lambda: followed.taking_in() == [], "it has ended")
    assert followed.state() == "current"
    assert house.daemons() == []
