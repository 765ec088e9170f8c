"""The process that decodes media: it ends with who asked, and what goes wrong in it is one error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, Unavailable
from marrow.providers.aside import Limits, _environment, done_aside
from marrow.providers.speech import transcriber
from tests.media import silence


def test_a_worker_ends_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    """As when the process that asked was killed: its end of the pipe is closed."""
    given = silence(tmp_path / "silence.wav", 1200)
    request = {"path": str(given), "model": transcriber().folder, "seconds_max": 3600, "threads": 1}
    asked = {"task": "transcribe", "request": request, "memory_bytes": 4 * 1024**3}
    worker = subprocess.Popen(
        [sys.executable, "-P", "-m", "marrow.providers.media_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=_environment(),
    )
    with worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(json.dumps(asked).encode() + b"\n")
        worker.stdin.flush()
        assert json.loads(worker.stdout.readline())["progress"][0] == 0
        worker.stdin.close()
        assert worker.wait(timeout=60) == 3


def test_a_task_that_is_not_known_and_a_file_that_is_gone_are_errors_of_ours() -> None:
    with pytest.raises(Unavailable, match="broke down"):
        done_aside("no such task", {}, Limits())
    with pytest.raises(Unavailable, match="broke down"):
        done_aside("recognise", {"path": "nowhere.png", "pixels_max": 1, "threads": 1}, Limits())


def test_what_a_worker_refuses_is_refused_with_its_own_words(tmp_path: Path) -> None:
    (tmp_path / "fake.png").write_bytes(b"no image")
    request = {"path": str(tmp_path / "fake.png"), "pixels_max": 1000, "threads": 1}
    with pytest.raises(Invalid, match="no image") as caught:
        done_aside("recognise", request, Limits())
    assert caught.value.field == "path"
    assert "PNG" in caught.value.hint
