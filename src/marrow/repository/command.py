"""Runs the git command line for reading: one process, streamed, and told to touch and to start nothing.

A repository's own configuration can name programs (pagers, monitors, signature checkers, diff drivers) and servers.
None of them may run because Marrow looked. Whose repositories are trusted (`safe.directory`) stays the user's choice.
"""

from __future__ import annotations

import io
import os
import select
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, NamedTuple

from marrow.model.errors import Invalid, MarrowError, Unavailable

from .gitconfig import FILE_BYTES_MAX, read_bounded
from .identity import Place, locate

if TYPE_CHECKING:
    import subprocess

    from _typeshed import ReadableBuffer as Buffer

FIELD_BYTES_MAX = 1024 * 1024
_CHUNK_BYTES = 64 * 1024
# How long git may be silent. Much longer where it walks a history before it says anything.
SECONDS, WALK_SECONDS = 120.0, 900.0
_WALKS = frozenset(("log", "rev-list", "blame"))
_CONFIG_SECONDS, _END_SECONDS = 10.0, 5.0
_CUT = -9  # how one ends that is killed
_NONE_FOUND = 1
_NOTHING = "MARROW_GIT_NOTHING"  # a variable that is empty
_SETTINGS = (
    "core.fsmonitor=false",
    "core.pager=cat",
    f"core.hooksPath={os.devnull}",
    "core.alternateRefsCommand=",
    "diff.external=",
    "diff.relative=false",
    "log.showRoot=true",
    "log.showSignature=false",
    "i18n.logOutputEncoding=UTF-8",
    "protocol.allow=never",
)
_VARIABLES = {
    # No protocol is called so. A repository's `protocol.ext.allow` would win over the setting above; not over this.
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
    _NOTHING: "",
}
_KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")


def fields(root: str | os.PathLike[str], *arguments: str, until: float | None = None) -> Generator[bytes]:
    """What git writes, split at NUL, as it comes. A longer field than a megabyte is cut. Closing it ends git. `until`
    is the moment, on the clock that only goes forward, from which on it is waited for no longer."""
    with _running(root, arguments, until=until) as git:
        yield from _told(git)


@contextmanager
def telling(root: str | os.PathLike[str], *arguments: str) -> Iterator[Iterator[bytes]]:
    """The same, of a git that is started at once: what is done before it is listened to is done while it works."""
    with _running(root, arguments) as git:
        yield _told(git)


def _told(git: _Running) -> Iterator[bytes]:
    yield from _split(git)
    if git.ended():
        raise git.failure()


def content(root: str | os.PathLike[str], *arguments: str, bytes_max: int) -> tuple[bytes, bool]:
    """What git writes, up to so many bytes, and whether that is all of it."""
    with _running(root, arguments) as git:
        found = io.BufferedReader(git).read(bytes_max + 1)
        if len(found) <= bytes_max and git.ended():
            raise git.failure()
        return found[:bytes_max], len(found) <= bytes_max


class Answered(NamedTuple):
    """What git wrote and how it ended. `is_cut`: it wrote more than was asked for; `is_late`: it was stopped."""

    told: bytes
    code: int
    complaint: str = ""
    is_cut: bool = False
    is_late: bool = False


def answered(root: str | os.PathLike[str], *arguments: str, bytes_max: int, seconds: float) -> Answered:
    """The same for what may find nothing, fail for its own reasons, or take too long: the caller judges."""
    told = b""
    is_late = False
    with _running(root, arguments, until=time.monotonic() + seconds) as git:
        try:
            while len(told) <= bytes_max and (chunk := git.some(bytes_max + 1 - len(told))):
                told += chunk
            code = git.ended() if len(told) <= bytes_max else _CUT
        except Unavailable:  # it is late
            code, is_late = _CUT, True
        return Answered(told[:bytes_max], code, git.said(), len(told) > bytes_max, is_late)


def at_home(root: str | os.PathLike[str]) -> tuple[str, ...]:
    """What is put before a command that looks at the working tree: that it is here, whatever the repository's own
    configuration says, and that none of the programs runs which that has files filtered by. What the user has
    configured for all repositories stays."""
    place = locate(root, environ={})
    if place is None or place.root is None:
        return ()
    return (f"--work-tree={place.root}", *(word for name in _own_filters(place) for word in _without_filter(name)))


def _own_filters(place: Place) -> list[str]:
    """The names of the filters that the repository's own configuration has. Git alone knows what its files and their
    includes amount to: it is asked as soon as they could name one."""
    assert place.root is not None
    files = (os.path.join(place.common_dir, "config"), os.path.join(place.git_dir, "config.worktree"))
    texts = [(read_bounded(file, FILE_BYTES_MAX + 1) or "").lower() for file in files]
    if not any("filter" in text or "include" in text or len(text) > FILE_BYTES_MAX for text in texts):
        return []
    options = ("--includes", "--show-scope", "--name-only", "-z", "--get-regexp", r"^filter\.")
    found = answered(place.root, "config", *options, bytes_max=FIELD_BYTES_MAX, seconds=_CONFIG_SECONDS)
    if found.is_cut or found.is_late or found.code not in (0, _NONE_FOUND):
        raise Unavailable(
            f"The git configuration of {place.root} cannot be read: {found.complaint or 'it is too large'}.",
            hint="Run `git config --list` there.",
        )
    words = found.told.decode("utf-8", "surrogateescape").split("\0")
    keys = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope in ("local", "worktree")]
    return sorted({key.partition(".")[2].rpartition(".")[0] for key in keys})


def _without_filter(name: str) -> Iterator[str]:
    for what in ("clean", "process", "required"):
        # A name may have an equals sign: `-c` would end it there, and leave the filter as it is.
        if "=" in name:
            yield f"--config-env=filter.{name}.{what}={_NOTHING}"
        else:
            yield from ("-c", f"filter.{name}.{what}=")


def succeeds(root: str | os.PathLike[str], *arguments: str) -> bool:
    with _running(root, arguments) as git:
        while git.some(_CHUNK_BYTES):
            pass
        return git.ended() == 0


@contextmanager
def conversation(root: str | os.PathLike[str], *arguments: str, asked: bytes) -> Iterator[IO[bytes]]:
    """What git answers to what it is told on its standard input."""
    with tempfile.TemporaryFile() as given:
        given.write(asked)
        given.seek(0)
        with _running(root, arguments, given) as git:
            yield io.BufferedReader(git)


class _Running(io.RawIOBase):
    """A git that was started. Waiting for it is limited: until a moment, or each time that it is waited for. What the
    caller does with what it said takes as long as it takes."""

    def __init__(
        self, root: str, process: subprocess.Popen[bytes], complaints: IO[bytes], seconds: float, until: float | None
    ) -> None:
        assert process.stdout is not None
        self._root, self._process, self._complaints = root, process, complaints
        self._seconds, self._until = seconds, until
        self._handle = process.stdout.fileno()
        self._poll = select.poll() if hasattr(select, "poll") else None  # Windows has none
        if self._poll is not None:
            self._poll.register(self._handle, select.POLLIN)

    def _left(self) -> float:
        return self._seconds if self._until is None else max(0.0, self._until - time.monotonic())

    def some(self, size: int) -> bytes:
        """What it has said since, up to so many bytes; nothing when it will say no more."""
        if self._poll is None:
            return self._some_or_end(size)
        if not self._poll.poll(self._left() * 1_000):
            raise self._late()
        return os.read(self._handle, size)

    def _some_or_end(self, size: int) -> bytes:
        """The same where nothing says that a pipe has something: a clock ends git, and that ends the reading."""
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            self._process.kill()

        clock = threading.Timer(self._left(), end)
        clock.daemon = True
        clock.start()
        found = os.read(self._handle, size)
        clock.cancel()
        if not found and is_late.is_set():
            raise self._late()
        return found

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        found = self.some(len(view))
        view[: len(found)] = found
        return len(found)

    def ended(self) -> int:
        """How it ended, when it has said all."""
        if not _has_ended(self._process, self._left()):
            raise self._late()
        return self._process.wait()

    def said(self) -> str:
        """The first line of what git wrote beside its answer."""
        self._complaints.seek(0)
        return self._complaints.read(4096).decode("utf-8", "replace").strip().partition("\n")[0]

    def failure(self) -> MarrowError:
        if locate(self._root, environ={}) is None:
            return Invalid(f"{self._root} is in no git repository.", hint="Give a folder that is.", field="root")
        said = self.said() or "it did not say why"
        return Unavailable(f"git cannot read {self._root}: {said}.", hint="Run `git status` there.")

    def _late(self) -> Unavailable:
        return Unavailable(
            f"git did not answer for {self._seconds:g} seconds about {self._root}, and was ended.",
            hint="Run `git status` there: a pipe among the files, or a disk that hangs, makes it wait for ever.",
        )


@contextmanager
def _running(
    root: str | os.PathLike[str],
    arguments: tuple[str, ...],
    given: IO[bytes] | None = None,
    *,
    until: float | None = None,
) -> Iterator[_Running]:
    with tempfile.TemporaryFile() as complaints:
        process = _start(root, arguments, complaints, given)
        assert process.stdout is not None
        seconds = SECONDS if _WALKS.isdisjoint(arguments) else WALK_SECONDS
        try:
            yield _Running(os.fspath(root), process, complaints, seconds, until)
        finally:
            process.kill()
            process.stdout.close()
            # What waits for a disk that hangs cannot even be killed: it is left behind.
            _has_ended(process, _END_SECONDS)


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether it has ended before so many seconds have passed. Where the system tells of it, it is not looked at again
    and again: that would cost every call a millisecond."""
    import subprocess

    if process.poll() is not None:
        return True
    try:
        handle = os.pidfd_open(process.pid)
    except (AttributeError, OSError):  # another system than Linux, or an old one
        pass
    else:
        with open(handle, "rb", buffering=0) as ending:
            poll = select.poll()
            poll.register(ending, select.POLLIN)
            poll.poll(seconds * 1_000)
        seconds = 0.0
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _start(
    root: str | os.PathLike[str], arguments: tuple[str, ...], complaints: IO[bytes], given: IO[bytes] | None = None
) -> subprocess.Popen[bytes]:
    import subprocess

    # Variables such as GIT_DIR speak for another repository than the one asked about: in a hook they are always set.
    variables = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith(_KEPT)}
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    try:
        return subprocess.Popen(
            ["git", "--no-pager", "-C", os.fspath(root), *settings, *arguments],
            stdin=given if given is not None else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            env={**variables, **_VARIABLES},
        )
    except OSError as error:
        raise Unavailable(
            f"git cannot be started: {error.strerror}.", hint="Install git, or put it on the PATH."
        ) from None


def _split(git: _Running) -> Iterator[bytes]:
    pending = b""
    while chunk := git.some(_CHUNK_BYTES):
        first, *others = chunk.split(b"\0")
        pending = (pending + first)[:FIELD_BYTES_MAX]
        if others:
            yield pending
            pending = others.pop()
            yield from others
