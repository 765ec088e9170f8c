"""The weights of Marrow's own embedder. `FOLDER` holds tokenizer.json, static.npz and transformer.onnx."""

from pathlib import Path

FOLDER = Path(__file__).parent
