"""Evaluating the memory on itself: does it find what it holds, is what it tells used, how much does it shorten, and how
much of the project does it know? Only reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ..model.errors import Invalid, MarrowError, NotFound
from ..model.moments import MICROS_PER_DAY
from ..model.nearest import nearest
from ..model.record import CURRENT, Filter
from ..model.scope import READ
from ..model.text import counted, token_estimate
from ..repository.file_sorts import is_binary_name, is_generated
from .bench_recall import bench_recall
from .coverage import coverage
from .engine import Asker, Engine
from .known_here import known_here
from .project_files import listed, project_root
from .report import CHARACTERS_PER_TOKEN

DAYS = 30
QUESTIONS = 50
EVERY = 100_000
FILES_MAX = 20_000
UNKNOWN_SHOWN = 5
# Shares below which a figure is worth a look: what was told and used, lines of the code (without code: files) that
# something is known about, what is held and undoubted.
USED_LEAST, KNOWN_LEAST, SURE_LEAST = 0.2, 0.5, 0.9
SHORTER_LEAST = 3.0

Progress = Callable[[int, "int | None"], None]


class Figure(NamedTuple):
    """`value` as a number (a share from 0 to 1, or a count), and in words."""

    name: str
    value: float
    words: str


class Evaluation(NamedTuple):
    """One evaluation by its name. `ok` is None where there was nothing to judge by."""

    name: str
    says: str
    ok: bool | None
    figures: tuple[Figure, ...]
    notes: tuple[str, ...] = ()


def evaluate(engine: Engine, asker: Asker, name: str = "", progress: Progress | None = None) -> list[Evaluation]:
    """One of them, or all."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    wanted = name.strip().lower()
    if wanted and wanted not in EVALUATIONS:
        near = nearest(wanted, EVALUATIONS)
        hint = f"Did you mean {near}?" if near else f"One of {', '.join(EVALUATIONS)}."
        raise Invalid(f"There is no evaluation {name[:40]!r}.", hint=hint, field="name")
    chosen = [wanted] if wanted else list(EVALUATIONS)
    return [EVALUATIONS[one](engine, asker, progress) for one in chosen]


def _recall(engine: Engine, asker: Asker, progress: Progress | None) -> Evaluation:
    """Asks for nodes of its own."""
    try:
        found = bench_recall(engine, asker, nodes=QUESTIONS, progress=progress)
    except NotFound as nothing:
        return Evaluation("recall", nothing.message, None, ())
    lines = found.sides[0].figures
    figures = []
    for line in lines:
        share = line.recalled / line.questions
        words = f"{line.recalled} of {line.questions} recalled, {line.first} found first, {line.p95_ms:g} ms at p95"
        figures.append(Figure(line.style, round(share, 3), words))
    return Evaluation("recall", found.sentences[0], lines[0].recalled >= 0.8 * lines[0].questions, tuple(figures))


def _injections(engine: Engine, asker: Asker, _: Progress | None) -> Evaluation:
    """What was told to sessions, and whether it was used."""
    start = engine.clock() - DAYS * MICROS_PER_DAY
    with engine.store.reading() as reader:
        readable = asker.places("project")
        mine = {one.session for one in reader.sessions(asker.namespace, readable, limit=EVERY)}
        told = [one for one in reader.injections(asker.namespace, since=start, limit=EVERY) if one.session in mine]
        records = reader.records(asker.namespace, list({one.address for one in told}), asker.places(), CURRENT)
        uses = reader.uses([record.entry for record in records])
    if not told:
        return Evaluation("injections", f"No session was told anything in the last {DAYS} days.", None, ())
    used = {record.node.address for record in records if (use := uses.get(record.entry)) and use.used}
    distinct = {one.address for one in told}
    tokens = sum(one.tokens for one in told)
    useful = sum(one.tokens for one in told if one.address in used)
    share = len(used) / len(distinct)
    figures = (
        Figure("precision", round(share, 3), f"{len(used)} of {counted(len(distinct), 'told memory')} used"),
        Figure("tokens", tokens, f"{tokens:,} tokens told, {useful:,} of them for what was used"),
    )
    says = (
        f"{counted(len(told), 'telling')} in {counted(len({one.session for one in told}), 'session')}; "
        f"{share:.0%} of the memories were used."
    )
    return Evaluation("injections", says, share >= USED_LEAST, figures)


def _compression(engine: Engine, asker: Asker, _: Progress | None) -> Evaluation:
    """How much shorter observations are than what hosts reported."""
    start = engine.clock() - DAYS * MICROS_PER_DAY
    wanted = Filter(projects=(asker.scope.project,), kinds=("observation",), since=start, include_superseded=True)
    before = after = count = 0
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock(), EVERY)
        said = reader.occurrences(entries, CURRENT)
        for entry, _address, content in reader.texts_of(entries):
            sizes = [one.fields.get("before") for one in said.get(entry, [])]
            known = sum(size for size in sizes if isinstance(size, int))
            if known:
                before, after, count = (
                    before + known // CHARACTERS_PER_TOKEN,
                    after + token_estimate(content),
                    count + 1,
                )
    if not count:
        return Evaluation("compression", f"Nothing was observed in the last {DAYS} days.", None, ())
    ratio = before / max(1, after)
    words = f"{before:,} tokens reported, {after:,} kept in {count:,} observations"
    says = (
        f"What hosts reported is kept in {1 / ratio:.0%} of its length."
        if ratio >= 1
        else "It is kept longer than told."
    )
    return Evaluation("compression", says, ratio >= SHORTER_LEAST, (Figure("ratio", round(ratio, 1), words),))


def _coverage(engine: Engine, asker: Asker, _: Progress | None) -> Evaluation:
    """How much of the code something is known about, as `marrow coverage` counts it; without code, how many files."""
    try:
        root = project_root(asker)
        code = coverage(engine, asker)
    except MarrowError as problem:
        return Evaluation("coverage", problem.message, None, ())
    files = [path for path in listed(root) if not is_generated(path) and not is_binary_name(path)][:FILES_MAX]
    if not files:
        return Evaluation("coverage", "The project has no files.", None, ())
    with engine.store.reading() as reader:
        pinned = known_here(reader, asker, files, engine.clock())
    words = f"{len(pinned)} of {counted(len(files), 'file')} with a memory pinned"
    figures = [Figure("files", round(len(pinned) / len(files), 3), words)]
    share, says = figures[0].value, words
    if code.lines:
        share = code.known_lines / code.lines
        says = f"{code.known:,} of {code.symbols:,} functions and types are known, {share:.0%} of their lines"
        figures.append(Figure("code", round(share, 3), says))
    known = pinned.keys() | {part.path for part in code.parts if part.known}
    notes = _unknown(files, known)
    is_well = share >= KNOWN_LEAST
    if not is_well and code.lines:
        notes.append("`marrow coverage` lists the longest that nothing is known about")
    return Evaluation("coverage", f"{says}.", is_well, tuple(figures), tuple(notes))


def _unknown(files: Sequence[str], known: AbstractSet[str]) -> list[str]:
    """The folders in which nothing is known about any file, the largest first."""
    folders: dict[str, list[bool]] = {}
    for path in files:
        folders.setdefault(path.rpartition("/")[0] or ".", []).append(path in known)
    blank = sorted((folder for folder, some in folders.items() if not any(some)), key=lambda f: (-len(folders[f]), f))
    return [
        f"nothing is known about {folder} ({counted(len(folders[folder]), 'file')})" for folder in blank[:UNKNOWN_SHOWN]
    ]


def _health(engine: Engine, asker: Asker, _: Progress | None) -> Evaluation:
    """How much of what is held may not hold any more, and what stays open."""
    now = engine.clock()
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=asker.places("project")), CURRENT, now, EVERY)
        records = reader.records_of(entries, CURRENT)
    if not records:
        return Evaluation("health", "Nothing is known here yet.", None, ())
    drifted = sum(bool(record.standing.drift) for record in records)
    unsure = sum(record.standing.confidence < 0.5 for record in records)
    open_ones = sum(record.node.kind in ("gap", "question") for record in records)
    share = 1 - (drifted + unsure) / len(records)
    figures = (
        Figure("drifted", drifted, f"{drifted} of {len(records)} are about code that changed or went"),
        Figure("unsure", unsure, f"{unsure} have little confidence"),
        Figure("open", open_ones, f"open questions and gaps: {open_ones}"),
    )
    return Evaluation(
        "health", f"{share:.0%} of {counted(len(records), 'memory')} undoubted.", share >= SURE_LEAST, figures
    )


EVALUATIONS: dict[str, Callable[[Engine, Asker, Progress | None], Evaluation]] = {
    "recall": _recall,
    "injections": _injections,
    "compression": _compression,
    "coverage": _coverage,
    "health": _health,
}
