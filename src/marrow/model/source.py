"""Sources: what was taken in from where, and how the file looked then. Derived: a cache beside the occurrences."""

from __future__ import annotations

from typing import NamedTuple

# Rows that stand for no document: one that was looked at and not read (its title says why), and how far a reading got.
SKIPPED, CURSOR = "skipped", "cursor"
NO_ADDRESS = "0" * 64
# The path of the row that says from where the files of a service were read.
CODEBASE = "#codebase"


class Source(NamedTuple):
    """A document that was read: `path` names it within its service, `digest` is the sha256 of its bytes, `size` and
    `mtime_ns` are those of the file when it was read, `at` is when that was. A tuple, since thousands are read at a
    time, to see that nothing has changed."""

    project: str
    service: str
    path: str
    kind: str
    address: str
    digest: str = ""
    size: int = 0
    mtime_ns: int = 0
    at: int = 0
    title: str = ""

    @property
    def is_document(self) -> bool:
        return self.kind not in (SKIPPED, CURSOR)
