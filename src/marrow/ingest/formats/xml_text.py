"""XML from strangers: events of a document without entities of its own, so that a small file cannot grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from xml.parsers import expat

DEPTH_MAX = 2_000


class BadXml(ValueError):
    """The document is broken, or declares what none that we read has to declare."""


Start = Callable[[str, Mapping[str, str]], None]


def walk_xml(data: bytes, *, start: Start, end: Callable[[str], None], words: Callable[[str], None]) -> None:
    """Calls the three for each element and text, names without their namespaces' prefixes. Raises BadXml."""
    depth = 0

    def refuse(*_: object) -> int:
        raise BadXml("it declares a document type with entities")

    def open_element(name: str, about: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > DEPTH_MAX:
            raise BadXml(f"its elements are nested more than {DEPTH_MAX:,} deep")
        start(name.rpartition(":")[2], {key.rpartition(":")[2]: value for key, value in about.items()})

    def close_element(name: str) -> None:
        nonlocal depth
        depth -= 1
        end(name.rpartition(":")[2])

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    parser.StartElementHandler = open_element
    parser.EndElementHandler = close_element
    parser.CharacterDataHandler = words
    try:
        parser.Parse(data, True)
    except expat.ExpatError as problem:
        raise BadXml(f"its XML is broken at line {problem.lineno}") from problem
    except (ValueError, LookupError) as problem:  # an encoding that nobody knows
        raise problem if isinstance(problem, BadXml) else BadXml("its XML cannot be decoded") from problem


def svg_text(data: bytes) -> tuple[str, str]:
    """The title of a drawing, and the texts that can be seen in it, one a line. Raises BadXml."""
    open_names: list[str] = []
    title: list[str] = []
    lines: list[str] = []
    parts: list[str] = []

    def start(name: str, about: Mapping[str, str]) -> None:
        open_names.append(name)

    def end(name: str) -> None:
        if name in ("text", "desc", "title", "p", "div") and parts:
            said = " ".join("".join(parts).split())
            (title if name == "title" and not title and len(open_names) <= 2 else lines).append(said)
            parts.clear()
        elif name == "tspan":
            parts.append(" ")
        open_names.pop()

    def words(said: str) -> None:
        if not open_names or open_names[-1] in ("style", "script", "metadata"):
            return
        if any(name in ("text", "desc", "title", "foreignObject") for name in open_names[-8:]):
            parts.append(said)

    walk_xml(data, start=start, end=end, words=words)
    return (title[0] if title else ""), "\n".join(line for line in lines if line)
