"""What tells of a session, its summary and its handoff, tells no more what was forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from ..model.change import Restate, Say, Step
from ..model.node import Node
from ..model.record import CURRENT, Filter, Record
from ..model.standing import RETRACTED
from ..store.protocol import Reader
from .engine import Asker
from .observed.said import Said
from .recall import ACCOUNT
from .telling.handed_over import letters, without

ACCOUNT_KINDS = ("summary", "handoff")
REASON = "what it told was forgotten"


def retold(reader: Reader, asker: Asker, forgotten: Record, clock: Callable[[], int]) -> list[Step]:
    """The steps that leave it out of the accounts of the sessions in which it was said. Who forgets an account itself
    wants no other in its place."""
    if forgotten.node.kind in ACCOUNT_KINDS:
        return []
    gone = [letters(text) for text in _told_as(forgotten.node)]
    said = reader.occurrences([forgotten.entry], CURRENT).get(forgotten.entry, ())
    steps: list[Step] = []
    for thread in dict.fromkeys(one.thread for one in said if one.thread):
        for record in _accounts(reader, asker, forgotten.project, thread, clock()):
            left = without(record.node.content, gone)
            if left != record.node.content:
                steps.append(Restate(record.node.address, (("state", RETRACTED),), REASON))
                steps += _said_instead(reader, record, left) if left else ()
    return steps


def _told_as(node: Node) -> list[str]:
    """How an account may tell it: as it is, or of what was seen the first line alone."""
    return [node.content, node.content.partition("\n")[0]] if node.kind == "observation" else [node.content]


def _said_instead(reader: Reader, record: Record, content: str) -> list[Step]:
    """The same account with another text, said when it was: what happened cannot be edited."""
    standing = replace(record.standing, reinforced=0, changed_at=0, reason="", salt="")
    anchors = tuple(reader.anchors([record.entry], CURRENT).get(record.entry, ()))
    said = reader.occurrences([record.entry], CURRENT).get(record.entry, ())
    return [Say(record.node.kind, content, one, standing, anchors=anchors) for one in said]


def _accounts(reader: Reader, asker: Asker, project: str, thread: str, now: int) -> list[Record]:
    wanted = Filter(projects=(project,), kinds=ACCOUNT_KINDS, tags=(ACCOUNT,), thread=thread)
    return reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now), CURRENT)


def still_said(reader: Reader, asker: Asker, heard: Sequence[Said]) -> list[Said]:
    """Without what was forgotten since: a session that goes on does not bring it back into its account."""
    addresses = {Node.make(one.kind, one.text).address: one for one in heard}
    records = reader.records(asker.namespace, list(addresses), (asker.scope.project,), CURRENT)
    gone = {record.node.address for record in records if record.standing.state == RETRACTED}
    return [one for one in heard if Node.make(one.kind, one.text).address not in gone]
