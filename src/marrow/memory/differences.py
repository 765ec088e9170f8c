"""What changed between two moments of a memory: the nodes that the events between them touched, compared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import NamedTuple

from ..model.event import Event
from ..model.node import VIEW
from ..model.record import CURRENT, Record
from ..model.standing import ACTIVE, Standing, kept_closed
from ..model.text import first_line
from ..store.protocol import Projects, Reader

ADDED, REMOVED, CHANGED = "added", "removed", "changed"
BATCH = 500
# When and why a standing came to hold is not what holds.
_BOOKKEEPING = frozenset(("generation", "changed_at", "reason", "salt"))
_COMPARED = tuple(f.name for f in fields(Standing) if f.name not in _BOOKKEEPING)
# That something was said once more is no change of what is known: it is counted, and not listed.
_REINFORCED = frozenset(("reinforced", "reinforced_at", "confidence"))


class Difference(NamedTuple):
    """One node in one project. `what` is added, removed or changed; `fields` says what about it differs, `path` where
    it was read from. `stays_closed` is what a restore does not open; where nothing else differs, `what` is ""."""

    what: str
    address: str
    project: str
    kind: str
    domain: str
    state: str
    fields: tuple[str, ...]
    line: str
    path: str = ""
    stays_closed: bool = False

    @property
    def is_reinforcement(self) -> bool:
        """Whether it was only said once more, which makes it surer."""
        named = set(self.fields)
        return self.what == CHANGED and "reinforced" in named and named <= _REINFORCED


class Differences(NamedTuple):
    """From one sequence number to another. `erased` counts what was touched between them and is gone for good,
    `reinforced` what was only said once more and is not among the items, `kept_closed` what a restore would have
    opened."""

    start: int
    end: int
    items: tuple[Difference, ...]
    erased: int
    reinforced: int = 0
    kept_closed: int = 0

    def count(self, what: str) -> int:
        return sum(item.what == what for item in self.items)


def differences(
    reader: Reader, namespace: str, places: Projects, start: int, end: int, *, is_restore: bool = False
) -> Differences:
    """How the memory at `end` differs from the one at `start`; `start` may be the later of the two. With `is_restore`,
    how it would differ after a restore to `end`."""
    low, high = sorted((start, end))
    erased = 0
    addresses: dict[str, None] = {}
    for event in reader.events(namespace, after=low, until=high):
        erased += sum(touched.address is None for touched in event.touched)
        addresses.update(dict.fromkeys(names(event)))
    found: list[Difference] = []
    for batch in batches(list(addresses), BATCH):
        found += _compared(reader, namespace, places, batch, start, end, is_restore)
    order = {ADDED: 0, CHANGED: 1, REMOVED: 2}
    listed = [item for item in found if item.what and not item.is_reinforcement]
    listed.sort(key=lambda item: (order[item.what], item.project, item.address))
    reinforced = sum(item.is_reinforcement for item in found)
    return Differences(start, end, tuple(listed), erased, reinforced, sum(item.stays_closed for item in found))


def names(event: Event) -> Iterator[str]:
    """The addresses that an event touched and that were not erased since."""
    return (touched.address for touched in event.touched if touched.address)


def batches(items: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (items[at : at + size] for at in range(0, len(items), size))


def _compared(
    reader: Reader,
    namespace: str,
    places: Projects,
    addresses: Sequence[str],
    start: int,
    end: int,
    is_restore: bool,
) -> Iterator[Difference]:
    before = {r.entry: r for r in reader.records(namespace, addresses, places, start)}
    after = {r.entry: r for r in reader.records(namespace, addresses, places, end)}
    entries = list({**before, **after})
    links = [_links(reader, namespace, addresses, places, seq) for seq in (start, end)]
    anchors = [reader.anchors(entries, seq) for seq in (start, end)]
    paths = _paths(reader, entries)
    for entry in entries:
        was, now = before.get(entry), after.get(entry)
        known = now or was
        if known is None or (is_restore and known.node.kind == VIEW):
            continue
        stays_closed = False
        if is_restore and was and now:
            restored = replace(now, standing=kept_closed(now.standing, was.standing))
            stays_closed, now = restored != now, restored
        changed = _fields(was, now)
        key = (known.project, known.node.address)
        if was and now and links[0][key] != links[1][key]:
            changed.append("links")
        if was and now and list(anchors[0].get(entry, ())) != list(anchors[1].get(entry, ())):
            changed.append("anchors")
        what = _what(was, now, changed)
        if what or stays_closed:
            node, standing = known.node, known.standing
            state = now.standing.state if now else ""
            line = first_line(node.content)
            about = (node.kind, standing.domain, state, tuple(changed), line, paths.get(entry, ""), stays_closed)
            yield Difference(what, node.address, known.project, *about)


def _paths(reader: Reader, entries: Sequence[int]) -> dict[int, str]:
    """Where each was last read from."""
    found = {}
    for entry, said in reader.occurrences(entries, CURRENT).items():
        paths = [path for one in said if isinstance(path := one.fields.get("path"), str)]
        if paths:
            found[entry] = paths[-1]
    return found


def _links(
    reader: Reader, namespace: str, addresses: Sequence[str], places: Projects, seq: int
) -> Mapping[tuple[str, str], set[tuple[str, str, str]]]:
    """The links at each end of them, by project and address."""
    found: dict[tuple[str, str], set[tuple[str, str, str]]] = defaultdict(set)
    for link in reader.links(namespace, addresses, places, seq):
        for end in (link.source, link.target):
            found[link.project, end].add((link.source, link.rel, link.target))
    return found


def _fields(was: Record | None, now: Record | None) -> list[str]:
    if was is None or now is None:
        return []
    return [name for name in _COMPARED if getattr(was.standing, name) != getattr(now.standing, name)]


def _what(was: Record | None, now: Record | None, changed: Iterable[str]) -> str:
    """Added and removed speak of the active set; what came and went between the two moments is neither."""
    was_active = was is not None and was.standing.state == ACTIVE
    is_active = now is not None and now.standing.state == ACTIVE
    if was_active != is_active:
        return ADDED if is_active else REMOVED
    return CHANGED if any(changed) else ""
