"""Two versions of Marrow on one checkout: each has a map of its own, and one that is used no longer goes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from marrow.memory.code.kept_map import KEPT_SECONDS

from .conftest import Project


def parsed_by_another_version(project: Project) -> int:
    """Another version brings its map up to date; how many files it parsed for that."""
    program = (
        "import sys, marrow.version\n"
        "marrow.version.__version__ = '0.0.9'\n"
        "from marrow.memory.code.kept_map import map_at\n"
        "print(map_at(*sys.argv[1:]).update(1).parsed)\n"
    )
    asked = [sys.executable, "-c", program, str(maps_of(project)), str(project.root)]
    return int(subprocess.run(asked, check=True, capture_output=True, text=True, timeout=60).stdout)


def maps_of(project: Project) -> Path:
    return project.kept.file.path.parent


def test_two_versions_do_not_drop_each_others_map(mapped: Project) -> None:
    assert parsed_by_another_version(mapped) > 0
    assert mapped.kept.update(9_000).parsed == 0
    assert parsed_by_another_version(mapped) == 0


@pytest.mark.parametrize(("age", "is_kept"), [(KEPT_SECONDS + 3600, False), (KEPT_SECONDS - 3600, True)])
def test_a_map_that_another_version_has_not_written_for_long_goes_when_one_is_made(
    project: Project, age: float, is_kept: bool
) -> None:
    parsed_by_another_version(project)
    others = set(maps_of(project).iterdir())
    for path in others:
        os.utime(path, (time.time() - age, time.time() - age))
    project.update()
    assert {path.exists() for path in others} == {is_kept}
    assert mapped_symbols(project)


def mapped_symbols(project: Project) -> int:
    with project.kept.reading() as reader:
        return len(reader.symbols_named("joined"))
