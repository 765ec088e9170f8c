"""Amendments: decisions that change another one in part, so that both hold. Whoever is told of the one that was amended
should know of the other.

They are linked, as what took the place of another is. What a record itself says to be amended by counts too, where the
other one is not known here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from ..model.address import shown
from ..model.record import Record
from ..model.standing import ACTIVE
from ..model.text import first_line
from ..store.protocol import Reader
from .attribution import NOWHERE, Origin, origins_of
from .engine import Asker

KIND, AMENDS = "decision", "amends"
NAME_MAX = 80
# In which project, and the address there.
_Place = tuple[str, str]
_NUMBERED = re.compile(r"ADR-0*(\d{1,5})", re.I)


class Amendment(NamedTuple):
    """What amended a decision: how it is called, and its address; that is empty where it is only named."""

    name: str
    address: str = ""

    def __str__(self) -> str:
        return f"{self.name} [{shown(self.address)}]" if self.address else self.name


def amendments(
    reader: Reader, asker: Asker, records: Sequence[Record], seq: int, origins: Mapping[int, Origin]
) -> dict[int, tuple[Amendment, ...]]:
    """By entry of those of these records that were amended: what did, as far as it holds."""
    decisions = [one for one in records if one.node.kind == KIND]
    if not decisions:
        return {}
    addresses = sorted({one.node.address for one in decisions})
    places = asker.principal.readable(tuple({one.project for one in decisions}))
    by: dict[_Place, set[str]] = {}
    for link in reader.links(asker.namespace, addresses, places, seq):
        if link.rel == AMENDS:
            by.setdefault((link.project, link.target), set()).add(link.source)
    sources = sorted(set[str]().union(*by.values()))
    amending = reader.records(asker.namespace, sources, places, seq) if sources else []
    holding = [one for one in amending if one.standing.state == ACTIVE]
    theirs = origins_of(reader, asker, holding, seq) if holding else {}
    found: dict[int, tuple[Amendment, ...]] = {}
    for record in decisions:
        linked = [
            Amendment(_name(one, theirs.get(one.entry, NOWHERE)), one.node.address)
            for one in holding
            if one.project == record.project and one.node.address in by.get((record.project, record.node.address), ())
        ]
        named = {one.name for one in linked}
        said = (Amendment(name) for name in _said(origins.get(record.entry, NOWHERE)) if name not in named)
        if every := (*sorted(linked), *said):
            found[record.entry] = every
    return found


def _name(record: Record, origin: Origin) -> str:
    number = origin.fields.get("number")
    if isinstance(number, int):
        return f"ADR-{number:04d}"
    return first_line(origin.title or record.node.content.lstrip("# "), NAME_MAX)


def _said(origin: Origin) -> list[str]:
    """By what a record says that it is amended, in the form in which others are called."""
    given = origin.fields.get("amended_by")
    names = [str(one) for one in given] if isinstance(given, list) else []
    return [
        f"ADR-{int(number[1]):04d}" if (number := _NUMBERED.fullmatch(name)) else PurePosixPath(name).stem[:NAME_MAX]
        for name in names
    ]
