"""The tally: every run of a derivation is reported here, so that it can be proved that nothing was computed twice."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from ..store.protocol import Measurement

TYPE = "derive:"
Listener = Callable[[str, str], None]


class Tally:
    """How often each derivation ran and how long it took, since the process began; and whoever wants to hear of each
    run, with its input. Threads share it."""

    def __init__(self) -> None:
        self.listeners: list[Listener] = []
        self._counting = threading.Lock()
        self._runs: Counter[str] = Counter()
        self._unsaid: dict[str, list[float]] = {}

    def ran(self, name: str, inputs: Sequence[str], ms: float = 0.0, tokens: int = 0) -> None:
        """A derivation ran once for each of these inputs, together in so many milliseconds."""
        if not inputs:
            return
        with self._counting:
            self._runs[name] += len(inputs)
            said = self._unsaid.setdefault(name, [0, 0.0, 0])
            said[0] += len(inputs)
            said[1] += ms
            said[2] += tokens
        for listener in tuple(self.listeners):
            for given in inputs:
                listener(name, given)

    def ran_on(self, names: Iterable[str], texts: Sequence[str], digest_of: Callable[[str], str]) -> None:
        """The same for what is computed with the save: which input it was is only worked out when somebody listens."""
        inputs = [digest_of(text) for text in texts] if self.listeners else [""] * len(texts)
        for name in names:
            self.ran(name, inputs)

    def runs(self) -> dict[str, int]:
        with self._counting:
            return dict(self._runs)

    def lines(self, at: int) -> list[Measurement]:
        """What was not yet told to telemetry: one line a derivation, with how often it ran."""
        with self._counting:
            unsaid, self._unsaid = self._unsaid, {}
        return [
            Measurement(at, f"{TYPE}{name}", ms, tokens_in=int(tokens), detail=f"{int(count)} runs")
            for name, (count, ms, tokens) in sorted(unsaid.items())
        ]
