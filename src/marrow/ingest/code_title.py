"""What a source file is called: by the first comment in it that tells something, or else by its name."""

from __future__ import annotations

import re

from .formats.text import as_title
from .lazy_pattern import LazyPattern

HEAD_LENGTH, LINES_MAX, TITLE_LENGTH_MAX = 4_000, 60, 120
WORDS_MIN = 2
# Files of lists and data, which have no head that would say what they are for.
_BY_NAME = frozenset(("ignore rules", "code owners", "requirements", "json", "go module", "xml"))
_OPENING = LazyPattern(
    r"[rRuUbB]{0,2}(?:\"\"\"|''')|/\*+!?|<!--|\{-+\|?|\(\*+|--+\[\[|=begin\b|///?!?|#+!?|--+\|?|;+|%+|\*+(?!/)|@?rem\b|'+(?=\s)|\"(?=\s)",
    re.I,
)
_CLOSING = LazyPattern(r"(?:\"\"\"|'''|\*+/|-->|-+\}|\*\)|\]\]|=end)\s*\Z")
# A block that goes on until it is closed: its lines need no mark of their own.
_BLOCKS = {
    '"""': '"""',
    "'''": "'''",
    "/*": "*/",
    "<!--": "-->",
    "{-": "-}",
    "(*": "*)",
    "--[[": "]]",
    "=begin": "=end",
}
# Said to programs and lawyers, and not about the file.
_NOT_TELLING = LazyPattern(
    r"-\*-|vim?:|copyright\b|\(c\)|©|spdx|licen[cs]ed?\b|all rights reserved|permission is hereby|redistribution"
    r"|use of this source|this (?:file|program|software) is (?:part|free|distributed)|you may (?:not )?(?:use|obtain)"
    r"|eslint|jshint|prettier|pylint|ruff|noqa|flake8|mypy|type:|ts-|@ts|tslint|coding[:=]|pragma|shellcheck|yaml-language"
    r"|@?(?:file|author|date|version|package|module|flow|jsx|format|generated|license|copyright)\b(?!\s+\w+\s+\w+)"
    r"|\$?id:|https?://\S+\Z|go:build|\+build|use strict|frozen_string_literal|nolint|syntax=|region\b",
    re.I,
)
_LICENCE = LazyPattern(
    r"copyright\b|\(c\) |©|spdx|licen[cs]ed? |permission is hereby|redistribution and use"
    r"|\b(?:subject to|under) the terms of\b|source code form\b|any copyright is dedicated|public domain\b",
    re.I,
)
_TAG = LazyPattern(r"@(?:file|fileoverview|brief|desc|description|module)\b:?\s*", re.I)
# What may stand before the first comment: how it is to be run, and the guards of a header.
_BEFORE = LazyPattern(
    r"<\?(?:php|xml)\b|#!|['\"]use strict['\"]|#\s?(?:include|import|define|undef|if|ifdef|ifndef|endif|pragma)\b", re.I
)
_MODE_LINE = LazyPattern(r"\s*-\*-.*")


def code_title(path: str, text: str, language: str) -> str:
    """At most one line. A name is the file's own, without its folders."""
    name = path.replace("\\", "/").rpartition("/")[2]
    if language in _BY_NAME:
        return name
    return _told(text[:HEAD_LENGTH]) or name


def _told(head: str) -> str:
    until, is_licence = "", False
    for line in head.split("\n", LINES_MAX)[:LINES_MAX]:
        bare = line.strip()
        if not bare:
            # A licence ends where its paragraph does, unless it says more.
            is_licence = is_licence and bool(until)
            continue
        if not until and _BEFORE.match(bare):
            continue
        opening = None if until and not bare.startswith(("*", "#")) else _OPENING.match(bare)
        if not until and opening is None:
            return ""
        mark = opening[0].lower().lstrip("rub") if opening else ""
        said = bare[opening.end() :] if opening else bare
        if not until:
            until = next((close for start, close in _BLOCKS.items() if mark.startswith(start)), "")
        is_closed = bool(until) and until in said
        said = _MODE_LINE.sub("", _TAG.sub("", _CLOSING.sub("", said).strip())).strip()
        if _LICENCE.search(said):
            is_licence = True
        if not is_licence and not _NOT_TELLING.match(said) and _tells(said):
            return _sentence(said)
        if is_closed:
            until, is_licence = "", False
    return ""


def _tells(said: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", said)
    letters = sum(map(len, words))
    return len(words) >= WORDS_MIN and letters * 2 > len(said.replace(" ", ""))


def _sentence(said: str) -> str:
    """The first sentence of a line."""
    title = as_title(said)
    first = re.match(r".{12,}?[.!?](?=\s|\Z)", title)
    title = (first[0] if first else title).rstrip(".:,;- ")
    return title if len(title) <= TITLE_LENGTH_MAX else title[: TITLE_LENGTH_MAX - 1].rsplit(" ", 1)[0] + "…"
