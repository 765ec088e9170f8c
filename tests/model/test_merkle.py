"""The Merkle tree: its shape depends on the addresses alone."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from marrow.model.merkle import (
    BUCKET_DIGITS,
    EMPTY_ROOT,
    bucket_hash,
    inner_hash,
    no_children,
    root_of,
    with_child,
    with_children,
)

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
    address, leaf = "a1f" + "0" * 61, b"\x07" * 32
    below = hashlib.sha256(b"marrow bucket 1\n" + leaf).digest()
    assert bucket_hash([leaf]) == below
    for digit in reversed(address[:BUCKET_DIGITS]):
        below = hashlib.sha256(b"marrow inner 1\n" + digit.encode() + below).digest()
    assert root_of([(address, leaf)]) == below.hex()


def test_root_of_a_known_set_never_changes() -> None:
    """A change of the tree's layout is a change of every root ever given: this one is pinned."""
    leaves = [(hashlib.sha256(bytes([n])).hexdigest(), hashlib.sha256(bytes([n, n])).digest()) for n in range(40)]
    assert root_of(leaves) == "8c8debac55a8446181dcb45f7ebd4f11d051126afa42c07402f0ec64a4f1b9d7"


@given(
    st.dictionaries(st.sampled_from("0123456789abcdef"), st.binary(min_size=32, max_size=32).filter(any), max_size=16)
)
def test_children_do_not_depend_on_the_order_in_which_they_came(children: dict[str, bytes]) -> None:
    one = two = no_children()
    for digit, child in children.items():
        one = with_child(one, digit, child)
    for digit, child in reversed(children.items()):
        two = with_child(with_child(two, digit, bytes([1] * 32)), digit, child)
    assert one == two
    assert (inner_hash(one) == bytes(32)) == (not children)
    for digit in children:
        one = with_child(one, digit, bytes(32))
    assert one == no_children()


@given(
    st.dictionaries(st.sampled_from("0123456789abcdef"), st.binary(min_size=32, max_size=32).filter(any), max_size=16),
    st.sampled_from("0123456789abcdef"),
    st.binary(min_size=32, max_size=32),
)
def test_one_child_changes_as_it_does_among_several(children: dict[str, bytes], digit: str, child: bytes) -> None:
    before = with_children(no_children(), children)
    others = {name: hashed for name, hashed in children.items() if name != digit}
    assert with_child(before, digit, child) == with_children(no_children(), {**others, digit: child})
    assert with_child(before, digit, bytes(32)) == with_children(no_children(), others)
