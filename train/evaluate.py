"""One table by one command: both tiers, MiniLM, wordllama and BM25 on the paraphrases, held-out text and code.

    PYTHONPATH=src python train/evaluate.py --teacher MODEL_FOLDER [--package train/out/package] [--functions 3000]

A cell is R@1 / any@5 / MRR. Speed is measured on one core: milliseconds for a question of ten words, texts of 200
characters a second, one at a time. The lines for one tier that asks the other show what the shared space is worth.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from measure import Encode, Questions, dense, dev, figures, held_out, library, paraphrases, shown
from numpy.typing import NDArray
from reference import StaticTier, Transformer

HERE = Path(__file__).parent
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


def minilm(folder: Path) -> Transformer:
    """The teacher as float, through the same kind of graph as ours."""
    import onnx
    from export import build
    from safetensors.numpy import load_file

    tables = {name.removeprefix("bert."): table for name, table in load_file(folder / "model.safetensors").items()}
    graph = HERE / "out" / "minilm.onnx"
    onnx.save(build({name: table for name, table in tables.items() if table.dtype == np.float32}), graph)
    return Transformer(graph, folder / "tokenizer.json")


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


def memory_of(package: Path, tier: str) -> str:
    """What a fresh process that embeds one text takes, and how long it needs until then."""
    load = f"StaticTier(Path({str(package)!r}))"
    if tier == "transformer":
        load = f"Transformer(Path({str(package / 'transformer.onnx')!r}), Path({str(package / 'tokenizer.json')!r}))"
    code = (
        f"import sys, time; began = time.perf_counter(); sys.path.insert(0, {str(HERE)!r}); from pathlib import Path\n"
        f"from reference import StaticTier, Transformer; {load}([{MEMORY!r}]); took = time.perf_counter() - began\n"
        "size = next(line.split()[1] for line in open('/proc/self/status') if line.startswith('VmRSS'))\n"
        "print(round(took, 2), int(size) // 1024)"
    )
    took, size = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    return f"cold start {took} s, {size} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--package", type=Path, default=HERE / "out" / "package")
    parser.add_argument("--teacher", type=Path, help="MiniLM's folder")
    parser.add_argument("--functions", type=int, default=3_000)
    parser.add_argument("--most", type=int, default=1_500, help="texts of a held-out set")
    options = parser.parse_args()
    sets: list[Questions] = [found for found in (paraphrases(),) if found]
    sets += [dev(), library(options.functions, options.functions // 3)]
    for one in held_out(HERE / "data"):
        sets.append(Questions(one.name, one.asked[: options.most // 2], one.texts[: options.most]))
    ours = Transformer(options.package / "transformer.onnx", options.package / "tokenizer.json")
    static = StaticTier(options.package)
    models: dict[str, Encode] = {"ours, transformer int8": ours, "ours, static int8": static}
    if options.teacher:
        models["MiniLM"] = minilm(options.teacher)
    try:
        from marrow.providers.static import StaticEmbedder

        models["wordllama"] = StaticEmbedder().documents
    except ImportError:
        print("wordllama is left out: run with PYTHONPATH=src")
    table: dict[str, dict[str, dict[str, float]]] = {name: {} for name in models}
    for one in sets:
        made = {name: (encode(one.asked), encode(one.texts)) for name, encode in models.items()}
        for name, (asked, texts) in made.items():
            table[name][one.name] = dense(one, lambda _, v=asked: v, lambda _, v=texts: v)
        mixed = {"transformer asks static": (made["ours, transformer int8"][0], made["ours, static int8"][1])}
        mixed["static asks transformer"] = (made["ours, static int8"][0], made["ours, transformer int8"][1])
        for name, (asked, texts) in mixed.items():
            table.setdefault(name, {})[one.name] = dense(one, lambda _, v=asked: v, lambda _, v=texts: v)
        table.setdefault("BM25", {})[one.name] = figures(bm25(one.asked, one.texts))
        print(f"{one.name}: {len(one.asked)} questions, {len(one.texts)} texts", flush=True)
    print(shown(table))
    for name, encode in models.items():
        print(f"{name}: {speed(encode)} (best / median)")
    for tier in ("transformer", "static"):
        print(f"{tier}: {memory_of(options.package, tier)}")


if __name__ == "__main__":
    main()
