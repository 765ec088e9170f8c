"""claude-mem's database: observations, summaries of sessions, and what was typed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from ...model.draft import Draft
from ...model.moments import moment
from ..talk.json_lines import moment_in
from ..talk.turns import PART_CHARACTERS
from .found import Found, OtherMemory, Reader, cleaned, file_anchors, list_in, tags_of, without_empty
from .projects import chosen_projects
from .sqlite_file import columns_of, rows_of

FORMAT = "claude-mem"
_OBSERVATION = (
    "id memory_session_id sdk_session_id project merged_into_project text type title subtitle facts narrative concepts "
    "files_read files_modified created_at created_at_epoch"
).split()
_SUMMARY = (
    "id memory_session_id sdk_session_id project merged_into_project request investigated learned completed next_steps "
    "files_read files_edited notes created_at created_at_epoch"
).split()
_PROMPT = "id content_session_id claude_session_id prompt_number prompt_text created_at created_at_epoch".split()
_SESSION = "id content_session_id claude_session_id memory_session_id sdk_session_id project custom_title".split()
_KINDS = {"decision": "decision", "discovery": "learning"}
_DOMAINS = {"decision": "decisions", "bugfix": "issues", "discovery": "architecture"}
_PARTS = (
    ("request", "Asked"), ("investigated", "Looked at"), ("learned", "Learned"), ("completed", "Done"),
    ("next_steps", "Next"), ("notes", "Notes"),
)  # fmt: skip


def is_store(connection: sqlite3.Connection) -> bool:
    return bool(columns_of(connection, "sdk_sessions")) and bool(columns_of(connection, "observations"))


def read(connection: sqlite3.Connection, reader: Reader, from_project: str = "") -> OtherMemory:
    sessions = list(rows_of(connection, "sdk_sessions", _SESSION, "id"))
    tables = ("observations", "session_summaries")
    there = {_project(row) for name in tables for row in rows_of(connection, name, _OBSERVATION[:5], "id")}
    there |= {_text(row["project"]) for row in sessions}
    wanted = chosen_projects(there, from_project, reader)
    threads = {_session(row): _talk(row) or _session(row) for row in sessions}
    found = [
        *_observations(connection, wanted, threads, reader),
        *_summaries(connection, wanted, threads, reader),
        *_prompts(connection, wanted, sessions, reader),
    ]
    return OtherMemory(FORMAT, tuple(found))


def _observations(
    connection: sqlite3.Connection, wanted: frozenset[str], threads: Mapping[str, str], reader: Reader
) -> Iterator[Found]:
    for row in rows_of(connection, "observations", _OBSERVATION, "id"):
        if _project(row) not in wanted:
            continue
        facts = [cleaned(fact) for fact in list_in(row["facts"])]
        body = cleaned(row["narrative"]) or cleaned(row["text"])
        title, subtitle = cleaned(row["title"]), cleaned(row["subtitle"])
        parts = [". ".join(part.rstrip(".") for part in (title, subtitle) if part), body]
        parts.append("\n".join(f"- {fact}" for fact in facts if fact and fact not in body))
        content = "\n\n".join(part for part in parts if part)
        if not content:
            continue
        type_ = _text(row["type"])
        changed, seen = list_in(row["files_modified"]), list_in(row["files_read"])
        draft = Draft(
            content,
            kind=_KINDS.get(type_, "observation"),
            domain=_DOMAINS.get(type_, "history"),
            tags=tags_of([type_, *list_in(row["concepts"])]),
            at=_at(row, reader),
            source=FORMAT,
            thread=threads.get(_session(row), _session(row))[:200],
            anchors=file_anchors(reader.root, changed or seen),
            metadata=without_empty(
                {"title": title, "type": type_, "files": changed[:50], "files_read": seen[:50], "id": row["id"]}
            ),
        )
        yield Found(f"observation {row['id']}", draft, f"observation:{row['id']}")


def _summaries(
    connection: sqlite3.Connection, wanted: frozenset[str], threads: Mapping[str, str], reader: Reader
) -> Iterator[Found]:
    for row in rows_of(connection, "session_summaries", _SUMMARY, "id"):
        told = [f"{word}: {text}" for column, word in _PARTS if (text := cleaned(row[column]))]
        if _project(row) not in wanted or not told:
            continue
        draft = Draft(
            "\n\n".join(told),
            kind="summary",
            domain="history",
            at=_at(row, reader),
            source=FORMAT,
            thread=threads.get(_session(row), _session(row))[:200],
            anchors=file_anchors(reader.root, list_in(row["files_edited"])),
            metadata=without_empty({"title": cleaned(row["request"])[:160], "id": row["id"]}),
        )
        yield Found(f"summary {row['id']}", draft, f"summary:{row['id']}")


def _prompts(
    connection: sqlite3.Connection, wanted: frozenset[str], sessions: list[dict[str, Any]], reader: Reader
) -> Iterator[Found]:
    """What was typed in a session, as one conversation of one side."""
    about = {_talk(row): row for row in sessions}
    typed: dict[str, list[tuple[str, Any]]] = {}
    for row in rows_of(connection, "user_prompts", _PROMPT, "id"):
        talk, text = _talk(row), cleaned(row["prompt_text"])
        session = about.get(talk)
        if text and session is not None and _text(session["project"]) in wanted:
            typed.setdefault(talk, []).append((text, _at(row, reader)))
    for talk, prompts in typed.items():
        content = "\n\n".join(f"User: {text}" for text, _ in prompts)[: PART_CHARACTERS * 4].rstrip()
        title = cleaned(about[talk]["custom_title"]) or prompts[0][0].partition("\n")[0]
        draft = Draft(
            content,
            kind="conversation",
            domain="history",
            at=prompts[0][1],
            source=FORMAT,
            thread=talk[:200],
            metadata={"title": title[:160], "session": talk, "turns": len(prompts)},
        )
        yield Found(f"prompts of session {talk}", draft, f"prompts:{talk}")


def _project(row: Mapping[str, Any]) -> str:
    return _text(row.get("merged_into_project")) or _text(row.get("project"))


def _session(row: Mapping[str, Any]) -> str:
    """The name of a session in claude-mem; an older version called it otherwise."""
    return _text(row.get("memory_session_id")) or _text(row.get("sdk_session_id"))


def _talk(row: Mapping[str, Any]) -> str:
    """The name of a session in the program that it was held with."""
    return _text(row.get("content_session_id")) or _text(row.get("claude_session_id"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _at(row: Mapping[str, Any], reader: Reader) -> Any:
    at = moment_in(row.get("created_at_epoch")) or moment_in(row.get("created_at")) or reader.now
    return moment(min(at, reader.now) if reader.now else at)
