"""How nodes are shown in the results of operations.

Results are named tuples: there are many of them, every start defines them all, and they cost a tenth of a dataclass.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from ..memory.amendments import Amendment
from ..memory.attribution import NOWHERE, Origin
from ..model.address import shown
from ..model.moments import age, iso
from ..model.node import GLOBAL_PROJECT, KINDS
from ..model.record import Record
from ..model.standing import Standing
from ..model.text import counted, shorten
from ..search.cut import Kept
from ..search.evidence import LONG
from ..search.find import Hit

LOW_CONFIDENCE = 0.5
DRIFT_TOKENS = 30
# So far a licence is looked for at the beginning of a file.
LICENCE_MAX = 20_000
_FIRST_COMMENT = re.compile(r"\s*+(?:/\*.*?\*/|<!--.*?-->|(?:[ \t]*+(?:#|//|--|;|%)[^\n]*(?:\n|\Z))+)\s*", re.S)
_LICENCE = re.compile(r"copyright|licen[cs]ed? |spdx", re.I)
NO_REASONS: Mapping[str, float] = MappingProxyType({})


class View(NamedTuple):
    """A node in a list: what it says, what it is, how it stands, and why it is here."""

    address: str
    kind: str
    domain: str
    content: str
    age: str
    at: str
    project: str
    score: float = 0.0
    marks: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    why: Mapping[str, float] = NO_REASONS
    tier: str = ""
    passage: str = ""
    source: str = ""

    def line(self, project: str = "") -> str:
        """One entry of a list for a reader: reference material, labelled with its age and standing."""
        marks = f" ({', '.join(self.marks)})" if self.marks else ""
        tags = f" #{' #'.join(self.tags)}" if self.tags else ""
        why = f"\n    why: {' '.join(f'{name} {value:g}' for name, value in self.why.items())}" if self.why else ""
        shown_text = f"… {self.passage} …" if self.passage else self.content
        text = shown_text.replace("\n", "\n    ")
        source = f"\n    {self.source}" if self.source else ""
        where = f" in {project}" if project else ""
        return f"[{self.address}] {self.domain}/{self.kind}, {self.age}{where}{marks}{tags}{source}\n    {text}{why}"


class _OfProject(Protocol):
    """An entry of a list that knows its project."""

    @property
    def project(self) -> str: ...

    def line(self, project: str = "") -> str: ...


def lines_of(items: Sequence[_OfProject]) -> list[str]:
    """The entries of a list for a reader: each says its project where they are of more than one."""
    several = len({item.project for item in items} - {GLOBAL_PROJECT}) > 1
    return [item.line(item.project if several else "") for item in items]


def drifted(standing: Standing) -> str:
    """That the ground of a memory has moved, and how; nothing where it has not."""
    if not standing.drift:
        return ""
    what = f": {shorten(standing.reason, DRIFT_TOKENS)}" if standing.reason else ""
    return f"code {standing.drift}{what}"


def view(record: Record, now: int, *, score: float = 0.0, why: Mapping[str, float] | None = None) -> View:
    standing = record.standing
    marks = []
    if standing.state != "active":
        marks.append(standing.state)
    elif not standing.is_active(now):
        marks.append("expired")
    if standing.pinned:
        marks.append("pinned")
    if standing.preliminary:
        marks.append("preliminary")
    if standing.drift:
        marks.append(drifted(standing))
    if standing.confidence < LOW_CONFIDENCE:
        marks.append(f"confidence {standing.confidence:g}")
    if record.project == GLOBAL_PROJECT:
        marks.append("global")
    return View(
        address=shown(record.node.address),
        kind=record.node.kind,
        domain=standing.domain,
        content=record.node.content,
        age=age(record.last_at, now),
        at=iso(record.last_at),
        project=record.project,
        score=round(score, 4),
        marks=tuple(marks),
        tags=standing.tags,
        why=why or NO_REASONS,
    )


def hit_view(
    hit: Hit,
    now: int,
    explain: bool,
    origin: Origin = NOWHERE,
    rivals: Sequence[str] = (),
    amended: Sequence[Amendment] = (),
) -> View:
    """A hit with where it is from, what took the place of the same as it did, and what amended it. Of a long text the
    passage that answers is shown, and where it stands."""
    why = {name: round(part, 4) for name, part in hit.why} if explain else None
    found = view(hit.record, now, score=hit.score, why=why)
    place = hit.evidence.place if hit.evidence else None
    whole = hit.record.node.content
    passage = whole[place.start : place.end].strip() if place and len(whole) > LONG else ""
    content = passage or _beginning(whole, hit.record.node.kind)
    marks = (*found.marks, *([beside(rivals)] if rivals else []))
    marks += (f"amended by {', '.join(map(str, amended))}",) if amended else ()
    return found._replace(content=content, passage=passage, source=origin.cited(hit.record, place), marks=marks)


def beside(rivals: Sequence[str]) -> str:
    """That others took the place of the same, and hold too."""
    return f"{', '.join(map(shown, rivals))} replaced the same"


def _beginning(content: str, kind: str) -> str:
    """The text, or how a long one begins: `memory_get` has it whole. The licence of a file says nothing of it."""
    if len(content) <= LONG:
        return content
    head = _FIRST_COMMENT.match(content, 0, LICENCE_MAX) if kind == "code" else None
    start = head.end() if head and head.end() < len(content) and _LICENCE.search(head[0]) else 0
    shown_text = content[start : start + LONG].rstrip()
    return f"{'… ' if start else ''}{shown_text}{' …' if start + LONG < len(content) else ''}"


def kept_view(
    kept: Kept, now: int, origin: Origin = NOWHERE, rivals: Sequence[str] = (), amended: Sequence[Amendment] = ()
) -> View:
    """What recall tells: also what it replaced though nobody linked them, how often it was said, and which passage."""
    found = hit_view(kept.hit, now, False, origin, rivals, amended)
    marks = [f"replaces {shown(record.node.address)}: {reason}" for record, reason in kept.replaced]
    marks += [f"{kept.same} more say{'s' if kept.same == 1 else ''} the same"] if kept.same else []
    return found._replace(marks=(*found.marks, *marks), passage=found.passage or kept.passage)


def standing_shape(standing: Any) -> dict[str, Any]:
    """A standing as it is shown: its times as text, without the salt."""
    hidden = {"salt", "changed_at", "reinforced_at", "expires_at"}
    shape = {name: getattr(standing, name) for name in standing.__slots__ if name not in hidden}
    shape["changed"] = iso(standing.changed_at)
    if standing.expires_at is not None:
        shape["expires"] = iso(standing.expires_at)
    return shape


def kinds_counted(kinds: Mapping[str, int]) -> str:
    """`2 claims, 1 gap`. Of code it is files that are counted; what many of a kind that somebody made up are called is
    not known."""
    names = {kind: "code file" if kind == "code" else kind for kind in KINDS}
    told = (counted(n, names[kind]) if kind in names else f"{n:,} {kind}" for kind, n in kinds.items())
    return ", ".join(told)


def standing_words(standing: dict[str, Any]) -> str:
    """How a node stands, without what is as usual."""
    parts = [str(standing["state"]), f"priority {standing['priority']:g}", f"confidence {standing['confidence']:g}"]
    parts += [name for name in ("pinned", "preliminary") if standing[name]]
    parts += ["approved" if standing["approved"] else "rejected"] if standing["approved"] is not None else []
    parts += ["episodic"] if not standing["semantic"] else []
    parts += [standing["classification"]] if standing["classification"] != "internal" else []
    parts += [f"code {standing['drift']}"] if standing["drift"] else []
    parts += [f"{name} {', '.join(standing[name])}" for name in ("tags", "aliases") if standing[name]]
    parts += [f"reinforced {counted(standing['reinforced'], 'time')}"] if standing["reinforced"] else []
    parts += [f"until {standing['expires']}"] if standing.get("expires") else []
    return "; ".join(parts) + (f" ({standing['reason']})" if standing["reason"] else "")


def similar_lines(similar: tuple[dict[str, Any], ...]) -> list[str]:
    """What a new text is like that is known already."""
    words = {"replaces": "replaces?", "contradicts": "contradicts?", "near": "nearly the same:"}
    lines = [f"  {words[one['what']]} [{one['address']}] {one['content']} ({one['reason']})" for one in similar]
    if any(one["what"] != "near" for one in similar):
        lines.append("  If this replaces it: relate the two with supersedes (this one to the older one).")
    return lines
