"""One run of the command line: what was asked of every command alike, and the memory it opens."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .output import Output

if TYPE_CHECKING:
    from ...app import Memory

ACTOR = "cli"
# The common options: what each takes, and what it means. `limit` and `project` are also arguments of many operations.
COMMON_FLAGS = {
    "--json": "print the result as JSON",
    "--quiet": "nothing but the answer and errors",
    "--no-color": "no colours; NO_COLOR=1 does the same",
    "--debug": "show where an unexpected error came from",
}
COMMON_VALUES = {
    "--project": ("TEXT", "the project; default: that of the repository at hand"),
    "--store": ("PATH", "another store than the settings name"),
    "--budget-tokens": ("NUMBER", "how long the answer may be; default: 2000, and any length with --json"),
    "--limit": ("NUMBER", "how many, where a command has a limit"),
}
SHORT_FLAGS = {"--quiet": "-q"}


def before_dashes(given: Sequence[str]) -> list[str]:
    """The words before `--`: after it there are no options."""
    words = list(given)
    return words[: words.index("--")] if "--" in words else words


@dataclass(frozen=True, slots=True)
class Invocation:
    output: Output
    project: str | None = None
    store: str | None = None
    budget_tokens: str | None = None
    limit: str | None = None

    def open(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        project: str | None = None,
        create: bool = True,
        damaged: bool = False,
    ) -> Memory:
        from ...app import open_memory  # help needs none of it

        return open_memory(path, store=self.store, project=project, create=create, damaged=damaged, actor=ACTOR)
