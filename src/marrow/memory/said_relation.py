"""Which link it makes that one node names another: by what they are and by the words with which it is named. Pure.

`docs/concepts/knowledge.md` has this as a table.
"""

from __future__ import annotations

from typing import NamedTuple

from ..ingest.mentions import (
    AMENDED_BY,
    AMENDS,
    CAUSED_BY,
    DECIDES,
    DEPENDS_ON,
    FIXES,
    FOLLOWS,
    REVERTS,
    SUPERSEDED_BY,
    SUPERSEDES,
)

DECISION, INCIDENT, MEETING, COMMIT = "decision", "incident", "meeting", "commit"
CONVERSATION, DESIGN, DOCUMENT, CODE = "conversation", "design", "document", "code"
# What holds only once somebody agrees, or did not come to hold.
UNSETTLED = frozenset("undecided proposed draft rejected withdrawn pending deferred wip".split())
# The relations that are made, the stronger first: two nodes are linked once.
STRENGTH = ("supersedes", "amends", "caused_by", "depends_on", "relates_to")
# What says something about the files that it names. A guide or a talk names many by the way.
NAMES_FILES = frozenset((DECISION, INCIDENT, MEETING, DESIGN))
_DONE = frozenset((COMMIT, CONVERSATION))


class Line(NamedTuple):
    """A link to be made: `source` rel `target`, by address."""

    source: str
    target: str
    rel: str


class End(NamedTuple):
    """What must be known of a node to choose: its address, its kind, how it stands where it is a decision, and whose
    it is."""

    address: str
    kind: str
    status: str = ""
    service: str = ""


def relation(namer: End, named: End, how: str) -> Line | None:
    """The link that a mention makes; None where it makes none. A decision's number means little in another service: it
    may be another decision that was meant, so that one takes no place and bears nothing there."""
    if named.kind in (CODE, DOCUMENT) and namer.kind not in NAMES_FILES:
        return None
    forth, back = Line(namer.address, named.address, ""), Line(named.address, namer.address, "")
    if how in (SUPERSEDES, SUPERSEDED_BY):
        newer, line = (namer, forth) if how == SUPERSEDES else (named, back)
        is_settled = newer.status.lower() not in UNSETTLED
        takes_its_place = namer.kind == named.kind == DECISION and is_settled and namer.service == named.service
        return line._replace(rel="supersedes" if takes_its_place else "relates_to")
    if how in (AMENDS, AMENDED_BY) and namer.kind == named.kind == DECISION and namer.service == named.service:
        newer, line = (namer, forth) if how == AMENDS else (named, back)
        return line._replace(rel="depends_on" if newer.status.lower() in UNSETTLED else "amends")
    if named.kind == DECISION and namer.service and named.service and namer.service != named.service:
        return forth._replace(rel="relates_to")
    if how in (DEPENDS_ON, AMENDS) and named.kind == DECISION:
        return forth._replace(rel="depends_on" if namer.service == named.service else "relates_to")
    if _made_because_of(namer.kind, named.kind, how):
        return forth._replace(rel="caused_by")
    if _led_to(namer.kind, named.kind, how):
        return back._replace(rel="caused_by")
    return forth._replace(rel="relates_to")


def _made_because_of(namer: str, named: str, how: str) -> bool:
    """Whether the namer is there because of what it names: a fix because of an incident, an incident because of a
    change, a change because of a decision."""
    if named == INCIDENT:
        return namer == COMMIT or how in (FIXES, FOLLOWS, CAUSED_BY)
    if namer == INCIDENT:
        return named in (COMMIT, CONVERSATION, DECISION) and how in (CAUSED_BY, REVERTS)
    if namer in _DONE:
        if named == DECISION:
            return how in (FOLLOWS, DECIDES)
        return named in _DONE and how in (FIXES, REVERTS, CAUSED_BY)
    return namer == DECISION and named == MEETING and how in (FOLLOWS, DECIDES, CAUSED_BY)


def _led_to(namer: str, named: str, how: str) -> bool:
    """Whether what is named is there because of the namer: what fixed an incident, what a meeting decided."""
    if namer == INCIDENT:
        return named in (COMMIT, CONVERSATION, DECISION) and how in (FIXES, FOLLOWS, DECIDES)
    return namer == MEETING and named == DECISION and how == DECIDES


def stronger(one: Line, other: Line) -> Line:
    return min(one, other, key=lambda line: STRENGTH.index(line.rel))
