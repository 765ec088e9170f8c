"""Relate: link two nodes, or end a link."""

from __future__ import annotations

from typing import NamedTuple

from ..model.change import SAME, Receipt
from ..model.change import Relate as RelateStep
from ..model.link import RELS, check_meant
from .engine import Asker, Engine, resolve, submit
from .feedback import count


class Related(NamedTuple):
    source: str
    target: str
    rel: str
    is_new: bool
    receipt: Receipt


def relate(engine: Engine, asker: Asker, source: object, target: object, rel: str, *, end: bool = False) -> Related:
    check_meant(rel)
    # A word of the caller's own is content, and the log keeps no content.
    summary = f"relate {rel}" if rel in RELS else "relate"
    with engine.store.reading() as reader:
        ends = [resolve(reader, asker, source, argument="source"), resolve(reader, asker, target, argument="target")]
    one, other = (record.node.address for record in ends)
    receipt = submit(engine, asker, "memory_relate", [RelateStep(one, other, rel, closed=end)], summary=summary)
    with engine.store.reading() as reader:
        for record in ends:
            count(engine, asker.principal, reader, record.entry)
    return Related(one, other, rel, receipt.outcomes[0].what != SAME, receipt)
