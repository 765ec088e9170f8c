"""A caller changes only what stands in places that it may write, however it comes to name it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from marrow.model.change import Merge, Reinforce, Relate, Restate, RestoreTo, Say, Step, Supersede
from marrow.model.errors import Forbidden
from marrow.model.link import Link
from marrow.model.node import Occurrence

from . import fixtures_store
from .fixtures_store import World, knowledge

world = fixtures_store.world

STEPS: dict[str, Callable[[str, str], Step]] = {
    "restate": lambda everyones, mine: Restate(everyones, (("priority", 1.0),)),
    "forget": lambda everyones, mine: Restate(everyones, (("state", "retracted"),)),
    "reinforce": lambda everyones, mine: Reinforce(everyones),
    "supersede": lambda everyones, mine: Supersede(everyones, "Something else.", Occurrence(1)),
    "supersede by a link": lambda everyones, mine: Relate(mine, everyones, "supersedes"),
    "link in another project": lambda everyones, mine: Merge((), (Link(mine, everyones, "enables", "meadow", 1),)),
    "restore": lambda everyones, mine: RestoreTo(0),
}


@pytest.mark.parametrize("what", STEPS)
def test_caller_of_one_project_cannot_change_what_is_everyones(world: World, what: str) -> None:
    everyones, mine = world.say("Everyone's.", project=""), world.say("Mine.")
    before = knowledge(world)
    limited = replace(world, asker=world.as_(projects=frozenset({"orchard"})))
    with pytest.raises(Forbidden):
        limited.do(STEPS[what](everyones, mine))
    assert knowledge(world) == before
    limited.do(Say("claim", "Also mine.", Occurrence(1)), Reinforce(mine))


@pytest.mark.parametrize("what", [name for name in STEPS if name != "link in another project"])
def test_caller_of_everything_can(world: World, what: str) -> None:
    everyones, mine = world.say("Everyone's.", project=""), world.say("Mine.")
    world.do(STEPS[what](everyones, mine))
    assert world.seq() == 3
