"""A function of somebody's runs apart: whatever it does, it is killed or its error is kept, and the next one runs."""

from __future__ import annotations

import os
import select
import signal
import threading
from pathlib import Path

import pytest

from marrow.derive.process import File, Process
from marrow.derive.table import Input, Made, Task
from marrow.model.derivation import Derivation

GOOD = """
import marrow

@marrow.derivation("word_count", kinds=["document"], version="2")
def word_count(content):
    print("this goes nowhere")
    return len(content.split())

@marrow.derivation("double", of=["word_count"], on_error="stop")
def double(count):
    return 2 * count
"""
BAD = """
import marrow, os, subprocess, sys, time

@marrow.derivation("bad")
def bad(content):
    if content == "hang":
        while True:
            pass
    if content == "exit":
        sys.exit(3)
    if content == "die":
        os._exit(9)
    if content == "eat":
        return len(bytearray(8 * 1024**3))
    if content == "raise":
        raise RuntimeError("no such tree")
    if content == "shout":
        os.write(1, b"not json\\n" * 10)
    if content == "sleepers":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open(os.environ["HOME"] + "/child", "w").write(str(child.pid))
        time.sleep(600)
    if content == "deaf":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
        open(os.environ["HOME"] + "/child", "w").write(str(child.pid))
        os.dup(0)
        os.dup2(os.pipe()[0], 0)
    if content == "wait":
        open(os.environ["HOME"] + "/waiting", "w").close()
        time.sleep(600)
    if content == "environment":
        return sorted(os.environ)
    if content == "huge":
        return "x" * 3_000_000
    if content == "deep":
        return eval("[" * 90 + "]" * 90)
    return content
"""


def task(text: str) -> Task:
    return Task(Input("ab" * 32, "document", text), (text,))


def made(process: Process, name: str, *texts: str) -> list[Made]:
    return list(process.make(Derivation(name), [task(text) for text in texts]))


def test_declarations_come_from_the_file_and_calls_give_json() -> None:
    with Process([File("tools/derive.py", GOOD)]) as process:
        declared, problems = process.declared()
        assert problems == {}
        (count, source), (double, _) = declared
        assert source == "tools/derive.py"
        assert (count.name, count.version, count.kinds, count.provider) == ("word_count", "2", ("document",), "user")
        assert (double.of, double.on_error) == (("word_count",), "stop")
        (one,) = made(process, "word_count", "three small words")
        assert (one.value, one.error) == ("3", "")


def test_broken_file_is_a_problem_of_its_own() -> None:
    files = [File("bad.py", "def x(:"), File("exit.py", "import sys; sys.exit(1)"), File("good.py", GOOD)]
    with Process(files) as process:
        declared, problems = process.declared()
    assert [one.name for one, _ in declared] == ["word_count", "double"]
    assert problems["bad.py"].startswith("SyntaxError")
    assert problems["exit.py"].startswith("SystemExit")


def test_mark_that_says_nonsense_is_told_where_it_is_made() -> None:
    text = 'import marrow\n@marrow.derivation("Word Count")\ndef f(x): return x\n'
    with Process([File("a.py", text)]) as process:
        declared, problems = process.declared()
    assert declared == []
    assert "no name of a derivation" in problems["a.py"]


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("hang", "longer than"),
        ("die", "process ended"),
        ("exit", "SystemExit"),
        ("eat", "MemoryError"),
        ("raise", "RuntimeError: no such tree"),
        ("huge", "TooLarge"),
    ],
)
def test_whatever_a_function_does_the_next_one_runs(what: str, told: str) -> None:
    with Process([File("bad.py", BAD)], seconds=1.0) as process:
        broken, fine = made(process, "bad", what, "fine")
    assert told in broken.error
    assert (fine.value, fine.error) == ('"fine"', "")


def test_one_that_kills_its_process_again_and_again_is_left_and_costs_the_others_nothing() -> None:
    with Process([File("a.py", BAD), File("b.py", GOOD)], seconds=0.4) as process:
        found = made(process, "bad", *["hang", "die"] * 40)
        assert [one.error for one in found[:3]] == ["It took longer than 0.4 seconds.", "Its process ended."] * 1 + [
            "It took longer than 0.4 seconds."
        ]
        assert {one.error for one in found[3:]} == {
            "It was not run: of 3 before it in a row each took too long, or ended its process."
        }
        assert [one.value for one in made(process, "word_count", "two words")] == ["2"]


def test_one_that_answers_now_and_then_is_not_left() -> None:
    with Process([File("a.py", BAD)], seconds=5) as process:
        found = made(process, "bad", *["die", "die", "fine"] * 3)
    assert [bool(one.error) for one in found] == [True, True, False] * 3


def test_what_a_function_writes_to_its_output_is_not_taken_for_an_answer() -> None:
    with Process([File("bad.py", BAD)]) as process:
        assert [one.value for one in made(process, "bad", "shout", "fine")] == ['"shout"', '"fine"']


def test_function_sees_no_secrets_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")
    monkeypatch.setenv("MARROW_TOKEN", "secret")
    with Process([File("bad.py", BAD)]) as process:
        (seen,) = made(process, "bad", "environment")
    assert "PATH" in seen.value
    assert "KEY" not in seen.value
    assert "TOKEN" not in seen.value


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="a handle of a process that is no child of ours")
def test_what_a_function_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with Process([File("bad.py", BAD)], seconds=3.0) as process:
        (one,) = made(process, "bad", "sleepers")
    assert "longer than" in one.error
    child = int((tmp_path / "child").read_text())
    assert _ends(child)


@pytest.mark.skipif(os.name != "posix", reason="what a process inherits")
def test_function_that_stops_listening_is_killed_and_the_next_one_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its input is no longer read, and somebody else keeps it open: more than a pipe holds can never be written."""
    monkeypatch.setenv("HOME", str(tmp_path))
    found: list[Made] = []

    def act() -> None:
        with Process([File("bad.py", BAD)], seconds=3.0) as process:
            found.extend(made(process, "bad", "deaf", "x" * 1_000_000, "fine"))

    acting = threading.Thread(target=act, daemon=True)
    acting.start()
    acting.join(timeout=60)
    try:
        assert not acting.is_alive()
        deaf, long, fine = found
        assert (deaf.value, fine.value) == ('"deaf"', '"fine"')
        assert "longer than" in long.error
    finally:
        os.kill(int((tmp_path / "child").read_text()), signal.SIGKILL)


@pytest.mark.skipif(os.name != "posix", reason="named pipes")
def test_closing_ends_a_call_that_still_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    os.mkfifo(tmp_path / "waiting")
    found: list[Made] = []
    process = Process([File("bad.py", BAD)], seconds=600.0)
    acting = threading.Thread(target=lambda: found.extend(made(process, "bad", "wait", "fine")), daemon=True)
    acting.start()
    (tmp_path / "waiting").read_bytes()  # it comes to an end when the function is there
    closing = threading.Thread(target=process.close, daemon=True)
    closing.start()
    for thread in (closing, acting):
        thread.join(timeout=60)
        assert not thread.is_alive()
    assert ["ended" in one.error or "closed" in one.error for one in found] == [True, True]


def _ends(pid: int) -> bool:
    """Whether it is dead, or dies of what was sent to it: that takes a moment."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 30)[0])
    finally:
        os.close(handle)


def test_symbols_are_read_in_a_process_too() -> None:
    text = "class Press:\n    def run(self):\n        pass\n"
    given = Task(Input("ab" * 32, "code", text, "src/press.py"), (text,))
    with Process() as process:
        (one,) = process.make(Derivation("symbols"), [given])
    assert one.value == '["class Press","method Press.run"]'
