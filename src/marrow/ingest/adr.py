"""Architecture decision records in the forms in which teams write them: Nygard's, MADR, Cosmos', Y-statements,
log4brains', with fields in a list or in front matter, in Markdown, reStructuredText or AsciiDoc; and those without any
form, by their path. RFCs and design documents are decisions where both their folder and their form say so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ..model.draft import Draft
from .adr_status import NONE as NO_STATUS
from .adr_status import UNDECIDED, Status, asked_status, read_status, references_in
from .dates import When, dates_in, no_date, read_date
from .formats.header import CHANGED, DATES, TITLES
from .formats.text import as_title, joined
from .formats.text_of import PROSE
from .item import Item
from .lazy_pattern import LazyPattern
from .no_record import is_list, is_so_named, is_to_fill_in
from .placing import day, filled, first_line, place, said_at, short_names, tags_in
from .proposals import LOOSE_RECORD_FOLDERS, RECORD_FOLDERS, is_among_proposals
from .rfc import is_proposal, proposal_name, read_stage
from .sections import Outline, is_section_name, outline

KIND, DOMAIN, SOURCE = "decision", "decisions", "adr"
EXCERPT_LENGTH_MAX = 400

_NAMED = re.compile(r"adr[-_ ]?#?0*(\d{1,5})(?!\d)", re.I)
_NUMBERED = re.compile(r"0*(\d{1,5})(?=[-_. ]|\Z)(?!-\d\d-\d\d)")
# So long is a record that is a single statement.
STATEMENT_MAX = 1_500
# A line that says when and by whom is no longer.
BYLINE_MAX = 100
_GOES_ON = re.compile(r"\s+(?!by\b|with\b)[a-z]")  # a sentence that begins with a day
_NO_TITLE = ("---", "*", "-", "|", "<!--", "In the context of")
_DATED = re.compile(r"(?:\d{4}-?\d\d-?\d\d)(?=[-_. ]|\Z)")
_TITLE = LazyPattern(
    r"\[?(?:adr|architectur(?:e|al) decision(?: record)?|decision record|decision)[\s:#_-]{0,4}(?:no\.?\s?|number\s)?"
    r"0*(?P<number>\d{1,5})\b\]?[\s:.–—|)-]{0,6}(?P<title>.*)\Z",
    re.I,
)
_TITLE_WORD = LazyPattern(r"\[?(?:adr|architectur(?:e|al) decision record)\]?\s?[:–—-]\s?(?P<title>\S.*)\Z", re.I)
_TITLE_NUMBER = LazyPattern(r"0*(?P<number>\d{1,5})(?:[.:)]|\s[-–—])\s{0,3}(?P<title>\S.*)\Z")
_PLACEHOLDER = LazyPattern(
    r"(?<!\{)\{[\w |-]{2,80}\}(?!\})|\[(?:short |title|number|solved|adr|nnn)[^\]\n]{0,80}\](?!\()"
    r"|<(?:title|number|short)[^>\n]{0,40}>|\bNUMBER\b|\bTITLE\b|\b(?:ADR|adr)[-_ ]?(?:[Xx]{2,}|[Nn]{2,})\b",
)
_CONTEXT = (
    "context", "context and problem statement", "context & problem statement", "problem statement", "problem",
    "context and problem", "background", "issue", "motivation", "summary", "abstract", "introduction", "kontext",
    "contexte", "contexto", "contesto", "контекст", "背景", "上下文", "コンテキスト", "文脈", "배경", "맥락",
)  # fmt: skip
DECISION = (
    "decision", "decision outcome", "decisions", "the decision", "our decision", "outcome", "chosen option", "solution",
    "proposed decision", "proposal", "proposals", "recommendation", "resolution", "entscheidung", "décision",
    "decisión", "decisione", "decisão", "решение", "决策", "决定", "決定", "決策", "결정",
)  # fmt: skip
# What a proposal says of itself, where nothing is headed as the decision.
_IN_SHORT = ("summary", "abstract", "overview", "goal", "goals")
_CONSEQUENCES = (
    "consequences", "consequence", "positive consequences", "implications", "impact", "results", "ramifications",
    "trade-offs", "tradeoffs", "negative consequences", "outcomes", "konsequenzen", "folgen", "conséquences",
    "consecuencias", "conseguenze", "consequências", "последствия", "后果", "後果", "影响", "結果", "影響", "결과",
)  # fmt: skip
_OPTIONS = (
    "considered options", "options considered", "considered alternatives", "alternatives considered", "alternatives",
    "options", "positions", "pros and cons of the options",
)  # fmt: skip
_DRIVERS = ("decision drivers", "drivers", "forces", "assumptions", "constraints", "requirements")
_DATE_ELSEWHERE = ("datum", "fecha", "дата", "日期", "日付", "날짜")
DATE = ("date", "decision date", *_DATE_ELSEWHERE)
_DATE_FIELDS = (
    "date", "decision_date", "decided", "decided_on", "date_accepted", "accepted", *_DATE_ELSEWHERE, *DATES,
)  # fmt: skip
_STATUS_ELSEWHERE = ("statut", "estado", "stato", "статус", "状态", "狀態", "ステータス", "상태")
STATUS = ("status", "adr status", "decision status", "current status", "state", *_STATUS_ELSEWHERE)
STATUS_WITHIN = 3
# Of these the first counts; the others may be about something else in the record.
FIRST_STATUS = ("status", "adr status", "decision status")
_STATUS_SAID = LazyPattern(r"(?:(?:adr|decision)\s+)?status(?:\s*:|\s+[–—-]\s)\s*(?P<said>\S+)\Z", re.I)
CHANGES = ("changelog", "change log", "history", "revision history", "changes")
LINKS = ("links", "related", "related decisions", "related adrs", "relations", "more information", "see also")
WORDED = re.compile(r"(?:decision|proposal)s?\s*[:–—-]", re.I)
# A status that goes with having been superseded.
_GIVING_WAY = ("accepted", "deprecated", "archived", UNDECIDED)
_DECISION_ELSEWHERE = tuple("entscheidung décision decisión decisão решение 决策 决定 決定 決策 결정".split())
_FORM = (frozenset(_CONTEXT), frozenset(DECISION), frozenset(_CONSEQUENCES), frozenset(STATUS))
_SECTIONS = frozenset(("considered options", "decision drivers")).union(*_FORM[:3])


@dataclass(frozen=True, slots=True)
class Adr:
    """A decision as its record tells it; empty where it does not. `status` is one of adr_status.STATUSES, `status_said`
    is how it is written there. `proposal` is the name of an RFC: RFC-12. The others that it names are `ADR-12`, or a
    path where they have no number."""

    title: str
    number: int | None = None
    proposal: str = ""
    status: str = ""
    status_said: str = ""
    implementation: str = ""
    date: When | None = None
    changed: When | None = None
    context: str = ""
    decision: str = ""
    consequences: str = ""
    options: str = ""
    drivers: str = ""
    deciders: tuple[str, ...] = ()
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    problem: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What others may call it: ADR-12, ADR-012, ADR-0012; RFC-12."""
        series, _, digits = self.proposal.partition("-") if self.number is None else ("ADR", "", str(self.number))
        return tuple(dict.fromkeys(f"{series}-{digits:0>{width}}" for width in (1, 3, 4))) if digits else ()


def is_adr(path: str, text: str) -> bool:
    """Whether a document records a decision: by its path, or by its form. Indexes and templates do not."""
    place_ = PurePosixPath(path.replace("\\", "/"))
    suffix = place_.suffix.lower()
    if suffix and suffix not in PROSE:
        return False
    if is_so_named(place_.stem):
        return False
    folders = {part.lower() for part in place_.parts[:-1]}
    is_named = bool(_NAMED.match(place_.stem))
    is_numbered = is_named or bool(_NUMBERED.match(place_.stem) or _DATED.match(place_.stem))
    by_path = is_named or bool(folders & RECORD_FOLDERS) or (is_numbered and bool(folders & LOOSE_RECORD_FOLDERS))
    may_propose = is_among_proposals(path)
    states = bool(_y_statement(text)) and (bool(folders & LOOSE_RECORD_FOLDERS) or len(text) <= STATEMENT_MAX)
    if not (by_path or may_propose or states or _may_have_form(text)):
        return False
    shape = outline(path, text)
    if _is_template(shape) or is_list(shape, text, _SECTIONS):
        return False
    if is_to_fill_in(shape, _SECTIONS, is_numbered=bool(_number_and_title(path, shape, text)[0])):
        return False
    return (
        by_path
        or states
        or _has_form(shape)
        or (may_propose and is_proposal(path, shape, says_status=_says_how_it_stands(shape)))
    )


def _says_how_it_stands(shape: Outline) -> bool:
    """By its first words: a design document may tell of the state of something else, and what is current there."""
    said = " ".join(_status(shape).said.split()[:STATUS_WITHIN])
    return (read_stage(said) if shape.field("stage") == said else read_status(said)).name not in ("", UNDECIDED)


def says_so(path: str, text: str) -> bool:
    """Whether anything in a document, or in its path, says that it records a decision."""
    shape = outline(path, text)
    is_named = bool(_TITLE.match(shape.title) or _TITLE_WORD.match(shape.title))
    is_told = not shape.keys().isdisjoint(DECISION) or bool(shape.field("decision")) or bool(_status(shape).name)
    return is_adr(path, text) or _has_form(shape) or is_named or is_told


def _may_have_form(text: str) -> bool:
    """A quick look, since every document is asked."""
    head = text[:20_000].lower()
    if "decision" in head:
        return any(word in head for word in ("status", "context", "considered", "problem"))
    return any(word in head for word in _DECISION_ELSEWHERE)


def _has_form(shape: Outline) -> bool:
    """A title that says so, or most of the usual sections. Context, decision and consequences may be anywhere; a status
    makes the difference between a record and a tale."""
    keys = shape.keys()
    context, decision, consequences, status = (bool(keys & names) for names in _FORM)
    said = shape.field("status")
    is_dated = status or bool(said)
    if _TITLE.match(shape.title) or _TITLE_WORD.match(shape.title):
        return context or decision or is_dated
    if "decision outcome" in keys and (context or is_dated or not keys.isdisjoint(_OPTIONS)):
        return True
    if shape.field("decision") and shape.field(*_CONTEXT) and is_dated:
        return True  # a table, a row for each part
    stands = status or read_status(said).name not in ("", UNDECIDED)
    return decision and context and is_dated and (consequences or stands)


def _is_template(shape: Outline) -> bool:
    status = shape.first(STATUS)[:200]
    said = f"{shape.title}\n{shape.field('status', 'title')}\n{status}"
    is_open = shape.field("date").strip() == "DATE" or status.strip() == "STATUS"
    return is_open or bool(_PLACEHOLDER.search(shape.title or said))


def read_adr(path: str, text: str) -> Adr:
    """Everything that can be found; nothing is required."""
    shape = outline(path, text)
    status = _status(shape)
    number, title = _number_and_title(path, shape, text)
    date, changed = _dates(path, shape, status)
    statement = _y_statement(text)
    folder = PurePosixPath(path.replace("\\", "/")).parent
    named = references_in("\n".join((status.said, shape.first(LINKS), shape.preamble[:4_000])), folder, _given(shape))
    adr = Adr(
        title=title,
        number=number,
        status="superseded" if named.superseded_by and status.name in ("", *_GIVING_WAY) else status.name,
        status_said=status.said.partition("\n")[0][:200],
        implementation=status.implementation,
        date=date,
        changed=changed,
        context=shape.first(_CONTEXT) or statement.get("context", "") or shape.field(*_CONTEXT),
        decision=shape.first(DECISION) or _worded(shape) or statement.get("decision", "") or shape.field("decision"),
        consequences=_all(shape, _CONSEQUENCES) or statement.get("consequences", "") or shape.field(*_CONSEQUENCES),
        options=shape.first(_OPTIONS) or shape.field(*_OPTIONS),
        drivers=shape.first(_DRIVERS),
        deciders=_people(shape),
        supersedes=named.supersedes,
        superseded_by=named.superseded_by,
        amends=named.amends,
        amended_by=named.amended_by,
        tags=tags_in(shape.fields),
        problem=joined(date.note if date else "", no_date(shape.field(*_DATE_FIELDS) or shape.first(DATE))),
    )
    if not is_among_proposals(path) or _TITLE.match(shape.title):
        return adr
    # By which number it calls itself and others is no record's; what it names by a path is found without this.
    return replace(
        adr,
        decision=adr.decision or shape.first(_IN_SHORT) or adr.context,
        proposal=proposal_name(path),
        number=None,
        supersedes=(),
        superseded_by=(),
        amends=(),
        amended_by=(),
    )


def adr_item(
    path: str,
    text: str,
    *,
    title: str = "",
    service: str = "",
    status: str = "",
    root: str = "",
    digest: str = "",
    size: int = 0,
    problem: str = "",
    now: int | None = None,
) -> Item:
    """A decision to be taken in. What the caller says of title and status goes before what the record says."""
    adr = read_adr(path, text)
    lies = place(path, root)
    asked = asked_status(status) if status.strip() else NO_STATUS
    metadata = filled(
        path=lies.path,
        proposal=adr.proposal,
        title=as_title(title) or adr.title,
        status=asked.name or adr.status,
        status_said=adr.status_said if adr.status_said.lower() != adr.status else "",
        implementation=adr.implementation,
        date=day(adr.date),
        changed=day(adr.changed) if day(adr.changed) != day(adr.date) else "",
        deciders=list(adr.deciders),
        supersedes=list(adr.supersedes),
        superseded_by=list(adr.superseded_by),
        amends=list(adr.amends),
        amended_by=list(adr.amended_by),
        decision=_excerpt(adr.decision),
    )
    if adr.number is not None:
        metadata["number"] = adr.number
    draft = Draft(
        content=text,
        kind=KIND,
        domain=DOMAIN,
        tags=short_names(("adr", *adr.tags)),
        aliases=adr.names,
        anchors=lies.anchors,
        at=said_at(adr.date, now),
        service=service,
        source=SOURCE,
        metadata={**metadata, **first_line(text)},
    )
    return Item(draft, lies.path, digest, joined(problem, adr.problem), size)


def _excerpt(text: str) -> str:
    """The beginning of a text in one line, for lists."""
    line = " ".join(text[: 4 * EXCERPT_LENGTH_MAX].split())
    return line if len(line) <= EXCERPT_LENGTH_MAX else line[:EXCERPT_LENGTH_MAX].rsplit(" ", 1)[0] + "…"


def _all(shape: Outline, keys: Iterable[str]) -> str:
    """The sections by these names, one after the other; those within another of them are there already."""
    found: list[str] = []
    for key in keys:
        body = shape.first((key,))
        if body and not any(body in other for other in found):
            found.append(body)
    return "\n\n".join(found)


def _worded(shape: Outline) -> str:
    """The decision under a heading that says it: "Decision: move to tracing"."""
    for section in shape.sections:
        if WORDED.match(section.title) and section.body:
            return f"{section.title}\n\n{section.body}"
    return ""


def _status(shape: Outline) -> Status:
    said = shape.field("status", "adr_status", "state", "decision_status", *_STATUS_ELSEWHERE)
    section = _first_status(shape) or shape.first(STATUS)
    if not (said or section) and (stage := shape.field("stage")):
        return found if (found := read_stage(stage)).name else read_status(stage)
    return read_status(section or said) if not said else read_status(f"{said}\n{section}".strip())


def _first_status(shape: Outline) -> str:
    """What the first heading about the status says, in itself ("Status: archived") or below it. A record that was moved
    to the archive may keep the one that it had before further down."""
    for section in shape.sections:
        if (found := _STATUS_SAID.match(section.title)) and read_status(found["said"]).name:
            return f"{found['said']}\n{section.body.partition('#')[0][:400]}".strip()
        if section.key in FIRST_STATUS and section.body.strip():
            return section.body
    return ""


def _given(shape: Outline) -> dict[str, str]:
    """What fields say of other records."""
    names = {
        "supersedes": ("supersedes", "supercedes", "replaces"),
        "superseded_by": ("superseded_by", "superceded_by", "supersededby", "replaced_by"),
        "amends": ("amends",),
        "amended_by": ("amended_by",),
    }
    return {key: said for key, spellings in names.items() if (said := shape.field(*spellings))}


def _number_and_title(path: str, shape: Outline, text: str) -> tuple[int | None, str]:
    stem = PurePosixPath(path.replace("\\", "/")).stem
    said = (shape.title if not is_section_name(shape.title) else "") or shape.field(*TITLES)
    if not said:
        first = text.lstrip().partition("\n")[0].strip()
        is_told = 0 < len(first) <= 120 and not first.startswith(_NO_TITLE) and not is_section_name(first)
        said = first if is_told else ""
    number = None
    if found := _TITLE.match(said) or _TITLE_NUMBER.match(said):
        number, said = int(found["number"]), found["title"]
    elif worded := _TITLE_WORD.match(said):
        said = worded["title"]
    named = _NAMED.match(stem) or (None if _DATED.match(stem) else _NUMBERED.match(stem))
    if named and (number is None or not 1970 <= int(named[1]) < 2200):
        number = int(named[1])  # Titles are copied and forgotten; a file's name is its own. But it may be a year.
    given = shape.field("number", "id", "adr", "adr_number")
    if number is None and (digits := re.fullmatch(r"(?:adr[-_ ]?)?0*(\d{1,5})", given.strip(), re.I)):
        number = int(digits[1])
    if not as_title(said) and is_among_proposals(path):
        return number, re.sub(r"[-_]+", " ", stem)
    rest = _DATED.sub("", stem) if _DATED.match(stem) else _NUMBERED.sub("", _NAMED.sub("", stem, count=1), count=1)
    return number, as_title(said) or re.sub(r"[-_]+", " ", rest).strip().capitalize() or stem


def _dates(path: str, shape: Outline, status: Status) -> tuple[When | None, When | None]:
    """When it was decided, and when its record was last changed: by its fields, status, changelog or name."""
    changes = [line for line in shape.first(CHANGES).split("\n")[:200] if line.strip()]
    logged = list(dates_in("\n".join(changes)))
    accepting = (when for line in changes if re.search(r"\b(?:accept|approv)", line, re.I) for when in dates_in(line))
    said = read_date(shape.field(*_DATE_FIELDS))
    section = read_date(shape.first(DATE).strip())
    earliest = min(logged, key=lambda when: when.at, default=None)
    stem = PurePosixPath(path.replace("\\", "/")).stem
    begins = _DATED.match(stem)
    named = read_date(begins[0]) if begins else None
    date = said or section or status.date or next(accepting, None) or earliest or named or _below_title(shape)
    last = read_date(shape.field(*CHANGED))
    return date, last or max(logged, key=lambda when: when.at, default=None)


def _below_title(shape: Outline) -> When | None:
    """The day with which the first line below the title begins: "2026-03-24 / Ann, with Bob"."""
    lines = (line.strip(" \t*_>(") for line in shape.preamble.split("\n") if not line.startswith("#"))
    first = next(filter(None, lines), "")
    found = next(dates_in(first[:BYLINE_MAX]), None)
    is_byline = len(first) <= BYLINE_MAX and found is not None and not _GOES_ON.match(first, found.end)
    return found if is_byline and found is not None and not found.start else None


def _people(shape: Outline) -> tuple[str, ...]:
    said = shape.field(
        "deciders",
        "decision_makers",
        "decision_maker",
        "approvers",
        "authors",
        "author",
        "author_s",
        "owner",
        "owners",
    )
    said = said or shape.first(("deciders", "decision makers", "authors", "author"))[:500]
    names = re.split(r"[,;\n]|\s&\s|\sand\s", re.sub(r"\[([^\]\n]{0,80})\]\([^)\n]{0,300}\)", r"\1", said))
    return short_names(re.sub(r"\s*[(<][^()<>]{0,80}[)>]\s*\Z", "", name).strip(" *-\t[]{}") for name in names)


def _y_statement(text: str) -> dict[str, str]:
    """ "In the context of …, facing …, we decided for … and against …, to achieve …, accepting …"."""
    small = text[:20_000].lower()
    at = small.find("in the context of")
    if at < 0 or len(small) != len(text[:20_000]):
        return {}
    marks = [at]
    for word in ("facing", "decided", "to achieve", "accepting"):
        at = small.find(word, marks[-1], marks[-1] + 2_000)
        if at < 0:
            return {}
        marks.append(at)
    end = min(
        (stop for stop in (small.find(".\n", marks[-1]), small.find("\n\n", marks[-1])) if stop >= 0), default=None
    )
    context, decision, aim, price = marks[0], marks[2], marks[3], text[marks[4] : end]
    return {
        "context": text[context:decision].strip(" ,\n").removesuffix(" we").strip(" ,\n*"),
        "decision": text[decision:aim].strip(" ,\n*"),
        "consequences": f"{text[aim : marks[4]]}{price[:2_000]}".strip(" ,\n*."),
    }
