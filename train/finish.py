"""Makes the files of the package from what `train.py` left in `train/out/`: `train/out/package/`, see `reference.py`.

python train/finish.py [--out train/out]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import zlib
from pathlib import Path

import numpy as np
import written
from export import int8_rows, write_transformer
from numpy.typing import NDArray
from tokenizers import Tokenizer

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


def sample() -> list[list[int]]:
    """The tokens of some texts that were trained on, by which the sizes of inner units are seen."""
    tokenizer = Tokenizer.from_file(str(HERE / "data" / "tokenizer.json"))
    tokenizer.no_padding()
    rows = written.read(kept_out=False)[::12]
    return [tokenizer.encode(text).ids for row in rows for text in (row.memory, row.questions[0])]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=HERE / "out")
    parser.add_argument("--name", default="marrow")
    options = parser.parse_args()
    package = options.out / "package"
    package.mkdir(exist_ok=True)
    weights = read_parts(options.out, f"{options.name}-transformer")
    write_transformer(weights, package / "transformer.onnx", sample())
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
        content = path.read_bytes()
        sums = f"crc32 0x{zlib.crc32(content):08X}, sha256 {hashlib.sha256(content).hexdigest()}"
        print(f"{path.name}: {len(content):,} bytes, {sums}")


if __name__ == "__main__":
    main()
