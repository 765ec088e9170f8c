"""Take in single documents: a file or a text, as a document, a decision record or an incident."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ...ingest.adr import adr_item, says_so
from ...ingest.file_kinds import NO_RECORD, reader_for
from ...ingest.files import read_file
from ...ingest.formats.text_of import FILE_BYTES_MAX, text_of
from ...ingest.incident import incident_of
from ...ingest.item import Item, Skipped
from ...ingest.placing import place
from ...model.draft import Draft
from ...model.errors import Forbidden, Invalid
from ...model.moments import moment
from ...model.text import first_line
from ...repository.file_sorts import is_secret
from ..engine import Asker, Engine
from ..files import existing_file
from .codebase import committed_at, service_of
from .settled import SETTLE
from .take_in import HIDDEN, TakenIn, take_in

DOCUMENT, DECISION, INCIDENT = "ingest_document", "ingest_architectural_decision", "ingest_incident"
TITLE_MAX = 200


def ingest_document(
    engine: Engine, asker: Asker, *, path: str = "", text: str = "", title: str = "", service: str = ""
) -> TakenIn:
    """A file of any form that can be read, or a text. What its form says that it is, it becomes, whatever it was taken
    for before."""
    _one_of(path, text)
    if text:
        named = title.strip() or first_line(text, TITLE_MAX)
        draft = Draft(text, "document", source="document", service=service, metadata={"title": named})
        item = Item(draft, f"text:{named}" if title.strip() else "", _digest(text.encode()), size=len(text))
        return _taken(engine, asker, [item], DOCUMENT, service)
    file, data = _read(path)
    named = _service(engine, asker, file, service)
    found = read_file(str(file), data, root=asker.root, title=title, service=service, now=engine.clock())
    return _taken(engine, asker, [_of_file(one, file, asker) for one in found], DOCUMENT, named, path)


def ingest_decision(
    engine: Engine,
    asker: Asker,
    *,
    path: str = "",
    text: str = "",
    title: str = "",
    service: str = "",
    status: str = "",
) -> TakenIn:
    """A decision record, whatever its path and form: the caller says that it is one. Where nothing else does, that is
    told."""
    _one_of(path, text)
    if text:
        named = title.strip() or first_line(text, TITLE_MAX).lstrip("# ")
        item = adr_item(f"text:{named}", text, title=title, service=service, status=status)
        problem = item.problem or _unsaid("", text, status)
        item = replace(item, digest=_given(_digest(text.encode()), title, status), size=len(text), problem=problem)
        return _taken(engine, asker, [_without_path(item)], DECISION, service)
    file, data = _read(path)
    found = text_of(str(file), data)
    if isinstance(found, Skipped):
        raise Invalid(f"{path} was not read: {found.reason}.", hint="Nothing was taken in.", field="path")
    item = adr_item(
        str(file),
        found.text,
        title=title,
        service=service,
        status=status,
        root=asker.root,
        digest=_given(_digest(data), title, status),
        problem=found.problem or _unsaid(str(file), found.text, status),
        now=engine.clock(),
    )
    return _taken(engine, asker, [_of_file(item, file, asker)], DECISION, _service(engine, asker, file, service))


def ingest_incident(
    engine: Engine,
    asker: Asker,
    title: str,
    description: str,
    *,
    date: str = "",
    service: str = "",
    severity: str = "",
    root_cause: str = "",
    resolution: str = "",
    follow_ups: Sequence[str] = (),
) -> TakenIn:
    """An incident from the fields of a form. Given again under the same title and service, it takes the place of what
    was known of it."""
    for name, said in (("title", title), ("description", description)):
        if not said.strip():
            raise Invalid(f"An incident needs a {name}.", hint="Say what happened.", field=name)
    given = {"date": date, "service": service, "severity": severity, "root_cause": root_cause, "resolution": resolution}
    item = incident_of(title, description, follow_ups=follow_ups, **given)
    item = replace(item, path=f"incident:{title.strip()[:TITLE_MAX]}", digest=_digest(item.draft.content.encode()))
    return _taken(engine, asker, [item], INCIDENT, service)


def _one_of(path: str, text: str) -> None:
    if bool(path.strip()) == bool(text.strip()):
        raise Invalid("A path or a text is needed, and not both.", hint="Give one of them.", field="path")
    if text.strip() and not any(map(str.isalnum, text)):
        raise Invalid("There is nothing in the text but marks.", hint="Nothing was taken in.", field="text")


def refuse_folder(path: str, instead: str) -> None:
    """Raise for a folder where a file is meant. `instead` says what takes folders."""
    if path.strip() and "\x00" not in path and Path(path).expanduser().is_dir():
        raise Invalid(f"{path!r} is a folder, and one file is read here.", hint=instead, field="path")


def refuse_unread(taken: TakenIn, path: str = "") -> None:
    """Raise where nothing at all was read of the one thing that was given: a report of success would hide it."""
    if taken.total or not taken.problems:
        return
    first = taken.problems[0]
    if first.reason == HIDDEN:
        named = path or first.path
        hint = "Run the ingest without the setting `view`."
        raise Forbidden(f"{named} was not taken in: {HIDDEN}.", hint=hint, field="view")
    reader = reader_for(first.reason)
    hint = f"{reader} reads it." if reader else "Nothing was taken in."
    raise Invalid(f"{path or first.path or 'It'} was not read: {first.reason}.", hint=hint, field="path")


def _read(path: str) -> tuple[Path, bytes]:
    refuse_folder(path, "ingest_codebase takes in all that is below a folder.")
    file = existing_file(path, bytes_max=FILE_BYTES_MAX, field="path")
    if is_secret(file.name):
        raise Invalid(f"{file.name} holds secrets by its name.", hint="It is never read.", field="path")
    return Path(os.path.realpath(file)), file.read_bytes()


def _service(engine: Engine, asker: Asker, file: Path, given: str) -> str:
    """The service that a file is read for. One of the project's own files is its repository's, so that it is known by
    one name however it came in."""
    if given.strip() or not asker.root or not place(str(file), asker.root).anchors:
        return given.strip()
    return service_of(engine, asker, asker.root)


def _of_file(found: Item | Skipped, file: Path, asker: Asker) -> Item | Skipped:
    """With what is known of its file. One outside of the project is known by where it lies."""
    about = file.stat()
    if isinstance(found, Skipped):
        return found
    lies = place(str(file), asker.root)
    path = found.path if lies.anchors else f"file:{found.path}"
    draft = found.draft
    # The time of a file in a fresh clone says only when it was cloned.
    if draft.at is None and lies.anchors and (at := committed_at(str(file), draft.kind)):
        draft = replace(draft, at=moment(at))
    return replace(found, draft=draft, path=path, size=about.st_size, mtime_ns=about.st_mtime_ns)


def _without_path(item: Item) -> Item:
    fields = {name: value for name, value in item.draft.metadata.items() if name != "path"}
    return replace(item, draft=replace(item.draft, metadata=fields))


def _unsaid(path: str, text: str, status: str) -> str:
    """What to tell of a decision of which only the caller says that it is one."""
    return "" if status.strip() or says_so(path, text) else NO_RECORD


def _given(digest: str, *said: str) -> str:
    """With what the caller says of it, so that the same text is taken anew when that changes."""
    return _digest("\0".join((digest, *said)).encode()) if any(one.strip() for one in said) else digest


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _taken(
    engine: Engine, asker: Asker, items: Sequence[Item | Skipped], operation: str, service: str, path: str = ""
) -> TakenIn:
    taken = take_in(engine, asker, items, operation=operation, service=service.strip(), settle=SETTLE)
    refuse_unread(taken, path)
    return taken
