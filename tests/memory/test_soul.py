"""Soul: the project as one document within a budget."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.memory import soul as module
from marrow.memory.engine import Asker, Engine
from marrow.memory.soul import markdown, soul
from marrow.model.change import Say
from marrow.model.errors import Forbidden, Invalid
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.node import Occurrence, metadata_text
from marrow.model.standing import DOMAINS
from marrow.model.text import token_estimate

from .conftest import PROJECT, Clock, Hand, asker_of


def test_sections_come_in_their_order_and_the_rest_after_them(engine: Engine, asker: Asker, hand: Hand) -> None:
    for domain in ("context", "tasks", "issues", "history", "decisions", "architecture", "dependencies", "patterns"):
        hand.say(f"about {domain}", domain=domain)
    found = soul(engine, asker)
    assert [section.domain for section in found.sections] == [
        "architecture",
        "decisions",
        "patterns",
        "dependencies",
        "issues",
        "tasks",
        "history",
        "context",
    ]
    assert found.left_out == 0


def test_in_a_section_the_pinned_come_first_then_the_important_then_the_recent(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say("older", domain="decisions")
    hand.say("unsure", domain="decisions", confidence=0.2)
    hand.say("newer", domain="decisions")
    hand.say("important", domain="decisions", priority=0.9)
    hand.say("pinned", domain="decisions", pinned=True, priority=0.1)
    lines = soul(engine, asker).sections[0].lines
    assert [line.text for line in lines] == ["pinned", "important", "newer", "older", "unsure"]


def test_a_line_shows_address_age_and_what_to_know_before_trusting_it(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    address = hand.say(
        "# The API - v2. Really - talks to\tPostgreSQL\nand more", confidence=0.3, drift="changed", pinned=True
    )
    clock.forward(days=3)
    text = markdown(soul(engine, asker))
    assert f"# What is known about {PROJECT}\n" in text
    assert "## Context\n" in text
    marks = "pinned, 3 days ago, low confidence, drifted: changed"
    assert f"- The API - v2. Really - talks to PostgreSQL [{address[:12]}] ({marks})\n" in text
    assert "and more" not in text


def test_what_no_longer_holds_and_what_belongs_elsewhere_is_not_in_it(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    hand.supersede(hand.say("old"), "new")
    hand.restate(hand.say("retracted"), state="retracted")
    hand.say("brief", expires_at=clock.now + MICROS_PER_DAY)
    hand.say("foreign", project="other")
    hand.say("shared", project="")
    hand.say("a recipe", kind="pipeline")
    clock.forward(days=2)
    found = soul(engine, asker)
    assert [line.text for section in found.sections for line in section.lines] == ["new"]
    assert found.left_out == 0


def test_a_small_budget_keeps_the_pinned_and_something_of_every_section_and_says_what_is_missing(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    for domain in ("architecture", "decisions", "issues"):
        for number in range(20):
            hand.say(f"{domain} fact number {number} about the orchard", domain=domain)
    hand.say("never forget", domain="feedback", pinned=True)
    found = soul(engine, asker, budget_tokens=400)
    text = markdown(found)
    shown = sum(len(section.lines) for section in found.sections)
    assert token_estimate(text) <= 400
    assert found.left_out == 61 - shown > 0
    assert {section.domain for section in found.sections if section.lines} == {
        "architecture",
        "decisions",
        "issues",
        "feedback",
    }
    assert f"{found.left_out} more were left out" in text
    first = found.sections[0]
    assert f"## Architecture ({len(first.lines)} of 20)" in text


def test_a_domain_counts_what_was_too_old_to_be_weighed(
    engine: Engine, asker: Asker, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "REST_CONSIDERED", 10)
    hand.say("The gate is green.", domain="feedback")
    for number in range(30):
        hand.say(f"commit number {number}", kind="commit", domain="history")
    found = soul(engine, asker, budget_tokens=2_000)
    assert {section.domain: (len(section.lines), section.left_out) for section in found.sections} == {
        "history": (10, 20),
        "feedback": (0, 1),
    }
    assert "## History (10 of 30)" in markdown(found)
    assert "Not shown at all: feedback 1." in markdown(found)
    assert found.left_out == 21


def test_the_code_itself_is_not_in_it_and_a_document_goes_by_its_path(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("/*!", kind="code")
    said = Occurrence(hand.clock.now, metadata=metadata_text({"path": "CHANGES.md", "title": "Changes"}))
    hand.do(Say("document", "TBD\n===\n", said))
    text = markdown(soul(engine, asker))
    assert "1 node." in text
    assert "- CHANGES.md: Changes [" in text
    assert "/*!" not in text


@pytest.mark.parametrize("budget", range(200, 300, 5))
def test_long_names_of_domains_do_not_break_the_budget(engine: Engine, asker: Asker, hand: Hand, budget: int) -> None:
    for number in range(6):
        for text in ("one", "other"):
            hand.say(f"{text} of {number}", domain=f"d{number}")
        hand.say(f"rare {number}", domain=f"{number}-" + "-".join("abcdefghijklmnopqrstuvwxyz"))
    assert token_estimate(markdown(soul(engine, asker, budget_tokens=budget))) <= budget


def test_an_empty_project_says_so(engine: Engine, asker: Asker) -> None:
    found = soul(engine, asker)
    assert found.sections == ()
    assert "Nothing is known yet." in markdown(found)


def test_a_domain_that_is_no_longer_listed_still_appears(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("prune in winter", domain="gardening")
    assert [section.domain for section in soul(engine, asker).sections] == ["gardening"]


def test_the_document_as_of_an_earlier_moment_is_the_one_of_then(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    first = hand.say("Port 5432", expires_at=clock.now + MICROS_PER_DAY)
    then = hand.head()
    clock.forward(seconds=60)
    hand.supersede(first, "Port 5433")
    clock.forward(days=400)
    found = soul(engine, asker, as_of=then)
    assert [(line.text, line.age) for section in found.sections for line in section.lines] == [
        ("Port 5432", "just now")
    ]


@pytest.mark.parametrize("budget", [0, 199, 20_001, True, 2000.0])
def test_a_budget_out_of_bounds_is_refused(engine: Engine, asker: Asker, budget: int) -> None:
    with pytest.raises(Invalid) as caught:
        soul(engine, asker, budget_tokens=budget)
    assert caught.value.field == "budget_tokens"


def test_who_may_not_read_here_gets_no_document(engine: Engine, hand: Hand) -> None:
    hand.say("one")
    with pytest.raises(Forbidden):
        soul(engine, asker_of(PROJECT, projects=["other"]))


COUNTER = itertools.count()
PARTS = st.tuples(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), max_size=300),
    st.sampled_from(DOMAINS),
    st.floats(0, 1),
    st.booleans(),
)


@given(parts=st.lists(PARTS, max_size=25), budget=st.integers(200, 1_000))
def test_the_document_is_within_its_budget_and_accounts_for_every_node(
    engine: Engine, clock: Clock, parts: list[tuple[str, str, float, bool]], budget: int
) -> None:
    asker = asker_of(f"project {next(COUNTER)}")
    hand = Hand(engine, asker, clock)
    for number, (text, domain, priority, pinned) in enumerate(parts):
        hand.say(f"{number} {text}", domain=domain, priority=priority, pinned=pinned)
    found = soul(engine, asker, budget_tokens=budget)
    text = markdown(found)
    assert token_estimate(text) <= budget
    lines = [line for section in found.sections for line in section.lines]
    assert len(lines) + found.left_out == len(parts)
    assert text.count("\n- ") == len(lines), "one line each"
