"""Secrets are removed from every text before the first write; what was removed is counted and never kept.

    redact('export TOKEN=…')   ->  Redacted('export TOKEN=[redacted:secret]', (('secret', 1),))

A secret becomes `[redacted:RULE]`; the table of rules is in `secrets`. A `<private>…</private>` block becomes nothing:
tags in any case, with attributes, nested, over lines, and to the end of the text when it is never closed. A text that
is private as a whole becomes the empty text, so that the caller sees that nothing is left to keep. A closing tag
without an opening one stays, and so does a tag alone between backticks, which speaks of the tag.

Redacting twice changes nothing: the steps are repeated until there is nothing left to remove. A text that does not
settle was made to defeat this, and is removed as a whole.

This also runs in hooks, so it imports little: the values are plain classes, because `dataclasses` alone would cost half
an interpreter start; and `sieve` says beforehand, without a regular expression, where anything could stand at all.
"""

from __future__ import annotations

import re
from functools import lru_cache

from marrow.model.errors import Invalid
from marrow.model.literals import Literals
from marrow.model.plausible import is_stand_in
from marrow.model.secret_rule import Rule
from marrow.model.secrets import RULES
from marrow.model.sieve import CHECKS, DEEPEST, UNSEEN, long_words, lower, telling, without_unseen

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Match = Callable[[str, int], re.Match[str] | None]
    Counts = tuple[tuple[str, int], ...]
    # What is looked for: the text that all need, then each literal with the rules that start there.
    Grouped = tuple[tuple[str, tuple[tuple[str, list[Rule]], ...]], ...]
    Sought = tuple[Grouped, Literals]
    Found = tuple[int, int, int]  # start, end, rank of the rule: a lower rank names the secret better

PRIVATE = "private"
EXTRA = "extra"
UNSETTLED = "unsettled"
TOO_DEEP = "too-deep"
PASSES = 16
MARK = "[redacted:{}]"
MARKED = r"\[redacted:([a-z-]{1,40})\]"

NAMES = (*dict.fromkeys(rule.name for rule in RULES), EXTRA, UNSETTLED, TOO_DEEP)
RANKS = {name: rank for rank, name in enumerate(NAMES)}
# Texts of so many characters are kept for a moment with what was found in them.
LATELY = (1_000, 200_000)
# And shorter ones, of what is written beside a text, for longer.
SHORT_MAX = 200


def _sought(rules: Iterable[Rule]) -> Sought:
    table: dict[str, dict[str, list[Rule]]] = {}
    for rule in rules:
        for literal in rule.literals:
            table.setdefault(rule.needs, {}).setdefault(literal, []).append(rule)
    grouped = tuple((needs, tuple(literals.items())) for needs, literals in table.items())
    return grouped, Literals([*table, *(literal for _, literals in grouped for literal, _ in literals)])


FOLDED = _sought(rule for rule in RULES if rule.folded)
LONG = _sought(rule for rule in RULES if not rule.folded)


class _Counted:
    """What was removed, as (rule, count), sorted. Does not change once made."""

    __slots__ = ("counts",)
    counts: Counts

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{name} cannot be set: what was redacted does not change")

    @property
    def total(self) -> int:
        """How many secrets were removed."""
        return sum(count for _, count in self.counts)


class Redacted(_Counted):
    """A text without its secrets, and how many of each kind it had."""

    __slots__ = ("text",)
    text: str

    def __init__(self, text: str, counts: Counts = ()) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "counts", counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Redacted) and (self.text, self.counts) == (other.text, other.counts)

    def __hash__(self) -> int:
        return hash((self.text, self.counts))

    def __repr__(self) -> str:
        return f"Redacted({self.text!r}, {self.counts!r})"


class RedactedValue(_Counted):
    """A JSON-like value without its secrets, and how many of each kind it had."""

    __slots__ = ("value",)
    value: object

    def __init__(self, value: object, counts: Counts = ()) -> None:
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "counts", counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RedactedValue) and (self.value, self.counts) == (other.value, other.counts)

    def __hash__(self) -> int:
        return hash(self.counts)  # the value may be a list or a dictionary, which have no hash

    def __repr__(self) -> str:
        return f"RedactedValue({self.value!r}, {self.counts!r})"


def redact(text: str, extra: Sequence[str] = (), *, keep_lines: bool = False) -> Redacted:
    """The text without its secrets. `extra` are a project's own patterns (the setting `redact.extra`).

    A pattern of `extra` removes what it matches, or only its group `secret` where it has one. With `keep_lines`, the
    line ends in what is removed stay: what stands behind it keeps the number of its line.
    """
    if keep_lines:
        counts: dict[str, int] = {}
        return Redacted(_settled(text, _compiled(extra), counts, keep_lines=True), _sorted(counts))
    if LATELY[0] <= len(text) <= LATELY[1] and not isinstance(extra, str):
        return _lately(text, tuple(extra))
    return _redacted(text, extra)


def _redacted(text: str, extra: Sequence[str]) -> Redacted:
    patterns = _compiled(extra)
    counts: dict[str, int] = {}
    return Redacted(_settled(text, patterns, counts), _sorted(counts))


# Who takes in documents looks at a batch of them before the door does: the door must not do the work again.
@lru_cache(maxsize=640)
def _lately(text: str, extra: tuple[str, ...]) -> Redacted:
    return _redacted(text, extra)


def redact_value(value: object, extra: Sequence[str] = ()) -> RedactedValue:
    """The same over dictionaries, lists and texts, as in metadata and in what hosts send.

    A key such as `password` or `api_key` makes its text a secret; stand-ins stay. Keys are redacted like texts.
    """
    patterns = _compiled(extra)
    counts: dict[str, int] = {}
    return RedactedValue(_value(value, patterns, counts, 0), _sorted(counts))


def _sorted(counts: dict[str, int]) -> Counts:
    return tuple(sorted(counts.items()))


def _compiled(extra: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    hint = "Set redact.extra to a list of regular expressions in Python's syntax."
    if isinstance(extra, str):
        raise Invalid("redact.extra is one text, not a list.", hint=hint, field="redact.extra")
    patterns = []
    for pattern in extra:
        if not isinstance(pattern, str):
            raise Invalid(f"redact.extra has an entry that is no text: {pattern!r}.", hint=hint, field="redact.extra")
        try:
            patterns.append(re.compile(pattern))
        except (re.error, OverflowError, RecursionError) as error:
            message = f"redact.extra has a pattern that is not valid: {pattern[:80]!r} ({error})."
            raise Invalid(message, hint=hint, field="redact.extra") from error
    return tuple(patterns)


def _settled(
    text: str, patterns: Sequence[re.Pattern[str]], counts: dict[str, int], *, keep_lines: bool = False
) -> str:
    """Removes until nothing is left to remove: one removal can bring two halves of another secret together."""
    for _ in range(PASSES):
        lowered = lower(text)
        if "<private" in lowered:
            text, dropped = _without_private(text, keep_lines)
            if dropped:
                counts[PRIVATE] = counts.get(PRIVATE, 0) + dropped
                continue
        found = _find(text, lowered, patterns)
        if not text.isascii():
            found += _find_unseen(text, patterns)
        spans = _merge(text, found) if found else []
        if not spans:
            return text
        text = _replace(text, spans, counts, keep_lines)
    counts[UNSETTLED] = counts.get(UNSETTLED, 0) + 1
    return MARK.format(UNSETTLED)


def _without_private(text: str, keep_lines: bool) -> tuple[str, int]:
    """The text outside of private blocks, and how many blocks there were."""
    kept: list[str] = []
    depth = dropped = resume = begun = 0
    for tag in re.finditer(r"<(/?)private(?:\s[^<>]*+)?>", text, re.IGNORECASE):
        start, end = tag.span()
        if tag.group().endswith("/>") or (text[start - 1 : start] == "`" and text[end : end + 1] == "`"):
            continue
        if not tag.group(1):
            if depth == 0:
                kept.append(text[resume:start])
                dropped += 1
                begun = start
            depth += 1
        elif depth > 0:
            depth -= 1
            resume = end
            if depth == 0 and keep_lines:
                kept.append("\n" * text.count("\n", begun, end))
    if depth == 0:
        kept.append(text[resume:])
    elif keep_lines:
        kept.append("\n" * text.count("\n", begun))
    return "".join(kept), dropped


def _find(text: str, lowered: str, patterns: Sequence[re.Pattern[str]]) -> list[Found]:
    """Every secret that a rule sees; they may overlap."""
    found = _by_rules(text, lowered, lowered, FOLDED)
    words = long_words(text)
    if words:
        found += _by_rules(text, text, words, LONG)
    for pattern in patterns:
        group: str | int = "secret" if "secret" in pattern.groupindex else 0
        spans = (match.span(group) for match in pattern.finditer(text))
        found += [(start, end, RANKS[EXTRA]) for start, end in spans if start < end]
    return found


def _find_unseen(text: str, patterns: Sequence[re.Pattern[str]]) -> list[Found]:
    """What shows as a secret once letters without a width are left out."""
    bare = without_unseen(text)
    if bare == text:
        return []
    places = [at for at, letter in enumerate(text) if letter not in UNSEEN]
    found = _find(bare, lower(bare), patterns)
    return [(places[start], places[end - 1] + 1, rank) for start, end, rank in found]


def _by_rules(text: str, searched: str, sieve: str, sought: Sought) -> list[Found]:
    """What the rules find. Only literals that the sieve holds are looked for."""
    found: list[Found] = []
    grouped, every = sought
    likely = every.likely_in(sieve)
    for needs, literals in grouped:
        if needs not in likely or needs not in sieve:
            continue
        for literal, rules in literals:
            if literal in likely and literal in sieve:
                for rule in rules:
                    found += _matches(text, searched, literal, rule)
    return found


def _matches(text: str, searched: str, literal: str, rule: Rule) -> list[Found]:
    """Where this rule takes a secret, tried only where the literal stands. `searched` has the text's positions."""
    check, judge, rank = CHECKS[literal], rule.judge, RANKS[rule.name]
    match: Match | None = None
    found: list[Found] = []
    at = searched.find(literal)
    while at >= 0:
        following = at + len(literal)
        candidate = None
        if check(text, searched, at):
            match = match or rule.compiled().match  # compiling is what a short text would pay most for
            candidate = match(text, at)
        if candidate is not None:
            span = judge(text, candidate)
            if span is not None and span[0] < span[1]:
                found.append((*span, rank))
                following = max(following, span[1])
        at = searched.find(literal, following)
    return found


def _merge(text: str, found: list[Found]) -> list[Found]:
    """Spans that overlap become one, named by the best rule. What is redacted already is not redacted again."""
    marks = [(*mark.span(), len(NAMES)) for mark in re.finditer(MARKED, text) if mark.group(1) in RANKS]
    merged: list[Found] = []
    for start, end, rank in sorted([*found, *marks]):
        if merged and start < merged[-1][1]:
            before = merged.pop()
            merged.append((before[0], max(end, before[1]), min(rank, before[2])))
        else:
            merged.append((start, end, rank))
    if not marks:
        return merged
    return [span for span in merged if span[2] < len(NAMES) and _is_new(text[span[0] : span[1]])]


def _is_new(removed: str) -> bool:
    """Whether there is more here than marks of what was removed before."""
    rest = re.sub(MARKED, lambda mark: "" if mark.group(1) in RANKS else mark.group(), removed)
    return bool(rest.strip())


def _replace(text: str, spans: list[Found], counts: dict[str, int], keep_lines: bool) -> str:
    pieces: list[str] = []
    at = 0
    for start, end, rank in spans:
        name = NAMES[rank]
        counts[name] = counts.get(name, 0) + 1
        pieces += (text[at:start], MARK.format(name))
        if keep_lines:
            pieces.append("\n" * text.count("\n", start, end))
        at = end
    pieces.append(text[at:])
    return "".join(pieces)


# --- values ----------------------------------------------------------------------------------------------------------


def _value(
    value: object, patterns: Sequence[re.Pattern[str]], counts: dict[str, int], depth: int, rule: str = ""
) -> object:
    """`rule` is what the name of this value called for."""
    if isinstance(value, str):
        if rule and value.strip() and not is_stand_in(value):
            counts[rule] = counts.get(rule, 0) + 1
            return MARK.format(rule)
        return _short(value, patterns, counts)
    if rule == "password" and isinstance(value, int) and not isinstance(value, bool):
        counts[rule] = counts.get(rule, 0) + 1
        return MARK.format(rule)
    if isinstance(value, (dict, list, tuple)):
        if depth >= DEEPEST:
            counts[TOO_DEEP] = counts.get(TOO_DEEP, 0) + 1
            return MARK.format(TOO_DEEP)
        if isinstance(value, dict):
            return _mapping(value, patterns, counts, depth + 1)
        items = _items(value, patterns, counts, depth + 1, rule)
        return items if isinstance(value, list) else tuple(items)
    return value


def _short(text: str, patterns: Sequence[re.Pattern[str]], counts: dict[str, int]) -> str:
    """The same as `_settled`, for what mostly comes again: names of fields, and what stands in a short one."""
    if patterns or len(text) > SHORT_MAX:
        return _settled(text, patterns, counts)
    found = _kept_short(text)
    for name, count in found.counts:
        counts[name] = counts.get(name, 0) + count
    return found.text


@lru_cache(maxsize=4_096)
def _kept_short(text: str) -> Redacted:
    return _redacted(text, ())


def _items(
    value: Sequence[object], patterns: Sequence[re.Pattern[str]], counts: dict[str, int], depth: int, rule: str
) -> list[object]:
    """A list under a telling name holds secrets; in a command, an option's value is the next item."""
    items: list[object] = []
    option = ""
    for item in value:
        items.append(_value(item, patterns, counts, depth, rule or option))
        option = telling(item) if isinstance(item, str) and item.startswith("--") and "=" not in item else ""
    return items


def _mapping(
    value: Mapping[object, object], patterns: Sequence[re.Pattern[str]], counts: dict[str, int], depth: int
) -> dict[object, object]:
    """A telling key makes its text a secret; so does a telling `name` beside a `value`, as in lists of variables."""
    named = telling(value.get("name", value.get("key")))
    result: dict[object, object] = {}
    for key, item in value.items():
        rule = named if named and key == "value" else telling(key)
        kept = _short(key, patterns, counts) if isinstance(key, str) else key
        number = 2
        while kept in result:  # two keys that were secrets must not become one
            kept, number = f"{kept}#{number}", number + 1
        result[kept] = _value(item, patterns, counts, depth, rule)
    return result
