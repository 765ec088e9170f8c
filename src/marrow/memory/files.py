"""Files that the verbs write and read: whole or not at all, for their owner only, and with errors that name them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ..model.errors import Conflict, Invalid, NotFound, TooLarge, Unavailable
from ..model.moments import moment
from ..repository.file_sorts import is_secret


@contextmanager
def new_file(path: str, *, overwrite: bool = False, field: str = "path") -> Iterator[IO[bytes]]:
    """A file that appears under its name, complete and on the disk, when the block ends; an error leaves nothing."""
    target = checked_target(path, overwrite=overwrite, field=field)
    with _said_of(target):
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".partial")
        try:
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        sync_folder(target.parent)


def checked_target(path: str, *, overwrite: bool = False, field: str = "path") -> Path:
    """A name under which a file can be made."""
    target = _path(path, field)
    with _said_of(target):
        if not target.name or target.is_dir():
            raise Conflict(f"{path!r} is a folder.", hint="Name a file in it.", field=field)
        if not target.parent.is_dir():
            raise NotFound(f"There is no folder {str(target.parent)!r}.", hint="Make it first.", field=field)
        if target.exists() and not overwrite:
            raise Conflict(f"{path!r} is there already.", hint="Name a new file.", field=field)
    return target


def refuse_store(url: str, path: str, *, field: str = "path") -> None:
    """A file that belongs to the store is never written over."""
    scheme, _, store = url.partition(":")
    if scheme == "sqlite" and _path(path, field).resolve() in (
        Path(store + suffix).resolve() for suffix in ("", "-wal", "-shm")
    ):
        raise Invalid("That file is the store itself.", hint="Name another file.", field=field)


def existing_file(path: str, *, bytes_max: int | None = None, field: str = "source") -> Path:
    """A plain file that can be read, is not too large, and is not there to hold secrets, whatever link leads to it."""
    source = _path(path, field)
    with _said_of(source):
        if source.is_dir():
            raise Invalid(f"{path!r} is a folder, and one file is read here.", hint="Name a file in it.", field=field)
        if not source.is_file() and source.exists():
            raise Invalid(
                f"{path!r} is no plain file.", hint="A pipe or a device is not read: copy it to a file.", field=field
            )
        if not source.is_file():
            raise NotFound(f"There is no file {path!r}.", hint="Check the path.", field=field)
        if is_secret(source.as_posix()) or is_secret(source.resolve().as_posix()):
            raise Invalid(f"{source.name} holds secrets by its name.", hint="It is never read.", field=field)
        size = source.stat().st_size
    if bytes_max is not None and size > bytes_max:
        raise TooLarge(f"{path!r} has {size:,} bytes; at most {bytes_max:,} are read.", hint="Split it.", field=field)
    return source


def _path(path: str, field: str) -> Path:
    if not isinstance(path, str) or not path.strip() or "\x00" in path:
        raise Invalid("A path is the name of a file.", field=field)
    return Path(path).expanduser()


@contextmanager
def opened(source: Path) -> Iterator[IO[bytes]]:
    with _said_of(source), source.open("rb") as file:
        yield file


def kept_beside(place: Path, why: str, now: int) -> Path:
    """Where a file is kept before something takes its place: beside it, by a name that tells a backup."""
    return place.with_name(f"{place.name}.{why}-{moment(now).strftime('%Y%m%dT%H%M%S.%f')}.backup")


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder last. Where folders cannot be synchronised, the system does it in its own time."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def _said_of(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        raise Unavailable(
            f"{str(path)!r} cannot be used: {problem.strerror or problem}.", hint="Check permissions and free space."
        ) from problem
