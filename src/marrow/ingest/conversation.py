"""Conversations: transcripts of Claude Code and Codex, Slack exports, and talk in plain text, as items.

Which it is follows from what is in it, and not from its name alone.
"""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import IO, Any

from ..model.errors import Invalid
from .item import Item, Skipped
from .talk import claude_code, codex, plain, slack
from .talk.json_lines import Lines
from .talk.slack_files import opened_export
from .talk.turns import KIND, Conversation, items_of

PLAIN_BYTES_MAX = 64 * 1024 * 1024
LINES_LOOKED_AT = 50
CLAUDE_CODE, CODEX, PLAIN, SLACK = "claude-code", "codex", "plain", "slack"
_ZIP = b"PK\x03\x04"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)


def form_of(start: bytes) -> str:
    """The form of a file by how it begins: claude-code, codex, slack (a zip) or plain."""
    if start.startswith(_ZIP):
        return SLACK
    lines = start.split(b"\n")[:LINES_LOOKED_AT]
    for shape in Lines(lines):
        if codex.is_line(shape):
            return CODEX
        if claude_code.is_line(shape):
            return CLAUDE_CODE
    # A first line may be longer than what was looked at.
    head = start.lstrip()[:4096]
    if head.startswith(b"{") and b'"sessionId"' in head and b'"type"' in head:
        return CLAUDE_CODE
    if head.startswith(b"{") and b'"session_meta"' in head and b'"payload"' in head:
        return CODEX
    return PLAIN


def read_transcript(
    file: IO[bytes], *, name: str = "", title: str = "", service: str = "", now: int = 0
) -> list[Item | Skipped]:
    """The items of one transcript. `name` is the file's; `now` is the time of what tells none."""
    start = file.read(256 * 1024)
    file.seek(0)
    form = form_of(start)
    if form == SLACK:
        raise Invalid("A zip is read as an export, not as a transcript.", hint="Give its path.", field="path")
    if form == PLAIN:
        return _plain(file, name=name, title=title, service=service, now=now)
    lines = Lines(file)
    found = _UUID.findall(Path(name).stem)
    reader = claude_code.read if form == CLAUDE_CODE else codex.read
    conversation = _titled(reader(lines, identity=found[-1].lower() if found else ""), title, lines.problem)
    items = items_of(conversation, service=service, digest=lines.digest, size=lines.size, now=now)
    return [*items] or [Skipped(name or form, "nothing was said in it")]


def read_text(text: str, *, title: str = "", service: str = "", now: int = 0) -> list[Item | Skipped]:
    """The items of a conversation that was given as text, in any of the forms."""
    return read_transcript(io.BytesIO(text.encode("utf-8", "surrogatepass")), title=title, service=service, now=now)


def read_export(path: Path, *, service: str = "", direct: bool = False, now: int = 0) -> Generator[Item | Skipped]:
    """The items of a Slack export, one channel after the other."""
    with opened_export(path) as files:
        yield from slack.read(files, service=service, direct=direct, now=now)


def _plain(file: IO[bytes], *, name: str, title: str, service: str, now: int) -> list[Item | Skipped]:
    data = file.read(PLAIN_BYTES_MAX + 1)
    if b"\x00" in data[:8192] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return [Skipped(name or KIND, "it is not text")]
    text, problem = _decoded(data[:PLAIN_BYTES_MAX])
    if len(data) > PLAIN_BYTES_MAX:
        problem = f"only the first {PLAIN_BYTES_MAX:,} bytes were read"
    conversation = _titled(plain.read(text, identity=f"file:{name}" if name else "", name=name), title, problem)
    return [*items_of(conversation, service=service, now=now)] or [Skipped(name or KIND, "nothing was said in it")]


def _decoded(data: bytes) -> tuple[str, str]:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace"), ""
    try:
        return data.decode("utf-8-sig"), ""
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace"), "it is not UTF-8 and was read as Windows-1252"


def _titled(conversation: Conversation, title: str, problem: str) -> Conversation:
    problems = "; ".join(part for part in (conversation.problem, problem) if part)
    return Conversation(
        conversation.identity,
        conversation.host,
        conversation.turns,
        title or conversation.title,
        problems,
        conversation.about,
    )


def is_transcript(shape: Mapping[str, Any]) -> bool:
    """Whether an object of JSON lines is a line of a transcript that is known here."""
    return claude_code.is_line(shape) or codex.is_line(shape)
