"""Bench recall: does this memory find what it holds, and would another embedder help it?

Asks the memory for nodes of its own, by questions that are made from them. Only reads: nothing is counted as recalled,
and another embedder's vectors are held in memory, beside the store's.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from ..model.errors import Invalid, NotFound
from ..model.node import KINDS
from ..model.record import CURRENT, Filter
from ..model.scope import READ
from ..providers.embedder import Embedder
from ..search.known_items import (
    BLURRED,
    SENTENCE,
    STYLES,
    WORDS,
    Vocabulary,
    is_askable,
    passage_asked,
    questions_about,
)
from ..search.known_items import READ as TEXT_READ
from ..store.bm25 import rarity
from ..store.protocol import Reader
from ..store.revectored import Revectored
from ..store.terms import terms_of
from .engine import Asker, Engine
from .recall import NOT_RECALLED, recall
from .search import search

if TYPE_CHECKING:
    from ..store.protocol import Vector

Progress = Callable[[int, "int | None"], None]
NODES_MAX = 10_000
# So many places are looked at; what is not among them counts as the next.
RANKED = 20
FEW = 5
# How many texts lend the words that others are blurred with, and how many are embedded at once.
VOCABULARY_TEXTS = 1_000
BATCH = 64
EVERY_STYLE = "all"
CALLED_MAX = 24
# A difference that would come by chance this often is none.
CHANCE = 0.05
# The share of what is asked by its own words that a recall must have.
WORKS = 0.8
WHAT_IS_MISSED = "`marrow bench recall --json` lists what, `marrow explain` says why"
ASKED_BY = {WORDS: "asked by their words", SENTENCE: "by a sentence without these", BLURRED: "by related words"}


class Figures(NamedTuple):
    """Of the questions in one style: how often the node came first and among five, its mean rank (what is not among
    twenty counts as the next), in how many recalls it was, how many others came along, and how long a recall took."""

    style: str
    questions: int
    first: int
    in_five: int
    mean_rank: float
    recalled: int
    others: float
    p50_ms: float
    p95_ms: float


class Missed(NamedTuple):
    """A question whose node did not come first, or was not recalled. Rank 0: not among twenty."""

    address: str
    style: str
    question: str
    rank: int
    recalled: bool


class Side(NamedTuple):
    """What one embedder gave: a line of figures for each style, and one for all. `note` says what it went without."""

    name: str
    model: str
    note: str
    figures: tuple[Figures, ...]
    missed: tuple[Missed, ...]

    @property
    def called(self) -> str:
        """Its name as it is told: of a long path the end."""
        return self.name if len(self.name) <= CALLED_MAX else f"…{self.name[1 - CALLED_MAX :]}"


class Benched(NamedTuple):
    """`nodes` were asked about, of so many that are `active`. The first side is the memory as it is."""

    project: str
    active: int
    nodes: int
    seed: int
    sides: tuple[Side, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Asked:
    entry: int
    address: str
    style: str
    text: str


@dataclass(frozen=True, slots=True)
class _Tried:
    asked: _Asked
    rank: int
    recalled: bool
    others: int
    ms: float


def bench_recall(
    engine: Engine,
    asker: Asker,
    *,
    nodes: int = 100,
    seed: int = 1,
    name: str = "",
    embedders: Sequence[tuple[str, Embedder]] = (),
    progress: Progress | None = None,
) -> Benched:
    """Ask for up to so many nodes of the project, with the memory's own embedder (called `name`) and with others."""
    if not 1 <= nodes <= NODES_MAX:
        raise Invalid(f"questions is a number from 1 to {NODES_MAX:,}.", field="questions")
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    engine = engine.uncounted()  # only asked what would be: it is not counted
    with engine.store.reading() as reader:
        texts = _texts(reader, asker, engine.clock())
        asked, active, sampled = _questions(reader, asker, engine.clock(), nodes, seed)
    steps = _Steps(
        progress, len(asked) * (1 + len(embedders)) + len(texts) * sum(e.dimensions > 0 for _, e in embedders)
    )
    tried = [_try_all(engine, asker, asked, steps)]
    sides = [_side(name or engine.embedder.model, engine.embedder, _note(engine, asker), tried[0])]
    for called, other in embedders:
        tried.append(_try_all(_with(engine, other, texts, steps), asker, asked, steps))
        sides.append(_side(called, other, "", tried[-1]))
    said = [
        _says(sides[0]),
        *(_compared(sides[0], tried[0], *other) for other in zip(sides[1:], tried[1:], strict=True)),
    ]
    return Benched(asker.scope.project, active, sampled, seed, tuple(sides), tuple(said))


class _Steps:
    """Counts what is done, for whoever waits."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def forward(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)


def _texts(reader: Reader, asker: Asker, now: int) -> list[tuple[int, str]]:
    """(entry, content) of everything that a recall from here can find."""
    entries = reader.select(asker.namespace, Filter(projects=asker.places()), CURRENT, now)
    return [(entry, content) for entry, _, content in reader.texts_of(entries)]


def _questions(reader: Reader, asker: Asker, now: int, nodes: int, seed: int) -> tuple[list[_Asked], int, int]:
    """The questions, how many nodes are active here, and how many are asked about. The choice is by address, so it is
    the same in every store. What is pinned is recalled whatever is asked, and what is of some kinds never: these are
    not asked about."""
    here = Filter(projects=asker.places("project"), kinds=tuple(kind for kind in KINDS if kind not in NOT_RECALLED))
    active = len(reader.select(asker.namespace, here, CURRENT, now))
    loose = reader.texts_of(reader.select(asker.namespace, replace(here, pinned=False), CURRENT, now))
    known = sorted(loose, key=lambda text: text[1])
    Random(seed).shuffle(known)
    chosen: list[tuple[int, str, str, Random]] = []
    for entry, address, content in known:
        if len(chosen) == nodes:
            break
        if is_askable(content):
            chance = Random(f"{seed} {address}")  # its own: what is asked about it does not depend on the others
            chosen.append((entry, address, passage_asked(content, chance), chance))
    if not chosen:
        raise NotFound(
            f"No memory of {asker.scope.project or 'the global scope'} is long enough to be asked about.",
            hint="Save a few sentences first, or name another project.",
            field="project",
        )
    vocabulary = Vocabulary.of(content for _, _, content in known[:VOCABULARY_TEXTS])
    rarities = _rarities(reader, asker, (text for _, _, text, _ in chosen))
    made = [
        _Asked(entry, address, question.style, question.text)
        for entry, address, text, chance in chosen
        for question in questions_about(text, rarities, vocabulary, chance)
    ]
    return made, active, len(chosen)


def _rarities(reader: Reader, asker: Asker, texts: Iterable[str]) -> dict[str, float]:
    terms = sorted({term for text in texts for term in terms_of(text[:TEXT_READ])})
    count, holders = reader.frequencies(asker.namespace, terms, asker.places())
    return {term: rarity(count, holders.get(term, 0)) for term in terms}


def _with(engine: Engine, other: Embedder, texts: Sequence[tuple[int, str]], steps: _Steps) -> Engine:
    """The same engine over the same store, but with another embedder and its vectors."""
    made: dict[int, Vector] = {}
    alone = replace(engine, embedder=other, refiner=None)
    for at in range(0, len(texts) if other.dimensions else 0, BATCH):
        batch = texts[at : at + BATCH]
        vectors = alone.vectors([content for _, content in batch])  # by passage, as a store keeps them
        made.update((entry, vector) for (entry, _), vector in zip(batch, vectors, strict=True))
        steps.forward(len(batch))
    return replace(alone, store=Revectored(engine.store, (other.model, other.dimensions), made))


def _try_all(engine: Engine, asker: Asker, asked: Sequence[_Asked], steps: _Steps) -> list[_Tried]:
    recall(engine, asker, asked[0].text)  # what is loaded with the first question is not its time
    found = []
    for one in asked:
        found.append(_try(engine, asker, one))
        steps.forward(1)
    return found


def _try(engine: Engine, asker: Asker, asked: _Asked) -> _Tried:
    hits = search(engine, asker, asked.text, Filter(projects=asker.places()), limit=RANKED).hits
    rank = next((place for place, hit in enumerate(hits, 1) if hit.record.entry == asked.entry), 0)
    started = time.perf_counter()
    given = recall(engine, asker, asked.text)
    ms = (time.perf_counter() - started) * 1000
    told = [kept.record.entry for kept in given.relevant] + [record.entry for record in given.questions]
    is_told = asked.entry in told
    return _Tried(asked, rank, is_told, len(told) - is_told, ms)


def _note(engine: Engine, asker: Asker) -> str:
    """What the memory goes without as it is: its vectors may be another embedder's."""
    return search(engine, asker, "x", Filter(projects=()), limit=1).degraded


def _side(name: str, embedder: Embedder, note: str, tried: Sequence[_Tried]) -> Side:
    of_style = ((style, [one for one in tried if one.asked.style == style]) for style in STYLES)
    figures = [_figures(style, of) for style, of in of_style if of]
    missed = tuple(
        Missed(one.asked.address, one.asked.style, one.asked.text, one.rank, one.recalled)
        for one in tried
        if one.rank != 1 or not one.recalled
    )
    return Side(name, embedder.model, note, (*figures, _figures(EVERY_STYLE, tried)), missed)


def _figures(style: str, tried: Sequence[_Tried]) -> Figures:
    count = len(tried)
    times = sorted(one.ms for one in tried)
    return Figures(
        style=style,
        questions=count,
        first=sum(one.rank == 1 for one in tried),
        in_five=sum(1 <= one.rank <= FEW for one in tried),
        mean_rank=round(sum(one.rank or RANKED + 1 for one in tried) / count, 2),
        recalled=sum(one.recalled for one in tried),
        others=round(sum(one.others for one in tried) / count, 2),
        p50_ms=round(_quantile(times, 0.5), 2),
        p95_ms=round(_quantile(times, 0.95), 2),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def _says(side: Side) -> str:
    """Whether recall works is judged by the easiest style: that the others find less is what they are for."""
    easiest = side.figures[0]
    works = easiest.recalled >= WORKS * easiest.questions
    verdict = "Recall works here" if works else f"Recall misses much here ({WHAT_IS_MISSED})"
    parts = [f"{line.recalled} of {line.questions} {ASKED_BY[line.style]}" for line in side.figures[:-1]]
    return f"{verdict}: with {side.called} it has {', '.join(parts)}."


def _compared(own: Side, own_tried: Sequence[_Tried], side: Side, tried: Sequence[_Tried]) -> str:
    """What another embedder would change, in a sentence. What may be chance is said to be enough as it is."""
    pairs = list(zip(own_tried, tried, strict=True))
    first = [(other.rank == 1) - (mine.rank == 1) for mine, other in pairs]
    told = [other.recalled - mine.recalled for mine, other in pairs]
    found = f"{side.called} finds {_more(sum(first))} of {len(pairs)} first and recalls {_more(sum(told))}"
    signs = {_sign(first), _sign(told)}
    if signs == {1, -1}:
        return f"{found}: each is better at one of them."
    if 1 in signs:
        return f"{found}: it would help here."
    return f"{found}: {own.called} is {'better' if -1 in signs else 'enough'}."


def _more(difference: int) -> str:
    return "as many" if not difference else f"{abs(difference)} {'more' if difference > 0 else 'fewer'}"


def _sign(changes: Sequence[int]) -> int:
    """1 when it is better by more than chance, -1 when it is worse by that, else 0: an exact sign test."""
    better, worse = changes.count(1), changes.count(-1)
    count = better + worse
    tail = sum(math.comb(count, k) for k in range(min(better, worse) + 1)) / 2**count
    return 0 if 2 * tail > CHANCE else (1 if better > worse else -1)
