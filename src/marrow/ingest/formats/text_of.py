"""The door to all formats: bytes with a name to readable text, or the reason why there is none."""

from __future__ import annotations

from pathlib import PurePosixPath

from ..item import Skipped
from .decoding import decode
from .notebook import notebook
from .pdf import pdf
from .prose import asciidoc, markdown, plain, restructured
from .text import TEXT_BYTES_MAX, Bounded, Text, bounded, joined
from .web_page import web_page
from .word import word_document
from .xml_text import BadXml, svg_text

FILE_BYTES_MAX = 64 * 1024 * 1024
# A text that is read whole to be turned into another: longer ones are cut before.
MARKUP_BYTES_MAX = 4 * 1024 * 1024

MARKDOWN = frozenset((".md", ".markdown", ".mdown", ".mkd", ".mdx", ".qmd", ".rmd"))
RESTRUCTURED = frozenset((".rst", ".rest"))
ASCIIDOC = frozenset((".adoc", ".asciidoc"))
HTML = frozenset((".html", ".htm", ".xhtml"))
WORD = frozenset((".docx", ".docm", ".dotx"))
PROSE = (
    MARKDOWN | RESTRUCTURED | ASCIIDOC | HTML | WORD | frozenset((".txt", ".text", ".org", ".tex", ".pdf", ".ipynb"))
)
_ARCHIVES = frozenset(
    ".zip .tar .gz .tgz .bz2 .tbz2 .xz .txz .zst .7z .rar .jar .war .ear .whl .egg .apk .ipa .deb .rpm .dmg .iso .cab "
    ".lz4 .br .lzma .nupkg .vsix .crate .gem".split()
)
_OFFICE = frozenset(".doc .rtf .odt .pptx .ppt .odp .xlsx .xls .ods .epub .pages .numbers".split())
_MAGIC = (
    *((mark, "an archive: unpack it first") for mark in (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf'\x1c")),
    *(
        (mark, "an archive: unpack it first")
        for mark in (b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"PK\x05\x06")
    ),
    *((mark, "a picture") for mark in (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8")),
    *((mark, "a program") for mark in (b"\x7fELF", b"\xca\xfe\xba\xbe", b"\0asm")),
    (b"SQLite format 3\0", "a database"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "in the old form of an office program: save it as DOCX, PDF or Markdown first",
    ),
)
_FIRST_BYTES = frozenset(magic[0] for magic, _ in _MAGIC)
_LFS = b"version https://git-lfs.github.com/spec/"


def text_of(path: str, data: bytes, limit: int = TEXT_BYTES_MAX) -> Text | Skipped:
    """The readable text of a file, at most `limit` bytes of it. Never raises for what stands in the file."""
    suffix = PurePosixPath(path).suffix.lower()
    refused = why_not(path, data, suffix)
    if refused:
        return Skipped(path, refused)
    found = _read(path, suffix, data)
    if isinstance(found, Skipped):
        return found
    kept = bounded(found.text, limit)
    return _with(path, found, kept)


def why_not(path: str, data: bytes, suffix: str) -> str:
    """Why a file is not even tried, by its name and its first bytes; "" when it is."""
    if len(data) > FILE_BYTES_MAX:
        return f"it has {len(data):,} bytes; at most {FILE_BYTES_MAX:,} are read"
    if not data or (not data[:4_096].strip() and not data.strip()):
        return "it is empty"
    if suffix in WORD:
        return ""  # A zip, and read as one.
    if suffix in _ARCHIVES:
        return "it is an archive: unpack it first"
    if suffix in _OFFICE:
        return f"{suffix} is not read: save it as DOCX, PDF or Markdown first"
    if data[0] in _FIRST_BYTES:
        for magic, what in _MAGIC:
            if data.startswith(magic):
                return f"it is {what}"
    if data.startswith(_LFS):
        return "it is a pointer of Git LFS: the file itself is not here"
    return ""


def _read(path: str, suffix: str, data: bytes) -> Text | Skipped:
    if suffix == ".pdf" or data.startswith(b"%PDF-"):
        return pdf(path, data)
    if suffix in WORD:
        return word_document(path, data)
    if suffix == ".svg":
        return _drawing(path, data)
    decoded = decode(data)
    if not decoded.encoding:
        return Skipped(path, "it is binary")
    text, problem = decoded.text, decoded.problem
    if suffix == ".ipynb":
        found = notebook(path, text)
    else:
        if len(text) > MARKUP_BYTES_MAX:
            problem = joined(problem, f"only the first {MARKUP_BYTES_MAX:,} of {len(text):,} characters were read")
        found = _prose(suffix, _lines(text[:MARKUP_BYTES_MAX]))
    if isinstance(found, Skipped) or not problem:
        return found
    return _changed(found, found.text, joined(problem, found.problem))


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _prose(suffix: str, text: str) -> Text:
    if suffix in MARKDOWN:
        return markdown(text)
    if suffix in HTML or (not suffix and text[:200].lstrip().lower().startswith(("<!doctype html", "<html"))):
        return web_page(text)
    if suffix in RESTRUCTURED:
        return restructured(text)
    return asciidoc(text) if suffix in ASCIIDOC else plain(text)


def _drawing(path: str, data: bytes) -> Text | Skipped:
    try:
        title, text = svg_text(data)
    except BadXml as problem:
        return Skipped(path, f"it is no sound SVG: {problem}")
    return Text(text or title, "svg", title) if text or title else Skipped(path, "it has no text")


def _with(path: str, found: Text, kept: Bounded) -> Text | Skipped:
    if kept.is_binary:
        return Skipped(path, "it is binary")
    if not any(map(str.isalnum, kept.text)):  # nor have the marks of a heading alone
        return Skipped(path, "it has no text")
    if kept.text is found.text and not kept.problem:
        return found
    return _changed(found, kept.text, joined(found.problem, kept.problem))


def _changed(found: Text, text: str, problem: str) -> Text:
    lines = text.count("\n") + 1
    return Text(
        text,
        found.format,
        found.title,
        problem,
        found.date,
        found.status,
        found.language,
        found.pages,
        tuple(heading for heading in found.headings if heading.line <= lines),
        found.fields,
    )
