"""Take in a repository from a code host: its files, pull requests and issues, and later what has changed since.

Everything that is read is kept as it comes, with a bookmark behind it. A run that is stopped anywhere, by a limit, a
broken line or a power cut, goes on where it was, and ends as one that was not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ...ingest.code_host import (
    FILE_BYTES_MAX,
    FOLDERS,
    MARK,
    file_items,
    moment_of,
    repository_path,
    talk_item,
    talk_path,
    why_left_out,
)
from ...ingest.item import Item, Skipped
from ...model.errors import Conflict, Forbidden, Invalid, MarrowError, NotFound, Refused, TooLarge, Unavailable
from ...model.moments import iso, micros
from ...model.moments import parse as parse_moment
from ...model.record import CURRENT
from ...model.source import CODEBASE, CURSOR, NO_ADDRESS, Source
from ...model.text import counted
from ...providers.code_hosts.host import ISSUE, PULL, CodeHost, HostFile, Limit, Repository, Talk, Tree
from ...repository.ignored import ignored
from ...repository.origin import normalise
from ...store.receive import redacted_name
from ..engine import Asker, Engine
from .bookmark import bookmark, keep_bookmark
from .codebase import DATA_BYTES_MAX, DATA_SUFFIXES, is_chosen
from .kept_path import kept_path
from .settled import SETTLE
from .shelf import Shelf
from .take_in import Settle, TakenIn, take_in

OPERATION = "ingest_repository"
FILES, PULLS, ISSUES = "files", "pulls", "issues"
PARTS = (FILES, PULLS, ISSUES)
EVERYTHING = "all"
_SORTS = {PULLS: PULL, ISSUES: ISSUE}
_FILES_MARK = f"{MARK}files"
# So much is read between two writes. A talk takes several requests, a file one.
FILES_AT_ONCE, TALKS_AT_ONCE = 100, 20
BYTES_AT_ONCE = 4_000_000
# So many in a row that cannot be had, and the host is having a bad day.
FAILURES_MAX = 3

Progress = Callable[[int, "int | None"], None]


class Brought(NamedTuple):
    """What came of it: for files, pull requests and issues what was taken in. `left_out` is what nobody would look for:
    generated and binary files, and talks in which only programs speak."""

    repository: str
    service: str
    url: str
    commit: str
    files: TakenIn
    pulls: TakenIn
    issues: TakenIn
    left_out: int
    requests: int
    waited_s: float
    limit: Limit


def take_in_repository(
    engine: Engine,
    asker: Asker,
    host: CodeHost,
    repository: str,
    *,
    site: str = "",
    service: str = "",
    parts: Sequence[str] = PARTS,
    since: str = "",
    ref: str = "",
    progress: Progress | None = None,
    settle: Sequence[Settle] = SETTLE,
) -> Brought:
    """Read what is new since the last run; `since` is another time for what was talked about, or `all` for everything
    again. What a host cannot give is a problem of that one thing; an error ends the run, and what was read is kept."""
    if unknown := [part for part in parts if part not in PARTS]:
        raise Invalid(f"{unknown[0][:40]!r} is no part.", hint=f"Some of {', '.join(PARTS)}.", field="include")
    start = "" if since in ("", EVERYTHING) else iso(parse_moment(since, engine.clock(), field="since"))
    found = host.repository(repository_path(repository, host.name, site or urlsplit(host.address).hostname or ""))
    named = redacted_name(service or found.name, engine.redact_extra)
    run = _Run(engine, asker, host, found, named, progress, settle, since == EVERYTHING, start)
    run.claim()
    try:
        if FILES in parts:
            run.read_files(ref)
        for part, sort in _SORTS.items():
            if part in parts and sort in found.sorts:
                run.read_talks(part, sort)
    except MarrowError as problem:
        problem.hint = f"{run.kept()} {problem.hint}".strip()
        raise
    return run.result()


@dataclass
class _Run:
    engine: Engine
    asker: Asker
    host: CodeHost
    repository: Repository
    service: str
    progress: Progress | None
    settle: Sequence[Settle]
    anew: bool
    since: str
    shelf: Shelf = field(init=False)
    taken: dict[str, TakenIn] = field(default_factory=lambda: dict.fromkeys(PARTS, TakenIn()))
    commit: str = ""
    left_out: int = 0
    done: int = 0
    failures: int = 0
    waiting: list[Item | Skipped] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    is_written: bool = True

    def __post_init__(self) -> None:
        self.shelf = Shelf(self.engine, self.asker)

    @property
    def identity(self) -> str:
        """Which repository this is, whatever it is called later."""
        where = urlsplit(self.host.address).netloc.lower()
        return f"{self.host.name} {where} {self.repository.number or self.repository.path}"

    def claim(self) -> None:
        """Two repositories of one name do not overwrite each other: the service is said to be this one's, as for one
        that is read from a folder."""
        name = normalise(self.repository.url) or self.identity
        noted = [bookmark(self.engine, self.asker, self.service, mark) for mark in (_FILES_MARK, *FOLDERS.values())]
        known = {str(one["of"]) for one in noted if "of" in one}
        origin = self.shelf.at(self.service, CODEBASE)
        is_other = known != {self.identity} if known else origin is not None and origin.title != name
        if is_other:
            raise Conflict(
                f"The service {self.service} is another repository's here.",
                hint=f"Give another name as service, such as {self.repository.path.replace('/', '-')}.",
                field="service",
            )
        row = Source(self.asker.scope.project, self.service, CODEBASE, CURSOR, NO_ADDRESS, at=self.engine.clock())
        with self.engine.store.writing() as writer:
            writer.keep_sources(self.asker.namespace, [row._replace(title=name)])

    def kept(self) -> str:
        counts = [
            counted(sum(taken[:2]) + taken.moved, word)
            for word, part in (("file", FILES), ("pull request", PULLS), ("issue", ISSUES))
            if sum((taken := self.taken[part])[:2]) + taken.moved
        ]
        return f"Kept so far: {', '.join(counts)}." if counts else ""

    def result(self) -> Brought:
        files, pulls, issues = (self.taken[part] for part in PARTS)
        about = (self.repository.path, self.service, self.repository.url, self.commit)
        spent = (self.left_out, self.host.requests, self.host.waited_s, self.host.limit)
        return Brought(*about, files, pulls, issues, *spent)

    # Files: the tree of a commit, less what the last one that was read whole had already.

    def read_files(self, ref: str) -> None:
        noted = {} if self.anew else bookmark(self.engine, self.asker, self.service, _FILES_MARK)
        base, again = _text(noted, "done"), _texts(noted, "again")
        if reading := _text(noted, "reading"):
            try:
                tree = self.host.tree(self.repository, reading)
            except (NotFound, Refused, Conflict):  # the branch was rewritten, and the host has forgotten it
                tree = None
            if tree is not None:
                again = self._read_tree(tree, base, again, noted)
                base, noted = reading, {}
        is_asked_again = noted.get("ref", "") == ref and not again
        if not self.repository.branch and not ref:
            return
        head = self.host.head(self.repository, ref, _text(noted, "tag") if is_asked_again else "")
        self.commit = base if head.is_unchanged else head.commit
        if head.is_unchanged or not head.commit or (head.commit == base and not again):
            if head.tag and base:
                self._note_files(done=base, ref=ref, tag=head.tag, again=again)
            return
        again = self._read_tree(self.host.tree(self.repository, head.commit), base, again, {})
        self._note_files(done=head.commit, ref=ref, tag=head.tag, again=again)

    def _read_tree(self, tree: Tree, base: str, again: Collection[str], noted: dict[str, Any]) -> list[str]:
        """Read what differs from the commit `base`. The blobs that could not be had."""
        before = self._blobs(base)
        wanted: list[HostFile] = []
        is_ignored = ignored(self.engine.ignore_extra)
        for file in tree.files:
            suffix = os.path.splitext(file.path.lower())[1]
            most = DATA_BYTES_MAX if suffix in DATA_SUFFIXES else FILE_BYTES_MAX
            reason = why_left_out(file, most) if is_chosen(file.path) and not is_ignored(file.path) else ""
            if reason is None:
                wanted.append(file)
            elif reason and before.get(file.path) != file.blob:
                self.waiting.append(Skipped(file.path, reason))
            elif not reason:
                self.left_out += 1
        due = [file for file in wanted if before.get(file.path) != file.blob or file.blob in again]
        # The place holds only where the same is due as then: the host may have forgotten the commit before.
        at = noted.get("at", 0) if noted.get("due") == len(due) else 0
        failed = _texts(noted, "failed") if at else []
        size = 0

        def note() -> None:
            self._flush(FILES)
            place = {"at": at, "due": len(due), "failed": failed}
            self._note_files(done=base, reading=tree.commit, again=sorted(again), **place)

        try:
            for file in due[at:]:
                size += self._read_file(tree.commit, file, failed)
                at += 1
                self._tell(len(due) - at)
                if len(self.waiting) >= FILES_AT_ONCE or size >= BYTES_AT_ONCE:
                    note()
                    size = 0
        except MarrowError:
            self._unless_writing_failed(note)
            raise
        if tree.is_cut:
            self.waiting.append(Skipped("", f"{self.host.title} did not list all files of the repository"))
        else:
            self.unreadable += self._gone({file.path for file in wanted})
        self._flush(FILES)
        self._note_files(done=tree.commit, again=failed)
        self.commit = tree.commit
        return failed

    def _blobs(self, commit: str) -> dict[str, str]:
        if not commit:
            return {}
        try:
            return {file.path: file.blob for file in self.host.tree(self.repository, commit).files}
        except (NotFound, Refused, Conflict):
            return {}

    def _read_file(self, commit: str, file: HostFile, failed: list[str]) -> int:
        """Reads one file; how many bytes it has."""
        try:
            data = self.host.bytes_of(self.repository, commit, file, FILE_BYTES_MAX)
        except (NotFound, TooLarge, Refused) as problem:
            self.waiting.append(Skipped(file.path, problem.message))
            self.unreadable += [file.path] if isinstance(problem, TooLarge) else []
            return 0
        except (Unavailable, Forbidden) as problem:
            self._fail(file.path, problem)
            failed.append(file.blob)
            return 0
        self.failures = 0
        found = file_items(self.host.name, self.repository, commit, file, data, self.service)
        if not any(isinstance(one, Item) for one in found):
            self.unreadable.append(file.path)
        self.waiting += found
        return len(data)

    def _gone(self, there: Collection[str]) -> list[str]:
        """The paths that an earlier run read from this host and that are no longer there, or no longer wanted."""
        named = {kept_path(path, self.engine.redact_extra) for path in there}
        rows = [
            source
            for path, source in self.shelf.of(self.service).items()
            if path not in named and not path.startswith(MARK) and source.is_document
        ]
        with self.engine.store.reading() as reader:
            places = (self.asker.scope.project,)
            records = reader.records(self.asker.namespace, [row.address for row in rows], places, CURRENT)
            said = reader.occurrences([record.entry for record in records], CURRENT)
        ours = {r.node.address for r in records if any(o.source == self.host.name for o in said.get(r.entry, ()))}
        return [row.path for row in rows if row.address in ours]

    def _note_files(self, **noted: object) -> None:
        """What is empty is not noted."""
        kept = {name: value for name, value in noted.items() if value} | {"of": self.identity}
        keep_bookmark(self.engine, self.asker, self.service, _FILES_MARK, kept)

    # Talks: in the order of their last change, from the last one that was read.

    def read_talks(self, part: str, sort: str) -> None:
        mark = _Mark.read({} if self.anew else bookmark(self.engine, self.asker, self.service, FOLDERS[sort]))
        if self.since:
            mark = _Mark(self.since, again=mark.again)

        def note() -> None:
            self._flush(part)
            keep_bookmark(self.engine, self.asker, self.service, FOLDERS[sort], mark.noted(self.identity))

        try:
            self._read_again(mark, sort)
            self._read_pages(mark, sort, note)
        except MarrowError:
            self._unless_writing_failed(note)
            raise
        note()

    def _read_again(self, mark: _Mark, sort: str) -> None:
        for number in list(mark.again):
            mark.again.remove(number)
            try:
                listed = self.host.listed(self.repository, sort, number)
            except NotFound:
                continue
            except MarrowError:
                mark.again.append(number)
                raise
            self._read_talk(listed, mark)

    def _read_pages(self, mark: _Mark, sort: str, note: Callable[[], None]) -> None:
        """Each page is asked for by the time of the last talk that was read. Going by the numbers of pages, whatever
        changes meanwhile would push others over a page's edge, and they would never be seen."""
        rest = ""
        while True:
            page = self.host.updated(self.repository, sort, mark.since, "" if rest else mark.tag, rest)
            if page.is_unchanged:
                return
            fresh = mark.fresh(page.talks)
            if fresh:
                mark.tag = rest = ""
            for talk in fresh:
                if talk.sort == sort:
                    self._read_talk(talk, mark)
                mark.pass_by(talk)
                if len(self.waiting) >= TALKS_AT_ONCE:
                    note()
            if fresh:
                continue
            mark.tag = mark.tag if rest else page.tag
            rest = page.rest
            if not rest:
                return

    def _read_talk(self, listed: Talk, mark: _Mark) -> None:
        try:
            whole = self.host.talk(self.repository, listed)
        except (NotFound, TooLarge, Refused) as problem:
            self.waiting.append(Skipped(talk_path(listed), problem.message))
            return
        except (Unavailable, Forbidden) as problem:
            self._fail(talk_path(listed), problem)
            mark.again.append(listed.number)
            return
        self.failures = 0
        item = talk_item(self.host.name, self.repository, whole, self.service)
        if item is None:
            self.left_out += 1
        else:
            self.waiting.append(item)
        self._tell(None)

    def _fail(self, path: str, problem: MarrowError) -> None:
        """One that cannot be had is passed over and asked for again in the next run. Several in a row end this one."""
        self.failures += 1
        if self.failures >= FAILURES_MAX:
            raise problem
        self.waiting.append(Skipped(path, problem.message))

    def _tell(self, left: int | None) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, None if left is None else self.done + left)

    def _flush(self, part: str) -> None:
        """Take in what waits. What can no longer be read is no longer there."""
        if not self.waiting and not self.unreadable:
            return
        self.is_written = False
        taken = take_in(
            self.engine,
            self.asker,
            self.waiting,
            operation=OPERATION,
            service=self.service,
            gone=self.unreadable,
            shelf=self.shelf,
            settle=self.settle,
        )
        self.taken[part] = _sum(self.taken[part], taken)
        self.waiting, self.unreadable, self.is_written = [], [], True

    def _unless_writing_failed(self, note: Callable[[], None]) -> None:
        """Note how far it got, when reading ended it. What could not be written was not read: the next run has it."""
        if self.is_written:
            note()


@dataclass
class _Mark:
    """How far the talks were read: the time of the last one, the numbers of those of that very time, and those that
    could not be had. `tag` is of the answer that said there is nothing after it."""

    since: str = ""
    done: list[int] = field(default_factory=list)
    tag: str = ""
    again: list[int] = field(default_factory=list)

    @classmethod
    def read(cls, noted: dict[str, Any]) -> _Mark:
        return cls(_text(noted, "since"), _numbers(noted, "done"), _text(noted, "tag"), _numbers(noted, "again"))

    def noted(self, identity: str) -> dict[str, object]:
        kept: dict[str, object] = {"since": self.since, "done": self.done, "tag": self.tag, "again": self.again}
        return {name: value for name, value in kept.items() if value} | {"of": identity}

    def fresh(self, talks: Sequence[Talk]) -> list[Talk]:
        """Those that were not read yet, in the order of their last change."""
        last = _time(self.since)
        new = [t for t in talks if _time(t.updated) > last or (_time(t.updated) == last and t.number not in self.done)]
        return sorted(new, key=lambda talk: (_time(talk.updated), talk.number))

    def pass_by(self, talk: Talk) -> None:
        if _time(talk.updated) > _time(self.since):
            self.since, self.done = talk.updated, []
        self.done.append(talk.number)


def _time(text: str) -> int:
    found = moment_of(text)
    return 0 if found is None else micros(found)


def _text(noted: dict[str, Any], name: str) -> str:
    found = noted.get(name)
    return found if isinstance(found, str) else ""


def _texts(noted: dict[str, Any], name: str) -> list[str]:
    found = noted.get(name)
    return [one for one in found if isinstance(one, str)] if isinstance(found, list) else []


def _numbers(noted: dict[str, Any], name: str) -> list[int]:
    found = noted.get(name)
    return [one for one in found if isinstance(one, int)] if isinstance(found, list) else []


def _sum(one: TakenIn, other: TakenIn) -> TakenIn:
    return TakenIn(
        one.added + other.added,
        one.changed + other.changed,
        one.unchanged + other.unchanged,
        one.moved + other.moved,
        one.gone + other.gone,
        one.problems + other.problems,
        one.addresses + other.addresses,
    )


__all__ = ["EVERYTHING", "PARTS", "Brought", "take_in_repository"]
