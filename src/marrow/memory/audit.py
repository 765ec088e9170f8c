"""Audit: the log of changes, latest first. Who did what, when, and to which nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.event import Event
from ..model.record import CURRENT, Filter
from ..store.protocol import Projects, Reader
from .differences import names
from .engine import Asker, Engine, resolve, sequence
from .organisation.services import check_service

LIMIT_MAX = 1000


class Audited(NamedTuple):
    """One event. `erased` counts the nodes of it that are gone for good; their addresses are not known any more."""

    seq: int
    at: int
    actor: str
    operation: str
    layer: str
    summary: str
    project: str
    domain: str
    addresses: tuple[str, ...]
    erased: int
    root: str
    hash: str


class Audit(NamedTuple):
    """Events, latest first. `more` says that older ones match too: ask again with `until` one below the last number."""

    items: tuple[Audited, ...]
    more: bool


def audit(
    engine: Engine,
    asker: Asker,
    *,
    since: object = None,
    until: object = None,
    actor: str = "",
    operation: str = "",
    address: object = None,
    service: str = "",
    limit: int = 50,
) -> Audit:
    """The events that match everything asked, from `since`, or after it where it is a snapshot or a sequence number and
    no time, up to `until`.
    `service`: those that touched what was said for it; one that never was is not found."""
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a whole number from 1 to {LIMIT_MAX:,}.", field="limit")
    now = engine.clock()
    places = asker.everywhere()
    with engine.store.reading() as reader:
        last = sequence(reader, asker, until, now)
        first = 0 if since is None or since == "" else sequence(reader, asker, since, now, before=True)
        wanted = None if address is None else resolve(reader, asker, address, everywhere=True).node.address
        said = _said_for(reader, asker, service) if service else None
        if said is not None and not said:  # what was removed is still told of; a service that never was is an error
            said = _said_for(reader, asker, check_service(reader, asker, places, service))
        found: list[Audited] = []
        for event in reader.events(asker.namespace, after=first, until=last, latest=True):
            if not _is_wanted(event, places, actor, operation, wanted):
                continue
            if said is not None and not _touches(reader, asker.namespace, event, said):
                continue
            if len(found) == limit:
                return Audit(tuple(found), more=True)
            found.append(_audited(reader, asker.namespace, places, event))
    return Audit(tuple(found), more=False)


def _said_for(reader: Reader, asker: Asker, service: str) -> frozenset[int]:
    """The entries that were ever said for a service."""
    wanted = Filter(projects=asker.everywhere(), service=service, include_superseded=True)
    return frozenset(reader.select(asker.namespace, wanted, CURRENT, 0))


def _touches(reader: Reader, namespace: str, event: Event, entries: frozenset[int]) -> bool:
    return any(not entries.isdisjoint(some) for some in reader.placed(namespace, list(names(event))).values())


def _is_wanted(event: Event, places: Projects, actor: str, operation: str, address: str | None) -> bool:
    if not event.operation or (places is not None and event.project not in places):
        return False  # what is not to be seen has no operation
    if (actor and event.actor != actor) or (operation and event.operation != operation):
        return False
    return address is None or address in names(event)


def _audited(reader: Reader, namespace: str, places: Projects, event: Event) -> Audited:
    return Audited(
        event.seq,
        event.at,
        event.actor,
        event.operation,
        event.layer,
        event.summary,
        event.project,
        event.domain,
        tuple(_readable(reader, namespace, places, names(event))),
        sum(touched.address is None for touched in event.touched),
        event.root,
        event.hash,
    )


def _readable(reader: Reader, namespace: str, places: Projects, addresses: Iterable[str]) -> Iterable[str]:
    """An event of one project can touch nodes of another (an import does): only what the caller may read is named."""
    if places is None:
        return addresses
    return [address for address in addresses if reader.addresses(namespace, address, places, 1)]
