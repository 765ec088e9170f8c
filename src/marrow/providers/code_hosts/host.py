"""What a code host can be asked, and the values that it answers with. The same for every host.

Times are kept as the host writes them: it is asked again with the same text, and two of them compare as text does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

PULL, ISSUE = "pull", "issue"
SORTS = (PULL, ISSUE)


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository. `path` is its whole name (`acme/shop`), `branch` is "" where nothing was committed yet."""

    path: str
    branch: str
    url: str
    is_private: bool = False
    sorts: tuple[str, ...] = SORTS  # what is talked in there
    number: int = 0

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


@dataclass(frozen=True, slots=True)
class Head:
    """The commit that a branch is at. `is_unchanged`: as it was when the host gave this tag."""

    commit: str
    tag: str = ""
    is_unchanged: bool = False


@dataclass(frozen=True, slots=True)
class HostFile:
    """A file of a commit. `blob` names its bytes; `size` is -1 where the host does not say it."""

    path: str
    blob: str
    size: int = -1


@dataclass(frozen=True, slots=True)
class Tree:
    """The regular files of a commit, by path. `is_cut`: the host did not give all of them."""

    commit: str
    files: tuple[HostFile, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment or a review. `place` is where in the code it stands; `verdict` what a review came to."""

    author: str
    text: str
    at: str = ""
    place: str = ""
    verdict: str = ""
    is_bot: bool = False


@dataclass(frozen=True, slots=True)
class Talk:
    """A pull request or an issue. As it is listed, it has no remarks yet."""

    sort: str
    number: int
    title: str
    body: str
    state: str
    author: str
    url: str
    created: str
    updated: str
    is_bot: bool = False
    is_confidential: bool = False
    labels: tuple[str, ...] = ()
    commit: str = ""  # the one that it was merged as
    remarks: tuple[Remark, ...] = ()
    remarks_count: int = 0
    is_cut: bool = False  # there are more remarks than were read


@dataclass(frozen=True, slots=True)
class Page:
    """Talks in the order of their last change. `rest` asks for the next page; "" where there is none."""

    talks: tuple[Talk, ...]
    rest: str = ""
    tag: str = ""
    is_unchanged: bool = False


@dataclass(frozen=True, slots=True)
class Commit:
    hash: str
    message: str
    author: str
    at: str


@dataclass(frozen=True, slots=True)
class Limit:
    """What may be asked still; None where the host does not say. `reset` is in seconds since 1970."""

    limit: int | None = None
    remaining: int | None = None
    reset: int | None = None


class CodeHost(Protocol):
    """A client of one host. It keeps a connection open: `close` it. It is for one thread."""

    name: str
    title: str
    address: str

    def close(self) -> None: ...

    @property
    def requests(self) -> int:
        """How many were sent."""

    @property
    def waited_s(self) -> float:
        """How long it waited where the host asked for it."""

    @property
    def limit(self) -> Limit:
        """As the last answer said it."""

    def who(self) -> str:
        """Whose token it is. An error where the token is not accepted."""

    def rate_limit(self) -> Limit:
        """What may be asked still, as the host is asked for it."""

    def repository(self, path: str) -> Repository: ...

    def head(self, repository: Repository, ref: str = "", tag: str = "") -> Head:
        """The commit of a branch or another name; the default branch without one."""

    def tree(self, repository: Repository, commit: str) -> Tree:
        """Every regular file at a commit."""

    def contents(self, repository: Repository, commit: str, folder: str = "") -> list[str]:
        """The names in one folder; those of folders end in a slash."""

    def bytes_of(self, repository: Repository, commit: str, file: HostFile, bytes_max: int) -> bytes:
        """A file's bytes, by the name that the tree has for them."""

    def file(self, repository: Repository, path: str, ref: str = "") -> bytes:
        """A file's bytes, by its path."""

    def commits(self, repository: Repository, since: str = "", limit: int = 100) -> Sequence[Commit]:
        """Of the default branch, newest first."""

    def updated(self, repository: Repository, sort: str, since: str = "", tag: str = "", rest: str = "") -> Page:
        """The talks that changed at or after a time, those that changed first coming first. There may be some
        from just before it, and talks of the other sort: a host that lists both together gives both."""

    def listed(self, repository: Repository, sort: str, number: int) -> Talk:
        """One talk, as it is listed."""

    def talk(self, repository: Repository, listed: Talk) -> Talk:
        """The whole of it: with remarks, oldest first, and the commit that it was merged as."""
