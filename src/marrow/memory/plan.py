"""Planning a task from what is known: architecture, constraints, risks, state, affected files, blockers. Every line has
its source; where nothing is known, nothing is said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.address import shown
from ..model.errors import Invalid, MarrowError
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.text import counted, first_line
from ..repository.branch import current_branch
from ..repository.identity import locate
from ..repository.working_tree import working_tree
from ..search.central import is_central
from ..search.cut import LEAST
from ..search.evidence import Evidence
from ..search.find import Hit
from ..search.question import Asked, Question
from ..search.relevance import relevance
from .anchors.finding import MOVED
from .attribution import TAKEN_IN, origins_of
from .engine import Asker, Engine
from .known_about import known_about
from .known_here import PASSING_KINDS, known_here, told_first
from .named_code import named_files, named_symbols, without_generic
from .organisation.answering_place import answering
from .organisation.attributed import Attributed
from .recall import ACCOUNT, recall
from .search import search

ARCHITECTURE, CONSTRAINTS, RISKS, ALSO, STATE, FILES, BLOCKERS = (
    "architecture",
    "constraints",
    "risks",
    "also known",
    "state",
    "files",
    "blockers",
)
SECTIONS = (ARCHITECTURE, CONSTRAINTS, RISKS, ALSO, STATE, FILES, BLOCKERS)
OF_SECTION = 6
# Of so many times as many, those that people told come first.
SEARCHED_OVER = 5
# What scores less has nothing to do with the task.
SCORE_LEAST = 0.25
# A document speaks of the task where so much of what the task says stands in one place of it.
COVERED_LEAST = 0.5
FILES_SHOWN = 12
# Which memories a section asks for, and of which kinds.
ASKED: dict[str, tuple[Filter, ...]] = {
    ARCHITECTURE: (Filter(domains=("architecture", "patterns")), Filter(kinds=("design", "document"))),
    CONSTRAINTS: (Filter(domains=("decisions", "dependencies")), Filter(kinds=("preference", "decision"))),
    RISKS: (Filter(domains=("issues",)), Filter(kinds=("incident", "learning"))),
}
# Where a memory belongs that is pinned to an affected file; how many of those files are surely meant.
OF_DOMAIN = {
    "architecture": ARCHITECTURE,
    "patterns": ARCHITECTURE,
    "decisions": CONSTRAINTS,
    "dependencies": CONSTRAINTS,
    "issues": RISKS,
}
FILES_TRUSTED = 4
STATE_KINDS = ("checkpoint", "handoff", "arc", "task")
OPEN_KINDS = ("question", "gap")
LOW_CONFIDENCE = 0.5


class PlanLine(NamedTuple):
    """One thing to know for the task: `source` is the address of a memory, `git`, or a file; `path` is where a document
    stands that was taken in, with the lines of what is told of it."""

    section: str
    content: str
    source: str
    why: str = ""
    record: Record | None = None
    path: str = ""


class Plan(NamedTuple):
    task: str
    lines: tuple[PlanLine, ...]

    def of(self, section: str) -> list[PlanLine]:
        return [line for line in self.lines if line.section == section]


def plan(engine: Engine, asker: Asker, task: str) -> Plan:
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not task.strip():
        raise Invalid("It is not said what to plan.", hint="Say in a sentence what is to be done.", field="task")
    quiet = engine.uncounted()
    found: list[PlanLine] = []
    seen: set[str] = set()
    for section, filters in ASKED.items():
        found += [_line(section, one) for one in _asked(quiet, asker, task, filters, seen)[:OF_SECTION]]
    found += _recalled(quiet, asker, task, seen)
    found += _doubtful(found)
    found += _state(quiet, asker, task, seen)
    known = [line.record for line in found if line.record is not None]
    files = _files(engine, asker, task, known)
    pinned = _pinned_there(engine, asker, [line.source for line in files[:FILES_TRUSTED]], seen)
    found += [*files, *pinned]
    known += [line.record for line in pinned if line.record is not None]
    blockers = _blockers(quiet, asker, task, known, seen, {line.source for line in found if line.section != ALSO})
    blocking = {line.source for line in blockers}
    found = [line for line in found if line.section != ALSO or line.source not in blocking] + blockers
    order = {section: place for place, section in enumerate(SECTIONS)}
    return Plan(task.strip(), tuple(sorted(found, key=lambda line: order[line.section])))


def _line(section: str, one: Attributed, why: str = "") -> PlanLine:
    """What a memory says; of a document the passage that speaks of the task, and where that stands."""
    record, lines = one.record, one.lines
    place = f":{lines[0]}-{lines[1]}" if lines and lines[0] != lines[1] else f":{lines[0]}" if lines else ""
    path = f"{one.named_path}{place}" if one.origin.path else ""
    return PlanLine(section, one.passage.strip(), record.node.address, why or _doubt(record), record, path)


def _asked(engine: Engine, asker: Asker, task: str, filters: Sequence[Filter], seen: set[str]) -> list[Attributed]:
    """What is about the task among those that a section asks for, each once in the whole plan."""
    told: list[Attributed] = []
    over = SEARCHED_OVER * OF_SECTION
    for wanted in (_here(asker, one) for one in filters):
        # Ranked and not cut: for a plan, what was said only near to the subject is worth knowing too.
        found = search(engine, asker, task, wanted, limit=over, min_score=SCORE_LEAST)
        question = Question(without_generic(task), asker.namespace, wanted, found.now)
        hits = [
            hit
            for hit in found.hits
            if ACCOUNT not in hit.record.standing.tags
            and (not found.origins[hit.record.entry].path or _speaks_of(question, found.asked, hit))
        ]
        for hit in told_first(hits, OF_SECTION):
            place = hit.evidence.place if hit.evidence else None
            one = Attributed(hit.record, found.origins[hit.record.entry], hit.score, place)
            told.append(answering(one, task, found.asked))
    fresh = [one for one in told if one.record.node.address not in seen]
    seen.update(one.record.node.address for one in fresh)
    return list({one.record.node.address: one for one in fresh}.values())


def _speaks_of(question: Question, asked: Asked, hit: Hit) -> bool:
    """Of documents there are many, and most of them have a word of the task somewhere."""
    said = relevance(question, asked, hit.record, hit.evidence or Evidence())
    return said.score >= LEAST and said.covered >= COVERED_LEAST and is_central(question, asked, hit)


def _recalled(engine: Engine, asker: Asker, task: str, seen: set[str]) -> list[PlanLine]:
    """What is recalled for the task, whatever its domain: most of what people save has none."""
    left_out = {*PASSING_KINDS, *STATE_KINDS, *OPEN_KINDS}
    kept = [one for one in recall(engine, asker, task).relevant if one.record.node.kind not in left_out]
    with engine.store.reading() as reader:
        origins = origins_of(reader, asker, [one.record for one in kept])
    kept = [one for one in kept if not origins[one.record.entry].path]  # documents were looked at
    records = [one.record for one in told_first(kept, OF_SECTION) if one.record.node.address not in seen]
    seen.update(record.node.address for record in records)
    return [
        PlanLine(OF_DOMAIN.get(r.standing.domain, ALSO), r.node.content, r.node.address, _doubt(r), r) for r in records
    ]


def _here(asker: Asker, wanted: Filter) -> Filter:
    return Filter(projects=asker.places(), kinds=wanted.kinds, domains=wanted.domains)


def _doubt(record: Record) -> str:
    if record.standing.drift not in ("", MOVED):  # what moved is pinned anew, and holds
        return f"its code {record.standing.drift}"
    return f"confidence {record.standing.confidence:g}" if record.standing.confidence < LOW_CONFIDENCE else ""


def _doubtful(lines: Sequence[PlanLine]) -> list[PlanLine]:
    """What the plan rests on, and may not hold any more, is a risk too."""
    return [
        PlanLine(RISKS, f"May not hold any more: {first_line(line.content, 120)}", shown(line.source), line.why)
        for line in lines
        if line.why and line.section != RISKS
    ]


def _state(engine: Engine, asker: Asker, task: str, seen: set[str]) -> list[PlanLine]:
    asked = _asked(engine, asker, task, (Filter(kinds=STATE_KINDS),), seen)
    lines = [_line(STATE, one, one.record.node.kind) for one in asked]
    return [*lines[:OF_SECTION], *_tree_state(asker)]


def _tree_state(asker: Asker) -> list[PlanLine]:
    if not asker.root or locate(asker.root, environ={}) is None:
        return []
    try:
        branch, tree = current_branch(asker.root), working_tree(asker.root)
    except MarrowError:
        return []
    at = f" at {branch.commit[:10]}" if branch.commit else ", without a commit yet"
    where = f"on {branch.name or 'no branch'}{at}"
    apart = f", {branch.ahead} ahead and {branch.behind} behind {branch.upstream}" if branch.ahead is not None else ""
    under_way = f", {branch.under_way} under way" if branch.under_way else ""
    names = ", ".join(file.path for file in tree.files[:5])
    changed = (
        f"; {counted(len(tree.files), 'file')} not committed: {names}" if tree.files else "; nothing is uncommitted"
    )
    more = " …" if len(tree.files) > 5 else ""
    return [PlanLine(STATE, f"{where}{apart}{under_way}{changed}{more}", "git", "the working tree")]


def _files(engine: Engine, asker: Asker, task: str, known: Sequence[Record]) -> list[PlanLine]:
    """The files that what is known is pinned to, and those that go by the task's words."""
    why: dict[str, list[str]] = {}
    with engine.store.reading() as reader:
        anchors = reader.anchors([record.entry for record in known], CURRENT)
        for record in known:
            for anchor in anchors.get(record.entry, []):
                if anchor.type in ("file", "lines"):
                    why.setdefault(anchor.target, []).append(f"[{record.node.address[:12]}] is about it")
        for symbol in named_symbols(engine, asker, task, FILES_SHOWN):
            called = f", called from {counted(symbol.callers, 'place')}" if symbol.callers else ""
            why.setdefault(symbol.path, []).append(f"{symbol.kind} {symbol.name} in line {symbol.line}{called}")
        for file in named_files(asker, task, FILES_SHOWN):
            why.setdefault(file.path, []).append(f"named {', '.join(file.words)}")
        about = known_about(engine, reader, asker, list(why))
    ranked = sorted(why, key=lambda path: (-len(why[path]), list(why).index(path)))[:FILES_SHOWN]
    return [
        PlanLine(
            FILES, path, path, "; ".join([*why[path][:3], f"{counted(len(about.get(path, ())), 'memory')} about it"])
        )
        for path in ranked
    ]


def _pinned_there(engine: Engine, asker: Asker, paths: Sequence[str], seen: set[str]) -> list[PlanLine]:
    """What is known about the files that the task is most about, in the section of its domain."""
    lines = []
    with engine.store.reading() as reader:
        known = known_here(reader, asker, paths, engine.clock())
    for path, some in known.items():
        for record in (one.record for one in told_first(some, len(some)) if one.record.node.address not in seen):
            section = OF_DOMAIN.get(record.standing.domain, ALSO)
            seen.add(record.node.address)
            why = "; ".join(part for part in (f"about {path}", _doubt(record)) if part)
            lines.append(PlanLine(section, record.node.content, record.node.address, why, record))
    return lines[: 2 * OF_SECTION]


def _blockers(
    engine: Engine, asker: Asker, task: str, known: Sequence[Record], seen: set[str], told: set[str]
) -> list[PlanLine]:
    """Open questions and gaps about it, and what blocks what is known, or what it depends on."""
    asked = _asked(engine, asker, task, (Filter(kinds=OPEN_KINDS),), seen)
    lines = [_line(BLOCKERS, one, f"open {one.record.node.kind}") for one in asked]
    by_address = {record.node.address: record for record in known}
    with engine.store.reading() as reader:
        links = reader.links(asker.namespace, list(by_address), asker.places(), CURRENT)
        ends = {"blocks": lambda link: link.source, "depends_on": lambda link: link.target}
        wanted = [(ends[link.rel](link), link) for link in links if link.rel in ends]
        found = reader.records(asker.namespace, [address for address, _ in wanted], asker.places(), CURRENT)
    records = {record.node.address: record for record in found if record.standing.is_active(engine.clock())}
    for address, link in wanted:
        # A document that another names is what that rests on, and nothing that must be done first.
        is_only_named = link.rel != "blocks" and address in records and records[address].node.kind in TAKEN_IN
        if address in records and address not in told and not is_only_named:
            words = "blocks" if link.rel == "blocks" else "is what it depends on:"
            why = f"{words} [{(link.target if link.rel == 'blocks' else link.source)[:12]}]"
            lines.append(PlanLine(BLOCKERS, records[address].node.content, address, why, records[address]))
    return lines[:OF_SECTION]
