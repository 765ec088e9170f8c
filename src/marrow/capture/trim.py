"""Long texts keep their head and their tail; a whole line stays below 32,000 characters.

Shortening and redacting depend on one another. A secret that is cut in two is no longer recognised, and redacting
megabytes to keep a few thousand characters takes too long. So a long text is cut in two steps: `rough` cuts with a
margin on both sides of the cut, what remains is redacted, and `finished` takes the margins away, and with them
whatever the first cut may have left of a secret.
"""

from __future__ import annotations

import os

from marrow.capture.json_text import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LINE_MAX = 32_000
MARGIN = 4096  # longer than tokens and private keys are
LIMITS = {"prompt": 8_000, "message": 6_000, "error": 4_000, "output": 6_000, "input": 3_000}
LIMIT = 1_000  # of any other text
ITEMS_MAX, KEYS_MAX, KEY_MAX, DEPTH_MAX = 40, 60, 200, 8
_SEAM = f"\n[cut {os.urandom(6).hex()} "  # No text can bring one of its own.
_SHRINKING = (0.5, 0.25, 0.1, 0.03)


def rough(trace: Mapping[str, object]) -> dict[str, object]:
    """The line with its long texts cut for the first time; what is deep or long in other ways is bounded too."""
    return {name: _cut(value, LIMITS.get(name, LIMIT), 0) for name, value in trace.items()}


def _cut(value: object, limit: int, depth: int) -> object:
    if isinstance(value, str):
        room = limit + 2 * MARGIN
        # A private block is known by both of its ends: only the whole text shows what is inside.
        if len(value) <= room or "<private" in value.lower():
            return value
        head = limit * 2 // 3
        return f"{value[: head + MARGIN]}{_SEAM}{len(value)}]\n{value[len(value) - (limit - head) - MARGIN :]}"
    if isinstance(value, dict):
        if depth >= DEPTH_MAX:
            return "[…]"
        kept = list(value.items())[:KEYS_MAX]
        return {str(key)[:KEY_MAX]: _cut(item, limit, depth + 1) for key, item in kept if len(str(key)) <= KEY_MAX}
    if isinstance(value, list):
        if depth >= DEPTH_MAX:
            return "[…]"
        items = [_cut(item, limit, depth + 1) for item in value[:ITEMS_MAX]]
        return items if len(value) <= ITEMS_MAX else [*items, f"[… {len(value) - ITEMS_MAX} more …]"]
    return value if value is None or isinstance(value, (bool, int, float)) else str(value)[:limit]


def finished(trace: Mapping[str, object]) -> dict[str, object]:
    """The redacted line with its margins gone, and without what is empty now."""
    lines = {name: _mended(value, LIMITS.get(name, LIMIT)) for name, value in trace.items()}
    return {name: value for name, value in lines.items() if value not in ("", None, {}, [])}


def _mended(value: object, limit: int) -> object:
    if isinstance(value, str):
        head, seam, rest = value.partition(_SEAM)
        if not seam:
            return clipped(value, limit)
        length, _, tail = rest.partition("]\n")
        head, tail = head[:-MARGIN], tail[MARGIN:]
        return f"{head}{_mark(int(length) - len(head) - len(tail))}{tail}"
    if isinstance(value, dict):
        return {key: _mended(item, limit) for key, item in value.items()}
    if isinstance(value, list):
        return [_mended(item, limit) for item in value]
    return value


def clipped(text: str, limit: int) -> str:
    """The head and the tail of a text that is longer than the limit, with a mark of how much is left out."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head]}{_mark(len(text) - limit)}{text[len(text) - (limit - head) :]}"


def _mark(count: int) -> str:
    return f"\n[… {count:,} characters left out …]\n"


def fitted(trace: dict[str, object]) -> tuple[dict[str, object], str]:
    """The line and its text. What is too long as a whole is shortened more, its input and output first."""
    text = render(trace)
    for share in _SHRINKING:
        if len(text) <= LINE_MAX:
            return trace, text
        trace = {name: _shrunk(value, max(40, int(LIMITS.get(name, LIMIT) * share))) for name, value in trace.items()}
        text = render(trace)
    if len(text) > LINE_MAX:
        trace = {name: value for name, value in trace.items() if name not in ("input", "output")}
        text = render(trace)
    return trace, text


def _shrunk(value: object, limit: int) -> object:
    if isinstance(value, str):
        return clipped(value, limit)
    if isinstance(value, dict):
        return {key: _shrunk(item, limit) for key, item in list(value.items())[:20]}
    if isinstance(value, list):
        return [_shrunk(item, limit) for item in value[:10]]
    return value
