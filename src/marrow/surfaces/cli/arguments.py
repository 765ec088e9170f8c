"""How an operation's arguments are written on the command line, and read back into values.

What must be given stands in its place; a last text takes all the words that are left. What may be left out is an
option, but for one: where nothing that must be given takes the rest, the first text that may follow stands in its
place too, so that `marrow search sqlite` and `marrow save …` read naturally, and after an address that may be left out
one more: `marrow forget 3fa9c1 a guess`. So it is after an action: `marrow handoff write …`.
Everything can be written as an option.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from ...model.errors import Invalid, TooLarge
from ...operations.table import Argument, Operation

STDIN = "-"
STDIN_BYTES_MAX = 64 * 1024 * 1024
CONTENT, BATCH, ACTION = "content", "batch", "action"
# What is asked may come through a pipe, as what is saved may.
ASKED = frozenset("message query question".split())
CONFIRM, DRY_RUN = "confirm", "dry_run"
# One word each: what follows such an argument is not part of it.
ADDRESSES = frozenset("address source target".split())
SINGLE = ADDRESSES | frozenset(
    "project path file file_path repo_path adr_path symbol service user host shell name session a b".split()
)
# Names that narrow what is read. They are options even where they come first.
FILTERS = frozenset(
    "kind domain service project scope owner language since until as_of classification view actor user".split()
)

# Lists of sentences, which may have commas; and of people, whose names have none.
SENTENCES, PEOPLE = frozenset(("follow_ups",)), frozenset(("attendees",))
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")


@dataclass(frozen=True, slots=True)
class Shape:
    """`takes_rest`: the last of the positionals takes every word that is left."""

    positionals: tuple[Argument, ...]
    options: tuple[Argument, ...]
    takes_rest: bool


def shape(operation: Operation, positionals: Sequence[str] = ()) -> Shape:
    """Which arguments stand in their place and which are options. `positionals` names them where that is settled."""
    arguments = operation.arguments
    if positionals:
        placed = [a for name in positionals for a in arguments if a.name == name]
    else:
        placed = [a for a in arguments if a.required]
        if not (placed and takes_words(placed[-1])):
            optional = [a for a in arguments if not a.required]
            while optional and _may_stand(optional[0]):
                placed.append(optional.pop(0))
                # An address takes one word, as does an action, and a text may follow it.
                if placed[-1].name not in ADDRESSES | {ACTION}:
                    break
    options = tuple(a for a in arguments if a not in placed)
    return Shape(tuple(placed), options, bool(placed) and takes_words(placed[-1]))


def _may_stand(argument: Argument) -> bool:
    is_text = argument.type is str or get_origin(argument.type) is Literal or _is_names(argument)
    return is_text and argument.name not in FILTERS


def _is_names(argument: Argument) -> bool:
    """Names of what it is done to: `marrow recompute summary topics`. Other lists narrow or add to something."""
    return is_list(argument) and argument.name == "name"


def takes_words(argument: Argument) -> bool:
    return is_list(argument) or (argument.type is str and argument.name not in SINGLE)


def is_address(argument: Argument, operation: Operation) -> bool:
    """Whether it names a node. A `source` does where there is a `target` too; elsewhere it is a file."""
    others = {a.name for a in operation.arguments}
    return argument.name in ADDRESSES and (argument.name != "source" or "target" in others)


def is_list(argument: Argument) -> bool:
    return get_origin(argument.type) in (list, tuple) or argument.type in (list, tuple)


def is_mapping(argument: Argument) -> bool:
    return get_origin(argument.type) in (dict, Mapping) or argument.type is dict


def choices(argument: Argument) -> tuple[str, ...]:
    """The values of an argument that has few."""
    return (
        tuple(str(one) for one in get_args(argument.type) if one != "") if get_origin(argument.type) is Literal else ()
    )


def flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def metavar(argument: Argument) -> str:
    """What stands for its value in help."""
    if few := choices(argument):
        return "|".join(few)
    if argument.name == BATCH:
        return "JSON"
    if is_list(argument):
        return "TEXT" if argument.name in SENTENCES else "TEXT,…"
    if is_mapping(argument):
        return "KEY=VALUE"
    return {int: "NUMBER", float: "NUMBER", bool: ""}.get(argument.type, "TEXT")


def read_values(operation: Operation, given: Mapping[str, Any], form: Shape) -> dict[str, Any]:
    """The arguments as values, from what was parsed: name → text, texts, or true and false. None was not given."""
    by_name = {a.name: a for a in operation.arguments}
    values: dict[str, Any] = {}
    stdin = _Stdin()
    for name, raw in given.items():
        if raw is None or raw == ():
            continue
        argument = by_name[name]
        values[name] = _value(argument, raw, stdin)
    if _is_piped(operation, values, form) and not sys.stdin.isatty():
        name = form.positionals[0].name
        if (text := stdin.text()) or name == CONTENT:
            values[name] = text
    return values


def _is_piped(operation: Operation, values: Mapping[str, Any], form: Shape) -> bool:
    """Whether the text that comes first was left out, and is looked for in a pipe: what is to be saved, or what is
    asked. Where filters alone are a question nobody waits for a pipe that may never end."""
    if not form.positionals or (first := form.positionals[0]).name in values:
        return False
    if operation.changes:
        return first.name == CONTENT and BATCH not in values
    return first.name in ASKED and form.takes_rest and (first.required or not values)


def _value(argument: Argument, raw: Any, stdin: _Stdin) -> Any:
    if isinstance(raw, bool):
        return raw
    texts = [stdin.text() if text == STDIN else text for text in ((raw,) if isinstance(raw, str) else raw)]
    if argument.name == BATCH:
        return [item for text in texts for item in _batch(text)]
    if is_list(argument):
        return [item for text in texts for item in _items(text, always=argument.name in PEOPLE)]
    if is_mapping(argument):
        return _mapping(argument, texts)
    text = " ".join(texts)
    if argument.type in (int, float):
        # What is no number goes on as it is: the operation says what is wrong with it, as everywhere.
        try:
            return argument.type(text)
        except ValueError:
            return text
    return text if argument.type is str or choices(argument) else _perhaps_json(text)


def _items(text: str, *, always: bool) -> list[Any]:
    """The items in one text: JSON where it looks so; what is parted by commas without a space after them, or words
    parted by commas; or else one item. `always` parts at every comma."""
    found = _perhaps_json(text)
    if isinstance(found, list):
        return found
    if not isinstance(found, str):
        return [found]
    parts = [part.strip() for part in text.split(",")]
    if not always and any(" " in part for part in parts):
        # A comma in a sentence parts nothing, nor does one in a number.
        parts = [text] if ", " in text else [part.strip() for part in _COMMA.split(text)]
    return [part for part in parts if part]


def _batch(text: str) -> list[Any]:
    """What is to be saved at once is JSON, and nothing else: what is broken there would be saved as it is."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise Invalid(f"{BATCH} is no sound JSON: {problem}.", hint=_BATCH_HINT, field=BATCH) from None
    if not isinstance(found, list | dict):
        raise Invalid(f"{BATCH} is a JSON list, not {text[:60]!r}.", hint=_BATCH_HINT, field=BATCH)
    return found if isinstance(found, list) else [found]


_BATCH_HINT = """For example --batch '["one fact", {"content": "another", "kind": "decision"}]'; - reads a pipe."""


def _mapping(argument: Argument, texts: Sequence[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for text in texts:
        given = _perhaps_json(text)
        if isinstance(given, dict):
            found.update(given)
            continue
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or text.lstrip()[:1] in ("[", "{"):
            raise _no_mapping(argument, text)
        found[key.strip()] = value
    return found


# An object that is not made of any keys is told by one that can be typed as it is.
_OBJECTS = {"filter": """'{"kinds": ["decision"], "not": {"tags": ["draft"]}}'"""}


def _no_mapping(argument: Argument, text: str) -> Invalid:
    wrong = f"{text[:60]!r} is neither a JSON object nor KEY=VALUE."
    if text.lstrip().startswith("{"):
        try:
            json.loads(text)
        except ValueError as problem:
            wrong = f"{argument.name} is no sound JSON: {problem}."
    example = _OBJECTS.get(argument.name) or f"{flag(argument.name)} 'owner=ada', once for each key"
    return Invalid(wrong, hint=f"For example {example}.", field=argument.name)


def _perhaps_json(text: str) -> Any:
    if text.lstrip()[:1] not in ("[", "{"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


class _Stdin:
    """Standard input, read once and only when something asks for it."""

    def __init__(self) -> None:
        self._text: str | None = None

    def text(self) -> str:
        if self._text is None:
            data = sys.stdin.buffer.read(STDIN_BYTES_MAX + 1)
            if len(data) > STDIN_BYTES_MAX:
                raise TooLarge(f"Standard input has more than {STDIN_BYTES_MAX:,} bytes.", hint="Split it.")
            try:
                self._text = data.decode("utf-8-sig").rstrip("\n")
            except UnicodeDecodeError as problem:
                raise Invalid(
                    f"Standard input is not UTF-8 text (byte {problem.start:,}).", hint="Convert it first.", field=STDIN
                ) from None
        return self._text
