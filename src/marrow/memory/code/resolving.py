"""The calls of a file, resolved, in the form in which they are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ...codemap.resolve import Resolver
from ...model.code import TYPES, FileMap
from ...store.code.packing import Link, Place
from .facts import KeptFacts
from .parsing import called_names, last_name
from .still import Leads

NOTHING: Leads = {}


class Resolved(NamedTuple):
    """`links` are the calls that lead somewhere, `places` the same by what is called, `loose` the last names of the
    others; `extends` are pairs of types, the one above first. `map` is the file's, with its calls."""

    links: list[Link]
    places: dict[int, list[Place]]
    loose: set[str]
    extends: list[tuple[int, int]]
    map: FileMap

    def settled(self) -> set[str]:
        """The last names of calls of which none is loose."""
        return called_names(self.map) - self.loose


def resolved(resolver: Resolver, facts: KeptFacts, path: str, leads: Leads = NOTHING) -> Resolved:
    """`leads` says of calls where they lead without looking."""
    found = facts.whole(path)
    if found is None:
        return Resolved([], {}, set(), [], FileMap(""))
    names = resolver.names(path)
    calls = found.calls
    links: list[Link] = []
    open_: Sequence[int] = range(len(calls))
    if leads:
        own = [facts.id_of(path, at) for at in range(len(found.symbols))]
        keys = [(own[call.scope] if call.scope >= 0 else -1, call.chain) for call in calls]
        links = [Link(at, *led) for at, key in enumerate(keys) if (led := leads.get(key)) is not None]
        open_ = [at for at, key in enumerate(keys) if key not in leads]
    if names is not None:
        names.map = found._replace(calls=tuple([calls[at] for at in open_])) if leads else found
    for edge in resolver.edges(path):
        facts.file(edge.path)  # its numbers
        links.append(Link(open_[edge.call], facts.id_of(edge.path, edge.symbol), edge.reason))
    places: dict[int, list[Place]] = {}
    for link in links:
        call = calls[link.call]
        places.setdefault(link.target, []).append(Place(facts.number(path, call.scope), call.line, link.reason))
    done = {link.call for link in links}
    chains = {call.chain for at, call in enumerate(calls) if at not in done and call.kind == "call"}
    loose = {last_name(chain) for chain in chains}
    loose.discard("")
    extends = []
    for at, symbol in enumerate(found.symbols):
        if symbol.bases and symbol.kind in TYPES:
            for where, index in resolver.bases_of(path, at):
                facts.file(where)
                extends.append((facts.id_of(where, index), facts.id_of(path, at)))
    facts.let_go(path)
    if names is not None:
        names.map = found._replace(calls=())
    return Resolved(links, places, loose, extends, found)
