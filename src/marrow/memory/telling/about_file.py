"""What is known about a file before it is read or changed: gotchas, decisions, claims that drifted. Few, once."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...model.record import CURRENT, Record
from ...model.session import Injection
from ...store.protocol import Reader
from ...store.terms import terms_of
from ..engine import Asker

TOLD_MAX = 3
# So many are read at a time, until as many were found that one can choose among them; and so many at most.
LOOKED_AT, CHOSEN_AMONG, READ_MAX = 60, 12, 600
PATH_KEYS = ("file_path", "path", "notebook_path", "filePath", "filename")
FOLDERS_MAX = 8
RULES = frozenset(("preference", "learning"))
CHANGING = ("edit", "write")
_FOLDER = re.compile(
    r"(?<![\w/.@-])(/?[\w.@-]+(?:/[\w.@-]+)+/?|/?[\w.@-]+/)(?![\w/])|(?<![\w/.@-])([\w.@-]+) (?:folder|directory)\b"
)
# What says more about a file than that it was changed.
TELLING_DOMAINS = ("issues", "decisions", "architecture", "patterns")
# Of these kinds only what failed and what mended it is worth a word here.
PASSING_KINDS = frozenset(("observation", "summary", "handoff", "commit", "document", "conversation", "log"))


def about_file(
    reader: Reader, asker: Asker, now: int, root: str, hook: Mapping[str, Any], before: Sequence[Injection]
) -> tuple[str, list[Record]]:
    """The file's path as memories name it, and what to tell. Nothing for a file that this session was told about."""
    given = path_of(hook)
    paths = names_of(given, str(hook.get("cwd", "")), root)
    if not paths or any(told.file == paths[0] for told in before):
        return given, []
    entries = reader.anchored(asker.namespace, paths, asker.places(), CURRENT)
    entries += _naming(reader, asker, paths[0], entries)
    ruling = _ruling(reader, asker, paths[0])
    entries += [entry for entry in ruling if entry not in entries]
    known = {told.address for told in before}
    # A rule that was told among much else at the start is told once more where it is about to be broken.
    at_work = {told.address for told in before if told.event != "session-start"}
    known_rules = at_work if hook.get("does") in CHANGING else known
    found: list[Record] = []
    for start in range(0, min(len(entries), READ_MAX), LOOKED_AT):  # hundreds of commits touch some files
        found += [
            record
            for record in reader.records_of(entries[start : start + LOOKED_AT], CURRENT)
            if record.standing.is_active(now)
            and record.node.address not in (known_rules if record.entry in ruling else known)
            and _is_worth_it(record)
        ]
        if len(found) >= CHOSEN_AMONG:
            break
    own = own_sight(reader, found, str(hook.get("session", "")))
    found = [record for record in found if record.entry not in own]
    found.sort(
        key=lambda r: (
            r.entry not in ruling,
            not r.standing.drift,
            r.standing.domain not in TELLING_DOMAINS,
            -r.standing.priority,
            -r.last_at,
        )
    )
    return paths[0], found[:TOLD_MAX]


def path_of(hook: Mapping[str, Any]) -> str:
    given = hook.get("input")
    if not isinstance(given, Mapping):
        return ""
    return next((given[key] for key in PATH_KEYS if isinstance(given.get(key), str) and given[key].strip()), "")


def names_of(path: str, cwd: str, root: str) -> list[str]:
    """How memories may name a file: from the project's root first, from the folder at hand, as it was given."""
    if not path:
        return []
    whole = os.path.normpath(os.path.join(cwd, path))
    names = [
        os.path.relpath(whole, start) for start in (root, cwd) if start and whole.startswith(os.path.join(start, ""))
    ]
    return list(dict.fromkeys(name.replace("\\", "/") for name in (*names, path)))


def _naming(reader: Reader, asker: Asker, path: str, already: Sequence[int]) -> list[int]:
    """What names the file in its text, though nobody pinned it there."""
    name = path.rpartition("/")[2]
    matched = reader.match(asker.namespace, terms_of(name), asker.places(), None, LOOKED_AT)
    entries = [entry for entry, _ in matched if entry not in already]
    # It begins where a name can: from within one, each mark in a long line would be looked at to its end again.
    named = re.compile(rf"(?<![\w/.@-])@?((?:[\w.@-]*/)*{re.escape(name)})(?![\w-]|\.\w)")
    return [r.entry for r in reader.records_of(entries, CURRENT) if _is_named(path, named, r.node.content)]


def _ruling(reader: Reader, asker: Asker, path: str) -> list[int]:
    """The rules that name a folder which the file lies in."""
    folders = path.split("/")[:-1][-FOLDERS_MAX:]
    if not folders or path.startswith("/"):
        return []
    matched = reader.match(asker.namespace, terms_of(" ".join(folders)), asker.places(), None, LOOKED_AT)
    records = reader.records_of([entry for entry, _ in matched], CURRENT)
    return [r.entry for r in records if r.node.kind in RULES and _names_folder(path, r.node.content)]


def _names_folder(path: str, text: str) -> bool:
    """With a slash in it or behind it, or as the folder of that name."""
    around = [f"/{path}"[:at] for at, sign in enumerate(f"/{path}") if sign == "/" and at]
    for found in _FOLDER.finditer(text):
        named = f"/{(found[1] or found[2]).strip('./')}"
        if any(folder.endswith(named) or named.endswith(folder) for folder in around):
            return True
    return False


def _is_named(path: str, named: re.Pattern[str], text: str) -> bool:
    """By its name alone or with its folders. `test_tax.py` is another file than `tax.py`, and so is the `tax.py` of
    another folder."""
    given = (f"/{one.lstrip('./')}" for found in named.finditer(text) for one in {found[0], found[1]})
    return any(f"/{path}".endswith(one) or one.endswith(f"/{path}") for one in given)


def own_sight(reader: Reader, records: Sequence[Record], session: str) -> frozenset[int]:
    """The entries of what nobody but this session saw: it stands in its own transcript."""
    seen = [record.entry for record in records if record.node.kind in PASSING_KINDS]
    said = reader.occurrences(seen, CURRENT) if seen and session else {}
    return frozenset(entry for entry, some in said.items() if all(one.thread == session for one in some))


def _is_worth_it(record: Record) -> bool:
    if record.node.kind not in PASSING_KINDS:
        return True
    return record.node.kind == "observation" and record.standing.domain == "issues"
