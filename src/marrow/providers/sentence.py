"""An embedder from the sentence-transformers library, where it is installed: for models that run no other way.

It brings torch, so nothing here is imported before the first text. A model that is not on the machine is fetched by
the library from its hub, because it was named.
"""

from __future__ import annotations

import importlib
import importlib.util
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..model.errors import Invalid, Unavailable
from .prompts import Kind, Prompts, folder_prompts, with_instructions
from .rows import is_blank, sendable, unit_rows

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

LIBRARY = "sentence_transformers"


def is_installed() -> bool:
    try:
        return importlib.util.find_spec(LIBRARY) is not None
    except ValueError:  # something put None in its place
        return False


class SentenceEmbedder:
    """A model by its name on the hub, or by its folder. Loads it on first use; one call at a time."""

    def __init__(self, name: str, *, dimensions: int | None = None, instructions: str | None = None) -> None:
        self.name = name
        self._wanted = dimensions
        self._instructions = instructions
        self._lock = threading.RLock()
        self._loaded: tuple[Any, Prompts, int] | None = None

    @property
    def model(self) -> str:
        shortened = "" if self._wanted is None else f"@{self._wanted}"
        return f"sentence-transformers/{self.name}{shortened}/1"

    @property
    def dimensions(self) -> int:
        return self._wanted or self._load()[2]

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        said = [at for at, text in enumerate(texts) if not is_blank(text)]
        if said:
            rows[said] = self._vectors([texts[at] for at in said], self._load()[1].document)
        return rows

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        import numpy as np

        if is_blank(text):
            return np.zeros(self.dimensions, dtype=np.float32)
        vector: NDArray[float32] = self._vectors([text], self._load()[1].of(kind))[0]
        return vector

    def _vectors(self, texts: Sequence[str], prompt: str) -> NDArray[float32]:
        import numpy as np

        library, _, _ = self._load()
        with self._lock:
            # One at a time: padding would make a text's vector depend on its neighbours.
            made = library.encode(
                [sendable(text) for text in texts],
                prompt=prompt,  # even if it is empty: with None the library would put its own there
                batch_size=1,
                show_progress_bar=False,
                convert_to_numpy=True,
            )
        return unit_rows(np.asarray(made, dtype=np.float32), self.dimensions)

    def _load(self) -> tuple[Any, Prompts, int]:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._read()
            return self._loaded

    def _read(self) -> tuple[Any, Prompts, int]:
        try:
            library = importlib.import_module(LIBRARY)
            model = library.SentenceTransformer(self.name)
        except (ImportError, OSError, ValueError) as error:
            what = f"sentence-transformers cannot load {self.name}: {str(error).strip().split(chr(10))[0][:200]}"
            raise Unavailable(what, hint="Check the name, the network and the installation.") from error
        # The older name of the method goes on working, with a warning.
        length = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        whole = int(length() or 0)
        if self._wanted is not None and self._wanted > whole:
            hint = f"Give at most {whole}."
            raise Invalid(f"The model's vectors have {whole} numbers.", hint=hint, field="embedder.dimensions")
        config = {"prompts": dict(model.prompts or {}), "default_prompt_name": model.default_prompt_name}
        return model, with_instructions(folder_prompts(config, self.name), self._instructions), whole
