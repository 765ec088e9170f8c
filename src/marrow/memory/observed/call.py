"""A tool call as the trace lines of all hosts tell it, in one form."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .lines import plain

EVENTS = ("post-tool", "tool-failed")
DEPTH_MAX = 6
ITEMS_MAX = 50
_PATH_KEYS = ("file_path", "filePath", "notebook_path", "path", "absolute_path", "target_file", "file", "filename")
_COMMAND_KEYS = ("command", "cmd", "script", "input")
_EXIT_KEYS = ("exit_code", "exitCode", "returncode", "returnCode", "exit", "exit_status")
_TEXT_KEYS = ("llmContent", "output", "text", "result", "content", "message", "response", "returnDisplay", "answer")
_EXIT = re.compile(
    r"\A\s*(?:<error>)?\s*(?:error: )?(?:exit(?:ed with)?(?: code| status)?|command (?:failed|exited) with (?:exit "
    r")?code|"
    r"process exited with code):? (\d{1,3})\b|^(?:exit code|process exited with code):? (\d{1,3})\b",
    re.I | re.M,
)
# What some hosts write above or around the output itself.
_HEADER = re.compile(
    r"(?:(?:exit code:? \d+|wall time:.*|output:|chunk id:.*|process exited with code \d+|original token count:.*|"
    r"command:.*|directory:.*|stdout: *(?=\S)|stderr: \(empty\)|error: \(none\)|signal: \(none\)|background pids:.*|"
    r"process group pgid:.*)[ \t]*\n?)",
    re.I,
)
_IS_FRAMED = re.compile(r"(?:Command|Output|Stdout): ", re.I)
_FOOTER = re.compile(
    r"^(?:Stderr: \(empty\)|Error: \(none\)|Exit Code: .*|Signal: .*|Background PIDs: .*|Process Group PGID: .*|"
    r"Stderr: (?=\S))\n?",
    re.I | re.M,
)


@dataclass(frozen=True, slots=True)
class Call:
    """`text` is what a person would have read; `size` the characters of what went in and came out. `is_told` when the
    host says how it ended: some send the output of a command and nothing else."""

    id: str
    at: int
    turn: str
    tool: str
    does: str
    cwd: str
    input: Mapping[str, object]
    output: object
    text: str
    failed: bool
    interrupted: bool
    exit: int | None
    size: int
    agent: str = ""
    key: str = field(default="")
    is_told: bool = True

    @property
    def path(self) -> str:
        return first_text(self.input, _PATH_KEYS) or (
            first_text(self.output, _PATH_KEYS) if isinstance(self.output, Mapping) else ""
        )

    @property
    def command(self) -> str:
        for key in _COMMAND_KEYS:
            given = self.input.get(key)
            if isinstance(given, str):
                return plain(given)
            if isinstance(given, Sequence) and given:
                words = [str(word) for word in given[:ITEMS_MAX]]
                inner = len(words) == 3 and words[1] in ("-c", "-lc", "/c", "-Command")
                return plain(words[2] if inner else " ".join(words))
        return ""


def call_of(trace: Mapping[str, object]) -> Call | None:
    """The call that a trace line tells of; None when it tells of none."""
    if trace.get("event") not in EVENTS or not text_at(trace, "tool"):
        return None
    given, output = _object(trace.get("input")), _opened(trace.get("output"))
    error = readable(trace.get("error"))
    text = plain("\n".join(part for part in (error, readable(output)) if part.strip()))
    code = _exit_of(output, text)
    failed = trace.get("event") == "tool-failed" or bool(error.strip()) or _says_failed(output)
    at = trace.get("at")
    return Call(
        id=text_at(trace, "id"),
        at=at if isinstance(at, int) and not isinstance(at, bool) else 0,
        turn=text_at(trace, "turn"),
        tool=plain(text_at(trace, "tool"))[:120],
        does=text_at(trace, "does") or "other",
        cwd=text_at(trace, "cwd"),
        input=given,
        output=output,
        text=_body(text),
        failed=failed or code not in (None, 0),
        interrupted=_is_interrupted(trace, output, text),
        exit=code,
        size=len(_serial(trace.get("input"))) + len(_serial(trace.get("output"))) + len(error),
        agent=text_at(trace, "agent"),
        key=f"{trace.get('tool')} {_serial(given)}",
        is_told=failed or code is not None or not isinstance(output, str),
    )


def text_at(holder: Mapping[str, object], key: str) -> str:
    found = holder.get(key)
    return found if isinstance(found, str) else ""


def first_text(holder: Mapping[str, object], keys: Sequence[str]) -> str:
    """The first of the keys that holds a text of one line."""
    for key in keys:
        found = holder.get(key)
        if isinstance(found, str) and found.strip() and "\n" not in found and len(found) < 1_000:
            return plain(found).strip()
    return ""


def readable(value: object, depth: int = 0) -> str:
    """What is to be read in a result: the text itself, the texts of its blocks, or the whole as JSON."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value
    if depth > DEPTH_MAX:
        return ""
    if isinstance(value, Mapping):
        if "stdout" in value or "stderr" in value:
            parts = [readable(value.get(key), depth + 1) for key in ("stdout", "stderr")]
            return "\n".join(part.rstrip("\n") for part in parts if part.strip())
        for key in _TEXT_KEYS:
            if found := readable(value.get(key), depth + 1):
                return found
        return _serial(value) if value else ""
    if isinstance(value, Sequence):
        return "\n".join(part for item in value[:ITEMS_MAX] if (part := readable(item, depth + 1)))
    return str(value)


def _object(value: object) -> Mapping[str, object]:
    opened = _opened(value)
    if isinstance(opened, Mapping):
        return {str(key): item for key, item in opened.items()}
    return {"input": opened} if isinstance(opened, str | list) else {}


def _opened(value: object) -> object:
    """Some hosts send an object as a text of JSON."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return found if isinstance(found, dict) else value
    return value


def _serial(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    except (ValueError, TypeError, RecursionError):
        return ""


def _exit_of(output: object, text: str) -> int | None:
    holders = [output, output.get("metadata")] if isinstance(output, Mapping) else []
    for holder in holders:
        if isinstance(holder, Mapping):
            for key in _EXIT_KEYS:
                code = holder.get(key)
                if isinstance(code, int) and not isinstance(code, bool):
                    return code
    # The host's own words stand at one end; in between the program speaks.
    found = _EXIT.search(text[:300]) or _EXIT.search(text[-200:])
    return int(found[1] or found[2]) if found else None


def _says_failed(output: object) -> bool:
    if not isinstance(output, Mapping):
        return False
    marks = output.get("is_error"), output.get("isError"), output.get("success") is False
    return any(mark is True for mark in marks)


def _is_interrupted(trace: Mapping[str, object], output: object, text: str) -> bool:
    said = trace.get("interrupted") is True or trace.get("is_interrupt") is True
    if isinstance(output, Mapping):
        said = said or output.get("interrupted") is True
    return said or "[Request interrupted" in text[:2_000] or "interrupted by the user" in text[:500].lower()


def _body(text: str) -> str:
    """The output without what the host wrote above it."""
    at = 0
    while found := _HEADER.match(text, at):
        if found.end() == at:
            break
        at = found.end()
    body = text[at:].strip("\n")
    return _FOOTER.sub("", body).strip("\n") if _IS_FRAMED.match(text) else body
