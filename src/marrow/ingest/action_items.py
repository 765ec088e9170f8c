"""What is to be done, and what was decided, in the text of a meeting, an incident or any other document. By rules:
boxes to tick, labelled lines, sections and tables of actions, and what people say that they will do."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date

from .dates import date_of
from .due import day_of, due_in, resolved
from .lazy_pattern import LazyPattern
from .spoken import LOOKED_AT_MAX, NAME, NO_SPEAKERS, spoken_line

ITEMS_MAX, TEXT_MAX = 200, 300
# Who is to do it stands at the end of a task, or at its beginning.
OWNER_WITHIN = 250

# Between the lines of a chat: what follows was said on this day.
_DAY_LINE = LazyPattern(r"\d{4}-\d\d-\d\d")
_BULLET = LazyPattern(r"[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+(?P<text>\S.*)")
_BOX = LazyPattern(
    r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?\[(?P<mark>[ xX✓✔]?)\][ \t]+(?P<text>\S.*)"
    r"|[ \t]*(?P<sign>[☐☑✅])[ \t]*(?P<text2>\S.*)"
)
_LABEL = LazyPattern(
    r"[ \t>*_#•-]*(?:action(?:[ -]?(?:item|point))?s?|AI|TODO|to-do|task|follow[- ]?up|next step)"
    r"(?:[ \t]{0,8}#?\d{1,9})?[ \t]{0,8}(?:[(\[]@?(?P<owner>[^()\[\]]{1,60})[)\]]|for @?(?P<owner2>[\w .'’-]{1,40}?))?"
    r"[*_]{0,8}[ \t]{0,8}[:–—-][*_ \t]{0,8}(?P<text>\S.*)",
    re.I,
)
_SECTION = LazyPattern(
    r"(?:action(?:[ -]?(?:item|point))?s?(?: taken)?|next steps?|follow[- ]?up(?: action| item| task)?s?"
    r"|to-?dos?|tasks?|"
    r"corrective actions?|preventive (?:actions?|measures)|remediation(?: items?)?|commitments)\b(?: \([^)]*\))?",
    re.I,
)
_DECISIONS = LazyPattern(
    r"(?:key |main )?decisions?(?: (?:made|taken|log))?|agreements?|resolutions?|what we decided", re.I
)
_HEADING = LazyPattern(
    r"[ \t]*(?:#{1,6}[ \t]+(?P<text>\S.*)|[*_]{2}(?P<bold>[^*_]+)[*_]{2}:?[ \t]*|(?P<label>[A-Z][\w /-]{2,40}):[ \t]*)"
)
_ROW = LazyPattern(r"[ \t]*\|(?P<cells>.*)\|[ \t]*")
_STRUCK = LazyPattern(r"~~(?P<text>.+)~~(?P<rest>.*)")
_DONE = LazyPattern(
    r"[ \t]{0,8}[(\[]?\b(?:done|completed?|closed|fixed|resolved|shipped)\b[)\]!.]{0,8}\Z|\A(?:done"
    r"|completed?)[:–—-][ \t]{0,8}",
    re.I,
)

_VERBS = (
    "add address analyse analyze announce apply arrange ask assign audit automate back backport benchmark book build "
    "bump call change chase check circulate clarify clean close collect come compare compile complete configure "
    "confirm contact convert coordinate create cut debug decide define delete deploy describe design disable discuss "
    "document draft drop enable ensure escalate estimate evaluate examine expand explore export extend file fill "
    "finalise finalize find finish fix flag follow forward gather get give handle implement improve include increase "
    "inform install instrument integrate introduce investigate invite join keep kick land lead link list look lower "
    "make map measure merge message migrate monitor move notify open order organise organize own patch pin ping plan "
    "post prepare present print prioritise prioritize profile propose provide provision publish pull push put raise "
    "reach read rebase record reduce refactor reject release remind remove rename renew reopen replace reply report "
    "reproduce request research resolve respond restore retire retry return revert review revisit rewrite roll rotate "
    "run scale schedule scope secure send separate set share ship simplify sketch sort speak specify spike split "
    "stage start stop submit summarise summarize switch sync take talk tell test tidy track train transfer trigger "
    "try tune turn update upgrade upload validate verify visit wire work wrap write"
).split()
_VERB = rf"(?:{'|'.join(_VERBS)})"
# Verbs are more than can be listed: a word is one that a task begins with where it has an object. "Access to the pool"
# and "access to all the pools" have none.
_OBJECT = r"(?:the|a|an|our|its|their|this|these|all|each|every|any|whether|how|why|what|if)"
_DOING = rf"(?!{_OBJECT}\b)[a-z][a-z-]{{1,20}}[ \t]{{1,3}}{_OBJECT}\b"
_ADVERB = r"(?:also|then|definitely|probably|quickly|just|please|personally|try to|need to|have to|go and|go ahead and)"
_I_WILL = LazyPattern(
    rf"\b(?:I['’]ll|I will|I['’]m going to|I am going to|I can|let me|I need to|I have to|I should)(?: {_ADVERB})*"
    rf" (?P<task>{_VERB}\b[^.!?;\n]*)",
    re.I,
)
_NAMED = LazyPattern(
    rf"(?:\A|(?<=[.!?;,] )|(?<=\band )|(?<=\bso ))(?P<owner>@?{NAME})(?:,)? "
    rf"(?:will|['’]ll|is going to|to|shall|should|needs to|has to|agreed to|promised to|is to|volunteered"
    rf" to)(?: {_ADVERB})*"
    rf" (?P<task>{_VERB}\b[^.!?;\n]*)"
)
_ASKED = LazyPattern(
    rf"(?:\A|(?<=[.!?;] ))(?P<owner>@?{NAME}), (?:can|could|would|will) you(?: {_ADVERB})*"
    rf" (?P<task>{_VERB}\b[^.!?;\n]*)"
    rf"|(?:\A|(?<=[.!?;] ))(?:[Cc]an|[Cc]ould) you(?: {_ADVERB})* (?P<task2>{_VERB}\b[^.!?;,\n]*),"
    rf" (?P<owner2>{NAME})(?=[.?!]|\Z)"
    rf"|(?:\A|(?<=[.!?;] ))(?P<owner3>@?{NAME}),? please (?P<task3>{_VERB}\b[^.!?;\n]*)"
)
_SMALL_TALK = LazyPattern(
    r"\b(?:share (?:my|the) screen|be right back|mute|unmute|start (?:the recording|us off|off|with)|go"
    r" first|hand over|"
    r"give (?:you|everyone|people) (?:a|another) (?:minute|moment|second)|start recording|wrap up|talk"
    r" about|come back to|"
    r"stop (?:here|there|sharing)|take (?:that|this) (?:one )?offline|get started|keep it short|say|see if"
    r"|read (?:that|this|it) out)\b",
    re.I,
)
_SPOKEN_LABEL = LazyPattern(r"\b(?:action (?:item|point)|to-?do)s?(?: is)?[:,][ \t]+(?P<text>\S.*)", re.I)
_VAGUE = LazyPattern(
    rf"{_VERB}(?: (?:this|that|it|them|these|those|you|us|something|anything|now|here|there|on|up|at|to|in|so))*[.,]?",
    re.I,
)
_NO_OWNERS = NO_SPEAKERS | frozenset(
    "i we you they he she it this that there everyone somebody someone nobody who".split()
)
_OWNER_FIRST = LazyPattern(
    rf"(?P<owner>@[\w.-]+|{NAME}(?:(?:,| and| &|/) ?{NAME}){{0,2}})(?:[ \t]{{0,8}}[:–—-][ \t]{{1,8}}"
    rf"|[ \t]{{1,8}}(?:to|will)[ \t]{{1,8}}(?={_VERB}\b))(?P<rest>\S.*)"
)
# Of one who was there, what follows is what he is to do, whatever the verb.
_KNOWN_FIRST = LazyPattern(rf"(?P<owner>@[\w.-]+|{NAME})[ \t]{{1,8}}(?:to|will)[ \t]{{1,8}}(?P<rest>{_DOING}.*)")
_KNOWN_DOES = LazyPattern(rf"(?P<owner>@[\w.-]+|{NAME})[ \t]{{1,3}}(?P<does>[a-z]{{2,20}}s)(?P<rest>[ \t]{{1,3}}\S.*)")
_OWNER_LAST = LazyPattern(
    rf"(?P<rest>.*\S)[ \t]{{0,8}}(?:[-–—][ \t]{{0,8}}"
    rf"|[(\[][ \t]{{0,8}}|\b(?:owner|assignee|assigned to|responsible|who)[ \t]{{0,8}}[:=]?[ \t]{{0,8}})"
    rf"(?P<owner>@[\w.-]+|{NAME}(?:(?:,| and| &|/) ?{NAME}){{0,2}})[ \t]{{0,8}}[)\]]?[ \t.]{{0,8}}",
    re.I | re.A,
)
_OWNER_FIELD = LazyPattern(
    r"[ \t]{0,8}[(\[,;–—-]{0,8}[ \t]{0,8}\b(?:owner|assignee|assigned to|responsible|dri)[ \t]{0,8}[:=]?[ \t]{0,8}"
    r"(?P<owner>@?[\w][\w .'’-]{0,40}?)[ \t]{0,8}(?=[,;)\]|.]|\Z)[)\]]?",
    re.I,
)
_HANDLES_FIRST = LazyPattern(
    r"(?P<owner>@[\w.-]{1,40}(?:(?:[ ]|, ?| and | & |/)@[\w.-]{1,40}){1,3})[ \t]{0,3}[:,–—-]?[ \t]{1,8}(?P<rest>\S.*)"
)
_KNOWN_ASKED = LazyPattern(rf"(?P<owner>{NAME}),[ \t]{{1,3}}(?P<rest>{_VERB}\b.*)")
# What an arrow at the end points to: who is to do it, or by when.
_POINTED = LazyPattern(r"(?P<rest>.*\S)[ \t]{0,8}(?:->|→|=>|⇒)[ \t]{0,8}(?P<to>[^→>\n]{1,60})")
# Not the power of a number or the star of *.py, and not the underscores of a name: __main__.
_EMPHASIS = LazyPattern(
    r"(?<!\w)\*{2,3}(?=\S)|(?<=\S)\*{2,3}(?!\w)|(?<![\w`])(?:(?P<name>__[a-z]\w*__)(?![\w:])"
    r"|__(?=\w)(?P<bold>[^_\n]+(?:_[^_\n]+)*)__(?![\w`])"
    r"|(?P<mark>(?<!\*)\*|_)(?P<italic>[^\W_](?:[^*_\n]{0,80}[^\W_])?)(?P=mark)(?![\w`*]))"
)
# What stays of two underscores once emphasis is gone: they begin or end a name.
_OWN = LazyPattern(r"(?<![\w`])__(?=[a-z])|(?<=[a-z0-9])__(?!\w)")
# All of a cell; not a name in it.
_QUOTED = LazyPattern(r"\A`(?P<text>[^`]*)`\Z")
_NOTHING = LazyPattern(
    r"(?:none|n/?a|nil|nothing|tbd|no (?:new |open )?(?:action items?|actions?|follow-?ups?|next steps?))"
    r"(?: yet| (?:at|for) (?:this time|now))?",
    re.I,
)
_CLOSED = LazyPattern(
    r"(?:done|completed?|closed|fixed|resolved|shipped|yes|x|✅|✓|✔|☑"
    r"|cancell?ed|dropped|abandoned|obsolete|won['’]?t (?:do|fix)|wontfix|not needed)",
    re.I,
)
_HANDLE = LazyPattern(r"(?<![\w.])(?<!cc )(?<!cc: )@(?P<owner>[A-Za-z][\w.-]{0,38}\w)")
_DECIDED = LazyPattern(
    r"[ \t>*_•-]*(?:decision|decided|agreed|resolved|agreement"
    r"|resolution)(?:[ \t]{0,8}#?\d{1,9})?[*_]{0,8}[ \t]{0,8}[:–—][*_ \t]{0,8}(?P<text>\S.*)",
    re.I,
)
_WE_DECIDED = LazyPattern(
    r"(?:\b(?:we|the team|everyone|they|it was)(?: (?:have|had|has|all|also|then|finally|just|just now))*(?:['’]ve)? "
    r"(?:decided|agreed|chose|settled|resolved|concluded|opted)\b"
    r"|\b(?:the decision (?:is|was)|we(?: are|['’]re) going with|we['’]ll go with|let['’]s go with|we(?:"
    r" will|['’]ll) stick with|"
    r"decided (?:to|that|on|against))\b)[^.!?\n]*[.!?]?",
    re.I,
)


@dataclass(frozen=True, slots=True)
class ActionItem:
    """Something to be done. `due` is an ISO date, or the words where it is not known which day they mean; `line` counts
    from 1; `moment` is the time in the recording."""

    text: str
    owner: str = ""
    due: str = ""
    done: bool = False
    line: int = 0
    moment: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """Something that was decided, with the line and the moment at which it is said."""

    text: str
    line: int = 0
    moment: str = ""
    speaker: str = ""


def action_items(text: str, *, today: date | None = None, people: Sequence[str] = ()) -> list[ActionItem]:
    """What a text says is to be done, in its order, each once. `today` is the day that "by Friday" is reckoned from,
    `people` are those who were there."""
    found: dict[tuple[str, str], ActionItem] = {}
    known = frozenset(part.lower() for one in (*people, *_speakers(text)) for part in (one, one.partition(" ")[0]))
    for item in _items(text, today, known):
        if _VAGUE.fullmatch(item.text) and (meant := _meant(item, found)):
            before = found[meant]
            found[meant] = replace(before, owner=before.owner or item.owner, due=before.due or item.due)
            continue
        key = (item.owner.lower(), _plain(item.text))
        if key[1] and (key not in found or item.done) and not _NOTHING.fullmatch(item.text):
            found[key] = item
        if len(found) >= ITEMS_MAX:
            break
    return list(found.values())


def _meant(item: ActionItem, found: dict[tuple[str, str], ActionItem]) -> tuple[str, str] | None:
    """What "I'll add it by Friday" is about: the latest that the same one, or nobody yet, is to add. The key of it."""
    verb, owner = _plain(item.text).partition(" ")[0], _first(item.owner)
    for key in reversed(found):
        before = found[key]
        is_theirs = not (before.owner and owner) or _first(before.owner) == owner
        if is_theirs and _plain(before.text).partition(" ")[0] == verb and not _VAGUE.fullmatch(before.text):
            return key
    return None


def _first(owner: str) -> str:
    return owner.lower().partition(" ")[0]


def decisions_in(text: str) -> list[Decided]:
    """What a text says was decided, in its order, each once."""
    found: dict[str, Decided] = {}
    in_section = False
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole[:LOOKED_AT_MAX]
        title = _heading(line)
        if title:
            in_section = bool(_DECISIONS.fullmatch(title))
            if not (label := _DECIDED.fullmatch(line)):
                continue
        spoken = spoken_line(whole)
        label = _DECIDED.fullmatch(spoken.text[:LOOKED_AT_MAX])
        bullet = _BULLET.fullmatch(line)
        if label:
            said = [label["text"]]
        elif in_section and bullet:
            said = [bullet["text"]]
        else:
            said = [one[0] for one in _WE_DECIDED.finditer(spoken.text)]
        for one in said:
            short = _short(one)
            found.setdefault(_plain(short), Decided(short, number, spoken.moment, spoken.speaker))
        if len(found) >= ITEMS_MAX:
            break
    return [one for key, one in found.items() if key]


def _speakers(text: str) -> list[str]:
    """Who speaks in a transcript."""
    spoken = (spoken_line(line) for line in text.split("\n") if line.startswith("["))
    return list(dict.fromkeys(one.speaker for one in spoken if one.moment and one.speaker))


def _items(text: str, today: date | None, people: Collection[str]) -> Iterator[ActionItem]:
    in_section = False
    columns: dict[str, int] = {}
    for number, whole in enumerate(text.split("\n"), 1):
        line = whole[:LOOKED_AT_MAX]
        row = _ROW.fullmatch(line)
        if row is None:
            columns = {}
        title = _heading(line)
        if title and not row:
            in_section = bool(_SECTION.match(title)) and len(title) < 60
            continue
        if _DAY_LINE.fullmatch(line):
            today = day_of(date_of(line)) or today
            continue
        if row is not None:
            cells = [_QUOTED.sub(r"\g<text>", _bare(cell, " *_")) for cell in row["cells"].split("|")]
            if not columns:
                columns = _columns(cells)
            elif item := _from_row(cells, columns, number, today):
                yield item
            continue
        yield from _from_line(whole, number, in_section, today, people)


def _from_line(
    whole: str, number: int, in_section: bool, today: date | None, people: Collection[str]
) -> Iterator[ActionItem]:
    line = whole[:LOOKED_AT_MAX]
    box = _BOX.fullmatch(line)
    if box:
        done = (box["mark"] or "").strip() != "" or (box["sign"] or "☐") != "☐"
        yield _item(box["text"] or box["text2"], number, "", today, people, done=done)
        return
    spoken = spoken_line(whole)
    label = _LABEL.fullmatch(spoken.text[:LOOKED_AT_MAX]) or _LABEL.fullmatch(line)
    if label:
        owner = label["owner"] or label["owner2"] or ""
        yield _item(label["text"], number, spoken.moment, today, people, owner=owner)
        return
    bullet = _BULLET.fullmatch(line)
    if in_section and bullet:
        yield _item(bullet["text"], number, "", today, people)
        return
    said = spoken.text
    if bullet:
        # In a list of whatever else, a name before "will" is mostly that of a thing.
        point = _bare(bullet["text"], " \t\r")
        named = _NAMED.match(point)
        said = point if named and _is_known(named["owner"], people) else said
    for owner, task in _promised(said, spoken.speaker, people):
        yield _item(task, number, spoken.moment, today, people, owner=owner, is_spoken=True)


def _promised(text: str, speaker: str, people: Collection[str]) -> Iterator[tuple[str, str]]:
    """What is taken on in a sentence: by who speaks, or by one who is named."""
    for one in re.split(r"(?<=[.!?])\s+", text):
        sentence = one[:LOOKED_AT_MAX]
        if label := _SPOKEN_LABEL.search(sentence):
            yield from _labelled(label["text"], people)
        elif not _SMALL_TALK.search(sentence):
            yield from (one for one in _taken_on(sentence, speaker, people) if not _VAGUE.fullmatch(one[1].strip()))


def _labelled(text: str, people: Collection[str]) -> Iterator[tuple[str, str]]:
    owner, task = _owner(text, people)
    yield owner, task


def _taken_on(sentence: str, speaker: str, people: Collection[str]) -> Iterator[tuple[str, str]]:
    asked = [one for one in _ASKED.finditer(sentence) if _is_person(_one_of(one, "owner"), people, one[0])]
    if asked:
        yield from ((_one_of(one, "owner"), _one_of(one, "task")) for one in asked)
        return
    if sentence.rstrip().endswith("?"):
        return
    named = [one for one in _NAMED.finditer(sentence) if _is_person(one["owner"], people, one["task"])]
    if named:
        yield from ((one["owner"], one["task"]) for one in named)
        return
    own = _I_WILL.search(sentence)
    # "I can" and "I should" are often only thought aloud: they count when it is said by when.
    if own and (re.match(r"I['’]ll|I will|I['’]m|I am", own[0], re.I) or due_in(own["task"], None)[0]):
        yield speaker, own["task"]


def _one_of(found: re.Match[str], name: str) -> str:
    return found[name] or found[f"{name}2"] or found[f"{name}3"]


def _is_person(name: str, people: Collection[str], task: str = "") -> bool:
    """Whether a name is somebody's: one of those who were there, a handle, or, of one who was not, a single word with
    a day by which it is to be done, or where nobody is known. `people` are their names and first names, in small
    letters."""
    plain = name.lstrip("@").lower()
    if plain in _NO_OWNERS or plain.partition(" ")[0] in _NO_OWNERS:
        return False
    if _is_known(name, people):
        return True
    return " " not in name and name.istitle() and (not people or not task or bool(due_in(task, None)[0]))


def _is_known(name: str, people: Collection[str]) -> bool:
    """Whether somebody of this name was there, or it is a handle."""
    plain = name.lstrip("@").lower()
    return plain in people or name.startswith("@") or any(part in people for part in plain.split())


def _item(
    raw: str,
    number: int,
    moment: str,
    today: date | None,
    people: Collection[str],
    *,
    owner: str = "",
    done: bool = False,
    is_spoken: bool = False,
) -> ActionItem:
    text = _bare(raw, " \t\r")
    if (pointed := _POINTED.fullmatch(text[:LOOKED_AT_MAX])) and _is_mark(pointed["to"], people):
        text = f"{pointed['rest']} – {pointed['to']}"
    if struck := _STRUCK.fullmatch(text):
        text, done = f"{struck['text']}{struck['rest']}", True
    if _DONE.search(text) and not is_spoken:
        text, done = _DONE.sub("", text).strip(), True
    due, text = due_in(text, today)
    if not owner and not is_spoken:
        owner, text = _owner(text, people)
        if not due:
            due, text = due_in(text, today)
    return ActionItem(_short(text), _name(owner), due, done, number, moment)


def _is_mark(pointed: str, people: Collection[str]) -> bool:
    """Whether what an arrow points to is somebody or a day, and no part of the task."""
    return _is_known(pointed.strip(" ."), people) or bool(due_in(f"x – {pointed}", None)[0])


def _owner(text: str, people: Collection[str]) -> tuple[str, str]:
    """Who is to do it, and the task without the name."""
    if found := _OWNER_FIELD.search(text):
        return found["owner"], f"{text[: found.start()]} {text[found.end() :]}".strip(" ,;–—-")
    if found := _HANDLES_FIRST.fullmatch(text):
        return ", ".join(one.rstrip(".") for one in re.findall(r"@([\w.-]+)", found["owner"])), found["rest"]
    if (found := _KNOWN_ASKED.fullmatch(text)) and _is_known(found["owner"], people):
        return found["owner"], found["rest"]
    if (found := _OWNER_FIRST.fullmatch(text)) and _is_person(re.split(r",| and | &|/", found["owner"])[0], people):
        return found["owner"], found["rest"]
    if (found := _KNOWN_FIRST.fullmatch(text)) and _is_known(found["owner"], people):
        return found["owner"], found["rest"]
    if (found := _KNOWN_DOES.fullmatch(text)) and _is_known(found["owner"], people) and (verb := _verb(found["does"])):
        return found["owner"], f"{verb}{found['rest']}"
    begin = text[:-OWNER_WITHIN]
    if (found := _OWNER_LAST.fullmatch(text[len(begin) :])) and _is_person(
        re.split(r",| and | &|/", found["owner"])[0], people
    ):
        return found["owner"], f"{begin}{found['rest']}".strip(" ,;–—-([")
    if found := _HANDLE.search(text):
        return found["owner"], f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip(' :,')}".strip()
    return "", text


def _verb(does: str) -> str:
    """What somebody is to do, of what is written as done: orders, pushes, verifies; "" where that is no verb."""
    return next((one for one in (does[:-1], does[:-2], f"{does[:-3]}y") if one in _VERBS), "")


def _columns(cells: Sequence[str]) -> dict[str, int]:
    """Which column of a table is the task, who does it, by when and how it stands; nothing for another table."""
    names = {
        "task": ("action", "action item", "task", "item", "what", "description", "follow-up", "follow up", "next step"),
        "owner": ("owner", "who", "assignee", "responsible", "assigned to", "dri"),
        "due": ("due", "due date", "deadline", "when", "by", "target date", "date"),
        "status": ("status", "state", "done"),
    }
    found = {}
    for role, words in names.items():
        at = next(
            (
                at
                for at, cell in enumerate(cells)
                if cell.lower().rstrip("? ") in words or (role == "task" and _SECTION.fullmatch(cell))
            ),
            None,
        )
        if at is not None:
            found[role] = at
    return found if "task" in found and ("owner" in found or "due" in found) else {"none": 0}


def _from_row(cells: Sequence[str], columns: dict[str, int], number: int, today: date | None) -> ActionItem | None:
    def cell(role: str) -> str:
        at = columns.get(role)
        return cells[at].strip() if at is not None and at < len(cells) else ""

    task = cell("task")
    if not task or not task.strip("-: "):
        return None
    status = cell("status").lower()
    # Without a column for it, some write it in capitals beside the ticket.
    done = bool(_CLOSED.match(status)) or (
        "status" not in columns
        and any(re.search(r"\bDONE\b", one) for at, one in enumerate(cells) if at != columns["task"])
    )
    due = cell("due")
    when = resolved(due, today) if due.strip("-–— ") and due.lower() not in ("tbd", "n/a", "none", "?") else ""
    return ActionItem(_short(task), _name(cell("owner")), when, done, number)


def _heading(line: str) -> str:
    found = _HEADING.fullmatch(line)
    return (found["text"] or found["bold"] or found["label"] or "").strip(" \t#").strip(" :*_") if found else ""


def _name(owner: str) -> str:
    name = " ".join(owner.strip(" @*_`:.,").split())
    return "" if name.lower() in ("tbd", "n/a", "none", "?", "-", "unassigned") else name


def _short(text: str) -> str:
    line = _bare(" ".join(text.split()), " -–—*_").rstrip(".,;: ")
    return line if len(line) <= TEXT_MAX else line[: TEXT_MAX - 1].rsplit(" ", 1)[0] + "…"


def _bare(text: str, around: str) -> str:
    """Without emphasis, and without these marks around it; the underscores of a name are none of them."""
    told = _OWN.sub("\0", _EMPHASIS.sub(r"\g<name>\g<bold>\g<italic>", text))
    return told.strip(around).replace("\0", "__")


def _plain(text: str) -> str:
    """A text as it is compared: its words."""
    return " ".join(re.findall(r"\w+", text.lower()))


__all__ = ["ActionItem", "Decided", "action_items", "decisions_in"]
