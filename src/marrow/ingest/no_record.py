"""What lies among records and is none: the templates that they are written from, the lists of them, and how they are
kept."""

from __future__ import annotations

import re
from collections.abc import Collection

from .lazy_pattern import LazyPattern
from .sections import Outline

_ABOUT = (
    "adrs? madr decisions? decision-records? records? architecture architectural rcas? incidents? incident-reports? "
    "reports? post-?mortems? reviews? nygard"
).replace(" ", "|")
# What else stands in the name of a form to fill in; in any other, a template is what the record is about.
_OF_A_FORM = r"short|long|minimal|bare|full|basic|simple|default|new|our|my|example|sample|v?\d+|[a-z]{2}"
_NAMES = LazyPattern(
    rf"(?:(?:{_ABOUT}|0+)[-_. ])*(?:readme|_?index|_category_|toc|overview|about|summary|glossary|log|changelog|license"
    r"|contributing|process|policy|guide|guidelines|how-?to.*)\Z|adr-?log\Z"
    rf"|(?!0*[1-9]\d*[-_. ])(?:.*[-_. ])?templates?(?:[-_. ](?:{_ABOUT}|{_OF_A_FORM}))*\Z"
    rf"|(?:(?:{_ABOUT}|outages?|on-?call|emergency|security)[-_. ])*(?:run-?book|play-?book)\Z",
    re.I,
)
_TITLES = LazyPattern(
    r"(?:.*\b(?:m?adr|decision|record|report|review|analysis|rca|post-?\s?mortem|incident)\s)?templates?\W*\Z"
    r"|templates?\s(?:for|of)\s(?:an?\s|the\s|new\s)?(?:adrs?|architect|decision|incident|post-?\s?mortem|rca)",
    re.I,
)
# What is to be filled in. A link in square brackets is a name.
_FILL = r"(?:title|short|summary|number|name|date|yyyy|incident|problem|solution|solved|decision|describe|description)"
_TO_FILL_IN = LazyPattern(
    rf"\{{[^{{}}\n]{{0,80}}\b{_FILL}\b[^{{}}\n]{{0,80}}\}}|<[^<>\n]{{0,80}}\b{_FILL}\b[^<>\n]{{0,80}}>"
    rf"|\[[^\[\]\n]{{0,80}}\b{_FILL}\b[^\[\]\n]{{0,80}}\](?!\()",
    re.I,
)
_ASKED_FOR = LazyPattern(r"\W*[\[{<].*[\]}>]\W*\Z")
_LINK = LazyPattern(
    r"\]\([^)\s]{1,300}\.(?:md|markdown|rst|adoc|txt|html)(?:#[^)\s]{0,200})?\)|<<[^<>\n]{1,200}>>|xref:"
)
LINKS_LEAST = 2


def is_so_named(stem: str) -> bool:
    """Whether a file by this name holds no record, whatever stands in it."""
    return bool(_NAMES.match(stem))


def is_to_fill_in(shape: Outline, parts: Collection[str], *, is_numbered: bool = False) -> bool:
    """Whether it is a form that nobody filled in: its title says so, or of the sections that make it a record, `parts`,
    none has any text. One that has its number already is a record that was begun."""
    title = shape.title or shape.field("title")
    if _TITLES.match(title) or (not is_numbered and _TO_FILL_IN.search(title)):
        return True
    bodies = [one.body for one in shape.sections if one.key in parts]
    return not is_numbered and len(bodies) > 1 and not any(_says(body) for body in bodies)


def is_list(shape: Outline, text: str, parts: Collection[str]) -> bool:
    """Whether it only lists others: most of its lines link to files, and it has no section that a record has."""
    if not shape.keys().isdisjoint(parts):
        return False
    lines = [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
    links = sum(bool(_LINK.search(line[:1_000])) for line in lines)
    return links >= LINKS_LEAST and 2 * links >= len(lines)


def _says(body: str) -> bool:
    """Whether anything stands there but headings, and what asks to be replaced."""
    lines = (line.strip() for line in body.split("\n"))
    told = (line for line in lines if not line.startswith("#") and not _ASKED_FOR.match(line[:2_000]))
    return any(line.strip(" -*+|:_.\"'`[]") for line in told)
