"""Documents: one of them whole, by its path or its address; and a list of what was taken in, from where and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ...model.address import shown
from ...model.errors import Ambiguous, Invalid, NotFound
from ...model.nearest import nearest
from ...model.record import CURRENT, Filter, Record
from ...model.source import Source
from ...search.find import Hit
from ...store.protocol import Projects, Reader
from ..engine import Asker, Engine, resolve, sequence
from ..moment import moment
from .attributed import Attributed, attribute
from .held import Listed, held
from .services import check_service

CANDIDATES_SHOWN, CANDIDATES_LOOKED_AT = 10, 5_000
LIMIT_MAX, BATCH = 10_000, 500
_ADDRESS = re.compile(r"[0-9a-f]{6,64}\Z")


class _Place(NamedTuple):
    """A record at a path, and the service that has it there."""

    record: Record
    service: str
    path: str


def full_document(engine: Engine, asker: Asker, given: str, *, service: str = "", as_of: object = None) -> Attributed:
    """The document that a path or an address names, as it is now or was then."""
    name = given.strip().replace("\\", "/").removeprefix("./")
    if not name:
        raise Invalid("No document was named.", hint="Give its path, or its address.", field="path")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        places = asker.places()
        wanted = check_service(reader, asker, places, service, seq, now) if service else ""
        rows = _rows(reader, asker, places, wanted, name) if seq == CURRENT else []
        found = _of_rows(reader, asker, places, rows, now) or _said(reader, asker, places, wanted, name, seq, now)
        if len({place.record.node.address for place in found}) > 1:
            raise _several(name, found)
        if found:
            one = next((place for place in found if place.service == wanted), found[0])
            return attribute(reader, asker, [Hit(one.record, 0.0)], seq, service=wanted or one.service)[0]
        if not rows and _ADDRESS.match(name.lower()):
            record = resolve(reader, asker, name.lower(), seq=seq, argument="path")
            return attribute(reader, asker, [Hit(record, 0.0)], seq, service=wanted)[0]
        if seq != CURRENT and _rows(reader, asker, places, wanted, name):
            raise NotFound(
                f"The document {name[:120]!r} was not known at that time.",
                hint="Leave as_of out, or name a later time.",
                field="as_of",
            )
        raise _left(name, rows) if rows else _unknown(reader, asker, places, name)


def _rows(reader: Reader, asker: Asker, places: Projects, service: str, name: str) -> list[Source]:
    """What was read from this path, else from a path that ends so."""
    asked = service or None
    found = [s for s in reader.sources(asker.namespace, places, service=asked, path=name) if s.is_document]
    if found:
        return found
    every = reader.sources(asker.namespace, places, service=asked)
    return [s for s in every if s.is_document and s.path.endswith(f"/{name}")]


def _of_rows(reader: Reader, asker: Asker, places: Projects, rows: Sequence[Source], now: int) -> list[_Place]:
    """The version of each path that holds. Its row may name one that was retracted or replaced since."""
    addresses = sorted({row.address for row in rows})
    records = reader.records(asker.namespace, addresses, places, CURRENT)
    told = attribute(reader, asker, [Hit(record, 0.0) for record in records], CURRENT)
    known = {(one.record.project, one.record.node.address): one.record for one in told if one.holds(now)}
    found: list[_Place] = []
    for row in rows:
        record = known.get((row.project, row.address))
        if record is not None:
            found.append(_Place(record, row.service, row.path))
        else:
            found += _at(reader, asker, (row.project,), row.service, row.path, CURRENT, now)
    return found


def _said(reader: Reader, asker: Asker, places: Projects, service: str, name: str, seq: int, now: int) -> list[_Place]:
    """By what was noted when it was said: what was read from where is only known for now."""
    found = _at(reader, asker, places, service, name, seq, now)
    if found or seq == CURRENT or _ADDRESS.match(name.lower()):
        return found
    every = held(reader, asker, places, seq, now, service=service)
    ends = [one for one in every if one.path.endswith(f"/{name}")]
    records = reader.records(asker.namespace, sorted({one.address for one in ends}), places, seq)
    known = {(r.project, r.node.address): r for r in records}
    return [_Place(known[one.project, one.address], one.service, one.path) for one in ends]


def _at(reader: Reader, asker: Asker, places: Projects, service: str, path: str, seq: int, now: int) -> list[_Place]:
    """What holds at this very path, by what was noted when it was said."""
    wanted = Filter(projects=places, service=service, path=path, include_superseded=True)
    records = reader.records_of(reader.select(asker.namespace, wanted, seq, now), seq)
    told = attribute(reader, asker, [Hit(record, 0.0) for record in records], seq, service=service)
    return [
        _Place(one.record, one.origin.service, path)
        for one in told
        if one.origin.path == path and (not service or one.origin.service == service) and one.holds(now)
    ]


def _several(name: str, found: Sequence[_Place]) -> Ambiguous:
    named = {(place.service, place.path, shown(place.record.node.address)) for place in found}
    told = [f"{service or '(no service)'}: {path} [{address}]" for service, path, address in sorted(named)]
    more = f" and {len(told) - CANDIDATES_SHOWN} more" if len(told) > CANDIDATES_SHOWN else ""
    return Ambiguous(
        f"{name[:120]} names several documents: {', '.join(told[:CANDIDATES_SHOWN])}{more}.",
        hint="Give the service too, the whole path, or the address.",
        field="path",
    )


def _left(name: str, rows: Sequence[Source]) -> NotFound:
    last = ", ".join(dict.fromkeys(shown(row.address) for row in rows[:CANDIDATES_SHOWN]))
    return NotFound(
        f"What was read from {name[:120]} no longer holds.",
        hint=f"Its last version has the address {last}; with as_of it is told as it was.",
        field="path",
    )


def _unknown(reader: Reader, asker: Asker, places: Projects, name: str) -> NotFound:
    paths = [s.path for s in reader.sources(asker.namespace, places) if s.is_document]
    base = name.rpartition("/")[2].lower()
    same = [path for path in paths if path.rpartition("/")[2].lower() == base]
    near = same[0] if same else nearest(name, paths[:CANDIDATES_LOOKED_AT])
    hint = f"Did you mean {near}?" if near else "list_documents has the paths."
    return NotFound(f"There is no document {name[:120]!r} here.", hint=hint, field="path")


class Documents(NamedTuple):
    """A page of them, how many there are by kind, and how many of all. `every` counts what there is whatever was asked
    for; it is looked up where nothing was found."""

    items: tuple[Listed, ...]
    total: int
    kinds: tuple[tuple[str, int], ...]
    every: int = 0


def list_documents(
    engine: Engine, asker: Asker, wanted: Filter, *, limit: int = 50, offset: int = 0, as_of: object = None
) -> Documents:
    """What was taken in and holds, in order of service and path. Of a filter the projects, kinds, service, path and
    times count; the times are those of the taking in."""
    if not 1 <= limit <= LIMIT_MAX or offset < 0:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX:,}, offset one from 0.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        if seq != CURRENT and (wanted.since is not None or wanted.until is not None):
            raise Invalid(
                "When a document was taken in is only known for now.",
                hint="Leave since and until out, or as_of.",
                field="as_of",
            )
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service, seq, now) if wanted.service else ""
        found = held(reader, asker, projects, seq, now, service=service, wanted=wanted)
        every = len(found or held(reader, asker, projects, seq, now))
        shown_ones = _with_dates(reader, asker, found[offset : offset + limit], seq)
    counts: dict[str, int] = {}
    for one in found:
        counts[one.kind] = counts.get(one.kind, 0) + 1
    return Documents(tuple(shown_ones), len(found), tuple(sorted(counts.items())), every)


def _with_dates(reader: Reader, asker: Asker, listed: Sequence[Listed], seq: int) -> list[Listed]:
    """With the days that they are from, as far as these are known. Code is from whenever somebody changed it."""
    dates: dict[tuple[str, str], int] = {}
    asked = [one for one in listed if not one.at and one.kind != "code"]
    for at in range(0, len(asked), BATCH):
        some = asked[at : at + BATCH]
        places = tuple({one.project for one in some})
        records = reader.records(asker.namespace, sorted({one.address for one in some}), places, seq)
        told = attribute(reader, asker, [Hit(record, 0.0) for record in records], seq)
        dates |= {(one.record.project, one.record.node.address): one.at for one in told if one.is_dated}
    return [one if one.at else one._replace(at=dates.get((one.project, one.address), 0)) for one in listed]


__all__ = ["Documents", "Listed", "full_document", "list_documents"]
