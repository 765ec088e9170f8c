"""What language models may cost: the caps hold exactly, over all processes, and nothing is asked without them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from marrow.memory.engine import Engine
from marrow.memory.usage import WAIT_FUTILE_S, WAIT_MAX_S, WAIT_S, ask, balance, check_open
from marrow.model.errors import MarrowError, QuotaExceeded, RateLimited, Unauthorized, Unavailable
from marrow.model.moments import MICROS_PER_DAY
from marrow.providers.llm import NANO, Allowance, Completion
from marrow.store import open_store
from marrow.store.protocol import Store

from .conftest import Clock
from .spender_process import PROMPT, TOKENS_IN, TOKENS_OUT

SPENDER = str(Path(__file__).parent / "spender_process.py")
CALL = TOKENS_IN + TOKENS_OUT
RICH = Allowance("test", 10**9, 10**6)


class Model:
    """Answers with less than was set aside, or fails."""

    name = "test/plain"

    def __init__(self, price: float = 0.0, problem: MarrowError | None = None) -> None:
        self.price, self.problem, self.calls = price, problem, 0

    def usd(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in + tokens_out) * self.price

    def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
        self.calls += 1
        if self.problem is not None:
            raise self.problem
        return Completion("well", 100, 20, self.usd(100, 20))


def call(engine: Engine, model: Model, allowance: Allowance = RICH, *, heed: bool = True) -> Completion:
    return ask(engine.store, engine.clock, allowance, model, "summary", "", PROMPT, TOKENS_OUT, heed=heed)


def spent(store: Store, now: int) -> tuple[int, int]:
    with store.reading() as reader:
        found = balance(reader, now)
    return found.tokens, found.nano


@pytest.mark.parametrize(
    ("cap_tokens", "cap_usd", "calls"), [(10 * CALL + CALL - 1, 10**6, 10), (10**9, 9 * CALL / 1000, 9)]
)
def test_two_processes_together_make_exactly_the_calls_that_the_caps_allow(
    tmp_path: Path, child_environment: dict[str, str], cap_tokens: int, cap_usd: float, calls: int
) -> None:
    path = tmp_path / "marrow.db"
    open_store(str(path)).close()
    command = [sys.executable, SPENDER, str(path), str(cap_tokens), str(cap_usd)]
    spenders = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=child_environment)
        for _ in range(2)
    ]
    for spender in spenders:
        assert spender.stdout is not None
        assert spender.stdout.readline() == "ready\n"
    made = [int(spender.communicate("go\n")[0]) for spender in spenders]
    assert [spender.returncode for spender in spenders] == [0, 0]
    assert sum(made) == calls
    store = open_store(str(path))
    with store.reading() as reader:
        lines = [line for line in reader.measurements(0, "llm") if line.tokens_in > 0]
    assert len(lines) == calls
    assert sum(line.tokens_in + line.tokens_out for line in lines) == calls * CALL <= cap_tokens
    store.close()


@pytest.mark.parametrize("allowance", [Allowance("anthropic"), Allowance("anthropic", 0, 5.0)])
def test_a_cap_of_zero_tokens_means_that_nobody_is_asked(engine: Engine, allowance: Allowance) -> None:
    model = Model()
    with pytest.raises(QuotaExceeded) as caught:
        call(engine, model, allowance)
    assert "llm.daily_tokens" in caught.value.hint
    with pytest.raises(QuotaExceeded):
        check_open(engine.store, engine.clock(), allowance)
    assert model.calls == 0
    with engine.store.reading() as reader:
        assert reader.measurements(0) == []


def test_a_cap_of_zero_dollars_is_enough_for_what_costs_nothing_alone(engine: Engine) -> None:
    allowance = Allowance("test", 10**6, 0.0)
    assert call(engine, Model(), allowance).text == "well"
    costly = Model(price=0.001)
    with pytest.raises(QuotaExceeded) as caught:
        call(engine, costly, allowance, heed=False)
    assert caught.value.field == "llm.daily_usd"
    assert costly.calls == 0


def test_after_the_call_what_it_did_cost_counts_and_no_more(engine: Engine, clock: Clock) -> None:
    call(engine, Model(price=0.000_001))
    assert spent(engine.store, clock.now) == (120, 120_000)


def test_a_call_that_could_pass_the_cap_is_not_made_though_it_might_have_fitted(engine: Engine, clock: Clock) -> None:
    """The answer would have had 20 tokens; set aside are 500."""
    model = Model()
    call(engine, model, Allowance("test", CALL, 0.0))
    with pytest.raises(QuotaExceeded):
        call(engine, model, Allowance("test", CALL + 119, 0.0), heed=False)
    assert model.calls == 1
    call(engine, model, Allowance("test", CALL + 120, 0.0), heed=False)
    assert model.calls == 2


def test_the_next_day_begins_at_zero(engine: Engine, clock: Clock) -> None:
    allowance = Allowance("test", CALL + 100, 0.0)
    model = Model()
    call(engine, model, allowance)
    with pytest.raises(QuotaExceeded):
        call(engine, model, allowance)
    clock.forward(seconds=(MICROS_PER_DAY - clock.now % MICROS_PER_DAY) / 1_000_000)
    assert spent(engine.store, clock.now) == (0, 0)
    call(engine, model, allowance)
    assert model.calls == 2


def test_a_call_over_midnight_counts_on_the_day_that_it_was_made(engine: Engine, clock: Clock) -> None:
    class Slow(Model):
        def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
            clock.forward(days=1)
            return super().complete(system, prompt, max_tokens, timeout)

    before = clock.now
    call(engine, Slow())
    assert spent(engine.store, before) == (120, 0)
    assert spent(engine.store, clock.now) == (0, 0)


def test_a_refused_call_costs_nothing_and_one_that_may_have_been_served_costs_all(engine: Engine, clock: Clock) -> None:
    with pytest.raises(Unauthorized):
        call(engine, Model(problem=Unauthorized("no")))
    assert spent(engine.store, clock.now) == (0, 0)
    unsure = Unavailable("silence")
    unsure.is_unsure = True
    with pytest.raises(Unavailable):
        call(engine, Model(0.001, problem=unsure), heed=False)
    assert spent(engine.store, clock.now) == (CALL, CALL * NANO // 1000)


def test_a_call_whose_process_died_counts_in_full(engine: Engine, clock: Clock) -> None:
    class Killed(BaseException):
        pass

    class Dying(Model):
        def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
            raise Killed

    with pytest.raises(Killed):
        call(engine, Dying())
    assert spent(engine.store, clock.now) == (CALL, 0)


def test_after_a_failure_everybody_waits_longer_each_time_until_it_works(engine: Engine, clock: Clock) -> None:
    busy = RateLimited("busy")
    waits = []
    for _ in range(8):
        with pytest.raises(RateLimited):
            call(engine, Model(problem=busy))
        with engine.store.reading() as reader:
            until = balance(reader, clock.now).wait_until
        waits.append((until - clock.now) / 1_000_000)
        fine = Model()
        with pytest.raises(RateLimited):
            call(engine, fine)
        assert fine.calls == 0
        clock.now = until
    assert waits[:3] == [WAIT_S, 2 * WAIT_S, 4 * WAIT_S]
    assert waits[-1] == WAIT_MAX_S
    call(engine, Model())
    with pytest.raises(RateLimited):
        call(engine, Model(problem=busy))
    with engine.store.reading() as reader:
        assert balance(reader, clock.now).wait_until == clock.now + WAIT_S * 1_000_000


def test_the_wait_is_as_long_as_the_service_asks_and_longer_where_it_is_futile(engine: Engine, clock: Clock) -> None:
    limited = RateLimited("busy")
    limited.wait_s = 1234.0
    with pytest.raises(RateLimited):
        call(engine, Model(problem=limited))
    with engine.store.reading() as reader:
        assert balance(reader, clock.now).wait_until == clock.now + 1_234_000_000
    clock.forward(days=1)
    with pytest.raises(Unauthorized):
        call(engine, Model(problem=Unauthorized("no")))
    with engine.store.reading() as reader:
        assert balance(reader, clock.now).wait_until == clock.now + WAIT_FUTILE_S * 1_000_000


def test_a_person_need_not_wait(engine: Engine) -> None:
    with pytest.raises(RateLimited):
        call(engine, Model(problem=RateLimited("busy")))
    assert call(engine, Model(), heed=False).text == "well"
