"""store: what language models cost, what sessions were told, and what was called."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..memory.usage import usage as count_usage
from ..model.moments import iso
from ..model.text import counted
from ..providers.llm import NONE
from .table import Call, operation


class UsageResult(NamedTuple):
    since: str
    llm: str
    today: dict[str, Any]
    cap: dict[str, Any]
    left: dict[str, Any]
    items: tuple[dict[str, Any], ...]
    told: dict[str, int]
    operations: tuple[dict[str, Any], ...]
    waits_until: str = ""
    left_out: int = 0

    def text(self) -> str:
        lines = [f"since {self.since}", f"language model: {self._allowed()}"]
        for item in self.items:
            tokens = f"{item['tokens_in']:,} + {item['tokens_out']:,} tokens"
            calls = counted(item["calls"], "call")
            lines.append(f"  {item['day']}  {item['purpose']:<12} {calls}, {tokens}, ${item['usd']:.4f}")
        if self.waits_until:
            lines.append(f"  it is left alone until {self.waits_until}: it failed, or nothing had room under the caps")
        told = self.told
        lines.append(
            f"told to {counted(told['sessions'], 'session')}: {counted(told['memories'], 'memory')}, "
            f"{counted(told['tokens'], 'token')}"
        )
        lines.append("operations:" if self.operations else "operations: none")
        for done in self.operations:
            each = done["ms"] / done["calls"]
            tokens = f"{done['tokens_in']:,} + {done['tokens_out']:,} tokens"
            lines.append(
                f"  {done['operation']:<24} {counted(done['calls'], 'call'):>12}, {each:,.1f} ms each, {tokens}"
            )
        return "\n".join(lines)

    def _allowed(self) -> str:
        if self.llm == NONE:
            return "none (nothing is sent; `marrow config set llm …` chooses one)"
        if not self.cap["tokens"]:
            return f"{self.llm}, never asked: the daily cap is 0 tokens (llm.daily_tokens, llm.daily_usd)"
        return (
            f"{self.llm}; today {self.today['tokens']:,} of {self.cap['tokens']:,} tokens, ${self.today['usd']:.4f} of "
            f"${self.cap['usd']:.2f}; left {self.left['tokens']:,} tokens, ${self.left['usd']:.4f}"
        )


@operation("store")
def usage(call: Call, since: Annotated[str, "default: 7 days ago"] = "") -> UsageResult:
    """What language models cost by day and purpose, what is left of the daily caps, and what sessions were told."""
    found = count_usage(call.engine, call.asker, since=since or None)
    left_usd = max(0.0, round(found.daily_usd - found.today_usd, 9))
    return UsageResult(
        iso(found.since),
        found.provider,
        {"tokens": found.today_tokens, "usd": found.today_usd},
        {"tokens": found.daily_tokens, "usd": found.daily_usd},
        {"tokens": max(0, found.daily_tokens - found.today_tokens), "usd": left_usd},
        tuple(one._asdict() for one in reversed(found.spent)),
        {"sessions": found.told_sessions, "memories": found.told, "tokens": found.told_tokens},
        tuple(one._asdict() for one in found.operations),
        iso(found.wait_until) if found.wait_until else "",
    )
