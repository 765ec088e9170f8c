"""What was read on the web: where, what for, and the first of what it says."""

from __future__ import annotations

import re
from collections.abc import Mapping

from .call import Call, first_text, readable
from .junk import is_service_error
from .lines import fit, meaningful, one_line
from .piece import OTHER, Piece

LEAST_SAID = 60
_TITLE = re.compile(r"<title[^>]*>([^<]{1,300})</title>|^#\s+(.+)$|^Title:\s*(.+)$", re.I | re.M)
_TAGS = re.compile(r"<(script|style)\b[\s\S]*?</\1>|<[^>]{1,400}>", re.I)
_LINK = re.compile(r"https?://[^\s\"'<>)\]}]+")
_SCHEME = re.compile(r"^https?://(?:www\.)?")
_NOTHING = re.compile(
    r"(?i)\s*(?:no (?:results|information|relevant)|the (?:page|content) (?:does not|doesn't|is empty)|redirect|i "
    r"(?:cannot|can't|don't))"
)


def web_piece(call: Call) -> Piece | None:
    address = first_text(call.input, ("url", "uri", "link", "href"))
    query = first_text(call.input, ("query", "q", "search_term", "searchTerm", "search_query"))
    text = call.text
    if (not address and not query) or is_service_error(text) or _NOTHING.match(text):
        return None
    titled = _TITLE.search(text[:20_000])
    lines = [line for line in meaningful(_TAGS.sub(" ", text)) if len(line) > 20 and not line.startswith(("{", "["))]
    if sum(len(line) for line in lines) < LEAST_SAID:
        return None
    if query and not address:
        return _found(call, query, lines)
    place = _SCHEME.sub("", address).rstrip("/")
    title = one_line(next((part for part in titled.groups() if part), "")) if titled else ""
    asked = first_text(call.input, ("prompt",))
    told = f"{place}: {title}. " if title else f"{place}. "
    told += f"Asked: {fit(asked, 80)}. " if asked else ""
    body = [line for line in lines if line != title and line != f"# {title}"]
    return Piece(
        call,
        OTHER,
        f"Read {fit(title, 70) if title else fit(place, 70)}",
        told + fit(" ".join(body), 200),
        "\n".join(body[:8]),
        key=f"web {address}",
    )


def _found(call: Call, query: str, lines: list[str]) -> Piece:
    links = _LINK.findall(readable(call.output) if not isinstance(call.output, Mapping) else call.text)
    places = ", ".join(dict.fromkeys(_SCHEME.sub("", link).rstrip("/.,") for link in links[:3]))
    told = f"Searched the web for “{fit(query, 100)}”. {places}"
    return Piece(call, OTHER, f"Web search: {query}", told, "\n".join(lines[:6]), key=f"web {query}")
