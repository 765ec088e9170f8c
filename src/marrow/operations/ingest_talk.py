"""knowledge: what was said, what happened in production, and the reasons in commits."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..ingest.history import COMMITS_MAX
from ..memory.attribution import COMMIT_DIGITS
from ..memory.taking_in.documents import refuse_folder, refuse_unread
from ..memory.taking_in.talk import COMMITS_LIMIT, Took
from ..memory.taking_in.talk import ingest_conversation as take_conversation
from ..memory.taking_in.talk import ingest_history as take_history
from ..memory.taking_in.talk import ingest_log as take_log
from ..model.scope import WRITE
from ..model.text import counted
from .problems import problem_lines, told_problems
from .table import Call, operation

_MICROS = 1_000_000


class TalkResult(NamedTuple):
    """What came of it. `problems` names what was not read, or was read in part, and why. `symbols_left`: of so many
    commits it is not known yet which symbols they touched; the next run goes on. Of a history that a limit cut, `back`
    has the earliest `commit` that was read, its `date`, and how many are `earlier`, of how many in `total`."""

    service: str
    added: int
    changed: int
    unchanged: int
    seconds: float
    problems: tuple[dict[str, str], ...] = ()
    troubled: int = 0
    left_out: int = 0
    symbols_left: int = 0
    back: dict[str, Any] | None = None

    def text(self) -> str:
        told = ", ".join(
            f"{count:,} {what}" for what, count in (("new", self.added), ("changed", self.changed)) if count
        )
        where = f" for {self.service}" if self.service else ""
        lines = [f"took in{where}: {told or 'nothing new'}, {self.unchanged:,} unchanged ({self.seconds:.1f} s)"]
        if self.symbols_left:
            lines.append(f"which symbols they touched is still to be found for {counted(self.symbols_left, 'commit')}")
        if self.back is not None:
            lines.append(_cut(**self.back))
        if self.problems:
            lines.append(f"{counted(self.troubled, 'thing')} not read, read in part or by a guess:")
            lines += problem_lines(self.problems, self.left_out)
        return "\n".join(lines)


def _cut(commit: str, date: str, earlier: int, total: int, limit: int) -> str:
    further = min(total, COMMITS_LIMIT)
    more = f"; limit={further} reads further back" if further > limit else ""
    day = f" of {date}" if date else ""
    return f"read back to commit {commit[:COMMIT_DIGITS]}{day}: {counted(earlier, 'earlier commit')} not read{more}"


def _told(call: Call, done: Took, started: int, *, is_one: bool = False, path: str = "") -> TalkResult:
    """Of one file that was not read at all, an error; of many, a report."""
    taken = done.taken
    if is_one:
        refuse_unread(taken, path)
    told, left = told_problems(taken.problems)
    seconds = round((call.engine.clock() - started) / _MICROS, 3)
    counts = (taken.added, taken.changed, taken.unchanged + taken.moved)
    back = done.back._asdict() if done.back is not None else None
    return TalkResult(done.service, *counts, seconds, told, len(taken.problems), left, done.symbols_left, back)


@operation("knowledge", right=WRITE, changes=True, spellings={"service": ("service_name",), "text": ("transcript",)})
def ingest_conversation(
    call: Call,
    path: Annotated[str, "a transcript of Claude Code or Codex, a folder of them, a Slack export, or a chat"] = "",
    text: Annotated[str, "the conversation itself, instead of a path"] = "",
    title: str = "",
    service: str = "",
    direct: Annotated[bool, "of a Slack export, private talks too"] = False,
) -> TalkResult:
    """Take in conversations: what was asked, answered and decided, without thinking and tools' output.

    Long ones become several parts of one thread. Called again, it takes in what was said since.
    """
    started = call.engine.clock()
    done = take_conversation(
        call.engine,
        call.asker,
        path=path,
        text=text,
        title=title,
        service=service,
        direct=direct,
        progress=call.progress,
    )
    return _told(call, done, started, is_one=done.files <= 1, path=path)


@operation(
    "knowledge",
    right=WRITE,
    changes=True,
    spellings={"service": ("service_name",), "since": ("from",), "until": ("to",)},
)
def ingest_log(
    call: Call,
    path: Annotated[str, "a log of nearly any form, packed with gzip or not"] = "",
    text: Annotated[str, "its lines, instead of a path"] = "",
    service: Annotated[str, "default: as the log tells it"] = "",
    since: Annotated[str, "only events from this time on"] = "",
    until: Annotated[str, "only events up to this time"] = "",
) -> TalkResult:
    """Take in a production log, grouped into what happened: errors, warnings and bursts, each with how often and when.

    However long the file is, it is read as a stream. Times without a zone are taken as UTC.
    """
    started = call.engine.clock()
    refuse_folder(path, "Give one log at a time; ingest_conversation takes a folder of transcripts.")
    done = take_log(
        call.engine,
        call.asker,
        path=path,
        text=text,
        service=service,
        since=since,
        until=until,
        progress=call.progress,
    )
    # That nothing happened in an hour is an answer; that nothing is there to be read is a mistake.
    return _told(call, done, started, is_one=not (since or until), path=path)


@operation("knowledge", right=WRITE, changes=True, spellings={"service": ("service_name",)})
def ingest_history(
    call: Call,
    repo_path: Annotated[str, "the root of a repository; default: this project's"] = "",
    since: Annotated[str, "a time or a commit: only what came after it"] = "",
    service: Annotated[str, "default: by its manifests, then its origin"] = "",
    limit: Annotated[int, "at most so many of the latest commits"] = COMMITS_MAX,
) -> TalkResult:
    """Take in the reasons in commits, each with its files and the symbols it touched. Commits that are known already
    are not read again."""
    started = call.engine.clock()
    done = take_history(
        call.engine,
        call.asker,
        repo_path=repo_path,
        since=since,
        service=service,
        limit=limit,
        progress=call.progress,
    )
    return _told(call, done, started)
