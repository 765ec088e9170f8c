"""A stand-in for the sentence-transformers library, which brings a gigabyte of torch. It has the same few methods.

They are those of version 6; `encode` has what Marrow gives it by these names.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

LIBRARY = '''
"""A stand-in for tests."""
import numpy as np

MADE = []


class SentenceTransformer:
    default_prompt_name = None

    def __init__(self, model_name_or_path):
        if "missing" in model_name_or_path:
            raise OSError(f"{model_name_or_path} is not a local folder and is not a valid model identifier")
        self.prompts = {"query": "", "document": ""}
        self.asked = []
        MADE.append(model_name_or_path)

    def get_embedding_dimension(self):
        return 12

    def encode(self, inputs, *, prompt=None, batch_size=32, show_progress_bar=None, convert_to_numpy=True):
        assert batch_size == 1 and not show_progress_bar and convert_to_numpy
        self.asked.append((prompt, list(inputs)))
        rows = np.zeros((len(inputs), 12), dtype=np.float32)
        for row, text in enumerate(inputs):
            for at, mark in enumerate((prompt or "") + text):
                rows[row, ord(mark) % 12] += 1 + at % 3
        return rows
'''


def stand_in_library(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the stand-in where Python finds it, as if it were installed."""
    home = folder / "library"
    home.mkdir()
    (home / "sentence_transformers.py").write_text(LIBRARY, encoding="utf-8")
    monkeypatch.syspath_prepend(str(home))
    monkeypatch.delitem(sys.modules, "sentence_transformers")
    importlib.invalidate_caches()
