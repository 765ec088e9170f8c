"""The client of services: what only shows below an embedder. Time-outs, slow answers, proxies, addresses."""

from __future__ import annotations

import itertools
import socket
from dataclasses import replace

import pytest

from marrow.model.errors import Unavailable
from marrow.providers.http import Client, Patience, Waiting
from tests.providers.service import KEY, FakeService, hangs

ONCE = Patience(attempt_s=30.0, total_s=30.0, attempts=1)
BODY = {"input": ["deploy"], "model": "plain"}


def client(service: FakeService, waiting: Waiting | None = None) -> Client:
    return Client("The service", service.url, KEY, waiting=waiting or Waiting(sleep=lambda _: None))


def test_a_service_that_says_nothing_is_given_up_and_asked_again(service: FakeService) -> None:
    service.troubles = [hangs]
    answer = client(service).post("/embeddings", BODY, Patience(attempt_s=0.2, total_s=20.0, attempts=2))
    assert answer["model"] == "plain"
    service.troubles = [hangs]
    with pytest.raises(Unavailable) as caught:
        client(service).post("/embeddings", BODY, replace(ONCE, attempt_s=0.2))
    assert "in time" in caught.value.message


def test_an_answer_that_comes_too_slowly_is_given_up(service: FakeService) -> None:
    ticks = itertools.count(step=20.0)  # each look at the clock is 20 s later
    with pytest.raises(Unavailable) as caught:
        client(service, Waiting(clock=lambda: float(next(ticks)))).post("/embeddings", BODY, ONCE)
    assert "in time" in caught.value.message


def test_an_answer_without_end_is_not_read(service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marrow.providers.http.ANSWER_BYTES_MAX", 100)
    with pytest.raises(Unavailable) as caught:
        client(service).post("/embeddings", BODY, ONCE)
    assert "too long" in caught.value.message


def test_a_place_where_nobody_listens_is_unavailable() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        with pytest.raises(Unavailable) as caught:
            Client("The service", address, KEY).post("/embeddings", BODY, ONCE)
    assert caught.value.hint
    assert KEY not in str(caught.value)


def test_a_service_on_this_machine_is_not_asked_through_a_proxy(
    service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert client(service).post("/embeddings", BODY, ONCE)["data"]


def test_what_a_service_says_is_one_short_line(service: FakeService) -> None:
    service.tokens_max = 0
    service.troubles = [lambda handler: handler.fail(503, "down\nfor \x1b[31mrepair " + "x" * 999)]
    with pytest.raises(Unavailable) as caught:
        client(service).post("/embeddings", BODY, ONCE)
    assert caught.value.message.startswith("The service answered 503: down for [31mrepair xxx")
    assert len(caught.value.message) < 250


def test_an_answer_shorter_than_announced_is_not_taken_for_whole(service: FakeService) -> None:
    service.troubles = [lambda handler: handler.send_raw(200, b'{"data": []}', announced=40)]
    with pytest.raises(Unavailable) as caught:
        client(service).post("/embeddings", BODY, ONCE)
    assert "broke" in caught.value.message
