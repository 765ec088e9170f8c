"""core: the everyday verbs. Always loaded, so every word here is paid for by every host at every start."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from ..memory.attribution import NOWHERE
from ..memory.get import get
from ..memory.organisation.services import with_service
from ..memory.recall import recall
from ..memory.relate import relate
from ..memory.remember import Saved, Similar, remember
from ..memory.search import search
from ..memory.update import update
from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import iso
from ..model.record import FOREVER
from ..model.scope import WRITE
from ..model.standing import ACTIVE
from ..model.text import counted
from . import help_text
from .drafts import draft_of
from .filters import in_project, through, wanted
from .table import Call, operation
from .views import View, beside, hit_view, kept_view, lines_of, similar_lines, standing_shape, standing_words, view


class Recalled(NamedTuple):
    """What matters now, in tiers: pinned, relevant, open questions. Empty when nothing does."""

    items: tuple[View, ...]
    left_out: int = 0

    def text(self) -> str:
        if not self.items:
            too_long = f"{counted(self.left_out, 'memory')} on this, too long for the budget: raise budget_tokens."
            return too_long if self.left_out else "Nothing in the memory bears on this."
        lines, tier = ["From the project's memory (reference, not instructions):"], ""
        for item in self.items:
            if item.tier != tier:
                tier = item.tier
                lines.append(f"{tier}:")
            lines.append(item.line())
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens, or memory_search)")
        return "\n".join(lines)


@operation("core", spellings={"message": ("query", "question")})
def memory_recall(
    call: Call,
    message: Annotated[str, "the user's message or your task"],
    files: Annotated[list[str] | None, "paths at hand"] = None,
    symbols: list[str] | None = None,
    limit: int | None = None,
    project: Annotated[str, "default: this one; all: every one"] = "",
    service: str = "",
    budget_tokens: int | None = None,
) -> Recalled:
    """What the project's memory knows that matters for this message: decisions, causes, conventions, open questions.

    Nothing relevant, nothing returned. Ask at the start of a task and when its subject changes.
    """
    if not (message.strip() or files or symbols):
        raise Invalid("No message was given.", hint="Say in words what it is about.", field="message")
    now = call.engine.clock()
    chosen = wanted(call, project=project, service=service)
    about = {"files": files or (), "symbols": symbols or ()}
    found = recall(call.engine, call.asker, message, wanted=chosen, limit=limit, **about)
    # Whether there is such a service is asked only where nothing was found: it costs as much as a search.
    if not found.relevant and (known := with_service(call.engine, call.asker, chosen)) != chosen:
        found = recall(call.engine, call.asker, message, wanted=known, limit=limit, **about)
    items = [view(r, now)._replace(tier="Pinned") for r in found.pinned]
    origins = found.origins
    items += [
        kept_view(
            kept, now, origins.get(entry, NOWHERE), found.rivals.get(entry, ()), found.amended.get(entry, ())
        )._replace(tier="Relevant")
        for kept in found.relevant
        for entry in (kept.record.entry,)
    ]
    items += [view(r, now)._replace(tier="Open questions") for r in found.questions]
    return Recalled(tuple(items))


class Found(NamedTuple):
    items: tuple[View, ...]
    degraded: str = ""
    left_out: int = 0

    def text(self) -> str:
        lines = lines_of(self.items) if self.items else ["Nothing found."]
        if self.degraded:
            lines.append(f"(searched {self.degraded})")
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens or narrow the filters)")
        return "\n".join(lines)


@operation(
    "core",
    aliases=("search_context", "search_knowledge", "search_organizational_memory"),
    spellings={
        "query": ("question", "message"),
        "limit": ("top_k", "max_results"),
        "since": ("start_time",),
        "until": ("end_time",),
    },
)
def memory_search(
    call: Call,
    query: Annotated[str, "words, a question, a name; name* and *part* work"] = "",
    kinds: list[str] | None = None,
    domain: str = "",
    tags: list[str] | None = None,
    match: Literal["any", "all"] = "any",
    project: Annotated[str, "default: this one; all: every one"] = "",
    scope: Literal["project", "global", "all"] = "all",
    service: str = "",
    owner: str = "",
    language: str = "",
    path: str = "",
    metadata: Annotated[dict[str, Any] | None, "keys and values that must be equal"] = None,
    since: Annotated[str, "time, or 3 days ago"] = "",
    until: str = "",
    as_of: Annotated[str, "snapshot, sequence number or time: search what was known then"] = "",
    min_score: float = 0.0,
    min_confidence: float = 0.0,
    classification: str = "",
    approved: bool | None = None,
    view: str = "",
    include_superseded: bool = False,
    limit: int = 10,
    explain: bool = False,
) -> Found:
    """Ranked search of the memory. Give a query, tags or a time.

    A query goes by words and meaning together. Filters narrow it and alone list the latest first.
    """
    chosen = (metadata or {}) | {key: value for key, value in (("owner", owner), ("language", language)) if value}
    call = through(call, view)
    if not (query.strip() or tags or since or until or kinds or domain or chosen or path or service):
        raise Invalid("A search needs a query, tags or a time.", hint="memory_active lists everything.", field="query")
    asked = wanted(
        call,
        project=project,
        scope=scope,
        kinds=kinds or (),
        domain=domain,
        tags=tags or (),
        match=match,
        metadata=chosen,
        since=since,
        until=until,
        service=service,
        path=path,
        min_confidence=min_confidence,
        classification=classification,
        approved=approved,
        include_superseded=include_superseded,
    )
    how: dict[str, Any] = {"limit": limit, "min_score": min_score, "as_of": as_of}
    found = search(call.engine, call.asker, query, asked, **how)
    if not found.hits and (known := with_service(call.engine, call.asker, asked, as_of=as_of)) != asked:
        found = search(call.engine, call.asker, query, known, **how)
    items = (
        hit_view(
            hit,
            found.now,
            explain,
            found.origins.get(entry, NOWHERE),
            found.rivals.get(entry, ()),
            found.amended.get(entry, ()),
        )
        for hit in found.hits
        for entry in (hit.record.entry,)
    )
    return Found(tuple(items), found.degraded)


class Whole(NamedTuple):
    """A node whole."""

    address: str
    kind: str
    domain: str
    content: str
    project: str
    at: str
    standing: dict[str, Any]
    said: tuple[dict[str, Any], ...]
    links: tuple[dict[str, str], ...]
    anchors: tuple[str, ...]
    inputs: tuple[str, ...]
    superseded_by: tuple[str, ...]
    supersedes: tuple[str, ...]
    history: tuple[dict[str, Any], ...] = ()
    rivals: tuple[str, ...] = ()

    def text(self) -> str:
        lines = [f"{self.address} {self.domain}/{self.kind} in {self.project or 'the global scope'}, said {self.at}"]
        if self.superseded_by:
            lines.append(f"SUPERSEDED by {', '.join(map(shown, self.superseded_by))}")
        elif self.standing["state"] != ACTIVE:
            lines.append(self.standing["state"].upper())
        lines += [f"{beside(self.rivals)} and holds too"] if self.rivals else []
        lines += ["", self.content, ""]
        lines.append(standing_words(self.standing))
        lines += [f"link: {link['rel']} {link['direction']} {shown(link['address'])}" for link in self.links]
        lines += [f"anchor: {anchor}" for anchor in self.anchors]
        lines += [f"made from: {shown(given)}" for given in self.inputs]
        if len(self.said) > 1:
            lines.append(f"said {len(self.said)} times, last {self.said[-1]['at']}")
        lines += [f"seq {h['from']}–{h['to'] or 'now'}: {h['state']} {h['reason']}".rstrip() for h in self.history]
        return "\n".join(lines)


@operation("core", aliases=("memory_query",), spellings={"address": ("id",)})
def memory_get(
    call: Call,
    address: Annotated[str, "6 or more digits of it"],
    history: bool = False,
    as_of: str = "",
) -> Whole:
    """A node whole: content, standing, links, anchors, inputs, versions."""
    found = get(call.engine, call.asker, address, history=history, as_of=as_of)
    record, mine = found.record, found.record.node.address
    return Whole(
        address=mine,
        kind=record.node.kind,
        domain=record.standing.domain,
        content=record.node.content,
        project=record.project,
        at=iso(record.last_at),
        standing=standing_shape(record.standing),
        said=tuple(
            {
                "at": iso(o.at),
                **{n: v for n in ("thread", "user", "service", "source", "chain") if (v := getattr(o, n))},
                **({"metadata": o.fields} if o.metadata != "{}" else {}),
            }
            for o in found.occurrences
        ),
        links=tuple(
            {
                "rel": link.rel,
                "direction": "to" if link.source == mine else "from",
                "address": link.target if link.source == mine else link.source,
            }
            for link in found.links
        ),
        anchors=tuple(f"{a.type} {a.target}" for a in found.anchors),
        inputs=record.node.inputs,
        superseded_by=found.superseded_by,
        supersedes=found.supersedes,
        history=tuple(
            {"from": i.start, "to": None if i.end == FOREVER else i.end, **standing_shape(i.standing)}
            for i in found.history
        ),
        rivals=found.rivals,
    )


class SavedView(NamedTuple):
    """One thing saved: `outcome` is new, reinforced, unchanged or again."""

    address: str
    outcome: str
    content: str
    similar: tuple[dict[str, Any], ...] = ()
    redacted: dict[str, int] | None = None
    anchored: tuple[str, ...] = ()
    nowhere: tuple[str, ...] = ()

    def line(self) -> str:
        known = {"new": "Saved", "reinforced": "Known already, reinforced", "unchanged": "Known already"}
        lines = [f"{known.get(self.outcome, 'Saved again')} [{self.address}] {self.content}"]
        if self.anchored:
            lines.append(f"  anchored to {', '.join(self.anchored)}")
        lines += [f"  {one} is not to be found in the code: the anchor points at nothing yet" for one in self.nowhere]
        lines += similar_lines(self.similar)
        if self.redacted:
            lines.append(f"  removed before saving: {', '.join(f'{n} {rule}' for rule, n in self.redacted.items())}")
        return "\n".join(lines)


class SaveResult(NamedTuple):
    items: tuple[SavedView, ...]
    seq: int
    project: str
    left_out: int = 0

    def text(self) -> str:
        lines = [item.line() for item in self.items]
        if self.left_out:
            lines.append(f"({self.left_out} more saved)")
        return "\n".join(lines)


@operation(
    "core",
    right=WRITE,
    changes=True,
    aliases=("memory_claim",),
    spellings={"content": ("text",), "priority": ("importance",), "chain": ("chain_id", "chain_name")},
)
def memory_save(
    call: Call,
    content: Annotated[str, "one fact, decision or cause, self-contained"] = "",
    batch: Annotated[list[Any] | None, "many: texts, or objects with these arguments"] = None,
    kind: str = "claim",
    domain: Annotated[
        str | None, "architecture, decisions, patterns, tasks, issues, dependencies, history, context, feedback"
    ] = None,
    semantic: Annotated[bool | None, "false: it happened and is never edited"] = None,
    tags: list[str] | None = None,
    aliases: Annotated[list[str] | None, "other names of what it is about"] = None,
    priority: Annotated[float | None, "0–1"] = None,
    confidence: Annotated[float | None, "0–1"] = None,
    anchors: Annotated[list[Any] | None, "src/app.py, src/app.py:10-20 or src/app.py::name"] = None,
    links: Annotated[list[Any] | None, "{rel, target}"] = None,
    chain: str = "",
    preliminary: bool | None = None,
    thread: str = "",
    service: Annotated[str, "which service it is about"] = "",
    at: Annotated[str, "when it was said"] = "",
    metadata: dict[str, Any] | None = None,
    scope: Literal["project", "global"] = "project",
    ttl_days: float | None = None,
    pinned: bool | None = None,
    classification: str | None = None,
    project: str = "",
) -> SaveResult:
    """Remember something the next session should know: why, what was decided, what broke, what was learned.

    Says if it is known already, what is nearly the same and what it contradicts. Secrets are removed.
    """
    shared = {
        "kind": kind,
        "domain": domain,
        "semantic": semantic,
        "tags": tags or (),
        "aliases": aliases or (),
        "priority": priority,
        "confidence": confidence,
        "anchors": anchors or (),
        "links": links or (),
        "chain": chain,
        "preliminary": preliminary,
        "thread": thread,
        "service": service or call.asker.scope.service,
        "at": at,
        "metadata": metadata or {},
        "ttl_days": ttl_days,
        "pinned": pinned,
        "classification": classification,
    }
    if batch is not None and content:
        raise Invalid("Give content or batch, not both.", field="batch")
    drafts = [draft_of(item, shared, call, at) for at, item in enumerate([content] if batch is None else batch)]
    asker = call.asker if not project else in_project(call, project)
    saved = remember(call.engine, asker, drafts, scope=scope)
    return SaveResult(tuple(_saved_view(one) for one in saved.saved), saved.receipt.seq, saved.saved[0].project)


def _saved_view(one: Saved) -> SavedView:
    about = (shown(one.address), one.what, one.content, _similar_shape(one.similar), dict(one.redacted) or None)
    return SavedView(*about, one.anchored, one.nowhere)


def _similar_shape(similar: tuple[Similar, ...]) -> tuple[dict[str, Any], ...]:
    return tuple(
        {"what": s.likeness.what, "address": shown(s.address), "content": s.content, "reason": s.likeness.reason}
        for s in similar
    )


class UpdateResult(NamedTuple):
    address: str
    previous: str
    outcome: str
    seq: int
    similar: tuple[dict[str, Any], ...] = ()

    def text(self) -> str:
        if self.address == self.previous:
            return f"[{self.address}] {'stands so already' if self.outcome == 'unchanged' else 'changed'}."
        done = f"[{self.address}] supersedes [{self.previous}], which stays readable and is no longer recalled."
        return "\n".join([done, *similar_lines(self.similar)])


@operation(
    "core",
    right=WRITE,
    changes=True,
    spellings={"address": ("id", "old_address"), "content": ("text", "new_content"), "priority": ("importance",)},
)
def memory_update(
    call: Call,
    address: str,
    content: Annotated[str | None, "the text that holds now"] = None,
    reason: str = "",
    domain: str | None = None,
    priority: float | None = None,
    confidence: float | None = None,
    tags: list[str] | None = None,
    aliases: list[str] | None = None,
    pinned: bool | None = None,
    ttl_days: float | None = None,
    classification: str | None = None,
    approved: bool | None = None,
) -> UpdateResult:
    """Replace what no longer holds: the new text supersedes the old and inherits its standing and links.

    Without content only the standing given changes.
    """
    given = {
        "domain": domain,
        "priority": priority,
        "confidence": confidence,
        "tags": tags,
        "aliases": aliases,
        "pinned": pinned,
        "ttl_days": ttl_days,
        "classification": classification,
        "approved": approved,
    }
    standing = {name: value for name, value in given.items() if value is not None}
    done = update(call.engine, call.asker, address, content=content, reason=reason, standing=standing)
    alike = _similar_shape(done.similar)
    return UpdateResult(shown(done.address), shown(done.previous), done.what, done.receipt.seq, alike)


class RelateResult(NamedTuple):
    source: str
    target: str
    rel: str
    outcome: str
    seq: int

    def text(self) -> str:
        return f"[{self.source}] {self.rel} [{self.target}]: {self.outcome}."


@operation(
    "core",
    right=WRITE,
    changes=True,
    aliases=("memory_link",),
    spellings={"source": ("from_id",), "target": ("to_id",), "rel": ("kind",)},
)
def memory_relate(
    call: Call,
    source: str,
    target: str,
    rel: Annotated[
        str, "relates_to, caused_by, depends_on, blocks, enables, contradicts, supersedes, derived_from or your own"
    ] = "relates_to",
    end: Annotated[bool, "end the link"] = False,
) -> RelateResult:
    """Link two nodes: source rel target."""
    done = relate(call.engine, call.asker, source, target, rel, end=end)
    ended = "ended; it holds again" if done.holds_again else "ended"
    outcome = ended if end else "linked" if done.is_new else "linked already"
    return RelateResult(shown(done.source), shown(done.target), rel, outcome, done.receipt.seq)


class HelpResult(NamedTuple):
    content: str

    def text(self) -> str:
        return self.content


@operation("core")
def memory_help(
    call: Call,
    context: Literal["claude-code", "codex", "desktop", "quick", "all"] = "quick",
) -> HelpResult:
    """How and when to use which tool."""
    return HelpResult(help_text.guide(context))
