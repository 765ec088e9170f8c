"""A process that writes to a store and says what was acknowledged, one line each. Run by the tests, never imported.

    python writer_process.py endless PATH NAME      single saves, supersessions and batches until it is killed
    python writer_process.py saves PATH NAME COUNT  so many saves of its own and shared texts, then an orderly end

A line is written when the door has returned, and not before. `open` comes first, `done` last.
"""

from __future__ import annotations

import itertools
import os
import random
import sys

from marrow.model.change import Say
from marrow.model.node import Occurrence
from marrow.store.sqlite import SqliteStore
from tests.store.door import START, Door

BATCH = 8
SHARED = [f"Everybody knows fact {n}." for n in range(5)]


def tell(*words: str) -> None:
    os.write(1, (" ".join(words) + "\n").encode())


def endless(door: Door, name: str) -> None:
    chance = random.Random(name)
    last = door.say(f"{name} begins.")
    tell("said", last)
    for number in itertools.count():
        move = chance.randrange(4)
        if move == 0:
            texts = [f"Batch {name}-{number} item {n}." for n in range(BATCH)]
            receipt = door.do(*(Say("claim", text, Occurrence(START)) for text in texts))
            tell("batch", f"{name}-{number}", *(outcome.address for outcome in receipt.outcomes))
        elif move == 1:
            old, last = last, door.supersede(last, f"{name} version {number}.")
            tell("superseded", old, last)
        else:
            tell("said", door.say(f"{name} fact {number}: " + "padding " * chance.randrange(200), thread=name))


def saves(door: Door, name: str, count: int) -> None:
    for number in range(count):
        tell("own", door.say(f"Fact {number} of {name} alone.", thread=name))
        tell("shared", door.say(SHARED[number % len(SHARED)], thread=name, at=START + number))


def main() -> None:
    mode, path, name, *rest = sys.argv[1:]
    door = Door(SqliteStore(path, busy_timeout_ms=60_000), seed=sum(name.encode()))
    tell("open")
    if mode == "endless":
        endless(door, name)
    saves(door, name, int(rest[0]))
    door.store.close()
    tell("done")


if __name__ == "__main__":
    main()
