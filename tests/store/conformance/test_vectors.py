"""Vectors: exact, and complete under any filter."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.address import address_of
from marrow.model.change import Say
from marrow.model.node import Node, Occurrence
from marrow.store.matrix import Matrix
from marrow.store.stored_vectors import from_bytes, to_bytes

from ..door import EMBEDDER, START, Door, vector_of

WORDS = "apple banana cherry damson elder fig grape hazel iris jasmine kiwi lemon mango nettle olive".split()


def fruits(count: int) -> list[str]:
    chance = np.random.default_rng(1)
    return [f"{n} " + " ".join(chance.choice(WORDS, 4)) for n in range(count)]


def said(door: Door, texts: list[str], project: str = "p") -> dict[int, np.ndarray]:
    receipt = door.do(*(Say("claim", t, Occurrence(START)) for t in texts), project=project)
    vectors = EMBEDDER.documents(texts)
    return {o.entry: from_bytes(to_bytes(v), len(v)) for o, v in zip(receipt.outcomes, vectors, strict=True)}


def expected(vectors: dict[int, np.ndarray], query: np.ndarray, limit: int) -> list[float]:
    scores = sorted((float(v @ query) for v in vectors.values()), reverse=True)
    return [score for score in scores if score > 0][:limit]


def check(found: list[tuple[int, float]], vectors: dict[int, np.ndarray], query: np.ndarray, limit: int) -> None:
    """The best scores, in order, each of an entry that has it, and none twice."""
    assert [score for _, score in found] == pytest.approx(expected(vectors, query, limit), abs=1e-6)
    assert len({entry for entry, _ in found}) == len(found)
    for entry, score in found:
        assert float(vectors[entry] @ query) == pytest.approx(score, abs=1e-6)


def test_nearest_is_exact(door: Door) -> None:
    vectors = said(door, fruits(300))
    for text in ("apple banana", "kiwi lemon mango nettle", "1 iris"):
        query = vector_of(text)
        for limit in (1, 7, 300, 1000):
            check(door.ask(lambda r, q=query, n=limit: r.nearest("local", q, None, None, n)), vectors, query, limit)
    assert door.ask(lambda r: r.nearest("local", vector_of("apple"), None, None, 0)) == []


def test_filter_that_keeps_one_in_a_hundred_is_complete(door: Door) -> None:
    vectors = said(door, fruits(500))
    kept = sorted(vectors)[3::100]
    query = vector_of("apple fig grape olive 3 103")
    found = door.ask(lambda r: r.nearest("local", query, None, kept, 10))
    check(found, {entry: vectors[entry] for entry in kept}, query, 10)
    assert {entry for entry, _ in found} <= set(kept)


def test_projects_and_handles_that_do_not_exist_are_left_out(door: Door) -> None:
    here, there = said(door, fruits(10)), said(door, fruits(10), "q")
    query = vector_of("apple banana cherry damson elder fig grape")
    check(door.ask(lambda r: r.nearest("local", query, ("q",), None, 50)), there, query, 50)
    check(door.ask(lambda r: r.nearest("local", query, None, None, 50)), here | there, query, 50)
    assert door.ask(lambda r: r.nearest("local", query, (), None, 50)) == []
    assert door.ask(lambda r: r.nearest("local", query, ("q",), list(here), 50)) == []
    assert door.ask(lambda r: r.nearest("local", query, None, [10**15, -1], 50)) == []
    assert door.ask(lambda r: r.nearest("theirs", query, None, list(here), 50)) == []


def test_what_is_no_longer_active_is_not_near(door: Door) -> None:
    vectors = said(door, fruits(30))
    texts = fruits(30)
    query = vector_of("apple banana cherry damson elder fig grape")
    best = door.near("apple banana cherry damson elder fig grape", limit=5)
    for text in best:
        door.forget(_address(door, text))
    found = door.ask(lambda r: r.nearest("local", query, None, None, 30))
    rest = {entry: v for (entry, v), text in zip(sorted(vectors.items()), texts, strict=True) if text not in best}
    check(found, rest, query, 30)


def _address(door: Door, text: str) -> str:

    return address_of("claim", text)


def test_similarities_are_those_of_the_entries_that_have_a_vector(door: Door) -> None:
    vectors = said(door, fruits(5)) | said(door, fruits(3), "q")
    query = vector_of("apple kiwi")
    asked = [*vectors, 99, 10**15]
    found = door.ask(lambda r: r.similarities(asked, query))
    assert set(found) == set(vectors)
    for entry, score in found.items():
        assert score == pytest.approx(float(vectors[entry] @ query), abs=1e-6)
    assert door.ask(lambda r: r.similarities([], query)) == {}


def test_the_vectors_of_passages_are_those_that_were_saved_until_better_ones_come(door: Door) -> None:
    first, second, bare = (door.say_so(text).entry for text in ("apple", "banana", "cherry"))
    rows = np.stack([vector_of("apple"), vector_of("fig")])
    with door.store.writing() as writer:
        writer.index_vectors([(first, rows)])
    found = door.ask(lambda r: r.passage_vectors([first, second, 10**15]))
    assert {entry: kept.shape[0] for entry, kept in found.items()} == {first: 2, second: 1}
    assert to_bytes(found[first]) == to_bytes(rows)
    with door.store.writing() as writer:
        better = writer.unrefined(2)
        writer.refine([(entry, vector_of("olive")) for entry in better])
    assert better == [first, second]
    assert set(door.ask(lambda r: r.passage_vectors([first, second, bare]))) == {bare}


def test_vectors_are_the_same_before_and_after_they_were_searched(door: Door) -> None:
    vectors = said(door, fruits(40)) | said(door, ["apple", "kiwi"], project="q")
    long = in_passages(door, next(iter(vectors)))
    wanted = [*list(vectors)[::3], *list(vectors)[-2:], 10**15]
    before = door.ask(lambda r: r.vectors_of(wanted))
    door.ask(lambda r: r.nearest("local", vector_of("apple"), None, None, 3))
    searched = door.ask(lambda r: r.vectors_of(wanted))
    assert set(before) == set(searched) == set(wanted) - {10**15}
    mean = long.mean(axis=0) / np.linalg.norm(long.mean(axis=0))
    for entry, vector in before.items():
        assert searched[entry].tolist() == vector.tolist()
        assert vector == pytest.approx(mean if entry == wanted[0] else vectors[entry], abs=1e-3)
    newer = door.say_so("olive").entry
    assert door.ask(lambda r: r.vectors_of([newer]))[newer] == pytest.approx(vector_of("olive"), abs=1e-3)


def test_the_share_of_better_vectors_can_leave_out_what_was_saved_a_moment_ago(door: Door) -> None:
    assert door.ask(lambda r: r.refined(door.namespace, ("p",))) == 0.0
    said(door, fruits(3))
    assert door.ask(lambda r: r.refined(door.namespace, ("p",), 3)) == 0.0
    with door.store.writing() as writer:
        writer.refine([(entry, vector_of("olive")) for entry in writer.unrefined(10)])
    said(door, ["a new one"])
    assert door.ask(lambda r: r.refined(door.namespace, ("p",))) == pytest.approx(0.75)
    assert door.ask(lambda r: r.refined(door.namespace, ("p",), 1)) == 1.0
    assert door.ask(lambda r: r.refined(door.namespace, ("p",), 9)) == 0.0


def in_passages(door: Door, entry: int) -> np.ndarray:
    """The vectors of three passages, which are the entry's from now on."""
    passages = np.stack([vector_of("cherry"), vector_of("apple kiwi"), vector_of("fig")])
    with door.store.writing() as writer:
        writer.index_vectors([(entry, passages)])
    return passages


def test_each_passage_has_its_similarity_in_the_order_of_the_text(door: Door) -> None:
    one, other = door.say_so("apple").entry, door.say_so("banana").entry
    passages = in_passages(door, one)
    query = vector_of("apple kiwi")
    found = door.ask(lambda r: r.passage_similarities([other, one, 10**15], query))
    assert set(found) == {one, other}
    assert list(found[one]) == pytest.approx((passages @ query).tolist(), abs=1e-3)
    assert list(found[other]) == pytest.approx([float(vector_of("banana") @ query)], abs=1e-3)
    assert max(found[one]) == door.ask(lambda r: r.similarities([one], query))[one]
    assert door.ask(lambda r: r.passage_similarities([], query)) == {}


def test_what_is_written_after_a_search_is_found_by_the_next(door: Door) -> None:
    door.say("apple")
    assert door.near("apple banana") == ["apple"]
    door.say("banana")
    assert sorted(door.near("apple banana")) == ["apple", "banana"]
    door.say("cherry", project="q")
    assert door.near("cherry") == ["cherry"]


def test_replaced_vector_counts(door: Door) -> None:
    entry = door.say_so("apple").entry
    assert door.near("banana") == []
    with door.store.writing() as writer:
        writer.index_vectors([(entry, vector_of("banana"))])
    assert door.near("banana") == ["apple"]
    assert door.near("apple") == []


def test_vectors_of_another_model_replace_all(door: Door) -> None:
    entry = door.say_so("apple").entry
    door.near("apple")
    with door.store.writing() as writer:
        writer.clear_vectors("other/1", 3)
    assert door.ask(lambda r: r.vector_model()) == ("other/1", 3)
    query = np.array([1, 0, 0], dtype=np.float32)
    assert door.ask(lambda r: r.nearest("local", query, None, None, 5)) == []
    with door.store.writing() as writer:
        writer.index_vectors([(entry, query)])
    assert door.ask(lambda r: r.nearest("local", query, None, None, 5)) == [(entry, 1.0)]


def test_write_that_failed_leaves_no_vector_in_any_later_answer(door: Door) -> None:
    door.say("apple")
    with pytest.raises(RuntimeError), door.store.writing() as writer:  # noqa: PT012
        writer.index_vectors([(door.record(_address(door, "apple")).entry, vector_of("banana"))])
        assert writer.nearest("local", vector_of("banana"), None, None, 5)
        raise RuntimeError
    assert door.near("banana") == []
    assert door.near("apple") == ["apple"]


def test_new_node_of_a_write_that_failed_is_not_near(door: Door) -> None:

    door.say("apple")
    with pytest.raises(RuntimeError), door.store.writing() as writer:  # noqa: PT012
        entry, _ = writer.place("local", "p", Node.make("claim", "cherry"), START)
        writer.index_vectors([(entry, vector_of("cherry"))])
        writer.nearest("local", vector_of("cherry"), None, [entry], 5)
        raise RuntimeError
    entry = door.say_so("damson").entry
    assert door.ask(lambda r: r.nearest("local", vector_of("cherry"), None, [entry], 5)) == []
    assert door.near("damson") == ["damson"]


@given(
    st.integers(0, 60),
    st.integers(0, 70),
    st.one_of(st.none(), st.sets(st.integers(0, 70), max_size=20)),
    st.sets(st.integers(0, 70), max_size=10),
    st.integers(0, 2**32 - 1),
)
def test_matrix_agrees_with_sorting_everything(
    count: int, limit: int, within: set[int] | None, without: set[int], seed: int
) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.normal(size=(count, 4)).astype(np.float32)
    matrix = Matrix(4)
    half = count // 2
    matrix.extend(list(range(half)), [to_bytes(row) for row in rows[:half]])
    matrix.extend(list(range(half, count)), [to_bytes(row) for row in rows[half:]])
    query = chance.normal(size=4).astype(np.float32)
    kept = {n for n in range(count) if (within is None or n in within) and n not in without}
    scores = sorted(((float(from_bytes(to_bytes(rows[n]), len(rows[n])) @ query), -n) for n in kept), reverse=True)
    meant = [(-n, score) for score, n in scores if score > 0][:limit]
    found = matrix.nearest(query, limit, within, without)
    assert [n for n, _ in found] == [n for n, _ in meant]
    assert [s for _, s in found] == pytest.approx([s for _, s in meant], abs=1e-5)


def test_vectors_that_were_made_better_a_few_at_a_time_are_compared_as_they_are_now(door: Door) -> None:
    vectors = said(door, fruits(60))
    query = vector_of("apple banana")
    better = dict(zip(vectors, EMBEDDER.documents(fruits(60)[::-1]), strict=True))
    entries = sorted(vectors)
    for first in range(0, 40, 8):
        check(door.ask(lambda r: r.nearest("local", query, None, None, 60)), vectors, query, 60)
        some = [(entry, better[entry]) for entry in entries[first : first + 8]]
        with door.store.writing() as writer:
            writer.refine(some)
        vectors |= {entry: from_bytes(to_bytes(row), len(row)) for entry, row in some}
    vectors |= said(door, ["late apple", "late banana"])
    check(door.ask(lambda r: r.nearest("local", query, None, None, 70)), vectors, query, 70)


def test_what_was_made_better_takes_the_place_of_as_many_rows_as_it_had() -> None:
    rows = EMBEDDER.documents(fruits(9))
    known = Matrix(len(rows[0]))
    known.extend([4, 7, 9], [b"".join(map(to_bytes, some)) for some in (rows[:2], rows[2:3], rows[3:6])])
    made = known.replaced(0, 7, [4, 7], [to_bytes(rows[6]), b"".join(map(to_bytes, rows[7:9]))])
    assert made.view()[0].tolist() == [4, 7, 7, 9, 9, 9]
    assert made.view()[1].tolist() == pytest.approx(np.array([*rows[6:9], *rows[3:6]], dtype=np.float16))
    assert (made.last, len(known)) == (9, 6)


def test_a_text_of_several_passages_is_near_once_before_and_after_it_is_refined(door: Door) -> None:
    one, other = door.say_so("apple").entry, door.say_so("banana").entry
    passages = in_passages(door, one)
    query = vector_of("cherry apple kiwi fig")
    for _ in range(2):
        near = door.ask(lambda r: r.nearest("local", query, None, None, 10))
        assert sorted(entry for entry, _ in near if entry == one) == [one]
        with door.store.writing() as writer:
            writer.refine([(entry, passages if entry == one else vector_of("banana")) for entry in (one, other)])


def test_a_similarity_is_that_of_the_vector_that_was_written_last(door: Door) -> None:
    entry = door.say_so("apple").entry
    query = vector_of("apple kiwi")
    with door.store.writing() as writer:
        before = dict(writer.nearest("local", query, None, None, 10))[entry]
        writer.index_vectors([(entry, query)])
        assert writer.similarities([entry], query)[entry] > before
