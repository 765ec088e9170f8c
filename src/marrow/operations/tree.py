"""tree: what is known, and how it came to be."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from ..memory.active import active
from ..memory.explain import explain
from ..memory.feedback import feedback
from ..memory.forget import forget, forget_last
from ..memory.log import log
from ..memory.reinforce import reinforce
from ..memory.roots import roots
from ..memory.status import status
from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import iso
from ..model.scope import WRITE
from ..model.text import counted, first_line, sized
from .filters import is_named_as_another, name_of_another, wanted
from .pauses import paused_until
from .table import Call, operation
from .views import View, lines_of, view

Scopes = Literal["project", "global", "all"]
# So many of those that hold again are named.
BACK_SHOWN = 5


class Done(NamedTuple):
    """What a small change did."""

    address: str
    outcome: str
    seq: int

    def text(self) -> str:
        return f"[{self.address}] {self.outcome}."


@operation("tree", right=WRITE, changes=True)
def memory_reinforce(call: Call, address: str) -> Done:
    """Say that a memory proved itself: it rises, and its confidence no longer fades."""
    record, receipt = reinforce(call.engine, call.asker, address)
    return Done(shown(record.node.address), f"reinforced {counted(record.standing.reinforced, 'time')}", receipt.seq)


class Used(NamedTuple):
    """Which memories were used, and why it is thought so. `looked_at` is how many were recalled and not yet used."""

    items: tuple[dict[str, str], ...]
    looked_at: int
    left_out: int = 0

    def text(self) -> str:
        if not self.looked_at:
            return "Nothing was recalled lately that this could tell of."
        lines = [f"Newly counted as used: {len(self.items)} of {counted(self.looked_at, 'recalled memory')}."]
        return "\n".join([*lines, *(f"[{item['address']}] {item['why']}" for item in self.items)])


@operation("tree")
def memory_used(
    call: Call,
    said: Annotated[str, "what was written since the recall, without what the memory gave"] = "",
    files: Annotated[list[str] | None, "paths edited since"] = None,
    addresses: Annotated[list[str] | None, "which recalled ones to look for; alone: these were used"] = None,
    message: Annotated[str, "what had been asked, where another process recalled them"] = "",
) -> Used:
    """Tell what followed a recall, after each turn: memories that were used rise, those that never are sink.

    A memory was used when its address is named, its file edited, or its words repeated beyond those of the question.
    """
    about = {"files": files or (), "addresses": addresses or ()}
    found = feedback(call.engine, call.asker, said, asked=message, **about)
    return Used(tuple({"address": shown(address), "why": why} for address, why in found.used), found.looked_at)


@operation("tree", right=WRITE, changes=True, destructive=True, aliases=("invalidate_user_memory",))
def memory_forget(
    call: Call,
    address: str = "",
    reason: str = "",
    last: Annotated[bool, "what you saved or said in a session last, in this project"] = False,
) -> Done:
    """Retract a memory: it is never recalled again, and stays in the log. Saving its text brings it back.

    What a summary by memory_compress took the place of holds again when the summary is forgotten.
    """
    if last and address:
        raise Invalid("Give an address or last, not both.", hint="A reason is given by its name.", field="address")
    if not (last or address):
        raise Invalid("It is not said what to forget.", hint="Give an address, or last.", field="address")
    if last:
        record, receipt = forget_last(call.engine, call.asker, reason)
    else:
        record, receipt = forget(call.engine, call.asker, address, reason)
    said = f"forgotten: {first_line(record.node.content, 80).rstrip('.')}"
    back = [shown(outcome.address) for outcome in receipt.outcomes[1:]]
    if back:
        more = f" and {len(back) - BACK_SHOWN} more" if len(back) > BACK_SHOWN else ""
        said += f"; what it summed up holds again: {', '.join(back[:BACK_SHOWN])}{more}"
    return Done(shown(record.node.address), said, receipt.seq)


class StatusResult(NamedTuple):
    project: str
    active: int
    total: int
    kinds: dict[str, int]
    domains: dict[str, int]
    pinned: int
    drifted: int
    seq: int
    root: str
    snapshots: int
    embedder: str
    vectors: str
    store: str
    bytes: int
    read_only: bool
    is_there: bool = True
    paused: str = ""
    named: str = ""
    refined: float = 1.0

    def text(self) -> str:
        lines = [
            f"project {self.project or '(global)'}: {self.active:,} active of {self.total:,}"
            f" ({self.pinned} pinned, {self.drifted} drifted)",
            "kinds: " + (", ".join(f"{name} {count:,}" for name, count in self.kinds.items()) or "none"),
            "domains: " + (", ".join(f"{name} {count:,}" for name, count in self.domains.items()) or "none"),
            f"chain: event {self.seq:,}, root {self.root[:16]}…, {counted(self.snapshots, 'snapshot')}",
            f"store: {self.store}, {self._size()}{', read-only' if self.read_only else ''}",
            f"embedder: {self.embedder}; vectors: {self.vectors}",
        ]
        if self.refined < 1:
            left = max(1, round(100 * (1 - self.refined)))  # a few are more than none
            lines.append(
                f"{left}% of the vectors are the quick half's yet, which finds other words less well: "
                "the daemon makes the better ones"
            )
        if self.paused:
            lines.append(f"paused {self.paused}: hooks capture and recall nothing here (`marrow resume`)")
        if self.named:
            lines.append(f"{is_named_as_another(self.named)} (`marrow init {self.named}` if both are one)")
        return "\n".join(lines)

    def _size(self) -> str:
        return sized(self.bytes) if self.is_there else "which is not there yet; the first save makes it"


@operation("tree")
def memory_status(call: Call, as_of: str = "") -> StatusResult:
    """How much is known here, where the chain of events stands, and what the store is like."""
    found = status(call.engine, call.asker, as_of=as_of)
    return StatusResult(
        project=found.project,
        active=found.active,
        total=found.total,
        kinds=dict(found.kinds),
        domains=dict(found.domains),
        pinned=found.pinned,
        drifted=found.drifted,
        seq=found.head.seq,
        root=found.root,
        snapshots=found.snapshots,
        embedder=found.embedder,
        vectors=found.vectors,
        store=f"sqlite:{call.missing}" if call.missing else found.store,
        bytes=found.bytes,
        read_only=found.read_only,
        is_there=not call.missing,
        paused=paused_until(call),
        named=name_of_another(call),
        refined=round(found.refined, 3),
    )


class Roots(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        return (
            "\n".join(f"{r['seq']:>8}  {r['root'][:16]}…  {r['at']}  {r['operation']}" for r in self.items)
            or "No events."
        )


@operation("tree")
def memory_roots(call: Call, limit: int = 20) -> Roots:
    """The Merkle root of the active set after each change of it, latest first."""
    found = roots(call.engine, call.asker, limit)
    return Roots(tuple({"seq": e.seq, "root": e.root, "at": iso(e.at), "operation": e.operation} for e in found))


class Listed(NamedTuple):
    items: tuple[View, ...]
    total: int
    left_out: int = 0
    offset: int = 0

    def text(self) -> str:
        lines = lines_of(self.items) or ["Nothing."]
        rest = self.total - self.offset - len(self.items)
        if rest > 0:
            lines.append(f"({rest:,} more: offset, limit or budget_tokens)")
        return "\n".join(lines)


@operation("tree")
def memory_active(
    call: Call,
    kinds: list[str] | None = None,
    domain: str = "",
    tags: list[str] | None = None,
    match: Literal["any", "all"] = "any",
    project: Annotated[str, "all: every one"] = "",
    scope: Scopes = "project",
    metadata: dict[str, Any] | None = None,
    path: str = "",
    since: str = "",
    until: str = "",
    as_of: str = "",
    pinned: bool | None = None,
    limit: int = 50,
    offset: int = 0,
) -> Listed:
    """Everything that holds, the latest first, a page at a time."""
    asked = wanted(
        call,
        project=project,
        scope=scope,
        kinds=kinds or (),
        domain=domain,
        tags=tags or (),
        match=match,
        metadata=metadata,
        since=since,
        until=until,
        path=path,
        pinned=pinned,
    )
    page = active(call.engine, call.asker, asked, limit=limit, offset=offset, as_of=as_of)
    return Listed(tuple(view(record, page.now) for record in page.records), page.total, offset=offset)


class LogResult(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        if not self.items and not self.left_out:
            return "Nothing was said about this."
        lines = [
            f"{line['seq']:>8}  {line['at']}  {line['state']:<10} [{line['address']}] "
            f"{line['path']}{': ' if line['path'] else ''}{line['title']}"
            for line in self.items
        ]
        lines += [f"({self.left_out:,} more: raise limit or budget_tokens)"] if self.left_out else []
        return "\n".join(lines)


@operation("tree")
def memory_log(
    call: Call,
    topic: str = "",
    kinds: list[str] | None = None,
    domain: str = "",
    tags: list[str] | None = None,
    project: str = "",
    since: str = "",
    until: str = "",
    as_of: str = "",
    limit: int = 50,
) -> LogResult:
    """What was ever said about a topic, what was superseded and forgotten included, latest change first."""
    asked = wanted(call, project=project, kinds=kinds or (), domain=domain, tags=tags or (), since=since, until=until)
    found = log(call.engine, call.asker, topic, wanted=asked, limit=limit, as_of=as_of)
    return LogResult(
        tuple(
            {
                "seq": line.seq,
                "at": iso(line.at),
                "state": line.record.standing.state,
                "address": shown(line.record.node.address),
                "title": line.title,
                "path": line.path,
                "domain": line.record.standing.domain,
                "actor": line.actor,
                "operation": line.operation,
                "reason": line.record.standing.reason,
            }
            for line in found.lines
        ),
        found.left_out,
    )


class ExplainResult(NamedTuple):
    address: str
    recalled: bool
    rank: int
    score: float
    why: dict[str, float]
    shared: tuple[str, ...]
    reasons: tuple[str, ...]

    def text(self) -> str:
        verdict = "would be recalled" if self.recalled else "would not be recalled"
        parts = " ".join(f"{name} {value:g}" for name, value in self.why.items())
        return "\n".join([f"[{self.address}] {verdict}.", *self.reasons, f"score {self.score:.3f}: {parts}"])


@operation("tree")
def memory_explain(call: Call, address: str, message: str) -> ExplainResult:
    """Why a memory would or would not be recalled for a message."""
    found = explain(call.engine, call.asker, address, message)
    return ExplainResult(
        address=shown(found.record.node.address),
        recalled=found.recalled,
        rank=found.rank,
        score=round(found.score, 4),
        why={name: round(part, 4) for name, part in found.why},
        shared=found.shared,
        reasons=found.reasons,
    )
