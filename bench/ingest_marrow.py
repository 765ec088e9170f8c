#!/usr/bin/env python3
"""Marrow's side of `bench/ingest.py`, a process of its own for each step: prints one JSON object.

    python bench/ingest_marrow.py ingest STORE FOLDER QUESTION
    python bench/ingest_marrow.py active STORE FOLDER
    python bench/ingest_marrow.py stay STORE FOLDER QUESTION    (an object a line in, one out)

Taking in is timed from opening the store until the first question is answered; in a process that stays up, as the
daemon does, from being told that something may have changed.
"""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

import marrow
from marrow.memory.attribution import origins_of
from marrow.model.record import CURRENT, Filter

SERVICE = PROJECT = "bench"
PAGE = 500


@contextmanager
def counted(memory: marrow.Memory) -> Iterator[list[str]]:
    """The documents that are embedded, by the tally that the engine keeps: here or in a process that embeds ahead."""
    texts: list[str] = []

    def ran(name: str, given: str) -> None:
        if name == "embedding":
            texts.append(given)

    listeners = memory.engine.tally.listeners
    listeners.append(ran)
    try:
        yield texts
    finally:
        listeners.remove(ran)


def opened(store: str, folder: str) -> marrow.Memory:
    # The tier that Pixeltable is given; with "auto" the better one reads the question too.
    return marrow.open(folder, store=store, project=PROJECT, embedder="static")


def ingest(store: str, folder: str, question: str) -> dict[str, Any]:
    started, spent = time.perf_counter(), cpu()
    with opened(store, folder) as memory:
        found = taken_in(memory, folder, question, started, spent)
        return {**found, "chunks": chunks(memory)}


def stay(store: str, folder: str, question: str) -> dict[str, Any]:
    """Look once, then do what is asked: an update or some questions. To find out what has changed is part of one."""
    with opened(store, folder) as memory:
        found = taken_in(memory, folder, question, time.perf_counter(), cpu())
        print(json.dumps(found), flush=True)
        for line in sys.stdin:
            asked = json.loads(line)
            if asked["op"] == "update":
                found = taken_in(memory, folder, asked["question"], time.perf_counter(), cpu())
            else:
                found = search(memory, asked["questions"])
            print(json.dumps(found), flush=True)
    return {}


def taken_in(memory: marrow.Memory, folder: str, question: str, started: float, spent: float) -> dict[str, Any]:
    with counted(memory) as texts:
        done = memory.ingest_codebase(repo_path=folder, service_name=SERVICE)
        taken = time.perf_counter() - started
    found = [one.content for one in memory.search(query=question, limit=5).items]
    seconds = time.perf_counter() - started
    return {
        "seconds": seconds,
        "cpu_s": cpu() - spent,
        "taken_in_s": taken,
        "embedded": len(texts),
        "said": done.text(),
        "found": any(question in one for one in found),
        "peak_mb": peak_mb(),
    }


def search(memory: marrow.Memory, questions: Sequence[str]) -> dict[str, Any]:
    spent, worked, by_meaning = [], [], []
    for one in questions:
        started = time.perf_counter()
        nearest(memory, one)
        by_meaning.append((time.perf_counter() - started) * 1000)
        started, began = time.perf_counter(), cpu()
        memory.search(query=one, limit=5)
        spent.append((time.perf_counter() - started) * 1000)
        worked.append((cpu() - began) * 1000)
    return {"ms": spent, "cpu_ms": worked, "by_meaning_ms": by_meaning}


def nearest(memory: marrow.Memory, question: str) -> list[tuple[str, str]]:
    """Of a search that part which Pixeltable does: the nearest texts, and the files that they are from."""
    asker, where = memory.call.asker, (PROJECT,)
    with memory.engine.store.reading() as reader:
        vector = memory.engine.asking(reader, asker.namespace, where).query(question)
        near = reader.nearest(asker.namespace, vector, where, None, 5)
        records = reader.records_of([entry for entry, _ in near], CURRENT)
        origins = origins_of(reader, asker, records)
        return [(origins[record.entry].path, record.node.content) for record in records]


def chunks(memory: marrow.Memory) -> int:
    """How many passages have a vector."""
    wanted = Filter(projects=(PROJECT,))
    with memory.engine.store.reading() as reader:
        entries = reader.select(memory.call.asker.namespace, wanted, CURRENT, memory.engine.clock())
        parts = (entries[at : at + PAGE] for at in range(0, len(entries), PAGE))
        return sum(len(rows) for part in parts for rows in reader.passage_vectors(part).values())


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


STEPS = {"ingest": ingest, "active": active, "stay": stay}

if __name__ == "__main__":
    print(json.dumps(STEPS[sys.argv[1]](*sys.argv[2:])))
