"""The lines with which proposals and manuals begin: `- Start Date: 2018-03-11`, `Created: 12-Mar-2019`, `:revdate: …`,
and what a file of data says about the document beside it. Of their fields those that say what a document is called, by
whom, when, and how it stands."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .front_matter import LENGTH_MAX, yaml_fields

# When a document was written, the first that is there; then when it was last changed.
DATES = (
    "date", "published", "revdate", "created", "creation_date", "date_created", "created_at", "start_date",
    "release_date",
)  # fmt: skip
CHANGED = ("last_updated", "updated", "last_modified", "modified", "lastmod", "last_update", "updated_at")
TITLES = ("title", "feature_name")
_KNOWN = frozenset((*DATES, *CHANGED, *TITLES, "status", "stage", "author", "authors"))
_FIELD = re.compile(
    r"[ \t]{0,4}(?:[-*+>][ \t]{1,4}|:)?(?:\*\*|__)?(?P<name>[A-Za-z][A-Za-z_ -]{1,30}?)(?:\*\*|__)?:(?:\*\*|__)?"
    r"(?:[ \t]+(?P<value>\S.*))?$"
)
_GOES_ON = re.compile(r"[ \t]{2,}\S")
_TITLE = re.compile(r"(?:#{1,2}|=)[ \t]+\S|<pre>|`{3}")
_UNDERLINE = re.compile(r"([=\-~*#^])\1{2,}[ \t]*$")
# "v1.0, 2020-01-02: First edition", below the author's name.
_REVISION = re.compile(r"(?:v?\d[\w.]{0,20},[ \t]{0,4})(?P<date>\d{4}-\d\d-\d\d|\w[\w ,-]{4,30}?)(?::.*)?$")
_LINES_MAX, _VALUE_MAX = 60, 500


def head_fields(text: str) -> dict[str, object]:
    """The fields at the top of a text, before or right below its title, by names in small letters."""
    found: dict[str, object] = {}
    lines = text.split("\n", _LINES_MAX)[:_LINES_MAX]
    was_field = is_titled = False
    for number, line in enumerate(lines):
        said = _FIELD.match(line)
        if said is not None:
            name = re.sub(r"[ -]+", "_", said["name"].strip().lower())
            if name in _KNOWN and (value := _bare(said["value"] or "")):
                found.setdefault(name, value)
            elif (said["value"] or "").endswith("."):
                break  # a sentence
            was_field = True
        elif not line.strip() or (was_field and _GOES_ON.match(line)) or _UNDERLINE.match(line):
            continue
        elif revised := (_REVISION.match(line) if is_titled and number <= 3 else None):
            found.setdefault("revdate", revised["date"])
        elif not is_titled and not was_field:
            is_titled = True  # its first line; or the author's below it
        elif not (is_titled and number <= 2 and lines[0].startswith("= ")):
            break
        if _TITLE.match(line):
            if was_field:
                break
            is_titled = True
    return found


def sheet_fields(text: str) -> dict[str, object]:
    """The fields of a file of data that says what a document is called, when it is from and how it stands, as the
    `kep.yaml` beside a proposal of Kubernetes does; empty for any other."""
    if len(text) > LENGTH_MAX or "status:" not in text or "title:" not in text:
        return {}
    fields = yaml_fields(text)
    is_sheet = bool(fields.get("title") and fields.get("status")) and any(fields.get(name) for name in DATES)
    return fields if is_sheet else {}


def first_said(fields: Mapping[str, object], names: tuple[str, ...]) -> str:
    return next((said for name in names if isinstance(said := fields.get(name), str) and said), "")


def _bare(said: str) -> str:
    return said.replace("`", "").strip("* _\\\t")[:_VALUE_MAX]
