"""What a view allows, as a set of entries: computed once, and brought up to date by the events that came since."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from ..model.event import Event, Head
from ..model.node import VIEW
from ..model.record import CURRENT, Filter
from ..store.protocol import Reader
from .view import View, view_named

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ids = NDArray[np.int64]

# After more events than this, everything is looked at anew.
EVENTS_MAX = 1_000
BATCH = 500


@dataclass(frozen=True)
class Allowed:
    """The entries that a view shows of a namespace when its chain ended at `head`. How a node stands now decides, also
    about how it stood before: what was public once and is confidential now is not seen in the past either."""

    view: View
    head: Head
    entries: frozenset[int]
    # What is found out on the way is kept as long as this is.
    seen: dict[str, bool] = field(default_factory=dict)
    counted: dict[object, Any] = field(default_factory=dict)
    _ids: list[Ids] = field(default_factory=list)

    @property
    def ids(self) -> Ids:
        """The entries in rising order, as the indexes have them."""
        if not self._ids:
            import numpy as np

            self._ids.append(np.sort(np.fromiter(self.entries, dtype=np.int64, count=len(self.entries))))
        return self._ids[0]

    def addresses(self, reader: Reader, namespace: str, addresses: Collection[str]) -> set[str]:
        """Those of these nodes that are seen in any project."""
        unknown = [address for address in dict.fromkeys(addresses) if address not in self.seen]
        for at in range(0, len(unknown), BATCH):
            batch = unknown[at : at + BATCH]
            placed = reader.placed(namespace, batch)
            self.seen.update({one: not self.entries.isdisjoint(placed.get(one, ())) for one in batch})
        return {address for address in addresses if self.seen[address]}


def allowed_now(
    reader: Reader, namespace: str, name: str, before: Allowed | None, definitions: Reader | None = None
) -> Allowed:
    """What the view of this name allows now, from what it allowed `before` where that is less work. `definitions` is
    the reader that sees the views, where this one does not."""
    head = reader.head(namespace)
    if before is not None and before.head == head:
        return before
    if before is not None:
        updated = _updated(reader, namespace, before, head)
        if updated is not None:
            return updated
    view = view_named(definitions or reader, namespace, name)
    return Allowed(view, head, frozenset(_all(reader, namespace, view)))


def _updated(reader: Reader, namespace: str, before: Allowed, head: Head) -> Allowed | None:
    """With what the events since then touched; None when everything has to be looked at."""
    if not 0 < head.seq - before.head.seq <= EVENTS_MAX:
        return None
    addresses: dict[str, None] = {}
    previous = before.head.hash
    for event in reader.events(namespace, after=before.head.seq):
        if event.previous != previous or not _names_all(event):
            return None  # another chain than was known, or something was erased
        previous = event.hash
        addresses.update(dict.fromkeys(touched.address for touched in event.touched if touched.address))
    if previous != head.hash:
        return None
    entries = set(before.entries)
    for batch in _batches(list(addresses)):
        records = reader.records(namespace, batch, None, CURRENT)
        if any(record.node.kind == VIEW for record in records):
            return None  # it may be this one
        said = reader.occurrences([record.entry for record in records], CURRENT)
        for record in records:
            if before.view.permits(record, said.get(record.entry, ())):
                entries.add(record.entry)
            else:
                entries.discard(record.entry)
    seen = {address: is_seen for address, is_seen in before.seen.items() if address not in addresses}
    return replace(before, head=head, entries=frozenset(entries), seen=seen, counted={}, _ids=[])


def _names_all(event: Event) -> bool:
    return all(touched.address for touched in event.touched)


def _batches(items: Sequence[str]) -> Iterator[Sequence[str]]:
    return (items[at : at + BATCH] for at in range(0, len(items), BATCH))


def _all(reader: Reader, namespace: str, view: View) -> set[int]:
    """Every entry that the view permits, found by the store's own selection: reading each node would take longer."""

    def chosen(**asked: object) -> set[int]:
        wanted = replace(Filter(include_superseded=True), **asked)  # type: ignore[arg-type]
        return set(reader.select(namespace, wanted, CURRENT, 0))

    asked, refused = view.asked, view.refused
    shared: dict[str, object] = {"kinds": asked.kinds, "domains": asked.domain, "tags": asked.tags}
    shared |= {"approved": asked.approved, "metadata": asked.metadata}
    found: set[int] = set()
    for classification, service in product(asked.classification or ("",), asked.service or ("",)):
        found |= chosen(**shared, classification=classification, service=service)
    found -= chosen(kinds=(VIEW, *refused.kinds))
    for name, values in (("domains", refused.domain), ("tags", refused.tags)):
        found -= chosen(**{name: values}) if values else set()
    for classification in refused.classification:
        found -= chosen(classification=classification)
    if refused.approved is not None:
        found -= chosen(approved=refused.approved)
    doubtful = set().union(*(chosen(service=one) for one in refused.service))
    doubtful |= set().union(*(chosen(metadata=(pair,)) for pair in refused.metadata))
    return found - _said_nowhere_else(reader, view, sorted(found & doubtful))


def _said_nowhere_else(reader: Reader, view: View, entries: Sequence[int]) -> set[int]:
    """Those that were said in no place that the view permits."""
    gone: set[int] = set()
    for at in range(0, len(entries), BATCH):
        batch = entries[at : at + BATCH]
        said = reader.occurrences(batch, CURRENT)
        gone |= {entry for entry in batch if not any(map(view.permits_saying, said.get(entry, ())))}
    return gone
