"""The current diff within a budget: a line for every file, then the changes of those that say most, shortened in
prepared steps. What is left out is said."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import PurePosixPath
from typing import NamedTuple

from ...model.errors import Invalid
from ...model.redact import redact
from ...model.redact_lines import marks, redact_lines
from ...model.scope import READ
from ...model.text import counted, token_estimate
from ...repository.diff import FileDiff, Hunk, current_diff
from ...repository.file_sorts import is_test
from ..engine import Asker, Engine

BUDGET_DEFAULT, BUDGET_MAX = 2_000, 20_000
# The list of files takes at most this share; what has no room in it is counted.
LIST_SHARE = 0.4
LISTED_MAX = 400
# The steps in which a file's changes are shortened: lines around a change, and lines told of each hunk.
STEPS: tuple[tuple[int, int], ...] = ((3, 1_000), (1, 40), (0, 12), (0, 4), (0, 0))
# A file may take its share of what is left, and the shares are at least so large: a few files that can be read say more
# than a line of each.
SHARE_LEAST = 250
SHARES_MAX = 6
_DOCUMENTS = frozenset(".md .rst .txt .adoc .markdown".split())
_DATA = frozenset(".json .csv .tsv .svg .xml .lock .ipynb .yaml .yml".split())


class ToldFile(NamedTuple):
    """A file that differs. `content` is its changes as they are told, in `step` (0 is whole); `left_out` says why there
    are none, or how much of them is missing."""

    path: str
    what: str
    before: str
    added: int
    removed: int
    staged: str
    content: str = ""
    step: int = 0
    left_out: str = ""


class ToldDiff(NamedTuple):
    """`files` are all that are listed, those whose changes are told first. `unlisted` counts the rest."""

    files: tuple[ToldFile, ...]
    changed: int
    added: int
    removed: int
    unlisted: int = 0
    redacted: int = 0
    is_cut: bool = False


def told_diff(
    engine: Engine, asker: Asker, root: str | os.PathLike[str], budget_tokens: int = BUDGET_DEFAULT
) -> ToldDiff:
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not 1 <= budget_tokens <= BUDGET_MAX:
        raise Invalid(f"budget_tokens is a whole number from 1 to {BUDGET_MAX:,}.", field="budget_tokens")
    found = current_diff(root)
    ordered = sorted(found.files, key=_rank)
    listed = _listed(ordered, int(budget_tokens * LIST_SHARE))
    room = budget_tokens - sum(token_estimate(_line(file)) + 1 for file in listed)
    told: list[ToldFile] = []
    removed_secrets = 0
    waiting = sum(bool(file.hunks) for file in listed)
    for file in listed:
        content, step, left = "", 0, file.left_out
        if file.hunks:
            # A fair share of what is left: one large file must not hide all the others.
            share = room // max(1, min(waiting, SHARES_MAX, room // SHARE_LEAST))
            content, step, left, secrets = _fitted(file, share - _title(file), engine.redact_extra)
            removed_secrets += secrets
            room -= token_estimate(content) + _title(file) if content else 0
            waiting -= 1
        told.append(_told(file, content, step, left))
    return ToldDiff(
        tuple(told),
        len(found.files),
        sum(file.added for file in found.files),
        sum(file.removed for file in found.files),
        len(ordered) - len(listed),
        removed_secrets,
        found.is_cut,
    )


def _rank(file: FileDiff) -> tuple[int, int, int, str]:
    """Conflicts first, then what changed, then what is new; of each sources, tests, documents, data, and the larger
    changes first. What is only named comes last."""
    suffix = PurePosixPath(file.path.lower()).suffix
    sort = 3 if suffix in _DATA else 2 if suffix in _DOCUMENTS else 1 if is_test(file.path) else 0
    group = 0 if file.what == "conflict" else 3 if file.left_out else 2 if file.what == "untracked" else 1
    return group, sort, -(file.added + file.removed), file.path


def _listed(files: Sequence[FileDiff], tokens: int) -> list[FileDiff]:
    kept: list[FileDiff] = []
    for file in files[:LISTED_MAX]:
        tokens -= token_estimate(_line(file)) + 1
        if tokens < 0 and kept:
            break
        kept.append(file)
    return kept


def _line(file: FileDiff) -> str:
    """About what the list says of it."""
    return f"M u {file.path} {file.before} +{file.added} -{file.removed} (no room){file.left_out}"


def _title(file: FileDiff) -> int:
    """What the line above its changes takes."""
    return token_estimate(f"--- {file.path}\n\n")


def _fitted(file: FileDiff, tokens: int, extra: Sequence[str]) -> tuple[str, int, str, int]:
    """The changes in the first step that fits, which step that was, what is missing, and how many secrets were taken
    out."""
    hunks = [replace(hunk, lines=_clean(hunk.lines, extra)) for hunk in file.hunks]
    secrets = sum(marks(old.lines, new.lines) for old, new in zip(file.hunks, hunks, strict=True))
    steps = STEPS[:-1] if file.what == "untracked" else STEPS  # where all is new, the place of a change says nothing
    for step, (around, most) in enumerate(steps):
        lines, missing = _shortened(hunks, around, most)
        text = redact("\n".join(lines), extra).text
        if token_estimate(text) <= tokens:
            left = f"{counted(missing, 'changed line')} left out" if missing else ""
            return text, step, left, secrets
    return "", len(STEPS), "no room", 0


def _clean(lines: Sequence[str], extra: Sequence[str]) -> tuple[str, ...]:
    """Before they are shortened, and without their signs: part of a secret does not show what it is."""
    bodies = redact_lines([line[1:] for line in lines], extra)
    return tuple(f"{line[:1]}{body}" for line, body in zip(lines, bodies, strict=True))


def _shortened(hunks: Iterable[Hunk], around: int, most: int) -> tuple[list[str], int]:
    lines: list[str] = []
    missing = 0
    for hunk in hunks:
        near = _near(hunk.lines, around)
        changed = sum(line[:1] in "+-" for line in near)
        kept = near[:most]
        left = changed - sum(line[:1] in "+-" for line in kept)
        missing += left
        lines += [f"@@ {hunk.head}", *kept]
        lines += [f"… {left} more changed lines"] if left else []
    return lines, missing


def _near(lines: Sequence[str], around: int) -> list[str]:
    """The changed lines, with so many of the others on each side."""
    wanted: set[int] = set()
    for place, line in enumerate(lines):
        if line[:1] in "+-":
            wanted.update(range(place - around, place + around + 1))
    return [line for place, line in enumerate(lines) if place in wanted]


def _told(file: FileDiff, content: str, step: int, left: str) -> ToldFile:
    staged = "both" if file.is_staged and file.is_unstaged else "staged" if file.is_staged else "unstaged"
    return ToldFile(file.path, file.what, file.before, file.added, file.removed, staged, content, step, left)
