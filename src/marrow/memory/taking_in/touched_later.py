"""The symbols that known commits touched, where there was no time to find them when they were read.

The row of each commit says by its digest whether they were found. So what a run does not come to is left for the next
one, and so are the commits that were read before symbols were looked for at all. Only anchors are added: no text is
said again, and nothing is embedded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from ...ingest.history import digest_of, hash_in, symbol_anchors
from ...ingest.touched_symbols import TouchedSymbol, TouchedSymbols
from ...model.change import Pin
from ...model.event import SYSTEM
from ...model.record import CURRENT
from ...model.source import Source
from ...model.text import counted
from ...repository.touched import newest_first
from ...store.protocol import Writer
from ..engine import Asker, Engine, submit
from .bookmark import keep_bookmark
from .symbols_left import LEFT, SYMBOLS, symbols_left

BATCH = 200


def find_symbols_later(
    engine: Engine,
    asker: Asker,
    root: str,
    service: str,
    known: Mapping[str, Source],
    finder: TouchedSymbols,
    *,
    operation: str,
) -> int:
    """Goes on with the rows in `known` as long as there is time, the newest commits first; of how many the symbols are
    still to be found. Those that git does not have here are not counted: another clone may have them."""
    rows = {commit: row for path, row in known.items() if (commit := hash_in(path)) and not _has_symbols(commit, row)}
    due = newest_first(root, list(rows)) if rows else []
    found = finder.of(due)
    done = 0
    while some := dict(islice(found, BATCH)):
        _keep(engine, asker, operation, _pins(engine, asker, rows, some), [_done(rows[one], one) for one in some])
        done += len(some)
    left = len(due) - done
    if left != symbols_left(engine, asker, service):
        keep_bookmark(engine, asker, service, SYMBOLS, {LEFT: left})
    return left


def _has_symbols(commit: str, row: Source) -> bool:
    return row.digest == digest_of(commit, with_symbols=True)


def _done(row: Source, commit: str) -> Source:
    return row._replace(digest=digest_of(commit, with_symbols=True))


def _pins(
    engine: Engine, asker: Asker, rows: Mapping[str, Source], found: Mapping[str, Sequence[TouchedSymbol]]
) -> list[Pin]:
    """For the nodes that are still there. Commits that say the same are one node."""
    touched: dict[str, list[TouchedSymbol]] = {}
    for commit, symbols in found.items():
        if symbols:
            touched.setdefault(rows[commit].address, []).extend(symbols)
    with engine.store.reading() as reader:
        records = reader.records(asker.namespace, list(touched), (asker.scope.project,), CURRENT)
    there = [record.node.address for record in records]
    return [Pin(one, tuple(dict.fromkeys(symbol_anchors(touched[one])))) for one in dict.fromkeys(there)]


def _keep(engine: Engine, asker: Asker, operation: str, pins: Sequence[Pin], rows: Sequence[Source]) -> None:
    """Together: broken off between the two, a commit would never get its symbols."""

    def also(writer: Writer) -> None:
        writer.keep_sources(asker.namespace, rows)

    if pins:
        summary = f"find the symbols that {counted(len(pins), 'commit')} touched"
        submit(engine, asker, operation, pins, summary=summary, layer=SYSTEM, also=also)
    else:
        with engine.store.writing() as writer:
            also(writer)
