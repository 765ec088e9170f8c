"""How near the project's paraphrase sets are to what was written for the training, and what the scores are without the
pairs that are near. It prints numbers alone: nobody who trains reads those sets.

    PYTHONPATH=src python train/overlap.py [--package train/out/package]
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import others
import written
from measure import Encode, figures, paraphrases
from reference import StaticTier, Transformer

HERE = Path(__file__).parent
LIMITS = (0.6, 0.7, 0.8, 1.01)
_WORD = re.compile(r"[a-z0-9]+")
_RUN = 8


def runs(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return {tuple(words[at : at + _RUN]) for at in range(len(words) - _RUN + 1)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=Path, default=HERE / "out" / "package")
    package = parser.parse_args().package
    minilm = others.minilm(HERE / "out" / "minilm.onnx")
    models: dict[str, Encode] = {
        "transformer": Transformer(package / "transformer.onnx", package / "tokenizer.json"),
        "static": StaticTier(package),
        "MiniLM": minilm,
    }
    rows = written.read(kept_out=False)
    learnt = [text for row in rows for text in (row.memory, *row.questions)]
    known = set().union(*(runs(text) for text in learnt))
    same = set(learnt)
    kept = minilm([row.memory for row in rows])
    for one in paraphrases():
        own = one.asked + one.texts
        print(
            f"{one.name}: {sum(text in same for text in own)} of {len(own)} texts are in the training data as they are,"
        )
        print(f"  {sum(bool(runs(text) & known) for text in own)} share a run of {_RUN} words with it")
        nearest = (minilm(one.texts) @ kept.T).max(axis=1)
        scores = {name: encode(one.asked) @ encode(one.texts).T for name, encode in models.items()}
        for limit in LIMITS:
            few = np.flatnonzero(nearest < limit)
            found = {name: figures(score[few], few.tolist())["R@1"] for name, score in scores.items()}
            told = ", ".join(f"{name} {value:.3f}" for name, value in found.items())
            print(f"  the {len(few)} whose nearest written memory is below {limit} for MiniLM: R@1 {told}")


if __name__ == "__main__":
    main()
