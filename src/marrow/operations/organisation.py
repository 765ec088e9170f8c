"""knowledge: what the organisation knows, by service, kind and document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple

from ..ingest.severity import asked_severity, read_severity
from ..memory.engine import sequence
from ..memory.moment import moment
from ..memory.organisation.attributed import attribute
from ..memory.organisation.decisions import NO_STATUS, decisions
from ..memory.organisation.documents import Listed, full_document
from ..memory.organisation.documents import list_documents as all_documents
from ..memory.organisation.incidents import Told, incidents
from ..memory.organisation.overview import overview, statistics
from ..memory.organisation.services import check_service, services
from ..memory.search import search
from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import age, iso
from ..model.text import counted, token_estimate
from .attributed import Document, document, named, told_when
from .filters import places, through, wanted
from .problems import plain_path
from .table import Call, operation
from .views import kinds_counted, lines_of

LINES_MAX = 20_000
TOPIC_MAX = 80
FIELDS_TOLD = (
    "severity",
    "impact",
    "root_cause",
    "resolution",
    "started",
    "detected",
    "ended",
    "duration",
    "follow_ups",
)


class Documents(NamedTuple):
    """The best first."""

    items: tuple[Document, ...]
    total: int = 0
    degraded: str = ""
    note: str = ""
    left_out: int = 0

    def text(self) -> str:
        lines = lines_of(self.items) or [self.note or "Nothing was found."]
        return "\n".join([*lines, *_more(self.left_out), *([f"({self.degraded})"] if self.degraded else [])])


def _more(count: int, how: str = "raise limit or budget_tokens") -> list[str]:
    return [f"({count:,} more: {how})"] if count else []


def _project(call: Call, project: str) -> tuple[str, ...] | None:
    return places(call, project, "all")


@operation(
    "knowledge", words="service search", spellings={"service": ("service_filter",), "limit": ("top_k", "max_results")}
)
def search_by_service(
    call: Call,
    service: str,
    query: str,
    limit: int = 5,
    kinds: Annotated[list[str] | None, "code, decision, incident, document, meeting, commit…"] = None,
    since: Annotated[str, "a time"] = "",
    as_of: str = "",
    project: str = "",
) -> Documents:
    """Search what belongs to one service: code, decisions, incidents, meetings, documents."""
    chosen = wanted(call, project=project, kinds=kinds or (), since=since)
    now = call.engine.clock()
    with call.engine.store.reading() as reader:
        seq = sequence(reader, call.asker, as_of, now)
        then = moment(reader, call.asker, seq, now, as_of)
        known = check_service(reader, call.asker, chosen.projects, service, seq, then)
    found = search(call.engine, call.asker, query, replace(chosen, service=known), limit=limit, as_of=as_of)
    with call.engine.store.reading() as reader:
        told = attribute(reader, call.asker, found.hits, seq, service=known)
    items = tuple(document(one, found.now) for one in told)
    return Documents(items, len(items), found.degraded, f"Nothing of {known} speaks of that.")


class DecisionList(NamedTuple):
    """`total` counts those that were asked for, `statuses` all that there are, by status; `mentioned` those that only
    mention the topic. With `near_only` none is plainly about the topic, and `items` come nearest to it."""

    items: tuple[Document, ...]
    total: int = 0
    statuses: Mapping[str, int] = {}
    degraded: str = ""
    left_out: int = 0
    topic: str = ""
    mentioned: int = 0
    near_only: bool = False

    def text(self) -> str:
        every = sum(self.statuses.values())
        lines = ["No decision is plainly about it; nearest are:"] if self.near_only else []
        lines += [*lines_of(self.items), *_more(self.left_out)]
        if self.topic and every:
            passing = f"; {self.mentioned} only mention{'' if self.mentioned > 1 else 's'} it" if self.mentioned else ""
            lines.append(f"{self.total or 'none'} of {counted(every, 'decision')} about {self.topic}{passing}")
        elif not lines:
            lines.append("No such decision." if every else "No decision is known yet.")
        if self.statuses:
            lines.append(f"all: {_by_status(self.statuses)}")
        lines += [f"({self.degraded})"] if self.degraded else []
        return "\n".join(lines)


def _by_status(counts: Mapping[str, int]) -> str:
    """How many there are of each; those that say none last."""
    said = [f"{count} {status}" for status, count in counts.items() if status != NO_STATUS]
    without = counts.get(NO_STATUS, 0)
    return ", ".join([*said, *([f"{without} without a status"] if without else [])])


@operation("knowledge", words="decisions", spellings={"topic": ("query",), "limit": ("top_k", "max_results")})
def get_architectural_decisions(
    call: Call,
    topic: str = "",
    service: str = "",
    status: Annotated[str, "accepted, proposed…; superseded; all. Default: all but superseded"] = "",
    view: str = "",
    limit: int = 5,
    as_of: str = "",
    project: str = "",
) -> DecisionList:
    """Decisions, recorded or saved in the domain decisions, with their status now: those about a topic, else those that
    come nearest to it in meaning; or the latest. One that another took the place of is told with status=superseded or
    all, and names it."""
    call = through(call, view)
    chosen = wanted(call, project=project, service=service)
    found = decisions(call.engine, call.asker, chosen, topic=topic, status=status, limit=limit, as_of=as_of)
    told = ((one, one.decided if one.place is None else "") for one in found.items)  # a passage that answers is better
    items = tuple(document(one, found.now, content=decided or None) for one, decided in told)
    left, about = max(0, found.total - len(items)), " ".join(topic.split())[:TOPIC_MAX]
    statuses, near = dict(found.statuses), found.is_near
    return DecisionList(items, found.total, statuses, found.degraded, left, about, found.mentioned, near)


class Incident(NamedTuple):
    """`fixes` were made because of it, `causes` are what it was caused by, as far as they are linked."""

    address: str
    title: str
    path: str
    service: str
    date: str
    age: str
    status: str
    about: dict[str, Any]
    fixes: tuple[dict[str, Any], ...] = ()
    causes: tuple[dict[str, Any], ...] = ()

    def line(self) -> str:
        parts = [
            str(self.about.get("severity") or ""),
            self.service,
            told_when(self.date, self.age),
            self.status,
            self.path,
        ]
        lines = [f"[{self.address}] {self.title}", f"    {' · '.join(part for part in parts if part)}"]
        lines += [
            f"    {name.replace('_', ' ')}: {_said(value)}" for name, value in self.about.items() if name != "severity"
        ]
        lines += [f"    caused by [{one['address']}] {one['title']}" for one in self.causes]
        lines += [f"    led to [{one['address']}] {one['title']}" for one in self.fixes]
        return "\n".join(lines)


class IncidentList(NamedTuple):
    """`total` counts those that were asked for; `every` all that are known, where none of them was."""

    items: tuple[Incident, ...]
    total: int = 0
    left_out: int = 0
    every: int = 0

    def text(self) -> str:
        lines = [item.line() for item in self.items]
        if not lines and not self.left_out:
            known = f"None of the {counted(self.every, 'incident')} that are known is so."
            lines.append(known if self.every else "No incident is known.")
        return "\n".join([*lines, *_more(self.left_out)])


@operation("knowledge", words="incidents", spellings={"limit": ("top_k", "max_results")})
def get_incident_history(
    call: Call,
    service: str = "",
    since: Annotated[str, "a time"] = "",
    until: Annotated[str, "a time"] = "",
    severity: Annotated[str, "critical, high, medium, low; or SEV2, P1…"] = "",
    view: str = "",
    limit: int = 5,
    as_of: str = "",
    project: str = "",
) -> IncidentList:
    """Incidents, the latest first: severity, cause, resolution, and the changes that they led to."""
    call = through(call, view)
    level = read_severity(severity)
    about = {"severity": level.level} if level else None
    chosen = wanted(call, project=project, service=service, since=since, until=until, metadata=about)
    found = incidents(call.engine, call.asker, chosen, limit=limit, as_of=as_of)
    if not found.items:
        asked_severity(severity)  # a team's own word is one where some incident has it, and otherwise a slip
    items = tuple(_incident(one, found.now) for one in found.items)
    return IncidentList(items, found.total, found.total - len(items), found.every)


def _incident(one: Told, now: int) -> Incident:
    shape = document(one.incident, now)
    fields = one.incident.origin.fields
    about = {name: fields[name] for name in FIELDS_TOLD if fields.get(name)}
    told = (shape.address, shape.title, shape.path, shape.service, shape.date, shape.age, shape.status)
    return Incident(*told, about, tuple(map(named, one.fixes)), tuple(map(named, one.causes)))


def _said(value: Any) -> str:
    return "; ".join(str(part) for part in value) if isinstance(value, list | tuple) else str(value)


class WholeDocument(NamedTuple):
    """Lines `start` to `end` of `total` of a document."""

    address: str
    kind: str
    title: str
    path: str
    service: str
    date: str
    status: str
    content: str
    start: int
    end: int
    total: int
    superseded_by: tuple[str, ...] = ()
    about: Mapping[str, Any] = {}
    state: str = "active"
    amended_by: tuple[str, ...] = ()

    def text(self) -> str:
        gone = self.state if self.state not in ("active", self.status) else ""
        parts = [self.kind, self.path, self.service, self.date, self.status, gone]
        lines = [f"[{self.address}] {self.title}", " · ".join(part for part in parts if part)]
        lines += [f"superseded by {', '.join(self.superseded_by)}"] if self.superseded_by else []
        lines += [f"amended by {', '.join(self.amended_by)}"] if self.amended_by else []
        lines += ["", self.content]
        if self.start > 1 or self.end < self.total:
            more = f"; goes on with offset {self.end + 1}" if self.end < self.total else ""
            lines.append(f"(lines {self.start}-{self.end} of {self.total}{more})")
        return "\n".join(lines)


@operation("knowledge", words="document", spellings={"path": ("address", "document")})
def get_full_document(
    call: Call,
    path: Annotated[str, "from the root of its service, or its end; or an address"],
    service: Annotated[str, "where several have this path"] = "",
    as_of: str = "",
    offset: Annotated[int, "the first line, from 1"] = 1,
    limit: Annotated[int | None, "how many lines; default: as many as the budget has room for"] = None,
    budget_tokens: int = 8_000,
) -> WholeDocument:
    """A document whole, as it was taken in: now, or as of a moment."""
    if offset < 1 or (limit is not None and not 1 <= limit <= LINES_MAX):
        raise Invalid(f"offset is a line from 1, limit a number from 1 to {LINES_MAX:,}.", field="offset")
    one = full_document(call.engine, call.asker, path, service=service, as_of=as_of)
    every = one.record.node.content.split("\n")
    if offset > len(every):
        raise Invalid(f"It has {counted(len(every), 'line')}.", hint="Give an offset within them.", field="offset")
    chosen = every[offset - 1 : offset - 1 + (limit or len(every))]
    kept = _fitting(chosen, max(50, int(budget_tokens * 0.9) - 100))
    shape = document(one, call.engine.clock())
    hidden = ("path", "title", "status")
    about = {name: value for name, value in one.origin.fields.items() if name not in hidden}
    told = (shape.address, shape.kind, shape.title, shape.path, shape.service, shape.date, shape.status)
    lines = ("\n".join(kept), offset, offset + len(kept) - 1, len(every))
    return WholeDocument(*told, *lines, shape.superseded_by, about, one.record.standing.state, shape.amended_by)


def _fitting(lines: list[str], budget: int) -> list[str]:
    """As many lines as the budget has room for, and at least one."""
    if sum(map(len, lines)) < budget:
        return lines
    kept: list[str] = []
    for line in lines:
        budget -= token_estimate(line) + 1
        if budget < 0 and kept:
            break
        kept.append(line)
    return kept


class DocumentList(NamedTuple):
    """What was taken in and holds. `read` is when. `left_out` counts those after these; `every` all that there are,
    whatever was asked for."""

    items: tuple[dict[str, Any], ...]
    total: int
    kinds: Mapping[str, int] = {}
    left_out: int = 0
    every: int = 0

    def text(self) -> str:
        lines = [_listed_line(item) for item in self.items]
        lines += [self._why_none()] if not lines and not self.left_out else []
        lines += _more(self.left_out, "raise limit or budget_tokens, or go on with offset")
        if self.kinds:
            lines.append(f"all: {kinds_counted(self.kinds)}")
        return "\n".join(lines)

    def _why_none(self) -> str:
        if self.total:
            return f"There are {self.total:,}: give a smaller offset."
        if self.every:
            return f"None of the {counted(self.every, 'document')} that were taken in is so."
        return "Nothing was taken in yet: ingest_codebase does."


def _listed_line(item: dict[str, Any]) -> str:
    path = plain_path(item["path"])
    name = f"{path}  {item['title']}" if path and path != item["title"] else item["title"]
    service = f"{item['service']}  " if item["service"] else ""
    return f"[{item['address']}] {item['kind']}  {service}{name}  ({item['read'] or item['date']})"


@operation("knowledge", words="documents", spellings={"limit": ("top_k", "max_results")})
def list_documents(
    call: Call,
    service: str = "",
    kinds: Annotated[list[str] | None, "code, decision, incident, document, meeting…"] = None,
    path: Annotated[str, "a folder, or a file"] = "",
    since: Annotated[str, "a time: taken in after it"] = "",
    until: Annotated[str, "a time: taken in before it"] = "",
    limit: int = 50,
    offset: int = 0,
    as_of: Annotated[str, "snapshot, sequence number or time: what there was then"] = "",
    project: str = "",
) -> DocumentList:
    """What was taken in and holds: paths, kinds, services, and when."""
    chosen = wanted(call, project=project, kinds=kinds or (), since=since, until=until, service=service, path=path)
    found = all_documents(call.engine, call.asker, chosen, limit=limit, offset=offset, as_of=as_of)
    left = max(0, found.total - offset - len(found.items))
    return DocumentList(tuple(map(_listed, found.items)), found.total, dict(found.kinds), left, found.every)


def _listed(one: Listed) -> dict[str, Any]:
    return {
        "address": shown(one.address),
        "kind": one.kind,
        "title": one.title,
        "path": one.path,
        "service": one.service,
        "read": iso(one.read_at) if one.read_at else "",
        "date": iso(one.at)[:10] if one.at else "",
        "size": one.size,
    }


class ServiceOverview(NamedTuple):
    """What is known of a service at a glance."""

    service: str
    counts: Mapping[str, int]
    decisions: tuple[Document, ...]
    incidents: tuple[Incident, ...]
    documents: tuple[Document, ...]
    languages: Mapping[str, int]
    owners: tuple[str, ...] = ()
    read: str = ""
    age: str = ""

    def text(self) -> str:
        counts = kinds_counted(self.counts) or "nothing"
        ago = "" if self.age == "just now" else " ago"
        lines = [f"{self.service}: {counts}{f'; last read {self.age}{ago}' if self.age else ''}"]
        if self.languages:
            lines.append("languages: " + ", ".join(f"{name} {count:,}" for name, count in self.languages.items()))
        lines += [f"owners: {', '.join(self.owners)}"] if self.owners else []
        for name, part in (("incidents", self.incidents), ("decisions", self.decisions), ("documents", self.documents)):
            lines += [f"{name}:"] if part else []
            lines += [f"  [{one.address}] {one.title} ({_words(one)})" for one in part]
        return "\n".join(lines)


def _words(one: Document | Incident) -> str:
    gone = f"superseded by {', '.join(one.superseded_by)}" if isinstance(one, Document) and one.superseded_by else ""
    return ", ".join(part for part in (gone or one.status, one.date or "undated", one.path) if part)


@operation("knowledge", words="service overview")
def get_service_overview(
    call: Call, service: Annotated[str, "the name of the service"], as_of: str = "", project: str = ""
) -> ServiceOverview:
    """What is known of a service: how much of each kind, recent incidents, decisions, languages, owners, documents."""
    found = overview(call.engine, call.asker, wanted(call, project=project, service=service), as_of=as_of)
    return ServiceOverview(
        found.service,
        dict(found.counts),
        tuple(document(one, found.now, content="") for one in found.decisions.items),
        tuple(_incident(one, found.now) for one in found.incidents.items),
        tuple(document(one, found.now, content="") for one in found.documents),
        dict(found.languages),
        found.owners,
        iso(found.last_read) if found.last_read else "",
        age(found.last_read, found.now) if found.last_read else "",
    )


class ServiceList(NamedTuple):
    """The services that something belongs to, and how much of it is active."""

    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = [f"{item['service']}  {item['count']:,}" for item in self.items]
        return "\n".join(lines) or "No service is known yet: ingest_codebase takes one in."


@operation("knowledge", words="services")
def list_services(call: Call, as_of: str = "", project: str = "") -> ServiceList:
    """The services that something is known of, or was."""
    found = services(call.engine, call.asker, _project(call, project), as_of=as_of)
    return ServiceList(tuple({"service": name, "count": count} for name, count in found))


class KnowledgeStats(NamedTuple):
    """`total` and `by_type` count what readers took in and holds, decisions that were superseded with the others;
    `not_read` files were passed over."""

    total: int
    by_type: Mapping[str, int]
    services_count: int
    services: tuple[str, ...]
    documents: int
    not_read: int
    read: str = ""

    def text(self) -> str:
        kinds = kinds_counted(self.by_type) or "nothing"
        passed = f", {counted(self.not_read, 'file')} passed over" if self.not_read else ""
        read = f"; last read {self.read}" if self.read else ""
        lines = [f"{self.total:,} in all: {kinds}", f"{counted(self.documents, 'document')} by path{passed}{read}"]
        lines.append(
            f"{counted(self.services_count, 'service')}: {', '.join(self.services)}" if self.services else "no service"
        )
        return "\n".join(lines)


@operation("knowledge", aliases=("get_knowledge_base_stats",))
def knowledge_stats(call: Call, project: str = "") -> KnowledgeStats:
    """How much was taken in, by kind and service."""
    found = statistics(call.engine, call.asker, _project(call, project))
    names = tuple(name for name, _ in found.services)
    last = iso(found.last_read) if found.last_read else ""
    return KnowledgeStats(found.total, dict(found.kinds), len(names), names, found.documents, found.not_read, last)
