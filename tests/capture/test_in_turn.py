"""One process at a time, and one that waits."""

from __future__ import annotations

import select
import subprocess
import sys
from pathlib import Path

from marrow.capture.in_turn import in_turn


def test_one_works_one_waits_and_the_others_go(tmp_path: Path) -> None:
    home, names = str(tmp_path), ("a", "b")
    with in_turn(home, names, 0.0) as first:
        with in_turn(home, names, 0.0) as late:  # it waited for no time at all
            assert (first, late) == (True, False)
        with in_turn(home, ("another",), 0.0) as other:
            assert other
    with in_turn(home, names, 0.0) as again:
        assert again


def test_one_that_comes_while_another_waits_goes_at_once(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom marrow.capture.in_turn import in_turn\n"
        "with in_turn(sys.argv[1], ('a',), float(sys.argv[2])) as is_ours:\n    print(is_ours)\n"
    )
    package = Path(sys.modules["marrow"].__file__ or "").parents[1]

    def start(seconds: str) -> subprocess.Popen[str]:
        words = [sys.executable, "-c", program, str(tmp_path), seconds]
        return subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env={"PYTHONPATH": str(package)})

    with in_turn(str(tmp_path), ("a",), 0.0) as is_ours:
        assert is_ours
        started = [start("600"), start("600")]
        # Whichever came second has gone, although the other has ten minutes.
        gone = _first_to_end(started)
        assert gone.communicate()[0] == "False\n"
    (waited,) = [one for one in started if one is not gone]
    assert waited.communicate(timeout=60)[0] == "True\n"


def _first_to_end(processes: list[subprocess.Popen[str]]) -> subprocess.Popen[str]:
    polled = select.poll()
    for one in processes:
        assert one.stdout is not None
        polled.register(one.stdout, select.POLLIN)
    ((number, _), *_) = polled.poll(60_000)
    return next(one for one in processes if one.stdout is not None and one.stdout.fileno() == number)
