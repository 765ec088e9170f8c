"""What a case of the corpus is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

HOLDS, MOVED, CHANGED, GONE = "holds", "moved", "changed", "gone"


@dataclass(frozen=True)
class Case:
    """`files` are there before; `edits` replace a text in a file by another, `after` gives whole files anew (None takes
    one away), `renames` are done by `git mv`. `says` must be in what the verdict tells, `now` in the new anchor."""

    name: str
    anchor: Any
    verdict: str
    files: Mapping[str, str]
    edits: tuple[tuple[str, str, str], ...] = ()
    after: Mapping[str, str | None] = field(default_factory=dict)
    renames: tuple[tuple[str, str], ...] = ()
    says: str = ""
    now: str = ""
    commits: bool = False

    def __post_init__(self) -> None:
        for path, old, new in self.edits:
            assert self.files[path].count(old) == 1, (
                f"{self.name}: {old!r} is there {self.files[path].count(old)} times"
            )
            assert old != new, self.name
