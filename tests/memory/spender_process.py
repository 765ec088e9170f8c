"""A process that asks a language model until the cap is reached: `python spender_process.py STORE CAP_TOKENS CAP_USD`.

The model is none: it costs exactly what was set aside for it. Prints how many calls were made.
"""

from __future__ import annotations

import sys

from marrow.memory.engine import now_micros
from marrow.memory.usage import ask
from marrow.model.errors import QuotaExceeded
from marrow.providers.llm import Allowance, Completion
from marrow.store import open_store

TOKENS_IN, TOKENS_OUT = 400, 500
PROMPT = "x" * (TOKENS_IN - 100)


class Costly:
    """A dollar for a thousand tokens, in or out."""

    name = "test/costly"

    def usd(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in + tokens_out) / 1000

    def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
        return Completion("done", TOKENS_IN, TOKENS_OUT, self.usd(TOKENS_IN, TOKENS_OUT))


def main(path: str, tokens: int, usd: float) -> None:
    store = open_store(path, busy_timeout_ms=60_000)
    allowance, calls = Allowance("test", tokens, usd), 0
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    while True:
        try:
            ask(store, now_micros, allowance, Costly(), "summary", "", PROMPT, TOKENS_OUT, heed=False)
        except QuotaExceeded:
            break
        calls += 1
    store.close()
    sys.stdout.write(f"{calls}\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
