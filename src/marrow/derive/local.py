"""The local forms of what a language model would tell better: a summary, the topics, the symbols. Pure, and quick: a
batch of thousands of documents pays for them. Only the beginning of a text is looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import inf, log

from ..codemap.parse import map_of
from ..model.adr_form import is_adr

SUMMARY_LENGTH_MAX = 200
SUMMARY_LOOKED_AT, TOPICS_LOOKED_AT, LINES_LOOKED_AT = 6_000, 4_000, 120
TOPICS_MAX, SYMBOLS_MAX, TERM_LENGTH_MAX = 8, 400, 40

# As far as the title, the date and the status of a record go.
FORM_LENGTH = 600
_TO_BE_FILLED_IN = re.compile(r"^#+ .{0,20}\b(?:NUMBER|TITLE|NNNN)\b|^\W*[Dd]ate\W{1,6}DATE\s*$|^\s*STATUS\s*$", re.M)

_BOILERPLATE = r"copyright\b|licensed\b|spdx-|table of contents|status\s*:|date\s*:|authors?\s*:|last updated"
_SKIPPED_LINE = re.compile(rf"#|=|\||!?\[!?\[|!\[|<|---|\*\*\*|\.\.\s|:\w+:|\[\w+\]:|{_BOILERPLATE}", re.I)
_SKIPPED_COMMENT = re.compile(rf"[-=*#]{{3,}}|{_BOILERPLATE}", re.I)
_LEAD = re.compile(r"^(?:[>*+\-]|\d+[.)]|\[[\d:.,\s\-–>]+\]|\[[ xX]\])\s+")
_MARKS = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}|<[^>]{1,80}>")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(\w])")
_COMMENT = re.compile(r"^\s*(?:#+!?|//+!?|/\*+|\*+/?|--+|;+|%+|\"\"\"|''')\s?")
_DOCSTRING = re.compile(r"""[rbuf]{0,2}(\"\"\"|''')(.+?)(?:\1|\Z)""", re.S)
_HEADING = re.compile(r"^#{1,6} +(.+)$|^(\w.{0,80})\n(?:={3,}|-{3,}|~{3,})$", re.M)
_TOKEN = re.compile(r"[^\W\d_][\w/.-]+")
_WORD = re.compile(r"[^\W\d_][\w-]{3,}")
_NAMES = re.compile(
    r"[A-Z]+-\d{1,6}|(?:[A-Z][a-z0-9]+){2,}|[a-z]+(?:[A-Z][a-z0-9]+)+|[A-Za-z]\w*_\w+|[A-Z]{2,}\d*|\w+\.\w{1,5}"
)
_COMMON = frozenset(
    """about above accept accepted across actually added adding after again against align allow allows also although
    always among another anything around available away back based because become been before being below best
    better between both build call called cannot case cases change changed changes code comes common consider
    considered consequences context could current currently data date decide decided decision default describe
    described description detail details different document does doing done down during each either else empty
    enough error even every everything example examples false file files find first follow following follows four
    from full function further general give given gives goes good have having here high however important include
    includes including info information instead into introduction issue item items just keep kind know large last
    later least less like line lines list little long look made main make makes making many mean means might more
    most much must name names need needed needs never next none note notes nothing number often once only open
    option options order other others overview part parts path please point possible problem proposed provide
    provides purpose question quite rather read reason related release result results return returns right same
    section self several shall should show shows simple simply since single small some something still string such
    summary support supported take takes text than that their them then there therefore these they thing things
    think this those though three through time todo together true type types under unless until update updated
    upon usage used user uses using usually value values version very want wants well were what when where whether
    which while whole will with within without work works would write year years yet your""".split()
)


def summary_of(text: str, kind: str = "") -> str:
    """The first sentences that tell something, on one line. A short text is its own summary."""
    text = text.strip()
    if len(text) <= SUMMARY_LENGTH_MAX and kind != "code":
        return " ".join(text.split())
    head = text[:SUMMARY_LOOKED_AT]
    prose = _code_prose(head) if kind == "code" else _prose(head)
    found = ""
    for sentence in _SENTENCE.split(prose):
        longer = f"{found} {sentence}".strip()
        if found and len(longer) > SUMMARY_LENGTH_MAX:
            break
        found = longer
        if len(found) > SUMMARY_LENGTH_MAX * 0.6:
            break
    return _cut(found or " ".join(head.split()))


def _prose(head: str) -> str:
    """The first paragraphs without headings, tables, code and front matter."""
    if head.startswith("---\n"):
        head = head.partition("\n---")[2] or head
    told: list[str] = []
    length, is_fenced = 0, False
    for line in head.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]:
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            is_fenced = not is_fenced
        elif not is_fenced and len(bare) > 3 and not _SKIPPED_LINE.match(bare):
            bare = _LEAD.sub("", bare)
            if told and told[-1][-1] not in ".!?:;," and len(told[-1]) < 60:
                told[-1] += "."  # a short line without an end was a line for itself
            told.append(bare)
            length += len(bare)
            if length > 3 * SUMMARY_LENGTH_MAX:
                break
    return " ".join(_MARKS.sub(r"\1", " ".join(told)).split())


def _code_prose(head: str) -> str:
    """What a source file says of itself: its docstring or the comment that it begins with."""
    found = _DOCSTRING.search(head[:1500])
    if found and "def " not in head[: found.start()]:
        return " ".join(found[2].split())
    told: list[str] = []
    for line in head.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]:
        if not line.strip():
            continue
        mark = _COMMENT.match(line)
        if not mark:
            break
        bare = line[mark.end() :].strip().removesuffix("*/").strip()
        if bare and not line.startswith("#!") and not _SKIPPED_COMMENT.match(bare):
            told.append(bare)
    return " ".join(told) or " ".join(line.strip() for line in head.split("\n")[:40] if _tells(line))


def _tells(line: str) -> bool:
    """Whether a line of code declares something, rather than fetching it."""
    return bool(
        re.match(r"\s*(?:export\s+|public\s+|pub\s+|async\s+)*(?:class|def|func|fn|function|interface|struct)\b", line)
    )


def _cut(text: str) -> str:
    if len(text) <= SUMMARY_LENGTH_MAX:
        return text
    return text[: SUMMARY_LENGTH_MAX - 1].rsplit(" ", 1)[0].rstrip(",;: ") + "…"


def topics_of(text: str) -> list[str]:
    """What a text is about: its rarer words, those of headings and those that name things in code before others."""
    head = text[:TOPICS_LOOKED_AT]
    weights: dict[str, float] = {}
    shapes: dict[str, str] = {}
    for token, count in Counter(_TOKEN.findall(head)).items():
        term, folded, worth, least = _judged(token)
        if count >= least:
            weights[folded] = weights.get(folded, 0.0) + (worth if count == 1 else worth * (1 + log(count)))
            shapes.setdefault(folded, term)
    for marked, underlined in _HEADING.findall(head):
        for word in _WORD.findall(marked or underlined):
            if _judged(word)[2]:
                folded = word.lower()
                weights[folded] = weights.get(folded, 0.0) + 1.5 * min(1.5, len(word) / 8)
                shapes.setdefault(folded, word)
    ranked = sorted(weights, key=lambda folded: (-weights[folded], folded))
    return [shapes[folded] for folded in ranked[:TOPICS_MAX]]


@lru_cache(maxsize=20_000)
def _judged(token: str) -> tuple[str, str, float, float]:
    """A term, as it is and without case, what one mention of it is worth, and from how many mentions on: a name says
    more than a word. The same ones come again and again."""
    term = token.rstrip("./-")
    folded = term.lower()
    if folded in _COMMON or not 2 <= len(term) <= TERM_LENGTH_MAX:
        return term, folded, 0.0, inf
    length = min(1.5, len(term) / 8)
    if _NAMES.fullmatch(term):
        return term, folded, 2.0 * length, 1
    return (term, folded, 0.6 * length, 2) if len(term) > 4 else (term, folded, 0.3, inf)


def is_decision(text: str) -> bool:
    """Whether a text is an architecture decision record, by what it says alone: a renamed file is still one. A form
    that is yet to be filled in decides nothing."""
    return is_adr("", text) and not _TO_BE_FILLED_IN.search(text[:FORM_LENGTH])


def symbols_of(text: str, path: str) -> list[str]:
    """The names that a source file declares, as `kind name`, in their order."""
    found = map_of(path, text.encode("utf-8", "replace"))
    return [f"{symbol.kind} {symbol.qualified}" for symbol in found.symbols[:SYMBOLS_MAX]]
