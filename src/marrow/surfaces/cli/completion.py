"""Completion in bash, zsh and fish: the scripts, and what they ask for.

The commands are written into the script, so that they come at once. Options, values, projects and addresses are asked
for with `marrow _complete WORD… BEGUN`, which prints a line for each: the value, a tab, and what it means.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ...app import open_memory
from ...model.address import SHOWN_LENGTH
from ...model.errors import MarrowError
from ...model.node import GLOBAL_PROJECT
from ...model.record import CURRENT
from ...model.text import first_line
from . import commands

ADDRESS_DIGITS_MIN = 2
CANDIDATES_MAX = 50
TITLE_LENGTH = 50


def complete(given: Sequence[str]) -> None:
    """Print what may stand in the place of the last word, which is only begun."""
    *words, begun = given or ("",)
    found = candidates(words, begun)
    sys.stdout.write("".join(f"{value}\t{' '.join(meaning.split())}\n" for value, meaning in found.items()))


def candidates(words: Sequence[str], begun: str) -> dict[str, str]:
    """value → meaning of everything that may follow `words` and begins so."""
    found: dict[str, str] = {}
    if not begun.startswith("-"):
        following = commands.next_words(words)
        found = {word: meaning for word, meaning in following.items() if word.startswith(begun)}
    if words or begun.startswith("-"):
        from click.shell_completion import ShellComplete

        from .parsing import Root

        items = ShellComplete(Root(), {}, "marrow", "").get_completions(list(words), begun)
        found |= {str(item.value): item.help or "" for item in items if item.type == "plain"}
    return found


def addresses(store: str | None, begun: str) -> list[tuple[str, str]]:
    """The addresses in the project at hand that begin so, with the first line of what each says."""
    digits = begun.lower()
    if len(digits) < ADDRESS_DIGITS_MIN or not set(digits) <= set("0123456789abcdef"):
        return []
    try:
        with open_memory(store=store, read_only=True) as memory, memory.store.reading() as reader:
            places = memory.principal.readable((memory.project, GLOBAL_PROJECT))
            found = reader.addresses(memory.scope.namespace, digits, places, CANDIDATES_MAX)
            records = reader.records(memory.scope.namespace, found, places, CURRENT)
    except MarrowError:  # no store, or none that can be read: then there is nothing to complete
        return []
    length = max(SHOWN_LENGTH, len(digits))
    return [(r.node.address[:length], first_line(r.node.content, TITLE_LENGTH)) for r in records]


def projects(store: str | None, begun: str) -> list[str]:
    """The projects whose names begin so."""
    try:
        with open_memory(store=store, read_only=True) as memory, memory.store.reading() as reader:
            found = reader.projects(memory.scope.namespace)
    except MarrowError:
        return []
    return [project.name for project in found if project.name and project.name.startswith(begun)]


def script(shell: str) -> str:
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]().rstrip("\n")


def _names() -> list[tuple[str, str]]:
    return [(entry.name, _short(entry.summary)) for entry in commands.shown()]


def _short(text: str) -> str:
    """One line that no shell takes for anything else."""
    plain = first_line(text, 60)
    return "".join(mark for mark in plain if mark not in "\\'\"`$[]")


def _bash() -> str:
    return _BASH.replace("@COMMANDS@", "\n".join(name for name, _ in _names()))


def _zsh() -> str:
    return _ZSH.replace("@COMMANDS@", "\n".join(f"    '{name}:{meaning}'" for name, meaning in _names()))


def _fish() -> str:
    lines = []
    starts = {entry.words[:length] for entry in commands.shown() for length in range(len(entry.words))}
    for start in sorted(starts):
        for word, meaning in commands.next_words(start).items():
            typed = " ".join(start)
            lines.append(f"complete -c marrow -f -n '__marrow_typed \"{typed}\"' -a {word} -d '{_short(meaning)}'")
    return _FISH.replace("@COMMANDS@", "\n".join(lines))


_BASH = """# Completion of marrow for bash. In ~/.bashrc: eval "$(marrow completion bash)"
_marrow_commands='
@COMMANDS@
'
_marrow() {
    local begun="${COMP_WORDS[COMP_CWORD]}" typed="" line rest word seen=" "
    COMPREPLY=()
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do typed+="$word "; done
    if [[ $begun != -* ]]; then
        while IFS= read -r line; do
            [[ -n $line && $line == "$typed$begun"* ]] || continue
            rest="${line#"$typed"}"
            word="${rest%% *}"
            [[ $seen == *" $word "* ]] || { COMPREPLY+=("$word"); seen+="$word "; }
        done <<< "$_marrow_commands"
    fi
    if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
        while IFS=$'\\t' read -r word rest; do
            COMPREPLY+=("$word")
        done < <("${COMP_WORDS[0]}" _complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    fi
}
complete -o default -F _marrow marrow
"""

_ZSH = """#compdef marrow
# Completion of marrow for zsh. In ~/.zshrc, after compinit: eval "$(marrow completion zsh)"
typeset -ga _marrow_commands
_marrow_commands=(
@COMMANDS@
)
_marrow() {
    local begun="${words[CURRENT]}" typed="" line rest word
    local -a found
    local -A seen
    (( CURRENT > 2 )) && typed="${(j: :)words[2,CURRENT-1]} "
    if [[ $begun != -* ]]; then
        for line in "${_marrow_commands[@]}"; do
            [[ $line == "$typed$begun"* ]] || continue
            rest="${line#"$typed"}"
            word="${${rest%%:*}%% *}"
            [[ -n ${seen[$word]} ]] && continue
            seen[$word]=1
            if [[ ${rest%%:*} == "$word" ]]; then found+=("$rest"); else found+=("$word:commands of $typed$word"); fi
        done
    fi
    if (( ! ${#found} )); then
        while IFS=$'\\t' read -r word rest; do
            found+=("${word//:/\\\\:}:$rest")
        done < <("${words[1]}" _complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    fi
    if (( ${#found} )); then _describe -V marrow found; else _files; fi
}
if [[ ${funcstack[1]} == _marrow ]]; then _marrow "$@"; else compdef _marrow marrow; fi
"""

_FISH = """# Completion of marrow for fish. marrow completion fish > ~/.config/fish/completions/marrow.fish
function __marrow_typed
    set -l words (commandline -opc)
    test (string join ' ' -- $words[2..-1]) = "$argv"
end
function __marrow_ask
    set -l words (commandline -opc) (commandline -ct)
    marrow _complete $words[2..-1] 2>/dev/null
end
@COMMANDS@
complete -c marrow -n 'not __marrow_typed ""; or string match -q -- "-*" (commandline -ct)' -a '(__marrow_ask)'
"""
