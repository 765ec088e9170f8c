"""tree, the other half: how what is known came to be, what hangs together, and what can be let go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from ..memory.compress import Compressed, compress
from ..memory.diff import diff
from ..memory.differences import Differences
from ..memory.graph import graph
from ..memory.provenance import Origin, provenance
from ..memory.prune_candidates import prune_candidates
from ..memory.reindex import reindex
from ..memory.soul import markdown, soul
from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import iso
from ..model.scope import WRITE
from ..model.text import counted, first_line
from .table import Call, operation
from .views import View, view


class CompressResult(NamedTuple):
    """`coverage` is the share of what the inputs say that the summary still says, 0 to 1."""

    address: str
    coverage: float
    inputs: tuple[str, ...]
    content: str
    preserved: tuple[str, ...] = ()
    warning: str = ""
    dry_run: bool = False

    def text(self) -> str:
        verb = "would be compressed into" if self.dry_run else "compressed into"
        lines = [
            f"{counted(len(self.inputs), 'node')} {verb} [{self.address}], coverage {self.coverage:.2f}:",
            self.content,
        ]
        if self.preserved:
            lines.append(f"kept to the letter: {'; '.join(self.preserved)}")
        if self.warning:
            lines.append(f"warning: {self.warning}")
        return "\n".join(lines)


def _compressed(done: Compressed, dry_run: bool) -> CompressResult:
    inputs = tuple(shown(address) for address in done.inputs)
    return CompressResult(
        shown(done.address), round(done.coverage, 3), inputs, done.summary, done.preserved, done.warning, dry_run
    )


@operation("tree", right=WRITE, changes=True)
def memory_compress(
    call: Call,
    summary: Annotated[str | None, "your words; without them the best sentences are kept"] = None,
    addresses: Annotated[list[str] | None, "what to compress"] = None,
    domain: Annotated[str, "or: all that is unpinned in a domain"] = "",
    dry_run: bool = False,
) -> CompressResult:
    """Put a summary in the place of several memories. They leave the active set and stay readable.

    Exact values (numbers, versions, paths) that the summary lacks are kept to the letter beside it. Says how much of
    what was there is covered, and warns when that is little.
    """
    done = compress(call.engine, call.asker, summary=summary, addresses=addresses or (), domain=domain, dry_run=dry_run)
    return _compressed(done, dry_run)


@operation("tree", right=WRITE, changes=True)
def memory_session_compress(
    call: Call,
    summary: str | None = None,
    thread: Annotated[str, "the session"] = "",
    dry_run: bool = False,
) -> CompressResult:
    """Put a summary in the place of what one session (thread) said."""
    if not thread:
        raise Invalid("It is not said which session.", hint="Give the thread that it was saved under.", field="thread")
    done = compress(call.engine, call.asker, summary=summary, thread=thread, dry_run=dry_run)
    return _compressed(done, dry_run)


class RerootResult(NamedTuple):
    root: str
    seq: int
    ok: bool

    def text(self) -> str:
        return f"root {self.root} at event {self.seq}: {'as the chain says' if self.ok else 'NOT what the chain says'}"


@operation("tree", right=WRITE, changes=True)
def memory_reroot(call: Call) -> RerootResult:
    """Hash the whole tree over the active set again, and compare its root with the chain's."""
    done = reindex(call.engine, call.asker, "tree")
    with call.engine.store.reading() as reader:
        head = reader.head(call.asker.namespace)
    return RerootResult(head.root, head.seq, not done.wrong_roots)


class DiffResult(NamedTuple):
    start: int
    end: int
    added: int
    changed: int
    removed: int
    items: tuple[dict[str, Any], ...]
    erased: int = 0
    reinforced: int = 0
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"event {self.start} to {self.end}: "
            f"{self.added:,} added, {self.changed:,} changed, {self.removed:,} removed"
            + (f", {self.erased} erased" if self.erased else "")
            + (f", {self.reinforced} only said once more" if self.reinforced else "")
        ]
        marks = {"added": "+", "removed": "-", "changed": "~"}
        for item in self.items:
            words = dict.fromkeys(FIELD_WORDS.get(name, name) for name in item["fields"])
            about = f" ({', '.join(words)})" if item["what"] == "changed" else ""
            lines.append(f"{marks[item['what']]} {item_line(item)}{about}")
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens)")
        return "\n".join(lines)


# What may differ about a node, where its name is not a word for it.
FIELD_WORDS = {
    "semantic": "what sort of memory it is",
    "preliminary": "whether it is settled",
    "approved": "approval",
    "aliases": "other names",
    "reinforced": "said once more",
    "reinforced_at": "said once more",
    "expires_at": "how long it holds",
    "drift": "whether its code is as it was",
    "state": "how it stands",
}


def item_line(item: Mapping[str, Any]) -> str:
    path = f"{item['path']}: " if item["path"] else ""
    return f"[{item['address']}] {path}{item['title']}"


def diff_result(found: Differences) -> DiffResult:
    items = tuple(
        {
            "what": d.what,
            "address": shown(d.address),
            "title": first_line(d.line, 100),
            "state": d.state,
            "fields": list(d.fields),
            "project": d.project,
            "path": d.path,
        }
        for d in found.items
    )
    counts = (found.count("added"), found.count("changed"), found.count("removed"))
    return DiffResult(found.start, found.end, *counts, items, found.erased, found.reinforced)


@operation("tree")
def memory_diff(
    call: Call, since: Annotated[str, "snapshot, sequence number or time; default: a day ago"] = ""
) -> DiffResult:
    """What was added, changed and removed here since then."""
    return diff_result(diff(call.engine, call.asker, since or None))


class SoulResult(NamedTuple):
    """The project's knowledge as one document."""

    content: str
    left_out: int = 0

    def text(self) -> str:
        return self.content


@operation("tree")
def memory_soul(
    call: Call,
    format: Literal["markdown", "text"] = "markdown",  # noqa: A002 the name in the table
    as_of: str = "",
    budget_tokens: int = 2_000,
) -> SoulResult:
    """What this project knows, as one document by domain: pinned first, then by weight, within the budget."""
    found = soul(call.engine, call.asker, budget_tokens, as_of)
    if format == "text":
        lines = [f"{s.domain}: {line.address} {line.text}" for s in found.sections for line in s.lines]
        return SoulResult("\n".join(lines), found.left_out)
    return SoulResult(markdown(found), found.left_out)


class ProvenanceResult(NamedTuple):
    """`items` begins with the node itself; `via` says how each is reached."""

    address: str
    items: tuple[dict[str, Any], ...]
    leaves: tuple[str, ...]
    superseded: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    left_out: int = 0

    def text(self) -> str:
        lines = []
        for item in self.items:
            said = f", said {item['said'][0]['at']}" if item.get("said") else ""
            how = f"{item['via']} " if item["via"] else ""
            lines.append(f"{'  ' * item['distance']}{how}[{item['address']}] {item['title']}{said}")
            lines += [
                f"{'  ' * item['distance']}  event {h['seq']} {h['at']} {h['operation']} by {h['actor']}: {h['state']}"
                for h in item.get("history", ())
            ]
        if self.missing:
            lines.append(f"not here any more: {', '.join(self.missing)}")
        return "\n".join(lines)


def origin_shape(origin: Origin) -> dict[str, Any]:
    record = origin.record
    return {
        "address": shown(origin.address),
        "distance": origin.distance,
        "via": origin.via,
        "title": first_line(record.node.content, 100) if record else "(not here any more)",
        "kind": record.node.kind if record else "",
        "said": [
            {"at": iso(s.occurrence.at), "project": s.project, "source": s.occurrence.source, "user": s.occurrence.user}
            for s in origin.said
        ],
        "history": [
            {
                "seq": h.seq,
                "at": iso(h.at),
                "actor": h.actor,
                "operation": h.operation,
                "state": h.standing.state,
                "reason": h.reason,
            }
            for h in origin.held
        ],
    }


@operation("tree", aliases=("get_memory_provenance",), spellings={"address": ("memory_id", "id")})
def memory_provenance(call: Call, address: str, as_of: str = "") -> ProvenanceResult:
    """Where a memory comes from, to the leaves: what it was made from, what it superseded, who said it and when."""
    found = provenance(call.engine, call.asker, address, as_of)
    return ProvenanceResult(
        address=shown(found.node.address),
        items=tuple(origin_shape(origin) for origin in (found.node, *found.origins)),
        leaves=tuple(shown(leaf) for leaf in found.leaves),
        superseded=tuple(shown(old) for old in found.superseded),
        missing=tuple(shown(gone) for gone in found.missing),
    )


class GraphResult(NamedTuple):
    """`nodes` begins with the one that was asked about; `links` are those between them."""

    nodes: tuple[View, ...]
    links: tuple[dict[str, str], ...]
    superseded: int = 0

    def text(self) -> str:
        titles = {node.address: first_line(node.content, 60) for node in self.nodes}
        lines = [f"[{self.nodes[0].address}] {titles[self.nodes[0].address]}"]
        lines += [
            f"  [{link['from']}] {titles.get(link['from'], '')} --{link['rel']}--> "
            f"[{link['to']}] {titles.get(link['to'], '')}"
            for link in self.links
        ]
        if self.superseded:
            more = f"to {counted(self.superseded, 'node')} no longer in force: include_superseded shows them"
            return "\n".join([*lines, f"  {'also' if self.links else 'no links but'} {more}"])
        return "\n".join(lines if self.links else [*lines, "  no links"])


@operation("tree")
def memory_graph(
    call: Call,
    address: str,
    depth: Annotated[int, "1 to 5"] = 2,
    rels: list[str] | None = None,
    direction: Literal["both", "forward", "reverse"] = "both",
    as_of: str = "",
    include_superseded: bool = False,
) -> GraphResult:
    """What hangs together with a memory, by its links, nearest first; causes are followed further."""
    found = graph(
        call.engine,
        call.asker,
        address,
        depth,
        rels or (),
        direction,
        as_of,
        include_superseded=include_superseded,
    )
    now = call.engine.clock()
    nodes = tuple(view(r.record, now, score=r.strength) for r in found.nodes)
    links = tuple({"from": shown(link.source), "to": shown(link.target), "rel": link.rel} for link in found.links)
    return GraphResult(nodes, links, found.superseded)


class PruneResult(NamedTuple):
    items: tuple[View, ...]
    reasons: dict[str, list[str]]
    considered: int
    left_out: int = 0

    def text(self) -> str:
        lines = [f"{len(self.items)} of {self.considered:,} look stale; nothing was changed."]
        for item in self.items:
            why = "; ".join(self.reasons.get(item.address, []))
            lines.append(f"{item.score:.2f} [{item.address}] {first_line(item.content, 80)} ({why})")
        return "\n".join(lines)


@operation("tree")
def memory_prune_candidates(call: Call, threshold: Annotated[float, "0 to 1"] = 0.5, limit: int = 50) -> PruneResult:
    """What looks stale: old and unconfirmed, drifted, recalled and never used. Only looks; forgetting is yours."""
    found = prune_candidates(call.engine, call.asker, threshold, limit)
    now = call.engine.clock()
    items = tuple(view(c.record, now, score=c.staleness) for c in found.candidates)
    reasons = {shown(c.record.node.address): list(c.reasons) for c in found.candidates}
    return PruneResult(items, reasons, found.considered)
