"""The setting `view`: enforced wherever a memory is opened, and an error where there is no such view."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from marrow.access.restricted import Restricted, whole
from marrow.app import Memories, Memory, open_memory
from marrow.model.errors import Forbidden, Invalid, NotFound
from marrow.settings import find

SECRET = "The vault opens at nine"


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MARROW_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))


@pytest.fixture
def at(tmp_path: Path) -> Callable[..., Memory]:
    def opened(**settings: Any) -> Memory:
        return open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake", **settings)

    with opened() as memory:
        memory.save(SECRET, classification="secret")
        memory.save("The gate opens at seven")
        memory.view_define("team", {"not": {"classification": "secret"}})
        memory.view_define("approved", {"approved": True})
    return opened


def texts(memory: Memory) -> list[str]:
    return [item.content for item in memory.search("opens at").items]


def test_the_view_of_an_argument_the_environment_or_the_users_file_is_enforced(
    at: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at() as memory:
        assert len(texts(memory)) == 2
    with at(view="team") as memory:
        assert texts(memory) == ["The gate opens at seven"]
    monkeypatch.setenv("MARROW_VIEW", "team")
    with at() as memory:
        assert texts(memory) == ["The gate opens at seven"]
    monkeypatch.delenv("MARROW_VIEW")
    config = tmp_path / "home" / ".marrow" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('view = "team"\n')
    with at() as memory:
        assert texts(memory) == ["The gate opens at seven"]


def test_a_repository_cannot_choose_the_view_of_its_users(at: Callable[..., Memory], tmp_path: Path) -> None:
    assert not find("view").project
    (tmp_path / ".git").mkdir()
    (tmp_path / ".marrow.toml").write_text('view = "team"\n')
    with pytest.raises(Invalid):
        at()


def test_a_view_that_is_not_there_opens_nothing_and_lists_those_that_are(at: Callable[..., Memory]) -> None:
    with pytest.raises(NotFound) as caught:
        at(view="teem")
    assert caught.value.field == "view"
    assert "approved, team" in (caught.value.hint or "")


def test_in_a_memory_without_views_the_error_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        open_memory(tmp_path, store="memory:", view="team", embedder="fake")
    assert "view define" in (caught.value.hint or "")


def test_one_who_is_held_to_a_view_is_no_administrator(at: Callable[..., Memory], tmp_path: Path) -> None:
    with at(view="team") as memory:
        assert isinstance(memory.store, Restricted)
        for deed in (
            lambda: memory.view_define("team", {"approved": True}),
            lambda: memory.views(),
            lambda: memory.backup(str(tmp_path / "b.db")),
            lambda: memory.reindex(),
            lambda: memory.erase(user="ada"),
            lambda: memory.delete_service_data("x", confirm=True),
            lambda: memory.prune("1 day", confirm=True),
            lambda: memory.snapshot_restore("0", dry_run=False, confirm=True),
        ):
            with pytest.raises(Forbidden) as caught:
                deed()
            assert "setting `view`" in (caught.value.hint or "")


def test_a_view_that_is_redefined_or_forgotten_elsewhere_holds_in_what_is_open(at: Callable[..., Memory]) -> None:
    with at(view="team") as held, at() as free:
        assert len(texts(held)) == 1
        free.view_define("team", {"not": {"tags": ["none"]}})
        assert len(texts(held)) == 2
        (team,) = (one for one in free.views().items if one["name"] == "team")
        free.forget(team["address"])
        with pytest.raises(NotFound):
            texts(held)
        with pytest.raises(NotFound):
            held.save("anything")


def test_what_is_served_for_many_is_held_to_the_view_that_each_names(at: Callable[..., Memory], tmp_path: Path) -> None:
    memories, store = Memories(), str(tmp_path / "marrow.db")
    try:
        free = memories.at(str(tmp_path), store, "orchard")
        held = memories.at(str(tmp_path), store, "orchard", view="team")
        other = memories.at(str(tmp_path), store, "meadow", view="team")
        assert (len(texts(free)), len(texts(held))) == (2, 1)
        assert held.store is other.store
        assert whole(held.store) is free.store
        with pytest.raises(NotFound):
            memories.at(str(tmp_path), store, "orchard", view="nope")
    finally:
        memories.close()


def test_the_background_works_on_all_of_it_whatever_view_its_caller_is_held_to(
    at: Callable[..., Memory], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with at(view="team") as memory:
        assert memory.place.engine.store is whole(memory.store)
        assert memory.place.engine.pending is memory.engine.pending
    monkeypatch.setenv("MARROW_VIEW", "gone")
    memories = Memories()
    try:
        place = memories.chores(str(tmp_path))._place_at(str(tmp_path), str(tmp_path / "marrow.db"), "orchard", "")
        assert not isinstance(place.engine.store, Restricted)
    finally:
        memories.close()


def test_a_search_can_be_narrowed_by_a_view_for_one_call(at: Callable[..., Memory]) -> None:
    with at() as memory:
        assert [one.content for one in memory.search("opens at", view="team").items] == ["The gate opens at seven"]
        kept = memory.engine.views["local", "team"]
        memory.save("The barn opens at eight")
        assert len(memory.search("opens at", view="team").items) == 2
        assert memory.engine.views["local", "team"] is kept
        with pytest.raises(NotFound) as caught:
            memory.search("opens at", view="teem")
        assert "approved, team" in (caught.value.hint or "")


def test_a_search_can_ask_for_what_was_approved_or_rejected(at: Callable[..., Memory]) -> None:
    with at() as memory:
        for item in memory.search("opens at").items:
            memory.update(item.address, approved=item.content != SECRET)
        assert [one.content for one in memory.search("opens at", approved=True).items] == ["The gate opens at seven"]
        assert [one.content for one in memory.search("opens at", approved=False).items] == [SECRET]
        assert [one.content for one in memory.search("opens at", view="approved").items] == ["The gate opens at seven"]
        assert len(memory.search("opens at").items) == 2


def test_views_are_listed_versioned_and_audited(at: Callable[..., Memory]) -> None:
    with at() as memory:
        assert memory.view_define("team", {"not": {"classification": "secret"}}).outcome == "unchanged"
        assert memory.view_define("team", {"kinds": ["claim"]}).outcome == "changed"
        found = {one["name"]: one["filter"] for one in memory.views().items}
        assert found == {"approved": {"approved": True}, "team": {"kinds": ["claim"]}}
        team = next(one["address"] for one in memory.views().items if one["name"] == "team")
        assert [e["operation"] for e in memory.audit(address=team).items] == ["view_define"]
        assert len(memory.lineage(team).versions) == 2
        assert "team" in memory.perform("views", {}).text
