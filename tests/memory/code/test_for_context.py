"""What a new session is told about functions that changed, and what is only on its way."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from marrow.memory.code.for_context import changed_functions
from marrow.memory.engine import Asker, Engine
from marrow.model.session import Session
from marrow.store.receive_traces import keep_session

from ..conftest import PROJECT, Clock
from .conftest import FILES, Project

LINES = "shop/lines.py"


@pytest.fixture
def told(engine: Engine, asker: Asker, clock: Clock, project: Project) -> tuple[Engine, Asker]:
    """A project that was mapped, and a session since."""
    project.kept.update(clock.now)
    clock.forward(seconds=10)
    with engine.store.writing() as writer:
        began = Session("s1", "claude-code", PROJECT, started_at=clock.now, last_at=clock.now)
        keep_session(writer, asker.namespace, began, redact_extra=())
    clock.forward(seconds=600)
    return replace(engine, maps=lambda _: project.kept), replace(asker, root=str(project.root))


def test_a_function_that_came_is_new(told: tuple[Engine, Asker], clock: Clock, project: Project) -> None:
    project.write(LINES, FILES[LINES] + "\n\ndef parted(text):\n    return text.split()\n")
    project.kept.update(clock.now, only=[LINES])
    assert changed_functions(*told) == ["- functions new since the last session began: parted (shop/lines.py:10)"]


def test_a_file_that_is_just_being_written_has_not_lost_what_was_in_it(
    told: tuple[Engine, Asker], clock: Clock, project: Project
) -> None:
    project.write(LINES, "")  # as who writes a file leaves it for a moment
    project.kept.update(clock.now, only=[LINES])
    assert changed_functions(*told) == []
    project.write(LINES, FILES[LINES] + "\n\ndef parted(text):\n    return text.split()\n")
    project.kept.update(clock.now, only=[LINES])
    assert changed_functions(*told) == ["- functions new since the last session began: parted (shop/lines.py:10)"]


def test_a_file_that_stays_empty_has_lost_what_was_in_it(
    told: tuple[Engine, Asker], clock: Clock, project: Project
) -> None:
    project.write(LINES, "")
    os.utime(project.root / LINES, (1_700_000_000, 1_700_000_000))
    project.kept.update(clock.now, only=[LINES])
    assert changed_functions(*told) == [
        "- functions deleted since the last session began: joined (shop/lines.py:1), unused (shop/lines.py:6)"
    ]
