"""Context: what a new session should know, in layers under a budget. Titles, with the addresses to ask for more."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.moments import MICROS_PER_DAY, age
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.standing import RETRACTED
from ..model.text import first_line, token_estimate
from ..store.protocol import Reader
from .as_here import as_here
from .code.for_context import calls_around, changed_functions
from .engine import Asker, Engine
from .observed.depths import depths
from .observed.digest import HANDED_OVER, failure_lines
from .observed.lines import counted
from .observed.observation import FAILED
from .observed.subject import subject
from .recall import recall
from .telling.current import Current, current
from .telling.decided import decided
from .telling.handed_over import COMPARED, handed_over, letters
from .telling.other_sessions import Trees, under_way
from .telling.wording import AS_IT_IS, REPLACES, Worded, brought_to, line

BUDGET_DEFAULT, BUDGET_MAX = 2_000, 20_000
LAYERS: Mapping[str, int] = {"sessions": 300, "code": 500, "learnings": 300, "observations": 600, "call_graph": 300}
SESSIONS_SHOWN, OPEN_SHOWN, FILES_SHOWN, LEARNT_SHOWN, KNOWN_SHOWN = 5, 6, 10, 8, 12
LOOKED_AT = 200
# So many of the latest statements are held against each other.
COMPARED_TOGETHER = 120
HANDOFFS_LOOKED_AT = 8
# What changed longer ago is no longer recent.
RECENT_DAYS = 14
STEP = "Next step: "
LEFT = f"\n\n{STEP}"
OPEN_KINDS = ("question", "gap", "task", "checkpoint")
LEARNT_KINDS = ("learning", "preference")
KNOWN_KINDS = ("decision", "claim", "incident")
STATED_KINDS = (*OPEN_KINDS, *LEARNT_KINDS, *KNOWN_KINDS)
NOTE_TOKENS, HANDOFF_TOKENS = 60, 220


class Note(NamedTuple):
    """One line of a layer, and the node that it is of; a line without one is only told."""

    text: str
    address: str = ""


class Layer(NamedTuple):
    name: str
    notes: tuple[Note, ...]


class Context(NamedTuple):
    """`left_out` counts what the budget had no room for."""

    layers: tuple[Layer, ...]
    left_out: int = 0

    @property
    def addresses(self) -> tuple[str, ...]:
        return tuple(note.address for layer in self.layers for note in layer.notes if note.address)


def context(
    engine: Engine,
    asker: Asker,
    *,
    budget_tokens: int = BUDGET_DEFAULT,
    focus: str = "",
    shares: Mapping[str, int] = LAYERS,
    session: str = "",
) -> Context:
    """The layers in their order. What one of them does not use, the next ones may. `session` is the one that is told:
    only to it is known which others have not ended."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not 1 <= budget_tokens <= BUDGET_MAX:
        raise Invalid(f"budget_tokens is a whole number from 1 to {BUDGET_MAX:,}.", field="budget_tokens")
    now, told = engine.clock(), set[str]()
    with engine.store.reading() as reader:
        trees = Trees(reader, asker)
        look = _Look(engine, reader, asker, now, trees)
        said = look.latest(STATED_KINDS, COMPARED_TOGETHER)
        look = look._replace(current=current(reader, said))
        withdrawn = _withdrawn(look, said)
        handoffs = _handoffs(look, withdrawn)
        ways = _under_way(engine, look, session, handoffs)
        sources: tuple[tuple[str, Callable[[], Sequence[Note]]], ...] = (
            ("sessions", lambda: [*ways[:1], *_left(look, handoffs), *ways[1:], *_open(look)]),
            ("code", lambda: [*map(Note, changed_functions(engine, asker)), *_changed(look)]),
            ("learnings", lambda: _learnt(look)),
            ("observations", lambda: _focused(engine, look, focus) if focus.strip() else _known(look)),
            ("call_graph", lambda: [*map(Note, calls_around(engine, asker, focus))]),
        )
        layers, left, spare, unused = [], 0, budget_tokens, 0
        for name, notes in sources:
            room = min(spare, shares.get(name, 0) + unused)
            kept, used, dropped = _fitted([note for note in notes() if note.address not in told], room)
            told.update(note.address for note in kept if note.address)
            left, spare, unused = left + dropped, spare - used, max(0, room - used)
            if kept:
                layers.append(Layer(name, tuple(kept)))
        for record in handoffs:
            layers = _told_once(look, record, layers, withdrawn)
    return Context(tuple(layers), left)


def _withdrawn(look: _Look, said: Sequence[Record]) -> list[str]:
    """What a handoff may still say, and was forgotten, replaced or changed since, or held until a day; and what failed
    and passes since. In letters and digits alone."""
    texts = [record.node.content for record in said if record.entry in look.current.gone]
    latest = look.latest(STATED_KINDS, LOOKED_AT, include_superseded=True)
    texts += [one.node.content for one in latest if not one.standing.is_active(look.now)]
    failed = look.latest(("observation",), LOOKED_AT, include_superseded=True, metadata=(("outcome", FAILED),))
    for one in failed:
        if one.standing.state == RETRACTED:
            texts += failure_lines(*depths(one.node.content))
    return [letters(text) for text in texts]


def _told_once(look: _Look, handoff: Record, layers: Sequence[Layer], withdrawn: Sequence[str]) -> list[Layer]:
    """The handoff without what no longer holds, and without what the other notes tell, each with its own address: it
    then has room for the rest. Where nothing but its title is left, it is not told."""
    address = handoff.node.address
    told = [_bare(note.text) for layer in layers for note in layer.notes if note.address not in ("", address)]
    text = handed_over(handoff.node.content, [*told, *withdrawn])
    is_title = "\n" not in text and not _is_in_own_words(handoff.node.content)
    kept = () if is_title else (look.note(handoff, HANDOFF_TOKENS, text, _tree(look.trees.elsewhere(handoff))),)
    left = [
        (name, [one for note in notes for one in (kept if note.address == address else (note,))])
        for name, notes in layers
    ]
    return [Layer(name, tuple(notes)) for name, notes in left if notes]


def _bare(text: str) -> str:
    """A line without its label, in letters and digits alone."""
    return letters(text.partition(") ")[2])


def _fitted(notes: Sequence[Note], room: int) -> tuple[list[Note], int, int]:
    kept, used = [], 0
    for note in notes:
        cost = token_estimate(note.text) + 1
        if used + cost > room:
            break
        kept.append(note)
        used += cost
    return kept, used, len(notes) - len(kept)


class _Look(NamedTuple):
    """This project and nothing but it, as it stands now."""

    engine: Engine
    reader: Reader
    asker: Asker
    now: int
    trees: Trees
    current: Current = Current()

    def latest(self, kinds: Sequence[str], limit: int, **asked: object) -> list[Record]:
        """Of these kinds what still holds, the latest first."""
        wanted = replace(Filter(projects=(self.asker.scope.project,), kinds=tuple(kinds)), **asked)  # type: ignore[arg-type]
        entries = self.reader.select(self.asker.namespace, wanted, CURRENT, self.now, limit)
        found = [r for r in self.reader.records_of(entries, CURRENT) if r.entry not in self.current.gone]
        return sorted(found, key=lambda r: (-r.last_at, r.node.address))

    def here(self, records: Sequence[Record]) -> list[Record]:
        """The same as the code in this working tree bears them out."""
        return as_here(self.engine, self.asker, records)

    def has_thread(self, record: Record) -> bool:
        """Whether it was said in a session."""
        return any(said.thread for said in self.reader.occurrences([record.entry], CURRENT).get(record.entry, ()))

    def files_of(self, account: Record) -> frozenset[str]:
        """The files that the session changed which a summary or a handoff tells of."""
        said = self.reader.occurrences([account.entry], CURRENT).get(account.entry, ())
        thread = next((one.thread for one in reversed(said) if one.thread), "")
        seen = self.latest(("observation",), LOOKED_AT, thread=thread) if thread else []
        told = self.reader.occurrences([one.entry for one in seen], CURRENT)
        lists = [one.fields.get("files") for some in told.values() for one in some if one.thread == thread]
        return frozenset(str(path) for files in lists if isinstance(files, list) for path in files)

    def is_there(self, path: str) -> bool:
        """Whether a file is still there, where that can be seen."""
        return not self.asker.root or os.path.lexists(os.path.join(self.asker.root, path))

    def note(
        self,
        record: Record,
        tokens: int = NOTE_TOKENS,
        text: str = "",
        about: str = "",
        worded: Worded = AS_IT_IS,
    ) -> Note:
        about = about or (REPLACES if record.entry in self.current.changing else "")
        told = line(record, self.now, worded=worded, tokens=tokens, text=text, about=about)
        return Note(told, record.node.address)

    def notes(self, records: Sequence[Record], tokens: int = NOTE_TOKENS) -> list[Note]:
        """With where they were read; of a decision record what it decided comes first."""
        texts = decided(self.reader, self.asker, records)
        return [self.note(one, tokens, worded=texts.get(one.entry, AS_IT_IS)) for one in records]


def _handoffs(look: _Look, withdrawn: Sequence[str]) -> list[Record]:
    """The latest of this working tree; where that leaves nothing to do, the latest that lately did, unless a session
    after it went on with that; and what was lately left to do in another tree."""
    found = look.latest(("handoff",), HANDOFFS_LOOKED_AT)
    since = look.now - RECENT_DAYS * MICROS_PER_DAY
    lately = [one for one in found if one.last_at >= since and _leaves_work(one, withdrawn)]
    here = [one for one in found if not look.trees.elsewhere(one)]
    chosen = here[:1]
    if not (chosen and _leaves_work(chosen[0], withdrawn)):
        chosen += [one for one in lately if one in here[1:] and not _is_taken_up(look, one, here)][:1]
    return [*chosen, *[one for one in lately if one not in here][:1]]


def _leaves_work(handoff: Record, withdrawn: Sequence[str]) -> bool:
    """One in somebody's own words does, for all that is known."""
    said = handoff.node.content
    if _is_in_own_words(said):
        return True
    return LEFT in said and bool(_next_step(handed_over(said, withdrawn)))


def _is_in_own_words(said: str) -> bool:
    return not any(f"\n\n{heading}:" in said for heading in HANDED_OVER)


def _next_step(text: str) -> str:
    return next((line.removeprefix(STEP) for line in text.split("\n") if line.startswith(STEP)), "")


def _is_taken_up(look: _Look, handoff: Record, handoffs: Sequence[Record]) -> bool:
    """Whether a later session changed a file that this one had changed, and told of what was left here."""
    left, files = subject(_next_step(handoff.node.content)), look.files_of(handoff)
    later = [one for one in handoffs if one.last_at > handoff.last_at]
    return any(left & subject(one.node.content) and files & look.files_of(one) for one in later)


def _tree(folder: str) -> str:
    return f"in {folder}" if folder else ""


def _under_way(engine: Engine, look: _Look, session: str, handoffs: Sequence[Record]) -> list[Note]:
    """The sessions that have not ended, with what they would hand over now. What was broken off in this tree is over
    when another session has ended there since: that one went on."""
    notes = []
    ended = max((one.last_at for one in handoffs if not look.trees.elsewhere(one)), default=0)
    for one in under_way(engine, look.asker, look.reader, look.trees, session) if session else ():
        if not one.tree and one.session.last_at < ended:
            continue
        marks = ["session", age(one.session.last_at, look.now), "not ended: at work, or broken off"]
        marks += [_tree(one.tree)] if one.tree else []
        text = brought_to(handed_over(one.text, ()), NOTE_TOKENS)
        notes.append(Note(f"- ({', '.join(marks)}) {text}"))
    return notes


def _left(look: _Look, handoffs: Sequence[Record]) -> list[Note]:
    """The handoff, and the latest other sessions by their titles; the summary of each has the rest."""
    handoff = [look.note(record, HANDOFF_TOKENS, about=_tree(look.trees.elsewhere(record))) for record in handoffs]
    said = "".join(_bare(note.text) for note in handoff)
    latest = look.latest(("summary",), 4 * SESSIONS_SHOWN)
    summaries = [record for record in latest if not record.node.inputs or look.has_thread(record)]
    titles = [look.note(record, text=first_line(record.node.content, 120)) for record in summaries]
    others = [note for note in titles if _bare(note.text)[:COMPARED] not in said]
    return [*handoff, *others[:SESSIONS_SHOWN]]


def _open(look: _Look) -> list[Note]:
    return [look.note(record) for record in look.here(look.latest(OPEN_KINDS, LOOKED_AT)[:OPEN_SHOWN])]


def _changed(look: _Look) -> list[Note]:
    """The files that sessions changed lately, each with what was done to it last."""
    since = look.now - RECENT_DAYS * MICROS_PER_DAY
    files: dict[str, tuple[int, list[str]]] = {}
    records = look.latest(("observation",), LOOKED_AT, since=since)
    occurrences = look.reader.occurrences([record.entry for record in records], CURRENT)
    for record in records:
        said = occurrences.get(record.entry, [])
        fields = said[-1].fields if said else {}
        if fields.get("tool") is None or record.standing.domain == "issues" or look.trees.said_elsewhere(said):
            continue
        title = first_line(record.node.content, 80)
        for path in fields.get("files", ()) if isinstance(fields.get("files"), list) else ():
            files.setdefault(str(path), (record.last_at, []))[1].append(title)
    return [
        Note(f"- {path} ({age(at, look.now)}): {titles[0]}{_more(len(titles) - 1)}")
        for path, (at, titles) in list(files.items())[: 2 * FILES_SHOWN]
        if look.is_there(path)
    ][:FILES_SHOWN]


def _more(changes: int) -> str:
    return f" (and {counted(changes, 'change')} before)" if changes else ""


def _learnt(look: _Look) -> list[Note]:
    """What was learnt, and how the people here want things done."""
    found = look.latest(LEARNT_KINDS, LOOKED_AT)
    found += [r for r in look.latest(("claim",), LOOKED_AT, tags=("correction", "preference")) if r not in found]
    found.sort(key=lambda r: (-r.standing.priority, -r.last_at))
    return [look.note(record) for record in look.here(found[:LEARNT_SHOWN])]


def _known(look: _Look) -> list[Note]:
    """Without a subject: what is pinned, then what matters most and is latest."""
    pinned = look.latest((), LOOKED_AT, pinned=True)
    found = look.latest(KNOWN_KINDS, LOOKED_AT)
    # What several memories were compressed into is known in their place.
    found += [one for one in look.latest(("summary",), LOOKED_AT) if one.node.inputs and not look.has_thread(one)]
    found.sort(key=lambda r: (-_weight(r, look.now), r.node.address))
    return look.notes(look.here(list({r.node.address: r for r in [*pinned, *found]}.values())[:KNOWN_SHOWN]))


def _weight(record: Record, now: int) -> float:
    """Priority and confidence, halved with every month of age."""
    days = max(0, now - record.last_at) / MICROS_PER_DAY
    return float((0.5 + record.standing.priority) * record.standing.confidence * 0.5 ** (days / 30))


def _focused(engine: Engine, look: _Look, focus: str) -> list[Note]:
    found = recall(engine, look.asker, focus, wanted=Filter(projects=(look.asker.scope.project,)), limit=KNOWN_SHOWN)
    records = [*found.pinned, *(kept.record for kept in found.relevant), *found.questions]
    return look.notes(records, NOTE_TOKENS * 2)
