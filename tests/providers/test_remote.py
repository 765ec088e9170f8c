"""Embedders over the network, against a service on this machine that behaves as the real ones do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from marrow.model.errors import (
    Forbidden,
    Invalid,
    MarrowError,
    QuotaExceeded,
    RateLimited,
    Unauthorized,
    Unavailable,
)
from marrow.providers.embedder import embedder
from marrow.providers.http import Waiting
from marrow.providers.remote import COMPATIBLE, OPENAI, VOYAGE, RemoteEmbedder, Service, Usage
from tests.providers.service import (
    KEY,
    FakeService,
    body,
    changed,
    hangs_up,
    status,
    tokens_of,
    truncated,
)


@dataclass
class Clock:
    """Time that passes only when somebody waits."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds

    def waiting(self) -> Waiting:
        return Waiting(clock=lambda: self.now, sleep=self.sleep, chance=lambda: 0.0, wall=lambda: 1_700_000_000.0)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def voyage() -> Iterator[FakeService]:
    with FakeService(style="voyage", length=1024, texts_max=1000, tokens_max=320_000) as running:
        yield running


def made(service: FakeService, clock: Clock, kind: Service = COMPATIBLE, **about: Any) -> RemoteEmbedder:
    model = about.pop("model", None if kind.default else "plain")
    return RemoteEmbedder(kind, model, **{"key": KEY, "address": service.url, "waiting": clock.waiting()} | about)


# --- What is asked --------------------------------------------------------------------------------------------------


def test_voyage_is_told_what_a_text_is_and_how_long_its_vector_shall_be(voyage: FakeService, clock: Clock) -> None:
    built = made(voyage, clock, VOYAGE, dimensions=256)
    built.documents(["the deploy failed"])
    assert built.query("why did it fail?", "code").shape == (256,)
    common = {"model": "voyage-4", "output_dimension": 256}
    assert voyage.requests == [
        {"input": ["the deploy failed"], "input_type": "document", **common},
        {"input": ["why did it fail?"], "input_type": "query", **common},
    ]
    assert voyage.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert built.model == "voyage/voyage-4@256/1"


def test_openai_is_asked_for_shorter_vectors_by_its_own_parameter(clock: Clock) -> None:
    with FakeService(length=3072) as service:
        built = made(service, clock, OPENAI, model="text-embedding-3-large", dimensions=512)
        assert built.query("deploy").shape == (512,)
        assert service.requests == [{"input": ["deploy"], "model": "text-embedding-3-large", "dimensions": 512}]
        assert made(service, clock, OPENAI, model="text-embedding-3-large").query("deploy").shape == (3072,)
        assert "dimensions" not in service.requests[-1]


def test_any_other_address_is_asked_for_nothing_special_and_cut_here(service: FakeService, clock: Clock) -> None:
    whole, short = made(service, clock), made(service, clock, dimensions=16)
    expected = whole.query("the deploy failed")[:16]
    assert short.query("the deploy failed") == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert service.requests[-1] == {"input": ["the deploy failed"], "model": "plain"}
    assert (whole.model, short.model) == (f"{service.host}/plain/1", f"{service.host}/plain@16/1")


def test_a_model_with_prompts_is_given_them_and_the_one_for_texts_is_in_its_name(
    service: FakeService, clock: Clock
) -> None:
    built = made(service, clock, model="nomic-embed-text")
    built.documents(["deploy"])
    built.query("deploy")
    assert [request["input"] for request in service.requests] == [["search_document: deploy"], ["search_query: deploy"]]
    assert made(service, clock, model="nomic-embed-text", instructions="none").model == built.model
    assert built.model != f"{service.host}/nomic-embed-text/1"


def test_the_instructions_of_the_settings_stand_before_a_question(voyage: FakeService, clock: Clock) -> None:
    made(voyage, clock, VOYAGE, instructions="Find the note:").query("deploy")
    assert voyage.requests[0]["input"] == ["Find the note: deploy"]


def test_the_length_of_an_unknown_model_is_asked_once(service: FakeService, clock: Clock) -> None:
    built = made(service, clock)
    assert service.requests == []
    assert built.dimensions == built.dimensions == 64
    assert len(service.requests) == 1
    assert made(service, clock, dimensions=32).dimensions == 32
    assert made(service, clock, OPENAI).dimensions == 1536
    assert len(service.requests) == 1


def test_blank_texts_are_not_sent(service: FakeService, clock: Clock) -> None:
    built = made(service, clock, dimensions=64)
    rows = built.documents(["", "deploy", " \n", "\ud800"])
    assert rows.any(axis=1).tolist() == [False, True, False, False]
    assert not built.query("").any()
    assert [request["input"] for request in service.requests] == [["deploy"]]


# --- Batches --------------------------------------------------------------------------------------------------------


def test_a_request_holds_no_more_texts_than_the_service_takes(voyage: FakeService, clock: Clock) -> None:
    texts = [f"note {number}" for number in range(2100)]
    built = made(voyage, clock, VOYAGE, dimensions=256)
    rows = built.documents(texts)
    assert [len(request["input"]) for request in voyage.requests] == [1000, 1000, 100]
    assert np.abs(rows[1500] - built.documents([texts[1500]])[0]).max() < 1e-6


def test_a_request_holds_no_more_tokens_than_the_service_takes(voyage: FakeService, clock: Clock) -> None:
    voyage.tokens_max = 120_000
    texts = ["word " * 6000 for _ in range(30)]  # 7,500 tokens each, as this service counts
    made(voyage, clock, VOYAGE, model="voyage-code-3").documents(texts)
    assert sum(len(request["input"]) for request in voyage.requests) == 30
    assert max(sum(map(tokens_of, request["input"])) for request in voyage.requests) <= 120_000


def test_a_request_that_is_refused_all_the_same_is_cut_in_two(service: FakeService, clock: Clock) -> None:
    service.texts_max = 3
    texts = [f"note {number}" for number in range(10)]
    built = made(service, clock)
    rows = built.documents(texts)
    alone = np.concatenate([built.documents([text]) for text in texts])
    assert np.abs(rows - alone).max() < 1e-6


def test_one_text_that_is_too_long_is_shortened_and_stops_no_other(service: FakeService, clock: Clock) -> None:
    service.text_tokens_max = 1000
    long = "deploy failed " * 2000
    rows = made(service, clock).documents(["first", long, "last"])
    assert rows.any(axis=1).all()
    served = [request["input"] for request in service.requests if len(request["input"]) == 1]
    assert long.startswith(served[-1][0]) or served[-1] == ["last"]
    assert np.abs(rows[1] - made(service, clock).documents([long])[0]).max() < 1e-6


def test_a_very_long_text_is_cut_before_it_is_sent_at_the_end_of_a_character(clock: Clock) -> None:
    with FakeService(length=1536) as service:
        made(service, clock, OPENAI).query("ü" * 100_000)
        (sent,) = service.requests[0]["input"]
        assert set(sent) == {"ü"}
        assert len(sent.encode()) <= 8192 * 2.5


def test_a_short_text_that_is_refused_is_an_error_and_not_tried_for_ever(service: FakeService, clock: Clock) -> None:
    service.troubles = [status(400, "dimensions is not supported")] * 9
    with pytest.raises(Invalid) as caught:
        made(service, clock).query("deploy")
    assert "dimensions is not supported" in caught.value.message
    assert len(service.requests) == 1


# --- Bad days -------------------------------------------------------------------------------------------------------


def test_too_many_calls_are_waited_out_as_the_service_asks(service: FakeService, clock: Clock) -> None:
    service.troubles = [status(429, Retry_After="7"), status(429, retry_after_ms="1500"), status(429)]
    assert made(service, clock).documents(["deploy"]).any()
    assert clock.waits == pytest.approx([7 + 0.0625, 1.5 + 0.125, 1.0])


def test_a_date_to_come_back_at_is_understood(service: FakeService, clock: Clock) -> None:
    service.troubles = [status(429, Retry_After="Tue, 14 Nov 2023 22:13:30 GMT")]  # 10 s after this clock's now
    assert made(service, clock).documents(["deploy"]).any()
    assert clock.waits == pytest.approx([10.0625])


def test_waits_grow_and_are_spread_by_chance(service: FakeService, clock: Clock) -> None:
    service.troubles = [status(code) for code in (500, 502, 503, 504, 529)]
    late = replace(clock.waiting(), chance=lambda: 1.0)
    assert made(service, clock, waiting=late).documents(["deploy"]).any()
    assert clock.waits == pytest.approx([0.5, 1.0, 2.0, 4.0, 8.0])


@pytest.mark.parametrize("trouble", [truncated, hangs_up, body(b"<html>"), body(b"[1]"), body(b"")])
def test_what_breaks_off_or_is_no_answer_is_asked_again(
    service: FakeService, clock: Clock, trouble: Callable[[Any], None]
) -> None:
    service.troubles = [trouble]
    assert made(service, clock).documents(["deploy"]).any()
    assert len(clock.waits) == 1


def test_a_service_that_stays_down_is_unavailable(service: FakeService, clock: Clock) -> None:
    service.troubles = [status(500)] * 99
    with pytest.raises(Unavailable) as caught:
        made(service, clock).documents(["deploy"])
    assert caught.value.hint
    assert len(service.requests) == 6


def test_a_question_is_given_up_sooner_than_a_reindex(service: FakeService, clock: Clock) -> None:
    service.troubles = [status(429, Retry_After="60")] * 99
    with pytest.raises(RateLimited) as caught:
        made(service, clock).query("deploy")
    assert clock.waits == []
    assert "60 s" in caught.value.hint
    assert caught.value.retryable


ANSWERS: dict[str, Callable[[dict[str, Any]], object]] = {
    "no data": lambda answer: answer.pop("data"),
    "one too few": lambda answer: answer["data"].pop(),
    "one too many": lambda answer: answer["data"].append({**answer["data"][0], "index": 2}),
    "the same twice": lambda answer: answer["data"][0].update(index=0),
    "no index": lambda answer: answer["data"][0].pop("index"),
    "other lengths": lambda answer: answer["data"][0]["embedding"].pop(),
    "another length": lambda answer: [entry["embedding"].pop() for entry in answer["data"]],
    "texts": lambda answer: answer["data"][0].update(embedding=["x"] * 64),
    "no vector": lambda answer: answer["data"][0].update(embedding=None),
    "infinite": lambda answer: answer["data"][0].update(embedding=[float("inf")] * 64),
    "zero": lambda answer: answer["data"][0].update(embedding=[0.0] * 64),
    "data is a number": lambda answer: answer.update(data=7),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_an_answer_that_is_not_as_documented_is_unavailable(service: FakeService, clock: Clock, what: str) -> None:
    service.troubles = [changed(ANSWERS[what])]
    with pytest.raises(Unavailable):
        made(service, clock, dimensions=64).documents(["deploy", "failed"])


# --- Keys -----------------------------------------------------------------------------------------------------------


def said(error: BaseException) -> str:
    """Everything that an error could show: itself and what it came from."""
    parts = []
    at: BaseException | None = error
    while at is not None:
        parts += [str(at), repr(at), str(vars(at))]
        at = at.__cause__ or (None if at.__suppress_context__ else at.__context__)
    return "\n".join(parts)


@pytest.mark.parametrize(
    ("trouble", "kind"),
    [
        (status(401, f"Incorrect API key provided: {KEY}"), Unauthorized),
        (status(403, f"not from here with {KEY}"), Forbidden),
        (status(402, f"{KEY}"), QuotaExceeded),
        (status(429, f"{KEY} is out of credit", "insufficient_quota"), QuotaExceeded),
        (status(404, f"no model for {KEY}"), Invalid),
        (status(400, f"bad {KEY}"), Invalid),
        (status(413, f"{KEY} is too large"), Invalid),
        (status(501, f"{KEY}"), Unavailable),
        (status(302, f"{KEY}", Location="http://127.0.0.1:1/elsewhere"), Unavailable),
    ],
)
def test_failures_are_errors_of_ours_and_the_key_is_in_none(
    service: FakeService, clock: Clock, trouble: Callable[[Any], None], kind: type[MarrowError]
) -> None:
    service.troubles = [trouble]
    built = made(service, clock)
    with pytest.raises(kind) as caught:
        built.query("deploy")
    assert KEY not in said(caught.value)
    assert KEY not in repr(built) + repr(built._client)
    assert caught.value.hint
    assert len(service.requests) == 1


def test_a_wrong_key_is_unauthorized_and_says_where_the_key_comes_from(voyage: FakeService, clock: Clock) -> None:
    with pytest.raises(Unauthorized) as caught:
        made(voyage, clock, VOYAGE, key="pa-wrong").documents(["deploy"])
    assert "VOYAGE_API_KEY" in caught.value.hint
    assert "pa-wrong" not in said(caught.value)


def test_without_a_key_a_service_is_not_even_asked(voyage: FakeService, clock: Clock) -> None:
    built = made(voyage, clock, VOYAGE, key=None)
    assert built.dimensions == 1024
    with pytest.raises(Unauthorized):
        built.query("deploy")
    assert voyage.requests == []


def test_the_key_of_a_service_is_never_sent_to_an_address_from_a_name(
    service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    service.key = None
    assert embedder(f"{service.url}#plain").query("deploy").any()
    assert "Authorization" not in service.headers[0]
    assert embedder(f"{service.url}#plain", key="own").query("deploy").any()
    assert service.headers[1]["Authorization"] == "Bearer own"


# --- Through the factory --------------------------------------------------------------------------------------------


def test_services_are_chosen_by_name_with_the_variables_of_their_own(
    voyage: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VOYAGE_API_KEY", KEY)
    monkeypatch.setenv("VOYAGE_BASE_URL", f"{voyage.url}/")
    assert embedder("voyage:voyage-code-3").query("deploy").shape == (1024,)
    assert embedder("voyage", model="voyage-4-lite", dimensions=512).query("deploy").shape == (512,)
    assert [request["model"] for request in voyage.requests] == ["voyage-code-3", "voyage-4-lite"]


@pytest.mark.parametrize(
    ("key", "address"), [("pa-1", "https://api.voyageai.com/v1"), ("al-1", "https://ai.mongodb.com/v1")]
)
def test_a_key_from_atlas_goes_to_its_own_address(key: str, address: str) -> None:
    assert RemoteEmbedder(VOYAGE, key=key)._client.address == address


@pytest.mark.parametrize(
    ("name", "about"),
    [
        ("http://localhost:1/v1", {}),
        ("http://ada:secret@localhost:1/v1#m", {}),
        ("http:///v1#m", {}),
        ("http://localhost:1/v1?a=b#m", {}),
        ("voyage", {"dimensions": 300}),
        ("voyage:voyage-law-2", {"dimensions": 256}),
        ("openai", {"dimensions": 2000}),
        ("openai:text-embedding-ada-002", {"dimensions": 256}),
    ],
)
def test_what_cannot_work_is_refused_when_it_is_named(name: str, about: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as caught:
        embedder(name, **about)
    assert caught.value.hint
    assert "secret" not in str(caught.value)


def test_vectors_shorter_than_was_asked_for_are_unavailable(service: FakeService, clock: Clock) -> None:
    with pytest.raises(Unavailable):
        made(service, clock, dimensions=65).query("deploy")


# --- What it costs --------------------------------------------------------------------------------------------------


def test_requests_texts_tokens_and_dollars_are_counted(voyage: FakeService, clock: Clock) -> None:
    built = made(voyage, clock, VOYAGE, dimensions=256)
    assert built.usage == Usage(0, 0, 0, 0.0)
    voyage.troubles = [status(500)]
    built.documents(["word " * 400, "word " * 400])
    built.query("word " * 400)
    tokens = 3 * tokens_of("word " * 400)
    assert built.usage == Usage(2, 3, tokens, pytest.approx(tokens * 0.06 / 1_000_000))


def test_a_price_that_is_not_known_is_not_made_up(service: FakeService, clock: Clock) -> None:
    built = made(service, clock)
    built.query("deploy")
    assert built.usage == Usage(1, 1, tokens_of("deploy"), None)
    service.says_usage = False
    built.query("deploy")
    assert built.usage == Usage(2, 2, tokens_of("deploy"), None)
