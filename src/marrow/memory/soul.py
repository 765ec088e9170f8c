"""Soul: the project's knowledge as one document, a line for each node, the most important first, within a budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import age, iso
from ..model.record import CURRENT, Filter, Record
from ..model.text import counted, first_line, token_estimate
from ..store.protocol import Reader
from .engine import Asker, Engine, sequence
from .moment import moment

BUDGET_MIN, BUDGET_MAX = 200, 20_000
FIRST_DOMAINS = ("architecture", "decisions", "patterns", "dependencies", "issues", "tasks")
# Recipes and ratings are no knowledge about the project, and the code and its logs say of themselves what they are.
KINDS_LEFT_OUT = frozenset(("pipeline", "vector", "survey", "code", "log"))
DOCUMENT = "document"
LINE_LENGTH = 160
LOW_CONFIDENCE = 0.5
# How many nodes are weighed: of the domains that come first, and of the rest. Older ones are only counted.
FIRST_CONSIDERED, REST_CONSIDERED = 5_000, 1_000
DOMAINS_NAMED, NAME_LENGTH = 6, 24
# Marks, address and age alone take more than this.
LINE_TOKENS_MIN = 8

_MARK = re.compile(r"(?:[-*•>]|#{1,6}|\d{1,2}[.)])\s+")


class Line(NamedTuple):
    """One node in the document. `marks` are what a reader must know before trusting it."""

    address: str
    kind: str
    text: str
    age: str
    pinned: bool = False
    marks: tuple[str, ...] = ()


class Section(NamedTuple):
    """A domain: its lines, and how many more nodes there are in it. `unread` are those that were not weighed."""

    domain: str
    lines: tuple[Line, ...]
    left_out: int = 0
    unread: int = 0


class Soul(NamedTuple):
    """`left_out` counts all nodes without a line; `unread` those among them that are in none of the sections."""

    project: str
    at: int
    sections: tuple[Section, ...]
    left_out: int = 0
    unread: int = 0


def soul(engine: Engine, asker: Asker, budget_tokens: int = 2_000, as_of: object = None) -> Soul:
    """What is known about the caller's project, as a document of at most about `budget_tokens`."""
    is_whole = isinstance(budget_tokens, int) and not isinstance(budget_tokens, bool)
    if not is_whole or not BUDGET_MIN <= budget_tokens <= BUDGET_MAX:
        raise Invalid(
            f"budget_tokens is a whole number from {BUDGET_MIN} to {BUDGET_MAX:,}, not {budget_tokens!r}.",
            field="budget_tokens",
        )
    with engine.store.reading() as reader:
        clock = engine.clock()
        seq = sequence(reader, asker, as_of, clock)
        now = moment(reader, asker, seq, clock)
        records, unread = _considered(reader, asker, seq, now)
        titles = _titles(reader, [record.entry for record in records if record.node.kind == DOCUMENT])
        by_domain = _sorted_by_domain(records, engine.domains)
        older = _by_domain(reader, asker, unread, dict.fromkeys((*by_domain, *engine.domains)), seq, now)
    sections = [
        Section(
            name, tuple(_line(record, now, titles) for record in by_domain.get(name, ())), unread=older.get(name, 0)
        )
        for name in dict.fromkeys((*by_domain, *older))
    ]
    whole = Soul(asker.scope.project, now, tuple(sections), unread=len(unread) - sum(older.values()))
    return _within_budget(whole, budget_tokens)


def markdown(soul: Soul) -> str:
    """The document as Markdown."""
    name = first_line(soul.project, LINE_LENGTH // 2) or "the global scope"
    shown_count = sum(len(section.lines) for section in soul.sections)
    parts = [f"# What is known about {name}", f"{iso(soul.at)[:10]}: {counted(shown_count + soul.left_out, 'node')}."]
    if not shown_count and not soul.left_out:
        return f"{parts[0]}\n\nNothing is known yet.\n"
    for section in soul.sections:
        if section.lines:
            count = len(section.lines)
            share = f" ({count} of {count + section.left_out:,})" if section.left_out else ""
            parts += ["", f"## {section.domain.capitalize()}{share}", "", *map(_markdown_line, section.lines)]
    if soul.left_out:
        parts += ["", _left_out_line(soul)]
    return "\n".join(parts) + "\n"


def _markdown_line(line: Line) -> str:
    said = line.age if line.age == "just now" else f"{line.age} ago"
    about = ", ".join(("pinned", said, *line.marks) if line.pinned else (said, *line.marks))
    return f"- {line.text} [{shown(line.address)}] ({about})"


def _left_out_line(soul: Soul) -> str:
    unseen = [(section.left_out, section.domain) for section in soul.sections if not section.lines]
    most = sorted(unseen, reverse=True)[:DOMAINS_NAMED]
    named = ", ".join(f"{first_line(domain, NAME_LENGTH)} {count}" for count, domain in most)
    whole = f" Not shown at all: {named}." if named else ""
    return f"{soul.left_out:,} more were left out for space.{whole} Search by domain, or ask for a larger budget."


def _considered(reader: Reader, asker: Asker, seq: int, now: int) -> tuple[list[Record], frozenset[int]]:
    """The records that are weighed, and the active entries that are not."""
    place = asker.places("project")
    every = reader.select(asker.namespace, Filter(projects=place), seq, now)
    known = {entry for entry, kind in reader.kinds_of(every).items() if kind not in KINDS_LEFT_OUT}
    first = reader.select(asker.namespace, Filter(projects=place, domains=FIRST_DOMAINS), seq, now)
    pinned = reader.select(asker.namespace, Filter(projects=place, pinned=True), seq, now)
    first = [entry for entry in first if entry in known]
    others = known.difference(first)
    rest = [entry for entry in every if entry in others]
    pinned = [entry for entry in pinned if entry in known]
    chosen = list(dict.fromkeys([*pinned, *first[:FIRST_CONSIDERED], *rest[:REST_CONSIDERED]]))
    return reader.records_of(chosen, seq), frozenset(known.difference(chosen))


def _by_domain(
    reader: Reader, asker: Asker, entries: frozenset[int], domains: Iterable[str], seq: int, now: int
) -> dict[str, int]:
    """How many of these entries each domain has."""
    counts: dict[str, int] = {}
    for domain in domains if entries else ():
        wanted = Filter(projects=asker.places("project"), domains=(domain,))
        if found := len(entries.intersection(reader.select(asker.namespace, wanted, seq, now))):
            counts[domain] = found
    return counts


def _titles(reader: Reader, entries: Sequence[int]) -> dict[int, str]:
    """A document that was read from a file goes by its path and title: its first line may be anything."""
    found = {}
    for entry, said in reader.occurrences(entries, CURRENT).items():
        fields = said[-1].fields if said else {}
        if (path := fields.get("path")) and (title := fields.get("title")):
            found[entry] = f"{path}: {title}"
    return found


def _sorted_by_domain(records: Sequence[Record], domains: Sequence[str]) -> dict[str, list[Record]]:
    others = sorted({record.standing.domain for record in records}.difference(domains))
    order = dict.fromkeys((*FIRST_DOMAINS, *domains, *others))
    by_domain: dict[str, list[Record]] = {domain: [] for domain in order}
    for record in sorted(records, key=_rank):
        by_domain[record.standing.domain].append(record)
    return {domain: found for domain, found in by_domain.items() if found}


def _rank(record: Record) -> tuple[bool, float, int, str]:
    standing = record.standing
    return not standing.pinned, -round(standing.priority * standing.confidence, 6), -record.last_at, record.node.address


def _line(record: Record, now: int, titles: Mapping[int, str]) -> Line:
    standing = record.standing
    marks = []
    if standing.confidence < LOW_CONFIDENCE:
        marks.append("low confidence")
    if standing.drift:
        marks.append(f"drifted: {standing.drift}")
    if standing.preliminary:
        marks.append("preliminary")
    text = titles.get(record.entry) or " ".join(record.node.content.strip().partition("\n")[0].split())
    mark = _MARK.match(text)
    text = first_line(text[mark.end() :] if mark else text, LINE_LENGTH)
    return Line(record.node.address, record.node.kind, text, age(record.last_at, now), standing.pinned, tuple(marks))


def _within_budget(whole: Soul, budget: int) -> Soul:
    """As many lines as fit: the pinned of every section first, then one line of each section in turn."""
    counts = [0] * len(whole.sections)
    turns = [
        (at, number)
        for pinned in (True, False)
        for number in range(max((len(section.lines) for section in whole.sections), default=0))
        for at, section in enumerate(whole.sections)
        if number < len(section.lines) and section.lines[number].pinned is pinned
    ]
    left = budget - token_estimate(markdown(_shown(whole, counts)))
    taken: list[int] = []
    for at, number in turns:
        if left < LINE_TOKENS_MIN:
            break
        section = whole.sections[at]
        cost = token_estimate(_markdown_line(section.lines[number]))
        cost += 0 if counts[at] else token_estimate(f"## {section.domain} ({number} of {len(section.lines)})")
        # Lines of a section come in their order: one that does not fit ends it.
        if counts[at] == number and cost <= left:
            counts[at] += 1
            left -= cost
            taken.append(at)
    # The last line names other domains as these fill, so the sum can be off; the document as it is read decides.
    while taken and token_estimate(markdown(_shown(whole, counts))) > budget:
        counts[taken.pop()] -= 1
    return _shown(whole, counts)


def _shown(whole: Soul, counts: Sequence[int]) -> Soul:
    sections = tuple(
        section._replace(lines=section.lines[:count], left_out=len(section.lines) - count + section.unread)
        for section, count in zip(whole.sections, counts, strict=True)
    )
    return whole._replace(sections=sections, left_out=whole.unread + sum(section.left_out for section in sections))
