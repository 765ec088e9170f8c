"""Reinforce: say that a memory proved itself."""

from __future__ import annotations

from ..model.change import Receipt
from ..model.change import Reinforce as ReinforceStep
from ..model.record import CURRENT, Record
from .engine import Asker, Engine, resolve, submit
from .feedback import count


def reinforce(engine: Engine, asker: Asker, address: object) -> tuple[Record, Receipt]:
    """The record as it stands afterwards."""
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
    step = ReinforceStep(record.node.address)
    receipt = submit(engine, asker, "memory_reinforce", [step], summary="reinforce", project=record.project)
    with engine.store.reading() as reader:
        count(engine, asker.principal, reader, record.entry)
        return reader.records_of([record.entry], CURRENT)[0], receipt
