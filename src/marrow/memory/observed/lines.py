"""Lines of a program's output: made plain, cut to size, and told apart from noise."""

from __future__ import annotations

import re

from ...model.text import token_estimate

# What stands in the middle of a longer output is not looked at: what matters is at its head or its tail.
READ_MAX = 400_000
LINE_MAX = 400

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\x07\x1b]{0,300}(?:\x07|\x1b\\)|[@-Z\\^_()#][A-Z0-9]?)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]")
_OTHER_ENDS = re.compile("\r\n|[\x85\u2028\u2029]")
_SPACES = re.compile(r"\s+")
_RULE = re.compile(r"[\s=\-_*~#.+|·─━═│┃┌┐└┘├┤╭╮╰╯^>\\/]*\Z")
_NOISE = re.compile(
    r"\s*(?:"
    r"(?:Downloading|Collecting|Fetching|Unpacking|Preparing|Resolving|Resolved|Using cached|Installing build dep|"
    r"Getting requirements|Requirement already|Reading package|Building dependency|Get:\d|Hit:\d|Selecting prev|"
    r"Setting up|Processing triggers|Compiling|Downloaded|Updating crates|Locking|Adding|Checking|Fresh|Blocking)\b|"
    r"\d{1,3}(?:\.\d+)?%|.{0,60}\d{1,3}%\s*\||\[#+|.{0,80}[█▏▎▍▌▋▊▉]|"
    r"npm (?:warn|notice|http)|\(node:\d+\)|\(Use `node|WARNING: (?:Running pip|You are using pip)|\[notice\]|"
    r"at (?:node:|.*\(node:|.*/node_modules/)|note: (?:run with|Some details)|stack backtrace|"
    r"Done in|real\t|user\t|sys\t|> \S+@\S+|> [\w:.-]+$|\$ |warning: LF|hint:|remote: (?:Counting|Compressing|Total)|"
    r"Enumerating|Counting|Compressing|Writing objects|Delta compression|Total \d+ \(delta"
    r")",
)


def plain(text: str) -> str:
    """Output as a person would read it: no colours, no overwritten lines, no control characters, valid Unicode."""
    if len(text) > READ_MAX:
        text = text[: READ_MAX // 2] + "\n" + text[-READ_MAX // 2 :]
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = _OTHER_ENDS.sub("\n", _ESCAPES.sub("", text))
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return _CONTROLS.sub("", text)


def one_line(text: str) -> str:
    """The text on one line, each run of white space as one space."""
    return _SPACES.sub(" ", text).strip()


def unmarked(text: str) -> str:
    """Without the marks of emphasis around it. A name may begin or end with an underscore, and keeps it."""
    text = text.strip("* ")
    is_begun = text.startswith("_") and (text.lstrip("_")[:1].isupper() or (text.endswith("_") and " " in text))
    return text.strip("*_ ") if is_begun or text.endswith(("._", "!_")) else text


def is_noise(line: str) -> bool:
    """Progress, rules and frames of others: lines that say nothing afterwards."""
    return _RULE.match(line) is not None or _NOISE.match(line) is not None


def meaningful(text: str) -> list[str]:
    """The lines that say something, without what stands around them, each not repeated at once."""
    found: list[str] = []
    for raw in text.split("\n"):
        line = one_line(raw[:LINE_MAX])
        if line and not is_noise(line) and (not found or found[-1] != line):
            found.append(line)
    return found


def last_meaningful(text: str, limit: int) -> list[str]:
    """The last of the lines that say something. Of a long output only its end is looked at."""
    found: list[str] = []
    for raw in reversed(text.split("\n")):
        line = one_line(raw[:LINE_MAX])
        if line and not is_noise(line) and (not found or found[-1] != line):
            found.append(line)
            if len(found) == limit:
                break
    return found[::-1]


def fit(text: str, characters: int, tokens: int = 0) -> str:
    """`text` within so many characters, and tokens when they are given; cut at a word's end, and it says so."""
    if len(text) > characters:
        text = _cut(text, characters)
    while tokens and (about := token_estimate(text)) > tokens:
        length = min(len(text) - 1, len(text) * tokens // about + 1)
        if length < 2:
            break
        text = _cut(text, length)
    return text


def _cut(text: str, length: int) -> str:
    kept = text[: length - 1]
    at = max(kept.rfind(" "), kept.rfind("\n"))
    if at > length * 0.7:
        kept = kept[:at]
    return kept.rstrip(" \n,;:-") + "…"


def middle(text: str, length: int) -> str:
    """`text` shortened in its middle: of a path or a test's name both ends tell."""
    if len(text) <= length:
        return text
    head = max(1, (length - 1) // 3)
    return f"{text[:head]}…{text[-(length - 1 - head) :]}"


def joined(lines: list[str] | tuple[str, ...], limit: int) -> list[str]:
    """At most `limit` lines; the last one says how many were left off."""
    if len(lines) <= limit:
        return list(lines)
    return [*lines[: limit - 1], f"… and {len(lines) - limit + 1} more"]


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
