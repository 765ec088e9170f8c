"""The status of a decision as people write it, and the other records that it names."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from .dates import When, dates_in
from .lazy_pattern import LazyPattern
from .sections import plain

STATUSES = ("draft", "proposed", "accepted", "rejected", "deprecated", "superseded", "abandoned", "archived")
REFERENCES_MAX = 20
_SPELLINGS = {
    "draft": "draft wip drafted unfinished",
    "proposed": "proposed proposal pending review open rfc discussion discussing requested candidate suggested",
    "accepted": "accepted accept approved adopted decided agreed active final finalized finalised implemented done "
    "complete completed ratified enacted current",
    "rejected": "rejected reject declined refused denied",
    "deprecated": "deprecated obsolete retired outdated",
    "superseded": "superseded superceded superseeded replaced obsoleted overridden",
    "abandoned": "abandoned withdrawn cancelled canceled dropped postponed deferred",
    "archived": "archived",
}
_NAMES = {word: status for status, words in _SPELLINGS.items() for word in words.split()}
_WORD = re.compile(r"[A-Za-z]+")
_IMPLEMENTATION = LazyPattern(r"\b(not(?:\s+yet)?|partially|partly|fully)?[\s-]{0,3}implemented\b", re.I)
# Several at once, to choose from: a template's.
_CHOICE = LazyPattern(r"\w+[ \t]*\|[ \t]*\w+[^\n]*\|")
_RELATION = LazyPattern(
    r"(?P<superseded_by>(?:superseded|superceded|superseeded|replaced|obsoleted|overridden|deprecated)[ \t]{1,3}"
    r"(?:by|in[ \t]favou?r[ \t]of)"
    r"|replacement(?:[ \t]is)?:)"
    r"|(?P<supersedes>\b(?:supersedes?|supercedes?|replaces|obsoletes|overrides)\b)"
    r"|(?P<amended_by>\b(?:amended|extended|refined|clarified)[ \t]{1,3}by\b)"
    r"|(?P<amends>\b(?:amends|extends|refines|clarifies)\b)",
    re.I,
)
_REFERENCE = LazyPattern(
    r"\[(?P<text>[^\]\n]{0,200})\]\((?P<target>[^)\s]{1,400})\)"
    r"|\badr[\s_#-]{0,3}0*(?P<number>\d{1,5})\b(?!\.md)"
    r"|(?P<file>[\w./-]{0,200}\d[\w-]{0,100}\.(?:md|rst|adoc|markdown))"
    r"|(?<![\w#/.-])#?0*(?P<bare>\d{1,5})\b(?![./-]\d)",
    re.I,
)
_IN_NAME = LazyPattern(r"(?:adr[-_ ]?)?0*(\d{1,5})(?=[-_. ]|\Z)(?!-\d\d-\d\d)", re.I)
_IN_TEXT = LazyPattern(r"(?:adr[\s_#-]{0,3})?0*(\d{1,5})\b(?!-\d\d)", re.I)


@dataclass(frozen=True, slots=True)
class Status:
    """One of STATUSES or "", how it was said, whether it was carried out, and the date beside it."""

    name: str = ""
    said: str = ""
    implementation: str = ""
    date: When | None = None


NONE = Status()


@dataclass(frozen=True, slots=True)
class Named:
    """The records that a record says it stands for or gives way to."""

    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    amends: tuple[str, ...] = ()
    amended_by: tuple[str, ...] = ()


def read_status(said: str) -> Status:
    """The status that holds: what it was superseded by goes before all; in a list with dates, the last one; else the
    first that is named."""
    lines = [line for line in (plain(line.lstrip(">-*+ \t")) for line in said[:4_000].split("\n")) if line]
    if not lines or _CHOICE.search(said[:400]):
        return NONE
    whole = "\n".join(lines)
    found = [(name, next(dates_in(line), None)) for line in lines[:40] for name in _names_in(line)]
    dated = [one for one in found if one[1]]
    name, date = found[0] if found else ("", None)
    if len(dated) > 1:
        name, date = max(dated, key=lambda one: one[1].at if one[1] else 0)
    for other in _RELATION.finditer(whole):
        if other["superseded_by"]:
            name = "superseded"
    if len(lines) > 1 and ("superseded", None) in found:
        name = "superseded"
    carried = _IMPLEMENTATION.search(whole)
    extent = " ".join((carried[1] or "").lower().split()) if carried else ""
    implementation = f"{extent} implemented".strip().replace("partly", "partially") if carried else ""
    return Status(name, whole, implementation, date or next(dates_in(whole), None))


def _names_in(line: str) -> Iterator[str]:
    """The first status of a line. "Not accepted" and "to be decided" are none that was reached."""
    before = ""
    for word in _WORD.findall(line[:300]):
        small = word.lower()
        name = _NAMES.get(small)
        if name and before not in ("not", "be", "partially", "partly", "supersedes"):
            yield name
            return
        before = small


def references_in(text: str, folder: PurePosixPath, given: Mapping[str, str]) -> Named:
    """The records that a text names, and how; `given` is what fields say of them."""
    found: dict[str, list[str]] = {"supersedes": [], "superseded_by": [], "amends": [], "amended_by": []}
    for relation, said in given.items():
        found[relation] += _references(said, folder)
    for line in text.split("\n")[:400]:
        marks = list(_RELATION.finditer(line[:2_000]))
        for mark, end in zip(marks, [*(following.start() for following in marks[1:]), 2_000], strict=False):
            rest = line[mark.end() : end]
            found[str(mark.lastgroup)] += _references(rest, folder)
    return Named(**{relation: tuple(dict.fromkeys(names))[:REFERENCES_MAX] for relation, names in found.items()})


def _references(said: str, folder: PurePosixPath) -> Iterator[str]:
    for match in _REFERENCE.finditer(said[:2_000]):
        if match["number"]:
            yield f"ADR-{int(match['number'])}"
        elif match["target"] or match["file"]:
            if name := _from_link(match["text"] or "", match["target"] or match["file"], folder):
                yield name
        elif match["bare"] and not _is_year(match["bare"], said):
            yield f"ADR-{int(match['bare'])}"


def _is_year(digits: str, said: str) -> bool:
    return len(digits) == 4 and digits[:2] in ("19", "20") and f"0{digits}" not in said


def _from_link(text: str, target: str, folder: PurePosixPath) -> str:
    """By its number, which the file's name or the link's text has; else by its path. Issues are no records."""
    path = target.partition("#")[0]
    if re.match(r"https?:", path, re.I) and not path.lower().endswith((".md", ".rst", ".adoc", ".markdown", ".html")):
        return ""
    if found := _IN_NAME.match(PurePosixPath(path).stem) or _IN_TEXT.match(text.strip()):
        return f"ADR-{int(found[1])}"
    if not path or re.match(r"https?:", path, re.I):
        return ""
    return posixpath.normpath(posixpath.join(folder.as_posix(), path))
