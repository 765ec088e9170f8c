#!/usr/bin/env python3
"""What each part of search and recall is worth: everything, then everything without one part.

    python bench/ablation.py CASES.json … [--quick] [--only PART …] [--out bench/results/ablation.json]

The case files are those of `learn.py`, whose code search comes to them; recall is measured on the worlds of
`precision/worlds`. A part is taken out by putting something that does nothing in its place, in this process; the
memories are built once. Three worlds were looked at while the cut was tuned and three were not: of these only the sums
are shown. A part that acts in the cut alone cannot change a search: there the figures of everything stand.

The last column counts the answers that came out otherwise, by their ten best or by what was recalled. Where it is
nothing, the part never acted, and no set here says what it is worth.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

sys.path.insert(0, str(Path(__file__).parent / "precision"))  # before this folder, which has a `run` of its own

from marrow_system import Marrow

from learn import CODE, Corpus, case_files, measure, remembered, standard_library
from marrow.search import cut, find, gather, question, relevance, replaced, signals, weights
from marrow.search.weights import COMMITTED, LEARNED, TAKEN_IN
from retrieval_adapter import Adapter
from run import judge, worlds

HERE = Path(__file__).parent
DEV, HELD_OUT = ("campus", "ferry", "pantry"), ("lathe", "lumen", "signal")
LIMIT = 50
SIGNALS = ("recency", "confidence", "priority", "reinforcement", "drift", "usefulness", "domain")
LENT = ("two_before", "reply")

# The columns: what is shown above, the set and the measure.
SEARCHED = (
    ("locomo any@5", "locomo-turns", "any@5"),
    ("locomo ndcg", "locomo-turns", "ndcg@10"),
    ("decis. any@1", "decisions", "any@1"),
    ("decis. stale", "decisions", "stale"),
    ("code any@5", CODE, "any@5"),
    ("code ndcg", CODE, "ndcg@10"),
)
RECALLED = ("dev prec.", "dev recall", "held prec.", "held recall")
CHANGED = "changed"
SHOWN = 10


class Part(NamedTuple):
    """What is put in the place of what, so that a part does nothing; whether a search without the cut can notice."""

    name: str
    changes: tuple[tuple[Any, str, Any], ...]
    in_search: bool = True


def nothing(*_: object, **__: object) -> None:
    """Stands for a step that adds to what it is given."""


def weightless(*names: str) -> tuple[tuple[Any, str, Any], ...]:
    none = dict.fromkeys(names, 0.0)
    told = LEARNED._replace(**none)
    read = (("TAKEN_IN", TAKEN_IN), ("COMMITTED", COMMITTED))
    return (
        (find, "LEARNED", told),
        (weights, "LEARNED", told),
        *((weights, name, known._replace(**none)) for name, known in read),
    )


def without_signals(*names: str) -> tuple[Any, str, Any]:
    def weigh(*given: Any) -> list[tuple[str, float]]:
        return [(name, factor) for name, factor in signals.weigh(*given) if name not in names]

    return (find, "weigh", weigh)


def parts() -> list[Part]:
    """Everything, and then what can be left out. Words and meaning go wholly: as candidates, lent, and in the cut."""
    return [
        Part("everything", ()),
        Part("words", ((gather, "_by_words", nothing), (relevance, "COVERED", 0.0))),
        Part("meaning", ((gather, "_by_meaning", lambda *_: (None, "")),)),
        Part("phrases in the cut", ((relevance, "TOGETHER", 0.0),), in_search=False),
        Part("all that is lent", weightless(*LENT)),
        *(Part(name, weightless(name)) for name in (*LENT, "asking", "dated")),
        Part("all signals", (without_signals(*SIGNALS),)),
        *(Part(name, (without_signals(name),)) for name in SIGNALS),
        Part("later_first", ((find, "later_first", list),)),
        Part("links", ((find, "SOURCES", 0),)),
        Part("other names", ((gather, "_other_names", lambda *_: {}),)),
        Part("spoken time", ((question, "spoken_time", nothing),)),
        Part("files at hand", ((gather, "_at_hand", nothing),), in_search=False),
        Part("passages", ((relevance, "passages_of", lambda text: (text,)),), in_search=False),
        Part("kind asked", ((cut, "is_asked_for", lambda *_: False),), in_search=False),
        Part("replaced (_current)", ((cut, "_current", lambda *given: given[1]),), in_search=False),
        Part("a time named anew", ((replaced, "renewed_value", lambda *_: ""),), in_search=False),
        Part("replaced by meaning", ((cut, "ANSWERS_TOO", math.inf),), in_search=False),
        Part("told once (_once)", ((cut, "_once", lambda *given: given[1]),), in_search=False),
        Part("SHARE_OF_BEST", tuple((cut, n, 0.0) for n in ("SHARE_OF_BEST", "SHARE_OF_BEST_LONG")), False),
        Part("verbs of asking", ((question, "GENERIC_SHARE", 1.0),), in_search=False),
        Part("siblings of the best", ((cut, "SIBLING_SHARE", 1.0),), in_search=False),
        Part("LEAST", ((cut, "LEAST", 0.0),), in_search=False),
        Part("likeness", ((cut, "COVERED_MIN", 0.0), (cut, "MEANING_MIN", 0.0)), in_search=False),
        # Either may do the other's work, so that neither is missed alone.
        Part("LEAST and likeness", tuple((cut, n, 0.0) for n in ("LEAST", "COVERED_MIN", "MEANING_MIN")), False),
    ]


class Bench:
    """The memories of every set and world, built once, and what a part that is taken out does to them."""

    def __init__(self, sets: dict[str, list[Corpus]], chosen: Sequence[dict[str, Any]], folder: Path) -> None:
        self.sets = {
            name: [(corpus, remembered(corpus, folder / name / corpus["id"])) for corpus in corpora]
            for name, corpora in sets.items()
        }
        self.worlds = [(world, self.world(world, folder / "worlds" / world["name"])) for world in chosen]

    @staticmethod
    def world(world: dict[str, Any], folder: Path) -> Marrow:
        folder.mkdir(parents=True)
        system = Marrow(folder)
        system.remember(world)
        return system

    def searched(self) -> tuple[dict[str, float], list[list[str]]]:
        """The columns of search, and what came first for every question."""
        found: dict[str, list[dict[str, float]]] = {}
        answers = []
        for name, corpora in self.sets.items():
            asked = [(case, ranked) for corpus, adapter in corpora for case, ranked in searches(corpus, adapter)]
            found[name] = [measure(ranked, case) for case, ranked in asked]
            answers += [ranked[:SHOWN] for _, ranked in asked]
        row = {}
        for shown, name, metric in SEARCHED:
            values = [one[metric] for one in found.get(name, ()) if metric in one]
            row[shown] = statistics.mean(values) if values else float("nan")
        return row, answers

    def recalled(self) -> tuple[dict[str, float], list[list[str]]]:
        """The columns of recall, and what was told for every case."""
        row, answers = {}, []
        for (precise, whole), names in ((RECALLED[:2], DEV), (RECALLED[2:], HELD_OUT)):
            chosen = [(world, system) for world, system in self.worlds if world["name"] in names]
            told = [(case, given) for world, system in chosen for case, given in recalls(world, system)]
            judged = [judge(case, given) for case, given in told]
            answers += [given for _, given in told]
            row[precise] = statistics.mean(precision for precision, _ in judged) if judged else float("nan")
            row[whole] = statistics.mean(recall for _, recall in judged) if judged else float("nan")
        return row, answers

    def close(self) -> None:
        for corpora in self.sets.values():
            for _, adapter in corpora:
                adapter.memory.close()
        for _, system in self.worlds:
            system.close()


def searches(corpus: Corpus, adapter: Adapter) -> Iterator[tuple[dict[str, Any], list[str]]]:
    for case in corpus["questions"]:
        yield case, adapter.recall(case["q"], LIMIT)["ids"]


def recalls(world: dict[str, Any], system: Marrow) -> Iterator[tuple[dict[str, Any], list[str]]]:
    for case in world["cases"]:
        yield case, system.recall(case)
        for memory in system.opened.values():
            memory.engine.recalled.clear()  # what one row recalled must not weigh in the next


def measured(bench: Bench, chosen: Sequence[Part], tell: Callable[[str], None]) -> dict[str, dict[str, float]]:
    table: dict[str, dict[str, float]] = {}
    whole = bench.searched(), bench.recalled()
    for part in chosen:
        with ExitStack() as stack:
            for owner, name, value in part.changes:
                stack.enter_context(patch.object(owner, name, value))
            found = (bench.searched() if part.in_search else whole[0]), bench.recalled()
        before, after = ([answer for _, answers in both for answer in answers] for both in (whole, found))
        changed = sum(old != new for old, new in zip(before, after, strict=True))
        table[part.name] = found[0][0] | found[1][0] | {CHANGED: changed}
        tell(line(part.name, table[part.name], table["everything"]))
    return table


def line(name: str, row: dict[str, float], whole: dict[str, float]) -> str:
    """A row: everything as it is, each other one as what is gained or lost without it."""
    columns = [column for column in row if column != CHANGED]
    if row is whole:
        shown = [f"{row[column]:>13.3f}" for column in columns]
    else:
        lost = [row[column] - whole[column] for column in columns]
        # A difference of nothing is a dot, so that what matters can be seen.
        shown = [f"{value:>+13.3f}" if abs(value) >= 0.0005 else f"{'.':>13}" for value in lost]
    return f"{name:<21}" + "".join(shown) + f"{row[CHANGED]:>9}"


def smaller(sets: dict[str, list[Corpus]]) -> dict[str, list[Corpus]]:
    """The first corpus of each set and a few of its questions: to see that everything runs."""
    return {name: [corpora[0] | {"questions": corpora[0]["questions"][:20]}] for name, corpora in sets.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path, nargs="*", help="case files")
    parser.add_argument("--quick", action="store_true", help="a few questions of each set and one world")
    parser.add_argument("--only", nargs="+", default=[], help="these parts")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "ablation.json")
    given = parser.parse_args()
    functions, questions = (300, 20) if given.quick else (3_000, 300)
    sets = case_files(given.cases) | {CODE: [standard_library(functions, questions)]}
    chosen = [part for part in parts() if not given.only or part.name in ("everything", *given.only)]
    with tempfile.TemporaryDirectory() as folder:
        names = DEV[:1] if given.quick else (*DEV, *HELD_OUT)
        bench = Bench(
            smaller(sets) if given.quick else sets, list(worlds(HERE / "precision" / "worlds", names)), Path(folder)
        )
        columns = [*(shown for shown, _, _ in SEARCHED), *RECALLED]
        print(f"{'without':<21}" + "".join(f"{column:>13}" for column in columns) + f"{CHANGED:>9}")
        table = measured(bench, chosen, lambda text: print(text, flush=True))
        bench.close()
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(table, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
