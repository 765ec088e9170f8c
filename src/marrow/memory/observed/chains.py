"""Repeats put together: a run that failed and was run again until it passed is one thing, and what lay between is what
mended it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .command import as_run, had_to_pass
from .edits import is_change, net, told
from .lines import counted, fit, joined
from .observation import FAILED, OK, UNDONE
from .piece import EDIT, OTHER, SHELL, TEST, Piece
from .taken_back import taken_back
from .testing import bare_name, covers, failure_line, in_short, local, still_fails

BETWEEN_TOLD = 4
# With these a command does not do what it failed to do without them.
_PRETENDS = frozenset(("-n", "--dry-run", "--check", "--help", "-h", "--version", "--list", "--collect-only"))


@dataclass(slots=True)
class _Thread:
    """A failure that is open: its runs, and what was done since the first and since the last of them."""

    runs: list[Piece]
    at: int
    since_first: list[Piece] = field(default_factory=list)
    since_last: list[Piece] = field(default_factory=list)

    @property
    def first(self) -> Piece:
        return self.runs[0]

    @property
    def last(self) -> Piece:
        return self.runs[-1]


def put_together(pieces: Sequence[Piece]) -> list[Piece]:
    """The pieces of a session without repeats: failures linked to what mended them, edits of a file as one."""
    return _edits_as_one(_runs_as_one(taken_back(pieces)))


def _runs_as_one(pieces: Sequence[Piece]) -> list[Piece]:
    placed: dict[int, list[Piece]] = {}
    good: dict[str, int] = {}
    threads: list[_Thread] = []
    for at, piece in enumerate(pieces):
        if piece.form not in (TEST, SHELL) or (piece.outcome == OK and not _reruns(piece, threads)):
            if piece.form == TEST:
                continue  # a run that passes and mends nothing tells nothing
            for thread in threads:
                thread.since_first.append(piece)
                thread.since_last.append(piece)
            if piece.form != EDIT and piece.key in good:
                piece = _again(placed.pop(good[piece.key])[0], piece)
            if piece.form != EDIT:
                good[piece.key] = at
            placed[at] = [piece]
            continue
        mine = [thread for thread in threads if _is_rerun(piece, thread.last)]
        if piece.outcome == FAILED:
            over = [thread for thread in mine if not _still_open(piece, thread)]
            mine = [thread for thread in mine if thread not in over]
            if mine:
                mine[0].runs.append(piece)
                mine[0].at = at
                mine[0].since_last = []
            else:
                threads.append(_Thread([piece], at))
        else:
            over = mine
        for thread in over:
            threads.remove(thread)
            placed.setdefault(at, []).append(_mended(thread, piece))
    for thread in threads:
        placed.setdefault(thread.at, []).append(_open(thread))
    return [piece for at in sorted(placed) for piece in placed[at]]


def _reruns(piece: Piece, threads: Sequence[_Thread]) -> bool:
    return any(_is_rerun(piece, thread.last) for thread in threads)


def _is_rerun(piece: Piece, earlier: Piece) -> bool:
    same = piece.key == earlier.key or covers(piece, earlier)
    return same or _with_options(piece, earlier) or _ran_before(piece, earlier)


def _ran_before(piece: Piece, earlier: Piece) -> bool:
    """A command that had to pass so that what is known to have run could: `npm run types && npm test`."""
    if earlier.form != SHELL or piece.outcome == FAILED or not (piece.form == TEST or piece.call.is_told):
        return False
    return earlier.key in had_to_pass(piece.call.command)


def _with_options(piece: Piece, earlier: Piece) -> bool:
    """The same command with options that it did not have: `npm install --legacy-peer-deps`."""
    if piece.form != SHELL or earlier.form != SHELL or piece.outcome == FAILED or not earlier.key:
        return False
    if not piece.key.startswith(earlier.key + " -") or ";" in piece.key:
        return False
    words = piece.key[len(earlier.key) :].split()
    plain = sum(1 for at, word in enumerate(words) if not word.startswith("-") and not words[at - 1].startswith("-"))
    return plain == 0 and _PRETENDS.isdisjoint(words)


def _changed_command(failed: Piece, passed: Piece) -> str:
    """How the command was given when it passed, if it was given otherwise when it failed."""
    if passed.key != failed.key and not _with_options(passed, failed):
        return ""
    now = as_run(passed.call.command)
    return fit(" && ".join(now), 140) if now and now != as_run(failed.call.command) else ""


def _still_open(piece: Piece, thread: _Thread) -> bool:
    """A failing run mends an earlier failure only where its tests were run, and pass now."""
    return piece.form != TEST or still_fails(piece, thread.last)


def _again(earlier: Piece, piece: Piece) -> Piece:
    """The later of two equal calls stands for both."""
    return replace(piece, ids=(*earlier.trace_ids, *piece.trace_ids), size=earlier.before + piece.before)


def _joint(thread: _Thread, last: Piece) -> tuple[tuple[str, ...], int]:
    runs = [*thread.runs, *([] if last in thread.runs else [last])]
    return tuple(one for run in runs for one in run.trace_ids), sum(run.before for run in runs)


def _mended(thread: _Thread, passed: Piece) -> Piece:
    """First failure, what lay between, final state."""
    first, runs = thread.first, len(thread.runs) + 1
    steps = thread.since_last or thread.since_first
    ids, size = _joint(thread, passed)
    what, said = _name(first), _said(first)
    state = passed.run.counts if passed.run else "it passes"
    changed = _changed_command(thread.last, passed)
    mended = bool(steps or changed)
    title = f"Fixed after {runs} runs: {what}" if mended else f"Passes on run {runs} with no change seen: {what}"
    edits = [step for step in steps if step.form == EDIT]
    by = ", ".join(dict.fromkeys(file for step in edits for file in step.files[:2]))
    by = by or ("" if changed else "; ".join(fit(step.title, 60) for step in steps[-2:]))
    tried = [fit(step.title, 60) for step in steps if step.outcome == UNDONE]
    by = "; ".join([*tried, by] if by else tried)
    summary = f"{fit(said, 130)} → {state}."
    summary += f" With the changed command `{changed}`." if changed else ""
    summary += f" Between: {by}." if by else ""
    summary += "" if mended else " Nothing was seen to change between the runs."
    detail = [f"Failed: {fit(_first_line(first), 240)}"]
    detail += [f"Failed as: {fit(thread.last.call.command, 140)}", f"Passed as: {changed}"] if changed else []
    for step in (edits or steps)[-BETWEEN_TOLD:]:
        detail.append(f"{step.title}")
        detail += [f"  {line}" for line in step.detail.split("\n")[:4] if line]
    detail.append(f"Then: {state}")
    return replace(
        passed,
        title=title,
        summary=summary,
        detail="\n".join(detail),
        files=tuple(dict.fromkeys([*(file for step in edits for file in step.files), *first.files])),
        names=tuple(dict.fromkeys([*(name for step in edits for name in step.names), *first.names])),
        outcome=OK,
        failure="",
        fixed=first.failure if mended else "",
        ids=ids,
        size=size,
    )


def _name(piece: Piece) -> str:
    if piece.run and piece.run.failures:
        failures = [local(one, piece.call.cwd) for one in piece.run.failures]
        more = f" (+{len(failures) - 1})" if len(failures) > 1 else ""
        return (bare_name(failures[0].test) or failures[0].test or failures[0].message) + more
    return piece.title.replace(" failed: ", ": ", 1)


def _said(piece: Piece) -> str:
    if piece.run and piece.run.failures:
        return in_short(local(piece.run.failures[0], piece.call.cwd))
    return piece.summary.partition(". ")[2] or piece.title


def _first_line(piece: Piece) -> str:
    if piece.run and piece.run.failures:
        return failure_line(local(piece.run.failures[0], piece.call.cwd))
    return piece.detail.partition("\n")[0] or piece.title


def _open(thread: _Thread) -> Piece:
    """A failure that was not mended: as it was last seen."""
    first, last = thread.first, thread.last
    if len(thread.runs) == 1:
        return last
    ids, size = _joint(thread, last)
    often = counted(len(thread.runs), "run")
    detail = last.detail
    if first.failure != last.failure:
        detail = "\n".join([*joined(last.detail.split("\n"), 6), f"First: {fit(_first_line(first), 200)}"])
    return replace(last, summary=f"Still failing after {often}. {last.summary}", detail=detail, ids=ids, size=size)


def _edits_as_one(pieces: Sequence[Piece]) -> list[Piece]:
    """Edits of one file in one turn, with nothing but edits and readings between them, become one."""
    found: list[list[Piece]] = []
    at_hand: dict[str, int] = {}
    turn: str | None = None
    for piece in pieces:
        if piece.form != EDIT:
            if piece.form != OTHER:
                at_hand.clear()
            found.append([piece])
            continue
        if piece.call.turn != turn:
            at_hand.clear()
            turn = piece.call.turn
        path = piece.changes[0].path if len({change.path for change in piece.changes}) == 1 else ""
        if path and path in at_hand:
            found[at_hand[path]].append(piece)
        else:
            if path:
                at_hand[path] = len(found)
            found.append([piece])
    return [joint for group in found if (joint := _joint_edit(group))]


def _joint_edit(group: Sequence[Piece]) -> Piece | None:
    """What several edits of one file came to in the end; None where the last undid the others."""
    if len(group) == 1:
        return group[0]
    joint = replace(
        group[-1],
        changes=tuple(change for piece in group for change in piece.changes),
        ids=tuple(one for piece in group for one in piece.trace_ids),
        size=sum(piece.before for piece in group),
    )
    return told(joint) if any(map(is_change, net(joint.changes))) else None
