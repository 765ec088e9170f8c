#!/usr/bin/env python3
"""Marrow's side of `bench/ingest.py`, a process of its own for each step: prints one JSON object.

    python bench/ingest_marrow.py ingest STORE FOLDER QUESTION
    python bench/ingest_marrow.py search STORE FOLDER QUESTIONS.json
    python bench/ingest_marrow.py active STORE FOLDER
    python bench/ingest_marrow.py stay STORE FOLDER QUESTION    (a question a line in, an object a line out)

Taking in is timed from opening the store until the first question is answered; in a process that stays up, as the
daemon does, from being told that something may have changed.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import marrow

SERVICE = "bench"
WARM_UP = 20
PAGE = 500


class Counted:
    """How many documents were embedded, by the tally that the engine keeps: here or in a process that embeds ahead."""

    def __init__(self, memory: marrow.Memory) -> None:
        self.texts = 0
        memory.engine.tally.listeners.append(self._ran)

    def _ran(self, name: str, _: str) -> None:
        self.texts += name == "embedding"


def opened(store: str, folder: str) -> marrow.Memory:
    return marrow.open(folder, store=store, project="bench")


def ingest(store: str, folder: str, question: str) -> dict[str, Any]:
    started, spent = time.perf_counter(), cpu()
    with opened(store, folder) as memory:
        return taken_in(memory, folder, question, started, spent)


def stay(store: str, folder: str, question: str) -> dict[str, Any]:
    """Look once, then again for each question that comes: finding out what has changed is part of it."""
    with opened(store, folder) as memory:
        found = taken_in(memory, folder, question, time.perf_counter(), cpu())
        print(json.dumps(found), flush=True)
        for line in sys.stdin:
            found = taken_in(memory, folder, line.rstrip("\n"), time.perf_counter(), cpu())
            print(json.dumps(found), flush=True)
    return found


def taken_in(memory: marrow.Memory, folder: str, question: str, started: float, spent: float) -> dict[str, Any]:
    counted = Counted(memory)
    done = memory.ingest_codebase(repo_path=folder, service_name=SERVICE)
    taken = time.perf_counter() - started
    embedded = counted.texts
    found = [one.content for one in memory.search(query=question, limit=5).items]
    seconds = time.perf_counter() - started
    said = done.text()
    return {
        "seconds": seconds,
        "cpu_s": cpu() - spent,
        "taken_in_s": taken,
        "embedded": embedded,
        "said": said,
        "found": any(question in one for one in found),
        "peak_mb": peak_mb(),
    }


def search(store: str, folder: str, questions: str) -> dict[str, Any]:
    asked = json.loads(Path(questions).read_text(encoding="utf-8"))
    with opened(store, folder) as memory:
        for one in asked[:WARM_UP]:
            memory.search(query=one, limit=5)
        spent, worked = [], []
        for one in asked:
            started, began = time.perf_counter(), cpu()
            memory.search(query=one, limit=5)
            spent.append((time.perf_counter() - started) * 1000)
            worked.append((cpu() - began) * 1000)
    return {"ms": spent, "cpu_ms": worked, "peak_mb": peak_mb()}


def active(store: str, folder: str) -> dict[str, Any]:
    """What holds: kind and address of each."""
    found: list[str] = []
    with opened(store, folder) as memory:
        while page := memory.active(limit=PAGE, offset=len(found)).items:
            found += [f"{one.kind} {one.address}" for one in page]
    return {"active": sorted(found)}


def cpu() -> float:
    """Processor time of this process and of those that it waited for: it says more on a machine that others use."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def peak_mb() -> float:
    # Not getrusage: a child's peak there begins with what its parent had when it forked.
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


STEPS = {"ingest": ingest, "search": search, "active": active, "stay": stay}

if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](*sys.argv[2:])))
