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
import written
from numpy.typing import NDArray

from corpus import read

HERE = Path(__file__).parent
PARAPHRASES = HERE.parent / "bench" / "paraphrase"
Encode = Callable[[Sequence[str]], NDArray]


@dataclass(frozen=True)
class Questions:
    """`asked[i]` is answered by `texts[right[i]]`, or by `texts[i]` where `right` is empty."""

    name: str
    asked: list[str]
    texts: list[str]
    right: tuple[int, ...] = ()

    def first(self, most: int) -> Questions:
        """A smaller set: half as many questions as texts. For a quick look."""
        right = self.right or tuple(range(len(self.asked)))
        asked = sum(at < most for at in right[: most // 2])
        return Questions(self.name, self.asked[:asked], self.texts[:most], right[:asked])


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


def kept_out() -> Questions:
    """What was written for the training, but kept out of it: three questions a memory."""
    rows = written.read(kept_out=True)
    right = tuple(at for at, row in enumerate(rows) for _ in row.questions)
    return Questions(
        "written", [question for row in rows for question in row.questions], [r.memory for r in rows], right
    )


def paraphrases() -> Iterator[Questions]:
    """The project's own two sets. Nothing is chosen by them, and nobody who trains reads them."""
    for name, file in (("ordinary", "ordinary.json"), ("hard", "pairs.json")):
        if (PARAPHRASES / file).exists():
            pairs = json.loads((PARAPHRASES / file).read_text())["pairs"]
            yield Questions(name, [pair["question"] for pair in pairs], [pair["memory"] for pair in pairs])


def figures(scores: NDArray, right: Sequence[int] = ()) -> dict[str, float]:
    """Of a matrix with a row a question, whose right text is that of `right`, or has the number of the row."""
    answer = scores[np.arange(len(scores)), np.array(right) if right else np.arange(len(scores))][:, None]
    place = 1 + (scores > answer).sum(axis=1) + ((scores == answer).sum(axis=1) - 1) / 2
    return {"R@1": float((place <= 1).mean()), "any@5": float((place <= 5).mean()), "MRR": float((1 / place).mean())}


def dense(questions: Questions, asks: Encode, answers: Encode) -> dict[str, float]:
    scores = asks(questions.asked).astype(np.float32) @ answers(questions.texts).astype(np.float32).T
    return figures(scores, questions.right)


def shown(table: dict[str, dict[str, dict[str, float]]]) -> str:
    """A table with a line a model and, a set, R@1 / any@5 / MRR."""
    sets = list(next(iter(table.values())))
    lines = ["| model | " + " | ".join(sets) + " |", "|---|" + "---|" * len(sets)]
    for model, found in table.items():
        cells = (
            " / ".join(f"{value:.3f}"[1:] if value < 1 else "1" for value in found[name].values())
            if name in found
            else "–"
            for name in sets
        )
        lines.append(f"| {model} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
