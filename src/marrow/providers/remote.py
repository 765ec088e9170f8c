"""Embedders over the network: Voyage, OpenAI, and whatever speaks as OpenAI does (Ollama, vLLM, LM Studio, a proxy).

Text leaves the machine with these, so none is used unless it is named. A request holds no more texts and tokens than
the service takes; tokens are estimated, and a request that is refused all the same is cut in two. A text that is
refused by itself is cut shorter, so that one long text cannot stop a whole reindex.

The key is the one given, or that of the service's own environment variable; that one is sent to the service's own
address, or the one in the service's own variable for it, and never to an address from a name.
"""

from __future__ import annotations

import os
import threading
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..model.errors import Invalid, Refused, TooLarge, Unauthorized, Unavailable
from .http import Client, Patience, Waiting
from .prompts import Kind, Prompts, known_prompts, with_instructions
from .rows import is_blank, sendable, unit_rows

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

FOR_DOCUMENTS = Patience(attempt_s=60.0, total_s=180.0, attempts=6)
FOR_A_QUERY = Patience(attempt_s=5.0, total_s=8.0, attempts=3)
"""Somebody waits for a question's answer, and search can go by words."""

BYTES_A_TOKEN = 2.5
"""Fewer than any usual text has, so that the estimate is rather too many tokens than too few."""

SHORTEST = 400
"""A text of so few characters that is refused is not refused for its length."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What is known of a model of a service: its lengths, the longest first; its price in dollars a million tokens."""

    lengths: tuple[int, ...]
    price: float
    tokens_a_request: int


@dataclass(frozen=True, slots=True)
class Service:
    """How a service differs from the others. `title` is what people call it, `name` what a vector's model says."""

    title: str
    name: str
    address: str
    default: str
    texts_a_request: int
    tokens_a_request: int
    tokens_a_text: int
    length_field: str = ""  # what a shorter vector is asked for with; without it, vectors are cut here
    kinds_field: str = ""  # what says whether a text is a question
    key_variable: str = ""
    address_variable: str = ""
    offers: Mapping[str, Offer] | None = None


_VOYAGE_LENGTHS = (2048, 1024, 512, 256)
VOYAGE = Service(
    title="Voyage",
    name="voyage",
    address="https://api.voyageai.com/v1",
    default="voyage-4",
    texts_a_request=1000,
    tokens_a_request=120_000,
    tokens_a_text=32_000,
    length_field="output_dimension",
    kinds_field="input_type",
    key_variable="VOYAGE_API_KEY",
    address_variable="VOYAGE_BASE_URL",
    offers={
        "voyage-4-large": Offer(_VOYAGE_LENGTHS, 0.12, 120_000),
        "voyage-4": Offer(_VOYAGE_LENGTHS, 0.06, 320_000),
        "voyage-4-lite": Offer(_VOYAGE_LENGTHS, 0.02, 1_000_000),
        "voyage-code-3": Offer(_VOYAGE_LENGTHS, 0.18, 120_000),
        "voyage-3-large": Offer(_VOYAGE_LENGTHS, 0.18, 120_000),
        "voyage-3.5": Offer(_VOYAGE_LENGTHS, 0.06, 320_000),
        "voyage-3.5-lite": Offer(_VOYAGE_LENGTHS, 0.02, 1_000_000),
        "voyage-finance-2": Offer((1024,), 0.12, 120_000),
        "voyage-law-2": Offer((1024,), 0.12, 120_000),
    },
)
_ATLAS_KEY, _ATLAS_ADDRESS = "al-", "https://ai.mongodb.com/v1"  # keys that are made there are for that address only
_VOYAGE_LENGTH = 1024  # what it gives unless another length is asked for

OPENAI = Service(
    title="OpenAI",
    name="openai",
    address="https://api.openai.com/v1",
    default="text-embedding-3-small",
    texts_a_request=2048,
    tokens_a_request=300_000,
    tokens_a_text=8192,
    length_field="dimensions",
    key_variable="OPENAI_API_KEY",
    address_variable="OPENAI_BASE_URL",
    offers={
        "text-embedding-3-small": Offer((1536,), 0.02, 300_000),
        "text-embedding-3-large": Offer((3072,), 0.13, 300_000),
        "text-embedding-ada-002": Offer((1536,), 0.10, 300_000),
    },
)
_FIXED = ("text-embedding-ada-002", "voyage-finance-2", "voyage-law-2")  # not trained to be cut

# What serves on one's own machine takes little at a time and says nothing about its limits.
COMPATIBLE = Service("The service", "", "", "", texts_a_request=64, tokens_a_request=32_000, tokens_a_text=8192)
SERVICES = {service.name: service for service in (VOYAGE, OPENAI)}


@dataclass(frozen=True, slots=True)
class Usage:
    """What an embedder has cost since it was made. `dollars` is None where the price is not known."""

    requests: int = 0
    texts: int = 0
    tokens: int = 0
    dollars: float | None = None


class RemoteEmbedder:
    """Asks a service for vectors. Makes no request before the first text; can be shared by threads.

    `model` names the service, the model and a shorter length if one was chosen: `voyage/voyage-4@256/1`. A prompt that
    is put before what is kept is in it too. One before questions is not: it changes no vector that is stored.
    """

    def __init__(
        self,
        service: Service,
        model: str | None = None,
        *,
        dimensions: int | None = None,
        instructions: str | None = None,
        key: str | None = None,
        address: str | None = None,
        waiting: Waiting | None = None,
    ) -> None:
        self.service = service
        self.name = model or service.default
        self._offer = (service.offers or {}).get(self.name)
        self._wanted = _checked_length(self.name, self._offer, service, dimensions)
        prompts = Prompts() if service.kinds_field else known_prompts(self.name)
        self.prompts = with_instructions(prompts, instructions)
        key = (key or os.environ.get(service.key_variable) or "").strip() or None
        if key and not (key.isascii() and key.isprintable()):
            raise Unauthorized(
                "The embedder's key has characters that no key has.", hint="Set it anew.", field="embedder.key"
            )
        own = address or os.environ.get(service.address_variable) or _own_address(service, key)
        self._client = Client(
            service=service.title,
            address=_checked_address(own),
            key=key,
            key_hint=f"Put the key into {service.key_variable}." if service.key_variable else "Set the embedder's key.",
            waiting=waiting or Waiting(),
        )
        self._lock = threading.Lock()
        self._usage = Usage(dollars=0.0 if self._offer else None)
        self._length: int | None = None

    @property
    def model(self) -> str:
        place = self.service.name or urlsplit(self._client.address).netloc
        length = "" if self._wanted is None else f"@{self._wanted}"
        document = self.prompts.document
        prompt = f"+{zlib.crc32(document.encode()):08x}" if document else ""
        return f"{place}/{self.name}{length}{prompt}/1"

    @property
    def dimensions(self) -> int:
        """Known, or chosen; of a model that is not known it is asked with a first request."""
        if self._wanted is not None:
            return self._wanted
        if self._offer is not None:
            return _default_length(self.service, self._offer)
        if self._length is None:
            self.query("length")
        if self._length is None:
            raise Unavailable("The service did not say how long its vectors are.", hint="Set embedder.dimensions.")
        return self._length

    @property
    def usage(self) -> Usage:
        with self._lock:
            return self._usage

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        said = [at for at, text in enumerate(texts) if not is_blank(text)]
        prompt = self.prompts.document
        vectors = self._vectors([prompt + sendable(texts[at]) for at in said], "document", FOR_DOCUMENTS)
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if said:
            rows[said] = vectors
        return rows

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        import numpy as np

        if is_blank(text):
            return np.zeros(self.dimensions, dtype=np.float32)
        vector: NDArray[float32] = self._vectors([self.prompts.of(kind) + sendable(text)], "query", FOR_A_QUERY)[0]
        return vector

    def _vectors(self, texts: Sequence[str], what: str, patience: Patience) -> NDArray[float32]:
        import numpy as np

        if texts and not self._client.key and self.service.key_variable:
            raise Unauthorized(f"{self._client.service} needs a key.", hint=self._client.key_hint)
        limit = int(self.service.tokens_a_text * BYTES_A_TOKEN)
        batches = [self._batch([_cut(text, limit) for text in batch], what, patience) for batch in self._batches(texts)]
        return np.concatenate(batches) if batches else np.empty((0, 0), dtype=np.float32)

    def _batches(self, texts: Sequence[str]) -> Iterator[list[str]]:
        """The texts in their order, in as few requests as the service's limits allow."""
        most = self._offer.tokens_a_request if self._offer else self.service.tokens_a_request
        batch: list[str] = []
        tokens = 0
        for text in texts:
            estimate = min(_tokens_of(text), self.service.tokens_a_text)
            if batch and (len(batch) == self.service.texts_a_request or tokens + estimate > most):
                yield batch
                batch, tokens = [], 0
            batch.append(text)
            tokens += estimate
        if batch:
            yield batch

    def _batch(self, texts: list[str], what: str, patience: Patience) -> NDArray[float32]:
        """One request; what is refused as too much is asked for in halves, and one text alone with half of itself."""
        import numpy as np

        try:
            return self._request(texts, what, patience)
        except (Refused, TooLarge):
            if len(texts) == 1 and len(texts[0]) <= SHORTEST:
                raise
        if len(texts) == 1:
            return self._batch([texts[0][: len(texts[0]) // 2]], what, patience)
        half = len(texts) // 2
        return np.concatenate([self._batch(part, what, patience) for part in (texts[:half], texts[half:])])

    def _request(self, texts: list[str], what: str, patience: Patience) -> NDArray[float32]:
        body: dict[str, object] = {"input": texts, "model": self.name}
        if self.service.kinds_field:
            body[self.service.kinds_field] = what
        if self._wanted is not None and self.service.length_field:
            body[self.service.length_field] = self._wanted
        answer = self._client.post("/embeddings", body, patience)
        self._count(len(texts), answer.get("usage"))
        return self._rows(answer, len(texts))

    def _rows(self, answer: Mapping[str, Any], count: int) -> NDArray[float32]:
        """The vectors of an answer, in the order of the texts, at unit length. Nothing about it is taken on trust."""
        import numpy as np

        listed = answer.get("data")
        try:
            by_place = {entry["index"]: entry["embedding"] for entry in listed or ()}
            rows = np.array([by_place[at] for at in range(count)], dtype=np.float32)
        except (KeyError, TypeError, ValueError):
            raise self._malformed(f"it does not hold {count} vectors") from None
        if rows.ndim != 2 or not rows.shape[1] or len(by_place) != count or not np.isfinite(rows).all():
            raise self._malformed(f"it does not hold {count} vectors of one length")
        if not rows.any(axis=1).all():
            raise self._malformed("one of its vectors is zero")
        due = self._wanted or (_default_length(self.service, self._offer) if self._offer else self._length)
        if due is not None and (rows.shape[1] < due or (rows.shape[1] > due and self._wanted is None)):
            raise self._malformed(f"its vectors have {rows.shape[1]} numbers, and not {due}")
        if due is None:
            self._length = due = int(rows.shape[1])
        return unit_rows(rows, due)

    def _malformed(self, why: str) -> Unavailable:
        what = f"The answer of {self._client.service} for {self.name} cannot be used: {why}."
        return Unavailable(what, hint="Check the model's name, embedder.dimensions and the address.")

    def _count(self, texts: int, usage: object) -> None:
        given = (usage.get("total_tokens") or usage.get("prompt_tokens")) if isinstance(usage, dict) else None
        tokens = given if isinstance(given, int) and given > 0 else 0
        with self._lock:
            before = self._usage
            spent = None if self._offer is None else (before.dollars or 0.0) + tokens * self._offer.price / 1_000_000
            self._usage = Usage(before.requests + 1, before.texts + texts, before.tokens + tokens, spent)


def _default_length(service: Service, offer: Offer) -> int:
    return _VOYAGE_LENGTH if service is VOYAGE else offer.lengths[0]


def _checked_length(name: str, offer: Offer | None, service: Service, wanted: int | None) -> int | None:
    """The length that was chosen; None when it is the model's own."""
    if wanted is None or offer is None:
        return wanted
    if wanted == _default_length(service, offer):
        return None
    if name in _FIXED or wanted > offer.lengths[0] or (service is VOYAGE and wanted not in offer.lengths):
        lengths = (
            ", ".join(map(str, offer.lengths)) if name in _FIXED or service is VOYAGE else f"up to {offer.lengths[0]}"
        )
        raise Invalid(
            f"{name} has no vectors of {wanted} numbers.", hint=f"Give {lengths}.", field="embedder.dimensions"
        )
    return wanted


def _own_address(service: Service, key: str | None) -> str:
    return _ATLAS_ADDRESS if service is VOYAGE and key and key.startswith(_ATLAS_KEY) else service.address


def _checked_address(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or "@" in parts.netloc:
        hint = "Give http:// or https://, a host and a path, without a user or a query."
        raise Invalid("This is no address of a service.", hint=hint, field="embedder")
    return address.rstrip("/")


def _tokens_of(text: str) -> int:
    return int(len(text.encode()) / BYTES_A_TOKEN) + 1


def _cut(text: str, most_bytes: int) -> str:
    """The text cut to so many bytes, at the end of a character."""
    if len(text) * 4 <= most_bytes:
        return text
    data = text.encode()
    return text if len(data) <= most_bytes else data[:most_bytes].decode("utf-8", "ignore")
