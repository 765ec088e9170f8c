"""Export: what a memory knows, as one file: a bundle for another Marrow, JSON lines, or a document to read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from gzip import GzipFile
from pathlib import Path
from typing import IO, NamedTuple

from ..access.restricted import enforced
from ..model.address import shown
from ..model.change import Copy, NameProject
from ..model.errors import Invalid, NotFound
from ..model.event import Head
from ..model.link import Link
from ..model.moments import iso, moment
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.standing import OPEN_TO_SEND
from ..store.protocol import Projects, Reader
from .bundle import Header, copy_lines, end_line, event_lines, header_line, link_line, node_line, project_line
from .engine import Asker, Engine, sequence
from .files import new_file, refuse_store

Progress = Callable[[int, "int | None"], None]
FORMATS = ("bundle", "jsonl", "markdown")
BATCH = 500
_DIGITS = "0123456789abcdef"


class Exported(NamedTuple):
    """What was written where. `events` is 0 when only some projects were exported: the chain speaks of all of them."""

    path: str
    format: str
    bytes: int
    nodes: int
    records: int
    links: int
    events: int
    seq: int
    root: str


@dataclass
class _Counts:
    nodes: int = 0
    records: int = 0
    links: int = 0
    events: int = 0


@dataclass(frozen=True)
class _View:
    """What is exported: the projects, and the moment. `named` is the project at hand with all its names: one may be so
    new that the store has not been told."""

    reader: Reader
    namespace: str
    places: Projects
    seq: int
    head: Head
    now: int
    progress: Progress | None
    named: NameProject


def export(
    engine: Engine,
    asker: Asker,
    path: str,
    *,
    format: str = "bundle",  # noqa: A002
    project: str | None = None,
    as_of: object = None,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write every project that the caller may read, or one of them, as it is or as it was. The file is its owner's."""
    if format not in FORMATS:
        raise Invalid(f"{format!r} is no format.", hint=f"One of {', '.join(FORMATS)}.", field="format")
    write = {"bundle": _write_bundle, "jsonl": _write_jsonl, "markdown": _write_markdown}[format]
    now = engine.clock()
    refuse_store(engine.store.url, path)
    with engine.store.reading() as reader, new_file(path, overwrite=overwrite) as file:
        seq = sequence(reader, asker, as_of, now)
        places = _places(reader, asker, project)
        if places is None and enforced(engine.store):  # the chain speaks of everything, and does not come along
            places = tuple(one.name for one in reader.projects(asker.namespace))
        named = NameProject(asker.scope.project, asker.aliases)
        view = _View(reader, asker.namespace, places, seq, _head(reader, asker.namespace, seq), now, progress, named)
        counts = write(view, file)
    size = Path(path).expanduser().stat().st_size
    totals = (counts.nodes, counts.records, counts.links, counts.events)
    return Exported(path, format, size, *totals, view.head.seq, view.head.root)


def _places(reader: Reader, asker: Asker, project: str | None) -> Projects:
    if project is None:
        asker.principal.check(READ, asker.namespace, asker.scope.project)
        return asker.everywhere()
    named = reader.project_named(asker.namespace, project)
    if named is None or not asker.principal.may(READ, asker.namespace, named):
        raise NotFound(f"There is no project {project!r} here.", hint="`marrow projects` lists them.", field="project")
    return (named,)


def _head(reader: Reader, namespace: str, seq: int) -> Head:
    """Where the chain ended at `seq`."""
    if seq == CURRENT:
        return reader.head(namespace)
    for event in reader.events(namespace, after=seq - 1, until=seq):
        return Head(event.seq, event.at, event.hash, event.root)
    return Head()


def _pages(view: _View) -> Iterator[list[Record]]:
    """Every record in the order of the addresses, so that the same memory gives the same file."""
    prefixes = [a + b for a in _DIGITS for b in _DIGITS]
    for number, prefix in enumerate(prefixes, 1):
        addresses = view.reader.addresses(view.namespace, prefix, view.places, CURRENT)
        for at in range(0, len(addresses), BATCH):
            yield view.reader.records(view.namespace, addresses[at : at + BATCH], view.places, view.seq)
        if view.progress is not None:
            view.progress(number, len(prefixes))


def _write_bundle(view: _View, file: IO[bytes]) -> _Counts:
    counts = _Counts()
    number = 0
    # No name and no time in the gzip header: the same memory gives the same bytes.
    with GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:
        for line in _bundle_lines(view, counts):
            packed.write(line.encode() + b"\n")
            number += 1
        packed.write(end_line(number).encode() + b"\n")
    return counts


def _bundle_lines(view: _View, counts: _Counts) -> Iterator[str]:
    listed = None if view.places is None else tuple(sorted(view.places))
    yield header_line(Header(view.namespace, view.head, listed))
    for project in view.reader.projects(view.namespace):
        if view.places is None or project.name in view.places:
            also = {*view.named.aliases} - {project.name} if project.name == view.named.name else ()
            yield project_line(NameProject(project.name, tuple(sorted({*project.aliases, *also}))))
    exported: set[str] = set()
    for records in _pages(view):
        entries = [record.entry for record in records]
        said, pinned = view.reader.occurrences(entries, view.seq), view.reader.anchors(entries, view.seq)
        for record in records:
            if record.node.address not in exported:
                exported.add(record.node.address)
                yield node_line(record.node)
            occurrences, anchors = tuple(said[record.entry]), tuple(pinned.get(record.entry, ()))
            yield from copy_lines(Copy(record.project, record.node, record.standing, occurrences, anchors))
            counts.records += 1
    counts.nodes = len(exported)
    for link in _links(view, exported):
        counts.links += 1
        yield link_line(link)
    if view.places is None:
        until = None if view.seq == CURRENT else view.seq
        for line in event_lines(view.reader.events(view.namespace, until=until)):
            counts.events += 1
            yield line


def _links(view: _View, exported: set[str]) -> Iterator[Link]:
    """The links whose both ends are exported: now the closed ones too, so that closing one is not undone elsewhere."""
    if view.seq == CURRENT:
        found = view.reader.all_links(view.namespace, view.places)
    else:
        found = iter(view.reader.links(view.namespace, sorted(exported), view.places, view.seq))
    return (link for link in found if link.source in exported and link.target in exported)


def _active(view: _View) -> Iterator[list[Record]]:
    """What is active, the latest said first."""
    entries = view.reader.select(view.namespace, Filter(projects=view.places), view.seq, view.now)
    for at in range(0, len(entries), BATCH):
        yield view.reader.records_of(entries[at : at + BATCH], view.seq)
        if view.progress is not None:
            view.progress(min(at + BATCH, len(entries)), len(entries))


def _write_jsonl(view: _View, file: IO[bytes]) -> _Counts:
    counts = _Counts()
    nodes: set[str] = set()
    for records in _active(view):
        entries = [record.entry for record in records]
        addresses = [record.node.address for record in records]
        said, pinned = view.reader.occurrences(entries, view.seq), view.reader.anchors(entries, view.seq)
        links: dict[tuple[str, str], list[Link]] = defaultdict(list)
        for link in view.reader.links(view.namespace, addresses, view.places, view.seq):
            links[link.project, link.source].append(link)
        for record in records:
            mine = links[record.project, record.node.address]
            shape = _readable(record) | {
                "said": [_said(occurrence) for occurrence in said[record.entry]],
                "anchors": [{"type": a.type, "target": a.target, **a.fields} for a in pinned.get(record.entry, ())],
                "links": [{"rel": link.rel, "target": link.target} for link in mine],
            }
            told = {name: value for name, value in shape.items() if value not in ("", [])}
            file.write(json.dumps(told, ensure_ascii=False).encode() + b"\n")
            nodes.add(record.node.address)
            counts.records += 1
            counts.links += len(mine)
    counts.nodes = len(nodes)
    return counts


def _readable(record: Record) -> dict[str, object]:
    standing = record.standing
    return {
        "address": record.node.address,
        "project": record.project,
        "kind": record.node.kind,
        "domain": standing.domain,
        "content": record.node.content,
        "at": moment(record.first_at).isoformat(),
        "tags": list(standing.tags),
        "aliases": list(standing.aliases),
        "priority": standing.priority,
        "confidence": standing.confidence,
        "pinned": standing.pinned,
        "semantic": standing.semantic,
        "preliminary": standing.preliminary,
        "approved": "" if standing.approved is None else standing.approved,
        "expires": "" if standing.expires_at is None else moment(standing.expires_at).isoformat(),
        "classification": standing.classification,
        "drift": standing.drift,
        "inputs": list(record.node.inputs),
    }


def _said(said: Occurrence) -> dict[str, object]:
    texts = {name: getattr(said, name) for name in ("thread", "user", "service", "source", "chain")}
    shape = {"at": moment(said.at).isoformat(), **texts, "metadata": said.fields}
    return {name: value for name, value in shape.items() if value not in ("", {})}


def _write_markdown(view: _View, file: IO[bytes]) -> _Counts:
    counts = _Counts()
    domains: dict[str, list[Record]] = defaultdict(list)
    for records in _active(view):
        for record in records:
            domains[record.standing.domain].append(record)
    title = "everything" if view.places is None else ", ".join(name or "global" for name in view.places)
    file.write(f"# Memory: {title}\n\n<!-- Event {view.head.seq}, root {shown(view.head.root)}. -->\n".encode())
    nodes: set[str] = set()
    for domain in sorted(domains):
        file.write(f"\n## {domain}\n\n".encode())
        for record in domains[domain]:
            file.write(_item(record, view.places).encode())
            nodes.add(record.node.address)
            counts.records += 1
    counts.nodes = len(nodes)
    return counts


def _item(record: Record, places: Projects) -> str:
    """One item of a list. What follows its first line is set in: a heading in it is none of the document."""
    lines = record.node.content.split("\n")
    body = [f"- {lines[0].lstrip()}", *(f"  {line}" if line.strip() else "" for line in lines[1:])]
    return "\n".join(body) + f"\n  <!-- {', '.join(_notes(record, places))} -->\n"


def _notes(record: Record, places: Projects) -> Sequence[str]:
    standing = record.standing
    notes = [shown(record.node.address), record.node.kind, iso(record.last_at)[:10]]
    if places is None or len(places) > 1:
        notes.append(f"project {record.project or 'global'}")
    if standing.classification not in OPEN_TO_SEND:
        notes.append(standing.classification)
    if standing.pinned:
        notes.append("pinned")
    if standing.drift:
        notes.append(f"drifted: {standing.drift}")
    if standing.tags:
        notes.append("tags " + " ".join(tag.replace("--", "-") for tag in standing.tags))
    return notes
