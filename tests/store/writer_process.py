"""A process that writes to a store and says what was acknowledged, one line each. Run by the tests, never imported.

    python writer_process.py endless PATH NAME      single saves, supersessions and batches until it is killed
    python writer_process.py saves PATH NAME COUNT  so many saves of its own and shared texts, then an orderly end
    python writer_process.py traces PATH NAME       traces, and what is made of them, until it is killed
    python writer_process.py same PATH NAME COUNT   the same so many traces as everybody else, then an orderly end

A line is written when the door has returned, and not before. `open` comes first, `done` last.
"""

from __future__ import annotations

import itertools
import os
import random
import sys

from marrow.model.change import Say
from marrow.model.node import Occurrence
from marrow.model.session import Session
from marrow.model.trace import DONE, RAW, Trace
from marrow.store.protocol import Writer
from marrow.store.receive_traces import keep_session, keep_traces, settle_traces
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


def trace(name: str, number: int) -> Trace:
    return Trace(f"{name}-{number}", START + number, "claude-code", name, "post-tool", body=f'{{"number":{number}}}')


def work_off(door: Door, name: str, raw: Trace) -> None:
    """What a worker does: the node, the trace that it was made from, and the session, all at once."""

    def also(writer: Writer) -> None:
        settle_traces(writer, "local", [raw.number], DONE, redact_extra=())
        session = Session(name, "claude-code", "p", last_at=raw.at, turns=raw.fields["number"] + 1)
        keep_session(writer, "local", session, redact_extra=())

    door.do(Say("observation", f"Made from {raw.id}.", Occurrence(raw.at, thread=name)), also=also)


def traces(door: Door, name: str) -> None:
    chance = random.Random(name)
    kept = 0
    while True:
        batch = [trace(name, kept + n) for n in range(BATCH)]
        keep_traces(door.store, "local", "p", batch, redact_extra=(), position=(name, kept + BATCH))
        kept += BATCH
        tell("kept", str(kept))
        raw = door.ask(lambda r: r.traces("local", session=name, state=RAW))
        for one in raw[: chance.randrange(len(raw))]:
            work_off(door, name, one)
            tell("made", one.id)


def same(door: Door, name: str, count: int) -> None:
    every = [trace("all", number) for number in range(count)]
    random.Random(name).shuffle(every)
    for at in range(0, count, BATCH):
        new = keep_traces(door.store, "local", "p", every[at : at + BATCH], redact_extra=(), position=None)
        tell("new", str(new))


def main() -> None:
    mode, path, name, *rest = sys.argv[1:]
    door = Door(SqliteStore(path, busy_timeout_ms=60_000), seed=sum(name.encode()))
    tell("open")
    if mode == "endless":
        endless(door, name)
    if mode == "traces":
        traces(door, name)
    {"saves": saves, "same": same}[mode](door, name, int(rest[0]))
    door.store.close()
    tell("done")


if __name__ == "__main__":
    main()
