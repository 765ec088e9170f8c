"""One file, whatever it is: which reader it is for, and what that makes of it. Nothing here opens a file."""

from __future__ import annotations

import hashlib
import re
from pathlib import PurePosixPath

from ..codemap.languages.table import language_of
from ..codemap.skipped import GENERATED, MINIFIED, named_as_generated, why_skipped
from ..model.draft import Draft
from ..repository.file_sorts import is_binary_name, is_generated, is_inside_git, is_secret
from .adr import adr_item, is_adr
from .code_title import code_title
from .dates import no_date, read_date
from .file_kinds import (
    DATA_SUFFIXES,
    RECORDING,
    elsewhere,
    named_language,
    no_document,
    other_language,
    scripted_language,
    spoken_or_logged,
)
from .formats.decoding import decode
from .formats.header import CHANGED, DATES, TITLES, first_said, sheet_fields
from .formats.text import TEXT_BYTES_MAX, Text, as_title, bounded, joined
from .formats.text_of import FILE_BYTES_MAX, PROSE, text_of, why_not
from .incident import incident_item, is_incident
from .item import Item, Skipped
from .meeting import CAPTION_SUFFIXES
from .meeting_files import file_item, meeting_of
from .placing import day, filled, first_line, place, said_at, tags_in
from .sections import is_section_name, key_of

CODE, DOCUMENT = "code", "document"
SHEET_BYTES_MAX = 16_384
_READ_ANYWAY = frozenset((".pdf",))
_CHANGELOGS = frozenset(("changelog", "changes", "history", "news", "releases", "releasenotes", "whatsnew"))
_VERSION = re.compile(r"\W*(?:(?:v|version)?\W?\d+(?:\.|\W*\Z)|(?:tbd|unreleased|next|upcoming)\b)", re.IGNORECASE)


def read_file(
    path: str,
    data: bytes,
    *,
    root: str = "",
    title: str = "",
    service: str = "",
    digest: str = "",
    now: int | None = None,
    is_own: bool = False,
) -> list[Item | Skipped]:
    """What a file says, as items to be taken in, or the reason why it is left out. Never raises for what stands in it.

    `root` is the project's own folder where the file lies inside it: then the item is anchored on the file. `digest` is
    the sha256 of `data` where the caller has it already. `is_own`: it is known to be nothing that was built, wherever
    it lies.
    """
    name = path.rpartition("/")[2]
    suffix = _suffix(name)
    if refused := _refused(path, suffix, data, is_own):
        return [Skipped(path, refused)]
    digest = digest or hashlib.sha256(data).hexdigest()
    if suffix in CAPTION_SUFFIXES:
        return [_captions(path, data, root=root, title=title, service=service, digest=digest)]
    language = language_of(path)
    if suffix in PROSE or language == "markdown":
        language = named_language(name)
    else:
        language = language or other_language(name, suffix) or scripted_language(data)
        if (not language or suffix in DATA_SUFFIXES) and (refused := no_document(path, suffix, data)):
            return [Skipped(path, refused)]
    if language == "yaml" and (sheet := _sheet(data)) is not None:
        return [_written(path, sheet, root=root, title=title, service=service, digest=digest, size=len(data), now=now)]
    if language:
        return [_code(path, suffix, data, language, root=root, title=title, service=service, digest=digest)]
    found = text_of(path, data)
    if isinstance(found, Skipped):
        return [found]
    return [_written(path, found, root=root, title=title, service=service, digest=digest, size=len(data), now=now)]


def _sheet(data: bytes) -> Text | None:
    """What a file of data says about a document: it is found, dated and stands as one."""
    decoded = decode(data[: SHEET_BYTES_MAX + 1])
    fields = sheet_fields(decoded.text) if decoded.encoding and len(data) <= SHEET_BYTES_MAX else {}
    if not fields:
        return None
    said = (first_said(fields, names) for names in (TITLES, DATES, ("status",)))
    title, date, status = said
    return Text(decoded.text, "yaml", title, date=date, status=status[:100], fields=fields)


def _suffix(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return f".{ending.lower()}" if dot and stem else ""


def _refused(path: str, suffix: str, data: bytes, is_own: bool) -> str:
    """Why a file is left out by its name, its place or its first bytes."""
    if is_secret(path):
        return "by its name it holds secrets, so it is never read"
    if is_inside_git(path):
        return "it belongs to git itself"
    if len(data) > FILE_BYTES_MAX:
        return f"it has {len(data):,} bytes; at most {FILE_BYTES_MAX:,} are read"
    if suffix not in CAPTION_SUFFIXES and (reader := elsewhere(suffix, path)):
        return reader
    refused = why_not(path, data, suffix) or spoken_or_logged(path, suffix, data)
    if refused:
        return refused
    if suffix not in _READ_ANYWAY and is_binary_name(path):
        return "it is binary"
    # A folder above the repository may be called build; one inside of it holds what was built.
    if named_as_generated(path) or (not path.startswith("/") and is_generated(path, is_own=is_own)):
        return "it is generated, or lies in a folder of what is built or copied"
    return ""


def _captions(path: str, data: bytes, *, root: str, title: str, service: str, digest: str) -> Item | Skipped:
    """Those of a film, in which nobody has a name, are left to who asks for them."""
    found = text_of(path, data)
    if isinstance(found, Skipped):
        return found
    meeting = meeting_of(path, found.text)
    if meeting is None:
        return Skipped(path, RECORDING)
    return file_item(
        meeting, path, root=root, title=title, service=service, digest=digest, size=len(data), problem=found.problem
    )


def _code(
    path: str, suffix: str, data: bytes, language: str, *, root: str, title: str, service: str, digest: str
) -> Item | Skipped:
    refused = why_skipped(data[:TEXT_BYTES_MAX])
    if refused in (GENERATED, MINIFIED) and suffix not in DATA_SUFFIXES:
        return Skipped(path, f"it is {refused}")
    decoded = decode(data)
    kept = bounded(decoded.text)
    if not decoded.encoding or kept.is_binary:
        return Skipped(path, "it is binary")
    if not kept.text.strip():
        return Skipped(path, "it is empty")
    lies = place(path, root)
    called = as_title(title) or code_title(path, kept.text, language)
    draft = Draft(
        content=kept.text,
        kind=CODE,
        anchors=lies.anchors,
        service=service,
        source=CODE,
        metadata={"path": lies.path, "title": called, "language": language, **first_line(kept.text)},
    )
    return Item(draft, lies.path, digest, joined(decoded.problem, kept.problem), len(data))


def _written(
    path: str, found: Text, *, root: str, title: str, service: str, digest: str, size: int, now: int | None
) -> Item:
    """A document, or what its path and form say that it is."""
    if found.format not in ("notebook", "svg"):
        if is_adr(path, found.text):
            return adr_item(
                path, found.text, title=title, service=service, root=root, digest=digest, size=size,
                problem=found.problem, now=now,
            )  # fmt: skip
        if is_incident(path, found.text):
            return incident_item(
                path, found.text, title=title, service=service, root=root, digest=digest, size=size,
                problem=found.problem, now=now,
            )  # fmt: skip
        if (meeting := meeting_of(path, found.text)) is not None:
            return file_item(
                meeting, path, root=root, title=title, service=service, digest=digest, size=size, problem=found.problem
            )
    lies = place(path, root)
    when = read_date(found.date)
    changed = read_date(first_said(found.fields, CHANGED))
    author = found.fields.get("author")
    metadata = filled(
        path=lies.path,
        title=as_title(title) or _title(path, found.title, found.text),
        format=found.format,
        language=found.language,
        pages=found.pages,
        date=day(when),
        changed=day(changed) if when and changed and changed.at > when.at else "",
        status=found.status,
        author=author[:200] if isinstance(author, str) else "",
    )
    draft = Draft(
        content=found.text,
        kind=DOCUMENT,
        tags=tags_in(found.fields),
        anchors=lies.anchors,
        at=said_at(when, now),
        service=service,
        source=DOCUMENT,
        metadata={**metadata, **first_line(found.text)},
    )
    undated = "" if when else no_date(first_said(found.fields, DATES))
    return Item(draft, lies.path, digest, joined(found.problem, when.note if when else undated), size)


def _title(path: str, said: str, text: str) -> str:
    """What a document calls itself. A changelog begins with its latest version, which is no name for all of them; a
    proposal often with its first section, and a template with a comment. Else its first line will do."""
    stem = PurePosixPath(path.replace("\\", "/")).stem
    named = re.sub(r"[-_]+", " ", stem).strip()
    if is_section_name(said) and key_of(said) != named.lower() and stem.lower() not in ("readme", "index"):
        return named or said
    if not any(map(str.isalnum, said)):
        return path.replace("\\", "/").rpartition("/")[2] if _begins_with_marks(text) else ""
    is_changelog = re.sub(r"[-_ ]", "", stem).lower() in _CHANGELOGS
    return stem if is_changelog and _VERSION.match(said) else said


def _begins_with_marks(text: str) -> bool:
    """Whether the first line is none that says anything: a comment, or the beginning of one."""
    first = text.lstrip().partition("\n")[0]
    return first.startswith("<!--") or not any(map(str.isalnum, first))
