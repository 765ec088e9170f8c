"""Forget: retract a node. It stays addressable and in the log, and is never recalled. (`erase` removes for good.)"""

from __future__ import annotations

from ..model.change import Receipt, Restate
from ..model.errors import Conflict, NotFound
from ..model.event import Event
from ..model.record import CURRENT, Record
from ..model.scope import READ
from ..model.standing import ACTIVE, COMPRESSED, RETRACTED
from ..store.protocol import Reader
from .accounts import retold
from .captured import CAPTURE, SAID_IN_SESSION
from .compress import KIND as SUMMARY
from .engine import Asker, Engine, resolve, submit
from .set_free import holds_again, looked_again, set_free
from .taking_in.resettle import is_of_source

# The operations by which somebody says something, one thing or several.
SAVES = frozenset(
    "memory_save memory_update memory_gap memory_ask memory_answer memory_checkpoint memory_handoff memory_survey "
    "memory_arc set_task_context".split()
)
EVENTS_LOOKED_AT = 1_000


def forget(engine: Engine, asker: Asker, address: object, reason: str = "") -> tuple[Record, Receipt]:
    """The record as it stood before. What it had taken the place of as a summary holds again, as when one is erased."""
    return looked_again(lambda: _forget(engine, asker, address, reason))


def _forget(engine: Engine, asker: Asker, address: object, reason: str) -> tuple[Record, Receipt]:
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
        freed = _freed(reader, asker, record)
        accounts = retold(reader, asker, record, engine.clock)
    if record.standing.state == RETRACTED:
        raise Conflict(f"{record.node.address[:12]} is forgotten already.", field="address")
    # What leaves for such a reason comes back with its source: in somebody's own words, it must not.
    told = f"forgotten: {reason}" if is_of_source(reason) else reason
    step = Restate(record.node.address, (("state", RETRACTED),), told)
    back = [holds_again(one, "its summary was forgotten") for one in freed]
    steps = [step, *back, *accounts]
    return record, submit(engine, asker, "memory_forget", steps, summary="forget", project=record.project)


def _freed(reader: Reader, asker: Asker, summary: Record) -> list[Record]:
    if summary.node.kind != SUMMARY or summary.standing.state != ACTIVE:
        return []
    found = set_free(reader, asker.namespace, [summary.node.address], (summary.project,))
    # An observation that was told better is compressed too, for another reason: the one is forgotten with the other.
    return [one for one in found if one.standing.reason == COMPRESSED]


def forget_last(engine: Engine, asker: Asker, reason: str = "") -> tuple[Record, Receipt]:
    """What this user saved last in the project, or said in a session, and still holds. Of a batch, its last."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        latest = reader.events(asker.namespace, limit=EVENTS_LOOKED_AT, latest=True)
        ours = (event for event in latest if event.project == asker.scope.project)
        saves = (event for event in ours if event.operation in SAVES or event.operation == CAPTURE)
        last = next((found for event in saves if (found := _saved(reader, asker, event, engine.clock()))), None)
    if last is None:
        raise NotFound(
            "You saved nothing here lately that could be forgotten.", hint="Give its address: `marrow search` finds it."
        )
    return forget(engine, asker, last.node.address, reason)


def _saved(reader: Reader, asker: Asker, event: Event, now: int) -> Record | None:
    """The last of what the caller said by this event, if it still holds."""
    addresses = [touched.address for touched in event.touched if touched.address]
    records = reader.records(asker.namespace, addresses, (event.project,), CURRENT)
    said = reader.occurrences([record.entry for record in records], event.seq)
    # What the event only linked to has no standing from it, and what others said is theirs.
    mine = [
        record
        for record in records
        if record.standing.is_active(now)
        and (event.operation != CAPTURE or SAID_IN_SESSION in record.standing.tags)
        and any(interval.start == event.seq for interval in reader.intervals(record.entry))
        and any(one.user == asker.scope.user for one in said.get(record.entry, ()))
    ]
    return max(mine, key=lambda record: addresses.index(record.node.address), default=None)
