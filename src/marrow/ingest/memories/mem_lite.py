"""claude-mem-lite's database: learnings, observations, and summaries of sessions."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from typing import Any

from ...model.draft import Draft
from ...model.moments import moment
from ..talk.json_lines import moment_in
from .found import Found, OtherMemory, Reader, cleaned, domain_of, file_anchors, list_in, without_empty
from .projects import chosen_projects
from .sqlite_file import columns_of, rows_of

FORMAT = "claude-mem-lite"
_SESSION = "id project_dir project_path summary summary_text started_at ended_at".split()
_OBSERVATION = "id session_id tool_name title summary detail files_touched created_at".split()
_LEARNING = "id category content confidence source_session_id source_sessions is_active created_at updated_at".split()


def is_store(connection: sqlite3.Connection) -> bool:
    return bool(columns_of(connection, "learnings")) and "session_id" in columns_of(connection, "observations")


def read(connection: sqlite3.Connection, reader: Reader, from_project: str = "") -> OtherMemory:
    sessions = {str(row["id"]): row for row in rows_of(connection, "sessions", _SESSION, "started_at")}
    projects = {name: _folder(row) for name, row in sessions.items()}
    wanted = chosen_projects(projects.values(), from_project, reader)
    chosen = {name: row for name, row in sessions.items() if projects[name] in wanted}
    found = [
        *_learnings(connection, chosen, sessions, reader),
        *_observations(connection, chosen, reader),
        *_summaries(chosen, reader),
    ]
    return OtherMemory(FORMAT, tuple(found))


def _folder(row: Mapping[str, Any]) -> str:
    return str(row["project_dir"] or row["project_path"] or "")


def _learnings(
    connection: sqlite3.Connection, chosen: Mapping[str, Any], every: Mapping[str, Any], reader: Reader
) -> Iterator[Found]:
    """Of the chosen projects; one whose sessions are not known any more is nobody else's."""
    for row in rows_of(connection, "learnings", _LEARNING, "created_at"):
        content = cleaned(row["content"])
        sources = {str(row["source_session_id"] or ""), *list_in(row["source_sessions"])}
        is_ours = bool(sources & chosen.keys()) or not sources & every.keys()
        if not content or not is_ours or row["is_active"] in (0, "0"):
            continue
        confidence = row["confidence"]
        draft = Draft(
            content,
            kind="learning",
            domain=domain_of(row["category"]),
            confidence=float(confidence) if isinstance(confidence, int | float) and 0 <= confidence <= 1 else None,
            at=_at(row["created_at"], reader),
            source=FORMAT,
            metadata=without_empty({"category": row["category"], "id": row["id"]}),
        )
        yield Found(f"learning {row['id']}", draft, f"learning:{row['id']}")


def _observations(connection: sqlite3.Connection, chosen: Mapping[str, Any], reader: Reader) -> Iterator[Found]:
    for row in rows_of(connection, "observations", _OBSERVATION, "created_at"):
        parts = [cleaned(row[column]) for column in ("title", "summary", "detail")]
        content = "\n\n".join(dict.fromkeys(part for part in parts if part))
        if str(row["session_id"]) not in chosen or not content:
            continue
        files = list_in(row["files_touched"])
        draft = Draft(
            content,
            kind="observation",
            domain="history",
            at=_at(row["created_at"], reader),
            source=FORMAT,
            thread=str(row["session_id"])[:200],
            anchors=file_anchors(reader.root, files),
            metadata=without_empty({"title": parts[0], "tool": row["tool_name"], "files": files[:50], "id": row["id"]}),
        )
        yield Found(f"observation {row['id']}", draft, f"observation:{row['id']}")


def _summaries(chosen: Mapping[str, Any], reader: Reader) -> Iterator[Found]:
    for name, row in chosen.items():
        content = cleaned(row["summary"]) or cleaned(row["summary_text"])
        if content:
            at = _at(row["ended_at"] or row["started_at"], reader)
            draft = Draft(content, kind="summary", domain="history", at=at, source=FORMAT, thread=name[:200])
            yield Found(f"session {name}", draft, f"session:{name}")


def _at(given: object, reader: Reader) -> Any:
    at = moment_in(given) or reader.now
    return moment(min(at, reader.now) if reader.now else at)
