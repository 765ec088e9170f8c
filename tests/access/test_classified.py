"""What is classified is hidden with all that it was before: its earlier versions say nearly the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Conflict

HIDDEN = {"not": {"classification": ["secret"]}}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    (tmp_path / "repository").mkdir()
    with open_memory(
        tmp_path / "repository", store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake"
    ) as made:
        made.view_define("team", HIDDEN)
        yield made


def seen(memory: Memory, query: str) -> set[str]:
    found = memory.search(query, view="team", include_superseded=True, limit=50)
    return {one.content for one in found.items}


def test_classifying_a_memory_hides_the_versions_before_it(memory: Memory) -> None:
    first = memory.save("The vault opens at nine.").items[0].address
    second = memory.update(first, "The vault opens at ten.").address
    third = memory.update(second, "The vault opens at noon.").address
    assert len(seen(memory, "vault")) == 3
    memory.update(third, classification="secret")
    assert seen(memory, "vault") == set()
    memory.update(third, classification="internal")
    assert seen(memory, "vault") == {"The vault opens at noon."}, "what was said before is not opened with it"


def test_what_was_superseded_or_retracted_can_still_be_classified(memory: Memory) -> None:
    old = memory.save("The vault opens at nine.").items[0].address
    memory.update(old, "The shop opens at ten.")
    wrong = memory.save("The vault is open all night.").items[0].address
    memory.forget(wrong, "wrong")
    memory.update(old, classification="secret")
    memory.update(wrong, classification="secret")
    assert seen(memory, "vault shop open") == {"The shop opens at ten."}
    with pytest.raises(Conflict):
        memory.update(old, pinned=True)


def test_classifying_a_document_hides_what_its_file_said_before_and_no_other_file(
    memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "repository" / "docs" / "adr"
    folder.mkdir(parents=True)
    (folder / "0001-cedar.md").write_text("# 1. Cedar\n\n## Status\n\nAccepted\n\n## Decision\n\nUse cedar wood.\n")
    (folder / "0002-birch.md").write_text("# 2. Birch\n\n## Status\n\nAccepted\n\n## Decision\n\nUse birch wood.\n")
    memory.ingest_codebase(str(folder.parent.parent))
    (folder / "0002-birch.md").write_text(
        "# 2. Birch\n\n## Status\n\nAccepted\n\nSupersedes ADR-1\n\n## Decision\n\nUse birch wood, said Zoe.\n"
    )
    memory.ingest_codebase(str(folder.parent.parent))
    last = next(one for one in memory.search("birch", kinds=["decision"]).items if "Zoe" in one.content)
    memory.update(last.address, classification="secret")
    assert {text.partition("\n")[0] for text in seen(memory, "wood")} == {"# 1. Cedar"}


def test_a_restore_leaves_closed_what_was_closed_since_with_its_earlier_versions_and_says_so(memory: Memory) -> None:
    first = memory.save("The vault opens at nine.").items[0].address
    second = memory.update(first, "The vault opens at ten.").address
    memory.snapshot_create("before")
    memory.update(second, classification="secret", tags=["door"])
    told = memory.snapshot_restore("before")
    assert (told.kept_closed, told.changed) == (2, 1), "one has other tags, and both stay closed"
    assert [item["fields"] for item in told.items] == [["tags"]]
    assert "2 stay closed: they were more open then." in told.text()
    assert memory.snapshot_restore("before", dry_run=False, confirm=True).kept_closed == 2
    assert seen(memory, "vault") == set()
    assert memory.search("vault", tags=["door"]).items == (), "all else is as it was"


def test_a_restore_closes_what_was_closed_then_and_undoing_it_opens_nothing(memory: Memory) -> None:
    address = memory.save("The vault opens at nine.", classification="secret").items[0].address
    memory.snapshot_create("before")
    memory.update(address, classification="internal")
    assert seen(memory, "vault")
    done = memory.snapshot_restore("before", dry_run=False, confirm=True)
    assert (done.changed, done.kept_closed) == (1, 0)
    assert seen(memory, "vault") == set()
    undone = memory.snapshot_restore(str(done.undo), dry_run=False, confirm=True)
    assert undone.kept_closed == 1
    assert "Nothing had changed." in undone.text()
    assert seen(memory, "vault") == set()


def test_a_restore_of_every_project_leaves_a_view_as_narrow_as_it_is(memory: Memory) -> None:
    memory.save("The vault opens at nine.", classification="confidential")
    memory.snapshot_create("before")
    memory.view_define("team", {"not": {"classification": ["secret", "confidential"]}})
    memory.save("The shop opens at ten.")
    told = memory.snapshot_restore("before", project="all", dry_run=False, confirm=True)
    assert [(item["what"], item["title"]) for item in told.items] == [("removed", "The shop opens at ten.")]
    assert seen(memory, "vault") == set()
