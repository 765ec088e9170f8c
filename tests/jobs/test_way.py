"""The background stands aside while somebody waits for an answer, and is not kept from its work for ever."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from marrow.jobs import way as module
from marrow.jobs.way import Way

LONG, SHORT = 60.0, 0.01


def aside(work: Callable[[], object]) -> threading.Thread:
    made = threading.Thread(target=work, daemon=True)
    made.start()
    return made


def test_the_background_goes_on_when_the_last_who_asked_has_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS_MAX", LONG)
    way = Way()
    with way.answering():
        with way.answering():
            background = aside(way.make)
        background.join(SHORT)
        assert background.is_alive()
    background.join(LONG)
    assert not background.is_alive()


def test_nobody_waits_when_nobody_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS_MAX", LONG)
    way = Way()
    with way.answering():
        pass
    background = aside(way.make)
    background.join(LONG / 2)
    assert not background.is_alive()


def test_one_who_takes_long_is_not_waited_for_again_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS_MAX", SHORT)
    way = Way()
    with way.answering():
        way.make()
        monkeypatch.setattr(module, "WAIT_SECONDS_MAX", LONG)
        monkeypatch.setattr(module, "WORKED_SECONDS", 0.0)  # too late: the while has begun
        background = aside(way.make)
        background.join(LONG / 2)
        assert not background.is_alive()


def test_those_who_ask_without_end_leave_the_background_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT_SECONDS_MAX", LONG)
    monkeypatch.setattr(module, "WORKED_SHARE", 1e6)
    way = Way()
    with way.answering():
        background = aside(way.make)
        background.join(SHORT)
    background.join(LONG)
    with way.answering():
        background = aside(way.make)
        background.join(LONG / 2)
        assert not background.is_alive()
