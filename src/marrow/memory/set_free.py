"""What a summary stood for holds again when the summary goes, unless another one stands for it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar

from ..model.change import Restate
from ..model.errors import Conflict, NotFound
from ..model.record import CURRENT, Record
from ..model.standing import ACTIVE, COMPRESSED, RETRACTED
from ..store.protocol import Projects, Reader
from .compress import KIND as SUMMARY

BATCH, TRIES = 500, 5

T = TypeVar("T")


def set_free(reader: Reader, space: str, going: Collection[str], projects: Projects) -> list[Record]:
    """What was compressed into these nodes, or into a summary in them that was forgotten already, and has no other node
    left that stands for it."""
    gone = dict.fromkeys(going)
    found: dict[int, Record] = {}
    edge: Sequence[str] = list(gone)
    while edge:
        records = [record for batch in batches(edge) for record in reader.records(space, batch, None, CURRENT)]
        inputs = sorted({given for record in records for given in record.node.inputs} - gone.keys())
        given = [record for batch in batches(inputs) for record in reader.records(space, batch, projects, CURRENT)]
        forgotten = [r for r in given if r.node.kind == SUMMARY and r.standing.state == RETRACTED]
        edge = list(dict.fromkeys(record.node.address for record in forgotten))
        gone.update(dict.fromkeys(edge))
        found.update((record.entry, record) for record in given if record.standing.state == COMPRESSED)
    return [record for record in found.values() if not _stands(reader, space, record, gone)]


def _stands(reader: Reader, space: str, record: Record, gone: Collection[str]) -> bool:
    """Whether something else that was made from it stands for it."""
    others = [made for made in reader.made_from(space, record.node.address) if made not in gone]
    return any(one.standing.state == ACTIVE for one in reader.records(space, others, (record.project,), CURRENT))


def holds_again(record: Record, reason: str) -> Restate:
    """The step with which it does, unless something else became of it meanwhile."""
    # As if said anew: otherwise an exchange with a memory that saw only the compression would compress it again.
    again = ("generation", record.standing.generation + 1)
    return Restate(record.node.address, (("state", ACTIVE), again), reason, expects=COMPRESSED)


def looked_again(attempt: Callable[[], T]) -> T:
    """What this gives. It looks up what is set free and writes that: where another process was faster with one of
    these, it looks again."""
    for _ in range(TRIES - 1):
        with suppress(Conflict, NotFound):
            return attempt()
    return attempt()


def batches(addresses: Sequence[str]) -> Iterator[Sequence[str]]:
    return (addresses[at : at + BATCH] for at in range(0, len(addresses), BATCH))
