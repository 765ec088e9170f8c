"""Recompute: run derivations again, where they are due, where they failed, or wherever they are named."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..derive.run import Failure, Ran, derive
from ..derive.table import Input, Table
from ..model.derivation import (
    AT_ONCE,
    AT_SAVE,
    CONTENT,
    DONE,
    DUE,
    FAILED,
    LATER,
    OF_FILE,
    Derivation,
    Derived,
    dependents_of,
)
from ..model.record import CURRENT, Filter
from ..model.scope import WRITE
from ..store.protocol import Projects, Reader
from ..store.receive_derived import keep_derived
from .derivations import check_names, inputs_of, workshop
from .engine import Asker, Engine, resolve

BATCH = 200
WHENS = (AT_ONCE, LATER)

# Tries a media file again whose row failed: whether it went well this time.
Again = Callable[[Engine, Asker, Derived], bool]


class Recomputed(NamedTuple):
    """How many values were computed, failed and became others; with `dry_run` how many would be, by name."""

    ran: int
    failed: int
    changed: int
    would: tuple[tuple[str, int], ...] = ()
    errors: tuple[Failure, ...] = ()
    dry_run: bool = False


def recompute(
    engine: Engine,
    asker: Asker,
    table: Table,
    *,
    names: Sequence[str] = (),
    addresses: Sequence[str] = (),
    wanted: Filter | None = None,
    errors_only: bool = False,
    cascade: bool = True,
    dry_run: bool = False,
    again: Again | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Recomputed:
    """Without names: whatever is due, in this project and the global scope. With names: these, whether due or not, and
    what depends on them where their values changed. `errors_only`: only what failed, at once and however often."""
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    chosen = check_names(table, names)
    with engine.store.reading() as reader:
        asked = [resolve(reader, asker, given, argument="addresses").node.address for given in addresses]
        within = set(asked) or _chosen(reader, engine, asker, wanted)
        if errors_only:
            jobs = _failed(reader, asker, table, chosen, within)
        else:
            jobs = _jobs(reader, asker, table, chosen, within)
        # A file that could not be read is of no kind and no service yet.
        files = [] if within is not None else _files(reader, asker, table, chosen, errors_only=errors_only)
    if dry_run:
        counts = Counter(name for some in jobs.values() for name in some) + Counter(row.name for row in files)
        return Recomputed(0, 0, 0, tuple(sorted(counts.items())), dry_run=True)
    total = Ran()
    done = 0
    for group, inputs in _groups(jobs).items():
        for start in range(0, len(inputs), BATCH):
            part = inputs[start : start + BATCH]
            with engine.store.reading() as reader:
                rows = [table.named(name) for name in group]
                given = inputs_of(
                    reader, asker, part, asker.places(), [row for row in rows if row is not None], with_paths=True
                )
                given += file_inputs(reader, asker.namespace, part, asker.places())
            force = bool(chosen) and not errors_only
            shop = workshop(engine, asker, table)
            total.add(derive(shop, given, names=group, force=force, retry=errors_only or force, cascade=cascade))
            done += len(part)
            if progress is not None:
                progress(done, sum(map(len, _groups(jobs).values())))
    total.add(_tried_again(engine, asker, table, files, again, cascade=cascade))
    return Recomputed(total.ran, total.failed, total.changed, errors=tuple(total.errors))


def _jobs(
    reader: Reader, asker: Asker, table: Table, names: Sequence[str], within: set[str] | None
) -> dict[str, set[str]]:
    """Which derivations are to be run, by input."""
    found: dict[str, set[str]] = {}
    for one in table.ordered:
        if one.when in (AT_SAVE, OF_FILE) or one.name not in table.makers or (names and one.name not in names):
            continue
        for address in _due_of(reader, asker, table, one, every=bool(names)):
            if within is None or address in within:
                found.setdefault(address, set()).add(one.name)
    return found


def _due_of(reader: Reader, asker: Asker, table: Table, one: Derivation, *, every: bool) -> list[str]:
    """The inputs of which a derivation is due; with `every` all that it is for."""
    projects = asker.places()
    if table.is_of_files(one):
        above = {part for part in one.of if part != CONTENT}
        rows = _all_rows(reader, asker, tuple(above), DONE)
        return list(dict.fromkeys(row.input for row in rows))
    version = "" if every else one.version  # no row has an empty version, so that each is found
    found: list[str] = []
    after = 0
    while page := reader.underived(asker.namespace, one.name, version, one.kinds, projects, after=after):
        found += [address for _, address in page]
        after = page[-1][0]
    return found


def _chosen(reader: Reader, engine: Engine, asker: Asker, wanted: Filter | None) -> set[str] | None:
    if wanted is None:
        return None
    entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
    return {address for _, address, _ in reader.texts_of(entries)}


def _failed(
    reader: Reader, asker: Asker, table: Table, names: Sequence[str], within: set[str] | None
) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for state in (FAILED, DUE):
        for row in _all_rows(reader, asker, names, state):
            if not _is_media(table, row) and (within is None or row.input in within):
                found.setdefault(row.input, set()).add(row.name)
    return found


def _files(reader: Reader, asker: Asker, table: Table, names: Sequence[str], *, errors_only: bool) -> list[Derived]:
    """The rows of media files that are to be computed again: those that failed, or all of what is named."""
    if errors_only:
        return [row for row in _all_rows(reader, asker, names, FAILED) if row.path and _is_media(table, row)]
    of_files = [one.name for one in table.ordered if one.when == OF_FILE and one.name in names]
    return [row for row in _all_rows(reader, asker, of_files, "") if row.path] if of_files else []


def _is_media(table: Table, row: Derived) -> bool:
    """Whether it is read from a file, and not from what was read from it."""
    one = table.named(row.name)
    return one is not None and one.when == OF_FILE


def _all_rows(reader: Reader, asker: Asker, names: Sequence[str], state: str) -> list[Derived]:
    rows: list[Derived] = []
    after = ("", "")
    while page := reader.derived_rows(asker.namespace, asker.places(), names=names, state=state, after=after):
        rows += page
        after = (page[-1].input, page[-1].name)
    return rows


def _groups(jobs: dict[str, set[str]]) -> dict[tuple[str, ...], list[str]]:
    """The inputs by what is to be computed of them: those that want the same go together."""
    found: dict[tuple[str, ...], list[str]] = {}
    for given, names in jobs.items():
        found.setdefault(tuple(sorted(names)), []).append(given)
    return found


def file_inputs(reader: Reader, namespace: str, digests: Sequence[str], projects: Projects) -> list[Input]:
    """Those of the inputs that are media files, by what was derived from them."""
    rows = reader.derived(namespace, digests, projects)
    found = {row.input: Input(row.input, path=row.path, project=row.project, is_file=True) for row in rows if row.path}
    return list(found.values())


def _tried_again(
    engine: Engine, asker: Asker, table: Table, rows: Sequence[Derived], again: Again | None, *, cascade: bool
) -> Ran:
    """With what is made of them, which whoever tries again does not know. A value that is there is only given up for a
    file that is there too."""
    total = Ran()
    for row in rows if again is not None else ():
        if row.value and not os.path.isfile(row.path):
            gone = Failure(row.name, row.input, f"{row.path} is no longer there; what it said before is kept.")
            total.add(Ran(0, 1, 0, [gone]))
            continue
        if row.value:
            marked = replace(row, state=DUE, basis="")
            keep_derived(engine.store, asker.principal, asker.namespace, [marked], project=asker.scope.project)
        went_well = again(engine, asker, row)  # type: ignore[misc]
        total.add(Ran(1, 0 if went_well else 1, int(went_well), [] if went_well else [_failure(row)]))
        names = [name for name in dependents_of(row.name, table.ordered) if name in table.makers]
        if went_well and cascade and names:
            given = Input(row.input, path=row.path, project=row.project, is_file=True)
            total.add(derive(workshop(engine, asker, table), [given], names=names, retry=True))
    return total


def _failure(row: Derived) -> Failure:
    return Failure(row.name, row.input, row.error or "It failed; `marrow derivations` says why.")


__all__ = ["Again", "Recomputed", "file_inputs", "recompute"]
