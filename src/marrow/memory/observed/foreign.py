"""Tools of other servers, and tools that we know nothing of."""

from __future__ import annotations

import re

from .call import Call, first_text
from .junk import is_service_error
from .lines import fit, meaningful
from .piece import OTHER, Piece

LEAST_SAID = 80
_MCP = re.compile(r"mcp__(?:plugin_)?(.+?)__(.+)\Z|mcp_([^_]+)_(.+)\Z")
_HANDS = re.compile(
    r"(?i)(?:navigate|click|hover|snapshot|screenshot|type|press|scroll|wait|resize|tab|fill|drag|close|list|ping|"
    r"status|"
    r"health|auth|login|whoami|memory|remember|recall|think)"
)
_CHANGES = re.compile(
    r"(?i)(?:create|update|delete|add|remove|merge|close|comment|send|post|write|insert|apply|deploy|move|assign|"
    r"publish)"
)
_SUBJECTS = ("title", "subject", "name", "query", "sql", "summary", "description", "id", "issue", "key", "url", "text")


def mcp_piece(call: Call) -> Piece | None:
    """What a tool of another server did, or said when it said enough."""
    hit = _MCP.match(call.tool)
    server, verb = (hit[1] or hit[3], hit[2] or hit[4]) if hit else ("", call.tool)
    lines = meaningful(call.text)
    changes = _CHANGES.search(verb) is not None
    if is_service_error(call.text) or (_HANDS.search(verb) and not changes):
        return None
    if not changes and sum(len(line) for line in lines) < LEAST_SAID:
        return None
    subject = first_text(call.input, _SUBJECTS)
    verb = verb.replace("_", " ").replace("-", " ")
    what = f"{server}: {verb}" if server else verb
    title = f"{what}: {subject}" if subject else what
    return Piece(
        call, OTHER, title, f"{fit(title, 120)}. {fit(' '.join(lines), 180)}", "\n".join(lines[:10]), key=call.key
    )


def other_piece(call: Call) -> Piece | None:
    """A tool that nobody told us about is worth what it says."""
    lines = meaningful(call.text)
    if sum(len(line) for line in lines) < LEAST_SAID or is_service_error(call.text) or call.text.lstrip()[:1] in "{[<":
        return None
    subject = first_text(call.input, _SUBJECTS) or lines[0]
    return Piece(
        call,
        OTHER,
        f"{call.tool}: {subject}",
        f"{call.tool}. {fit(' '.join(lines), 250)}",
        "\n".join(lines[:10]),
        key=call.key,
    )
