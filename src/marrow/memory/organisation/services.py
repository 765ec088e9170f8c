"""Services: which there are, and an error for one that is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ...model.errors import NotFound
from ...model.nearest import nearest
from ...model.record import CURRENT, Filter
from ...model.scope import READ
from ...store.protocol import Projects, Reader
from ..engine import Asker, Engine, sequence
from ..moment import moment

NAMED_MAX = 10


def services(engine: Engine, asker: Asker, projects: Projects, *, as_of: object = None) -> list[tuple[str, int]]:
    """(service, how many active nodes it has), in order of name. What belongs to none is left out."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        return _known(reader, asker, projects, seq, moment(reader, asker, seq, now, as_of))


def check_service(
    reader: Reader, asker: Asker, projects: Projects, service: str, seq: int = CURRENT, now: int = 0
) -> str:
    """The service as it is written; an error that names those near it where there is none. Capitals do not count."""
    known = [name for name, _ in _known(reader, asker, projects, seq, now)]
    if service in known:
        return service
    alike = [name for name in known if name.lower() == service.lower().strip()]
    if len(alike) == 1:
        return alike[0]
    if seq != CURRENT and any(
        name.lower() == service.lower().strip() for name, _ in _known(reader, asker, projects, CURRENT, now)
    ):
        hint = "Leave as_of out, or name a later time."
        raise NotFound(f"The service {service[:80]!r} was not known at that time.", hint=hint, field="as_of")
    near = nearest(service, known)
    part = [name for name in known if service.lower() in name.lower() or name.lower() in service.lower()]
    few = list(dict.fromkeys([*([near] if near else []), *part]))[:NAMED_MAX]
    listed = f"There are {', '.join(known[:NAMED_MAX])}{' and more' if len(known) > NAMED_MAX else ''}."
    hint = f"Did you mean {' or '.join(few)}?" if few else listed if known else "`ingest_codebase` takes one in."
    raise NotFound(f"There is no service {service[:80]!r}.", hint=hint, field="service")


def with_service(engine: Engine, asker: Asker, wanted: Filter, *, as_of: object = None) -> Filter:
    """The filter with its service as it is written. One that nothing belongs to is an error: nothing found under it
    would look as if there were nothing to find. What only superseded nodes belong to is one for who asks for those."""
    if not wanted.service:
        return wanted
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        then = moment(reader, asker, seq, now, as_of)
        projects = asker.principal.readable(wanted.projects)
        anything = Filter(projects=projects, service=wanted.service, include_superseded=wanted.include_superseded)
        if reader.select(asker.namespace, anything, seq, then, 1):
            return wanted
        return replace(wanted, service=check_service(reader, asker, projects, wanted.service, seq, then))


def _known(reader: Reader, asker: Asker, projects: Projects, seq: int, now: int) -> list[tuple[str, int]]:
    readable = asker.principal.readable(projects)
    if seq == CURRENT:
        return sorted((name, count) for name, count in reader.services(asker.namespace, readable).items() if name)
    entries = reader.select(asker.namespace, Filter(projects=readable), seq, now)
    said = reader.occurrences(entries, seq)
    counts = Counter(name for some in said.values() for name in {one.service for one in some} if name)
    return sorted(counts.items())
