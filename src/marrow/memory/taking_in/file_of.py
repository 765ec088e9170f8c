"""The file that a row was read from by another reader than that of codebases, as its path names it."""

from __future__ import annotations

import re

from ...ingest.log import file_in
from ...model.source import Source

_FILE = "file:"
_MEDIA = ("meeting:", "design:")
_PART = re.compile(r"#\d+\Z")


def file_of(source: Source) -> str:
    """Empty where it came as text, by a form, or from a host's sessions."""
    if source.path.startswith(_FILE):
        return _PART.sub("", source.path.removeprefix(_FILE))
    for prefix in _MEDIA:
        if source.path.startswith(prefix):
            return source.path.removeprefix(prefix) if source.mtime_ns else ""
    return file_in(source.path)
