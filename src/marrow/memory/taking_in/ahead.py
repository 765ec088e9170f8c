"""Embedding ahead: while one batch is written, another process embeds the next and finds its terms. Only for many
documents, with the built-in quick tier; what it cannot do is done here."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING

from ...providers.static import DIMENSIONS, StaticEmbedder
from ...store.receive import Embed
from ...store.terms import made_ahead
from ..code.frames import environment, receive, send
from ..engine import Engine

if TYPE_CHECKING:
    from ...store.protocol import Vector

# A process takes a third of a second to start.
DOCUMENTS_MIN = 400


class Ahead:
    """Asked for texts with `begin`, it has them when the next are begun, and `embed` gives them."""

    def __init__(self, engine: Engine, documents: int) -> None:
        self._engine = engine
        self._vectors: dict[str, Vector] = {}
        self._asked: Sequence[str] = ()
        self._process: subprocess.Popen[bytes] | None = None
        is_worth_it = documents >= DOCUMENTS_MIN and type(engine.embedder) is StaticEmbedder
        self.is_on = is_worth_it and (os.cpu_count() or 1) > 1

    def __enter__(self) -> Ahead:
        if self.is_on:
            command = [sys.executable, "-P", "-m", f"{__package__}.embedding_process"]
            try:
                self._process = subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
                )
            except OSError:
                self.is_on = False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        process, self._process = self._process, None
        made_ahead({})
        if process is not None:
            process.kill()
            for stream in (process.stdin, process.stdout):
                if stream is not None:
                    with suppress(OSError):  # what was not read any more cannot be written
                        stream.close()
            process.wait()

    def begin(self, texts: Sequence[str]) -> None:
        """Take in what was asked before, and ask for these."""
        self._collect()
        if self._process is not None and texts:
            assert self._process.stdin is not None
            try:
                send(self._process.stdin, list(texts))
                self._asked = texts
            except OSError:
                self._give_up()

    def embed(self) -> Embed | None:
        """The engine's own, which computes only what was not embedded ahead."""
        own = self._engine.embed()
        if own is None or not self.is_on:
            return own

        def chosen(texts: Sequence[str]) -> Sequence[Vector | None]:
            missing = [text for text in texts if text not in self._vectors]
            made = dict(zip(missing, own(missing), strict=True)) if missing else {}
            self._engine.embedded([text for text in texts if text in self._vectors])
            return [self._vectors.pop(text) if text in self._vectors else made[text] for text in texts]

        return chosen

    def _collect(self) -> None:
        asked, self._asked = self._asked, ()
        if not asked or self._process is None:
            return
        import numpy as np

        assert self._process.stdout is not None
        try:
            answer = receive(self._process.stdout)
        except (OSError, ValueError, EOFError):
            answer = None
        if answer is None or len(answer) != len(asked):
            self._give_up()
            return
        self._vectors = {}  # what was not asked for again is no longer needed
        for text, (axes, data, _) in zip(asked, answer, strict=True):
            rows = np.frombuffer(data, dtype="<f4")
            self._vectors[text] = rows if axes == 1 else rows.reshape(-1, DIMENSIONS)
        made_ahead({text: spaced for text, (_, _, spaced) in zip(asked, answer, strict=True)})

    def _give_up(self) -> None:
        self.is_on, self._vectors, self._asked = False, {}, ()
