"""A sentence held against a text: numbers, dates, denial, opposites, and who is said to do what to whom. Pure.

Words are compared, and not what they mean. Each rule finds one way in which a sentence made of a text's own words can
still be false; what none of them finds is not thereby true.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ..store.terms import STOP_WORDS, terms_of

_WORD = re.compile(r"\w+(?:['’]\w+)?|[,;:()—–]")
_SPEAKER = re.compile(r"^(?:\[[\d:.]+\] )?([A-Z]\w+):\s", re.M)
_UNIT_END = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*(?:[-*•#]|\d{1,2}[.)]\s))")

# Forms that stemming keeps apart, and words that answers put for one another.
_SAME = {
    form: said
    for said, forms in {
        "use": "chose chosen choos pick select adopt opt employ",
        "replac": "supersed",
        "remov": "delet drop",
        "lose": "lost",
        "go": "went gone",
        "send": "sent",
        "take": "took taken",
        "write": "wrote written",
        "keep": "kept",
        "run": "ran",
        "break": "broke broken",
        "hold": "held",
        "make": "made",
        "build": "built",
        "give": "gave given",
        "fall": "fell fallen",
    }.items()
    for form in forms.split()
}
_OPPOSITE_PAIRS = (
    "enabl disabl|add remov|allow forbid|allow deni|permit forbid|increas decreas|increas reduc|rais lower|"
    "accept reject|start stop|succeed fail|fast slow|faster slower|more less|alway never|least most|minimum maximum|"
    "open close|synchron asynchron|requir option|mandatori option|safe unsaf|higher lower|public privat|win lose"
)
_OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _OPPOSITE_PAIRS.split("|"):
    _one, _other = _pair.split()
    _OPPOSITES[_one] = _OPPOSITES.get(_one, frozenset()) | {_other}
    _OPPOSITES[_other] = _OPPOSITES.get(_other, frozenset()) | {_one}

_DENIALS = frozenset("not never no without neither nor cannot none nobody nothing avoid avoids avoided".split()) | {
    *"refuse refuses refused reject rejects rejected lack lacks lacked".split()
}
# After these, a denial says a limit ("not more than"), or is taken back ("not without").
_LIMITS = frozenset("more less fewer later earlier until unless without only just before".split())
_LIMIT_NEAR, _SCOPE = 5, 8
_CLAUSE_ENDS = frozenset(
    ", ; : ( ) — – and but because although though while whereas since so if when which".split()
) | {*"where until unless except however then after before".split()}

_MONTH_NAMES = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|"
    r"Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_DATE = re.compile(
    r"(?<!\d)(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)(?!\d)"
    rf"|(?<![\w.-])(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<n2>{_MONTH})(?:,? (?P<y2>\d{{4}})\b)?"
    rf"|\b(?P<n3>{_MONTH}) (?P<d3>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y3>\d{{4}})\b)?"
    rf"|\b(?P<n4>{_MONTH}),? (?P<y4>\d{{4}})\b"
)
_NUMBER = re.compile(
    r"(?:(?P<before>[A-Za-z]\w*)[ /-]?#?)?(?<![\w.])v?(?P<number>\d+(?:[.,:]\d+)*)(?P<glued>[A-Za-z%µ]{0,5})(?!\w)"
    r"(?:[ \-](?P<after>[A-Za-z]+))?(?:\s(?P<other>\d[\d.,]*) ?(?P<unit>[A-Za-z%]+))?"
)
_COUNT_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {word: str(number) for number, word in enumerate(_COUNT_WORDS)} | {"dozen": "12", "twenty": "20"}
_COUNTED = re.compile(rf"\b({'|'.join(_COUNTS)})\b[ -](\w+)", re.I)
_TIMES = {"twice": "2", "thrice": "3"}
_SPAN = frozenset(("and", "or", "to"))
_UNITS = {
    form: unit
    for unit, forms in {
        "s": "sec secs second seconds",
        "ms": "millisecond milliseconds msec",
        "min": "mins minute minutes",
        "h": "hr hrs hour hours",
        "d": "day days",
        "%": "percent",
        "x": "times time",
    }.items()
    for form in forms.split()
}
_GLUED = frozenset((*_UNITS, *_UNITS.values(), *"k m b kb mb gb tb kib mib gib st nd rd th am pm".split()))

PLACE = "in the place of"
# Which share of a clause's words makes another clause the same but for its name.
ALIKE = 0.75


class _Word(NamedTuple):
    """A telling word: its key, whether what stands before it denies it, whether its clause denies at all, and which
    clause it is in."""

    key: str
    denied: bool
    clause_denies: bool
    clause: int


class _Quantity(NamedTuple):
    value: str
    unit: str
    before: str
    shown: str


def key_of(word: str) -> str:
    """What a word is compared by."""
    terms = terms_of(word.lower())
    return _SAME.get(terms[-1], terms[-1]) if terms else ""


def keys_of(text: str) -> list[str]:
    """The telling words of a text by key, without numbers, dates and counts, each once."""
    found = [key_of(word) for word in _telling(_WORD.findall(_dated(text)[1])) if word.lower() not in _COUNTS]
    return list(dict.fromkeys(key for key in found if key))


def known_keys(text: str) -> frozenset[str]:
    """The keys that a text has, the parts of its identifiers too."""
    return frozenset(keys_of(text)) | {_SAME.get(term, term) for term in terms_of(text)}


def _telling(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        lower = word.lower()
        letters = lower.lstrip("0123456789")  # "4xx" tells, "200ms" is a number
        if (
            len(word) > 1
            and letters
            and (letters == lower or letters not in _GLUED)
            and lower not in STOP_WORDS
            and not _is_denial(lower)
        ):
            yield word


def _is_denial(lower: str) -> bool:
    return lower in _DENIALS or lower.endswith(("n't", "n’t"))


# --- Numbers ---------------------------------------------------------------------------------------------------------


def numbers_missing(said: str, text: str, heading: str = "") -> list[str]:
    """The numbers and dates of a sentence that a text has not. Its heading bears out dates, and numbers that belong to
    a name ("ADR-12"), and no others."""
    dates, rest = _dated(said)
    of_text, bare = _dated(text)
    of_heading, head = _dated(heading)
    known_dates = [*of_text, *of_heading]
    missing = [shown for date, shown in dates if not any(_is_same_day(date, other) for other, _ in known_dates)]
    years = {str(date[0]) for date, _ in known_dates if date[0]}
    has = [*_quantities(bare), *_counted(bare)]
    values = {one.value for one in has}
    by_unit: dict[str, set[str]] = {}
    for one in has:
        by_unit.setdefault(one.unit, set()).add(one.value)
    named = {(one.before, one.value) for one in _quantities(head) if one.before}
    for one in _quantities(rest):
        is_known = one.value in values or any(value.startswith(f"{one.value}.") for value in values if "." in one.value)
        is_named = (one.before, one.value) in named or (one.value in years and not one.unit)
        if is_named or (is_known and (one.value in by_unit.get(one.unit, {one.value}) or not one.unit)):
            continue
        missing.append(one.shown)
    # A number in words may be the answer's own count ("three reasons"), unless the text counts the same.
    missing += [one.shown for one in _counted(rest) if one.value not in by_unit.get(one.unit, {one.value})]
    return missing


def has_number(said: str) -> bool:
    return bool(_dated(said)[0] or _quantities(said))


def _dated(text: str) -> tuple[list[tuple[tuple[int, int, int], str]], str]:
    """((year, month, day), as written) of each date, 0 for what it leaves open; and the text without them."""
    found = []
    for match in _DATE.finditer(text):
        part = {name.rstrip("234"): value for name, value in match.groupdict().items() if value}
        month = int(part["m"]) if "m" in part else _MONTH_NAMES.index(part["n"][:3]) + 1
        found.append(((int(part.get("y", 0)), month, int(part.get("d", 0))), match.group()))
    return found, _DATE.sub(" ; ", text)


def _is_same_day(one: tuple[int, int, int], other: tuple[int, int, int]) -> bool:
    return one[1] == other[1] and all(not a or not b or a == b for a, b in zip(one, other, strict=True))


def _quantities(text: str) -> list[_Quantity]:
    found = []
    start = 0
    while match := _NUMBER.search(text, start):
        after = (match["glued"] or match["after"] or "").lower()
        if after in _SPAN:  # "3 to 5 times": the unit is that of both
            after = (match["unit"] or "").lower() if match["other"] else ""
        start = match.end("glued")
        shown = f"{match['number']}{match['glued']}"
        found.append(_Quantity(_value(match["number"]), _unit(after), key_of(match["before"] or ""), shown))
    return found


def _counted(text: str) -> list[_Quantity]:
    found = [_Quantity(_COUNTS[w.lower()], _unit(unit.lower()), "", w) for w, unit in _COUNTED.findall(text)]
    words = {word.lower() for word in _WORD.findall(text)}
    return found + [_Quantity(value, "x", "", word) for word, value in _TIMES.items() if word in words]


def _value(number: str) -> str:
    plain = re.sub(r",(?=\d{3}(?:\D|$))", "", number)
    return plain.lstrip("0") or "0"


def _unit(word: str) -> str:
    return "" if word in STOP_WORDS else _UNITS.get(word, word) if len(word) < 3 or word in _UNITS else key_of(word)


# --- Denial and opposites --------------------------------------------------------------------------------------------


def contradicted(said: str, text: str) -> tuple[str, ...]:
    """What of a sentence the nearest sentence of a text says the other way round; empty where they agree."""
    words = _words(said)
    units = [_words(unit) for unit in _UNIT_END.split(text) if unit.strip()]
    for part in _parts(words):
        near = _nearest(part, units)
        against = [_at_odds(part, unit) for unit in near]
        if near and all(against):
            return against[0]
    return _out_of_order(said, text)


def _words(sentence: str) -> list[_Word]:
    """The telling words of a sentence with what is denied of them."""
    raw = _WORD.findall(re.sub(r"\bnot (?:only|just)\b", " ", sentence, flags=re.I))
    lower = [word.lower() for word in raw]
    clauses: list[list[tuple[str, bool]]] = [[]]
    denies: list[bool] = [False]
    scope = 0
    for at, word in enumerate(lower):
        if word in _CLAUSE_ENDS:
            clauses.append([])
            denies.append(False)
            scope = 0
        elif _is_denial(word) or (word in ("instead", "rather") and lower[at + 1 : at + 2] in (["of"], ["than"])):
            if not _LIMITS & set(lower[at + 1 : at + 1 + _LIMIT_NEAR]):
                scope = _SCOPE
                denies[-1] = True
        elif any(_telling((raw[at],))):
            clauses[-1].append((key_of(raw[at]), scope > 0))
            scope -= 1
    return [
        _Word(key, denied, denies[number], number) for number, clause in enumerate(clauses) for key, denied in clause
    ]


def _parts(words: Sequence[_Word]) -> list[list[_Word]]:
    """The clauses of a sentence; one of a single word goes with the one before it."""
    parts: list[list[_Word]] = []
    for number in dict.fromkeys(word.clause for word in words):
        clause = [word for word in words if word.clause == number]
        if parts and (len(clause) < 2 or len(parts[-1]) < 2):
            parts[-1] += clause
        else:
            parts.append(clause)
    return parts


def _nearest(part: Sequence[_Word], units: Sequence[Sequence[_Word]]) -> list[Sequence[_Word]]:
    """The sentences of a text that have most of a clause's words: two at least, or all."""
    keys = {word.key for word in part}
    shared = [len(keys & {word.key for word in unit}) for unit in units]
    most = max(shared, default=0)
    if most < min(2, len(keys)) or not most:
        return []
    return [unit for unit, count in zip(units, shared, strict=True) if count == most]


def _at_odds(part: Sequence[_Word], unit: Sequence[_Word]) -> tuple[str, ...]:
    found = []
    there: dict[str, list[_Word]] = {}
    keys = {word.key for word in part}
    clauses: dict[int, set[str]] = {}
    for word in unit:
        there.setdefault(word.key, []).append(word)
        clauses.setdefault(word.clause, set()).add(word.key)
    for word in part:
        same = there.get(word.key, ())
        # One word in common with a clause that denies much else is no contradiction.
        is_met = any(len(keys & clauses[w.clause]) >= min(2, len(clauses[w.clause])) for w in same)
        if is_met and all(w.denied != word.denied and w.clause_denies != word.clause_denies for w in same):
            found.append(word.key)
        opposite = [w for other in _OPPOSITES.get(word.key, ()) for w in there.get(other, ())]
        if opposite and not same and all(w.denied == word.denied for w in opposite):
            found.append(word.key)
    return tuple(dict.fromkeys(found))


# --- Who does what to whom -------------------------------------------------------------------------------------------


def _out_of_order(said: str, text: str) -> tuple[str, ...]:
    """Two names that a sentence has in each other's place."""
    names = _names(text)
    here = _relations(said, names)
    there = {one for unit in _UNIT_END.split(text) for one in _relations(unit, names)}
    for relation, one, other in sorted(here):
        if (relation, other, one) in there and (relation, one, other) not in there:
            return (one, other)
    return _exchanged(said, text, names) or _another(said, text, names)


def _names(text: str) -> frozenset[str]:
    """Capitalised words that do not begin a sentence, those with capitals or digits inside, and who speaks."""
    found = {key_of(speaker) for speaker in _SPEAKER.findall(text)}
    for unit in _UNIT_END.split(text):
        for at, word in enumerate(word for word in _WORD.findall(unit) if word[0].isalnum()):
            has_inner = any(c.isupper() or c.isdigit() for c in word[1:]) and word[0].isalpha()
            if ((word[0].isupper() and at > 0) or has_inner) and any(_telling((word,))):
                found.add(key_of(word))
    return frozenset(found)


def _relations(sentence: str, names: frozenset[str]) -> set[tuple[str, str, str]]:
    """(how, first, second) for each two names of a sentence: "A replaced B" and "B was replaced by A" are the same."""
    raw = _WORD.findall(sentence)
    lower = [word.lower() for word in raw]
    keys = [key_of(word) if word[0].isalnum() else "" for word in raw]
    places = [at for at, key in enumerate(keys) if key in names or key.isdigit()]
    found = set()
    for index, first in enumerate(places):
        for second in places[index + 1 : index + 4]:
            one, other = keys[first], keys[second]
            if one == other or second - first > 12 or one.isdigit() != other.isdigit():
                continue
            for how, is_turned in _between(lower, keys, first, second, names):
                if how == PLACE or not one.isdigit():
                    found.add((how, other, one) if is_turned else (how, one, other))
    return found


def _between(
    lower: Sequence[str], keys: Sequence[str], first: int, second: int, names: frozenset[str]
) -> Iterator[tuple[str, bool]]:
    """How the name at `first` relates to that at `second`, and whether it is the other way round."""
    inner = " ".join(lower[first + 1 : second])
    before = " ".join(lower[max(0, first - 4) : first])
    last = lower[first - 1] if first else ""
    if re.search(r"\b(?:instead of|rather than|in place of|place of|ahead of)\b", inner) or re.fullmatch(
        r"(?:over|, not|and not|, and not|, never)", inner
    ):
        yield PLACE, False
    elif re.search(r"\bin favou?r of\b", inner) or (last in ("from", "off") and re.search(r"\b(?:on)?to\b", inner)):
        yield PLACE, True
    elif (last in ("to", "onto") and re.search(r"\b(?:from|off)\b", inner)) or ("prefer" in before and inner == "to"):
        yield PLACE, False
    elif re.search(r"\b(?:replac|supersed)\w*$", before.removesuffix(" the")) and re.search(r"\b(?:with|by)\b", inner):
        yield PLACE, True
    elif re.search(r"\b(?:replac|supersed)", inner):
        yield PLACE, bool(re.search(r"\b(?:by|with)\b", inner))
    elif found := re.search(r"\b(?:(\w+er)|(more|less) (\w+)) than\b", inner):
        how = found[1] or f"{found[2]} {found[3]}"
        yield f"{how} than", False
    elif re.search(r"\b(?:before|after)\b", inner):
        yield "before", "after" in inner
    elif not (_CLAUSE_ENDS & set(lower[first + 1 : second])) and second - first <= 5:
        for at in range(first + 1, second):
            if keys[at] and keys[at] not in names and any(_telling((lower[at],))):
                yield keys[at], "by" in lower[first + 1 : second]


def _exchanged(said: str, text: str, names: frozenset[str]) -> tuple[str, ...]:
    """Two names each of which is said of what the text says of the other: their clauses fit better exchanged."""
    here = _surroundings([said], names)
    there = _surroundings(_UNIT_END.split(text), names)
    both = sorted(set(here) & set(there))
    for index, one in enumerate(both):
        for other in both[index + 1 :]:
            as_said = len(here[one] & there[one]) + len(here[other] & there[other])
            exchanged = len(here[one] & there[other]) + len(here[other] & there[one])
            if exchanged > as_said and here[one] & there[other] and here[other] & there[one]:
                return (one, other)
    return ()


def _another(said: str, text: str, names: frozenset[str]) -> tuple[str, ...]:
    """A clause that begins with one name where the text's clause has another, and all else is the same."""
    clauses = [clause for unit in _UNIT_END.split(text) for clause in _clauses(unit)]
    for clause in _clauses(said):
        name, rest = clause[0], set(clause[1:])
        if name not in names or len(rest) < 2:
            continue
        alike = [one for one in clauses if len(rest & set(one)) >= ALIKE * len(rest)]
        if alike and all(one[0] in names and name not in one for one in alike):
            return (name, alike[0][0])
    return ()


def _clauses(unit: str) -> list[list[str]]:
    """The keys of each clause, in their order."""
    words = _words(unit)
    return [[word.key for word in words if word.clause == n] for n in dict.fromkeys(word.clause for word in words)]


def _surroundings(units: Iterable[str], names: frozenset[str]) -> dict[str, set[str]]:
    """What else stands in the clauses of each name. Of a clause with two names it is not known whose it is."""
    found: dict[str, set[str]] = {}
    for unit in units:
        words = _words(unit)
        for number in {word.clause for word in words}:
            keys = {word.key for word in words if word.clause == number}
            named = keys & names
            if len(named) == 1:
                found.setdefault(next(iter(named)), set()).update(keys - named)
    return found
