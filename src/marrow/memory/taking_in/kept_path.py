"""A path as it may be written down: it can hold a secret as any text can."""

from __future__ import annotations

import hashlib
import re

from ...store.receive import redacted_name

# Most paths hold nothing that redaction could find: looking at each would cost a second reading its speed.
_MAY_BE_SECRET = re.compile(r"[\w+-]{20}|=|@|://|-----|private", re.I)


def kept_path(path: str, redact_extra: tuple[str, ...]) -> str:
    """A path as it may be written down. Two that differ in a secret alone stay two."""
    if not redact_extra and not _MAY_BE_SECRET.search(path):
        return path
    kept = redacted_name(path, redact_extra)
    if kept == path:
        return path
    mark = hashlib.sha256(path.encode("utf-8", "replace")).hexdigest()[:8]
    stem, dot, ending = kept.rpartition(".")
    return f"{stem}~{mark}.{ending}" if dot and "/" not in ending else f"{kept}~{mark}"
