"""Links between nodes, and anchors from nodes into the code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .errors import Invalid
from .nearest import nearest
from .node import metadata_text
from .standing import MOMENT_MAX

RELS = ("relates_to", "caused_by", "depends_on", "blocks", "enables", "contradicts", "supersedes", "derived_from")
# Causal relations are followed further than loose ones.
CAUSAL_RELS = frozenset(("caused_by", "depends_on", "blocks", "enables", "amends"))
# A node's own history, not its meaning: these are not handed on to the node that supersedes it.
HISTORY_RELS = frozenset(("supersedes", "derived_from"))
ANCHOR_TYPES = ("file", "lines", "symbol", "pattern", "dependency", "commit")
# The seeds' names for two of them are accepted.
ANCHOR_SPELLINGS = {"content_hash": "lines", "grep": "pattern"}

# What an anchor's target may be called, besides target. A symbol or a pattern may have a path too.
_OWN_WORDS = {
    "symbol": ("symbol", "name"),
    "pattern": ("pattern",),
    "dependency": ("name",),
    "commit": ("commit", "hash"),
}

_REL = re.compile(r"[a-z][a-z0-9_]{0,39}\Z")


@dataclass(frozen=True, slots=True)
class Link:
    """`source` rel `target`, said in `project` at `at`; `closed` when it no longer holds."""

    source: str
    target: str
    rel: str
    project: str
    at: int
    closed: bool = False

    @property
    def line(self) -> tuple[str, str, str, str]:
        """What makes it this link, whenever it was said."""
        return self.source, self.rel, self.target, self.project

    @property
    def weight(self) -> tuple[int, bool]:
        """Of two of one line, the greater holds after a merge."""
        return self.at, self.closed


def said_after(link: Link, known_at: int) -> int:
    """When a link was opened or ended by somebody who knew how it stood since `known_at`: late enough to win over that,
    whatever the clocks say."""
    return max(link.at, known_at if link.closed else min(known_at + 1, MOMENT_MAX))


@dataclass(frozen=True, slots=True)
class Anchor:
    """A pin into the code: its type, what it points at (a path, a symbol, a package…), and the rest as JSON."""

    type: str
    target: str
    detail: str = "{}"

    @property
    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.detail)
        return found


def check_rel(rel: object) -> str:
    if not isinstance(rel, str) or _REL.match(rel) is None:
        raise Invalid(
            f"{str(rel)[:60]!r} is not a relation.",
            hint=f"One of {', '.join(RELS)}, or a word of your own in lower case with underscores.",
            field="rel",
        )
    return rel


def check_meant(rel: object) -> str:
    """A relation as a caller names it: one that is nearly Marrow's own was meant to be it."""
    checked = check_rel(rel)
    if checked not in RELS and (meant := nearest(checked, RELS)):
        raise Invalid(f"{checked!r} is no relation of Marrow's.", hint=f"Did you mean {meant}?", field="rel")
    return checked


def make_anchor(given: object) -> Anchor:
    """An anchor from what a caller gave: a path, `path:12-20`, `path::Store.close`, or an object with type and
    target."""
    if isinstance(given, str) and given.strip():
        path, _, symbol = given.strip().partition("::")
        if path.strip() and symbol.strip():
            is_file = "." in path or "/" in path  # `Store::close` is a symbol as some languages write it
            about = {"path": _inside(path.strip())} if is_file else {}
            return Anchor("symbol", symbol.strip() if is_file else given.strip(), metadata_text(about))
        path, _, lines = given.strip().partition(":")
        found = re.fullmatch(r"(\d+)(?:-(\d+))?", lines)
        if found:
            first, last = int(found[1]), int(found[2] or found[1])
            return Anchor("lines", _inside(path), metadata_text({"start": first, "end": last}))
        return Anchor("file", _inside(given.strip()))
    if isinstance(given, Mapping):
        rest = dict(given)
        named = rest.pop("type", "file")
        type_ = ANCHOR_SPELLINGS.get(str(named), str(named))
        own = ("target", *_OWN_WORDS.get(type_, ()), "path", "file", "symbol", "pattern", "name")
        target = next((rest.pop(word) for word in own if word in rest), None)
        if type_ in ANCHOR_TYPES and isinstance(target, str) and target.strip():
            checked = _inside(target.strip()) if type_ in ("file", "lines") else target.strip()
            return Anchor(type_, checked, metadata_text(rest))
    raise Invalid(
        f"{str(given)[:80]!r} is not an anchor.",
        hint=f'Give a path ("src/app.py"), lines ("src/app.py:10-20"), a symbol ("src/app.py::Store.close"), or '
        f'{{"type", "target"}} with type one of '
        f"{', '.join(ANCHOR_TYPES)}.",
        field="anchors",
    )


def _inside(path: str) -> str:
    """A path inside the repository, with forward slashes. One that leads out of it is refused."""
    form = path.replace("\\", "/").removeprefix("./")
    if form.startswith("/") or re.match(r"[A-Za-z]:", form) or ".." in form.split("/"):
        raise Invalid(f"{path[:80]!r} leads out of the repository.", hint="Give it from the root.", field="anchors")
    return form
