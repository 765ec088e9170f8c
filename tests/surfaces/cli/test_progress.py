"""Progress is shown to people who wait, and to nobody else."""

from __future__ import annotations

import io
import sys

import pytest

from marrow.surfaces.cli import progress as module
from marrow.surfaces.cli.output import Output
from marrow.surfaces.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float, output: Output) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(module, "PATIENCE_S", patience)
    monkeypatch.setenv("TERM", "xterm")
    with Progress(output, "counting sheep") as progress:
        progress(1, 3)
        progress(2, 3)
        progress(3, None)
    return stream.getvalue()


def test_who_waits_sees_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    said = shown(monkeypatch, Terminal(), 0.0, Output())
    assert "counting sheep" in said
    assert "2/3" in said or "3/" in said or "1/3" in said


@pytest.mark.parametrize(
    ("stream", "patience", "output"),
    [(Terminal(), 3600.0, Output()), (io.StringIO(), 0.0, Output()), (Terminal(), 0.0, Output(quiet=True))],
    ids=["soon done", "no terminal", "quiet"],
)
def test_nobody_else_sees_anything(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float, output: Output
) -> None:
    assert shown(monkeypatch, stream, patience, output) == ""
