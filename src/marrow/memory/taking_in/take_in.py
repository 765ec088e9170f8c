"""Take in: the items of a reader become nodes. A changed document takes the place of what was read from the same path
before; what is unchanged costs nothing; what is gone is retracted.

Each batch is one transaction with the rows that say what was read: interrupted anywhere and begun again, it ends the
same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...ingest.item import Item, Skipped
from ...ingest.placing import first_line as begins_at
from ...model.change import Relate, Restate, Say, Step, Supersede
from ...model.draft import Draft
from ...model.errors import Conflict, Invalid, TooLarge
from ...model.node import Node
from ...model.record import CURRENT, Record
from ...model.redact import redact
from ...model.source import CURSOR, NO_ADDRESS, SKIPPED, Source
from ...model.standing import RETRACTED, SUPERSEDED
from ...model.text import first_line
from ...store.protocol import Writer
from ...store.receive import Embed, prepare, redacted_name
from ..classify import closing_steps
from ..engine import Asker, Engine, submit
from ..remember import say_of
from .ahead import Ahead
from .dating import dated
from .kept_path import kept_path
from .kept_vectors import keeping, only_new
from .resettle import CHANGED, GONE, SOURCE_PATH, may_return
from .shelf import Shelf

BATCH = 200
BATCH_CHARACTERS = 2_000_000
TITLE_MAX = 200
# What of a standing is somebody's word, and goes on to the next version.
INHERITED = ("classification", "approved", "pinned", "tags")
# The row that names what was written and is not settled yet.
SETTLING = "#settling"
# By which somebody says of one file that it is a document.
DOCUMENT_OPERATION = "ingest_document"
# Why a path is passed over at which something was read that is hidden by a view. It says no more than has to be said.
HIDDEN = "it cannot be written under this view"
Progress = Callable[[int, "int | None"], None]
# What follows a batch: told which nodes are new in it, and which left.
Settle = Callable[[Engine, Asker, Sequence[str], Sequence[str]], object]


class TakenIn(NamedTuple):
    """What came of it. `moved` are those whose text lay at another path, which is gone and not told as such; a copy is
    added. `addresses` are the nodes that are new or came back, `problems` what was not read and why, with what was read
    badly."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    moved: int = 0
    gone: int = 0
    problems: tuple[Skipped, ...] = ()
    addresses: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return self.added + self.changed + self.unchanged + self.moved


def take_in(
    engine: Engine,
    asker: Asker,
    items: Iterable[Item | Skipped],
    *,
    operation: str,
    service: str = "",
    gone: Collection[str] = (),
    progress: Progress | None = None,
    total: int | None = None,
    shelf: Shelf | None = None,
    settle: Sequence[Settle] = (),
    rows: Sequence[Source] = (),
    seen_at: int | None = None,
) -> TakenIn:
    """Remember what readers found, in the asker's project. `gone` are paths of `service` that are no longer there.
    `settle` is done after each batch, for the nodes that are new in it and those that left. `rows` are kept when all is
    done. `seen_at` is when the files began to be read, where that was before all of this."""
    named = redacted_name(service, engine.redact_extra)
    done = 0
    with Ahead(engine, total or 0) as ahead:
        run = _Run(engine, asker, operation, shelf or Shelf(engine, asker), ahead, named, bool(settle), seen_at)
        run.leaving.update(one.address for path in gone if (one := run.shelf.at(named, path)) and one.is_document)
        run.settle_left_over(settle)
        for batch in run.looked_at(_batches(items)):
            new = run.take(batch)
            run.pass_over(named, batch.skipped)
            run.settle(settle, new)
            done += batch.size
            if progress is not None:
                progress(done, total)
    for start in range(0, len(paths := sorted(gone)), BATCH):
        run.retract(named, paths[start : start + BATCH])
        run.settle(settle, ())
    run.all_settled(rows)
    return run.result()


def _placed(item: Item, service: str, redact_extra: tuple[str, ...]) -> Item:
    """The item under the names that may be written down: a path or a service can hold a secret too."""
    named = redacted_name(item.draft.service or service, redact_extra)
    path = kept_path(item.path, redact_extra)
    draft = item.draft if item.draft.service == named else replace(item.draft, service=named)
    if path and not draft.metadata.get("path"):
        draft = replace(draft, metadata={**draft.metadata, SOURCE_PATH: path})
    return item if (draft, path) == (item.draft, item.path) else replace(item, draft=draft, path=path)


def _batches(items: Iterable[Item | Skipped]) -> Iterator[list[Item | Skipped]]:
    batch: list[Item | Skipped] = []
    characters = 0
    for one in items:
        batch.append(one)
        characters += len(one.draft.content) if isinstance(one, Item) else 0
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


@dataclass
class _Ready:
    """An item with the step that says it, cleaned and redacted as the door will do it again."""

    item: Item
    say: Say
    address: str
    before: Source | None
    known: Record | None = None
    earlier: Record | None = None


@dataclass
class _Batch:
    """What is written together. `touched` are rows of what is unchanged but for the times of its file."""

    size: int
    ready: list[_Ready]
    touched: list[Source]
    skipped: list[Skipped]


@dataclass
class _Run:
    engine: Engine
    asker: Asker
    operation: str
    shelf: Shelf
    ahead: Ahead
    service: str = ""
    is_settling: bool = False
    seen_at: int | None = None
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TakenIn._fields[:5], 0))
    problems: list[Skipped] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    # How many of the paths that will be gone hold a node.
    leaving: Counter[str] = field(default_factory=Counter)

    def settle(self, acts: Sequence[Settle], new: Sequence[str]) -> None:
        left, self.left = self.left, []
        for act in acts if new or left else ():
            act(self.engine, self.asker, new, left)

    def settle_left_over(self, acts: Sequence[Settle]) -> None:
        """What a run had written, and was ended before it could settle it. Done twice, it adds nothing."""
        noted = self.shelf.at(self.service, SETTLING) if acts else None
        new, _, left = noted.title.partition("/") if noted is not None else ("", "", "")
        for act in acts if new or left else ():
            act(self.engine, self.asker, new.split(), left.split())

    def all_settled(self, rows: Sequence[Source]) -> None:
        gone = self.shelf.take(self.service, SETTLING)
        if gone is None and not rows:
            return
        with self.engine.store.writing() as writer:
            writer.drop_sources(self.asker.namespace, [gone] if gone is not None else [])
            writer.keep_sources(self.asker.namespace, self.shelf.still_so(writer, self.service, rows))

    def _to_settle(self, new: Sequence[str]) -> list[Source]:
        """The row that says what is to be settled, written with it; each batch takes the place of the one before."""
        if not self.is_settling or not (new or self.left):
            return []
        named = f"{' '.join(new)}/{' '.join(self.left)}"
        row = Source(self.asker.scope.project, self.service, SETTLING, CURSOR, NO_ADDRESS, title=named)
        self.shelf.put(row)
        return [row]

    def result(self) -> TakenIn:
        return TakenIn(**self.counts, problems=tuple(self.problems), addresses=tuple(self.addresses))

    def _at(self, now: int) -> int:
        return now if self.seen_at is None else self.seen_at

    def looked_at(self, batches: Iterable[list[Item | Skipped]]) -> Iterator[_Batch]:
        """The batches, each made ready while what comes before it is embedded elsewhere, where that is worth it."""
        waiting: _Batch | None = None
        for found in batches:
            items = [_placed(one, self.service, self.engine.redact_extra) for one in found if isinstance(one, Item)]
            batch = self._looked_at(len(found), items, [one for one in found if isinstance(one, Skipped)])
            if not self.ahead.is_on:
                if waiting is not None:
                    yield waiting
                waiting = None
                yield batch
                continue
            self._know(batch.ready)
            self.ahead.begin([one.say.content for one in batch.ready if one.known is None])
            if waiting is not None:
                yield waiting
            waiting = batch
        if waiting is not None:
            self.ahead.begin(())
            yield waiting

    def _looked_at(self, size: int, items: Sequence[Item], skipped: list[Skipped]) -> _Batch:
        now = self.engine.clock()
        ready, touched = [], []
        for item in items:
            if self.shelf.is_hidden(self._read_for(item), item.path):
                self.problems.append(Skipped(item.path, HIDDEN))
                continue
            before = self.shelf.at(self._read_for(item), item.path)
            if before and item.digest and before.digest == item.digest and self._is_kept(before.kind, item):
                self.counts["unchanged"] += 1
                if (before.size, before.mtime_ns) != (item.size, item.mtime_ns):
                    touched.append(before._replace(size=item.size, mtime_ns=item.mtime_ns, at=self._at(now)))
            elif one := self._ready(item, before, now):
                ready.append(one)
        return _Batch(size, ready, touched, skipped)

    def _is_kept(self, before: str, item: Item) -> bool:
        """Whether the same bytes are still what they were taken for. What somebody called a decision stays one, though
        its form alone does not show it, until somebody calls it a document."""
        now = item.draft.kind
        is_called_so = self.operation == DOCUMENT_OPERATION
        return before == now or (now == "document" and before in ("decision", "incident") and not is_called_so)

    def take(self, batch: _Batch) -> list[str]:
        """Write one batch; the addresses that are new in it. When somebody else has read the same meanwhile, it is
        looked at once more."""
        counts, addresses, left, leaving = dict(self.counts), list(self.addresses), list(self.left), self.leaving.copy()
        try:
            return self._taken(batch)
        except Conflict:
            self.counts, self.addresses, self.left, self.leaving = counts, addresses, left, leaving
            self.shelf.forget()
            return self._taken(self._looked_at(batch.size, [one.item for one in batch.ready], []))

    def _taken(self, batch: _Batch) -> list[str]:
        now = self.engine.clock()
        self._know(batch.ready)
        steps: list[Step] = []
        sources: list[Source] = list(batch.touched)
        for one in batch.ready:
            steps += self._steps(one, now)
            source = self._source(one, now)
            if source.path:
                self.shelf.put(source)
                sources.append(source)
        if not steps and not sources:
            return []
        return self._write(steps, sources, batch.ready)

    def _ready(self, item: Item, before: Source | None, now: int) -> _Ready | None:
        try:
            say = self._said(dated(item, now), now)
        except (Invalid, TooLarge) as problem:
            refused = Skipped(item.path, problem.message, item.digest, item.size, item.mtime_ns)
            self.pass_over(self._read_for(item), [refused])
            return None
        if item.problem:
            self.problems.append(Skipped(item.path, item.problem))
        return _Ready(item, say, Node.make(say.kind, say.content, say.inputs).address, before)

    def _said(self, draft: Draft, now: int) -> Say:
        """The step as the door will take it. What stands in a file behind a secret of several lines keeps its line."""
        extra = self.engine.redact_extra
        ready = prepare([say_of(self.engine, self.asker, draft, now)], None, extra)[0]
        if ready.redacted and draft.metadata.get("path"):
            text = redact(draft.content.replace("\r\n", "\n").replace("\r", "\n"), extra, keep_lines=True).text
            draft = replace(draft, content=text, metadata={**draft.metadata, **begins_at(text)})
            ready = prepare([say_of(self.engine, self.asker, draft, now)], None, extra)[0]
        assert isinstance(ready.step, Say)
        return ready.step

    def _read_for(self, item: Item) -> str:
        """The service whose files are read: an incident in them may be another one's."""
        return self.service or item.draft.service

    def _know(self, ready: Sequence[_Ready]) -> None:
        """What the store has of these already, and of those whose place they take."""
        project = self.asker.scope.project
        asked = {address for one in ready for address in (one.address, one.before.address if one.before else "")}
        with self.engine.store.reading() as reader:
            found = reader.records(self.asker.namespace, sorted(asked - {"", NO_ADDRESS}), (project,), CURRENT)
        records = {record.node.address: record for record in found}
        for one in ready:
            one.known = records.get(one.address)
            one.earlier = records.get(one.before.address) if one.before is not None else None

    def _steps(self, one: _Ready, now: int) -> list[Step]:
        """What is to be done for one item. The shelf still says what was before it."""
        before, known = one.before, one.known
        is_same = before is not None and before.address == one.address
        earlier = None if is_same else one.earlier
        old = self._left(before, earlier, now) if before is not None and not is_same else None
        is_gone = known is not None and not known.standing.is_active(now)
        is_back = known is not None and is_gone and may_return(known)
        if known is not None and is_same and not is_back:
            steps = [] if is_gone else self._said_more(one, known)
            self.counts["changed" if steps else "unchanged"] += 1
            return steps
        self._count(one, "changed" if before is not None and not is_same else "added", is_gone and not is_back)
        if is_gone and not is_back:
            # Somebody has forgotten it since: it stays so.
            return [] if old is None else [Restate(old.node.address, (("state", RETRACTED),), CHANGED)]
        if known is None or is_gone:
            self.addresses.append(one.address)
        if old is not None and old.node.kind == one.say.kind and old.standing.semantic:
            chosen = tuple((name, getattr(one.say.standing, name)) for name in sorted(one.say.given))
            taking = Supersede(old.node.address, one.say.content, one.say.occurrence, CHANGED, chosen)
            return [taking, *self._closing(old, one.say, itself=True)]
        say = _heir(one.say, earlier or (known if is_back else None))
        if old is None:
            return [say]
        left = Restate(old.node.address, (("state", SUPERSEDED),), CHANGED)  # so that it may come back
        link = Relate(one.address, old.node.address, "supersedes")
        return [say, left, link, *self._closing(old, one.say, itself=True)]

    def _count(self, one: _Ready, outcome: str, is_forgotten: bool) -> None:
        """What came of an item: one whose path takes the place of another that is gone has moved."""
        if outcome == "added" and is_forgotten:
            outcome = "unchanged"
        elif outcome == "added" and one.known is not None and self.leaving[one.address] > 0:
            self.leaving[one.address] -= 1
            self.counts["gone"] -= 1
            outcome = "moved"
        self.counts[outcome] += 1

    def _left(self, before: Source, record: Record | None, now: int) -> Record | None:
        """The node that a path no longer holds, if it is to leave: no other path holds it, nobody said it himself, and
        it has not left yet."""
        self.shelf.take(before.service, before.path)
        if record is None or self.shelf.is_held(before.address):
            return None
        if not record.standing.is_active(now):
            self.left.append(record.node.address)  # what it had replaced may hold again
            return None
        with self.engine.store.reading() as reader:
            said = reader.occurrences([record.entry], CURRENT).get(record.entry, [])
        if not all(SOURCE_PATH in one.metadata or '"path"' in one.metadata for one in said):
            return None
        self.left.append(record.node.address)
        return record

    def _said_more(self, one: _Ready, known: Record) -> list[Step]:
        """What is to be done when the same text is read with another standing, or with other words about it."""
        steps: list[Step] = []
        with self.engine.store.reading() as reader:
            said = reader.occurrences([known.entry], CURRENT).get(known.entry, [])
        if all(occurrence.metadata != one.say.occurrence.metadata for occurrence in said):
            steps.append(one.say)
        asked = one.say.standing.classification
        if "classification" in one.say.given and asked != known.standing.classification:
            steps.append(Restate(one.address, (("classification", asked),), "as its source says"))
            steps += self._closing(known, one.say, itself=False)
        return steps

    def _closing(self, record: Record, say: Say, *, itself: bool) -> list[Restate]:
        """What closes earlier versions where the source says that this one is not for everybody."""
        chosen = say.standing.classification if "classification" in say.given else None
        if chosen is None:
            return []
        with self.engine.store.reading() as reader:
            return closing_steps(reader, self.asker, record, chosen, itself=itself)

    def _record(self, source: Source) -> Record | None:
        with self.engine.store.reading() as reader:
            found = reader.records(self.asker.namespace, [source.address], (self.asker.scope.project,), CURRENT)
        return found[0] if found else None

    def _source(self, one: _Ready, now: int) -> Source:
        fields, item = one.say.occurrence.fields, one.item
        title = str(fields.get("title") or "") or first_line(one.say.content, TITLE_MAX)
        return Source(
            self.asker.scope.project,
            self._read_for(item),
            item.path,
            one.say.kind,
            one.address,
            item.digest,
            item.size,
            item.mtime_ns,
            self._at(now),
            title[:TITLE_MAX],
        )

    def _write(self, steps: Sequence[Step], sources: Sequence[Source], ready: Sequence[_Ready]) -> list[str]:
        known = {one.say.content for one in ready if one.known is not None}
        now = self.engine.clock()
        fresh = [one.address for one in ready if one.known is None or not one.known.standing.is_active(now)]

        rows = [*sources, *self._to_settle(fresh)]

        def also(writer: Writer) -> None:
            writer.keep_sources(self.asker.namespace, rows)

        if not steps:
            with self.engine.store.writing() as writer:
                also(writer)
            return []
        count = len(ready)
        submit(
            self.engine,
            self.asker,
            self.operation,
            steps,
            summary=f"take in {count} document{'s' if count != 1 else ''}",
            embed=only_new(self._embed(ready), known),
            also=also,
        )
        return fresh

    def _embed(self, ready: Sequence[_Ready]) -> Embed | None:
        """What the texts are embedded with. What is embedded ahead already needs no more."""
        if self.ahead.is_on:
            return self.ahead.embed()
        return keeping(self.engine, self.engine.embed(), {o.say.content: o.earlier for o in ready if o.earlier})

    def retract(self, service: str, paths: Sequence[str]) -> None:
        """What is no longer there."""
        known = [source for path in paths if (source := self.shelf.at(service, path)) is not None]
        self.counts["gone"] += sum(source.is_document for source in known)
        self._leave(known, lambda writer: writer.drop_sources(self.asker.namespace, known))

    def pass_over(self, service: str, skipped: Sequence[Skipped]) -> None:
        """What was not read. It is noted, so that it is not looked at again; what was read there before leaves."""
        self.problems += skipped
        noted = [one for one in skipped if one.digest]
        if not noted:
            return
        now, extra = self.engine.clock(), self.engine.redact_extra
        place = (self.asker.scope.project, service)
        rows = [
            Source(*place, kept_path(one.path, extra), SKIPPED, NO_ADDRESS, one.digest, one.size, one.mtime_ns)
            for one in noted
        ]
        rows = [
            row._replace(at=self._at(now), title=one.reason[:TITLE_MAX]) for row, one in zip(rows, noted, strict=True)
        ]
        rows = [row for row in rows if not self.shelf.is_hidden(service, row.path)]
        known = [source for row in rows if (source := self.shelf.at(row.service, row.path)) is not None]
        self._leave(known, lambda writer: writer.keep_sources(self.asker.namespace, rows))
        for row in rows:
            self.shelf.put(row)

    def _leave(self, sources: Sequence[Source], also: Callable[[Writer], None]) -> None:
        now = self.engine.clock()
        records = [r for source in sources if (r := self._left(source, self._record(source), now)) is not None]
        steps = [Restate(record.node.address, (("state", RETRACTED),), GONE) for record in records]
        rows = self._to_settle(())

        def both(writer: Writer) -> None:
            also(writer)
            writer.keep_sources(self.asker.namespace, rows)

        if steps:
            summary = f"{len(steps)} document{'s are' if len(steps) != 1 else ' is'} gone"
            submit(self.engine, self.asker, self.operation, steps, summary=summary, also=both)
        else:
            with self.engine.store.writing() as writer:
                also(writer)


def _heir(say: Say, before: Record | None) -> Say:
    """With what somebody said of how the earlier text stands, where the new one is no version of it by its kind: what
    was confidential must not come to light because its file was changed, moved or restored."""
    if before is None:
        return say
    kept = {name: getattr(before.standing, name) for name in INHERITED if name not in say.given}
    return replace(say, standing=replace(say.standing, **kept), given=say.given | frozenset(kept))


__all__ = ["GONE", "HIDDEN", "TakenIn", "take_in"]
