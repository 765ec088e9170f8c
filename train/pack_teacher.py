"""Packs the teacher (all-mpnet-base-v2) and the first form of the student (all-MiniLM-L6-v2) as int8, so that they
travel: a quarter of their size, in parts below 20 MB.

    python train/pack_teacher.py MPNET_FOLDER MINILM_FOLDER

The folders are sentence-transformers'. Groups of 64 numbers share a scale; the vectors keep a cosine above .999.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

HERE = Path(__file__).parent
PART = 19_500_000


def packed(folder: Path) -> dict[str, NDArray]:
    made = {}
    for name, table in load_file(folder / "model.safetensors").items():
        name = name.removeprefix("bert.")
        if table.dtype != np.float32 or name.startswith("pooler."):
            continue
        if table.ndim == 2 and table.size % 64 == 0 and table.shape[0] > 2:
            groups = table.reshape(-1, 64)
            scale = np.maximum(np.abs(groups).max(axis=1, keepdims=True) / 127.0, 1e-8)
            made[name] = np.rint(groups / scale).astype(np.int8).reshape(table.shape)
            made[f"{name}:scale"] = scale[:, 0].astype(np.float16)
        else:
            made[name] = table
    return made


def write(tables: dict[str, NDArray], name: str) -> None:
    parts: list[dict[str, NDArray]] = [{}]
    for key, table in tables.items():
        for at, some in enumerate(np.array_split(table, -(-table.nbytes // 8_000_000))):
            if sum(kept.nbytes for kept in parts[-1].values()) + some.nbytes > PART:
                parts.append({})
            parts[-1][f"{key}@{at}"] = some
    for number, part in enumerate(parts):
        path = HERE / "data" / f"{name}-{number}.npz"
        np.savez(path, **part)
        print(path.name, path.stat().st_size)


def main() -> None:
    teacher, first = (Path(folder) for folder in sys.argv[1:3])
    write(packed(teacher), "mpnet")
    write(packed(first), "minilm")
    # MiniLM's tokenizer, which is the student's. MPNet's cuts words the same way and numbers them four higher.
    shutil.copy(first / "tokenizer.json", HERE / "data" / "tokenizer.json")


if __name__ == "__main__":
    main()
