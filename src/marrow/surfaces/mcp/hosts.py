"""Which tools a host is shown when nobody chose: a table by the name that the client gives itself.

A host that loads every listed tool into the model's context is shown the everyday ones. One that defers or searches
tools is shown all of them: there a tool costs its name until it is wanted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

EVERYDAY, EVERYTHING = ("core",), ("all",)


@dataclass(frozen=True, slots=True)
class Host:
    """`keeps` is the `_meta` key by which this host loads a tool at once although it defers others."""

    groups: tuple[str, ...] = EVERYDAY
    keeps: str = ""


UNKNOWN = Host()

# Keyed by how the client's name begins, in lower case with hyphens between the words.
HOSTS = {
    "claude-code": Host(EVERYTHING, keeps="anthropic/alwaysLoad"),  # Defers MCP tools by default.
    "codex": Host(EVERYDAY),  # Puts every MCP tool behind its tool search, and among many does not find the right one.
    "cursor": Host(EVERYTHING),  # Gives the model names, and files to read the rest from.
    "github-copilot": Host(EVERYTHING),  # The command line: searches when there are more than about thirty.
    "visual-studio-code": Host(EVERYTHING),  # Defers all but its own.
}


def host_named(client: str) -> Host:
    """`Visual Studio Code - Insiders` is `visual-studio-code`; `codex-mcp-client` is `codex`."""
    words = re.sub(r"[^a-z0-9]+", "-", client.casefold()).strip("-")
    return next((host for name, host in HOSTS.items() if f"{words}-".startswith(f"{name}-")), UNKNOWN)
