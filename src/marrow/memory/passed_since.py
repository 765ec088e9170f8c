"""Failures that earlier sessions left open, and that a run of tests shows to be gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..model.change import Restate, Step
from ..model.node import Node
from ..model.record import CURRENT, Filter
from ..model.standing import RETRACTED
from ..model.trace import DONE
from ..store.protocol import Reader
from .engine import Asker, Engine
from .observed.observation import FAILED, OK, content
from .observed.observe import observe, runs
from .observed.piece import Piece
from .observed.testing import covers

# What a session left open stands among its last calls.
LOOKED_AT, SESSIONS_MAX, TRACES_MAX = 40, 6, 800


def passed_since(
    engine: Engine, asker: Asker, reader: Reader, session: str, bodies: Sequence[Mapping[str, Any]]
) -> list[Step]:
    """What failed in another session, in the same folder, and passes in these calls is no longer known as failing."""
    passing = [run for run in runs(bodies, engine.pieces) if run.outcome == OK]
    if not passing:
        return []
    wanted = Filter(projects=(asker.scope.project,), kinds=("observation",), metadata=(("outcome", FAILED),))
    failed = reader.records_of(reader.select(asker.namespace, wanted, CURRENT, engine.clock(), LOOKED_AT), CURRENT)
    said = reader.occurrences([record.entry for record in failed], CURRENT)
    threads = {record.node.address: {one.thread for one in said.get(record.entry, ())} for record in failed}
    others = dict.fromkeys(name for names in threads.values() if len(names) == 1 for name in names if name != session)
    over = [
        address
        for other in list(others)[:SESSIONS_MAX]
        for address in _over(engine, asker, reader, other, passing)
        if threads.get(address) == {other}
    ]
    return [Restate(address, (("state", RETRACTED),), "its tests pass since") for address in dict.fromkeys(over)]


def _over(engine: Engine, asker: Asker, reader: Reader, session: str, passing: Sequence[Piece]) -> list[str]:
    """The addresses of what a session saw fail, and passes now."""
    project = asker.scope.project
    found = reader.traces(asker.namespace, project=project, session=session, state=DONE, limit=TRACES_MAX, latest=True)
    bodies = [trace.fields for trace in found if trace.does]
    commands = [trace.fields for trace in found if trace.does == "shell"]  # no other call is a run of tests
    gone = {
        run.call.id
        for run in runs(engine.considerately(commands), engine.pieces)
        if run.outcome == FAILED and any(_shows(one, run) for one in passing)
    }
    seen = observe(engine.considerately(bodies), engine.pieces) if gone else []
    open_ones = [one for one in seen if one.outcome == FAILED and one.trace_ids and one.trace_ids[-1] in gone]
    return [Node.make("observation", content(one)).address for one in open_ones]


def _shows(passed: Piece, failed: Piece) -> bool:
    is_later = passed.call.at > failed.call.at
    return is_later and passed.call.cwd == failed.call.cwd and covers(passed, failed)
