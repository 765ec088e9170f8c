"""The door for what derivations gave. There is no event for it, and no root: it can be made again at any time.

Everything else is as at the other doors: what comes in is checked, and nothing reaches the disk before its secrets are
out. What is derived from a node that was erased meanwhile is not kept: it would bring back what is gone.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import replace

from ..model.derivation import (
    DERIVED_STATES,
    DONE,
    ERROR_LENGTH_MAX,
    NAME_LENGTH_MAX,
    PATH_LENGTH_MAX,
    VALUE_BYTES_MAX,
    VERSION_LENGTH_MAX,
    Derived,
    is_digest,
    value_digest,
    value_text,
)
from ..model.errors import Invalid
from ..model.redact import redact_value
from ..model.scope import WRITE, Principal
from ..model.standing import MOMENT_MAX
from .admit import MOMENT_MIN, check_text
from .protocol import Store, Writer
from .receive import redacted_name

_NAMES = ("provider", "model", "actor", "path", "project")


def keep_derived(
    store: Store,
    principal: Principal,
    namespace: str,
    rows: Sequence[Derived],
    *,
    project: str | None = None,
    redact_extra: Sequence[str] = (),
    clean: Collection[str] = (),
    stale: Sequence[tuple[str, str]] = (),
) -> list[Derived]:
    """Keep rows, and mark as due those of which `stale` gives input and name, in one transaction; what was kept.

    `project` is where the right to write is asked for; None: in all. `clean` are the names of derivations whose values
    hold nothing but what is in their nodes, which are redacted."""
    principal.check(WRITE, namespace, project)
    check_text(namespace, "namespace", needed=True)
    given = [admitted(row, tuple(redact_extra), is_clean=row.name in clean) for row in rows]
    if not given and not stale:
        return []
    with store.writing() as writer:
        return place_derived(writer, namespace, given, stale)


def place_derived(
    writer: Writer, namespace: str, rows: Sequence[Derived], stale: Sequence[tuple[str, str]] = ()
) -> list[Derived]:
    """For use inside a transaction, such as the door's `also`, with rows that are `admitted`."""
    there = writer.placed(namespace, sorted({row.input for row in rows if not row.path}))
    # What was read from a file is known before there is a node of it.
    kept = [row for row in rows if row.path or row.input in there]
    writer.keep_derived(namespace, kept)
    for given, name in stale:
        writer.mark_due(namespace, (given,), (name,))
    return kept


def admitted(row: Derived, redact_extra: tuple[str, ...] = (), *, is_clean: bool = False) -> Derived:
    """A row as it may be kept, without secrets; Invalid, naming the field, for what cannot be one."""
    if not is_digest(row.input):
        raise Invalid(
            f"{str(row.input)[:80]!r} is no digest.", hint="An address, or a file's sha256 in 64 digits.", field="input"
        )
    for field, size in (("name", NAME_LENGTH_MAX), ("version", VERSION_LENGTH_MAX)):
        check_text(getattr(row, field), field, needed=True, bytes_max=size)
    for field in _NAMES:
        check_text(getattr(row, field), field, bytes_max=PATH_LENGTH_MAX)
    if row.state not in DERIVED_STATES:
        raise Invalid(f"{row.state!r} is no state.", hint=f"One of {', '.join(DERIVED_STATES)}.", field="state")
    if not MOMENT_MIN <= row.at <= MOMENT_MAX:
        raise Invalid("at is no moment that can be kept.", hint="Give microseconds since 1970.", field="at")
    if row.basis and not is_digest(row.basis):
        raise Invalid("The basis of a derived value is a digest.", field="basis")
    value = _value_of(row, redact_extra, is_clean)
    path = redacted_name(row.path, redact_extra) if row.path else ""
    error = _storable(redacted_name(row.error, redact_extra))[:ERROR_LENGTH_MAX] if row.error else ""
    digest = "" if not value else row.digest if value == row.value and row.digest else value_digest(value)
    return replace(row, value=value, digest=digest, error=error, path=path)


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def _value_of(row: Derived, extra: tuple[str, ...], is_clean: bool) -> str:
    if not row.value:
        if row.state == DONE:
            raise Invalid("What is done has a value.", hint="null is one.", field="value")
        return ""
    check_text(row.value, "value", bytes_max=VALUE_BYTES_MAX)
    if is_clean:
        return row.value
    try:
        found = json.loads(row.value)
    except (ValueError, RecursionError) as problem:
        raise Invalid("The value of a derivation is JSON text.", field="value") from problem
    return value_text(redact_value(found, extra).value)


__all__ = ["admitted", "keep_derived", "place_derived"]
