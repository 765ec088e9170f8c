"""Front matter: the block of fields at the top of a Markdown file, in YAML or TOML.

Only the forms that documents use are read: `key: value`, lists in one line or in several, quoted texts, folded texts.
Nothing is run, nothing refers to anything else, and what is not understood is left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...model.toml_text import read as read_toml

LENGTH_MAX = 16_384
FIELDS_MAX, LIST_MAX, VALUE_LENGTH_MAX = 60, 60, 2_000
_FENCE = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\n")
_KEY = re.compile(
    r"(?P<indent>[ \t]*)(?P<key>[A-Za-z_][\w .-]{0,60}?|\"[^\"\n]{1,60}\"|'[^'\n]{1,60}')[ \t]*:"
    r"(?:[ \t]+(?P<value>.*))?$"
)
_DIRECTIONS = re.compile(r"(?:\s*<!--(?:[^-]|-(?!->))*-->)+")
_ITEM = re.compile(r"[ \t]*-(?:[ \t]+(?P<value>.*))?$")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The fields, by their names in lower case with underscores; `length` is how many characters they take up, with
    the lines around them."""

    fields: dict[str, object]
    length: int


NONE = FrontMatter({}, 0)


def front_matter(text: str) -> FrontMatter:
    """What stands at the top of a text between lines of --- (YAML) or +++ (TOML)."""
    opening = _FENCE.match(text)
    if not opening:
        return NONE
    closing = re.compile(rf"^(?:{re.escape(opening[1])}|\.\.\.)[ \t]*$", re.M).search(text, opening.end(), LENGTH_MAX)
    if not closing:
        return NONE
    inside = text[opening.end() : closing.start()]
    fields = _toml(inside) if opening[1] == "+++" else yaml_fields(inside)
    if not fields and inside.strip():
        return NONE  # Two rulers with prose between them.
    return FrontMatter(fields, min(closing.end() + 1, len(text)))


def end_of_head(text: str) -> int:
    """Where the fields at the top end, with the comments below them that say how they are filled in; 0 without any."""
    above = front_matter(text).length if text.startswith(("---", "+++")) else 0
    said = _DIRECTIONS.match(text, above) if above else None
    return said.end() if said else above


def _name(key: str) -> str:
    return re.sub(r"[ .-]+", "_", key.strip("\"'").strip().lower())


def _toml(text: str) -> dict[str, object]:
    try:
        found = read_toml(text)
    except (ValueError, RecursionError):
        return {}
    plain: dict[str, object] = {}
    for key, value in list(found.items())[:FIELDS_MAX]:
        if isinstance(value, list):
            plain[_name(key)] = [str(one)[:VALUE_LENGTH_MAX] for one in value[:LIST_MAX]]
        elif not isinstance(value, dict):
            plain[_name(key)] = str(value)[:VALUE_LENGTH_MAX]
    return plain


def yaml_fields(text: str) -> dict[str, object]:
    """The fields at the top level of a text in YAML."""
    found: dict[str, object] = {}
    key = ""
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        said = _KEY.match(line)
        if said and not said["indent"]:
            key = _name(said["key"])
            if len(found) < FIELDS_MAX:
                found[key] = _value(said["value"] or "")
        elif key in found:
            _add(found, key, line)
    return {key: "" if value in (">", "|", ">-", "|-") else value for key, value in found.items()}


def _add(found: dict[str, object], key: str, line: str) -> None:
    """A further line of a field: one of a list, or more of a text."""
    before = found[key]
    item = _ITEM.match(line)
    if item and (before == "" or isinstance(before, list)):
        listed = before if isinstance(before, list) else []
        if len(listed) < LIST_MAX:
            found[key] = [*listed, str(_scalar(item["value"] or ""))]
    elif isinstance(before, str) and line[:1] in " \t":
        start = "" if before in (">", "|", ">-", "|-") else before
        found[key] = f"{start} {line.strip()}".strip()[:VALUE_LENGTH_MAX]


def _value(said: str) -> object:
    text = said.strip()[:VALUE_LENGTH_MAX]
    if text.startswith("[") and text.endswith("]"):
        return [str(_scalar(one)) for one in text[1:-1].split(",")[:LIST_MAX] if one.strip()]
    return _scalar(text)


def _scalar(said: str) -> str:
    text = said.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return text[1:-1]
    return re.split(r"(?:^|[ \t])#", text, maxsplit=1)[0].strip()[:VALUE_LENGTH_MAX]
