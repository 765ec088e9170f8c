"""Exploring a subject: what is recalled, where it is in the code, what else is found, what is not known, and what
does not agree. A trace of steps that a reader can follow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..model.errors import Invalid, MarrowError
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.text import counted, first_line
from ..repository.file_sorts import is_test
from ..repository.identity import locate
from .engine import Asker, Engine
from .git.commit_index import Progress
from .git.search_commits import search_commits
from .graph import graph
from .known_about import known_about
from .known_here import told_first
from .named_code import NamedSymbol, named_files, named_symbols
from .recall import QUESTION_KINDS, recall
from .search import search

RECALL, LOCATE, SEARCH, GAPS, TENSIONS, LINKED, HISTORY = (
    "recall",
    "locate",
    "search",
    "gaps",
    "tensions",
    "linked",
    "history",
)
# How many each step gives; a deep one gives more and goes further.
SHALLOW = {RECALL: 6, LOCATE: 8, SEARCH: 6, GAPS: 6, TENSIONS: 6}
DEEP = {RECALL: 12, LOCATE: 20, SEARCH: 15, GAPS: 12, TENSIONS: 12, LINKED: 10, HISTORY: 6}
# What scores less has little to do with the subject.
SEARCH_LEAST = 0.25
# Of so many times as many, those that people told come first.
SEARCHED_OVER = 5
LOW_CONFIDENCE = 0.5


class Clue(NamedTuple):
    """One thing that a step came upon: a memory, or a place in the code. `why` says how it got here."""

    step: str
    content: str
    why: str = ""
    record: Record | None = None
    path: str = ""
    line: int = 0


class Step(NamedTuple):
    """What was done, and what came of it: `found` says so in a few words, also where it was nothing."""

    name: str
    asked: str
    found: str
    clues: tuple[Clue, ...]


class Explored(NamedTuple):
    topic: str
    steps: tuple[Step, ...]


def explore(
    engine: Engine, asker: Asker, topic: str, *, deep: bool = False, progress: Progress | None = None
) -> Explored:
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not topic.strip():
        raise Invalid("It is not said what to explore.", hint="Give a subject in a few words.", field="topic")
    depth = DEEP if deep else SHALLOW
    quiet = engine.uncounted()  # looking around is not the same as being told
    recalled = _recalled(quiet, asker, topic, depth[RECALL])
    located = _located(engine, asker, topic, depth[LOCATE])
    known = {clue.record.node.address for clue in recalled.clues if clue.record}
    searched = _searched(quiet, asker, topic, depth[SEARCH], known)
    records = [clue.record for step in (recalled, searched) for clue in step.clues if clue.record]
    steps = [recalled, located, searched]
    if deep:
        steps += [
            _linked(quiet, asker, records, depth[LINKED]),
            _history(engine, asker, topic, depth[HISTORY], progress),
        ]
    steps.append(_gaps(quiet, asker, topic, located, depth[GAPS]))
    steps.append(_tensions(engine, asker, records, depth[TENSIONS]))
    return Explored(topic.strip(), tuple(steps))


def _recalled(engine: Engine, asker: Asker, topic: str, limit: int) -> Step:
    found = recall(engine, asker, topic, limit=limit)
    clues = [_clue(RECALL, kept.record, "matters for it") for kept in told_first(found.relevant, limit)]
    clues += [_clue(RECALL, record, "pinned") for record in found.pinned]
    return Step(RECALL, f"what matters for {topic!r}", _count(clues, "memory", "memories"), tuple(clues))


def _located(engine: Engine, asker: Asker, topic: str, limit: int) -> Step:
    files = named_files(asker, topic, limit)
    symbols = named_symbols(engine, asker, topic, limit)
    clues = [Clue(LOCATE, s.name, _kind(s), path=s.path, line=s.line) for s in symbols]
    clues += [Clue(LOCATE, file.path, f"named {', '.join(file.words)}", path=file.path) for file in files]
    with engine.store.reading() as reader:
        known = known_about(engine, reader, asker, list(dict.fromkeys(clue.path for clue in clues)))
    told = [_with_count(clue, len(known.get(clue.path, ()))) for clue in clues]
    both = f"{counted(len(files), 'file')} and {counted(len(symbols), 'symbol')}"
    found = f"{both} go by its words" if clues else "nothing goes by its words"
    return Step(LOCATE, "files and symbols that go by its words", found, tuple(told))


def _kind(symbol: NamedSymbol) -> str:
    return f"{symbol.kind}, called from {counted(symbol.callers, 'place')}" if symbol.callers else symbol.kind


def _with_count(clue: Clue, known: int) -> Clue:
    """Of a symbol, what is known of the file around it: most of that is about something else in it."""
    of = "its file" if clue.line else "it"
    return clue._replace(why=f"{clue.why}; {counted(known, 'memory')} about {of}") if known else clue


def _searched(engine: Engine, asker: Asker, topic: str, limit: int, known: set[str]) -> Step:
    wanted = Filter(projects=asker.places())
    hits = search(engine, asker, topic, wanted, limit=SEARCHED_OVER * limit + len(known), min_score=SEARCH_LEAST).hits
    new = [h for h in hits if h.record.node.address not in known and h.record.node.kind not in QUESTION_KINDS]
    clues = [_clue(SEARCH, hit.record, f"score {hit.score:.2f}") for hit in told_first(new, limit)]
    return Step(
        SEARCH, "all memories, ranked", f"{_count(clues, 'more', 'more')} beyond what was recalled", tuple(clues)
    )


def _linked(engine: Engine, asker: Asker, records: Sequence[Record], limit: int) -> Step:
    """What hangs together with what was found."""
    seen = {record.node.address for record in records}
    clues: list[Clue] = []
    for record in records[:5]:
        found = graph(engine, asker, record.node.address, 2)
        for one in found.nodes[1:]:
            if one.record.node.address not in seen and len(clues) < limit:
                seen.add(one.record.node.address)
                clues.append(_clue(LINKED, one.record, f"linked with {record.node.address[:12]}"))
    return Step(LINKED, "what the memories found are linked with", _count(clues, "more", "more"), tuple(clues))


def _history(engine: Engine, asker: Asker, topic: str, limit: int, progress: Progress | None) -> Step:
    asked = "the commits that speak of it"
    if not asker.root or locate(asker.root, environ={}) is None:
        return Step(HISTORY, asked, "there is no repository", ())
    try:
        found = search_commits(engine, asker, asker.root, topic, limit, progress).items
    except MarrowError as problem:
        return Step(HISTORY, asked, problem.message, ())
    clues = [Clue(HISTORY, f"{one.commit.hash[:10]} {one.commit.subject}", f"score {one.score:.2f}") for one in found]
    return Step(HISTORY, asked, _count(clues, "commit", "commits"), tuple(clues))


def _gaps(engine: Engine, asker: Asker, topic: str, located: Step, limit: int) -> Step:
    """What was noted as unknown, and the places that go by its words but nothing is known about."""
    wanted = Filter(projects=asker.places(), kinds=QUESTION_KINDS)
    hits = search(engine, asker, topic, wanted, limit=limit, min_score=SEARCH_LEAST).hits
    clues = [_clue(GAPS, hit.record, f"open {hit.record.node.kind}") for hit in hits]
    blank = (clue.path for clue in located.clues if " about it" not in clue.why and not is_test(clue.path))
    paths = list(dict.fromkeys(blank))
    clues += [Clue(GAPS, path, "nothing is known about it", path=path) for path in paths[: limit - len(clues)]]
    return Step(GAPS, "what is not known about it", _count(clues, "gap", "gaps"), tuple(clues))


def _tensions(engine: Engine, asker: Asker, records: Sequence[Record], limit: int) -> Step:
    """Memories that contradict each other, whose code has moved, or that nobody is sure of."""
    by_address = {record.node.address: record for record in records}
    clues: list[Clue] = []
    with engine.store.reading() as reader:
        links = reader.links(asker.namespace, list(by_address), asker.places(), CURRENT)
        others = {end for link in links if link.rel == "contradicts" for end in (link.source, link.target)}
        missing = [address for address in others if address not in by_address]
        found = reader.records(asker.namespace, missing, asker.places(), CURRENT)
        by_address.update({record.node.address: record for record in found})
    for link in links:
        one, other = by_address.get(link.source), by_address.get(link.target)
        if link.rel == "contradicts" and one and other:
            clues.append(_clue(TENSIONS, one, f"contradicts [{link.target[:12]}] {first_line(other.node.content, 80)}"))
    for record in records:
        if record.standing.drift:
            clues.append(_clue(TENSIONS, record, f"its code {record.standing.drift}"))
        elif record.standing.confidence < LOW_CONFIDENCE:
            clues.append(_clue(TENSIONS, record, f"confidence {record.standing.confidence:g}"))
    return Step(TENSIONS, "what does not agree", _count(clues, "tension", "tensions"), tuple(clues[:limit]))


def _clue(step: str, record: Record, why: str) -> Clue:
    return Clue(step, record.node.content, why, record)


def _count(found: Iterable[object], one: str, many: str) -> str:
    count = len(list(found))
    return f"{count or 'no'} {one if count == 1 else many}"
