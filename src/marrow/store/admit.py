"""What the door lets in: values of the right kind, texts that can be written, times that have come.

The verbs check what their callers give and say it in their words; this is the second lock, the same for every caller.
It looks at the change alone, before anything is read or written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from ..model.address import is_address
from ..model.change import (
    Change,
    Copy,
    Merge,
    NameProject,
    Pin,
    Reinforce,
    Relate,
    Restate,
    Say,
    Step,
    Supersede,
    TakeSnapshot,
)
from ..model.errors import Invalid, TooLarge
from ..model.link import ANCHOR_TYPES, Anchor, Link, check_rel
from ..model.moments import MICROS_PER_DAY, iso
from ..model.node import METADATA_BYTES_MAX, Occurrence
from ..model.standing import MOMENT_MAX, Standing
from ..model.text import clean

NAME_BYTES_MAX = 4096
# From the first to the last moment that a calendar can show: the years 1 to 9999.
MOMENT_MIN = -62_135_596_800_000_000
COUNT_MAX = 2**40
_STANDING_FIELDS = frozenset(f.name for f in fields(Standing))
_FLAGS = ("semantic", "pinned", "preliminary")
_MOMENTS = ("reinforced_at", "changed_at")


def admit(change: Change, now: int) -> None:
    """Raise Invalid, naming the field, for what cannot be a change. `now` is the clock that times are judged by."""
    for name in ("operation", "actor", "namespace"):
        check_text(getattr(change, name), name, needed=True)
    for name in ("project", "layer"):
        check_text(getattr(change, name), name)
    for alias in change.aliases:
        check_text(alias, "aliases", needed=True)
    check_text(change.summary, "summary", bytes_max=METADATA_BYTES_MAX)  # It is cut later.
    _check_names(change.aliases, "aliases")
    for step in change.steps:
        admit_step(step, now)


def admit_step(step: Step, now: int) -> None:
    """The same for one step: for whoever looks at many before the first of them is written."""
    check = _CHECKS.get(type(step))
    if check is not None:
        check(step, now)


def check_text(value: object, field: str, *, needed: bool = False, bytes_max: int = NAME_BYTES_MAX) -> None:
    if value == "" and not needed:
        return
    if not isinstance(value, str):
        raise Invalid(f"{field} is text, not {type(value).__name__}.", hint="Give it as text.", field=field)
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise Invalid(f"{field} is not valid Unicode.", hint="Decode it as UTF-8 first.", field=field) from None
    if "\x00" in value:
        raise Invalid(f"{field} contains a NUL character.", hint="Binary data is not kept as text.", field=field)
    if size > bytes_max:
        raise TooLarge(f"{field} has {size:,} bytes; at most {bytes_max:,} are kept.", hint="Shorten it.", field=field)
    if needed and not value.strip():
        raise Invalid(f"{field} is empty.", hint=f"Give a {field}.", field=field)


def check_addresses(values: Iterable[object], field: str) -> None:
    for value in values:
        if not isinstance(value, str) or not is_address(value):
            raise Invalid(
                f"{str(value)[:80]!r} is not a whole address.", hint="An address is 64 hexadecimal digits.", field=field
            )


def _check_names(values: object, field: str) -> None:
    if not isinstance(values, tuple):
        raise Invalid(f"{field} is a tuple of texts, not {type(values).__name__}.", hint="Give a list.", field=field)
    for value in values:
        check_text(value, field)


def _check_whole(value: object, field: str, least: int = MOMENT_MIN, most: int = MOMENT_MAX) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Invalid(f"{field} is no whole number that can be kept.", hint=f"From {least} to {most}.", field=field)


def _check_occurrence(said: Occurrence, now: int | None) -> None:
    _check_whole(said.at, "at")
    if now is not None and said.at > now + MICROS_PER_DAY:
        raise Invalid(
            f"{iso(said.at)} lies in the future.", hint="Give the time at which it was said or happened.", field="at"
        )
    for name in ("thread", "user", "service", "source", "chain"):
        check_text(getattr(said, name), name)
    check_text(said.metadata, "metadata", bytes_max=METADATA_BYTES_MAX)
    _check_object(said.metadata, "metadata")


def _check_object(text: str, field: str) -> None:
    if text == "{}":
        return
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Invalid(f"{field} is an object as JSON text.", hint='Such as {"owner": "ada"}.', field=field)


def _check_standing(standing: Standing) -> None:
    for name in ("domain", "reason", "salt"):
        check_text(getattr(standing, name), name, bytes_max=METADATA_BYTES_MAX)
    for name in ("tags", "aliases"):
        _check_names(getattr(standing, name), name)
    for name in _FLAGS:
        if not isinstance(getattr(standing, name), bool):
            raise Invalid(f"{name} is true or false.", hint="Give true or false.", field=name)
    if standing.approved is not None and not isinstance(standing.approved, bool):
        raise Invalid("approved is true, false or nothing.", hint="Give true, false or null.", field="approved")
    for name in _MOMENTS:
        _check_whole(getattr(standing, name), name)
    for name, least in (("reinforced", 0), ("generation", 1)):
        _check_whole(getattr(standing, name), name, least, COUNT_MAX)
    if standing.expires_at is not None:
        _check_whole(standing.expires_at, "expires_at")


def _check_changes(changes: Iterable[tuple[str, object]]) -> None:
    given: dict[str, Any] = dict(changes)
    for name in given:
        if name not in _STANDING_FIELDS:
            known = ", ".join(sorted(_STANDING_FIELDS))
            raise Invalid(f"{str(name)[:60]!r} is no part of standing.", hint=f"One of {known}.", field="standing")
    _check_standing(Standing(**given))


def _check_anchors(anchors: Iterable[Anchor]) -> None:
    for anchor in anchors:
        if anchor.type not in ANCHOR_TYPES:
            raise Invalid(f"{anchor.type!r} is no anchor.", hint=f"One of {', '.join(ANCHOR_TYPES)}.", field="anchors")
        check_text(anchor.target, "anchors", needed=True)
        check_text(anchor.detail, "anchors", bytes_max=METADATA_BYTES_MAX)
        _check_object(anchor.detail, "anchors")


def _say(step: Say, now: int) -> None:
    check_text(step.kind, "kind", needed=True)
    _check_occurrence(step.occurrence, now)
    _check_standing(step.standing)
    _check_anchors(step.anchors)
    check_addresses(step.inputs, "inputs")
    check_addresses((target for _, target in step.links), "links")


def _supersede(step: Supersede, now: int) -> None:
    check_addresses([step.old], "address")
    _check_occurrence(step.occurrence, now)
    check_text(step.reason, "reason", bytes_max=METADATA_BYTES_MAX)
    _check_changes(step.changes)


def _restate(step: Restate, now: int) -> None:
    check_addresses([step.address], "address")
    check_text(step.reason, "reason", bytes_max=METADATA_BYTES_MAX)
    _check_changes(step.changes)


def _reinforce(step: Reinforce, now: int) -> None:
    check_addresses([step.address], "address")


def _relate(step: Relate, now: int) -> None:
    check_addresses([step.source], "source")
    check_addresses([step.target], "target")


def _pin(step: Pin, now: int) -> None:
    check_addresses([step.address], "address")
    _check_anchors((*step.opened, *step.closed))


def _take_snapshot(step: TakeSnapshot, now: int) -> None:
    check_text(step.name, "name", needed=True)
    _check_names(step.tags, "tags")
    check_text(step.note, "note", bytes_max=METADATA_BYTES_MAX)


def _name_project(step: NameProject, now: int) -> None:
    check_text(step.name, "project")
    _check_names(step.aliases, "aliases")


def _merge(step: Merge, now: int) -> None:
    for copy in step.copies:
        _check_copy(copy)
    for link in step.links:
        _check_link(link)
    for project in step.projects:
        _name_project(project, now)


def _check_copy(copy: Copy) -> None:
    """Content that this door would not have let in is not let in by way of another memory. Its form is kept: it is
    part of the address."""
    check_text(copy.project, "project")
    check_text(copy.node.kind, "kind", needed=True)
    clean(copy.node.content, field="source")
    check_addresses(copy.node.inputs, "inputs")
    if not copy.occurrences:
        raise Invalid(
            f"Node {copy.node.address[:12]} was never said.", hint="A copy has at least one occurrence.", field="source"
        )
    for said in copy.occurrences:
        _check_occurrence(said, None)
    _check_standing(copy.standing)
    _check_anchors(copy.anchors)


def _check_link(link: Link) -> None:
    check_addresses((link.source, link.target), "links")
    check_rel(link.rel)
    check_text(link.project, "project")
    _check_whole(link.at, "at")


_CHECKS: dict[type, Callable[[Any, int], None]] = {
    Say: _say,
    Supersede: _supersede,
    Restate: _restate,
    Reinforce: _reinforce,
    Relate: _relate,
    Pin: _pin,
    TakeSnapshot: _take_snapshot,
    NameProject: _name_project,
    Merge: _merge,
}
