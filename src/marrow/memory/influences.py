"""Influences: which memories a session had been told before it made an edit. For a file, or for a commit's edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..capture.tools import EDIT, WRITE, does
from ..model.errors import Ambiguous, Invalid, NotFound
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.session import Injection
from ..store.protocol import Reader
from .engine import Asker, Engine

EDITS_MAX, TOLD_LOOKED_AT = 50, 2_000
COMMIT_LENGTH_MIN = 6
# An observation's time is whole seconds, so what was told within its second may have come before it.
SECOND = 1_000_000


class Influence(NamedTuple):
    """An edit and what its session had been told by then, the latest first, each once. `record` is None for a memory
    that is gone or that the caller may not read."""

    edit: Record
    session: str
    turn: str
    at: int
    told: tuple[tuple[Injection, Record | None], ...]


def influences(engine: Engine, asker: Asker, *, file: str = "", commit: str = "") -> list[Influence]:
    """The edits of a file, or those between a commit and the one before it, the latest first."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    now = engine.clock()
    with engine.store.reading() as reader:
        if file.strip():
            path = file.strip().replace("\\", "/").removeprefix("./")
            entries = reader.anchored(asker.namespace, [path], (asker.scope.project,), CURRENT)
        else:
            since, until = _window(reader, asker, commit.strip().lower(), now)
            wanted = Filter(projects=(asker.scope.project,), kinds=("observation",), since=since, until=until)
            entries = reader.select(asker.namespace, wanted, CURRENT, now)
        edits = _edits(reader, entries)
        return [_influence(reader, asker, record, said) for record, said in edits[:EDITS_MAX]]


def _edits(reader: Reader, entries: Sequence[int]) -> list[tuple[Record, Occurrence]]:
    occurrences = reader.occurrences(entries, CURRENT)
    found = []
    for record in reader.records_of(list(entries), CURRENT):
        if record.node.kind == "observation":
            said = occurrences.get(record.entry, [])
            found += [(record, one) for one in said if does(str(one.fields.get("tool", ""))) in (EDIT, WRITE)]
    return sorted(found, key=lambda one: -one[1].at)


def _influence(reader: Reader, asker: Asker, record: Record, said: Occurrence) -> Influence:
    told = reader.injections(asker.namespace, session=said.thread, limit=TOLD_LOOKED_AT) if said.thread else []
    before = {one.address: one for one in reversed(told) if one.at < said.at + SECOND}
    known = reader.records(asker.namespace, list(before), asker.everywhere(), CURRENT)
    records = {one.node.address: one for one in known}
    latest = sorted(before.values(), key=lambda one: (-one.at, one.address))
    turn = str(said.fields.get("turn", ""))
    return Influence(record, said.thread, turn, said.at, tuple((one, records.get(one.address)) for one in latest))


def _window(reader: Reader, asker: Asker, commit: str, now: int) -> tuple[int | None, int]:
    """From after the commit before this one up to this one: when what it holds was edited."""
    if len(commit) < COMMIT_LENGTH_MIN or commit.strip("0123456789abcdef"):
        raise Invalid(f"{commit[:80]!r} is no commit.", hint="Give 6 or more digits of its hash.", field="commit")
    wanted = Filter(projects=(asker.scope.project,), kinds=("commit",), include_superseded=True)
    entries = reader.select(asker.namespace, wanted, CURRENT, now)
    said = [one for some in reader.occurrences(entries, CURRENT).values() for one in some]
    times = {str(one.fields["commit"]): one.at for one in said if one.fields.get("commit")}
    found = [name for name in times if name.startswith(commit)]
    if len(found) > 1:
        raise Ambiguous(f"{commit} begins several commits.", hint="Give more digits.", field="commit")
    if not found:
        raise NotFound(
            f"The memory knows no commit {commit[:16]}.", hint="`marrow tour` takes in the history.", field="commit"
        )
    at = times[found[0]]
    earlier = [other for other in times.values() if other < at]
    return max(earlier) + 1 if earlier else None, at
