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


def test_a_superseded_record_is_told_as_its_file_says_it_now_and_not_once_that_is_gone(tmp_path: Path) -> None:
    adr = tmp_path / "repository" / "adr"
    adr.mkdir(parents=True)
    (adr / "0001-cedar.md").write_text(CEDAR.format("Superseded by ADR-2"))
    (adr / "0002-oak.md").write_text(OAK)
    with open_memory(adr.parent, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:

        def told() -> list[tuple[str, str]]:
            memory.ingest_codebase(str(adr.parent))
            found = memory.get_architectural_decisions(status="superseded").items
            return [(one.title, one.content) for one in found]

        assert told() == [("Use cedar", "Cedar.")]
        for wood in ("Red cedar.", "White cedar."):
            (adr / "0001-cedar.md").write_text(CEDAR.format("Superseded by ADR-2").replace("Cedar.", wood))
            assert told() == [("Use cedar", wood)]
        (adr / "0001-cedar.md").write_text(CEDAR.format("Superseded by ADR-2"))
        assert told() == [("Use cedar", "Cedar.")]
        (adr / "0001-cedar.md").unlink()
        assert told() == []
        assert memory.get_architectural_decisions(status="all").total == 1


def test_a_superseded_record_of_a_colleague_s_bundle_is_told_though_its_file_is_not_here(tmp_path: Path) -> None:
    adr = tmp_path / "repository" / "adr"
    adr.mkdir(parents=True)
    (adr / "0001-cedar.md").write_text(CEDAR.format("Superseded by ADR-2"))
    (adr / "0002-oak.md").write_text(OAK)
    with open_memory(adr.parent, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(adr.parent))
        memory.export(str(tmp_path / "orchard.bundle"))
    with open_memory(tmp_path, store=str(tmp_path / "other.db"), project="orchard", embedder="fake") as memory:
        memory.import_(str(tmp_path / "orchard.bundle"))
        found = memory.get_architectural_decisions(status="superseded").items
        assert [one.title for one in found] == ["Use cedar"]
