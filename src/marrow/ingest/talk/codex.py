"""Codex's rollouts: JSON lines, one file a session, in the enveloped form, in the older bare one, and as
`codex exec --json` streams them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .json_lines import moment_in, text_at
from .tool_lines import QUIET, texts_of, tool_line
from .turns import TURNS_MAX, Conversation, Turn, merged, shortened, tidy

HOST = "codex"
USER, AGENT = "User", "Codex"
_ENVELOPES = frozenset("session_meta response_item event_msg turn_context compacted".split())
_STREAMED = frozenset(("thread.started", "item.completed", "turn.started", "turn.completed"))
_TEXTS = ("input_text", "output_text", "text")
# What the program tells the model at the start, as if the user had said it.
_INSERTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|INSTRUCTIONS|permissions|collaboration_mode|turn_aborted|skill)\b"
    r"|# AGENTS\.md instructions)"
)
_REQUEST = re.compile(r"## My request for Codex:\s*", re.I)
_CALLS = frozenset("function_call custom_tool_call local_shell_call".split())


def is_line(shape: Mapping[str, Any]) -> bool:
    """Whether an object is a line of a rollout."""
    kind = text_at(shape, "type")
    if kind in _ENVELOPES:
        return isinstance(shape.get("payload"), dict)
    if kind in _STREAMED:
        return True
    is_first = "instructions" in shape and isinstance(shape.get("id"), str) and "timestamp" in shape
    return is_first or shape.get("record_type") == "state"


def read(lines: Iterable[Mapping[str, Any]], *, identity: str = "") -> Conversation:
    reading = _Reading()
    for shape in lines:
        reading.take(shape)
    about: list[tuple[str, object]] = [("branch", reading.branch)] if reading.branch else []
    return Conversation(identity or reading.session, HOST, merged(reading.turns()), about=tuple(about))


class _Reading:
    """What was read so far. A rollout often has what was said twice: as the model got it, and as it was shown."""

    def __init__(self) -> None:
        self.session = ""
        self.branch = ""
        self._order = 0
        self._model: list[tuple[int, Turn]] = []
        self._shown: list[tuple[int, Turn]] = []

    def turns(self) -> list[Turn]:
        """What the user typed comes from what was shown, where there is any: the model got more than that."""
        is_typed = any(turn.speaker == USER for _, turn in self._shown)
        is_answered = any(turn.speaker == AGENT and not turn.text.startswith("[") for _, turn in self._model)
        chosen = [one for one in self._model if one[1].speaker != USER or not is_typed]
        chosen += [one for one in self._shown if one[1].speaker == USER or not is_answered]
        return [turn for _, turn in sorted(chosen, key=lambda one: one[0])]

    def take(self, shape: Mapping[str, Any]) -> None:
        kind, payload = text_at(shape, "type"), shape.get("payload")
        at = moment_in(shape.get("timestamp"))
        if kind == "session_meta" and isinstance(payload, dict):
            self.session = self.session or text_at(payload, "id") or text_at(payload, "session_id")
            self.branch = text_at(payload, "git", "branch")
        elif kind == "response_item" and isinstance(payload, dict):
            self._item(payload, at)
        elif kind == "event_msg" and isinstance(payload, dict):
            self._event(payload, at)
        elif kind == "compacted" and isinstance(payload, dict):
            if not self._model:  # it repeats what stands above
                self._add(self._model, AGENT, text_at(payload, "message"), at)
        elif kind == "thread.started":
            self.session = self.session or text_at(shape, "thread_id")
        elif kind == "item.completed":
            self._streamed(shape.get("item"), at)
        elif "instructions" in shape and isinstance(shape.get("id"), str):
            self.session = self.session or str(shape["id"])
            self.branch = text_at(shape, "git", "branch")
        elif kind in ("message", *_CALLS):
            self._item(dict(shape), at)

    def _item(self, payload: Mapping[str, Any], at: int) -> None:
        kind = text_at(payload, "type")
        if kind == "message" and payload.get("role") in ("user", "assistant"):
            speaker = USER if payload["role"] == "user" else AGENT
            for text in texts_of(payload.get("content"), *_TEXTS):
                if speaker == AGENT or not _INSERTED.match(text):
                    self._add(self._model, speaker, text, at)
        elif kind in _CALLS:
            name = text_at(payload, "name") or "shell"
            given = payload.get("arguments", payload.get("input", payload.get("action")))
            if name not in QUIET:
                self._add(self._model, AGENT, tool_line(name, given), at)

    def _event(self, payload: Mapping[str, Any], at: int) -> None:
        speaker = {"user_message": USER, "agent_message": AGENT}.get(text_at(payload, "type"))
        if speaker and not _INSERTED.match(text_at(payload, "message")):
            self._add(self._shown, speaker, text_at(payload, "message"), at)

    def _streamed(self, item: Any, at: int) -> None:
        kind = text_at(item, "type") or text_at(item, "item_type")
        if kind in ("agent_message", "assistant_message"):
            self._add(self._model, AGENT, text_at(item, "text"), at)
        elif kind == "user_message":
            self._add(self._model, USER, text_at(item, "text"), at)
        elif kind == "command_execution":
            self._add(self._model, AGENT, tool_line("shell", {"command": text_at(item, "command")}), at)

    def _add(self, side: list[tuple[int, Turn]], speaker: str, text: str, at: int) -> None:
        # Editors put what is open before what was asked.
        asked = _REQUEST.split(text)[-1] if speaker == USER else text
        said = tidy(asked)
        if said and len(side) < TURNS_MAX:
            self._order += 1
            side.append((self._order, Turn(speaker, shortened(said), at)))
