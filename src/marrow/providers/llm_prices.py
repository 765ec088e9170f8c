"""What models cost, in dollars a million tokens: read, written. By families, from the services' price lists of 2026.

A model of a service that is not in its list counts as the dearest there, so that a cap in dollars holds for it too.
Somebody else's address in the service's place has the prices of the models that are known by name. At an address that
was named itself no price is known, and nothing is reckoned: there the cap in tokens holds.
"""

from __future__ import annotations

import re

from .llm import NANO

Price = tuple[float, float]

_FREE: Price = (0.0, 0.0)
# The first that fits. The last row of each is for whatever comes, and was.
_PRICES: dict[str, tuple[tuple[re.Pattern[str], Price], ...]] = {
    "anthropic": (
        (re.compile(r"haiku-5-5"), (0.10, 0.50)),  # up to 100,000 tokens, which no prompt of ours has
        (re.compile(r"haiku"), (1.0, 5.0)),
        (re.compile(r"sonnet-5"), (2.0, 10.0)),
        (re.compile(r"sonnet"), (3.0, 15.0)),
        (re.compile(r"opus-5-5"), (4.0, 20.0)),
        (re.compile(r"opus-(?:4-[5-9]|5)"), (5.0, 25.0)),
        (re.compile(r"fable|mythos"), (10.0, 50.0)),
        (re.compile(r""), (15.0, 75.0)),
    ),
    "openai": (
        (re.compile(r"gpt-5-nano"), (0.05, 0.40)),
        (re.compile(r"gpt-5-mini"), (0.25, 2.0)),
        (re.compile(r"gpt-5\.4-nano"), (0.20, 1.25)),
        (re.compile(r"gpt-5\.4-mini"), (0.75, 4.50)),
        (re.compile(r"gpt-4\.1-nano"), (0.10, 0.40)),
        (re.compile(r"gpt-4\.1-mini"), (0.40, 1.60)),
        (re.compile(r"gpt-4\.1"), (2.0, 8.0)),
        (re.compile(r"gpt-4o-mini"), (0.15, 0.60)),
        (re.compile(r"gpt-5\.4(?!-pro)"), (2.50, 15.0)),
        (re.compile(r"gpt-5\.5(?!-pro)"), (5.0, 30.0)),
        (re.compile(r""), (30.0, 180.0)),
    ),
}


def price(service: str, model: str, *, is_own: bool = True) -> Price:
    """`is_own` says that the service itself is asked, at its own address."""
    families = _PRICES.get(service, ())[: None if is_own else -1]
    return next((cost for family, cost in families if family.search(model.lower())), _FREE)


def dollars(cost: Price, tokens_in: int, tokens_out: int) -> float:
    """In whole nanodollars, so that sums of it are exact."""
    nano = tokens_in * round(cost[0] * 1000) + tokens_out * round(cost[1] * 1000)
    return nano / NANO
