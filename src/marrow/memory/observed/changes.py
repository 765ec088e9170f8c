"""What an edit changed, read from the shapes in which the hosts tell of edits."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .call import Call, first_text, text_at
from .command import take_apart
from .lines import plain
from .names import NAMES_MAX, enclosing, names_in
from .parts import parts

LINES_READ = 4_000
HUNKS_MAX = 200
_OLD_KEYS = ("old_string", "oldString", "old_str", "oldText", "old_text")
_NEW_KEYS = ("new_string", "newString", "new_str", "newText", "new_text", "new_source", "insert_text", "replacement")
_WHOLE_KEYS = ("content", "contents", "file_text", "fileText", "text", "code")
_LIST_KEYS = ("edits", "replacements", "changes")
_PATHS = ("file_path", "filePath", "path", "notebook_path", "file")
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$|^\+\+\+ (?:b/)?(\S+)", re.M)


@dataclass(frozen=True, slots=True)
class Change:
    """Of one file: the lines that went and came, and the names that they define or stand in."""

    path: str
    removed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    created: bool = False
    deleted: bool = False
    whole: bool = False  # the whole file was written, and what it said before is not known


def changes_of(call: Call) -> list[Change]:
    """The changes that an edit or a write made, file by file in order."""
    patch = _patch_text(call)
    if patch:
        return _from_patch(patch)
    if isinstance(call.output, Mapping):
        hunks = call.output.get("structuredPatch")
        if isinstance(hunks, Sequence) and not isinstance(hunks, str) and hunks and call.path:
            return [_from_hunks(call.path, hunks)]
    found: list[Change] = []
    for key in _LIST_KEYS:
        given = call.input.get(key)
        if isinstance(given, Sequence) and not isinstance(given, str):
            for one in given[:HUNKS_MAX]:
                if isinstance(one, Mapping):
                    path = first_text(one, _PATHS) or call.path
                    found += _from_texts(path, _any(one, _OLD_KEYS), _any(one, _NEW_KEYS))
    if found:
        return found
    old, new = _any(call.input, _OLD_KEYS), _any(call.input, _NEW_KEYS)
    if old or new:
        return _from_texts(call.path, old, new)
    whole = _any(call.input, _WHOLE_KEYS)
    if not call.path or not whole:
        return []
    created = isinstance(call.output, Mapping) and call.output.get("type") == "create"
    return [_written(call.path, whole, created)]


def changes_by_shell(command: str) -> list[Change]:
    """The files that a line of shell writes from its own text."""
    return [_written(path, body, False) for path, body in take_apart(command).written if body.strip()]


def _written(path: str, text: str, created: bool) -> Change:
    lines = tuple(plain(text).rstrip("\n").split("\n")[:LINES_READ])
    return Change(path, (), lines, names_in(lines), created=created, whole=not created)


def _any(holder: Mapping[str, object], keys: Sequence[str]) -> str:
    return next((found for key in keys if (found := text_at(holder, key))), "")


def _from_texts(path: str, old: str, new: str) -> list[Change]:
    if not path or old == new:
        return []
    before, after = plain(old).split("\n")[:LINES_READ], plain(new).split("\n")[:LINES_READ]
    if not old:
        before = []
    if not new:
        after = []
    removed: list[str] = []
    added: list[str] = []
    around: list[str] = []
    # Long texts are compared line by line without looking for the shortest way, which may take for ever.
    if len(before) * len(after) > 250_000:
        kept = set(before) & set(after)
        removed, added = [one for one in before if one not in kept], [one for one in after if one not in kept]
    else:
        for what, i, j, k, end in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
            if what != "equal":
                removed += before[i:j]
                added += after[k:end]
                around.append(enclosing(after, k) if k < end else enclosing(before, i))
    return [Change(path, tuple(removed), tuple(added), _named(removed, added, around))]


def _named(removed: Sequence[str], added: Sequence[str], around: Sequence[str]) -> tuple[str, ...]:
    found = dict.fromkeys([*names_in(added), *names_in(removed), *(name for name in around if name)])
    return tuple(found)[:NAMES_MAX]


def _from_hunks(path: str, hunks: Sequence[object]) -> Change:
    removed: list[str] = []
    added: list[str] = []
    around: list[str] = []
    for hunk in hunks[:HUNKS_MAX]:
        lines = hunk.get("lines") if isinstance(hunk, Mapping) else None
        if isinstance(lines, Sequence) and not isinstance(lines, str):
            _read_hunk([plain(line) for line in lines if isinstance(line, str)], removed, added, around)
    return Change(path, tuple(removed), tuple(added), _named(removed, added, around))


def _read_hunk(lines: Sequence[str], removed: list[str], added: list[str], around: list[str]) -> None:
    body = [line[1:] for line in lines]
    changed = False
    for at, line in enumerate(lines[:LINES_READ]):
        if line[:1] not in ("+", "-"):
            changed = False
            continue
        if not changed:
            around.append(enclosing(body, at))
        changed = True
        (added if line[0] == "+" else removed).append(line[1:])


def _patch_text(call: Call) -> str:
    for key in ("patch", "input", "command", "diff", "patchText"):
        given = call.input.get(key)
        text = "\n".join(str(part) for part in given) if isinstance(given, list) else given
        if isinstance(text, str) and ("*** Begin Patch" in text or re.search(r"^\+\+\+ \S", text, re.M)):
            return plain(text)
    return ""


def _from_patch(text: str) -> list[Change]:
    found: list[Change] = []
    for hit, whole in parts(text, _PATCH_FILE):
        path = (hit[2] or hit[3] or hit[4] or "").strip()
        body = [line for line in whole.split("\n") if line[:3] not in ("---", "+++", "***")]
        removed: list[str] = []
        added: list[str] = []
        around: list[str] = []
        _read_hunk(body, removed, added, around)
        around += [line.partition("@@ ")[2] for line in body if line.startswith("@@ ")]
        names = _named(removed, added, names_in(around) or ())
        if hit[3] and found:
            was = found.pop()
            removed, added = [*was.removed, *removed], [*was.added, *added]
        found.append(
            Change(path, tuple(removed), tuple(added), names, created=hit[1] == "Add", deleted=hit[1] == "Delete")
        )
    return [change for change in found if change.path]
