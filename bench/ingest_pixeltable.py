#!/usr/bin/env python3
"""Pixeltable's side of `bench/ingest.py`: runs in its own environment, one JSON object a line in, one out.

    python bench/ingest_pixeltable.py HOME

    {"op": "ingest", "folder": "…", "paths": […], "question": "…", "table": "…", "index_first": true}
    {"op": "update", "folder": "…", "paths": […], "question": "…"}
    {"op": "search", "questions": […]}

It is arranged as its users arrange it, and to its advantage: a table of paths and contents with the path as its key, a
view with an iterator that cuts the contents into chunks, and an embedding index over the chunks. The iterator cuts as
Marrow does and the embedder is Marrow's, so that both compute the same vectors of the same texts. (Its own
`document_splitter` cuts text after so many characters, wherever that is, and takes no source code.) The contents are
given as strings, which spares it its handling of media files. Of a changed file it is told, and need not look.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# Answers have the output stream to themselves: what is printed otherwise goes to the error stream.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)
os.environ["PIXELTABLE_HOME"] = sys.argv[1]
sys.path.insert(0, str(Path(__file__).parent))

import pixeltable as pxt  # noqa: E402 its home is named above

import pixeltable_functions as ours  # noqa: E402

STOP_S = 20


class Side:
    """The table at hand and its view of chunks."""

    table: Any
    chunks: Any

    def ingest(self, folder: str, paths: Sequence[str], question: str, table: str, index_first: bool) -> dict[str, Any]:
        started, spent = time.perf_counter(), cpu()
        schema = {"path": pxt.Required[pxt.String], "content": pxt.String}
        self.table = pxt.create_table(table, schema, primary_key="path")
        if index_first:
            self.cut(table)
        self.table.insert(read(folder, paths))
        if not index_first:
            self.cut(table)
        found = self.find(question)
        took = {"seconds": time.perf_counter() - started, "cpu_s": cpu() - spent}
        return {**took, "chunks": self.chunks.count(), "found": found}

    def cut(self, table: str) -> None:
        self.chunks = pxt.create_view(f"{table}_chunks", self.table, iterator=ours.passages(self.table.content))
        self.chunks.add_embedding_index("text", string_embed=ours.embed)

    def update(self, folder: str, paths: Sequence[str], question: str) -> dict[str, Any]:
        started, spent = time.perf_counter(), cpu()
        self.table.batch_update(read(folder, paths))
        found = self.find(question)
        return {"seconds": time.perf_counter() - started, "cpu_s": cpu() - spent, "found": found}

    def search(self, questions: Sequence[str]) -> dict[str, Any]:
        spent, began = [], cpu()
        for one in questions:
            started = time.perf_counter()
            self.best(one)
            spent.append((time.perf_counter() - started) * 1000)
        # Its server's time is counted in hundredths of a second: of one question that says nothing.
        return {"ms": spent, "cpu_ms": [(cpu() - began) * 1000 / len(questions)]}

    def find(self, question: str) -> bool:
        """Whether a text that is word for word in a file is found."""
        return any(question in row["text"] for row in self.best(question))

    def best(self, question: str) -> list[dict[str, Any]]:
        near = self.chunks.text.similarity(string=question)
        return list(
            self.chunks.order_by(near, asc=False).limit(5).select(self.chunks.path, self.chunks.text, near).collect()
        )


def read(folder: str, paths: Sequence[str]) -> list[dict[str, str]]:
    return [{"path": path, "content": Path(folder, path).read_text(encoding="utf-8")} for path in paths]


def cpu() -> float:
    """Processor time of this process and of the whole database server."""
    own, server = os.times(), server_pid(sys.argv[1])
    ticks = 0
    if server:
        ticks += sum(_ticks(server))
        children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
        ticks += sum(sum(_ticks(int(child))[:2]) for child in children)
    return own.user + own.system + ticks / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> list[int]:
    """Its own time in and out of the kernel, and that of the children that it waited for."""
    try:
        return [int(one) for one in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]]
    except OSError:
        return [0, 0, 0, 0]


def server_pid(home: str) -> int:
    noted = Path(home, "pgdata", "postmaster.pid")
    return int(noted.read_text().splitlines()[0]) if noted.exists() else 0


def stop_server(home: str) -> None:
    """Its database server outlives the process that started it, so it is told to end."""
    server = server_pid(home)
    if server:
        os.kill(server, signal.SIGINT)
    end = time.monotonic() + STOP_S
    while server_pid(home) and time.monotonic() < end:
        time.sleep(0.1)


def main() -> None:
    side = Side()
    started = time.perf_counter()
    pxt.create_dir("bench")
    print(json.dumps({"start_s": time.perf_counter() - started, "version": pxt.__version__}), file=ANSWERS, flush=True)
    try:
        for line in sys.stdin:
            asked = json.loads(line)
            answer = getattr(side, asked.pop("op"))(**asked)
            print(json.dumps(answer), file=ANSWERS, flush=True)
    finally:
        stop_server(sys.argv[1])


if __name__ == "__main__":
    main()
