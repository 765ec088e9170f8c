"""Help: pages of plain text, written from the table. Nothing here needs click or rich, so help comes quickly."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...model.errors import Invalid, MarrowError
from ...operations.table import Argument, Operation
from . import commands, own
from .arguments import CONFIRM, SENTENCES, choices, flag, metavar, shape
from .commands import Entry
from .examples import EVERY_DAY, FIRST_MINUTE, examples_of
from .invocation import COMMON_FLAGS, COMMON_VALUES, SHORT_FLAGS
from .output import as_typed

WIDTH_MAX, WIDTH_MIN = 100, 40
COLUMN_MAX = 30
ALL = "commands"  # the topic that lists them
# Around headings, until the page is done: they become bold, or nothing.
_BEGIN, _END = "\x02", "\x03"
INTRODUCTION = "Marrow: the memory of a software project, for the agents and the people who work on it."


def page_of(words: Sequence[str], *, bold: bool = False) -> str:
    """Help on a command or a topic; on Marrow as a whole when there are no words."""
    page = _page(words) if words else top()
    for mark, code in ((_BEGIN, "\x1b[1m"), (_END, "\x1b[0m")):
        page = page.replace(mark, code if bold else "")
    return page


def _page(given: Sequence[str]) -> str:
    words = " ".join(given).split()
    topic = " ".join(words).replace(" ", "-")
    if topic in TOPICS:
        return TOPICS[topic]()
    entry, length = commands.find(words)
    if entry is not None and length == len(words):
        return command_page(entry)
    if commands.below(words):
        return group_page(words)
    near = commands.nearest_names(" ".join(words), TOPICS)
    hint = f"Did you mean {near[0]}?" if near else "`marrow help` lists the commands."
    raise Invalid(f"There is no help on {' '.join(words)!r}.", hint=hint, field="topic")


def top() -> str:
    """What `marrow --help` shows: what one needs every day, and where the rest is."""
    lines = [INTRODUCTION, "", _heading("Usage:") + " marrow COMMAND [ARGUMENTS] [OPTIONS]", ""]
    lines += [_heading("The first minute:"), *_columns(FIRST_MINUTE.items()), ""]
    column = max(len(name) for found in EVERY_DAY.values() for name in found)
    for purpose, found in EVERY_DAY.items():
        lines += [_heading(f"{purpose}:"), *_columns(found.items(), column=column), ""]
    lines += [_heading("Options, before or after the command:"), *_columns(_common(COMMON_VALUES)), ""]
    lines += _wrapped(
        f"`marrow help commands` lists all {len(commands.shown())} commands, `marrow help COMMAND` says more about one;"
        f" further topics: {', '.join(topic for topic in TOPICS if topic != ALL)}."
    )
    return "\n".join(lines)


def every_command() -> str:
    """All of them, by group."""
    lines = []
    for group, meaning, found in commands.by_group():
        if not found:
            continue
        title = meaning[:1].upper() + meaning[1:] if group == own.GROUP else f"{group}: {meaning}"
        lines += [_heading(title), *_columns(((e.name, _sentence(e)) for e in found), one_line=True), ""]
    return "\n".join(lines).rstrip()


def group_page(words: Sequence[str]) -> str:
    """The commands that begin with these words."""
    lines = [f"{_heading('Usage:')} marrow {' '.join(words)} COMMAND [ARGUMENTS] [OPTIONS]", ""]
    return "\n".join([*lines, *_columns((e.name, _sentence(e)) for e in commands.below(words))])


def command_page(entry: Entry) -> str:
    operation = entry.operation
    form = shape(operation, own.POSITIONALS.get(operation.name, ()) if entry.is_own else ())
    placed = [_placed(a, a is form.positionals[-1] and form.takes_rest) for a in form.positionals]
    lines = [f"{_heading('Usage:')} {' '.join(['marrow', *entry.words, *placed, '[OPTIONS]'])}", ""]
    summary, details = operation.summary, operation.details
    if not entry.is_own:
        summary, details = as_typed(summary), as_typed(details)
    lines += _wrapped(summary)
    for paragraph in filter(None, details.split("\n\n")):
        is_list = any(":" in line[:8] for line in paragraph.splitlines())  # lines of their own, not running text
        lines += ["", *(_wrapped_each(paragraph.splitlines()) if is_list else _wrapped(paragraph))]
    said = meanings_of(operation)
    if form.positionals:
        lines += ["", _heading("Arguments:"), *_columns((a.name.upper(), _meaning(a, said)) for a in form.positionals)]
    if form.options:
        lines += ["", _heading("Options:"), *_columns((_flags(a), _meaning(a, said)) for a in form.options)]
    lines += ["", _heading("Options of every command:"), *_columns(_common(_values(entry)))]
    if spellings := _spellings(operation.arguments):
        lines += ["", *_wrapped(f"Also spelled: {spellings}.")]
    names = [] if entry.is_own else [n for n in (operation.name, *operation.aliases) if n != entry.name]
    if names:
        lines += ["", *_wrapped(f"Also called: {', '.join(names)}.")]
    if also := commands.below(entry.words):
        lines += ["", _heading("Commands that begin so:"), *_columns((e.name, _sentence(e)) for e in also)]
    lines += ["", _heading("Examples:"), *(f"  {line}" for line in examples_of(entry, form))]
    return "\n".join(lines)


def _placed(argument: Argument, takes_rest: bool) -> str:
    name = argument.name.upper() + ("…" if takes_rest else "")
    return name if argument.required else f"[{name}]"


def _flags(argument: Argument) -> str:
    if argument.type is bool:
        yes = ", --yes" if argument.name == CONFIRM else f"/--no-{argument.name.replace('_', '-')}"
        return flag(argument.name) + yes
    return f"{flag(argument.name)} {metavar(argument)}".rstrip()


# What arguments of these names mean wherever they stand. The table leaves that out: every host pays for its words.
MEANINGS = {
    "actor": "only what this actor did: cli, python, or an agent's name",
    "address": "the node: 6 or more digits of its address",
    "aliases": "other names of what it is about",
    "approved": "whether somebody has approved it",
    "as_of": "what held then: a snapshot, a sequence number or a time",
    "budget_tokens": "how long the answer may be",
    "chain": "the named line of nodes that it belongs to",
    "classification": "public, internal, confidential or the like",
    "confidence": "how sure it is, 0–1",
    "confirm": "do it; without it nothing is changed",
    "domain": "what it is about, such as decisions or issues",
    "done": "what is done",
    "dry_run": "only say what would happen",
    "end_line": "up to this line",
    "explain": "say why each one was found",
    "follow_ups": "what is to be done about it",
    "goal": "what it is for",
    "history": "every version and standing it ever had",
    "ignore_case": "capitals and small letters alike",
    "include_superseded": "also what no longer holds",
    "kind": "what it is, such as claim, decision or incident",
    "kinds": "only these kinds",
    "language": "only of this language",
    "limit": "how many at most",
    "match": "whether any or all of the tags must be there",
    "message": "what would be asked",
    "metadata": "further keys and values",
    "min_confidence": "nothing less sure than this, 0–1",
    "min_score": "nothing that fits less well than this, 0–1",
    "name": "a short name",
    "next_step": "what comes next",
    "note": "a remark",
    "notes": "in your own words",
    "offset": "how many to leave out first",
    "operation": "only events of this operation",
    "owner": "only of this owner",
    "path": "a file or folder, from the repository's root",
    "pinned": "always recalled",
    "preliminary": "not settled yet: it is marked so",
    "priority": "how much it matters, 0–1",
    "project": "in which project; all: in every one",
    "query": "what is looked for",
    "question": "what is asked",
    "reason": "why",
    "rels": "only links of these kinds",
    "remaining": "what is left to do",
    "resolution": "what ended it",
    "root_cause": "why it happened",
    "scope": "this project, what holds for every project, or both",
    "service": "only of this service",
    "since": "from then on: 2026-03-01, or 3 days ago",
    "source": "the node that the link starts at",
    "start_line": "from this line on",
    "summary": "your words; without them the best sentences are kept",
    "symbols": "names of functions and classes at hand",
    "tags": "short words to find it by",
    "target": "the node that the link ends at",
    "thread": "the conversation that it was said in",
    "title": "what it is called",
    "topic": "what it is about; empty: everything",
    "ttl_days": "for how many days it holds; 0: for ever",
    "until": "up to then",
    "view": "only what this view permits",
}
# Where something is written, a name that narrows elsewhere says what belongs to it.
WRITTEN = {
    "service": "the service that it is about",
    "owner": "who answers for it",
    "title": "default: its own",
    "project": "default: this one",
    "scope": "this project, or what holds for every project",
}


def meanings_of(operation: Operation) -> Mapping[str, str]:
    """What arguments without words of their own mean here, by name."""
    return {**MEANINGS, **WRITTEN} if operation.changes and not operation.destructive else MEANINGS


def _meaning(argument: Argument, meanings: Mapping[str, str]) -> str:
    said = "what it is called" if argument.required and argument.name == "title" else meanings.get(argument.name, "")
    parts = [argument.help or said, *(["once for each"] if argument.name in SENTENCES else [])]
    if few := choices(argument):
        is_listed = argument.required or argument.default in few  # an option's values stand beside it
        parts += [] if not is_listed or all(word in argument.help for word in few) else [f"one of {', '.join(few)}"]
    is_said = argument.default in (None, "", False, (), 0) or "default" in argument.help
    if not argument.required and not is_said:
        parts.append(f"default: {argument.default}")
    return "; ".join(filter(None, parts))


def _spellings(arguments: Sequence[Argument]) -> str:
    return "; ".join(f"{', '.join(map(flag, a.spellings))} for {flag(a.name)}" for a in arguments if a.spellings)


def _values(entry: Entry) -> list[str]:
    """The common options with a value that mean something to a command and are no arguments of its own."""
    if entry.is_own:
        return list(own.VALUES.get(entry.operation.name, ()))
    taken = {flag(a.name) for a in entry.operation.arguments}
    return [name for name in COMMON_VALUES if name not in taken and name != "--limit"]


def _common(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    for name in values:
        value, meaning = COMMON_VALUES[name]
        yield f"{name} {value}", meaning
    for name, meaning in COMMON_FLAGS.items():
        short = f"{SHORT_FLAGS[name]}, " if name in SHORT_FLAGS else ""
        yield f"{short}{name}", meaning
    yield "-h, --help", "this help"


def exit_codes() -> str:
    """The table of exit codes, made from the tree of errors."""
    errors = sorted(_tree(MarrowError), key=lambda e: e.exit_code)
    rows = [("0", "It was done."), *((f"{e.exit_code} {e.code}", (e.__doc__ or "").strip()) for e in errors)]
    rows += [("130", "You stopped it with Ctrl-C."), ("141", "Whoever was reading the output went away.")]
    said = "The word after a number is the error's `code`, as --json prints it."
    return "\n".join([_heading("Exit codes"), "", *_columns(rows), "", *_wrapped(said)])


def _tree(error: type[MarrowError]) -> Iterator[type[MarrowError]]:
    yield error
    for below in error.__subclasses__():
        yield from _tree(below)


def _output() -> str:
    paragraphs = (
        "The answer goes to standard output, everything else to standard error. On a terminal the answer is laid out"
        " and coloured; in a pipe it is plain text; with --json it is JSON, anywhere.",
        "An error is `error: …` and `hint: …` on standard error, and with --json one object on standard output:"
        ' {"error": {"code", "message", "hint", "field", "retryable"}}. `marrow help exit-codes` lists the exit codes.',
        "A text argument `-` is read from standard input. Lists repeat their option or part words with commas; an"
        " object is KEY=VALUE, repeated, or JSON. Words after `--` are never options: `marrow search -- --json`.",
        "Answers are shortened to about 2,000 tokens and say so; --budget-tokens asks for more, up to 20,000.",
    )
    return "\n".join([_heading("Output and input"), *(line for p in paragraphs for line in ["", *_wrapped(p)])])


def _settings() -> str:
    from ...settings import SETTINGS

    lines = [_heading("Settings"), ""]
    lines += _wrapped(
        "Later ones win: the default, your config.toml, the repository's .marrow.toml, the environment, options."
        " `marrow config` shows the values; `marrow config set NAME VALUE` changes one."
    )
    for setting in SETTINGS:
        lines += ["", f"{setting.name}  {setting.environment}"]
        lines += _wrapped(f"{setting.help} Takes {setting.limits}.", "    ")
    return "\n".join(lines)


TOPICS = {ALL: every_command, "exit-codes": exit_codes, "output": _output, "settings": _settings}


def _sentence(entry: Entry) -> str:
    """The first sentence of a summary."""
    return entry.summary.partition(". ")[0].removesuffix(".")


def _width() -> int:
    columns = shutil.get_terminal_size((80, 24)).columns
    return max(WIDTH_MIN, min(WIDTH_MAX, columns))


def _heading(text: str) -> str:
    return f"{_BEGIN}{text}{_END}"


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(" ".join(text.split()), _width(), initial_indent=indent, subsequent_indent=indent)


def _wrapped_each(lines: Sequence[str]) -> list[str]:
    return [wrapped for line in lines for wrapped in _wrapped(line, "  ")]


def _columns(rows: Iterable[tuple[str, str]], *, one_line: bool = False, column: int = 0) -> list[str]:
    """Two columns, the left one at least so wide. Where its text is too long for it, the right side begins below."""
    pairs = list(rows)
    width = _width()
    left = min(COLUMN_MAX, width // 2, max((len(name) for name, _ in pairs), default=0))
    left = max(left, column)
    lines: list[str] = []
    for name, meaning in pairs:
        room = max(20, width - left - 4)
        if one_line:
            meaning = textwrap.shorten(meaning, room, placeholder=" …")
        parts = textwrap.wrap(meaning, room)
        if len(name) > left:
            lines.append(f"  {name}")
        else:
            lines.append(f"  {name:<{left}}  {parts.pop(0) if parts else ''}".rstrip())
        lines += [" " * (left + 4) + part for part in parts]
    return lines
