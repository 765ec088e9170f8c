"""RFCs and proposals: by what form they are known, how they are numbered, and the stages that they go through."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

from .adr_status import Status
from .proposals import FOLDERS, proposal_folder
from .sections import Outline

_SERIES = {"rfc": "RFC", "rfcs": "RFC", "text": "RFC", "keps": "KEP", "enhancements": "KEP"}
_NUMBER = re.compile(r"(?:(?P<series>rfc|kep|rfd)[-_ ]?#?)?0*(?P<number>\d{1,5})(?=[-_. ]|\Z)(?!-\d\d-\d\d)", re.I)
_DATED = re.compile(r"\d{4}-?\d\d-?\d\d(?=[-_. ]|\Z)")
# Most proposals have several of these sections; hardly anything else has one of the latter.
_WHY = frozenset(("summary", "abstract", "motivation", "background", "overview", "introduction", "problem statement"))
_WHAT = frozenset(
    (
        "detailed design", "design details", "proposed design", "proposal", "proposed solution", "drawbacks",
        "alternatives", "alternatives considered", "rationale", "rationale and alternatives", "unresolved questions",
        "open questions", "guide-level explanation", "reference-level explanation", "prior art", "how we teach this",
        "graduation criteria", "risks and mitigations", "non-goals", "adoption strategy", "specification",
        "backwards compatibility", "future possibilities", "abandoned ideas", "consequences", "transition path",
    )
)  # fmt: skip
SECTIONS = _WHY | _WHAT
SECTIONS_LEAST = 3
# What only the head of a proposal has; and where there is no other prose, who wrote it.
_HEAD = ("stage", "start_date", "rfc_pr", "rfc", "kep_number")
_WRITERS = ("authors", "author", "author_s")
_ANY_PROSE = "text"
# How far it came, where that is no word for a decision: what is released or recommended was accepted before.
_STAGES = {
    "draft": "idea ideation strawman prediscussion exploring exploration",
    "proposed": "proposed candidate review fcp final-comment-period",
    "accepted": "accepted ready-for-release alpha beta stable merged finished shipped released recommended ga",
    "rejected": "closed",
    "abandoned": "discontinued",
}
_BY_STAGE = {stage: status for status, stages in _STAGES.items() for stage in stages.split()}
_CARRIED_OUT = frozenset("stable shipped released recommended ga".split())


def is_proposal(path: str, shape: Outline, *, says_status: bool) -> bool:
    """Whether one that lies among them is a proposal, by its form. One that does not say how it stands must have a
    number."""
    has_sections = _has_sections(shape)
    is_headed = bool(shape.field(*_HEAD))
    if says_status and (has_sections or proposal_folder(path) in FOLDERS):
        return True
    if says_status:
        return is_headed or (proposal_folder(path) != _ANY_PROSE and bool(shape.field(*_WRITERS)))
    return (has_sections or is_headed) and (_number(path) is not None or bool(_DATED.match(_named(path))))


def proposal_name(path: str) -> str:
    """What others may call it: RFC-617; empty where it has no number, or nothing says of which series that is."""
    found, folder = _number(path), proposal_folder(path)
    series = (found["series"] or _SERIES.get(folder, "")) if found and folder else ""
    return f"{series.upper()}-{int(found['number'])}" if found and series else ""


def read_stage(said: str) -> Status:
    """The status of what has come to a stage; nothing where nobody knows the stage."""
    stage = "-".join(said.lower().split())
    carried = "implemented" if stage in _CARRIED_OUT else ""
    return Status(_BY_STAGE.get(stage, ""), said, carried)


def _has_sections(shape: Outline) -> bool:
    keys = shape.keys()
    return len(keys & SECTIONS) >= SECTIONS_LEAST and not keys.isdisjoint(_WHY) and not keys.isdisjoint(_WHAT)


def _named(path: str) -> str:
    return PurePosixPath(path.replace("\\", "/")).stem


def _number(path: str) -> re.Match[str] | None:
    return None if _DATED.match(_named(path)) else _NUMBER.match(_named(path))
