"""Git's configuration files, read without git: the few sections that say who a repository is.

The files may be anybody's. Everything is bounded: bytes, files, depth of includes, wildcards in a condition. What is
not understood is skipped; nothing here raises for what a file says.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping

Entry = tuple[str, str, str, str]  # section, subsection, key, value

FILE_BYTES_MAX = 1024 * 1024
_FILES_MAX = 32
_DEPTH_MAX = 8
_PATTERN_MAX = 512
_WILDCARDS_MAX = 8
_PARTS_MAX = 100
_SECTIONS = frozenset(("core", "include", "includeif", "remote", "submodule", "url"))
_HEADER = re.compile(r'\[\s*([A-Za-z0-9-]+)(?:\.([^\s"\]]*)|\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)\Z')
_KEY = re.compile(r"([A-Za-z][A-Za-z0-9-]*)\s*(?:=(.*))?\Z", re.S)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}


def read_bounded(path: str, bytes_max: int = FILE_BYTES_MAX) -> str | None:
    """The start of a regular file as text; None where there is none to read. A pipe does not make us wait."""
    try:
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return None
            return file.read(bytes_max).decode("utf-8", "surrogateescape")
    except (OSError, ValueError):  # ValueError: a NUL in the path
        return None


def entries(path: str, git_dir: str, home: str) -> Iterator[Entry]:
    """What a file and its includes say, in order."""
    budget = [_FILES_MAX]
    yield from _entries(path, git_dir, home, (), budget)


def user_entries(environ: Mapping[str, str], git_dir: str, home: str) -> Iterator[Entry]:
    """What the machine and the user have configured for every repository."""
    if environ.get("GIT_CONFIG_NOSYSTEM", "").lower() not in ("1", "true", "yes", "on"):
        yield from entries(environ.get("GIT_CONFIG_SYSTEM") or "/etc/gitconfig", git_dir, home)
    if "GIT_CONFIG_GLOBAL" in environ:
        yield from entries(environ["GIT_CONFIG_GLOBAL"], git_dir, home)
        return
    other = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    yield from entries(os.path.join(other, "git", "config"), git_dir, home)
    yield from entries(os.path.join(home, ".gitconfig"), git_dir, home)


def submodules(root: str) -> list[str]:
    """The folders of a repository that are repositories of their own, fetched or not, as its `.gitmodules` names them.
    The file came with the repository: neither a link nor a path that leads out of it counts."""
    file = os.path.join(root, ".gitmodules")
    text = None if os.path.islink(file) else read_bounded(file)
    named = {value for section, _, key, value in _parse(text or "") if (section, key) == ("submodule", "path")}
    inside = (path for path in sorted(named) if path.isprintable() and os.path.normpath(path) == path)
    return [
        path
        for path in inside
        if path.partition("/")[0] not in ("", ".", "..") and os.path.isdir(os.path.join(root, path))
    ]


def _entries(path: str, git_dir: str, home: str, above: tuple[str, ...], budget: list[int]) -> Iterator[Entry]:
    if path in above or len(above) > _DEPTH_MAX or budget[0] <= 0:
        return
    budget[0] -= 1
    text = read_bounded(path)
    for entry in _parse(text) if text else ():
        section, subsection, key, value = entry
        if section not in ("include", "includeif"):
            yield entry
        elif key == "path" and (section == "include" or _holds(subsection, git_dir, home, path)):
            inner = os.path.normpath(os.path.join(os.path.dirname(path), _expanded(value, home)))
            yield from _entries(inner, git_dir, home, (*above, path), budget)


def _parse(text: str) -> Iterator[Entry]:
    section, subsection = "", ""
    lines = iter(text.removeprefix("\ufeff").split("\n"))
    for raw in lines:
        line = raw.strip()
        if line[:1] == "[" and (header := _HEADER.match(line)):
            section = header[1].lower()
            old_form, quoted = header[2], header[3]
            subsection = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (old_form or "").lower()
            line = header[4].strip()
        if line[:1] in ("", "#", ";"):
            continue
        parts = [line]
        while _continues(parts[-1]) and len(parts) < _PARTS_MAX:
            parts[-1] = parts[-1][:-1]
            parts.append(next(lines, "").rstrip("\r"))
        if section in _SECTIONS and (key := _KEY.match("".join(parts))):
            yield section, subsection, key[1].lower(), _unquoted((key[2] or "").strip())


def _continues(line: str) -> bool:
    """Whether the next line belongs to this one: it ends in a backslash that no other one escapes."""
    return line.endswith("\\") and (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _unquoted(raw: str) -> str:
    if not any(mark in raw for mark in '\\"#;'):
        return raw
    value, quoted, marks = "", False, iter(raw)
    for mark in marks:
        if mark == "\\":
            escaped = next(marks, "")
            value += _ESCAPED.get(escaped, escaped)
        elif mark == '"':
            quoted = not quoted
        elif mark in "#;" and not quoted:
            return value.rstrip()
        else:
            value += mark
    return value


def _expanded(path: str, home: str) -> str:
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


def _holds(condition: str, git_dir: str, home: str, path: str) -> bool:
    """`gitdir:` and `gitdir/i:`. Other conditions (a branch, another setting) count as not met."""
    keyword, _, pattern = condition.partition(":")
    if keyword not in ("gitdir", "gitdir/i") or len(pattern) > _PATTERN_MAX:
        return False
    if pattern.startswith("./"):
        pattern = os.path.dirname(path) + pattern[1:]
    pattern = _expanded(pattern, home)
    if not pattern.startswith("/"):
        pattern = "**/" + pattern
    if pattern.endswith("/"):
        pattern += "**"
    if len(re.findall(r"\*+|\?", pattern)) > _WILDCARDS_MAX:
        return False
    flags = re.S | (re.I if keyword == "gitdir/i" else 0)
    return any(re.fullmatch(_expression(p), git_dir, flags) for p in {pattern, _real_prefix(pattern)})


def _real_prefix(pattern: str) -> str:
    """The pattern with the links resolved in the part before its first wildcard: git compares both."""
    fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    head, slash, tail = fixed.rpartition("/")
    return os.path.realpath(head) + slash + tail + pattern[len(fixed) :] if head else pattern


def _expression(pattern: str) -> str:
    """Git's wildcards as a regular expression: `**/` is any folders, `/**` all that is inside, `*` one step's part."""
    expression = ""
    for part in re.split(r"(\*\*/|/\*\*\Z|\*+|\?)", pattern):
        if part == "**/":
            expression += "(?:.*/)?"
        elif part == "/**":
            expression += "/.*"
        elif part[:1] in ("*", "?"):
            expression += "[^/]*" if part[0] == "*" else "[^/]"
        else:
            expression += re.escape(part)
    return expression
