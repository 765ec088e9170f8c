"""A run of tests: what failed and where, or that all is well."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from .call import Call
from .command import as_run
from .lines import fit, joined, middle
from .observation import FAILED, OK
from .paths import is_absolute, relative, short
from .piece import TEST, Piece
from .runs.recognise import runner_of
from .runs.run import Failure, Run
from .signature import signature

FAILURES_TOLD = 7
_SCOPE = re.compile(r"(?:\.{0,2}/)?[\w.@-]+(?:/[\w.@*-]+)*(?:\.\w{1,5})?(?:::[\w\[\]:.-]+)*\Z")
_IS_PLACE = re.compile(r"[/\\]|\.\w{1,5}(?:::|:|\Z)|::|\Atests?\Z|\Aspec\Z")
_PLACE_FILE = re.compile(r"(.+?\.\w{1,6})(?::|\(|\Z)")


def run_piece(call: Call, commands: Sequence[str], run: Run) -> Piece:
    """The piece of a run, whether its tests passed or not."""
    command = next((one for one in commands if runner_of(one)), commands[-1] if commands else run.runner)
    ok = run.ok and (not call.failed or bool(run.passed and "|" in call.command))
    failures = [local(failure, call.cwd) for failure in run.failures]
    scope = _scope(command)
    # As it was given: in some projects plain pytest finds nothing, and python -m pytest all.
    given = next((part for part in as_run(call.command) if part.endswith(command)), command)
    if ok:
        return Piece(
            call,
            TEST,
            f"Tests pass: {run.counts} ({run.runner})",
            f"`{fit(given, 120)}`: {run.counts}.",
            outcome=OK,
            key=_key(run, command),
            scope=scope,
            run=run,
        )
    files = [_file_of(failure) for failure in failures]
    return Piece(
        call,
        TEST,
        _title(run, failures),
        _summary(given, run, failures),
        "\n".join(joined([failure_line(failure) for failure in failures], FAILURES_TOLD)),
        files=tuple(dict.fromkeys(file for file in files if file)),
        names=tuple(dict.fromkeys(name for failure in failures[:FAILURES_TOLD] if (name := bare_name(failure.test)))),
        outcome=FAILED,
        failure=_main_signature(failures) or signature(f"{run.runner} failed"),
        key=_key(run, command),
        scope=scope,
        run=run,
    )


def _key(run: Run, command: str) -> str:
    return f"{run.runner} {command}"


def failure_line(failure: Failure) -> str:
    """`tests/test_a.py::test_x at tests/test_a.py:6: assert 3 == 4`."""
    name = middle(failure.test, 100) if not failure.place.startswith(f"{failure.test}:") else ""
    told = f"{name} at {failure.place}" if failure.place and name else name or failure.place
    return fit(f"{told}: {failure.message}" if failure.message and told else told or failure.message, 260)


def bare_name(test: str) -> str:
    """A test's name without its file, its parameters and its module."""
    name = re.split(r"::| › | > |#", test)[-1].strip()
    name = re.sub(r"\[.*\]\Z|\(.*\)\Z", "", name)
    if re.fullmatch(r"\w+(?:\.\w+)+", name) and test.count(".") > 1:
        name = name.rpartition(".")[2]
    return name if re.fullmatch(r"[\w.$/ -]{1,80}", name) and not re.search(r"\.\w{1,5}\Z", name) else ""


def _title(run: Run, failures: Sequence[Failure]) -> str:
    if not failures or not failures[0].test:
        said = failures[0].message if failures else run.counts
        return f"Tests failed to run ({run.runner}): {fit(said, 50)}"
    first = failures[0].test
    name = first.partition("::")[2] or first
    count = max(run.failed + run.errors, len(failures))
    more = f" (+{count - 1} more)" if count > 1 else ""
    return f"Test failed: {middle(name, 64 - len(more))}{more}"


def _summary(command: str, run: Run, failures: Sequence[Failure]) -> str:
    told = f"`{fit(command, 80)}`: {run.counts}."
    if failures:
        first = failures[0]
        known = first.place or first.test
        where = f"{middle(known, 80)}: " if known else ""
        told += f" {where}{fit(first.message, 160)}" if first.message else f" {failure_line(first)}"
    return told


def _main_signature(failures: Sequence[Failure]) -> str:
    """That of the message that most tests fail with, the first of equals."""
    found = [signature(failure.message, bare_name(failure.test)) for failure in failures if failure.message]
    return Counter(found).most_common(1)[0][0] if found else ""


def local(failure: Failure, cwd: str) -> Failure:
    """With paths from the folder at hand."""
    return Failure(
        relative(failure.test, cwd) if "::" in failure.test or is_absolute(failure.test) else failure.test,
        relative(failure.place, cwd),
        failure.message,
    )


def _file_of(failure: Failure) -> str:
    for text in (failure.place, failure.test.partition("::")[0], failure.test.partition(" ")[0]):
        if (found := _PLACE_FILE.match(text)) and (" " not in found[1]):
            return found[1]
    return ""


def _scope(command: str) -> tuple[str, ...]:
    """The files, folders and tests that a run was limited to; nothing when it ran them all."""
    words = command.split()
    found = []
    for before, word in zip(["", *words], words, strict=False):
        if before in ("-k", "-t", "-run", "--filter", "-m", "--grep", "-g", "--testNamePattern", "-n"):
            if before not in ("-n",):
                found.append(word.strip("'\""))
        elif not word.startswith("-") and word != words[0] and _SCOPE.match(word) and _IS_PLACE.search(word):
            found.append(word)
    return tuple(found)


def covers(piece: Piece, failing: Piece) -> bool:
    """Whether a run would have run the tests that failed in an earlier one."""
    if piece.run is None or failing.run is None or piece.run.runner != failing.run.runner:
        return False
    if not piece.scope or set(piece.scope) == set(failing.scope):
        return True
    tests = [failure.test for failure in failing.run.failures if failure.test]
    places = [*tests, *failing.files, *(failure.place for failure in failing.run.failures)]
    for part in piece.scope:
        part = part.removeprefix("./").removesuffix("/...").rstrip("/")
        if any(part in (place, bare_name(place)) or place.startswith((part + "/", part + ":")) for place in places):
            return True
    return False


def still_fails(piece: Piece, failing: Piece) -> bool:
    """Whether a later failing run has a test among its failures that failed before, or got nowhere."""
    if piece.run is None or failing.run is None or not piece.run.passed:
        return True
    if piece.run.failed + piece.run.errors > len(piece.run.failures):
        return True  # it does not say which: it may be the same
    now = {failure.test for failure in piece.run.failures}
    then = {failure.test for failure in failing.run.failures if failure.test}
    files = {test for test in now if "::" not in test}
    return not then or bool(now & then) or any(test.startswith(tuple(files)) for test in then if files)


def in_short(failure: Failure) -> str:
    return f"{short(failure.place, 50)}: {failure.message}" if failure.place else failure.message
