"""Incidents: what broke, when, how badly, why, and what was done about it; from post-mortems as teams write them, or
from the fields of a form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.moments import moment
from .dates import When, dates_in, read_date
from .formats.text import as_title, joined
from .formats.text_of import PROSE
from .incident_timeline import Entry, timeline_of
from .item import Item
from .lazy_pattern import LazyPattern
from .no_record import is_list, is_so_named, is_to_fill_in
from .placing import day, filled, first_line, place, said_at, short_names, tags_in
from .sections import Outline, bullets, outline, plain
from .severity import Severity, asked_severity, read_severity, severity_in

KIND, DOMAIN, SOURCE = "incident", "issues", "incident"
EXCERPT_LENGTH_MAX = 1_000
FOLLOW_UPS_MAX = 30

_FOLDERS = frozenset(
    "postmortems postmortem post-mortems post-mortem post_mortems post_mortem incident-reports".split()
)
# Folders that hold handbooks too: there it takes a number, a date or the form.
_LOOSE_FOLDERS = frozenset("incidents incident outages rca rcas incident-reviews retrospectives".split())
# What lies there tells what to do in an outage, and of none that was.
_HANDBOOKS = frozenset("runbook runbooks playbook playbooks handbook handbooks".split())
_NAMED = LazyPattern(
    r"post-?_?mortem|incident[-_ ]?(?:report|review|analysis)|(?<![a-z])rca(?![a-z])|root[-_ ]?cause|outage"
    r"|(?:5|five)[-_ ]?whys|\Ainc(?:ident)?[-_ #]{0,2}\d",
    re.I,
)
_DATED = LazyPattern(r"(?:\d{4}[-_.]?\d\d[-_.]?\d\d|(?:inc(?:ident)?|pm|outage)?[-_#]?\d+)(?=[-_. ]|\Z)", re.I)
_DAY_IN_NAME = LazyPattern(r"(?<!\d)(?:19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d(?!\d)")
_PATH_DAY = LazyPattern(r"\d{4}[-_.]?\d\d[-_.]?\d\d[-_. ]+(?=\w)")
_NUMBER = LazyPattern(
    r"(?<![A-Za-z])(?P<word>INC(?:IDENT)?|PM|OUTAGE|POSTMORTEM)[-_ ]?#?(?!\d{4}-\d\d-\d\d)(?P<digits>\d{1,8})(?![\d.])",
    re.I,
)
_TITLED = LazyPattern(
    r"post-?\s?mortem|incident (?:report|review|analysis)|root cause analysis|outage report|\brca\b"
    r"|correction of errors?\b|\Aincident #?\d",
    re.I,
)
_TITLE_START = LazyPattern(
    r"(?:(?:incident\s)?post-?\s?mortem|incident(?: report| review| analysis)?|outage report|rca|root cause analysis"
    r"|correction of errors?)(?:\s?(?:[:–—]|\s-)\s?|\s(?:for|of)\s(?:the\s)?)"
    r"(?P<rest>\S.*)\Z",
    re.I,
)
_SUMMARY = ("summary", "incident summary", "executive summary", "overview", "what happened", "description", "abstract")
_IMPACT = ("impact", "customer impact", "user impact", "business impact", "impact and severity", "affected")
_TIMELINE = ("timeline", "incident timeline", "timeline of events", "timeline utc", "chronology", "events", "log")
_CAUSE = (
    "root cause", "root causes", "root cause s", "root cause analysis", "cause", "causes", "contributing factors",
    "why did it happen", "root cause and trigger", "five whys", "5 whys", "whys",
)  # fmt: skip
# What is also the name of a lesson, or of less than the cause.
_CAUSE_TOO = ("what went wrong", "trigger", "fault")
_RESOLUTION = (
    "resolution", "resolution and recovery", "mitigation", "recovery", "fix", "remediation", "how was it resolved",
    "how it was fixed", "response", "mitigation and resolution", "how did we fix it", "how we fixed it",
    "how we resolved it", "how it was resolved", "what we did",
)  # fmt: skip
_FOLLOW_UPS = (
    "action items", "follow-up actions", "follow-ups", "follow ups", "followups", "follow-up", "follow up", "actions",
    "next steps", "corrective actions", "corrective and preventative measures", "preventive measures", "prevention",
    "corrective and preventive measures", "preventative measures", "remediation items", "todo", "future work",
)  # fmt: skip
_FORM = tuple(frozenset(names) for names in ((*_CAUSE, *_CAUSE_TOO), _IMPACT, _TIMELINE, _RESOLUTION, _FOLLOW_UPS))
_SECTIONS = frozenset(("detection", *_SUMMARY)).union(*_FORM)
_BEGIN_WORDS = ("mortem", "incident re", "incident an", "root cause an", "rca", "correction of error", "# incident ")
_STARTED = (
    "started",
    "start",
    "start_time",
    "began",
    "incident_start",
    "impact_start",
    "start_date",
    "from",
    "occurred",
    "started_at",
    "began_at",
    "incident_started",
)
_DETECTED = ("detected", "detected_at", "time_detected", "detection_time", "first_alert", "alerted", "reported")
_ENDED = (
    "resolved",
    "ended",
    "end",
    "end_time",
    "resolved_at",
    "incident_end",
    "impact_end",
    "mitigated",
    "end_date",
    "to",
    "ended_at",
    "mitigated_at",
    "incident_ended",
)
_CAUSE_FIELDS = ("root_cause", "root_causes", "root_cause_s", "cause")
_BEGINS = r"\b(?:outage|incident|impact) (?:begins|began|starts|started)\b"
_ENDS = r"\b(?:outage|impact) (?:ends|ended|is over)\b"
_MENDED = r"resolv|recover|mitigat|restor|back to normal|fixed|\bincident (?:ends|ended|is over)\b"
_ALERTED = r"detect|alert|\bpaged?\b|\bpages\b|pager"
_SERVICES = (
    "service", "services", "affected_services", "affected_service", "affected_systems", "systems", "system",
    "services_affected", "service_s", "impacted_services", "services_impacted",
)  # fmt: skip
_SERVICES_TOO = ("component", "components", "affected_components", "product", "team")


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident as its report tells it; empty where it does not. `number` is the name that others use: INC-42."""

    title: str
    number: str = ""
    severity: Severity | None = None
    status: str = ""
    services: tuple[str, ...] = ()
    started: When | None = None
    detected: When | None = None
    ended: When | None = None
    date: When | None = None
    duration: str = ""
    summary: str = ""
    impact: str = ""
    root_cause: str = ""
    resolution: str = ""
    follow_ups: tuple[str, ...] = ()
    timeline: tuple[Entry, ...] = ()
    tags: tuple[str, ...] = ()
    problem: str = ""


def is_incident(path: str, text: str) -> bool:
    """Whether a document tells of an incident: by its path, or by its form. Templates and handbooks do not."""
    place_ = PurePosixPath(path.replace("\\", "/"))
    suffix = place_.suffix.lower()
    if (suffix and suffix not in PROSE) or is_so_named(place_.stem):
        return False
    folders = {part.lower() for part in place_.parts[:-1]}
    is_called = bool(_NAMED.search(place_.stem)) and not folders & _HANDBOOKS
    is_named = is_called or bool(folders & _LOOSE_FOLDERS)
    by_path = bool(folders & _FOLDERS) or bool(folders & _LOOSE_FOLDERS and _DATED.match(place_.stem))
    if not (by_path or is_named or _may_have_form(text)):
        return False
    shape = outline(path, text)
    if is_to_fill_in(shape, _SECTIONS) or is_list(shape, text, _SECTIONS):
        return False
    parts = sum(1 for names in _FORM if shape.keys() & names)
    is_titled = is_named or bool(_TITLED.search(shape.title))
    has_cause = bool(shape.keys() & (_FORM[0] - {"trigger", "cause", "causes", "fault"}))
    told = parts + _fields_told(shape) if is_called or _TITLED.search(shape.title) else parts
    by_form = told >= 2 if is_titled else has_cause and parts >= 3
    return by_path or by_form or (is_called and _tells_of_one(shape))


def _fields_told(shape: Outline) -> int:
    """How much its fields say: how bad it was, when it began and ended, why."""
    asked = (("severity", "sev", "severity_level"), _STARTED, _ENDED, _CAUSE_FIELDS, ("impact",))
    return sum(bool(shape.field(*names)) for names in asked)


def _tells_of_one(shape: Outline) -> bool:
    """Whether its title names what broke: "Postmortem: blank labels"."""
    named = _TITLE_START.match(shape.title)
    return bool(named) and bool(shape.preamble.partition("\n")[2].strip() or shape.sections)


def _may_have_form(text: str) -> bool:
    """A quick look, since every document is asked."""
    head = text[:40_000].lower()
    begin = head[:400]
    return ("root cause" in head and "timeline" in head) or any(word in begin for word in _BEGIN_WORDS)


def read_incident(path: str, text: str) -> Incident:
    """Everything that can be found; nothing is required."""
    shape = outline(path, text)
    stem = PurePosixPath(path.replace("\\", "/")).stem if path else ""
    date = _when(shape, "date", "incident_date", "date_of_incident", "day") or _dated(stem, shape)
    entries = _timeline(shape, date)
    timed = [entry for entry in entries if entry.at]
    started = _moment(shape, date, *_STARTED) or _entry(timed, _BEGINS) or (timed[0].at if timed else None)
    ended = _moment(shape, date, *_ENDED) or _entry(timed, _ENDS) or _entry(reversed(timed), _MENDED)
    detected = _moment(shape, date, *_DETECTED) or _entry(timed, _ALERTED) or _entry(timed, r"notic|report")
    number = _NUMBER.search(f"{stem} {shape.title} {shape.field('id', 'incident', 'incident_id', 'number')}")
    return Incident(
        title=_title(shape, text, stem),
        number=f"{number['word'].upper()}-{int(number['digits'])}".replace("INCIDENT-", "INC-") if number else "",
        severity=_severity(shape, text),
        status=plain(shape.field("status", "state") or shape.first(("status",)).partition("\n")[0])[:60].lower(),
        services=_services(shape),
        started=started,
        detected=detected,
        ended=ended if ended and (not started or ended.at >= started.at) else None,
        date=date or (started and _whole_day(started)) or None,
        duration=shape.field("duration", "total_duration", "length", "time_to_resolve", "ttr")[:60],
        summary=shape.first(_SUMMARY) or shape.field("summary"),
        impact=shape.first(_IMPACT) or shape.field("impact", "customer_impact", "user_impact"),
        root_cause=shape.first(_CAUSE) or shape.field(*_CAUSE_FIELDS) or shape.first(_CAUSE_TOO),
        resolution=shape.first(_RESOLUTION) or shape.field("resolution", "fix", "mitigation"),
        follow_ups=_follow_ups(shape.first(_FOLLOW_UPS)),
        timeline=tuple(entries),
        tags=tags_in(shape.fields),
        problem=date.note if date else "",
    )


def incident_item(
    path: str,
    text: str,
    *,
    title: str = "",
    service: str = "",
    root: str = "",
    digest: str = "",
    size: int = 0,
    problem: str = "",
    now: int | None = None,
) -> Item:
    """An incident to be taken in, from the text of its report."""
    found = read_incident(path, text)
    lies = place(path, root)
    draft = Draft(
        content=text,
        kind=KIND,
        domain=DOMAIN,
        tags=short_names(("incident", *found.tags)),
        aliases=short_names((found.number,)),
        anchors=lies.anchors,
        at=said_at(_on_its_day(found.started) or found.date, now),
        service=service or (found.services[0] if found.services else ""),
        source=SOURCE,
        metadata={**filled(path=lies.path), **_metadata(found, title), **first_line(text)},
    )
    return Item(draft, lies.path, digest, joined(problem, found.problem), size)


def incident_of(
    title: str,
    description: str,
    *,
    date: str = "",
    service: str = "",
    severity: str = "",
    root_cause: str = "",
    resolution: str = "",
    started: str = "",
    detected: str = "",
    ended: str = "",
    follow_ups: Sequence[str] = (),
) -> Item:
    """An incident from the fields of a form. What they leave open is looked for in the description."""
    times = {"Date": date, "Started": started, "Detected": detected, "Ended": ended}
    read = {name: _asked(name.lower(), said) for name, said in times.items()}
    found = read_incident("", description)
    level = asked_severity(severity) if severity.strip() else found.severity
    lines = [f"Severity: {level.told}"] if severity.strip() and level else []
    lines += [f"Service: {service.strip()}"] if service.strip() else []
    lines += [f"{name}: {said.strip()}" for name, said in times.items() if said.strip()]
    parts = [f"# {as_title(title)}", "\n".join(lines), description.strip()]
    parts += [f"## Root cause\n\n{root_cause.strip()}"] if root_cause.strip() else []
    parts += [f"## Resolution\n\n{resolution.strip()}"] if resolution.strip() else []
    parts += ["## Follow-ups\n\n" + "\n".join(f"- {one.strip()}" for one in follow_ups)] if follow_ups else []
    known = Incident(
        title=as_title(title),
        number=found.number or _number_in(title),
        severity=level,
        status=found.status,
        services=found.services,
        started=read["Started"] or found.started,
        detected=read["Detected"] or found.detected,
        ended=read["Ended"] or found.ended,
        date=read["Date"] or read["Started"] or found.date,
        duration=found.duration,
        impact=found.impact,
        root_cause=root_cause.strip() or found.root_cause,
        resolution=resolution.strip() or found.resolution,
        follow_ups=short_texts(follow_ups) or found.follow_ups,
    )
    when = known.started or known.date
    draft = Draft(
        content="\n\n".join(part for part in parts if part),
        kind=KIND,
        domain=DOMAIN,
        tags=("incident",),
        aliases=short_names((known.number,)),
        at=moment(when.at) if when else None,
        service=service.strip() or (known.services[0] if known.services else ""),
        source=SOURCE,
        metadata=_metadata(known),
    )
    return Item(draft, problem=joined(*(one.note for one in read.values() if one)))


def _asked(field: str, said: str) -> When | None:
    found = read_date(said) if said.strip() else None
    if found is None and said.strip():
        raise Invalid(
            f"{said.strip()[:80]!r} is not a date.", hint="Give it as 2026-03-01 or 2026-03-01T14:00Z.", field=field
        )
    return found


def _metadata(found: Incident, title: str = "") -> dict[str, object]:
    minutes = (found.ended.at - found.started.at) // 60_000_000 if found.started and found.ended else 0
    return filled(
        title=as_title(title) or found.title,
        number=found.number,
        severity=found.severity.level if found.severity else "",
        severity_said=found.severity.said if found.severity else "",
        status=found.status,
        services=list(found.services),
        date=day(found.date),
        started=day(found.started),
        detected=day(found.detected),
        ended=day(found.ended),
        duration=found.duration,
        minutes=minutes if 0 < minutes < 525_600 else 0,
        impact=_excerpt(found.impact),
        root_cause=_excerpt(found.root_cause),
        resolution=_excerpt(found.resolution),
        follow_ups=list(found.follow_ups),
    )


def _excerpt(text: str) -> str:
    line = " ".join(text[: 2 * EXCERPT_LENGTH_MAX].split())
    return line if len(line) <= EXCERPT_LENGTH_MAX else line[:EXCERPT_LENGTH_MAX].rsplit(" ", 1)[0] + "…"


def short_texts(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(" ".join(one.split())[:300] for one in given if one.strip())[:FOLLOW_UPS_MAX]


def _number_in(text: str) -> str:
    found = _NUMBER.search(text)
    return f"{found['word'].upper()}-{int(found['digits'])}".replace("INCIDENT-", "INC-") if found else ""


def _title(shape: Outline, text: str, stem: str) -> str:
    is_section = shape.title.strip(" #:").lower() in _SECTIONS
    said = (not is_section and shape.title) or shape.field("title", "name")
    if not said:
        first = plain(text.lstrip().partition("\n")[0].lstrip("# "))
        said = first if 0 < len(first) <= 120 and not first.startswith(("---", "|")) else ""
    if start := _TITLE_START.match(said):
        said = start["rest"]
    if said.strip(" #:").lower() in _SECTIONS:  # the first of its sections has no other above it
        said = ""
    begins = _PATH_DAY.match(stem)
    bare = stem[begins.end() :] if begins else stem
    return as_title(said) or re.sub(r"[-_]+", " ", bare).strip().capitalize() or stem


def _severity(shape: Outline, text: str) -> Severity | None:
    said = shape.field("severity", "sev", "severity_level", "priority", "impact_level", "level")
    said = said or shape.first(("severity", "priority")).partition("\n")[0]
    if said and (found := read_severity(said)):
        return found
    return severity_in(f"{shape.title}\n{shape.preamble[:2_000]}") or severity_in(shape.first(_SUMMARY)[:1_000])


def _services(shape: Outline) -> tuple[str, ...]:
    said = shape.field(*_SERVICES, *_SERVICES_TOO) or shape.first(("affected services", "services affected"))[:500]
    return short_names(name.strip(" *-\t.") for name in re.split(r"[,;\n]|\s&\s|\sand\s", said))


def _when(shape: Outline, *names: str) -> When | None:
    return read_date(shape.field(*names)) or read_date(shape.first(("date", "dates", "when"))[:100])


def _dated(stem: str, shape: Outline) -> When | None:
    """From the name of the file, else the first date before the sections, else in the summary."""
    named = _DAY_IN_NAME.search(stem)
    by_name = read_date(named[0].replace("_", "-")) if named else None
    stated = by_name or next(dates_in(f"{shape.title}\n{shape.preamble[:2_000]}"), None)
    told = None if stated else next(dates_in(shape.first(_SUMMARY)[:2_000]), None)
    return stated or (told and _whole_day(told))  # beside it stands any hour of the tale


def _moment(shape: Outline, date: When | None, *names: str) -> When | None:
    """A field with a moment; one that only has the clock happened on the day of the incident."""
    said = shape.field(*names)
    found = read_date(said) if said else None
    if found or not said or date is None:
        return found
    return read_date(f"{moment(date.at):%Y-%m-%d} {said}") if re.match(r"\d{1,2}:\d\d", said) else None


def _timeline(shape: Outline, date: When | None) -> list[Entry]:
    """By the first section of that name; its heading may say more: "Timeline (all times in CET)"."""
    for key in _TIMELINE:
        for section in shape.sections:
            named = section.key == key or (key == "timeline" and section.key.startswith("timeline "))
            if named and (found := timeline_of(section.body, date, section.title)):
                return found
    return []


def _on_its_day(when: When | None) -> When | None:
    """So that it is told with the day that its report has, wherever that was written."""
    return when and replace(when, at=when.on_its_day)


def _whole_day(when: When) -> When:
    return When(when.on_its_day - when.on_its_day % 86_400_000_000, note=when.note)


def _entry(entries: Iterable[Entry], words: str) -> When | None:
    return next((entry.at for entry in entries if re.search(words, entry.text, re.I)), None)


def _follow_ups(text: str) -> tuple[str, ...]:
    listed = [said for said, _ in bullets(text, FOLLOW_UPS_MAX)]
    if not listed:
        rows = (row.strip().strip("|").split("|") for row in text.split("\n")[:200] if row.lstrip().startswith("|"))
        cells = [plain(max(row[:2], key=len)) for row in rows]
        listed = [cell for cell in cells[1:] if cell.strip("-: ")]
    return short_texts(listed)
