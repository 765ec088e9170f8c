"""The process that reads one PDF: bytes in, one line of JSON out. `pdf.py` starts and ends it."""

from __future__ import annotations

import io
import json
import logging
import sys
import time
import zlib
from contextlib import suppress

if sys.platform != "win32":
    import resource

PAGES_MAX = 5_000
TEXT_LENGTH_MAX = 2 * 1024 * 1024
MEMORY_MAX = 3 * 1024 * 1024 * 1024
# What pypdf lets through on broken files, beside its own.
_BROKEN = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError)
_BROKEN_TOO = (RecursionError, NotImplementedError, OSError, zlib.error, StopIteration, UnboundLocalError)


def main() -> None:
    logging.disable(logging.CRITICAL)
    _limit_memory()
    sys.setrecursionlimit(2_000)
    try:
        found = read(sys.stdin.buffer.read(), float(sys.argv[1]))
    except MemoryError:
        found = {"skipped": "reading this PDF needs too much memory"}
    sys.stdout.write(json.dumps(found))


def _limit_memory() -> None:
    if sys.platform == "win32":
        return  # It has no such limit; that of time holds there too.
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


def read(data: bytes, seconds: float) -> dict[str, object]:
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    until = time.monotonic() + seconds
    broken = (PyPdfError, *_BROKEN, *_BROKEN_TOO)
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return {"skipped": "it is encrypted: take the password off it first"}
        count = len(reader.pages)
    except ImportError:
        return {"skipped": "it is encrypted: take the password off it first"}
    except broken as problem:
        return {"skipped": _why(problem)}
    pages: list[str] = []
    length = bad = number = 0
    for number in range(1, min(count, PAGES_MAX) + 1):
        try:
            said = reader.pages[number - 1].extract_text().strip()
        except broken:
            said = ""
            bad += 1
        pages.append(f"[page {number}]\n{said}\n")
        length += len(said)
        if length > TEXT_LENGTH_MAX or time.monotonic() > until:
            break
    if not length:
        return {"skipped": _empty(count, bad)}
    problems = [f"{bad} of its pages could not be read"] if bad else []
    problems += [f"only the first {number} of its {count} pages were read"] if number < count else []
    about = _about(reader, broken)
    return {"text": "\n".join(pages), "pages": count, "problem": "; ".join(problems), **about}


def _why(problem: BaseException) -> str:
    if "crypt" in type(problem).__name__.lower() or type(problem).__name__ == "DependencyError":
        return "it is encrypted: take the password off it first"
    return "it is no sound PDF: it is broken or cut off"


def _empty(count: int, bad: int) -> str:
    if not count:
        return "it is an empty PDF: it has no pages"
    if bad == count:
        return "it is no sound PDF: none of its pages could be read"
    return f"it has no text: its {count} page{'s are pictures' if count > 1 else ' is a picture'}, or empty"


def _about(reader: object, broken: tuple[type[BaseException], ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in ("title", "author", "creation_date"):
        try:
            value = getattr(getattr(reader, "metadata", None), name, None)
        except broken:
            value = None
        if value:
            found["date" if name == "creation_date" else name] = str(value).strip()[:500]
    return found


if __name__ == "__main__":
    main()
