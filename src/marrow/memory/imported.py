"""What an import says about itself, and the way in for drafts that come from a file: ordinary saves, in batches.

A draft that was taken in before is passed over, whatever became of it since: importing the same file again changes
nothing, and does not bring back what was forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..ingest.item import Skipped
from ..model.address import is_address
from ..model.change import NEW, SAME, Relate, Restate, Say, Step
from ..model.draft import Draft, check_kind, occurrence_of, standing_of
from ..model.errors import MarrowError
from ..model.node import Node, Occurrence
from ..model.record import CURRENT
from ..model.scope import WRITE
from ..model.standing import ACTIVE, COMPRESSED, changed
from ..model.text import counted
from ..store.admit import admit_step
from ..store.desk import Prepared
from ..store.protocol import Reader
from ..store.receive import prepare
from .engine import Asker, Engine, submit
from .import_told import Told

Progress = Callable[[int, "int | None"], None]
BATCH = 200
OPERATION = "memory_import"


class Imported(NamedTuple):
    """`found` is what the file holds; new, changed and unchanged say what became of it, or would with `dry_run`.
    `kinds` counts what was found by kind, `problems` says what could not be read, `projects` into
    which it went, `told` what a bundle did to single memories."""

    source: str
    format: str
    dry_run: bool
    found: int
    new: int
    changed: int
    unchanged: int
    links: int = 0
    redacted: int = 0
    events: tuple[int, ...] = ()
    kinds: tuple[tuple[str, int], ...] = ()
    problems: tuple[Skipped, ...] = ()
    projects: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()
    links_ended: int = 0


class Placed(NamedTuple):
    """A draft and where in the file it stands. Another memory's has a `key` there, `links` to other keys, and perhaps a
    `state` in which it no longer holds. Marrow's own has `inputs`, and `standing` that a draft cannot say."""

    where: str
    draft: Draft
    key: str = ""
    links: tuple[tuple[str, str], ...] = ()
    state: str = ""
    inputs: tuple[str, ...] = ()
    standing: tuple[tuple[str, object], ...] = ()


def import_drafts(
    engine: Engine,
    asker: Asker,
    drafts: Sequence[Placed],
    *,
    source: str,
    format: str,  # noqa: A002
    dry_run: bool,
    progress: Progress | None,
    strict: bool = True,
    timed: bool = True,
    problems: Sequence[Skipped] = (),
) -> Imported:
    """Everything is checked before the first batch is saved, so a mistake in the file changes nothing. What is not
    `strict` passes over what is wrong, and says so: another program's memory cannot be mended by hand. What is not
    `timed` has the time of its file: said again at another time from the same place, it is still the same."""
    project = asker.scope.project
    asker.principal.check(WRITE, asker.namespace, project)
    pairs, wrong = _all_prepared(engine, drafts, strict)
    says = [one.step for _, one in pairs if isinstance(one.step, Say)]
    with engine.store.reading() as reader:
        known = [_known(reader, asker.namespace, project, say, timed) for say in says]
    fresh = [say for say, what in zip(says, known, strict=True) if what != SAME]
    counts = Counter(known)
    events: list[int] = []
    if not dry_run:
        counts = Counter({SAME: counts[SAME]})
        for at in range(0, len(fresh), BATCH):
            batch = fresh[at : at + BATCH]
            summary = f"import {counted(len(batch), 'node')}"
            receipt = submit(engine, asker, OPERATION, batch, summary=summary, project=project)
            counts.update(outcome.what for outcome in receipt.outcomes)
            events.append(receipt.seq)
            if progress is not None:
                progress(min(at + BATCH, len(fresh)), len(fresh))
    changed = len(says) - counts[NEW] - counts[SAME]
    totals = (len(says), counts[NEW], changed, counts[SAME])
    addresses = [(placed, Node.make(say.kind, say.content, say.inputs).address) for (placed, _), say in _said(pairs)]
    ties = _ties(engine, asker, addresses)
    made, untied = (len(ties), []) if dry_run else _tie(engine, asker, ties, events)
    if not dry_run:
        _settle(engine, asker, addresses, events)
    return Imported(
        source,
        format,
        dry_run,
        *totals,
        links=made,
        redacted=sum(bool(one.redacted) for _, one in pairs),
        events=tuple(events),
        kinds=tuple(sorted(Counter(say.kind for say in says).items())),
        problems=(*problems, *wrong, *untied),
        projects=(project,),
    )


def _all_prepared(
    engine: Engine, drafts: Sequence[Placed], strict: bool
) -> tuple[list[tuple[Placed, Prepared]], list[Skipped]]:
    pairs, wrong = [], []
    for placed in drafts:
        try:
            pairs.append((placed, _prepared(engine, placed)))
        except MarrowError as problem:
            if strict:
                raise
            wrong.append(Skipped(placed.where, problem.message))
    return pairs, wrong


def _said(pairs: Sequence[tuple[Placed, Prepared]]) -> list[tuple[tuple[Placed, Prepared], Say]]:
    return [(pair, pair[1].step) for pair in pairs if isinstance(pair[1].step, Say)]


def _prepared(engine: Engine, placed: Placed) -> Prepared:
    """The step as the door will take it, clean and without secrets. What is wrong is said of its place in the file."""
    draft, now = placed.draft, engine.clock()
    try:
        kind = check_kind(draft.kind)
        standing, given = standing_of(draft, engine.domains, now)
        standing = changed(standing, dict(placed.standing))
        given |= {name for name, _ in placed.standing}
        occurrence = occurrence_of(draft, now)
        say = Say(kind, draft.content, occurrence, standing, given, placed.inputs, anchors=tuple(draft.anchors))
        admit_step(say, now)
        return prepare([say], None, engine.redact_extra)[0]
    except MarrowError as problem:
        raise type(problem)(
            f"{placed.where}: {problem.message}", hint=problem.hint or "Nothing was imported.", field=problem.field
        ) from problem


def _known(reader: Reader, namespace: str, project: str, say: Say, timed: bool) -> str:
    """Whether the node is new here, known but said anew, or was said in this very way before."""
    address = Node.make(say.kind, say.content, say.inputs).address
    records = reader.records(namespace, [address], (project,), CURRENT)
    if not records:
        return NEW
    said: Sequence[Occurrence] = reader.occurrences([records[0].entry], CURRENT).get(records[0].entry, ())
    if not timed:
        said = [replace(one, at=say.occurrence.at) for one in said]
    return SAME if say.occurrence in said else "said anew"


def _ties(engine: Engine, asker: Asker, addresses: Sequence[tuple[Placed, str]]) -> list[Relate]:
    """The links that the other memory has and this one never had: between what the file holds, and from it to what
    is known here. Without the latter, what the file replaces would go on holding beside it."""
    by_key = {placed.key: address for placed, address in addresses if placed.key}
    ends = [(rel, key, address) for placed, address in addresses for rel, key in placed.links]
    if not ends:
        return []
    with engine.store.reading() as reader:
        space, project = asker.namespace, asker.scope.project
        others = sorted({key for _, key, _ in ends if key not in by_key and is_address(key)})
        for at in range(0, len(others), BATCH):
            records = reader.records(space, others[at : at + BATCH], (project,), CURRENT)
            by_key.update((record.node.address, record.node.address) for record in records)
        there = {(link.source, link.target, link.rel) for link in reader.all_links(space, (project,))}
    wanted = [Relate(address, by_key[key], rel) for rel, key, address in ends if by_key.get(key, address) != address]
    return [one for one in dict.fromkeys(wanted) if (one.source, one.target, one.rel) not in there]


def _tie(engine: Engine, asker: Asker, ties: Sequence[Relate], events: list[int]) -> tuple[int, list[Skipped]]:
    """Make links; of a batch in which one cannot be made (a circle, an end that was forgotten), those that can."""
    made, wrong = 0, []
    for at in range(0, len(ties), BATCH):
        batch = ties[at : at + BATCH]
        try:
            events.append(submit(engine, asker, OPERATION, batch, summary=f"import {counted(len(batch), 'link')}").seq)
            made += len(batch)
        except MarrowError:
            for one in batch:
                try:
                    events.append(submit(engine, asker, OPERATION, [one], summary="import a link").seq)
                    made += 1
                except MarrowError as problem:
                    wrong.append(Skipped(f"{one.source[:12]} {one.rel} {one.target[:12]}", problem.message))
    return made, wrong


def _settle(engine: Engine, asker: Asker, addresses: Sequence[tuple[Placed, str]], events: list[int]) -> None:
    """What was condensed there is condensed here, unless it was said again since."""
    condensed = [address for placed, address in addresses if placed.state == COMPRESSED]
    if not condensed:
        return
    with engine.store.reading() as reader:
        records = reader.records(asker.namespace, condensed, (asker.scope.project,), CURRENT)
    steps: list[Step] = [
        Restate(record.node.address, (("state", COMPRESSED),), COMPRESSED, expects=ACTIVE)
        for record in records
        if record.standing.state == ACTIVE and record.standing.generation == 1 and not record.standing.reinforced
    ]
    for at in range(0, len(steps), BATCH):
        batch = steps[at : at + BATCH]
        events.append(submit(engine, asker, OPERATION, batch, summary=f"import {len(batch)} condensed").seq)
