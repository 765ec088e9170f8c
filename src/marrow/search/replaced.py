"""What replaced what, though nobody linked them: a later text about the same thing that changes it.

Likeness alone cannot tell a changed fact from a related one, so three things must come together: the two speak about
the same thing, the later one says something else about it (another value of the same unit, a word of change, the
opposite), and the earlier one is something that holds or does not, not something that happened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, wraps
from typing import NamedTuple, TypeVar

from ..store.folding import folded
from ..store.terms import STOP_WORDS, terms_of
from .cue import Cue, plain_words
from .question import GENERIC

# How alike two must be by their vectors, how much of the smaller one's words they must share, and how much of what the
# earlier one says of the question the later one must say too: when a value is changed, and when a change is announced.
# Being alike is never enough: three facts about one thing are more alike than a rule and its reversal.
VALUE = (0.52, 0.12, 0.7)
ANNOUNCED = (0.45, 0.18, 0.2)
# Naming what held before, with something else beside it, says it alone: the words around may be others.
RENEWED = (0.4, 0.18, 0.2)
# The less alike two are, the more words they must share where it is only known by its meaning that the later one
# answers too.
TOGETHER = 0.9
LEAST_COSINE = min(VALUE[0], ANNOUNCED[0], RENEWED[0])
# Two texts are about two things when they share so much, and each has at most so many words of its own.
PARALLEL_TERMS, PARALLEL_SHARE, PARALLEL_APART = 3, 0.6, 2
# A text of so few telling words says one thing about one thing.
SHORT_TERMS = 5
# Without vectors the words must say it alone.
SHARED_WITHOUT_VECTORS = 0.35
# A change is announced early, or where the subject is named; further down it is about something else.
READ = 600
# What a text is about is said in its beginning.
SUBJECT_READ = 4_000
# Of so many texts it is kept what they say.
KEPT = 4096

CHANGE = Cue(
    r"\b(?:no longer|not any ?more|any ?more|(?:is|are|was|were|has|have) (?:now |been )?(?:gone|retired|ended|"
    r"replaced|switched|reversed|reverted|superseded|abandoned|switched off|turned off|shut down|decommissioned)|"
    # What is dropped or extended when something happens is what always happens then, and no change.
    r"(?:was|were|has|have|now|been) (?:removed|dropped|moved|raised|lowered|reduced|increased|extended|shortened|"
    r"changed|deleted)|(?:is|are) (?:removed|dropped|deleted)(?=[.;]|\Z)|\A(?:removed|deleted|moved|switched|dropped)|"
    r"(?:is|are|went|came|brought|cut) down to|(?:fell|rose|grew|shrank|went) from \d[\d.,]*[kmg]?|instead of|"
    r"rather than|in place of|(?<![)`] )replaces|replac(?:ed|ing)|mov(?:ed|es|ing) (?:to|from|off|over|away)|"
    r"switch(?:ed|es|ing) (?:to|from|back|over)|migrated|supersed(?:es|ed|ing)|amend(?:s|ed|ment|ing)|"
    r"revers(?:al|ed|es|ing)|revert(?:ed|s|ing)?|rolled back|went back|back to|"
    r"(?<!is )(?<!are )(?<!be )(?<!gets )(?:raised|lowered|reduced|increased|extended|shortened|bumped|stopped|dropped|"
    r"rejected|refused)|from now on|going forward|as of|effective|up from|down from|"
    r"(?<!is )(?<!are )(?<!be )(?<!was )(?<!were )(?<!been )(?<!ly )(?<!only )(?<!also )used to|until now|so far|"
    r"we now|is now|are now|now|deprecated|overrul(?:es|ed)|revis(?:ed|es|ion)|correction|"
    r"since (?:\w+ )?(?:release|version|\d|january|february|march|april|may|june|july|august|september|october|"
    r"november|december|spring|summer|autumn|winter|last|then|the)|from today|"
    r"from (?:now|then|today|tomorrow|monday|tuesday|wednesday|thursday|friday|\d+\w*|(?:this|next) \w+) on|"
    r"(?:was|were) too|we left|changed (?:our|my|the|from|to)|after all|(?:going|went|go) with|we(?:'re| are) using|"
    r"new (?:limit|default|value|rule|policy|deadline|owner|schedule|process))\b",
    beginnings="no not any anymore is are was were has have now been removed dropped deleted moved switched went came "
    "brought cut fell rose grew shrank instead rather in replaces replaced replacing moves moving switches switching "
    "migrated supersedes superseded superseding amends amended amendment amending reversal reversed reverses reversing "
    "revert reverted reverts reverting rolled back raised lowered reduced increased extended shortened bumped stopped "
    "rejected refused from going as effective up down used until so we deprecated overrules overruled revised revises "
    "revision correction since changed after go new",
    needs="longer more anymore gone retired ended switched reversed reverted superseded abandoned turned shut "
    "decommissioned removed dropped moved raised lowered reduced increased extended shortened changed deleted "
    "down fell  rose grew shrank went instead rather place replaces replaced replacing moves moving switches "
    "switching migrated  supersedes superseding amends amend amended amendment amending reversal reverses "
    "reversing revert reverts reverting back  bumped stopped rejected refused from forward as effective up "
    "used now far deprecated overrules overruled revised  revises revision correction since too left after "
    "going go using new",
)
# Numbers that name a thing and do not measure it, in a text in lower case: two of them are two things.
_NAMERS = frozenset("adr rfc issue ticket pr task bug case note chapter section".split())
NAMING = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(_NAMERS))}|pull request)[\s#-]*+\d+|[a-z]{{2,8}}+-\d+|"
    r"\d{4}-\d{2}(?:-\d{2})?\b|\d{1,2}:\d{2}\b)|[#§]\d+"
)
_DIGIT = re.compile(r"\d")
_DECIMAL = re.compile(r"\d{1,9}(?:\.\d{1,9})?")
_ANY_WORD = re.compile(r"[\w.+#-]+")
# What may follow the first digit of a number. A pattern that begins with a digit is looked for where one stands, and
# not everywhere.
_NUMBER = r"(?:\d{0,2}(?: \d{3})+(?!\w)|[\d.,:_]{0,30})(?:[kKmMgG](?![\w]))?"
# With the word after it: of "12 concurrent queries" the queries are what is counted.
_BEFORE_UNIT = re.compile(rf"(\d(?<![\w.,:-]\d){_NUMBER})[\s-]?(%|°|[^\W\d_]{{1,20}})(?: ([^\W\d_]{{3,20}}s)\b)?")
# Looked for from the number backwards: there are fewer numbers than words.
_NAMED = re.compile(rf"[ =:](?:(?:to|at|is|of) )?(\d{_NUMBER})(?![\w-])")
_NAME = re.compile(r"(?<!\w)[^\W\d_]{2,20}\Z")
# What a number that only names a thing stands beside.
_MARKED = re.compile(r"[-:#§]\d")
_WORD_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {"twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "ninety": "90", "hundred": "100"}
_SPELT = re.compile(rf"\b({'|'.join(_WORD_NUMBERS)})\b")
_EVERY = re.compile(r"\bevery (?=(?:minute|hour|day|week|month)\b)")
# Of times it is known how many seconds they have, so that three days are 72 hours.
_SECONDS = {
    term: seconds
    for words, seconds in (
        ("ms millisecond", 0.001),
        ("s sec second", 1.0),
        ("min minute", 60.0),
        ("h hour", 3_600.0),
        ("day", 86_400.0),
        ("week", 604_800.0),
    )
    for term in terms_of(words)
}


# What amends says of another that it holds, but for this.
_AMENDING = re.compile(
    r"\b(?:amends|amending|(?:is|as) an amendment (?:to|of)|amendment (?:to|of) (?:the )?(?:adr|decision))\b", re.I
)
_TAKING_ITS_PLACE = re.compile(r"\b(?:supersed(?:es|ing)|replac(?:es|ing)|takes? the place of|in place of)\b", re.I)


T = TypeVar("T")


def _of_the_beginning(length: int) -> Callable[[Callable[[str], T]], Callable[[str], T]]:
    """For what is read from the first so many characters of a text. It is kept for texts that come again, by these
    alone: a text may be a million long."""

    def made(work: Callable[[str], T]) -> Callable[[str], T]:
        kept = lru_cache(maxsize=KEPT)(work)

        @wraps(work)
        def read(text: str) -> T:
            return kept(text[:length])

        return read

    return made


class Replacement(NamedTuple):
    """How surely a later text takes the place of an earlier one, and why in a few words."""

    strength: float
    reason: str


def replaces(
    later: str, earlier: str, cosine: float | None, asked: Iterable[str] = (), answers: bool = False
) -> Replacement | None:
    """None when it does not. `asked` are the terms of a question that both answer: the later one must speak of what the
    earlier one was found for, unless it is known by its meaning that it `answers` as well."""
    if cosine is not None and cosine < LEAST_COSINE:
        return None
    announced = announced_in(later)
    if not announced and not _can_be_compared(later, earlier):
        return None  # as most: nothing in it can take the place of anything there
    ours, theirs = subject(later), subject(earlier)
    if not ours or not theirs:
        return None
    asked = frozenset(asked)
    # Unless it says that it changes something, and what only the earlier one names was not asked for.
    if is_parallel(ours, theirs, asked) and not (announced and asked.isdisjoint(theirs - ours)):
        return None
    shared = len(ours & theirs) / min(len(ours), len(theirs))
    found_for = theirs.intersection(asked) - GENERIC
    said = len(found_for & ours) / len(found_for) if found_for else 1.0
    alike = cosine if cosine is not None else (1.0 if shared >= SHARED_WITHOUT_VECTORS else 0.0)
    if answers and alike + shared >= TOGETHER:
        said = 1.0
    if _reaches(VALUE, alike, shared, said) and (changed := changed_value(later, earlier)):
        return Replacement(1.0 + alike + shared, changed)
    if _reaches(RENEWED, alike, shared, said) and (renewed := renewed_value(later, earlier)):
        return Replacement(1.0 + alike + shared, renewed)
    if announced and _reaches(ANNOUNCED, alike, shared, said):
        return Replacement(alike + shared, f"it says “{announced}”")
    return None


def _can_be_compared(later: str, earlier: str) -> bool:
    """Whether both give a value of the same unit or under the same name, or times."""
    if values(later) and not values(later).keys().isdisjoint(values(earlier)):
        return True
    return bool(lasting(later)) and bool(lasting(earlier))


def may_replace(text: str) -> bool:
    """Whether it can take the place of any other: it says that something changes, or gives a value."""
    return bool(announced_in(text) or values(text))


def is_parallel(ours: frozenset[str], theirs: frozenset[str], asked: frozenset[str] = frozenset()) -> bool:
    """The same sentence about two things: a word or two stand in the place of others. Then either the rest is much, or
    there is little else, or it is just these words that were asked for."""
    common = len(ours & theirs)
    own, other = len(ours) - common, len(theirs) - common
    if not common or not (1 <= own <= PARALLEL_APART and 1 <= other <= PARALLEL_APART):
        return False
    if not asked.isdisjoint(ours ^ theirs) or max(len(ours), len(theirs)) <= SHORT_TERMS:
        return True
    return common >= PARALLEL_TERMS and common >= PARALLEL_SHARE * min(len(ours), len(theirs))


def _reaches(least: tuple[float, float, float], alike: float, shared: float, said: float) -> bool:
    return alike >= least[0] and shared >= least[1] and said >= least[2]


@_of_the_beginning(READ)
def announced_in(text: str) -> str:
    """The words by which a text says that it changes something; empty when it does not."""
    return CHANGE.first(text)


@_of_the_beginning(READ)
def only_amends(text: str) -> bool:
    """Whether it says that it changes another in part, and not that it takes its place."""
    return _AMENDING.search(text) is not None and _TAKING_ITS_PLACE.search(text) is None


def changed_value(later: str, earlier: str) -> str:
    """A value that both give, of the same unit or under the same name, and give differently."""
    new = values(later)
    old = values(earlier) if new else {}  # a text without values, as most are, asks nothing of the other
    for unit in old:  # what is counted before what is named
        if unit in new and not new[unit] & old[unit]:
            word = word_of(earlier, unit)
            return f"{'/'.join(sorted(old[unit]))} {word} before, {'/'.join(sorted(new[unit]))} now"
    return ""


def renewed_value(later: str, earlier: str) -> str:
    """A time that the earlier one gives and the later one names too, in whatever unit, with another beside it: "three
    days did not cover a weekend, so clients have 7 days"."""
    old, new = lasting(earlier), lasting(later)
    if not old or not old.keys() < new.keys():
        return ""
    before, now = next(iter(old.values())), next(new[time] for time in new if time not in old)
    return f"{_shown(earlier, *before)} before, {_shown(later, *now)} now"


@_of_the_beginning(SUBJECT_READ)
def lasting(text: str) -> dict[float, tuple[str, str]]:
    """The times that a text gives, number and unit, by how many seconds they last."""
    found = {
        float(number) * _SECONDS[unit]: (number, unit)
        for unit, numbers in values(text).items()
        if unit in _SECONDS
        for number in sorted(numbers)
        if _DECIMAL.fullmatch(number)
    }
    if "half an hour" in text.lower():
        found.setdefault(_SECONDS["hour"] / 2, ("half an", "hour"))
    return found


def _shown(text: str, number: str, unit: str) -> str:
    return f"{number} {word_of(text, unit)}"


def word_of(text: str, term: str) -> str:
    """The word in a text that a term stands for: people are not shown stems."""
    return next((word.rstrip(".") for word in _ANY_WORD.findall(text) if term in terms_of(word)), term)


@_of_the_beginning(SUBJECT_READ)
def values(text: str) -> dict[str, frozenset[str]]:
    """The numbers of a text by what they count or name: 30 minutes, day 15, port 8080."""
    text = folded(text).lower()
    if "every " in text:
        text = _EVERY.sub("each 1 ", text)
    has_digits = _DIGIT.search(text) is not None
    words = plain_words(text)
    is_spelt = not _WORD_NUMBERS.keys().isdisjoint(words)
    if not has_digits and not is_spelt:
        return {}
    spelt = _SPELT.sub(lambda match: _WORD_NUMBERS[match[1]], text) if is_spelt else text
    if _MARKED.search(spelt) or not _NAMERS.isdisjoint(words) or "pull" in words:
        spelt = NAMING.sub(" ", spelt)
    found: dict[str, set[str]] = {}
    for number, unit, counted in _BEFORE_UNIT.findall(spelt):
        if unit not in STOP_WORDS:
            found.setdefault(_singular(unit), set()).add(_plain(number))
            if counted and not unit.endswith("s") and counted not in STOP_WORDS:
                found.setdefault(_singular(counted), set()).add(_plain(number))
    for name, number in _named(spelt):
        if name not in STOP_WORDS and name not in _MONTHS and name != "every":
            found.setdefault(_singular(name), set()).add(_plain(number))
    return {unit: frozenset(numbers) for unit, numbers in found.items() if unit not in _MONTHS}


def _named(text: str) -> Iterator[tuple[str, str]]:
    """Each number that has a name before it: port 8080, retries=5, the limit is 10."""
    for number in _NAMED.finditer(text):
        end = number.start()
        while end and text[end - 1] in " =:":
            end -= 1
        if name := _NAME.search(text, max(0, end - 20), end):
            yield name[0], number[1]


_MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun jul aug "
    "sep sept oct nov dec".split()
)


def _singular(unit: str) -> str:
    terms = terms_of(unit)
    return terms[0] if terms else unit.lower()


def _plain(number: str) -> str:
    return number.rstrip(".,:_").replace(",", "").replace("_", "").replace(" ", "").lower()


# Neither what is counted nor that something changed says what a text is about.
_SAY_NOTHING = STOP_WORDS | frozenset(terms_of(" ".join(_WORD_NUMBERS))) | frozenset(terms_of("longer anymore instead"))


@_of_the_beginning(SUBJECT_READ)
def subject(text: str) -> frozenset[str]:
    """The words that say what a text is about."""
    return frozenset([term for term in content_terms(text) - _SAY_NOTHING if len(term) > 2])


@_of_the_beginning(SUBJECT_READ)
def content_terms(text: str) -> frozenset[str]:
    """The terms that say what a text is about. Numbers are compared by themselves."""
    return frozenset([term for term in frozenset(terms_of(text)) - STOP_WORDS if not term.isdigit()])
