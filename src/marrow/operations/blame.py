"""tree: who said what, and what may have become stale because something changed."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..memory.blame import LINE, blame
from ..memory.rebase import STALE, rebase
from ..model.address import shown
from ..model.moments import age, iso
from ..model.scope import WRITE
from ..model.text import counted
from .places import one_line
from .table import Call, operation


class BlameResult(NamedTuple):
    target: str
    kind: str
    items: tuple[dict[str, str], ...]
    symbol: str = ""
    left_out: int = 0
    waiting: int = 0

    def text(self) -> str:
        head = f"{self.target}{f' in {self.symbol}' if self.symbol else ''}"
        if not self.items:
            return "\n".join([f"Nobody said anything about {head}.", *self._waiting()])
        lines = [f"{head}:"] if self.kind == LINE else []
        for item in self.items:
            address = f"[{item['address']}] " if item["address"] else ""
            lines.append(f"{item['at'] or 'now':<20}  {item['who']}  {item['what']}: {address}{item['content']}")
        return "\n".join([*lines, *self._waiting()])

    def _waiting(self) -> list[str]:
        if not self.waiting:
            return []
        commits = counted(self.waiting, "commit")
        return [f"(which symbols {commits} touched is still to be found: ingest_history goes on with it)"]


@operation("tree", spellings={"target": ("file",)})
def memory_blame(
    call: Call, target: Annotated[str, "a chain, a file, file:line, a symbol, or an address"]
) -> BlameResult:
    """Who said or wrote what, and when: in a chain, about a file, a line or a symbol (with its commits), or of one
    memory."""
    found = blame(call.engine, call.asker, target)
    items = tuple(
        {
            "at": iso(one.at) if one.at else "",
            "who": one.who,
            "what": one.what,
            "address": one.address,
            "content": one.text,
        }
        for one in found.items
    )
    return BlameResult(found.target, found.kind, items, found.symbol, waiting=found.waiting)


class DoubtView(NamedTuple):
    address: str
    content: str
    reasons: tuple[str, ...]
    code: str = ""
    age: str = ""

    def line(self) -> str:
        code = f"; {self.code}" if self.code else ""
        return f"[{self.address}] {', '.join(self.reasons)}{code}, {self.age}\n    {one_line(self.content)}"


class RebaseResult(NamedTuple):
    address: str
    changed: str
    items: tuple[DoubtView, ...]
    marked: bool
    seq: int = 0
    left_out: int = 0

    def text(self) -> str:
        head = f"[{self.address}] {self.changed.rstrip(' .:') or 'stands as it did'}."
        if not self.items:
            return f"{head} Nothing hangs on it."
        done = f"marked #{STALE}" if self.marked else "may be stale"
        return "\n".join([f"{head} {len(self.items)} {done}:", *(item.line() for item in self.items)])


@operation("tree", right=WRITE, changes=True, spellings={"address": ("node_addr",)})
def memory_rebase(call: Call, address: str, dry_run: Annotated[bool, "only look"] = False) -> RebaseResult:
    """What may have become stale because this memory changed, was replaced, or lost its ground in the code.

    By origin, links, chain and the same place in the code. They get the tag potentially_stale.
    """
    found = rebase(call.engine, call.asker, address, dry_run=dry_run)
    now = call.engine.clock()
    items = tuple(
        DoubtView(
            shown(one.record.node.address),
            one.record.node.content,
            one.reasons,
            one.code,
            age(one.record.last_at, now),
        )
        for one in found.items
    )
    seq = found.receipt.seq if found.receipt else 0
    return RebaseResult(shown(found.record.node.address), found.changed, items, not dry_run, seq)
