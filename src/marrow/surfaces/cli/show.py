"""Answers on a terminal: colours, tables and text wrapped to its width. All of it reads well without colour too."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from ...model.address import SHOWN_LENGTH
from ...model.moments import age
from ...model.moments import parse as parse_moment
from ...operations.run import Answer
from .output import harmless

DOMAIN_STYLES = {
    "architecture": "blue",
    "decisions": "green",
    "patterns": "cyan",
    "tasks": "yellow",
    "issues": "red",
    "dependencies": "magenta",
    "feedback": "bright_magenta",
}
OTHER_STYLE = "bright_blue"
CARD = ("address", "kind", "domain", "content", "age")
GAP = 2
TEXT_LENGTH_MIN, TEXT_WIDTH_MIN = 24, 20  # a column with longer cells than the first is text: it wraps, and may shrink
COLUMNS_MIN = 2
CELL_LENGTH_MAX = 200
_ADDRESSES = r"(?m)\[[0-9a-f]{12,64}\]|^[0-9a-f]{64}"
_LABELS = r"(?m)^ *[a-z][a-z ]{1,20}:(?= )"
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
_HASH = re.compile(r"[0-9a-f]{64}")


def console(color: bool) -> Console:
    return Console(color_system="auto" if color else None, highlight=False, markup=False, emoji=False)


def show_answer(answer: Answer, *, color: bool) -> None:
    """A list of memories as cards, a list of plain objects as a table, anything else as the text that it has."""
    screen = console(color)
    items = getattr(answer.result, "items", None)
    if isinstance(items, tuple) and items:
        if all(hasattr(item, name) for item in items for name in CARD):
            _cards(screen, answer.result, items)
            return
        if all(isinstance(item, Mapping) and _is_flat(item) for item in items):
            table = _objects(screen.width, answer.result, items)
            if table is not None:
                screen.print(table)
                _remarks(screen, answer.result, len(items))
                return
    screen.print(_text(answer.text))


def show_table(columns: Sequence[str], rows: Sequence[Sequence[str]], plain: str, *, needed: int, color: bool) -> None:
    """Rows as a table of at least the `needed` columns, or as `plain` where the terminal is too narrow for that."""
    screen = console(color)
    table = _table(screen.width, columns, [[Text(harmless(cell)) for cell in row] for row in rows], needed)
    screen.print(table if table is not None else _text(plain))


def _table(width: int, columns: Sequence[str], rows: Sequence[Sequence[Text]], needed: int) -> Table | None:
    """A table that fits: what is no text is never wrapped, and the last columns are left out where there is no room.

    None where not even those that are `needed` fit.
    """
    sizes = [max(row[at].cell_len for row in rows) for at in range(len(columns))]
    widths = [
        TEXT_WIDTH_MIN if size > TEXT_LENGTH_MIN else max(size, len(name))
        for name, size in zip(columns, sizes, strict=True)
    ]
    count = len(columns)
    while count and sum(widths[:count]) + GAP * (count - 1) > width:
        count -= 1
    if count < needed:
        return None
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for name, size in zip(columns[:count], sizes, strict=False):
        style = "dim" if name in ("address", "source") else ""
        table.add_column(name.replace("_", " "), overflow="fold", style=style, no_wrap=size <= TEXT_LENGTH_MIN)
    for row in rows:
        table.add_row(*row[:count])
    return table


def _text(text: str) -> Text:
    found = Text(harmless(text))
    found.highlight_regex(_ADDRESSES, "dim")
    found.highlight_regex(_LABELS, "bold")
    return found


def _cards(screen: Console, result: Any, items: Sequence[Any]) -> None:
    tier = ""
    for item in items:
        if getattr(item, "tier", "") != tier:
            tier = item.tier
            screen.print(Text(tier, "bold"))
        screen.print(_title(item))
        screen.print(Padding(Text(harmless(item.content)), (0, 0, 0, 2), expand=False))
        if why := getattr(item, "why", None):
            said = "  ".join(f"{name} {value:g}" for name, value in why.items())
            screen.print(Padding(Text(f"why: {said}", "dim"), (0, 0, 0, 2), expand=False))
    _remarks(screen, result, len(items))


def _title(item: Any) -> Text:
    title = Text()
    title.append(f"{harmless(item.address)}  ", "dim")
    title.append(harmless(f"{item.domain}/{item.kind}"), DOMAIN_STYLES.get(item.domain, OTHER_STYLE))
    title.append(f"  {_ago(item.age)}", "dim")
    if marks := getattr(item, "marks", ()):
        title.append(harmless(f"  {', '.join(marks)}"), "yellow")
    if tags := getattr(item, "tags", ()):
        title.append(harmless("  " + " ".join(f"#{tag}" for tag in tags)), "cyan")
    return title


def _is_flat(item: Mapping[str, Any]) -> bool:
    """Whether an object's values fit into cells: texts, numbers, and lists of them."""
    return all(
        value is None
        or isinstance(value, str | int | float | bool)
        or (isinstance(value, list | tuple) and all(isinstance(part, str | int | float) for part in value))
        for value in item.values()
    )


def _objects(width: int, result: Any, items: Sequence[Mapping[str, Any]]) -> Table | None:
    names = list(dict.fromkeys(name for item in items for name in item))
    columns = [name for name in names if any(item.get(name) not in (None, "", [], ()) for item in items)]
    current = getattr(result, "current", None)
    now = time.time_ns() // 1000
    rows = []
    for item in items:
        cells = [_cell(item.get(name), now) for name in columns]
        if current is not None and item.get("name") == current and "name" in columns:
            cells[columns.index("name")].append(" *", "bold green")
        rows.append(cells)
    texts = [at for at in range(len(columns)) if any(row[at].cell_len > TEXT_LENGTH_MIN for row in rows)]
    return _table(width, columns, rows, needed=max([COLUMNS_MIN, *(at + 1 for at in texts)]) if len(columns) > 1 else 1)


def _cell(value: Any, now: int) -> Text:
    """A value in a cell: hashes short, and times as how long ago they were."""
    if value is None or isinstance(value, bool):
        return Text("yes" if value else "")
    if isinstance(value, int | float):
        return Text(f"{value:,}" if isinstance(value, int) else f"{value:g}")
    if isinstance(value, list | tuple):
        return Text(harmless(", ".join(map(str, value))))
    text = harmless(str(value)).replace("\n", " ")
    if _HASH.fullmatch(text):
        return Text(text[:SHOWN_LENGTH], "dim")
    if _MOMENT.fullmatch(text):
        return Text(_ago(age(parse_moment(text, now, future=True), now)))
    return Text(text if len(text) <= CELL_LENGTH_MAX else text[: CELL_LENGTH_MAX - 1] + "…")


def _ago(how_long: str) -> str:
    return how_long if how_long == "just now" else f"{how_long} ago"


def _remarks(screen: Console, result: Any, shown: int) -> None:
    """What was left out, and how to get it."""
    total, left_out = getattr(result, "total", 0), getattr(result, "left_out", 0)
    more = max(left_out, total - shown if isinstance(total, int) else 0)
    if more:
        screen.print(Text(f"{more:,} more: --budget-tokens, --limit or --offset", "dim"))
    if degraded := getattr(result, "degraded", ""):
        screen.print(Text(f"searched {degraded}", "dim"))
