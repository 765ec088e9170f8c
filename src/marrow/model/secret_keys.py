"""Private keys: whole blocks, what is left of one that was cut, and those in base64, as clusters keep them."""

from __future__ import annotations

import binascii
import re

from marrow.model.secret_rule import Rule

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from marrow.model.secret_rule import Span

_KEY_NAME = r"[A-Z0-9\ ]{0,40}PRIVATE\ KEY(?:\ BLOCK)?\ ?-{4,5}"
_KEY_END = rf"-{{4,5}}\ ?END\ {_KEY_NAME}"
# The lines of a key that was cut off: separators (also escaped ones, and the marks of quoting), then base64.
_KEY_LINES = r"""
    (?:(?:\s|\\[nrt]|[>|"'+,#*;()\\])*+
       (?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|X-[\w-]{1,30}):[^\r\n\\]{0,200}+|[A-Za-z0-9+/=]{16,}+))*+
    (?:(?:\s|\\[nrt])*+[A-Za-z0-9+/=]++\s*+\Z)?"""


def _private_key(text: str, found: re.Match[str]) -> Span | None:
    """The whole block, or as much as is left of it. A heading that is only mentioned has no key after it."""
    begin = found.end()
    following = text.find("-----BEGIN", begin)
    closing = re.compile(_KEY_END, re.VERBOSE | re.IGNORECASE).search(
        text, begin, len(text) if following < 0 else following
    )
    if closing:
        body = text[begin : closing.start()]
        prose = re.search(r"\b[a-z]{2,12}[ ][a-z]{2,12}[ ][a-z]{2,12}\b", body)
        if not prose:
            return (found.start(), closing.end()) if re.search(r"[A-Za-z0-9+/=]{8}", body) else None
    lines = re.compile(_KEY_LINES, re.VERBOSE | re.ASCII).match(text, begin)
    if not lines or not re.search(r"[A-Za-z0-9+/=]{6}", lines.group()):
        return None
    return found.start(), lines.end()


def _private_key_tail(text: str, found: re.Match[str]) -> Span | None:
    """The end of a block whose beginning was cut off: the lines of base64 above it."""
    low = max(0, found.start() - 16384)
    low = max(low, text.rfind("-----", low, found.start()) + 5)
    above = text[low : found.start()].replace("\\n", " \n")
    at = len(above)
    while at > 0:
        line_start = above.rfind("\n", 0, at - 1) + 1
        line = above[line_start:at].strip(" \t\r\n>|\"'+,#*")
        if line and not re.fullmatch(r"[A-Za-z0-9+/=]+", line):
            break
        at = line_start
    body = above[at:]
    if not re.search(r"[A-Za-z0-9+/=]{16}", body):
        return None
    return low + at + len(body) - len(body.lstrip()), found.end()


# What a heading becomes in base64, and how much of it tells what the block holds.
_PACKED_HEADING, _PACKED_LOOKED_AT = "LS0tLS1CRUdJTi", 160
# Between its lines, where it is wrapped: also escaped breaks, and the marks of strings that are put together.
_PACKED_BREAK = r"""(?:\s|\\[nrt]|["'\\,;>|][ ]?\+?)"""


def _packed_private_key(text: str, found: re.Match[str]) -> Span | None:
    """A certificate begins alike, and is no secret."""
    packed = re.sub(_PACKED_BREAK, "", found[0][:_PACKED_LOOKED_AT], flags=re.VERBOSE)
    try:
        said = binascii.a2b_base64(packed[: len(packed) // 4 * 4])
    except binascii.Error:
        return None
    return found.span() if b"PRIVATE KEY" in said else None


PRIVATE_KEYS = (
    Rule(
        "private-key",
        (_PACKED_HEADING,),
        # In one line, or wrapped: then its last line may be short.
        rf"(?<![A-Za-z0-9+/]){_PACKED_HEADING}[A-Za-z0-9+/]{{20,}}+={{0,2}}"
        rf"(?:(?:{_PACKED_BREAK}{{1,40}}+[A-Za-z0-9+/]{{30,}}+={{0,2}})++"
        rf"(?:{_PACKED_BREAK}{{1,40}}+[A-Za-z0-9+/]{{2,}}+={{0,2}}(?![^\s\"'\\,;]))?+)?+",
        _packed_private_key,
    ),
    Rule(
        "private-key",
        ("-----begin", "---- begin"),
        rf"-{{4,5}}\ ?BEGIN\ {_KEY_NAME}",
        _private_key,
        folded=True,
        needs="----",
    ),
    Rule("private-key", ("-----end", "---- end"), _KEY_END, _private_key_tail, folded=True, needs="----"),
    Rule(
        "private-key",
        ("putty-user-key-file",),
        r"PuTTY-User-Key-File-\d:[^\r\n]*+(?:[\r\n]++(?:[A-Za-z-]{1,30}+:[^\r\n]*+|[A-Za-z0-9+/=]++(?=[\r\n]|\Z)))*+",
        folded=True,
        needs="-",
    ),
)
