"""The form of an architecture decision record: whether a text is one. Pure; by its headings, and by its path if any.

Several forms are in use: Nygard's (Status, Context, Decision, Consequences), MADR's (Context and Problem Statement,
Considered Options, Decision Outcome), and Y-statements in front matter. A text is a record when enough of one is there.
"""

from __future__ import annotations

import re

LOOKED_AT = 20_000
_HEADING = re.compile(
    r"^\s{0,3}(?:#{1,6}|=+)\s*(.+?)\s*#*\s*$|^(\S.{0,80})\n[=\-~]{3,}\s*$|^\*\*(.{2,60}?):?\*\*:?", re.M
)
_FIELD = re.compile(r"^[\s>*\-|]{0,4}(?:\*\*|__)?(status|deciders|decision[- ]makers)(?:\*\*|__)?\s*[:|]", re.I | re.M)
_TITLE = re.compile(r"\badr[-_ #]?\d+|\barchitect(?:ure|ural) decision(?: record)?\b", re.I)
_NUMBERED = re.compile(r"^\d{1,4}\s*[.:–-]\s+\S")
_FOLDER = re.compile(r"(?:^|/)(?:adrs?|decisions?|decision[-_]records?|architecture[-_]decisions?)/", re.I)
_FILE = re.compile(r"(?:^|/)(?:adr[-_ ]?)?\d{1,5}[-_ ][^/]+$|(?:^|/)adr[-_ ]?\d+[^/]*$", re.I)
_NOT_ONE = re.compile(r"(?:^|/)(?:readme|index|template|adr-template|0*-?template)[^/]*$", re.I)
_DECISION = ("decision", "decision outcome", "decisions", "what we decided", "we decided", "resolution")
_CONTEXT = ("context", "context and problem statement", "problem", "problem statement", "background", "issue", "forces")
_REST = (
    *("consequences", "considered options", "options considered", "alternatives", "alternatives considered"),
    *("decision drivers", "pros and cons of the options", "positive consequences", "negative consequences", "options"),
    *("rationale", "implications", "related decisions"),
)
_NOT_WORDS = re.compile(r"^[\d.)\s]+|[^\w\s/-]+")


def headings_of(text: str) -> list[str]:
    """The headings of the beginning of a text, folded, without their marks and numbers; the title as it is, first."""
    found = []
    for match in _HEADING.finditer(text[:LOOKED_AT]):
        said = next(group for group in match.groups() if group is not None)
        found.append(said.strip())
    return found


def is_adr(path: str, text: str) -> bool:
    """Whether a text is an architecture decision record. The path may be empty: then the text alone decides."""
    if path and _NOT_ONE.search(path):
        return False
    head = text[:LOOKED_AT]
    lowered = head.lower()
    if "decision" not in lowered and "decid" not in lowered and "adr" not in lowered:
        return False
    said = headings_of(head)
    plain = {" ".join(_NOT_WORDS.sub("", heading).lower().split()) for heading in said}
    has_decision = bool(plain.intersection(_DECISION))
    has_status = "status" in plain or _FIELD.search(head) is not None
    has_context, has_rest = bool(plain.intersection(_CONTEXT)), bool(plain.intersection(_REST))
    is_called_so = bool(said) and (_TITLE.search(said[0]) is not None or _NUMBERED.match(said[0]) is not None)
    is_kept_so = bool(path) and _FOLDER.search(path) is not None and _FILE.search(path) is not None
    if has_decision and has_context and (has_status or has_rest or is_called_so):
        return True
    if has_decision and has_status and (has_rest or is_called_so):
        return True
    if is_called_so and has_status and (has_context or has_decision):
        return True
    return is_kept_so and (has_decision or (has_status and (has_context or has_rest)))
