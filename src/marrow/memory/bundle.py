"""The bundle: what a memory knows, as one gzip'd file of JSON lines.

The first line is a header; then come projects, nodes, copies (a node as it stands in one project, with its occurrences
and anchors), links, the chain of events without the names of the nodes, and a last line that says how many came before
it. The same memory gives the same bytes. Reading trusts nothing: sizes are bounded while the file is unpacked, every
value is checked, every address computed again, and an error names the line.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from gzip import BadGzipFile, GzipFile
from typing import IO, Any, NamedTuple, ParamSpec, TypeVar

from ..model.address import is_address
from ..model.change import Copy, Merge, NameProject
from ..model.draft import check_kind
from ..model.errors import Invalid, MarrowError, TooLarge
from ..model.event import Event, Head
from ..model.link import ANCHOR_TYPES, Anchor, Link, check_rel
from ..model.node import GLOBAL_PROJECT, METADATA_BYTES_MAX, Node, Occurrence, metadata_text
from ..model.record import FOREVER
from ..model.scope import one_project
from ..model.standing import TAGS_MAX, Standing
from ..model.text import clean
from ..model.text import name as short_name
from ..store.chains import broken_at, chain_lines, event_from

FORMAT = 1
# Unpacked. A line must have room for an event that touched a million nodes: an import of all of them is one.
BYTES_MAX = 2 * 1024**3
LINE_BYTES_MAX = 128 * 1024**2
NAME_LENGTH_MAX = 1000
PROJECT_LENGTH_MAX = 500
# One save gives at most an eighth of so many, each less long; saves add up, and what is taken out leaves a longer mark.
NAMES_MAX, TAG_LENGTH_MAX = 64 * TAGS_MAX, 200
# A line holds at most so many occurrences of a copy; the next line goes on with it.
OCCURRENCES_A_LINE = 100
HEADER, PROJECT, NODE, COPY, LINK, EVENT, END = "marrow", "project", "node", "copy", "link", "event", "end"

P = ParamSpec("P")
T = TypeVar("T")
NOTHING_CHANGED = "Nothing was imported. Export it anew, or look at that line with zcat."


class Header(NamedTuple):
    """Whose memory it was and where its chain ended. `projects` None: all of them, so the chain is there too."""

    namespace: str
    head: Head
    projects: tuple[str, ...] | None = None


class Bundle(NamedTuple):
    """A bundle as it was read: the header, and the merge that it asks for."""

    header: Header
    merge: Merge
    lines: int


def header_line(header: Header) -> str:
    shape = {HEADER: "bundle", "format": FORMAT, "namespace": header.namespace, "head": asdict(header.head)}
    return _line({**shape, "projects": header.projects})


def project_line(project: NameProject) -> str:
    return _line({PROJECT: project.name, "aliases": project.aliases})


def node_line(node: Node) -> str:
    return _line({NODE: node.address, "kind": node.kind, "content": node.content, "inputs": node.inputs})


def copy_lines(copy: Copy) -> Iterator[str]:
    standing, anchors = asdict(copy.standing), [asdict(anchor) for anchor in copy.anchors]
    for at in range(0, len(copy.occurrences), OCCURRENCES_A_LINE):
        said = [asdict(occurrence) for occurrence in copy.occurrences[at : at + OCCURRENCES_A_LINE]]
        shape = {COPY: copy.node.address, "project": copy.project, "standing": standing, "occurrences": said}
        yield _line({**shape, "anchors": anchors})


def link_line(link: Link) -> str:
    return _line({LINK: link.rel, **{k: v for k, v in asdict(link).items() if k != "rel"}})


def event_lines(events: Iterable[Event]) -> Iterator[str]:
    return (_line({EVENT: line}) for line in chain_lines(events))


def end_line(before: int) -> str:
    return _line({END: before})


def _line(shape: Mapping[str, object]) -> str:
    return json.dumps(shape, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def read_bundle(file: IO[bytes], progress: Callable[[int], None] | None = None, bytes_max: int = BYTES_MAX) -> Bundle:
    """The bundle in an open file, checked from end to end. Raises Invalid that names the line."""
    draft = _Draft()
    lines = _lines(file, bytes_max)
    try:
        number, first = next(lines)
    except StopIteration:
        raise _wrong(1, "the file is empty") from None
    header = _on_line(number, _header, first)
    count = 1
    ended = False
    for number, line in lines:
        if ended:
            raise _wrong(number, "something follows the end")
        ended = _on_line(number, draft.take, line, number)
        count = number
        if progress is not None:
            progress(number)
    if not ended:
        raise _wrong(count + 1, "the file ends early")
    return Bundle(header, _on_line(count, draft.merge, header), count)


def _lines(file: IO[bytes], bytes_max: int) -> Iterator[tuple[int, str]]:
    """The numbered lines of a gzip'd file, never more of it in memory than one line may have."""
    number, size = 0, 0
    with GzipFile(fileobj=file, mode="rb") as unpacked:
        while True:
            number += 1
            try:
                line = unpacked.readline(LINE_BYTES_MAX + 1)
            except EOFError:
                raise _wrong(number, "the file ends early") from None
            except (BadGzipFile, zlib.error) as problem:
                raise _wrong(number, f"the file is not gzip, or damaged ({problem})") from problem
            size += len(line)
            if not line:
                return
            if len(line) > LINE_BYTES_MAX or size > bytes_max:
                limit = LINE_BYTES_MAX if len(line) > LINE_BYTES_MAX else bytes_max
                raise TooLarge(
                    f"Line {number} of the bundle goes beyond the limit of {limit:,} bytes unpacked.",
                    hint="Export fewer projects at a time. Nothing was imported.",
                    field="source",
                )
            try:
                yield number, line.decode()
            except UnicodeDecodeError:
                raise _wrong(number, "it is not UTF-8") from None


def _wrong(number: int, what: str) -> Invalid:
    return Invalid(f"Line {number} of the bundle is wrong: {what.rstrip('.')}.", hint=NOTHING_CHANGED, field="source")


def _on_line(number: int, act: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Whatever is wrong with a line is said of that line."""
    try:
        return act(*args, **kwargs)
    except KeyError as problem:
        raise _wrong(number, f"{problem.args[0]!r} is missing") from problem
    except (ValueError, TypeError, RecursionError) as problem:
        raise _wrong(number, str(problem)[:200]) from problem
    except MarrowError as problem:
        message = f"Line {number} of the bundle is wrong: {problem.message}"
        raise type(problem)(message, hint=problem.hint or NOTHING_CHANGED, field="source") from problem


def _shape(line: str) -> dict[str, Any]:
    shape = json.loads(line)
    if not isinstance(shape, dict):
        raise TypeError("it is no JSON object")
    return shape


def _header(line: str) -> Header:
    shape = _shape(line)
    if shape.get(HEADER) != "bundle":
        raise ValueError("this is not a Marrow bundle")
    format_ = _number(shape["format"], "format")
    if format_ > FORMAT:
        raise Invalid(f"the bundle has format {format_}; this Marrow knows {FORMAT}.", hint="Upgrade Marrow.")
    if format_ < 1:
        raise ValueError(f"there is no format {format_}")
    head = shape["head"]
    made = Head(_number(head["seq"], "seq"), _number(head["at"], "at"), _text(head["hash"]), _text(head["root"]))
    listed = shape["projects"]
    return Header(_text(shape["namespace"]), made, None if listed is None else _texts(listed, "projects"))


@dataclass
class _Draft:
    """What was read so far."""

    nodes: dict[str, Node] = field(default_factory=dict)
    copies: list[Copy] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    projects: list[NameProject] = field(default_factory=list)
    chain: list[Event] = field(default_factory=list)

    def take(self, line: str, number: int) -> bool:
        """Take in one line; True when it is the last."""
        shape = _shape(line)
        if NODE in shape:
            self._node(shape)
        elif COPY in shape:
            self.copies.append(_copy(shape, self.nodes))
        elif LINK in shape:
            self.links.append(_link(shape))
        elif EVENT in shape:
            self.chain.append(_event(_text(shape[EVENT], LINE_BYTES_MAX)))
        elif PROJECT in shape:
            self.projects.append(NameProject(_text(shape[PROJECT]), _texts(shape["aliases"], "aliases")))
        elif END in shape:
            if shape[END] != number - 1:
                raise ValueError(f"{shape[END]} lines should come before the end, not {number - 1}")
            return True
        else:
            raise ValueError(f"nothing is known of {', '.join(map(str, list(shape)[:3])) or 'an empty object'}")
        return False

    def _node(self, shape: Mapping[str, Any]) -> None:
        content = shape["content"]
        if clean(content) != content:
            raise ValueError("the content is not in the form in which texts are kept")
        inputs = tuple(_address(given) for given in _list(shape["inputs"], "inputs"))
        node = Node.make(check_kind(shape["kind"]), content, inputs)
        if node.address != shape[NODE]:
            raise ValueError(f"node {str(shape[NODE])[:12]!r} does not have the address that its content gives")
        self.nodes[node.address] = node

    def merge(self, header: Header) -> Merge:
        """All of it. A chain that is there must verify, and end where the header says."""
        self._check_places(header)
        if self.chain:
            broken = broken_at(self.chain)
            end = self.chain[-1]
            if broken is not None or (end.seq, end.hash) != (header.head.seq, header.head.hash):
                raise ValueError(f"the chain does not verify at event {broken or end.seq}")
        return Merge(tuple(self.copies), tuple(self.links), tuple(self.projects), tuple(self.chain))

    def _check_places(self, header: Header) -> None:
        """It writes only where it says that it comes from: in the projects of its header, or of its lines where that
        says all of them."""
        named = {project.name for project in self.projects}
        allowed = named if header.projects is None else named & {*header.projects}
        used = named | {copy.project for copy in self.copies} | {link.project for link in self.links}
        for name in sorted(used):
            if name not in allowed:
                raise ValueError(f"it speaks of the project {name[:80]!a}, which it does not name as its own")
            if name != GLOBAL_PROJECT:
                one_project(short_name(name, field="project", length_max=PROJECT_LENGTH_MAX), "project")


def _copy(shape: Mapping[str, Any], nodes: Mapping[str, Node]) -> Copy:
    node = nodes.get(_address(shape[COPY]))
    if node is None:
        raise ValueError("its node did not come before it")
    said = tuple(_occurrence(given) for given in _list(shape["occurrences"], "occurrences"))
    if not said:
        raise ValueError("it was never said: there are no occurrences")
    anchors = tuple(_anchor(given) for given in _list(shape["anchors"], "anchors"))
    return Copy(_text(shape["project"]), node, _standing(shape["standing"]), said, anchors)


_STANDING_NUMBERS = ("reinforced", "reinforced_at", "generation", "changed_at")
_STANDING_FLAGS = ("semantic", "pinned", "preliminary")
_STANDING_TEXTS = ("state", "domain", "classification", "drift", "salt")


def _standing(shape: Any) -> Standing:
    if not isinstance(shape, dict) or set(shape) != {f.name for f in fields(Standing)}:
        raise ValueError("the standing does not have the fields of one")
    made: dict[str, Any] = {name: _number(shape[name], name) for name in _STANDING_NUMBERS}
    made |= {name: _flag(shape[name], name) for name in _STANDING_FLAGS}
    made |= {name: _text(shape[name]) for name in _STANDING_TEXTS}
    made |= {name: _names(shape[name], name) for name in ("tags", "aliases")}
    made |= {name: shape[name] for name in ("priority", "confidence")}
    made["reason"] = _text(shape["reason"], LINE_BYTES_MAX)
    made["approved"] = None if shape["approved"] is None else _flag(shape["approved"], "approved")
    made["expires_at"] = None if shape["expires_at"] is None else _number(shape["expires_at"], "expires_at")
    return Standing(**made)


def _occurrence(shape: Any) -> Occurrence:
    texts = {name: _text(shape[name]) for name in ("thread", "user", "service", "source", "chain")}
    metadata = metadata_text(_object(shape["metadata"], "metadata"))
    return Occurrence(_number(shape["at"], "at"), metadata=metadata, **texts)


def _anchor(shape: Any) -> Anchor:
    if shape["type"] not in ANCHOR_TYPES:
        raise ValueError(f"{str(shape['type'])[:40]!r} is no type of anchor")
    metadata_text(_object(shape["detail"], "detail"))
    return Anchor(shape["type"], _text(shape["target"]), shape["detail"])


def _object(text: Any, name: str) -> dict[str, Any]:
    """A JSON object that is kept as text."""
    if not isinstance(text, str) or len(text.encode()) > METADATA_BYTES_MAX:
        raise ValueError(f"{name} is no text of at most {METADATA_BYTES_MAX:,} bytes")
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"{name} holds no JSON object")
    return found


def _link(shape: Mapping[str, Any]) -> Link:
    ends = _address(shape["source"]), _address(shape["target"])
    if ends[0] == ends[1]:
        raise ValueError("it links a node to itself")
    closed = _flag(shape["closed"], "closed")
    return Link(*ends, check_rel(shape[LINK]), _text(shape["project"]), _number(shape["at"], "at"), closed)


def _event(line: str) -> Event:
    event = event_from(line)
    for name in (f.name for f in fields(Event) if f.name != "touched"):
        value = getattr(event, name)
        if name in ("seq", "at"):
            _number(value, name)
        else:
            _text(value)
    if any(len(touched.commitment) != 32 for touched in event.touched):
        raise ValueError("a commitment has 32 bytes")
    bytes.fromhex(event.root + event.hash + event.detail)
    return event


def _address(value: Any) -> str:
    if not isinstance(value, str) or not is_address(value):
        raise ValueError(f"{str(value)[:40]!r} is not a whole address")
    return value


def _number(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -FOREVER < value < FOREVER:
        raise ValueError(f"{name} is no whole number that can be kept")
    return value


def _flag(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{name} is neither true nor false")
    return value


def _text(value: Any, length_max: int = NAME_LENGTH_MAX) -> str:
    if not isinstance(value, str) or len(value) > length_max or "\x00" in value:
        raise ValueError(f"{str(value)[:40]!r} is no text of at most {length_max:,} characters")
    value.encode()
    return value


def _texts(value: Any, name: str) -> tuple[str, ...]:
    found = tuple(_text(part) for part in _list(value, name))
    if any("\n" in part for part in found):
        raise ValueError(f"{name} are single lines")
    return found


def _names(value: Any, name: str) -> tuple[str, ...]:
    found = _texts(value, name)
    if len(found) > NAMES_MAX or any(len(part) > TAG_LENGTH_MAX for part in found):
        raise ValueError(f"{name} are at most {NAMES_MAX} of at most {TAG_LENGTH_MAX} characters")
    return found


def _list(value: Any, name: str) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{name} is no list")
    return value
