"""An event without its secrets. They are taken out before numbers and names give way to what all alike events have in
common: of `password=hunter2hunter` that would leave what no rule knows any more."""

from __future__ import annotations

from collections.abc import Sequence

from ...model.redact import redact
from ...model.sieve import suspects_text
from .entry import Entry


def take_out_secrets(entry: Entry, extra: Sequence[str]) -> None:
    """`extra` are the project's own patterns. A secret may go over several lines."""
    told = entry.message.count("\n") + 1
    lines = _without("\n".join((entry.message, *entry.trace)), extra).split("\n")
    entry.message, entry.trace = "\n".join(lines[:told]), lines[told:]
    if entry.beside:
        entry.beside = _without(entry.beside, extra)


def _without(text: str, extra: Sequence[str]) -> str:
    return redact(text, extra, keep_lines=True).text if extra or suspects_text(text) else text
