"""A record: a node as it stands in one project at one moment, and the filter that chooses among records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .link import Anchor
from .node import Node, Occurrence
from .standing import Standing

# Sequence numbers stay below this; an interval that is still open ends here, and "now" is the number before it.
FOREVER = 2**62
CURRENT = FOREVER - 1


@dataclass(frozen=True, slots=True)
class Record:
    """`entry` is the store's own handle for this node in this project; it means nothing in another store."""

    entry: int
    project: str
    node: Node
    standing: Standing
    since_seq: int
    first_at: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A standing and the sequence numbers during which it held: from `start` up to but without `end`."""

    start: int
    end: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Project:
    """A project in a store: its name, the other names it is known by, and how many nodes are active in it."""

    name: str
    aliases: tuple[str, ...]
    active: int
    total: int
    last_at: int


@dataclass(frozen=True, slots=True)
class Filter:
    """Which records are wanted. An empty field asks nothing. `projects` None means every project of the namespace."""

    projects: tuple[str, ...] | None = None
    kinds: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tags_all: bool = False
    service: str = ""
    user: str = ""
    thread: str = ""
    metadata: tuple[tuple[str, str], ...] = ()
    path: str = ""
    since: int | None = None
    until: int | None = None
    min_confidence: float = 0.0
    classification: str = ""
    pinned: bool | None = None
    approved: bool | None = None  # True: those that were approved, False: those that were rejected
    include_superseded: bool = False

    def is_plain(self) -> bool:
        """Whether it asks for nothing but a place: then every active record of those projects is wanted."""
        return self == Filter(projects=self.projects)


def matches(
    wanted: Filter, record: Record, occurrences: Sequence[Occurrence], anchors: Sequence[Anchor], now: int
) -> bool:
    """What a filter means. The stores' SQL must agree with this; the tests compare them."""
    standing = record.standing
    if wanted.projects is not None and record.project not in wanted.projects:
        return False
    if not wanted.include_superseded and not standing.is_active(now):
        return False
    if wanted.kinds and record.node.kind not in wanted.kinds:
        return False
    if wanted.domains and standing.domain not in wanted.domains:
        return False
    if wanted.tags:
        found = {tag.lower() for tag in standing.tags}.intersection(tag.lower() for tag in wanted.tags)
        if not found or (wanted.tags_all and len(found) < len({tag.lower() for tag in wanted.tags})):
            return False
    if standing.confidence < wanted.min_confidence:
        return False
    if wanted.classification and standing.classification != wanted.classification:
        return False
    if wanted.pinned is not None and standing.pinned != wanted.pinned:
        return False
    if wanted.approved is not None and standing.approved is not wanted.approved:
        return False
    if wanted.path and not on_path(wanted.path, occurrences, anchors):
        return False
    asked = wanted.service or wanted.user or wanted.thread or wanted.metadata
    if not asked and wanted.since is None and wanted.until is None:
        return True
    return any(said_so(wanted, occurrence) for occurrence in occurrences)


def said_so(wanted: Filter, said: Occurrence) -> bool:
    """One and the same occurrence must meet all that is asked of occurrences."""
    for asked, has in ((wanted.service, said.service), (wanted.user, said.user), (wanted.thread, said.thread)):
        if asked and asked != has:
            return False
    if wanted.since is not None and said.at < wanted.since:
        return False
    if wanted.until is not None and said.at > wanted.until:
        return False
    return not wanted.metadata or has_fields(said.fields, wanted.metadata)


def has_fields(fields: Mapping[str, object], asked: Iterable[Sequence[str]]) -> bool:
    """Whether metadata has each of these (key, value) pairs."""
    return all(key in fields and as_text(fields[key]) == value for key, value in asked)


def has_fields_in_text(metadata: str, asked: str) -> bool:
    """The same, of both as JSON."""
    return has_fields(json.loads(metadata), json.loads(asked))


def on_path(path: str, occurrences: Sequence[Occurrence], anchors: Sequence[Anchor]) -> bool:
    """Whether it is anchored to this file or folder, or was said there."""
    places = [a.target for a in anchors if a.type in ("file", "lines")]
    places += [p for o in occurrences if isinstance(p := o.fields.get("path"), str)]
    return any(place == path or place.startswith(path.rstrip("/") + "/") for place in places)


def as_text(value: object) -> str:
    """A metadata value as it is compared: a text as it is, everything else as JSON prints it."""
    if isinstance(value, str):
        return value
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
