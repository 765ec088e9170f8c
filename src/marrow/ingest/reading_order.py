"""The lines of an image in the order in which they are read: from above, row by row, and columns of prose one after the
other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from ..providers.sight import Box, SeenLine

# In heights of a line: what parts two blocks, two columns, and two words of one line.
BLOCK_GAP, COLUMN_GAP, WORD_GAP = 1.5, 1.5, 1.0
# A column has some lines, and they are as wide as prose is; a table or a form is read by rows.
COLUMN_LINES_MIN, COLUMN_WIDTH_MIN = 3, 10.0


def in_reading_order(lines: Sequence[SeenLine]) -> list[SeenLine]:
    pages: dict[int, list[SeenLine]] = {}
    for line in lines:
        pages.setdefault(line.box.page, []).append(line)
    return [line for page in sorted(pages) for line in _page(pages[page])]


def _page(lines: list[SeenLine]) -> list[SeenLine]:
    height = max(1.0, median(line.box.h for line in lines))
    found: list[SeenLine] = []
    for block in _parted(lines, height * BLOCK_GAP, vertical=True):
        columns = _parted(block, height * COLUMN_GAP, vertical=False)
        if len(columns) > 1 and all(_is_column(column, height) for column in columns):
            found += [line for column in columns for line in _rows(column, height)]
        else:
            found += _rows(block, height)
    return found


def _parted(lines: Sequence[SeenLine], gap: float, *, vertical: bool) -> list[list[SeenLine]]:
    """Lines in groups with an empty strip of this width between them."""
    ordered = sorted(lines, key=lambda line: line.box.y if vertical else line.box.x)
    groups: list[list[SeenLine]] = []
    reached = float("-inf")
    for line in ordered:
        begin, length = (line.box.y, line.box.h) if vertical else (line.box.x, line.box.w)
        if not groups or begin - reached > gap:
            groups.append([])
        groups[-1].append(line)
        reached = max(reached, begin + length)
    return groups


def _is_column(lines: Sequence[SeenLine], height: float) -> bool:
    return len(lines) >= COLUMN_LINES_MIN and median(line.box.w for line in lines) >= COLUMN_WIDTH_MIN * height


def _rows(lines: Sequence[SeenLine], height: float) -> list[SeenLine]:
    """By rows, each from the left; words that stand close together in a row are one line."""
    rows: list[list[SeenLine]] = []
    for line in sorted(lines, key=lambda one: one.box.y + one.box.h / 2):
        if rows and _is_beside(rows[-1][0].box, line.box):
            rows[-1].append(line)
        else:
            rows.append([line])
    found: list[SeenLine] = []
    for row in rows:
        begin = len(found)
        for line in sorted(row, key=lambda one: one.box.x):
            last = found[-1] if len(found) > begin else None
            if last is not None and line.box.x - (last.box.x + last.box.w) <= height * WORD_GAP:
                found[-1] = replace(last, text=f"{last.text} {line.text}", box=_around(last.box, line.box))
            else:
                found.append(line)
    return found


def _is_beside(one: Box, other: Box) -> bool:
    shared = min(one.y + one.h, other.y + other.h) - max(one.y, other.y)
    return shared > 0.5 * max(1, min(one.h, other.h))


def _around(one: Box, other: Box) -> Box:
    x, y = min(one.x, other.x), min(one.y, other.y)
    right, bottom = max(one.x + one.w, other.x + other.w), max(one.y + one.h, other.y + other.h)
    return Box(x, y, right - x, bottom - y, one.page)
