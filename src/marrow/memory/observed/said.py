"""What the user said that matters: decisions, preferences, fixes, corrections, and how things are done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .call import text_at
from .facts import is_project_fact
from .markers import (
    AND_PLEASE,
    ASKS_TO_REMEMBER,
    AT_HAND,
    AVOID,
    CORRECTS,
    DECIDED,
    EPHEMERAL,
    ERRAND,
    FIX,
    FIXED,
    GENERAL,
    GOING_FORWARD,
    HEDGED,
    IMPORTANT,
    KEEP_NOTHING,
    LEADS,
    NOT_A_CORRECTION,
    NOT_FIXED,
    NOTE,
    PREFERS,
    PROBLEM,
    QUESTION,
    REMEMBER,
    RULE,
    SYMPTOM_SUBJECT,
    TAILS,
    TO_DO,
    USE_INSTEAD,
    WILL_USE,
)
from .prose import Sentence, sentences

LEAST_SALIENCE = 0.5
LEAST_WORDS, LEAST_LENGTH = 3, 8
LONG_WORDS, LONG_BONUS = 6, 0.1
CORRECTION = 0.8
A_PROMPT_MAX = 8
DECISION, PREFERENCE, FIX_CATEGORY, NOTE_CATEGORY, CORRECTION_CATEGORY = (
    "decision",
    "preference",
    "fix",
    "note",
    "correction",
)
_KINDS = {DECISION: "decision", PREFERENCE: "preference", FIX_CATEGORY: "claim", NOTE_CATEGORY: "claim"}
_DOMAINS = {DECISION: "decisions", PREFERENCE: "patterns", FIX_CATEGORY: "issues", NOTE_CATEGORY: "context"}
_WORDS = re.compile(r"[\w'’./:@+#-]+")
_ORDER = re.compile(
    r"(?:please |always |never )*(?:use|do|don'?t|don’t|do not|never|always|call|run|put|write|keep|prefer|avoid|"
    r"stop|name|go|make|add|leave|commit|push)\b",
    re.I,
)
_JUST_NO = re.compile(
    r"no+|nope|wrong|(?:no,? )?that(?:'s| is) (?:wrong|not right|not what i (?:meant|asked(?: for)?|said|wanted))", re.I
)
_PATH = re.compile(r"\w[/\\]\w|\.\w{1,4}\b")
_NOT_YET = re.compile(
    r"\b(?:yet|now|until|before i|this (?:file|test|function|time)|that (?:file|test|function))\b", re.I
)
_DEPENDENCY = re.compile(r"\b(?:dependenc|package|library|upgrade|pin(?:ned|s)?|npm|pnpm|pip|cargo|version)\b", re.I)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence that stands for itself, and how much it matters: from .5 to 1."""

    text: str
    kind: str
    category: str
    salience: float
    domain: str
    at: int = 0
    turn: str = ""


@dataclass(frozen=True, slots=True)
class _Weighed:
    text: str
    category: str
    weight: float


def said(prompts: Sequence[Mapping[str, object]]) -> list[Said]:
    """What matters of what the user said in these prompts, each once, in the order in which it was said."""
    found: dict[str, Said] = {}
    for prompt in prompts:
        text = text_at(prompt, "prompt")
        if not may_be_kept(text):
            continue
        at = prompt.get("at")
        moment = at if isinstance(at, int) and not isinstance(at, bool) else 0
        for weighed in _of_prompt(text)[:A_PROMPT_MAX]:
            known = " ".join(weighed.text.casefold().split()).strip(".! ")
            if known not in found or found[known].salience < weighed.weight:
                found[known] = _as_said(weighed, moment, text_at(prompt, "turn"))
    return list(found.values())


def may_be_kept(prompt: str) -> bool:
    """Whether nothing in a prompt asks that it be not remembered."""
    return KEEP_NOTHING.search(prompt) is None


def _as_said(weighed: _Weighed, at: int, turn: str) -> Said:
    category = weighed.category
    kind, domain = _KINDS.get(category, "claim"), _DOMAINS.get(category, "context")
    if category == CORRECTION_CATEGORY:
        order = _ORDER.match(weighed.text) is not None
        kind, domain = ("preference", "patterns") if order else ("claim", "feedback")
    elif category == NOTE_CATEGORY and _DEPENDENCY.search(weighed.text):
        domain = "dependencies"
    return Said(weighed.text, kind, category, weighed.weight, domain, at, turn)


def _of_prompt(prompt: str) -> list[_Weighed]:
    found: list[_Weighed] = []
    carried: tuple[str, float] | None = None  # what a sentence such as "Remember this:" or "No." gives to the next
    since: Sentence | None = None
    for sentence in sentences(prompt):
        if carried and since and not _is_carried(sentence, since, carried[0]):
            carried = None
        text = sentence.text
        if EPHEMERAL.search(text):
            continue
        announced = _announces(text)
        if announced:
            carried, since = announced, sentence
            continue
        weighed = _weigh(text)
        if carried and QUESTION.match(text) is None:
            category = weighed.category if weighed and carried[0] == NOTE_CATEGORY else carried[0]
            weighed = _Weighed(_plainly(weighed.text if weighed else text), category, carried[1])
            carried = carried if sentence.item else None
        if weighed and weighed.weight >= LEAST_SALIENCE and _says_something(weighed.text):
            found.append(weighed)
    return found


def _is_carried(sentence: Sentence, since: Sentence, category: str) -> bool:
    """To the rest of a list that follows, else to the next sentence of the same paragraph."""
    near = sentence.paragraph - since.paragraph
    return near == 0 or (near == 1 and sentence.item and category != CORRECTION_CATEGORY)


def _announces(text: str) -> tuple[str, float] | None:
    """A sentence that says only that the next one matters."""
    bare = (LEADS.sub("", text, count=1) if LEADS.match(text) else text).rstrip(" .:!,")
    hit = ASKS_TO_REMEMBER.match(bare) or REMEMBER.match(bare)
    if hit and hit.end() >= len(bare):
        return NOTE_CATEGORY, 1.0
    if _JUST_NO.fullmatch(bare):
        return CORRECTION_CATEGORY, CORRECTION
    return None


def _says_something(text: str) -> bool:
    return len(text) >= LEAST_LENGTH and len(_WORDS.findall(text)) >= LEAST_WORDS


def _weigh(text: str) -> _Weighed | None:
    """What a sentence says and how much it matters, or None."""
    text = LEADS.sub("", text, count=1) if LEADS.match(text) else text
    hit = ASKS_TO_REMEMBER.match(text) or REMEMBER.match(text)
    if hit:
        return _remembered(text[hit.end() :], text)
    if QUESTION.match(text):
        return None
    corrected = _corrected(text)
    if corrected:
        return corrected
    note = NOTE.match(text)
    bare = text[note.end() :] if note else text
    category, weight = _marked(bare)
    if note and weight < 0.5:
        category, weight = NOTE_CATEGORY, 0.5
    if HEDGED.search(bare):
        weight *= 0.4
    return _final(bare, category, weight) if weight else None


def _final(text: str, category: str, weight: float) -> _Weighed:
    plainly = _plainly(text)
    if category == NOTE_CATEGORY and len(_WORDS.findall(told := AND_PLEASE.sub("", plainly))) >= LEAST_WORDS:
        plainly = told
    if len(_WORDS.findall(plainly)) >= LONG_WORDS:
        weight += LONG_BONUS
    return _Weighed(plainly, category, round(min(1.0, weight), 2))


def _plainly(text: str) -> str:
    """The sentence by itself: without the words that lead to it or thank for it."""
    text = NOTE.sub("", LEADS.sub("", text, count=1) if LEADS.match(text) else text, count=1).strip()
    text = TAILS.sub("", text).strip(" ,;:-–—")
    return text[:1].upper() + text[1:]


def _remembered(rest: str, whole: str) -> _Weighed | None:
    """After "remember": a fact with full weight; "to do" something less, unless it is a rule; an errand not at all."""
    rest = rest.strip().rstrip("?")
    if not rest or ERRAND.match(rest):
        return None
    if TO_DO.match(rest):
        general = GENERAL.search(whole) is not None
        return _final(rest[3:], PREFERENCE if general else NOTE_CATEGORY, 0.8 if general else 0.5)
    category, _ = _marked(rest)
    return _Weighed(_plainly(rest), category or NOTE_CATEGORY, 1.0)


def _corrected(text: str) -> _Weighed | None:
    if NOT_A_CORRECTION.match(text):
        return None
    hit = CORRECTS.match(text)
    rest = text[hit.end() :] if hit else ""
    if hit and (again := CORRECTS.match(rest)):
        rest = rest[again.end() :]
    if hit and QUESTION.match(rest):
        return None
    if hit and len(_WORDS.findall(rest)) >= LEAST_WORDS:
        return _Weighed(_plainly(rest), CORRECTION_CATEGORY, CORRECTION)
    if USE_INSTEAD.match(text) and _PATH.search(text) is None and re.match(r"(?:please )?use\b", text, re.I):
        return _Weighed(_plainly(text), CORRECTION_CATEGORY, CORRECTION)
    return None


def _marked(text: str) -> tuple[str, float]:
    """The category and weight of the strongest marker; nothing and 0 without any."""
    if FIX.search(text):
        return FIX_CATEGORY, 0.7
    if DECIDED.search(text):
        return DECISION, 0.8
    if GOING_FORWARD.search(text) or (PREFERS.search(text) and PROBLEM.search(text) is None):
        return PREFERENCE, 0.7
    if WILL_USE.search(text) and AT_HAND.search(text) is None:
        return DECISION, 0.7
    if RULE.search(text) and SYMPTOM_SUBJECT.search(text) is None and PROBLEM.search(text) is None:
        told = is_project_fact(text) and _ORDER.match(text) is None
        return NOTE_CATEGORY if told else PREFERENCE, 0.6
    if FIXED.search(text) and NOT_FIXED.search(text) is None:
        return FIX_CATEGORY, 0.6
    if IMPORTANT.search(text):
        return NOTE_CATEGORY, 0.6
    if AVOID.match(text) and _NOT_YET.search(text) is None:
        return PREFERENCE, 0.5
    return (NOTE_CATEGORY, 0.6) if is_project_fact(text) else ("", 0.0)
