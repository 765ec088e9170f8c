"""GitLab by its REST interface, version 4: gitlab.com, or one's own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import parse_qsl, urlencode

from ...model.errors import Forbidden, NotFound
from ..http import Waiting
from .answers import count, is_bot, next_query, rows, text, value
from .host import ISSUE, PULL, Commit, Head, HostFile, Limit, Page, Remark, Repository, Talk, Tree
from .wire import ANSWER_BYTES_MAX, WAIT_S, Answer, Manner, Wire, Wired, step, unexpected

ADDRESS = "https://gitlab.com"
PAGE = 100
REMARK_PAGES_MAX, COMMIT_PAGES_MAX = 10, 1000
TREE_PAGES_MAX = 5_000
_FILE_MODES = ("100644", "100755", "100664")
_LISTS = {PULL: "merge_requests", ISSUE: "issues"}


class GitLab(Wired):
    """A client of GitLab. `address` is where the program itself is, without `/api/v4`."""

    name, title = "gitlab", "GitLab"

    def __init__(
        self,
        token: str = "",
        *,
        address: str = ADDRESS,
        token_hint: str = "",
        wait_s: float = WAIT_S,
        waiting: Waiting | None = None,
    ) -> None:
        self.address = address
        root = address.rstrip("/").removesuffix("/api/v4") + "/api/v4"
        manner = Manner(self.title, root, {"Accept": "application/json"}, "PRIVATE-TOKEN", "{}", token_hint)
        self._wire = Wire(manner, token, wait_s=wait_s, waiting=waiting)

    def who(self) -> str:
        return text(self._wire.json("/user", what="the user of the token"), "username")

    def rate_limit(self) -> Limit:
        """There is no question for it: any answer says it."""
        self._wire.json("/version", what="the version")
        return self._wire.limit

    def repository(self, path: str) -> Repository:
        found = self._wire.json(f"/projects/{step(path)}", what=f"repository {path}")
        name = text(found, "path_with_namespace")
        if not name:
            unexpected(self.title, path)
        switches = ((PULL, "merge_requests_enabled"), (ISSUE, "issues_enabled"))
        sorts = tuple(sort for sort, switch in switches if value(found, switch) is not False)
        branch = "" if value(found, "empty_repo") is True else text(found, "default_branch")
        is_private = text(found, "visibility") == "private"
        return Repository(name, branch, text(found, "web_url"), is_private, sorts, count(found, "id"))

    def head(self, repository: Repository, ref: str = "", tag: str = "") -> Head:
        where = ref or repository.branch
        path = f"{_at(repository)}/repository/commits/{step(where)}"
        answer = self._wire.get(path, what=f"commit {where} of {repository.path}", tag=tag)
        if answer.is_unchanged:
            return Head("", tag, is_unchanged=True)
        commit = text(self._wire.decoded(answer), "id")
        if not commit:
            unexpected(self.title, where)
        return Head(commit, answer.tag)

    def tree(self, repository: Repository, commit: str) -> Tree:
        query = {"recursive": "true", "ref": commit, "per_page": PAGE, "pagination": "keyset"}
        path, what = f"{_at(repository)}/repository/tree", f"tree {commit} of {repository.path}"
        pages = _Pages(self._wire, path, query, what, TREE_PAGES_MAX)
        found = [
            HostFile(text(row, "path"), text(row, "id"))
            for row in pages
            if text(row, "type") == "blob" and text(row, "mode") in _FILE_MODES and text(row, "path")
        ]
        return Tree(commit, tuple(sorted(found, key=lambda file: file.path)), pages.is_cut)

    def contents(self, repository: Repository, commit: str, folder: str = "") -> list[str]:
        query = {"path": folder.strip("/"), "ref": commit, "per_page": PAGE}
        path = f"{_at(repository)}/repository/tree"
        pages = _Pages(self._wire, path, query, f"folder {folder or '.'} of {repository.path}", TREE_PAGES_MAX)
        return [text(row, "name") + ("/" if text(row, "type") == "tree" else "") for row in pages]

    def bytes_of(self, repository: Repository, commit: str, file: HostFile, bytes_max: int) -> bytes:
        return self._raw(repository, file.path, commit, bytes_max)

    def file(self, repository: Repository, path: str, ref: str = "") -> bytes:
        return self._raw(repository, path, ref or repository.branch, ANSWER_BYTES_MAX)

    def _raw(self, repository: Repository, path: str, ref: str, bytes_max: int) -> bytes:
        where = f"{_at(repository)}/repository/files/{step(path)}/raw"
        what = f"file {path} of {repository.path}"
        return self._wire.get(where, {"ref": ref}, what=what, accept="*/*", bytes_max=bytes_max).body

    def commits(self, repository: Repository, since: str = "", limit: int = 100) -> list[Commit]:
        if not repository.branch:
            return []
        query = {"ref_name": repository.branch, "since": since, "per_page": min(limit, PAGE)}
        path = f"{_at(repository)}/repository/commits"
        pages = _Pages(self._wire, path, query, f"history of {repository.path}", COMMIT_PAGES_MAX)
        return [
            Commit(text(row, "id"), text(row, "message"), text(row, "author_name"), text(row, "committed_date"))
            for row in islice(pages, limit)
        ]

    def updated(self, repository: Repository, sort: str, since: str = "", tag: str = "", rest: str = "") -> Page:
        query: dict[str, object] = {"state": "all", "scope": "all", "order_by": "updated_at", "sort": "asc"}
        query |= {"per_page": PAGE, "updated_after": since}
        path, what = f"{_at(repository)}/{_LISTS[sort]}", f"{sort}s of {repository.path}"
        try:
            answer = self._wire.get(path, rest or query, what=what, tag=tag)
        except (NotFound, Forbidden):
            if sort not in repository.sorts:  # the project has none, nor a list of them
                return Page(())
            raise
        if answer.is_unchanged:
            return Page((), "", tag, is_unchanged=True)
        talks = tuple(_talk(row, sort) for row in rows(self._wire.decoded(answer)))
        return Page(talks, _rest(answer, rest or query), answer.tag)

    def listed(self, repository: Repository, sort: str, number: int) -> Talk:
        found = self._wire.json(f"{_at(repository)}/{_LISTS[sort]}/{number}", what=f"{sort} {number}")
        return _talk(found, sort)

    def talk(self, repository: Repository, listed: Talk) -> Talk:
        if not listed.remarks_count:
            return listed
        path = f"{_at(repository)}/{_LISTS[listed.sort]}/{listed.number}"
        what = f"comments of {listed.sort} {listed.number}"
        if listed.sort == PULL:
            pages = _Pages(self._wire, f"{path}/discussions", {"per_page": PAGE}, what, REMARK_PAGES_MAX)
            notes = [note for row in pages for note in rows(value(row, "notes"))]
        else:
            query = {"per_page": PAGE, "sort": "asc", "order_by": "created_at"}
            pages = _Pages(self._wire, f"{path}/notes", query, what, REMARK_PAGES_MAX)
            notes = list(pages)
        told = [_remark(note) for note in notes if _is_told(note)]
        ordered = sorted((one for one in told if one.text), key=lambda remark: remark.at)
        return replace(listed, remarks=tuple(ordered), is_cut=pages.is_cut)


class _Pages:
    """The rows of all pages, in order. `is_cut` afterwards: there were more."""

    def __init__(self, wire: Wire, path: str, query: Mapping[str, object], what: str, pages_max: int) -> None:
        self._wire, self._path, self._query, self._what, self._pages_max = wire, path, query, what, pages_max
        self.is_cut = False

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        following: str | Mapping[str, object] = self._query
        for _ in range(self._pages_max):
            answer = self._wire.get(self._path, following, what=self._what)
            yield from rows(self._wire.decoded(answer))
            following = _rest(answer, following)
            if not following:
                return
        self.is_cut = True


def _rest(answer: Answer, query: str | Mapping[str, object]) -> str:
    """What asks for the next page. By `Link` where that is sent; a proxy may drop it, and then by the page's number."""
    if found := next_query(answer.headers):
        return found
    page = answer.headers.get("x-next-page", "").strip()
    if not (page.isascii() and page.isdigit()):
        return ""
    return _with_page(query, page)


def _with_page(query: str | Mapping[str, object], page: str) -> str:
    pairs = parse_qsl(query) if isinstance(query, str) else [(name, str(given)) for name, given in query.items()]
    return urlencode([(name, given) for name, given in pairs if name != "page" and given] + [("page", page)])


def _at(repository: Repository) -> str:
    """By its number where that is known: a project keeps it when it is renamed."""
    return f"/projects/{repository.number or step(repository.path)}"


def _author(row: object) -> tuple[str, bool]:
    name = text(row, "author", "username") or "ghost"
    return name, value(row, "author", "bot") is True or is_bot(name)


def _talk(row: object, sort: str) -> Talk:
    author, bot = _author(row)
    state = text(row, "state")
    commit = text(row, "merge_commit_sha") or text(row, "squash_commit_sha") or text(row, "sha")
    return Talk(
        sort=sort,
        number=count(row, "iid"),
        title=text(row, "title"),
        body=text(row, "description"),
        state="open" if state == "opened" else state,
        author=author,
        url=text(row, "web_url"),
        created=text(row, "created_at"),
        updated=text(row, "updated_at"),
        is_bot=bot,
        is_confidential=value(row, "confidential") is True,
        labels=tuple(label for label in value(row, "labels") or () if isinstance(label, str)),
        commit=commit if state == "merged" else "",
        remarks_count=count(row, "user_notes_count"),
    )


def _is_told(note: Mapping[str, Any]) -> bool:
    """GitLab's own notes say what was clicked; internal ones are for few."""
    return not any(value(note, mark) is True for mark in ("system", "internal", "confidential"))


def _remark(note: Mapping[str, Any]) -> Remark:
    author, bot = _author(note)
    path = text(note, "position", "new_path") or text(note, "position", "old_path")
    line = count(note, "position", "new_line") or count(note, "position", "old_line")
    place = f"{path}:{line}" if path and line else path
    return Remark(author, text(note, "body").strip(), text(note, "created_at"), place, "", bot)
