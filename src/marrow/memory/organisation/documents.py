"""Documents: one of them whole, by its path or its address; and a list of what was taken in, from where and when."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...model.address import shown
from ...model.errors import Ambiguous, Invalid, NotFound
from ...model.nearest import nearest
from ...model.record import CURRENT, Filter, Record
from ...model.source import Source
from ...search.find import Hit
from ...store.protocol import Projects, Reader
from ..attribution import TAKEN_IN, origins_of
from ..engine import Asker, Engine, resolve, sequence
from ..moment import moment
from .attributed import Attributed, attribute
from .services import check_service

CANDIDATES_SHOWN, CANDIDATES_LOOKED_AT = 10, 5_000
LIMIT_MAX = 10_000
# Without a path of their own some come too: a form, a transcript that was given as text. Commits are many.
PATHLESS = tuple(sorted(TAKEN_IN - {"code", "commit"}))
PATHLESS_MAX = 2_000
_ADDRESS = re.compile(r"[0-9a-f]{6,64}\Z")


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
        wanted = check_service(reader, asker, places, service) if service else ""
        if seq == CURRENT:
            record = _current(reader, asker, places, wanted, name, now)
        else:
            record = _then(reader, asker, places, wanted, name, seq, now)
        if record is None and _ADDRESS.match(name.lower()):
            record = resolve(reader, asker, name.lower(), seq=seq, argument="path")
        if record is None:
            raise _unknown(reader, asker, places, name)
        return attribute(reader, asker, [Hit(record, 0.0)], seq)[0]


def _current(reader: Reader, asker: Asker, places: Projects, service: str, name: str, now: int) -> Record | None:
    asked = service or None
    found = [s for s in reader.sources(asker.namespace, places, service=asked, path=name) if s.is_document]
    if not found:  # by the end of its path
        every = reader.sources(asker.namespace, places, service=asked)
        found = [s for s in every if s.is_document and s.path.endswith(f"/{name}")]
    chosen = {source.address: source for source in found}
    if len(chosen) > 1:
        raise _several(name, [(s.service, s.path, s.address) for s in chosen.values()])
    if not chosen:
        return _then(reader, asker, places, service, name, CURRENT, now)
    records = reader.records(asker.namespace, list(chosen), places, CURRENT)
    return next((r for r in records if r.project == found[0].project), records[0] if records else None)


def _then(reader: Reader, asker: Asker, places: Projects, service: str, name: str, seq: int, now: int) -> Record | None:
    """By what was noted when it was said: what was read from where is only known for now."""
    wanted = Filter(projects=places, service=service, path=name)
    records = reader.records_of(reader.select(asker.namespace, wanted, seq, now), seq)
    origins = origins_of(reader, asker, records, seq)
    found = [
        r for r in records if origins[r.entry].path == name and (not service or origins[r.entry].service == service)
    ]
    if len(found) > 1:
        raise _several(name, [(origins[r.entry].service, name, r.node.address) for r in found])
    return found[0] if found else None


def _several(name: str, found: Sequence[tuple[str, str, str]]) -> Ambiguous:
    told = [f"{service or '(no service)'}: {path} [{shown(address)}]" for service, path, address in sorted(found)]
    more = f" and {len(told) - CANDIDATES_SHOWN} more" if len(told) > CANDIDATES_SHOWN else ""
    return Ambiguous(
        f"{name[:120]} names several documents: {', '.join(told[:CANDIDATES_SHOWN])}{more}.",
        hint="Give the service too, the whole path, or the address.",
        field="path",
    )


def _unknown(reader: Reader, asker: Asker, places: Projects, name: str) -> NotFound:
    paths = [s.path for s in reader.sources(asker.namespace, places) if s.is_document]
    base = name.rpartition("/")[2].lower()
    same = [path for path in paths if path.rpartition("/")[2].lower() == base]
    near = same[0] if same else nearest(name, paths[:CANDIDATES_LOOKED_AT])
    hint = f"Did you mean {near}?" if near else "list_documents has the paths."
    return NotFound(f"There is no document {name[:120]!r} here.", hint=hint, field="path")


class Listed(NamedTuple):
    """A document in a list. `read_at` is when it was taken in, `at` when it is from; 0 where that is not known."""

    address: str
    kind: str
    title: str
    path: str
    service: str
    project: str
    read_at: int
    at: int = 0
    size: int = 0


class Documents(NamedTuple):
    """A page of them, how many there are by kind, and how many of all."""

    items: tuple[Listed, ...]
    total: int
    kinds: tuple[tuple[str, int], ...]


def list_documents(engine: Engine, asker: Asker, wanted: Filter, *, limit: int = 50, offset: int = 0) -> Documents:
    """What was taken in, in order of service and path. Of a filter the projects, kinds, service, path and times hold;
    the times are those of the taking in."""
    if not 1 <= limit <= LIMIT_MAX or offset < 0:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX:,}, offset one from 0.", field="limit")
    with engine.store.reading() as reader:
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service) if wanted.service else ""
        chosen = replace(wanted, projects=projects, service=service)
        every = [s for s in reader.sources(asker.namespace, projects, service=service or None) if _is_wanted(s, chosen)]
        found = [Listed(s.address, s.kind, s.title, s.path, s.service, s.project, s.at, 0, s.size) for s in every]
        if not chosen.path:
            found += _pathless(reader, asker, chosen, engine.clock(), {s.address for s in every})
    counts: dict[str, int] = {}
    for one in found:
        counts[one.kind] = counts.get(one.kind, 0) + 1
    return Documents(tuple(found[offset : offset + limit]), len(found), tuple(sorted(counts.items())))


def _is_wanted(source: Source, wanted: Filter) -> bool:
    if not source.is_document or (wanted.kinds and source.kind not in wanted.kinds):
        return False
    folder = wanted.path.strip("/")
    if folder and source.path != folder and not source.path.startswith(f"{folder}/"):
        return False
    is_late = wanted.until is not None and source.at > wanted.until
    return not is_late and (wanted.since is None or source.at >= wanted.since)


def _pathless(reader: Reader, asker: Asker, wanted: Filter, now: int, known: set[str]) -> list[Listed]:
    """What was given as text, or by a form."""
    kinds = tuple(kind for kind in PATHLESS if not wanted.kinds or kind in wanted.kinds)
    if not kinds:
        return []
    asked = Filter(
        projects=wanted.projects, kinds=kinds, service=wanted.service, since=wanted.since, until=wanted.until
    )
    entries = reader.select(asker.namespace, asked, CURRENT, now, PATHLESS_MAX + len(known))
    rest = [r for r in reader.records_of(entries, CURRENT) if r.node.address not in known][:PATHLESS_MAX]
    told = attribute(reader, asker, [Hit(record, 0.0) for record in rest], CURRENT)
    return [
        Listed(
            one.record.node.address,
            one.record.node.kind,
            one.title,
            "",
            one.origin.service,
            one.record.project,
            0,
            one.at,
        )
        for one in told
        if one.origin.fields or one.origin.service
    ]
