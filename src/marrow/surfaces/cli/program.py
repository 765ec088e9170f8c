"""The command line's way through: words to a command, the command to an answer, the answer to the reader.

Errors are told once, here, and give the exit code that `marrow help exit-codes` lists.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ...model.errors import Internal, Invalid, MarrowError, StoreDamaged, Unavailable, of_system
from ...operations.table import Operation
from . import commands, pages
from .arguments import ACTION, CONFIRM, DRY_RUN, choices, flag
from .commands import Entry
from .invocation import COMMON_VALUES, Invocation, before_dashes
from .output import Output, Unwritten, typed_answer
from .places import from_root

if TYPE_CHECKING:
    from ...app import Memory

INTERRUPTED, BROKEN_PIPE, DECLINED = 130, 141, 1
RESTORE = "restore"  # what can be done with a store that nothing else can be done with
STATUS = "memory_status"  # it says where the store is, and whether it is there
WRITES = "write"
NAMED_BY = ("argument", "MARROW_STORE")
COMPLETE = "_complete"  # what the completion scripts call


def run(given: Sequence[str]) -> int:
    """Do what the words say; the exit code."""
    _open_streams()
    given = [_as_utf8(word) for word in given]
    options = before_dashes(given)
    output = Output.asked(options)
    if not output.debug:
        sys.excepthook = _fault(output)
    try:
        code = _told(given, options, output)
        output.flush()
    except BrokenPipeError:
        _leave_unread()
        return BROKEN_PIPE
    except Unwritten as problem:
        _leave_unread()
        with suppress(OSError):
            sys.stderr.write(f"error: The answer could not be written: {problem}.\n")
        return Unavailable.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED
    return code


def _as_utf8(word: str) -> str:
    """A word of the command as it was sent: where the locale knows ASCII alone, Python reads no other letters."""
    try:
        return word if word.isascii() else os.fsencode(word).decode()
    except UnicodeError:
        return word  # what is wrong with it is told with the name of its argument


def _told(given: Sequence[str], options: Sequence[str], output: Output) -> int:
    try:
        return _run(given, options, output)
    except MarrowError as problem:
        if output.debug:
            sys.excepthook(type(problem), problem, problem.__traceback__)
        output.error(problem)
        return problem.exit_code


def _open_streams() -> None:
    """A stream that whoever started us closed is one that nobody reads."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def _run(given: Sequence[str], options: Sequence[str], output: Output) -> int:
    if given[:1] == [COMPLETE]:
        from .completion import complete

        complete(given[1:])
        return 0
    words = _words(options)
    if "--version" in options and not words:
        from ...version import __version__

        output.text(f"marrow {__version__}")
        return 0
    is_help = "--help" in options or "-h" in options or not given
    if is_help or words[:1] == ["help"]:
        asked = words[1:] if words[:1] == ["help"] else _command_in(words)
        output.page(pages.page_of(asked, bold=output.is_coloured()))
        return 0
    from .parsing import parse

    entry, values, invocation = parse(given, output)
    bound = _bound(entry, values)
    if entry.is_own:
        return int(entry.operation.function(invocation, **bound) or 0)
    return _perform(entry.operation, values, invocation)


def _words(options: Sequence[str]) -> list[str]:
    """The words among these that are no options and no values of common options: they name the command."""
    words: list[str] = []
    is_value = False
    for word in options:
        if not is_value and not word.startswith("-"):
            words.append(word)
        is_value = not is_value and word in COMMON_VALUES
    return words


def _command_in(words: Sequence[str]) -> Sequence[str]:
    """Those of the words that name a command: the others are its arguments."""
    entry, length = commands.find(words)
    return words if entry is None else words[:length]


def _bound(entry: Entry, values: dict[str, Any]) -> dict[str, Any]:
    """The values in their types. Refused here, before a store is opened, with a hint that a person can follow."""
    from ...operations.run import bind

    shows = f"`marrow help {entry.name}` shows how it is called."
    missing = [name for name in entry.operation.required if values.get(name) is None]
    if missing:
        raise Invalid(f"marrow {entry.name} needs {' and '.join(missing)}.", hint=shows, field=missing[0])
    try:
        return bind(entry.operation, values)
    except Invalid as problem:
        problem.hint = problem.hint or shows
        if problem.field == ACTION and WRITES in choices(entry.operation.by_name[ACTION]):
            problem.hint += f' `marrow {entry.name} {WRITES} "…"` writes a text.'
        raise


def _perform(operation: Operation, values: dict[str, Any], invocation: Invocation) -> int:
    budget = invocation.budget_tokens
    if budget is not None:
        values["budget_tokens"] = int(budget) if budget.isdigit() else budget
    if invocation.project is not None:
        values["project"] = invocation.project  # the whole call stands there
    changes = operation.changes and not values.get(DRY_RUN)
    with invocation.open(create=changes, damaged=operation.name == RESTORE) as memory:
        # A name that was typed may be mistyped. That nothing is there on a fresh machine is no news.
        if memory.missing and memory.settings.source("store") in NAMED_BY and operation.name != STATUS:
            invocation.output.note(f"There is no store at {memory.missing} yet: this is an empty memory.")
        values = from_root(operation, values, memory.call.root)
        if not _is_confirmed(memory, operation, values, invocation.output):
            invocation.output.note("Nothing was changed.")
            return DECLINED
        from .progress import Progress

        with Progress(invocation.output, " ".join(operation.command)) as progress:
            answer = memory.perform(operation.name, values, progress=progress, whole=invocation.output.json)
        invocation.output.answer(answer)
        if changes:
            invocation.output.flush()
            _refine(memory)
    return 0 if getattr(answer.result, "ok", True) else StoreDamaged.exit_code


def _refine(memory: Memory) -> None:
    """What was saved gets its better vector now that the answer is out: no daemon may ever run here. It costs an eighth
    of a second, of a small repository some seconds, and what fails or is broken off is done by whoever comes next: the
    answer stands. Once after an upgrade a small index of words is made anew with it."""
    with suppress(MarrowError, KeyboardInterrupt):
        memory.refine_few()


def _is_confirmed(memory: Memory, operation: Operation, values: dict[str, Any], output: Output) -> bool:
    """Ask before something is lost. On a terminal show what would happen first; elsewhere it must have been said, and
    what only looks unless it is told otherwise does that."""
    names = {a.name: a.default for a in operation.arguments}
    if CONFIRM not in names or values.get(DRY_RUN):
        return True
    if not values.get(CONFIRM):
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            if names.get(DRY_RUN) is True and values.get(DRY_RUN) is None:
                return True
            shows = f" {flag(DRY_RUN)} shows what it would do." if DRY_RUN in names else ""
            message = f"{operation.name} needs to be confirmed; nothing was changed."
            raise Invalid(message, hint=f"Add --confirm or --yes.{shows}", field=CONFIRM)
        if DRY_RUN in names:
            output.note(typed_answer(memory.perform(operation.name, {**values, DRY_RUN: True})).text)
        sys.stderr.write("Go on? [y/N] ")
        sys.stderr.flush()
        values[CONFIRM] = sys.stdin.readline().strip().lower() in ("y", "yes")
    if DRY_RUN in names:
        values[DRY_RUN] = False
    return bool(values[CONFIRM])


def _leave_unread() -> None:
    """The reader of the answer went away, or has no room: let nothing more be written at the end of the process."""
    with suppress(OSError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _fault(output: Output) -> Any:
    """What becomes of an error that nobody expected: a short word for the user, and the exit code of a fault."""

    def tell(kind: type[BaseException], problem: BaseException, at: TracebackType | None) -> None:
        said = f": {problem}" if str(problem) else ""
        fault = of_system(problem) or Internal(
            f"Marrow met a fault of its own ({kind.__name__}{said}).",
            hint="Run it again with --debug and report what it shows.",
        )
        output.error(fault)
        raise SystemExit(fault.exit_code)

    return tell
