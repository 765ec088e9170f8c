"""Language models over the network, against a service on this machine that behaves as the real ones do."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

from marrow.model.errors import (
    Forbidden,
    Invalid,
    MarrowError,
    QuotaExceeded,
    RateLimited,
    Refused,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from marrow.providers.llm import LanguageModel, language_model
from marrow.providers.llm_prices import dollars, price
from tests.providers.llm_service import KEY, FakeModel, Trouble, body, hangs, status, tokens_of, truncated

OTHER_KEY = "sk-other-fedcba9876543210"  # pragma: allowlist secret
SECONDS = 20.0
SYSTEM, PROMPT = "Be short.", "What failed?"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModel]:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with FakeModel() as running:
        yield running


@pytest.fixture
def claude(fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> LanguageModel:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
    return made("anthropic", "claude-haiku-5-5")


def made(name: str, model: str | None = None) -> LanguageModel:
    found = language_model(name, model)
    assert found is not None
    return found


def failure(model: LanguageModel, timeout: float = SECONDS) -> MarrowError:
    with pytest.raises(MarrowError) as caught:
        model.complete(SYSTEM, PROMPT, 100, timeout)
    assert KEY not in str(caught.value)
    return caught.value


# --- What is asked, and what is answered ----------------------------------------------------------------------------


def test_anthropic_is_asked_in_its_own_manner_and_with_its_own_header(fake: FakeModel, claude: LanguageModel) -> None:
    answer = claude.complete(SYSTEM, PROMPT, 100, SECONDS)
    assert fake.requests == [
        {
            "model": "claude-haiku-5-5",
            "max_tokens": 100,
            "system": SYSTEM,
            "messages": [{"role": "user", "content": PROMPT}],
        }
    ]
    assert fake.headers[0]["x-api-key"] == KEY
    assert "authorization" not in fake.headers[0]
    assert (answer.text, answer.whole) == ("Well said.", True)
    assert (answer.tokens_in, answer.tokens_out) == (tokens_of(SYSTEM + PROMPT), tokens_of("Well said."))
    assert answer.usd == dollars((0.10, 0.50), answer.tokens_in, answer.tokens_out) > 0
    assert claude.name == "anthropic/claude-haiku-5-5"


def test_what_a_model_thinks_is_not_taken_for_its_answer(fake: FakeModel, claude: LanguageModel) -> None:
    fake.thinks = True
    assert claude.complete(SYSTEM, PROMPT, 100, SECONDS).text == "Well said."


def test_an_address_of_ones_own_is_asked_as_openai_is_without_any_key(
    fake: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", OTHER_KEY)
    monkeypatch.setenv("ANTHROPIC_API_KEY", OTHER_KEY)
    fake.key = None
    model = made(f"{fake.url}/v1#small")
    answer = model.complete(SYSTEM, PROMPT, 100, SECONDS)
    (request,) = fake.requests
    assert (request["model"], request["max_tokens"]) == ("small", 100)
    assert [message["role"] for message in request["messages"]] == ["system", "user"]
    assert OTHER_KEY not in str(fake.headers)
    assert (answer.text, answer.usd) == ("Well said.", 0.0)
    assert answer.tokens_in > 0
    assert model.name == f"{fake.host}/small"


def test_openai_gets_its_own_key_and_its_own_name_for_the_limit(
    fake: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{fake.url}/v1")
    answer = made("openai:gpt-4.1-mini").complete(SYSTEM, PROMPT, 100, SECONDS)
    assert fake.requests[0]["max_completion_tokens"] == 100
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"
    assert answer.usd == dollars((0.40, 1.60), answer.tokens_in, answer.tokens_out)


@pytest.mark.parametrize("stop", ["max_tokens", "refusal"])
@pytest.mark.parametrize("name", ["anthropic", "compatible"])
def test_an_answer_that_was_cut_or_withheld_says_so(
    fake: FakeModel, claude: LanguageModel, stop: str, name: str
) -> None:
    fake.stop = stop
    model = claude if name == "anthropic" else made(f"{fake.url}/v1#small")
    fake.key = None
    assert not model.complete(SYSTEM, PROMPT, 100, SECONDS).whole


def test_a_service_that_does_not_count_is_reckoned_by_an_estimate(fake: FakeModel, claude: LanguageModel) -> None:
    fake.says_usage = False
    answer = claude.complete(SYSTEM, PROMPT, 100, SECONDS)
    assert answer.tokens_in > 0
    assert answer.tokens_out > 0
    assert answer.usd > 0


# --- What goes wrong ------------------------------------------------------------------------------------------------

REFUSALS: list[tuple[Trouble, type[MarrowError], bool]] = [
    (status(401, "authentication_error"), Unauthorized, False),
    (status(402, "billing_error"), QuotaExceeded, False),
    (status(403, "permission_error"), Forbidden, False),
    (status(404, "not_found_error"), Invalid, False),
    (status(400, "invalid_request_error"), Refused, False),
    (status(413, "request_too_large"), TooLarge, False),
    (status(429, "rate_limit_error"), RateLimited, True),
    (status(500), Unavailable, True),
    (status(529, "overloaded_error"), Unavailable, True),
]


@pytest.mark.parametrize(("trouble", "error", "again"), REFUSALS)
def test_a_refusal_is_an_error_of_ours_and_the_call_is_made_once(
    fake: FakeModel, claude: LanguageModel, trouble: Trouble, error: type[MarrowError], again: bool
) -> None:
    fake.troubles = [trouble]
    found = failure(claude)
    assert type(found) is error
    assert found.retryable is again
    assert not found.is_unsure
    assert len(fake.requests) == 1


def test_a_rate_limit_says_how_long_to_wait(fake: FakeModel, claude: LanguageModel) -> None:
    fake.troubles = [status(429, "rate_limit_error", retry_after="90")]
    assert failure(claude).wait_s == 90.0


@pytest.mark.parametrize(
    "trouble", [truncated, body(b'{"content": [{"ty'), body(b'{"content": 3}'), body(b"[]"), status(504)]
)
def test_whatever_may_have_been_served_and_billed_is_unsure(
    fake: FakeModel, claude: LanguageModel, trouble: Trouble
) -> None:
    fake.troubles = [trouble]
    found = failure(claude)
    assert isinstance(found, Unavailable)
    assert found.is_unsure


def test_a_service_that_says_nothing_is_given_up_in_time_and_unsure(fake: FakeModel, claude: LanguageModel) -> None:
    fake.troubles = [hangs]
    found = failure(claude, timeout=0.2)
    assert isinstance(found, Unavailable)
    assert found.is_unsure
    assert found.retryable


def test_a_place_where_nobody_listens_has_served_nothing() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        found = failure(made(f"http://127.0.0.1:{free.getsockname()[1]}/v1#small"))
    assert isinstance(found, Unavailable)
    assert not found.is_unsure


def test_without_a_key_nothing_is_sent(fake: FakeModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_BASE_URL", fake.url)
    found = failure(made("anthropic"))
    assert isinstance(found, Unauthorized)
    assert "ANTHROPIC_API_KEY" in found.hint
    assert fake.requests == []


# --- Which one it is ------------------------------------------------------------------------------------------------


def test_none_is_none_whatever_keys_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    assert language_model("none", "claude-haiku-5-5") is None


def test_the_model_that_is_asked_for_goes_before_the_one_in_the_name() -> None:
    assert made("http://localhost:1/v1#large", "small").name == "localhost:1/small"
    assert made("anthropic:claude-opus-5-5").name == "anthropic/claude-opus-5-5"
    assert made("anthropic").name == "anthropic/claude-haiku-5-5"


@pytest.mark.parametrize(
    "name", ["anthropi", "http://localhost:1/v1", "ftp://localhost/v1#small", "https://me:pw@localhost/v1#small"]
)
def test_a_name_that_is_wrong_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(Invalid) as caught:
        language_model(name)
    assert caught.value.hint
    assert "pw" not in str(caught.value)


def test_a_model_that_is_not_in_the_list_counts_as_the_dearest_of_its_service() -> None:
    assert price("anthropic", "claude-haiku-4-5-20251001") == (1.0, 5.0)
    assert price("anthropic", "claude-opus-4-1") == price("anthropic", "claude-of-tomorrow") == (15.0, 75.0)
    assert price("openai", "gpt-5.4-pro") == price("openai", "gpt-9") == (30.0, 180.0)
    assert price("openai", "my-own", is_own=False) == price("", "gpt-5.4") == (0.0, 0.0)


def test_dollars_add_up_exactly() -> None:
    one = dollars((0.10, 0.50), 1, 1)
    assert round(one * 1e9) == 600
    assert round(sum([one] * 1000) * 1e9) == 600_000
