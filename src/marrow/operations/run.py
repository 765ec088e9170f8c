"""Running an operation: find it, bind what was given to its arguments, check the right, measure, fit the budget.

Every surface calls `perform` and nothing else, so errors, names and limits are the same everywhere.
"""

from __future__ import annotations

import json
import os
import time
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, Union, get_args, get_origin

from ..model.errors import Invalid, NotFound
from ..model.nearest import nearest
from ..model.text import shorten, token_estimate
from ..store.protocol import Measurement
from .filters import in_project
from .listing import load, names
from .table import NAMES, Argument, Call, Operation

BUDGET_DEFAULT, BUDGET_MAX = 2_000, 20_000
BUDGET_ARGUMENT, PROJECT_ARGUMENT = "budget_tokens", "project"
# A long answer first shortens the texts in it, in these steps, and only then leaves out what comes last.
TEXT_TOKENS = (400, 160, 60, 25)
DATA_SHARE, DATA_LEAST = 2, 200


@dataclass(frozen=True, slots=True)
class Answer:
    """What an operation gave: its typed result, already fitted to the budget, and how it reads."""

    result: Any
    text: str

    def plain(self) -> dict[str, Any]:
        """The result as JSON has it."""
        found: dict[str, Any] = plain(self.result)
        return found


def find_operation(name: str) -> Operation:
    known = NAMES.get(name) or names().get(name)
    if known is None:
        near = nearest(name, names())
        hint = f"Did you mean {near}?" if near else "memory_help with context=all lists them."
        raise NotFound(f"There is no operation {name!r}.", hint=hint, field="operation")
    return load(known)


def perform(call: Call, name: str, given: Mapping[str, Any]) -> Answer:
    """Run an operation by its name or one of its aliases."""
    operation = find_operation(name)
    arguments = dict(given)
    budget = _budget(operation, arguments)
    call = _placed(call, operation, arguments)
    started = time.perf_counter()
    result = invoke(call, operation, bind(operation, arguments))
    is_cut = not call.whole or BUDGET_ARGUMENT in given
    fitted, text = fit(result, budget) if is_cut else (result, result.text())
    _measure(call, operation, started, given, text)
    return Answer(fitted, text)


def invoke(call: Call, operation: Operation, bound: Mapping[str, Any]) -> Any:
    """The typed result of an operation, whole. Rights are checked here, whoever calls."""
    asker = call.asker
    asker.principal.check(operation.right, asker.namespace, asker.scope.project)
    return operation.function(call, **bound)


def _budget(operation: Operation, arguments: dict[str, Any]) -> int:
    takes_it = next((a for a in operation.arguments if a.name == BUDGET_ARGUMENT), None)
    if takes_it is None:
        given = arguments.pop(BUDGET_ARGUMENT, None)
    else:
        given = next((arguments[name] for name in (BUDGET_ARGUMENT, *takes_it.spellings) if name in arguments), None)
    if given is None:
        return (takes_it and takes_it.default) or BUDGET_DEFAULT
    if not isinstance(given, int) or isinstance(given, bool) or not 1 <= given <= BUDGET_MAX:
        raise Invalid(f"budget_tokens is a whole number from 1 to {BUDGET_MAX:,}.", field=BUDGET_ARGUMENT)
    return given


def _placed(call: Call, operation: Operation, arguments: dict[str, Any]) -> Call:
    """Any call may name its project. An operation that takes no project of its own runs as if called from there."""
    if any(PROJECT_ARGUMENT in (a.name, *a.spellings) for a in operation.arguments):
        return call
    name = arguments.pop(PROJECT_ARGUMENT, None)
    if name is None or name == "":
        return call
    if not isinstance(name, str):
        raise Invalid(f"project is text, not {_short(name)}.", field=PROJECT_ARGUMENT)
    _check_unicode(name, PROJECT_ARGUMENT)
    # The caller's own project is neither made known by this call, nor does it lend its other names.
    return replace(call, asker=in_project(call, name))


def bind(operation: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, under the arguments' own names and in their types. Unknown names are refused with the nearest."""
    by_name = operation.by_name
    bound: dict[str, Any] = {}
    for name, value in given.items():
        argument = by_name.get(name)
        if argument is None:
            near = nearest(name, by_name)
            known = ", ".join(a.name for a in operation.arguments) or "none"
            hint = f"Did you mean {near}?" if near else f"It takes: {known}."
            raise Invalid(f"{operation.name} has no argument {name!r}.", hint=hint, field=name)
        if argument.name in bound:
            raise Invalid(f"{argument.name} was given twice.", field=name)
        if value is not None:
            value = _of_python(argument.name, value)
            _check_unicode(value, argument.name)
            bound[argument.name] = convert(argument, value)
    missing = [name for name in operation.required if name not in bound]
    if missing:
        raise Invalid(f"{operation.name} needs {' and '.join(missing)}.", field=missing[0])
    return bound


# Arguments that are a path, and those that are a time.
_PATHS = frozenset("path repo_path repository file file_path files source target".split())
_TIMES = frozenset("as_of at since until date older_than a b".split())


def _of_python(name: str, value: Any) -> Any:
    """A path or a time as Python has it, as the text that it means. A time without a zone stays without one."""
    if name in _PATHS:
        if isinstance(value, list | tuple):
            return [_of_python(name, part) for part in value]
        return os.fspath(value) if isinstance(value, os.PathLike) else value
    return value.isoformat() if name in _TIMES and isinstance(value, date) else value


def _check_unicode(value: Any, field: str) -> None:
    """Half a character, as broken JSON escapes leave it, can be neither kept nor looked for."""
    try:
        if isinstance(value, str):
            value.encode()
        else:
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except UnicodeEncodeError as problem:
        raise Invalid(f"{field} is no valid Unicode text.", hint="Send UTF-8.", field=field) from problem
    except (ValueError, RecursionError) as problem:
        raise Invalid(f"{field} is nested too deep.", hint="Send it flatter.", field=field) from problem


# Texts that may be sequence numbers, and are then given as numbers too.
_NUMBERED = ("as_of", "a", "b")
# Values of these types are taken as they are.
_PLAIN = (str, int, bool)


def convert(argument: Argument, value: Any) -> Any:
    """A value in the argument's type. Texts that hold JSON lists are read: some hosts send them so."""
    if type(value) is argument.type and argument.type in _PLAIN:
        return value
    kind, origin = argument.type, get_origin(argument.type)
    wrong = Invalid(f"{argument.name} is {_words(kind)}, not {_short(value)}.", field=argument.name)
    if origin in (Union, types.UnionType) or kind in (Any, object):
        return value
    if origin is Literal:
        return _choice(argument, value)
    if origin in (list, tuple):
        return _list(argument, value, wrong)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if kind is int and isinstance(value, float) and value.is_integer():
        return int(value)
    if origin is dict or kind is dict:
        found = _from_json(value)
        if isinstance(found, dict):
            return found
    if argument.name in _NUMBERED and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise wrong


# What people say for a choice.
_CHOICES = {"md": "markdown"}


def _choice(argument: Argument, value: Any) -> Any:
    few = get_args(argument.type)
    if value in few:
        return value
    if isinstance(value, str) and (meant := _CHOICES.get(value)) in few:
        return meant
    known = ", ".join(str(one) for one in few if one != "")
    raise Invalid(f"{_short(value)} is no {argument.name}.", hint=f"One of {known}.", field=argument.name)


def _list(argument: Argument, value: Any, wrong: Invalid) -> list[Any]:
    item = (get_args(argument.type) or (Any,))[0]
    found = _from_json(value)
    if isinstance(found, str) and item is str:
        found = [part.strip() for part in found.split(",") if part.strip()]
    if not isinstance(found, Sequence) or isinstance(found, str):
        raise wrong
    if item is str and not all(isinstance(part, str) for part in found):
        raise Invalid(f"{argument.name} is a list of texts.", field=argument.name)
    return list(found)


def _from_json(value: Any) -> Any:
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _words(kind: Any) -> str:
    if get_origin(kind) in (list, tuple):
        return "a list"
    return {str: "text", int: "a whole number", float: "a number", bool: "true or false"}.get(kind, "an object")


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"


def fit(result: Any, budget: int) -> tuple[Any, str]:
    """The result within a budget of tokens, and its text. Says what was left out and how to get it."""
    text = result.text()
    if token_estimate(text) > budget:
        result, text = _fit_text(result, budget)
    return _fit_data(result, budget), text


def _fit_text(result: Any, budget: int) -> tuple[Any, str]:
    if "content" in result._fields:
        result = result._replace(content=shorten(result.content, max(20, budget * 2 // 3)))
    if "items" not in result._fields:
        return result, shorten(result.text(), budget)
    for tokens in TEXT_TOKENS if any(hasattr(item, "content") for item in result.items) else ():
        result = result._replace(items=tuple(_shortened(item, tokens) for item in result.items))
        text = result.text()
        if token_estimate(text) <= budget:
            return result, text
    return _without_last(result, budget)


def _fit_data(result: Any, budget: int) -> Any:
    """The same for what programs read. Names and marks cost more there, so it has twice the budget, and a little."""
    allowed = DATA_SHARE * budget + DATA_LEAST
    while _data_tokens(result) > allowed:
        # What no list of its own shows, a result makes shorter itself.
        shorter = result.shorter() if hasattr(result, "shorter") else _halved(result)
        if shorter is None:
            return result
        result = shorter
    return result


def _halved(result: Any) -> Any:
    """With half of its longest list; None where it has none left."""
    lists = {name: part for name in result._fields if isinstance(part := getattr(result, name), tuple) and part}
    if not lists:
        return None
    longest = max(lists, key=lambda name: _data_tokens(lists[name]))
    kept = lists[longest][: len(lists[longest]) // 2]
    result = result._replace(**{longest: kept})
    if longest == "items" and "left_out" in result._fields:
        result = result._replace(left_out=result.left_out + len(lists[longest]) - len(kept))
    return result


def _data_tokens(part: Any) -> int:
    return token_estimate(json.dumps(plain(part), ensure_ascii=False))


def _shortened(item: Any, tokens: int) -> Any:
    return item._replace(content=shorten(item.content, tokens)) if hasattr(item, "content") else item


def _without_last(result: Any, budget: int) -> tuple[Any, str]:
    low, high = 0, len(result.items)
    whole = high + result.left_out
    while low < high:
        middle = (low + high + 1) // 2
        tried = result._replace(items=result.items[:middle], left_out=whole - middle)
        low, high = (middle, high) if token_estimate(tried.text()) <= budget else (low, middle - 1)
    kept = result._replace(items=result.items[:low], left_out=whole - low)
    return kept, shorten(kept.text(), budget)


def plain(value: Any) -> Any:
    """A result as JSON has it: named tuples as objects, empty parts left out."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        found = {name: plain(part) for name, part in zip(value._fields, value, strict=True)}
        return {name: part for name, part in found.items() if part or name in _ALWAYS or isinstance(part, int | float)}
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [plain(part) for part in value]
    return value


# Fields that a program counts on even when they are empty.
_ALWAYS = frozenset(("items",))


def _measure(call: Call, operation: Operation, started: float, given: Mapping[str, Any], text: str) -> None:
    """Note what was done and how long it took. Kept in memory and written in batches: reading is reading."""
    spent = round((time.perf_counter() - started) * 1000, 3)
    size = token_estimate(" ".join(value for value in given.values() if isinstance(value, str)))
    line = Measurement(call.engine.clock(), operation.name, spent, size, token_estimate(text))
    call.engine.pending.append(line)


__all__ = ["Answer", "bind", "find_operation", "fit", "perform", "plain"]
