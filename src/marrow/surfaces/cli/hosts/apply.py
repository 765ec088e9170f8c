"""Writing what was planned: the receipt first, then file by file, each whole or not at all; and back on any failure.

With the receipt on disk first, an installation that was cut off can be taken out like any other: what it had not yet
written is as it was, and is left alone.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ....model.errors import ReadOnly
from .changes import Change, read_bytes
from .receipt import Receipt

DRAFT = ".marrow-draft-"
NEW_FILE, PRIVATE_FILE, PRIVATE_FOLDER = 0o666, 0o600, 0o700


def install(changes: Sequence[Change], receipt: Receipt, receipt_path: str) -> None:
    """Writes the changes and the receipt. `receipt` has the records and folders of what was there before."""
    records = tuple(change.record for change in changes if change.record is not None)
    folders = dict.fromkeys((*receipt.folders, *_missing_folders(changes)))
    installed = os.path.dirname(receipt_path)
    text = replace(receipt, records=records, folders=tuple(folders)).as_text()
    first = Change(receipt_path, "receipt", read_bytes(receipt_path), text.encode())
    try:
        for folder in (os.path.dirname(installed), installed):
            os.makedirs(folder, PRIVATE_FOLDER, exist_ok=True)
    except OSError as problem:
        raise _unwritable(installed, problem) from None
    _write_all([first, *changes], private=receipt_path)


def uninstall(changes: Sequence[Change], receipt: Receipt, receipt_path: str) -> None:
    """Writes the changes, removes the folders that were made and are empty now, and at last the receipt."""
    _write_all(changes)
    for folder in {os.path.dirname(os.path.realpath(change.path)) for change in changes}:
        _remove_drafts(folder)
    for folder in sorted(receipt.folders, key=len, reverse=True):
        with suppress(OSError):
            os.rmdir(folder)
    with suppress(FileNotFoundError):
        os.remove(receipt_path)
    for folder in (os.path.dirname(receipt_path), os.path.dirname(os.path.dirname(receipt_path))):
        with suppress(OSError):
            os.rmdir(folder)  # only where nothing else is in it


def _remove_drafts(folder: str) -> None:
    """What a run that was killed left: it may be a copy of a host's file."""
    with suppress(OSError):
        for name in os.listdir(folder):
            if name.startswith(DRAFT):
                os.remove(os.path.join(folder, name))


def _missing_folders(changes: Sequence[Change]) -> list[str]:
    """The folders that have to be made for new files, outermost first."""
    found: list[str] = []
    for change in changes:
        if change.after is None:
            continue
        above: list[str] = []
        folder = os.path.dirname(os.path.realpath(change.path))
        while folder and not os.path.lexists(folder):
            above.append(folder)
            folder = os.path.dirname(folder)
        found += reversed(above)
    return list(dict.fromkeys(found))


def _write_all(changes: Sequence[Change], private: str = "") -> None:
    written: list[Change] = []
    made = _missing_folders(changes)
    try:
        for change in changes:
            if change.is_one:
                written.append(change)
                _write(change.path, change.after, PRIVATE_FILE if change.path == private else NEW_FILE)
    except OSError as problem:
        _undo(written, made)
        raise _unwritable(written[-1].path, problem) from None
    except BaseException:
        _undo(written, made)
        raise


def _unwritable(path: str, problem: OSError) -> ReadOnly:
    return ReadOnly(
        f"{path} cannot be written: {problem.strerror or type(problem).__name__}.",
        hint="What had been written was put back, and nothing is changed. See whose it is, and whether there is room.",
    )


def _undo(written: Sequence[Change], made: Sequence[str]) -> None:
    for change in reversed(written):
        with suppress(OSError):
            _write(change.path, change.before)
    for folder in reversed(made):
        with suppress(OSError):
            os.rmdir(folder)


def _write(path: str, data: bytes | None, mode: int = NEW_FILE) -> None:
    """Replaces a file whole, or removes it. A link stays one: its target is meant. Owner and permissions stay."""
    target = os.path.realpath(path)
    if data is None:
        with suppress(FileNotFoundError):
            os.remove(target)
        return
    folder = os.path.dirname(target)
    os.makedirs(folder, exist_ok=True)
    try:
        there = os.stat(target)
        mode = there.st_mode & 0o7777
    except FileNotFoundError:
        there = None
        mode &= ~_umask()
    if not mode & 0o222:  # replacing it would go round what it says
        raise PermissionError(errno.EACCES, "it is read-only")
    handle, draft = tempfile.mkstemp(prefix=DRAFT, dir=folder)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if there is not None and hasattr(os, "chown"):
            with suppress(OSError):  # only the superuser may give a file away, and only there it matters
                os.chown(draft, there.st_uid, there.st_gid)
        os.chmod(draft, mode)
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.remove(draft)
        raise


def _umask() -> int:
    """What new files of this user are without. It can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
