"""What the user said that matters: decisions, preferences, fixes, corrections, and how things are done."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from .abroad import KEEP_NOTHING_ABROAD, REMEMBER_ABROAD, UNSPACED
from .call import text_at
from .chat import without_chat
from .facts import is_project_fact
from .markers import (
    AND_PLEASE,
    ASKS_FOR_TEXT,
    ASKS_TO_REMEMBER,
    AT_HAND,
    AVOID,
    CHOICE,
    CORRECTS,
    DECIDED,
    EPHEMERAL,
    ERRAND,
    FIX,
    FIXED,
    FOREIGN,
    GENERAL,
    GOES_ON,
    GOING_FORWARD,
    HEDGED,
    IMPORTANT,
    INSTEAD,
    KEEP_NOTHING,
    LEADS,
    NEXT_RULE,
    NO_CHOICE,
    NOT_A_CORRECTION,
    NOT_FIXED,
    NOTE,
    NOTHING_REPLACED,
    PREFERS,
    PROBLEM,
    QUESTION,
    REFUSED,
    REMEMBER,
    REQUEST_BEHIND,
    RULE,
    SETTLED,
    SYMPTOM_SUBJECT,
    TAILS,
    TAKES_BACK,
    TASK,
    TO_DO,
    USE_INSTEAD,
    WAS_WRONG,
    WILL_USE,
    WISH,
)
from .phrased import is_cause, is_change_of_course, is_hands_off, is_way_to_run
from .prose import SENTENCE_MAX, Sentence, sentences
from .shorthand import spelt_out
from .statements import is_request, is_statement, is_symptom
from .until import days_left, without_day

LEAST_SALIENCE = 0.5
LEAST_WORDS, LEAST_LENGTH = 3, 8
LONG_WORDS, LONG_BONUS = 6, 0.1
CORRECTION = 0.8
A_PROMPT_MAX = 8
USER, ASSISTANT = "user", "assistant"
DECISION, PREFERENCE, FIX_CATEGORY, NOTE_CATEGORY, CORRECTION_CATEGORY, TASK_CATEGORY = (
    "decision",
    "preference",
    "fix",
    "note",
    "correction",
    "task",
)
_KINDS = {DECISION: "decision", PREFERENCE: "preference", TASK_CATEGORY: "task"}
_DOMAINS = {DECISION: "decisions", PREFERENCE: "patterns", FIX_CATEGORY: "issues", TASK_CATEGORY: "tasks"}
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
    r"\b(?:yet|now|until|while|before i|this (?:file|test|function|time)|that (?:file|test|function)|"
    r"in this (?:pr|mr|commit|change|branch|task|step))\b",
    re.I,
)
# A part of a sentence that says nothing without the part before it.
_REFERS_BACK = re.compile(r"\b(?:the rest|after that|then)\b", re.I)
# It points to something that is not in the sentence, or is about the speaker.
_POINTS = re.compile(
    r"(?!(?:it|that|this)(?:'s|’s| is) (?:the|our|an?|called|named|in|on|at|not) )(?:i|i'm|i’m|i've|i'll|this|that|"
    r"these|"
    r"those|they|it|it's|there|here|let me|the (?:other|first|second|last|left|right)(?: one)?)\b",
    re.I,
)
_ORDER_ABOUT_IT = re.compile(r"(?:please )?(?!call|name)\w+ (?:it|this|that|them|these|those)\b", re.I)
_ENDS_POINTING = re.compile(r"\b(?:it|this|that|them|these|those)\W*\Z", re.I)
_STANDING_ORDER = re.compile(
    r"(?:please )?(?:use|don'?t|don’t|do not|never|always|stop using|prefer|avoid|call|name|keep|run|write)\b", re.I
)
_RUNS_ON = frozenset("where what as how than that so whatever because when which who why like".split())
_SELF_CONTAINED_CHOICE = re.compile(r"\w+ (?:\S+ )*(?:for|in|as|of|on|at) \S+", re.I)
_DAY_NAME = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b", re.I)
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
    by: str = USER
    days: int = 0  # for so long it holds; 0 is for ever


@dataclass(frozen=True, slots=True)
class _Weighed:
    text: str
    category: str
    weight: float


def said(prompts: Sequence[Mapping[str, object]]) -> list[Said]:
    """What matters of what the user said in these prompts, each once, in the order in which it was said.

    The agent's messages may stand between the prompts: a choice is then kept with the question that it answers."""
    found: dict[str, Said] = {}
    asked: list[str] = []
    for prompt in prompts:
        text = text_at(prompt, "prompt")
        if not text:
            asked += _questions(text_at(prompt, "message"))
        if not text or not may_be_kept(text):
            continue
        at = prompt.get("at")
        moment = at if isinstance(at, int) and not isinstance(at, bool) else 0
        for weighed in _of_prompt(own_words(text), asked)[:A_PROMPT_MAX]:
            if ASKS_FOR_TEXT.match(weighed.text):
                continue
            if (days := days_left(weighed.text, moment)) is not None and days <= 0:
                continue
            known = " ".join(weighed.text.casefold().split()).strip(".! ")
            if known not in found or found[known].salience < weighed.weight:
                found[known] = _as_said(weighed, moment, text_at(prompt, "turn"))
        asked = _questions(text)
    return list(found.values())


def own_words(prompt: str) -> str:
    """A prompt up to where a text begins that is not the user's own: pasted to be worked on, or quoted. What others say
    in a chat is left out wherever it stands."""
    prompt = without_chat(prompt)
    found = FOREIGN.search(prompt)
    if found is None:
        return prompt
    return prompt[: found.start() + found[0].startswith((".", "!", "?"))]


def _questions(text: str) -> list[str]:
    return [one.text for one in sentences(text) if one.text.endswith("?")] if "?" in text else []


def may_be_kept(prompt: str) -> bool:
    """Whether nothing in a prompt asks that it be not remembered."""
    return KEEP_NOTHING.search(prompt) is None and KEEP_NOTHING_ABROAD.search(prompt) is None


def _as_said(weighed: _Weighed, at: int, turn: str) -> Said:
    category = weighed.category
    kind, domain = _KINDS.get(category, "claim"), _DOMAINS.get(category, "context")
    if category == CORRECTION_CATEGORY:
        order = _ORDER.match(weighed.text) is not None
        kind, domain = ("preference", "patterns") if order else ("claim", "feedback")
    elif category == NOTE_CATEGORY and _DEPENDENCY.search(weighed.text):
        domain = "dependencies"
    days = days_left(weighed.text, at) or 0
    return Said(weighed.text, kind, category, weighed.weight, domain, at, turn, days=days)


def _of_prompt(prompt: str, asked: Sequence[str]) -> list[_Weighed]:
    found: list[_Weighed] = []
    carried: tuple[str, float] | None = None  # what a sentence such as "Remember this:" or "No." gives to the next
    since: Sentence | None = None
    kept_in = -1  # the paragraph of the sentence before, if that was kept
    text = ""
    for sentence in sentences(prompt):
        if carried and since and not _is_carried(sentence, since, carried[0]):
            carried = None
        text, last = spelt_out(sentence.text), text
        before, kept_in = kept_in, -1
        if SETTLED.fullmatch(_opened(text).rstrip(" .!")):
            found = _settled(found, last)
            continue
        if taken := TAKES_BACK.match(_opened(text)):
            text, carried, since = _opened(text)[taken.end() :], (CORRECTION_CATEGORY, CORRECTION), sentence
        if EPHEMERAL.search(text):
            continue
        announced = _announces(text)
        if announced:
            carried, since = announced, sentence
            continue
        if found and before == sentence.paragraph and not carried and _goes_on(text, found[-1]):
            found[-1] = replace(found[-1], text=_joined(found[-1].text, text))
            continue
        parts = _rules(text, asked)
        if carried and QUESTION.match(text) is None:
            weighed = parts[0] if len(parts) == 1 else None
            category = weighed.category if weighed and carried[0] == NOTE_CATEGORY else carried[0]
            parts = [_Weighed(_plainly(weighed.text if weighed else text), category, carried[1])]
            if category == CORRECTION_CATEGORY and _corrects_nothing(parts[0].text):
                parts = []
            carried = carried if sentence.item else None
        kept = [one for one in parts if one.weight >= LEAST_SALIENCE and _says_something(one.text)]
        found += kept
        kept_in = sentence.paragraph if kept else -1
    return found


def _settled(found: list[_Weighed], text: str) -> list[_Weighed]:
    """With what was said just before as a decision, where it is something that can be decided."""
    is_open = not text or QUESTION.match(text) or HEDGED.search(text) or EPHEMERAL.search(text)
    bare = _opened(text)
    if is_open or not _says_something(text) or _POINTS.match(bare) or is_request(bare):
        return found
    settled = _final(text, DECISION, 0.8)
    return [*(one for one in found if one.text != settled.text), settled]


def _rules(text: str, asked: Sequence[str]) -> list[_Weighed]:
    """What a sentence says: one thing, or each of several rules where every part of it is one."""
    chosen = _chosen(text, asked)
    if chosen:
        return [chosen]
    split = [part for part in NEXT_RULE.split(text) if part]
    if len(split) > 1 and not any(map(_REFERS_BACK.search, split[1:])):
        weighed = [one for part in split if (one := _weigh(part)) and one.weight >= LEAST_SALIENCE]
        if len(weighed) == len(split) and all(_says_something(one.text) for one in weighed):
            return weighed
    whole = _weigh(text)
    return [whole] if whole else []


def _chosen(text: str, asked: Sequence[str]) -> _Weighed | None:
    """ "Cursor it is": a decision where it says about what, or was asked."""
    hit = CHOICE.match(_opened(text))
    if hit is None or text.endswith("?") or NO_CHOICE.match(hit["what"]) or not re.match(r"\W|\Z", hit["rest"]):
        return None
    what = hit["what"].strip("`' ")
    words = what.casefold().split()
    if not words or words[-1] in _RUNS_ON:
        return None
    named = what[:1].upper() + what[1:]
    if len(words) >= LEAST_WORDS and _SELF_CONTAINED_CHOICE.match(what):
        return _Weighed(f"{named} it is", DECISION, 0.6)
    for question in reversed(asked):
        if set(words) <= {word.casefold().strip("`'.:") for word in _WORDS.findall(question)}:
            bare = _opened(question).rstrip("? ")
            return _Weighed(f"{named} it is: {bare[:1].lower()}{bare[1:]}"[:SENTENCE_MAX], DECISION, 0.6)
    return None


def _goes_on(text: str, before: _Weighed) -> bool:
    """What belongs to the sentence before: whom to ask before one changes it, or what is done in its place."""
    is_more = GOES_ON.match(text) or (REFUSED.match(before.text) and INSTEAD.match(text))
    return is_more is not None and len(before.text) + len(text) < SENTENCE_MAX - 2


def _joined(before: str, text: str) -> str:
    return f"{before.rstrip('. ')}. {_plainly(text)}"


def _is_carried(sentence: Sentence, since: Sentence, category: str) -> bool:
    """To the rest of a list that follows, else to the next sentence of the same paragraph."""
    near = sentence.paragraph - since.paragraph
    return near == 0 or (near == 1 and sentence.item and category != CORRECTION_CATEGORY)


def _announces(text: str) -> tuple[str, float] | None:
    """A sentence that says only that the next one matters."""
    bare = _opened(text).rstrip(" .:!,")
    hit = _asked_to_remember(bare)
    if hit and hit.end() >= len(bare):
        return NOTE_CATEGORY, 1.0
    if _JUST_NO.fullmatch(bare) or WAS_WRONG.fullmatch(bare):
        return CORRECTION_CATEGORY, CORRECTION
    return None


def _asked_to_remember(text: str) -> re.Match[str] | None:
    return ASKS_TO_REMEMBER.match(text) or REMEMBER.match(text) or REMEMBER_ABROAD.match(text)


def _says_something(text: str) -> bool:
    if UNSPACED.search(text):
        return len(text) >= LEAST_LENGTH
    return len(text) >= LEAST_LENGTH and len(_WORDS.findall(text)) >= LEAST_WORDS


def _weigh(text: str) -> _Weighed | None:
    """What a sentence says and how much it matters, or None."""
    text = _opened(text)
    hit = _asked_to_remember(text)
    if hit:
        return _remembered(text[hit.end() :], text)
    if QUESTION.match(text):
        return None
    if (bare := without_day(text)) is not None:
        return _while(text, _opened(bare))
    if (task := TASK.match(text)) and HEDGED.search(text) is None:
        return _task(task, text)
    if NOTHING_REPLACED.match(text):
        return None
    corrected = _corrected(text)
    if corrected:
        return corrected
    note = NOTE.match(text)
    bare = _opened(text[note.end() :]) if note else text
    category, weight = _marked(bare)
    if note and weight < 0.5 and not _POINTS.match(bare) and not is_request(bare):
        category, weight = NOTE_CATEGORY, 0.5
    if HEDGED.search(bare):
        weight *= 0.4
    return _final(bare, category, weight) if weight else None


def _while(text: str, bare: str) -> _Weighed | None:
    """What holds until a day: an order that says of what, or a statement."""
    if HEDGED.search(bare) or _ORDER_ABOUT_IT.match(bare) or _ENDS_POINTING.search(bare):
        return None
    if _ORDER.match(bare) and len(_WORDS.findall(bare)) >= LEAST_WORDS:
        return _final(text, PREFERENCE, 0.6)
    return _final(text, NOTE_CATEGORY, 0.5) if is_statement(bare) else None


def _task(hit: re.Match[str], text: str) -> _Weighed | None:
    what = re.sub(r"(?:please )?remind (?:me|us) .*?\b(?=to\b)", "", text, count=1, flags=re.I)
    if ERRAND.match(what):
        return None
    if hit["what"]:
        when = _DAY_NAME.sub(lambda day: day[0].capitalize(), hit["when"] or "to do")
        text = f"{when}: {hit['what']}"
    return _Weighed(_plainly(text), TASK_CATEGORY, 0.6)


def _final(text: str, category: str, weight: float) -> _Weighed:
    plainly = _plainly(text)
    if category == NOTE_CATEGORY and len(_WORDS.findall(told := AND_PLEASE.sub("", plainly))) >= LEAST_WORDS:
        plainly = told
    if len(_WORDS.findall(plainly)) >= LONG_WORDS:
        weight += LONG_BONUS
    return _Weighed(plainly, category, round(min(1.0, weight), 2))


def _plainly(text: str) -> str:
    """The sentence by itself: without the words that lead to it or thank for it."""
    text = _opened(text)
    note = NOTE.match(text)
    text = _opened(text[note.end() :]) if note else text
    told = REQUEST_BEHIND.sub("", text)
    text = told if len(_WORDS.findall(told)) >= LEAST_WORDS else text
    text = TAILS.sub("", text.strip()).strip(" ,;:-–—")
    return text[:1].upper() + text[1:]


def _opened(text: str) -> str:
    """Without the words that only lead to what is said."""
    lead = LEADS.match(text)
    return text[lead.end() :] if lead else text


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
    if hit and _corrects_nothing(rest):
        return None
    if hit and len(_WORDS.findall(rest)) >= LEAST_WORDS:
        return _Weighed(_plainly(rest), CORRECTION_CATEGORY, CORRECTION)
    if USE_INSTEAD.match(text) and _PATH.search(text) is None and re.match(r"(?:please )?use\b", text, re.I):
        return _Weighed(_plainly(text), CORRECTION_CATEGORY, CORRECTION)
    return None


def _corrects_nothing(rest: str) -> bool:
    """What is said of the thing at hand and names it not, or asks for the next step."""
    if is_way_to_run(rest):
        return False
    if NOTHING_REPLACED.match(rest) or _POINTS.match(rest) or _ORDER_ABOUT_IT.match(rest):
        return True
    standing = _STANDING_ORDER.match(rest) is not None
    return not standing and (PROBLEM.search(rest) is not None or is_request(rest))


def _marked(text: str) -> tuple[str, float]:
    """The category and weight of the strongest marker; nothing and 0 without any."""
    if FIX.search(text) or is_cause(text):
        return FIX_CATEGORY, 0.7
    if DECIDED.search(text):
        return DECISION, 0.8
    if is_change_of_course(text):
        return DECISION, 0.7
    if GOING_FORWARD.search(text) or (PREFERS.search(text) and PROBLEM.search(text) is None):
        return PREFERENCE, 0.7
    if WISH.match(text):
        return PREFERENCE, 0.6
    if WILL_USE.search(text) and AT_HAND.search(text) is None:
        return DECISION, 0.7
    if RULE.search(text) and not (SYMPTOM_SUBJECT.search(text) or PROBLEM.search(text) or is_symptom(text)):
        told = is_project_fact(text) and _ORDER.match(text) is None
        return NOTE_CATEGORY if told else PREFERENCE, 0.6
    if FIXED.search(text) and NOT_FIXED.search(text) is None:
        return FIX_CATEGORY, 0.6
    if IMPORTANT.search(text):
        return NOTE_CATEGORY, 0.6
    if is_hands_off(text) or (AVOID.match(text) and _NOT_YET.search(text) is None):
        return PREFERENCE, 0.5
    if is_project_fact(text):
        return NOTE_CATEGORY, 0.6
    return (NOTE_CATEGORY, 0.5) if is_statement(text) else ("", 0.0)
