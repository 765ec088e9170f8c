"""What is nearly the same is found by its signs."""

from __future__ import annotations

import numpy as np

from marrow.store.alike import FEW, alike
from marrow.store.matrix import Matrix, nearest
from marrow.store.stored_vectors import to_bytes

DIMENSIONS = 128
ROWS = 6_000


def texts(count: int, seed: int = 3) -> np.ndarray:
    """Unit vectors with something in common, as those of texts have."""
    chance = np.random.default_rng(seed)
    rows = 0.5 * np.ones(DIMENSIONS) / 2 + chance.normal(size=(count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def filled(rows: np.ndarray, first: int = 0, passages: int = 1) -> Matrix:
    found = Matrix(rows.shape[1])
    for at in range(0, len(rows), passages):
        found.extend([first + at // passages], [to_bytes(rows[at : at + passages])])
    return found


def near(row: np.ndarray, seed: int, share: float = 0.4) -> np.ndarray:
    """A vector of about cosine .93 to the row, unless told otherwise."""
    chance = np.random.default_rng(seed).normal(size=len(row))
    moved = row + share * chance / np.linalg.norm(chance)
    return (moved / np.linalg.norm(moved)).astype(np.float32)


def test_what_is_nearly_the_same_is_always_found_with_its_exact_cosine() -> None:
    rows = texts(ROWS)
    whole = filled(rows)
    for at in range(0, ROWS, 97):
        asked = near(rows[at], at)
        found = alike([whole], asked, 4, (), 0.6)
        assert found == [(n, cosine) for n, cosine in nearest([whole], asked, 4, None, (), 0.6)]
        assert found[0][0] == at


def test_what_is_added_later_is_found_and_what_is_gone_is_not() -> None:
    rows = texts(ROWS)
    whole = filled(rows[: ROWS - 300])
    assert alike([whole], rows[5], 1, (), 0.6)[0][0] == 5
    for at in range(ROWS - 300, ROWS):
        whole.extend([at], [to_bytes(rows[at])])
        assert alike([whole], near(rows[at], at), 1, (), 0.6)[0][0] == at
    assert alike([whole], near(rows[5], 5), 1, [5], 0.6) == []


def test_long_text_counts_once_by_its_best_passage() -> None:
    rows = texts(ROWS)
    whole = filled(rows, passages=3)
    asked = near(rows[31], 1)
    found = alike([whole], asked, 4, (), 0.6)
    assert [n for n, _ in found] == [10]
    assert found == nearest([whole], asked, 4, None, (), 0.6)


def test_several_projects_and_small_ones_are_asked_together() -> None:
    rows = texts(ROWS)
    parts = [filled(rows[:10]), filled(rows[10 : FEW + 1000], 10), filled(rows[FEW + 1000 :], FEW + 1000)]
    for at in (3, 11, FEW + 999, FEW + 1000, ROWS - 1):
        assert alike(parts, near(rows[at], at), 2, (), 0.6)[0][0] == at
    twice = [filled(rows[:1]), filled(rows[:1], 900)]
    assert [n for n, _ in alike(twice, rows[0], 4, (), 0.6)] == [0, 900]


def test_nothing_is_found_in_nothing() -> None:
    assert alike([Matrix(DIMENSIONS)], texts(1)[0], 4, (), 0.6) == []
    assert alike([filled(texts(FEW + 5))], texts(1)[0], 4, range(FEW + 5), 0.4) == []
