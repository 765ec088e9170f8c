"""What went wrong, found in an output of any length: the message, where, and the lines that tell it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .lines import LINE_MAX, last_meaningful, one_line

LINES_MAX = 12
_FOREIGN = re.compile(
    r"site-packages|dist-packages|/lib/python\d|node_modules|node:internal|<frozen|/rustc/|\.cargo/registry"
)
_FRAME = re.compile(r'\s+File "([^"]{1,300})", line (\d+)(?:, in (\S+))?')
_RAISED = re.compile(
    r"(?:[a-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Warning|Iteration|Timeout|NotFound|"
    r"Failed)?\b(?::.*)?\Z"
)
_PLACE = r"(?P<place>(?:[A-Za-z]:)?[^\s:()\[\]'\"]{1,200}\.\w{1,6}"
_COMPILERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:\[ERROR\] )?{_PLACE}:\d+(?::\d+)?):? ?(?:- )?(?:fatal |syntax )?[Ee]rror:? ?(?P<message>.+)",
        rf"{_PLACE}\(\d+(?:,\d+)?\)): error (?P<message>.+)",
        rf"\[ERROR\] {_PLACE}:\[\d+,\d+\]) (?P<message>.+)",
        rf"e: (?:file://)?{_PLACE}:\d+:\d+) (?P<message>.+)",
        rf"(?:vet: )?{_PLACE}:\d+:\d+): (?P<message>(?:undefined|cannot|syntax|imported|declared|missing|invalid|"
        r"too |not enough|expected|unexpected|no required|[A-Z]{1,4}\d{2,4} ).*)",
    )
)
_RUST = re.compile(r"(error(?:\[E\d+\])?: (?!aborting|could not compile|test failed|process didn).+)")
_ARROW = re.compile(r"\s*-->\s*(\S+?:\d+(?::\d+)?)\s*\Z")
_RUFF = re.compile(r"([A-Z]{1,4}\d{2,4} (?:\[\*\] )?\S.+)")
_PANIC = re.compile(
    r"(?:panic: (?P<go>.+)|thread '[^']{0,200}'(?: \(\d+\))? panicked at (?P<place>\S+?):?\Z|"
    r"thread '[^']{0,200}' panicked at '(?P<old>.{0,300})', (?P<oldplace>\S+))"
)
_SCRIPT = re.compile(r"\s*(?:Uncaught |Unhandled )?(?P<message>(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?: .+)")
_AT = re.compile(r"\s+at (?:.*\()?(?:file://)?([^\s()]{1,300}?:\d+(?::\d+)?)\)?\s*\Z")
_FILE = re.compile(r"\S+\.\w{1,5}\s*\Z")
_ESLINT = re.compile(r"\s+(?P<line>\d+):\d+\s+error\s+(?P<message>\S.+)")
_PLAIN = re.compile(
    r"(?i)(?:.{0,80}?(?:\berror\b|\bfatal\b|\bfailed\b|\bfailure\b|\bexception\b|err!|\be:)\s*[:\]!]|fatal: |error: |"
    r"npm err(?:!|or) |make(?:\[\d+\])?: \*\*\* |.{0,120}: command not found|.{0,120}: not found\Z|"
    r".{0,160}: no such file or directory|.{0,160}permission denied|segmentation fault|killed\b|.{0,60}is not "
    r"recognized as|"
    r"conflict \(|.{0,80}timed? ?out\b|cannot |could not |unable to )"
)
_NOT_THE_CAUSE = re.compile(
    r"(?i)npm err(?:!|or) (?:code|a complete log|lifecycle|errno|path|command|workspace|location|in workspace)|"
    r"make(?:\[\d+\])?: \*\*\*|"
    r"error: (?:process|could not compile|test failed|recipe|script|command failed|aborting)|found \d+ errors?|"
    r"exit code \d+\Z|command failed|.*\b0 (?:errors|failed|failures)\b"
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """`count` is how many errors the output tells of, at least."""

    message: str
    place: str = ""
    lines: tuple[str, ...] = ()
    count: int = 1


def trouble(text: str) -> Trouble | None:
    """What an output says went wrong; None when it says nothing of the kind."""
    lines = [line[:LINE_MAX] for line in text.split("\n")]
    for read in (_traceback, _compiler, _rust, _panic, _script, _linter, _spoken):
        if found := read(lines):
            return found
    return None


def last_words(text: str) -> Trouble:
    """When nothing is called an error: the last lines are what the program had to say."""
    lines = last_meaningful(text, 4)
    return Trouble(lines[-1] if lines else "no output", "", tuple(lines))


def is_foreign(path: str) -> bool:
    """Code that is installed or built in, and not the project's."""
    return _FOREIGN.search(path) is not None


def _traceback(lines: list[str]) -> Trouble | None:
    starts = [at for at, line in enumerate(lines) if line.lstrip().startswith("Traceback (most recent call last)")]
    if not starts:
        return None
    place, inside, told = "", "", []
    lead = len(lines[starts[-1]]) - len(lines[starts[-1]].lstrip())
    for line in lines[starts[-1] + 1 : starts[-1] + 400]:
        frame = _FRAME.match(line)
        if frame:
            if not place or not is_foreign(frame[1]):
                place, inside = f"{frame[1]}:{frame[2]}", frame[3] or ""
        elif line[lead:].strip() and not line[lead:].startswith(" "):
            message = one_line(line)
            if _RAISED.match(message) is None:
                return None
            told = [f"{place} in {inside}" if inside and inside != "<module>" else place, message]
            return Trouble(message, place, tuple(part for part in told if part), len(starts))
    return None


def _compiler(lines: list[str]) -> Trouble | None:
    found: list[tuple[str, str, str]] = []
    for line in lines:
        if ": " not in line and "]" not in line:
            continue
        for pattern in _COMPILERS:
            if hit := pattern.match(line.strip()):
                found.append((one_line(hit["message"]), hit["place"], one_line(line)))
                break
    return _first(found)


def _first(found: list[tuple[str, str, str]]) -> Trouble | None:
    if not found:
        return None
    told = tuple(dict.fromkeys(line for _, _, line in found))
    return Trouble(found[0][0], found[0][1], told[:LINES_MAX], len(told))


def _rust(lines: list[str]) -> Trouble | None:
    found: list[tuple[str, str, str]] = []
    for at, line in enumerate(lines):
        hit = _RUST.match(line) or _RUFF.match(line)
        if hit is None:
            continue
        place = next((arrow[1] for near in lines[at + 1 : at + 3] if (arrow := _ARROW.match(near))), "")
        if place:
            found.append((one_line(hit[1]), place, f"{place} {one_line(hit[1])}"))
    return _first(found)


def _panic(lines: list[str]) -> Trouble | None:
    for at, line in enumerate(lines):
        hit = _PANIC.match(line.strip())
        if hit and hit["go"]:
            places = (
                after.strip().split(" +0x")[0] for after in lines[at : at + 60] if re.match(r"\s+\S+\.go:\d+", after)
            )
            place = next((one for one in places if "/go/src/" not in one and "/usr/" not in one), "")
            return Trouble(f"panic: {one_line(hit['go'])}", place, (one_line(line),))
        if hit and hit["old"]:
            return Trouble(one_line(hit["old"]), hit["oldplace"], (one_line(line),))
        if hit and hit["place"]:
            said = [one_line(after) for after in lines[at + 1 : at + 4] if after.strip()]
            said = [part for part in said if not part.startswith(("stack backtrace", "note:"))]
            return Trouble(said[0] if said else "panicked", hit["place"], (one_line(line), *said))
    return None


def _script(lines: list[str]) -> Trouble | None:
    for at, line in enumerate(lines):
        hit = _SCRIPT.match(line)
        if hit is None:
            continue
        frames = [frame[1] for after in lines[at + 1 : at + 25] if (frame := _AT.match(after))]
        own = next((frame for frame in frames if not is_foreign(frame)), "")
        if frames or not line[:1].isspace():
            message = one_line(hit["message"])
            return Trouble(message, own, tuple(part for part in (message, f"at {own}" if own else "") if part))
    return None


def _linter(lines: list[str]) -> Trouble | None:
    found: list[tuple[str, str, str]] = []
    file = ""
    for line in lines if any(" error " in line for line in lines) else ():
        hit = _ESLINT.match(line)
        if hit and file:
            place, message = f"{file}:{hit['line']}", one_line(hit["message"])
            found.append((message, place, f"{place} {message}"))
        elif line and not line[0].isspace() and _FILE.match(line):
            file = line.strip()
    return _first(found)


def _spoken(lines: list[str]) -> Trouble | None:
    found = [one_line(line) for line in dict.fromkeys(line.strip() for line in lines) if line and _PLAIN.match(line)]
    causes = [line for line in dict.fromkeys(found) if not _NOT_THE_CAUSE.match(line)]
    told = causes or list(dict.fromkeys(found))
    return Trouble(told[0], "", tuple(told[:LINES_MAX]), len(told)) if told else None
