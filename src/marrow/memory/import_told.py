"""What an import of a bundle did to single memories, in words: counts hide that something was taken off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from ..model.change import Copy
from ..model.link import Link
from ..model.node import GLOBAL_PROJECT
from ..model.record import CURRENT, Record
from ..model.standing import ACTIVE, RETRACTED, SUPERSEDED, Standing, united
from ..model.text import first_line
from ..store.protocol import Reader

BACK, ENDED, REPLACED, OPPOSED, FORKED, CHANGED, NEW = (
    "back",
    "ended",
    "superseded",
    "opposed",
    "forked",
    "changed",
    "new",
)
TITLE = 80


class Told(NamedTuple):
    """What became of one memory. `note` says what was taken off, or how it stood before."""

    what: str
    address: str
    project: str
    title: str
    note: str = ""


def told_of(record: Record | None, copy: Copy) -> Told:
    """What a copy does to what is known here."""
    about = (copy.node.address, copy.project, first_line(copy.node.content, TITLE))
    if record is None:
        return Told(NEW, *about, "" if copy.standing.state == ACTIVE else _word(copy.standing.state))
    before, after = record.standing, united(record.standing, copy.standing)
    if before.state == after.state:
        return Told(CHANGED, *about, ", ".join(_taken_off(before, after)))
    if after.state == ACTIVE:
        return Told(BACK, *about, f"it was {_word(before.state)} here")
    if after.state == SUPERSEDED:
        return Told(REPLACED, *about)
    return Told(ENDED, *about, _word(after.state))


def opposed(reader: Reader, namespace: str, circle: Sequence[Link], copies: Iterable[Copy]) -> list[Told]:
    """Those that two memories let take each other's place, so that none of them holds."""
    ends = sorted({link.target for link in circle})
    places = tuple(sorted({link.project for link in circle} | {GLOBAL_PROJECT}))
    titles = {r.node.address: r.node.content for r in reader.records(namespace, ends, places, CURRENT)} if ends else {}
    titles |= {copy.node.address: copy.node.content for copy in copies if copy.node.address in ends}
    return [
        Told(
            OPPOSED,
            link.target,
            link.project,
            first_line(titles.get(link.target, ""), TITLE),
            f"[{link.source[:12]}] takes its place, and the other way round: save again the one that holds",
        )
        for link in circle
    ]


def forked(
    reader: Reader, namespace: str, forks: Mapping[tuple[str, str], Sequence[str]], copies: Iterable[Copy]
) -> list[Told]:
    """What several took the place of, on one side or the other, that hold now beside each other."""
    addresses = sorted({address for (_, target), sources in forks.items() for address in (target, *sources)})
    known = {(r.project, r.node.address): r for r in _records(reader, namespace, addresses, forks)}
    standings = {place: record.standing for place, record in known.items()}
    titles = {place: record.node.content for place, record in known.items()}
    for copy in copies:
        place = (copy.project, copy.node.address)
        ours = standings.get(place)
        standings[place] = copy.standing if ours is None else united(ours, copy.standing)
        titles.setdefault(place, copy.node.content)
    told = []
    for (project, target), sources in forks.items():
        held = [one for one in sources if (project, one) in standings and standings[project, one].state == ACTIVE]
        if len(held) > 1:
            named = " and ".join(f"[{one[:12]}]" for one in held)
            note = f"{named} hold: if only one should, `marrow relate` it to the other with supersedes"
            told.append(Told(FORKED, target, project, first_line(titles.get((project, target), ""), TITLE), note))
    return told


def _records(
    reader: Reader, namespace: str, addresses: Sequence[str], forks: Mapping[tuple[str, str], object]
) -> Iterable[Record]:
    places = tuple(sorted({project for project, _ in forks} | {GLOBAL_PROJECT}))
    return reader.records(namespace, addresses, places, CURRENT) if addresses else ()


def _word(state: str) -> str:
    return "forgotten" if state == RETRACTED else state


def _taken_off(before: Standing, after: Standing) -> list[str]:
    said = []
    if before.pinned and not after.pinned:
        said.append("no longer pinned")
    if before.approved and not after.approved:
        said.append("no longer approved" if after.approved is None else "now rejected")
    names = ((name, sorted({*getattr(before, name)} - {*getattr(after, name)})) for name in ("tags", "aliases"))
    said += [f"without the {name} {', '.join(gone[:5])}" for name, gone in names if gone]
    if before.classification != after.classification:
        said.append(f"now {after.classification}")
    return said
