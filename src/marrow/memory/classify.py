"""What is classified is so with its earlier versions: they say nearly the same, and stay readable."""

from __future__ import annotations

from ..access.reading import RestrictedReader
from ..model.change import Restate
from ..model.record import CURRENT, Record
from ..model.standing import CLASSIFICATIONS
from ..store.protocol import Reader
from .engine import Asker


def closing_steps(reader: Reader, asker: Asker, record: Record, chosen: object, *, itself: bool) -> list[Restate]:
    """What closes those that a node took the place of, and with `itself` the node too, where they are more open than
    what was chosen. Nothing is opened: whoever lowers a classification has read that one text."""
    if chosen not in CLASSIFICATIONS:
        return []
    level = CLASSIFICATIONS.index(str(chosen))
    earlier = [*([record] if itself else []), *_earlier(reader, asker, record)]
    return [
        Restate(one.node.address, (("classification", chosen),), "as what took its place")
        for one in earlier
        if CLASSIFICATIONS.index(one.standing.classification) < level
    ]


def _earlier(reader: Reader, asker: Asker, record: Record) -> list[Record]:
    """The earlier versions of a node, nearest first, that the asker sees. A decision that replaces one of another file
    is no version of it."""
    everything = reader.unrestricted() if isinstance(reader, RestrictedReader) else reader
    found = _versions(everything, asker, record)
    seen = {one.entry for one in reader.records_of([one.entry for one in found], CURRENT)}
    return [one for one in found if one.entry in seen]


def _versions(reader: Reader, asker: Asker, record: Record) -> list[Record]:
    """Found where everything is seen: behind a version that is hidden there may be one that is not."""
    places = (record.project,)
    found: dict[str, Record] = {record.node.address: record}
    edge = [record]
    while edge:
        addresses = [one.node.address for one in edge]
        links = reader.links(asker.namespace, addresses, places, CURRENT)
        replaced = {link.target for link in links if link.rel == "supersedes" and link.source in addresses}
        before = reader.records(asker.namespace, sorted(replaced - found.keys()), places, CURRENT)
        paths = _paths(reader, [*edge, *before])
        ours = set().union(*(paths[one.entry] for one in edge))
        edge = [one for one in before if not ours or not paths[one.entry] or ours & paths[one.entry]]
        found |= {one.node.address: one for one in edge}
    return list(found.values())[1:]


def _paths(reader: Reader, records: list[Record]) -> dict[int, set[tuple[str, str]]]:
    """The files that each was read from, with their services."""
    said = reader.occurrences([one.entry for one in records], CURRENT)
    return {
        one.entry: {(each.service, str(path)) for each in said.get(one.entry, ()) if (path := each.fields.get("path"))}
        for one in records
    }
