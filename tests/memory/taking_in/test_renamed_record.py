"""A decision record that is renamed and changed at once, while another one takes its place."""

from __future__ import annotations

from pathlib import Path

from marrow.app import open_memory

CEDAR = "# 1. Use cedar\n\nDate: 2024-01-01\n\n## Status\n\n{}\n\n## Decision\n\nCedar.\n"
OAK = "# 2. Use oak\n\nDate: 2024-02-01\n\n## Status\n\nAccepted\n\nSupersedes ADR-1\n\n## Decision\n\nOak.\n"


def test_an_earlier_version_of_a_record_that_was_renamed_later_is_no_decision_of_its_own(tmp_path: Path) -> None:
    adr = tmp_path / "repository" / "adr"
    adr.mkdir(parents=True)
    with open_memory(adr.parent, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        for status in ("Proposed", "Accepted"):
            (adr / "0001-cedar.md").write_text(CEDAR.format(status))
            memory.ingest_codebase(str(adr.parent))
        (adr / "0001-cedar.md").rename(adr / "0001-cedar-wood.md")
        memory.ingest_codebase(str(adr.parent))
        (found,) = memory.get_architectural_decisions(status="all").items
        assert (found.path, found.status) == ("adr/0001-cedar-wood.md", "accepted")


def test_a_record_that_was_renamed_and_changed_is_superseded_by_the_one_that_says_so(tmp_path: Path) -> None:
    adr = tmp_path / "repository" / "adr"
    adr.mkdir(parents=True)
    (adr / "0001-cedar.md").write_text(CEDAR.format("Proposed"))
    with open_memory(adr.parent, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(adr.parent))
        (adr / "0001-cedar.md").unlink()
        (adr / "0001-cedar-wood.md").write_text(CEDAR.format("Accepted"))
        (adr / "0002-oak.md").write_text(OAK)
        memory.ingest_codebase(str(adr.parent))
        found = memory.get_architectural_decisions(status="all").items
        assert [(one.title, one.status) for one in found] == [("Use oak", "accepted"), ("Use cedar", "superseded")]
