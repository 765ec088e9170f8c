"""Relate: link two nodes, or end a link."""

from __future__ import annotations

from typing import NamedTuple

from ..model.change import SAME, Receipt, Restate, Step
from ..model.change import Relate as RelateStep
from ..model.link import RELS, check_meant
from ..model.record import CURRENT, Record
from ..model.standing import ACTIVE, SUPERSEDED
from ..store.protocol import Reader
from .engine import Asker, Engine, resolve, submit
from .feedback import count

SUPERSEDES = "supersedes"


class Related(NamedTuple):
    source: str
    target: str
    rel: str
    is_new: bool
    receipt: Receipt
    holds_again: bool = False


def relate(engine: Engine, asker: Asker, source: object, target: object, rel: str, *, end: bool = False) -> Related:
    check_meant(rel)
    # A word of the caller's own is content, and the log keeps no content.
    summary = f"relate {rel}" if rel in RELS else "relate"
    with engine.store.reading() as reader:
        ends = [resolve(reader, asker, source, argument="source"), resolve(reader, asker, target, argument="target")]
        back = _back(reader, asker, *ends) if end and rel == SUPERSEDES else None
    one, other = (record.node.address for record in ends)
    steps: list[Step] = [RelateStep(one, other, rel, closed=end), *([back] if back else [])]
    receipt = submit(engine, asker, "memory_relate", steps, summary=summary)
    with engine.store.reading() as reader:
        for record in ends:
            count(engine, asker.principal, reader, record.entry)
    return Related(one, other, rel, receipt.outcomes[0].what != SAME, receipt, back is not None)


def _back(reader: Reader, asker: Asker, source: Record, target: Record) -> Restate | None:
    """What lets a node hold again whose place nothing else has taken: it would be neither recalled nor replaced."""
    standing, address = target.standing, target.node.address
    links = reader.links(asker.namespace, [address], (target.project,), CURRENT)
    onto = {link.source for link in links if link.rel == SUPERSEDES and link.target == address}
    if standing.state != SUPERSEDED or onto != {source.node.address}:
        return None
    # Said anew after it had left: so it holds after an exchange with another memory too.
    return Restate(address, (("state", ACTIVE), ("generation", standing.generation + 1)), expects=SUPERSEDED)
