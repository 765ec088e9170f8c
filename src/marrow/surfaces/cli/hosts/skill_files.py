"""Skills on disk, in three levels: what each is for, what to do, and what more there is to read.

A skill is a folder with a SKILL.md: front matter (name, description, …) and a body. Texts that only some uses need are
in its `references/`. A model is shown the first level of all, the second of the one it uses, the third when told to.
Names and paths may come from a model: nothing outside of the skill's own folder is ever read, by any spelling or link.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ....model.errors import Invalid, NotFound, TooLarge

FILE, REFERENCES = "SKILL.md", "references"
BYTES_MAX = 256 * 1024
FILES_MAX = 200
NAME = re.compile(r"[a-z0-9](?:-?[a-z0-9])*")
NAME_MAX, DESCRIPTION_MAX = 64, 1024
# What every host understands. Some hosts refuse a skill that has anything else.
PORTABLE_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
_FENCE = "---"
_LINE = re.compile(r"([A-Za-z][\w-]*):(?:\s+(.*))?")


@dataclass(frozen=True, slots=True)
class Skill:
    """The first level. `more` is the rest of the front matter; `tokens` about what this level costs a reader."""

    name: str
    description: str
    more: dict[str, str] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        return (len(self.name) + len(self.description)) // 4


def list_skills(root: str | os.PathLike[str]) -> list[Skill]:
    """Every skill in a folder of skills. A folder that is none is left out; a skill with a fault is an error."""
    try:
        names = sorted(os.listdir(root))
    except FileNotFoundError:
        raise NotFound(f"There is no folder of skills at {root}.", field="root") from None
    return [load_skill(root, name) for name in names if NAME.fullmatch(name) and _is_file(Path(root, name, FILE))]


def load_skill(root: str | os.PathLike[str], name: str) -> Skill:
    """The first level of one skill."""
    fields, _ = _parted(_skill_text(root, name), name)
    if fields.get("name") != name:
        raise Invalid(
            f"The skill in {name!r} calls itself {fields.get('name', '')!r}.", hint="Both are one.", field="name"
        )
    description = fields.get("description", "")
    if not description or len(description) > DESCRIPTION_MAX:
        raise Invalid(
            f"The skill {name} needs a description of at most {DESCRIPTION_MAX:,} characters.", field="description"
        )
    return Skill(name, description, {key: text for key, text in fields.items() if key not in ("name", "description")})


def body_of(root: str | os.PathLike[str], name: str) -> str:
    """The second level: what to do."""
    return _parted(_skill_text(root, name), name)[1]


def list_references(root: str | os.PathLike[str], name: str) -> list[str]:
    """The names of the third level, as `load_reference` takes them."""
    start = _folder(root, name) / REFERENCES
    return sorted(_files_below(start, start)) if start.is_dir() and not start.is_symlink() else []


def load_reference(root: str | os.PathLike[str], name: str, path: str) -> str:
    """One text of the third level."""
    folder = _folder(root, name) / REFERENCES
    parts = PurePosixPath(path).parts
    is_plain = path and "\\" not in path and "\0" not in path and ":" not in path and not path.startswith("/")
    if not is_plain or any(part in ("..", ".") or part.startswith(".") for part in parts):
        raise _outside(name, path)
    file = folder.joinpath(*parts)
    if not os.path.lexists(file):
        known = ", ".join(list_references(root, name)) or "none"
        raise NotFound(f"The skill {name} has no reference {path!r}.", hint=f"There is: {known}.", field="path")
    if not _is_within(file, folder):
        raise _outside(name, path)
    return _text(file, f"{name}/{REFERENCES}/{path}")


def _outside(name: str, path: str) -> Invalid:
    return Invalid(
        f"{path!r} is no reference of the skill {name}: only files in its folder {REFERENCES}/ are.",
        hint="Give a path from there, such as filters.md.",
        field="path",
    )


def _folder(root: str | os.PathLike[str], name: str) -> Path:
    if not NAME.fullmatch(name) or len(name) > NAME_MAX:
        raise Invalid(
            f"{name[:NAME_MAX]!r} is no name of a skill.", hint="Small letters, digits and hyphens.", field="name"
        )
    folder = Path(root, name)
    if not folder.is_dir() or not _is_within(folder, Path(root)):
        raise NotFound(f"There is no skill {name!r}.", hint="`list_skills` names them.", field="name")
    return folder


def _skill_text(root: str | os.PathLike[str], name: str) -> str:
    file = _folder(root, name) / FILE
    if not os.path.lexists(file) or not _is_within(file, file.parent):
        raise NotFound(f"The skill {name!r} has no {FILE}.", field="name")
    return _text(file, f"{name}/{FILE}")


def _is_within(path: Path, folder: Path) -> bool:
    """Whether a path leads nowhere but into the folder, links followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:
        return False


def _text(path: Path, shown: str) -> str:
    if not _is_file(path):
        raise Invalid(f"{shown} is not a plain file.", field="path")
    with path.open("rb") as file:
        data = file.read(BYTES_MAX + 1)
    if len(data) > BYTES_MAX:
        raise TooLarge(f"{shown} has more than {BYTES_MAX:,} bytes.", hint="Part it into references.", field="path")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise Invalid(f"{shown} is not UTF-8 text (byte {problem.start:,}).", field="path") from None


def _files_below(folder: Path, start: Path) -> Iterator[str]:
    found = 0
    for above, folders, files in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in files:
            path = Path(above, name)
            if not name.startswith(".") and _is_file(path) and _is_within(path, start):
                found += 1
                if found > FILES_MAX:
                    raise TooLarge(f"A skill has more than {FILES_MAX} references.", field="path")
                yield path.relative_to(start).as_posix()


def _parted(text: str, name: str) -> tuple[dict[str, str], str]:
    """Front matter and body."""
    lines = text.split("\n")
    ends = [number for number, line in enumerate(lines) if line.rstrip() == _FENCE]
    if len(ends) < 2 or ends[0] != 0:
        raise Invalid(f"The skill {name} has no front matter between two lines of {_FENCE}.", field="name")
    return _fields(lines[1 : ends[1]], name), "\n".join(lines[ends[1] + 1 :]).strip() + "\n"


def _fields(lines: list[str], name: str) -> dict[str, str]:
    """`key: text` on a line, in quotes or not; lines below that are indented belong to it. That is all of it."""
    fields: dict[str, str] = {}
    key = ""
    for line in lines:
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if line[0] in " \t" and key:
            fields[key] = f"{fields[key]} {line.strip()}".strip()
            continue
        found = _LINE.fullmatch(line)
        if found is None or found[1] in fields:
            raise Invalid(f"The front matter of the skill {name} has a line that is none: {line[:60]!r}.", field="name")
        key, value = found[1], (found[2] or "").strip()
        fields[key] = "" if value in (">", ">-", "|", "|-") else value
    return {key: _unquoted(value) for key, value in fields.items()}


def _unquoted(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        inner = text[1:-1]
        return inner.replace("''", "'") if text[0] == "'" else inner.replace('\\"', '"').replace("\\\\", "\\")
    return text
