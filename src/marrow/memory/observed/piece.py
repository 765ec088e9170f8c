"""What one call did, or several, before repeats are put together and it becomes an observation."""

from __future__ import annotations

from dataclasses import dataclass, field

from .call import Call
from .changes import Change
from .lines import one_line
from .observation import OK, Observation, as_detail, as_summary, as_title
from .paths import relative
from .runs.run import Run

EDIT, TEST, SHELL, OTHER = "edit", "test", "shell", "other"
FILES_MAX = 20


@dataclass(frozen=True, slots=True)
class Piece:
    """`key` is what makes two pieces the same call again; `scope` are the tests or files that a run was limited to,
    `undoes` the files and folders whose changes it took back."""

    call: Call
    form: str
    title: str
    summary: str
    detail: str = ""
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    outcome: str = OK
    failure: str = ""
    fixed: str = ""
    key: str = ""
    scope: tuple[str, ...] = ()
    undoes: tuple[str, ...] = ()
    run: Run | None = None
    changes: tuple[Change, ...] = ()
    ids: tuple[str, ...] = field(default=())
    size: int = 0

    @property
    def trace_ids(self) -> tuple[str, ...]:
        return self.ids or (self.call.id,)

    @property
    def before(self) -> int:
        return self.size or self.call.size


def observation_of(piece: Piece) -> Observation:
    title, summary, detail = as_title(piece.title), as_summary(piece.summary), as_detail(piece.detail)
    # Each depth says more than the one before it, or nothing.
    if one_line(detail) in summary:
        detail = ""
    files = dict.fromkeys(relative(path, piece.call.cwd) for path in piece.files if path)
    return Observation(
        title=title,
        summary=summary or title,
        detail=detail,
        tool=piece.call.tool,
        does=piece.call.does,
        files=tuple(files)[:FILES_MAX],
        names=tuple(dict.fromkeys(piece.names))[:FILES_MAX],
        outcome=piece.outcome,
        turn=piece.call.turn,
        at=piece.call.at,
        before=piece.before,
        after=len(title) + len(summary or title) + len(detail),
        failure=piece.failure,
        fixed=piece.fixed,
        trace_ids=tuple(dict.fromkeys(one for one in piece.trace_ids if one)),
    )
