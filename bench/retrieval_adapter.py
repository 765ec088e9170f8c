#!/usr/bin/env python3
"""Serves Marrow to a retrieval scorer: one JSON object a line in, one out, through the public Python API.

    {"op": "open", "corpus": ID}                                        -> {"ok": true}      a fresh, empty memory
    {"op": "add", "docs": [{"id", "text", "at"?, "thread"?, "kind"?}]}  -> {"ok": true}      stored and findable
    {"op": "recall", "query": TEXT, "k": N}                             -> {"ids": [ID, …]}  best first

Equal texts under several ids are one node with several occurrences, and answer with all of their ids. The defaults are
those that every user has; nothing here is tuned to a set. With `--better` what was added is embedded by the transformer
before it is answered, as the daemon does in the background.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import marrow

BATCH = 1000


class Adapter:
    def __init__(self, folder: Path, better: bool = False) -> None:
        self.folder = folder
        self.better = better
        self.memory: marrow.Memory | None = None
        self.ids: dict[str, list[str]] = defaultdict(list)
        self.opened = 0

    def open(self, corpus: str) -> dict[str, Any]:
        if self.memory is not None:
            self.memory.close()
        self.opened += 1
        self.ids.clear()
        self.memory = marrow.open(store=str(self.folder / f"{self.opened}.db"), project=corpus)
        return {"ok": True}

    def add(self, docs: list[dict[str, Any]]) -> dict[str, Any]:
        assert self.memory is not None
        spoken = [doc for doc in docs if doc["text"].strip()]  # an empty message says nothing to remember
        for start in range(0, len(spoken), BATCH):
            part = spoken[start : start + BATCH]
            saved = self.memory.save(batch=[self.item(doc) for doc in part])
            for doc, item in zip(part, saved.items, strict=True):
                self.ids[item.address].append(doc["id"])
        if self.better:
            self.memory.refine()
        return {"ok": True}

    @staticmethod
    def item(doc: dict[str, Any]) -> dict[str, Any]:
        given = {"content": doc["text"], "thread": doc.get("thread") or "", "metadata": {"id": doc["id"]}}
        if doc.get("kind"):
            given["kind"] = doc["kind"]
        if doc.get("at"):
            given["at"] = doc["at"]
        return given

    def recall(self, query: str, k: int) -> dict[str, Any]:
        assert self.memory is not None
        found = self.memory.search(query, limit=k)
        return {"ids": [id_ for item in found.items for id_ in self.ids[item.address]][:k]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        adapter = Adapter(Path(folder), "--better" in sys.argv)
        for line in sys.stdin:
            request = json.loads(line)
            try:
                answer = getattr(adapter, request.pop("op"))(**request)
            except marrow.MarrowError as problem:
                answer = {"error": str(problem)}
            print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
