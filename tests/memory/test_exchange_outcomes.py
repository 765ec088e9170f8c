"""What two people who exchange memories find afterwards: nothing that either of them meant to keep has gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.memory.compress import compress
from marrow.memory.erase import erase
from marrow.memory.forget import forget

from . import fixtures_store
from .fixtures_store import World, knowledge
from .test_exchange import bundle, take

pair = fixtures_store.pair


def exchange(one: World, other: World, folder: Path) -> None:
    """Both write a bundle, both take the other's, and know the same."""
    paths = bundle(one, folder, "one.bundle"), bundle(other, folder, "other.bundle")
    take(other, paths[0])
    take(one, paths[1])
    assert knowledge(one) == knowledge(other)


@pytest.mark.parametrize("how", ["forget", "erase"])
def test_what_a_summary_that_went_set_free_holds_after_the_next_exchange(
    pair: tuple[World, World], tmp_path: Path, how: str
) -> None:
    ana, ben = pair
    inputs = [ana.say("The export takes the write lock."), ana.say("The export runs at 02:15.")]
    exchange(ana, ben, tmp_path)
    made = compress(ana.engine, ana.asker, addresses=inputs, summary="The export takes the write lock at 02:15.")
    summary = made.address
    exchange(ana, ben, tmp_path)
    if how == "forget":
        forget(ben.engine, ben.asker, summary)
    else:
        erase(ben.engine, ben.asker, address=summary, dry_run=False, confirm=True)
    assert [ben.state(address) for address in inputs] == ["active", "active"]
    take(ana, bundle(ben, tmp_path, "b.bundle"))
    take(ben, bundle(ana, tmp_path, "a.bundle"))
    assert [world.state(address) for world in pair for address in inputs] == ["active"] * 4
