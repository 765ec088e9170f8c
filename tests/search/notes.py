"""The memory of Lantern, a made-up service that tracks parcels: what the tests of finding search in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from marrow.memory.engine import Asker, Engine, submit
from marrow.memory.remember import remember
from marrow.model.change import Relate, Restate, Supersede
from marrow.model.draft import Draft
from marrow.model.moments import MICROS_PER_DAY, iso, micros
from marrow.model.node import Occurrence
from marrow.model.record import CURRENT, Filter
from marrow.model.scope import Principal, Scope
from marrow.providers.embedder import Embedder
from marrow.search.find import Found, Hit, find
from marrow.search.question import Question
from marrow.store import open_store

# So that what happened on 14 March was said on that day.
START = micros(datetime(2026, 2, 8, 9))
NOW = START + 120 * MICROS_PER_DAY
PROJECT = "lantern"
# A line each: name, domain, kind, tags, text.
_FILE = Path(__file__).with_name("lantern.txt")


@dataclass(frozen=True)
class Note:
    """What was said, on which day after the start."""

    name: str
    content: str
    domain: str = "context"
    kind: str = "claim"
    tags: tuple[str, ...] = ()
    day: int = 0


def _notes() -> Iterator[Note]:
    for day, line in enumerate(_FILE.read_text(encoding="utf-8").splitlines()):
        name, domain, kind, tags, content = (part.strip() for part in line.split("|", 4))
        yield Note(name, content, domain, kind, tuple(tag for tag in tags.split(",") if tag), day)


NOTES = tuple(_notes())
BY_NAME = {note.name: note for note in NOTES}


@dataclass(frozen=True)
class Lantern:
    """The memory of Lantern, filled, and somebody who asks it. Its clock stands still."""

    engine: Engine
    asker: Asker

    def say(self, content: str, *, day: float = 0.0, **about: object) -> str:
        """Something more; its address."""
        at = iso(START + int(day * MICROS_PER_DAY))
        draft = Draft(content, at=at, **about)  # type: ignore[arg-type]
        return remember(self.engine, self.asker, [draft]).saved[0].address

    def link(self, source: str, rel: str, target: str) -> None:
        submit(self.engine, self.asker, "test", [Relate(source, target, rel)])

    def restate(self, address: str, **changes: object) -> None:
        submit(self.engine, self.asker, "test", [Restate(address, tuple(changes.items()))])

    def supersede(self, address: str, content: str, *, day: float) -> str:
        said = Occurrence(START + int(day * MICROS_PER_DAY))
        return submit(self.engine, self.asker, "test", [Supersede(address, content, said)]).outcomes[0].address

    def ask(
        self,
        text: str,
        *,
        limit: int = 10,
        seq: int = CURRENT,
        without: Sequence[int] = (),
        files: Sequence[str] = (),
        **wanted: Any,
    ) -> Found:
        asked = Question(
            text, self.asker.namespace, Filter(**wanted), NOW, seq, limit, frozenset(without), tuple(files)
        )
        with self.engine.store.reading() as reader:
            return find(reader, self.engine.embedder, asked)

    def found(self, text: str, **about: Any) -> list[Hit]:
        return self.ask(text, **about).hits

    def by_text(self, text: str, **about: Any) -> dict[str, Hit]:
        return {hit.record.node.content: hit for hit in self.found(text, limit=about.pop("limit", 60), **about)}


@contextmanager
def lantern(embedder: Embedder, *, is_empty: bool = False, at: str = "memory:") -> Iterator[Lantern]:
    store = open_store(at)
    engine = Engine(store, embedder, lambda: NOW)
    asker = Asker(Principal("ada"), Scope(project=PROJECT, user="ada"), "ada")
    drafts = [
        Draft(n.content, n.kind, n.domain, tags=n.tags, at=iso(START + n.day * MICROS_PER_DAY))
        for n in (() if is_empty else NOTES)
    ]
    if drafts:
        remember(engine, asker, drafts)
    yield Lantern(engine, asker)
    store.close()


def name_of(content: str) -> str:
    """The name of a note by its text; the text itself where it is none of them."""
    return next((note.name for note in NOTES if note.content == content), content)


def names(hits: Sequence[Hit]) -> list[str]:
    return [name_of(hit.record.node.content) for hit in hits]


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.record.node.content for hit in hits]
