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


def test_a_restore_says_that_it_changes_who_may_see_something(memory: Memory) -> None:
    address = memory.save("The vault opens at nine.").items[0].address
    memory.snapshot_create("before")
    memory.update(address, classification="secret")
    told = memory.snapshot_restore("before")
    assert told.reclassified == 1
    assert "1 had another classification then" in told.text()
