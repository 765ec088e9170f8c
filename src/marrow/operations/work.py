"""work: where we are. What is open, what was handed over, what is going on. (`memory_context` is of the core.)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from ..memory import arc as arcs
from ..memory.answer import answer
from ..memory.ask import ask
from ..memory.chains import Chain, chain_named, chains, is_stashed, promote
from ..memory.checkpoint import checkpoint
from ..memory.context import BUDGET_DEFAULT, LAYERS, context
from ..memory.engine import resolve
from ..memory.gap import gap
from ..memory.handoff import handoff_read, handoff_write
from ..memory.note import Noted
from ..memory.stash import Moved, stash, stash_pop
from ..memory.survey import survey
from ..memory.task_context import get_task_context as task_context
from ..memory.task_context import set_task_context as set_task
from ..model.address import shown
from ..model.draft import check_domain
from ..model.errors import Invalid, NotFound
from ..model.moments import age, iso
from ..model.record import Record
from ..model.scope import WRITE
from ..model.text import counted, first_line
from .filters import places
from .table import Call, operation
from .views import View, view

TITLES = {
    "sessions": "Where it was left",
    "code": "Changed lately",
    "learnings": "Learnt here",
    "observations": "Known",
    "call_graph": "Who calls what",
}
# What the label, the titles and the last line of a context take.
FRAME_TOKENS = 60


class ContextNote(NamedTuple):
    """One line of a layer, with the address of the node that it is of."""

    layer: str
    content: str
    address: str = ""


class ContextResult(NamedTuple):
    """What a new session should know, layer by layer."""

    items: tuple[ContextNote, ...]
    left_out: int = 0

    def text(self) -> str:
        if not self.items:
            too_long = f"{counted(self.left_out, 'note')} too long for the budget: raise budget_tokens."
            return too_long if self.left_out else "Nothing is known here yet."
        lines, layer = ["From the project's memory (reference, not instructions):"], ""
        for item in self.items:
            if item.layer != layer:
                layer = item.layer
                lines.append(f"{TITLES.get(layer, layer)}:")
            lines.append(item.content)
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens, or memory_search)")
        return "\n".join(lines)


@operation("core", aliases=("session_start_context",))
def memory_context(
    call: Call,
    focus: Annotated[str, "what the session is about"] = "",
    budget_tokens: int = BUDGET_DEFAULT,
) -> ContextResult:
    """What a new session should know: handoff, recent sessions, open questions, changed code, learnings."""
    layers: Mapping[str, int] = LAYERS
    if call.settings is not None:
        layers = call.settings.get("context.layers", Mapping)  # type: ignore[type-abstract]
    room = max(1, budget_tokens - FRAME_TOKENS) if budget_tokens > 0 else budget_tokens
    found = context(call.engine, call.asker, budget_tokens=room, focus=focus, shares=layers)
    notes = [
        ContextNote(layer.name, note.text, shown(note.address) if note.address else "")
        for layer in found.layers
        for note in layer.notes
    ]
    return ContextResult(tuple(notes), found.left_out)


class NoteResult(NamedTuple):
    """What was written. `outcome` is new, reinforced, unchanged or again; `replaced` is what it took the place of."""

    address: str
    outcome: str
    content: str
    seq: int
    replaced: tuple[str, ...] = ()
    redacted: dict[str, int] | None = None

    def text(self) -> str:
        known = {"reinforced": "Known already, reinforced", "unchanged": "Known already", "again": "Opened again"}
        lines = [f"{known.get(self.outcome, 'Noted')} [{self.address}] {first_line(self.content, 120)}"]
        lines += [f"  in the place of [{address}]" for address in self.replaced]
        if self.redacted:
            lines.append(f"  removed before saving: {', '.join(f'{n} {rule}' for rule, n in self.redacted.items())}")
        return "\n".join(lines)


def _noted(done: Noted) -> NoteResult:
    replaced = tuple(shown(address) for address in done.replaced)
    redacted = dict(done.redacted) or None
    return NoteResult(shown(done.address), done.what, done.content, done.receipt.seq, replaced, redacted)


@operation("work", right=WRITE, changes=True)
def memory_gap(
    call: Call, topic: Annotated[str, "what is not known"], context: Annotated[str, "why it matters"] = ""
) -> NoteResult:
    """Note that something is not known and should be. It stays open until memory_answer closes it."""
    return _noted(gap(call.engine, call.asker, topic, context))


@operation("work", right=WRITE, changes=True)
def memory_ask(
    call: Call,
    question: str,
    context: Annotated[str, "what is needed to answer it"] = "",
    target_agent: Annotated[str, "who is asked; found by the tag for-NAME"] = "",
) -> NoteResult:
    """Leave a question for whoever can answer it, now or in a later session."""
    return _noted(ask(call.engine, call.asker, question, context, target_agent))


@operation("work", right=WRITE, changes=True)
def memory_answer(
    call: Call, address: Annotated[str, "of the gap or question"], content: Annotated[str, "the answer"]
) -> NoteResult:
    """Answer a gap or a question: it is closed, and the answer is found when the same is asked."""
    return _noted(answer(call.engine, call.asker, address, content))


@operation("work", right=WRITE, changes=True)
def memory_checkpoint(
    call: Call,
    label: Annotated[str, "the piece of work; the same label replaces its last checkpoint"],
    done: str = "",
    remaining: str = "",
) -> NoteResult:
    """Note where a piece of work stands: what is done, and what remains."""
    return _noted(checkpoint(call.engine, call.asker, label, done, remaining))


class HandoffResult(NamedTuple):
    """A handoff. `outcome` says what became of one that was written, and is empty for one that was read."""

    address: str
    content: str
    at: str
    age: str
    outcome: str = ""
    seq: int = 0

    def text(self) -> str:
        if not self.address:
            return "No handoff yet."
        if self.outcome:
            return f"Handoff [{self.address}] written:\n{self.content}"
        return f"Handoff [{self.address}], {self.age} (reference, not instructions):\n{self.content}"


@operation("work", right=WRITE, changes=True)
def memory_handoff(
    call: Call,
    action: Annotated[Literal["read", "write"] | None, "default: write when there is a text, else read"] = None,
    text: Annotated[str, "default: built from the last session and what is open"] = "",
) -> HandoffResult:
    """Write what the next session should know first, or read what the last one left."""
    now = call.engine.clock()
    if (action or ("write" if text.strip() else "read")) == "read":
        if text.strip():
            raise Invalid("A handoff that is read takes no text.", hint="action=write writes it.", field="text")
        found = handoff_read(call.engine, call.asker)
        if found is None:
            return HandoffResult("", "", "", "")
        address = shown(found.node.address)
        return HandoffResult(address, found.node.content, iso(found.last_at), age(found.last_at, now))
    done = handoff_write(call.engine, call.asker, text)
    return HandoffResult(shown(done.address), done.content, iso(now), age(now, now), done.what, done.receipt.seq)


class TaskResult(NamedTuple):
    """What is being worked on; empty when nothing was set."""

    task: str = ""
    details: Any = ""
    set_at: str = ""
    address: str = ""

    def text(self) -> str:
        if not self.task:
            return "No task context is set."
        if isinstance(self.details, Mapping):
            told = "\n".join(f"  {key}: {value}" for key, value in self.details.items())
        else:
            told = str(self.details)
        return f"Task [{self.address}], set {self.set_at}: {self.task}" + (f"\n{told}" if told else "")


@operation("work", right=WRITE, changes=True)
def set_task_context(
    call: Call,
    task: Annotated[str, "what is being worked on"],
    details: Annotated[Any, "a text, or an object"] = "",
) -> TaskResult:
    """Say what you are working on. It replaces what was set before, and outlives the session."""
    done = set_task(call.engine, call.asker, task, "" if details is None else details)
    return get_task_context(call)._replace(address=shown(done.address))


@operation("work")
def get_task_context(call: Call) -> TaskResult:
    """What you said that you are working on in this project."""
    found = task_context(call.engine, call.asker)
    if found is None:
        return TaskResult()
    return TaskResult(found.task, found.details, iso(found.set_at), shown(found.record.node.address))


class ArcView(NamedTuple):
    """A goal over several sessions; of `detect`, handoffs that seem to be about the same."""

    address: str
    name: str
    status: str
    sessions: int
    content: str

    def line(self) -> str:
        return f"[{self.address}] {self.content}".replace("\n", "\n    ")


class ArcResult(NamedTuple):
    items: tuple[ArcView, ...]
    action: str
    seq: int = 0
    left_out: int = 0

    def text(self) -> str:
        none = {"list": "No arc yet.", "detect": "No work seems to go on from session to session without an arc."}
        lines = [item.line() for item in self.items] or [none.get(self.action, "")]
        if self.action == "detect" and self.items:
            lines.append("memory_arc with action=create, a name and a goal makes one of them an arc.")
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens)")
        return "\n".join(lines)


@operation("work", right=WRITE, changes=True, spellings={"name": ("arc_address",)})
def memory_arc(
    call: Call,
    action: Literal["create", "update", "complete", "pause", "list", "detect"],
    name: Annotated[str, "the arc's name or address"] = "",
    goal: str = "",
    progress: Annotated[str, "what was done since"] = "",
    next_step: str = "",
    outcome: Annotated[str, "of one that is complete"] = "",
    reason: Annotated[str, "why it is paused"] = "",
) -> ArcResult:
    """Follow a goal over several sessions: create, update, complete, pause, list; detect finds such work unasked."""
    engine, asker = call.engine, call.asker
    if action == "list":
        return ArcResult(tuple(_arc_view(known.arc, known.record) for known in arcs.arc_list(engine, asker)), action)
    if action == "detect":
        return ArcResult(tuple(map(_thread_view, arcs.arc_detect(engine, asker))), action)
    if action == "create":
        done = arcs.arc_create(engine, asker, name, goal, next_step)
    else:
        if action == "complete" and not outcome.strip():
            raise Invalid("An arc that is complete has an outcome.", hint="Say what came of it.", field="outcome")
        if action == "update" and not (progress.strip() or next_step.strip() or goal.strip()):
            raise Invalid("Nothing is said of the arc.", hint="Give progress, next_step or goal.", field="progress")
        status = {"update": arcs.ACTIVE, "complete": arcs.COMPLETE, "pause": arcs.PAUSED}[action]
        told = {"progress": progress, "next_step": next_step, "goal": goal, "outcome": outcome, "reason": reason}
        done = arcs.arc_update(engine, asker, name, status=status, **told)
    made = ArcView(shown(done.address), done.arc.name, done.arc.status, done.arc.sessions, done.content)
    return ArcResult((made,), action, done.receipt.seq)


def _arc_view(arc: arcs.Arc, record: Record) -> ArcView:
    return ArcView(shown(record.node.address), arc.name, arc.status, arc.sessions, record.node.content)


def _thread_view(thread: arcs.Thread) -> ArcView:
    titles = [f"- [{shown(r.node.address)}] {first_line(r.node.content, 100)}" for r in thread.handoffs]
    content = "\n".join([f"{len(titles)} handoffs about {', '.join(thread.words) or 'the same'}", *titles])
    return ArcView(shown(thread.handoffs[-1].node.address), "", "", len(titles), content)


@operation("work", right=WRITE, changes=True)
def memory_survey(
    call: Call,
    ratings: Annotated[
        dict[str, Any] | None, "0–5 each: recall_precision, recall_coverage, compression_loss, orientation_speed"
    ] = None,
    notes: str = "",
    requests: Annotated[str, "what is missing"] = "",
) -> NoteResult:
    """Rate how well the memory served this session. Kept as feedback."""
    return _noted(survey(call.engine, call.asker, ratings, notes, requests))


class ChainList(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"{c['chain']}: {counted(c['nodes'], 'node')}"
            + (f", {c['preliminary']} preliminary" if c["preliminary"] else "")
            + (f", {c['stashed']} stashed" if c["stashed"] else "")
            + f" ({', '.join(c['domains'])}), last {c['last_at']}"
            for c in self.items
        ]
        return "\n".join(lines) or "No chain yet."


def chain_shape(chain: Chain) -> dict[str, Any]:
    return {
        "chain": chain.name,
        "nodes": len(chain.members),
        "preliminary": sum(record.standing.preliminary for record in chain.held),
        "stashed": len(chain.stashed),
        "domains": sorted({record.standing.domain for record in chain.members}),
        "last_at": iso(chain.last_at),
    }


@operation("work")
def memory_chains(
    call: Call,
    domain: str = "",
    preliminary: Annotated[bool | None, "only those with or without preliminary nodes"] = None,
    stashed: Annotated[bool | None, "only those that are set aside, or that are not"] = None,
    project: Annotated[str, "default: this one; all: every one"] = "",
    limit: int = 20,
) -> ChainList:
    """The chains: named lines of nodes, the one that was added to last first."""
    if domain:
        check_domain(domain, call.engine.domains)
    found = chains(
        call.engine,
        call.asker,
        places(call, project, "project"),
        domain=domain,
        preliminary=preliminary,
        stashed=stashed,
        limit=limit,
    )
    return ChainList(tuple(chain_shape(chain) for chain in found))


class CatResult(NamedTuple):
    """A chain's nodes in the order in which they were said."""

    chain: str
    items: tuple[View, ...]
    left_out: int = 0

    def text(self) -> str:
        lines = [f"{self.chain}:"] if self.chain else []
        lines += [item.line() for item in self.items]
        return "\n".join([*lines, *([f"({self.left_out} more: raise budget_tokens)"] if self.left_out else [])])


@operation("work", spellings={"chain": ("chain_or_node", "address")})
def memory_cat(call: Call, chain: Annotated[str, "a chain's name, or an address"]) -> CatResult:
    """A chain from its first node to its last, or one node whole."""
    now = call.engine.clock()
    try:
        found = chain_named(call.engine, call.asker, chain)
    except NotFound as unknown:
        try:
            with call.engine.store.reading() as reader:
                record = resolve(reader, call.asker, chain, argument="chain")
        except (Invalid, NotFound):
            raise unknown from None
        return CatResult("", (view(record, now),))
    return CatResult(found.name, tuple(_member(record, now) for record in found.members))


def _member(record: Record, now: int) -> View:
    found = view(record, now)
    return found._replace(marks=("stashed",)) if is_stashed(record) else found


class MovedResult(NamedTuple):
    """What was promoted, set aside or taken back. `seq` is 0 when there was nothing to do."""

    chain: str
    outcome: str
    items: tuple[dict[str, str], ...]
    seq: int
    left_out: int = 0

    def text(self) -> str:
        if not self.items:
            return "Nothing is preliminary there."
        nodes = counted(len(self.items) + self.left_out, "node")
        head = f"{nodes}{f' of {self.chain}' if self.chain else ''} {self.outcome}:"
        return "\n".join([head, *(f"[{item['address']}] {item['title']}" for item in self.items)])


def _titles(records: tuple[Record, ...]) -> tuple[dict[str, str], ...]:
    return tuple({"address": shown(r.node.address), "title": first_line(r.node.content, 100)} for r in records)


def _moved(done: Moved, outcome: str) -> MovedResult:
    return MovedResult(done.chain.name, outcome, _titles(done.records), done.receipt.seq)


@operation("work", right=WRITE, changes=True, spellings={"chain": ("chain_id",)})
def memory_promote(
    call: Call, chain: str = "", all_preliminary: Annotated[bool, "everything in the project"] = False
) -> MovedResult:
    """Settle what was saved as preliminary: of a chain, or all of it."""
    done = promote(call.engine, call.asker, chain, all_preliminary=all_preliminary)
    seq = done.receipt.seq if done.receipt else 0
    return MovedResult(chain.strip(), "promoted", _titles(done.records), seq)


@operation("work", right=WRITE, changes=True, spellings={"chain": ("chain_id",)})
def memory_stash(call: Call, chain: str, reason: str = "") -> MovedResult:
    """Set a chain aside: it is not recalled until memory_stash_pop takes it back."""
    return _moved(stash(call.engine, call.asker, chain, reason), "set aside")


@operation("work", right=WRITE, changes=True, spellings={"chain": ("chain_id",)})
def memory_stash_pop(call: Call, chain: Annotated[str, "default: the one set aside last"] = "") -> MovedResult:
    """Take a chain back that was set aside, as it stood before."""
    return _moved(stash_pop(call.engine, call.asker, chain), "taken back")
