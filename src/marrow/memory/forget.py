"""Forget: retract a node. It stays addressable and in the log, and is never recalled. (`erase` removes for good.)"""

from __future__ import annotations

from ..model.change import Receipt, Restate
from ..model.errors import Conflict
from ..model.record import Record
from ..model.standing import RETRACTED
from .engine import Asker, Engine, resolve, submit


def forget(engine: Engine, asker: Asker, address: object, reason: str = "") -> tuple[Record, Receipt]:
    """The record as it stood before."""
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
    if record.standing.state == RETRACTED:
        raise Conflict(f"{record.node.address[:12]} is forgotten already.", field="address")
    step = Restate(record.node.address, (("state", RETRACTED),), reason)
    return record, submit(engine, asker, "memory_forget", [step], summary="forget", project=record.project)
