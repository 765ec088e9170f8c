"""How it is told what was read somewhere: with where; and of a decision record what it decided, before how it came to
that: a reader who is told a few lines needs these first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...model.record import CURRENT, Record
from ...store.protocol import Reader
from ..attribution import TAKEN_IN, origins_of
from ..engine import Asker
from ..organisation.attributed import Attributed
from .wording import Worded

KIND = "decision"
# Headings, and lines that only say when it was and how it stands.
_FRAME = re.compile(
    r"\s*(?:#{1,6}\s.*|[=~^\"-]{3,}\s*|[-*|>\s]*\W*(?:date|status|state|deciders?|decision[- ]makers?)\W*[:|].*|"
    r"\W*(?:accepted|proposed|rejected|deprecated|superseded|draft)\W*)\Z",
    re.I,
)


def decided(
    reader: Reader, asker: Asker, records: Sequence[Record], passages: Mapping[int, str] | None = None
) -> dict[int, Worded]:
    """By entry, for those that a reader of files took in: where. Of decision records also title, status and what was
    decided; then the passage that answers, or the rest of the text."""
    mine = [record for record in records if record.node.kind in TAKEN_IN]
    origins = origins_of(reader, asker, mine, CURRENT)
    found: dict[int, Worded] = {}
    for record in mine:
        origin = origins[record.entry]
        one = Attributed(record, origin)
        text = ""
        if record.node.kind == KIND and one.decided:
            status = f" ({one.status})" if one.status else ""
            rest = _rest((passages or {}).get(record.entry) or record.node.content, one)
            text = "\n".join(part for part in (f"{one.title}{status}: {one.decided}", rest) if part)
        found[record.entry] = Worded(text, origin.path or origin.file)
    return found


def _rest(text: str, one: Attributed) -> str:
    """What a text says beside its frame and the decision. That stands at the beginning of its section: elsewhere the
    same words may be part of another sentence."""
    sections = [""]
    for line in text.split("\n"):
        if _FRAME.match(line) or line.strip() == one.title:
            sections.append("")
        else:
            sections[-1] += f" {line}"
    decision = one.decided.rstrip("…")
    said = (" ".join(section.split()).removeprefix(decision).strip() for section in sections)
    return " ".join(part for part in said if part)
