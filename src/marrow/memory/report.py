"""Report: what happened in a day, a range or a session, and what was kept of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

from ..model.errors import MarrowError
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.session import Injection, Session
from ..model.text import token_estimate
from ..repository.history import Commit, commits
from ..repository.identity import locate
from .engine import Asker, Engine
from .report_code import CodeReport, report_code
from .report_range import Range, range_of

SESSIONS_MAX, NODES_MAX, TRACES_MAX, COMMITS_MAX = 1_000, 20_000, 20_000, 500
LEARNT_KINDS = ("learning", "preference")
DECIDED_KINDS = ("decision",)
OPEN_KINDS = ("gap", "question")
SESSIONS, COMMITS = "sessions", "commits"
# Four characters are about a token, where only a length is kept.
CHARACTERS_PER_TOKEN = 4


class Compression(NamedTuple):
    """Tokens of what hosts reported, and of what was kept of it. `ratio` is how many came to one; 0 without any."""

    before: int
    after: int
    observations: int

    @property
    def ratio(self) -> float:
        return round(self.before / self.after, 1) if self.after else 0.0


class Told(NamedTuple):
    """Memories that were told to sessions, what they cost there, and how many of them were ever used."""

    memories: int
    distinct: int
    tokens: int
    used: int


class Report(NamedTuple):
    """`kinds` and `domains` count what was said. `files` are those that sessions or commits touched, as `touched_by`
    says. `code` is None where there is no code map."""

    range: Range
    project: str
    sessions: tuple[Session, ...]
    kinds: tuple[tuple[str, int], ...]
    domains: tuple[tuple[str, int], ...]
    compression: Compression
    told: Told
    learnings: tuple[Record, ...]
    decisions: tuple[Record, ...]
    issues: tuple[Record, ...]
    questions: tuple[Record, ...]
    files: tuple[tuple[str, int], ...]
    commits: tuple[Commit, ...]
    code: CodeReport | None
    touched_by: tuple[str, ...] = ()


def report(engine: Engine, asker: Asker, given: str = "") -> Report:
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    chosen = range_of(engine, asker, given)
    project = chosen.session.project if chosen.session else asker.scope.project
    now = engine.clock()
    with engine.store.reading() as reader:
        sessions = _sessions(
            reader.sessions(asker.namespace, (project,), since=chosen.start, limit=SESSIONS_MAX), chosen
        )
        thread = chosen.session.session if chosen.session else ""
        wanted = Filter(projects=(project,), include_superseded=True)
        wanted = replace(wanted, thread=thread) if thread else replace(wanted, since=chosen.start, until=chosen.end)
        entries = reader.select(asker.namespace, wanted, CURRENT, now, NODES_MAX)
        records = reader.records_of(entries, CURRENT)
        said = reader.occurrences(entries, CURRENT)
        told = reader.injections(asker.namespace, session=thread, since=chosen.start, limit=NODES_MAX)
        names = {session.session for session in sessions}
        told = [one for one in told if one.session in names and one.at < chosen.end]
        told_records = reader.records(asker.namespace, list({one.address for one in told}), asker.places(), CURRENT)
        uses = reader.uses([record.entry for record in told_records])
    used = sum(use.used > 0 for use in uses.values())
    here = {record.entry: _within(said.get(record.entry, []), chosen) for record in records}
    active = [record for record in records if record.standing.is_active(now)]
    return Report(
        chosen,
        project,
        tuple(sessions),
        tuple(Counter(record.node.kind for record in records).most_common()),
        tuple(Counter(record.standing.domain for record in records).most_common()),
        _compression(records, here),
        _told(told, used),
        _of(active, LEARNT_KINDS),
        tuple(r for r in active if r.node.kind in DECIDED_KINDS or (r.standing.domain == "decisions" and not _seen(r))),
        tuple(r for r in active if r.standing.domain == "issues" and r.node.kind not in OPEN_KINDS),
        _of(active, OPEN_KINDS),
        _files(here.values()),
        _commits(asker, project, chosen),
        report_code(engine, asker, chosen) if project == asker.scope.project else None,
        _touched_by(records, here),
    )


def _sessions(found: Sequence[Session], chosen: Range) -> list[Session]:
    if chosen.session is not None:
        return [chosen.session]
    return [session for session in found if session.started_at < chosen.end]


def _within(said: Sequence[Occurrence], chosen: Range) -> list[Occurrence]:
    if chosen.session is not None:
        return [one for one in said if one.thread == chosen.session.session]
    return [one for one in said if chosen.start <= one.at <= chosen.end]


def _seen(record: Record) -> bool:
    """What hooks saw is no decision, whatever it is about."""
    return record.node.kind == "observation"


def _of(records: Sequence[Record], kinds: Sequence[str]) -> tuple[Record, ...]:
    return tuple(record for record in records if record.node.kind in kinds)


def _compression(records: Sequence[Record], here: dict[int, list[Occurrence]]) -> Compression:
    """What was reported of each tool call, against what its observation says."""
    before = after = count = 0
    for record in records:
        long = [one.fields.get("before") for one in here[record.entry]]
        known = [size for size in long if isinstance(size, int) and size > 0]
        if record.node.kind == "observation" and known:
            before += sum(known) // CHARACTERS_PER_TOKEN
            after += token_estimate(record.node.content)
            count += 1
    return Compression(before, after, count)


def _told(told: Sequence[Injection], used: int) -> Told:
    return Told(len(told), len({one.address for one in told}), sum(one.tokens for one in told), used)


def _files(said: Iterable[Sequence[Occurrence]]) -> tuple[tuple[str, int], ...]:
    """The files that sessions and commits touched, and how often."""
    told = (one.fields.get("files") for some in said for one in some)
    counts = Counter(str(path) for files in told if isinstance(files, list) for path in files)
    return tuple(counts.most_common())


def _touched_by(records: Sequence[Record], here: dict[int, list[Occurrence]]) -> tuple[str, ...]:
    """Whose files they are: what was seen is of sessions, commits are taken in from the repository."""
    told = {
        COMMITS if record.node.kind == "commit" else SESSIONS
        for record in records
        if any(isinstance(one.fields.get("files"), list) for one in here[record.entry])
    }
    return tuple(name for name in (SESSIONS, COMMITS) if name in told)


def _commits(asker: Asker, project: str, chosen: Range) -> tuple[Commit, ...]:
    if not asker.root or project != asker.scope.project or locate(asker.root, environ={}) is None:
        return ()
    since = datetime.fromtimestamp(chosen.start / 1_000_000, UTC)
    until = datetime.fromtimestamp(chosen.end / 1_000_000, UTC)
    with suppress(MarrowError):
        found = islice(commits(asker.root, since=since, files=False), COMMITS_MAX)
        return tuple(commit for commit in found if commit.at < until)
    return ()
