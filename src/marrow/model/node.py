"""Nodes and where they were said: the immutable half of the memory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .address import address_of, fields
from .errors import Invalid, TooLarge

KINDS = (
    "claim observation summary learning decision incident meeting design log document code commit conversation gap "
    "question checkpoint handoff arc task preference pipeline vector survey view"
).split()

# What these kinds say happened: it is not edited, only added to. Every other kind says what holds, and can be updated.
EPISODIC_KINDS = frozenset("observation incident meeting log commit conversation checkpoint handoff survey".split())

# What readers take in from files, code hosts and recordings: these are from somewhere, and much is derived from them.
DOCUMENT_KINDS = ("document", "code", "decision", "incident", "meeting", "design", "log", "conversation", "commit")

METADATA_BYTES_MAX = 64 * 1024
GLOBAL_PROJECT = ""
# A view says who may see what: only an administrator makes and changes one.
VIEW = "view"


@dataclass(frozen=True, slots=True)
class Node:
    """An immutable record. Its address follows from the other three fields and nothing else."""

    kind: str
    content: str
    inputs: tuple[str, ...]
    address: str

    @classmethod
    def make(cls, kind: str, content: str, inputs: Iterable[str] = ()) -> Node:
        ordered = tuple(sorted(set(inputs)))
        return cls(kind, content, ordered, address_of(kind, content, ordered))

    def is_true_to_address(self) -> bool:
        return address_of(self.kind, self.content, self.inputs) == self.address


@dataclass(frozen=True, slots=True)
class Occurrence:
    """Where and when a node was said. `metadata` is canonical JSON text, so that the value stays a value."""

    at: int
    thread: str = ""
    user: str = ""
    service: str = ""
    source: str = ""
    chain: str = ""
    metadata: str = "{}"

    @property
    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.metadata)
        return found

    def identity(self) -> bytes:
        """Equal occurrences are one: a repeated save or import adds nothing."""
        said = fields(str(self.at), self.thread, self.user, self.service, self.source, self.chain, self.metadata)
        return hashlib.sha256(said).digest()[:16]


def metadata_text(metadata: Mapping[str, object] | None) -> str:
    """Metadata in its one stored form: sorted, compact, bounded JSON."""
    if not metadata:
        return "{}"
    if not isinstance(metadata, Mapping) or not all(isinstance(k, str) for k in metadata):
        raise Invalid("Metadata is an object with text keys.", field="metadata")
    try:
        text = json.dumps(metadata, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"Metadata must be plain JSON: {problem}", field="metadata") from problem
    if size > METADATA_BYTES_MAX:
        raise TooLarge(f"Metadata has {size:,} bytes; at most {METADATA_BYTES_MAX:,} are kept.", field="metadata")
    return text
