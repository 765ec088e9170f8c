"""Derivations: declared computations of one thing from another, and what came of each. Derived: outside the chain, the
root and `as_of`, and made again at any time.

The input of a derivation is a digest: a node's address, or the sha256 of a media file's bytes. One row is kept for each
(input, name). It is due when it is not there, when it was made by another version, or when what it was made from has
changed, which its `basis` says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Invalid, TooLarge

DONE, FAILED, DUE = "done", "failed", "due"
DERIVED_STATES = (DONE, FAILED, DUE)
CONTENT = "content"
LOCAL, USER = "local", "user"
STOP, KEEP = "stop", "keep"
# When it is computed: with the save itself, after a batch of documents, in the background, or from a media file.
AT_SAVE, AT_ONCE, LATER, OF_FILE = "at_save", "at_once", "later", "of_file"
VALUE_BYTES_MAX = 2 * 1024 * 1024
ERROR_LENGTH_MAX = 1000
NAME_LENGTH_MAX, VERSION_LENGTH_MAX, PATH_LENGTH_MAX = 60, 60, 4096
_DIGEST = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Derivation:
    """What is computed: `of` the content or other derivations of the same input, for nodes of these `kinds` (none: of
    every kind). A new `version` has everything computed again. `on_error` "keep" notes an error and goes on, "stop"
    ends the batch with it."""

    name: str
    version: str = "1"
    of: tuple[str, ...] = (CONTENT,)
    kinds: tuple[str, ...] = ()
    provider: str = LOCAL
    on_error: str = KEEP
    when: str = LATER
    what: str = ""

    def is_for(self, kind: str) -> bool:
        return not self.kinds or kind in self.kinds


@dataclass(frozen=True, slots=True)
class Derived:
    """What came of a derivation. `value` is JSON and `digest` its sha256; `basis` is the digest over the version and
    the digests of what it was made from. `path` and `project` are those of a media file, for another attempt."""

    input: str
    name: str
    version: str
    state: str = DONE
    value: str = ""
    digest: str = ""
    basis: str = ""
    error: str = ""
    provider: str = LOCAL
    model: str = ""
    tokens: int = 0
    cost_usd: float = 0.0
    ms: float = 0.0
    at: int = 0
    actor: str = ""
    attempts: int = 0
    path: str = ""
    project: str = ""

    @property
    def result(self) -> Any:
        """The value as Python has it; None where there is none."""
        return json.loads(self.value) if self.value else None


@dataclass(frozen=True, slots=True)
class DerivedCount:
    """How many rows of a derivation there are of each version and state, and what they cost."""

    name: str
    version: str
    state: str
    count: int
    tokens: int = 0
    cost_usd: float = 0.0


def value_text(value: object) -> str:
    """A value in its one stored form: sorted, compact, bounded JSON."""
    try:
        text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        size = len(text) if text.isascii() else len(text.encode())
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(
            f"What a derivation gives must be plain JSON: {str(problem)[:200]}",
            hint="Give texts, numbers, true, false, null, lists and objects with text keys.",
            field="value",
        ) from problem
    if size > VALUE_BYTES_MAX:
        raise TooLarge(
            f"The value has {size:,} bytes; at most {VALUE_BYTES_MAX:,} are kept.",
            hint="Give less of it, or a number.",
            field="value",
        )
    return text


def value_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def basis_of(name: str, version: str, digests: Iterable[str]) -> str:
    """The digest over what decides about a value: which computation, and the digests of what it is made from."""
    return hashlib.sha256("\n".join((name, version, *digests)).encode()).hexdigest()


def is_digest(given: object) -> bool:
    return isinstance(given, str) and _DIGEST.fullmatch(given) is not None


def check_derivation(one: Derivation) -> Derivation:
    """Raise Invalid, naming the field, for what cannot be declared."""
    if not (
        isinstance(one.name, str)
        and one.name.isidentifier()
        and one.name.isascii()
        and one.name == one.name.lower()
        and len(one.name) <= NAME_LENGTH_MAX
        and one.name != CONTENT
    ):
        raise Invalid(
            f"{str(one.name)[:60]!r} is no name of a derivation.", hint="A short lower-case word.", field="name"
        )
    if not (isinstance(one.version, str) and 0 < len(one.version) <= VERSION_LENGTH_MAX and one.version.isprintable()):
        raise Invalid(f"The version of {one.name} is a short text.", hint='Such as "1".', field="version")
    for field, given in (("of", one.of), ("kinds", one.kinds)):
        if not isinstance(given, tuple) or not all(isinstance(part, str) and part for part in given):
            raise Invalid(f"{field} of {one.name} is a list of names.", field=field)
    if not one.of:
        raise Invalid(f"{one.name} is of nothing.", hint='of=["content"] is of the text itself.', field="of")
    if one.on_error not in (STOP, KEEP):
        raise Invalid(f"on_error of {one.name} is {STOP} or {KEEP}.", field="on_error")
    return one


def in_order(declared: Sequence[Derivation]) -> tuple[list[Derivation], dict[str, str]]:
    """Derivations such that each comes after what it is made of; and of those that never can be computed, why: they are
    of something that nobody declares, or of each other."""
    by_name = {one.name: one for one in declared}
    ordered: list[Derivation] = []
    placed: set[str] = {CONTENT}
    waiting = list(by_name.values())
    while waiting:
        ready = [one for one in waiting if all(part in placed for part in one.of)]
        if not ready:
            break
        ordered += ready
        placed |= {one.name for one in ready}
        waiting = [one for one in waiting if one.name not in placed]
    return ordered, {one.name: _why_never(one, by_name) for one in waiting}


def _why_never(one: Derivation, by_name: Mapping[str, Derivation]) -> str:
    unknown = [part for part in one.of if part != CONTENT and part not in by_name]
    if unknown:
        return f"It is of {unknown[0]}, which nothing declares."
    return f"It is of {', '.join(one.of)}, which can never be computed."


def dependents_of(name: str, declared: Sequence[Derivation]) -> list[str]:
    """The names of what is made of this one, directly or not, nearest first."""
    found: list[str] = []
    near = {name}
    while near:
        near = {one.name for one in declared if near.intersection(one.of)} - set(found) - {name}
        found += sorted(near)
    return found
