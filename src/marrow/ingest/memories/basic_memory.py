"""basic-memory's notes: a folder of Markdown with a head, `- [category] fact #tag (context)` for what is known, and
`- rel [[Target]]` for how notes hang together. A fact becomes a memory of its own; what else a note says is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ...model.draft import Draft
from ...model.moments import moment
from ..item import Skipped
from ..talk.json_lines import moment_in
from .found import Found, OtherMemory, Reader, cleaned, domain_of, rel_of, tags_of, without_empty
from .front_matter import list_in, split, text_in

FORMAT = "basic-memory"
FILES_MAX = 50_000
FILE_BYTES_MAX = 4 * 1024 * 1024
PROSE_LENGTH_LEAST = 20
_FACT = re.compile(r"[-*+] \[(?P<category>[^\[\]()\n]{2,60})\] (?P<rest>.*\S)\s*\Z")
_RELATION = re.compile(
    r"""[-*+] (?:"(?P<double>[^"\n]{1,60})"|'(?P<single>[^'\n]{1,60})'|(?P<word>[\w-]{1,60}))?\s*"""
    r"""\[\[(?P<target>[^\[\]\n]{1,200})\]\](?:\s*\([^()\n]*\))?\s*\Z"""
)
_WIKI = re.compile(r"\[\[([^\[\]\n|]{1,200})(?:\|[^\[\]\n]*)?\]\]")
_TAG = re.compile(r"(?:(?<=\s)|\A)#([\w/-]{1,60})")
_CONTEXT = re.compile(r"\s\((?P<context>[^()]{1,300})\)\s*\Z")
_HEADING = re.compile(r"(#{1,6}) .*")
_KINDS = {"decision": "decision", "preference": "preference", "question": "question", "task": "task"}


@dataclass(frozen=True, slots=True)
class Note:
    """A note as it stands in its file. `names` are what links may call it."""

    path: str
    title: str
    names: tuple[str, ...]
    fields: dict[str, object]
    body: str
    at: int


def is_note(text: str) -> bool:
    """Whether a text is such a note: its head has a permalink, or a title and a type and there are facts or links."""
    fields, body = split(text[:200_000])
    if "permalink" in fields and ("title" in fields or "type" in fields):
        return True
    has_marks = any(_FACT.match(line) or _RELATION.match(line) for line in body.split("\n"))
    return "title" in fields and "type" in fields and has_marks


def is_folder(folder: Path) -> bool:
    """Whether one of the first notes of a folder is of this form."""
    for number, path in enumerate(_notes(folder)):
        if number >= 50:
            return False
        text = _text(path)
        if text is not None and is_note(text):
            return True
    return False


def read(place: Path, reader: Reader) -> OtherMemory:
    """The notes below a folder, or one note."""
    problems: list[Skipped] = []
    notes: list[Note] = []
    root = place if place.is_dir() else place.parent
    for path in _notes(place) if place.is_dir() else [place]:
        name = path.relative_to(root).as_posix()
        if len(notes) >= FILES_MAX:
            problems.append(Skipped(name, f"only the first {FILES_MAX:,} notes were read"))
            break
        text = _text(path)
        if text is None:
            problems.append(Skipped(name, "it is no readable text"))
            continue
        notes.append(_note(name, text, path.stat().st_mtime_ns // 1000, reader))
    names = {called: note.path for note in reversed(notes) for called in note.names}
    found = [one for note in notes for one in _found(note, names)]
    return OtherMemory(FORMAT, tuple(found), tuple(problems))


def _notes(folder: Path) -> Iterator[Path]:
    """Markdown below a folder; hidden folders and links are passed over."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or path.is_symlink():
            continue
        if path.is_dir():
            yield from _notes(path)
        elif path.suffix.lower() in (".md", ".markdown"):
            yield path


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
        return data.decode("utf-8-sig") if len(data) <= FILE_BYTES_MAX else None
    except (OSError, UnicodeDecodeError):
        return None


def _note(name: str, text: str, changed: int, reader: Reader) -> Note:
    fields, body = split(text)
    title = text_in(fields, "title") or PurePosixPath(name).stem
    permalink = text_in(fields, "permalink")
    stem = PurePosixPath(name).with_suffix("").as_posix()
    names = tuple(dict.fromkeys(_called(one) for one in (title, permalink, stem, PurePosixPath(stem).name) if one))
    at = moment_in(text_in(fields, "modified", "updated", "created", "date")) or changed
    return Note(name, title, names, fields, body, min(at, reader.now) if reader.now else at)


def _called(name: str) -> str:
    return re.sub(r"[\s_-]+", " ", name.removeprefix("memory://").strip().lower())


def _found(note: Note, names: dict[str, str]) -> Iterator[Found]:
    """What a note says: its prose first, since that is what links lead to, then its facts."""
    facts, relations, prose = _taken_apart(note.body)
    tags = list_in(note.fields, "tags")
    links = []
    for rel, target in relations:
        if (path := names.get(_called(target))) and path != note.path:
            links.append((rel_of(rel), path))
    about = {"title": note.title, "path": note.path, "permalink": text_in(note.fields, "permalink")}
    ties = tuple(dict.fromkeys(links))
    if prose:
        draft = Draft(
            prose,
            kind="document",
            tags=tags_of(tags),
            aliases=tags_of([note.title]),
            at=moment(note.at),
            source=FORMAT,
            metadata=without_empty({**about, "type": text_in(note.fields, "type")}),
        )
        yield Found(note.path, draft, note.path, ties)
    for number, (line, category, text, marked, context) in enumerate(facts):
        draft = Draft(
            f"{note.title}: {text}" if note.title.lower() not in text.lower() else text,
            kind=_KINDS.get(category.lower(), "claim"),
            domain=domain_of(category),
            tags=tags_of([category, *marked, *tags]),
            at=moment(note.at),
            source=FORMAT,
            metadata=without_empty({**about, "category": category, "context": context}),
        )
        is_first = not prose and number == 0
        key = note.path if is_first else f"{note.path}#{line}"
        yield Found(f"{note.path}:{line}", draft, key, ties if is_first else ())


def _taken_apart(
    body: str,
) -> tuple[list[tuple[int, str, str, list[str], str]], list[tuple[str, str]], str]:
    """The facts (line, category, text, tags, context), the relations (rel, target), and the prose of a note."""
    facts: list[tuple[int, str, str, list[str], str]] = []
    relations: list[tuple[str, str]] = []
    rest: list[str] = []
    is_fenced = False
    for number, line in enumerate(body.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        fact = None if is_fenced else _FACT.match(line.strip())
        relation = None if is_fenced else _RELATION.match(line.strip())
        if fact:
            text, tags, context = _fact(fact["rest"])
            if text:
                facts.append((number, cleaned(fact["category"]), text, tags, context))
        elif relation:
            rel = relation["double"] or relation["single"] or relation["word"] or "relates_to"
            relations.append((rel, relation["target"]))
        else:
            relations += [] if is_fenced else [("relates_to", target) for target in _WIKI.findall(line)]
            rest.append(line)
    return facts, relations, _prose(rest)


def _fact(rest: str) -> tuple[str, list[str], str]:
    context = _CONTEXT.search(rest)
    text = rest[: context.start()] if context else rest
    tags = _TAG.findall(text)
    return cleaned(_TAG.sub("", text)), tags, context["context"] if context else ""


def _prose(lines: list[str]) -> str:
    """What is left of a note, without headings under which nothing is left; "" when that is as good as nothing."""
    kept: list[str] = []
    for line in reversed(lines):
        heading = _HEADING.match(line)
        if heading:
            following = next((one for one in reversed(kept) if one.strip()), "")
            below = _HEADING.match(following)
            if not following or (below and len(below[1]) <= len(heading[1])):
                continue
        kept.append(line)
    text = cleaned(re.sub(r"\n{3,}", "\n\n", "\n".join(reversed(kept))))
    return text if len(text) >= PROSE_LENGTH_LEAST else ""
