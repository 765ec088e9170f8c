"""Entries of ours in a JSON file of a host: put in, looked for, and taken out.

A member is ours by its place, an item of a list by what it starts. What was made on the way (the list of an event, the
object of servers) is taken out with the last entry in it. A person may have changed an entry or put a hook of their own
beside ours: theirs stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from . import json_edit
from .programs import is_ours

KIND = "json"
EMPTY = "{}\n"
SCAFFOLD, MEMBER, ITEM = "scaffold", "member", "item"


@dataclass(frozen=True, slots=True)
class Entry:
    """`kind` is member or item, or scaffold: a member that a host demands and that says nothing by itself.

    `theirs` is what someone put into a member of ours (a variable for the server, say): written with it, and not ours.
    """

    place: tuple[str, ...]
    value: object
    kind: str = MEMBER
    theirs: Mapping[str, object] = field(default_factory=dict)

    @property
    def written(self) -> object:
        return {**self.value, **self.theirs} if isinstance(self.value, dict) else self.value

    def shape(self) -> dict[str, Any]:
        return {"place": list(self.place), "value": self.value, "kind": self.kind}


def entries_of(detail: Mapping[str, Any]) -> list[Entry]:
    return [Entry(tuple(e["place"]), e["value"], e["kind"]) for e in detail.get("entries", ())]


def with_theirs(text: str, wanted: Sequence[Entry], recorded: Sequence[Entry]) -> list[Entry]:
    """What is wanted, each member with what stands in it and was never put there by us."""
    put = {entry.place: entry.value for entry in recorded if isinstance(entry.value, dict)}
    found = {entry.place: json_edit.value_at(text, entry.place) for entry in wanted if entry.kind == MEMBER}
    theirs = {
        place: {key: item for key, item in value.items() if key not in put[place]}
        for place, value in found.items()
        if isinstance(value, dict) and place in put and is_ours(value)
    }
    return [replace(entry, theirs=theirs.get(entry.place, {})) for entry in wanted]


def put_in(text: str, wanted: Sequence[Entry]) -> tuple[str, dict[str, Any]]:
    """`text` with the entries, and what is needed to take them out. Raises ValueError where something is in the way."""
    added: list[Entry] = []
    made: list[list[str]] = []
    for entry in wanted:
        _make_way(text, entry)
        if entry.kind != ITEM and json_edit.value_at(text, entry.place) is not None:
            continue  # there is one: a scaffold that holds already, or a server that someone else put there
        last = len(entry.place) + (1 if entry.kind == ITEM else 0)
        above = (entry.place[:length] for length in range(1, last))
        made += [list(place) for place in above if json_edit.value_at(text, place) is None]
        put = json_edit.with_item if entry.kind == ITEM else json_edit.with_member
        text = put(text, entry.place, entry.written)
        added.append(entry)
    return text, {"entries": [entry.shape() for entry in added], "made": made}


def _make_way(text: str, entry: Entry) -> None:
    """Refuses where an entry's place cannot be: a text where an object is expected."""
    for length in range(1, len(entry.place) + 1):
        found = json_edit.value_at(text, entry.place[:length])
        is_list = entry.kind == ITEM and length == len(entry.place)
        if length == len(entry.place) and not is_list:
            return
        if found is not None and not isinstance(found, list if is_list else dict):
            name = ".".join(entry.place[:length])
            raise ValueError(f"{name} is not {'a list' if is_list else 'an object'}")


def take_out(text: str, detail: Mapping[str, Any]) -> str:
    """`text` without the entries and without what was made for them and is empty now."""
    entries = entries_of(detail)
    for entry in reversed([e for e in entries if e.kind != SCAFFOLD]):
        text = _without(text, entry)
    for place in reversed(detail.get("made", [])):
        if json_edit.value_at(text, tuple(place)) in ({}, []):
            text = json_edit.without(text, tuple(place))
    scaffold = {entry.place for entry in entries if entry.kind == SCAFFOLD}
    if scaffold and {(key,) for key in json_edit.read(text)} <= scaffold:
        for place in scaffold:
            text = json_edit.without(text, place) if json_edit.value_at(text, place) is not None else text
    return text


def _without(text: str, entry: Entry) -> str:
    found = json_edit.value_at(text, entry.place)
    if entry.kind == MEMBER:
        is_it = found is not None and (found == entry.value or is_ours(found))
        return json_edit.without(text, entry.place) if is_it else text
    for at in reversed(range(len(found) if isinstance(found, list) else 0)):
        inner = [number for number, is_it in _handlers(found[at]) if is_it]
        if found[at] == entry.value or (inner and len(inner) == len(list(_handlers(found[at])))):
            text = json_edit.without(text, (*entry.place, at))
        else:
            for number in reversed(inner):
                text = json_edit.without(text, (*entry.place, at, "hooks", number))
    return text


def _handlers(item: object) -> Iterator[tuple[int, bool]]:
    """The handlers in an item of a list of hooks, and whether each is ours. An item without any is one itself."""
    inner = item.get("hooks") if isinstance(item, dict) else None
    for number, handler in enumerate(inner if isinstance(inner, list) else [item]):
        yield number, is_ours(handler)


def is_in_place(text: str, wanted: Sequence[Entry], recorded: Sequence[Entry]) -> bool:
    """Whether all that is wanted is there, once, and nothing older of ours."""
    for place in {entry.place for entry in recorded} - {entry.place for entry in wanted}:
        if is_ours(json_edit.value_at(text, place)):
            return False
    for entry in wanted:
        found = json_edit.value_at(text, entry.place)
        if entry.kind == ITEM:
            ours = [item for item in found or () if is_ours(item)] if isinstance(found, list) else []
            if ours != [other.value for other in wanted if other.place == entry.place]:
                return False
        elif found is None or (entry.kind == MEMBER and found != entry.written):
            return False
    return True


def strangers(text: str, wanted: Sequence[Entry], recorded: Sequence[Entry]) -> list[Entry]:
    """The members that are wanted where another already is, which we did not put there."""
    mine = {entry.place for entry in recorded}
    return [
        entry
        for entry in wanted
        if entry.kind == MEMBER
        and entry.place not in mine
        and json_edit.value_at(text, entry.place) not in (None, entry.value)
    ]


def is_empty(text: str) -> bool:
    """Whether nothing is in it, not even a comment."""
    return json_edit.read(text) == {} and "/" not in text
