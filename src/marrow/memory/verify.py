"""Verify: does the code still look as it did when a memory was pinned to it?

Each anchor holds, moved (and is pinned anew), was changed, or is gone. The memory's drift says the worst of it, so that
it is recalled with that said; once its place is again as it was, the drift is taken back.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..model.change import Pin, Receipt, Restate, Step
from ..model.errors import Conflict, Invalid, MarrowError, NotFound
from ..model.event import SYSTEM
from ..model.link import Anchor
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.standing import ACTIVE
from ..repository.elsewhere import is_beside_main
from ..store.protocol import Reader
from .anchors.called import called_now, with_old_names
from .anchors.check import check, is_companion
from .anchors.checkout import Checkout
from .anchors.evidence import companions, with_evidence
from .anchors.finding import CHANGED, GONE, HOLDS, MOVED, UNKNOWN, Finding
from .anchors.known import checkout_of
from .anchors.looked import Looked, looked_of
from .anchors.values import with_values
from .engine import Asker, Engine, resolve, submit
from .pin_named import pin_named

OPERATION = "memory_verify"
_ADDRESS = re.compile(r"(?:\w+:)?[0-9a-fA-F]{6,64}\Z")
BATCH = 500
LOOKED_AT = 20_000
PATHS_PART = 500
PROGRESS_EVERY = 200
REASON_MAX = 300
# What happened stays true, whatever becomes of the code; and a document follows its file when that is read again.
PASSING_KINDS = frozenset(
    "observation summary handoff commit conversation log meeting checkpoint survey document".split()
)


class Verified(NamedTuple):
    """A memory and its verdict: the worst of its anchors', as far as that says something about the whole."""

    record: Record
    verdict: str
    findings: tuple[Finding, ...]


class Verification(NamedTuple):
    """`looked_at` is how many memories have anchors here; `is_one` when one was asked about."""

    items: tuple[Verified, ...]
    looked_at: int
    receipt: Receipt | None
    is_one: bool = False

    def counts(self) -> Mapping[str, int]:
        return Counter(item.verdict for item in self.items)


def verify(
    engine: Engine,
    asker: Asker,
    address: object = "",
    path: str = "",
    *,
    accept: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Verification:
    """One memory, those about a file or folder, or all of the project. With `accept` a memory is said to hold as the
    code is now: it is pinned to that."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if isinstance(address, str) and not path and not accept:
        address, path = _address_or_path(root_of(asker), address.strip())
    if accept and not address:
        raise Invalid("It is not said which memory holds.", hint="Give its address.", field="address")
    checkout = checkout_of(engine, root_of(asker))
    if not address:
        pin_named(engine, asker, checkout)
    with engine.store.reading() as reader:
        if address:
            found = [resolve(reader, asker, address)]
            if found[0].standing.state != ACTIVE:
                raise Conflict(
                    f"{found[0].node.address[:12]} is {found[0].standing.state}: nothing hangs on it.",
                    hint="Save its text again to bring it back.",
                    field="address",
                )
        else:
            found = _records(reader, asker, path, engine.clock())
        anchors = reader.anchors([record.entry for record in found], CURRENT)
    if accept:
        done = _accept(engine, asker, checkout, found[0], anchors.get(found[0].entry, []))
        return done._replace(is_one=True)
    if address:
        return verify_records(engine, asker, checkout, found, anchors)._replace(is_one=True)
    if path and not found:
        _check_there(checkout.root, path)
    looked = looked_of(engine, checkout.root)
    done = verify_records(engine, asker, checkout, found, anchors, looked=looked, progress=progress)
    looked.keep(is_all=not clean_path(path))
    return done


def _address_or_path(root: str, given: str) -> tuple[str, str]:
    """What is no address and names something in the project, or looks like it, is a path."""
    form = clean_path(given)
    if not given or _ADDRESS.match(given):
        return given, ""
    is_path = "/" in form or "." in form or _is_there(root, form)
    return ("", form) if is_path else (given, "")


def _check_there(root: str, path: str) -> None:
    """That there is something, or was something that memories are about, is for the caller to see."""
    form = clean_path(path)
    if form and not _is_there(root, form):
        raise NotFound(
            f"The project has nothing at {path[:80]!r}, and no memory is about it.",
            hint="Give a path from its root.",
            field="path",
        )


def _is_there(root: str, path: str) -> bool:
    return not path.startswith("/") and ".." not in path.split("/") and os.path.lexists(os.path.join(root, path))


def verify_paths(engine: Engine, asker: Asker, paths: Sequence[str]) -> Verification:
    """The memories that are anchored to these files, and no others: cheap where there are none."""
    entries: list[int] = []
    with engine.store.reading() as reader:
        for at in range(0, len(paths), PATHS_PART):
            entries += reader.anchored(asker.namespace, paths[at : at + PATHS_PART], (asker.scope.project,), CURRENT)
        found = worth_verifying(reader.records_of(list(dict.fromkeys(entries))[:LOOKED_AT], CURRENT), engine.clock())
        anchors = reader.anchors([record.entry for record in found], CURRENT) if found else {}
    if not found:
        return Verification((), 0, None)
    return verify_records(engine, asker, checkout_of(engine, root_of(asker)), found, anchors)


def root_of(asker: Asker) -> str:
    if not asker.root:
        raise Invalid(
            "The project's folder is not at hand, so that nothing can be compared with it.",
            hint="Ask from inside the project.",
            field="project",
        )
    return asker.root


def verify_records(
    engine: Engine,
    asker: Asker,
    checkout: Checkout,
    records: Sequence[Record],
    anchors: Mapping[int, Sequence[Anchor]],
    *,
    note: bool = True,
    looked: Looked | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Verification:
    """Look at the anchors of these, and write down what became of them, as one event; without `note` only look. Those
    that `looked` knows to hold are not looked at again. What stands in a worktree beside the main one is true there
    alone, and not written down."""
    note = note and not is_beside_main(checkout.root)
    items, steps = [], list[Step]()
    for at, record in enumerate(records):
        if progress is not None and at % PROGRESS_EVERY == 0:
            progress(at, len(records))
        pins = [one for one in anchors.get(record.entry, ()) if not _only_touched(record, one)]
        findings = tuple(_look(checkout, one, looked) for one in pins if not is_companion(one))
        if not findings:
            continue
        item = Verified(record, verdict_of(findings), findings)
        items.append(item)
        if note and record.standing.state == ACTIVE:
            steps += _steps(item, pins)
    receipt = None
    for at in range(0, len(steps), BATCH):
        part = steps[at : at + BATCH]
        receipt = submit(engine, asker, OPERATION, part, summary=_summary(items), layer=SYSTEM)
    order = {CHANGED: 0, GONE: 1, MOVED: 2, UNKNOWN: 3, HOLDS: 4}
    items.sort(key=lambda item: (order[item.verdict], -item.record.standing.priority, item.record.node.address))
    return Verification(tuple(items), len(items), receipt)


def _only_touched(record: Record, anchor: Anchor) -> bool:
    """A commit touched its files and symbols, whatever became of them: of it only the commit itself can be gone."""
    return record.node.kind == "commit" and anchor.type != "commit"


def _look(checkout: Checkout, anchor: Anchor, looked: Looked | None) -> Finding:
    if looked is None:
        return check(checkout, anchor)
    if looked.holds(anchor):
        return Finding(anchor, HOLDS)
    found = check(checkout, anchor)
    looked.note(found)
    return found


def verdict_of(findings: Iterable[Finding]) -> str:
    """Gone only when nothing is left; changed when anything is, or when a part is gone."""
    found = [finding.verdict for finding in findings]
    known = [verdict for verdict in found if verdict != UNKNOWN]
    if not known:
        return UNKNOWN
    if all(verdict == GONE for verdict in known):
        return GONE
    if CHANGED in known or GONE in known:
        return CHANGED
    return MOVED if MOVED in known else HOLDS


def what_changed(findings: Iterable[Finding]) -> str:
    """In a line, for the memory's standing."""
    said = [finding.said for finding in findings if finding.verdict in (CHANGED, GONE)]
    return "; ".join(said)[:REASON_MAX]


def _steps(item: Verified, pins: Sequence[Anchor]) -> list[Step]:
    steps: list[Step] = []
    address, standing = item.record.node.address, item.record.standing
    item = item._replace(findings=tuple(with_old_names(one) for one in item.findings))
    opened = [finding.now for finding in item.findings if finding.now is not None]
    closed = [finding.anchor for finding in item.findings if finding.now is not None]
    if opened:
        steps.append(Pin(address, *_with_companions(pins, opened, closed)))
    drift, reason = drift_of(item)
    if item.verdict != UNKNOWN and (standing.drift != drift or (drift and standing.reason != reason)):
        steps.append(Restate(address, (("drift", drift),), reason or "the code is as it was", ACTIVE))
    return steps


def drift_of(item: Verified) -> tuple[str, str]:
    """What a verdict makes of a memory's drift, and why, in words."""
    if item.verdict in (CHANGED, GONE):
        return item.verdict, what_changed(item.findings)
    called = called_now(item.record.node.content, map(with_old_names, item.findings))
    return (MOVED, called[:REASON_MAX]) if called else ("", what_changed(item.findings))


def _with_companions(
    pins: Sequence[Anchor], opened: Sequence[Anchor], closed: Sequence[Anchor]
) -> tuple[tuple[Anchor, ...], tuple[Anchor, ...]]:
    """A file that is pinned for the sake of another anchor goes with it."""
    kept = [one for one in pins if one not in closed and not is_companion(one)] + list(opened)
    wanted = [one for anchor in kept for one in companions(anchor)]
    plain = {one.target for one in kept if one.type in ("file", "lines")}
    wanted = [one for one in dict.fromkeys(wanted) if one.target not in plain]
    had = [one for one in pins if is_companion(one)]
    targets = {one.target for one in wanted}
    gone = [one for one in had if one.target not in targets]
    new = [one for one in wanted if one.target not in {other.target for other in had}]
    return tuple(dict.fromkeys((*opened, *new))), tuple(dict.fromkeys((*closed, *gone)))


def pin_to_now(engine: Engine, asker: Asker, record: Record | None) -> None:
    """What is said anew holds as the code is now, though it inherited older evidence. Never fails what was said."""
    if record is None or record.project != asker.scope.project:
        return
    with engine.store.reading() as reader:
        pins = reader.anchors([record.entry], CURRENT).get(record.entry, [])
    if pins:
        with suppress(MarrowError, OSError):
            _accept(engine, asker, checkout_of(engine, asker.root), record, pins)


def _accept(engine: Engine, asker: Asker, checkout: Checkout, record: Record, pins: Sequence[Anchor]) -> Verification:
    """What is there now is the new evidence. An anchor of which nothing is left goes."""
    findings = []
    for anchor in pins:
        if is_companion(anchor):
            continue
        found = check(checkout, anchor)
        now = with_evidence(checkout, found.now or anchor) if found.verdict == CHANGED else found.now
        findings.append(Finding(anchor, found.verdict, found.said, now))
    findings = _with_values(checkout, findings, record.node.content)
    opened = [one.now for one in findings if one.now is not None]
    closed = [one.anchor for one in findings if one.now is not None or one.verdict == GONE]
    address = record.node.address
    steps: list[Step] = []
    if opened or closed:
        steps.append(Pin(address, *_with_companions(pins, opened, closed)))
    if record.standing.drift:
        steps.append(Restate(address, (("drift", ""),), "it holds as the code is now", ACTIVE))
    summary = "accept 1 memory as the code is now"
    receipt = submit(engine, asker, OPERATION, steps, summary=summary, project=record.project) if steps else None
    held = tuple(one._replace(verdict=HOLDS) if one.now else one for one in findings)
    return Verification((Verified(record, HOLDS, held),), 1, receipt)


def _with_values(checkout: Checkout, findings: Sequence[Finding], content: str) -> list[Finding]:
    """The findings with the values that the memory quotes now, where they are others than before."""
    pins = [one.now or one.anchor for one in findings]
    noted = with_values(checkout, pins, content)
    return [
        one._replace(now=new) if new != old and one.verdict not in (GONE, UNKNOWN) else one
        for one, old, new in zip(findings, pins, noted, strict=True)
    ]


def _records(reader: Reader, asker: Asker, path: str, now: int) -> list[Record]:
    wanted = Filter(projects=(asker.scope.project,), path=clean_path(path))
    entries = reader.select(asker.namespace, wanted, CURRENT, now)
    anchored = [entry for entry, pins in reader.anchors(entries, CURRENT).items() if pins]
    return worth_verifying(reader.records_of(anchored[:LOOKED_AT], CURRENT), now)


def worth_verifying(records: Iterable[Record], now: int) -> list[Record]:
    return [
        record
        for record in records
        if record.node.kind not in PASSING_KINDS and record.standing.semantic and record.standing.is_active(now)
    ]


def clean_path(path: str) -> str:
    """A path as anchors have it; the whole project is no path."""
    form = path.strip().replace("\\", "/").removeprefix("./").rstrip("/")
    return "" if form == "." else form


def _summary(items: Sequence[Verified]) -> str:
    counts = Counter(item.verdict for item in items)
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in (CHANGED, GONE, MOVED, HOLDS) if counts[verdict])
    return f"verify: {told}"
