"""Erase: the right to be forgotten. Chosen nodes, and all that was made from them, go for good.

What was made from an erased node holds its text in another form, so it goes too. What else had been compressed into it
comes back to the active set first, as an ordinary event. A node that others said as well, or that was said elsewhere,
is kept, and the result says so.

What hosts reported of the conversations goes too: all of it when a conversation or a project is erased as a whole, and
the raw traces of the sessions in which something was said that is erased.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..model.address import shown
from ..model.errors import Invalid, NotFound
from ..model.record import CURRENT, Filter, Record, matches
from ..model.scope import ADMIN
from ..model.text import counted, first_line
from ..store.protocol import Reader
from ..store.receive import erase as erase_rows
from ..store.receive_traces import erase_sessions
from .engine import Asker, Engine, resolve, submit
from .recall import ACCOUNT
from .set_free import BATCH, batches, holds_again, looked_again, set_free

LINES_MAX = 20
REMINDER = (
    "Backups and exports that were made before still hold what was erased, and a memory that imported it can bring it "
    "back: erase it there too."
)


class Erased(NamedTuple):
    """Addresses in the form that is shown. `chosen` were asked for, `made_from_them` go with them, `kept_shared` stay
    because others said them too, `brought_back` were compressed into something erased, `other_versions` superseded or
    were superseded by something erased and stay unless they are named. `sessions` are the conversations that go with
    all that was reported of them, `threads` those in which something was said that goes."""

    dry_run: bool
    chosen: tuple[str, ...]
    made_from_them: tuple[str, ...]
    kept_shared: tuple[str, ...]
    brought_back: tuple[str, ...]
    other_versions: tuple[str, ...]
    seq: int | None
    reminder: str = REMINDER
    lines: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    threads: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        return len(self.chosen) + len(self.made_from_them)


class _Plan(NamedTuple):
    chosen: tuple[str, ...]
    made: tuple[str, ...]
    shared: tuple[str, ...]
    back: tuple[Record, ...]
    versions: tuple[str, ...]
    lines: tuple[str, ...]
    sessions: tuple[str, ...]
    threads: tuple[str, ...]


def erase(
    engine: Engine,
    asker: Asker,
    *,
    address: object = None,
    user: str | None = None,
    thread: str | None = None,
    filter: Filter | None = None,  # noqa: A002
    dry_run: bool = True,
    confirm: bool = False,
) -> Erased:
    """Erase one node, what a user or a thread said, or what a filter chooses, superseded nodes included."""
    asker.principal.check(ADMIN, asker.namespace)
    wanted = _wanted(address, user, thread, filter)
    with engine.store.reading() as reader:
        plan = _plan(reader, asker, address, wanted, engine.clock())
    if dry_run:
        return _result(engine, plan, True, None)
    if not confirm:
        count = len(plan.chosen) + len(plan.made)
        raise Invalid(
            f"This would erase {counted(count, 'node')} for good.",
            hint="Look at them with dry_run=true, then give confirm=true.",
            field="confirm",
        )
    if wanted is not None and _is_whole(wanted):
        erase_sessions(
            engine.store,
            asker.principal,
            asker.namespace,
            session=wanted.thread,
            projects=wanted.projects,
            sweep=not plan.chosen,
        )
    if not plan.chosen:
        return _result(engine, plan, False, None)
    gone = [*plan.chosen, *plan.made]
    plan = plan._replace(back=_brought_back(engine, asker, gone))
    engine.looked.clear()
    seq = None
    while gone:
        left: list[str] = []
        try:
            receipt = erase_rows(
                engine.store, asker.principal, asker.namespace, gone, actor=asker.actor, now=engine.clock()
            )
            seq = receipt.seq
        except NotFound:
            # One door for all of them: where another process erased one first, the others are left for the next turn.
            left = _still_there(engine, asker, gone)
            if left == gone:
                raise
        # Something may have been made from them after they were looked up.
        with engine.store.reading() as reader:
            gone = [*left, *_made_from(reader, asker.namespace, gone)]
    return _result(engine, plan, False, seq)


def _still_there(engine: Engine, asker: Asker, addresses: Sequence[str]) -> list[str]:
    with engine.store.reading() as reader:
        return [address for address in addresses if reader.addresses(asker.namespace, address, None, 1)]


def _wanted(address: object, user: str | None, thread: str | None, given: Filter | None) -> Filter | None:
    """The filter that chooses, or None when one address is named. Superseded nodes are always meant too."""
    others = [name for name, value in (("user", user), ("thread", thread), ("filter", given)) if value is not None]
    if address is not None:
        if others:
            raise Invalid("Name an address, or choose by user, thread or filter.", field=others[0])
        return None
    for name, value in (("user", user), ("thread", thread)):
        if value is not None and not value.strip():
            raise Invalid(f"The {name} has no name.", field=name)
    chosen = replace(given or Filter(), include_superseded=False)
    chosen = replace(chosen, user=user or chosen.user, thread=thread or chosen.thread)
    if chosen == Filter():
        raise Invalid(
            "It is not said what to erase.", hint="Give an address, a user, a thread or a filter.", field="address"
        )
    return replace(chosen, include_superseded=True)


def _is_whole(wanted: Filter) -> bool:
    """Whether a conversation or projects go as a whole, and not only some of what was said in them."""
    return wanted == Filter(projects=wanted.projects, thread=wanted.thread, include_superseded=True)


def _sessions(reader: Reader, space: str, wanted: Filter | None) -> Iterable[str]:
    if wanted is None or not _is_whole(wanted):
        return ()
    if not wanted.thread:
        return [found.session for found in reader.sessions(space, wanted.projects, limit=CURRENT)]
    known = reader.session(space, wanted.thread)
    is_meant = known is not None and (wanted.projects is None or known.project in wanted.projects)
    return (wanted.thread,) if is_meant else ()


def _plan(reader: Reader, asker: Asker, address: object, wanted: Filter | None, now: int) -> _Plan:
    space = asker.namespace
    shared: list[str] = []
    if wanted is None:
        chosen = [resolve(reader, asker, address, everywhere=True).node.address]
    else:
        chosen, shared = _chosen(reader, space, wanted, now)
    gone = set(chosen)
    threads = _threads(reader, space, chosen)
    accounts = [address for address in _accounts(reader, space, threads) if address not in gone]
    made = list(dict.fromkeys([*accounts, *_made_from(reader, space, [*chosen, *accounts])]))
    gone.update(made)
    versions = {
        end
        for batch in batches(sorted(gone))
        for link in reader.links(space, batch, None, CURRENT)
        if link.rel == "supersedes"
        for end in (link.source, link.target)
    }
    back = set_free(reader, space, gone, None)
    shown_ones = reader.records(space, [*chosen, *made][:LINES_MAX], None, CURRENT)
    lines = dict.fromkeys(
        f"[{shown(r.node.address)}] {first_line(r.node.content, 80)}"
        + (f" (in {r.project or 'the global scope'} too)" if r.project != asker.scope.project else "")
        for r in shown_ones
    )
    return _Plan(
        chosen=tuple(chosen),
        made=tuple(made),
        shared=tuple(shared),
        back=tuple(back),
        versions=tuple(sorted(versions - gone)),
        lines=tuple(lines),
        sessions=tuple(_sessions(reader, space, wanted)),
        threads=tuple(threads),
    )


def _chosen(reader: Reader, space: str, wanted: Filter, now: int) -> tuple[list[str], list[str]]:
    """The nodes that a filter chooses, apart from those that are also there, or were also said, outside of it."""
    entries = reader.select(space, wanted, CURRENT, now)
    said = Filter(
        service=wanted.service,
        user=wanted.user,
        thread=wanted.thread,
        metadata=wanted.metadata,
        since=wanted.since,
        until=wanted.until,
        include_superseded=True,
    )
    found: dict[str, set[int]] = {}
    for at in range(0, len(entries), BATCH):
        for record in reader.records_of(entries[at : at + BATCH], CURRENT):
            found.setdefault(record.node.address, set()).add(record.entry)
    chosen: list[str] = []
    shared: list[str] = []
    for batch in batches(list(found)):
        records = reader.records(space, batch, None, CURRENT)
        occurrences = reader.occurrences([record.entry for record in records], CURRENT)
        apart = {
            record.node.address
            for record in records
            if record.entry not in found[record.node.address]
            or not all(matches(said, record, [one], (), now) for one in occurrences[record.entry])
        }
        chosen += [address for address in batch if address not in apart]
        shared += [address for address in batch if address in apart]
    return chosen, shared


def _threads(reader: Reader, space: str, addresses: Sequence[str]) -> list[str]:
    """The conversations in which these were said."""
    threads: set[str] = set()
    for batch in batches(addresses):
        entries = [record.entry for record in reader.records(space, batch, None, CURRENT)]
        said = reader.occurrences(entries, CURRENT)
        threads.update(one.thread for some in said.values() for one in some if one.thread)
    return sorted(threads)


def _accounts(reader: Reader, space: str, threads: Sequence[str]) -> list[str]:
    """What tells of these conversations: it tells again what was said in them, in whatever words."""
    found: list[str] = []
    for thread in threads:
        wanted = Filter(kinds=("summary", "handoff"), tags=(ACCOUNT,), thread=thread, include_superseded=True)
        entries = reader.select(space, wanted, CURRENT, 0)
        found += [record.node.address for record in reader.records_of(entries, CURRENT)]
    return found


def _made_from(reader: Reader, space: str, addresses: Sequence[str]) -> list[str]:
    """Everything that was made from these, and from that, in turn."""
    found: dict[str, None] = {}
    edge = list(addresses)
    while edge:
        edge = [made for address in edge for made in reader.made_from(space, address) if made not in found]
        edge = [made for made in dict.fromkeys(edge) if made not in addresses]
        found.update(dict.fromkeys(edge))
    return list(found)


def _brought_back(engine: Engine, asker: Asker, gone: Sequence[str]) -> tuple[Record, ...]:
    done: list[Record] = []

    def attempt() -> None:
        with engine.store.reading() as reader:
            found = set_free(reader, asker.namespace, gone, None)
        for project in sorted({record.project for record in found}):
            records = [record for record in found if record.project == project]
            steps = [holds_again(record, "its summary was erased") for record in records]
            submit(engine, asker, "erase", steps, summary=f"bring back {counted(len(steps), 'node')}", project=project)
            done.extend(records)

    looked_again(attempt)
    return tuple(done)


def _result(engine: Engine, plan: _Plan, dry_run: bool, seq: int | None) -> Erased:
    copies = engine.store.copies()
    beside = f" Beside the store: {', '.join(copies)}." if copies else ""
    return Erased(
        dry_run,
        _shown(plan.chosen),
        _shown(plan.made),
        _shown(plan.shared),
        _shown(record.node.address for record in plan.back),
        _shown(plan.versions),
        seq,
        REMINDER + beside,
        plan.lines if dry_run else (),
        plan.sessions,
        plan.threads,
    )


def _shown(addresses: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(shown(address) for address in addresses))
