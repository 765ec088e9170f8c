"""code: memories and their places in the code. What holds, what is known where, what the code says of itself, and what
nothing is known about."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..memory.anchors.finding import CHANGED, GONE, HOLDS, MOVED, UNKNOWN
from ..memory.coverage import Part, coverage
from ..memory.scan import scan
from ..memory.spatial import WHOLE_FILE, spatial
from ..memory.verify import Verified, verify
from ..model.address import shown
from ..model.scope import WRITE
from ..model.text import counted
from .table import Call, operation
from .views import view

TEXT_MAX = 160
SYMBOLS_SHOWN = 40
PARTS_SHOWN = 40


class VerdictView(NamedTuple):
    """A memory and what became of its places."""

    address: str
    verdict: str
    content: str
    domain: str
    findings: tuple[dict[str, str], ...]

    def line(self) -> str:
        lines = [f"[{self.address}] {self.verdict}: {one_line(self.content)}"]
        lines += dict.fromkeys(f"    {one['verdict']}: {one['said']}" for one in self.findings if one["said"])
        return "\n".join(lines)

    def accepted_line(self) -> str:
        lines = [f"[{self.address}] accepted: pinned to the code as it is now: {one_line(self.content)}"]
        lines += [f"    no longer anchored: {one['said']}" for one in self.findings if one["verdict"] == GONE]
        lines += [f"    not looked at: {one['said']}" for one in self.findings if one["verdict"] == UNKNOWN]
        return "\n".join(lines)


def _counted(verdict: str, count: int) -> str:
    return "hold" if verdict == HOLDS and count != 1 else verdict


class VerifyResult(NamedTuple):
    """`items` are those that do not simply hold, the changed ones first; one that was asked about is always there."""

    items: tuple[VerdictView, ...]
    looked_at: int
    counts: dict[str, int]
    seq: int
    accepted: bool = False
    left_out: int = 0

    def text(self) -> str:
        if self.accepted:
            return "\n".join(item.accepted_line() for item in self.items)
        if not self.looked_at:
            return "No memory here is anchored to the code. Anchors come with paths and symbols that a memory names."
        counts = [(name, self.counts[name]) for name in _ORDER if name in self.counts]
        told = ", ".join(f"{count} {_counted(name, count)}" for name, count in counts)
        lines = [f"{counted(self.looked_at, 'anchored memory')}: {told}.", *(item.line() for item in self.items)]
        if self.left_out:
            lines.append(f"({self.left_out} more: give a path, or raise budget_tokens)")
        if self.counts.get(CHANGED) or self.counts.get(GONE):
            lines.append(_WHAT_TO_DO)
        return "\n".join(lines)


_ORDER = (HOLDS, MOVED, CHANGED, GONE, UNKNOWN)
_WHAT_TO_DO = (
    "To do: memory_update what is no longer true, memory_forget what is moot, memory_verify with accept what still "
    "holds as the code is now."
)


@operation("code", right=WRITE, changes=True)
def memory_verify(
    call: Call,
    address: Annotated[str, "default: all that is anchored; a path will do"] = "",
    path: Annotated[str, "only what is about this file or folder"] = "",
    accept: Annotated[bool, "it still holds: pin it to the code as it is now"] = False,
) -> VerifyResult:
    """Compare memories with the code they are anchored to: holds, moved (pinned anew), changed, gone.

    What changed or is gone is marked as drifted: it sinks, and is recalled with that said, until it is updated.
    """
    found = verify(call.engine, call.asker, address, path, accept=accept, progress=call.progress)
    shown_items = [item for item in found.items if found.is_one or item.verdict != HOLDS]
    seq = found.receipt.seq if found.receipt else 0
    items = tuple(_verdict(one) for one in shown_items)
    return VerifyResult(items, found.looked_at, dict(found.counts()), seq, accept)


def _verdict(item: Verified) -> VerdictView:
    findings = tuple(
        {"anchor": f"{one.anchor.type} {one.anchor.target}", "verdict": one.verdict, "said": one.said}
        for one in item.findings
    )
    record = item.record
    return VerdictView(shown(record.node.address), item.verdict, record.node.content, record.standing.domain, findings)


class PlacedView(NamedTuple):
    """A memory and where in the file it hangs; `distance` in lines, none for what is about the whole file."""

    address: str
    kind: str
    domain: str
    content: str
    where: str
    age: str
    marks: tuple[str, ...] = ()
    distance: int | None = None

    def line(self) -> str:
        marks = f" ({', '.join(self.marks)})" if self.marks else ""
        return f"[{self.address}] {self.where}: {self.domain}/{self.kind}, {self.age}{marks}\n    {self.content}"


class SpatialResult(NamedTuple):
    path: str
    items: tuple[PlacedView, ...]
    symbols: tuple[str, ...]
    left_out: int = 0
    commits: int = 0
    is_there: bool = True

    def text(self) -> str:
        nothing = f"Nothing is known about {self.path} here" + ("." if self.is_there else ": there is no such file.")
        lines = [item.line() for item in self.items] or [nothing]
        if self.commits:
            lines.append(f"({counted(self.commits, 'commit')} touched it: blame tells them)")
        if self.left_out:
            lines.append(f"({self.left_out} more: name lines, or raise budget_tokens)")
        if self.symbols:
            lines.append(f"symbols: {', '.join(self.symbols)}")
        return "\n".join(lines)


@operation("code", spellings={"file": ("path",)})
def memory_spatial(
    call: Call,
    file: Annotated[str, "from the project's root; src/app.py:10-20 will do"],
    start_line: int = 0,
    end_line: int = 0,
) -> SpatialResult:
    """What is known about a place in the code: memories anchored to the file, near the lines, or to symbols there.

    Ask before changing code that you do not know.
    """
    found = spatial(call.engine, call.asker, file, start_line, end_line)
    now = call.engine.clock()
    items = []
    for one in found.items:
        shape = view(one.record, now)
        distance = None if one.distance >= WHOLE_FILE else one.distance
        about = (shape.address, shape.kind, shape.domain, shape.content)
        items.append(PlacedView(*about, one.where, shape.age, shape.marks, distance))
    names = tuple(f"{one.qualified}:{one.start}" for one in found.symbols[:SYMBOLS_SHOWN])
    return SpatialResult(found.path, tuple(items), names, commits=found.commits, is_there=found.is_there)


class ScanResult(NamedTuple):
    files: int
    claims: int
    added: int
    superseded: int
    retracted: int
    unchanged: int
    skipped: int

    def text(self) -> str:
        changed = f"{self.added} new, {self.superseded} changed, {self.retracted} gone, {self.unchanged} as before"
        skipped = (
            f", {self.skipped} left out because they were forgotten (force brings them back)" if self.skipped else ""
        )
        return f"{counted(self.claims, 'claim')} in {counted(self.files, 'file')}: {changed}{skipped}."


@operation("code", right=WRITE, changes=True)
def memory_scan(
    call: Call,
    path: Annotated[str, "a file or folder; default: the whole project"] = "",
    force: Annotated[bool, "also what was forgotten"] = False,
) -> ScanResult:
    """Take in what the code says about itself, from doc comments and the heads of files, as claims anchored there.

    Done again it adds nothing: what changed is superseded, what is gone is retracted.
    """
    return ScanResult(*scan(call.engine, call.asker, path, force=force, progress=call.progress))


class PartView(NamedTuple):
    path: str
    share: float
    symbols: int
    known: int
    lines: int
    about_file: int
    gaps: tuple[str, ...]
    unknown: int = 0

    def line(self) -> str:
        more = self.symbols - self.known - len(self.gaps)
        gaps = f"; unknown: {', '.join(self.gaps)}{f' and {more:,} more' if more > 0 else ''}" if self.gaps else ""
        known = f"{self.known:,} of {counted(self.symbols, 'symbol')} known"
        return f"{self.unknown:>6,} of {counted(self.lines, 'line')} unknown  {self.path}  {known}{gaps}"


class CoverageResult(NamedTuple):
    share: float
    symbols: int
    known: int
    memories: int
    items: tuple[PartView, ...]
    left_out: int = 0
    generated: int = 0

    def text(self) -> str:
        written = f"{counted(self.generated, 'generated file')} left out." if self.generated else ""
        if not self.symbols:
            return f"There is no code here that could be read{f': {written}' if written else '.'}"
        lines = [
            f"Something is known about {self.known:,} of {self.symbols:,} functions and types, with {self.share:.0%} "
            f"of their lines, from {counted(self.memories, 'memory')}. The files with "
            "the most lines that nothing is known about come first:",
            *(item.line() for item in self.items),
        ]
        if self.left_out:
            lines.append(f"({counted(self.left_out, 'more file')}: give a path, or raise budget_tokens)")
        lines += [f"({written})"] if written else []
        return "\n".join(lines)


@operation("code")
def memory_coverage(
    call: Call, path: Annotated[str, "a file or folder; default: the whole project"] = ""
) -> CoverageResult:
    """Which parts of the code the memory knows nothing about, the worst first, by anchors and mentions."""
    found = coverage(call.engine, call.asker, path)
    parts = [part for part in found.parts if part.known_lines < part.lines]
    share = round(found.known_lines / found.lines, 4) if found.lines else 0.0
    items = tuple(_part(part) for part in parts[:PARTS_SHOWN])
    return CoverageResult(
        share, found.symbols, found.known, found.memories, items, len(parts) - len(items), found.generated
    )


def _part(part: Part) -> PartView:
    gaps = tuple(f"{one.qualified}:{one.start}" for one in part.gaps)
    share, unknown = round(part.share, 4), part.lines - part.known_lines
    return PartView(part.path, share, part.symbols, part.known, part.lines, part.about_file, gaps, unknown)


def one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_MAX else f"{line[: TEXT_MAX - 1]}…"
