"""Derivations: what is computed from nodes, how far that has come, and the cheap part of it after each batch.

The table is put together here: Marrow's own rows with the functions that live with the readers, the parsing of code in
a process that can be killed, and what users declare in allowed files and installed packages.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from ..derive.allowed import NamedFile, allow, disallow, named_files
from ..derive.installed import any_installed
from ..derive.process import File, Process
from ..derive.run import Ran, Workshop, derive
from ..derive.table import Compute, Input, Table, Task, table_of
from ..ingest.action_items import ActionItem, action_items, decisions_in
from ..ingest.due import day_of
from ..ingest.meeting import attendees_in
from ..model.derivation import AT_ONCE, AT_SAVE, DONE, DUE, FAILED, Derivation, Derived
from ..model.errors import MarrowError, NotFound
from ..model.record import CURRENT, Record
from ..model.scope import READ
from ..settings import Settings
from ..store.protocol import Reader
from .attribution import DATED, UNDATED, named_people
from .engine import Asker, Engine, resolve

FILES = "derivations.files"
NOT_ALLOWED = "It may not run: look at it, then `marrow derivations allow`."
CHANGED = "It changed since it was allowed, and does not run: look at it, then `marrow derivations allow`."
SYMBOLS = "symbols"


def _today(task: Task) -> date | None:
    return day_of(task.input.at or None)


def _to_do(task: Task) -> list[ActionItem]:
    content = task.input.content
    return action_items(content, today=_today(task), people=(*task.input.people, *attendees_in(content)))


_COMPUTES: dict[str, Compute] = {
    "action_items": lambda task: [asdict(one) for one in _to_do(task)],
    "decisions": lambda task: [asdict(one) for one in decisions_in(task.input.content)],
}


@lru_cache(maxsize=1)
def own_table() -> Table:
    """Marrow's own derivations, without those that need a process of their own."""
    return table_of(_COMPUTES)


class Declared(NamedTuple):
    """The whole table at a place; `files` are those that the settings name, `sources` say where each is declared."""

    table: Table
    files: tuple[NamedFile, ...] = ()
    sources: tuple[tuple[str, str], ...] = ()


@contextmanager
def opened_table(settings: Settings | None, root: str, *, own_only: bool = False) -> Iterator[Declared]:
    """The table with what runs in processes, which end with this context. Without `own_only`, with what users
    declare: only files that they allowed, and packages that they installed."""
    files = () if own_only else tuple(files_named(settings, root))
    allowed = [File(one.path, one.text) for one in files if one.is_allowed]
    installed = not own_only and any_installed()
    with Process() as parsing, Process(allowed, installed=installed, cwd=root) as users:
        declared: list[tuple[Derivation, str]] = []
        problems = {one.path: one.problem for one in files if one.problem}
        problems |= {one.path: CHANGED if one.was_allowed else NOT_ALLOWED for one in files if _waits(one)}
        if allowed or installed:
            try:
                declared, wrong = users.declared()
                problems |= wrong
            except MarrowError as problem:
                problems[FILES] = problem.message
        table = table_of(
            _COMPUTES,
            [(one, users.make) for one, _ in declared],
            {SYMBOLS: parsing.make},
            problems,
        )
        yield Declared(table, files, tuple((one.name, source) for one, source in declared))


def _waits(file: NamedFile) -> bool:
    return not file.is_allowed and not file.problem


def files_named(settings: Settings | None, root: str) -> list[NamedFile]:
    """The files of derivations that the settings name, as they are now."""
    named = settings.values.get(FILES) if settings is not None else None
    if settings is None or not isinstance(named, tuple):
        return []
    return named_files(root, [str(name) for name in named], settings.get("home", str))


def allow_files(settings: Settings, root: str, *, allowed: bool = True) -> list[NamedFile]:
    """Let the files that the settings name run as they are now, or no longer; those that this changed."""
    files = files_named(settings, root)
    digests = (allow if allowed else disallow)(settings.get("home", str), files)
    return [one for one in files if one.digest in digests]


def workshop(engine: Engine, asker: Asker, table: Table) -> Workshop:
    return Workshop(
        engine.store,
        asker.namespace,
        asker.principal,
        asker.actor,
        asker.scope.project,
        engine.clock,
        table,
        engine.tally,
        tuple(engine.redact_extra),
    )


def derive_now(engine: Engine, asker: Asker, addresses: Sequence[str]) -> None:
    """What is cheap, for nodes that were just taken in. The rest is done in the background."""
    with engine.store.reading() as reader:
        inputs = inputs_of(reader, asker, addresses, (asker.scope.project,), own_table().ordered)
    derive(workshop(engine, asker, own_table()), inputs, whens=(AT_ONCE,))


def inputs_of(
    reader: Reader,
    asker: Asker,
    addresses: Sequence[str],
    projects: tuple[str, ...] | None,
    derivations: Collection[Derivation],
    *,
    with_paths: bool = False,
    now: int | None = None,
) -> list[Input]:
    """These nodes as inputs, in order, of those that a derivation could be for. `now` leaves out what is not active."""
    records = reader.records(asker.namespace, addresses, projects, CURRENT)
    kept: dict[str, Record] = {}
    for record in records:
        is_meant = any(one.is_for(record.node.kind) for one in derivations if one.when != AT_SAVE)
        if is_meant and (now is None or record.standing.is_active(now)):
            kept.setdefault(record.node.address, record)
    paths = _paths(reader, kept.values()) if with_paths else {}
    undated, people = _undated_and_people(reader, kept.values())
    return [
        Input(
            record.node.address,
            record.node.kind,
            record.node.content,
            paths.get(record.entry, ""),
            0 if record.entry in undated else record.first_at,
            record.project,
            people=people.get(record.entry, ()),
        )
        for record in kept.values()
    ]


def _undated_and_people(reader: Reader, records: Collection[Record]) -> tuple[set[int], dict[int, tuple[str, ...]]]:
    """Those of which nothing says when they are from: the moment of reading them is none to reckon from. And who was
    there, by who took them in or by what stands in them."""
    asked = [record.entry for record in records if record.node.kind in DATED]
    said = reader.occurrences(asked, CURRENT) if asked else {}
    undated = {entry for entry, times in said.items() if all(one.fields.get(UNDATED) for one in times)}
    named = {entry: (name for one in times for name in named_people(one.fields)) for entry, times in said.items()}
    return undated, {entry: tuple(dict.fromkeys(names)) for entry, names in named.items()}


def _paths(reader: Reader, records: Collection[Record]) -> dict[int, str]:
    """Where each was last read from."""
    said = reader.occurrences([record.entry for record in records], CURRENT)
    found = {}
    for entry, times in said.items():
        paths = [str(path) for one in times if (path := one.fields.get("path"))]
        found[entry] = paths[-1] if paths else ""
    return found


class Row(NamedTuple):
    """A derivation and how far it has come here. Of what is made with the save there are no rows to count: what the
    indexes do not have, `doctor` says."""

    derivation: Derivation
    source: str = ""
    done: int = 0
    failed: int = 0
    due: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    runs: int = 0


class Overview(NamedTuple):
    rows: tuple[Row, ...]
    problems: tuple[tuple[str, str], ...] = ()
    files: tuple[NamedFile, ...] = ()
    errors: tuple[Derived, ...] = ()


def overview(engine: Engine, asker: Asker, declared: Declared, *, name: str = "", errors: int = 10) -> Overview:
    """Every derivation with how many of its values are there, failed and are due; and the latest that failed."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    projects, table = asker.places(), declared.table
    sources, runs = dict(declared.sources), engine.tally.runs()
    with engine.store.reading() as reader:
        counts = reader.derived_counts(asker.namespace, projects)
        failed = reader.derived_rows(asker.namespace, projects, state=FAILED, names=(name,) if name else ())
    rows = []
    for one in table.ordered if not name else [one for one in table.ordered if one.name == name]:
        mine = [count for count in counts if count.name == one.name]
        rows.append(
            Row(
                one,
                sources.get(one.name, "Marrow"),
                sum(c.count for c in mine if c.state == DONE and c.version == one.version),
                sum(c.count for c in mine if c.state == FAILED),
                sum(c.count for c in mine if c.state == DUE or (c.state == DONE and c.version != one.version)),
                sum(c.tokens for c in mine),
                sum(c.cost_usd for c in mine),
                runs.get(one.name, 0),
            )
        )
    latest = tuple(sorted(failed, key=lambda row: -row.at)[:errors])
    return Overview(tuple(rows), tuple(table.problems.items()), declared.files, latest)


def derived_of(engine: Engine, asker: Asker, given: object) -> tuple[str, list[Derived]]:
    """What was derived from a node, and from the file that it was read from: the lineage of each value."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        record = resolve(reader, asker, given)
        said = reader.occurrences([record.entry], CURRENT).get(record.entry, ())
        files = [str(digest) for one in said if (digest := one.fields.get("digest"))]
        inputs = list(dict.fromkeys((record.node.address, *files)))
        rows = reader.derived(asker.namespace, inputs, asker.places())
    return record.node.address, sorted(rows, key=lambda row: (row.input != record.node.address, row.name))


def check_names(table: Table, names: Sequence[str], *, at_save: bool = False) -> tuple[str, ...]:
    """Raise NotFound for a name that no derivation has, or one that cannot be computed again by itself."""
    for name in names:
        one = table.named(name)
        if one is None:
            why = table.problems.get(name, "")
            known = ", ".join(row.name for row in table.ordered)
            # It may be declared in a file that does not run.
            waiting = " ".join(f"{what}: {reason}" for what, reason in table.problems.items() if what != name)
            raise NotFound(
                f"There is no derivation called {name!r}. {why}".strip(),
                hint=f"{waiting} One of {known}.".strip(),
                field="name",
            )
        if one.when == AT_SAVE and not at_save:
            raise NotFound(f"{name} is made with the save.", hint="`marrow reindex` makes it again.", field="name")
    return tuple(dict.fromkeys(names))


__all__ = [
    "Declared",
    "Overview",
    "Ran",
    "Row",
    "allow_files",
    "check_names",
    "derive_now",
    "derived_of",
    "files_named",
    "inputs_of",
    "opened_table",
    "overview",
    "own_table",
    "workshop",
]
