"""Scan: claims from what the code says about itself, in doc comments and at the heads of its files.

Done again it adds nothing: what was changed supersedes what was said, and what is gone is retracted. What somebody has
forgotten by hand stays forgotten, unless that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..codemap.languages.table import language_of
from ..model.change import Pin, Restate, Step, Supersede
from ..model.code import CALLABLES, TYPES, Symbol
from ..model.draft import Draft
from ..model.errors import NotFound
from ..model.event import SYSTEM
from ..model.link import Anchor
from ..model.node import Node, Occurrence
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ, WRITE
from ..model.standing import RETRACTED
from ..model.text import counted
from .anchors.checkout import Checkout
from .anchors.evidence import BY_NAME, file_anchor, symbol_anchor
from .anchors.finding import HOLDS, Finding
from .anchors.known import checkout_of
from .anchors.looked import Looked, looked_of
from .anchors.pin import pinned
from .engine import Asker, Engine, submit
from .pin_named import pin_named
from .remember import say_of
from .verify import clean_path, root_of

OPERATION = "memory_scan"
SOURCE = "scan"
CONFIDENCE = 0.7
BATCH = 200
FILES_MAX, BYTES_MAX = 20_000, 256 * 1024
HEADER_MAX = 400
WORDS_MIN = 3
DOC_LINES, SENTENCE_MIN = 60, 20
_HEAD = "\0head"  # the place of a file's own header among its symbols

_TESTS = re.compile(
    r"(?:^|/)(?:tests?|spec|__tests__|testdata|fixtures|examples?|bench(?:marks?)?)/|(?:^|/)test_|_test\.|\.(?:test|spec)\."
)
_LEGAL = re.compile(r"(?i)copyright|licen[sc]e|spdx|all rights reserved|permission is hereby|@generated|do not edit")
_DIRECTIVE = re.compile(
    r"(?i)^(?:!/|-\*-|vim?:|eslint|prettier|@ts-|pylint|flake8|noqa|mypy:|ruff:|use strict|coding[:=]|go:|\+build)"
)
_MARKS = re.compile(
    r"^\s*(?:/\*+!?|\*+/?|//[/!]?|#+!?|--+|;+|[rRuUbB]?\"\"\"|[rRuUbB]?'''|<!--|\"|')\s?|\s*(?:\*+/|\"\"\"|'''|-->)\s*$"
)
_WORD = re.compile(r"[A-Za-z]{2,}")
_SENTENCE_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bcf)(?<!\bvs)[.!?](?=[\s\"')]*(?:\s[A-Z`\"'(<{\[]|\Z))"
)
# What ends the words about a symbol as a whole: its parameters, a list, a heading.
_NEW_PART = re.compile(
    r"(?:[@:\\][a-z]|[-*•] |\d+[.)] |#|={3}|-{3}|<p>|```|(?:Args|Parameters|Returns|Raises|Example)\w*:)"
)
_COMMENT_START = re.compile(rb"\s*(?:[rRuUbBfF]{0,2}(?:\"\"\"|''')|/\*)(?!.*(?:\"\"\"|'''|\*/)\s*\Z)")
_COMMENT_END = re.compile(rb"(?:\"\"\"|'''|\*/)\s*\Z")
_EMPTY = frozenset(
    "the a an of for to and or in on is are be this that with by from it its as at into todo fixme xxx get gets set "
    "sets return returns function class method module file constructor init initialize initialise main test helper "
    "utility see default value object data param params parameters arg args name type".split()
)


class Claim(NamedTuple):
    path: str
    symbol: str
    content: str
    domain: str
    anchor: Anchor


class Scanned(NamedTuple):
    """How many files were read and claims found, and what that changed."""

    files: int
    claims: int
    added: int
    superseded: int
    retracted: int
    unchanged: int
    skipped: int


def scan(
    engine: Engine,
    asker: Asker,
    path: str = "",
    *,
    force: bool = False,
    progress: Callable[[int, int | None], None] | None = None,
) -> Scanned:
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    checkout, folder = checkout_of(engine, root_of(asker)), clean_path(path)
    pin_named(engine, asker, checkout)
    files = source_files(checkout, folder)
    if folder and not files and not any(one == folder or one.startswith(f"{folder}/") for one in checkout.files()):
        raise NotFound(f"The project has nothing at {folder!r}.", hint="Give a path from its root.", field="path")
    known, forgotten = _known(engine, asker, folder)
    counts = {"added": 0, "superseded": 0, "unchanged": 0, "skipped": 0}
    found: set[tuple[str, str]] = set()
    waiting: list[Claim] = []
    looked = looked_of(engine, checkout.root)
    for at, one in enumerate(files):
        looked.about_to_read(one)
        for claim in claims_of(checkout, one):
            found.add((claim.path, claim.symbol))
            before = known.get((claim.path, claim.symbol))
            if before is not None and before.node.content == claim.content:
                counts["unchanged"] += 1
            elif before is not None:
                _supersede(engine, asker, checkout, before, claim)
                counts["superseded"] += 1
            elif not force and Node.make("claim", claim.content).address in forgotten:
                counts["skipped"] += 1
            else:
                waiting.append(claim)
        if len(waiting) >= BATCH:
            counts["added"] += _add(engine, asker, checkout, waiting, looked)
            waiting = []
        if progress is not None:
            progress(at + 1, len(files))
    counts["added"] += _add(engine, asker, checkout, waiting, looked)
    looked.keep(is_all=False)
    gone = [record for place, record in known.items() if place not in found]
    for at in range(0, len(gone), BATCH):
        steps = [
            Restate(r.node.address, (("state", RETRACTED),), "no longer in the code") for r in gone[at : at + BATCH]
        ]
        submit(engine, asker, OPERATION, steps, summary=f"scan: {len(steps)} gone", layer=SYSTEM)
    return Scanned(len(files), len(found), retracted=len(gone), **counts)


def source_files(checkout: Checkout, folder: str) -> list[str]:
    """The sources at or below a folder that can be read, without tests and large files."""
    return [
        one
        for one in checkout.files()
        if (not folder or one == folder or one.startswith(f"{folder}/"))
        and language_of(one) not in ("", "markdown")
        and (_TESTS.search(one) is None or one == folder)
        and checkout.size(one) <= BYTES_MAX
    ][:FILES_MAX]


def claims_of(checkout: Checkout, path: str) -> Iterator[Claim]:
    """What a file says about itself and its public symbols; only where that says something."""
    header = header_of(checkout, path)
    if header and says_something(header, path):
        anchor = file_anchor(checkout, path, {})
        if anchor is not None:
            yield Claim(path, _HEAD, f"{path}: {header}", "architecture", anchor)
    seen: set[str] = set()
    for at, symbol in enumerate(checkout.symbols(path)):
        is_public = not symbol.name.startswith("_") and symbol.kind in CALLABLES | TYPES
        if not is_public or symbol.qualified in seen or not symbol.doc:
            continue
        doc = doc_of(checkout, path, symbol)
        if not says_something(doc, symbol.qualified):
            continue
        anchor = symbol_anchor(checkout, path, at, {BY_NAME: True})
        if anchor is None:
            continue
        seen.add(symbol.qualified)
        domain = "architecture" if symbol.kind in TYPES else "patterns"
        yield Claim(path, symbol.qualified, f"`{symbol.qualified}` ({path}): {doc}", domain, anchor)


def doc_of(checkout: Checkout, path: str, symbol: Symbol) -> str:
    """The first sentence of a symbol's doc comment. The map keeps its first line, which may end in the middle of it."""
    begin = symbol.doc.rstrip("…")
    if _SENTENCE_END.search(begin):
        return _first_sentence(symbol.doc)
    said = _paragraph_from(checkout, path, symbol, " ".join(begin.split()))
    return _first_sentence(said) if said else symbol.doc


def _paragraph_from(checkout: Checkout, path: str, symbol: Symbol, begin: str) -> str:
    """The paragraph of a comment that begins so: nearest to the head of the symbol, above it or right below."""
    lines = checkout.lines(path)
    first, last = max(0, symbol.start - 1 - DOC_LINES), min(len(lines), symbol.start + DOC_LINES)
    bare = [_bare(line) for line in lines[first:last]]
    starts = [at for at, line in enumerate(bare) if line and (begin.startswith(line) or line.startswith(begin))]
    starts = [at for at in starts if " ".join(bare[at : at + 2]).startswith(begin)]
    if not starts:
        return ""
    at = min(starts, key=lambda one: abs(one + first - (symbol.start - 1)))
    taken: list[str] = []
    for line, written in zip(bare[at:], lines[first + at : last], strict=False):
        if not line or (taken and _NEW_PART.match(line)):
            break
        taken.append(line)
        if _COMMENT_END.search(written) and not (len(taken) == 1 and _COMMENT_START.match(written)):
            break
        if first + at + len(taken) == symbol.start - 1 or _SENTENCE_END.search(line):
            break
    return " ".join(" ".join(taken).split())


def _bare(line: bytes) -> str:
    text, before = line.decode("utf-8", "replace").strip(), ""
    while text != before:
        before, text = text, _MARKS.sub("", text).strip()
    return text


def _first_sentence(text: str) -> str:
    """Up to the end of the first sentence that says something by itself."""
    for found in _SENTENCE_END.finditer(text):
        if found.start() + 1 >= SENTENCE_MIN:
            text = text[: found.start() + 1]
            break
    return text if len(text) <= HEADER_MAX else f"{text[: HEADER_MAX - 1].rpartition(' ')[0]}…"


def header_of(checkout: Checkout, path: str) -> str:
    """The first paragraph of the comment at the head of a file, if it is about the file."""
    source, tokens = checkout.source(path) or b"", checkout.tokens(path)
    first = tokens.first[0] if tokens.first else 1 << 30
    taken, end = list[str](), -1
    for start, stop in tokens.comments:
        if source.count(b"\n", 0, start) + 1 > first:
            break
        text = source[start:stop].decode("utf-8", "replace")
        is_far = end >= 0 and source.count(b"\n", end, start) > 1
        if is_far and taken:
            break
        lines = [_MARKS.sub("", line).strip() for line in text.splitlines()]
        if any(_LEGAL.search(line) for line in lines):
            taken, end = [], -1
            continue
        taken += [line for line in lines if not _DIRECTIVE.match(line)]
        end = stop
    paragraph = " ".join("\n".join(taken).strip().partition("\n\n")[0].split())
    return paragraph if len(paragraph) <= HEADER_MAX else f"{paragraph[: HEADER_MAX - 1].rpartition(' ')[0]}…"


def says_something(text: str, name: str) -> bool:
    """Whether a comment tells more than the name does."""
    parts = {part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)}
    words = {word.lower() for word in _WORD.findall(text)} - _EMPTY
    return len({word for word in words if word not in parts and word.rstrip("s") not in parts}) >= WORDS_MIN


def _known(engine: Engine, asker: Asker, folder: str) -> tuple[dict[tuple[str, str], Record], set[str]]:
    """What earlier scans said of this place, and the addresses of what was forgotten by hand."""
    now, known, forgotten = engine.clock(), dict[tuple[str, str], Record](), set[str]()
    wanted = Filter(projects=(asker.scope.project,), tags=(SOURCE,), path=folder, include_superseded=True)
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, now)
        said = reader.occurrences(entries, CURRENT)
        for record in reader.records_of(entries, CURRENT):
            about = next((one.fields for one in said.get(record.entry, []) if one.source == SOURCE), None)
            if about is None:
                continue
            if record.standing.is_active(now):
                known[str(about.get("path", "")), str(about.get("symbol", "")) or _HEAD] = record
            elif record.standing.state == RETRACTED and record.standing.reason != "no longer in the code":
                forgotten.add(record.node.address)
    return known, forgotten


def _draft(claim: Claim, anchors: tuple[Anchor, ...]) -> Draft:
    metadata: dict[str, object] = {"path": claim.path}
    if claim.symbol != _HEAD:
        metadata["symbol"] = claim.symbol
    return Draft(
        claim.content,
        domain=claim.domain,
        confidence=CONFIDENCE,
        tags=(SOURCE,),
        anchors=anchors,
        source=SOURCE,
        metadata=metadata,
    )


def _add(engine: Engine, asker: Asker, checkout: Checkout, claims: list[Claim], looked: Looked) -> int:
    """What was just read holds: it need not be read again to be verified."""
    now = engine.clock()
    steps = [say_of(engine, asker, _draft(claim, pinned(checkout, (claim.anchor,))), now) for claim in claims]
    if steps:
        submit(engine, asker, OPERATION, steps, summary=f"scan: {counted(len(steps), 'claim')}", layer=SYSTEM)
    for claim in claims:
        looked.note(Finding(claim.anchor, HOLDS))
    return len(steps)


def _supersede(engine: Engine, asker: Asker, checkout: Checkout, before: Record, claim: Claim) -> None:
    """The new text in the place of the old, pinned to the code as it is now."""
    draft = _draft(claim, ())
    said = Occurrence(at=engine.clock(), source=SOURCE, metadata=say_of(engine, asker, draft, 0).occurrence.metadata)
    step = Supersede(before.node.address, claim.content, said, "the code says otherwise now")
    receipt = submit(engine, asker, OPERATION, [step], summary="scan: 1 changed", layer=SYSTEM)
    address, entry = receipt.outcomes[0].address, receipt.outcomes[0].entry
    with engine.store.reading() as reader:
        old = tuple(reader.anchors([entry], CURRENT).get(entry, ()))
    new = pinned(checkout, (claim.anchor,))
    pins: list[Step] = [
        Pin(address, tuple(one for one in new if one not in old), tuple(one for one in old if one not in new))
    ]
    submit(engine, asker, OPERATION, pins, summary="scan: pinned anew", layer=SYSTEM)
