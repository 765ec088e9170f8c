"""What is still to be done: from the lists that agents keep, and from what was said last."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .call import call_of, first_text, readable, text_at
from .lines import fit, one_line, plain, unmarked

TASKS_MAX = 5
TASK_LENGTH = 140
_WHOLE_LIST_TOOLS = frozenset(("todowrite", "writetodos", "updateplan", "managetodolist"))
_TOOLS = _WHOLE_LIST_TOOLS | {"taskcreate", "taskupdate"}
_LISTS = ("todos", "plan", "items", "tasks")
_WHAT = ("content", "step", "subject", "title", "description", "text", "task")
_DONE = frozenset("completed complete done cancelled canceled deleted removed skipped".split())
_BOX = re.compile(r"^[ \t]*[-*] \[ \]\s+(.+)$", re.M)
# A heading of one of these stands on its own line, or in a line behind a sentence. Without a colon it takes a list.
_LINE = r"^[ \t]*(?:[-*•#]+[ \t]+)?\**"
_BEHIND = r"(?<=[.!?;] )\**"
_REST = r"((?:[^.\n;]|[.;](?=\S)){3,200})"
_LEFT = (
    r"(?:TODO|FIXME|Still (?:to do|open|missing|pending)|Remaining(?: (?:work|tasks|items|steps))?|Left to do|"
    r"What(?:'s|’s| is) left|"
    r"Not (?:yet )?done|Outstanding|Unfinished|Open(?: (?:points|items|tasks|issues|ends))?|Follow-?ups?)"
)
_COMES = r"(?:next(?: steps?| up)?|up next|what(?:'s|’s| is) next)"
_TODO = re.compile(
    rf"{_LINE}{_LEFT}\**[ \t]*:\**[ \t]*(.*)$|{_LINE}{_LEFT}\**[ \t]*$|{_BEHIND}{_LEFT}\**[ \t]*:\**[ \t]*{_REST}",
    re.I | re.M,
)
_NEXT = re.compile(
    rf"{_LINE}(?:{_COMES}|then)\**[ \t]*:\**[ \t]*(.*)$|{_LINE}{_COMES}\**[ \t]*$|"
    rf"{_BEHIND}{_COMES}\**[ \t]*:\**[ \t]*{_REST}|"
    r"\b(?:next,? (?:i(?:'ll| will)|we (?:should|need to|can)|you (?:should|can))|the next step is(?: "
    r"to)?)\s+([^.\n]{5,200})",
    re.I | re.M,
)
_CODE = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.S | re.M)
_NOTHING = re.compile(r"(?:none|nothing(?: (?:left|open|more|else|is left|to do))?|n/?a|all done)\W*\Z|https?://", re.I)
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+(?:\[ \]\s+)?(\S.*)")


def open_tasks(traces: Sequence[Mapping[str, object]], last_message: str = "") -> list[str]:
    """The tasks that are not done, those in progress first, without repeats."""
    listed: dict[str, tuple[str, str]] = {}
    for trace in traces:
        tool = plain(text_at(trace, "tool")).lower().replace("_", "")
        call = call_of(trace) if tool in _TOOLS else None  # most calls are of others, and reading one takes its time
        if call is None or call.failed:
            continue
        if tool in _WHOLE_LIST_TOOLS:
            listed = {str(at): task for at, task in enumerate(_listed(call.input)) if task[0]}
        elif tool == "taskcreate":
            holder = call.output.get("task") if isinstance(call.output, Mapping) else None
            number = _text(holder.get("id")) if isinstance(holder, Mapping) else ""
            number = number or (re.search(r"#(\d+)", call.text) or ["", str(len(listed) + 1)])[1]
            listed[number] = (_task(call.input), "pending")
        elif tool == "taskupdate":
            number, state = _text(call.input.get("taskId")), _text(call.input.get("status"))
            if number in listed:
                listed[number] = (_task(call.input) or listed[number][0], state or listed[number][1])
    left = [task for task in listed.values() if task[0] and task[1].lower() not in _DONE]
    left.sort(key=lambda task: task[1] not in ("in_progress", "inProgress", "active"))
    said = _BOX.findall(last_message) + _after(_TODO, last_message)
    found = dict.fromkeys(_clean(task) for task in [*(task for task, _ in left), *said])
    return [task for task in found if task][:TASKS_MAX]


def next_step(last_message: str) -> str:
    """What the last message says comes next; nothing when it says nothing."""
    return next(iter(_clean(step) for step in _after(_NEXT, last_message)), "")


def _after(heading: re.Pattern[str], text: str) -> list[str]:
    """What stands behind a heading, or in the list under it. Not in code, and not that there is nothing, or an
    address to open."""
    text = _CODE.sub("", plain(text)[-8_000:])
    found: list[str] = []
    for hit in heading.finditer(text):
        said = next((part for part in hit.groups() if part and part.strip(" *")), "")
        if said:
            found.append(said)
            continue
        for line in text[hit.end() :].lstrip("\n").split("\n"):
            item = _ITEM.match(line)
            if item is None:
                break
            found.append(item[1])
    return [one for one in found if _NOTHING.match(one.strip("*_ ")) is None]


def _listed(given: Mapping[str, object]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key in _LISTS:
        rows = given.get(key)
        if isinstance(rows, Sequence) and not isinstance(rows, str):
            for row in rows[:100]:
                if isinstance(row, Mapping):
                    found.append((_task(row), _text(row.get("status"))))
                elif isinstance(row, str):
                    found.append((row, ""))
    return found


def _task(holder: Mapping[str, object]) -> str:
    return first_text(holder, _WHAT)


def _text(value: object) -> str:
    return readable(value) if isinstance(value, str | int) else ""


def _clean(task: str) -> str:
    return fit(unmarked(one_line(plain(task))).rstrip("."), TASK_LENGTH)
