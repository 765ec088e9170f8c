"""What a command in the shell did."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from .call import Call
from .command import Line, only_looks, take_apart
from .edits import shell_write
from .elsewhere import elsewhere
from .junk import is_host_error, is_service_error
from .lines import counted, fit, joined, last_meaningful, meaningful, middle, one_line
from .observation import FAILED, OK
from .paths import relative
from .piece import EDIT, SHELL, Piece
from .runs.recognise import run_of
from .signature import signature
from .taken_back import undone
from .testing import run_piece
from .trouble import Trouble, last_words, trouble

LINES_TOLD = 8
_COMMIT = re.compile(r"^\[(\S+)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$", re.M)
_NO_COMMIT = re.compile(r"^nothing to commit|^no changes added to commit|^nothing added to commit", re.M)
_STATS = re.compile(r"^ ?\d+ files? changed.*$", re.M)
_MESSAGE = re.compile(r"(?:-\w*m|--message)[ =]?(?:\"((?:[^\"\\]|\\.)*)\"|'([^']*)'|(\S+))")
_INSTALL = re.compile(
    r"(?:(?:\S*/)?(?:pip3?|uv pip|pipx|gem|brew|apt|apt-get|dnf|apk|conda|mamba|go) (?:install|get)|uv (?:add|sync|"
    r"tool install)|"
    r"poetry (?:add|install|update)|(?:npm|pnpm|bun) (?:i|install|add|ci|uninstall|remove|update)|yarn(?: add| "
    r"install| remove|\Z)|"
    r"cargo (?:add|install|update)|bundle (?:install|add|update)|composer (?:require|install|update)|"
    r"dotnet (?:add .*package|restore)|go mod tidy)\b"
)
_CHECK = re.compile(
    r"(?:make|just|ninja|cmake|bazel|tsc|vue-tsc|mypy|pyright|ruff|flake8|pylint|eslint|biome|golangci-lint|webpack|"
    r"vite|"
    r"rollup|esbuild|next|turbo|nx|gcc|g\+\+|clang|javac|kotlinc|rustc|swiftc|shellcheck|hadolint|stylelint|phpstan|"
    r"psalm|"
    r"rubocop|tox|pre-commit|cargo (?:build|check|clippy|doc|run)|go (?:build|vet|run)|npm run|pnpm (?:run )?|yarn "
    r"(?:run )?|"
    r"(?:\S*/)?mvnw? |(?:\S*/)?gradlew? |dotnet (?:build|publish)|docker (?:build|compose build)|docker-compose build)"
)
_QUIET_CHANGE = re.compile(
    r"(?:sed .*(?:-i|--in-place)|perl -\w*i|git (?:mv|rm|apply|am|checkout|switch|restore|reset|revert|clean|tag|"
    r"push|merge|"
    r"rebase|cherry-pick|pull|init|clone|commit)|mv|rm|patch|ruff (?:check )?.*--fix|eslint .*--fix|prettier .*--write|"
    r"alembic|flyway|psql|sqlite3|mysql|redis-cli|kubectl (?:apply|delete|scale|rollout)|helm|terraform|"
    r"docker (?:compose )?(?:up|down|run|rm|stop|start|restart)|systemctl|gh (?:pr|issue|release)|aws|gcloud|az|fly|"
    r"flyctl|heroku|vercel)\b"
)
_GIT = re.compile(r"git (?:-\S+ |-C \S+ )*(\w[\w-]*)\s*(.*)")
_PATHS = re.compile(
    r"(?<![\w@:/.-])(?:\.{0,2}/)?(?:[\w.@-]+/)+[\w.@-]+\.\w{1,5}\b|(?<![\w@:/.-])[\w-]+\.[a-z]{1,4}(?![\w(])"
)


def shell_piece(call: Call) -> Piece | None:
    """What is kept of a command; None when it only looked around or said nothing."""
    if is_host_error(call.text) and call.failed:
        return None
    line = take_apart(call.command)
    doing = [one for one in line.commands if not only_looks(one)]
    piece = _piece(call, line, doing)
    if (undoes := undone(call, doing)) and (piece is None or piece.form != EDIT):
        return replace(piece or Piece(call, SHELL, "", "", key=_key(doing)), undoes=undoes)
    return piece


def _piece(call: Call, line: Line, doing: Sequence[str]) -> Piece | None:
    command = call.command
    if not doing:
        return shell_write(call, command) if line.written and not call.failed else None
    if run := run_of(doing, call.text, call.failed):
        return run_piece(call, doing, run)
    if is_service_error(call.text) or _is_idle(call, doing):
        return None
    for read in (_commit, _install, _check, _git):
        if piece := read(call, doing):
            return piece
    if written := None if call.failed else shell_write(call, command):
        return written
    return _any_other(call, doing)


def _is_idle(call: Call, doing: Sequence[str]) -> bool:
    """A commit of nothing, or an install of what was declared already."""
    if any(one.startswith("git commit") for one in doing) and _NO_COMMIT.search(call.text):
        return True
    return not call.failed and all(_INSTALL.match(one) and not _packages(one) for one in doing)


def _packages(command: str) -> list[str]:
    hit = _INSTALL.match(command)
    words = [word.strip("'\"") for word in command[hit.end() if hit else 0 :].split() if not word.startswith("-")]
    return [word for word in words if word not in (".", "install", "add") and not word.endswith(".txt")]


def _key(doing: Sequence[str]) -> str:
    return " ; ".join(doing)


def _failed(call: Call, doing: Sequence[str], what: str, said: Trouble) -> Piece:
    command = fit(" && ".join(doing), 100)
    exit_told = f" (exit {call.exit})" if call.exit else ""
    where = f"{relative(said.place, call.cwd)}: " if said.place else ""
    more = f" {counted(said.count, 'error')} in all." if said.count > 1 else ""
    lines = [_local(line, call.cwd) for line in said.lines] or [said.message]
    files = _files([said.place, *said.lines], call.cwd)
    return Piece(
        call,
        SHELL,
        f"{what} failed: {fit(said.message, 74 - min(len(what), 40))}",
        f"`{command}`{exit_told}. {where}{fit(said.message, 170)}{'' if said.message.endswith('.') else '.'}{more}",
        "\n".join(joined([fit(line, 220) for line in lines], LINES_TOLD)),
        files=files,
        outcome=FAILED,
        failure=signature(said.message),
        key=_key(doing),
    )


def _local(line: str, cwd: str) -> str:
    """A line without the folder at hand in its paths."""
    return line.replace(cwd.rstrip("/") + "/", "") if len(cwd) > 1 else line


def _files(lines: Sequence[str], cwd: str) -> tuple[str, ...]:
    found = (path for line in lines for path in _PATHS.findall(_local(line, cwd)) if "://" not in path)
    return tuple(dict.fromkeys(relative(path, cwd) for path in found))[:LINES_TOLD]


def _said(call: Call) -> Trouble:
    return trouble(call.text) or last_words(call.text)


def _commit(call: Call, doing: Sequence[str]) -> Piece | None:
    commit = next((one for one in doing if (hit := _GIT.match(one)) and hit[1] == "commit"), "")
    if not commit:
        return None
    made = [*_COMMIT.finditer(call.text)]
    if not made and call.failed:
        return _failed(call, doing, "Commit", _said(call))
    message = _MESSAGE.search(call.command)
    body = next((part for part in message.groups() if part), "") if message else ""
    if body.startswith("$(cat"):
        body = "\n".join(_heredoc(call.command))
    subject = made[-1][3] if made else one_line(body.partition("\n")[0])
    if not subject:
        return None
    stats = _STATS.findall(call.text)
    counted_up = f" {one_line(stats[-1])}." if stats else ""
    told = f"Commit {made[-1][2]} on {made[-1][1]}: {subject}." if made else f"{subject}." if counted_up else ""
    told += counted_up
    detail = body.strip() if body.strip() != subject else ""
    folder = elsewhere(call.command, commit, call.cwd)
    title = f"Commit in {folder}: {subject}" if folder else f"Commit: {subject}"
    told = f"In {folder}: {told}" if folder and told else told
    return Piece(call, SHELL, title, told, detail, key=_key(doing) + subject)


def _heredoc(command: str) -> list[str]:
    lines = command.split("\n")
    start = next((at for at, line in enumerate(lines) if "<<" in line), len(lines))
    body = []
    for line in lines[start + 1 :]:
        if re.fullmatch(r"\s*(?:EOF|EOM|END|MSG)\s*\)?\"?\s*", line):
            break
        body.append(line.strip())
    return body


def _install(call: Call, doing: Sequence[str]) -> Piece | None:
    command = next((one for one in doing if _INSTALL.match(one)), "")
    if not command:
        return None
    hit = _INSTALL.match(command)
    if call.failed:
        return _failed(call, doing, fit(hit[0] if hit else command, 30), _said(call))
    if trouble_told := re.search(r"^(?:npm err|error:).*", call.text, re.M | re.I):
        return _failed(call, doing, "Install", _said(replace(call, text=call.text[trouble_told.start() :])))
    packages = _packages(command)
    if not packages:
        return None
    verb = "Removed" if re.search(r"\b(?:uninstall|remove)\b", command) else "Installed"
    lines = [one for one in meaningful(call.text) if re.search(r"(?i)success|added|installed|\+ |up to date", one)][-3:]
    names = ", ".join(packages[:5])
    return Piece(call, SHELL, f"{verb} {names}", f"`{fit(command, 140)}`. {' '.join(lines)}", key=_key(doing))


def _check(call: Call, doing: Sequence[str]) -> Piece | None:
    command = next((one for one in doing if _CHECK.match(one.rpartition("/")[2] if "/" in one.split()[0] else one)), "")
    if not command:
        return None
    what = _what(command)
    said = trouble(call.text)
    piped = "|" in call.command and said is not None and said.place != ""
    if call.failed or piped or (said is not None and not call.is_told):
        return _failed(call, doing, what, said or last_words(call.text))
    lines = last_meaningful(call.text, 3)
    title = f"{what} passes" if call.is_told else f"Ran {what}"
    return Piece(call, SHELL, title, f"`{fit(command, 120)}`: {' '.join(lines) or 'no complaint'}", key=_key(doing))


def _what(command: str) -> str:
    """The first words of a command: the program, what it is asked for, no options."""
    words = [word for word in command.split() if not word.startswith("-")] or ["command"]
    words[0] = words[0].rpartition("/")[2]
    kept = 3 if words[0] in ("npm", "pnpm", "yarn", "docker") else 2
    return middle(" ".join(words[:kept]), 40)


def _git(call: Call, doing: Sequence[str]) -> Piece | None:
    for one in doing:
        hit = _GIT.match(one)
        teller: Callable[[str], str] | None = _GIT_TOLD.get(hit[1]) if hit else None
        if hit is None or teller is None:
            continue
        conflicts = [line for line in meaningful(call.text) if line.startswith("CONFLICT")]
        if call.failed or conflicts:
            said = Trouble(conflicts[0], "", tuple(conflicts), len(conflicts)) if conflicts else _said(call)
            return _failed(call, doing, f"git {hit[1]}", said)
        title = teller(hit[2])
        if title:
            folder = elsewhere(call.command, one, call.cwd)
            title = f"{title} in {folder}" if folder else title
            lines = last_meaningful(call.text, 2)
            return Piece(call, SHELL, title, f"`{fit(one, 120)}`. {' '.join(lines)}", key=_key(doing))
    return None


def _words(rest: str) -> str:
    return " ".join(word for word in rest.split() if not word.startswith("-"))


def _branch(rest: str) -> str:
    made = re.match(r".*?(?:-b|-B|-c|-C|--create)\s+(\S+)", rest)
    return f"New branch {made[1]}" if made else ""


_GIT_TOLD: dict[str, Callable[[str], str]] = {
    "push": lambda rest: f"Pushed {_words(rest) or 'the branch'}",
    "merge": lambda rest: f"Merged {_words(rest)}",
    "rebase": lambda rest: f"Rebased onto {_words(rest)}" if _words(rest) else "",
    "revert": lambda rest: f"Reverted {_words(rest)}",
    "cherry-pick": lambda rest: f"Cherry-picked {_words(rest)}",
    "tag": lambda rest: f"Tagged {_words(rest)}" if _words(rest) else "",
    "reset": lambda rest: f"Reset to {_words(rest) or 'the last commit'}" if "--hard" in rest else "",
    "checkout": _branch,
    "switch": _branch,
    "mv": lambda rest: f"Moved {' to '.join(_words(rest).split()[:2])}",
    "rm": lambda rest: f"Removed {_words(rest)}",
    "clone": lambda rest: f"Cloned {_words(rest)}",
}


def _any_other(call: Call, doing: Sequence[str]) -> Piece | None:
    """A program of the project's, or one that we know nothing of: what it said last."""
    if call.failed:
        return _failed(call, doing, _what(doing[-1]), _said(call))
    changing = next((one for one in doing if _QUIET_CHANGE.match(one)), "")
    lines = last_meaningful(call.text, LINES_TOLD)
    if not lines and not changing:
        return None
    if all(_GIT.match(one) for one in doing):
        return None
    raised = trouble(call.text) if "Traceback" in call.text else None
    if raised and raised.place:
        return _failed(call, doing, _what(doing[-1]), raised)
    command = fit(" && ".join(doing), 140)
    told = f": {fit(' / '.join(lines[-2:]), 200)}" if lines else ""
    detail = "\n".join(fit(line, 160) for line in lines) if len(lines) > 2 else ""
    title = f"Ran {fit(changing or doing[-1], 70)}"
    files = _files([changing], call.cwd) if changing else ()
    return Piece(call, SHELL, title, f"`{command}`{told}", detail, files=files, outcome=OK, key=_key(doing))
