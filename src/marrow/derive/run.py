"""Running derivations: what is due is computed, kept with its lineage, and nothing else is.

A row is due when there is none, when another version made it, or when its basis is another: the digest over the version
and the digests of what it is made of. So a new version computes its own anew, and what depends on it only where its
value changed. Every run is reported to the tally.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..model.derivation import (
    AT_ONCE,
    AT_SAVE,
    CONTENT,
    DONE,
    DUE,
    FAILED,
    OF_FILE,
    STOP,
    Derivation,
    Derived,
    basis_of,
    dependents_of,
    value_digest,
)
from ..model.errors import Conflict
from ..model.scope import Principal
from ..store.protocol import Store
from ..store.receive_derived import keep_derived
from .table import Input, Made, Table, Task
from .tally import Tally

BATCH = 200
# A failure is tried again by itself a few times, each time later; `recompute` tries at once.
ATTEMPTS_MAX = 3
RETRY_MICROS = 600 * 1_000_000
ERRORS_TOLD = 20


class Workshop(NamedTuple):
    """What running needs: where, for whom, and the table. `project` is where the right to write is asked for."""

    store: Store
    namespace: str
    principal: Principal
    actor: str
    project: str | None
    clock: Callable[[], int]
    table: Table
    tally: Tally
    redact_extra: tuple[str, ...] = ()


class Failure(NamedTuple):
    name: str
    input: str
    error: str


@dataclass
class Ran:
    """What came of it: how many were computed, how many of them failed, and of how many the value is another now."""

    ran: int = 0
    failed: int = 0
    changed: int = 0
    errors: list[Failure] = field(default_factory=list)

    def add(self, other: Ran) -> None:
        self.ran, self.failed, self.changed = (
            self.ran + other.ran,
            self.failed + other.failed,
            self.changed + other.changed,
        )
        self.errors = [*self.errors, *other.errors][:ERRORS_TOLD]


def derive(
    shop: Workshop,
    inputs: Sequence[Input],
    *,
    whens: Collection[str] = (AT_ONCE,),
    names: Collection[str] = (),
    force: bool = False,
    retry: bool = False,
    cascade: bool = True,
) -> Ran:
    """Compute what is due of these inputs: everything of these `whens`, or what `names` say with what they are of and,
    unless `cascade` is off, what depends on them. `force` computes the named ones even when they are not due; `retry`
    those that failed, however often."""
    chosen = _chosen(shop.table, whens, names, cascade)
    forced = frozenset(names) if force else frozenset()
    total = Ran()
    for start in range(0, len(inputs), BATCH):
        batch = _Batch(shop, inputs[start : start + BATCH], chosen, forced, retry)
        total.add(batch.run())
    return total


def _chosen(table: Table, whens: Collection[str], names: Collection[str], cascade: bool) -> list[Derivation]:
    if not names:
        wanted = {one.name for one in table.ordered if one.when in whens}
    else:
        wanted = set(names)
        for name in names:
            wanted |= set(dependents_of(name, table.ordered)) if cascade else set()
        for one in reversed(table.ordered):  # what they are of comes before them
            wanted |= {part for part in one.of if part != CONTENT} if one.name in wanted else set()
    return [one for one in table.ordered if one.name in wanted and one.when != AT_SAVE]


def is_to_be_tried(row: Derived, now: int) -> bool:
    """Whether what failed is tried again by itself now."""
    return row.attempts < ATTEMPTS_MAX and now - row.at >= row.attempts * RETRY_MICROS


class _Batch:
    """Inputs that are computed and kept together."""

    def __init__(
        self, shop: Workshop, inputs: Sequence[Input], chosen: Iterable[Derivation], forced: frozenset[str], retry: bool
    ) -> None:
        self.shop, self.inputs, self.chosen, self.forced, self.retry = shop, inputs, chosen, forced, retry
        self.now = shop.clock()
        self.known: dict[tuple[str, str], Derived] = {}
        self.rows: dict[tuple[str, str], Derived] = {}
        self.stale: set[tuple[str, str]] = set()
        self.told = Ran()
        self.stopped: Failure | None = None

    def run(self) -> Ran:
        with self.shop.store.reading() as reader:
            rows = reader.derived(self.shop.namespace, [given.digest for given in self.inputs])
        self.known = {(row.input, row.name): row for row in rows}
        for one in self.chosen:
            self._run(one)
            if self.stopped is not None:
                break
        self._write()
        if self.stopped is not None:
            raise _stopping(self.stopped)
        return self.told

    def _run(self, one: Derivation) -> None:
        maker = self.shop.table.makers.get(one.name)
        tasks = [] if maker is None else self._due(one)
        if maker is None or not tasks:
            return
        ran = []
        for (task, basis), made in zip(tasks, maker(one, [task for task, _ in tasks]), strict=False):
            ran.append(self._keep(one, task, basis, made))
            if self.stopped is not None:
                break
        self.shop.tally.ran(
            one.name, [row.input for row in ran], sum(row.ms for row in ran), sum(row.tokens for row in ran)
        )

    def _due(self, one: Derivation) -> list[tuple[Task, str]]:
        """The tasks of a derivation that are due, each with its basis."""
        found = []
        for given in self.inputs:
            if not _applies(one, given):
                continue
            upstream = self._upstream(one, given)
            if upstream is None:
                continue
            digests, values = upstream
            basis = basis_of(one.name, one.version, digests)
            row = self._row(given.digest, one.name)
            if one.name not in self.forced and row is not None and row.basis == basis and row.version == one.version:
                if row.state == DONE:
                    continue
                if row.state == DUE and row.value:
                    # What it is made of was computed anew and is the same: it holds.
                    self.rows[given.digest, one.name] = replace(row, state=DONE)
                    continue
                if row.state == FAILED and not self._is_to_be_tried(row):
                    continue
            found.append((Task(given, values), basis))
        return found

    def _upstream(self, one: Derivation, given: Input) -> tuple[list[str], tuple[object, ...]] | None:
        """The digests and values of what a derivation is of; None while one of them is not there."""
        digests, values = [], []
        for part in one.of:
            if part == CONTENT:
                digests.append(given.digest)
                values.append(given.content)
                continue
            row = self._row(given.digest, part)
            declared = self.shop.table.named(part)
            if row is None or row.state != DONE or declared is None or row.version != declared.version:
                return None
            digests.append(row.digest)
            values.append(row.result)
        return digests, tuple(values)

    def _row(self, digest: str, name: str) -> Derived | None:
        return self.rows.get((digest, name)) or self.known.get((digest, name))

    def _is_to_be_tried(self, row: Derived) -> bool:
        return self.retry or is_to_be_tried(row, self.now)

    def _keep(self, one: Derivation, task: Task, basis: str, made: Made) -> Derived:
        given, before = task.input, self.known.get((task.input.digest, one.name))
        is_again = before is not None and before.version == one.version and before.state == FAILED
        row = Derived(
            given.digest,
            one.name,
            one.version,
            FAILED if made.error else DONE,
            made.value,
            value_digest(made.value) if made.value else "",
            basis,
            made.error,
            made.provider,
            made.model,
            made.tokens,
            made.cost_usd,
            round(made.ms, 3),
            self.now,
            self.shop.actor,
            (before.attempts if before is not None and is_again else 0) + 1,
            given.path if given.is_file else "",
            given.project if given.is_file else "",
        )
        self.rows[given.digest, one.name] = row
        self.told.ran += 1
        if made.error:
            failure = Failure(one.name, given.digest, made.error)
            self.told.failed += 1
            self.told.errors = [*self.told.errors, failure][:ERRORS_TOLD]
            if one.on_error == STOP:
                self.stopped = failure
        if before is not None and before.digest != row.digest:
            self.told.changed += 1
            # In the same transaction: whoever is interrupted here finds them due.
            self.stale |= {(given.digest, other.name) for other in self.shop.table.ordered if one.name in other.of}
        return row

    def _write(self) -> None:
        shop = self.shop
        keep_derived(
            shop.store,
            shop.principal,
            shop.namespace,
            list(self.rows.values()),
            project=shop.project,
            redact_extra=shop.redact_extra,
            clean=shop.table.clean,
            stale=sorted(self.stale - self.rows.keys()),
        )


def _applies(one: Derivation, given: Input) -> bool:
    """A file has no content and no kind: it has what is of files, and what is of that."""
    if given.is_file:
        return CONTENT not in one.of or one.when == OF_FILE
    return one.when != OF_FILE and one.is_for(given.kind)


def _stopping(failure: Failure) -> Conflict:
    return Conflict(
        f"{failure.name} failed on {failure.input[:12]}: {failure.error[:300]}",
        hint="It says on_error stop, so nothing further was computed. Mend it, then `marrow recompute --errors-only`.",
        field=failure.name,
    )


__all__ = ["BATCH", "Failure", "Ran", "Workshop", "derive", "is_to_be_tried"]
