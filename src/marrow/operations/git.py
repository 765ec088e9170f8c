"""git: the hot tier. What happened in the repository lately, and what is happening in it now."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Annotated, NamedTuple

from ..memory.code.since import since_of
from ..memory.git.file_commits import file_commits
from ..memory.git.search_commits import FoundCommit, search_commits
from ..memory.git.told_diff import BUDGET_DEFAULT, ToldDiff, ToldFile, told_diff
from ..memory.project_files import path_in_repository
from ..model.errors import Invalid, Unavailable
from ..model.moments import age, iso, micros, moment
from ..model.redact import redact
from ..model.text import counted, on_a_line, shorten
from ..repository.branch import Branch, current_branch
from ..repository.changed import commit_moment
from ..repository.changed_lately import FILES_MAX, Changed, changed_lately
from ..repository.diff import SUBMODULE
from ..repository.file_history import FileCommit
from ..repository.head import is_shallow, repository_at
from ..repository.identity import identify, locate
from ..repository.recent import Recent, recent_commits
from .table import Call, operation

HASH_SHOWN = 10
BODY_TOKENS = 80
SHALLOW = "shallow: older commits are not here, and what the oldest one changed is not known"
HOURS_MAX = 24 * 366 * 100
# What the lines around the changes of a diff take.
FRAME_TOKENS, LINES_SHARE = 40, 0.92
_MARKS = {
    "modified": "M",
    "added": "A",
    "deleted": "D",
    "renamed": "R",
    "copied": "C",
    "untracked": "?",
    "conflict": "U",
}


def repository_of(call: Call) -> str:
    """The folder of the repository that the caller stands in."""
    if call.asker.root:
        return call.asker.root
    here = os.getcwd()
    # A bare repository has no root to name. The current folder is only asked where it is the caller's own project.
    if locate(here, environ={}) is not None:
        names = {call.asker.scope.project, *call.asker.aliases}
        if names.intersection(identify(here, environ={}).aliases):
            return here
    raise Unavailable(
        "Where this project's repository lies is not known here.",
        hint="Call it from a folder of the repository, without naming another project.",
    )


class CommitView(NamedTuple):
    """A commit. `content` is its message beyond the first line; counts are missing where git cannot tell them."""

    hash: str
    subject: str
    author: str
    at: str
    age: str
    content: str = ""
    files: int | None = None
    added: int | None = None
    removed: int | None = None
    merge: bool = False
    score: float = 0.0
    why: dict[str, float] | None = None

    def line(self) -> str:
        size = (
            "" if self.files is None or self.merge else f", {counted(self.files, 'file')} +{self.added} -{self.removed}"
        )
        marks = ", merge" if self.merge else ""
        score = f"{self.score:.2f}  " if self.score else ""
        body = f"\n{self.content}".replace("\n", "\n    ").rstrip() if self.content else ""
        return f"{score}{self.hash}  {self.subject}  ({self.author}, {self.age}{size}{marks}){body}"


class CommitList(NamedTuple):
    items: tuple[CommitView, ...]
    left_out: int = 0
    shallow: bool = False

    def text(self) -> str:
        lines = [item.line() for item in self.items] or ["No commit yet."]
        lines += [SHALLOW] if self.shallow else []
        return "\n".join([*lines, *([f"({self.left_out} more: raise budget_tokens)"] if self.left_out else [])])


@operation("git", words="git commits")
def get_recent_commits(call: Call, limit: int = 10) -> CommitList:
    """The latest commits of the branch at hand, newest first, with how much each changed."""
    now = call.engine.clock()
    extra = call.engine.redact_extra
    found = recent_commits(repository_of(call), limit)
    shallow = any(one.is_cut_off for one in found)
    return CommitList(tuple(_recent(one, now, extra) for one in found), shallow=shallow)


def _recent(one: Recent, now: int, extra: tuple[str, ...]) -> CommitView:
    subject, body = redact(one.subject, extra).text, redact(one.body, extra).text
    at = micros(one.at)
    about = (one.hash[:HASH_SHOWN], subject, one.author, iso(at), age(at, now), shorten(body, BODY_TOKENS))
    return CommitView(*about, one.files, one.added, one.removed, one.is_merge)


class ChangedFile(NamedTuple):
    """A file that changed: the last commit that did it, and in `pending` what the working tree does to it since."""

    path: str
    what: str
    at: str = ""
    age: str = ""
    author: str = ""
    commit: str = ""
    subject: str = ""
    commits: int = 0
    before: str = ""
    pending: str = ""

    def line(self) -> str:
        before = f" (was {on_a_line(self.before)})" if self.before else ""
        pending = f", not committed: {self.pending}" if self.pending else ""
        if not self.commit:
            return f"{_MARKS.get(self.pending, 'M')}  {on_a_line(self.path)}{before}  not committed"
        times = f", {self.commits} commits" if self.commits > 1 else ""
        about = f"{self.age}, {self.author}, {self.commit} {self.subject}{times}{pending}"
        return f"{_MARKS.get(self.what, 'M')}  {on_a_line(self.path)}{before}  {about}"


class ChangedList(NamedTuple):
    """`files` is how many changed; `items` are those of the working tree and the latest others."""

    items: tuple[ChangedFile, ...]
    files: int
    since: str
    commits: int
    more: bool = False
    left_out: int = 0
    shallow: bool = False

    def text(self) -> str:
        lines = [f"since {self.since}: {counted(self.files, 'file')}, {counted(self.commits, 'commit')}"]
        lines += [item.line() for item in self.items]
        hidden = self.files - len(self.items)
        lines += [f"({hidden} more: raise limit and budget_tokens)"] if hidden > 0 else []
        lines += [SHALLOW] if self.shallow else []
        return "\n".join([*lines, *(["(there is more than could be looked at)"] if self.more else [])])


@operation("git", words="git changes")
def get_changed_files(
    call: Call,
    since_hours: Annotated[float, "how far to look back in commits"] = 24.0,
    limit: Annotated[int, "how many files to list"] = 40,
    since: Annotated[str, "instead: a commit, a time, a session's id or a snapshot"] = "",
) -> ChangedList:
    """The files that changed: in commits of the last hours, and in the working tree."""
    if not 0 <= since_hours <= HOURS_MAX:
        raise Invalid(f"since_hours is a number from 0 to {HOURS_MAX:,}.", field="since_hours")
    if not 1 <= limit <= FILES_MAX:
        raise Invalid(f"limit is a number from 1 to {FILES_MAX:,}.", field="limit")
    now = call.engine.clock()
    root = repository_of(call)
    start, after = moment(now) - timedelta(hours=since_hours), ""
    if since.strip():
        given = since_of(call.engine, call.asker, root, since, 0)
        after = given.commit
        start = (commit_moment(root, after) if after else None) or moment(max(0, given.at))
    found = changed_lately(root, after=after) if after else changed_lately(root, start)
    items = tuple(_changed(one, now, call.engine.redact_extra) for one in found.files[:limit])
    since_then = (iso(micros(start)), found.commits, found.is_cut)
    return ChangedList(items, len(found.files), *since_then, shallow=found.is_cut_off)


def _changed(one: Changed, now: int, extra: tuple[str, ...]) -> ChangedFile:
    if one.at is None:
        return ChangedFile(one.path, one.what, before=one.before, pending=one.pending)
    at = micros(one.at)
    about = (iso(at), age(at, now), one.author, one.commit[:HASH_SHOWN], redact(one.subject, extra).text)
    return ChangedFile(one.path, one.what, *about, one.commits, one.before, one.pending)


class DiffFile(NamedTuple):
    """`content` is the changed lines as they are told; `left_out` says why there are none, or what is missing; of a
    submodule between which commits it went, and what is not committed in it."""

    path: str
    what: str
    added: int
    removed: int
    staged: str
    before: str = ""
    content: str = ""
    left_out: str = ""

    def line(self) -> str:
        before = f" (was {on_a_line(self.before)})" if self.before else ""
        why = f"  ({self.left_out})" if self.left_out else ""
        mark = f"{_MARKS.get(self.what, self.what)} {self.staged[0]}"
        size = "" if self.what.startswith(SUBMODULE) else f" +{self.added} -{self.removed}"
        return f"{mark} {on_a_line(self.path)}{before}{size}{why}"


class DiffNow(NamedTuple):
    """`items` are the files that differ, those whose changes are told first."""

    branch: str
    items: tuple[DiffFile, ...]
    files: int
    added: int
    removed: int
    unlisted: int = 0
    redacted: int = 0
    left_out: int = 0

    def text(self) -> str:
        if not self.files:
            return f"On {self.branch}: nothing differs from the last commit."
        size = f"{counted(self.files, 'file')} differ{'s' if self.files == 1 else ''}, +{self.added} -{self.removed}"
        lines = [f"On {self.branch}: {size} (s staged, u not, b both)"]
        lines += [item.line() for item in self.items]
        hidden = self.unlisted + self.left_out
        lines += [f"({counted(hidden, 'more file')}: raise budget_tokens)"] if hidden else []
        for item in self.items:
            if item.content:
                lines += [f"--- {on_a_line(item.path)}", item.content]
        lines += [f"({counted(self.redacted, 'secret')} taken out)"] if self.redacted else []
        return "\n".join(lines)


@operation("git", words="git diff", spellings={"budget_tokens": ("budget",)})
def get_current_diff(call: Call, budget_tokens: int = BUDGET_DEFAULT) -> DiffNow:
    """What differs from the last commit, staged or not, new files included: every file with its size of change, then
    the changed lines of those that say most, as far as the budget goes.

    Binary, generated and very large files and those that hold secrets are only named. Secrets in lines are removed.
    """
    root = repository_of(call)
    room = max(1, int(budget_tokens * LINES_SHARE) - FRAME_TOKENS) if budget_tokens > 0 else budget_tokens
    found: ToldDiff = told_diff(call.engine, call.asker, root, room)
    items = tuple(_diff_file(one) for one in found.files)
    branch = current_branch(root)
    about = (found.changed, found.added, found.removed, found.unlisted, found.redacted)
    return DiffNow(_called(branch), items, *about)


def _diff_file(one: ToldFile) -> DiffFile:
    return DiffFile(one.path, one.what, one.added, one.removed, one.staged, one.before, one.content, one.left_out)


class BranchResult(NamedTuple):
    """`ahead` and `behind` count commits against `upstream`, and are missing where there is none."""

    name: str
    commit: str
    upstream: str = ""
    ahead: int | None = None
    behind: int | None = None
    detached: bool = False
    shallow: bool = False
    bare: bool = False
    worktree: str = ""
    under_way: str = ""

    def text(self) -> str:
        if not self.commit:
            return f"On {self.name or 'no branch'}, without a commit yet."
        where = f"On {self.name}" if self.name else "On no branch (detached)"
        lines = [f"{where} at {self.commit}"]
        if self.upstream:
            apart = f"{self.ahead} ahead, {self.behind} behind" if self.ahead is not None else "which is not here"
            lines.append(f"follows {self.upstream}: {apart}")
        elif self.name:
            lines.append("follows nothing")
        lines += [f"{self.under_way} under way"] if self.under_way else []
        lines += [f"in the worktree {self.worktree}"] if self.worktree else []
        lines += ["shallow: older commits are not here"] if self.shallow else []
        return "\n".join([*lines, *(["bare: it has no working tree"] if self.bare else [])])


@operation("git", words="git branch")
def get_current_branch(call: Call) -> BranchResult:
    """The branch at hand and its commit, how far it is ahead and behind of what it follows, and what is under way."""
    found = current_branch(repository_of(call))
    about = (found.is_detached, found.is_shallow, found.is_bare, found.worktree, found.under_way)
    return BranchResult(found.name, found.commit[:HASH_SHOWN], found.upstream, found.ahead, found.behind, *about)


def _called(branch: Branch) -> str:
    return branch.name or branch.commit[:HASH_SHOWN] or "no branch"


class CommitHits(NamedTuple):
    """`searched` is how many commits there are to be found."""

    items: tuple[CommitView, ...]
    searched: int
    degraded: str = ""
    left_out: int = 0

    def text(self) -> str:
        nothing = f"Nothing in {counted(self.searched, 'commit')} says that." if self.searched else "No commit yet."
        lines = [item.line() for item in self.items] or [nothing]
        lines += [f"({self.left_out} more: raise budget_tokens)"] if self.left_out else []
        return "\n".join([*lines, *([f"({self.degraded})"] if self.degraded else [])])


@operation("git", name="search_commits", words="git search")
def search_commits_of(call: Call, query: Annotated[str, "words, a sentence, or a hash"], limit: int = 10) -> CommitHits:
    """Commits by the words of their messages and by what they mean. The first search reads the whole history."""
    found = search_commits(call.engine, call.asker, repository_of(call), query, limit, call.progress)
    now = call.engine.clock()
    return CommitHits(tuple(_hit(one, now) for one in found.items), found.searched, found.degraded)


def _hit(one: FoundCommit, now: int) -> CommitView:
    at = one.commit.at * 1_000_000
    body = shorten(one.commit.body, BODY_TOKENS)
    why = {"words": one.words, "meaning": one.meaning}
    about = (one.commit.hash[:HASH_SHOWN], one.commit.subject, one.commit.author, iso(at), age(at, now), body)
    return CommitView(*about, score=one.score, why=why)


class FileCommitView(NamedTuple):
    hash: str
    what: str
    path: str
    subject: str
    author: str
    at: str
    age: str
    before: str = ""

    def line(self) -> str:
        before = f" (was {on_a_line(self.before)})" if self.before else ""
        return f"{self.hash}  {self.what} {on_a_line(self.path)}{before}  {self.subject}  ({self.author}, {self.age})"


class FileHistory(NamedTuple):
    """`exists` says whether there is such a file now."""

    file: str
    items: tuple[FileCommitView, ...]
    exists: bool = True
    left_out: int = 0
    shallow: bool = False

    def text(self) -> str:
        here = "." if self.exists else ", and there is no such file (memory_glob lists those that are)."
        lines = [item.line() for item in self.items] or [f"No commit of this branch touches {self.file}{here}"]
        if self.shallow:
            lines.append("shallow: older commits are not here, and what the oldest one adds may be older")
        return "\n".join([*lines, *([f"({self.left_out} more: raise budget_tokens)"] if self.left_out else [])])


@operation("git", words="git history")
def get_file_history(
    call: Call, file_path: Annotated[str, "from the root, or as it lies on the disk; it may be gone"], limit: int = 10
) -> FileHistory:
    """The commits that changed a file, newest first, under this name and those that it had before."""
    root = repository_of(call)
    path = path_in_repository(root, file_path)
    found = file_commits(call.engine, call.asker, root, path, limit)
    now = call.engine.clock()
    exists = os.path.lexists(os.path.join(root, path))
    shallow = is_shallow(repository_at(root))
    return FileHistory(path, tuple(_file_commit(one, now) for one in found), exists, shallow=shallow)


def _file_commit(one: FileCommit, now: int) -> FileCommitView:
    at = micros(one.at)
    about = (one.path, one.subject, one.author, iso(at), age(at, now), one.before)
    return FileCommitView(one.hash[:HASH_SHOWN], one.what, *about)
