"""Addresses: what names a node.

An address is the SHA-256 of one canonical byte form of kind, content and sorted inputs. The form carries the name of
its layout and of its hash, so that a later change of either can never be taken for this one. Test vectors pin it in
`tests/model/address_vectors.json`; a change that breaks one of them changes every address ever given.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from .errors import Invalid

ALGORITHM = "sha256"
LAYOUT = b"marrow node 1 sha256\n"
HEX_LENGTH = 64
SHOWN_LENGTH = 12
PREFIX_LENGTH_MIN = 6

_ADDRESS = re.compile(r"[0-9a-f]{64}\Z")
_PREFIX = re.compile(r"[0-9a-f]{6,64}\Z")


def field(value: bytes) -> bytes:
    """One length-prefixed field. Lengths keep two different splits of the same bytes apart."""
    return b"%d:%s\n" % (len(value), value)


def fields(*texts: str) -> bytes:
    """Several texts, a field each. Plain ones are put together as text, in a third of the time."""
    joined = "".join([f"{len(text)}:{text}\n" for text in texts])
    return joined.encode() if joined.isascii() else b"".join([field(text.encode()) for text in texts])


def canonical(kind: str, content: str, inputs: Iterable[str] = ()) -> bytes:
    """The bytes that an address is the hash of. Inputs are a set: their order and repetition say nothing."""
    return b"".join(
        [LAYOUT, field(kind.encode()), field(content.encode()), *(field(i.encode()) for i in sorted(set(inputs)))]
    )


def address_of(kind: str, content: str, inputs: Iterable[str] = ()) -> str:
    """The whole address, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(kind, content, inputs)).hexdigest()


def shown(address: str) -> str:
    """The form that people and agents see."""
    return address[:SHOWN_LENGTH]


def is_address(text: str) -> bool:
    return _ADDRESS.match(text) is not None


def parse_prefix(text: object, *, field: str = "address") -> str:
    """What a caller gave as an address, as a lower-case prefix of 6 to 64 digits; the algorithm may stand before it."""
    if not isinstance(text, str):
        raise Invalid(f"An address is text, not {type(text).__name__}.", field=field)
    prefix = text.strip().lower().removeprefix(ALGORITHM + ":")
    if _PREFIX.match(prefix) is None:
        raise Invalid(
            f"{text[:80]!r} is not an address.",
            hint=f"An address is {PREFIX_LENGTH_MIN} to {HEX_LENGTH} hexadecimal digits, as in search results.",
            field=field,
        )
    return prefix
