"""What the agent says at the end of a turn that it decided or found out; never how far it has come."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .call import text_at
from .markers import HEDGED, QUESTION
from .prose import Sentence, sentences
from .said import ASSISTANT, DECISION, FIX_CATEGORY, Said

A_TURN_MAX = 2
HIGH, LOW = 0.6, 0.5
LENGTH_MAX = 400
_FOUND = re.compile(
    r"\b(?:the )?(?:root )?cause (?:was|is|:)|\broot cause\W{0,3}:|\bthe (?:fix|solution)\W{0,3}(?: is| was|:)|^fix:|"
    r"\bthe (?:problem|issue|bug) "
    r"(?:was|is) (?:that|in|caused|a |an |the )|\bturned out (?:to be|that)\b|\bthis (?:happened|failed) because\b|"
    r"\b(?:only )?works? (?:only )?once \S+ (?:is|was|has)\b",
    re.I,
)
_CHOSE = re.compile(
    r"\b(?:i|we)(?:'ve| have)? (?:decided|chose|chosen|opted)\b|\bdecision\W{0,3}:|\b(?:i|we)(?:'ve|"
    r" have)? (?:settled on|"
    r"went with|picked)\b.*\b(?:because|since|rather than|instead of|over|so that|as it|as they)\b",
    re.I,
)
# What was done in vain, and what it came to.
_TRIED = re.compile(
    r"\b(?:i|we) (?:also |first |then )*tried\b.*\b(?:revert(?:ed|ing)?|roll(?:ed|ing) (?:\w+ )?back|undid|undone|took "
    r"(?:it|that|this) (?:back|out)|backed (?:\w+ )?out|gave (?:\w+ )?up|abandoned|did(?:n'?t| not) (?:work|help|fix)|"
    r"does(?:n'?t| not) (?:work|help))\b|"
    r"^(?:(?:i|we) )?(?:reverted|rolled back|undid|backed out)\b.*\b(?:because|since|as it|as they)\b",
    re.I,
)
_NOT_YET = re.compile(
    r"\b(?:would you like|shall i|should i|let me know|i can|i could|i(?:'ll| will)|you (?:can|could|may|should)|"
    r"next step|if you|"
    r"we (?:could|should|might)|to fix)\b",
    re.I,
)
# It says nothing without what was wrong, which stands before it.
_MENDS = re.compile(r"(?:so )?(?:the )?(?:fix|solution)\b", re.I)
_MARKUP = re.compile(r"\*\*|__|^#{1,6} ")


def decided(messages: Sequence[Mapping[str, object]]) -> list[Said]:
    """The decisions and causes in the last message of each turn: at most two a turn, and never weighty."""
    last: dict[str, Mapping[str, object]] = {}
    for at, message in enumerate(messages):
        if text_at(message, "message"):
            last[text_at(message, "turn") or f"#{at}"] = message
    found: dict[str, Said] = {}
    for message in last.values():
        for one in _of_message(message):
            found.setdefault(one.text.casefold(), one)
    return list(found.values())


def _of_message(message: Mapping[str, object]) -> list[Said]:
    at = message.get("at")
    moment = at if isinstance(at, int) and not isinstance(at, bool) else 0
    ranked: list[tuple[float, int, Said]] = []
    before = Sentence("", False, -1)
    for number, sentence in enumerate(sentences(text_at(message, "message"))):
        text = _MARKUP.sub("", sentence.text).strip()
        if _MENDS.match(text) and before.paragraph == sentence.paragraph and _is_told(before.text):
            text = f"{before.text} {text}"
        before = sentence
        if not _is_told(text):
            continue
        turn = text_at(message, "turn")
        if _FOUND.search(text) or _TRIED.search(text):
            ranked.append((-HIGH, number, Said(text, "claim", FIX_CATEGORY, HIGH, "issues", moment, turn, ASSISTANT)))
        elif _CHOSE.search(text):
            ranked.append((-LOW, number, Said(text, "decision", DECISION, LOW, "decisions", moment, turn, ASSISTANT)))
    ranked.sort(key=lambda one: one[:2])
    return [one for _, _, one in sorted(ranked[:A_TURN_MAX], key=lambda one: one[1])]


def _is_told(text: str) -> bool:
    """Told as a fact, and neither asked, offered nor doubted."""
    is_long_enough = 20 <= len(text) <= LENGTH_MAX
    return is_long_enough and not (QUESTION.match(text) or HEDGED.search(text) or _NOT_YET.search(text))
