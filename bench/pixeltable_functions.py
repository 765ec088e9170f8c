"""What Pixeltable is given of ours, as functions of its own: the same chunks and the same embedder. Needs Pixeltable.

A module by itself, because Pixeltable keeps the names of the functions that a table uses and imports them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

import numpy as np
import pixeltable as pxt
from pixeltable.func import Batch

from marrow.providers.static import DIMENSIONS, StaticEmbedder
from marrow.search.passages import embedded_pieces

# Large enough that what a call costs does not count.
BATCH = 256

_embedder = StaticEmbedder()


class Passage(TypedDict):
    text: str


@pxt.iterator
def passages(content: str) -> Iterator[Passage]:
    for text in embedded_pieces(content):
        yield Passage(text=text)


@pxt.udf(batch_size=BATCH)
def embed(texts: Batch[str]) -> Batch[pxt.Array[(DIMENSIONS,), np.float32]]:
    return list(_embedder.documents(texts))
