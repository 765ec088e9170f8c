"""Meetings and designs as operations: what they answer, and how a reader sees it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Forbidden, Invalid, NotFound
from marrow.model.scope import READ
from marrow.operations.run import perform
from marrow.providers import sight, speech
from tests.media import draw, silence, speak
from tests.providers.llm_service import FakeModel

from .conftest import Do

TALK = """[00:00:05] Ann: Hello everyone.
[00:01:10] Bob: We decided to keep SQLite for the store.
[00:02:30] Ann: I'll write the decision record by Friday.
"""
# Some minutes of a meeting, as it would be spoken.
MINUTES = [
    "Good morning everyone, and welcome to the weekly platform meeting.",
    "The first topic is the outage of last Tuesday. The payment service was down for forty minutes.",
    "The cause was an expired certificate on the load balancer. Nobody had noticed the warning messages.",
    "We decided to renew all certificates automatically from now on.",
    "The second topic is the database. The billing tables are growing by ten gigabytes every week.",
    "We decided to move the billing service to a separate database server.",
    "Alice will write the migration plan by Friday.",
    "The third topic is the office party. The party will be in the garden if the weather is good.",
    "That is all for today. Thank you, and goodbye.",
]


def test_a_meeting_is_told_with_what_is_known_of_it(do: Do, said: Do) -> None:
    done = do("ingest_meeting", transcript=TALK, title="Store sync", date="2026-02-20")
    assert (done.outcome, done.title, done.date, done.attendees, done.lines) == (
        "added",
        "Store sync",
        "2026-02-20",
        ("Ann", "Bob"),
        3,
    )
    assert said("ingest_meeting", transcript=TALK, title="Store sync", date="2026-02-20").startswith("unchanged [")


def test_a_passage_is_told_with_title_day_people_and_moment(do: Do, said: Do) -> None:
    do("ingest_meeting", transcript=TALK, title="Store sync", date="2026-02-20", service="shop")
    (item,) = do("search_meeting_transcripts", query="SQLite store").items
    assert item["moment"] == "00:01:10"
    assert (item["title"], item["date"], item["attendees"]) == ("Store sync", "2026-02-20", ["Ann", "Bob"])
    text = said("search_meeting_transcripts", query="SQLite store", service="shop")
    assert "Store sync, 2026-02-20, with Ann, Bob" in text
    assert "at 00:01:10" in text
    with pytest.raises(NotFound):
        said("search_meeting_transcripts", query="SQLite", service="other")


def test_what_is_to_be_done_is_told_with_owner_day_and_source(do: Do, said: Do) -> None:
    do("ingest_meeting", transcript=TALK, title="Store sync", date="2026-02-20")
    (item,) = do("get_action_items").items
    assert (item["text"], item["owner"], item["due"], item["moment"]) == (
        "write the decision record",
        "Ann",
        "2026-02-27",
        "00:02:30",
    )
    assert item["source"] == "Store sync"
    assert "[ ] write the decision record (Ann, due 2026-02-27)" in said("get_action_items", owner="Ann")
    assert said("get_action_items", owner="Bob").startswith("Nothing is to be done")
    with pytest.raises(Invalid, match="limit"):
        do("get_action_items", limit=0)


def test_more_than_the_limit_is_counted(do: Do) -> None:
    text = "# Retro\n" + "\n".join(f"- [ ] Ann: write page {n}" for n in range(8))
    do("ingest_meeting", transcript=text)
    found = do("get_action_items", limit=3)
    assert (len(found.items), found.left_out) == (3, 5)


def test_without_the_extras_the_answer_names_them_and_recompute_does_it_later(
    do: Do, said: Do, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    silence(tmp_path / "sync.wav", 2)
    draw(tmp_path / "screen.png", [(40, 30, "Billing dashboard")])
    with monkeypatch.context() as without:
        without.setattr(speech, "LIBRARY", "no_such_library")
        without.setattr(sight, "LIBRARY", "no_such_library")
        heard = said("ingest_meeting", path="sync.wav")
        seen = said("ingest_design", path="screen.png")
    assert heard.startswith("queued [")
    assert "pip install 'marrow[speech]'" in heard
    assert "pip install 'marrow[images]'" in seen
    done = do("recompute", errors_only=True)
    assert (done.ran, done.failed) == (2, 0)
    (found,) = do("memory_search", query="Billing dashboard", kinds=["design"]).items
    assert found.content == "Billing dashboard"


def test_who_may_only_read_takes_nothing_in(memory: Memory) -> None:
    principal = replace(memory.call.asker.principal, rights=frozenset((READ,)))
    call = replace(memory.call, asker=replace(memory.call.asker, principal=principal))
    for name, given in (("ingest_meeting", {"transcript": TALK}), ("ingest_design", {"path": "x.png"})):
        with pytest.raises(Forbidden):
            perform(call, name, given)


@pytest.mark.tool
def test_a_spoken_meeting_of_some_minutes_comes_back_by_what_was_said(memory: Memory, do: Do, tmp_path: Path) -> None:
    text = "  ".join(MINUTES)
    file = speak(tmp_path / "2026-02-20-weekly.wav", text + " " + text)
    done = do("ingest_meeting", path=str(file), attendees=["Alice", "Bob"])
    assert done.length >= "00:02:00"
    (first, *_) = do("search_meeting_transcripts", query="why was the payment service down").items
    assert "payment service" in first["passage"]
    (party, *_) = do("search_meeting_transcripts", query="party in the garden").items
    assert "garden" in party["passage"]
    assert party["moment"] > first["moment"] >= "00:00:05"
    assert [item["owner"] for item in do("get_action_items").items] == ["Alice"]


def test_an_image_is_described_only_where_a_model_is_configured_and_may_be_paid_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw(tmp_path / "screen.png", [(40, 30, "Billing dashboard")])
    with FakeModel(answer="A page that lists invoices.", key=None) as service:
        monkeypatch.setenv("MARROW_LLM", f"{service.url}/v1#seeing")
        place = {"store": str(tmp_path / "marrow.db"), "project": "orchard", "embedder": "fake"}
        with open_memory(tmp_path, **place) as without:
            without.perform("ingest_design", {"path": "screen.png"})
        assert service.requests == []
        draw(tmp_path / "other.png", [(40, 30, "Billing overview")])
        monkeypatch.setenv("MARROW_LLM_DAILY_TOKENS", "100000")
        with open_memory(tmp_path, **place) as memory:
            memory.perform("ingest_design", {"path": "other.png"})
            memory.perform("ingest_design", {"path": "other.png"})
            (found,) = memory.search("lists invoices", kinds=["design"]).items
        assert len(service.requests) == 1
    assert found.content == "Billing overview\n\nDescription: A page that lists invoices."


def test_a_drawing_without_text_is_told_without_lines(do: Do, said: Do, tmp_path: Path) -> None:
    file = tmp_path / "mark.svg"
    file.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="3" height="3"/></svg>')
    assert do("ingest_design", path=str(file)).lines == 0
    assert "line" not in said("ingest_design", path=str(file))
