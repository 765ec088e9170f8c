"""A session in short: its summary, and what the next one is handed. The same session gives the same text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .call import text_at
from .lines import counted, fit, one_line
from .markers import CORRECTS, EPHEMERAL, LEADS, NOTE
from .observation import FAILED, Observation
from .paths import short
from .prose import sentences
from .said import (
    ASSISTANT,
    CORRECTION_CATEGORY,
    DECISION,
    FIX_CATEGORY,
    NOTE_CATEGORY,
    PREFERENCE,
    TASK_CATEGORY,
    Said,
    may_be_kept,
)
from .subject import subject
from .todo import TASKS_MAX, next_step, open_tasks

TITLE_MAX, TITLE_WORDS_LEAST = 60, 3
WORKED_MAX, DECISIONS_MAX, CORRECTIONS_MAX, FAILURES_MAX, ASKED_MAX, NOTES_MAX, FILES_MAX = 10, 8, 8, 5, 4, 5, 12
LINE, MENDED_LINE = 160, 260
HANDOFF = "Handoff"
# The headings of a handoff, in their order.
HANDED_OVER = (
    "Next step",
    "Open tasks",
    "Failures still open",
    "Worked on",
    "Decisions",
    "Preferences of the user",
    "Corrections by the user",
    "Told by the user",
    "Found",
    "Fixed",
)
# And those of a summary.
SUMMED_UP = (
    "Worked on",
    "Decided",
    "Corrected by the user",
    "Told by the user",
    "Found",
    "Fixed",
    "Still failing",
    "Open",
)
_TOLD_AS_FIXED = re.compile(r"Fixed after \d+ runs: ")
_ASKS = re.compile(r"(?:(?:can|could|would|will) you (?:please )?|please )", re.I)


@dataclass(frozen=True, slots=True)
class Digest:
    """What a session came to. Every list is short, in order, and may be empty."""

    session: str
    title: str
    asked: tuple[str, ...] = ()
    worked_on: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    open_tasks: tuple[str, ...] = ()
    next_step: str = ""
    files: tuple[str, ...] = ()
    found: tuple[str, ...] = ()
    preferences: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing was done, told, decided or left, as where only questions were asked: nothing is to be handed over."""
        told = self.decisions or self.preferences or self.corrections or self.notes
        return not (told or self.worked_on or self.failing or self.fixed or self.open_tasks)


def digest(
    session: Mapping[str, object],
    observations: Sequence[Observation],
    said: Sequence[Said],
    prompts: Sequence[Mapping[str, object]],
    last_message: str = "",
    *,
    traces: Sequence[Mapping[str, object]] = (),
    left: Sequence[str] = (),
) -> Digest:
    """The digest of a session. `traces` are looked through for lists of tasks, `left` is what an earlier turn left."""
    asked = _asked(prompts)
    by_user = [one for one in said if one.by != ASSISTANT]
    by_agent = [one for one in said if one.by == ASSISTANT]
    # The answer to a question leaves no tasks.
    tasks = open_tasks(traces, last_message if observations or by_user else "")
    tasks = list(dict.fromkeys([*tasks, *left, *_texts(by_user, (TASK_CATEGORY,), TASKS_MAX)]))[:TASKS_MAX]
    mended = {one.fixed for one in observations if one.fixed}
    failing = [one for one in observations if one.outcome == FAILED and one.failure not in mended]
    step = next_step(last_message) or (tasks[0] if tasks else "") or (_mend(failing[-1].title) if failing else "")
    files = dict.fromkeys(file for one in observations if one.does in ("edit", "write") for file in one.files)
    return Digest(
        session=text_at(session, "session"),
        title=_title(session, _tasks_first(asked, by_user), observations),
        asked=tuple(asked[:ASKED_MAX]),
        worked_on=_worked_on(observations),
        decisions=_texts(by_user, (DECISION,), DECISIONS_MAX),
        corrections=_texts(by_user, (CORRECTION_CATEGORY,), CORRECTIONS_MAX),
        notes=_texts(by_user, (NOTE_CATEGORY, FIX_CATEGORY), NOTES_MAX),
        failing=_last(dict.fromkeys(_failure(one.title, one.summary, one.detail) for one in failing), FAILURES_MAX),
        fixed=_last(dict.fromkeys(_mended(one) for one in observations if one.fixed), FAILURES_MAX),
        open_tasks=tuple(tasks),
        next_step=fit(step, LINE),
        files=tuple(files)[:FILES_MAX],
        found=_texts(by_agent, (FIX_CATEGORY, DECISION), NOTES_MAX),
        preferences=_texts(by_user, (PREFERENCE,), DECISIONS_MAX),
    )


def summary_text(found: Digest) -> str:
    """What happened, for whoever looks back. Without what was asked: a question would find itself."""
    lines = (
        found.worked_on,
        found.decisions,
        found.corrections,
        (*found.preferences, *found.notes),
        found.found,
        found.fixed,
        found.failing,
        found.open_tasks,
    )
    return _text(found.title, *zip(SUMMED_UP, lines, strict=True))


def handoff_text(found: Digest) -> str:
    """What the next session needs to go on: what is to be done first, for whoever reads no further."""
    lines = (
        (found.next_step,) if found.next_step else (),
        tuple(task for task in found.open_tasks if task != found.next_step),
        found.failing,
        found.worked_on,
        found.decisions,
        found.preferences,
        found.corrections,
        found.notes,
        found.found,
        found.fixed,
    )
    title = f"{HANDOFF}: {found.title}" if found.title else HANDOFF
    return _text(title, *zip(HANDED_OVER, lines, strict=True))


def _text(title: str, *sections: tuple[str, Sequence[str]]) -> str:
    parts = [title, *(section_text(heading, lines) for heading, lines in sections)]
    return "\n\n".join(part for part in parts if part)


def section_text(heading: str, lines: Sequence[str]) -> str:
    if len(lines) <= 1:
        return f"{heading}: {lines[0]}" if lines else ""
    return "\n".join([f"{heading}:", *(f"- {line}" for line in lines)])


def _asked(prompts: Sequence[Mapping[str, object]]) -> list[str]:
    """The first sentence of each prompt that is about something; none of what is not to be remembered."""
    found: dict[str, None] = {}
    for prompt in prompts:
        text = text_at(prompt, "prompt")
        if not may_be_kept(text) or not subject(text):
            continue
        first = next((one.text for one in sentences(text) if subject(one.text) and not EPHEMERAL.search(one.text)), "")
        first = _bare(first)
        if first:
            found.setdefault(fit(first, LINE))
    return list(found)


def _bare(text: str) -> str:
    """Without the words that only lead to what is said or asked for."""
    for opener in (LEADS, NOTE, LEADS, _ASKS):
        hit = opener.match(text)
        text = text[hit.end() :] if hit and hit.end() < len(text) else text
    return text


def _tasks_first(asked: Sequence[str], said: Sequence[Said]) -> list[str]:
    """What names a session: not a correction, a word or two, or what was told and is kept by itself, if there is
    something else."""
    kept = [_compared(one.text) for one in said]
    tasks = [
        one
        for one in asked
        if len(one.split()) >= TITLE_WORDS_LEAST
        and not CORRECTS.match(one)
        and not any(told in _compared(one) for told in kept)
    ]
    return tasks or [one for one in asked if len(one.split()) > 1 and not CORRECTS.match(one)]


def _compared(text: str) -> str:
    return one_line(text).casefold().strip(".!?… ")


def _title(session: Mapping[str, object], asked: Sequence[str], observations: Sequence[Observation]) -> str:
    given = one_line(text_at(session, "title"))
    if given:
        return fit(given, TITLE_MAX)
    if asked:
        return fit(asked[0][:1].upper() + asked[0][1:].rstrip(".!? "), TITLE_MAX)
    files = list(dict.fromkeys(short(file, 24) for one in observations for file in one.files))
    if files:
        more = f" and {counted(len(files) - 2, 'other file')}" if len(files) > 2 else ""
        return fit(f"Work on {', '.join(files[:2])}{more}", TITLE_MAX)
    return ""


def _worked_on(observations: Sequence[Observation]) -> tuple[str, ...]:
    """Commits and fixes first in what is kept, then files with what was changed in them; told in the order of time."""
    found: dict[str, tuple[int, int, str]] = {}
    edits: dict[str, list[Observation]] = {}
    for at, one in enumerate(observations):
        if one.does in ("edit", "write") and one.files:
            edits.setdefault(one.files[0], []).append(one)
            group = edits[one.files[0]]
            names = list(dict.fromkeys(name for each in group for name in each.names))[:5]
            line = f"{one.files[0]}: {', '.join(names)}" if names else group[-1].title
            found[f"file {one.files[0]}"] = (1, at, line)
        elif one.outcome != FAILED and not one.fixed:
            rank = 0 if one.title.startswith(("Commit: ", "User chose: ", "Pushed ", "Merged ", "Tried ")) else 2
            if not one.title.startswith(("Tests pass", "Read ", "Web search")) and " passes" not in one.title:
                found.setdefault(one.title, (rank, at, one.title))
    kept = sorted(found.values())[:WORKED_MAX]
    return tuple(fit(line, LINE) for _, _, line in sorted(kept, key=lambda one: one[1]))


def _mended(one: Observation) -> str:
    """What was mended, by name only: the summary tells the rest, and the heading says that it is fixed."""
    name = _TOLD_AS_FIXED.sub("", one.title).partition(": ")[0]
    return fit(f"{name}: {one.summary}", MENDED_LINE)


def failure_lines(title: str, summary: str, detail: str) -> tuple[str, str]:
    """What a summary or a handoff says of a failure that is open: what is to be done, and what failed."""
    return _mend(title), _failure(title, summary, detail)


def _mend(title: str) -> str:
    return f"Mend: {title}"


def _failure(title: str, summary: str, detail: str) -> str:
    where = detail.partition("\n")[0] or summary
    return fit(f"{title}: {where}", LINE)


def _texts(said: Sequence[Said], categories: Sequence[str], limit: int) -> tuple[str, ...]:
    """The weightiest, in the order in which they were said."""
    mine = [(one, at) for at, one in enumerate(said) if one.category in categories]
    kept = sorted(mine, key=lambda pair: (-pair[0].salience, pair[1]))[:limit]
    return tuple(fit(one_line(one.text), LINE) for one, _ in sorted(kept, key=lambda pair: pair[1]))


def _last(lines: Mapping[str, None], limit: int) -> tuple[str, ...]:
    return tuple(lines)[-limit:]
