"""What an earlier turn of a session left to be done, and nothing since has taken up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .call import text_at
from .subject import is_new_subject, subject
from .todo import next_step, open_tasks

_WORK = frozenset(("edit", "write", "shell"))
_ALL_DONE = re.compile(r"\b(?:all (?:is )?done|nothing (?:is |else is )?left|everything (?:is|was) done)\b", re.I)


def left_before(bodies: Sequence[Mapping[str, object]]) -> list[str]:
    """What the messages before the last one left. Work in a turn that goes on with the subject takes it up, and that
    turn's message says what is left then; a turn about something else leaves it as it is."""
    left: list[str] = []
    about: frozenset[str] = frozenset()  # what is left, and what was spoken of when it was left
    now: frozenset[str] = frozenset()
    worked, message = False, ""
    for body in bodies:
        event = body.get("event")
        if event == "prompt" and not body.get("agent"):
            left, about = _after(left, about, now, worked, message)
            now, worked, message = subject(text_at(body, "prompt")), False, ""
        elif event == "stop":
            message = text_at(body, "message")
        elif body.get("does") in _WORK:
            worked = True
    own = _named(message)
    return [one for one in _after(left, about, now, worked, message)[0] if one not in own]


def _named(message: str) -> list[str]:
    """What a message says is left."""
    return open_tasks((), message) or [step for step in (next_step(message),) if step]


def _kept(left: list[str], about: frozenset[str], now: frozenset[str], message: str) -> list[str]:
    """What stands beside what the message of a turn says is left: nothing, where the turn was about the same."""
    return left if is_new_subject(about, now) and not _ALL_DONE.search(message) else []


def _after(
    left: list[str], about: frozenset[str], now: frozenset[str], worked: bool, message: str
) -> tuple[list[str], frozenset[str]]:
    """What is left after a turn, and what that is about."""
    found = _named(message)
    if found or worked or _ALL_DONE.search(message):
        # Where nothing was done, what is named as left is what was left before, in other words.
        left = _kept(left, about, now, message) if worked or not found else []
        about = about if left else frozenset()
    if found:
        about = about | now | subject(" ".join(found))
    return list(dict.fromkeys([*left, *found])), about
