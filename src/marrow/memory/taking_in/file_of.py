"""The file that a row was read from by another reader than that of codebases, as its path names it."""

from __future__ import annotations

import re

from ...ingest.log import file_in
from ...model.source import Source

# Those of single documents, and of conversations.
_FILE = ("file:", "conversation:file:")
_MEDIA = ("meeting:", "design:")
_PART = re.compile(r"#\d+\Z")


def file_of(source: Source) -> str:
    """Empty where it came as text, by a form, or from a host's sessions."""
    if ":" not in source.path:  # as thousands of files of a codebase have none
        return ""
    for prefix in _FILE:
        if source.path.startswith(prefix):
            return _PART.sub("", source.path.removeprefix(prefix))
    for prefix in _MEDIA:
        if source.path.startswith(prefix):
            return source.path.removeprefix(prefix) if source.size else ""  # no empty file is read, and a text has none
    return file_in(source.path)
