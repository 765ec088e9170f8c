"""A process that embeds texts for another one with the built-in quick tier, and finds their terms. Asked on standard
input, answers on standard output, and ends with its other side."""

from __future__ import annotations

import gc
import sys

from ...providers.static import StaticEmbedder
from ...store.terms import spaced_terms
from ..code.frames import receive, send
from ..engine import vectors_by


def main() -> None:
    gc.disable()  # nothing here holds itself, and looking for it takes a tenth of the time
    embedder = StaticEmbedder()
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    while (texts := receive(asked)) is not None:
        vectors = vectors_by(embedder, texts)
        made = [(vector.ndim, vector.astype("<f4", copy=False).tobytes()) for vector in vectors]
        send(answers, [(*one, spaced_terms(text)) for one, text in zip(made, texts, strict=True)])


if __name__ == "__main__":
    main()
