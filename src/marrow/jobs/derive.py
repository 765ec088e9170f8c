"""Deriving in the background: whatever is due of what was said since the last look, and of what failed or was marked.

Everything is looked through once when a process begins, and again when the table of derivations is another one; after
that only what the events name. What users declare runs for their own project, in a process that can be killed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from ..derive.allowed import NamedFile
from ..derive.installed import any_installed
from ..derive.run import Ran, derive, is_to_be_tried
from ..derive.table import Input
from ..memory.derivations import Declared, files_named, inputs_of, opened_table, workshop
from ..memory.recompute import file_inputs
from ..memory.told_summary import tell_summary, waiting_summaries
from ..memory.usage import allowance_of, ask, check_open
from ..model.derivation import AT_SAVE, CONTENT, DONE, DUE, FAILED, OF_FILE, Derivation, Derived, is_digest
from ..model.errors import Conflict, MarrowError
from ..model.record import CURRENT
from ..providers.llm import NONE, Completion, LanguageModel, language_model
from ..store.protocol import Projects, Reader, Store
from .place import Place

BATCH = 200
# A transcript may be long.
FILES_AT_ONCE = 20
EVENTS_LOOKED_AT = 1_000
RETRY_MICROS = 300 * 1_000_000

log = logging.getLogger("marrow.background")


@dataclass
class _Seen:
    """How far a place was looked at: up to which event, by which table for which names, and of a first look how far
    each got: a number of a node, or the input and name of a row."""

    table: str = ""
    names: tuple[str, ...] = ()
    seq: int = 0
    first_look: dict[str, int | tuple[str, str]] = field(default_factory=dict)
    retried_at: int = 0


class Turn(NamedTuple):
    """How many values were computed, and whether there is more to do at once."""

    ran: int = 0
    more: bool = False


class Deriver:
    """Remembers what it has looked at, so that a turn in which nothing happened costs a question or two."""

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, str], _Seen] = {}
        self._refused: set[tuple[str, str]] = set()
        self._told: dict[tuple[str, str, str], int] = {}

    def own(self, place: Place) -> Turn:
        """Marrow's own derivations, for everything in a store and namespace."""
        if place.engine.store.read_only or not self._has_work(place, "", None):
            return Turn()
        with opened_table(None, "", own_only=True) as declared:
            return self._turn(place, declared, "", None)

    def of_users(self, place: Place) -> Turn:
        """What users declare for a project, if they do and it may run."""
        files = [one for one in files_named(place.settings, place.asker.root) if one.is_allowed]
        if place.engine.store.read_only or not (files or any_installed()):
            return Turn()
        mark = _mark(files)
        if not self._has_work(place, mark, (place.asker.scope.project,)):
            return Turn()
        with opened_table(place.settings, place.asker.root) as declared:
            self._tell(declared)
            return self._turn(place, declared, mark, (place.asker.scope.project,))

    def _key(self, place: Place, projects: Projects) -> tuple[str, str, str]:
        return place.engine.store.url, place.asker.namespace, "" if projects is None else f"project {projects[0]}"

    def _has_work(self, place: Place, mark: str, projects: Projects) -> bool:
        """Whether anything happened since the last look; then the table is worth opening."""
        seen = self._seen.get(self._key(place, projects))
        if seen is None or seen.first_look or not seen.table.startswith(f"{mark} "):
            return True
        engine, space = place.engine, place.asker.namespace
        with engine.store.reading() as reader:
            if reader.head(space).seq > seen.seq:
                return True
            if not seen.names:
                return False
            is_time = engine.clock() - seen.retried_at > RETRY_MICROS
            states = (DUE, FAILED) if is_time else (DUE,)
            return any(reader.derived_rows(space, projects, names=seen.names, state=state, limit=1) for state in states)

    def _turn(self, place: Place, declared: Declared, mark: str, projects: Projects) -> Turn:
        ours = [one for one in declared.table.ordered if _is_meant(one, declared, users=projects is not None)]
        key, digest = self._key(place, projects), f"{mark} {declared.table.digest()}"
        seen = self._seen.setdefault(key, _Seen())
        if seen.table != digest:
            with place.engine.store.reading() as reader:
                seen.seq = reader.head(place.asker.namespace).seq
            seen.table, seen.names = digest, tuple(one.name for one in ours)
            seen.first_look = {one.name: _beginning(declared, one) for one in ours}
        try:
            return self._work(place, declared, ours, seen, projects)
        except Conflict as problem:  # a derivation that stops on errors: it is kept, and tried again later
            log.warning("%s", problem)
            return Turn()

    def _work(
        self, place: Place, declared: Declared, ours: Sequence[Derivation], seen: _Seen, projects: Projects
    ) -> Turn:
        if seen.first_look:
            return self._look_through(place, declared, ours, seen, projects)
        space, now = place.asker.namespace, place.engine.clock()
        with place.engine.store.reading() as reader:
            events = list(islice(reader.events(space, after=seen.seq), EVENTS_LOOKED_AT))
            touched = [t.address for event in events for t in event.touched if t.address]
            marked = [row.input for row in _rows(reader, space, projects, seen.names, DUE)]
            is_retried = now - seen.retried_at > RETRY_MICROS
            failed = _rows(reader, space, projects, seen.names, FAILED) if is_retried else ()
            marked += [row.input for row in failed if is_to_be_tried(row, now)]
        # Only what was done to its end counts as looked at: a derivation may stop on errors in the middle of it.
        ran = self._derive(place, declared, ours, list(dict.fromkeys((*touched, *marked))), projects)
        if events:
            seen.seq = events[-1].seq
        if is_retried:
            seen.retried_at = now
        return Turn(ran.ran, bool(ran.ran))

    def _look_through(
        self, place: Place, declared: Declared, ours: Sequence[Derivation], seen: _Seen, projects: Projects
    ) -> Turn:
        """A page of what has no value yet, of one derivation after the other."""
        name, after = next(iter(seen.first_look.items()))
        one = next(one for one in ours if one.name == name)
        space = place.asker.namespace
        inputs: list[str] = []
        with place.engine.store.reading() as reader:
            if isinstance(after, int):
                page = reader.underived(space, name, one.version, one.kinds, projects, after=after, limit=BATCH)
                inputs, after = [address for _, address in page], page[-1][0] if page else after
            elif above := [part for part in one.of if part != CONTENT]:
                rows = reader.derived_rows(space, projects, names=above, state=DONE, after=after, limit=FILES_AT_ONCE)
                inputs, after = [row.input for row in rows], (rows[-1].input, rows[-1].name) if rows else after
        if not inputs:
            del seen.first_look[name]
            return Turn(more=bool(seen.first_look))
        # If it stops on an error, the same page is looked at again: what failed is no longer due then, the rest is.
        ran = self._derive(place, declared, ours, list(dict.fromkeys(inputs)), projects)
        seen.first_look[name] = after
        return Turn(ran.ran, more=True)

    def _derive(
        self,
        place: Place,
        declared: Declared,
        ours: Sequence[Derivation],
        addresses: Sequence[str],
        projects: Projects,
    ) -> Ran:
        total = Ran()
        names = [one.name for one in ours]
        of_nodes = [one for one in ours if not declared.table.is_of_files(one)]
        for start in range(0, len(addresses) if names else 0, BATCH):
            part = addresses[start : start + BATCH]
            with place.engine.store.reading() as reader:
                now = place.engine.clock()
                inputs = inputs_of(reader, place.asker, part, projects, of_nodes, with_paths=True, now=now)
                if len(of_nodes) < len(ours):
                    inputs += _files(reader, place.asker.namespace, part, projects)
            shop = workshop(place.engine, place.asker, declared.table)
            if projects is None:
                shop = shop._replace(project=None)
            total.add(derive(shop, inputs, names=names))
        return total

    def summarise(self, place: Place, limit: int = 1, *, ledger: Store | None = None) -> int:
        """Let a language model tell up to so many summaries of documents better, where one is chosen and may be asked;
        how many it did. Where nothing was left to tell, nothing is looked for until something happens."""
        model = _summary_model(place, ledger)
        if model is None:
            return 0
        engine, key = place.engine, self._key(place, None)
        with engine.store.reading() as reader:
            seq = reader.head(place.asker.namespace).seq
        if self._told.get(key) == seq:
            return 0
        book, allowance = engine.store if ledger is None else ledger, allowance_of(place.settings)

        def asking(purpose: str, system: str, prompt: str, most: int) -> Completion:
            return ask(book, engine.clock, allowance, model, purpose, system, prompt, most)

        done = 0
        waiting = waiting_summaries(engine, place.asker)
        for row, record in islice(waiting, limit):
            try:
                done += tell_summary(engine, place.asker, row, record, asking, model.name)
            except MarrowError as problem:
                log.debug("summaries stopped: %s", problem)
                return done
        if next(waiting, None) is None:
            self._told[key] = seq
        return done

    def _tell(self, declared: Declared) -> None:
        """Each problem once: it would come again with every turn."""
        for problem in declared.table.problems.items():
            if problem not in self._refused:
                self._refused.add(problem)
                log.warning("derivations: %s: %s", *problem)


def _is_meant(one: Derivation, declared: Declared, *, users: bool) -> bool:
    """What can be computed here, from nodes or from what was read from files, and only what users declare or only
    Marrow's own."""
    is_users = one.name in dict(declared.sources)
    return is_users == users and one.name in declared.table.makers and one.when not in (AT_SAVE, OF_FILE)


def _beginning(declared: Declared, one: Derivation) -> int | tuple[str, str]:
    return ("", "") if declared.table.is_of_files(one) else 0


def _rows(reader: Reader, namespace: str, projects: Projects, names: Sequence[str], state: str) -> Iterator[Derived]:
    """All of them, in pages: what is given up or cannot be computed stays, and must not hide the rest."""
    after = ("", "")
    while names and (page := reader.derived_rows(namespace, projects, names=names, state=state, after=after)):
        yield from page
        after = (page[-1].input, page[-1].name)


def _files(reader: Reader, namespace: str, inputs: Sequence[str], projects: Projects) -> list[Input]:
    """The media files among these inputs, and those that nodes among them were read from."""
    records = reader.records(namespace, inputs, projects, CURRENT)
    said = reader.occurrences([record.entry for record in records], CURRENT)
    named = (one.fields.get("digest") for some in said.values() for one in some)
    digests = [digest for digest in named if isinstance(digest, str) and is_digest(digest)]
    return file_inputs(reader, namespace, list(dict.fromkeys((*inputs, *digests))), projects)


def _mark(files: Sequence[NamedFile]) -> str:
    return "+".join(one.digest for one in files) or "installed"


def _summary_model(place: Place, ledger: Store | None) -> LanguageModel | None:
    """The model for summaries, if there is one that may be asked now; a project that captures nothing sends nothing."""
    settings = place.settings
    provider = settings.get("llm", str)
    if provider == NONE or place.engine.store.read_only or not settings.get("capture.enabled", bool):
        return None
    book = place.engine.store if ledger is None else ledger
    try:
        check_open(book, place.engine.clock(), allowance_of(settings))
        return language_model(provider, settings.maybe("summary.model", str) or settings.maybe("llm.model", str))
    except MarrowError as problem:
        log.debug("no summaries are told: %s", problem)
        return None
