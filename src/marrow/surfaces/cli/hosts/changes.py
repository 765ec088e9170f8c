"""From what a host wants and what its files hold to what has to be written. Nothing is written here.

Every file is read and checked first. One that cannot be read as what it is stops everything, with an error that names
it; so a run changes all that it said, or nothing.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

from ....model.errors import Conflict, Invalid, ReadOnly
from . import json_edit, json_entries, toml_block
from .receipt import FILE_KIND, Receipt, Record, sha256
from .table import Wanted

BOM = "\ufeff"
BYTES_MAX = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Change:
    """A file before and after; None is no file. `record` is what the receipt will say of it, if anything."""

    path: str
    what: str
    before: bytes | None
    after: bytes | None
    record: Record | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_one(self) -> bool:
        return self.before != self.after


def to_install(wanted: Sequence[Wanted], receipt: Receipt | None) -> list[Change]:
    """What has to be written so that a host has what is wanted, and nothing of ours that no longer is."""
    paths = {one.path for one in wanted}
    stale = [record for record in (receipt.records if receipt else ()) if record.path not in paths]
    changes = [_removed(record) for record in stale]
    for one in wanted:
        record = receipt.record_of(one.path) if receipt else None
        changes.append(_own_file(one, record) if one.content is not None else _merged(one, record))
    return changes


def to_uninstall(receipt: Receipt) -> list[Change]:
    """What has to be written so that nothing of ours is left."""
    return [_removed(record) for record in receipt.records]


def read_bytes(path: str) -> bytes | None:
    """What a file holds; None where there is none."""
    try:
        if os.path.isfile(path) and os.path.getsize(path) > BYTES_MAX:
            raise Invalid(f"{path} is larger than any file of settings.", hint="Look what it is.", field="path")
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise Conflict(f"{path} is a folder.", hint="Move it away and try again; nothing was changed.") from None
    except OSError as problem:
        raise ReadOnly(
            f"{path} cannot be read: {problem.strerror}.", hint="See whose file it is; nothing was changed."
        ) from None


def _text_of(path: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise _unreadable(path, f"it is not UTF-8 (byte {problem.start:,})") from None


def _unreadable(path: str, problem: object) -> Invalid:
    kind = "TOML" if path.endswith(".toml") else "JSON"
    return Invalid(
        f"{path} cannot be read as {kind}: {problem}.",
        hint="Marrow changes no file that it does not understand, and nothing was changed. Mend it and try again.",
        field="path",
    )


# --- a file of the host's ---------------------------------------------------------------------------------------------


def _merged(wanted: Wanted, record: Record | None) -> Change:
    data = read_bytes(wanted.path)
    text = "" if data is None else _text_of(wanted.path, data)
    mark, text = (BOM, text.removeprefix(BOM)) if text.startswith(BOM) else ("", text)
    try:
        if wanted.table is not None:
            return _with_table(wanted, wanted.table, record, data, mark, text)
        return _with_entries(wanted, record, data, mark, text)
    except ValueError as problem:
        raise _unreadable(wanted.path, problem) from None


def _with_entries(wanted: Wanted, record: Record | None, data: bytes | None, mark: str, text: str) -> Change:
    is_blank = not text.strip()
    text = json_entries.EMPTY if is_blank else text
    json_edit.read(text)
    if not wanted.commented and not json_edit.is_plain(text):
        raise ValueError("it has comments, or commas that nothing follows, and this host reads plain JSON")
    detail = record.detail if record else {}
    known = json_entries.entries_of(detail)
    others = json_entries.strangers(text, wanted.entries, known)
    notes = tuple(f"{wanted.path} has a server {'.'.join(e.place)} that Marrow did not add: it stays." for e in others)
    entries = json_entries.with_theirs(text, [entry for entry in wanted.entries if entry not in others], known)
    if not is_blank and json_entries.is_in_place(text, entries, known):
        adopted = record or _adopted(wanted.path, data or b"", entries)
        return Change(wanted.path, wanted.what, data, data, adopted if entries else None, notes)
    if record is None:  # what is left of an installation whose receipt is gone
        detail = {"entries": [entry.shape() for entry in entries if entry.kind == json_entries.ITEM]}
    base = json_entries.take_out(text, detail)
    was_there = data is not None if record is None else bool(record.before)
    before = (mark + base).encode()
    if record is None and is_blank:
        before = data or b""
    elif record is not None and record.original is not None and sha256(data or b"") == record.after:
        before = record.original
    after, detail = json_entries.put_in(base, entries)
    written = (mark + after).encode()
    made = Record(wanted.path, json_entries.KIND, sha256(before) if was_there else "", sha256(written), detail)
    if was_there and (mark + json_entries.take_out(after, detail)).encode() != before:
        made = made.with_copy(before)
    return Change(wanted.path, wanted.what, data, written, made, notes)


def _adopted(path: str, data: bytes, entries: Sequence[json_entries.Entry]) -> Record:
    """A record for what is already there as it is wanted, though no receipt says so."""
    detail = {"entries": [entry.shape() for entry in entries], "made": []}
    base = json_entries.take_out(data.decode("utf-8").removeprefix(BOM), detail)
    return Record(path, json_entries.KIND, sha256(base.encode()), sha256(data), detail)


def _with_table(
    wanted: Wanted, table: toml_block.Table, record: Record | None, data: bytes | None, mark: str, text: str
) -> Change:
    found = toml_block.value_at(text, table.place)
    is_marked = toml_block.MARK in text
    if found is not None and record is None and not is_marked:
        note = f"{wanted.path} has a table {'.'.join(table.place)} that Marrow did not add: it stays."
        return Change(wanted.path, wanted.what, data, data, None, (note,))
    if record is not None and toml_block.is_in_place(text, table):
        return Change(wanted.path, wanted.what, data, data, record)
    before = record.before if record else "" if data is None else sha256(data)
    after, detail = toml_block.put_in_again(text, table, record.detail if record else table.shape())
    written = (mark + after).encode()
    made = Record(wanted.path, toml_block.KIND, before, sha256(written), detail)
    return Change(wanted.path, wanted.what, data, written, made)


# --- a file of our own ------------------------------------------------------------------------------------------------


def _own_file(wanted: Wanted, record: Record | None) -> Change:
    data, content = read_bytes(wanted.path), (wanted.content or "").encode()
    made = Record(wanted.path, FILE_KIND, "", sha256(content))
    if data in (None, content):
        return Change(wanted.path, wanted.what, data, content, made)
    if record is None:
        raise Conflict(
            f"{wanted.path} is there already, and Marrow did not write it.",
            hint="Move it away and try again; nothing was changed.",
        )
    if sha256(data or b"") != record.after:
        note = f"{wanted.path} was changed by someone: it stays as it is."
        return Change(wanted.path, wanted.what, data, data, record, (note,))
    return Change(wanted.path, wanted.what, data, content, made)


# --- taking out -------------------------------------------------------------------------------------------------------


def _removed(record: Record) -> Change:
    data = read_bytes(record.path)
    if data is None:
        return Change(record.path, "gone already", None, None)
    is_untouched = sha256(data) == record.after
    if record.kind == FILE_KIND:
        if is_untouched:
            return Change(record.path, "remove", data, None)
        note = f"{record.path} was changed by someone: it stays."
        return Change(record.path, "stays", data, data, notes=(note,))
    if is_untouched and record.original is not None:
        return Change(record.path, "restore", data, record.original)
    text = _text_of(record.path, data)
    mark, text = (BOM, text.removeprefix(BOM)) if text.startswith(BOM) else ("", text)
    if not text.strip():
        return Change(record.path, "gone already", data, data)
    try:
        if record.kind == toml_block.KIND:
            rest = toml_block.take_out(text, record.detail)
            is_empty = toml_block.is_empty(rest)
        else:
            json_edit.read(text)
            rest = json_entries.take_out(text, record.detail)
            is_empty = json_entries.is_empty(rest)
    except ValueError as problem:
        raise _unreadable(record.path, problem) from None
    if is_empty and not record.before:
        return Change(record.path, "remove", data, None)
    return Change(record.path, "restore", data, (mark + rest).encode())
