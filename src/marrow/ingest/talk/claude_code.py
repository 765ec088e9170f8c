"""Claude Code's transcripts: JSON lines, one file a session.

Its form is internal and changes, so only what is needed is looked at: what was typed, what was answered, which tools
ran. Thinking and what tools gave are left out; plans that were made and answers to questions stay, since they decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .json_lines import moment_in, text_at
from .tool_lines import QUIET, failure_line, texts_of, tool_line
from .turns import TURNS_MAX, Conversation, Turn, merged, shortened, tidy

HOST = "claude-code"
USER, AGENT = "User", "Claude"

# What the program puts around or into what was typed.
_INSERTED = re.compile(
    r"<(?P<name>system-reminder|ide_opened_file|ide_selection|ide_diagnostics|local-command-stdout|local-command-stderr|"
    r"local-command-caveat|task-notification|bash-stdout|bash-stderr|user-memory-input|user-prompt-submit-hook|"
    r"command-message|new-diagnostics)>"
)
_INTERRUPTED = re.compile(r"\[Request interrupted by user[^\]]{0,80}\]")
_QUESTION_TOOLS = frozenset(("AskUserQuestion",))
_PLAN_TOOLS = frozenset(("ExitPlanMode",))


def is_line(shape: Mapping[str, Any]) -> bool:
    """Whether an object is a line of such a transcript."""
    return (
        shape.get("type") in ("user", "assistant") and isinstance(shape.get("message"), dict) and "sessionId" in shape
    ) or (
        shape.get("type") in ("summary", "ai-title", "custom-title", "file-history-snapshot", "queue-operation")
        and bool({"leafUuid", "sessionId", "messageId", "snapshot"}.intersection(shape))
    )


def read(lines: Iterable[Mapping[str, Any]], *, identity: str = "") -> Conversation:
    """The conversation in a transcript. `identity` is the session's; the lines tell it where it is not given."""
    reading = _Reading()
    for shape in lines:
        reading.take(shape)
    # A subagent's own file has nothing but its side of the talk.
    turns = merged(reading.turns or reading.aside)
    about: list[tuple[str, object]] = [("branch", reading.branch)] if reading.branch else []
    if len(reading.turns) >= TURNS_MAX:
        about.append(("cut", True))
    return Conversation(identity or reading.session, HOST, turns, reading.title(), about=tuple(about))


class _Reading:
    """What was read of a transcript so far."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.aside: list[Turn] = []
        self.session = ""
        self.branch = ""
        self._seen: set[str] = set()
        self._asked: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._summaries: dict[str, str] = {}

    def title(self) -> str:
        """The name that the user gave it, or else the program; summaries of other sessions stand in the file too."""
        own = [text for leaf, text in self._summaries.items() if leaf in self._seen]
        return self._titles.get("custom-title") or self._titles.get("ai-title") or (own[-1] if own else "")

    def take(self, shape: Mapping[str, Any]) -> None:
        kind = shape.get("type")
        if kind == "summary":
            self._summaries[text_at(shape, "leafUuid")] = text_at(shape, "summary")
        elif kind in ("custom-title", "ai-title"):
            self._titles[str(kind)] = (
                text_at(shape, "customTitle") or text_at(shape, "aiTitle") or text_at(shape, "title")
            )
        elif kind in ("user", "assistant") and isinstance(shape.get("message"), dict):
            self._said(str(kind), dict(shape))

    def _said(self, kind: str, shape: Mapping[str, Any]) -> None:
        unique = text_at(shape, "uuid")
        if unique and unique in self._seen:  # a resumed session repeats what went before
            return
        self._seen.add(unique)
        self.session = self.session or text_at(shape, "sessionId")
        self.branch = text_at(shape, "gitBranch") or self.branch
        side = self.aside if shape.get("isSidechain") else self.turns
        if shape.get("isMeta") or shape.get("isApiErrorMessage") or len(side) >= TURNS_MAX:
            return
        if shape.get("isCompactSummary") and side:  # it repeats what stands above
            return
        at = moment_in(shape.get("timestamp"))
        content = shape["message"].get("content")
        found = self._typed(content) if kind == "user" else self._answered(content)
        side.extend(Turn(speaker, shortened(text), at) for speaker, text in found if text)

    def _typed(self, content: Any) -> list[tuple[str, str]]:
        found = [(USER, typed(text)) for text in texts_of(content, "text")]
        blocks = content if isinstance(content, list) else ()
        found += [self._given(b) for b in blocks if isinstance(b, dict) and b.get("type") == "tool_result"]
        return found

    def _given(self, block: Mapping[str, Any]) -> tuple[str, str]:
        """What came back from a tool: an answer of the user's, or why it failed."""
        text = "\n".join(texts_of(block.get("content"), "text"))
        if self._asked.pop(str(block.get("tool_use_id")), "") and not block.get("is_error"):
            return USER, tidy(text)
        return (AGENT, failure_line(tidy(text))) if block.get("is_error") else (AGENT, "")

    def _answered(self, content: Any) -> list[tuple[str, str]]:
        found = [(AGENT, tidy(text)) for text in ([content] if isinstance(content, str) else [])]
        for block in content if isinstance(content, list) else ():
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text" and isinstance(block.get("text"), str):
                found.append((AGENT, tidy(block["text"])))
            elif block.get("type") in ("tool_use", "server_tool_use"):
                found.append((AGENT, self._called(block)))
        return found

    def _called(self, block: Mapping[str, Any]) -> str:
        name, given = text_at(block, "name"), block.get("input")
        if name in _PLAN_TOOLS:
            plan = tidy(text_at(given, "plan"))
            return f"Plan:\n{plan}" if plan else ""
        if name in _QUESTION_TOOLS:
            self._asked[text_at(block, "id")] = name
            return _questions(given)
        return "" if name in QUIET or not name else tool_line(name, given)


def typed(text: str) -> str:
    """What the user typed, without what the program put into it."""
    command = _between(text, "command-name")
    if command is not None:
        name = command if command.startswith("/") else f"/{command}"
        return tidy(f"{name} {_between(text, 'command-args') or ''}")
    shell = _between(text, "bash-input")
    if shell is not None:
        return tidy(f"! {shell}")
    return tidy(_INTERRUPTED.sub("", _without_inserted(text)))


def _between(text: str, name: str) -> str | None:
    """What stands in the first mark of this name; None where there is none that is closed."""
    _, opened, after = text.partition(f"<{name}>")
    inside, closed, _ = after.partition(f"</{name}>")
    return inside.strip() if opened and closed else None


def _without_inserted(text: str) -> str:
    """One that is opened and not closed stays; it is looked for once, however often it is opened."""
    kept, done = [], 0
    unclosed: set[str] = set()
    for found in _INSERTED.finditer(text):
        name = found["name"]
        if found.start() < done or name in unclosed:
            continue
        end = text.find(f"</{name}>", found.end())
        if end < 0:
            unclosed.add(name)
            continue
        kept.append(text[done : found.start()])
        done = end + len(name) + 3
    return "".join((*kept, text[done:]))


def _questions(given: Any) -> str:
    asked = given.get("questions") if isinstance(given, dict) else None
    if not isinstance(asked, list):
        return ""
    lines = []
    for question in asked:
        options = question.get("options") if isinstance(question, dict) else None
        labels = [text_at(option, "label") for option in options] if isinstance(options, list) else []
        lines.append(f"{text_at(question, 'question')} ({' / '.join(label for label in labels if label)})")
    return tidy("\n".join(line for line in lines if line.strip(" ()")))
