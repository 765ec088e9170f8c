"""The head of a Markdown note: the few forms of YAML that notes have, without a library for the rest."""

from __future__ import annotations

import re

BYTES_MAX = 64 * 1024
_HEAD = re.compile(r"\A\ufeff?---[ \t]*\n(?P<head>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w .-]{0,60}):(?:[ \t]+(?P<value>.*)|[ \t]*)\Z")


def split(text: str) -> tuple[dict[str, object], str]:
    """The fields of a note's head (texts, or lists of texts), and the rest of the note."""
    form = text.replace("\r\n", "\n").replace("\r", "\n")
    found = _HEAD.match(form)
    if found is None or len(found["head"]) > BYTES_MAX:
        return {}, form
    fields: dict[str, object] = {}
    key = ""
    for line in found["head"].split("\n"):
        item = re.match(r"\s*-\s+(.*)\Z", line)
        entry = _KEY.match(line)
        if item and key:
            known = fields.get(key)
            fields[key] = [*(known if isinstance(known, list) else []), _plain(item[1])]
        elif entry:
            key = entry["key"].strip().lower()
            fields[key] = _value(entry["value"] or "")
    return fields, form[found.end() :]


def _value(text: str) -> object:
    stripped = text.strip()
    if stripped.startswith("[") and stripped.endswith("]"):
        return [_plain(part) for part in stripped[1:-1].split(",") if part.strip()]
    return _plain(stripped)


def _plain(text: str) -> str:
    stripped = text.strip()
    if len(stripped) >= 2 and stripped[0] == stripped[-1] and stripped[0] in "\"'":
        return stripped[1:-1]
    return stripped.partition(" #")[0].rstrip()


def text_in(fields: dict[str, object], *names: str) -> str:
    """The first of these fields that is a text."""
    return next((value for name in names if isinstance(value := fields.get(name), str) and value), "")


def list_in(fields: dict[str, object], name: str) -> list[str]:
    value = fields.get(name)
    if isinstance(value, list):
        return [one for one in value if isinstance(one, str)]
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else []
