"""The groups that operations come in: a host is offered some of them, and `marrow mcp --tools` names them."""

from __future__ import annotations

from .errors import Invalid

GROUPS = {
    "core": "the everyday verbs",
    "tree": "what is known, and how it came to be",
    "work": "where we are",
    "code": "memory that knows the repository",
    "git": "the hot tier",
    "knowledge": "what the organisation knows",
    "store": "the memory itself",
}
EVERYTHING = "all"


def chosen_groups(given: str | None) -> tuple[str, ...] | None:
    """`core,tree` or `all` as groups; None when nothing was chosen, so that the host decides."""
    groups = tuple(dict.fromkeys(part.strip() for part in (given or "").split(",") if part.strip()))
    for group in groups:
        if group not in GROUPS and group != EVERYTHING:
            raise Invalid(
                f"There is no group of tools {group!r}.", hint=f"One of {', '.join(GROUPS)}, or all.", field="tools"
            )
    return groups or None
