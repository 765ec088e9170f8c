"""The built-in embedder's quick tier: rows that are summed, from a package of our own. No download, no key, only numpy.

The rows (256 numbers as int8, and a scale each), the words that they stand for and the tokenizer are data files of the
package `marrow-embedder`; `train/` of the project makes them. Its other tier, a small transformer, is in `transformer`:
both give vectors of one space, so that what this one wrote in a save can be replaced by the other's, one by one.

A text is the sum of the rows of its units (`units`), each times the root of how often it occurs, at unit length. A
cosine near 1 does not mean the same fact: order is lost, and another number in a sentence keeps it above 0.9.
"""

from __future__ import annotations

import importlib.util
import io
import threading
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from marrow.model.errors import Unavailable
from marrow.providers.units import Units

if TYPE_CHECKING:
    from numpy import float32, float64, int8
    from numpy.typing import NDArray

    from marrow.providers.prompts import Kind

PACKAGE = "marrow_embedder"
ROWS_FILE, TOKENIZER_FILE, GRAPH_FILE = "static.npz", "tokenizer.json", "transformer.onnx"
# The space that both tiers share. Another training makes another space, with another name.
MODEL, DIMENSIONS = "marrow-embedder/2", 256
# What was built in before this one. Nobody chose it, so nobody has to be asked before its vectors are made anew.
EARLIER = ("wordllama-l2-supercat-256/1", "marrow-embedder/1")
# What makes the vectors of two machines comparable is that these files are the same, so they are pinned by content.
CHECKSUMS = {ROWS_FILE: 0xD60A6021, TOKENIZER_FILE: 0x0B2E9C36, GRAPH_FILE: 0x797709A9}
HINT = "Reinstall the package marrow-embedder, or set the embedder to 'none'."


class _Tables(NamedTuple):
    rows: NDArray[int8]
    scales: NDArray[float64]
    units: Units


class StaticEmbedder:
    """Sums rows: some 0.05 ms a short text. Loads its files once, on first use; can be shared by threads."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds the data files; by default it is that of the installed package."""
        self._folder = package_folder() if folder is None else folder
        for file in (ROWS_FILE, TOKENIZER_FILE):
            if not (self._folder / file).is_file():
                raise Unavailable(f"The file {file} of the package marrow-embedder is missing.", hint=HINT)
        self._lock = threading.Lock()
        self._loaded: _Tables | None = None

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        tables = self._tables()
        # One text at a time, so that a text's vector cannot depend on its neighbours.
        sums = np.zeros((len(texts), self.dimensions), dtype=np.float64)
        for row, text in enumerate(texts):
            counts = Counter(tables.units.rows(text))
            if counts:
                which = np.fromiter(counts, np.intp, len(counts))
                weights = np.sqrt(np.fromiter(counts.values(), np.float64, len(counts))) * tables.scales[which]
                # Not a matrix product: BLAS adds in an order that depends on shapes and machines.
                chosen = tables.rows[which].astype(np.float64)
                chosen *= weights[:, None]
                np.add.reduce(chosen, axis=0, out=sums[row])
        return _unit_length(sums)

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        vector: NDArray[float32] = self.documents([text])[0]
        return vector

    def _tables(self) -> _Tables:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder)
            return self._loaded


def package_folder() -> Path:
    """Where the data files are. The package is found, not imported: it holds nothing that runs."""
    found = importlib.util.find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise Unavailable("The package marrow-embedder, which carries the built-in vectors, is missing.", hint=HINT)
    return Path(found.submodule_search_locations[0])


def checked_bytes(folder: Path, file: str) -> bytes:
    """A data file as this version of Marrow knows it."""
    try:
        content = (folder / file).read_bytes()
    except OSError as error:
        problem = f"The file {file} of the package marrow-embedder cannot be read: {error}."
        raise Unavailable(problem, hint=HINT) from error
    if zlib.crc32(content) != CHECKSUMS[file]:
        raise Unavailable(f"The file {file} of the package marrow-embedder is not the one Marrow knows.", hint=HINT)
    return content


@lru_cache(maxsize=1)
def _load(folder: Path) -> _Tables:
    """Once for both tiers: they take some megabytes."""
    import numpy as np
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_buffer(checked_bytes(folder, TOKENIZER_FILE))
    tokenizer.no_padding()  # a word is a few pieces, and would come with a hundred that say nothing
    kept = np.load(io.BytesIO(checked_bytes(folder, ROWS_FILE)))
    words, pairs = (bytes(kept[name]).decode().split("\n") for name in ("words", "pairs"))
    units = Units(
        tokenizer,
        kept["pieces"].tolist(),
        dict(zip(words, kept["word_rows"].tolist(), strict=True)),
        dict(zip(pairs, kept["pair_rows"].tolist(), strict=True)) if pairs != [""] else {},
    )
    return _Tables(kept["rows"], kept["scales"].astype(np.float64), units)


def _unit_length(sums: NDArray[float64]) -> NDArray[float32]:
    import numpy as np

    squares = sums * sums
    while squares.shape[1] > 1:
        # Halves are added until one column is left: an order of our own, so the same on every machine.
        half = squares.shape[1] // 2
        squares = squares[:, :half] + squares[:, half:]
    lengths = np.sqrt(squares)
    lengths[lengths == 0.0] = 1.0
    return (sums / lengths).astype(np.float32)
