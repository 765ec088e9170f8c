"""What only a person does on the command line, and is therefore no operation of the table.

Each is described as operations are, by a signature and a docstring, so that parsing, help and completion treat them
alike. The work is in the module that a body imports: none of it is loaded before it is asked for.
"""

from __future__ import annotations

from typing import Annotated, Literal

from ...model.errors import Internal
from ...operations.table import Operation
from .invocation import Invocation

GROUP = "marrow"
GROUP_MEANING = "Marrow itself"


def tour(
    call: Invocation,
    path: Annotated[str, "a folder of the repository; default: the current one"] = "",
    question: Annotated[str, "what to ask; default: something that is there to be found"] = "",
) -> None:
    """The first minute: fill a memory from a repository, then ask it a question.

    Takes in the files and the commit messages of the repository, into a store of its own beside your real one, answers
    with what `marrow ask` would cite, and maps the code. A second run reads only what is new. With --store it fills the
    store that you name.
    """
    from .tour import run_tour

    run_tour(call, path, question)


def bench_recall(
    call: Invocation,
    questions: Annotated[int, "how many memories to ask about, each in three styles"] = 100,
    embedder: Annotated[list[str] | None, "another embedder to compare with, such as minilm; more than once"] = None,
    seed: Annotated[int, "another seed asks about other memories, in other words"] = 1,
) -> None:
    """Measure recall on your own memory: does it find what it holds, and would another embedder help?

    Asks for memories of the project by words of theirs, by a sentence without its most telling words, and by related
    words. With --embedder the same questions are put to vectors of that embedder, held in memory. Nothing is changed,
    and nothing counts as recalled. A service is sent every text of the project.
    """
    from .bench import run_bench

    run_bench(call, questions, embedder or [], seed)


def derivations_allow(call: Invocation, revoke: Annotated[bool, "take it back: they no longer run"] = False) -> None:
    """Let the files of derivations that this repository's .marrow.toml names run, as they are now.

    They are Python, and run as you. Look at them first. After each change they have to be allowed again.
    """
    from .derivations import allow_derivations

    allow_derivations(call, revoke)


def config(call: Invocation) -> None:
    """Every setting: its value, where that comes from, and what it means."""
    from .config import show_all

    show_all(call)


def config_get(call: Invocation, name: Annotated[str, "the setting, such as recall.top_k"]) -> None:
    """The value of one setting. On a terminal also its default, its source and its meaning."""
    from .config import show_one

    show_one(call, name)


def config_set(
    call: Invocation,
    name: Annotated[str, "the setting, such as recall.top_k"],
    value: Annotated[str, "its value; lists as a,b and tables as a=1,b=2"],
    project_file: Annotated[bool, "in the repository's .marrow.toml, not in your own file"] = False,
) -> None:
    """Set a setting in your own file, or in the repository's. Every other line of the file stays."""
    from .config import set_one

    set_one(call, name, value, project_file)


def config_unset(
    call: Invocation,
    name: Annotated[str, "the setting, such as recall.top_k"],
    project_file: Annotated[bool, "in the repository's .marrow.toml, not in your own file"] = False,
) -> None:
    """Take a setting out of your own file, or out of the repository's."""
    from .config import unset_one

    unset_one(call, name, project_file)


def completion(call: Invocation, shell: Annotated[Literal["bash", "zsh", "fish"], "your shell"]) -> None:
    """Print the script that completes marrow's commands, options, projects and addresses in a shell.

    bash: eval "$(marrow completion bash)" in ~/.bashrc
    zsh: eval "$(marrow completion zsh)" in ~/.zshrc
    fish: marrow completion fish > ~/.config/fish/completions/marrow.fish
    """
    from .completion import script

    call.output.text(script(shell))


def help(  # noqa: A001 the word that people type
    call: Invocation,
    topic: Annotated[str, "a command, or one of exit-codes, output, settings"] = "",
) -> None:
    """Help on Marrow, on a command, or on a topic."""
    from .pages import page_of

    call.output.page(page_of(topic.split(), bold=call.output.is_coloured()))


def daemon_start(call: Invocation) -> None:
    """Start the daemon, if it does not run. Usually nobody has to: hooks and agents start it when they need it."""
    from .daemon import start_daemon

    start_daemon(call)


def daemon_stop(call: Invocation) -> None:
    """End the daemon. What was captured and not yet worked off waits for the next one."""
    from .daemon import stop_daemon

    stop_daemon(call)


def daemon_restart(call: Invocation) -> None:
    """End the daemon and start it again."""
    from .daemon import restart_daemon

    restart_daemon(call)


def daemon_status(call: Invocation) -> None:
    """Whether the daemon runs, how long, how large; what waits in its queue, and what failed with which error."""
    from .daemon import show_status

    show_status(call)


def doctor(call: Invocation, repair: Annotated[bool, "mend everything that is derived"] = False) -> int:
    """Look for what is wrong: with the store, with the daemon, with the hosts that Marrow is installed in.

    Every link of the chain is tried for real, from a hook's line in the inbox to the answer; what is broken is said
    with how to mend it.
    """
    from .doctor import run_doctor

    return run_doctor(call, repair)


def hook(
    call: Invocation,
    host: Annotated[str, "claude-code, codex, cursor, vscode, copilot, gemini, antigravity or opencode"],
    event: Annotated[str, "the host's name of the event, such as SessionStart"],
) -> None:
    """What a host's hooks start: takes an event as JSON on standard input, and always ends with 0.

    `marrow install` writes these calls. With --debug, a line in log/hook.log of Marrow's folder says what was done.
    """
    raise Internal("marrow hook is started before the command line is.", hint="Give a host and an event.")


def install(
    call: Invocation,
    hosts: Annotated[
        list[str] | None, "claude-code, codex, cursor, copilot, vscode, gemini, opencode; default: all found"
    ] = None,
    skills_only: Annotated[bool, "no MCP server: skills that call the command line instead"] = False,
    hooks: Annotated[bool, "with hooks: what a session does is kept, and what matters is told"] = True,
    repository: Annotated[bool, "into the repository at hand, for everyone in it, not for your user"] = False,
    dry_run: bool = False,
    confirm: bool = False,
) -> None:
    """Put Marrow into the hosts of your agents: hooks, the MCP server, skills.

    Shows which files it will change and asks. What else is in them stays. A second run changes nothing.
    """
    from .install import run_install

    run_install(
        call,
        hosts or [],
        skills_only=skills_only,
        hooks=hooks,
        repository=repository,
        dry_run=dry_run,
        confirm=confirm,
    )


def uninstall(
    call: Invocation,
    hosts: Annotated[list[str] | None, "the hosts; default: every one that Marrow was put into"] = None,
    repository: Annotated[bool, "out of the repository at hand, not of your user's files"] = False,
    dry_run: bool = False,
    confirm: bool = False,
) -> None:
    """Take Marrow out of the hosts again. Every file is as it was before, but for what others changed since."""
    from .install import run_uninstall

    run_uninstall(call, hosts or [], repository=repository, dry_run=dry_run, confirm=confirm)


def mcp(
    call: Invocation,
    standalone: Annotated[bool, "serve in this process, without the daemon"] = False,
    tools: Annotated[str, "the groups of tools to offer, such as core,tree; all: every one"] = "",
) -> None:
    """Serve the memory to an agent: an MCP server on standard input and output.

    A host starts this, from the repository that the memory is about. It hands everything to the daemon, which it starts
    when there is none; --standalone is for hosts that forbid that.
    """
    raise Internal("marrow mcp is started before the command line is.", hint="Run `marrow mcp` itself.")


OWN = tuple(
    Operation(function.__name__, GROUP, function)
    for function in (
        *(tour, bench_recall, derivations_allow, config, config_get, config_set, config_unset),
        *(daemon_start, daemon_stop, daemon_restart, daemon_status, doctor),
        *(install, uninstall),
        *(completion, help, mcp, hook),
    )
)
# Other words for them.
ALSO = {("config", "list"): "config"}
# Which of the common options that take a value mean something to them; to the others none does.
VALUES = {
    "doctor": ("--project", "--store"),
    "tour": ("--project", "--store"),
    "bench_recall": ("--project", "--store"),
    "derivations_allow": ("--project", "--store"),
    "mcp": ("--project", "--store"),
}
# The tour takes a folder and then a question; of most commands the positional arguments follow from the signature.
POSITIONALS = {"tour": ("path", "question"), "install": ("hosts",), "uninstall": ("hosts",)}
