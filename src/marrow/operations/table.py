"""Operations: every verb that Marrow offers, defined once.

A definition is a function whose signature and docstring say everything: `operation` reads the arguments, their types
and their meanings from it, and every surface (MCP tools, command line, Python, documentation) is rendered from that.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from ..model.groups import GROUPS
from ..model.scope import READ
from .listing import listed

if TYPE_CHECKING:
    from ..memory.engine import Asker, Engine
    from ..settings import Settings

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Call:
    """What an operation is told about its caller, and where it reports progress. `settings` are those that hold there,
    `root` is the project's folder, and `work_off` makes memories of what hooks reported: how many reports that were.
    `missing` is where the store would be, if there is none yet and this only looks. `whole`: a program reads it, and
    it is cut to no length but one that was asked for."""

    engine: Engine
    asker: Asker
    progress: Callable[[int, int | None], None] | None = None
    settings: Settings | None = None
    root: str = ""
    work_off: Callable[[Asker], int] | None = None
    missing: str = ""
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument: its name, its plain type, whether it may be left out, and what it means."""

    name: str
    type: Any
    required: bool
    default: Any
    help: str
    spellings: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        shape = schema_of(self.type)
        if self.help:
            shape["description"] = self.help
        return shape


@dataclass(frozen=True)
class Operation:
    """A verb. `changes` says that it writes; `destructive` that something is lost by it."""

    name: str
    group: str
    function: Callable[..., Any]
    right: str = READ
    changes: bool = False
    destructive: bool = False
    aliases: tuple[str, ...] = ()
    spellings: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: str = ""

    @property
    def only_reads(self) -> bool:
        """Some change nothing in the memory and yet write: a backup, an index. The right that they ask for tells."""
        return self.right == READ and not self.changes and not self.destructive

    @cached_property
    def summary(self) -> str:
        """The first paragraph of the docstring, as one line."""
        return " ".join((inspect.getdoc(self.function) or "").partition("\n\n")[0].split())

    @cached_property
    def details(self) -> str:
        return (inspect.getdoc(self.function) or "").partition("\n\n")[2].strip()

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        hints = get_type_hints(self.function, include_extras=True)
        found = []
        for parameter in list(inspect.signature(self.function).parameters.values())[1:]:
            hint = hints[parameter.name]
            meaning = hint.__metadata__[0] if get_origin(hint) is Annotated else ""
            kind = get_args(hint)[0] if get_origin(hint) is Annotated else hint
            required = parameter.default is inspect.Parameter.empty
            spellings = self.spellings.get(parameter.name, ())
            default = None if required else parameter.default
            found.append(Argument(parameter.name, without_none(kind), required, default, meaning, spellings))
        return tuple(found)

    @cached_property
    def by_name(self) -> Mapping[str, Argument]:
        """The arguments by their names and all other spellings of these."""
        return {name: a for a in self.arguments for name in (a.name, *a.spellings)}

    @cached_property
    def required(self) -> tuple[str, ...]:
        return tuple(a.name for a in self.arguments if a.required)

    @cached_property
    def result(self) -> type:
        found: type = get_type_hints(self.function)["return"]
        return found

    def input_schema(self) -> dict[str, Any]:
        shape: dict[str, Any] = {"type": "object", "properties": {a.name: a.schema() for a in self.arguments}}
        if self.required:
            shape["required"] = list(self.required)
        return shape

    def output_schema(self) -> dict[str, Any]:
        """The result's fields. Nested objects are open: their fields are told in the reference, not in every list."""
        hints = get_type_hints(self.result)
        return {"type": "object", "properties": {name: schema_of(without_none(hint)) for name, hint in hints.items()}}

    @property
    def command(self) -> tuple[str, ...]:
        """Its words on the command line: `audit_verify` is `marrow audit verify`."""
        return tuple((self.words or short_name(self.name).replace("_", " ")).split())


TABLE: dict[str, Operation] = {}
NAMES: dict[str, str] = {}


def operation(
    group: str,
    *,
    right: str = READ,
    changes: bool = False,
    destructive: bool = False,
    aliases: tuple[str, ...] = (),
    spellings: Mapping[str, tuple[str, ...]] | None = None,
    words: str = "",
    name: str = "",
) -> Callable[[Callable[Concatenate[Call, P], R]], Callable[Concatenate[Call, P], R]]:
    """Enter a function into the table under its own name, or `name`. A name that is taken is a mistake in the table."""

    def enter(function: Callable[Concatenate[Call, P], R]) -> Callable[Concatenate[Call, P], R]:
        called = name or function.__name__
        entry = Operation(called, group, function, right, changes, destructive, aliases, spellings or {}, words)
        for known in (called, *aliases):
            if known in NAMES or group not in GROUPS:
                raise ValueError(f"operation {known} in group {group} cannot be entered")
            NAMES[known] = called
        TABLE[called] = entry
        return function

    return enter


def short_name(name: str) -> str:
    """An operation's name without the prefix. One whose short name is another's whole name keeps its own: `ask` and
    `memory_ask` are two."""
    short = name.removeprefix("memory_")
    is_taken = short != name and (short in TABLE or short in listed())
    return name if is_taken else short


def without_none(hint: Any) -> Any:
    """`X | None` as X: leaving an argument out is said by `required`."""
    if get_origin(hint) in (Union, types.UnionType):
        rest = [part for part in get_args(hint) if part is not type(None)]
        return rest[0] if len(rest) == 1 else Union[tuple(rest)]  # noqa: UP007 built at run time
    return hint


_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema_of(hint: Any) -> dict[str, Any]:
    """JSON Schema of a type, as short as it can be: it is sent with every list of tools."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin is Literal:
        return (
            {"type": "string", "enum": list(parts)} if all(isinstance(p, str) for p in parts) else {"enum": list(parts)}
        )
    if origin in (list, tuple):
        item = schema_of(parts[0]) if parts else {}
        return {"type": "array", "items": item} if item else {"type": "array"}
    if origin in (Union, types.UnionType):
        return {}
    if hint is Any or hint is object:
        return {}
    return {"type": "object"}
