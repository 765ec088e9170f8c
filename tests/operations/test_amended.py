"""A decision that another one amended says so wherever it is told, and by which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory

STORE = (
    "# 3. Keep apples in crates\n\nDate: 2026-01-05\n\n## Status\n\nAccepted\n\n## Decision\n\nApples lie in crates.\n"
)
AMENDING = (
    "# 12. Pears get straw\n\nDate: 2026-03-05\n\n## Status\n\nAccepted\n\nAmends [ADR-3](0003-crates.md)\n\n"
    "## Decision\n\nPears need something soft below them.\n"
)
QUESTION = "where do apples lie, crates"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    write(folder, "0003-crates.md", STORE)
    write(folder, "0012-pears.md", AMENDING)
    return folder


def write(root: Path, name: str, text: str) -> None:
    path = root / "adr" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as made:
        made.ingest_codebase(str(root))
        yield made


def told(memory: Memory) -> dict[str, str]:
    """What is told of the earlier of the two, by the verb that tells it."""
    found = {
        "decisions": memory.get_architectural_decisions("apples crates"),
        "latest": memory.get_architectural_decisions(),
        "ask": memory.ask(QUESTION),
        "search": memory.search(QUESTION),
    }
    lines = {
        name: next((item.line() for item in result.items if "Apples lie" in item.content), "")
        for name, result in found.items()
    }
    return {**lines, "document": memory.get_full_document("adr/0003-crates.md").text()}


def test_a_decision_says_which_later_one_amends_it(memory: Memory) -> None:
    by = next(one for one in memory.get_architectural_decisions().items if one.title.startswith("Pears"))
    for name, line in told(memory).items():
        assert f"amended by ADR-0012 [{by.address}]" in line, name
    assert not by.amended_by
    recalled = next(one for one in memory.recall(QUESTION).items if "Apples lie" in one.content)
    assert f"amended by ADR-0012 [{by.address}]" in recalled.marks
    earlier = next(one for one in memory.get_architectural_decisions().items if "crates" in one.path)
    assert earlier.status == "accepted", "it holds all the same"


def test_what_a_record_says_of_itself_is_told_though_the_other_is_not_there(memory: Memory, root: Path) -> None:
    (root / "adr/0012-pears.md").unlink()
    write(root, "0003-crates.md", STORE.replace("Accepted", "Accepted\n\nAmended by ADR-14"))
    memory.ingest_codebase(str(root))
    for name, line in told(memory).items():
        assert "amended by ADR-0014" in line, name
        assert "ADR-0012" not in line, name


def test_one_that_both_records_name_is_told_once(memory: Memory, root: Path) -> None:
    write(root, "0003-crates.md", STORE.replace("Accepted", "Accepted\n\nAmended by [ADR-12](0012-pears.md)"))
    memory.ingest_codebase(str(root))
    for name, line in told(memory).items():
        assert line.count("ADR-0012 [") == 1, name
        assert line.count("amended by ADR-0012,") == 0, name


def test_an_amendment_that_left_or_is_only_proposed_is_none(memory: Memory, root: Path) -> None:
    write(root, "0012-pears.md", AMENDING.replace("Accepted", "Proposed"))
    memory.ingest_codebase(str(root))
    assert not any("amended by" in line for line in told(memory).values())
    write(root, "0012-pears.md", AMENDING)
    memory.ingest_codebase(str(root))
    assert all("amended by" in line for line in told(memory).values())
    (root / "adr/0012-pears.md").unlink()
    memory.ingest_codebase(str(root))
    assert not any("amended by" in line for line in told(memory).values())


def test_a_number_of_another_service_amends_nothing_here(memory: Memory, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "0013-plums.md", AMENDING.replace("# 12.", "# 13.").replace("Pears", "Plums"))
    memory.ingest_codebase(str(other), service_name="other")
    assert "ADR-0013" not in told(memory)["decisions"]


def test_the_same_decision_in_another_project_is_not_amended_by_what_amends_it_in_one(
    memory: Memory, tmp_path: Path
) -> None:
    other = tmp_path / "wine"
    write(other, "0003-crates.md", STORE)
    with open_memory(other, store=memory.store.url, project="vineyard", embedder="fake") as second:
        second.ingest_codebase(str(other))
        for asking in (memory, second):
            found = asking.ask(QUESTION, project="all").items
            by = {one.project: bool(one.amended_by) for one in found if "Apples lie" in one.content}
            assert by == {"orchard": True, "vineyard": False}
