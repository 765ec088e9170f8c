"""Callees: what a symbol calls, resolved and not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...model.code import TOP
from ...store.code import Known, MapReader
from ...store.code.packing import symbol_id
from ...store.code.reader import Seen
from .callers import weighed


class Callee(NamedTuple):
    """What is called, and where; `target` is None for what was not resolved, which `chain` says as it is written."""

    line: int
    chain: str
    target: Known | None
    reason: str = ""
    confidence: float = 0.0
    caller: int = TOP


class Callees(NamedTuple):
    """`loose` are the calls that lead out of the project, or nowhere that is known."""

    symbol: Known
    found: tuple[Callee, ...]
    loose: tuple[Callee, ...] = ()


def callees(reader: MapReader, symbol: Known) -> Callees:
    """In the order of the lines; with those of the functions inside."""
    file = symbol.id >> 20
    parents, numbers = reader.parents(file)
    resolved, loose = calls_in(reader, file, inside(parents, symbol.at), numbers)
    known = {one.target.id for one in resolved if one.target is not None}
    for seen in reader.seen_of_caller(symbol.id):
        target = reader.symbol(seen.target) if seen.target not in known and seen.times > seen.against else None
        if target is not None:
            resolved.append(Callee(seen.line, target.name, target, *weighed("seen", None), symbol.at))
    return Callees(symbol, tuple(sorted(resolved, key=lambda one: one.line)), tuple(loose))


def inside(parents: Sequence[int], at: int) -> set[int]:
    """A symbol and all that stand in it."""
    inner = {at}
    for index in range(at + 1, len(parents)):
        if parents[index] in inner:
            inner.add(index)
    return inner


def calls_in(
    reader: MapReader, file: int, scopes: set[int], numbers: Sequence[int] | None
) -> tuple[list[Callee], list[Callee]]:
    """The calls that stand in these scopes of a file: those that lead somewhere, and the others."""
    links = {link.call: link for link in reader.links(file)}
    known: dict[int, Known | None] = {}
    observed: dict[int, dict[int, Seen]] = {}
    resolved, loose = [], []
    for at, call in reader.calls_within(file, scopes):
        link = links.get(at)
        if link is not None and link.target not in known:
            known[link.target] = reader.symbol(link.target)
        target = known[link.target] if link is not None else None
        if link is None or target is None:
            if call.kind == "call":
                loose.append(Callee(call.line, call.chain, None, caller=call.scope))
            continue
        if call.scope not in observed:
            number = numbers[call.scope] if numbers is not None and call.scope >= 0 else call.scope
            seen = reader.seen_of_caller(symbol_id(file, number)) if number >= 0 else []
            observed[call.scope] = {one.target: one for one in seen}
        how = weighed(link.reason, observed[call.scope].get(target.id))
        resolved.append(Callee(call.line, call.chain, target, *how, call.scope))
    return resolved, loose
