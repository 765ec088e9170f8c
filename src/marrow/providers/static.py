"""The built-in embedder: static word vectors from a package, with no download, no key and no language model.

The vectors (32,000 tokens, 256 dimensions) and their tokenizer are data files of the `wordllama` package. Only the
files are used: importing that package costs about a second, and its own loader looks for the network.

The scheme, which is number 1 in `StaticEmbedder.model`:

1. The first `MAX_CHARACTERS` of the text, in Unicode form NFKC and lower case, cut into words (letters and digits).
2. A word is the sum of the rows of its tokens. Byte tokens, which stand for characters that the vocabulary lacks, are
   left out.
3. The sum of the words, each times the square root of how often it occurs.
4. Scaled to unit length.

Lower case, words and the square root each found more than the plain mean of all tokens, on conversations, docstrings
and code. Weights by frequency and the removal of common components did not: the rows were trained to be summed, so
that their lengths already say how much a token matters (that of "the" is a tenth of that of "database").

A cosine near 1 does not mean the same fact: order is lost, and another number in a sentence keeps it above 0.9.
"""

from __future__ import annotations

import importlib.util
import mmap
import re
import struct
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from marrow.model.errors import Unavailable
from marrow.providers.prompts import Kind

if TYPE_CHECKING:
    from numpy import float16, float32, float64
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

MAX_CHARACTERS = 8_000
"""What follows is not embedded, so that the cost of a text is bounded. It is about 2,000 tokens of English."""

_WEIGHTS = Path("weights", "l2_supercat_256.safetensors")
_TOKENIZER = Path("tokenizers", "l2_supercat_tokenizer_config.json")

# What makes the vectors of two machines comparable is that these files are the same, so they are pinned by content.
_CHECKSUMS = {_WEIGHTS: 0x56C6AE6F, _TOKENIZER: 0x3FAF5800}
_HINT = "Reinstall it (pip install --force-reinstall 'wordllama>=0.4,<0.5'), or set the embedder to 'none'."

_WORD = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile(r"[a-z0-9]+")  # The same for an ASCII text in lower case, and faster.

# Ids 0 to 2 are control tokens and 3 to 258 single bytes. The bare word mark, which stands alone before a character
# that no token joins, says nothing either.
_FIRST_PIECE = 259
_BARE_MARK = 29871


# Words repeat, so their sums are kept: cutting a word into tokens costs more than everything else together.
_WORDS_KEPT = 20_000


@dataclass(frozen=True, slots=True)
class _Tables:
    rows: NDArray[float16]
    tokenizer: Tokenizer


class StaticEmbedder:
    """Sums word vectors: some 0.1 ms a short text. Loads its files once, on first use; can be shared by threads."""

    model = "wordllama-l2-supercat-256/1"
    dimensions = 256

    def __init__(self, folder: Path | None = None) -> None:
        """`folder` holds the data files; by default it is that of the installed package."""
        self._folder = _package_folder() if folder is None else folder
        for file in _CHECKSUMS:
            if not (self._folder / file).is_file():
                raise Unavailable(f"The file {file} of the package wordllama is missing.", hint=_HINT)
        self._lock = threading.Lock()
        self._loaded: _Tables | None = None
        self._known: dict[str, int] = {}
        self._sums: NDArray[float32] | None = None
        self._room = 0
        self._rows: NDArray[float32]
        self._weighted: NDArray[float64]

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        tables = self._tables()
        # One text at a time, so that a text's vector cannot depend on its neighbours.
        sums = np.zeros((len(texts), self.dimensions), dtype=np.float64)
        with self._lock:
            for row, text in enumerate(texts):
                counts = Counter(_words(text))
                if counts:
                    rows, weighted = self._rows_of(tables, counts)
                    weights = np.sqrt(np.fromiter(counts.values(), dtype=np.float64))
                    # Not a matrix product: BLAS adds in an order that depends on shapes and machines.
                    np.multiply(rows, weights[:, None], out=weighted)
                    np.add.reduce(weighted, axis=0, out=sums[row])
        return _unit_length(sums)

    def _rows_of(self, tables: _Tables, words: Collection[str]) -> tuple[NDArray[float32], NDArray[float64]]:
        """The sums of these words, in their order, and as much room. Both are used again for the next text."""
        import numpy as np

        if self._sums is None or len(self._known) + len(words) > len(self._sums):
            self._known.clear()
            self._sums = np.empty((_WORDS_KEPT, self.dimensions), dtype=np.float32)
        known, count = self._known, len(words)
        unknown = [word for word in words if word not in known]
        for word in unknown:
            self._sums[len(known)] = _sum_of_tokens(tables, word)
            known[word] = len(known)
        if count > self._room:
            self._room = 2 * count
            self._rows = np.empty((self._room, self.dimensions), dtype=np.float32)
            self._weighted = np.empty((self._room, self.dimensions), dtype=np.float64)
        places = [known[word] for word in words]
        return self._sums.take(places, axis=0, out=self._rows[:count], mode="clip"), self._weighted[:count]

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        vector: NDArray[float32] = self.documents([text])[0]
        return vector

    def _tables(self) -> _Tables:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder)
            return self._loaded


def _package_folder() -> Path:
    found = importlib.util.find_spec("wordllama")
    if found is None or not found.submodule_search_locations:
        raise Unavailable("The package wordllama, which carries the built-in vectors, is not installed.", hint=_HINT)
    return Path(found.submodule_search_locations[0])


def _load(folder: Path) -> _Tables:
    import numpy as np
    from tokenizers import Tokenizer

    try:
        tokenizer_bytes = (folder / _TOKENIZER).read_bytes()
        with (folder / _WEIGHTS).open("rb") as file:
            # Mapped, not read: processes share the pages. An empty file cannot be mapped (ValueError).
            weights = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise Unavailable(f"The data files of the package wordllama cannot be read: {error}.", hint=_HINT) from error
    for path, content in ((_WEIGHTS, weights), (_TOKENIZER, tokenizer_bytes)):
        if zlib.crc32(content) != _CHECKSUMS[path]:
            raise Unavailable(f"The file {path} of the package wordllama is not the one Marrow knows.", hint=_HINT)
    # A safetensors file is the length of a header, the header, and the numbers; this one holds a single table.
    (header_length,) = struct.unpack_from("<Q", weights)
    rows = np.frombuffer(weights, dtype="<f2", offset=8 + header_length).reshape(-1, StaticEmbedder.dimensions)
    return _Tables(rows, Tokenizer.from_buffer(tokenizer_bytes))


def _words(text: str) -> list[str]:
    # Cut before, because normalising costs, and after, because one character can become eighteen.
    part = text[:MAX_CHARACTERS]
    folded = part.lower() if part.isascii() else unicodedata.normalize("NFKC", part).lower()[:MAX_CHARACTERS]
    return (_ASCII_WORD if part.isascii() else _WORD).findall(folded)


def _sum_of_tokens(tables: _Tables, word: str) -> NDArray[float32]:
    import numpy as np

    ids = tables.tokenizer.encode(word, add_special_tokens=False).ids
    total = np.zeros(StaticEmbedder.dimensions, dtype=np.float32)
    for token in ids:
        if token >= _FIRST_PIECE and token != _BARE_MARK:
            total += tables.rows[token]
    return total


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
