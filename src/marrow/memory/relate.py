"""Relate: link two nodes, or end a link."""

from __future__ import annotations

from typing import NamedTuple

from ..model.change import SAME, Receipt
from ..model.change import Relate as RelateStep
from ..model.link import check_rel
from .engine import Asker, Engine, resolve, submit


class Related(NamedTuple):
    source: str
    target: str
    rel: str
    is_new: bool
    receipt: Receipt


def relate(engine: Engine, asker: Asker, source: object, target: object, rel: str, *, end: bool = False) -> Related:
    check_rel(rel)
    with engine.store.reading() as reader:
        one = resolve(reader, asker, source, argument="source").node.address
        other = resolve(reader, asker, target, argument="target").node.address
    receipt = submit(engine, asker, "memory_relate", [RelateStep(one, other, rel, closed=end)], summary=f"relate {rel}")
    return Related(one, other, rel, receipt.outcomes[0].what != SAME, receipt)
