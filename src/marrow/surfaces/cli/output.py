"""How the command line speaks: data to standard output, everything else to standard error.

A terminal gets colours and tables (`show.py`), a pipe plain text, and whoever asks for it JSON.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TextIO

from ...model.errors import MarrowError
from ...operations.listing import listed, names

if TYPE_CHECKING:
    from ...operations.run import Answer

# What a terminal would obey instead of show: control codes, and marks that turn the direction of writing.
_OBEYED = {code: 0x2400 + code for code in range(0x20) if chr(code) not in "\n\t"}
_OBEYED |= {0x7F: 0x2421} | dict.fromkeys([*range(0x80, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)

# What JSON itself would leave as it is; written so, it is the same value.
_OBEYED_IN_JSON = {code: f"\\u{code:04x}" for code in _OBEYED if code >= 0x7F}


def harmless(text: str) -> str:
    """`text` with what a terminal would obey made visible: a memory is data, whoever wrote it."""
    return text.translate(_OBEYED)


class Unwritten(Exception):
    """What was done is done, but its answer cannot be written: the disk that it goes to may be full."""


@dataclass(frozen=True, slots=True)
class Output:
    """`color` is the user's choice; where a stream is no terminal there is none anyway."""

    json: bool = False
    quiet: bool = False
    color: bool = True
    debug: bool = False

    @classmethod
    def asked(cls, options: Sequence[str], environ: Mapping[str, str] = os.environ) -> Output:
        """What the options say, before anything is parsed: errors of parsing must be told in the same way."""
        return cls(
            json="--json" in options,
            quiet="--quiet" in options or "-q" in options,
            color="--no-color" not in options and not environ.get("NO_COLOR"),
            debug="--debug" in options or environ.get("MARROW_LOG_LEVEL", "").lower() == "debug",
        )

    def answer(self, answer: Answer) -> None:
        """The answer of an operation."""
        if self.json:
            self.data(answer.plain())
            return
        answer = typed_answer(answer)
        if sys.stdout.isatty():
            from .show import show_answer

            show_answer(answer, color=self.color)
        else:
            self.text(answer.text)

    def data(self, value: Any) -> None:
        """A value as JSON, whole."""
        is_unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        self._write(sys.stdout, json.dumps(value, indent=2, ensure_ascii=not is_unicode).translate(_OBEYED_IN_JSON))

    def text(self, text: str) -> None:
        """Data as text."""
        self._write(sys.stdout, harmless(text) if sys.stdout.isatty() else text)

    def page(self, text: str) -> None:
        """Text of our own, which may be marked up."""
        self._write(sys.stdout, text)

    def is_coloured(self) -> bool:
        return self.color and sys.stdout.isatty()

    def table(self, columns: Sequence[str], rows: Sequence[Sequence[str]], plain: str, *, needed: int) -> None:
        """Rows as a table on a terminal that has room for the first `needed` columns, and as `plain` elsewhere."""
        if sys.stdout.isatty():
            from .show import show_table

            show_table(columns, rows, plain, needed=needed, color=self.color)
        else:
            self.text(plain)

    def note(self, text: str) -> None:
        """A remark beside the data; none of them when the user wants quiet."""
        if not self.quiet:
            self._write(sys.stderr, harmless(text))

    def error(self, problem: MarrowError) -> None:
        """An error: as data where JSON was asked for, since a program reads that, and else for a person."""
        if self.json:
            self.data({"error": problem.as_dict()})
            return
        self._write(sys.stderr, f"{self._marked('error:', '1;31')} {harmless(as_typed(problem.message))}")
        if problem.hint:
            self._write(sys.stderr, f"{self._marked('hint:', '1;36')} {harmless(as_typed(problem.hint))}")

    def _marked(self, word: str, style: str) -> str:
        return f"\x1b[{style}m{word}\x1b[0m" if self.color and sys.stderr.isatty() else word

    def flush(self) -> None:
        """Let the answer reach its reader."""
        with _told():
            sys.stdout.flush()

    @staticmethod
    def _write(stream: TextIO, text: str) -> None:
        with _told():
            try:
                stream.write(text + "\n")
            except UnicodeEncodeError:
                encoding = stream.encoding or "ascii"
                stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise Unwritten(problem.strerror or str(problem)) from problem


# Only names of several words, or what stands in code marks: `report` and `pause` are words of any text.
_OPERATION = re.compile(r"\b[a-z]+(?:_[a-z]+)+\b|(?<=`)[a-z]+(?=[` ])")
_ARGUMENT = re.compile(r"(?<!')\b([a-z]+(?:_[a-z]+)*)=(true|false|[\w.:-]*\w)")  # 'owner=ada' is meant as it is
# How to get more: "(5 more: raise limit or budget_tokens)".
_REMARK = re.compile(r"(?<=more: )[^()\n]+(?=\))|\braise budget_tokens\b")
_MORE = re.compile(r"\b(?:limit|offset|budget_tokens)\b")
_EVERYTHING = "memory_help with context=all"
_DO_IT = "dry_run=false with confirm=true"  # twice, for whoever calls it by name; a person says yes once


def as_typed(text: str, data: str = "") -> str:
    """What is said of operations and arguments, as a person types it: `marrow get`, `--project all`. What stands in the
    `data` too is not ours to say otherwise: a memory, or a file."""

    def command(found: re.Match[str]) -> str:
        name = names().get(found[0])
        return f"marrow {' '.join(listed()[name].command)}" if name and found[0] not in data else found[0]

    def option(found: re.Match[str]) -> str:
        if found[0] in data:
            return found[0]
        name = found[1].replace("_", "-")
        if found[2] in ("true", "false"):
            return f"--{name}" if found[2] == "true" else f"--no-{name}"
        return f"--{name} {found[2]}"

    def remark(found: re.Match[str]) -> str:
        return found[0] if found[0] in data else _MORE.sub(lambda one: f"--{one[0].replace('_', '-')}", found[0])

    text = _REMARK.sub(remark, text.replace(_EVERYTHING, "marrow help").replace(_DO_IT, "--yes"))
    return _ARGUMENT.sub(option, _OPERATION.sub(command, text))


def typed_answer(answer: Answer) -> Answer:
    """The answer with its remarks in the words of the command line, and everything else as it is."""
    if not any(pattern.search(answer.text) for pattern in (_OPERATION, _ARGUMENT, _REMARK)):
        return answer
    data = "\n".join(_texts(answer.plain()))
    return replace(answer, text=as_typed(answer.text, data))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
