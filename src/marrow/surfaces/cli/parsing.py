"""The command line as click parses it. Built from the table, one command at a time: the one that is asked for.

Click only takes the words apart. What they mean is checked where it is for every surface, in `operations.run`; its own
complaints are turned into the one tree of errors here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from ...model.errors import Invalid
from ...model.nearest import nearest
from ...operations.table import Argument
from . import commands, own
from .arguments import CONFIRM, Shape, choices, flag, is_address, is_list, is_mapping, read_values, shape
from .commands import Entry
from .invocation import COMMON_FLAGS, COMMON_VALUES, SHORT_FLAGS, Invocation
from .other_words import MEANT
from .output import Output

PLACED = "placed_"  # before the name of a positional argument: the same name is an option too
COMMON = "common_"


class Root(click.Group):
    """`marrow`: the words that follow name a command, the longest run of them that does."""

    def __init__(self) -> None:
        super().__init__("marrow", params=_common_options(()), add_help_option=False, invoke_without_command=True)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(commands.next_words(()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self.resolve_command(ctx, [cmd_name])[1]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        entry, length = commands.find(args)
        if entry is None:
            return None, None, args
        return entry.name, command_of(entry), args[length:]


def command_of(entry: Entry) -> click.Command:
    form = shape_of(entry)
    return click.Command(entry.name, params=_parameters(entry, form), add_help_option=False)


def shape_of(entry: Entry) -> Shape:
    return shape(entry.operation, own.POSITIONALS.get(entry.operation.name, ()) if entry.is_own else ())


def parse(given: Sequence[str], output: Output) -> tuple[Entry, dict[str, Any], Invocation]:
    """The command that these words name, its arguments as values, and what was asked of every command alike."""
    root, name = Root(), ""
    try:
        context = root.make_context("marrow", list(given))
        words = [*context._protected_args, *context.args]
        entry, length = commands.find(words)
        if entry is None:
            raise _no_command(words)
        name = entry.name
        below = command_of(entry).make_context(entry.name, words[length:], parent=context)
    except click.UsageError as problem:
        raise _usage(problem, name) from None
    form = shape_of(entry)
    return entry, *_taken_apart(entry, form, {**context.params}, {**below.params}, output)


def _taken_apart(
    entry: Entry, form: Shape, before: dict[str, Any], after: dict[str, Any], output: Output
) -> tuple[dict[str, Any], Invocation]:
    common = {name: before.get(COMMON + name) for name in ("project", "store", "budget_tokens", "limit")}
    common |= {name: after[COMMON + name] for name in common if after.get(COMMON + name) is not None}
    given: dict[str, Any] = {}
    for name, value in after.items():
        if name.startswith(COMMON) or value is None or value == ():
            continue
        argument = name.removeprefix(PLACED)
        if argument in given:
            raise Invalid(f"{argument} was given twice.", hint="Once is enough.", field=argument)
        given[argument] = value
    names = {a.name for a in entry.operation.arguments}
    for name in ("project", "limit", "budget_tokens"):
        if name in names and common[name] is not None:
            given.setdefault(name, common[name])
            common[name] = None
    if common["limit"] is not None and not entry.is_own:
        raise Invalid(f"{entry.name} has no --limit.", hint=f"`marrow help {entry.name}` lists its options.")
    return read_values(entry.operation, given, form), Invocation(output, **common)


def _parameters(entry: Entry, form: Shape) -> list[click.Parameter]:
    parameters: list[click.Parameter] = []
    for argument in form.positionals:
        is_rest = form.takes_rest and argument is form.positionals[-1]
        name = PLACED + argument.name
        completed = _completion(argument, entry)
        parameters.append(
            click.Argument(
                [name], required=False, nargs=-1 if is_rest else 1, type=click.STRING, shell_complete=completed
            )
        )
    placed = {a.name for a in form.positionals}
    options = [_option(a, entry, hidden=a.name in placed) for a in entry.operation.arguments]
    taken = {flag(name) for a in entry.operation.arguments for name in (a.name, *a.spellings)}
    return [*parameters, *options, *_common_options(taken)]


def _option(argument: Argument, entry: Entry, *, hidden: bool) -> click.Option:
    spellings = [flag(name) for name in (argument.name, *argument.spellings)]
    if argument.type is bool:
        declared = [f"{name}/--no-{name.removeprefix('--')}" for name in spellings]
        declared += ["--yes", "-y"] if argument.name == CONFIRM else []
        return click.Option([*declared, argument.name], default=None, help=argument.help, hidden=hidden)
    return click.Option(
        [*spellings, argument.name],
        default=None,
        multiple=is_list(argument) or is_mapping(argument),
        type=click.STRING,
        help=argument.help,
        hidden=hidden,
        shell_complete=_completion(argument, entry),
    )


def _common_options(taken: Any) -> list[click.Parameter]:
    options: list[click.Parameter] = []
    for name, (value, meaning) in COMMON_VALUES.items():
        if name not in taken:
            inner = COMMON + name.removeprefix("--").replace("-", "_")
            is_project = name == "--project"
            options.append(
                click.Option(
                    [name, inner],
                    metavar=value,
                    help=meaning,
                    type=click.Path() if name == "--store" else click.STRING,
                    shell_complete=_projects if is_project else None,
                )
            )
    for name, meaning in COMMON_FLAGS.items():
        short = [SHORT_FLAGS[name]] if name in SHORT_FLAGS else []
        options.append(
            click.Option([*short, name, COMMON + name.strip("-").replace("-", "_")], is_flag=True, help=meaning)
        )
    options.append(click.Option(["-h", "--help", COMMON + "help"], is_flag=True, help="this help"))
    return options


def _completion(argument: Argument, entry: Entry) -> Any:
    few = choices(argument)
    if few:
        return lambda context, parameter, begun: [CompletionItem(word) for word in few if word.startswith(begun)]
    if is_address(argument, entry.operation):
        return _addresses
    return _projects if argument.name == "project" else None


def _addresses(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from .completion import addresses

    return [CompletionItem(address, help=title) for address, title in addresses(_store_of(context), begun)]


def _projects(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    from .completion import projects

    return [CompletionItem(name) for name in projects(_store_of(context), begun)]


def _store_of(context: click.Context) -> str | None:
    """The store that was named before the word to complete."""
    at: click.Context | None = context
    while at is not None:
        if at.params.get(COMMON + "store"):
            return str(at.params[COMMON + "store"])
        at = at.parent
    return None


def _no_command(words: Sequence[str]) -> Invalid:
    if not words:
        return Invalid("A command is missing.", hint="`marrow help` lists them.")
    if commands.below(words[:1]):
        return _no_command_below([word for word in words if not word.startswith("-")])
    near = commands.nearest_names(words[0])
    hint = f"Did you mean {near[0]}? " if near else ""
    return Invalid(f"There is no command {words[0]!r}.", hint=f"{hint}`marrow help` lists them all.", field="command")


def _no_command_below(words: Sequence[str]) -> Invalid:
    """The words begin as commands do, and then go on to none, or end too early."""
    length = max(length for length in range(1, len(words) + 1) if commands.below(words[:length]))
    start = " ".join(words[:length])
    other = f"Did you mean {MEANT[start]}? " if start in MEANT else ""
    known = [" ".join(entry.words[length:]) for entry in commands.below(words[:length])]
    if length == len(words):
        hint = f"{other}One of {', '.join(known)}."
        return Invalid(f"marrow {start} needs one more word.", hint=hint, field="command")
    given = words[length]
    near = nearest(given, known) or nearest(" ".join(words[length:]), known)
    hint = f"Did you mean {start} {near}? " if near else other
    message = f"{given!r} is no command of {start}."
    return Invalid(message, hint=f"{hint}There are {', '.join(known)}.", field="command")


def _usage(problem: click.UsageError, command: str) -> Invalid:
    """Click's complaint as ours; the command is empty where none was found yet."""
    listed = f"`marrow help {command}`".replace(" `", "`") + " lists what it takes."
    if isinstance(problem, click.NoSuchOption):
        # Click's own idea of what is alike is generous: of those only what may be a slip of the finger is offered.
        near = nearest(problem.option_name.lstrip("-"), [one.lstrip("-") for one in problem.possibilities or ()])
        message = f"marrow {command}".rstrip() + f" has no option {problem.option_name}."
        return Invalid(message, hint=f"Did you mean --{near}?" if near else listed, field=problem.option_name)
    message = problem.format_message()
    return Invalid(message if message.endswith(".") else f"{message}.", hint=listed)
