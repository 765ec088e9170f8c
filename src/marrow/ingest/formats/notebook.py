"""Notebooks: the prose and the code of the cells, and what they printed, within limits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ..item import Skipped
from .prose import markdown_headings
from .text import Text, as_title

OUTPUT_LENGTH_MAX = 2_000
OUTPUTS_LENGTH_MAX = 64_000
_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")


def notebook(path: str, text: str) -> Text | Skipped:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return Skipped(path, "it is no sound notebook: its JSON is broken")
    cells = _cells(found)
    if cells is None:
        return Skipped(path, "it is no notebook: it has no cells")
    language = _language(found)
    left = OUTPUTS_LENGTH_MAX
    parts = []
    for cell in cells:
        part = _source(cell, language)
        if part:
            parts.append(part)
        if cell.get("cell_type") == "code" and left > 0 and (printed := _printed(cell)[:left]):
            left -= len(printed)
            parts.append(f"```text\n{printed}\n```")
    written = "\n\n".join(parts)
    if not written.strip():
        return Skipped(path, "it has no text")
    headings = tuple(heading for heading, _ in zip(markdown_headings(written), range(2_000), strict=False))
    problem = (
        "" if left > 0 else f"only the first {OUTPUTS_LENGTH_MAX:,} characters of what its cells printed were kept"
    )
    title = headings[0].text if headings else ""
    return Text(written, "notebook", as_title(title), problem, language=language, headings=headings)


def _cells(found: Any) -> list[dict[str, Any]] | None:
    """The cells; notebooks before version 4 have them in worksheets."""
    if not isinstance(found, dict):
        return None
    cells = found.get("cells")
    if not isinstance(cells, list):
        sheets = found.get("worksheets")
        if not isinstance(sheets, list):
            return None
        cells = [
            cell for sheet in sheets if isinstance(sheet, dict) and isinstance(sheet.get("cells"), list)
            for cell in sheet["cells"]
        ]  # fmt: skip
    return [cell for cell in cells if isinstance(cell, dict)]


def _language(found: dict[str, Any]) -> str:
    about = found.get("metadata")
    about = about if isinstance(about, dict) else {}
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        inner = about.get(part)
        if isinstance(inner, dict) and isinstance(inner.get(key), str):
            return str(re.sub(r"[^\w+#-]", "", inner[key])[:30].lower())
    return "python"


def _source(cell: dict[str, Any], language: str) -> str:
    said = _joined(cell.get("source") if "source" in cell else cell.get("input")).strip("\n")
    if not said.strip():
        return ""
    kind = cell.get("cell_type")
    if kind == "code":
        return f"```{language}\n{said}\n```"
    if kind == "heading":  # of version 3
        level = cell.get("level")
        return f"{'#' * (min(max(level, 1), 6) if isinstance(level, int) else 1)} {said}"
    return said


def _printed(cell: dict[str, Any]) -> str:
    outputs = cell.get("outputs")
    whole = "".join(_outputs(outputs)) if isinstance(outputs, list) else ""
    printed = _ANSI.sub("", whole).strip("\n")
    return printed if len(printed) <= OUTPUT_LENGTH_MAX else f"{printed[:OUTPUT_LENGTH_MAX]}\n…"


def _outputs(outputs: list[Any]) -> Iterator[str]:
    """What was printed, the last values, and errors by their name. Pictures are left out."""
    for output in outputs[:100]:
        if not isinstance(output, dict):
            continue
        if output.get("output_type") in ("error", "pyerr"):
            yield f"{str(output.get('ename'))[:200]}: {str(output.get('evalue'))[:1000]}\n"
            continue
        data = output.get("data")
        said = data.get("text/plain") if isinstance(data, dict) else output.get("text")
        if text := _joined(said)[: 4 * OUTPUT_LENGTH_MAX]:
            yield text if text.endswith("\n") else f"{text}\n"


def _joined(said: Any) -> str:
    if isinstance(said, str):
        return said
    return "".join(part for part in said if isinstance(part, str)) if isinstance(said, list) else ""
