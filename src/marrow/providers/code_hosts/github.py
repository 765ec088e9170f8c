"""GitHub by its REST interface, version 2022-11-28: github.com, or a company's own."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

from ...model.errors import Conflict, NotFound
from ..http import Waiting
from .answers import count, is_bot, next_query, rows, text, value
from .host import ISSUE, PULL, Commit, Head, HostFile, Limit, Page, Remark, Repository, Talk, Tree
from .wire import WAIT_S, Manner, Wire, Wired, step, unexpected

ADDRESS = "https://api.github.com"
PAGE = 100
REMARK_PAGES_MAX, COMMIT_PAGES_MAX = 10, 1000
FILES_MAX = 500_000
# base64 with its line ends, and the JSON around it.
_BLOB_FACTOR, _BLOB_FRAME = 1.4, 4096
_FILE_MODES = ("100644", "100755", "100664")


class GitHub(Wired):
    """A client of GitHub. `address` is that of the interface: a company's own ends in `/api/v3`."""

    name, title = "github", "GitHub"

    def __init__(
        self,
        token: str = "",
        *,
        address: str = ADDRESS,
        token_hint: str = "",
        wait_s: float = WAIT_S,
        waiting: Waiting | None = None,
    ) -> None:
        headers = {"Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28"}
        self.address = address
        manner = Manner(self.title, address, headers, "Authorization", "Bearer {}", token_hint)
        self._wire = Wire(manner, token, wait_s=wait_s, waiting=waiting)

    def who(self) -> str:
        return text(self._wire.json("/user", what="the user of the token"), "login")

    def rate_limit(self) -> Limit:
        core = value(self._wire.json("/rate_limit", what="the limit of calls"), "resources", "core")
        return Limit(count(core, "limit"), count(core, "remaining"), count(core, "reset"))

    def repository(self, path: str) -> Repository:
        found = self._wire.json(f"/repos/{_steps(path)}", what=f"repository {path}")
        name = text(found, "full_name")
        if not name:
            unexpected(self.title, path)
        sorts = (PULL, ISSUE) if value(found, "has_issues") is not False else (PULL,)
        branch, url = text(found, "default_branch"), text(found, "html_url")
        return Repository(name, branch, url, bool(value(found, "private")), sorts, count(found, "id"))

    def head(self, repository: Repository, ref: str = "", tag: str = "") -> Head:
        where = ref or repository.branch
        accept = "application/vnd.github.sha"
        path = f"{_at(repository)}/commits/{step(where)}"
        try:
            answer = self._wire.get(path, what=f"commit {where} of {repository.path}", accept=accept, tag=tag)
        except Conflict:  # nothing was ever committed
            return Head("")
        commit = answer.body.decode("ascii", "replace").strip()
        if not answer.is_unchanged and not _is_hash(commit):
            unexpected(self.title, where)
        return Head("" if answer.is_unchanged else commit, answer.tag or tag, answer.is_unchanged)

    def tree(self, repository: Repository, commit: str) -> Tree:
        found: list[HostFile] = []
        try:
            is_whole = self._walk(repository, commit, "", found)
        except Conflict:
            return Tree(commit, ())
        return Tree(commit, tuple(sorted(found, key=lambda file: file.path)), not is_whole)

    def _walk(self, repository: Repository, name: str, folder: str, found: list[HostFile]) -> bool:
        """Adds the files below a folder. A tree that is too large for one answer is asked for folder by folder."""
        answer = self._tree(repository, name, recursive=True)
        if value(answer, "truncated") is not True:
            found += _files(answer, folder)
            return len(found) <= FILES_MAX
        one = self._tree(repository, name, recursive=False)
        found += _files(one, folder)
        is_whole = value(one, "truncated") is not True
        for row in rows(value(one, "tree")):
            if text(row, "type") == "tree" and len(found) <= FILES_MAX:
                below = f"{folder}{text(row, 'path')}/"
                is_whole = self._walk(repository, text(row, "sha"), below, found) and is_whole
        return is_whole and len(found) <= FILES_MAX

    def _tree(self, repository: Repository, name: str, *, recursive: bool) -> Any:
        path = f"{_at(repository)}/git/trees/{step(name)}"
        return self._wire.json(path, {"recursive": "1"} if recursive else "", what=f"tree {name} of {repository.path}")

    def contents(self, repository: Repository, commit: str, folder: str = "") -> list[str]:
        path = f"{_at(repository)}/contents/{_steps(folder)}".rstrip("/")
        found = self._wire.json(path, {"ref": commit}, what=f"folder {folder or '.'} of {repository.path}")
        if not isinstance(found, list):
            raise NotFound(f"{folder} is no folder of {repository.path}.", hint="Give a folder.")
        return [text(row, "name") + ("/" if text(row, "type") == "dir" else "") for row in rows(found)]

    def bytes_of(self, repository: Repository, commit: str, file: HostFile, bytes_max: int) -> bytes:
        path = f"{_at(repository)}/git/blobs/{step(file.blob)}"
        largest = int(bytes_max * _BLOB_FACTOR) + _BLOB_FRAME
        answer = self._wire.decoded(self._wire.get(path, what=f"file {file.path}", bytes_max=largest))
        content = text(answer, "content")
        if text(answer, "encoding") != "base64":
            return content.encode("utf-8", "surrogatepass")
        try:
            return base64.b64decode(content)
        except (binascii.Error, ValueError):
            unexpected(self.title, file.path)

    def file(self, repository: Repository, path: str, ref: str = "") -> bytes:
        where = f"{_at(repository)}/contents/{_steps(path)}"
        accept = "application/vnd.github.raw+json"
        what = f"file {path} of {repository.path}"
        return self._wire.get(where, {"ref": ref or repository.branch}, what=what, accept=accept).body

    def commits(self, repository: Repository, since: str = "", limit: int = 100) -> list[Commit]:
        path, what = f"{_at(repository)}/commits", f"history of {repository.path}"
        first = {"sha": repository.branch, "since": since, "per_page": min(limit, PAGE)}
        try:
            found = list(islice(self._all(path, first, what, COMMIT_PAGES_MAX), limit))
        except Conflict:  # nothing was ever committed
            return []
        return [
            Commit(
                text(row, "sha"),
                text(row, "commit", "message"),
                text(row, "commit", "author", "name"),
                text(row, "commit", "committer", "date"),
            )
            for row in found
        ]

    def updated(self, repository: Repository, sort: str, since: str = "", tag: str = "", rest: str = "") -> Page:
        """Pull requests are issues here, and both are listed together: only so can they be asked for by time."""
        query: dict[str, object] = {"state": "all", "sort": "updated", "direction": "asc", "per_page": PAGE}
        path, what = f"{_at(repository)}/issues", f"issues of {repository.path}"
        try:
            answer = self._wire.get(path, rest or {**query, "since": _just_before(since)}, what=what, tag=tag)
        except NotFound:
            if repository.sorts == (PULL,):  # there are no issues, nor a list of them
                return Page(())
            raise
        if answer.is_unchanged:
            return Page((), "", tag, is_unchanged=True)
        talks = tuple(_talk(row) for row in rows(self._wire.decoded(answer)))
        return Page(talks, next_query(answer.headers), answer.tag)

    def listed(self, repository: Repository, sort: str, number: int) -> Talk:
        return _talk(self._wire.json(f"{_at(repository)}/issues/{number}", what=f"{sort} {number}"))

    def talk(self, repository: Repository, listed: Talk) -> Talk:
        at, number, what = _at(repository), listed.number, f"{listed.sort} {listed.number}"
        remarks: list[Remark] = []
        state, commit, reviewed = listed.state, "", 0
        if listed.sort == PULL:
            pull = self._wire.json(f"{at}/pulls/{number}", what=what)
            reviewed = count(pull, "review_comments")
            if text(pull, "merged_at"):
                state, commit = "merged", text(pull, "merge_commit_sha")
            remarks += [_remark(row) for row in self._remarks(f"{at}/pulls/{number}/reviews", what)]
        if reviewed:
            remarks += [_remark(row) for row in self._remarks(f"{at}/pulls/{number}/comments", what)]
        if listed.remarks_count:
            remarks += [_remark(row) for row in self._remarks(f"{at}/issues/{number}/comments", what)]
        told = sorted((one for one in remarks if one.text or one.verdict), key=lambda remark: remark.at)
        is_cut = max(listed.remarks_count, reviewed) > PAGE * REMARK_PAGES_MAX
        return replace(listed, state=state, commit=commit, remarks=tuple(told), is_cut=is_cut)

    def _remarks(self, path: str, what: str) -> Iterator[Mapping[str, Any]]:
        return self._all(path, {"per_page": PAGE}, f"comments of {what}", REMARK_PAGES_MAX)

    def _all(self, path: str, query: Mapping[str, object], what: str, pages_max: int) -> Iterator[Mapping[str, Any]]:
        """The rows of all pages, in order."""
        following: str | Mapping[str, object] = query
        for _ in range(pages_max):
            answer = self._wire.get(path, following, what=what)
            yield from rows(self._wire.decoded(answer))
            following = next_query(answer.headers)
            if not following:
                return


def _at(repository: Repository) -> str:
    return f"/repos/{_steps(repository.path)}"


def _steps(path: str) -> str:
    return "/".join(step(part) for part in path.strip("/").split("/"))


def _just_before(since: str) -> str:
    """A second earlier: GitHub has said both that a time counts as its own "since" and that it does not."""
    try:
        return (datetime.fromisoformat(since).astimezone(UTC) - timedelta(seconds=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        return since


def _is_hash(given: str) -> bool:
    return 40 <= len(given) <= 64 and all(mark in "0123456789abcdef" for mark in given)


def _files(answer: object, folder: str) -> list[HostFile]:
    """Regular files: no links, which may lead anywhere, and no other repositories."""
    return [
        HostFile(folder + text(row, "path"), text(row, "sha"), count(row, "size") if "size" in row else -1)
        for row in rows(value(answer, "tree"))
        if text(row, "type") == "blob" and text(row, "mode") in _FILE_MODES and text(row, "path")
    ]


def _author(row: object) -> tuple[str, bool]:
    """Who wrote it, and whether that is a program. A person who left is nobody."""
    name = text(row, "user", "login") or "ghost"
    return name, text(row, "user", "type") == "Bot" or is_bot(name)


def _talk(row: object) -> Talk:
    author, bot = _author(row)
    pull = value(row, "pull_request")
    state = text(row, "state")
    return Talk(
        sort=ISSUE if pull is None else PULL,
        number=count(row, "number"),
        title=text(row, "title"),
        body=text(row, "body"),
        state="merged" if text(pull, "merged_at") else state,
        author=author,
        url=text(row, "html_url"),
        created=text(row, "created_at"),
        updated=text(row, "updated_at"),
        is_bot=bot,
        labels=tuple(name for label in rows(value(row, "labels")) if (name := text(label, "name"))),
        remarks_count=count(row, "comments"),
    )


_VERDICTS = {"APPROVED": "approved", "CHANGES_REQUESTED": "changes requested", "DISMISSED": "dismissed"}


def _remark(row: Mapping[str, Any]) -> Remark:
    """A comment, a review or a comment in one: they differ in their times and in whether they stand at a line."""
    author, bot = _author(row)
    line = count(row, "line") or count(row, "original_line")
    path = text(row, "path")
    place = f"{path}:{line}" if path and line else path
    at = text(row, "created_at") or text(row, "submitted_at")
    return Remark(author, text(row, "body").strip(), at, place, _VERDICTS.get(text(row, "state"), ""), bot)
