"""Who computes may be killed in the midst of it: what ran for it ends too, whatever it is doing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import marrow

FUNCTION = """
import marrow, os, re, subprocess, sys, time

def note(name, number):
    with open(os.environ["HOME"] + "/" + name + ".new", "w") as file:
        file.write(str(number))
    os.rename(file.name, os.environ["HOME"] + "/" + name)

@marrow.derivation("bad")
def bad(content):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    note("child", child.pid)
    note("worker", os.getpid())
    if content == "deaf":
        re.match("(a+)+$", "a" * 60 + "b")  # for longer than anybody lives, and no other thread runs meanwhile
    time.sleep(600)
"""
PARENT = """
import sys
from marrow.derive.process import File, Process
from marrow.derive.table import Input, Task
from marrow.model.derivation import Derivation
with Process([File("bad.py", sys.argv[1])], seconds=5.0) as process:
    list(process.make(Derivation("bad"), [Task(Input("ab" * 32, "document", "x"), (sys.argv[2],))]))
"""


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def eventually_read(path: Path) -> int:
    until = time.monotonic() + 20
    while not path.exists():
        assert time.monotonic() < until, f"{path.name} is not told"
        time.sleep(0.02)
    return int(path.read_text())


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="another way to ask for a process is needed here")
@pytest.mark.parametrize("content", ["listens", "deaf"])
def test_a_function_and_what_it_started_end_when_who_asked_is_killed(tmp_path: Path, content: str) -> None:
    path = str(Path(marrow.__file__).parents[1])
    environ = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": path}
    parent = subprocess.Popen([sys.executable, "-c", PARENT, FUNCTION, content], env=environ)
    worker, child = eventually_read(tmp_path / "worker"), eventually_read(tmp_path / "child")
    try:
        parent.kill()
        parent.wait()
        # Of one that does not listen the system ends the worker, and does not know of what that started.
        ending = [worker, child] if content == "listens" else [worker]
        until = time.monotonic() + 20
        while any(map(is_running, ending)) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(map(is_running, ending))
    finally:
        for pid in (worker, child):
            if is_running(pid):
                os.kill(pid, signal.SIGKILL)
