"""Overview: what is known of a service at a glance, and of the whole memory in numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...codemap.languages.table import language_of
from ...model.record import CURRENT, Filter
from ...model.scope import READ
from ...model.source import SKIPPED, Source
from ...model.standing import SUPERSEDED
from ...search.find import Hit
from ...store.protocol import Projects, Reader
from ..attribution import TAKEN_IN
from ..engine import Asker, Engine, sequence
from ..moment import moment
from .attributed import Attributed, attribute, attributed_here
from .decisions import KIND as DECISION
from .decisions import Decisions, decisions
from .held import Listed, held
from .incidents import Incidents, incidents
from .services import check_service, services

# The row of a codebase says how many files were passed over by their names.
CODEBASE = "#codebase"
# Stands in its title between a repository and the folder of a service that is a part of it.
PART = " // "
KINDS = tuple(sorted(TAKEN_IN))
RECENT, LATEST, LANGUAGES, OWNERS = 3, 5, 6, 20
DOCUMENTS_LOOKED_AT = 200
# Where code hosts look for it; the first that is there counts.
OWNERS_FILES = (".github/codeowners", "codeowners", "docs/codeowners", ".gitlab/codeowners")
# The rules of such a file that are about everything.
WHOLE = frozenset(("*", "/", "/*", "**", "/**", "**/*", "/**/*"))
# What was copied from others, and the terms on which it may be used, says nothing of the service.
FOREIGN = re.compile(
    r"(?:^|/)(?:vendor|vendored|third[_-]?party|3rd[_-]?party|external|node_modules|licen[sc]es?)/"
    r"|(?:^|[/_.-])(?:licen[sc]es?|copying|notice|third[_-]?party[^/]*)(?:[._-][^/]*)?\Z",
    re.I,
)
# Titles of lists of such terms, whatever their files are called.
TERMS = re.compile(
    r"(?:open[- ]source |software )?licen[sc](?:es?|ing)(?: (?:notices?|terms|information|text))?"
    r"(?: (?:for|of) (?:the |our |all )?(?:third|3rd|dependenc|bundled|open|included|libraries|packages).*)?\Z"
    r"|(?:third|3rd)[- ]party (?:licen[sc]es?|notices?|software|attributions?)\b",
    re.I,
)


class Overview(NamedTuple):
    """`counts` by kind; `languages` by files; `owners` where a CODEOWNERS file names some for everything; `documents`
    are the latest that are no code; `last_read` is when something was last taken in, 0 as of an earlier moment."""

    service: str
    counts: tuple[tuple[str, int], ...]
    decisions: Decisions
    incidents: Incidents
    documents: tuple[Attributed, ...]
    languages: tuple[tuple[str, int], ...]
    owners: tuple[str, ...]
    last_read: int
    now: int


def overview(engine: Engine, asker: Asker, wanted: Filter, *, as_of: object = None) -> Overview:
    """What is known of the service that the filter names, or was."""
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service, seq, now)
        chosen = Filter(projects=projects, service=service)
        counts = _counts(reader, asker, chosen, seq, now)
        files = held(reader, asker, projects, seq, now, service=service)
        latest = replace(chosen, kinds=("document", "design", "meeting"))
        documents = attributed_here(engine, asker, _latest(reader, asker, latest, seq, now), seq)
        owners = _owners(reader, asker, projects, files, seq)
    spoken = Counter(language for one in files if one.kind == "code" and (language := language_of(one.path)))
    return Overview(
        service,
        counts,
        decisions(engine, asker, chosen, status="all", limit=LATEST, as_of=as_of),
        incidents(engine, asker, chosen, limit=RECENT, as_of=as_of),
        tuple(documents),
        tuple(spoken.most_common(LANGUAGES)),
        owners,
        max((one.read_at for one in files), default=0),
        now,
    )


def _latest(reader: Reader, asker: Asker, wanted: Filter, seq: int, now: int) -> tuple[Attributed, ...]:
    """The latest that the service's own people wrote."""
    entries = reader.select(asker.namespace, wanted, seq, now, DOCUMENTS_LOOKED_AT)
    said = reader.occurrences(entries, seq)
    own = [entry for entry in entries if not any(_is_foreign(one.fields) for one in said.get(entry, ()))]
    hits = [Hit(record, 0.0) for record in reader.records_of(own[:LATEST], seq)]
    return tuple(attribute(reader, asker, hits, seq, service=wanted.service))


def _is_foreign(fields: Mapping[str, Any]) -> bool:
    return bool(FOREIGN.search(str(fields.get("path") or "")) or TERMS.match(str(fields.get("title") or "")))


class Statistics(NamedTuple):
    """`kinds` counts what readers took in and holds; `not_read` files were looked at and passed over."""

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
        kinds = _counts(reader, asker, Filter(projects=readable), CURRENT, now)
        read = [one for one in held(reader, asker, readable, CURRENT, now) if one.path]
    return Statistics(
        sum(count for _, count in kinds),
        kinds,
        tuple(services(engine, asker, projects)),
        len(read),
        _not_read(every),
        max((one.read_at for one in read), default=0),
    )


def _not_read(every: Sequence[Source]) -> int:
    """Files that were looked at or passed over. What lies in a service that is a part of a repository is counted with
    the whole, where that was read too."""
    origins = {(one.project, one.service): one for one in every if one.path == CODEBASE}
    whole = {(one.project, one.title) for one in origins.values() if one.size and PART not in one.title}
    skipped = set()
    for one in every:
        if one.kind == SKIPPED:
            origin = origins.get((one.project, one.service))
            skipped.add((one.project, origin.title.partition(PART)[0] if origin else one.service, one.path))
    passed = (
        one
        for one in origins.values()
        if PART not in one.title or (one.project, one.title.partition(PART)[0]) not in whole
    )
    return len(skipped) + sum(one.size for one in passed)


def _counts(reader: Reader, asker: Asker, wanted: Filter, seq: int, now: int) -> tuple[tuple[str, int], ...]:
    """By kind. A decision that another took the place of counts, as it is listed with the others; what stood in a file
    before that changed does not."""
    counts = {kind: len(reader.select(asker.namespace, replace(wanted, kinds=(kind,)), seq, now)) for kind in KINDS}
    every = replace(wanted, kinds=(DECISION,), include_superseded=True)
    records = reader.records_of(reader.select(asker.namespace, every, seq, now), seq)
    replaced = [Hit(record, 0.0) for record in records if record.standing.state == SUPERSEDED]
    told = attribute(reader, asker, replaced, seq, service=wanted.service)
    counts[DECISION] += sum(one.holds(now) for one in told)
    return tuple((kind, count) for kind, count in counts.items() if count)


def _owners(reader: Reader, asker: Asker, projects: Projects, files: Sequence[Listed], seq: int) -> tuple[str, ...]:
    """Those that a CODEOWNERS file names for everything. Who has a folder does not have the service."""
    there = {one.path.lower(): one.address for one in files}
    address = next((there[path] for path in OWNERS_FILES if path in there), "")
    found: list[str] = []
    for record in reader.records(asker.namespace, [address], projects, seq) if address else ():
        for line in record.node.content.split("\n"):
            pattern, *names = line.partition("#")[0].split() or [""]
            if pattern in WHOLE:
                found = [name for name in names if "@" in name]  # the last rule that is met holds
    return tuple(dict.fromkeys(found))[:OWNERS]
