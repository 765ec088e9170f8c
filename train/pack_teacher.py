"""Packs the teacher (all-MiniLM-L6-v2, Apache-2.0) as int8, so that it travels: a quarter of its size.

    python train/pack_teacher.py MODEL_FOLDER

The folder is sentence-transformers'. Groups of 64 numbers share a scale; the vectors keep a cosine above .999.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

HERE = Path(__file__).parent


def main() -> None:
    folder = Path(sys.argv[1])
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
    np.savez(HERE / "data" / "teacher.npz", **made)
    shutil.copy(folder / "tokenizer.json", HERE / "data" / "tokenizer.json")
    print(sorted({name.split(".")[0] for name in made}), (HERE / "data" / "teacher.npz").stat().st_size)


if __name__ == "__main__":
    main()
