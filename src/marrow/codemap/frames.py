"""Stack traces in text: which function was called from where, at run time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

TEXT_MAX = 200_000
FRAMES_MAX = 400


class Frame(NamedTuple):
    """A place in a stack: what it says of the file, the line in it, and the name of the function; each may be empty."""

    file: str
    line: int
    function: str = ""


_PYTHON = re.compile(r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<function>[^\n]+))?', re.M)
_NODE = re.compile(
    r"^\s+at (?:async )?(?:(?P<function>[^\s(][^(\n]*?) (?:\[as [^\]\n]+\] )?\()?"
    r"(?:file://)?(?P<file>[^\s():][^():\n]*\.[cm]?[jt]sx?):(?P<line>\d+):\d+\)?",
    re.M,
)
_JAVA = re.compile(
    r"^\s+at (?:[\w.$-]+/)?(?P<function>[\w.$<>]+)\((?P<file>[\w$-]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)", re.M
)
_GO_NAME = re.compile(r"^(?P<function>[\w./\-%~]+(?:\.\(\*?[\w\[\].]+\))?\.[\w.\[\]]+)\([^\n]*\)\s*$")
_GO_PLACE = re.compile(r"^\s+(?P<file>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$")
_RUST_NAME = re.compile(r"^\s*\d+:\s+(?:0x[0-9a-f]+ - )?(?P<function>[\w:<>{}#$., &*'\[\]-]+?)\s*$")
_RUST_PLACE = re.compile(r"^\s+at (?P<file>\S+\.rs):(?P<line>\d+)(?::\d+)?\s*$")
_HASH = re.compile(r"::h[0-9a-f]{16}\Z")


def stacks(text: str) -> list[list[Frame]]:
    """The stacks in a text, each from the outermost call to the innermost."""
    given = text[:TEXT_MAX]
    found = [*_python(given)]
    for pattern in (_NODE, _JAVA):
        found += [list(reversed(one)) for one in _runs(given, pattern)]
    found += [list(reversed(one)) for one in _two_lines(given, _GO_NAME, _GO_PLACE)]
    found += [list(reversed(one)) for one in _two_lines(given, _RUST_NAME, _RUST_PLACE)]
    return [one for one in found if one]


def _python(text: str) -> Iterator[list[Frame]]:
    """Python tells the outermost first, and each traceback begins with the same line."""
    for part in re.split(r"^.*Traceback \(most recent call last\):.*$", text, flags=re.M)[1:]:
        hits = (hit for hit in _PYTHON.finditer(part) if hit["function"])
        yield [Frame(hit["file"], int(hit["line"]), hit["function"].strip()) for hit in hits][:FRAMES_MAX]


def _runs(text: str, pattern: re.Pattern[str]) -> Iterator[list[Frame]]:
    """Frames that stand in lines right after each other."""
    frames: list[Frame] = []
    end = -1
    for hit in pattern.finditer(text):
        if frames and text[end : hit.start()].strip():
            yield frames[:FRAMES_MAX]
            frames = []
        frames.append(Frame(hit["file"].strip(), int(hit["line"]), _name(hit["function"] or "")))
        end = hit.end()
    yield frames[:FRAMES_MAX]


def _two_lines(text: str, name: re.Pattern[str], place: re.Pattern[str]) -> Iterator[list[Frame]]:
    """Frames of two lines: what was called, and where that is."""
    frames: list[Frame] = []
    function, missed = "", 0
    for line in text.splitlines():
        found = place.match(line)
        if found is not None and function:
            frames.append(Frame(found["file"], int(found["line"]), _name(function)))
            function, missed = "", 0
            continue
        named = name.match(line)
        function = named["function"] if named is not None else ""
        missed += not function
        if missed > 1 and frames:
            yield frames[:FRAMES_MAX]
            frames, missed = [], 0
    yield frames[:FRAMES_MAX]


def _name(function: str) -> str:
    """The last name of a function as a runtime says it: `Store.close`, `pkg.(*Store).Close`, `a::b::{{closure}}`."""
    text = _HASH.sub("", function.strip().removeprefix("new ").removeprefix("Object."))
    text = re.sub(r"(?:::)?\{\{?closure\}?\}?(?:#\d+)?|\.func\d+(?:\.\d+)*\Z|\[\.\.\.\]|\.<anonymous>\Z", "", text)
    return re.split(r"::|[./#$]", text.rstrip(".:"))[-1].strip("()*<> ")
