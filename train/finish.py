"""Makes the files of the package from what `train.py` left in `train/out/`: `train/out/package/`, see `reference.py`.

python train/finish.py [--out train/out]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
from pathlib import Path

import numpy as np
from export import int8_rows, write_transformer
from numpy.typing import NDArray

HERE = Path(__file__).parent


def read_parts(folder: Path, name: str) -> dict[str, NDArray]:
    """What `train.save_parts` wrote: tables cut into numbered pieces."""
    pieces: dict[str, NDArray] = {}
    for path in sorted(folder.glob(f"{name}-[0-9]*.npz")):
        kept = np.load(path)
        pieces.update({key: kept[key] for key in kept.files})
    made: dict[str, list[NDArray]] = {}
    for key in sorted(pieces):
        made.setdefault(key.rpartition("@")[0], []).append(pieces[key])
    return {key: np.concatenate(tables).astype(np.float32) for key, tables in made.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "out")
    parser.add_argument("--name", default="marrow")
    options = parser.parse_args()
    package = options.out / "package"
    package.mkdir(exist_ok=True)
    write_transformer(read_parts(options.out, f"{options.name}-transformer"), package / "transformer.onnx")
    rows, scales = int8_rows(read_parts(options.out, f"{options.name}-static")["rows"])
    listed = json.loads((options.out / f"{options.name}-vocabulary.json").read_text())
    lines = {}
    for kind in ("word", "pair"):
        texts = listed[f"{kind}s"]
        lines[f"{kind}s"] = np.frombuffer("\n".join(texts).encode(), np.uint8)
        lines[f"{kind}_rows"] = np.array(list(texts.values()), np.int32)
    pieces = np.array(listed["pieces"], np.int32)
    np.savez(package / "static.npz", rows=rows, scales=scales[:, 0], pieces=pieces, **lines)
    shutil.copy(HERE / "data" / "tokenizer.json", package / "tokenizer.json")
    for path in sorted(package.iterdir()):
        print(f"{path.name}: {path.stat().st_size:,} bytes, sha256 {hashlib.sha256(path.read_bytes()).hexdigest()}")


if __name__ == "__main__":
    main()
