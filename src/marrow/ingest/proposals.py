"""RFCs and design documents: where they lie. Their numbers are their own, and mean no decision record."""

from __future__ import annotations

FOLDERS = frozenset("rfc rfcs design-docs design_docs designdocs".split())


def is_among_proposals(path: str) -> bool:
    """Whether a file lies among RFCs or design documents, and is not called a decision record itself."""
    *folders, name = path.replace("\\", "/").lower().split("/")
    return not FOLDERS.isdisjoint(folders) and not name.startswith("adr")
