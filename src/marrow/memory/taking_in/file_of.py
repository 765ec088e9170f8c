"""The file that a row was read from by another reader than that of codebases, as its path names it."""

from __future__ import annotations

import re

from ...ingest.log import file_in
from ...model.source import Source

# Where a conversation notes its file that is known by the name that its host gave it.
READ_FROM = "read_from"
# Those of single documents, and of conversations.
_FILE = ("file:", "conversation:file:")
_MEDIA = ("meeting:", "design:")
_PART = re.compile(r"#\d+\Z")


def file_of(source: Source) -> str:
    """Empty where it came as text, by a form, or from a host's sessions."""
    if ":" not in source.path:  # as thousands of files of a codebase have none
        return ""
    if named := file_of_path(source.path):
        return named
    for prefix in _MEDIA:
        if source.path.startswith(prefix):
            return source.path.removeprefix(prefix) if source.size else ""  # no empty file is read, and a text has none
    return file_in(source.path)


def file_of_path(path: str) -> str:
    """The file that a single document or a conversation is known by; empty where it is known otherwise."""
    prefix = next((one for one in _FILE if path.startswith(one)), "")
    return _PART.sub("", path.removeprefix(prefix)) if prefix else ""
