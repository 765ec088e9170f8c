"""What was tried and taken back: the edits that git put back to what was committed."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import replace

from .call import Call
from .edits import told
from .elsewhere import elsewhere, ran_in
from .lines import fit
from .observation import FAILED, UNDONE
from .paths import is_absolute, slashes
from .piece import EDIT, OTHER, Piece

# All that git has, and the folder that it was run in.
ALL, HERE = "*", "."
_PUTS_BACK = re.compile(r"git (checkout|restore|reset)\s+(.*)", re.S)
_COMMITS = re.compile(r"\bgit (?:-\S+ )*commit\b")
_VERB = re.compile(r"(?:Edited|Created|Wrote|Deleted) ")


def undone(call: Call, doing: Sequence[str]) -> tuple[str, ...]:
    """The files and folders that a line of shell put back, each whole: a dot is the folder that git was run in. A name
    alone may be a branch's: then it is a file's only where such a file was edited, and ends with a mark that says
    so."""
    found: list[str] = []
    for one in () if call.failed else doing:
        hit = _PUTS_BACK.match(one)
        folder = ran_in(call.command, one, call.cwd) if hit else ""
        if hit is None or elsewhere(call.command, one, call.cwd) or (call.cwd and not folder):
            continue
        verb, words = hit[1], hit[2].split()
        if verb == "reset":
            found += [ALL] if "--hard" in words else []
            continue
        if {"-b", "-B", "--orphan"} & {*words} or (
            {"--staged", "-S"} & {*words} and not {"--worktree", "-W"} & {*words}
        ):
            continue
        is_path = verb == "restore" or "--" in words
        behind = words[words.index("--") + 1 :] if "--" in words else words
        names = [word.strip("'\"") for word in behind if not word.startswith("-")]
        found += [f"{_whole(name, folder)}{'' if is_path or name == HERE else '?'}" for name in names]
    return tuple(dict.fromkeys(found))


def _whole(path: str, folder: str) -> str:
    path = slashes(path)
    return posixpath.normpath(path if is_absolute(path) else posixpath.join(slashes(folder), path))


def taken_back(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces of a session with what was taken back told as tried, in the place of its edits."""
    if not any(piece.undoes for piece in pieces):
        return list(pieces)
    found: list[Piece] = []
    since = 0  # what was committed is not taken back
    for piece in pieces:
        if piece.undoes:
            found[since:] = _put_back(found[since:], piece)
        if piece.title:
            found.append(piece)
        if piece.outcome != FAILED and _COMMITS.search(piece.call.command):
            since = len(found)
    return found


def _put_back(pieces: Sequence[Piece], back: Piece) -> list[Piece]:
    """What failed with the edits went with them, where nothing else was edited meanwhile."""
    edits = [one for one in pieces if one.form == EDIT and all(_is_in(path, one, back.undoes) for path in one.files)]
    if not edits:
        return list(pieces)
    first = pieces.index(edits[0])
    failed = [one for one in pieces[first:] if one.outcome == FAILED]
    is_all = len(edits) == sum(one.form == EDIT for one in pieces[first:])
    gone = [*edits, *(failed if is_all else ())]
    left_out = {id(one) for one in gone}
    return [*(one for one in pieces if id(one) not in left_out), _tried(edits, failed, gone, back)]


def _is_in(path: str, edit: Piece, undoes: Sequence[str]) -> bool:
    path = _whole(path, edit.call.cwd)
    return any(name in (ALL, path, f"{path}?") or path.startswith(f"{name.rstrip('/')}/") for name in undoes)


def _tried(edits: Sequence[Piece], failed: Sequence[Piece], gone: Sequence[Piece], back: Piece) -> Piece:
    joint = edits[0]
    if len(edits) > 1:
        changes = tuple(change for piece in edits for change in piece.changes)
        joint = told(replace(edits[-1], changes=changes, ids=tuple(one for piece in edits for one in piece.trace_ids)))
    what = _VERB.sub("", joint.title, count=1)
    why = f" With it: {fit(failed[-1].title, 60)}: {fit(_said(failed[-1]), 120)}" if failed else ""
    return Piece(
        back.call,
        OTHER,
        f"Tried and took back: {what}",
        f"Edited, and put back with `{fit(back.call.command, 60)}`.{why}",
        joint.detail,
        files=joint.files,
        names=joint.names,
        outcome=UNDONE,
        key=f"tried {what}",
        ids=(*(one for piece in gone for one in piece.trace_ids), *back.trace_ids),
        size=sum(piece.before for piece in gone) + back.before,
    )


def _said(failed: Piece) -> str:
    if failed.run and failed.run.failures:
        return failed.run.failures[0].message
    return failed.detail.partition("\n")[0] or failed.summary
