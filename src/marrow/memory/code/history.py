"""History: what a symbol was, version by version."""

from __future__ import annotations

from ...store.code import Known, MapReader, Version

STEPS_MAX = 200


def history(reader: MapReader, symbol: Known) -> list[Version]:
    """The earliest first, through other names and files; what it is now is not among them."""
    found: list[Version] = []
    seen: set[tuple[str, str]] = set()
    waiting = [(symbol.path, symbol.qualified)]
    while waiting and len(found) < STEPS_MAX:
        place = waiting.pop()
        if place in seen:
            continue
        seen.add(place)
        own = reader.versions_at(*place)
        # What was deleted and came again later is no version of this one's past names.
        found += [one for one in own if place == (symbol.path, symbol.qualified) or one.became != "deleted"]
        waiting += [(one.path, one.qualified) for one in reader.versions_into(*place)]
    return sorted(dict.fromkeys(found), key=lambda one: (one.last, one.first))
