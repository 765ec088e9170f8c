"""Take in meetings and designs, from text or from media. What is said in a recording and written in an image is
computed once for each file, whatever it is called; a file that cannot be read now waits, and is not lost."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ...derive.run import derive
from ...derive.table import Input, table_of
from ...ingest.design import KIND as DESIGN
from ...ingest.design import (
    PDF_SUFFIX,
    SVG_SUFFIX,
    Design,
    design_item,
    is_design,
    seen_design,
    svg_design,
    text_design,
    title_of,
)
from ...ingest.formats.text_of import text_of
from ...ingest.item import Item, Skipped
from ...ingest.meeting import CAPTION_SUFFIXES, Meeting, is_recording, meeting_item, read_meeting, spoken_meeting
from ...ingest.meeting import KIND as MEETING
from ...ingest.placing import place
from ...ingest.spoken import Utterance
from ...model.derivation import DONE, Derived
from ...model.errors import Invalid, MarrowError, TooLarge, Unavailable
from ...model.moments import moment
from ...model.moments import parse as parse_moment
from ...model.record import CURRENT, Filter
from ...model.text import name as short_name
from ...providers.sight import Seen
from ...providers.speech import RECORDING_BYTES_MAX, Transcript
from ...settings import Settings
from ...store.receive import redacted_name
from ..derivations import workshop
from ..engine import Asker, Engine
from ..files import existing_file, opened
from .codebase import committed_at
from .kept_path import kept_path
from .media_makers import DESCRIPTION, IMAGE_TEXT, TRANSCRIPT, MediaMakers
from .settled import SETTLE
from .take_in import Progress, TakenIn, take_in

TEXT_BYTES_MAX = 16 * 1024 * 1024
CHUNK = 1024 * 1024
# Paths of what came by these readers: a codebase that is read again must not take them for files that are gone.
PREFIXES = {MEETING: "meeting:", DESIGN: "design:"}
NAMES = {MEETING: "a recording that is not transcribed yet", DESIGN: "an image whose text is not recognised yet"}
ADDED, CHANGED, UNCHANGED, QUEUED = "added", "changed", "unchanged", "queued"


@dataclass(frozen=True, slots=True)
class About:
    """What is known of a file before it is read, and what the caller says about it."""

    kind: str
    path: str = ""
    file: str = ""
    title: str = ""
    at: int | None = None
    attendees: tuple[str, ...] = ()
    feature: str = ""
    url: str = ""
    service: str = ""
    digest: str = ""
    size: int = 0
    mtime_ns: int = 0

    @property
    def key(self) -> str:
        return f"{PREFIXES[self.kind]}{self.path}" if self.path else ""


class TakenMedia(NamedTuple):
    """What came of one meeting or design. `outcome` is added, changed, unchanged or queued; of one that waits,
    `problem` says why."""

    outcome: str
    address: str
    item: Item
    taken: TakenIn
    problem: str = ""
    model: str = ""
    title: str = ""


def ingest_meeting(
    engine: Engine,
    asker: Asker,
    *,
    path: str = "",
    transcript: str = "",
    title: str = "",
    date: object = None,
    attendees: Sequence[str] = (),
    service: str = "",
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> TakenMedia:
    """Take in a meeting: a recording, subtitles, a transcript or minutes, from a file or as text."""
    if bool(path.strip()) == bool(transcript.strip()):
        raise Invalid("One of path and transcript is needed.", hint="Give one of them.", field="path")
    at = parse_moment(date, engine.clock(), field="date") if date not in (None, "") else None
    about = _about(MEETING, title, service, at=at, attendees=tuple(attendees))
    if not path.strip():
        # Without a file it is known by its day and title, so that a better transcript takes the place of this one.
        key = f"{_day(at, date)} {about.title}" if at is not None and about.title else ""
        return _take(engine, asker, _meeting_item(read_meeting(transcript), replace(about, path=key)))
    about = _of_file(asker, about, path, RECORDING_BYTES_MAX)
    if is_recording(about.file) or _is_binary(about.file):
        return _take_computed(engine, asker, about, TRANSCRIPT, settings, progress)
    item = _meeting_item(read_meeting(_text(about), path=about.path), about)
    return _read_already(engine, asker, about, item) or _take(engine, asker, item)


def ingest_design(
    engine: Engine,
    asker: Asker,
    path: str,
    *,
    feature: str = "",
    url: str = "",
    title: str = "",
    service: str = "",
    settings: Settings | None = None,
    progress: Progress | None = None,
) -> TakenMedia:
    """Take in a design: PNG, JPEG, WebP, GIF, BMP, SVG, or the pages of a PDF."""
    about = _about(DESIGN, title, service, feature=_line(feature, "feature"), url=_line(url, "url"))
    about = _of_file(asker, about, path, RECORDING_BYTES_MAX)
    if not is_design(about.file):
        raise Invalid(f"{path!r} is no design.", hint="Give a PNG, JPEG, WebP, GIF, BMP, SVG or PDF.", field="path")
    suffix = os.path.splitext(about.file)[1].lower()
    if suffix == SVG_SUFFIX:
        found = svg_design(_bytes(about), path=about.path)
        if isinstance(found, Skipped):
            raise Invalid(f"{path!r} cannot be read: {found.reason}.", hint="Export it again.", field="path")
        return _take(engine, asker, _design_item(found, about))
    if suffix == PDF_SUFFIX:
        text = text_of(about.path, _bytes(about))
        if not isinstance(text, Skipped):
            return _take(engine, asker, _design_item(text_design(text, path=about.path), about))
    # An image, or a PDF without text of its own, such as a scanned one.
    return _take_computed(engine, asker, about, IMAGE_TEXT, settings, progress)


def resume(engine: Engine, asker: Asker, digests: Sequence[str]) -> list[TakenMedia]:
    """Take in what waited for these files, now that they were computed."""
    found = []
    for digest in dict.fromkeys(digests):
        for about in _waiting(engine, asker, digest):
            name = TRANSCRIPT if about.kind == MEETING else IMAGE_TEXT
            row = _row(engine, asker, digest, name)
            if row is not None and row.state == DONE:
                found.append(_take(engine, asker, _computed_item(row, about, ""), row.model))
    return found


def trying_again(
    settings: Settings | None = None, progress: Progress | None = None
) -> Callable[[Engine, Asker, Derived], bool]:
    """For `recompute`: what tries a file again whose row failed, and takes in what waited for it."""

    def again(engine: Engine, asker: Asker, row: Derived) -> bool:
        there = replace(asker, scope=replace(asker.scope, project=row.project)) if row.project else asker
        about = About(DESIGN if row.name == IMAGE_TEXT else MEETING, file=row.path, digest=row.input)
        if not _is_still(row):
            return False
        made = _computed(engine, there, about, row.name, MediaMakers(engine, settings, progress))
        if made is None or made.state != DONE:
            return False
        resume(engine, there, (row.input,))
        return True

    return again


def _day(at: int, told: object) -> str:
    """The day of a meeting, with the hour where that was told: "yesterday" is another day tomorrow."""
    return f"{moment(at):%Y-%m-%d %H:%M}" if ":" in str(told) else f"{moment(at):%Y-%m-%d}"


def _is_still(row: Derived) -> bool:
    """Whether the file is still what the row is about; one that is gone is told as such by who reads it."""
    try:
        return not os.path.isfile(row.path) or _digest(row.path) == row.input
    except OSError:
        return False


def _digest(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as stream:
        while some := stream.read(CHUNK):
            digest.update(some)
    return digest.hexdigest()


def _about(kind: str, title: str, service: str, **rest: Any) -> About:
    named = short_name(service, field="service", length_max=100) if service.strip() else ""
    return About(kind, title=_line(title, "title"), service=named, **rest)


def _line(given: str, field: str) -> str:
    return short_name(given, field=field, length_max=500) if given.strip() else ""


def _of_file(asker: Asker, about: About, path: str, bytes_max: int) -> About:
    """With what the file system says, and the digest of its bytes."""
    inside = os.path.join(asker.root, path) if asker.root and not os.path.isabs(os.path.expanduser(path)) else path
    file = existing_file(inside if os.path.exists(inside) else path, bytes_max=bytes_max, field="path")
    whole = os.path.realpath(file)
    stat = os.stat(whole)
    if stat.st_size == 0:
        raise Invalid(f"{path!r} is empty.", hint="Give a file with something in it.", field="path")
    with opened(file):  # says why, where it may not be read
        digest = _digest(whole)
    known_as = place(os.path.abspath(file), os.path.abspath(asker.root) if asker.root else "").path
    found = replace(about, path=known_as, file=whole, digest=digest, size=stat.st_size)
    return replace(found, mtime_ns=stat.st_mtime_ns)


def _is_binary(file: str) -> bool:
    """Whether a file is no text, whatever it is called."""
    if file.lower().endswith((*CAPTION_SUFFIXES, ".docx", ".pdf")):
        return False
    with open(file, "rb") as stream:
        head = stream.read(4096)
    is_wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    return b"\x00" in head and not is_wide


def _bytes(about: About) -> bytes:
    if about.size > TEXT_BYTES_MAX * 4:
        raise TooLarge(f"{about.path!r} has {about.size:,} bytes.", hint="Split it.", field="path")
    with open(about.file, "rb") as stream:
        return stream.read()


def _text(about: About) -> str:
    if about.size > TEXT_BYTES_MAX:
        what = f"{about.path!r} has {about.size:,} bytes; at most {TEXT_BYTES_MAX:,} of text are read."
        raise TooLarge(what, hint="Split it.", field="path")
    found = text_of(about.path, _bytes(about), TEXT_BYTES_MAX)
    if isinstance(found, Skipped):
        raise Invalid(
            f"{about.path!r} cannot be read: {found.reason}.",
            hint="Give subtitles, a transcript, minutes or a recording.",
            field="path",
        )
    return found.text


def _take_computed(
    engine: Engine, asker: Asker, about: About, name: str, settings: Settings | None, progress: Progress | None
) -> TakenMedia:
    """Take in what a recording or an image says, which is computed unless it is known."""
    makers = MediaMakers(engine, settings, progress)
    row = _row(engine, asker, about.digest, name)
    if row is None or row.state != DONE:
        row = _computed(engine, asker, about, name, makers)
    if row is None or row.state != DONE:
        problem = makers.problems[0] if makers.problems else Unavailable("It could not be read.")
        if not isinstance(problem, Unavailable):
            # The file itself is at fault: another attempt would end the same.
            with engine.store.writing() as writer:
                writer.drop_derived(asker.namespace, (about.digest,), (name,))
            raise problem
        return _queue(engine, asker, about, problem)
    description = ""
    if name == IMAGE_TEXT and makers.describes() and not about.file.lower().endswith(PDF_SUFFIX):
        told = _row(engine, asker, about.digest, DESCRIPTION)
        if told is None or told.state != DONE:
            told = _computed(engine, asker, about, DESCRIPTION, makers)
        description = str(told.result) if told is not None and told.state == DONE else ""
    return _take(engine, asker, _computed_item(row, about, description), row.model)


def _computed(engine: Engine, asker: Asker, about: About, name: str, makers: MediaMakers) -> Derived | None:
    table = table_of(makers=makers.makers())
    given = Input(about.digest, path=about.file, project=asker.scope.project, is_file=True)
    derive(workshop(engine, asker, table), [given], names=(name,), retry=True, cascade=False)
    return _row(engine, asker, about.digest, name)


def _row(engine: Engine, asker: Asker, digest: str, name: str) -> Derived | None:
    with engine.store.reading() as reader:
        found = reader.derived(asker.namespace, (digest,), None, names=(name,))
    return found[0] if found else None


def _computed_item(row: Derived, about: About, description: str) -> Item:
    if about.kind == DESIGN:
        form = "pdf" if about.path.lower().endswith(PDF_SUFFIX) else "image"
        return _design_item(seen_design(Seen.of(row.result), path=about.path, form=form), about, description)
    heard = Transcript.of(row.result)
    said = [Utterance(one.text, "", one.start, one.end) for one in heard.segments]
    found = spoken_meeting(said, path=about.path)
    problem = "; ".join(filter(None, (heard.problem, found.problem, "" if said else "nothing is said in it")))
    found = replace(found, content=found.content or _waiting_text(about, found.title), seconds=heard.seconds)
    found = replace(found, problem=problem, metadata={"model": row.model, "language": heard.language})
    return _meeting_item(found, about)


def _meeting_item(found: Meeting, about: About) -> Item:
    """Where neither the caller nor the text says when it was, git may know when it was written down."""
    is_undated = about.at is None and found.at is None and bool(about.file)
    at = committed_at(about.file, about.kind) or None if is_undated else about.at
    made = meeting_item(
        replace(found, metadata={**found.metadata, "digest": about.digest} if about.digest else found.metadata),
        path=about.path,
        title=about.title,
        at=at,
        attendees=about.attendees,
        service=about.service,
        digest=about.digest,
        size=about.size,
        mtime_ns=about.mtime_ns,
    )
    return replace(made, path=about.key)


def _design_item(found: Design, about: About, description: str = "") -> Item:
    made = design_item(
        replace(found, title=about.title or found.title),
        path=about.path,
        feature=about.feature,
        url=about.url,
        description=description,
        service=about.service,
        digest=about.digest,
        size=about.size,
        mtime_ns=about.mtime_ns,
        metadata={"digest": about.digest} if about.digest else {},
    )
    return replace(made, path=about.key)


def _take(engine: Engine, asker: Asker, item: Item, model: str = "") -> TakenMedia:
    done = take_in(engine, asker, [item], operation=f"ingest_{item.draft.kind}", settle=SETTLE)
    outcome = ADDED if done.added or done.moved else CHANGED if done.changed else UNCHANGED
    problem = "; ".join(dict.fromkeys(one.reason for one in done.problems))
    if not done.total:
        raise Invalid(problem or "There is nothing in it.", hint="Give another file.", field="path")
    address, title = _known(engine, asker, item, done)
    return TakenMedia(outcome, address, item, done, problem, model, title)


def _read_already(engine: Engine, asker: Asker, about: About, item: Item) -> TakenMedia | None:
    """What came of a file that was read as a meeting with its repository, and of which nothing else is said: it follows
    the file already, and read once more it would stay when that changes."""
    if about.title or about.attendees or about.service or about.at is not None:
        return None
    with engine.store.reading() as reader:
        rows = reader.sources(asker.namespace, (asker.scope.project,), path=about.path)
    for row in rows:
        if row.kind == MEETING and row.digest == about.digest:
            return TakenMedia(UNCHANGED, row.address, item, TakenIn(unchanged=1), title=row.title)
    return None


def _known(engine: Engine, asker: Asker, item: Item, done: TakenIn) -> tuple[str, str]:
    """The address of what was taken in, and the title that it goes by."""
    title = str(item.draft.metadata.get("title") or "")
    with engine.store.reading() as reader:
        if item.path:
            project = (asker.scope.project,)
            service = redacted_name(item.draft.service, engine.redact_extra)
            path = kept_path(item.path, engine.redact_extra)
            there = reader.sources(asker.namespace, project, service=service, path=path)
            return (there[0].address, there[0].title) if there else ("", title)
        if done.addresses:
            return done.addresses[-1], title
        wanted = Filter(projects=(asker.scope.project,), kinds=(item.draft.kind,))
        found = reader.records_of(reader.select(asker.namespace, wanted, CURRENT, engine.clock()), CURRENT)
    same = (record.node.address for record in found if record.node.content == item.draft.content.strip())
    return next(same, ""), title


def _queue(engine: Engine, asker: Asker, about: About, problem: MarrowError) -> TakenMedia:
    """Note a file that waits, with what was said about it: it is found by its name, and done later."""
    waiting = {"waiting": True, "digest": about.digest, "feature": about.feature, "url": about.url}
    kept = {key: value for key, value in waiting.items() if value}
    if about.kind == MEETING:
        named = spoken_meeting((), path=about.path)
        title, at = about.title or named.title, _first_known(about.at, named.at)
        made = _meeting_item(Meeting(_waiting_text(about, title), metadata=kept), replace(about, title=title, at=at))
    else:
        title = about.title or title_of(about.path)
        made = _design_item(Design(_waiting_text(about, title)), replace(about, title=title))
        made = replace(made, draft=replace(made.draft, metadata={**made.draft.metadata, **kept}))
    # Without a digest, so that what comes in its place is not taken for the same.
    done = _take(engine, asker, replace(made, digest=""))
    return done._replace(outcome=QUEUED, problem=str(problem))


def _first_known(*moments: int | None) -> int | None:
    return next((one for one in moments if one), None)


def _waiting_text(about: About, title: str) -> str:
    return f"{title or os.path.basename(about.path)}: {NAMES[about.kind]}."


def _waiting(engine: Engine, asker: Asker, digest: str) -> list[About]:
    """What was said about a file that waits."""
    asked = (("digest", digest), ("waiting", "true"))
    wanted = Filter(projects=(asker.scope.project,), kinds=(MEETING, DESIGN), metadata=asked)
    with engine.store.reading() as reader:
        records = reader.records_of(reader.select(asker.namespace, wanted, CURRENT, engine.clock()), CURRENT)
        said = reader.occurrences([record.entry for record in records], CURRENT)
    found = {}
    for record in records:
        for one in said.get(record.entry, ()):
            if one.fields.get("digest") == digest and one.fields.get("waiting"):
                about = _told(record.node.kind, one.service, one.at, one.fields)
                found[about.service, about.key] = about
    return list(found.values())


def _told(kind: str, service: str, at: int, fields: Mapping[str, Any]) -> About:
    people = fields.get("attendees")
    return About(
        kind,
        path=str(fields.get("path") or ""),
        file=str(fields.get("path") or ""),
        title=str(fields.get("title") or ""),
        at=at if kind == MEETING else None,
        attendees=tuple(str(one) for one in people) if isinstance(people, list) else (),
        feature=str(fields.get("feature") or ""),
        url=str(fields.get("url") or ""),
        service=service,
        digest=str(fields.get("digest") or ""),
    )


__all__ = [
    "ADDED",
    "CHANGED",
    "QUEUED",
    "UNCHANGED",
    "TakenMedia",
    "ingest_design",
    "ingest_meeting",
    "resume",
    "trying_again",
]
