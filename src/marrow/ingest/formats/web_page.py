"""HTML: its headings, paragraphs, lists, tables and code as Markdown, without scripts, styles and navigation.

The tags are read by a scanner of our own that goes over the text once: the standard library's parser takes time that
grows with the square of some broken pages. There is no tree, so depth costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import unescape

from ..dates import read_date
from .prose import markdown_headings
from .text import Text, as_title

_NESTED_LISTS_MAX = 12
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9:-]{0,40})")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]{1,60})(?:\s{0,8}=\s{0,8}("[^"]*"|'[^']*'|[^\s"'>]{1,2000}))?""")
_QUOTED = re.compile(r""">|"[^"]*"|'[^']*'""")
_SPACES = re.compile(r"[ \t\r\n\f\u00a0]+")
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")
_TAG_LENGTH_MAX = 8_192
# What stands between these tags is no markup, and none of it is read.
_RAW = frozenset("script style noscript template textarea xmp iframe noembed noframes svg math canvas object".split())
_APART = frozenset("nav aside footer menu dialog select button".split())
_APART_ROLES = frozenset("navigation banner contentinfo search complementary menu menubar toolbar".split())
_NEVER_APART = frozenset("input img br hr body html main".split())
_BLOCKS = frozenset(
    "p div section article main header body html figure figcaption address blockquote dl dt dd fieldset form details "
    "summary center hgroup table thead tbody tfoot caption".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_DATES = frozenset("article:published_time article:modified_time date dc.date dcterms.created dcterms.modified".split())
_MAIN_ENOUGH = 200


@dataclass(slots=True)
class _Page:
    """What was read so far. `apart` is the element that is left out, and how many of its name are open."""

    out: list[str] = field(default_factory=list)
    lists: list[list[int]] = field(default_factory=list)
    title: list[str] = field(default_factory=list)
    date: str = ""
    in_title: bool = False
    in_head: bool = False
    preformatted: bool = False
    cells: int = 0
    apart: str = ""
    apart_depth: int = 0
    left_out: bool = False
    main_start: int = -1
    main_end: int = -1


def web_page(text: str) -> Text:
    page = _read(text, keep_all=False)
    written = _written(page)
    if page.left_out and len(written) < 20:
        page = _read(text, keep_all=True)  # Everything stood in what is usually left out, or that was never closed.
        written = _written(page)
    headings = tuple(heading for heading, _ in zip(markdown_headings(written), range(2_000), strict=False))
    top = next((heading.text for heading in headings if heading.level == 1), "")
    title = top or _SPACES.sub(" ", "".join(page.title))
    return Text(written, "html", as_title(title), date=page.date, headings=headings)


def _read(text: str, *, keep_all: bool) -> _Page:
    page = _Page()
    for name, closes, attributes, words in _parts(text):
        if words:
            _say(page, words)
        elif name:
            _meet(page, name, closes, attributes, keep_all)
    return page


def _written(page: _Page) -> str:
    end = page.main_end if page.main_end >= 0 else len(page.out)
    main = _tidied("".join(page.out[page.main_start : end])) if page.main_start >= 0 else ""
    return main if len(main) >= _MAIN_ENOUGH else _tidied("".join(page.out))


def _tidied(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    return _BLANK_LINES.sub("\n\n", "\n".join(lines)).strip("\n")


def _parts(text: str) -> Iterator[tuple[str, bool, str, str]]:
    """The page in pieces: (tag, whether it closes, its attributes, "") or ("", False, "", words)."""
    at, length = 0, len(text)
    while at < length:
        opened = text.find("<", at)
        if opened < 0:
            opened = length
        if opened > at:
            yield "", False, "", text[at:opened]
        if opened >= length:
            return
        if text.startswith("<!--", opened):
            end = text.find("-->", opened + 4)
            at = end + 3 if end >= 0 else length
        elif text.startswith(("<!", "<?"), opened):
            end = text.find(">", opened)
            at = end + 1 if end >= 0 else length
        elif tag := _TAG.match(text, opened):
            name, end = tag[2].lower(), _end_of_tag(text, tag.end())
            yield name, bool(tag[1]), text[tag.end() : end], ""
            at = end + 1
            if name in _RAW and not tag[1] and text[end - 1 : end] != "/":
                at = _after_raw(text, name, at)
        else:
            yield "", False, "", "<"
            at = opened + 1


def _end_of_tag(text: str, at: int) -> int:
    """Where a tag ends: at the first > that is in no quotes, not too far away; else at the first > of all."""
    limit = at + _TAG_LENGTH_MAX
    for found in _QUOTED.finditer(text, at, limit):
        if found[0] == ">":
            return found.start()
    end = text.find(">", at, limit)
    return end if end >= 0 else min(limit, len(text))


def _after_raw(text: str, name: str, at: int) -> int:
    closing = re.compile(rf"</{name}[\s>/]", re.I).search(text, at)
    return closing.start() if closing else len(text)


def _say(page: _Page, words: str) -> None:
    if page.in_title and len(page.title) < 20:
        page.title.append(unescape(words))
    if page.apart or page.in_head or page.in_title:
        return
    said = unescape(words) if "&" in words else words
    if not page.preformatted:
        said = _SPACES.sub(" ", said)
        if said == " " and (not page.out or page.out[-1].endswith(("\n", " "))):
            return
        if not page.out or page.out[-1].endswith("\n"):
            said = said.lstrip(" ")
    page.out.append(said)


def _meet(page: _Page, name: str, closes: bool, attributes: str, keep_all: bool) -> None:
    if page.apart:
        if name == page.apart:
            page.apart_depth += -1 if closes else 1
            page.apart = page.apart if page.apart_depth else ""
        return
    if name == "title":
        page.in_title = not closes and not page.title
    elif name == "head":
        page.in_head = not closes
    elif name in _BLOCKS or name in _HEADINGS:
        page.in_head = page.in_title = False  # Whether or not it was closed.
    elif name == "meta" and not page.date:
        page.date = _date_in(attributes)
    if page.in_head:
        return
    about = _attributes(attributes) if attributes.strip(" /\n\t") and not closes else {}
    is_apart = name in _APART or about.get("role", "") in _APART_ROLES or "hidden" in about
    if is_apart and not closes and not keep_all and name not in _NEVER_APART:
        page.apart, page.apart_depth, page.left_out = name, 1, True
        return
    if name == "main" or about.get("role") == "main":
        if closes:
            page.main_end = len(page.out)
        elif page.main_start < 0:
            page.main_start = len(page.out)
    _write(page, name, closes, about)


def _write(page: _Page, name: str, closes: bool, about: dict[str, str]) -> None:
    out = page.out
    if name == "table":
        page.cells = 0
    if name in _HEADINGS:
        out.append("\n\n" if closes else f"\n\n{'#' * _HEADINGS[name]} ")
    elif name == "pre":
        page.preformatted = not closes
        ended = bool(out) and out[-1].endswith("\n")
        out.append(("" if ended else "\n") + "```\n\n" if closes else "\n\n```\n")
    elif name == "code" and not page.preformatted:
        out.append("`")
    elif name in ("ul", "ol"):
        _list(page, name, closes)
    elif name == "li" and not closes:
        depth = min(len(page.lists), _NESTED_LISTS_MAX)
        numbers = page.lists[-1] if page.lists else [0]
        numbers[0] += 1 if numbers[0] else 0
        out.append(f"\n{'  ' * max(0, depth - 1)}{f'{numbers[0] - 1}.' if numbers[0] else '-'} ")
    elif name == "tr":
        page.cells = 0
        out.append(" |" if closes else "\n")
    elif name in ("td", "th") and not closes:
        out.append("| " if not page.cells else " | ")
        page.cells += 1
    elif name in ("br", "hr"):
        out.append("\n")
    elif name == "img" and about.get("alt", "").strip():
        _say(page, about["alt"])
    elif name == "time" and not closes and not page.date and read_date(about.get("datetime", "")):
        page.date = about["datetime"][:40]
    elif name in _BLOCKS and not page.cells and not (out and _is_list_mark(out[-1])):
        out.append("\n\n")


def _is_list_mark(written: str) -> bool:
    """A paragraph within an item of a list begins beside its mark."""
    mark = written.strip()
    return written.startswith("\n") and (mark == "-" or (mark.endswith(".") and mark[:-1].isdigit()))


def _list(page: _Page, name: str, closes: bool) -> None:
    if not closes:
        page.lists.append([1 if name == "ol" else 0])
    elif page.lists:
        page.lists.pop()
    if not page.lists:
        page.out.append("\n\n")


def _attributes(said: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in _ATTRIBUTE.findall(said[:_TAG_LENGTH_MAX]):
        found.setdefault(name.lower(), unescape(value.strip("\"'"))[:2_000])
    return found


def _date_in(said: str) -> str:
    about = _attributes(said)
    named = (about.get("property") or about.get("name") or about.get("itemprop") or "").lower()
    written = about.get("content", "")[:40]
    return written if named in _DATES and read_date(written) else ""
