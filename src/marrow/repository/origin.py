"""The address of a repository in one form: `github.com/org/name`, however it was written.

Left out is how one gets there: scheme, user, password, port, query, trailing `.git` and slashes. So the ssh, https and
short forms of one repository agree, and no credentials survive. The port goes too: a server's ssh and https ports
differ, and two servers on one host with the same path are rarer than that.
"""

from __future__ import annotations

import re

LENGTH_MAX = 2048

_NETWORK = frozenset(("ssh", "git", "http", "https", "ftp", "ftps", "git+ssh", "ssh+git", "git+http", "git+https"))
_HOST = r"(?:\[[^\[\]/@\s]+\]|\w[^\[\]/:@\s]*)"
# Not compiled here: every opening of a memory loads this, and an address needs a few of them, if there is one at all.
_SCHEME = r"(?is)([a-z][a-z0-9+.-]*)://(.*)\Z"
_AUTHORITY = rf"({_HOST})(?::\d*)?\Z"
_SHORT = rf"(?s)(?:[^/:@\s]+@)?({_HOST}):(.*)\Z"
_PLAIN = rf"(?s)(?:[^/:@\s]+@)?({_HOST})/(.*)\Z"
_PATH = r"(?i)[/.~\\]|[A-Z]:[\\/]|file:"
_HELPER = r"[A-Za-z0-9+.-]+::"  # `ext::command`: not ours to understand
_STRAY = r"[^/]@"
_CONTROL = r"[\x00-\x1f\x7f\ud800-\udfff]"

# Hosts that take ssh at another name, and hosts that do not mind the case of a path.
_SAME_HOST = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
_ANY_CASE = ("github.com/", "gitlab.com/", "bitbucket.org/")


def normalise(address: str) -> str | None:
    """`host/path`; None for a local path, a helper's private scheme, or what is no address. Its result is its own."""
    text = address.strip()
    if not text or len(text) > LENGTH_MAX or re.search(_CONTROL, text):
        return None
    if scheme := re.match(_SCHEME, text):
        return _from_url(scheme[2]) if scheme[1].lower() in _NETWORK else None
    return None if re.match(_PATH, text) or re.match(_HELPER, text) else _from_short(text)


def is_local(address: str) -> bool:
    """Whether git would read it as a place on this machine: no scheme, and no colon before the first slash."""
    text = address.strip()
    if re.match(_PATH, text):
        return True
    return not re.match(_SCHEME, text) and ":" not in text.partition("/")[0]


def any_case(name: str) -> str | None:
    """The lower-case form where the host treats it as the same repository and it differs."""
    lower = name.lower()
    return lower if lower != name and lower.startswith(_ANY_CASE) else None


def _from_url(rest: str) -> str | None:
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    authority, _, path = rest.partition("/")
    user, _, host = authority.rpartition("@")
    strays = list(re.finditer(_STRAY, path))
    if strays and (":" in user or not re.match(_AUTHORITY, host)):
        # A password with an unescaped slash in it: what looks like a path begins with the rest of the password.
        host, _, path = path[strays[-1].end() :].partition("/")
    found = re.match(_AUTHORITY, host)
    return _joined(found[1], path) if found else None


def _from_short(text: str) -> str | None:
    """`[user@]host:path`, and `host/path`, which is our own form."""
    while found := re.match(_PLAIN, text) or re.match(_SHORT, text):
        # `user:password@host…` without a scheme looks like `host:path`, with the password in the path.
        doubtful = found[2].partition("/")[0] if "@" in text[: found.start(1)] else found[2]
        strays = [] if text[found.end(1)] == "/" else list(re.finditer(_STRAY, doubtful))
        if not strays:
            return _joined(found[1], found[2])
        text = found[2][strays[-1].end() :]
    return None


def _joined(host: str, path: str) -> str | None:
    host = host.lower()
    if host[0] == "[" and (inner := re.fullmatch(r"\[([^:]+):\d+\]", host)):  # `[host:port]:path`
        host = inner[1]
    host = host.rstrip(".")
    cleaned = _clean(path)
    while cleaned != path:
        path, cleaned = cleaned, _clean(cleaned)
    known = _SAME_HOST.get(host, host)
    if known == "dev.azure.com":
        path = _azure(path)
    return f"{known}/{path}" if known and path else None


def _clean(path: str) -> str:
    steps: list[str] = []
    for step in path.strip().split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", "."):
            steps.append(step)
    return "/".join(steps).removesuffix(".git")


def _azure(path: str) -> str:
    """`org/project/_git/name` over https is `v3/org/project/name` over ssh; `org/_git/name` leaves out the project."""
    steps = path.split("/")
    if len(steps) == 4 and steps[0] == "v3":
        steps = steps[1:]
    if len(steps) == 3 and steps[1] == "_git":
        steps[1] = steps[2]
    return "/".join(step for step in steps if step != "_git")
