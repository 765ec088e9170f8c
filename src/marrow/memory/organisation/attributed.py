"""A record with where it is from and what took its place: what every answer about the organisation carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from ...model.record import CURRENT, Record
from ...model.source import CODEBASE
from ...model.standing import SUPERSEDED
from ...model.text import first_line
from ...search.best_passage import Place
from ...search.find import Hit
from ...store.protocol import Reader
from ..amendments import Amendment, amendments
from ..as_here import as_here
from ..attribution import COMMIT_DIGITS, NOWHERE, Origin, held_now, origins_of
from ..engine import Asker, Engine

TITLE_MAX = 160
SUPERSEDES = "supersedes"


@dataclass(frozen=True, slots=True)
class Attributed:
    """`place` is the passage that answers, where the text is long; `successors` took its place. `changed_by` is what
    changed it though nobody linked the two, where that was looked for. `is_gone`: it gave way to another, and its file
    says something else since, or is no longer there. `amended_by` changed it in part: both hold."""

    record: Record
    origin: Origin = NOWHERE
    score: float = 0.0
    place: Place | None = None
    successors: tuple[Record, ...] = ()
    successor_origins: Mapping[int, Origin] = field(default_factory=dict)
    changed_by: Record | None = None
    is_gone: bool = False
    amended_by: tuple[Amendment, ...] = ()

    @property
    def title(self) -> str:
        file = self.origin.path.rpartition("/")[2] if self.record.node.kind == "code" else ""
        title = self.origin.title or file or first_line(self.record.node.content.lstrip("# "), TITLE_MAX)
        return " ".join(title.split())  # a line end in it must not begin a line of its own

    @property
    def named_path(self) -> str:
        """Where one finds it: its path, with the moment or the place in it; of a commit its hash."""
        commit = str(self.origin.fields.get("commit") or "") if self.record.node.kind == "commit" else ""
        name = self.origin.path or (f"commit {commit[:COMMIT_DIGITS]}" if commit else self.origin.file)
        return " ".join(f"{name} {self.origin.spot(self.record, self.place)}".split())

    @property
    def at(self) -> int:
        return self.origin.at or self.record.last_at

    @property
    def is_dated(self) -> bool:
        return self.origin.is_dated

    @property
    def is_superseded(self) -> bool:
        return self.record.standing.state == SUPERSEDED

    @property
    def is_old_version(self) -> bool:
        """Whether only its file changed: the same document says something else now."""
        own = (self.origin.service, self.origin.path)
        after = self.successor_origins.values()
        return self.is_gone or (self.is_superseded and any(bool(own[1]) and own in one.places for one in after))

    def holds(self, now: int) -> bool:
        """Whether it is what its path or its author says: active, or superseded by another document and still there.
        Not what was retracted, has expired, or stood in a file before that changed."""
        return self.record.standing.is_active(now) or (self.is_superseded and not self.is_old_version)

    @property
    def status(self) -> str:
        """How a decision stands: as its file says, unless another took its place. Of others what their reader noted."""
        said = self.origin.fields.get("status") or self.origin.fields.get("state")
        status = said.strip().lower() if isinstance(said, str) else ""
        if self.record.node.kind != "decision":
            return status
        return SUPERSEDED if self.is_superseded else status

    @property
    def decided(self) -> str:
        """What was decided, in a line, where its reader found it."""
        said = self.origin.fields.get("decision")
        return said if isinstance(said, str) and self.record.node.kind == "decision" else ""

    @property
    def lines(self) -> tuple[int, int] | None:
        """The lines of the file that the passage covers, where the text has its file's lines."""
        return self.origin.lines(self.record, self.place)

    @property
    def passage(self) -> str:
        """What answers, or the whole text where it is short."""
        content = self.record.node.content
        return content[self.place.start : self.place.end].strip() if self.place else content


def attributed_here(engine: Engine, asker: Asker, told: Sequence[Attributed], seq: int) -> list[Attributed]:
    """The same as the code in this working tree bears them out, where it is asked what holds now."""
    if seq != CURRENT:
        return list(told)
    here = as_here(engine, asker, [one.record for one in told])
    return [replace(one, record=record) for one, record in zip(told, here, strict=True)]


def attribute(
    reader: Reader,
    asker: Asker,
    hits: Sequence[Hit],
    seq: int,
    origins: Mapping[int, Origin] | None = None,
    *,
    service: str = "",
) -> list[Attributed]:
    """These hits with where they are from, in their order. What several services have is told as that of `service`."""
    records = [hit.record for hit in hits]
    known = origins_of(reader, asker, records, seq, service) if origins is None else origins
    heirs = _heirs(reader, asker, [record for record in records if record.standing.state == SUPERSEDED], seq)
    theirs = origins_of(reader, asker, [one for some in heirs.values() for one in some], seq)
    amended = amendments(reader, asker, records, seq, known)
    found = []
    for hit in hits:
        after = heirs.get(hit.record.entry, ())
        place = hit.evidence.place if hit.evidence else None
        about = {one.entry: theirs.get(one.entry, NOWHERE) for one in after}
        one = Attributed(hit.record, known.get(hit.record.entry, NOWHERE), hit.score, place, after, about)
        found.append(replace(one, amended_by=amended.get(hit.record.entry, ())))
    gone = _gone(reader, asker, found) if seq == CURRENT else ()
    return [replace(one, is_gone=True) if one.record.entry in gone else one for one in found] if gone else found


def _gone(reader: Reader, asker: Asker, found: Sequence[Attributed]) -> set[int]:
    """The entries of those that gave way, and whose file says something else now, or is no longer there. Of a service
    of which no file is known here, as one from a bundle, nothing is said."""
    replaced = [one for one in found if one.is_superseded and one.origin.path and not one.is_old_version]
    there, gone = held_now(reader, asker, [one.record for one in replaced]), set[int]()
    for one in replaced:
        look = partial(reader.sources, asker.namespace, (one.record.project,), service=one.origin.service)
        if one.record.entry not in there and (look(path=one.origin.path) or look(path=CODEBASE)):
            gone.add(one.record.entry)
    return gone


def _heirs(reader: Reader, asker: Asker, records: Sequence[Record], seq: int) -> dict[int, tuple[Record, ...]]:
    """What took the place of each."""
    if not records:
        return {}
    places = asker.principal.readable(tuple({record.project for record in records}))
    links = reader.links(asker.namespace, [record.node.address for record in records], places, seq)
    after: dict[str, list[str]] = {}
    for link in links:
        if link.rel == SUPERSEDES:
            after.setdefault(link.target, []).append(link.source)
    every = sorted({address for some in after.values() for address in some})
    known = {r.node.address: r for r in reader.records(asker.namespace, every, places, seq)}
    return {
        record.entry: tuple(known[address] for address in after.get(record.node.address, ()) if address in known)
        for record in records
    }
