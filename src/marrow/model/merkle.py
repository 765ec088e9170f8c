"""The Merkle tree over the active set: 16-ary, four levels of inner nodes above the buckets, keyed by the address.

The tree's shape depends on the addresses alone, so equal sets have equal roots whatever their history. A change
touches one bucket and the inner nodes above it; everything else keeps its hash.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping

BUCKET_DIGITS = 4
_EMPTY = bytes(32)
_CHILD_BYTES = 33


def bucket_hash(leaves: Iterable[bytes]) -> bytes:
    """Over the leaves whose addresses share their first digits, in sorted order; 32 zero bytes when there are none."""
    ordered = sorted(leaves)
    return hashlib.sha256(b"marrow bucket 1\n" + b"".join(ordered)).digest() if ordered else _EMPTY


def inner_hash(children: bytes) -> bytes:
    """Over what is below an inner node: for each child that is not empty its digit and its hash, in order."""
    return hashlib.sha256(b"marrow inner 1\n" + children).digest() if children else _EMPTY


def no_children() -> bytes:
    return b""


def child_of(children: bytes, digit: str) -> bytes:
    """The hash of one child; 32 zero bytes when there is none."""
    for at in range(0, len(children), _CHILD_BYTES):
        if children[at : at + 1] == digit.encode():
            return children[at + 1 : at + _CHILD_BYTES]
    return _EMPTY


def with_child(children: bytes, digit: str, child: bytes) -> bytes:
    """The children with one of them changed, added, or taken away when it is empty."""
    return _with_one(children, digit.encode(), child)


def with_children(children: bytes, changed: Mapping[str, bytes]) -> bytes:
    """The same for several of them at once."""
    if len(changed) == 1:
        ((digit, child),) = changed.items()
        return _with_one(children, digit.encode(), child)
    parts = {children[at : at + 1]: children[at : at + _CHILD_BYTES] for at in range(0, len(children), _CHILD_BYTES)}
    for digit, child in changed.items():
        name = digit.encode()
        if child != _EMPTY:
            parts[name] = name + child
        else:
            parts.pop(name, None)
    return b"".join([parts[key] for key in sorted(parts)])


def _with_one(children: bytes, name: bytes, child: bytes) -> bytes:
    """The same for one, which is what a save has: nothing is taken apart."""
    names = children[::_CHILD_BYTES]
    at = bisect_left(names, name[0])
    end = at + (names[at : at + 1] == name)
    middle = name + child if child != _EMPTY else b""
    return children[: at * _CHILD_BYTES] + middle + children[end * _CHILD_BYTES :]


def by_parent(below: Mapping[str, bytes]) -> dict[str, dict[str, bytes]]:
    """The hashes of one level, under the prefixes of the level above it."""
    found: dict[str, dict[str, bytes]] = {}
    for prefix, child in below.items():
        found.setdefault(prefix[:-1], {})[prefix[-1]] = child
    return found


def prefixes(digits: int) -> list[str]:
    """The names of all inner nodes that stand at this depth."""
    return [f"{number:0{digits}x}" for number in range(16**digits)] if digits else [""]


def levels(leaves: Iterable[tuple[str, bytes]]) -> list[dict[str, bytes]]:
    """The children of every inner node over (address, leaf) pairs, the deepest level first, the root's last."""
    buckets: dict[str, list[bytes]] = defaultdict(list)
    for address, leaf in leaves:
        buckets[address[:BUCKET_DIGITS]].append(leaf)
    below = {prefix: bucket_hash(found) for prefix, found in buckets.items()}
    found_levels: list[dict[str, bytes]] = []
    for _ in range(BUCKET_DIGITS):
        above = {parent: with_children(no_children(), children) for parent, children in by_parent(below).items()}
        found_levels.append(above)
        below = {prefix: inner_hash(children) for prefix, children in above.items()}
    return found_levels


def root_of(leaves: Iterable[tuple[str, bytes]]) -> str:
    """The root over (address, leaf) pairs, from nothing. What a store keeps up to date must equal this."""
    return inner_hash(levels(leaves)[-1].get("", no_children())).hex()


EMPTY_ROOT = root_of(())
