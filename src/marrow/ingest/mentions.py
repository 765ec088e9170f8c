"""What a text names: decisions by number, incidents, commits, pull requests and issues, files, symbols; and how.

Pure and quick, and only a guess: whether there is such a thing is seen by who asks. How something is named (a commit
that fixes an incident, one that caused it) is read from the words before it in the same sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath
from typing import NamedTuple

from .proposals import is_among_proposals

DECISION, INCIDENT, COMMIT, REQUEST, PATH = "decision", "incident", "commit", "request", "path"

# How: what the sentence says about what it names.
FIXES, CAUSED_BY, SUPERSEDES, SUPERSEDED_BY = "fixes", "caused_by", "supersedes", "superseded_by"
DEPENDS_ON, FOLLOWS, DECIDES, REVERTS = "depends_on", "follows", "decides", "reverts"
AMENDS, AMENDED_BY = "amends", "amended_by"
_OF_CHANGE = frozenset((SUPERSEDES, SUPERSEDED_BY, AMENDS, AMENDED_BY))

READ_MAX = 200_000
# Of each sort. A text that names more is a list of things, and says little about any of them.
EACH_MAX = 64
# How far before a name the words that say how are looked for.
BEFORE_MAX = 90

# Patterns begin with letters of their own, and look back after them: so they are found three times as fast. They are
# matched in small letters.
_DECISION = re.compile(
    r"adr(?<!\wadr)s?[-_ #:]{0,2}(\d{1,5})(?!\w)((?:\s*(?:,|and|&|/)\s*(?:adr[-_ ]?)?\d{1,5}(?![\w.-])){0,8})"
)
_DECISION_TOLD = re.compile(r"decision(?<!\wdecision)(?: record)?[ -](?:#|no\.? ?|number )?(\d{1,5})(?![\w.-])()")
_DECISION_FILE = re.compile(r"(?:adr[-_]?)?0*(\d{1,4})[-_][a-z]")
_YEARS = range(1900, 2200)
_NUMBER = re.compile(r"\d+")
_INCIDENT = tuple(
    (word, re.compile(rf"{word}(?<!\w{word}){rest}"))
    for word, rest in (
        ("inc", r"[-_](\d{4}-\d{1,2}-\d{1,2}(?:-\w+)?|\d{1,8}|[a-z]{2,6}-\d{1,6})(?!\w)"),
        ("pir", r"[-_](\d{1,8})(?!\w)"),
        ("rca", r"[-_](\d{1,8})(?!\w)"),
        ("sev", r"[-_](\d{2,8})(?!\w)"),
        ("incident", r"s?[- ](?:report )?(?:#|no\.? ?|number )?(\d{1,6})(?![\w-]|\.\d)"),
        ("outage", r"s?[- ](?:report )?(?:#|no\.? ?|number )(\d{1,6})(?![\w-]|\.\d)"),
        ("mortem", r"s?[- ](?:report )?(?:#|no\.? ?|number )?(\d{1,6})(?![\w-]|\.\d)"),
    )
)
_HASH = re.compile(r"(?<![\w./#-])([0-9a-f]{7,40})(?![\w-])(?!\.\w)")
_COMMIT_URL = re.compile(r"/commits?/([0-9a-f]{7,40})\b")
_REQUEST = tuple(
    (word, re.compile(rest))
    for word, rest in (
        ("#", r"#(?<![\w&/#]#)(\d{1,6})(?![\w-]|\.\d)"),
        ("pr", r"pr(?<!\wpr)[ -]?#?(\d{1,6})(?![\w-]|\.\d)"),
        ("mr", r"mr(?<!\wmr)[ -]?!?(\d{1,6})(?![\w-]|\.\d)"),
        ("gh-", r"gh-(?<!\wgh-)(\d{1,6})(?!\w)"),
        (" request ", r" request [#!](\d{1,6})(?![\w-]|\.\d)"),
        ("issue ", r"issue [#](\d{1,6})(?![\w-]|\.\d)"),
        (" !", r" !(\d{1,6})(?!\w)"),
        ("/pull", r"/pulls?/(\d{1,6})\b"),
        ("/issues/", r"/issues/(\d{1,6})\b"),
        ("/merge_requests/", r"/merge_requests/(\d{1,6})\b"),
    )
)
# The end of a file's name; where it begins is looked for from there.
_ENDING = re.compile(r"\.([A-Za-z]\w{0,7})(?![\w/@(])(?!\.\w)")
_PATH_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@+-./")
PATH_MAX = 240
# Endings of files that count by their bare name. Others must come with a folder.
_ENDINGS = frozenset(
    "py pyi js mjs cjs jsx ts mts cts tsx go java rs c h cc cpp cxx hpp hh cs rb rake php kt kts swift scala sh bash "
    "sql md rst toml json yaml yml cfg ini xml html css scss vue svelte proto tf gradle csproj ex exs erl hs ml lua r "
    "jl dart zig pl pm ps1 bat cmake ipynb txt adoc".split()
)
# What looks like a file of that ending, and is a product or an address.
_NO_FILES = frozenset("node.js vue.js next.js express.js three.js d3.js asp.net e.g i.e".split())
_PROSE = frozenset("md rst adoc txt html".split())
_QUOTED = re.compile(r"`{1,2}([A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*)(?:\([^`\n]{0,80}\))?`{1,2}")
_CAMEL = re.compile(r"\b([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+|[a-z][a-z0-9]*(?:_[a-z0-9]+){2,})\b")
_PLAIN = frozenset(
    "true false null none self this main init test tests print len str int dict list set tuple open range type super "
    "return import from class def function var let const async await new try catch string object array number".split()
)
_SENTENCE = re.compile(r"(?<!\d)[.;!?]\s|\n[ \t]*\n|\n[ \t]*(?:[-*+]|\d+\.)[ \t]|\n#")

_NOT = re.compile(r"\b(?:not|never|no longer|n't|partial(?:ly)?|partly|may|might|could|would)\W+(?:\w+\W+){0,2}\Z")
# What is to come has replaced nothing yet (though "this will fix INC-4" tells of a fix), and what never held gives way
# to nothing: "rejected in favour of ADR-2".
_NOT_REPLACED = re.compile(
    r"\b(?:will|shall|should|to be|rejected|declined|refused|turned down|decided against)\W+(?:\w+\W+){0,2}\Z"
)
# What follows is said of the one that was just named, not of the text itself: "we follow ADR-7, which amends ADR-3".
_OF_ANOTHER = re.compile(r"\d[^\s,;]{0,80}[\s,;]{1,3}(?:which|that)\s(?:\w+\s)?\Z")
# Texts say of much that it was refined or clarified somewhere. Only these words before it are of the text itself.
_OF_ITSELF = re.compile(
    r"(?:[\W_]++|(?:this|it|its|the|adr|decision|record|document|status|note|accepted|approved|is|was|has|been|later|now"
    r"|since|and|also|then|further)(?!\w))*+"
)
# After another name: what follows is only pointed at.
_ASIDE = re.compile(r"\d.*\b(?:see|cf|unlike|related)\b", re.S)
# The last of these before a name says how it is named. Passive forms come before active ones.
_HOW = re.compile(
    "|".join(
        rf"(?P<{how}>\b(?:{words})\b)"
        for how, words in (
            (SUPERSEDED_BY, r"(?:super[sc]eded|replaced|obsoleted|succeeded)[- ](?:by|with|in)|in favou?r of"),
            (AMENDED_BY, r"(?:amended|extended|refined|clarified)[- ](?:by|in|with)"),
            (AMENDS, r"amends|amending|amendment (?:to|of)"),
            (SUPERSEDES, r"super[sc]ed(?:es|ing|e)|replaces|obsoletes|takes the place of"),
            (
                CAUSED_BY,
                r"(?:caused|introduced|triggered|broken|brought|started|provoked) (?:by|in|with|from|since)"
                r"|regression (?:in|from|of)|root cause|culprit|due to|bad (?:deploy|commit|change)"
                r"|since the deploy(?:ment)? of",
            ),
            (
                FIXES,
                r"(?:reverted|rolled back) (?:by|in|with)"
                r"|fix(?:es|ed|ing)?|resolv(?:es|ed|ing)|clos(?:es|ed)|hot-?fix|mitigat(?:es|ed|ion)|patch(?:ed|es)?"
                r"|resolution|remed(?:y|ied)|prevents?|repair(?:s|ed)?",
            ),
            (REVERTS, r"revert(?:s|ed|ing)?|roll(?:s|ed|ing)? back"),
            (DEPENDS_ON, r"depends on|builds (?:up)?on|based on|requires|extends|refines|follows from|assumes"),
            (DECIDES, r"decided|agreed|approved|accepted|adopted|ratified|signed off|chose"),
            (
                FOLLOWS,
                r"because of|in response to|prompted by|motivated by|as a result of|after|following|in the wake of"
                r"|implement(?:s|ing|ed)?|according to|as decided in|per|learned from",
            ),
        )
    )
)


class Mention(NamedTuple):
    """Something that a text names: what it is, its name in one form, and how it is named (empty: by the way)."""

    what: str
    name: str
    how: str = ""


def mentions(text: str, path: str = "") -> tuple[Mention, ...]:
    """Everything but symbols that a text names, each once, in the order of the sorts; how it is named first counts,
    unless that is by the way. `path` is where the text itself stands: files beside it are told from there."""
    read = text[:READ_MAX]
    small = _small(read)
    found: dict[tuple[str, str], Mention] = {}
    counts: dict[str, int] = {}
    for what, name, at in _named(read, small, path):
        known = found.get((what, name))
        if known is None:
            if counts.get(what, 0) >= EACH_MAX:
                continue
            counts[what] = counts.get(what, 0) + 1
        if known is None or not known.how:
            found[what, name] = Mention(what, name, _how(small, at) if at >= 0 else "")
    return tuple(found.values())


def symbols(text: str) -> tuple[str, ...]:
    """The names in a text that are written as code is: in backticks, or with capitals or underscores inside."""
    read = text[:READ_MAX]
    found: dict[str, None] = {}
    for pattern in (_QUOTED, _CAMEL):
        for one in pattern.finditer(read):
            name = one[1].replace("::", ".").replace("#", ".").replace("->", ".")
            is_file = "." in name and name.rpartition(".")[2].lower() in _ENDINGS
            if len(name) > 2 and name.lower() not in _PLAIN and not is_file:
                found[name] = None
    return tuple(found)[:EACH_MAX]


def decision_numbers(text: str) -> tuple[int, ...]:
    """The numbers of the decisions that a short text names, such as a title or an alias."""
    return tuple(dict.fromkeys(int(name) for name, _ in _decisions(_small(text))))


def incident_names(text: str) -> tuple[str, ...]:
    """The incidents that a short text names, in their one form: INC-42."""
    return tuple(dict.fromkeys(name for name, _ in _incidents(_small(text))))


def _small(text: str) -> str:
    """In small letters, as long as it was: a few letters of other alphabets become two."""
    small = text.lower()
    return small if len(small) == len(text) else "".join(low if len(low := one.lower()) == 1 else one for one in text)


def _named(text: str, small: str, path: str) -> Iterator[tuple[str, str, int]]:
    """(what, name, where the words before it end; -1 where these say nothing)."""
    for number, at in _decisions(small):
        yield DECISION, number, at
    for name, at in _incidents(small):
        yield INCIDENT, name, at
    for found in _HASH.finditer(small):
        if _is_hash(found[1]):
            yield COMMIT, found[1], found.start()
    for found in _COMMIT_URL.finditer(small):
        yield COMMIT, found[1], _address_start(small, found.start())
    for word, pattern in _REQUEST:
        for found in pattern.finditer(small) if word in small else ():
            start = _address_start(small, found.start())
            yield REQUEST, str(int(found[1])), -1 if small[start - 1 : start] == "(" else start
    for start, given in _files(text):
        name = _from_there(given, path)
        if not name:
            continue
        is_prose = name.rpartition(".")[2].lower() in _PROSE
        numbered = _DECISION_FILE.match(name.rpartition("/")[2].lower()) if is_prose else None
        beside = name if "/" in name else f"{path.rpartition('/')[0]}/{name}"
        if numbered is not None and int(numbered[1]) not in _YEARS and not is_among_proposals(beside):
            yield DECISION, str(int(numbered[1])), start
        yield PATH, name, start if is_prose else -1


def _decisions(small: str) -> Iterator[tuple[str, int]]:
    for word, pattern in (("adr", _DECISION), ("decision", _DECISION_TOLD)):
        for found in pattern.finditer(small) if word in small else ():
            yield str(int(found[1])), found.start()
            for more in _NUMBER.findall(found[2]):
                yield str(int(more)), found.start()


def _incidents(small: str) -> Iterator[tuple[str, int]]:
    for word, pattern in _INCIDENT:
        for found in pattern.finditer(small) if word in small else ():
            name = str(int(found[1])) if found[1].isdigit() else found[1].upper()
            yield f"{'SEV' if word == 'sev' else 'INC'}-{name}", found.start()


def _is_hash(given: str) -> bool:
    """A run of digits is a number, and a run of letters may be a word."""
    return not given.isdigit() and not given.isalpha()


def _address_start(text: str, at: int) -> int:
    """Where the address in which this stands begins: what is said of it stands before that."""
    start = at
    while start > 0 and not text[start - 1].isspace() and text[start - 1] not in "(<[":
        start -= 1
    return start if "://" in text[start:at] else at


def _files(text: str) -> Iterator[tuple[int, str]]:
    """What looks like the path of a file, and where it begins."""
    for found in _ENDING.finditer(text):
        start = at = found.start()
        while start > 0 and at - start < PATH_MAX and text[start - 1] in _PATH_LETTERS:
            start -= 1
        given = text[start : found.end()]
        before = text[start - 1 : start]
        if before in ("~", ":", "$", "%", "=") or given.startswith(("/", "-", "@")) or "//" in given:
            continue  # an address, or a place on some machine
        name = given.rpartition("/")[2]
        is_known = found[1].lower() in _ENDINGS and given.lower() not in _NO_FILES and not name.startswith(".")
        if at > start and (is_known or ("/" in given and not name.startswith("."))):
            yield start, given


def _from_there(given: str, path: str) -> str:
    """A path as it is told from the root: one that begins with dots is told from the folder of the text."""
    if not given.startswith(("./", "../")):
        return given
    if not path:
        return given.lstrip("./")
    beside = normpath(f"{path.rpartition('/')[0] or '.'}/{given}")
    return "" if beside.startswith("../") else beside


def _how(small: str, at: int) -> str:
    """What the sentence says before a name; empty where it says nothing that is known, or denies it."""
    said = _SENTENCE.split(small[max(0, at - BEFORE_MAX) : at])[-1]
    found = list(_HOW.finditer(said))
    if not found or _NOT.search(said[: found[-1].start()]):
        return ""
    how = found[-1].lastgroup or ""
    before = said[: found[-1].start()]
    if how in _OF_CHANGE and (_NOT_REPLACED.search(before) or _OF_ANOTHER.search(before)):
        return ""
    if how == AMENDED_BY and not _OF_ITSELF.fullmatch(before):
        return ""
    return "" if how in _OF_CHANGE and _ASIDE.search(said[found[-1].end() :]) else how


__all__ = [
    "AMENDED_BY",
    "AMENDS",
    "CAUSED_BY",
    "COMMIT",
    "DECIDES",
    "DECISION",
    "DEPENDS_ON",
    "FIXES",
    "FOLLOWS",
    "INCIDENT",
    "PATH",
    "REQUEST",
    "REVERTS",
    "SUPERSEDED_BY",
    "SUPERSEDES",
    "Mention",
    "decision_numbers",
    "incident_names",
    "mentions",
    "symbols",
]
