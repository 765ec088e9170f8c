"""The desk: a step made ready, and the working state of one change inside the door's transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..model.change import Change, Merge, Say, Step, Supersede
from ..model.errors import NotFound
from ..model.event import Event, Snapshot
from ..model.link import Anchor
from ..model.node import GLOBAL_PROJECT, VIEW, Node
from ..model.record import CURRENT, Record
from ..model.scope import ADMIN, WRITE, Principal
from ..model.standing import Standing
from .protocol import Writer
from .terms import spaced_terms

if TYPE_CHECKING:
    from .protocol import Vector


@dataclass(slots=True)
class Prepared:
    """A step whose texts are clean, redacted and embedded."""

    step: Step
    redacted: tuple[tuple[str, int], ...] = ()
    vectors: Sequence[Vector | None] = ()
    node: Node | None = None

    def texts(self) -> list[str]:
        if isinstance(self.step, Say | Supersede):
            return [self.step.content]
        return [copy.node.content for copy in self.step.copies] if isinstance(self.step, Merge) else []


@dataclass
class Desk:
    """The working state of one change: the open transaction and what it has touched so far. `at` is the time of the
    event, never before the one before it; `now` is the clock, by which what has expired is judged."""

    writer: Writer
    change: Change
    principal: Principal
    seq: int
    at: int
    now: int
    entropy: Callable[[int], bytes]
    touched: dict[str, bytes] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    chains: list[tuple[Event, ...]] = field(default_factory=list)
    changed: bool = False
    domain: str = ""

    def touch(self, address: str, leaf: bytes) -> None:
        self.touched[address] = leaf
        self.changed = True

    def find(self, address: str, argument: str = "address") -> Record:
        """The record that a step speaks of: in the change's project, or else in the global scope."""
        places = (self.change.project, GLOBAL_PROJECT)
        found = self.writer.records(self.change.namespace, [address], places, CURRENT)
        if not found:
            raise NotFound(f"Nothing here has the address {address[:12]}.", hint="Search for it.", field=argument)
        record = next((r for r in found if r.project == self.change.project), found[0])
        self.check_kind(record.node.kind)
        return record

    def check_kind(self, kind: str) -> None:
        """Views say who may see what."""
        if kind == VIEW:
            self.principal.check(ADMIN, self.change.namespace)

    def stand(self, record: Record, standing: Standing) -> None:
        if record.project != self.change.project:
            self.principal.check(WRITE, self.change.namespace, record.project)
        leaf = standing.leaf(record.node.address, record.project)
        self.writer.stand(record.entry, standing, leaf, self.seq)
        self.touch(record.node.address, leaf)

    def index(self, record_entry: int, content: str, standing: Standing, anchors: Sequence[Anchor]) -> None:
        names = [*standing.tags, *standing.aliases, *(anchor.target for anchor in anchors)]
        self.writer.index_words(record_entry, spaced_terms(content), spaced_terms(" ".join(names)) if names else "")
