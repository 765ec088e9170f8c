"""What other sessions of a project are at, or were: in which working tree, and which of them have not ended."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...model.moments import MICROS_PER_DAY
from ...model.node import Occurrence
from ...model.record import CURRENT, Record
from ...model.session import Session
from ...repository.identity import locate
from ...store.protocol import Reader
from ..engine import Asker, Engine
from ..observed.digest import handoff_text
from ..witness import digest_of

# One that was not heard of for so long is over, whether its host said so or not.
HEARD_OF_MICROS = MICROS_PER_DAY // 4
UNDER_WAY_TOLD = 2


class Trees:
    """The working trees that sessions ran in; each is looked for once."""

    def __init__(self, reader: Reader, asker: Asker) -> None:
        self._reader, self._asker = reader, asker
        self._here = os.path.realpath(asker.root) if asker.root else ""
        self._of_thread: dict[str, str] = {}

    def elsewhere(self, record: Record) -> str:
        """The other working tree that something was seen or left in; empty for the one at hand, and where nobody knows
        any more."""
        return self.said_elsewhere(self._reader.occurrences([record.entry], CURRENT).get(record.entry, ()))

    def said_elsewhere(self, said: Sequence[Occurrence]) -> str:
        """The same for what is known of how often something was said."""
        thread = next((one.thread for one in reversed(said) if one.thread), "")
        if not self._here or not thread:
            return ""
        if thread not in self._of_thread:
            session = self._reader.session(self._asker.namespace, thread)
            self._of_thread[thread] = self.of(session.cwd) if session else ""
        return self._of_thread[thread]

    def of(self, folder: str) -> str:
        """The root of the working tree around a folder, where that is another than the one at hand."""
        if not self._here or not folder or not os.path.isdir(folder):
            return ""
        place = locate(folder, environ={})
        root = os.path.realpath(place.root) if place and place.root else ""
        return root if root != self._here else ""


class UnderWay(NamedTuple):
    """A session that has not ended, and what it would hand over."""

    session: Session
    text: str
    tree: str = ""


def under_way(engine: Engine, asker: Asker, reader: Reader, trees: Trees, own: str) -> list[UnderWay]:
    """The other sessions of the project that have not ended: at work now, or broken off. The latest first."""
    now = engine.clock()
    open_ones = reader.sessions(asker.namespace, (asker.scope.project,), open=True)
    lately = [one for one in open_ones if one.session != own and now - one.last_at <= HEARD_OF_MICROS]
    # The pieces are the background's as well: they are read here, and not added to.
    apart = replace(engine, pieces=dict(engine.pieces))
    found: list[UnderWay] = []
    for session in sorted(lately, key=lambda one: -one.last_at)[: 2 * UNDER_WAY_TOLD]:
        made = digest_of(apart, asker, reader, session)
        if not made.is_empty:
            text = handoff_text(made).removeprefix("Handoff: ")
            found.append(UnderWay(session, text, trees.of(session.cwd)))
    return found[:UNDER_WAY_TOLD]
