"""PDF: its text page by page, read by pypdf in a process of its own.

A PDF is a program of sorts. A hostile one can keep a reader busy for ever, fill its memory or break it in ways that no
list of errors names; a process can be ended, and whatever became of it is one reason in the report.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.util import find_spec

from ..item import Skipped
from ..lazy_pattern import LazyPattern
from .text import Text, as_title

SECONDS_MAX = 40.0
# What programs put there by themselves: a file's name, or nothing.
_NO_TITLE = LazyPattern(
    r"(?:untitled|unknown|no title|title|document|slide)\s?\d*\Z|microsoft (?:word|powerpoint|excel) - |\S+\.\w{2,5}\Z",
    re.I,
)
_PAGE = LazyPattern(r"\[page \d+\]")
MISSING = "reading PDF needs the extra `documents`: pip install 'marrow[documents]'"


def pdf(path: str, data: bytes, *, seconds: float = SECONDS_MAX) -> Text | Skipped:
    """A line `[page 3]` stands before each page, so that a page can be named."""
    if b"%PDF-" not in data[:1_024]:
        return Skipped(path, "it is no PDF, whatever its name says")
    if find_spec("pypdf") is None:
        return Skipped(path, MISSING)
    found = _read_apart(data, seconds)
    if isinstance(found, str):
        return Skipped(path, found)
    said = {key: str(found.get(key) or "") for key in ("skipped", "text", "title", "date", "problem", "author")}
    if said["skipped"]:
        return Skipped(path, said["skipped"])
    fields = {"author": said["author"][:200]} if said["author"] else {}
    pages = found.get("pages")
    return Text(
        said["text"],
        "pdf",
        _title(said["title"], said["text"]),
        said["problem"],
        date=said["date"][:40],
        pages=pages if isinstance(pages, int) else 0,
        fields=fields,
    )


def _title(given: str, text: str) -> str:
    """What the document says that it is called, unless that is what a program wrote there; else its first line."""
    if given.strip() and not _NO_TITLE.match(given.strip()):
        return as_title(given)
    for line in text[:4_000].split("\n"):
        bare = line.strip()
        if not _PAGE.fullmatch(bare) and sum(map(str.isalpha, bare)) >= 3:
            return as_title(bare)
    return ""


def _read_apart(data: bytes, seconds: float) -> dict[str, object] | str:
    """What the process found, or why there is nothing."""
    import subprocess

    command = [sys.executable, "-P", "-m", f"{__package__}.pdf_pages", str(seconds * 0.75)]
    try:
        done = subprocess.run(
            command, input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return f"reading this PDF took more than {seconds:g} seconds"
    except OSError as problem:
        return f"no process could be started to read this PDF: {problem.strerror}"
    try:
        found = json.loads(done.stdout)
    except ValueError:
        return "it is no sound PDF: its reader broke on it"
    return found if isinstance(found, dict) else "it is no sound PDF: its reader broke on it"
