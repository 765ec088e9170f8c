"""What the verbs work with: a store, an embedder, a clock. Built once, in `app/`."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from ..derive.tally import Tally
from ..model.address import parse_prefix
from ..model.change import Change, Receipt, Step
from ..model.derivation import value_digest
from ..model.errors import Ambiguous, Invalid, MarrowError, NotFound
from ..model.event import CONSCIOUS, Head, Snapshot
from ..model.moments import beginning, end
from ..model.node import GLOBAL_PROJECT
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ, Principal, Scope
from ..model.session import Injection
from ..model.standing import DOMAINS
from ..providers.blended import Blended
from ..providers.embedder import Embedder
from ..providers.llm import Allowance
from ..search.passages import embedded_pieces
from ..store.protocol import Measurement, Projects, Reader, Store, Writer
from ..store.receive import Embed, receive
from .lately import Given, Lately

if TYPE_CHECKING:
    from ..access.restricted import Restricted
    from ..search.find import Rerank
    from ..store.protocol import Vector
    from .code.kept_map import KeptMap
    from .observed.observe import Known

# At which end of the chain it was looked up, and the records that were replaced and are still there.
Replaced = tuple[Head, frozenset[int]]
T = TypeVar("T")

CANDIDATES_SHOWN = 10
SNAPSHOTS_NAMED = 10
# A question of the better tier finds what the quick one embedded too, but less well than the rest.
REFINED_SHARE = 0.9


def now_micros() -> int:
    return time.time_ns() // 1000


def _go_on() -> None:
    return


@dataclass(frozen=True)
class Engine:
    """The parts that every verb needs. `domains` are Marrow's own and the project's. `pending`, `recalled`,
    `used` and `told` are not yet written, and `lately` is what they come from; threads share them. `named` are the
    projects whose names this process has seen to."""

    store: Store
    embedder: Embedder
    clock: Callable[[], int] = now_micros
    domains: tuple[str, ...] = DOMAINS
    redact_extra: tuple[str, ...] = ()
    ignore_extra: tuple[str, ...] = ()  # what is not taken in, as in .gitignore
    rerank: Rerank | None = None
    refiner: Embedder | None = None  # a better embedder of the same space, for the background
    allowance: Allowance = field(default_factory=Allowance)  # what language models may cost
    pending: list[Measurement] = field(default_factory=list)
    recalled: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)
    looked: dict[bytes, Vector] = field(default_factory=dict)  # by passage, what a second look embedded
    lately: Lately = field(default_factory=Lately)
    told: list[tuple[str, str, Injection]] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)  # every run of a derivation
    counting: threading.Lock = field(default_factory=threading.Lock)
    noting: threading.Lock = field(default_factory=threading.Lock)  # held while what was told is written
    named: set[tuple[str, ...]] = field(default_factory=set)
    views: dict[tuple[str, str], Restricted] = field(default_factory=dict)  # by namespace and name
    replaced: dict[tuple[Principal, Filter], Replaced] = field(default_factory=dict)  # by who asks, and where
    maps: Callable[[str], KeptMap] | None = None  # the code map of the checkout in a folder
    pieces: Known = field(default_factory=dict)  # what the last traces came to
    make_way: Callable[[], None] = _go_on  # what works in the background calls this between its small steps

    def embed(self) -> Embed | None:
        """What the door embeds texts with; None when search goes by words alone."""
        return self._documents if self.model() else None

    def model(self) -> tuple[str, int] | None:
        """The embedder's model and its number of dimensions; None when search goes by words alone, or a service that
        would have to say it does not answer."""
        try:
            return (self.embedder.model, self.embedder.dimensions) if self.embedder.dimensions else None
        except MarrowError:
            return None

    def gave(self, asker: Asker, records: Iterable[Record], asked: str) -> None:
        """Count what was recalled for a message, and keep it in mind for what follows."""
        now = self.clock()
        given = [Given(r.entry, r.node.address, asked, asker.principal, now) for r in records]
        self.recalled.extend(one.entry for one in given)
        self.lately.add(given)

    def uncounted(self) -> Engine:
        """The same for one who only asks what would be recalled."""
        return replace(self, recalled=[], used=[], lately=Lately())

    def considerately(self, some: Iterable[T]) -> Iterator[T]:
        """Each of these, making way between them."""
        for one in some:
            self.make_way()
            yield one

    def drain(self) -> tuple[list[Measurement], list[int], list[int]]:
        """Take out what is to be written: pending, recalled and used. What is added meanwhile waits for the next."""
        with self.counting:
            self.pending.extend(self.tally.lines(self.clock()))
            return _taken(self.pending), _taken(self.recalled), _taken(self.used)

    def vectors(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of texts as they are kept."""
        return vectors_by(self.embedder, texts)

    def asking(self, reader: Reader, namespace: str, projects: Projects, besides: int = 0) -> Embedder:
        """What a question is embedded with: the better tier, once nearly all that it looks at was embedded by it; the
        last so many not counted."""
        if self.refiner is None or reader.refined(namespace, projects, besides) < REFINED_SHARE:
            return self.embedder
        return self.refiner

    def searching(self, reader: Reader, namespace: str, projects: Projects) -> Embedder:
        """The same for one who searches: where the quick vectors serve, both tiers embed the question. A recall's cut
        was measured with one, and it must not wait until the better one is loaded."""
        asking = self.asking(reader, namespace, projects)
        if self.refiner is None or asking is self.refiner:
            return asking
        return Blended(self.embedder, self.refiner)

    def embedded(self, texts: Sequence[str]) -> None:
        """Count that these were cut and embedded, here or elsewhere."""
        self.tally.ran_on(("chunks", "embedding"), texts, value_digest)

    def _documents(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """None for each when a service does not answer: what is said is saved all the same, and `reindex` makes the
        vectors later."""
        self.embedded(texts)
        self.make_way()
        try:
            return self.vectors(texts)
        except MarrowError:
            return [None] * len(texts)


def vectors_by(embedder: Embedder, texts: Sequence[str]) -> list[Vector]:
    """The vectors of texts as they are kept: one, or for a long text one for each passage."""
    pieces = [embedded_pieces(text) for text in texts]
    rows = embedder.documents([piece for some in pieces for piece in some])
    found, start = [], 0
    for some in pieces:
        found.append(rows[start] if len(some) == 1 else rows[start : start + len(some)])
        start += len(some)
    return found


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks, and from where: what a verb is told about its caller. `aliases` are its project's other names, `root`
    is the folder of its project where that is at hand."""

    principal: Principal
    scope: Scope
    actor: str = "user"
    aliases: tuple[str, ...] = ()
    root: str = ""

    @property
    def namespace(self) -> str:
        return self.scope.namespace

    def places(self, which: str = "all") -> tuple[str, ...] | None:
        """The projects that a call from here looks at: its own, the global scope, or both."""
        chosen = {
            "project": (self.scope.project,),
            "global": (GLOBAL_PROJECT,),
            "all": tuple(dict.fromkeys((self.scope.project, GLOBAL_PROJECT))),
        }[which]
        return self.principal.readable(chosen)

    def everywhere(self) -> tuple[str, ...] | None:
        """Every project that this principal may read."""
        return self.principal.readable(None)


def submit(
    engine: Engine,
    asker: Asker,
    operation: str,
    steps: Sequence[Step],
    *,
    summary: str = "",
    project: str | None = None,
    layer: str = CONSCIOUS,
    embed: Embed | None = None,
    also: Callable[[Writer], None] | None = None,
) -> Receipt:
    """Send a change through the door. `also` is done in the same transaction."""
    place = asker.scope.project if project is None else project
    # A repository may get another name while a process runs, as an origin.
    named = (place, *asker.aliases)
    names = asker.aliases if place == asker.scope.project and named not in engine.named else ()
    change = Change(operation, asker.actor, asker.namespace, place, tuple(steps), summary, layer, names)
    receipt = receive(
        engine.store,
        change,
        asker.principal,
        now=engine.clock(),
        embed=embed or engine.embed(),
        model=engine.model(),
        redact_extra=engine.redact_extra,
        also=also,
    )
    if names and receipt.has_changed:
        engine.named.add(named)
    return receipt


def _taken(counts: list[T]) -> list[T]:
    """Others only append, so the beginning of the list is as it was copied."""
    taken = list(counts)
    del counts[: len(taken)]
    return taken


def resolve(
    reader: Reader,
    asker: Asker,
    given: object,
    *,
    seq: int = CURRENT,
    everywhere: bool = False,
    argument: str = "address",
) -> Record:
    """The record that an address or prefix names: in the caller's project, or else in the global scope."""
    prefix = parse_prefix(given, field=argument)
    places = asker.everywhere() if everywhere else asker.places()
    found = reader.addresses(asker.namespace, prefix, places, CANDIDATES_SHOWN + 1)
    if not found:
        raise NotFound(
            f"Nothing here has an address that begins with {prefix[:16]}.",
            hint="Search for it; project=all looks in every project.",
            field=argument,
        )
    if len(found) > 1:
        shown = ", ".join(address[:16] for address in found[:CANDIDATES_SHOWN])
        more = " and more" if len(found) > CANDIDATES_SHOWN else ""
        raise Ambiguous(f"{prefix} names several nodes: {shown}{more}.", hint="Give more digits.", field=argument)
    records = reader.records(asker.namespace, found, places, seq)
    if not records:
        raise NotFound(f"{prefix} was not known at that time.", field=argument)
    return next((r for r in records if r.project == asker.scope.project), records[0])


def seen_snapshots(reader: Reader, asker: Asker) -> list[Snapshot]:
    """The snapshots whose names the caller may see: those that were taken in a project that it may read."""
    found = reader.snapshots(asker.namespace)
    readable = asker.everywhere()
    if readable is None:
        return found
    events = {s.seq: next(reader.events(asker.namespace, s.seq - 1, s.seq), None) for s in found}
    return [s for s in found if (event := events[s.seq]) is not None and event.project in readable]


def _tagged(reader: Reader, asker: Asker, as_of: object) -> int | None:
    """The number of the one snapshot with this tag; None where none has it, or where it is a number."""
    if not isinstance(as_of, str) or as_of.isdigit():
        return None
    found = [snapshot for snapshot in seen_snapshots(reader, asker) if as_of in snapshot.tags]
    if len(found) > 1:
        names = ", ".join(snapshot.name for snapshot in found[-SNAPSHOTS_NAMED:])
        hint = "Give the name of one of them."
        raise Ambiguous(f"{len(found)} snapshots have the tag {as_of[:80]!r}: {names}.", hint=hint, field="as_of")
    return found[0].seq if found else None


def sequence(reader: Reader, asker: Asker, as_of: object, now: int, *, before: bool = False) -> int:
    """The sequence number that `as_of` names: a snapshot, a tag that it alone has, a number, or a time. None is now. A
    time stands for its end, so that a day has all that happened on it; with `before` it is the last number before its
    beginning."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if as_of is None or as_of == "":
        return CURRENT
    for snapshot in seen_snapshots(reader, asker):
        if snapshot.name == as_of:
            return snapshot.seq
    if (tagged := _tagged(reader, asker, as_of)) is not None:
        return tagged
    if isinstance(as_of, int) and not isinstance(as_of, bool):
        number: int | None = as_of
    else:
        number = (
            int(as_of) if isinstance(as_of, str) and as_of.isascii() and as_of.isdigit() and len(as_of) < 10 else None
        )
    if number is not None:
        head = reader.head(asker.namespace).seq
        if not 0 <= number <= head:
            raise NotFound(f"There is no event {number}; the last is {head}.", field="as_of")
        return number
    try:
        at = beginning(as_of, now, field="as_of") - 1 if before else end(as_of, now, field="as_of")
    except Invalid as problem:
        names = ", ".join(snapshot.name for snapshot in seen_snapshots(reader, asker)[-5:]) or "none yet"
        raise Invalid(
            f"{str(as_of)[:80]!r} is no snapshot, no sequence number and no time.",
            hint=f"Snapshots: {names}. A time is 2026-03-01 or 3 days ago.",
            field="as_of",
        ) from problem
    return reader.sequence_at(asker.namespace, at)
