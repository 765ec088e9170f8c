"""What the memory knows about files and lines: the memories that are anchored there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, TypeVar

from ..model.link import Anchor
from ..model.record import CURRENT, Record
from ..store.protocol import Reader
from .engine import Asker

# Of these kinds there is one for everything that ever happened to a file: they tell little about what it is. And the
# code itself says what the code says.
PASSING_KINDS = frozenset(("observation", "summary", "handoff", "commit", "conversation", "log", "survey", "code"))
LOOKED_AT = 2_000
# The tag of what was read out of the code itself. It says what the code says there: few of it, after all that people
# said.
SCANNED, SCANNED_MAX = "scan", 2


class Known(NamedTuple):
    """A memory about a file; `start` and `end` are its lines, 0 when it is about the whole file or a thing in it, and
    `about` is the symbol or pattern that it is pinned to there. `anchor` is what says the lines: they are those of when
    it was pinned or verified last."""

    record: Record
    start: int = 0
    end: int = 0
    about: str = ""
    anchor: Anchor | None = None


class _HasRecord(Protocol):
    @property
    def record(self) -> Record: ...


T = TypeVar("T", bound=_HasRecord)


def tells(record: Record) -> bool:
    """Whether it tells something about what it is anchored to; of what only happened there, what failed does."""
    if record.node.kind not in PASSING_KINDS:
        return True
    return record.node.kind == "observation" and record.standing.domain == "issues"


def is_scanned(one: _HasRecord) -> bool:
    return SCANNED in one.record.standing.tags


def told_first(found: Sequence[T], limit: int, scanned: int = SCANNED_MAX) -> list[T]:
    """What was told first, in its order; then a few of what was read out of the code, where there is room."""
    told = [one for one in found if not is_scanned(one)]
    return [*told, *[one for one in found if is_scanned(one)][:scanned]][:limit]


def known_here(
    reader: Reader, asker: Asker, paths: Sequence[str], now: int, *, passing: bool = False
) -> dict[str, list[Known]]:
    """By file: the active memories anchored there, drifted ones and those that matter most first, and what was read out
    of the code last."""
    if not paths:
        return {}
    entries = reader.anchored(asker.namespace, list(paths), asker.places(), CURRENT)[:LOOKED_AT]
    anchors = reader.anchors(entries, CURRENT)
    wanted = set(paths)
    found: dict[str, list[Known]] = {}
    for record in reader.records_of(entries, CURRENT):
        if not record.standing.is_active(now) or not (passing or tells(record)):
            continue
        for path in {path for anchor in anchors.get(record.entry, []) if (path := _file(anchor)) in wanted}:
            mine = [anchor for anchor in anchors[record.entry] if _file(anchor) == path]
            found.setdefault(path, []).append(_known(record, mine))
    for some in found.values():
        some.sort(key=_worth)
    return found


def _worth(one: Known) -> tuple[bool, bool, float, int]:
    standing = one.record.standing
    return is_scanned(one), not standing.drift, -standing.priority, -one.record.last_at


def on_lines(known: Sequence[Known], first: int, last: int) -> list[Known]:
    """Those that are about the whole file, or about some of these lines."""
    return [one for one in known if not one.start or (one.start <= last and one.end >= first)]


def _file(anchor: Anchor) -> str:
    """The file that an anchor is in; a symbol or pattern may say in which."""
    if anchor.type in ("file", "lines"):
        return anchor.target
    within = anchor.fields.get("file") or anchor.fields.get("path") or ""
    return within if isinstance(within, str) else ""


def _known(record: Record, anchors: Sequence[Anchor]) -> Known:
    """By the narrowest of its anchors."""
    for anchor in anchors:
        start, end = anchor.fields.get("start"), anchor.fields.get("end")
        if isinstance(start, int) and isinstance(end, int) and 1 <= start <= end:
            about = anchor.target if anchor.type not in ("file", "lines") else ""
            return Known(record, start, end, about, anchor)
    about = next((anchor.target for anchor in anchors if anchor.type not in ("file", "lines")), "")
    return Known(record, about=about)
