"""Arc: a goal that takes several sessions, as one node whose next version supersedes it each time it moves on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..model.change import Receipt, Supersede
from ..model.draft import Draft, occurrence_of
from ..model.errors import Conflict, Invalid, NotFound
from ..model.moments import moment
from ..model.nearest import nearest
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.text import first_line
from ..model.text import name as short_name
from ..store.protocol import Reader
from ..store.terms import STOP_WORDS, terms_of
from .engine import Asker, Engine, resolve, submit
from .note import as_kept, note

KIND, DOMAIN = "arc", "tasks"
ACTIVE, PAUSED, COMPLETE = "active", "paused", "complete"
OPERATION = "memory_arc"
TRAJECTORY_MAX = 20
# What two handoffs must share to be about the same, of all the words that they have.
ALIKE = 0.2
HANDOFFS_LOOKED_AT, WORDS_SHOWN, WORD_LENGTH_MIN = 40, 8, 3


@dataclass(frozen=True, slots=True)
class Arc:
    """`last` is the session, or else the day, in which it was last heard of: another one counts as one more."""

    name: str
    goal: str = ""
    status: str = ACTIVE
    sessions: int = 1
    trajectory: tuple[str, ...] = ()
    next_step: str = ""
    outcome: str = ""
    reason: str = ""
    last: str = ""

    def content(self) -> str:
        count = f"{self.sessions} session{'s' if self.sessions > 1 else ''}"
        lines = [f"Arc: {self.name} ({count}, {self.status})"]
        lines += [f"Goal: {self.goal}"] if self.goal else []
        lines += ["Trajectory:", *(f"- {step}" for step in self.trajectory)] if self.trajectory else []
        lines += [f"Next: {self.next_step}"] if self.next_step else []
        lines += [f"Outcome: {self.outcome}"] if self.outcome else []
        lines += [f"Paused: {self.reason}"] if self.reason else []
        return "\n".join(lines)

    def fields(self) -> dict[str, object]:
        shape = {name: getattr(self, name) for name in self.__slots__}
        return {"arc": shape | {"trajectory": list(self.trajectory)}}


class Known(NamedTuple):
    arc: Arc
    record: Record


class Done(NamedTuple):
    arc: Arc
    address: str
    content: str
    receipt: Receipt


class Thread(NamedTuple):
    """Handoffs that follow one another and are about the same, the earliest first, and the words that they share."""

    words: tuple[str, ...]
    handoffs: tuple[Record, ...]


def arc_create(engine: Engine, asker: Asker, name: str, goal: str, next_step: str = "") -> Done:
    called = short_name(name, field="name")
    if not goal.strip():
        raise Invalid("An arc needs a goal.", hint="Say in a sentence when it is reached.", field="goal")
    open_one = next((k for k in arc_list(engine, asker) if _is(k, called) and k.arc.status != COMPLETE), None)
    if open_one is not None:
        raise Conflict(f"There is an arc {called!r} already.", hint="Update it, or choose another name.", field="name")
    with engine.store.reading() as reader:
        made = Arc(called, goal.strip(), next_step=next_step.strip(), last=_now(reader, engine, asker))
    noted = note(engine, asker, _draft(asker, made), OPERATION)
    return Done(made, noted.address, noted.content, noted.receipt)


def arc_update(
    engine: Engine,
    asker: Asker,
    name: str,
    *,
    status: str = ACTIVE,
    progress: str = "",
    next_step: str = "",
    goal: str = "",
    outcome: str = "",
    reason: str = "",
) -> Done:
    """A new version of the arc with this name or address: what was done since, what is next, and how it stands."""
    known = arc_find(engine, asker, name)
    if known.arc.status == COMPLETE:
        raise Conflict(f"The arc {known.arc.name!r} is complete.", hint="Create another one.", field="name")
    with engine.store.reading() as reader:
        here = _now(reader, engine, asker)
    arc = known.arc
    made = replace(
        arc,
        goal=goal.strip() or arc.goal,
        status=status,
        sessions=arc.sessions + (here != arc.last),
        trajectory=(*arc.trajectory, *([progress.strip()] if progress.strip() else []))[-TRAJECTORY_MAX:],
        next_step="" if status == COMPLETE else next_step.strip() or arc.next_step,
        outcome=outcome.strip(),
        reason=reason.strip() if status == PAUSED else "",
        last=here,
    )
    old = known.record.node
    if as_kept(engine, made.content()) == old.content:
        raise Invalid("Nothing about the arc changed.", hint="Give progress, next_step or goal.", field="progress")
    said = occurrence_of(_draft(asker, made), engine.clock())
    step = Supersede(old.address, made.content(), said, f"the arc is {status}")
    receipt = submit(engine, asker, OPERATION, [step], summary=f"arc {status}", project=known.record.project)
    return Done(made, receipt.outcomes[0].address, made.content(), receipt)


def arc_list(engine: Engine, asker: Asker) -> list[Known]:
    """The project's arcs, those that are under way first, the latest first."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    wanted = Filter(projects=(asker.scope.project,), kinds=(KIND,))
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
        occurrences = reader.occurrences(entries, CURRENT)
        records = reader.records_of(entries, CURRENT)
    found = [Known(_arc(r, [said.fields for said in occurrences.get(r.entry, [])]), r) for r in records]
    order = (ACTIVE, PAUSED, COMPLETE)
    return sorted(found, key=lambda k: (order.index(k.arc.status), -k.record.last_at, k.arc.name))


def arc_find(engine: Engine, asker: Asker, name: str) -> Known:
    """By its name, whatever its letters' case, or by its address."""
    if not name.strip():
        raise Invalid("It is not said which arc.", hint="Give its name or address.", field="name")
    every = arc_list(engine, asker)
    if named := next((known for known in every if _is(known, name.strip())), None):
        return named
    try:
        with engine.store.reading() as reader:
            address = resolve(reader, asker, name, argument="name").node.address
    except (Invalid, NotFound):
        address = ""
    if by_address := next((known for known in every if known.record.node.address == address), None):
        return by_address
    near = nearest(name, [known.arc.name for known in every])
    hint = f"Did you mean {near}?" if near else "memory_arc with action=list shows them."
    raise NotFound(f"There is no arc {name[:80]!r}.", hint=hint, field="name")


def arc_detect(engine: Engine, asker: Asker) -> list[Thread]:
    """Work that went on from session to session though nobody called it an arc. Only looks."""
    known = [_words(one.record.node.content) for one in arc_list(engine, asker)]
    wanted = Filter(projects=(asker.scope.project,), kinds=("handoff",))
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock(), HANDOFFS_LOOKED_AT)
        records = sorted(reader.records_of(entries, CURRENT), key=lambda r: (r.last_at, r.node.address))
    runs: list[tuple[list[Record], frozenset[str]]] = []
    for record in records:
        words = _words(record.node.content)
        if runs and _likeness(_words(runs[-1][0][-1].node.content), words) >= ALIKE:
            runs[-1] = ([*runs[-1][0], record], runs[-1][1] & words)
        else:
            runs.append(([record], words))
    return [
        Thread(tuple(sorted(shared, key=lambda word: (-len(word), word))[:WORDS_SHOWN]), tuple(run))
        for run, shared in runs
        if len(run) > 1 and not any(_covers(arc, run) for arc in known)
    ]


def _covers(arc: frozenset[str], run: Sequence[Record]) -> bool:
    return any(_likeness(arc, _words(record.node.content)) >= ALIKE for record in run)


def _likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard: what they share of all that they have."""
    return len(one & other) / len(one | other) if one and other else 0.0


# The words of our own headings say nothing about what a handoff is about.
_HEADINGS = frozenset(
    terms_of(
        "arc goal trajectory next outcome paused active complete session sessions worked on corrections decided open "
        "user wants domains failing fixed files tasks history context decisions patterns issues feedback handoff"
    )
)


def _words(text: str) -> frozenset[str]:
    words = {word for word in terms_of(text) if len(word) >= WORD_LENGTH_MIN and not word.isdigit()}
    return frozenset(words - STOP_WORDS - _HEADINGS)


def _is(known: Known, name: str) -> bool:
    return known.arc.name.casefold() == name.casefold()


def _draft(asker: Asker, arc: Arc) -> Draft:
    return Draft(arc.content(), KIND, DOMAIN, user=asker.scope.user, metadata=arc.fields())


def _now(reader: Reader, engine: Engine, asker: Asker) -> str:
    """The session at hand, or the day where none was captured."""
    latest = next(iter(reader.sessions(asker.namespace, (asker.scope.project,), open=True, limit=1)), None)
    return latest.session if latest else moment(engine.clock()).date().isoformat()


def _arc(record: Record, said: Sequence[dict[str, Any]]) -> Arc:
    """What the node's last saying tells of it; of a node that was saved by hand, its text."""
    fields = next((one["arc"] for one in reversed(said) if isinstance(one.get("arc"), dict)), None)
    if fields is None:
        return Arc(first_line(record.node.content, 80), record.node.content)
    texts = {n: str(fields.get(n, "")) for n in ("name", "goal", "next_step", "outcome", "reason", "last")}
    status = fields.get("status")
    steps = fields.get("trajectory")
    count = fields.get("sessions")
    return Arc(
        **texts,
        status=status if status in (ACTIVE, PAUSED, COMPLETE) else ACTIVE,
        sessions=count if isinstance(count, int) else 1,
        trajectory=tuple(map(str, steps)) if isinstance(steps, list) else (),
    )
