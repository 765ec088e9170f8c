"""A plan from documents: what speaks of the task, in its own words, and where that stands."""

from __future__ import annotations

import pytest

from marrow.ingest.item import Item
from marrow.memory.engine import Asker, Engine
from marrow.memory.explore import GAPS, explore
from marrow.memory.named_code import named_files
from marrow.memory.plan import ARCHITECTURE, BLOCKERS, CONSTRAINTS, RISKS, plan
from marrow.memory.taking_in.take_in import take_in
from marrow.model.change import Relate
from marrow.model.draft import Draft

from .conftest import Hand

TASK = "remove the crisis module"
MATTER = "---\nsidebar_position: 1\ntitle: Crisis\n---\n"
FILLER = "The weather is mild and the tables are laid for guests. " * 40
README = f"{MATTER}# Crisis module\n\nThe crisis module halts the chain.\n\n{FILLER}\n"
CHANGELOG = f"# Changelog\n\nGuiding principles.\n\n{FILLER}\n\n* The crisis module goes: the crisis module is old.\n"
PASSING = f"# Emergency group\n\nIn a time of crisis they meet.\n\n{FILLER}{FILLER}\n"
RECORD = f"# Crisis module\n\n* Status: accepted\n\n## Context\n\n{FILLER}\n\n## Decision\n\nThe crisis module goes.\n"


def item(path: str, content: str, kind: str = "document") -> Item:
    return Item(Draft(content, kind, service="chain", metadata={"path": path}), path, path)


@pytest.fixture
def documents(engine: Engine, asker: Asker) -> dict[str, str]:
    """The addresses by path."""
    every = [
        item("x/crisis/README.md", README),
        item("CHANGELOG.md", CHANGELOG),
        item("docs/emergency.md", PASSING),
        item("docs/adr/0001-crisis.md", RECORD, "decision"),
        item("docs/adr/0002-emergency.md", PASSING, "decision"),
    ]
    taken = take_in(engine, asker, every, operation="test")
    return dict(zip((one.path for one in every), taken.addresses, strict=True))


@pytest.mark.usefixtures("documents")
def test_each_item_has_its_path_and_the_passage_that_speaks_of_the_task(engine: Engine, asker: Asker) -> None:
    found = plan(engine, asker, TASK)
    told = {line.path: line.content for line in found.of(ARCHITECTURE)}
    assert sorted(path.partition(":")[0] for path in told) == ["CHANGELOG.md", "x/crisis/README.md"]
    assert not any("sidebar_position" in text or "Guiding principles" in text for text in told.values())
    assert all("The crisis module" in text for text in told.values())
    assert all(path.partition(":")[2] for path in told)
    (decided,) = found.of(CONSTRAINTS)
    assert decided.path.startswith("docs/adr/0001-crisis.md:")
    assert "## Decision\n\nThe crisis module goes." in decided.content


def test_what_a_document_names_is_no_blocker(
    engine: Engine, asker: Asker, hand: Hand, documents: dict[str, str]
) -> None:
    hand.do(Relate(documents["x/crisis/README.md"], documents["docs/adr/0002-emergency.md"], "depends_on"))
    assert plan(engine, asker, TASK).of(BLOCKERS) == []


def test_what_moved_is_no_risk_and_what_changed_is_named_by_a_short_address(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say("The crisis module moves often", domain="architecture", drift="moved")
    changed = hand.say("The crisis module is one file", domain="architecture", drift="changed")
    (risk,) = plan(engine, asker, TASK).of(RISKS)
    assert "is one file" in risk.content
    assert risk.source == changed[:12]


def test_files_are_named_by_the_words_that_were_said(engine: Engine, asker: Asker) -> None:
    assert named_files(asker, "reading payments", 3)[0].words == ("payments",)


@pytest.mark.usefixtures("documents")
def test_a_document_that_was_taken_in_is_no_gap(engine: Engine, asker: Asker) -> None:
    take_in(engine, asker, [item("README.md", "# Shop\n\nTakes payments by card.\n")], operation="test")
    steps = explore(engine, asker, "readme of payments").steps
    assert "README.md" not in [clue.content for step in steps if step.name == GAPS for clue in step.clues]
