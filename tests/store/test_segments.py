"""The vectors of a project: many are added, some made better, and what is found is what one matrix would find."""

from __future__ import annotations

import numpy as np
import pytest

from marrow.store import segments as module
from marrow.store.matrix import Matrix, nearest
from marrow.store.segments import Segments
from marrow.store.stored_vectors import to_bytes

from .test_matrix import DIMENSIONS, topics

Given = tuple[list[int], list[bytes]]


def given(rows: np.ndarray, first: int, passages: int = 1) -> Given:
    """Texts of so many passages each."""
    blobs = [b"".join(map(to_bytes, rows[at : at + passages])) for at in range(0, len(rows), passages)]
    return list(range(first, first + len(blobs))), blobs


@pytest.fixture
def little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "ROOM_LEAST", 8)


@pytest.mark.usefixtures("little_room")
def test_what_is_added_bit_by_bit_is_found_as_in_one_matrix() -> None:
    rows, queries = topics(1200), topics(20, seed=4)
    whole, held = Matrix(DIMENSIONS), Segments(DIMENSIONS)
    for at in range(0, 1200, 12):
        entries, blobs = given(rows[at : at + 12], 1 + at // 3, passages=3)
        whole.extend(entries, blobs)
        held.extend(entries, blobs)
    assert 3 < len(held.matrices) < 25
    assert held.last == whole.last
    for query in queries:
        assert nearest(held.matrices, query, 15, None, ()) == whole.nearest(query, 15, None, ())
        asked = [2, 3, 250, 399]
        apart = [found for matrix in held.matrices for found in matrix.cosines(asked, query)]
        assert apart == whole.cosines(asked, query)


@pytest.mark.usefixtures("little_room")
def test_nothing_that_is_held_is_copied_to_make_room() -> None:
    held = Segments(DIMENSIONS)
    held.extend(*given(topics(50), 1))
    before = [matrix.view()[1].ctypes.data for matrix in held.matrices]
    for first in range(51, 400):
        held.extend(*given(topics(1, seed=first), first))
    assert [matrix.view()[1].ctypes.data for matrix in held.matrices][: len(before)] == before


@pytest.mark.usefixtures("little_room")
def test_what_is_made_better_changes_only_what_holds_it_and_nothing_for_who_searches_now() -> None:
    rows, better = topics(300), topics(300, seed=9)
    held = Segments(DIMENSIONS)
    for first in range(1, 301, 10):
        held.extend(*given(rows[first - 1 : first + 9], first))
    old = held.matrices
    made = held.refined_to(120, *given(better[:120], 1))
    assert made.refined == 120
    query = better[60]
    assert nearest(held.matrices, query, 300, None, (), -1.0) != nearest(made.matrices, query, 300, None, (), -1.0)
    expected = Matrix(DIMENSIONS)
    expected.extend(*given(np.concatenate([better[:120], rows[120:]]), 1))
    assert nearest(made.matrices, query, 300, None, (), -1.0) == expected.nearest(query, 300, None, (), -1.0)
    assert held.matrices == old
    assert made.matrices[-1] is old[-1]


def test_what_is_better_and_was_not_read_before_is_added() -> None:
    rows = topics(6)
    held = Segments(DIMENSIONS)
    held.extend(*given(rows[:3], 1))
    made = held.refined_to(5, *given(rows[:5], 1))
    assert (made.last, sum(map(len, made.matrices))) == (5, 5)
