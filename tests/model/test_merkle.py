"""The Merkle tree: its shape depends on the addresses alone."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from marrow.model.merkle import EMPTY_ROOT, bucket_hash, inner_hash, no_children, root_of, with_child

addresses = st.binary(min_size=32, max_size=32).map(bytes.hex)
pairs = st.lists(st.tuples(addresses, st.binary(min_size=32, max_size=32)), max_size=12)


def test_empty_root_is_zero_and_no_set_of_leaves_has_it() -> None:
    assert EMPTY_ROOT == "0" * 64
    assert root_of([("0" * 64, bytes(32))]) != EMPTY_ROOT


@given(pairs, st.randoms(use_true_random=False))
def test_order_does_not_matter(leaves: list[tuple[str, bytes]], chance: Any) -> None:
    shuffled = list(leaves)
    chance.shuffle(shuffled)
    assert root_of(shuffled) == root_of(leaves)


@given(pairs, addresses, st.binary(min_size=32, max_size=32))
def test_one_leaf_more_is_another_root(leaves: list[tuple[str, bytes]], address: str, leaf: bytes) -> None:
    assert root_of([*leaves, (address, leaf)]) != root_of(leaves)


@given(pairs, st.data())
def test_a_changed_leaf_is_another_root(leaves: list[tuple[str, bytes]], data: st.DataObject) -> None:
    assume(leaves)
    at = data.draw(st.integers(0, len(leaves) - 1))
    flipped = bytes([leaves[at][1][0] ^ 1]) + leaves[at][1][1:]
    assert root_of([*leaves[:at], (leaves[at][0], flipped), *leaves[at + 1 :]]) != root_of(leaves)


def test_root_of_one_leaf_is_the_path_of_hashes_above_it() -> None:
    address, leaf = "a1f3" + "0" * 60, b"\x07" * 32
    below = hashlib.sha256(b"marrow bucket 1\n" + leaf).digest()
    assert bucket_hash([leaf]) == below
    for digit in "3f1a":
        below = inner_hash(with_child(no_children(), digit, below))
    assert root_of([(address, leaf)]) == below.hex()


@given(
    st.dictionaries(st.sampled_from("0123456789abcdef"), st.binary(min_size=32, max_size=32).filter(any)), st.randoms()
)
def test_children_stand_in_the_order_of_their_digits(known: dict[str, bytes], order: random.Random) -> None:
    children = no_children()
    for digit in order.sample(sorted(known), len(known)):
        children = with_child(children, digit, known[digit])
    assert children == b"".join(digit.encode() + known[digit] for digit in sorted(known))
    for digit in known:
        assert with_child(with_child(children, digit, bytes(32)), digit, known[digit]) == children
