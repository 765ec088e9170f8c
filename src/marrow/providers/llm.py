"""Language models: what turns a text into a shorter one, behind one small protocol, and the factory that picks one.

None is used unless the setting `llm` names it; a key in the environment changes nothing. What each call costs is told
with its answer, so that whoever asks can count it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..model.errors import Invalid

NONE = "none"
NANO = 1_000_000_000  # Dollars are reckoned in whole billionths, so that sums are exact.
CHOICES = "none, anthropic, openai, http://HOST/v1#MODEL"


@dataclass(frozen=True, slots=True)
class Completion:
    """A model's answer and what it cost. `whole` is False when it was cut at its limit, or withheld."""

    text: str
    tokens_in: int
    tokens_out: int
    usd: float = 0.0
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Picture:
    """An image that a model is shown with a prompt."""

    data: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Allowance:
    """What may be spent a day, and on whose models. A cap of zero allows nothing."""

    provider: str = NONE
    daily_tokens: int = 0
    daily_usd: float = 0.0


class LanguageModel(Protocol):
    """Answers a prompt. One call is one request: it is not tried again here, because each one costs."""

    @property
    def name(self) -> str:
        """Who serves it and what it is called there: `anthropic/claude-haiku-5-5`."""
        ...

    def usd(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost in dollars; 0 where the price is not known."""
        ...

    def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
        """The answer to a prompt, of at most so many tokens, within so many seconds."""
        ...


class SeeingModel(LanguageModel, Protocol):
    """A language model that can be shown an image. Whether the one behind a service can is known when it is tried."""

    def look(self, system: str, prompt: str, picture: Picture, max_tokens: int, timeout: float) -> Completion:
        """The answer to a prompt about an image."""
        ...


def language_model(name: str, model: str | None = None) -> SeeingModel | None:
    """The language model with this name; None for `none`. Nobody is asked before the first prompt.

    - `anthropic`, `anthropic:MODEL`, `openai`, `openai:MODEL`: a service, with the key of its environment variable.
    - `http://HOST:PORT/v1#MODEL`, or https: any address that answers as OpenAI does. No key is sent to it; for one that
      wants a key, `openai` with the address in OPENAI_BASE_URL.

    `model` goes before the one that the name has: observations and summaries may each have their own.
    """
    if name == NONE:
        return None
    from .llm_services import ANTHROPIC, COMPATIBLE, OPENAI, Messages, Replies

    kind, _, rest = name.partition(":")
    if kind in ("http", "https"):
        address, _, of = name.partition("#")
        if not (model or of):
            hint = "Give it after a #, as in http://localhost:11434/v1#MODEL, or set llm.model."
            raise Invalid("No language model is named for this address.", hint=hint, field="llm.model")
        return Replies(COMPATIBLE, model or of, address=address)
    if kind == "anthropic":
        return Messages(ANTHROPIC, model or rest)
    if kind == "openai":
        return Replies(OPENAI, model or rest)
    raise Invalid(f"There is no language model called {name!r}.", hint=f"Choose one of: {CHOICES}.", field="llm")
