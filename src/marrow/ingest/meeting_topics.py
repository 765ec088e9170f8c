"""What a meeting was about, as far as its text says so: headings, the agenda, and "moving on to …"."""

from __future__ import annotations

import re

from .lazy_pattern import LazyPattern
from .spoken import LOOKED_AT_MAX

TOPICS_MAX, TOPIC_MAX = 30, 120
HEADING = LazyPattern(r"#{1,6}[ \t]+(?P<text>[^#\n].*)\Z|[*_]{2}(?P<bold>[^*_\n]{1,120}):?[*_]{2}[: \t]*\Z")
BULLET = LazyPattern(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?P<text>\S.*)")
_AGENDA = LazyPattern(r"\b(?:agenda|topics?|discussion points?)\b", re.I)
_TURNS = LazyPattern(
    r"\b(?:next (?:topic|item|point|up) (?:is|on the agenda is)|moving on to|let'?s (?:talk about|move on to|turn to)|"
    r"(?:first|second|third|last) (?:topic|item|point) (?:is|on the agenda is))[ ,:]{1,8}(?:the"
    r" )?(?P<topic>[^.,;!?\n]{3,80})",
    re.I,
)
_NOT_TOPICS = LazyPattern(
    r"(?:attendees|participants|present|people|in attendance|action(?: item| point)?s?|next steps?"
    r"|follow[- ]?ups?|to-?dos?|"
    r"decisions?|minutes|meeting (?:minutes|notes)|notes|transcript|agenda|topics?|summary|date|apologies"
    r"|links?|recording)"
    r"[ :]*\Z",
    re.I,
)


def topics_in(text: str) -> tuple[str, ...]:
    """Each topic once, in their order."""
    found: list[str] = []
    in_agenda = False
    first = True
    for line in text.split("\n"):
        head = HEADING.fullmatch(line[:LOOKED_AT_MAX].strip())
        label = re.fullmatch(r"[ \t]*(?:agenda|topics?)[ \t]*:[ \t]*(?P<rest>.*)", line, re.I)
        if head or label:
            name = heading_text(head) if head else ""
            in_agenda = bool(label) or bool(_AGENDA.search(name))
            if head and not first and not _NOT_TOPICS.match(name):
                found.append(name)
            if label and label["rest"]:
                found += [part.strip() for part in re.split(r"[,;]", label["rest"])]
        elif in_agenda and (bullet := BULLET.match(line)):
            found.append(bullet["text"].strip(" .:*_"))
        elif in_agenda and line.strip():
            in_agenda = False
        found += [turn["topic"].strip() for turn in _TURNS.finditer(line)]
        first = first and not line.strip()
    short = (" ".join(topic.split()) for topic in found)
    return tuple(dict.fromkeys(topic for topic in short if 2 < len(topic) <= TOPIC_MAX))[:TOPICS_MAX]


def heading_text(heading: re.Match[str]) -> str:
    return (heading["text"] or heading["bold"]).rstrip("#*_: \t").lstrip(" :*_")
