"""A table of ours in a TOML file of a host, at its end, below a comment that says whose it is. No other line changes.

A table can always follow everything else, unless the file has another form of it already; the result is read back and
must hold what it held before and ours, and nothing more. No mark stands at the end of ours: Codex writes new tables of
its own before the last comment of the file, and they would be taken for ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....model import toml_text

KIND = "toml"
MARK = "# Marrow's; `marrow uninstall` takes this table out"


@dataclass(frozen=True, slots=True)
class Table:
    """A table with values that are texts or lists of texts."""

    place: tuple[str, ...]
    values: Mapping[str, object]

    def shape(self) -> dict[str, Any]:
        return {"place": list(self.place), "values": dict(self.values)}

    def lines(self) -> list[str]:
        values = [f"{key} = {toml_text.literal(value)}" for key, value in self.values.items()]
        return [MARK, f"[{'.'.join(self.place)}]", *values]


def read(text: str) -> dict[str, Any]:
    """Raises ValueError that says what is wrong and where."""
    try:
        return toml_text.read(text.replace("\r\n", "\n"))
    except RecursionError:
        raise ValueError("it nests too deeply") from None


def value_at(text: str, place: tuple[str, ...]) -> Any:
    value: Any = read(text)
    for key in place:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def put_in(text: str, table: Table) -> tuple[str, dict[str, Any]]:
    """`text` with the block. Raises ValueError where the file has no room for that table."""
    newline = "\r\n" if "\r\n" in text else "\n"
    before = "" if not text else newline * (1 if text.endswith("\n") else 2)
    block = before + newline.join(table.lines()) + newline
    try:
        is_good = value_at(text + block, table.place) == table.values and _others(text + block, table) == _pruned(
            read(text)
        )
    except ValueError:
        is_good = False
    if not is_good:
        name = ".".join(table.place)
        raise ValueError(f"{name} cannot be added as a table of its own; it could below [{table.place[0]}.OTHER]")
    return text + block, {**table.shape(), "block": block}


def _others(text: str, table: Table) -> dict[str, Any]:
    """What the file holds beside the table. An empty table is none: ours may be the only one in it."""
    value = read(text)
    inner: Any = value
    for key in table.place[:-1]:
        inner = inner[key]
    inner.pop(table.place[-1], None)
    return _pruned(value)


def _pruned(table: Mapping[str, Any]) -> dict[str, Any]:
    inner = ((key, _pruned(item) if isinstance(item, dict) else item) for key, item in table.items())
    return {key: item for key, item in inner if item != {}}


def put_in_again(text: str, table: Table, detail: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """`text` with the table as it is wanted now. What else stands in it (a host's own notes, say) stays there."""
    if not _is_more_in_it(text, table.place, table.values):
        return put_in(take_out(text, detail), table)
    for key, value in table.values.items():
        edit = toml_text.with_value(text, (*table.place, key), value)
        if edit is None:
            raise ValueError(f"{'.'.join((*table.place, key))} cannot be changed without touching other lines")
        text = edit
    return text, table.shape()


def _is_more_in_it(text: str, place: tuple[str, ...], values: Mapping[str, object]) -> bool:
    found = value_at(text, place)
    return isinstance(found, dict) and not found.keys() <= values.keys()


def take_out(text: str, detail: Mapping[str, Any]) -> str:
    """`text` without the table: as it was written, or else with what was changed in it since."""
    block, place = str(detail.get("block", "")), tuple(detail.get("place", ()))
    # Keys below the block are in our table; without its header they would belong to the one above it.
    if block and block in text and not _is_more_in_it(text, place, detail.get("values", {})):
        before, _, after = text.partition(block)
        # The block begins with the end of a last line that had none; what someone put below it needs that.
        between = "\n" if after and before and not before.endswith("\n") else ""
        return before + between + after
    rest = "".join(line for line in text.splitlines(keepends=True) if line.strip() != MARK)
    if not place or value_at(rest, place) is None:
        return rest
    without = toml_text.without_value(rest, place)
    if without is None:
        raise ValueError(f"{'.'.join(place)} cannot be taken out without touching other lines")
    return without


def is_in_place(text: str, table: Table) -> bool:
    """Whether the table says what is wanted; it may say more."""
    found = value_at(text, table.place)
    return isinstance(found, dict) and {**found, **table.values} == found


def is_empty(text: str) -> bool:
    return not text.strip()
