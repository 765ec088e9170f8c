"""Events that are alike, as one group: how often, from when to when, and one of them as a sample.

However long the log is, only so many groups are kept: the rare and harmless ones go first, and are counted.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from .entry import WARNING, Entry
from .joining import raised
from .template import template_of

GROUPS_MAX = 5_000
SHAPES_MAX = 20_000
CELLS_MAX = 512
SAMPLE_LENGTH_MAX = 2_000
TRACE_LENGTH_MAX = 4_000
TRACE_IDS_MAX = 3
MINUTE = 60_000_000
# Whose it is, how grave, and what is alike in its message.
Shape = tuple[str, int, str]


@dataclass(slots=True)
class Histogram:
    """How often in each stretch of time. The stretches grow with the log, so that there are never many."""

    width: int = MINUTE
    cells: dict[int, int] = field(default_factory=dict)

    def add(self, at: int) -> None:
        cell = at // self.width
        self.cells[cell] = self.cells.get(cell, 0) + 1
        if len(self.cells) > CELLS_MAX:
            self.width *= 2
            wider: dict[int, int] = {}
            for one, count in self.cells.items():
                wider[one // 2] = wider.get(one // 2, 0) + count
            self.cells = wider

    def peak(self) -> tuple[int, int]:
        """When most happened, and how much then."""
        if not self.cells:
            return 0, 0
        cell = max(self.cells, key=lambda one: (self.cells[one], -one))
        return cell * self.width, self.cells[cell]


@dataclass(slots=True)
class Group:
    """Events of one service that say the same."""

    template: str
    service: str
    level: int
    sample: str
    first: int = 0
    last: int = 0
    count: int = 0
    trace: str = ""
    raised: str = ""
    trace_ids: list[str] = field(default_factory=list)
    times: Histogram = field(default_factory=Histogram)

    @property
    def key(self) -> str:
        told = f"{self.service}\n{self.level}\n{self.template}\n{self.raised}"
        return hashlib.sha256(told.encode()).hexdigest()[:12]

    def add(self, entry: Entry) -> None:
        self.count += 1
        if entry.at:
            self.first = min(self.first or entry.at, entry.at)
            self.last = max(self.last, entry.at)
            self.times.add(entry.at)
        if entry.trace and not self.trace:
            self.trace = _trace(entry.trace)
        if entry.trace_id and entry.trace_id not in self.trace_ids and len(self.trace_ids) < TRACE_IDS_MAX:
            self.trace_ids.append(entry.trace_id)


def _trace(lines: list[str]) -> str:
    """A stack, with its middle left out when it is long: its ends say where and what."""
    text = "\n".join(lines).strip("\n")
    if len(text) <= TRACE_LENGTH_MAX:
        return text
    half = TRACE_LENGTH_MAX // 2
    return f"{text[:half].rstrip()}\n…\n{text[-half:].lstrip()}"


@dataclass
class Groups:
    """The groups of a log, and what can be said of all of it."""

    service: str = ""
    groups: dict[tuple[str, int, str, str], Group] = field(default_factory=dict)
    entries: int = 0
    dropped: int = 0
    first: int = 0
    last: int = 0
    levels: dict[int, int] = field(default_factory=dict)
    services: dict[str, int] = field(default_factory=dict)
    trouble: Histogram = field(default_factory=Histogram)
    # What was met as it stands in the log, with the group that it is in. It is never written down.
    _shapes: dict[Shape, Group] = field(default_factory=dict)

    def shape_of(self, entry: Entry) -> Shape:
        return (self.service or entry.service, entry.gravity, template_of(entry.message))

    def is_known(self, entry: Entry) -> bool:
        """Whether an event without a stack is like one that was met, secrets and all; then it is counted."""
        shape = self.shape_of(entry)
        group = self._shapes.get(shape)
        if group is None:
            return False
        self._count(entry, shape[0])
        group.add(entry)
        return True

    def _count(self, entry: Entry, service: str) -> None:
        self.entries += 1
        self.levels[entry.gravity] = self.levels.get(entry.gravity, 0) + 1
        if service and (service in self.services or len(self.services) < GROUPS_MAX):
            self.services[service] = self.services.get(service, 0) + 1
        if entry.at:
            self.first = min(self.first or entry.at, entry.at)
            self.last = max(self.last, entry.at)
            if entry.gravity > WARNING:
                self.trouble.add(entry.at)

    def add(self, entry: Entry, shape: Shape | None = None) -> None:
        """`shape` is that of the event before its secrets were taken out."""
        service = self.service or entry.service
        self._count(entry, service)
        cause = template_of(raised(entry)) if entry.trace else ""
        template = template_of(entry.message)
        # Some ids happen to be all digits.
        key = (service, entry.gravity, template.replace("<id>", "<n>"), cause)
        group = self.groups.get(key)
        if group is None:
            if len(self.groups) >= GROUPS_MAX:
                self._make_room()
            sample = f"{entry.message} ({entry.beside})" if entry.beside else entry.message
            group = Group(template, service, entry.gravity, sample[:SAMPLE_LENGTH_MAX], raised=cause)
            self.groups[key] = group
        group.add(entry)
        if shape is not None and not entry.trace:
            if len(self._shapes) >= SHAPES_MAX:
                self._shapes.clear()
            self._shapes[shape] = group

    def _make_room(self) -> None:
        """Let go of the tenth that matters least."""
        order = sorted(self.groups, key=lambda key: (self.groups[key].level, self.groups[key].count))
        for key in order[: max(1, GROUPS_MAX // 10)]:
            self.dropped += self.groups.pop(key).count
        self._shapes.clear()
