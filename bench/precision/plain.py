"""What any system must beat: plain BM25 and plain vector search, five results each, over the asker's project."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

from marrow.providers.embedder import embedder
from marrow.store.terms import query_terms, terms_of

RESULTS = 5


def in_scope(world: dict[str, Any], case: dict[str, Any]) -> list[dict[str, Any]]:
    """What the asker's project says, and its service where one is named; nothing that was explicitly replaced."""
    replaced = {memory.get("supersedes") for memory in world["memories"]}
    return [
        memory
        for memory in world["memories"]
        if memory["id"] not in replaced
        and case["project"] in (None, memory["project"])
        and case.get("service") in (None, memory.get("service"))
    ]


class Bm25:
    name = "plain BM25"

    def remember(self, world: dict[str, Any]) -> None:
        self.world = world

    def recall(self, case: dict[str, Any]) -> list[str]:
        memories = in_scope(self.world, case)
        counts = [Counter(terms_of(memory["text"])) for memory in memories]
        mean = sum(c.total() for c in counts) / max(1, len(counts))
        scores = []
        for memory, count in zip(memories, counts, strict=True):
            total = 0.0
            for term in query_terms(case["question"]):
                holders = sum(term in other for other in counts)
                rarity = math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
                held_back = 1.2 * (0.25 + 0.75 * count.total() / mean)
                total += rarity * count[term] * 2.2 / (count[term] + held_back)
            scores.append((total, memory["id"]))
        return [found for total, found in sorted(scores, reverse=True)[:RESULTS] if total > 0]

    def close(self) -> None: ...


class Vectors:
    name = "plain vectors (built in)"

    def __init__(self) -> None:
        self.embedder = embedder("static")

    def remember(self, world: dict[str, Any]) -> None:
        self.world = world
        self.rows = self.embedder.documents([memory["text"] for memory in world["memories"]])

    def recall(self, case: dict[str, Any]) -> list[str]:
        cosines = self.rows @ self.embedder.query(case["question"])
        scope = {memory["id"] for memory in in_scope(self.world, case)}
        ranked = sorted(zip(cosines, (memory["id"] for memory in self.world["memories"]), strict=True), reverse=True)
        return [found for _, found in ranked if found in scope][:RESULTS]

    def close(self) -> None: ...
