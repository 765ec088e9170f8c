"""What an import says about itself, and the way in for drafts that come from a file: ordinary saves, in batches.

A draft that was taken in before is passed over, whatever became of it since: importing the same file again changes
nothing, and does not bring back what was forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model.change import NEW, SAME, Say
from ..model.draft import Draft, check_kind, occurrence_of, standing_of
from ..model.errors import MarrowError
from ..model.node import Node, Occurrence
from ..model.record import CURRENT
from ..model.scope import WRITE
from ..store.apply import Prepared
from ..store.protocol import Reader
from ..store.receive import prepare
from .engine import Asker, Engine, submit

Progress = Callable[[int, "int | None"], None]
BATCH = 200


class Imported(NamedTuple):
    """`found` is what the file holds; new, changed and unchanged say what became of it, or would with `dry_run`."""

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


class Placed(NamedTuple):
    """A draft and where in the file it stands."""

    where: str
    draft: Draft


def import_drafts(
    engine: Engine,
    asker: Asker,
    drafts: Sequence[Placed],
    *,
    source: str,
    format: str,  # noqa: A002
    dry_run: bool,
    progress: Progress | None,
) -> Imported:
    """Everything is checked before the first batch is saved, so a mistake in the file changes nothing."""
    project = asker.scope.project
    asker.principal.check(WRITE, asker.namespace, project)
    prepared = [_prepared(engine, placed) for placed in drafts]
    says = [one.step for one in prepared if isinstance(one.step, Say)]
    with engine.store.reading() as reader:
        known = [_known(reader, asker.namespace, project, say) for say in says]
    fresh = [say for say, what in zip(says, known, strict=True) if what != SAME]
    counts = Counter(known)
    events: list[int] = []
    if not dry_run:
        counts = Counter({SAME: counts[SAME]})
        for at in range(0, len(fresh), BATCH):
            batch = fresh[at : at + BATCH]
            summary = f"import {len(batch)} nodes"
            receipt = submit(engine, asker, "memory_import", batch, summary=summary, project=project)
            counts.update(outcome.what for outcome in receipt.outcomes)
            events.append(receipt.seq)
            if progress is not None:
                progress(min(at + BATCH, len(fresh)), len(fresh))
    changed = len(says) - counts[NEW] - counts[SAME]
    totals = (len(says), counts[NEW], changed, counts[SAME])
    redacted = sum(bool(one.redacted) for one in prepared)
    return Imported(source, format, dry_run, *totals, redacted=redacted, events=tuple(events))


def _prepared(engine: Engine, placed: Placed) -> Prepared:
    """The step as the door will take it, clean and without secrets. What is wrong is said of its place in the file."""
    draft, now = placed.draft, engine.clock()
    try:
        kind = check_kind(draft.kind)
        standing, given = standing_of(draft, engine.domains, now)
        occurrence = occurrence_of(draft, now)
        say = Say(kind, draft.content, occurrence, standing, given, anchors=tuple(draft.anchors))
        return prepare([say], None, engine.redact_extra)[0]
    except MarrowError as problem:
        raise type(problem)(
            f"{placed.where}: {problem.message}", hint=problem.hint or "Nothing was imported.", field=problem.field
        ) from problem


def _known(reader: Reader, namespace: str, project: str, say: Say) -> str:
    """Whether the node is new here, known but said anew, or was said in this very way before."""
    address = Node.make(say.kind, say.content, say.inputs).address
    records = reader.records(namespace, [address], (project,), CURRENT)
    if not records:
        return NEW
    said: Sequence[Occurrence] = reader.occurrences([records[0].entry], CURRENT).get(records[0].entry, ())
    return SAME if say.occurrence in said else "said anew"
