"""Slack's markup as readable text: names for the ids of people and channels, links with their words."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .json_lines import text_at

_MARK = re.compile(r"<([^<>\n]{1,4000})>")
_ATTACHMENTS_MAX = 10
_FILES_MAX = 20
# What Slack writes in the place of a text that stands in blocks.
_NO_TEXT = ("", "This content can't be displayed.", "This message contains interactive elements.")
_BLOCKS_MAX, _DEPTH_MAX = 200, 8
# What stands in a line of its own: an item of a list, a field.
_LINES = ("rich_text_section", "rich_text_quote", "rich_text_preformatted", "mrkdwn", "plain_text")


def readable(text: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """The text of a message as it is read in Slack."""

    def one(found: re.Match[str]) -> str:
        return _mark(found[1], people, channels)

    return html.unescape(_MARK.sub(one, text))


def _mark(mark: str, people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    target, _, label = mark.partition("|")
    if target.startswith("@"):
        return f"@{people.get(target[1:]) or label.lstrip('@') or target[1:]}"
    if target.startswith("#"):
        return f"#{channels.get(target[1:]) or label.lstrip('#') or target[1:]}"
    if target.startswith("!"):
        # <!here>, <!subteam^S1|@ops>, <!date^1600000000^{date}|3 March>
        return label or f"@{target[1:].partition('^')[0]}"
    if target.startswith("mailto:"):
        return label or target.removeprefix("mailto:")
    if not label or label == target or target.removesuffix("/").endswith(label.removesuffix("/")):
        return target
    return f"{label} ({target})"


def message_text(message: Mapping[str, Any], people: Mapping[str, str], channels: Mapping[str, str]) -> str:
    """Everything that a message says: its text, what is attached to it, and which files came with it."""
    text = text_at(message, "text")
    if text.strip() in _NO_TEXT:
        text = _in_blocks(message.get("blocks")) or text
    parts = [readable(text, people, channels)]
    attached = message.get("attachments")
    for one in (attached if isinstance(attached, list) else [])[:_ATTACHMENTS_MAX]:
        title, text = text_at(one, "title"), text_at(one, "text")
        told = "\n".join(part for part in (title, text) if part) or text_at(one, "fallback")
        shown = readable(told, people, channels).strip()
        if shown and shown not in parts[0]:
            parts.append("\n".join(f"> {line}" for line in shown.split("\n")))
    files = message.get("files")
    names = [text_at(one, "title") or text_at(one, "name") for one in (files if isinstance(files, list) else [])]
    if names := [name for name in names[:_FILES_MAX] if name]:
        parts.append(f"[files: {', '.join(names)}]")
    return "\n".join(part for part in parts if part.strip())


def _in_blocks(blocks: Any) -> str:
    """What apps and rich text say in blocks, in lines, in Slack's markup."""
    said = ("".join(_pieces(block, 0)) for block in (blocks if isinstance(blocks, list) else [])[:_BLOCKS_MAX])
    lines = (line.strip() for line in "\n".join(said).split("\n"))
    return "\n".join(line for line in lines if line)


def _pieces(block: Any, depth: int) -> Iterator[str]:
    if isinstance(block, list) and depth < _DEPTH_MAX:
        for one in block[:_BLOCKS_MAX]:
            yield from _pieces(one, depth + 1)
    if not isinstance(block, dict) or depth >= _DEPTH_MAX:
        return
    kind, text = block.get("type"), block.get("text")
    if kind == "user":
        yield f"<@{text_at(block, 'user_id')}> "
    elif kind == "channel":
        yield f"<#{text_at(block, 'channel_id')}> "
    elif kind == "link":
        yield f"<{text_at(block, 'url')}|{text}>" if text else f"<{text_at(block, 'url')}>"
    elif isinstance(text, str):
        yield text
    else:
        yield from _pieces(text, depth + 1)
    for inside in ("elements", "fields"):
        yield from _pieces(block.get(inside), depth + 1)
    if kind in _LINES:
        yield "\n"
