"""What an embedder is measured with: sets of questions with one right text each, and the figures. numpy alone."""

from __future__ import annotations

import ast
import json
import random
import sysconfig
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus import read

HERE = Path(__file__).parent
PARAPHRASES = HERE.parent / "bench" / "paraphrase" / "pairs.json"
Encode = Callable[[Sequence[str]], NDArray]


@dataclass(frozen=True)
class Questions:
    """`asked[i]` is answered by `texts[i]`; texts beyond are there to be confused with."""

    name: str
    asked: list[str]
    texts: list[str]


def _functions(path: Path) -> Iterator[tuple[str, str]]:
    """The docstring and the code of each function of a file, as the project's own code search takes them."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (SyntaxError, UnicodeDecodeError, ValueError):
        return
    lines = text.splitlines()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and len(node.body) >= 2:
            said = " ".join((ast.get_docstring(node) or "").split())
            if 4 <= len(said.split()) <= 60:
                doc = node.body[0]
                kept = lines[node.lineno - 1 : doc.lineno - 1] + lines[doc.end_lineno or doc.lineno : node.end_lineno]
                yield said, textwrap.dedent("\n".join(kept))[:1_500]


def library(count: int = 6_000, asked: int = 2_000) -> Questions:
    """The standard library of the interpreter: docstrings ask, functions answer."""
    root = Path(sysconfig.get_path("stdlib"))
    files = [p for p in sorted(root.rglob("*.py")) if not {"site-packages", "test", "tests"} & set(p.parts)]
    known = {code: said for path in files for said, code in _functions(path)}
    chosen = random.Random(4).sample(sorted(known), min(count, len(known)))
    return Questions("library", [known[code] for code in chosen[:asked]], chosen)


def held_out(folder: Path) -> Iterator[Questions]:
    """Of repositories that were kept out of the training: commits, functions, sections, tickets."""
    by_kind: dict[str, list[list[str]]] = {}
    for row in read(folder / "heldout.jsonl.xz"):
        by_kind.setdefault(row[0], []).append(row)
    for kind in ("python", "code", "commit", "doc", "same"):
        rows = by_kind.get(kind, [])
        if len(rows) >= 50:
            yield Questions(f"heldout-{kind}", [row[1] for row in rows[:1_500]], [row[2] for row in rows])


def dev() -> Questions:
    """Sixty pairs with few words in common, among texts of the held-out commits."""
    pairs = json.loads((HERE / "dev_pairs.json").read_text())
    others = [row[2] for row in read(HERE / "data" / "heldout.jsonl.xz") if row[0] == "commit"][:600]
    return Questions("dev", [pair[0] for pair in pairs], [pair[1] for pair in pairs] + others)


def paraphrases() -> Questions | None:
    """The project's own set. Nothing is chosen by it, and nobody who trains reads it."""
    if not PARAPHRASES.exists():
        return None
    pairs = json.loads(PARAPHRASES.read_text())["pairs"]
    return Questions("paraphrase", [pair["question"] for pair in pairs], [pair["memory"] for pair in pairs])


def figures(scores: NDArray) -> dict[str, float]:
    """Of a matrix with a row a question, whose right text has the number of the row."""
    right = scores[np.arange(len(scores)), np.arange(len(scores))][:, None]
    place = 1 + (scores > right).sum(axis=1) + ((scores == right).sum(axis=1) - 1) / 2
    return {"R@1": float((place <= 1).mean()), "any@5": float((place <= 5).mean()), "MRR": float((1 / place).mean())}


def dense(questions: Questions, asks: Encode, answers: Encode) -> dict[str, float]:
    return figures(asks(questions.asked).astype(np.float32) @ answers(questions.texts).astype(np.float32).T)


def shown(table: dict[str, dict[str, dict[str, float]]]) -> str:
    """A table with a line a model and, a set, R@1 / any@5 / MRR."""
    sets = list(next(iter(table.values())))
    lines = ["| model | " + " | ".join(sets) + " |", "|---|" + "---|" * len(sets)]
    for model, found in table.items():
        cells = (
            " / ".join(f"{value:.3f}"[1:] if value < 1 else "1" for value in found[name].values()) for name in sets
        )
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
