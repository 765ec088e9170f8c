"""What another memory knows, as values: drafts with a key of that memory's, and links between keys."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...model.draft import Draft
from ...model.errors import Invalid
from ...model.link import RELS, Anchor, make_anchor
from ...model.standing import DEFAULT_DOMAIN, DOMAINS, TAGS_MAX
from ..item import Skipped

CONTENT_LENGTH_MAX = 200_000
TAG_LENGTH_MAX = 60
FILES_MAX = 20
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_NO_WORD = re.compile(r"[^a-z0-9]+")
# What others call the domains.
_DOMAINS = {
    "convention": "patterns", "conventions": "patterns", "pattern": "patterns", "gotcha": "issues", "bug": "issues",
    "problem": "issues", "issue": "issues", "dependency": "dependencies", "tech": "architecture",
    "design": "architecture", "decision": "decisions", "task": "tasks", "todo": "tasks", "preference": "feedback",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """`where` says where it stood; `key` is its name in that memory; `links` are (rel, key). `state` is superseded or
    compressed for what no longer holds there."""

    where: str
    draft: Draft
    key: str = ""
    links: tuple[tuple[str, str], ...] = ()
    state: str = ""


@dataclass(frozen=True, slots=True)
class OtherMemory:
    """All that was found in it, and what could not be read."""

    format: str
    found: tuple[Found, ...]
    problems: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom it is read: the project's folder and the names that it goes by, and the present, which nothing that is
    imported may lie behind."""

    root: str = ""
    names: tuple[str, ...] = ()
    now: int = 0


def cleaned(text: object) -> str:
    """A text as it can be kept; "" for what is none."""
    if not isinstance(text, str):
        return ""
    form = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    return form if len(form) <= CONTENT_LENGTH_MAX else form[:CONTENT_LENGTH_MAX].rstrip() + " …"


def tags_of(given: Iterable[object]) -> list[str]:
    """Short single-line tags, each once."""
    found = (" ".join(cleaned(tag).replace(",", " ").split())[:TAG_LENGTH_MAX].strip() for tag in given)
    return list(dict.fromkeys(tag for tag in found if tag))[:TAGS_MAX]


def domain_of(word: object) -> str:
    """The domain that a word names, or the usual one."""
    name = word.strip().lower() if isinstance(word, str) else ""
    return name if name in DOMAINS else _DOMAINS.get(name, DEFAULT_DOMAIN)


def rel_of(word: str) -> str:
    """A relation of another memory's as one that can be kept."""
    name = _NO_WORD.sub("_", word.strip().lower()).strip("_")[:40].strip("_")
    if name in RELS and name not in ("supersedes", "derived_from"):
        return name
    return name if name[:1].isalpha() and name not in RELS else "relates_to"


def list_in(text: object) -> list[str]:
    """A JSON list of texts, or texts with commas between, as others keep them in a column."""
    if isinstance(text, list):
        return [one for one in text if isinstance(one, str)]
    if not isinstance(text, str) or not text.strip():
        return []
    try:
        shape = json.loads(text)
    except (ValueError, RecursionError):
        return [part.strip() for part in text.split(",") if part.strip()]
    return [one for one in shape if isinstance(one, str)] if isinstance(shape, list) else []


def file_anchors(root: str, paths: Sequence[str]) -> tuple[Anchor, ...]:
    """Anchors to those of the files that lie in the project and are there."""
    if not root:
        return ()
    base = os.path.realpath(root)
    found: list[Anchor] = []
    for path in dict.fromkeys(paths):
        whole = os.path.realpath(path if os.path.isabs(path) else os.path.join(base, path))
        if not whole.startswith(base + os.sep) or not os.path.isfile(whole) or len(found) >= FILES_MAX:
            continue
        try:
            found.append(make_anchor({"type": "file", "path": Path(whole).relative_to(base).as_posix()}))
        except Invalid:
            continue
    return tuple(found)


def without_empty(fields: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in fields.items() if value not in (None, "", [], ())}
