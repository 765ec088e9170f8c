"""Writes the pages of `docs/reference/` from the tables in the code, so that they cannot drift from what is there.

usage: generate.py [--check]        --check writes nothing and exits 1 when a page is out of date
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from meanings import MEANT

import marrow
from marrow.app import Memory, method_name, open_memory
from marrow.model.errors import MarrowError
from marrow.operations import listing
from marrow.operations.catalogue import GROUPS, MODULES, TABLE
from marrow.operations.run import BUDGET_DEFAULT, BUDGET_MAX
from marrow.operations.table import Argument, Operation, without_none
from marrow.settings import SETTINGS, Setting
from marrow.surfaces.cli import commands, own
from marrow.surfaces.cli.arguments import flag, metavar, shape
from marrow.surfaces.cli.invocation import COMMON_FLAGS, COMMON_VALUES, SHORT_FLAGS
from marrow.surfaces.cli.pages import meanings_of

REFERENCE = Path(__file__).parent / "reference"
MADE = "<!-- Made by docs/generate.py from the code: `make docs` writes it anew. Do not edit it here. -->"
NOTHING = "–"
PACKAGE = Path(marrow.__file__).parent
LISTING = PACKAGE / "operations" / listing.FILE
# Where things are is read by `settings.load` itself, and the level of the log by the command line from the environment.
READ_BY_LOAD = ("home", "config", "store", "log.level")


def operations(group: str = "") -> list[Operation]:
    """The operations of a group or of all, in one order: that of the files, and in them from top to bottom."""
    files = {module.__name__: at for at, module in enumerate(MODULES)}
    chosen = [operation for operation in TABLE.values() if not group or operation.group == group]
    groups = list(GROUPS)
    return sorted(
        chosen,
        key=lambda o: (groups.index(o.group), files[o.function.__module__], o.function.__code__.co_firstlineno),
    )


def pages() -> dict[str, str]:
    """Every generated page: its file's name and its text."""
    return {
        "operations.md": _operations(),
        "command-line.md": _command_line(),
        "settings.md": _settings(),
        "errors.md": _errors(),
        "python.md": _python(),
    }


def meaning(operation: Operation, argument: Argument) -> str:
    """What an argument means: what is said of it here, in the table, or wherever an argument has this name."""
    name = argument.name
    own = MEANT.get(f"{operation.name}.{name}") or argument.help
    return own or meanings_of(operation).get(name) or MEANT.get(name, "")


OPERATIONS = f"""# Operations

{MADE}

Every verb of Marrow, as it is offered on every surface: as an MCP tool by its name, on the command line by its words,
in Python as a method. A name under *also called* is accepted everywhere; so is every other spelling of an argument.

Any call by name may also give `project` (another project's name) and `budget_tokens` (how long the answer may be:
{BUDGET_DEFAULT:,} unless told otherwise, at most {BUDGET_MAX:,}). An address is any 6 or more of its digits that name
one node.

An operation with the right *read* changes nothing in the memory. *Changes* says that it writes: one event, or a file.
*Destructive* says that it takes something away. What goes wrong is in [errors](errors.md).
"""


def _operations() -> str:
    text = OPERATIONS
    for group, about in GROUPS.items():
        names = [f"[{o.name}](#{o.name})" for o in operations(group)]
        text += f"\n- **{group}**: {about}. {', '.join(names)}"
    for group, about in GROUPS.items():
        text += f"\n\n## {group}: {about}"
        for operation in operations(group):
            text += "\n\n" + "\n\n".join(_operation(operation))
    return text + "\n\n" + "\n\n".join(_values()) + "\n"


def _operation(operation: Operation) -> Iterator[str]:
    yield f"### {operation.name}"
    yield operation.summary
    if operation.details:
        yield operation.details
    entry = commands.entry_of(operation.name)
    facts = [f"- command: `{_usage(operation, entry.words)}`", f"- right: {operation.right}{_hints(operation)}"]
    if operation.aliases:
        facts.append(f"- also called: {', '.join(f'`{alias}`' for alias in operation.aliases)}")
    yield "\n".join(facts)
    if operation.arguments:
        yield _table(
            ("argument", "type", "default", "meaning"),
            (
                (_names(a), _words(a.type), "required" if a.required else _default(a.default), meaning(operation, a))
                for a in operation.arguments
            ),
        )
    else:
        yield "It takes no arguments."
    yield _result(operation)


def _hints(operation: Operation) -> str:
    said = [word for word, holds in (("changes", operation.changes), ("destructive", operation.destructive)) if holds]
    return f"; {', '.join(said)}" if said else ""


def _names(argument: Argument) -> str:
    also = ", ".join(f"`{spelling}`" for spelling in argument.spellings)
    return f"`{argument.name}`" + (f" ({also})" if also else "")


def _result(operation: Operation) -> str:
    hints = get_type_hints(operation.result)
    about = _doc(operation.result)
    named = ", ".join(f"`{name}` ({_words(without_none(hint))})" for name, hint in hints.items())
    return f"Result `{operation.result.__name__}`: {named}.{f' {about}' if about else ''}"


def _is_result(part: object) -> bool:
    """Whether a type is one of the values that operations give."""
    return isinstance(part, type) and part.__module__.startswith(marrow.__name__)


def _values() -> Iterator[str]:
    """The values that results hold."""
    yield "## Values in results"
    yield "In JSON an empty text, list or object is left out; numbers, true and false, and `items` always stand."
    found: dict[str, type] = {}
    for operation in TABLE.values():
        for hint in get_type_hints(operation.result).values():
            found |= {part.__name__: part for part in get_args(hint) if _is_result(part)}
    for name, value in sorted(found.items()):
        yield f"### {name}"
        yield _doc(value)
        hints = get_type_hints(value).items()
        yield _table(("field", "type"), ((f"`{field}`", _words(without_none(hint))) for field, hint in hints))


def _usage(operation: Operation, words: Sequence[str], placed: Sequence[str] = ()) -> str:
    form = shape(operation, placed)
    parts = ["marrow", *words]
    for argument in form.positionals:
        is_rest = form.takes_rest and argument is form.positionals[-1]
        name = argument.name.upper() + ("…" if is_rest else "")
        parts.append(name if argument.required else f"[{name}]")
    parts += [f"[{flag(a.name)}{f' {metavar(a)}' if metavar(a) else ''}]" for a in form.options]
    return " ".join(parts)


COMMAND_LINE = f"""# Command line

{MADE}

`marrow COMMAND [ARGUMENTS] [OPTIONS]`. `marrow help COMMAND` says the same in the terminal. What must be given stands
in its place, the last text takes all the words that are left, and everything can be written as an option. A `-` reads
standard input; after `--` no word is an option.

The answer goes to standard output, everything else to standard error. A pipe gets plain text; `--json` prints the whole
result anywhere. [Exit codes](errors.md#exit-codes) tell a script what happened.

## Options of every command"""


def _command_line() -> str:
    options = [(f"`{name} {value}`", about) for name, (value, about) in COMMON_VALUES.items()]
    for name, about in COMMON_FLAGS.items():
        short = f"`{SHORT_FLAGS[name]}`, " if name in SHORT_FLAGS else ""
        options.append((f"{short}`{name}`", about))
    options += [("`-h`, `--help`", "help on the command"), ("`-V`, `--version`", "the version")]
    text = f"{COMMAND_LINE}\n\n{_table(('option', 'meaning'), options)}\n\n## Operations"
    text += "\n\nA whole name, as words or as one (`marrow memory_recall`), and every alias work too.\n\n"
    text += _table(
        ("command", "operation", "what it does"),
        (
            (f"`marrow {commands.entry_of(o.name).name}`", f"[{o.name}](operations.md#{o.name})", _sentence(o))
            for o in operations()
        ),
    )
    text += "\n\n## Marrow itself\n\nWhat only a person does, and is no operation."
    for operation in own.OWN:
        text += "\n\n" + "\n\n".join(_own(operation))
    return text + "\n"


def _own(operation: Operation) -> Iterator[str]:
    yield f"### marrow {' '.join(operation.command)}"
    yield operation.summary
    if operation.details:
        is_list = any(":" in line[:8] for line in operation.details.splitlines())
        yield f"```text\n{operation.details}\n```" if is_list else operation.details
    also = [" ".join(words) for words, name in own.ALSO.items() if name == operation.name]
    yield f"`{_usage(operation, operation.command, own.POSITIONALS.get(operation.name, ()))}`" + (
        f", also `marrow {also[0]}`" if also else ""
    )
    if operation.arguments:
        yield _table(
            ("argument", "type", "meaning"),
            ((_names(a), _words(a.type), meaning(operation, a)) for a in operation.arguments),
        )


SETTINGS_PAGE = f"""# Settings

{MADE}

Later ones win: the default, your `config.toml` in the home folder, the project's `.marrow.toml`, the environment,
arguments. Where a row says *adds*, each of them adds instead. `marrow config` shows every value and where it comes
from; `marrow config set NAME VALUE` changes one.

In TOML the dots are tables: `recall.top_k` is `top_k` under `[recall]`. `embedder`, `llm` and `store` hold a value and
a table: write `embedder = "auto"`, or `name = "auto"` under `[embedder]` beside its other keys. In the environment a
list is `a,b` and a table `a=1,b=2`.

A `.marrow.toml` comes from whoever wrote the repository, so it may set only the rows that say so: nothing that spends
money, sends text away, names a server or reaches outside the project.

A row that says (Later.) belongs to a part that is not there yet: its value is checked, and nothing reads it."""


def _settings() -> str:
    read = settings_read()
    rows = (
        (
            f"`{setting.name}`",
            f"`{setting.environment}`",
            _setting_default(setting),
            setting.limits,
            "yes" if setting.project else "no",
            _about(setting, read),
        )
        for setting in SETTINGS
    )
    names = ("in TOML", "in the environment", "default", "takes", "in `.marrow.toml`", "meaning")
    return f"{SETTINGS_PAGE}\n\n{_table(names, rows)}\n"


def _about(setting: Setting, read: Collection[str]) -> str:
    marks = ((setting.joins, " Adds."), (setting.secret, " Never shown."), (setting.name not in read, " (Later.)"))
    return setting.help + "".join(mark for holds, mark in marks if holds)


def settings_read() -> set[str]:
    """The settings that something reads: `settings.get("recall.top_k", int)` and `settings.maybe(…)` in the sources."""
    found = set(READ_BY_LOAD)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Attribute(attr="get" | "maybe"), args=[ast.Constant(value=name), _]):
                    found.add(str(name))
                # A hook reads them in their compiled form.
                case ast.Call(
                    func=ast.Attribute(attr="items" | "is_on" | "number"), args=[_, ast.Constant(value=name), *_]
                ):
                    found.add(str(name))
    return found


def _setting_default(setting: Setting) -> str:
    if setting.default is None or setting.default == "":
        return setting.absent or NOTHING
    return _default(setting.default)


ERRORS = f"""# Errors

{MADE}

Every failure that Marrow tells a caller about is one of these. Its shape is the same everywhere: `code`, `message`,
`hint`, `field` when one argument is at fault, and `retryable`. The code is stable; the texts are not. MCP sends it as a
result with `isError`; the command line prints it, or with `--json` as `{{"error": {{…}}}}`; Python raises the class,
which is in `marrow.model.errors`."""


def _errors() -> str:
    tree = list(_tree(MarrowError))
    rows = (
        (
            "&emsp;" * depth + f"`{error.__name__}`",
            f"`{error.code}`",
            str(error.exit_code),
            "yes" if error.retryable else "no",
            _doc(error),
        )
        for error, depth in tree
    )
    text = f"{ERRORS}\n\n{_table(('class', 'code', 'exit code', 'retry', 'meaning'), rows)}"
    text += "\n\n*Retry* means: the same call may succeed a moment later. A failed call changed nothing."
    codes: dict[int, list[str]] = {0: ["It was done."]}
    for error, _ in tree:
        codes.setdefault(error.exit_code, []).append(_doc(error))
    codes.setdefault(1, []).append("You were asked, and said no.")
    codes[130] = ["You stopped it with Ctrl-C."]
    codes[141] = ["Whoever was reading the output went away."]
    text += "\n\n## Exit codes\n\n"
    text += _table(("exit code", "meaning"), ((str(code), " ".join(said)) for code, said in sorted(codes.items())))
    return text + "\n"


def _tree(error: type[MarrowError], depth: int = 0) -> Iterator[tuple[type[MarrowError], int]]:
    yield error, depth
    for below in error.__subclasses__():
        if below.__module__ == MarrowError.__module__:  # a program may have its own below ours
            yield from _tree(below, depth + 1)


def methods() -> dict[str, Operation]:
    """The operations as methods of `Memory`, by their names there."""
    return {method_name(operation): operation for operation in operations()}


PYTHON = """It gives a `marrow.Memory`: a context manager, with the operations as methods. They take and give plain
values, raise `marrow.MarrowError` or a class below it, and check the same rights as every other surface. Their results
are whole; `text()` is how a result reads. `perform` fits the answer to a budget, as an agent gets it.
A path may be a `pathlib.Path`, and a time a `datetime`: one without a zone is UTC, as everywhere.

## Operations as methods"""


def _python() -> str:
    opening = _signature(inspect.signature(open_memory))
    text = f"# Python\n\n{MADE}\n\n```text\nmarrow.open{opening}\n```\n\n{_doc(open_memory)}\n\n{PYTHON}"
    text += "\n\n" + _table(
        ("method", "result", "operation"),
        (
            (f"`{name}({_parameters(o)})`", f"`{o.result.__name__}`", f"[{o.name}](operations.md#{o.name})")
            for name, o in methods().items()
        ),
    )
    text += "\n\n## Everything else\n\n"
    as_methods = methods()
    others = (
        (name, value)
        for name, value in vars(Memory).items()
        if not name.startswith("_")
        and name not in as_methods
        and (inspect.isfunction(value) or isinstance(value, property))
    )
    return (
        text
        + _table(("name", "meaning"), ((_called(n, value), _doc(value) or MEANT[f"Memory.{n}"]) for n, value in others))
        + "\n"
    )


def _called(name: str, value: Any) -> str:
    if isinstance(value, property):
        return f"`{name}`"
    return f"`{name}{_signature(inspect.signature(value), skip=1)}`"


def _signature(found: inspect.Signature, skip: int = 0) -> str:
    parts, has_star = [], False
    for parameter in list(found.parameters.values())[skip:]:
        if parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            parts.append("*")
            has_star = True
        stars = "**" if parameter.kind is parameter.VAR_KEYWORD else ""
        has_default = parameter.default is not parameter.empty
        parts.append(f"{stars}{parameter.name}" + (f"={parameter.default!r}" if has_default else ""))
    return f"({', '.join(parts)})"


def _parameters(operation: Operation) -> str:
    return ", ".join(a.name if a.required else f"{a.name}={a.default!r}" for a in operation.arguments)


def _doc(thing: object) -> str:
    """A docstring as one line. A value that has none has its signature for one, which says nothing here."""
    said = " ".join((inspect.getdoc(thing) or "").split())
    return "" if isinstance(thing, type) and said.startswith(f"{thing.__name__}(") else said


def _sentence(operation: Operation) -> str:
    return operation.summary.partition(". ")[0].removesuffix(".") + "."


_PLAIN = {str: "text", int: "whole number", float: "number", bool: "true or false"}


def _words(hint: Any) -> str:
    """A type in words."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return ", ".join(f"`{part}`" if part else "nothing" for part in parts)
    if origin in (list, tuple):
        item = without_none(parts[0]) if parts else Any
        many = {str: "list of texts", Any: "list"}
        return many.get(item) or f"list of {item.__name__ if _is_result(item) else 'objects'}"
    if origin in (Union, types.UnionType):
        return " or ".join(_words(part) for part in parts if part is not type(None))
    return "object"


def _default(value: object) -> str:
    if value is None or value == "":
        return NOTHING
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, Mapping):
        return f"`{','.join(f'{key}={item}' for key, item in value.items())}`" if value else NOTHING
    if isinstance(value, tuple):
        return f"`{','.join(value)}`" if value else NOTHING
    return f"`{value}`"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(_cell(cell) for cell in line)} |" for line in lines)


def _cell(text: str) -> str:
    """One line, in which nothing outside of backticks means something to Markdown."""
    parts = " ".join(text.split()).replace("|", "\\|").split("`")
    for at in range(0, len(parts), 2):
        parts[at] = parts[at].replace("*", "\\*").replace("<", "&lt;").replace(">", "&gt;")
    return "`".join(parts)


def files() -> dict[Path, str]:
    return {LISTING: listing.text_of(TABLE.values())} | {REFERENCE / name: text for name, text in pages().items()}


def out_of_date() -> list[str]:
    """The names of the files that are not as they would be written now, and of pages that nothing writes."""
    known = {path: path.read_text(encoding="utf-8") for path in (LISTING, *REFERENCE.glob("*.md")) if path.is_file()}
    made = files()
    return sorted(path.name for path in {*made, *known} if made.get(path) != known.get(path))


def main(arguments: Sequence[str], say: Callable[[str], object] = print) -> int:
    if list(arguments) not in ([], ["--check"]):
        say(__doc__ or "")
        return 2
    if arguments:
        for name in (late := out_of_date()):
            say(f"{name} is out of date: `make docs` writes it anew.")
        return 1 if late else 0
    LISTING.write_text(listing.text_of(TABLE.values()), encoding="utf-8", newline="\n")  # the pages are made from it
    listing.listed.cache_clear()
    for path, text in files().items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
