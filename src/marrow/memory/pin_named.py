"""Memories that name symbols and were saved before anything knew where those are: pinned once there is a code map, to
the code as it is then."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from ..model.change import Pin, Step
from ..model.event import SYSTEM
from ..model.link import Anchor
from ..model.record import CURRENT, Record
from ..model.scope import WRITE
from ..model.text import counted
from ..repository.elsewhere import is_beside_main
from ..store.protocol import Reader
from .anchors.checkout import Checkout
from .anchors.evidence import companions
from .anchors.known import checkout_of, is_mapped
from .anchors.mentions import mentions
from .anchors.pin import AUTOMATIC_MAX, pinned
from .captured import CAPTURE
from .engine import Asker, Engine, submit
from .remember import OPERATION as SAVING
from .remember import UNPINNED_KINDS

OPERATION = "memory_verify"
# What pins by itself what a text names, where it can.
PINNING = frozenset((SAVING, CAPTURE))
LOOKED_AT, BATCH = 20_000, 500


def pin_named(engine: Engine, asker: Asker, checkout: Checkout | None = None) -> int:
    """Look at what was saved since this was last done here; how many memories were pinned. Nothing without a map, nor
    for who only reads; nor in a worktree beside the main one, whose code is true there alone."""
    is_writing = asker.principal.may(WRITE, asker.namespace, asker.scope.project) and not engine.store.read_only
    if not asker.root or not is_writing or is_beside_main(asker.root) or not is_mapped(engine, asker.root):
        return 0
    place = f"{asker.namespace}/{asker.scope.project}"
    file = _file(engine, asker.root)
    marks = _read(file)
    with engine.store.reading() as reader:
        head = reader.head(asker.namespace).seq
        after = marks.get(place, 0)
        if after == head:
            return 0
        records = _said(reader, asker, after if after < head else 0, engine.clock())
        known = reader.anchors([record.entry for record in records], CURRENT) if records else {}
    there = checkout or checkout_of(engine, asker.root)
    steps: list[Step] = []
    for record in engine.considerately(records):
        new = _newly(there, record, known.get(record.entry, ()))
        if new:
            steps.append(Pin(record.node.address, new))
    for at in range(0, len(steps), BATCH):
        part = steps[at : at + BATCH]
        summary = f"pin {counted(len(part), 'memory')} to what is named"
        submit(engine, asker, OPERATION, part, summary=summary, layer=SYSTEM)
    _keep(file, {**marks, place: head})
    return len(steps)


def _said(reader: Reader, asker: Asker, after: int, now: int) -> list[Record]:
    """What was said in the project since an event. Not what has drifted: how the code was that it means is not known
    any more."""
    addresses = list(dict.fromkeys(_saved(reader, asker, after)))[-LOOKED_AT:]
    found = reader.records(asker.namespace, addresses, (asker.scope.project,), CURRENT) if addresses else []
    return [
        record
        for record in found
        if record.node.kind not in UNPINNED_KINDS and record.standing.is_active(now) and not record.standing.drift
    ]


def _saved(reader: Reader, asker: Asker, after: int) -> Iterator[str]:
    for event in reader.events(asker.namespace, after):
        if event.operation in PINNING and event.project == asker.scope.project:
            yield from (one.address for one in event.touched if one.address is not None)


def _newly(checkout: Checkout, record: Record, known: Sequence[Anchor]) -> tuple[Anchor, ...]:
    """The symbols that a text names and is not pinned to, with their files."""
    named = mentions(record.node.content)
    if not named.names:
        return ()
    there = {(one.type, one.target) for one in known}
    room = AUTOMATIC_MAX - sum("auto" in one.fields for one in known)
    every = pinned(checkout, known, named, record.node.content)
    symbols = [one for one in every if one.type == "symbol" and (one.type, one.target) not in there][: max(0, room)]
    files = {target for kind, target in there if kind in ("file", "lines")}
    beside = [one for symbol in symbols for one in companions(symbol) if one.target not in files]
    return tuple(dict.fromkeys((*symbols, *beside)))


def _file(engine: Engine, root: str) -> Path | None:
    return engine.maps(root).file.path.with_suffix(".named") if engine.maps is not None else None


def _read(file: Path | None) -> dict[str, int]:
    """How far was looked, by namespace and project. Lost without harm: then all is looked at once more."""
    try:
        told = json.loads(file.read_text()) if file is not None else {}
    except (OSError, ValueError, RecursionError):
        return {}
    known = told if isinstance(told, dict) else {}
    return {place: seq for place, seq in known.items() if isinstance(place, str) and isinstance(seq, int)}


def _keep(file: Path | None, marks: dict[str, int]) -> None:
    if file is None:
        return
    with suppress(OSError):
        partial = file.with_name(f"{file.name}.{os.getpid()}.partial")
        partial.write_text(json.dumps(marks))
        partial.replace(file)
