"""Language models over the network: Anthropic's Messages, and whatever answers as OpenAI's chat completions do.

Text leaves the machine with these, so none is used unless it is named. A key from the environment goes to its service's
own address, or the one in the service's own variable for it, and never to an address from a name. Neither a temperature
nor a manner of thinking is asked for: models that do not know them refuse the request.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ..model.errors import Invalid, MarrowError, Unauthorized, Unavailable
from ..model.text import token_estimate
from .http import Client, Waiting
from .llm import Completion, Picture
from .llm_prices import Price, dollars, price
from .rows import sendable


@dataclass(frozen=True, slots=True)
class Service:
    """How a service differs from the others. `limit` is what it calls the most tokens of an answer."""

    title: str
    name: str
    address: str
    default: str
    limit: str
    key_variable: str = ""
    address_variable: str = ""


ANTHROPIC = Service(
    "Anthropic",
    "anthropic",
    "https://api.anthropic.com",
    "claude-haiku-5-5",
    "max_tokens",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
)
OPENAI = Service(
    "OpenAI",
    "openai",
    "https://api.openai.com/v1",
    "gpt-5.4-nano",
    "max_completion_tokens",
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
)
COMPATIBLE = Service("The service", "", "", "", "max_tokens")
_VERSION = "2023-06-01"


class _Remote:
    """What both kinds share: who is asked, with which key, and what it costs."""

    key_header = ""
    headers: Mapping[str, str] = {}

    def __init__(
        self, service: Service, model: str = "", *, address: str | None = None, waiting: Waiting | None = None
    ) -> None:
        self.service = service
        self.model = model or service.default
        key = os.environ.get(service.key_variable, "").strip() if service.key_variable else ""
        if not (key.isascii() and key.isprintable()):
            raise Unauthorized(
                f"{service.key_variable} has characters that no key has.", hint="Set it anew.", field="llm"
            )
        own = os.environ.get(service.address_variable, "") if service.address_variable else ""
        self._client = Client(
            service=service.title,
            address=_checked_address(address or own or service.address),
            key=key or None,
            key_hint=f"Put the key into {service.key_variable}." if service.key_variable else "Choose another address.",
            waiting=waiting or Waiting(),
            setting="llm",
            key_header=self.key_header,
            headers=self.headers,
        )
        self._price: Price = price(service.name, self.model, is_own=self._client.address == service.address)

    @property
    def name(self) -> str:
        return f"{self.service.name or urlsplit(self._client.address).netloc}/{self.model}"

    def usd(self, tokens_in: int, tokens_out: int) -> float:
        return dollars(self._price, tokens_in, tokens_out)

    def _ask(self, path: str, body: Mapping[str, object], timeout: float) -> dict[str, Any]:
        if not self._client.key and self.service.key_variable:
            raise Unauthorized(f"{self._client.service} needs a key.", hint=self._client.key_hint, field="llm")
        return self._client.ask(path, body, timeout)

    def _completion(self, text: str, asked: str, tokens: tuple[int, int], whole: bool) -> Completion:
        """A service that does not say what it counted is reckoned by our own estimate."""
        tokens_in, tokens_out = tokens[0] or token_estimate(asked), tokens[1] or token_estimate(text)
        return Completion(text, tokens_in, tokens_out, self.usd(tokens_in, tokens_out), whole)

    def _malformed(self) -> MarrowError:
        what = f"The answer of {self._client.service} for {self.model} cannot be used: there is no text in it."
        error = Unavailable(what, hint="Check the model's name and the address.")
        error.is_unsure = True
        return error


class Messages(_Remote):
    """Anthropic's Messages."""

    key_header = "x-api-key"
    headers: Mapping[str, str] = {"anthropic-version": _VERSION}

    def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
        return self._said(system, prompt, sendable(prompt), max_tokens, timeout)

    def look(self, system: str, prompt: str, picture: Picture, max_tokens: int, timeout: float) -> Completion:
        shown = {"type": "base64", "media_type": picture.media_type, "data": base64.b64encode(picture.data).decode()}
        blocks = [{"type": "image", "source": shown}, {"type": "text", "text": sendable(prompt)}]
        return self._said(system, prompt, blocks, max_tokens, timeout)

    def _said(self, system: str, prompt: str, content: object, max_tokens: int, timeout: float) -> Completion:
        body: dict[str, object] = {
            "model": self.model,
            "max_tokens": max_tokens,
            "system": sendable(system),
            "messages": [{"role": "user", "content": content}],
        }
        answer = self._ask("/v1/messages", body, timeout)
        blocks = answer.get("content")
        if not isinstance(blocks, list):
            raise self._malformed()
        # By their type and not their place: a model that thinks says so first.
        said = [b["text"] for b in blocks if isinstance(b, dict) and b.get("type") == "text" and _is_text(b, "text")]
        usage = answer.get("usage")
        read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
        tokens = (sum(_count(usage, name) for name in read), _count(usage, "output_tokens"))
        return self._completion("".join(said), system + prompt, tokens, answer.get("stop_reason") == "end_turn")


class Replies(_Remote):
    """Chat completions of OpenAI, and of everything that speaks as it does."""

    def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
        return self._said(system, prompt, sendable(prompt), max_tokens, timeout)

    def look(self, system: str, prompt: str, picture: Picture, max_tokens: int, timeout: float) -> Completion:
        address = f"data:{picture.media_type};base64,{base64.b64encode(picture.data).decode()}"
        blocks = [{"type": "text", "text": sendable(prompt)}, {"type": "image_url", "image_url": {"url": address}}]
        return self._said(system, prompt, blocks, max_tokens, timeout)

    def _said(self, system: str, prompt: str, content: object, max_tokens: int, timeout: float) -> Completion:
        body: dict[str, object] = {
            "model": self.model,
            self.service.limit: max_tokens,
            "messages": [
                {"role": "system", "content": sendable(system)},
                {"role": "user", "content": content},
            ],
        }
        answer = self._ask("/chat/completions", body, timeout)
        try:
            choice = answer["choices"][0]
            message = choice["message"]
        except (KeyError, IndexError, TypeError):
            raise self._malformed() from None
        if not isinstance(message, dict):
            raise self._malformed()
        text = message["content"] if _is_text(message, "content") else ""
        usage = answer.get("usage")
        tokens = (_count(usage, "prompt_tokens"), _count(usage, "completion_tokens"))
        whole = choice.get("finish_reason") not in ("length", "content_filter", "tool_calls")
        return self._completion(text, system + prompt, tokens, whole)


def _is_text(found: Mapping[str, Any], name: str) -> bool:
    return isinstance(found.get(name), str)


def _count(usage: object, name: str) -> int:
    given = usage.get(name) if isinstance(usage, dict) else None
    return given if isinstance(given, int) and not isinstance(given, bool) and given > 0 else 0


def _checked_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or "@" in parts.netloc:
        hint = "Give http:// or https://, a host and a path. A key goes into the environment, and not into the address."
        raise Invalid("This is no address of a service.", hint=hint, field="llm")
    return address.rstrip("/")
