"""How what was taken in is shown: what it is, where it stands, from when, how it holds."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..memory.organisation.attributed import Attributed
from ..model.address import shown
from ..model.moments import age, iso
from ..model.record import Record
from ..model.text import first_line
from .views import drifted

EXCERPT_MAX = 600
SHORT_MAX = 240


def told_when(date: str, age_: str) -> str:
    """The day with how long ago that was; or that none is known."""
    return f"{date} ({age_})" if date else "undated"


class Document(NamedTuple):
    """One hit. `lines` are those of the passage that answers, where the text is long; `content` is that passage, or how
    the text begins. `date` is when it is from, empty where nothing says so. `changed_by`: of a decision, a later one
    that plainly says otherwise; `amended_by`: those that changed it in part. `drift`: that what it stands on has
    moved."""

    address: str
    kind: str
    title: str
    path: str
    lines: str
    service: str
    date: str
    age: str
    status: str
    content: str
    score: float = 0.0
    superseded_by: tuple[str, ...] = ()
    project: str = ""
    url: str = ""
    changed_by: str = ""
    drift: str = ""
    amended_by: tuple[str, ...] = ()

    def heading(self, project: str = "") -> str:
        place = f"{self.path}:{self.lines}" if self.lines else self.path
        where = f"in {project}" if project else ""
        parts = [self.kind, place, self.service, where, told_when(self.date, self.age), self.status, self.drift]
        gone = f" (superseded by {', '.join(self.superseded_by)})" if self.superseded_by else ""
        gone = gone or (f" (changed since by {self.changed_by})" if self.changed_by else "")
        gone = gone if self.superseded_by else f"{self._amended()}{gone}"
        return f"[{self.address}] {self.title}{gone}\n    {' · '.join(part for part in parts if part)}"

    def _amended(self) -> str:
        return f" (amended by {', '.join(self.amended_by)})" if self.amended_by else ""

    def line(self, project: str = "") -> str:
        text = self.content.strip().replace("\n", "\n    ")
        heading = self.heading(project)
        return f"{heading}\n    {text}" if text and text != self.title else heading


def document(one: Attributed, now: int, *, content: str | None = None) -> Document:
    """An attributed record as it is shown."""
    lines = one.lines
    link = one.origin.fields.get("url")
    return Document(
        address=shown(one.record.node.address),
        kind=one.record.node.kind,
        title=one.title,
        path=one.named_path,
        lines="" if lines is None else str(lines[0]) if lines[0] == lines[1] else f"{lines[0]}-{lines[1]}",
        service=one.origin.service,
        date=iso(one.at)[:10] if one.is_dated else "",
        age=age(one.at, now) if one.is_dated else "",
        status=one.status,
        content=_excerpt(one.passage) if content is None else content,
        score=round(one.score, 4),
        superseded_by=tuple(shown(heir.node.address) for heir in one.successors) if one.is_superseded else (),
        project=one.record.project,
        url=link if isinstance(link, str) else "",
        changed_by=shown(one.changed_by.node.address) if one.changed_by else "",
        drift=drifted(one.record.standing),
        amended_by=tuple(map(str, one.amended_by)),
    )


def _excerpt(text: str) -> str:
    form = text.strip()
    return form if len(form) <= EXCERPT_MAX else f"{form[:EXCERPT_MAX].rsplit(' ', 1)[0].rstrip()} …"


def named(record: Record) -> dict[str, Any]:
    """A record in a list of what belongs to another."""
    title = first_line(record.node.content.lstrip("# "), SHORT_MAX)
    return {"address": shown(record.node.address), "kind": record.node.kind, "title": title}
