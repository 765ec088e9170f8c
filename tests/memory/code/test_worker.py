"""What a worker resolves from what it has parsed itself is what it resolves from the map."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from marrow.memory.code import resolving_worker
from marrow.memory.code.worker import Worker
from marrow.store.code.states import MAPPED

from .conftest import Project

HEADER = "class Kettle {\n public:\n  void boil();\n  void boil(int times);\n};\n"
SOURCE = '#include "kettle.h"\nvoid Kettle::boil() { boil(1); }\nvoid use(Kettle& k) { k.boil(); }\n'


@pytest.fixture
def jobs(project: Project) -> list[tuple[int, str]]:
    """Of a map that is whole, in several languages."""
    project.write("tea/kettle.h", HEADER)
    project.write("tea/kettle.cc", SOURCE)
    project.write("tea/Pot.java", "class Pot { void pour() { fill(); fill(2); } void fill() {} int fill(int n) {} }\n")
    project.update()
    with project.kept.reading() as reader:
        return sorted((row.id, row.path) for row in reader.files() if row.state == MAPPED)


def resolved(project: Project, jobs: list[tuple[int, str]], *, parses: bool) -> list[Any]:
    worker = Worker(str(project.root))
    if parses:
        worker.parse(jobs, is_resolved_next=True)
    return [
        (file, links, sorted(incoming), sorted(loose), sorted(settled), sorted(extends))
        for file, links, incoming, loose, settled, extends in worker.resolving().resolve(
            str(project.kept.file.path), [id_ for id_, _ in jobs]
        )
    ]


def test_what_was_parsed_by_the_worker_itself_resolves_as_what_is_read_from_the_map(
    project: Project, jobs: list[tuple[int, str]]
) -> None:
    known = resolved(project, jobs, parses=False)
    assert sum(len(links) for _, links, *_ in known) > 0
    assert resolved(project, jobs, parses=True) == known


def test_a_worker_that_keeps_only_some_of_what_it_parsed_reads_the_rest(
    project: Project, jobs: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = resolved(project, jobs, parses=False)
    monkeypatch.setattr(resolving_worker, "PARSED_MAX", 12)
    assert resolved(project, jobs, parses=True) == known


def test_a_worker_that_has_too_much_at_hand_begins_anew_and_resolves_the_same(
    project: Project, jobs: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    known = resolved(project, jobs, parses=False)
    monkeypatch.setattr(resolving_worker, "LOADED_MAX", 5)
    assert resolved(project, jobs, parses=True) == known


def test_a_worker_that_only_parses_loads_nothing_heavy(project: Project) -> None:
    program = (
        "import os, sys\n"
        "from marrow.memory.code.worker import Worker\n"
        "Worker(sys.argv[1]).parse([(1, 'shop/store.py')], is_resolved_next=False)\n"
        "heavy = set('dataclasses inspect apsw'.split())  # grammars load some of their own\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    asked = [sys.executable, "-S", "-c", program, str(project.root)]
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}  # instead of `site`, which loads what it likes
    done = subprocess.run(asked, env=environ, capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"
