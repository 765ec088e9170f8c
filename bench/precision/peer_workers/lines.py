"""What every worker shares: one JSON object a line in, one out, and the peer's own call timed.

    {"op": "remember", "world": {…}}  →  {"ok": true}
    {"op": "recall", "case": {…}}     →  {"ids": ["…"], "ms": 1.2}

Import it before the peer: some take the output stream for themselves when they are imported.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TypeVar

Answer = TypeVar("Answer")

# Answers have the output stream to themselves: whatever a peer prints goes to the error stream.
ANSWERS = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


class Peer(Protocol):
    def remember(self, memory: dict[str, Any], replaces: dict[str, Any] | None) -> None:
        """`replaces` is the memory that this one explicitly supersedes."""

    def recall(self, case: dict[str, Any], timed: Timed) -> list[str]:
        """The ids of the memories that come back. `timed` runs the peer's own call."""


class Timed:
    """Runs a call and keeps how long it took."""

    ms = 0.0

    def __call__(self, call: Callable[[], Answer]) -> Answer:
        started = time.perf_counter()
        answer = call()
        self.ms = (time.perf_counter() - started) * 1000
        return answer


def serve(peer: Peer) -> None:
    """Answer until the input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["op"] == "remember":
            remember(peer, asked["world"])
            answer: dict[str, Any] = {"ok": True}
        else:
            timed = Timed()
            ids = peer.recall(asked["case"], timed)
            # A long memory may be kept in pieces: it has come back once, however many of them were found.
            answer = {"ids": list(dict.fromkeys(ids)), "ms": timed.ms}
        print(json.dumps(answer), file=ANSWERS, flush=True)


def remember(peer: Peer, world: dict[str, Any]) -> None:
    known = {memory["id"]: memory for memory in world["memories"]}
    for memory in sorted(world["memories"], key=lambda memory: memory["at"]):
        peer.remember(memory, known.get(memory.get("supersedes", "")))


def labels(memory: dict[str, Any]) -> dict[str, str]:
    """What a memory says of itself in one word each."""
    return {name: memory[name] for name in ("project", "service", "kind", "domain") if memory.get(name)}


def wanted(case: dict[str, Any]) -> dict[str, str]:
    """The scope that the asker names, where one is named."""
    return {name: case[name] for name in ("project", "service") if case.get(name)}
