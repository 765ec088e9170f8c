"""Fill: take in what a repository says about itself, its documents and its history. Said twice, it adds nothing."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..ingest.document import KIND as DOCUMENT
from ..ingest.document import SOURCE, documents
from ..ingest.history import COMMITS_MAX, history
from ..model.change import Restate, Say
from ..model.draft import Draft
from ..model.errors import Invalid, Unavailable
from ..model.moments import moment
from ..model.moments import parse as parse_moment
from ..model.node import Node, Occurrence
from ..model.record import CURRENT, Filter
from ..model.standing import RETRACTED
from ..repository import locate
from ..store.receive import prepare
from .engine import Asker, Engine, submit
from .remember import remember

BATCH = 200
GONE = "no longer in the repository"
# Headings that nearly every project has, and nobody asks about.
_USUAL = frozenset(
    "installation install getting started usage quickstart quick start license licence contributing contributors "
    "table of contents changelog credits acknowledgements support faq links see also references authors readme".split()
)

_DECISIONS = re.compile(r"\b(?:decisions?|adrs?)/", re.I)
# Reference pages are tables: a question about one is answered by a table.
_GENERATED = re.compile(r"\b(?:reference|api)/|changelog", re.I)

Progress = Callable[[int, int | None], None]


class Filled(NamedTuple):
    """What was read, how much of it was new and how much had gone; `problem` says what could not be read.

    `question` is one that this memory can answer.
    """

    files: int
    passages: int
    commits: int
    added: int
    gone: int
    question: str
    problem: str = ""


def fill(
    engine: Engine,
    asker: Asker,
    root: str | os.PathLike[str],
    progress: Progress | None = None,
    *,
    commits_max: int = COMMITS_MAX,
    retract: bool = True,
) -> Filled:
    """Remember the passages and commit messages below `root` that are not known yet; `retract` those that went.

    What somebody has forgotten or superseded since stays so.
    """
    now = engine.clock()
    read = list(documents(root))
    messages, problem = _messages(root, commits_max)
    drafts = [_not_ahead(draft, now) for draft in (*read, *messages)]
    known: set[str] = set()
    added = 0
    for start in range(0, len(drafts), BATCH):
        fresh = list(_fresh(engine, asker, drafts[start : start + BATCH], known))
        if fresh:
            remember(engine, asker, fresh, operation="memory_fill")
            added += len(fresh)
        if progress is not None:
            progress(min(start + BATCH, len(drafts)), len(drafts))
    return Filled(
        files=len({str(draft.metadata["path"]) for draft in read}),
        passages=len(read),
        commits=len(messages),
        added=added,
        gone=_retract_gone(engine, asker, known) if retract else 0,
        question=_question(read, messages),
        problem=problem,
    )


def _messages(root: str | os.PathLike[str], limit: int) -> tuple[list[Draft], str]:
    if locate(root) is None:
        return [], ""
    try:
        return list(history(root, limit)), ""
    except Unavailable as problem:
        return [], problem.message


def _not_ahead(draft: Draft, now: int) -> Draft:
    """The draft, said now at the latest: clocks that ran ahead wrote some commits and files."""
    at = parse_moment(draft.at, now, future=True)
    return replace(draft, at=moment(min(at, now)))


def _fresh(engine: Engine, asker: Asker, drafts: Sequence[Draft], known: set[str]) -> Iterator[Draft]:
    """The drafts that are to be remembered, each text once. `known` collects the addresses of all of them."""
    found: dict[str, Draft] = {}
    for draft in drafts:
        address = _address(engine, draft)
        if address and address not in known:
            known.add(address)
            found[address] = draft
    with engine.store.reading() as reader:
        records = reader.records(asker.namespace, list(found), (asker.scope.project,), CURRENT)
    settled = {r.node.address for r in records if r.standing.reason != GONE or r.standing.is_active(engine.clock())}
    yield from (draft for address, draft in found.items() if address not in settled)


def _address(engine: Engine, draft: Draft) -> str:
    """The address that the door will give this text, once it is clean and redacted; "" where it will refuse it."""
    say = Say(draft.kind, draft.content, Occurrence(at=0))
    try:
        step = prepare([say], None, engine.redact_extra)[0].step
    except Invalid:
        return ""
    return Node.make(draft.kind, step.content).address if isinstance(step, Say) else ""


def _retract_gone(engine: Engine, asker: Asker, known: set[str]) -> int:
    """Passages that an earlier run took in and that no file holds any more."""
    wanted = Filter(projects=(asker.scope.project,), kinds=(DOCUMENT,))
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
        gone = [r for r in reader.records_of(entries, CURRENT) if r.node.address not in known]
        said = reader.occurrences([r.entry for r in gone], CURRENT)
    ours = [r.node.address for r in gone if all(o.source == SOURCE for o in said.get(r.entry, ()))]
    if ours:
        steps = [Restate(address, (("state", RETRACTED),), GONE) for address in ours]
        submit(engine, asker, "memory_fill", steps, summary=f"{len(ours)} passages gone")
    return len(ours)


def _question(read: Sequence[Draft], messages: Sequence[Draft]) -> str:
    """Something that can be asked: about the longest passage under a heading of its own, or why something was done."""
    for draft in read:
        path, heading = str(draft.metadata.get("path", "")), str(draft.metadata.get("heading", ""))
        if _DECISIONS.search(path) and heading and not path.endswith("README.md") and "›" not in heading:
            return f"Why {heading.strip(' .?!:')}?"
    prose = [draft for draft in read if not _GENERATED.search(str(draft.metadata.get("path", "")))]
    named = [(draft, str(draft.metadata.get("heading", "")).rpartition(" › ")[2]) for draft in prose]
    telling = [(draft, heading) for draft, heading in named if heading and not _USUAL.issuperset(_words(heading))]
    if telling:
        heading = max(telling, key=lambda one: (2 <= len(one[1].split()) <= 8, len(one[0].content)))[1]
        return f"What should I know about {heading.strip(' .?!:')}?"
    explained = [draft.content for draft in messages if "\n" in draft.content]
    if explained:
        subject = max(explained, key=len).partition("\n")[0].rpartition(": ")[2]
        return f"Why did we {subject[:1].lower()}{subject[1:]}?"
    subjects = [draft.content for draft in messages] or [draft.content for draft in read]
    return f"What about {subjects[0].partition(chr(10))[0]}?" if subjects else "What is this project about?"


def _words(heading: str) -> list[str]:
    return "".join(mark if mark.isalnum() else " " for mark in heading.lower()).split()


__all__ = ["Filled", "fill"]
