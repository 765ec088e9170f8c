"""A chat that was pasted into a prompt: what Anna and bob say there is not what the user says."""

from __future__ import annotations

import re
from typing import NamedTuple

from .markers import GOING_FORWARD, REMEMBER

FENCE = "```"
_HALF = r"[AaPp]\.?[Mm]\.?"
_CLOCK = rf"\d{{1,2}}:\d{{2}}(?::\d{{2}})?(?: ?{_HALF})?"
_WHEN = rf"(?:(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}),? )?{_CLOCK}"
_HANDLE = r"@?[^\W\d_][\w.'’-]{0,30}(?: [^\W\d_][\w.'’-]{0,30}){0,2}"
_NAME = r"@?[A-Z][\w.'’-]{0,30}(?: [A-Z][\w.'’-]{0,30}){0,2}"
# "[10:32] bob: text", "10:32 - Anna: text", "<bob> text".
_TIMED = re.compile(
    rf"\s*(?:\[{_WHEN}\]\s{{0,4}}(?:{_HANDLE}:|<{_HANDLE}>)|{_WHEN}\s{{1,4}}(?:[-–]\s)?(?:{_NAME}:|<{_HANDLE}>)|"
    r"<(?P<tag>@?[\w.-]{2,30})>)\s"
)
# "Anna  10:32 AM", and what she says on the lines below.
_HEADED = re.compile(rf"\s*{_NAME}\s{{1,4}}(?:\[{_CLOCK}\]|\d{{1,2}}:\d{{2}} ?{_HALF})\s*\Z")
_NAMED = re.compile(rf"\s*({_NAME}|@[a-z][\w.-]{{1,30}}): (\S.*)")
# How people speak to each other, and nobody to himself.
_TALKS = re.compile(
    r"(?:let['’]?s|i|i['’](?:m|d|ll|ve)|ok(?:ay)?|yes|yeah|yep|sure|agreed?|sounds (?:good|great|fine)|thanks?|thx|hey|"
    r"hi|lol|maybe|hmm+)\b|\+1\b|(?:no|nope|great|nice|cool)(?=[,.!]|\s*\Z)|.*\?\s*\Z",
    re.I,
)
# Words before a colon that name a thing, and no one.
_THINGS = frozenset(
    "note notes warning error todo fixme example summary title date time subject from to cc re file path url usage "
    "output input result results answer question step steps agenda topic decision decisions action actions status "
    "context consequences background why how what when where who tip hint ps nb update edit default returns see also "
    "key value name type description version author remember important fyi btw rule rules convention conventions "
    "preference preferences fix cause reason goal task tasks plan idea problem issue bug expected actual constraint "
    "constraints requirement requirements correction reminder caveat backend frontend server client database db api "
    "ui ux auth authentication tests testing test deploy deployment deployments ci cache caching queue queues logging "
    "logs storage hosting infra infrastructure monitoring styling style styles naming code docs documentation mobile "
    "web app security performance formatting linting commits branches git build builds release releases staging "
    "production development language framework stack architecture design data models errors config configuration first "
    "second third finally next then now later today tomorrow option options postgres redis python typescript go rust "
    "java sql css html js ts".split()
)


class _Spoken(NamedTuple):
    """One line of somebody: who, and what."""

    name: str
    text: str


def without_chat(prompt: str) -> str:
    """A prompt without the lines of a chat."""
    lines = prompt.split("\n")
    is_talk = _is_talk([one for line in lines if (one := _spoken(line))]) and not _is_asked_for(lines)
    is_headed = sum(_HEADED.match(line) is not None for line in lines) > 1
    kept, is_others = [], False
    for line in lines:
        is_others = (is_others and bool(line.strip())) or (is_headed and _HEADED.match(line) is not None)
        if is_others or _is_timed(line, prompt) or (is_talk and _spoken(line)):
            line = FENCE if line.count(FENCE) % 2 else ""  # a block of code ends where it ended
        kept.append(line)
    return "\n".join(kept)


def _is_timed(line: str, prompt: str) -> bool:
    """A tag that is closed somewhere is no name."""
    found = _TIMED.match(line)
    return found is not None and not (found["tag"] and f"</{found['tag']}>" in prompt)


def _spoken(line: str) -> _Spoken | None:
    found = _NAMED.match(line)
    if found is None or found[1].split()[0].lower() in _THINGS:
        return None
    return _Spoken(found[1].lower(), found[2])


def _is_asked_for(lines: list[str]) -> bool:
    """Whether the line above the first of somebody asks to keep what follows: then it is the user's, whoever said it
    first."""
    first = next(at for at, line in enumerate(lines) if _spoken(line))
    above = next((line.strip() for line in reversed(lines[:first]) if line.strip()), "")
    return above.endswith(":") and bool(REMEMBER.match(above) or GOING_FORWARD.search(above))


def _is_talk(spoken: list[_Spoken]) -> bool:
    """Two at least speak, of whom one comes again, or talks as people do. Where all begin alike, it is a list."""
    names = {one.name for one in spoken}
    if len(names) < 2:
        return False
    begin_alike = len({one.text.split()[0].lower() for one in spoken}) == 1
    return len(names) < len(spoken) or (not begin_alike and any(_TALKS.match(one.text) for one in spoken))
