"""Where `marrow` and `python -m marrow` begin. Each way on imports only what it needs.

The version and the MCP server must come quickly, so neither of them may load the command line.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from .model.errors import Invalid, MarrowError
from .model.groups import chosen_groups

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .surfaces.daemon.server import ServeMcp

# The common options that take a value: the word after one of these is not the command.
_VALUED = frozenset(("--project", "--store", "--budget-tokens", "--limit"))
_MCP_VALUED = ("--tools", "--project", "--store")
_MCP_FLAGS = ("--standalone", "--quiet", "-q", "--no-color", "--debug")
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given in (["--version"], ["-V"]):
        from .version import __version__

        print(f"marrow {__version__}")
        return 0
    if given[:1] == ["hook"] and len(given) > 2:
        from .surfaces.hook.turn import main as hook

        hook(given[1:])
        return 0
    if given[:2] == ["daemon", "run"]:
        from .surfaces.daemon.run import run as serve

        return serve(_load_mcp)
    if given[:2] == ["daemon", "take-in"]:
        from .surfaces.daemon.take_in import run as take_in

        return take_in(given[2:])
    at = _command_at(given)
    if at is not None and given[at] == "mcp" and not {"--help", "-h"}.intersection(given):
        return _mcp([*given[:at], *given[at + 1 :]])
    from .surfaces.cli.program import run

    return run(given)


def _command_at(given: Sequence[str]) -> int | None:
    """Where the first word is that is no option and no option's value."""
    is_value = False
    for at, word in enumerate(given):
        if not is_value and not word.startswith("-"):
            return at
        is_value = not is_value and word in _VALUED
    return None


def _load_mcp() -> ServeMcp:
    """What serves MCP on a stream. The daemon is given it: one surface does not import another."""
    from .surfaces.mcp import serve_stream

    return serve_stream


def _mcp(given: Sequence[str]) -> int:
    """Serve a host on standard input and output: through the daemon, or in this process."""
    try:
        options = mcp_options(given)
        asked = (options["store"], options["project"], options["tools"])
        if "--standalone" in given:
            from .surfaces.mcp import run_stdio

            return run_stdio(None, *asked)
        chosen_groups(options["tools"])  # said now, not to the host's first line
        from .surfaces.bridge import run

        return run(*asked)
    except MarrowError as problem:
        hint = f"\nhint: {problem.hint}" if problem.hint else ""
        print(f"error: {problem.message}{hint}", file=sys.stderr)
        return problem.exit_code
    except KeyboardInterrupt:
        return INTERRUPTED


def mcp_options(given: Sequence[str]) -> dict[str, str | None]:
    """What `marrow mcp` was given: the values of `store`, `project` and `tools`."""
    options: dict[str, str | None] = {"store": None, "project": None, "tools": None}
    words = iter(given)
    for word in words:
        name, has_value, value = word.partition("=")
        if name in _MCP_VALUED:
            following = value if has_value else next(words, None)
            if not following:
                raise Invalid(f"{name} needs a value.", hint="`marrow help mcp` says which.", field=name)
            options[name.removeprefix("--")] = following
        elif word not in _MCP_FLAGS:
            raise Invalid(f"marrow mcp does not take {word!r}.", hint="`marrow help mcp` lists what it takes.")
    return options


if __name__ == "__main__":
    if not sys.flags.safe_path:
        # `python -m` looks into the folder at hand first, and a repository may have a `click` of its own there.
        del sys.path[0]
    sys.exit(main())
