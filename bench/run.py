#!/usr/bin/env python3
"""Measures Marrow on this machine: prints a table, writes JSON, and says which of the promised figures hold.

    python bench/run.py [--nodes 1000 10000 100000] [--out bench/results/run.json] [--keep FOLDER]

Ratios are taken within one run: a bare SQLite transaction, one pass over the vectors and a bare interpreter are
measured beside what is compared with them.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import numpy as np

import marrow
from corpus import Writer

PROJECTS = 10
BATCH = 1000
QUESTIONS = 200
SINGLE_SAVES = 200


def timed(work: Callable[[Any], object], inputs: Sequence[Any]) -> list[float]:
    """Milliseconds of each call, in order."""
    spent = []
    for given in inputs:
        started = time.perf_counter()
        work(given)
        spent.append((time.perf_counter() - started) * 1000)
    return spent


def p50(values: Sequence[float]) -> float:
    return statistics.median(values)


def p99(values: Sequence[float]) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.99))]


def fill(path: Path, nodes: int, writer: Writer) -> tuple[float, int]:
    """A store of `nodes` in ten projects: seconds it took, and bytes of text in it."""
    started, size = time.perf_counter(), 0
    for number in range(PROJECTS):
        with marrow.open(store=str(path), project=f"project-{number}") as memory:
            texts = list(writer.texts(nodes // PROJECTS))
            size += sum(len(text.encode()) for text in texts)
            for start in range(0, len(texts), BATCH):
                memory.save(batch=texts[start : start + BATCH])
    return time.perf_counter() - started, size


def bare_transaction_ms(folder: Path, texts: Sequence[str]) -> list[float]:
    """The floor of a durable save: one row with a key, one synchronised commit, on the same disk."""
    connection = apsw.Connection(str(folder / "bare.db"))
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS bare (id INTEGER PRIMARY KEY, text TEXT)")

    def insert(text: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO bare (text) VALUES (?)", (text,))
        connection.execute("COMMIT")

    spent = timed(insert, texts)
    connection.close()
    return spent


def vector_pass_ms(rows: int, dimensions: int) -> list[float]:
    """The floor of a comparison with all that is known in one project: one matrix-vector product."""
    generator = np.random.default_rng(1)
    matrix = generator.standard_normal((rows, dimensions)).astype(np.float32)
    vector = generator.standard_normal(dimensions).astype(np.float32)
    return timed(lambda _: matrix @ vector, range(50))


def process_ms(arguments: Sequence[str], repeats: int = 9) -> float:
    """A whole process, start to end: the median."""
    # As for anyone who installed it: compiled modules may be kept.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(_: int) -> None:
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=environment)

    run(0)
    return p50(timed(run, range(repeats)))


COLD = """
import marrow, sys
memory = marrow.open(store=sys.argv[1], project="project-3", read_only=True)
memory.search(sys.argv[2])
"""
# Not getrusage: a child's peak there begins with what its parent had when it forked.
RSS = """
import marrow, re, sys
memory = marrow.open(store=sys.argv[1], project="project-3", read_only=True)
for question in sys.argv[2:]:
    memory.recall(question)
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


def measure(folder: Path, nodes: int) -> dict[str, float]:
    writer = Writer(seed=nodes)
    path = folder / f"{nodes}.db"
    seconds, text_bytes = fill(path, nodes, writer)
    questions = [writer.question() for _ in range(QUESTIONS)]
    found: dict[str, float] = {"nodes": nodes, "fill_s": seconds, "fill_per_s": nodes / seconds}
    found["bytes_per_node"] = path.stat().st_size / nodes
    found["text_bytes_per_node"] = text_bytes / nodes
    found["bytes_allowed"] = 1500 + 3 * text_bytes / nodes
    with marrow.open(store=str(path), project="project-3") as memory:
        started = time.perf_counter()
        memory.recall(questions[0])
        found["recall_first_ms"] = (time.perf_counter() - started) * 1000
        for name, work in (
            ("recall", lambda q: memory.recall(q)),
            ("search", lambda q: memory.search(q)),
            ("search_all", lambda q: memory.search(q, project="all")),
        ):
            timed(work, questions[:20])
            spent = timed(work, questions)
            found[f"{name}_p50_ms"], found[f"{name}_p99_ms"] = p50(spent), p99(spent)
        known = [item.address for item in memory.search(questions[0], limit=50).items]
        found["get_p50_ms"] = p50(timed(memory.get, known))
        # Warm: a process that has been at work knows most of the words that come.
        memory.embedder.documents(list(writer.texts(3000)))
        timed(memory.save, list(writer.texts(100)))
        singles = [f"{text} single" for text in writer.texts(SINGLE_SAVES)]
        spent = timed(memory.save, singles)
        found["save_p50_ms"], found["save_p99_ms"] = p50(spent), p99(spent)
        found["bare_transaction_p50_ms"] = p50(bare_transaction_ms(folder, singles))
        dimensions = memory.engine.embedder.dimensions
        found["vector_pass_p50_ms"] = p50(vector_pass_ms(nodes // PROJECTS, dimensions))
        found["batch_1000_ms"] = timed(lambda b: memory.save(batch=b), [[f"{t} batch" for t in writer.texts(BATCH)]])[0]
    found["cold_search_ms"] = process_ms(["-c", COLD, str(path), questions[0]], 5)
    peak = subprocess.run(
        [sys.executable, "-c", RSS, str(path), *questions[:20]], check=True, capture_output=True, text=True
    )
    found["rss_mb"] = int(peak.stdout) / 1024
    return found


def starts(folder: Path) -> dict[str, float]:
    bare = process_ms(["-c", "pass"])
    opened = process_ms(["-c", f"import marrow; marrow.open(store={str(folder / 'open.db')!r})"])
    helped = process_ms(["-m", "marrow", "--help"])
    return {"interpreter_ms": bare, "open_over_ms": opened - bare, "help_over_ms": helped - bare}


def promises(sizes: dict[int, dict[str, float]], start: dict[str, float]) -> list[tuple[str, float, float]]:
    """(what, measured, allowed) for everything that was promised about speed and size."""
    large, few = sizes[max(sizes)], sizes[min(sizes)]
    middle = sizes[sorted(sizes)[-2]] if len(sizes) > 1 else few
    floor = 3 * large["bare_transaction_p50_ms"] + large["vector_pass_p50_ms"]
    return [
        ("recall, one project, p50 ms", large["recall_p50_ms"], 15),
        ("recall, one project, p99 ms", large["recall_p99_ms"], 50),
        ("search, one project, p50 ms", large["search_p50_ms"], 15),
        ("search, one project, p99 ms", large["search_p99_ms"], 50),
        ("search, all projects, p50 ms", large["search_all_p50_ms"], 75),
        ("search, all projects, p99 ms", large["search_all_p99_ms"], 250),
        ("growth of recall over the last tenfold", large["recall_p50_ms"] / middle["recall_p50_ms"], 4),
        ("save, ms (3 bare transactions + vectors)", large["save_p50_ms"], floor),
        ("batch of 1,000, share of single saves", large["batch_1000_ms"] / (1000 * large["save_p50_ms"]), 0.15),
        ("cold first search over the smallest, ms", large["cold_search_ms"] - few["cold_search_ms"], 400),
        ("import and open over the interpreter, ms", start["open_over_ms"], 80),
        ("--help over the interpreter, ms", start["help_over_ms"], 150),
        ("bytes a node", large["bytes_per_node"], large["bytes_allowed"]),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nodes", type=int, nargs="+", default=[100, 1_000, 10_000, 100_000])
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "run.json")
    parser.add_argument("--keep", type=Path, help="a folder for the stores, kept afterwards")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        start = starts(folder)
        sizes = {nodes: measure(folder, nodes) for nodes in given.nodes}
    print_tables(sizes, start)
    rows = promises(sizes, start)
    for what, measured, allowed in rows:
        print(f"{'holds ' if measured <= allowed else 'MISSED'}  {what:<42} {measured:10.2f}  allowed {allowed:10.2f}")
    shape = {"sizes": sizes, "start": start, "promises": rows}
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(shape, indent=1))
    return 0 if all(measured <= allowed for _, measured, allowed in rows) else 1


def print_tables(sizes: dict[int, dict[str, float]], start: dict[str, float]) -> None:
    names = list(next(iter(sizes.values())))
    for name in names:
        print(f"{name:<28}" + "".join(f"{size[name]:>14,.2f}" for size in sizes.values()))
    for name, value in start.items():
        print(f"{name:<28}{value:>14.2f}")
    print()


if __name__ == "__main__":
    sys.exit(main())
