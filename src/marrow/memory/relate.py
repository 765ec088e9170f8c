"""Relate: link two nodes, or end a link."""

from __future__ import annotations

from typing import NamedTuple

from ..model.change import SAME, Receipt
from ..model.change import Relate as RelateStep
from ..model.link import RELS, check_meant
from .engine import Asker, Engine, resolve, submit


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
        one = resolve(reader, asker, source, argument="source").node.address
        other = resolve(reader, asker, target, argument="target").node.address
    receipt = submit(engine, asker, "memory_relate", [RelateStep(one, other, rel, closed=end)], summary=summary)
    return Related(one, other, rel, receipt.outcomes[0].what != SAME, receipt)
