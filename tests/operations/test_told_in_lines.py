"""What went wrong is told in one line each, and why something stayed is told as it is."""

from __future__ import annotations

import pytest

from marrow.operations.derivations import DerivationsResult, RecomputeResult
from marrow.operations.removal import RemovalResult
from marrow.operations.tree import StatusResult

TRACE = "ValueError: no good: # Doc one\n\n  at line 3"


def test_an_error_of_several_lines_is_told_in_one() -> None:
    failed = {"name": "counts", "input": "ab12", "path": "", "error": TRACE}
    again = RecomputeResult(1, 1, 0, False, {}, (failed,)).text()
    assert again.splitlines()[1:] == ["  counts of [ab12]: ValueError: no good: # Doc one at line 3"]
    listed = DerivationsResult((), errors=(failed,)).text()
    assert "  counts of [ab12]: ValueError: no good: # Doc one at line 3\n" in listed
    item = {"name": "counts", "version": "1", "state": "failed", "error": TRACE, "value": "", "provider": "user"}
    item |= {"model": "", "ms": 1.0, "tokens": 0, "cost_usd": 0.0, "at": "now", "actor": "cli", "input": "ab12"}
    assert DerivationsResult((item,), address="ab12").text().count("\n") == 2


def test_what_a_service_leaves_behind_may_stand_in_files_of_another() -> None:
    told = RemovalResult(True, "the service shop", 0, {}, (), kept_shared=2).text()
    assert "kept, because files of another service hold it, or it was said elsewhere too: 2 nodes" in told


@pytest.mark.parametrize(("refined", "left"), [(0.999, "1%"), (0.7, "30%"), (0.0, "100%")])
def test_a_few_vectors_that_wait_are_more_than_none(refined: float, left: str) -> None:
    numbers = ("p", 1, 1, {}, {}, 0, 0, 1, "r", 0, "e", "v", "sqlite:x", 1, False)
    assert f"\n{left} of the vectors are the quick half's" in StatusResult(*numbers, refined=refined).text()
    assert "quick half" not in StatusResult(*numbers).text()
