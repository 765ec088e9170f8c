"""Notebooks: prose, code and what was printed, within limits."""

from __future__ import annotations

import json

import pytest

from marrow.ingest.formats.notebook import OUTPUT_LENGTH_MAX, OUTPUTS_LENGTH_MAX
from marrow.ingest.formats.text import Text
from marrow.ingest.formats.text_of import text_of
from marrow.ingest.item import Skipped

from .made import notebook_of


def code(source: object, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def read(data: bytes) -> Text:
    found = text_of("a.ipynb", data)
    assert isinstance(found, Text), found
    return found


def test_cells_come_in_their_order_with_what_they_printed() -> None:
    printed = {"output_type": "stream", "text": ["\x1b[31m42\x1b[0m\n"]}
    failed = {"output_type": "error", "ename": "KeyError", "evalue": "'x'", "traceback": ["long"]}
    picture = {"output_type": "display_data", "data": {"image/png": "AAAA" * 100, "text/plain": "<Figure>"}}
    data = notebook_of(
        {"cell_type": "markdown", "source": ["# Study\n", "\n", "Why we look."]},
        code("print(6 * 7)", printed),
        code("d['x']", failed, picture),
    )
    found = read(data)
    assert found.text == (
        "# Study\n\nWhy we look.\n\n```python\nprint(6 * 7)\n```\n\n```text\n42\n```\n\n"
        "```python\nd['x']\n```\n\n```text\nKeyError: 'x'\n<Figure>\n```"
    )
    assert (found.title, found.language, found.format) == ("Study", "python", "notebook")


def test_what_is_printed_is_bounded_in_each_cell_and_in_all() -> None:
    loud = {"output_type": "stream", "text": "x" * 50_000}
    found = read(notebook_of(*(code(f"n = {number}", loud) for number in range(100))))
    assert found.text.count("x") <= OUTPUTS_LENGTH_MAX + OUTPUT_LENGTH_MAX
    assert "what its cells printed" in found.problem
    assert "n = 99" in found.text


def test_notebooks_of_version_3_are_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Old"},
        {"cell_type": "code", "input": "1 + 1", "outputs": []},
    ]
    data = json.dumps({"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3}).encode()
    assert read(data).text == "## Old\n\n```python\n1 + 1\n```"


def test_lone_surrogates_are_replaced_and_said() -> None:
    found = read(b'{"cells": [{"cell_type": "markdown", "source": "a \\ud800 b"}]}')
    assert found.text == "a \ufffd b"
    assert "no Unicode" in found.problem


@pytest.mark.parametrize(
    "data",
    [b"{", b"[]", b"1", b'{"cells": 1}', b"[" * 100_000, b'{"cells": []}', b'{"cells": [1, null, {"source": {}}]}'],
)
def test_broken_ones_are_refused(data: bytes) -> None:
    assert isinstance(text_of("a.ipynb", data), Skipped)
