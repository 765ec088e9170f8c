"""Import a Markdown memory file (CLAUDE.md, AGENTS.md, MEMORY.md with its topics): one claim an item or paragraph.

A claim keeps the path of headings above it as a tag and in its metadata, and the file's name as its source. What is
indented under an item belongs to it; a fenced block belongs to the paragraph above it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..ingest.memories.front_matter import split, text_in
from ..ingest.talk.json_lines import moment_in
from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.moments import moment
from ..model.redact import redact
from .engine import Asker, Engine
from .files import existing_file, opened
from .imported import Imported, Placed, import_drafts

Progress = Callable[[int, "int | None"], None]
BYTES_MAX = 16 * 1024**2
TAG_LENGTH_MAX = 80
TOPIC_LENGTH_MAX = 8_000
FILES_MAX, DEPTH_MAX = 500, 5
INDEX = "MEMORY.md"
# What Claude Code's own memory tells apart.
_TOPICS = {
    "user": ("preference", "feedback"),
    "feedback": ("preference", "feedback"),
    "project": ("claim", "context"),
    "reference": ("claim", "context"),
}
_TAKES_IN = re.compile(r"^[ \t]*(?:[-*+] )?@([\w./ -]+\.\w{2,8})[ \t]*$", re.M)
_TOPIC = re.compile(r"\[[^\]\n]{1,200}\]\(([^()\s:]{1,200})\)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})\s*\Z")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)(.*)")
_FENCE = re.compile(r"\s*(```+(?=[^`]*\Z)|~~~+)")  # code between backticks on one line opens no block
_RULE = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*\Z")
_UNCLOSED = re.compile(r"^ {0,3}<!--", re.M)
_EXPORTED = re.compile(r"# Memory: [^\n]*\n\n<!-- Event \d+, root [0-9a-f]*\. -->\n")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.S)


@dataclass
class _Claim:
    """`offset` is where the text of an item begins: what is set in as far belongs to it. 0 for a paragraph."""

    line: int
    headings: tuple[str, ...]
    offset: int = 0
    lines: list[str] = field(default_factory=list)

    def has(self, line: str) -> bool:
        """Whether a line goes on with this claim: after a blank one only what is set in under an item does."""
        if not line.strip():
            return True
        set_in = len(line) - len(line.lstrip())
        if self.lines and self.lines[-1] == "":
            return 0 < self.offset <= set_in
        return not _ITEM.match(line) or 0 < self.offset <= set_in

    def text(self) -> str:
        return "\n".join(self.lines).strip()


def import_markdown(
    engine: Engine, asker: Asker, source: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Imported:
    """Into the caller's project, with the files that it names: those that an `@` on a line of its own takes in, and the
    topics that a MEMORY.md lists. Everything was said when its file was last changed."""
    drafts: list[Placed] = []
    for path, taken in memory_files(source).items():
        if _EXPORTED.match(_text(path)):
            if path.name != Path(source).name:
                continue
            raise Invalid(
                f"{source!r} is what `marrow export` wrote for people: taken apart, all of it would be here twice.",
                hint="Export a bundle or .jsonl, and import that.",
                field="source",
            )
        where = "" if path.name == Path(source).name else f"{path.name}, "
        drafts += [Placed(f"{where}{one.where}", one.draft) for one in _drafts(engine, path, taken)]
    return import_drafts(
        engine, asker, drafts, source=source, format="markdown", dry_run=dry_run, progress=progress, timed=False
    )


def memory_files(source: str) -> dict[Path, frozenset[str]]:
    """The file, or the MEMORY.md in a folder, and those that belong to it; each with the names that it takes in."""
    given = Path(source).expanduser()
    first = given / INDEX if given.is_dir() else given
    start = existing_file(str(first), bytes_max=BYTES_MAX)
    home = os.path.realpath(start.parent)
    found: dict[Path, frozenset[str]] = {}
    due = [(start, 0)]
    if given.is_dir():
        due += [(path, 0) for path in sorted(given.glob("*.md")) if path.name != INDEX and not path.is_symlink()]
    while due and len(found) < FILES_MAX:
        path, depth = due.pop(0)
        if path in found:
            continue
        names = _named(path) if depth < DEPTH_MAX else []
        inside = [(name, there) for name in names if (there := _inside(path.parent / name, home))]
        found[path] = frozenset(name for name, _ in inside)
        due += [(there, depth + 1) for _, there in inside]
    return found


def _named(path: Path) -> list[str]:
    """The files that a memory file takes in."""
    text = _uncommented(_text(path))
    names = _TAKES_IN.findall(text)
    if path.name == INDEX:
        names += [found.partition("#")[0] for found in _TOPIC.findall(text)]
    return list(dict.fromkeys(name.strip() for name in names))


def _inside(path: Path, home: str) -> Path | None:
    """A file in the folder of the first one or below it; nothing leads out of that."""
    real = os.path.realpath(path)
    is_memory = path.suffix.lower() in (".md", ".markdown", ".mdc", ".txt") and os.path.isfile(real)
    return Path(real) if is_memory and real.startswith(home + os.sep) else None


def _text(path: Path) -> str:
    source = existing_file(str(path), bytes_max=BYTES_MAX)
    with opened(source) as file:
        raw = file.read()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Invalid(f"{str(path)!r} is not UTF-8.", hint="Convert it first.", field="source") from problem


def _drafts(engine: Engine, path: Path, taken: frozenset[str]) -> list[Placed]:
    text = _text(path)
    changed_at = min(path.stat().st_mtime_ns // 1000, engine.clock())
    # Before it is taken apart: a private block may reach over several items.
    cleaned = redact(text, engine.redact_extra).text
    # What is taken in itself is no claim; its line stays, so that numbers hold.
    cleaned = _TAKES_IN.sub(lambda found: "" if found[1].strip() in taken else found[0], cleaned)
    fields, body = split(cleaned)
    topic = text_in(fields, "type").lower()
    if topic in _TOPICS and len(body) <= TOPIC_LENGTH_MAX:
        return _topic(path, topic, fields, body, min(moment_in(text_in(fields, "modified")) or changed_at, changed_at))
    found = []
    for claim in claims(cleaned):
        if _is_pointer(claim.text(), taken):
            continue
        path_of_headings = " / ".join(claim.headings)
        tag = path_of_headings[-TAG_LENGTH_MAX:].strip(" /").replace(",", " ")
        metadata = {"heading": path_of_headings} if path_of_headings else {}
        at = moment(changed_at)
        draft = Draft(claim.text(), tags=[tag] if tag else [], at=at, source=path.name, metadata=metadata)
        found.append(Placed(f"Line {claim.line}", draft))
    return found


def _topic(path: Path, topic: str, fields: dict[str, object], body: str, at: int) -> list[Placed]:
    """A file of one memory, as Claude Code keeps them: taken apart, its reasons would lose what they are for."""
    described = text_in(fields, "description")
    content = body.strip() or described
    if not any(character.isalnum() for character in content):
        return []
    kind, domain = _TOPICS[topic]
    name = " ".join(text_in(fields, "name").split())[:TAG_LENGTH_MAX]
    metadata = {"topic": topic, **({"title": name} if name else {}), **({"about": described} if described else {})}
    tags = [tag.replace(",", " ") for tag in (topic, name) if tag]
    draft = Draft(content, kind, domain, tags=tags, at=moment(at), source=path.name, metadata=metadata)
    return [Placed("Line 1", draft)]


def _is_pointer(text: str, taken: frozenset[str]) -> bool:
    """Whether an item only leads to a file that is taken in itself."""
    link = _TOPIC.match(text.lstrip("*_"))
    return link is not None and link[1].partition("#")[0].strip() in taken and "\n" not in text


def claims(text: str) -> Iterator[_Claim]:
    """The list items and paragraphs of a Markdown text, each with the headings above it."""
    headings: list[tuple[int, str]] = []
    claim: _Claim | None = None
    fence = ""
    for number, line in enumerate(_lines(text), 1):
        opening = _FENCE.match(line)
        if fence or opening:
            # A fenced block is taken as it is, and belongs to what stands above it.
            claim = claim or _Claim(number, _path(headings))
            claim.lines.append(line)
            fence = _fence(fence, line, opening[1] if opening else "")
            continue
        item = _ITEM.match(line)
        if item and (opening := _FENCE.match(item[2])):
            fence = opening[1]
        heading = _heading(line, claim)
        if heading is None and not _RULE.match(line) and claim and claim.has(line):
            claim.lines.append(line if line.strip() else "")
            continue
        if claim and heading and heading[2]:
            claim.lines.pop()
        yield from _said(claim)
        claim = None
        if heading:
            headings = [(level, name) for level, name in headings if level < heading[0]] + [heading[:2]]
        elif line.strip() and not _RULE.match(line):
            first, offset = (item[2], len(item[1])) if item else (line, 0)
            claim = _Claim(number, _path(headings), offset, [first])
    yield from _said(claim)


def _fence(inside: str, line: str, mark: str) -> str:
    """The mark of the fenced block that is open after this line, or nothing."""
    if not inside:
        return mark
    is_end = mark.startswith(inside) and not line.strip().strip(inside[0])
    return "" if is_end else inside


def _lines(text: str) -> list[str]:
    """Without front matter and comments, whose lines stay blank so that numbers hold."""
    form = text.replace("\r\n", "\n").replace("\r", "\n")
    form = _FRONT_MATTER.sub(lambda found: "\n" * found[0].count("\n"), form)
    return _uncommented(form).split("\n")


def _uncommented(text: str) -> str:
    """Without comments; their line ends stay. One that is never closed is none, unless a line begins with it."""
    pieces: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0:
        end = text.find("-->", start + 4)
        if end < 0:
            found = _UNCLOSED.search(text, at)
            return "".join([*pieces, text[at : found.start() if found else None]])
        pieces += (text[at:start], "\n" * text.count("\n", start, end))
        at = end + 3
    return "".join([*pieces, text[at:]])


def _heading(line: str, claim: _Claim | None) -> tuple[int, str, bool] | None:
    """(level, text, whether it was the line above that this one underlines)."""
    if found := _HEADING.match(line):
        return len(found[1]), found[2], False
    if claim and not claim.offset and len(claim.lines) == 1 and (found := _UNDERLINE.match(line)):
        return (1 if found[1][0] == "=" else 2), claim.lines[0].strip(), True
    return None


def _path(headings: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(name for _, name in headings if name)


def _said(claim: _Claim | None) -> Iterator[_Claim]:
    if claim is not None and any(character.isalnum() for character in claim.text()):
        yield claim
