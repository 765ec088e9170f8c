"""knowledge: snapshots, and where a node came from and what came of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Conflict, Invalid, NotFound
from marrow.operations.knowledge import RestoreResult

from .conftest import Do, head

Save = Callable[..., str]
FRIDAY, MONDAY = "Deploys go out on Fridays.", "Deploys go out on Mondays."


@pytest.fixture
def moved(do: Do, save: Save) -> str:
    """A memory that changed its mind after a snapshot; the address of what held before."""
    address = save(FRIDAY)
    do("snapshot_create", name="before", tags=["release"], description="the old way")
    do("memory_update", address=address, content=MONDAY)
    return address


def contents(do: Do, as_of: str = "") -> list[str]:
    return [item.content for item in do("memory_search", query="deploys", as_of=as_of).items]


def test_a_snapshot_is_a_name_for_the_event_that_made_it(memory: Memory, do: Do, said: Do, moved: str) -> None:
    (item,) = do("snapshot_list").items
    assert (item["name"], item["tags"], item["note"]) == ("before", ["release"], "the old way")
    assert item["seq"] == head(memory) - 1
    assert "before: event" in said("snapshot_list")
    assert "#release the old way" in said("snapshot_list")


def test_no_snapshot_is_said_in_words(said: Do) -> None:
    assert said("snapshot_list") == "No snapshot yet."


def test_a_snapshot_is_found_by_its_tags(do: Do, said: Do, moved: str) -> None:
    do("snapshot_create", name="after", tags=["release", "hotfix"])
    assert [one["name"] for one in do("snapshot_list", tags=["release"]).items] == ["before", "after"]
    assert [one["name"] for one in do("snapshot_list", tags=["hotfix", "release"]).items] == ["after"]
    assert said("snapshot_list", tags=["nightly"]) == "No snapshot has these tags."


def test_a_snapshot_needs_a_name_of_its_own(do: Do, moved: str) -> None:
    with pytest.raises(Conflict):
        do("snapshot_create", name="before")
    with pytest.raises(Invalid) as raised:
        do("snapshot_create", name="42")
    assert raised.value.field == "name"


def test_every_read_can_be_asked_as_of_a_snapshot(do: Do, moved: str) -> None:
    assert contents(do) == [MONDAY]
    assert contents(do, "before") == [FRIDAY]
    assert do("memory_get", address=moved, as_of="before").standing["state"] == "active"
    assert [item.content for item in do("memory_active", as_of="before").items] == [FRIDAY]
    assert do("memory_status", as_of="before").active == 1
    assert FRIDAY in do("memory_soul", as_of="before").content


def test_a_moment_that_never_was_is_refused(do: Do, moved: str) -> None:
    with pytest.raises(NotFound) as raised:
        contents(do, "9999")
    assert raised.value.field == "as_of"
    with pytest.raises(Invalid):
        contents(do, "whenever it was")


def test_two_moments_differ_by_what_happened_between(do: Do, moved: str) -> None:
    found = do("snapshot_diff", a="before")
    assert (found.added, found.removed) == (1, 1)
    assert do("snapshot_diff", a="before", b="before").items == ()
    back = do("snapshot_diff", a=str(found.end), b="before")
    assert (back.start, back.end) == (found.end, found.start)
    with pytest.raises(NotFound) as raised:
        do("snapshot_diff", a="befor")
    assert "before" in raised.value.hint


def test_a_restore_only_says_what_it_would_do(memory: Memory, do: Do, said: Do, moved: str) -> None:
    before = head(memory)
    tried = do("snapshot_restore", name="before")
    assert tried.dry_run
    assert (tried.added, tried.removed) == (1, 1)
    text = said("snapshot_restore", name="before")
    assert text.endswith("Nothing was changed yet: dry_run=false with confirm=true does it.")
    with pytest.raises(Invalid) as raised:
        do("snapshot_restore", name="before", dry_run=False)
    assert raised.value.field == "confirm"
    assert head(memory) == before


def test_what_a_restore_does_to_one_is_told_of_one() -> None:
    told = RestoreResult(to=3, dry_run=True, added=1, changed=1, removed=1, items=())
    assert "1 comes back, 1 differs, 1 leaves\n" in told.text()
    assert "2 come back, 0 differ, 1,000 leave\n" in told._replace(added=2, changed=0, removed=1000).text()


def test_a_restore_is_an_event_and_can_be_undone(do: Do, moved: str) -> None:
    root = do("memory_status").root
    done = do("snapshot_restore", name="before", dry_run=False, confirm=True)
    assert contents(do) == [FRIDAY]
    do("snapshot_restore", name=str(done.undo), dry_run=False, confirm=True)
    assert contents(do) == [MONDAY]
    assert do("memory_status").root == root


def test_a_restore_is_of_this_project_unless_every_one_is_asked_for(
    memory: Memory, do: Do, moved: str, tmp_path: Path
) -> None:
    place = memory.engine.store.url.removeprefix("sqlite:")
    with open_memory(tmp_path, store=place, project="pears", embedder="fake") as other:
        address = other.save("Pears are counted by hand.").items[0].address
        assert do("snapshot_restore", name="before").removed == 1
        assert do("snapshot_restore", name="before", project="all").removed == 2
        assert do("snapshot_restore", name="before", project="pears").removed == 1
        do("snapshot_restore", name="before", dry_run=False, confirm=True)
        assert contents(do) == [FRIDAY]
        assert other.get(address).standing["state"] == "active"
        do("snapshot_restore", name="before", project="all", dry_run=False, confirm=True)
        assert other.active().items == ()
    assert contents(do) == [FRIDAY]


def test_lineage_tells_both_ways(do: Do, save: Save, said: Do) -> None:
    one, other = save("The export takes long."), save("The export locks.")
    made = do("memory_compress", summary="The export is slow and locks.", addresses=[one, other]).address
    assert {item["address"] for item in do("lineage", address=made).items} == {made, one, other}
    assert [item["address"] for item in do("lineage", address=one).followed] == [made]
    text = said("lineage", address=one)
    assert text.startswith("came from:")
    assert "led to:" in text


def test_lineage_of_a_file_tells_its_title_and_author(do: Do, save: Save, said: Do) -> None:
    about = {"path": "src/gate.rs", "title": "The gate", "author": "Ada"}
    save("/*!\nThe gate.\n*/", kind="code", metadata=about)
    text = said("lineage", file="src/gate.rs")
    assert text.startswith("[")
    assert "code, active: The gate\n" in text
    assert " by Ada\n" in text
    assert do("lineage", file="src/gate.rs").read[0]["said"][0]["author"] == "Ada"


def test_lineage_names_what_took_its_place(do: Do, moved: str) -> None:
    new = do("memory_search", query="deploys").items[0].address
    assert do("lineage", address=moved).superseded_by == (new,)


def test_what_was_only_said_once_more_is_counted_and_not_listed(do: Do, save: Save, said: Do) -> None:
    save(FRIDAY)
    do("snapshot_create", name="then")
    address = save(FRIDAY)
    found = do("snapshot_diff", a="then")
    assert (found.changed, found.reinforced, found.items) == (0, 1, ())
    assert "1 only said once more" in said("snapshot_diff", a="then")
    do("memory_update", address=address, pinned=True, approved=True)
    text = said("snapshot_diff", a="then")
    assert f"~ [{address}] {FRIDAY} (pinned, approval, said once more)" in text
    assert "reinforced" not in text


def test_a_difference_names_the_path_where_one_is_known(do: Do, save: Save, said: Do) -> None:
    do("snapshot_create", name="then")
    address = save(FRIDAY, metadata={"path": "docs/deploys.md"})
    assert f"+ [{address}] docs/deploys.md: {FRIDAY}" in said("snapshot_diff", a="then")
    assert f"removed [{address}] docs/deploys.md: {FRIDAY}" in said("snapshot_restore", name="then")
