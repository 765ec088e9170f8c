"""Usage: what language models cost, the caps on it, and what else went in and out.

Spending is counted in the store, for all processes together. Before a call everything that it could cost is reserved:
read, compared with the caps and written in one transaction; a call that could pass a cap is not made. After it the
difference to what it did cost is written. Where nobody can say whether a service has served a call, it counts in full.

Each is a line of telemetry of the type `llm`: a second line with the same id corrects the first, and has its time, so
that the sums of a day (in UTC) are what that day cost.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from ..model.errors import MarrowError, QuotaExceeded, RateLimited
from ..model.moments import MICROS_PER_DAY, beginning, iso
from ..providers.llm import NANO, Allowance, Completion, LanguageModel
from ..settings import Settings
from ..store.protocol import Measurement, Reader, Store
from .engine import Asker, Engine

KIND = "llm"
TIMEOUT_S = 60.0
# What a service puts around a prompt. A token has at least one byte, so bytes are never too few.
OVERHEAD_TOKENS = 100
# After a failure everybody waits, twice as long each time; longer where trying again is of little use.
WAIT_S, WAIT_FUTILE_S, WAIT_MAX_S = 60.0, 600.0, 3600.0
RESERVED, DONE, FAILED, FULL = "reserved", "done", "failed", "full"
DAYS_SHOWN = 7
EVERY = 1_000_000
_LATER = "It goes on tomorrow (UTC), or with a higher cap; `marrow usage` says what was spent."
_TOKENS = "llm.daily_tokens"


class Reservation(NamedTuple):
    id: str
    at: int
    purpose: str
    model: str
    tokens_in: int
    tokens_out: int
    nano: int


class Balance(NamedTuple):
    """What was spent today, and until when nobody is to be asked, after how many failures."""

    tokens: int
    nano: int
    wait_until: int = 0
    failures: int = 0


def allowance_of(settings: Settings) -> Allowance:
    """What is shown of an address has no user in it, though such an address is refused."""
    provider = re.sub(r"://.*@", "://", settings.get("llm", str))
    return Allowance(provider, settings.get("llm.daily_tokens", int), settings.get("llm.daily_usd", float))


def ask(
    ledger: Store,
    clock: Callable[[], int],
    allowance: Allowance,
    model: LanguageModel,
    purpose: str,
    system: str,
    prompt: str,
    max_tokens: int,
    *,
    timeout: float = TIMEOUT_S,
    heed: bool = True,
) -> Completion:
    """A model's answer, if the caps allow it. `heed` False does not wait after a failure: a person asks."""
    tokens_in = len((system + prompt).encode("utf-8", "replace")) + OVERHEAD_TOKENS
    try:
        held = reserve(ledger, clock(), allowance, model, purpose, tokens_in, max_tokens, heed=heed)
    except QuotaExceeded:
        with suppress(MarrowError):
            _note_full(ledger, allowance, clock())
        raise
    started = clock()
    try:
        answer = model.complete(system, prompt, max_tokens, timeout)
    except MarrowError as problem:
        # Without its second line a call counts in full, which is rather too much than too little.
        with suppress(MarrowError):
            fail(ledger, held, problem, clock())
        raise
    with suppress(MarrowError):
        settle(ledger, held, answer, (clock() - started) / 1000)
    return answer


def reserve(
    ledger: Store,
    now: int,
    allowance: Allowance,
    model: LanguageModel,
    purpose: str,
    tokens_in: int,
    tokens_out: int,
    *,
    heed: bool = True,
) -> Reservation:
    """Set aside all that a call could cost, or raise: checked and written in one transaction."""
    _check_chosen(allowance)
    nano = _nano(model.usd(tokens_in, tokens_out))
    held = Reservation(os.urandom(8).hex(), now, purpose, model.name, tokens_in, tokens_out, nano)
    with ledger.writing() as writer:
        spent = balance(writer, now)
        _check_wait(spent, now, heed=heed)
        _check_room(allowance, spent, held)
        writer.measure([_line(held, RESERVED, held.tokens_in, held.tokens_out, held.nano)])
    return held


def settle(ledger: Store, held: Reservation, answer: Completion, ms: float) -> None:
    """Count what a call did cost, in the place of what it could have."""
    over_in, over_out = answer.tokens_in - held.tokens_in, answer.tokens_out - held.tokens_out
    with ledger.writing() as writer:
        writer.measure([_line(held, DONE, over_in, over_out, _nano(answer.usd) - held.nano, ms=round(ms, 3))])


def fail(ledger: Store, held: Reservation, problem: MarrowError, now: int) -> None:
    """Count nothing for a call that was not served, and let everybody wait."""
    served = problem.is_unsure
    with ledger.writing() as writer:
        before = balance(writer, now).failures
        wait = (WAIT_S if problem.retryable else WAIT_FUTILE_S) * 2.0 ** min(before, 10)
        until = now + int(min(WAIT_MAX_S, max(wait, problem.wait_s or 0.0)) * 1_000_000)
        back = (0, 0, 0) if served else (-held.tokens_in, -held.tokens_out, -held.nano)
        writer.measure([_line(held, FAILED, *back, code=problem.code, until=until)])


def _note_full(ledger: Store, allowance: Allowance, now: int) -> None:
    """Nobody need look again at once for what there is no room for. A cap of zero is not even looked at."""
    if allowance.daily_tokens > 0:
        about = {"state": FULL, "until": now + int(WAIT_FUTILE_S * 1_000_000)}
        with ledger.writing() as writer:
            writer.measure([Measurement(now, KIND, 0.0, detail=json.dumps(about, separators=(",", ":")))])


def check_open(ledger: Store, now: int, allowance: Allowance, *, heed: bool = True) -> None:
    """Raise when no call would be made now, whatever it is about."""
    _check_chosen(allowance)
    with ledger.reading() as reader:
        spent = balance(reader, now)
    _check_wait(spent, now, heed=heed)
    if spent.tokens >= allowance.daily_tokens:
        raise QuotaExceeded(f"All {allowance.daily_tokens:,} tokens of today are spent.", hint=_LATER, field=_TOKENS)


def _check_wait(spent: Balance, now: int, *, heed: bool) -> None:
    if heed and now < spent.wait_until:
        raise RateLimited("The language model is left alone.", hint=f"It is asked again after {iso(spent.wait_until)}.")


def _check_chosen(allowance: Allowance) -> None:
    """Zero is what holds until somebody chooses: nothing may be spent."""
    if allowance.daily_tokens <= 0:
        raise QuotaExceeded(
            "No language model is asked: its daily cap is 0 tokens.",
            hint="Set llm.daily_tokens, and llm.daily_usd for a model that costs money. Both hold.",
            field=_TOKENS,
        )


def _check_room(allowance: Allowance, spent: Balance, held: Reservation) -> None:
    wanted, cap_nano = held.tokens_in + held.tokens_out, _nano(allowance.daily_usd)
    if spent.tokens + wanted > allowance.daily_tokens:
        raise QuotaExceeded(
            f"{spent.tokens:,} of {allowance.daily_tokens:,} tokens are spent today, and this call could take "
            f"{wanted:,}.",
            hint=_LATER,
            field=_TOKENS,
        )
    if held.nano and not cap_nano:
        raise QuotaExceeded(
            f"{held.model} costs money, and its daily cap is $0.", hint="Set llm.daily_usd.", field="llm.daily_usd"
        )
    if spent.nano + held.nano > cap_nano:
        raise QuotaExceeded(
            f"${spent.nano / NANO:.4f} of ${allowance.daily_usd:,.2f} are spent today, and this call could cost "
            f"${held.nano / NANO:.4f}.",
            hint=_LATER,
            field="llm.daily_usd",
        )


def balance(reader: Reader, now: int) -> Balance:
    """What the day of `now` has cost so far, with what is set aside."""
    day = now - now % MICROS_PER_DAY
    tokens = nano = wait_until = failures = 0
    for line in reader.measurements(min(day, now - int(2 * WAIT_MAX_S) * 1_000_000), KIND):
        about = _about(line)
        if line.at >= day:
            tokens += line.tokens_in + line.tokens_out
            nano += _nano(about.get("usd", 0.0))
        if about.get("state") == DONE:
            wait_until = failures = 0
        elif about.get("state") == FAILED:
            wait_until, failures = max(wait_until, int(about.get("until", 0))), failures + 1
        elif about.get("state") == FULL:
            wait_until = max(wait_until, int(about.get("until", 0)))
    return Balance(tokens, nano, wait_until, failures)


def _line(
    held: Reservation, state: str, tokens_in: int, tokens_out: int, nano: int, *, ms: float = 0.0, **more: object
) -> Measurement:
    about = {"id": held.id, "purpose": held.purpose, "model": held.model, "state": state, "usd": nano / NANO, **more}
    return Measurement(held.at, KIND, ms, tokens_in, tokens_out, json.dumps(about, separators=(",", ":")))


def _about(line: Measurement) -> dict[str, Any]:
    try:
        found = json.loads(line.detail or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _nano(usd: float) -> int:
    return round(usd * NANO)


class Spent(NamedTuple):
    """What one purpose cost on one day."""

    day: str
    purpose: str
    calls: int
    tokens_in: int
    tokens_out: int
    usd: float


class Done(NamedTuple):
    """How often an operation was called, how long it took in all, and how many tokens it read and gave."""

    operation: str
    calls: int
    ms: float
    tokens_in: int
    tokens_out: int


class Usage(NamedTuple):
    """`told` is how many memories were put into sessions, `told_tokens` what they cost there."""

    since: int
    provider: str
    spent: tuple[Spent, ...]
    today_tokens: int
    today_usd: float
    daily_tokens: int
    daily_usd: float
    wait_until: int
    told: int
    told_tokens: int
    told_sessions: int
    operations: tuple[Done, ...]


def usage(engine: Engine, asker: Asker, *, since: object = None) -> Usage:
    """What was spent, told and done since a moment; without one, in the last days."""
    now = engine.clock()
    start = now - DAYS_SHOWN * MICROS_PER_DAY if since in (None, "") else beginning(since, now)
    with engine.store.reading() as reader:
        lines = reader.measurements(start)
        today = balance(reader, now)
        told = reader.injections(asker.namespace, since=start, limit=EVERY)
        readable = asker.everywhere()
        if readable is not None:
            mine = {one.session for one in reader.sessions(asker.namespace, readable, limit=EVERY)}
            told = [one for one in told if one.session in mine]
    lines += [line for line in engine.pending if line.at >= start]
    return Usage(
        start,
        engine.allowance.provider,
        _spent(line for line in lines if line.type == KIND),
        today.tokens,
        today.nano / NANO,
        engine.allowance.daily_tokens,
        engine.allowance.daily_usd,
        today.wait_until if today.wait_until > now else 0,
        len(told),
        sum(one.tokens for one in told),
        len({one.session for one in told}),
        _done(line for line in lines if line.type != KIND),
    )


def _spent(lines: Iterable[Measurement]) -> tuple[Spent, ...]:
    sums: dict[tuple[str, str], list[int]] = {}
    for line in lines:
        about = _about(line)
        if about.get("state") == FULL:
            continue
        row = sums.setdefault((iso(line.at)[:10], str(about.get("purpose", ""))), [0, 0, 0, 0])
        usd = _nano(about.get("usd", 0.0))
        for at, more in enumerate((about.get("state") == RESERVED, line.tokens_in, line.tokens_out, usd)):
            row[at] += more
    return tuple(Spent(*key, row[0], row[1], row[2], row[3] / NANO) for key, row in sorted(sums.items()))


def _done(lines: Iterable[Measurement]) -> tuple[Done, ...]:
    sums: dict[str, Done] = {}
    for line in lines:
        so_far = sums.get(line.type, Done(line.type, 0, 0.0, 0, 0))
        sums[line.type] = Done(
            line.type,
            so_far.calls + 1,
            round(so_far.ms + line.ms, 3),
            so_far.tokens_in + line.tokens_in,
            so_far.tokens_out + line.tokens_out,
        )
    return tuple(sorted(sums.values(), key=lambda done: (-done.calls, done.operation)))
