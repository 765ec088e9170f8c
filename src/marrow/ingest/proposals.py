"""The folders of RFCs and design documents, and of decision records. The numbers of the former mean none of the
latter."""

from __future__ import annotations

# Folders of nothing else, and those by whose name there may be other things too: there it takes the form.
FOLDERS = frozenset("rfc rfcs design-docs design_docs designdocs keps".split())
LOOSE_FOLDERS = frozenset("text designs proposals enhancements".split())
RECORD_FOLDERS = frozenset(
    "adr adrs architecture-decisions architecture_decisions architectural-decisions architecture-decision-records "
    "architectural-decision-records decision-records decision_records decisionrecords architecture-decision-log".split()
)
# A folder by this name may hold other things too: there it takes a number, a date or the form.
LOOSE_RECORD_FOLDERS = frozenset(("decisions", "decision", "decision-log"))
_PROPOSALS = FOLDERS | LOOSE_FOLDERS
_OF_RECORDS = RECORD_FOLDERS | LOOSE_RECORD_FOLDERS


def is_among_proposals(path: str) -> bool:
    """Whether a file lies among RFCs or design documents, and is not called a decision record itself."""
    return bool(proposal_folder(path))


def proposal_folder(path: str) -> str:
    """The name of the folder that says so; the innermost one that says one or the other counts."""
    *folders, name = path.replace("\\", "/").lower().split("/")
    said = next((one for one in reversed(folders) if one in _PROPOSALS or one in _OF_RECORDS), "")
    return said if said in _PROPOSALS and not name.startswith("adr") else ""
