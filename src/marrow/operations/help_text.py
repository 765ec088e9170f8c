"""What `memory_help` says: generated from the table, so that it cannot drift from what is there."""

from __future__ import annotations

import re

from ..model.groups import GROUPS
from .listing import listed, load
from .table import Operation

CORE = "core"

_WHEN = """Marrow is this project's memory. It keeps why things are as they are, and says when that changed.
- Start of a task, or a new subject: memory_recall with the message. An empty answer means nothing is known.
- Something was decided, learned, found broken or ruled out: memory_save, one self-contained fact each, with a domain.
- Something saved no longer holds: memory_update its address with what holds now. Never save the opposite beside it.
- One thing explains another: memory_relate (caused_by, depends_on, blocks, contradicts).
- Looking for something in particular, or for what held earlier: memory_search (filters, as_of), memory_get."""

_HOSTS = {
    "claude-code": "In Claude Code recall once at the start of a task; do not save what CLAUDE.md or the code says.",
    "codex": "In Codex call memory_recall before the first edit, and memory_save before the last message.",
    "desktop": "In a desktop chat give the project with each call (memory_projects lists them); nothing is captured.",
}


def guide(context: str) -> str:
    """`quick` says when; a host's name adds what is particular to it; `all` lists every operation."""
    if context == "quick":
        return _WHEN
    if context in _HOSTS:
        return f"{_WHEN}\n{_HOSTS[context]}"
    lines = [_WHEN, *_HOSTS.values(), f"\n{CORE}: {GROUPS[CORE]}"]
    lines += [f"- {_usage(load(one.name))}: {_brief(one.summary)}" for one in listed().values() if one.group == CORE]
    lines.append("\nThe others, by group; each one's own description says what it takes.")
    for group, meaning in GROUPS.items():
        if names := [one.name for one in listed().values() if one.group == group != CORE]:
            lines.append(f"- {group} ({meaning}): {', '.join(names)}")
    return "\n".join(lines)


def _usage(entry: Operation) -> str:
    """What must be given. The tool's own schema has the rest, and the list has to fit an answer."""
    return f"{entry.name}({', '.join(a.name for a in entry.arguments if a.required)})"


def _brief(summary: str) -> str:
    return _REST.sub("", summary)


# What follows the first statement of a summary.
_REST = re.compile(r"[.:;] .*|\.$")
