"""Vectors in memory: what is estimated finds what comparing everything finds."""

from __future__ import annotations

import numpy as np
import pytest

from marrow.store import matrix as matrices
from marrow.store import signs
from marrow.store.matrix import Matrix, compared, nearest
from marrow.store.signs import mixed
from marrow.store.stored_vectors import exact_cosines, to_bytes, widened

DIMENSIONS = 96


def topics(count: int, seed: int = 3) -> np.ndarray:
    """Unit vectors around a few hundred topics, as texts are."""
    centres = np.random.default_rng(1).normal(size=(300, DIMENSIONS))
    chance = np.random.default_rng(seed)
    rows = centres[chance.integers(0, 300, count)] + 0.8 * chance.normal(size=(count, DIMENSIONS))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def filled(rows: np.ndarray, first: int = 0) -> Matrix:
    found = Matrix(rows.shape[1])
    found.extend(list(range(first, first + len(rows))), [to_bytes(row) for row in rows])
    return found


@pytest.fixture
def estimated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes at which a few thousand rows are many."""
    monkeypatch.setattr(matrices, "EXACT_ROWS", 500)
    monkeypatch.setattr(matrices, "RESCORED", 400)
    monkeypatch.setattr(signs, "SIGN_BLOCK", 1000)


def best(rows: np.ndarray, query: np.ndarray, limit: int, kept: np.ndarray | None = None) -> list[int]:
    scores = rows.astype(np.float16).astype(np.float32) @ query
    allowed = np.arange(len(rows)) if kept is None else kept
    return [int(n) for n in allowed[np.argsort(-scores[allowed], kind="stable")][:limit]]


@pytest.mark.usefixtures("estimated")
def test_estimates_find_nearly_all_that_comparing_everything_finds() -> None:
    rows, queries = topics(5000), topics(60, seed=4)
    parts = [filled(rows[:1200]), filled(rows[1200:1201], 1200), filled(rows[1201:], 1201)]
    shares = []
    for query in queries:
        found = nearest(parts, query, 10, None, ())
        shares.append(len({n for n, _ in found} & set(best(rows, query, 10))) / 10)
        for n, cosine in found:
            assert cosine == pytest.approx(float(rows[n].astype(np.float16).astype(np.float32) @ query), abs=1e-6)
        assert [c for _, c in found] == sorted((c for _, c in found), reverse=True)
    assert np.mean(shares) >= 0.97


@pytest.mark.usefixtures("estimated")
def test_filter_that_keeps_one_in_a_hundred_is_exact_among_many_rows() -> None:
    rows = topics(5000)
    whole = filled(rows)
    kept = np.arange(7, 5000, 100)
    for query in topics(20, seed=5):
        found = whole.nearest(query, 10, kept.tolist(), (), -2.0)
        assert [n for n, _ in found] == best(rows, query, 10, kept)


@pytest.mark.usefixtures("estimated")
def test_wide_filter_and_what_is_left_out_hold_among_estimates() -> None:
    rows = topics(5000)
    whole = filled(rows)
    for query in topics(20, seed=6):
        gone = best(rows, query, 5)
        found = [n for n, _ in whole.nearest(query, 10, None, gone)]
        assert len(found) == 10
        assert not set(found) & set(gone)
        halves = [n for n, _ in whole.nearest(query, 10, range(0, 5000, 2), ())]
        assert len(halves) == 10
        assert all(n % 2 == 0 for n in halves)


@pytest.mark.usefixtures("estimated")
@pytest.mark.parametrize("kept", [600, 3000, 4990], ids=["few stay", "most stay", "nearly all stay"])
def test_what_is_gone_is_neither_found_nor_in_the_way_of_others(kept: int) -> None:
    rows = topics(5000)
    parts = [filled(rows[:2000]), filled(rows[2000:], 2000)]
    chance = np.random.default_rng(9)
    for query in topics(20, seed=6):
        stays = np.sort(chance.permutation(5000)[:kept])
        gone = sorted(set(range(5000)).difference(stays.tolist()))
        found = [n for n, _ in nearest(parts, query, 10, None, gone)]
        assert len(set(found) & set(best(rows, query, 10, stays))) >= 8
        assert not set(found).intersection(gone)
        halves = [n for n, _ in nearest(parts, query, 10, range(0, 5000, 2), gone)]
        assert len(set(halves) & set(best(rows, query, 10, stays[stays % 2 == 0]))) >= 8
        assert not set(halves).intersection(gone)
        told = compared(parts, query, 1, None, gone, rescored=16)
        others = told.of_others(range(5000), query)
        assert set(others) == set(stays.tolist())


@pytest.mark.usefixtures("estimated")
def test_rows_that_are_added_later_are_found_among_estimates() -> None:
    rows, late = topics(3000), topics(40, seed=7)
    whole = filled(rows)
    whole.nearest(late[0], 5, None, ())
    for number, row in enumerate(late, start=3000):
        whole.extend([number], [to_bytes(row)])
        assert whole.nearest(row, 1, None, ())[0][0] == number


@pytest.mark.usefixtures("estimated")
def test_rows_without_direction_do_no_harm() -> None:
    rows = topics(2000)
    rows[::2] = 0.0
    query = topics(1, seed=8)[0]
    assert len(filled(rows).nearest(query, 10, None, ())) == 10
    assert filled(rows).nearest(np.zeros(DIMENSIONS, dtype=np.float32), 10, None, ()) == []


def test_every_finite_number_is_widened_and_compared_exactly() -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16).reshape(-1, 1)
    every = every[np.isfinite(every)].reshape(-1, 1)
    wide = every.astype(np.float32)
    assert np.array_equal(widened(every), wide)
    for number in (1.0, -0.37, 2.0**-14):
        vector = np.array([number], dtype=np.float32)
        assert np.array_equal(exact_cosines(every, None, vector), wide[:, 0] * vector)
        places = np.arange(0, len(every), 7)
        assert np.array_equal(exact_cosines(every, places, vector), wide[places, 0] * vector)


@pytest.mark.parametrize("dimensions", [1, 64, 100, 256, 1536])
def test_signs_say_about_how_near_a_row_is_and_count_no_number_twice(dimensions: int) -> None:
    """Exactly so where all numbers have one size once they are mixed: then the signs say everything."""
    one = np.where(np.random.default_rng(dimensions).random(dimensions) < 0.5, -1, 1).astype(np.float32)
    rows = mixed(np.array([one, -one, np.where(np.arange(dimensions) < dimensions // 3, -one, one)]))
    rows /= np.linalg.norm(rows[0])
    query = rows[0]
    found = filled(rows)
    _, held = found.view()
    told = found.estimates(held, None, query)
    assert told / told[0] == pytest.approx(rows @ query, abs=1e-3)
    assert np.array_equal(found.estimates(held, np.array([2, 0]), query), told[[2, 0]])


@pytest.mark.parametrize(
    "spread",
    [0.97 ** np.arange(256), np.exp(-np.arange(384) / 20)],
    ids=["not if they are not mixed (127)", "not if it is only counted how many of long ones differ (134)"],
)
def test_signs_tell_the_nearest_where_a_few_numbers_say_the_most(spread: np.ndarray) -> None:
    pick = np.random.default_rng(3)
    rows = (pick.normal(size=(20_000, len(spread))) * spread).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = filled(rows)
    held = 0
    for query in rows[:20]:
        exact = {int(at) for at in np.argsort(-(rows @ query))[:10]}
        held += len(exact & {entry for entry, _ in nearest([found], query, 10, None, (), rescored=160)})
    assert held >= 150  # of these 200


@pytest.mark.usefixtures("estimated")
def test_a_text_that_is_not_among_the_best_is_compared_by_the_passages_that_look_nearest() -> None:
    pick = np.random.default_rng(5)
    rows = pick.normal(size=(6_000, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    found = Matrix(64)
    texts = np.split(rows, 1_000)  # each of six passages
    found.extend(list(range(1_000)), [to_bytes(text) for text in texts])
    query = rows[0]
    told = compared([found], query, 1, None, (), rescored=16)
    others = [entry for entry in range(1_000) if not told.of([entry])]
    cosines = told.of_others(others, query)
    exact = {entry: float((texts[entry].astype(np.float16).astype(np.float32) @ query).max()) for entry in others}
    assert len(others) > 500
    assert cosines.keys() == exact.keys()
    assert all(cosines[entry] <= exact[entry] + 1e-6 for entry in others)
    assert sum(cosines[entry] > exact[entry] - 1e-6 for entry in others) > 0.8 * len(others)
    assert told.of_others([], query) == {}
