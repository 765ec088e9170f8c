"""An event of a log, and how grave it is."""

from __future__ import annotations

from dataclasses import dataclass, field

LEVELS = ("trace", "debug", "info", "notice", "warning", "error", "critical", "fatal")
TRACE, DEBUG, INFO, NOTICE, WARNING, ERROR, CRITICAL, FATAL = range(len(LEVELS))
_WORDS = {
    "trace": TRACE, "trc": TRACE, "finest": TRACE, "finer": TRACE, "verbose": TRACE, "silly": TRACE,
    "debug": DEBUG, "dbg": DEBUG, "fine": DEBUG, "d": DEBUG,
    "info": INFO, "inf": INFO, "information": INFO, "informational": INFO, "log": INFO, "i": INFO, "config": INFO,
    "notice": NOTICE, "note": NOTICE,
    "warning": WARNING, "warn": WARNING, "wrn": WARNING, "w": WARNING,
    "error": ERROR, "err": ERROR, "e": ERROR, "severe": ERROR, "eror": ERROR, "fail": ERROR, "failure": ERROR,
    "critical": CRITICAL, "crit": CRITICAL, "alert": CRITICAL, "dpanic": CRITICAL, "c": CRITICAL,
    "fatal": FATAL, "ftl": FATAL, "panic": FATAL, "emerg": FATAL, "emergency": FATAL, "f": FATAL,
}  # fmt: skip
# The severities of syslog, from 0, and the numbers of pino and bunyan.
SYSLOG = (FATAL, CRITICAL, CRITICAL, ERROR, WARNING, NOTICE, INFO, DEBUG)
_PINO = {10: TRACE, 20: DEBUG, 30: INFO, 40: WARNING, 50: ERROR, 60: FATAL}


def level_of(word: object) -> int | None:
    """The level that a word or number names; None for what names none."""
    if isinstance(word, str) and word.isdigit() and len(word) <= 2:
        word = int(word)
    if isinstance(word, str):
        return _WORDS.get(word.strip("[]<>() ").lower()) if word else None
    if isinstance(word, int) and not isinstance(word, bool):
        if word in _PINO:
            return _PINO[word]
        return SYSLOG[word] if 0 <= word < len(SYSLOG) else None
    return None


@dataclass(slots=True)
class Entry:
    """`at` is in microseconds, 0 where nothing tells it. `wrapped`: each line of the file has its own head, put there
    by what collected it. `trace` are the lines below the first; `beside` is what else an entry of fields says."""

    message: str
    at: int = 0
    level: int | None = None
    service: str = ""
    trace_id: str = ""
    form: str = ""
    wrapped: bool = False
    is_head: bool = True
    beside: str = ""
    trace: list[str] = field(default_factory=list)

    @property
    def gravity(self) -> int:
        return INFO if self.level is None else self.level
