"""A process that embeds for another one with the built-in quick tier. Asked on standard input, answers on standard
output, and ends with its other side."""

from __future__ import annotations

import sys

from ...providers.static import StaticEmbedder
from ..code.worker import receive, send
from ..engine import vectors_by


def main() -> None:
    embedder = StaticEmbedder()
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    while (texts := receive(asked)) is not None:
        vectors = vectors_by(embedder, texts)
        send(answers, [(vector.ndim, vector.astype("<f4", copy=False).tobytes()) for vector in vectors])


if __name__ == "__main__":
    main()
