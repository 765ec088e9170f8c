"""Overview: what is known of a service at a glance, and of the whole memory in numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import NamedTuple

from ...codemap.languages.table import language_of
from ...model.record import CURRENT, Filter
from ...model.scope import READ
from ...model.source import SKIPPED, Source
from ...search.find import Hit
from ...store.protocol import Projects, Reader
from ..attribution import TAKEN_IN
from ..engine import Asker, Engine
from .attributed import Attributed, attribute
from .decisions import Decisions, decisions
from .incidents import Incidents, incidents
from .services import check_service, services

KINDS = tuple(sorted(TAKEN_IN))
RECENT, LATEST, LANGUAGES, OWNERS = 3, 5, 6, 20
_OWNERS_FILE = "codeowners"


class Overview(NamedTuple):
    """`counts` by kind; `languages` by files; `owners` where a CODEOWNERS file or the documents name them; `documents`
    are the latest that are no code; `last_read` is when something was last taken in."""

    service: str
    counts: tuple[tuple[str, int], ...]
    decisions: Decisions
    incidents: Incidents
    documents: tuple[Attributed, ...]
    languages: tuple[tuple[str, int], ...]
    owners: tuple[str, ...]
    last_read: int
    now: int


def overview(engine: Engine, asker: Asker, wanted: Filter) -> Overview:
    """What is known of the service that the filter names."""
    now = engine.clock()
    with engine.store.reading() as reader:
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service)
        chosen = Filter(projects=projects, service=service)
        counts = _counts(reader, asker, chosen, now)
        sources = [s for s in reader.sources(asker.namespace, projects, service=service) if s.is_document]
        latest = replace(chosen, kinds=("document", "design", "meeting"))
        entries = reader.select(asker.namespace, latest, CURRENT, now, LATEST)
        hits = [Hit(record, 0.0) for record in reader.records_of(entries, CURRENT)]
        documents = attribute(reader, asker, hits, CURRENT)
        owners = _owners(reader, asker, projects, sources)
    spoken = Counter(language for s in sources if s.kind == "code" and (language := language_of(s.path)))
    return Overview(
        service,
        counts,
        decisions(engine, asker, chosen, status="all", limit=LATEST),
        incidents(engine, asker, chosen, limit=RECENT),
        tuple(documents),
        tuple(spoken.most_common(LANGUAGES)),
        owners,
        max((s.at for s in sources), default=0),
        now,
    )


class Statistics(NamedTuple):
    """`kinds` counts the active nodes of what readers take in; `not_read` files were looked at and passed over."""

    total: int
    kinds: tuple[tuple[str, int], ...]
    services: tuple[tuple[str, int], ...]
    documents: int
    not_read: int
    last_read: int


def statistics(engine: Engine, asker: Asker, projects: Projects) -> Statistics:
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    now = engine.clock()
    with engine.store.reading() as reader:
        readable = asker.principal.readable(projects)
        every = reader.sources(asker.namespace, readable)
        kinds = _counts(reader, asker, Filter(projects=readable), now)
    read = [source for source in every if source.is_document]
    return Statistics(
        sum(count for _, count in kinds),
        kinds,
        tuple(services(engine, asker, projects)),
        len(read),
        sum(source.kind == SKIPPED for source in every),
        max((source.at for source in read), default=0),
    )


def _counts(reader: Reader, asker: Asker, wanted: Filter, now: int) -> tuple[tuple[str, int], ...]:
    counts = (
        (kind, len(reader.select(asker.namespace, replace(wanted, kinds=(kind,)), CURRENT, now))) for kind in KINDS
    )
    return tuple((kind, count) for kind, count in counts if count)


def _owners(reader: Reader, asker: Asker, projects: Projects, sources: list[Source]) -> tuple[str, ...]:
    """Those that a CODEOWNERS file names, in the order of how much they have."""
    files = [s for s in sources if s.path.rpartition("/")[2].lower() == _OWNERS_FILE]
    found: Counter[str] = Counter()
    for record in reader.records(asker.namespace, [s.address for s in files], projects, CURRENT):
        for line in record.node.content.split("\n"):
            rule = line.partition("#")[0].split()
            found.update(name for name in rule[1:] if "@" in name)
    return tuple(name for name, _ in found.most_common(OWNERS))
