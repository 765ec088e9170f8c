"""Commits that were amended, rebased or reset away leave memory, once nothing in git reaches them.

A row says which HEAD was read last, in which repository, and which earlier ones HEAD does not come from: another branch
still has them, and when it is gone they leave too. Only what was read in this repository is asked about: what a clone
does not have may never have been fetched.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

from ...ingest.history import path_of
from ...repository.head import head_of, is_shallow, repository_at
from ...repository.reachable import is_before_head, unreached
from ..engine import Asker, Engine
from .bookmark import bookmark, keep_bookmark

HISTORY = "#history"
WAITING_MAX = 8


class Rewritten(NamedTuple):
    """The paths of commits that are to leave, and what is to be noted when they have; None where nothing moved."""

    gone: tuple[str, ...] = ()
    noted: Mapping[str, Any] | None = None


def rewritten(engine: Engine, asker: Asker, root: str, service: str, known: Collection[str]) -> Rewritten:
    """Which of the commits that are known are no longer reached by anything."""
    place = repository_at(root)
    head = head_of(place).commit
    if not head:
        return Rewritten()
    here = hashlib.sha256(os.fsencode(os.path.realpath(place.common_dir))).hexdigest()[:16]
    before = bookmark(engine, asker, service, HISTORY)
    heads = [one for one in _heads(before) if one != head] if before.get("place") == here else []
    # A shallow repository does not say what comes before what.
    waiting = [] if is_shallow(place) else [one for one in heads if not is_before_head(root, one)]
    lost: frozenset[str] = frozenset()
    if waiting:
        found = unreached(root, waiting)
        if found.missing:  # it no longer says what came before them
            found = unreached(root, {*waiting, *known})
        lost = found.left | found.missing
    still = [one for one in waiting if one not in lost][:WAITING_MAX]
    noted = {"head": head, "place": here, "waiting": still}
    gone = tuple(path_of(commit) for commit in sorted(lost.intersection(known)))
    return Rewritten(gone, None if noted == before else noted)


def is_waiting(engine: Engine, asker: Asker, service: str) -> bool:
    """Whether something that was read may still leave although HEAD stays where it is."""
    return bool(bookmark(engine, asker, service, HISTORY).get("waiting"))


def note(engine: Engine, asker: Asker, service: str, found: Rewritten) -> None:
    """Once those that left are gone: broken off before that, it is asked again."""
    if found.noted is not None:
        keep_bookmark(engine, asker, service, HISTORY, found.noted)


def _heads(before: dict[str, Any]) -> list[str]:
    waiting = before.get("waiting")
    said = [before.get("head"), *(waiting if isinstance(waiting, list) else ())]
    return [one for one in said if isinstance(one, str) and one]
