"""What is counted in an answer is spelt as one or as many."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.model.text import counted
from marrow.operations.git import CommitHits
from marrow.operations.organisation import KnowledgeStats
from marrow.operations.removal import RemovalResult
from marrow.operations.sessions import PendingResult
from marrow.operations.views import kinds_counted
from marrow.operations.work import ContextResult


@pytest.mark.parametrize(
    ("number", "what", "said"),
    [
        (1, "call", "1 call"),
        (0, "call", "0 calls"),
        (1_200, "memory", "1,200 memories"),
        (2, "summary", "2 summaries"),
        (2, "survey", "2 surveys"),
        (1, "entry", "1 entry"),
    ],
)
def test_what_is_counted_is_one_or_many(number: int, what: str, said: str) -> None:
    assert counted(number, what) == said


def test_kinds_are_counted_and_code_by_its_files() -> None:
    assert kinds_counted({"claim": 15, "summary": 2, "gap": 1, "code": 1_200}) == (
        "15 claims, 2 summaries, 1 gap, 1,200 code files"
    )
    assert kinds_counted({"analysis": 2, "fix": 1_200, "gap": 2}) == "2 analysis, 1,200 fix, 2 gaps"
    assert kinds_counted({}) == ""


@pytest.mark.parametrize(
    ("result", "said"),
    [
        (CommitHits((), 1), "Nothing in 1 commit says that."),
        (ContextResult((), 1), "1 note too long for the budget: raise budget_tokens."),
        (PendingResult(1, 1, 1), "1 report worked off, 1 still to be, 1 given up."),
        (RemovalResult(False, "it", 2, {"claim": 2}, ()), "it: 2 nodes retracted (2 claims)"),
        (KnowledgeStats(3, {"code": 2, "decision": 1}, 0, (), 3, 0), "3 in all: 2 code files, 1 decision"),
    ],
)
def test_an_answer_says_one_or_many(result: Any, said: str) -> None:
    assert result.text().startswith(said)
