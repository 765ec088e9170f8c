"""Forgetting what was saved last."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.forget import forget_last
from marrow.memory.gap import gap
from marrow.memory.remember import remember
from marrow.model.draft import Draft
from marrow.model.errors import Forbidden, NotFound

from .conftest import Clock, Hand, asker_of


def save(engine: Engine, asker: Asker, *contents: str, **about: object) -> list[str]:
    drafts = [Draft(content, user=asker.scope.user, **about) for content in contents]  # type: ignore[arg-type]
    return [saved.address for saved in remember(engine, asker, drafts).saved]


def test_the_latest_goes_first_and_then_the_one_before(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    one, two = save(engine, asker, "One."), save(engine, asker, "Two.", at="2020-01-01")
    assert forget_last(engine, asker, "a guess")[0].node.address == two[0]
    assert (hand.state(one[0]), hand.state(two[0])) == ("active", "retracted")
    assert hand.record(two[0]).standing.reason == "a guess"
    assert forget_last(engine, asker)[0].node.address == one[0]
    with pytest.raises(NotFound):
        forget_last(engine, asker)


def test_of_a_batch_the_last_one_goes(engine: Engine, asker: Asker, hand: Hand) -> None:
    one, two, three = save(engine, asker, "One.", "Two.", "Three.")
    assert forget_last(engine, asker)[0].node.address == three
    assert forget_last(engine, asker)[0].node.address == two
    assert hand.state(one) == "active"


def test_what_a_save_only_links_to_stays(engine: Engine, asker: Asker, hand: Hand) -> None:
    (target,) = save(engine, asker, "The cause.")
    (effect,) = save(engine, asker, "The effect.", links=(("caused_by", target),))
    assert forget_last(engine, asker)[0].node.address == effect
    assert hand.state(target) == "active"


def test_a_question_counts_as_saved_and_what_hooks_saw_does_not(engine: Engine, asker: Asker, hand: Hand) -> None:
    asked = gap(engine, asker, "The colour of pears").address
    seen = Draft("Edited app.py", kind="observation", user=asker.scope.user)
    remember(engine, asker, [seen], operation="session_capture")
    assert forget_last(engine, asker)[0].node.address == asked


def test_what_others_saved_or_what_is_elsewhere_stays(engine: Engine, asker: Asker) -> None:
    save(engine, replace(asker, scope=replace(asker.scope, user="joe")), "Joe's.")
    save(engine, asker_of("pears"), "In another project.")
    with pytest.raises(NotFound):
        forget_last(engine, asker)
    save(engine, asker, "Mine.")
    with pytest.raises(Forbidden):
        forget_last(engine, asker_of("orchard", rights=("read",)))


def test_what_was_said_last_in_a_session_can_be_taken_back(engine: Engine, asker: Asker, hand: Hand) -> None:
    (saved,) = save(engine, asker, "One.")
    drafts = [
        Draft("Staging needs the VPN.", tags=("session", "note"), user=asker.scope.user),
        Draft("The agent found a cause.", tags=("session", "fix")),
        Draft("Edited app.py", kind="observation", user=asker.scope.user),
    ]
    said = remember(engine, asker, drafts, operation="session_capture").saved[0].address
    assert forget_last(engine, asker)[0].node.address == said
    assert hand.state(saved) == "active"
