"""Secrets that a layout gives: the cell beside a telling name, the line below it, the values of a cluster's Secret; and
hashes of passwords, which can be guessed at.
"""

from __future__ import annotations

import re

from marrow.model.plausible import is_file, is_random, is_stand_in
from marrow.model.secret_rule import Rule
from marrow.model.sieve import KEY_OWNERS

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from marrow.model.secret_rule import Span

_NAME = r"(?:pass(?:word|wort|wd|phrase|code)|pwd|secret|token|key)"
_ALL_NAMES = ("pass", "pw", "secret", "token", "key")
_SALTED = r"[./A-Za-z0-9]"


def _is_meant(text: str, found: re.Match[str]) -> bool:
    """`key` tells nothing by itself: the word before it has to."""
    owner = text[max(0, found.start() - 16) : found.start()].lower().rstrip("_. -")
    return found[0][:1] not in "kK" or owner.endswith(KEY_OWNERS)


def _in_table(text: str, found: re.Match[str]) -> Span | None:
    """Most tables say what a password is for, or must be like: only what looks like one."""
    is_password = found[0][:1] in "pP"
    line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    if not line.lstrip(" \t>").startswith("|") or not _is_meant(text, found) or is_file(found[1]):
        return None
    return found.span(1) if is_random(found[1], 6 if is_password else 12) else None


def _below(text: str, found: re.Match[str]) -> Span | None:
    """A value alone on the line below its key, further in. What could be a name is none."""
    line = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
    if not re.fullmatch(r"[ \t]*(?:-[ ])?[\"']?[\w.-]*", line) or not _is_meant(text, found):
        return None
    if len(found[1].expandtabs()) <= len(line.expandtabs()) - len(line.expandtabs().lstrip()):
        return None
    value = found[2]
    looks_like_one = re.search(r"[^\w.(),:-]", value) or (len(value) >= 20 and value.isalnum())
    return found.span(2) if looks_like_one and is_random(value, 6) else None


def _of_cluster(text: str, found: re.Match[str]) -> Span | None:
    """The values of a Secret, in clear or in base64, all of them: their names are any."""
    given = re.findall(r"^[ \t]+[\w.\-\"'/]+:[ \t]*(\S[^\r\n]*)", found[1], re.M)
    if all(is_stand_in(one.strip("\"'")) for one in given):
        return None
    inner = found[1]
    return found.start(1) + len(inner) - len(inner.lstrip()), found.start(1) + len(inner.rstrip())


LAYOUTS = (
    Rule(
        "password-hash",
        ("$1$", "$5$", "$6$", "$y$", "$2a$", "$2b$", "$2y$", "$argon2"),
        rf"\$(?:2[aby]\$\d\d\${_SALTED}{{53}} | [156]\$(?:rounds=\d{{1,9}}\$)?[^\s$:\"']{{1,16}}\${_SALTED}{{22,86}}"
        rf"| y\${_SALTED}{{1,8}}\${_SALTED}{{1,86}}\${_SALTED}{{43}}"
        r"| argon2(?:id|i|d)\$(?:v=\d{1,3}\$)?[a-z]=\d{1,9}(?:,[a-z]=\d{1,9}){0,4}\$[A-Za-z0-9+/=-]{8,128}"
        r"\$[A-Za-z0-9+/=-]{16,512})(?![./A-Za-z0-9])",
    ),
    Rule(
        "secret",
        ("stringdata:", "data:"),
        # As far as the lines go on that are further in than the first of them at least is.
        r"(?:string)?data:[ \t]{0,40}\r?\n((?=([ \t]{1,40}))(?:\2[^\r\n]*+(?:\r?\n|\Z)|[ \t]{0,40}\r?\n)++)",
        _of_cluster,
        folded=True,
    ),
    Rule(
        "secret",
        _ALL_NAMES,
        _NAME + r"[`*_\"]{0,3}[ \t]{0,80}\|[ \t]{0,40}`?([^\s`|<>(){}\[\]]{6,256}+)(?=`?[ \t]{0,80}\|)",
        _in_table,
        folded=True,
    ),
    Rule(
        "secret",
        _ALL_NAMES,
        _NAME + r"[\"']?:[ \t]{0,4}\r?\n([ \t]{1,40})[\"']?([^\s\"'#{}\[\]]{6,256}+)(?=[\"']?,?[ \t]*(?:\r?\n|\Z))",
        _below,
        folded=True,
    ),
)
