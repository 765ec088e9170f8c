"""A line of shell taken apart: its commands, without what only carries them, and the files that it writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

COMMAND_READ = 20_000
COMMANDS_MAX = 40
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_TARGET = re.compile(r"(?:^|\s)(?:cat|tee)\b[^\n]*?(?:>>?|tee(?: -a)?)\s*([^\s<>|&;]+)")
_ENVIRONMENT = re.compile(r"(?:export\s+)?[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)(?:\s+|\Z)")
_CARRIERS = re.compile(
    r"(?:sudo(?: -\S+)*|time(?: -\S+)?|nohup|command|exec|env(?: -\S+)*|nice(?: -n ?\S+)?|xvfb-run(?: -\S+)*|"
    r"timeout(?: -\S+)* [\d.]+[smh]?|(?:uv|poetry|pipenv|hatch|pdm|rye)(?: --\S+)* run(?: --\S+)*|bundle exec|npx(?: "
    r"-\S+)*|"
    r"bunx|pnpm (?:exec|dlx)|yarn (?:exec|dlx)|coverage run(?: --?\S+)*? -m|(?:\S*/)?python[\d.]*(?: -[A-Zu]\S*)* -m|"
    r"docker[ -]compose (?:exec|run)(?: -\S+)* \S+|docker exec(?: -\S+)* \S+|stdbuf(?: -\S+)+|caffeinate|"
    r"(?:bash|sh|zsh) -l?c)\s+"
)
_REDIRECT = re.compile(r"\s*(?:\d?>&\d|&>>?\s*\S+|\d?>>?\s*(?!&)\S+|<\s*\S+)")
_BRACKETS = re.compile(r"^[({\s]+|[)}\s]+$")
_SETS_UP = re.compile(r"(?:source|\.|export|cd|pushd|set|unset|nvm|eval|ulimit|umask)\s+\S|[A-Za-z_]\w*=\S*\Z")
_QUOTED = re.compile(r"(['\"])(.*)\1\Z", re.S)

_LOOKING = frozenset(
    "ls ll la cd pwd cat bat head tail less more echo printf which where whereis type whoami id date cal wc grep egrep "
    "fgrep rg ag ack find fd tree stat file awk cut sort uniq tr column jq yq xxd hexdump od ps top htop df du free "
    "uname hostname history clear true false test [ [[ man info help sleep wait read set unset export source . alias "
    "pushd popd mkdir touch chmod chown ln cp diff cmp md5sum sha256sum basename dirname realpath readlink env "
    "printenv "
    "lsof netstat ss ping nslookup dig kill pkill jobs fg bg disown exit return break continue if then else elif fi "
    "for "
    "while until do done case esac seq tput reset nl strings Get-ChildItem Get-Content Set-Location dir tac xargs "
    "watch script local declare shift trap gh-status code open".split()
)
_GIT_LOOKING = frozenset(
    "status diff log show branch remote rev-parse blame ls-files ls-tree describe config reflog shortlog fetch add "
    "grep "
    "stash worktree cat-file rev-list help var symbolic-ref check-ignore name-rev for-each-ref merge-base".split()
)
_ASKS_ONLY = re.compile(r".*(?:\s|^)(?:--help|-h|--version|-V|version|help)\s*\Z")
_READS = re.compile(
    r"sed -n\b|sed (?!.*(?:-i|--in-place))|perl -ne|(?:docker|podman) (?:ps|images|logs|inspect|stats|version|info)\b|"
    r"kubectl (?:get|describe|logs|config|version|top)\b|(?:npm|pnpm|yarn) (?:ls|list|view|outdated|why|config|-v)\b|"
    r"pip (?:list|show|freeze|config|--version)\b|(?:gh|glab) \w+ (?:view|list|status|diff|checks)\b|"
    r"(?:systemctl|service) (?:\S+ )?status\b|crontab -l|terraform (?:show|output|fmt|validate)\b|"
    r"(?:ruff format|black|prettier|gofmt|cargo fmt|rustfmt|isort|shfmt)\b|go (?:env|version|list|doc|fmt)\b|"
    r"cargo (?:tree|metadata|search)\b|node (?:-v|--version|-e|-p)\b|python[\d.]* (?:-V|--version)|brew (?:list|info|"
    r"search)\b"
)


@dataclass(frozen=True, slots=True)
class Line:
    """`commands` without what carries them, `written` the files with the text that the line itself puts there."""

    commands: tuple[str, ...]
    written: tuple[tuple[str, str], ...] = ()


def take_apart(line: str) -> Line:
    """The commands of a line in order, and what it writes from its own text."""
    bare, written = _without_heredocs(line[:COMMAND_READ])
    commands = (_bare(part) for part in _split(bare)[:COMMANDS_MAX])
    return Line(tuple(command for command in commands if command), tuple(written))


def as_run(line: str) -> tuple[str, ...]:
    """The commands of a line as they were given, with what sets them up, and without what only looks at the result."""
    parts = (" ".join(_REDIRECT.sub("", part).split()) for part in _split(_without_heredocs(line[:COMMAND_READ])[0]))
    return tuple(part for part in parts if part and (_SETS_UP.match(part) or not only_looks(_bare(part))))


def had_to_pass(line: str) -> tuple[str, ...]:
    """The commands of a line that stand before `&&`, and without which nothing after them would have run."""
    parts = _split(_without_heredocs(line[:COMMAND_READ])[0])
    if len(parts) < 2 or re.search(r";|\|\||\n\S", line):
        return ()
    return tuple(_bare(part) for part, then in _with_ends(line, parts) if then == "&&")


def _with_ends(line: str, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each part with the sign that it ends at."""
    at = 0
    for part in parts:
        at += len(part)
        sign = re.match(r"[;|&\n]*", line[at:])
        end = sign[0] if sign else ""
        yield part, end
        at += len(end)


def only_looks(command: str) -> bool:
    """A command that changes nothing and runs nothing of the project's."""
    words = command.split()
    if not words:
        return True
    head = words[0].rpartition("/")[2]
    if head == "git":
        rest = [word for word in words[1:] if not word.startswith("-")]
        return not rest or _git_only_looks(rest, words)
    if head in _LOOKING:
        return True
    return _READS.match(command) is not None or (len(words) <= 4 and _ASKS_ONLY.match(command) is not None)


def _git_only_looks(rest: list[str], words: list[str]) -> bool:
    """`git -C folder status` has the folder first, which is no word of git's."""
    verb = rest[1] if "-C" in words and len(rest) > 1 else rest[0]
    return verb in _GIT_LOOKING


def _without_heredocs(line: str) -> tuple[str, list[tuple[str, str]]]:
    if "<<" not in line:
        return line, []
    kept: list[str] = []
    written: list[tuple[str, str]] = []
    rows = iter(line.split("\n"))
    for row in rows:
        mark = _HEREDOC.search(row)
        kept.append(row[: mark.start()] + row[mark.end() :] if mark else row)
        if mark is None:
            continue
        body: list[str] = []
        for inner in rows:
            if inner.strip() == mark[2]:
                break
            body.append(inner)
        if target := _TARGET.search(row[: mark.start()] + " " + row[mark.end() :]):
            written.append((target[1].strip("'\""), "\n".join(body)))
    return "\n".join(kept), written


def _split(line: str) -> list[str]:
    """At `&&`, `||`, `;`, `|`, `&` and line ends that stand outside quotes."""
    parts: list[str] = []
    start, quote, at = 0, "", 0
    while at < len(line):
        here = line[at]
        if here == "\\" and quote != "'":
            at += 2
            continue
        if quote:
            quote = "" if here == quote else quote
        elif here in "'\"`":
            quote = here
        elif here in ";|\n" or (here == "&" and line[at - 1 : at] != ">" and line[at + 1 : at + 2] not in (">",)):
            parts.append(line[start:at])
            while at + 1 < len(line) and line[at + 1] in ";|&\n":
                at += 1
            start = at + 1
        at += 1
    parts.append(line[start:])
    return parts


def _bare(part: str) -> str:
    part = _BRACKETS.sub("", part.strip())
    for _ in range(6):
        before = part
        part = _ENVIRONMENT.sub("", part, count=1) if _ENVIRONMENT.match(part) else part
        part = part[found.end() :] if (found := _CARRIERS.match(part)) else part
        if (whole := _QUOTED.match(part)) and found:
            part = whole[2]
        if part == before:
            break
    if part.startswith("#"):
        return ""
    return " ".join(_REDIRECT.sub("", part).split())
