#!/usr/bin/env python3
"""Learns how much each piece of evidence weighs: the numbers of src/marrow/search/weights.py.

    python bench/learn.py CASES.json … [--functions 3000] [--asked 300] [--write]

A case file holds corpora of documents with questions and the ids that answer them, as `retrieval_adapter.py` serves
them. To these comes a code search, made here from the interpreter's own standard library: docstrings ask, sources
answer. The memory is built and read by the package itself, so what is learned is what is used: the candidates of every
question, a row of evidence each. The model is linear, fitted so that what answers stands out among the candidates
(cross-entropy of a softmax over them); every set counts the same.

A corpus is scored by weights that were learned without it and without its questions. The score is the sum of the
evidence alone: signals, links and amendments come after it, and no set here could teach their weight.
"""

from __future__ import annotations

import argparse
import ast
import json
import math
import random
import re
import sys
import sysconfig
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy as np

from marrow.model.address import shown
from marrow.model.record import Filter
from marrow.search import find, weights
from marrow.search.question import Question
from marrow.search.weights import LEARNED, Weights, counted
from retrieval_adapter import Adapter

LIMIT = 50
# No set asks about files, and few questions speak of a time: these stay in their proportion to `words`.
KEPT = ("in_time", "at_hand", "named", "filed")
NAMES = tuple(name for name in Weights._fields if name not in KEPT)
L2, STEPS, RATE = 0.01, 600, 0.05
SEED = 7
CODE = "code"
CODE_FOLDS = 3
DOCSTRING_WORDS = (5, 30)
SOURCE_MAX = 1_500
METRICS = ("any@1", "any@5", "ndcg@10")

Corpus = dict[str, Any]
Rows = np.ndarray


class Asked(NamedTuple):
    """A question with its candidates: a row of evidence, the ids and whether it answers, for each."""

    of: str
    fold: str
    case: dict[str, Any]
    rows: Rows
    ids: list[list[str]]
    gold: Rows


def case_files(paths: Sequence[Path]) -> dict[str, list[Corpus]]:
    read = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return {cases["set"]: cases["corpora"] for cases in read}


def standard_library(functions: int, asked: int) -> Corpus:
    """Functions of the interpreter's own library; of some, the docstring is the question."""
    root = Path(sysconfig.get_path("stdlib"))
    files = [p for p in sorted(root.rglob("*.py")) if not {"site-packages", "test", "tests"} & set(p.parts)]
    known = {source: docstring for path in files for docstring, source in _functions(path)}
    chosen = random.Random(SEED).sample(sorted(known), min(functions, len(known)))
    docs = [{"id": f"f{number}", "text": source} for number, source in enumerate(chosen)]
    return {
        "id": CODE,
        "docs": docs,
        "questions": [{"q": known[doc["text"]], "gold": [doc["id"]]} for doc in docs[:asked]],
    }


def _functions(path: Path) -> Iterator[tuple[str, str]]:
    """The docstring and the source without it of each function in a file."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (SyntaxError, UnicodeDecodeError):
        return  # some files of the library are there to be wrong
    lines = text.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or len(node.body) < 2:
            continue
        docstring = " ".join((ast.get_docstring(node) or "").split())
        if DOCSTRING_WORDS[0] <= len(docstring.split()) <= DOCSTRING_WORDS[1]:
            said = node.body[0]
            source = lines[node.lineno - 1 : said.lineno - 1] + lines[said.end_lineno or said.lineno : node.end_lineno]
            yield docstring, textwrap.dedent("\n".join(source))[:SOURCE_MAX]


def remembered(corpus: Corpus, folder: Path) -> Adapter:
    """A memory of a corpus, in a folder of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    adapter = Adapter(folder)
    adapter.open(corpus["id"])
    adapter.add(corpus["docs"])
    return adapter


def weighed(search: Callable[[], object]) -> list[find.Hit]:
    """The hits of a search before their order is changed and most of them are left out."""
    found: list[find.Hit] = []
    usual = find._weighed

    def listened(*given: Any) -> tuple[list[find.Hit], find.Unread]:
        hits, unread = usual(*given)
        found.extend([*hits, *(read() for read in unread.values())])
        return list(found), {}

    with patch.object(find, "_weighed", listened):
        search()
    return found


def asked_of(name: str, corpus: Corpus, adapter: Adapter) -> Iterator[Asked]:
    """Every question of a corpus with the candidates that `find` reads and weighs."""
    assert adapter.memory is not None
    engine, asker = adapter.memory.engine, adapter.memory.call.asker
    wanted = Filter(projects=asker.places())
    for number, case in enumerate(corpus["questions"]):
        question = Question(case["q"], asker.namespace, wanted, engine.clock(), limit=LIMIT)
        with engine.store.reading() as reader:
            embedder = engine.searching(reader, asker.namespace, wanted.projects)
            hits = weighed(lambda: find.find(reader, embedder, question))  # noqa: B023
        ids = [adapter.ids[shown(hit.record.node.address)] for hit in hits]
        rows = np.array([_row(hit, len(question.terms)) for hit in hits])
        gold = np.array([not set(case["gold"]).isdisjoint(one) for one in ids], dtype=bool)
        fold = f"{CODE}-{number % CODE_FOLDS}" if name == CODE else corpus["id"]
        yield Asked(name, fold, case, rows.reshape(len(hits), len(Weights._fields)), ids, gold)


def _row(hit: find.Hit, terms: int) -> list[float]:
    """The evidence of a hit as it counts for a question of so many terms."""
    assert hit.evidence is not None
    return [counted(hit.record, hit.evidence.words, terms), *(getattr(hit.evidence, n) for n in Weights._fields[1:])]


def measure(ranked: Sequence[str], case: dict[str, Any]) -> dict[str, float]:
    """How well a ranking answers; `stale` is 1 where something outdated stands above what replaced it."""
    gold = set(case["gold"])
    gains = [1 / math.log2(place + 2) for place in range(10)]
    found = {f"any@{k}": float(not gold.isdisjoint(ranked[:k])) for k in (1, 5)}
    gained = sum(gain for gain, one in zip(gains, ranked, strict=False) if one in gold)
    found["ndcg@10"] = gained / sum(gains[: len(gold)])
    if case.get("not_above_gold"):
        first = next((place for place, one in enumerate(ranked) if one in gold), len(ranked))
        is_found = first < len(ranked)
        found["stale"] = float(not is_found or not set(case["not_above_gold"]).isdisjoint(ranked[:first]))
    return found


def scored(asked: Asked, chosen: Weights) -> dict[str, float]:
    order = np.argsort(-(asked.rows @ np.array(chosen)), kind="stable") if len(asked.ids) else []
    return measure([one for place in order for one in asked.ids[place]], asked.case)


def learned(asked: Sequence[Asked]) -> Weights:
    """The weights under which what answers stands out most; `words` weighs what it does now."""
    known = [one for one in asked if one.gold.any()]
    counts = {one.of: sum(other.of == one.of for other in known) for one in known}
    share = np.array([1 / (len(counts) * counts[one.of]) for one in known])
    longest = max(len(one.ids) for one in known)
    rows, gold = np.zeros((len(known), longest, len(NAMES))), np.zeros((len(known), longest))
    is_there = np.zeros((len(known), longest), dtype=bool)
    for place, one in enumerate(known):
        rows[place, : len(one.ids)] = _free(one.rows)
        gold[place, : len(one.ids)] = one.gold / one.gold.sum()
        is_there[place, : len(one.ids)] = True
    each = is_there * (share / is_there.sum(axis=1))[:, None]
    mean = np.einsum("qnf,qn->f", rows, each)
    spread = np.sqrt(np.einsum("qnf,qn->f", (rows - mean) ** 2, each))
    occurs = spread > 0  # what no candidate has cannot be learned, and stays as it is
    fitted = _fit(rows / np.where(occurs, spread, 1.0), gold, is_there, share)[occurs] / spread[occurs]
    found = (round(float(value), 3) for value in fitted * (LEARNED.words / fitted[NAMES.index("words")]))
    names = (name for name, is_known in zip(NAMES, occurs, strict=True) if is_known)
    return LEARNED._replace(**dict(zip(names, found, strict=True)))


def _free(rows: Rows) -> Rows:
    """The columns to learn. What is kept in proportion to `words` is part of that column."""
    free = rows[:, [Weights._fields.index(name) for name in NAMES]]
    for name in KEPT:
        free[:, NAMES.index("words")] += getattr(LEARNED, name) / LEARNED.words * rows[:, Weights._fields.index(name)]
    return free


def _fit(rows: Rows, gold: Rows, is_there: Rows, share: Rows) -> Rows:
    """Adam on the cross-entropy of the gold among the candidates. It is convex: the start does not matter."""
    found, first, second = (np.zeros(rows.shape[2]) for _ in range(3))
    for step in range(1, STEPS + 1):
        logits = np.where(is_there, rows @ found, -np.inf)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        wrong = (odds / odds.sum(axis=1, keepdims=True) - gold) * share[:, None]
        slope = np.einsum("qnf,qn->f", rows, wrong) + 2 * L2 * found
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        found -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return found


def without_each(asked: Sequence[Asked]) -> dict[str, Weights]:
    """For every fold, what is learned from the others: none of its questions, wherever else they are asked."""
    found = {}
    for fold in dict.fromkeys(one.fold for one in asked):
        questions = {one.case["q"] for one in asked if one.fold == fold}
        rest = [one for one in asked if one.fold != fold and one.case["q"] not in questions]
        found[fold] = learned(rest)
    return found


def print_weights(new: Weights, folds: dict[str, Weights], alone: dict[str, Weights]) -> None:
    print(
        f"\n{'weight':<12}{'current':>9}{'learned':>9}   {'without one fold':<18}" + "".join(f"{n:>14}" for n in alone)
    )
    for name in Weights._fields:
        spread = [getattr(one, name) for one in folds.values()]
        shown = f"{min(spread):.3f} to {max(spread):.3f}" if name in NAMES else "kept"
        by_set = "".join(f"{getattr(one, name):>14.3f}" for one in alone.values())
        print(f"{name:<12}{getattr(LEARNED, name):>9.3f}{getattr(new, name):>9.3f}   {shown:<18}{by_set}")


def print_scores(asked: Sequence[Asked], new: Weights, folds: dict[str, Weights]) -> None:
    nothing = Weights(*(0.0 for _ in Weights._fields))
    both = nothing._replace(words=LEARNED.words, meaning=LEARNED.meaning)
    ways: dict[str, Callable[[Asked], Weights]] = {
        "words": lambda one: nothing._replace(words=1.0),
        "words and meaning": lambda one: both,
        "current": lambda one: LEARNED,
        "learned, held out": lambda one: folds[one.fold],
        "learned, seen": lambda one: new,
    }
    for name, group in groupby(asked, key=lambda one: one.of):
        every = list(group)
        missing = sum(not one.gold.any() for one in every)
        print(f"\n{name}: {len(every)} questions, {missing} whose answer is no candidate")
        print(f"  {'':<22}" + "".join(f"{metric:>16}" for metric in METRICS))
        rows = {way: [scored(one, chosen(one)) for one in every] for way, chosen in ways.items()}
        for way, found in rows.items():
            print(f"  {way:<22}" + "".join(f"{np.mean([row[m] for row in found]):>16.3f}" for m in METRICS))
        gains = [
            [new[m] - old[m] for old, new in zip(rows["current"], rows["learned, held out"], strict=True)]
            for m in METRICS
        ]
        # Twice the standard error of the paired difference: a gain within it may be chance.
        noise = (f"{np.mean(gain):+.3f} ±{2 * np.std(gain) / math.sqrt(len(gain)):.3f}" for gain in gains)
        print(f"  {'held out - current':<22}" + "".join(f"{shown:>16}" for shown in noise))


def write(chosen: Weights) -> None:
    """The defaults of the class in weights.py, in their place."""
    path = Path(weights.__file__)
    text = path.read_text(encoding="utf-8")
    for name, value in chosen._asdict().items():
        text, changed = re.subn(rf"(?m)^(    {name}: float = ).*$", rf"\g<1>{value:g}", text)
        assert changed == 1, name
    path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", type=Path, nargs="*", help="case files")
    parser.add_argument("--functions", type=int, default=3_000, help="how many functions the code search has")
    parser.add_argument("--asked", type=int, default=300, help="of how many the docstring is asked")
    parser.add_argument("--write", action="store_true", help="put what was learned into weights.py")
    given = parser.parse_args()
    sets = case_files(given.cases) | {CODE: [standard_library(given.functions, given.asked)]}
    asked: list[Asked] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, corpora in sets.items():
            for corpus in corpora:
                adapter = remembered(corpus, Path(folder) / name / corpus["id"])
                asked += asked_of(name, corpus, adapter)
                adapter.memory.close()
                print(f"read {name} {corpus['id']}", file=sys.stderr)
    new, folds = learned(asked), without_each(asked)
    print_weights(new, folds, {name: learned([one for one in asked if one.of == name]) for name in sets})
    print_scores(asked, new, folds)
    print("\nfor src/marrow/search/weights.py:")
    for name, value in new._asdict().items():
        print(f"    {name}: float = {value:g}")
    if given.write:
        write(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
