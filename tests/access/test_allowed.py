"""What a view allows is found by the store's selection, and kept up to date by events: both must agree with what the
view means for each record."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from marrow.access.allowed import Allowed, allowed_now
from marrow.access.view import View, make_view
from marrow.memory.engine import Asker, Engine
from marrow.memory.erase import erase
from marrow.memory.views import view_define
from marrow.model.change import Restate, Say
from marrow.model.errors import NotFound
from marrow.model.node import Occurrence, metadata_text
from marrow.model.record import CURRENT, Filter
from marrow.model.standing import CLASSIFICATIONS, Standing

from .conftest import Hand

VIEWS: Sequence[dict[str, Any]] = (
    {"approved": True},
    {"classification": ["public", "internal"], "kinds": ["claim", "task"]},
    {"not": {"classification": ["secret"], "tags": ["Draft"], "kinds": ["log"], "approved": False}},
    {"service": ["a", "b"], "classification": ["public", "secret"]},
    {"not": {"service": ["a"]}},
    {"not": {"service": "a", "metadata": {"team": "hr", "n": 1}}, "tags": ["x", "draft"]},
    {"metadata": {"team": "core"}, "service": "b", "not": {"metadata": {"n": 1}}},
    {"domain": ["decisions"], "not": {"domain": "tasks"}},
)


def permitted(engine: Engine, asker: Asker, view: View) -> set[int]:
    """By reading every record: what the view means."""
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(include_superseded=True), CURRENT, 0)
        said = reader.occurrences(entries, CURRENT)
        return {r.entry for r in reader.records_of(entries, CURRENT) if view.permits(r, said.get(r.entry, ()))}


def random_step(chance: Random, now: int, known: list[str]) -> Say | Restate:
    if known and chance.random() < 0.35:
        changes: dict[str, Any] = {"classification": chance.choice(CLASSIFICATIONS)}
        if chance.random() < 0.5:
            changes["approved"] = chance.choice((True, False))
        if chance.random() < 0.3:
            changes["state"] = chance.choice(("active", "retracted"))
        else:
            changes["state"] = "active"
        return Restate(chance.choice(known), tuple(changes.items()))
    metadata = metadata_text(chance.choice(({}, {"team": "core"}, {"team": "hr"}, {"team": "core", "n": 1}, {"n": 1})))
    standing = Standing(
        domain=chance.choice(("context", "decisions", "tasks")),
        classification=chance.choice(CLASSIFICATIONS),
        approved=chance.choice((None, True, False)),
        tags=chance.choice(((), ("x",), ("draft", "x"), ("DRAFT",))),
    )
    said = Occurrence(now, service=chance.choice(("", "a", "b")), metadata=metadata)
    kind = chance.choice(("claim", "task", "log"))
    return Say(kind, f"text {chance.randrange(12)}", said, standing, frozenset(("tags",)))


@pytest.mark.parametrize("seed", range(4))
def test_selection_events_and_meaning_agree_on_random_histories(
    engine: Engine, asker: Asker, hand: Hand, seed: int
) -> None:
    chance = Random(seed)
    views = {f"v{number}": make_view(f"v{number}", given) for number, given in enumerate(VIEWS)}
    for name, view in views.items():
        view_define(engine, asker, name, view.shape())
    kept: dict[str, Allowed | None] = dict.fromkeys(views)
    known: list[str] = []
    for round_ in range(12):
        for _ in range(chance.randrange(1, 5)):
            (address,) = hand.do(random_step(chance, hand.clock.now, known))
            known.append(address)
            hand.clock.forward(seconds=1)
        if round_ == 7:
            erase(engine, asker, address=known[0], dry_run=False, confirm=True)
            known = [address for address in known if address != known[0]]
        for name, view in views.items():
            expected = permitted(engine, asker, view)
            with engine.store.reading() as reader:
                kept[name] = now = allowed_now(reader, asker.namespace, name, kept[name])
                fresh = allowed_now(reader, asker.namespace, name, None)
            assert set(now.entries) == expected, (name, round_)
            assert set(fresh.entries) == expected, (name, round_)
            assert now.ids.tolist() == sorted(expected)


def test_nothing_is_computed_again_while_nothing_changes_and_only_the_new_is_looked_at_after(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    view_define(engine, asker, "team", {"classification": "public"})
    hand.say("seen", classification="public")
    with engine.store.reading() as reader:
        first = allowed_now(reader, asker.namespace, "team", None)
        assert allowed_now(reader, asker.namespace, "team", first) is first
    hand.say("seen too", classification="public")
    with engine.store.reading() as reader:
        second = allowed_now(reader, asker.namespace, "team", first)
    assert second.view is first.view  # it was not looked up anew
    assert len(second.entries) == 2


def test_a_view_that_is_defined_anew_holds_at_once(engine: Engine, asker: Asker, hand: Hand) -> None:
    view_define(engine, asker, "team", {"classification": "public"})
    hand.say("public", classification="public")
    hand.say("internal")
    with engine.store.reading() as reader:
        first = allowed_now(reader, asker.namespace, "team", None)
    view_define(engine, asker, "team", {"classification": ["public", "internal"]})
    with engine.store.reading() as reader:
        assert len(allowed_now(reader, asker.namespace, "team", first).entries) == 2 > len(first.entries)


def test_a_view_that_was_forgotten_allows_nothing(engine: Engine, asker: Asker, hand: Hand) -> None:
    made = view_define(engine, asker, "team", {"classification": "public"})
    with engine.store.reading() as reader:
        first = allowed_now(reader, asker.namespace, "team", None)
    hand.do(Restate(made.address, (("state", "retracted"),)), project="")
    with engine.store.reading() as reader, pytest.raises(NotFound) as caught:
        allowed_now(reader, asker.namespace, "team", first)
    assert caught.value.field == "view"
