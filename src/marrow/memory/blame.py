"""Blame: who said what, and when: of a chain, a file, a line, a symbol, or one memory with all that became of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ..codemap.fingerprint import at_line
from ..model.address import shown
from ..model.errors import Ambiguous, Invalid, MarrowError, NotFound
from ..model.node import Occurrence
from ..model.record import CURRENT, Record
from ..model.redact import redact
from ..model.scope import READ
from ..model.text import counted, first_line
from ..repository.command import at_home, content
from ..repository.file_sorts import is_secret
from ..repository.head import is_shallow
from .anchors.checkout import Checkout
from .chains import chain_named
from .code.find import matching
from .code.opened import kept
from .engine import Asker, Engine
from .provenance import provenance
from .spatial import spatial
from .taking_in.symbols_left import symbols_left
from .verify import clean_path

CHAIN, FILE, LINE, SYMBOL, ADDRESS = "chain", "file", "line", "symbol", "address"
# So many of the commits that touched the symbol that a line is in.
COMMITS_MAX = 5
TEXT_MAX = 120
UNKNOWN = "unknown"
OUTPUT_MAX = 20_000
_BLAME = ("blame", "--porcelain", "-w", "--no-textconv")
_ADDRESS = re.compile(r"[0-9a-f]{6,64}\Z")
_LINE = re.compile(r"(.+):(\d{1,7})\Z")


class Blamed(NamedTuple):
    """One thing that was said or done: by whom, where from, and what. `address` is empty for what is no memory."""

    at: int
    who: str
    what: str
    address: str
    text: str


class Blame(NamedTuple):
    """`kind` is what the target was taken for. Of a line: the commit that wrote it and the symbol that it is in.
    `waiting`: of so many commits it is still to be found which symbols they touched."""

    target: str
    kind: str
    items: tuple[Blamed, ...]
    symbol: str = ""
    waiting: int = 0


def blame(engine: Engine, asker: Asker, target: str) -> Blame:
    """Memories the latest first; a memory's own history and a chain in their order."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    wanted = target.strip()
    if not wanted:
        raise Invalid(
            "It is not said what to look at.",
            hint="A chain, a file, file:line, a symbol, or an address.",
            field="target",
        )
    if _ADDRESS.match(wanted) and (found := _of_address(engine, asker, wanted)) is not None:
        return found
    within, _, name = wanted.partition("::")
    if name and ("." in within or "/" in within):  # `Store::close` is a symbol as some languages write it
        return _of_symbol(engine, asker, clean_path(within), name)
    line = _LINE.match(wanted)
    path = clean_path(line[1] if line else wanted)
    checkout = Checkout(asker.root) if asker.root else None
    if line and _is_file(checkout, path):
        return _of_line(engine, asker, checkout, path, int(line[2]))
    if _is_file(checkout, path) or "/" in path:
        return _of_file(engine, asker, path)
    try:
        return _of_chain(engine, asker, wanted)
    except NotFound as problem:
        found = _of_file(engine, asker, path)
        return found if found.items else _of_what_nobody_spoke_of(engine, asker, wanted, problem)


def _of_what_nobody_spoke_of(engine: Engine, asker: Asker, wanted: str, problem: NotFound) -> Blame:
    """A symbol that the code has; or nothing that is known at all."""
    left = symbols_left(engine, asker)
    mapped = kept(engine, asker)
    if mapped is not None:
        with mapped.reading() as reader:
            if matching(reader, wanted):
                return Blame(wanted, SYMBOL, (), "", left)
    hint = problem.hint
    if left:
        hint = f"Which symbols {counted(left, 'commit')} touched is still to be found: ingest_history goes on with it."
    raise NotFound(f"There is no chain, file or symbol {wanted[:80]!r} here.", hint=hint, field="target") from problem


def _is_file(checkout: Checkout | None, path: str) -> bool:
    return checkout is not None and checkout.has(path)


def _of_address(engine: Engine, asker: Asker, address: str) -> Blame | None:
    try:
        found = provenance(engine, asker, address)
    except (NotFound, Ambiguous) as problem:
        if isinstance(problem, Ambiguous):
            raise
        return None
    items = []
    for origin in (found.node, *found.origins):
        short = shown(origin.address)
        if origin.record is None:
            items.append(Blamed(0, "", f"{origin.via}: missing", short, ""))
            continue
        text = first_line(origin.record.node.content, TEXT_MAX)
        items += [Blamed(one.occurrence.at, _who(one.occurrence), "said", short, text) for one in origin.said]
        for before, held in zip((None, *origin.held), origin.held, strict=False):
            if before is not None:
                what = held.operation.removeprefix("memory_") or "changed"
                standing = held.standing
                mark = standing.state if standing.state != "active" else f"drift {standing.drift or 'none'}"
                changed = standing.state != before.standing.state or standing.drift != before.standing.drift
                items.append(
                    Blamed(held.at, held.actor, what, short, f"{mark if changed else ''} {held.reason}".strip())
                )
    items.sort(key=lambda one: one.at)
    return Blame(shown(found.node.address), ADDRESS, tuple(items))


def _of_chain(engine: Engine, asker: Asker, name: str) -> Blame:
    chain = chain_named(engine, asker, name)
    return Blame(chain.name, CHAIN, tuple(_said(engine, chain.members, chain.name)))


def _of_file(engine: Engine, asker: Asker, path: str) -> Blame:
    with engine.store.reading() as reader:
        entries = reader.anchored(asker.namespace, [path], asker.places(), CURRENT)
        records = reader.records_of(entries, CURRENT)
    items = sorted(_said(engine, records), key=lambda one: -one.at)
    return Blame(path, FILE, tuple(items))


def _of_symbol(engine: Engine, asker: Asker, path: str, name: str) -> Blame:
    items = sorted(_said(engine, _about_symbol(engine, asker, path, name)), key=lambda one: -one.at)
    return Blame(f"{path}::{name}", SYMBOL, tuple(items), "", symbols_left(engine, asker))


def _about_symbol(engine: Engine, asker: Asker, path: str, name: str) -> list[Record]:
    """What is pinned to a symbol of a file, the commits that touched it among them."""
    with engine.store.reading() as reader:
        entries = reader.anchored(asker.namespace, [name], asker.places(), CURRENT)
        anchors = reader.anchors(entries, CURRENT)
        own = [
            entry
            for entry in entries
            if any(
                one.type == "symbol" and one.target == name and one.fields.get("path") in (path, None)
                for one in anchors.get(entry, ())
            )
        ]
        return reader.records_of(own, CURRENT)


def _touching(engine: Engine, asker: Asker, path: str, name: str, written: Blamed | None) -> list[Blamed]:
    """The latest commits that touched a symbol, but for the one that wrote the line."""
    records = [one for one in _about_symbol(engine, asker, path, name) if one.node.kind == "commit"]
    said = sorted(_said(engine, records), key=lambda one: -one.at)
    already = written.what.partition(": ")[2] if written is not None else ""
    return [one for one in said if not already or one.text != first_line(already, TEXT_MAX)][:COMMITS_MAX]


def _of_line(engine: Engine, asker: Asker, checkout: Checkout | None, path: str, line: int) -> Blame:
    assert checkout is not None
    around = spatial(engine, asker, path, line, line)
    items = sorted(_said(engine, [one.record for one in around.items]), key=lambda one: -one.at)
    written = _commit(checkout, path, line)
    if written is not None:
        shown_text = "" if is_secret(path) else redact(written.text, engine.redact_extra).text
        what = redact(written.what, engine.redact_extra).text
        written = written._replace(what=what, text=shown_text[:TEXT_MAX])
    symbol = at_line(around.symbols, line)
    if symbol is not None:
        items += _touching(engine, asker, path, symbol.qualified, written)
    return Blame(f"{path}:{line}", LINE, (*([written] if written else []), *items), symbol.qualified if symbol else "")


def _commit(checkout: Checkout, path: str, line: int) -> Blamed | None:
    """The commit that wrote a line; None where git cannot say."""
    if checkout.repository is None:
        return None
    where = f"-L{line},{line}"
    try:
        told, _ = content(checkout.root, *at_home(checkout.root), *_BLAME, where, "--", path, bytes_max=OUTPUT_MAX)
    except MarrowError:
        return None
    text = told.decode("utf-8", "replace")
    about = dict(part.partition(" ")[::2] for part in text.splitlines()[1:] if not part.startswith("\t"))
    commit = text[:40]
    if not commit or not commit.strip("0"):
        return Blamed(0, "", "written, and not committed yet", "", _source_line(text))
    at = int(about.get("author-time", "0") or 0) * 1_000_000
    who, what = about.get("author", ""), f"commit {commit[:12]}: {about.get('summary', '')}"
    if "boundary" in about and is_shallow(checkout.repository):
        who, what = UNKNOWN, f"not later than commit {commit[:12]}, the oldest in this shallow clone"
    return Blamed(at, who, what, "", _source_line(text))


def _source_line(text: str) -> str:
    return next((part[1:].strip() for part in text.splitlines() if part.startswith("\t")), "")


def _said(engine: Engine, records: Sequence[Record], chain: str = "") -> list[Blamed]:
    """Each time that these were said; in a chain only what was said in it."""
    with engine.store.reading() as reader:
        occurrences = reader.occurrences([record.entry for record in records], CURRENT)
    return [
        Blamed(
            one.at,
            _who(one),
            f"{record.standing.domain}/{record.node.kind}" + _state(record),
            shown(record.node.address),
            first_line(record.node.content, TEXT_MAX),
        )
        for record in records
        for one in occurrences.get(record.entry, [])
        if not chain or one.chain == chain
    ]


def _state(record: Record) -> str:
    marks = [record.standing.state] if record.standing.state != "active" else []
    marks += [f"code {record.standing.drift}"] if record.standing.drift else []
    return f" ({', '.join(marks)})" if marks else ""


def _who(said: Occurrence) -> str:
    """Of what was read somewhere, its author: that it was read from git is not who wrote it."""
    if author := said.fields.get("author"):
        return str(author)
    return ", ".join(part for part in (said.user, said.source, said.thread[:12]) if part) or UNKNOWN
