"""The Merkle tree over the active set: 16-ary, three levels of inner nodes above the buckets, keyed by the address.

The tree's shape depends on the addresses alone, so equal sets have equal roots whatever their history. A change
touches one bucket and the three inner nodes above it; everything else keeps its hash.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable

BUCKET_DIGITS = 3
_DIGITS = "0123456789abcdef"
_EMPTY = bytes(32)


def bucket_hash(leaves: Iterable[bytes]) -> bytes:
    """Over the leaves whose addresses share their first digits, in sorted order; 32 zero bytes when there are none."""
    ordered = sorted(leaves)
    return hashlib.sha256(b"marrow bucket 1\n" + b"".join(ordered)).digest() if ordered else _EMPTY


def inner_hash(children: bytes) -> bytes:
    """Over the 16 hashes below an inner node."""
    return hashlib.sha256(b"marrow inner 1\n" + children).digest() if any(children) else _EMPTY


def no_children() -> bytes:
    return _EMPTY * 16


def with_child(children: bytes, digit: str, child: bytes) -> bytes:
    at = 32 * _DIGITS.index(digit)
    return children[:at] + child + children[at + 32 :]


def root_of(leaves: Iterable[tuple[str, bytes]]) -> str:
    """The root over (address, leaf) pairs, from nothing. What a store keeps up to date must equal this."""
    buckets: dict[str, list[bytes]] = defaultdict(list)
    for address, leaf in leaves:
        buckets[address[:BUCKET_DIGITS]].append(leaf)
    level = {prefix: bucket_hash(found) for prefix, found in buckets.items()}
    for _ in range(BUCKET_DIGITS):
        above: dict[str, bytes] = {}
        for prefix, child in level.items():
            above[prefix[:-1]] = with_child(above.get(prefix[:-1], no_children()), prefix[-1], child)
        level = {prefix: inner_hash(children) for prefix, children in above.items()}
    return level.get("", _EMPTY).hex()


EMPTY_ROOT = root_of(())
