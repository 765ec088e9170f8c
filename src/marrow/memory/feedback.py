"""Feedback: whether what was recalled was used in what followed. Statistics, and no event: what is recalled again and
again and never used sinks, and what is used rises."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..model.errors import Invalid, TooLarge
from ..model.record import CURRENT, Record
from ..model.scope import READ, Principal
from ..search.used import NAMED, was_used
from ..store.protocol import Reader, Use
from .engine import Asker, Engine, resolve
from .lately import LATELY_MICROS, Given

ADDRESSES_MAX = 64
PATH_ANCHORS = ("file", "lines")


class Feedback(NamedTuple):
    """(address, why) of what counts as used by this, and how many were looked at."""

    used: tuple[tuple[str, str], ...]
    looked_at: int


def feedback(
    engine: Engine,
    asker: Asker,
    said: str,
    *,
    files: Sequence[str] = (),
    addresses: Sequence[str] = (),
    asked: str = "",
) -> Feedback:
    """Look for what was recalled lately, or for the memories given, in what was said and done since. Addresses that
    come alone say themselves that they were used. `asked` is the message, where another process recalled them."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not (said.strip() or files or addresses):
        raise Invalid("Nothing is told of what followed.", hint="Give said, files or addresses.", field="said")
    if len(addresses) > ADDRESSES_MAX:
        raise TooLarge(f"At most {ADDRESSES_MAX} addresses at a time.", hint="Split them.", field="addresses")
    with engine.store.reading() as reader:
        if not addresses:
            given = engine.lately.open(asker.principal, engine.clock())
            return _decide(engine, asker.principal, reader, given, said, files)
        records = [resolve(reader, asker, one, everywhere=True, argument="addresses") for one in addresses]
        if said.strip() or files:
            given = [_given(engine, asker, record, asked) for record in records]
            return _decide(engine, asker.principal, reader, given, said, files)
        named = [record.node.address for record in records if count(engine, asker.principal, reader, record.entry)]
        return Feedback(tuple((address, NAMED) for address in named), len(records))


def heard(engine: Engine, asker: Asker, said: Iterable[str]) -> None:
    """What a verb was told may repeat or name what was recalled before: `catch_up` finds out."""
    engine.lately.hear(asker.principal, "\n".join(said), engine.clock())


def catch_up(engine: Engine) -> None:
    """Look at what was said since the last recall. Before the next one counts, and before counts are written."""
    for who, said in engine.lately.take_heard():
        given = engine.lately.open(who, engine.clock())
        if given:
            with engine.store.reading() as reader:
                _decide(engine, who, reader, given, said, ())


def count(engine: Engine, who: Principal, reader: Reader, entry: int) -> bool:
    """A memory was asked for by name: whatever recalled it lately was right to. Counts once for each recall.

    What was recalled in another process is known by the store's counts alone: it was recalled lately, and more often
    than used.
    """
    now = engine.clock()
    if engine.lately.of(entry):
        is_counted = engine.lately.settle(entry, who, now)
        if is_counted:
            engine.used.append(entry)
        return is_counted
    use = reader.uses([entry]).get(entry, Use())
    if now - use.recalled_at > LATELY_MICROS:
        return False
    with engine.counting:
        is_counted = use.recalled > use.used + engine.used.count(entry)
        if is_counted:
            engine.used.append(entry)
    return is_counted


def _given(engine: Engine, asker: Asker, record: Record, asked: str) -> Given:
    """The recall that gave this, where it was in this process."""
    known = [one for one in engine.lately.of(record.entry) if one.who == asker.principal]
    if known:
        return known[-1]
    return Given(record.entry, record.node.address, asked, asker.principal, engine.clock())


def _decide(
    engine: Engine, who: Principal, reader: Reader, given: Sequence[Given], said: str, files: Sequence[str]
) -> Feedback:
    entries = [one.entry for one in given]
    texts = {(entry, address): content for entry, address, content in reader.texts_of(entries)}
    anchors = reader.anchors(entries, CURRENT) if files else {}
    used: dict[str, str] = {}
    for one in given:
        content = texts.get((one.entry, one.address))
        if content is None:
            continue  # it was erased since
        paths = [anchor.target for anchor in anchors.get(one.entry, ()) if anchor.type in PATH_ANCHORS]
        why = was_used(content, one.address, paths, said, files, one.asked)
        if why and count(engine, who, reader, one.entry):
            used[one.address] = why
    return Feedback(tuple(used.items()), len(given))
