"""Looking through the project's files for a regular expression, with what is known about the files it is found in.

Git does it, as it is there and reads ignore files: it also runs outside of a repository. Where it is not installed, a
Python process does: a pattern that never ends is ended with the process.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.errors import Invalid, MarrowError, Unavailable
from ..model.redact import redact
from ..model.redact_lines import may_be_of_a_key, redact_window
from ..model.scope import READ
from ..repository.command import answered, at_home, succeeds
from ..repository.file_sorts import is_generated, is_inside_git, is_secret
from ..repository.identity import locate
from ..store.terms import query_terms, terms_of
from .anchors.checkout import Checkout
from .engine import Asker, Engine
from .known_here import Known, is_scanned, known_here, told_first
from .known_lines import LOOKED_AT, as_they_stand
from .project_files import listed, matches_glob, project_file, project_folder, project_root, read_bytes

PATTERN_LENGTH_MAX = 1_000
SECONDS_MAX = 10.0
BYTES_MAX = 8 * 1024 * 1024
MATCHES_MAX, FILES_MAX, OF_FILE_MAX = 20_000, 200, 50
# Of what was read out of a file's code, so many are told with it.
OF_CODE = 1
LINE_LENGTH_MAX = 240
FILE_BYTES_MAX = 4 * 1024 * 1024
# Of a longer line only the beginning is shown.
LOOKED_INTO = 64 * 1024
_FAILED = 128
_TOLD = re.compile(rb"([^\0]+)\0(\d+)\0(\d+)\0([^\n]*)\n")
# For files that are listed on its input: path, line, column and text of each line that matches, with NUL between them.
# Without site packages.
_PROGRAM = """
import re, sys
pattern, largest = re.compile(sys.argv[1].encode()), int(sys.argv[2])
for path in sys.stdin.buffer.read().split(b"\\0"):
    try:
        with open(path, "rb") as file:
            content = file.read(largest + 1)
    except OSError:
        continue
    if len(content) > largest or b"\\0" in content[:8192]:
        continue
    for number, line in enumerate(content.splitlines(), 1):
        found = pattern.search(line)
        if found:
            sys.stdout.buffer.write(b"%s\\0%d\\0%d\\0%s\\n" % (path, number, found.start() + 1, line))
"""


class Match(NamedTuple):
    line: int
    text: str


class _Found(NamedTuple):
    """A line as it stands in the file, and where in it the match begins."""

    line: int
    column: int
    text: str


class FileMatches(NamedTuple):
    """A file, the lines of it that match (`total` is how many there are), and what is known about it."""

    path: str
    matches: tuple[Match, ...]
    total: int
    known: tuple[Known, ...]
    score: float = 0.0


class Grepped(NamedTuple):
    """`files` are the best `FILES_MAX` of `found`. `skipped` says how many files of which sort were left out, `stopped`
    why it is not all."""

    files: tuple[FileMatches, ...]
    found: int
    matches: int
    skipped: dict[str, int]
    stopped: str = ""


def grep(
    engine: Engine,
    asker: Asker,
    pattern: str,
    *,
    intent: str = "",
    glob: str = "",
    path: str = "",
    ignore_case: bool = False,
) -> Grepped:
    """Lines that match, by file; with an `intent`, those that are about it come first."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    _check(pattern)
    root = project_root(asker)
    folder = project_folder(root, path)
    told, stopped = _searched(root, folder, pattern, ignore_case)
    by_file: dict[str, list[_Found]] = {}
    counts: dict[str, int] = {}
    skipped: dict[str, int] = {}
    left_out: set[str] = set()
    for name, line, column, text in told:
        if name in left_out or (glob and not matches_glob(name, glob)):
            continue
        if name not in counts and (sort := _sort(name)):
            left_out.add(name)
            skipped[sort] = skipped.get(sort, 0) + 1
            continue
        counts[name] = counts.get(name, 0) + 1
        if counts[name] <= OF_FILE_MAX:
            by_file.setdefault(name, []).append(_Found(line, column, text[:LOOKED_INTO]))
        if sum(counts.values()) >= MATCHES_MAX:
            stopped = f"more than {MATCHES_MAX:,} lines match"
            break
    with engine.store.reading() as reader:
        known = known_here(reader, asker, list(by_file), engine.clock())
    files = [_file(engine, root, name, some, counts[name], known.get(name, [])) for name, some in by_file.items()]
    ranked = _ranked(files, intent) if intent.strip() else sorted(files, key=lambda file: (_is_untold(file), file.path))
    best = _with_lines(engine, root, ranked[:FILES_MAX])
    return Grepped(tuple(best), len(ranked), sum(counts.values()), skipped, stopped)


def _with_lines(engine: Engine, root: str, files: Sequence[FileMatches]) -> list[FileMatches]:
    """The best of them with the lines that what is known is about now."""
    checkout, limit = Checkout(root, redact_extra=engine.redact_extra), LOOKED_AT
    found = []
    for file in files:
        known = as_they_stand(checkout, file.path, file.known, limit)
        limit -= sum(bool(one.start) for one in file.known)
        found.append(file._replace(known=tuple(known)))
    return found


def _check(pattern: str) -> None:
    if not pattern or len(pattern) > PATTERN_LENGTH_MAX or "\0" in pattern or "\n" in pattern:
        raise Invalid(
            f"A pattern is a regular expression on one line, of at most {PATTERN_LENGTH_MAX:,} characters.",
            hint="It is compared with each line by itself.",
            field="pattern",
        )


def _searched(
    root: str, folder: str, pattern: str, ignore_case: bool
) -> tuple[Iterator[tuple[str, int, int, str]], str]:
    is_repository = locate(root, environ={}) is not None
    where = ("--untracked",) if is_repository else ("--no-index", "--exclude-standard")
    options = ("-I", "-n", "-z", "--full-name", "--no-color", "--column", "--no-textconv", "-P")
    case = ("-i",) if ignore_case else ()
    below = ("--", f":(literal,top){folder}" if is_repository else folder) if folder else ()
    arguments = (*at_home(root), "grep", *where, *options, *case, "-e", pattern, *below)
    try:
        found = answered(root, *arguments, bytes_max=BYTES_MAX, seconds=SECONDS_MAX)
    except Unavailable:  # no git on this machine
        return _by_python(root, folder, pattern, ignore_case)
    if found.is_late:
        return _parsed(found.told), f"it took longer than {SECONDS_MAX:g} seconds"
    if found.is_cut:
        return _parsed(found.told), f"it is more than {BYTES_MAX // 1024 // 1024} MB"
    if found.code >= _FAILED:
        if is_repository and not succeeds(root, "rev-parse", "--git-dir"):
            raise Unavailable(f"git cannot read {root}: {found.complaint}.", hint="Run `git status` there.")
        raise _refused(found.complaint)
    return _parsed(found.told), ""


def _refused(complaint: str) -> Invalid:
    said = complaint.removeprefix("fatal: ").rpartition("': ")[2] or "it cannot be read"
    return Invalid(f"The pattern does not work: {said}.", hint="Escape marks like ( and [ with \\.", field="pattern")


def _by_python(
    root: str, folder: str, pattern: str, ignore_case: bool
) -> tuple[Iterator[tuple[str, int, int, str]], str]:
    import subprocess

    expression = f"(?i:{pattern})" if ignore_case else pattern
    try:
        re.compile(expression.encode())
    except (re.error, RecursionError, OverflowError) as problem:
        raise _refused(str(problem)) from None
    given = "\0".join(listed(root, folder)).encode("utf-8", "surrogateescape")
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, expression, str(FILE_BYTES_MAX)]
    try:
        done = subprocess.run(command, input=given, cwd=root, capture_output=True, timeout=SECONDS_MAX, check=False)
    except subprocess.TimeoutExpired as late:
        return _parsed(late.stdout or b""), f"it took longer than {SECONDS_MAX:g} seconds"
    is_cut = len(done.stdout) > BYTES_MAX
    return _parsed(done.stdout[:BYTES_MAX]), f"it is more than {BYTES_MAX // 1024 // 1024} MB" if is_cut else ""


def _parsed(told: bytes) -> Iterator[tuple[str, int, int, str]]:
    """Part by part: a name may have a line feed in it. What was cut off in the middle is left out."""
    for found in _TOLD.finditer(told):
        name, number, column, text = found.groups()
        before = len(text[: int(column) - 1].decode("utf-8", "replace"))
        yield name.decode("utf-8", "replace"), int(number), before, text.decode("utf-8", "replace").rstrip("\r")


def _sort(path: str) -> str:
    if is_inside_git(path) or is_secret(path):
        return "secret"
    return "generated" if is_generated(path) else ""


def _window(text: str, column: int) -> str:
    """The line, or of a long one what is around the match."""
    if len(text) <= LINE_LENGTH_MAX:
        return text
    start = max(0, min(column, len(text) - 1) - LINE_LENGTH_MAX // 4)
    return f"{'…' if start else ''}{text[start : start + LINE_LENGTH_MAX]}…"


def _file(
    engine: Engine, root: str, name: str, found: Sequence[_Found], count: int, known: Sequence[Known]
) -> FileMatches:
    matches = tuple(Match(one.line, _window(text, one.column)) for one, text in _clean(engine, root, name, found))
    return FileMatches(name, matches, count, tuple(told_first(known, len(known), OF_CODE)))


def _is_untold(file: FileMatches) -> bool:
    """Whether nobody said anything about it: what was read out of its own code is no reason to come first."""
    return all(is_scanned(one) for one in file.known)


def _clean(engine: Engine, root: str, name: str, found: Sequence[_Found]) -> Iterator[tuple[_Found, str]]:
    """Without secrets, before anything is cut off: half of one does not show what it is. What may be a line of a key is
    looked at with the lines around it."""
    every: list[str] | None = None
    for one in found:
        text = redact(one.text, engine.redact_extra).text
        if may_be_of_a_key(text):
            every = _lines(root, name) if every is None else every
            if one.line <= len(every):
                text = redact_window(every, one.line - 1, one.line, engine.redact_extra)[0][:LOOKED_INTO]
        yield one, text


def _lines(root: str, name: str) -> list[str]:
    try:
        content = read_bytes(project_file(root, name), bytes_max=FILE_BYTES_MAX)
    except MarrowError:
        return []
    return [line.decode("utf-8", "replace").rstrip("\r") for line in content.split(b"\n")]


def _ranked(files: Sequence[FileMatches], intent: str) -> list[FileMatches]:
    """By how many of the intent's words a file's name, its matching lines and the memories about it have."""
    wanted = set(query_terms(intent))
    scored = []
    for file in files:
        in_name = len(wanted.intersection(terms_of(file.path)))
        in_lines = len(wanted.intersection(term for match in file.matches for term in terms_of(match.text)))
        said = (one.record.node.content for one in file.known)
        in_memory = len(wanted.intersection(term for text in said for term in terms_of(text)))
        score = (2 * in_name + in_lines + 2 * in_memory) / max(1, 5 * len(wanted))
        scored.append(file._replace(score=round(score, 3)))
    return sorted(scored, key=lambda file: (-file.score, _is_untold(file), file.path))
