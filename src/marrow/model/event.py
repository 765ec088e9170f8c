"""Events: the append-only log of changes, one chain of hashes a namespace.

An event names the nodes that it touched by salted commitments. Erasing a node removes the salt and the address; the
commitment stays, so the chain still verifies, and without the salt a guess at the address cannot be checked.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from .address import field, fields

CONSCIOUS, SUBCONSCIOUS, SYSTEM = "conscious", "subconscious", "system"
SALT_BYTES = 16
NO_HASH = "0" * 64


@dataclass(frozen=True, slots=True)
class Touched:
    """One node in an event. `address` and `salt` are None once it was erased."""

    commitment: bytes
    salt: bytes | None
    address: str | None

    @classmethod
    def make(cls, address: str, salt: bytes) -> Touched:
        return cls(hashlib.sha256(salt + bytes.fromhex(address)).digest(), salt, address)

    def holds(self) -> bool:
        if self.address is None or self.salt is None:
            return self.address is None and self.salt is None
        return hashlib.sha256(self.salt + bytes.fromhex(self.address)).digest() == self.commitment


@dataclass(frozen=True, slots=True)
class Event:
    """`detail` is the hash of what the event did, never the content; `root` the Merkle root after it."""

    seq: int
    at: int
    actor: str
    operation: str
    layer: str
    summary: str
    project: str
    domain: str
    touched: tuple[Touched, ...]
    detail: str
    root: str
    previous: str
    hash: str = ""

    def sealed(self) -> Event:
        """The same event with its hash, which covers everything in it and the event before it."""
        # What `replace` would do in four times the time.
        return Event(
            self.seq,
            self.at,
            self.actor,
            self.operation,
            self.layer,
            self.summary,
            self.project,
            self.domain,
            self.touched,
            self.detail,
            self.root,
            self.previous,
            self.digest(),
        )

    def digest(self) -> str:
        about = (self.actor, self.operation, self.layer, self.summary, self.project, self.domain)
        said = b"marrow event 1 sha256\n" + fields(str(self.seq), str(self.at), *about)
        touched = field(b"".join([t.commitment for t in self.touched]))
        return hashlib.sha256(said + touched + fields(self.detail, self.root, self.previous)).hexdigest()


@dataclass(frozen=True, slots=True)
class Head:
    """Where a namespace's chain ends."""

    seq: int = 0
    at: int = 0
    hash: str = NO_HASH
    root: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A named root: nothing but a sequence number, so it costs nothing to keep."""

    name: str
    seq: int
    root: str
    at: int
    tags: tuple[str, ...] = ()
    note: str = ""
