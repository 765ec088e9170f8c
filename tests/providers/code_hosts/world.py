"""What is on a made-up code host: one repository with commits and talks. Both services serve it in their own shapes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

TOKEN = "glpat-0123456789abcdefghij"  # pragma: allowlist secret


class Time:
    """The time of a test, the host's and the client's: it moves when somebody waits."""

    def __init__(self) -> None:
        self.now = 1_772_366_400.0  # 2026-03-01T12:00:00Z
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@dataclass
class Said:
    """A comment, a review (with a verdict) or a comment at a line."""

    author: str
    text: str
    at: str
    path: str = ""
    line: int = 0
    verdict: str = ""
    is_program: bool = False
    is_system: bool = False


@dataclass
class Spoken:
    """A pull request or an issue."""

    number: int
    sort: str
    title: str
    body: str = ""
    author: str | None = "ann"
    created: str = "2026-01-01T10:00:00Z"
    updated: str = "2026-01-01T10:00:00Z"
    state: str = "open"
    merged: str = ""
    is_program: bool = False
    is_confidential: bool = False
    labels: list[str] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)

    def of(self, *, at_line: bool, review: bool) -> list[Said]:
        return [one for one in self.said if bool(one.path) == at_line and bool(one.verdict) == review]


@dataclass
class World:
    path: str = "acme/shop"
    branch: str = "main"
    number: int = 4711
    has_issues: bool = True
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    head: str = ""
    talks: dict[int, Spoken] = field(default_factory=dict)
    others: dict[str, tuple[str, str]] = field(default_factory=dict)  # links and other repositories: mode, type

    def commit(self, **changes: str | bytes | None) -> str:
        """A new head: the files before it with these changes, None for those that go. Names: `docs__a_md` is
        docs/a.md."""
        return self.commit_files({_path(name): content for name, content in changes.items()})

    def commit_files(self, changes: dict[str, str | bytes | None]) -> str:
        files = dict(self.commits.get(self.head, {}))
        for path, content in changes.items():
            if content is None:
                del files[path]
            else:
                files[path] = content.encode() if isinstance(content, str) else content
        named = "\n".join(f"{path} {blob(data)}" for path, data in sorted(files.items()))
        self.head = hashlib.sha1(f"{self.head}\n{named}".encode()).hexdigest()
        self.commits[self.head] = files
        return self.head

    def talk(self, talk: Spoken) -> Spoken:
        self.talks[talk.number] = talk
        return talk

    def by_update(self, sort: str = "", since: str = "") -> list[Spoken]:
        chosen = [t for t in self.talks.values() if sort in ("", t.sort) and t.updated >= since]
        return sorted(chosen, key=lambda talk: (talk.updated, talk.number))


def _path(name: str) -> str:
    folder, _, rest = name.rpartition("__")
    stem, _, suffix = rest.rpartition("_")
    return f"{folder.replace('__', '/')}/{stem}.{suffix}".lstrip("/")


def blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def orchard() -> World:
    """A small shop: three files, two pull requests, two issues, and a program that talks too much."""
    world = World()
    world.commit_files(
        {
            "README.md": "# Shop\n\nThe shop sells apples. Orders are kept in PostgreSQL.\n",
            "src/app.py": "def order(apples: int) -> int:\n    return apples * 3\n",
            "docs/adr/0001-use-postgres.md": (
                "# 1. Use PostgreSQL\n\nDate: 2025-11-03\n\n## Status\n\nAccepted\n\n## Context\n\n"
                "Orders must not be lost.\n\n## Decision\n\nWe use PostgreSQL.\n\n## Consequences\n\nOne more server.\n"
            ),
            "assets/logo.png": b"\x89PNG\r\n\x1a\n\0\0",
            "package-lock.json": "{}",
        }
    )
    merged = "ab" * 20
    first = Spoken(1, "pull", "Keep orders in PostgreSQL", "SQLite locked up under load.\r\n<!-- template -->", "ann")
    first.state, first.merged, first.updated = "closed", merged, "2026-01-03T10:00:00Z"
    first.labels = ["storage"]
    first.said = [
        Said("bob", "Why not MySQL?", "2026-01-02T10:00:00Z"),
        Said("codecov[bot]", "Coverage fell by 0.1 %", "2026-01-02T10:05:00Z", is_program=True),
        Said("ann", "We know PostgreSQL well.", "2026-01-02T11:00:00Z"),
        Said("bob", "Name the pool size.", "2026-01-02T12:00:00Z", path="src/app.py", line=2),
        Said("bob", "Good now.", "2026-01-03T09:00:00Z", verdict="APPROVED"),
    ]
    world.talk(first)
    world.talk(Spoken(2, "issue", "Orders are lost at night", "Since Tuesday.", "cid", labels=["bug"]))
    world.talks[2].updated = "2026-01-04T10:00:00Z"
    world.talks[2].said = [Said("ann", "The backup held the lock.", "2026-01-04T10:00:00Z")]
    bump = Spoken(3, "pull", "Bump lodash to 4.17.21", "Release notes…", "dependabot[bot]", is_program=True)
    bump.updated = "2026-01-04T11:00:00Z"
    world.talk(bump)
    world.talk(Spoken(4, "issue", "Sell pears", "", None, updated="2026-01-05T10:00:00Z"))
    return world
