"""Which of some memories have drifted in a working tree that is not the main one: looked at now, and nowhere noted."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ..model.errors import MarrowError
from ..model.record import CURRENT, Record
from .anchors.finding import UNKNOWN
from .anchors.known import checkout_of
from .anchors.looked import looked_of
from .engine import Asker, Engine
from .verify import drift_of, verify_records, worth_verifying

# Somebody waits: what was not looked at by then is told as it stands.
SECONDS = 0.25


def drift_here(engine: Engine, asker: Asker, records: Sequence[Record]) -> list[Record]:
    ours = [one for one in worth_verifying(records, engine.clock()) if one.project == asker.scope.project]
    with engine.store.reading() as reader:
        anchors = reader.anchors([one.entry for one in ours], CURRENT) if ours else {}
    here: dict[int, Record] = {}
    until = time.monotonic() + SECONDS
    checkout, looked = checkout_of(engine, asker.root), looked_of(engine, asker.root)
    for one in ours:
        if time.monotonic() > until:
            break
        if not anchors.get(one.entry):
            continue
        with suppress(MarrowError, OSError, ValueError, RecursionError):
            found = verify_records(engine, asker, checkout, [one], anchors, note=False, looked=looked).items
            if found and found[0].verdict != UNKNOWN:
                here[one.entry] = _with_drift(one, *drift_of(found[0]))
    looked.keep(is_all=False)
    return [here.get(one.entry, one) for one in records]


def _with_drift(record: Record, drift: str, reason: str) -> Record:
    if drift == record.standing.drift and (not drift or reason == record.standing.reason):
        return record
    return replace(record, standing=replace(record.standing, drift=drift, reason=reason))
