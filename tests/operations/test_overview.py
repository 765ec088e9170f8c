"""An overview of a service: whose documents it lists, and that it counts as others do."""

from __future__ import annotations

import pytest

from marrow.app import Memory
from marrow.memory.taking_in.take_in import take_in

from .conftest import Do
from .test_organisation import item, known

__all__ = ["known"]


@pytest.mark.parametrize(
    ("title", "is_foreign"),
    [
        ("Licenses for Third-Party Dependencies", True),
        ("Third party notices", True),
        ("Licences", True),
        ("License keys and how they are made", False),
        ("Licensing of our customers", False),
    ],
)
def test_lists_of_licences_are_known_by_their_title(title: str, is_foreign: bool, known: Memory, do: Do) -> None:
    items = [item("DEPENDENCIES.md", f"# {title}\n\nText.", "document", 9, title=title)]
    take_in(known.engine, known.call.asker, items, operation="test")
    titles = [one.title for one in do("get_service_overview", service="billing").documents]
    assert titles == (["Runbook"] if is_foreign else [title, "Runbook"])


def test_decisions_are_counted_as_they_are_listed_with_those_that_were_superseded(known: Memory, do: Do) -> None:
    listed = do("get_architectural_decisions", status="all", limit=50).total
    assert do("list_documents", kinds=["decision"]).total == listed
    assert do("knowledge_stats").by_type["decision"] == listed
    found = do("get_service_overview", service="billing")
    assert found.counts["decision"] == len(found.decisions)
