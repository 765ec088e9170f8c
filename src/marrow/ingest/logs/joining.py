"""Which lines of a log are one event: a stack below its message, a message over several lines.

Where a file's entries begin with a time or a level, what does not is what the entry before goes on with. Where each
line has a head of the collector's, only what looks like a stack goes on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from .entry import ERROR, FATAL, WARNING, Entry
from .forms import parse

TRACE_LINES_MAX = 120
LINE_LENGTH_MAX = 2_000
_GOES_ON = re.compile(
    r"\s+(?:at |File \"|\.\.\. |\^|~|in |from |\||[\w./-]+:\d+)|Caused by: |Suppressed: |\.\.\. \d+ more|"
    r"goroutine \d+ \[|"
    r"During handling of the above|The above exception was|\t|    "
)
_PYTHON = re.compile(r"\s*Traceback \(most recent call last\):")
_STARTS = re.compile(
    r"(?:Exception in thread \"|panic: |fatal error: |Unhandled |Uncaught |thread '.{1,80}' panicked at |"
    r"(?:[a-z][\w$]*\.){2,}[A-Z]\w*(?:Exception|Error)\b)"
)
_RAISED = re.compile(
    r"(?P<name>[A-Za-z_][\w.$]*(?:Error|Exception|Warning|Exit|Interrupt|Failure|Fault|Timeout|Iteration)?)(?::\s|\s*\Z)"
)


def entries(lines: Iterable[str], now: int) -> Iterator[Entry]:
    """The events of a log, one at a time."""
    pending: Entry | None = None
    last_at = 0
    for line in lines:
        if not line.strip():
            if pending is not None and pending.trace:
                _add(pending, "")
            continue
        entry = parse(line, now)
        if pending is not None and _belongs(pending, entry):
            _add(pending, entry.message if entry.wrapped else line.rstrip())
            continue
        _grade(entry)
        if not entry.at:
            entry.at = last_at
        last_at = entry.at
        if pending is not None:
            yield pending
        pending = entry
    if pending is not None:
        yield pending


def _belongs(pending: Entry, entry: Entry) -> bool:
    """Whether a line goes on with the entry before it."""
    if entry.is_head:
        return False
    if entry.wrapped and (not pending.wrapped or pending.service != entry.service):
        return False
    text = entry.message
    if _PYTHON.match(text) or _STARTS.match(text):
        # What is not grave does not end in a stack: this is another's.
        return pending.gravity >= WARNING and not pending.trace
    if _in_python(pending):
        return True
    if _GOES_ON.match(text):
        return True
    return not entry.wrapped and pending.is_head and pending.form not in ("access", "json", "logfmt", "nginx")


def _in_python(pending: Entry) -> bool:
    """Whether a Python stack is open: it ends with the line that names what was raised."""
    lines = [pending.message, *pending.trace] if _PYTHON.match(pending.message) else pending.trace
    if not any(_PYTHON.match(line) for line in lines):
        return False
    last = next((line for line in reversed(lines) if line.strip()), "")
    return (
        last[:1].isspace() or bool(_PYTHON.match(last)) or last.startswith(("During handling", "The above exception"))
    )


def _grade(entry: Entry) -> None:
    """A stack without a level of its own is an error."""
    if entry.level is None and (_PYTHON.match(entry.message) or _STARTS.match(entry.message)):
        entry.level = FATAL if entry.message.startswith(("panic: ", "fatal error: ")) else ERROR


def _add(entry: Entry, line: str) -> None:
    if len(entry.trace) < TRACE_LINES_MAX:
        entry.trace.append(line[:LINE_LENGTH_MAX])
    else:  # the end of a long stack says what was raised
        entry.trace[-1] = line[:LINE_LENGTH_MAX]
    if _PYTHON.match(line) and (entry.level is None or entry.level < ERROR):
        entry.level = ERROR


def raised(entry: Entry) -> str:
    """The line of a stack that names what was raised: the last of Python's, the first of others'."""
    lines = [line for line in (entry.message, *entry.trace) if line.strip()]
    if any(_PYTHON.match(line) for line in lines):
        for line in reversed(lines):
            if not line[:1].isspace() and _RAISED.match(line):
                return line.strip()
        return ""
    caused = [line for line in lines if line.lstrip().startswith("Caused by: ")]
    if caused:
        return caused[-1].strip().removeprefix("Caused by: ")
    return next((line.strip() for line in entry.trace if _STARTS.match(line.strip())), "")
