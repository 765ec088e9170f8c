"""What became of a file: edits and writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from .call import Call
from .changes import Change, changes_by_shell, changes_of
from .lines import counted, fit, one_line
from .paths import is_generated, is_scratch, relative, short
from .piece import EDIT, Piece

GIST_LINES = 10
_TRIVIAL = re.compile(
    r"[\s\W_]*\Z|\s*(?:pass|else:?|try:?|end|return|break|continue|fi|done|esac|then|do|begin)\s*;?\s*\Z"
)
_IMPORT = re.compile(r"\s*(?:import|from|use|using|require|#include|package)\b")
_COMMENT = re.compile(r"\s*(?:#(?!include|\[|!)|//|/\*|\*|--|<!--|\"\"\"|''')")


def edit_piece(call: Call) -> Piece | None:
    """What an edit or a write changed; None when nothing of worth."""
    return _piece(call, changes_of(call))


def shell_write(call: Call, command: str) -> Piece | None:
    """What a line of shell wrote into files from its own text."""
    return _piece(call, changes_by_shell(command))


def _piece(call: Call, changes: Sequence[Change]) -> Piece | None:
    kept: list[Change] = []
    for change in changes:
        path = relative(change.path, call.cwd)
        if not is_scratch(path) and not is_generated(path) and (change.deleted or _matters(change)):
            kept.append(replace(change, path=path))
    if not kept:
        return None
    return told(Piece(call, EDIT, "", "", changes=tuple(kept), files=tuple(change.path for change in kept)))


def _matters(change: Change) -> bool:
    """Whether a line changed that says something, and not only the space around it."""
    gone, came = Counter(_core(line) for line in change.removed), Counter(_core(line) for line in change.added)
    return any(_TRIVIAL.match(line) is None for line in [*(came - gone), *(gone - came)])


def _core(line: str) -> str:
    return "".join(line.split())


def told(piece: Piece) -> Piece:
    """The piece with its three depths, made from its changes."""
    changes = net(piece.changes)
    paths = list(dict.fromkeys(change.path for change in changes))
    names = tuple(dict.fromkeys(name for change in changes for name in change.names))
    plus, minus = sum(len(change.added) for change in changes), sum(len(change.removed) for change in changes)
    verb = _verb(changes)
    where = short(paths[0]) if len(paths) == 1 else f"{short(paths[0], 30)} and {counted(len(paths) - 1, 'other file')}"
    size = counted(plus, "line") if verb in ("Created", "Wrote") else f"+{plus} −{minus}"
    gists = [_gist(change) for change in changes]
    gist = [line for lines in gists for line in lines]
    about = ", ".join(names[:3]) or (fit(gist[0][2:].strip(), 40) if gist else "")
    title = f"{verb} {where}: {about} ({size})" if about else f"{verb} {where} ({size})"
    # When the title is too long, what is named at its end gives way before what it is about.
    while len(title) > 80 and ", " in about:
        about = about.rpartition(", ")[0]
        title = f"{verb} {where}: {about} ({size})"
    edits = len(piece.trace_ids)
    often = f" in {counted(edits, 'edit')}" if edits > 1 else ""
    summary = f"{verb} {', '.join(short(path, 60) for path in paths[:3])}{often} ({size})."
    if names:
        summary += f" Touches {', '.join(names[:8])}."
    if gist:
        summary += f" {_in_words(gist)}"
    detail = []
    for change, lines in zip(changes, gists, strict=True):
        detail += [f"{change.path}:"] if len(paths) > 1 else []
        detail += lines[: max(2, GIST_LINES // len(changes))]
    return replace(
        piece,
        title=title,
        summary=summary,
        detail="\n".join(detail),
        files=tuple(paths),
        names=names,
        key=piece.call.key,
    )


def _verb(changes: Sequence[Change]) -> str:
    if all(change.deleted for change in changes):
        return "Deleted"
    if all(change.created for change in changes):
        return "Created"
    return "Wrote" if all(change.whole or change.created for change in changes) else "Edited"


def net(changes: Sequence[Change]) -> list[Change]:
    """One change a file: what one edit added and a later one took away again is left out."""
    found: dict[str, Change] = {}
    for change in changes:
        was = found.get(change.path)
        if was is None or change.whole:
            found[change.path] = change if was is None or not was.created else _as_created(change)
            continue
        undone = Counter(was.added) & Counter(change.removed)
        redone = Counter(was.removed) & Counter(change.added)
        found[change.path] = Change(
            change.path,
            (*_without(was.removed, redone), *_without(change.removed, undone)),
            (*_without(was.added, undone), *_without(change.added, redone)),
            tuple(dict.fromkeys([*was.names, *change.names])),
            created=was.created,
            deleted=change.deleted,
            whole=was.whole,
        )
    return list(found.values())


def is_change(change: Change) -> bool:
    return bool(change.added or change.removed or change.created or change.deleted or change.whole)


def _as_created(change: Change) -> Change:
    return replace(change, created=True, whole=False)


def _without(lines: Sequence[str], taken: Counter[str]) -> list[str]:
    left = Counter(taken)
    kept = []
    for line in lines:
        if left[line] > 0:
            left[line] -= 1
        else:
            kept.append(line)
    return kept


def _gist(change: Change) -> list[str]:
    """The first lines that went and came and say something, marked with − and +."""
    gone, came = Counter(_core(line) for line in change.removed), Counter(_core(line) for line in change.added)
    marked = [("− ", line) for line in change.removed if not came[_core(line)] and _TRIVIAL.match(line) is None]
    new = [("+ ", line) for line in change.added if not gone[_core(line)] and _TRIVIAL.match(line) is None]
    # Code before imports and remarks, each in the order of the file; the new before the old.
    room = GIST_LINES if not marked else GIST_LINES - min(len(marked), 3)
    return [f"{mark}{fit(one_line(line), 120)}" for mark, line in [*_first(new, room), *_first(marked, 3)]]


def _first(lines: Sequence[tuple[str, str]], limit: int) -> list[tuple[str, str]]:
    order = sorted(range(len(lines)), key=lambda at: (_rank(lines[at][1]), at))[:limit]
    return [lines[at] for at in sorted(order)]


def _rank(line: str) -> int:
    if _IMPORT.match(line):
        return 2
    return 1 if _COMMENT.match(line) else 0


def _in_words(gist: Sequence[str]) -> str:
    telling = sorted(gist, key=lambda line: _rank(line[2:]))
    old = next((line[2:] for line in telling if line.startswith("−")), "")
    new = next((line[2:] for line in telling if line.startswith("+")), "")
    if old and new:
        return f"`{fit(old, 90)}` → `{fit(new, 90)}`"
    return f"Adds `{fit(new, 120)}`" if new else f"Removes `{fit(old, 120)}`"
