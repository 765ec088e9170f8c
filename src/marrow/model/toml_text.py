"""TOML as text: reads it, and changes one value in it while every other line stays as it was written.

An edit is tried, read back, and returned only if it changes that one value and nothing else. So the code that looks
for places to write needs no full grammar: where it guesses wrong, the edit is dropped and the next is tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

Path = tuple[str, ...]
Statement = tuple[int, int, Path, Path | None]  # first line, line after it, full name, its table (None: it is a header)

_DOTS_MAX = 500  # in a line: the library's time grows with the square of a key's parts, a minute for 100 kB
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def read(text: str) -> dict[str, object]:
    """The text as a table. Raises ValueError with the line, or RecursionError where it nests too deeply."""
    import tomllib  # costs more than the rest of a start together, and most starts read no TOML

    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > _DOTS_MAX and not line.lstrip().startswith("#"):
            raise ValueError(f"More than {_DOTS_MAX} dots (at line {number})")
    return tomllib.loads(text)


def with_value(text: str, path: Path, value: object) -> str | None:
    """`text` with `value` at `path`; None where that cannot be done without touching other lines."""
    wanted = _changed(read(text), path, value)
    if wanted is None:
        return None
    lines = _lines(text)
    return next((edit for edit in _edits(lines, path, literal(value)) if _tried(edit) == wanted), None)


def without_value(text: str, path: Path) -> str | None:
    """`text` without what is at `path`; None where that cannot be done without touching other lines."""
    wanted = _pruned(_changed(read(text), path, None) or {})
    edit = "".join(_remaining(_lines(text), path))
    found = _tried(edit)
    return edit if found is not None and _pruned(found) == wanted else None


def literal(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, str):
        return f'"{value.translate(_ESCAPES)}"'
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(str(key))} = {literal(item)}" for key, item in value.items()) + "}"
    return str(value).lower()


def _changed(table: Mapping[str, object], path: Path, value: object) -> dict[str, object] | None:
    """A copy with `value` at `path`, or without it if that is None. None where something else stands in the way."""
    key, *rest = path
    copy = dict(table)
    if rest:
        inner = table.get(key, {})
        changed = _changed(inner, tuple(rest), value) if isinstance(inner, dict) else None
        if changed is None:
            return None
        copy[key] = changed
    elif value is None:
        copy.pop(key, None)
    else:
        copy[key] = value
    return copy


def _pruned(table: Mapping[str, object]) -> dict[str, object]:
    """Without empty tables: a header may outlive the last of its keys."""
    inner = ((key, _pruned(item) if isinstance(item, dict) else item) for key, item in table.items())
    return {key: item for key, item in inner if item != {}}


def _lines(text: str) -> list[str]:
    return [line + "\n" for line in text.removesuffix("\n").split("\n")] if text else []


def _tried(text: str) -> dict[str, object] | None:
    try:
        return read(text)
    except ValueError:
        return None


def _statements(lines: list[str]) -> list[Statement]:
    """A statement ends with the first line that makes it valid TOML by itself."""
    found: list[Statement] = []
    table: Path = ()
    first = 0
    while first < len(lines):
        last = first + 1
        mark = lines[first].lstrip()[:1]
        if mark not in ("", "#"):
            node: object = _tried("".join(lines[first:last]))
            while node is None and last < len(lines):
                last += 1
                node = _tried("".join(lines[first:last]))
            keys: list[str] = []
            while isinstance(node, dict) and len(node) == 1:
                key, node = next(iter(node.items()))
                keys.append(key)
            if mark == "[":
                table = tuple(keys)
                found.append((first, last, table, None))
            else:
                found.append((first, last, (*table, *keys), table))
        first = last
    return found


def _edits(lines: list[str], path: Path, written: str) -> Iterator[str]:
    """Ways to write the value, best first: in its place, in its table, in a new table, dotted before all tables."""
    for first, last, known, table in _statements(lines):
        if known == path and table is not None:
            statement = _rewritten("".join(lines[first:last]), written)
            yield "".join([*lines[:first], statement, *lines[last:]])
    rest = _remaining(lines, path)
    for size in range(len(path) - 1, -1, -1):
        yield _inserted(rest, path[:size], f"{_dotted(path[size:])} = {written}")


def _rewritten(statement: str, written: str) -> str:
    """The statement with another value, the same key, and the same comment after it."""
    whole = _tried(statement)
    equals = (i for i, mark in enumerate(statement) if mark == "=" and _tried(statement[:i] + "= 0") is not None)
    hashes = (i for i, mark in enumerate(statement) if mark == "#" and _tried(statement[:i]) == whole)
    comment = next((statement[i:] for i in hashes), "").strip()
    ending = "\r\n" if statement.endswith("\r\n") else "\n"
    return f"{statement[: next(equals)].rstrip()} = {written}{'  ' if comment else ''}{comment}{ending}"


def _inserted(lines: list[str], table: Path, line: str) -> str:
    """`line` as the last of its table, which is added at the end if there is none. () is what precedes all tables."""
    ending = "\r\n" if lines and lines[0].endswith("\r\n") else "\n"
    statements = _statements(lines)
    ends = [last for _, last, known, within in statements if within == table or (within is None and known == table)]
    added = [line + ending]
    if ends:
        at = max(ends)
    elif table:
        at = len(lines)
        added = [*([ending] if lines and lines[-1].strip() else []), f"[{_dotted(table)}]{ending}", *added]
    else:
        at = next((first for first, _, _, within in statements if within is None), len(lines))
        while 0 < at < len(lines) and lines[at - 1].startswith("#"):
            at -= 1
    return "".join([*lines[:at], *added, *lines[at:]])


def _remaining(lines: list[str], path: Path) -> list[str]:
    """Without every statement at or below `path`."""
    kept = list(lines)
    for first, last, known, _ in reversed(_statements(lines)):
        if known[: len(path)] == path:
            del kept[first:last]
    return kept


def _dotted(path: Path) -> str:
    bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
    return ".".join(key if key and not key.strip(bare) else literal(key) for key in path)
