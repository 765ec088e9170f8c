"""What a session is told of a decision record: what was decided, before how it came to that."""

from __future__ import annotations

import pytest

from marrow.ingest.adr import adr_item
from marrow.memory.context import context
from marrow.memory.engine import Asker, Engine
from marrow.memory.taking_in.take_in import take_in
from marrow.memory.telling.tell import Manner, Talks, tell
from marrow.model.text import token_estimate

from .conftest import Hand

DECIDED = "Slugs are seven characters of base62, drawn at random and checked for a clash."
WHY = "Slugs must be short enough to be read out, and nobody may guess the next one from the last."
RECORD = f"""# 2. Base62 slugs

Date: 2026-01-05

## Status

Accepted

## Context

{WHY} {"Numbers in a row give away how many links there are, and hashes are long. " * 6}

## Decision

{DECIDED}

## Consequences

A clash costs one more query. The alphabet leaves out nothing, so 0 and O are told apart by the font.
"""


@pytest.fixture(autouse=True)
def _known(engine: Engine, asker: Asker) -> None:
    take_in(engine, asker, [adr_item("docs/adr/0002-base62-slugs.md", RECORD, now=engine.clock())], operation="test")


def hook(engine: Engine, asker: Asker, event: str, **body: object) -> str:
    said = {"host": "claude-code", "event": event, "session": "s1", "cwd": "/r", **body}
    return tell(engine, asker, Manner(root="/r"), Talks(), said)


def test_a_new_session_is_told_title_status_and_decision_first(engine: Engine, asker: Asker) -> None:
    told = hook(engine, asker, "session-start", source="startup")
    assert f"Base62 slugs (accepted): {DECIDED}" in told
    assert "## " not in told


@pytest.mark.parametrize(
    ("event", "body"),
    [("session-start", {"source": "startup"}), ("prompt", {"prompt": "How are slugs of base62 drawn?"})],
)
def test_what_stands_in_a_file_is_told_with_its_place(
    engine: Engine, asker: Asker, event: str, body: dict[str, str]
) -> None:
    told = hook(engine, asker, event, **body)
    assert "(decision in docs/adr/0002-base62-slugs.md, " in told


def test_a_decision_that_was_saved_is_not_told_as_if_it_stood_in_a_file(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say("Links are never used again (decision in docs/adr/0003.md, just now).", kind="decision")
    (told,) = [one for one in hook(engine, asker, "session-start").split("\n") if "never used again" in one]
    assert told.partition("] ")[2].startswith("(decision, ")


def test_the_context_tells_the_decision_with_a_subject_and_without(engine: Engine, asker: Asker) -> None:
    for focus in ("", "slugs of base62"):
        (note,) = [n for layer in context(engine, asker, focus=focus).layers for n in layer.notes if "slugs" in n.text]
        assert f"Base62 slugs (accepted): {DECIDED}" in note.text


def test_a_prompt_is_told_the_decision_and_then_what_answers(engine: Engine, asker: Asker) -> None:
    told = hook(engine, asker, "prompt", prompt="How many queries does a clash of base62 slugs cost?")
    assert f"Base62 slugs (accepted): {DECIDED}" in told
    assert told.count(DECIDED) == 1
    assert told.index(DECIDED) < told.index("A clash costs one more query")


def test_a_line_keeps_to_its_length(engine: Engine, asker: Asker) -> None:
    (note,) = [note for layer in context(engine, asker).layers for note in layer.notes]
    assert token_estimate(note.text) <= 60 + 25  # the words before it: address, kind, age


def test_a_decision_that_was_only_saved_is_told_as_it_is(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Decided: PostgreSQL for everything shared.", kind="decision", domain="decisions")
    assert "Decided: PostgreSQL for everything shared." in hook(engine, asker, "session-start", source="startup")


def test_words_of_the_decision_stay_where_another_sentence_has_them(engine: Engine, asker: Asker) -> None:
    context_said = "We could use Redis or Memcached, and some say use Redis only for sessions."
    record = RECORD.replace("2. Base62 slugs", "3. Where pages are cached").replace(DECIDED, "use Redis")
    record = record.replace(WHY, context_said)
    take_in(engine, asker, [adr_item("docs/adr/0003-cache.md", record, now=engine.clock())], operation="test")
    told = hook(engine, asker, "session-start", source="startup")
    assert f"Where pages are cached (accepted): use Redis / {context_said}" in told
