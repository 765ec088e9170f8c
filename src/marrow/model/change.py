"""Changes: what a verb asks the write door to do, as values. The door alone turns them into rows and one event."""

from __future__ import annotations

from dataclasses import dataclass, field

from .event import CONSCIOUS, Event
from .link import Anchor, Link
from .node import Node, Occurrence
from .record import Record
from .standing import Standing


@dataclass(frozen=True, slots=True)
class Say:
    """Remember this text. Said again, the node is reinforced; said after it had gone, it opens a new interval.

    `given` names the fields of `standing` that the caller chose; only these touch a node that is already known.
    """

    kind: str
    content: str
    occurrence: Occurrence
    standing: Standing = field(default_factory=Standing)
    given: frozenset[str] = frozenset()
    inputs: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True)
class Supersede:
    """Put a new node in the place of `old`: it inherits standing, links and anchors; `old` leaves the active set."""

    old: str
    content: str
    occurrence: Occurrence
    reason: str = ""
    changes: tuple[tuple[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class Restate:
    """Change the standing of a node: (field, value) pairs of `Standing`. `expects` is the state that it must be in."""

    address: str
    changes: tuple[tuple[str, object], ...]
    reason: str = ""
    expects: str = ""


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Say that a node proved itself."""

    address: str


@dataclass(frozen=True, slots=True)
class Relate:
    """Link two nodes; `closed` ends a link that was there."""

    source: str
    target: str
    rel: str
    closed: bool = False


@dataclass(frozen=True, slots=True)
class Pin:
    """Change where a node is anchored: end the anchors in `closed`, make those in `opened`."""

    address: str
    opened: tuple[Anchor, ...] = ()
    closed: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True)
class TakeSnapshot:
    name: str
    tags: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class RestoreTo:
    """Make everything in these projects stand as it did at `seq`, without lowering a classification or changing a view;
    None means every project."""

    seq: int
    projects: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class NameProject:
    """Make a project known, with the other names it goes by."""

    name: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Copy:
    """One node as another memory has it: everything that a bundle says about it in one project."""

    project: str
    node: Node
    standing: Standing
    occurrences: tuple[Occurrence, ...]
    anchors: tuple[Anchor, ...] = ()


@dataclass(frozen=True, slots=True)
class Merge:
    """Take in what another memory knows."""

    copies: tuple[Copy, ...]
    links: tuple[Link, ...] = ()
    projects: tuple[NameProject, ...] = ()
    chain: tuple[Event, ...] = ()


Step = Say | Supersede | Restate | Reinforce | Relate | Pin | TakeSnapshot | RestoreTo | NameProject | Merge


@dataclass(frozen=True, slots=True)
class Change:
    """Steps that happen together or not at all, as one event. `aliases` are the other names of the project, which are
    noted with the first thing that is written in it."""

    operation: str
    actor: str
    namespace: str
    project: str
    steps: tuple[Step, ...]
    summary: str = ""
    layer: str = CONSCIOUS
    aliases: tuple[str, ...] = ()


NEW, KNOWN, SAME, AGAIN, CHANGED = "new", "reinforced", "unchanged", "again", "changed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one step. `what` is one of new, reinforced, unchanged, again, changed; `record` is how a node that
    was said stands now."""

    what: str
    address: str = ""
    project: str = ""
    entry: int = 0
    redacted: tuple[tuple[str, int], ...] = ()
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What the door did. `seq` is that of the event, or of the last one when nothing had to change."""

    seq: int
    at: int
    root: str
    outcomes: tuple[Outcome, ...]
    has_changed: bool = True
