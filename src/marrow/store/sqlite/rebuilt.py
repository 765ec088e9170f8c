"""A store's rows in a new file: what is canonical row by row, and of the rest whatever can still be read.

SQLite cannot drop a table whose pages are broken. What is derived from other rows is left out where it is not sound,
and made again by whoever asked.
"""

from __future__ import annotations

from contextlib import suppress

import apsw

from .connection import Migration, migrate

# The tables that cannot be made again from others.
CANONICAL = tuple(
    "namespaces projects project_aliases nodes inputs entries occurrences standings links anchors events snapshots "
    "attachments".split()
)
# What is noted beside the memory. It is made from nothing else: what can be read of it is kept.
NOTED = tuple("facts uses measurements traces sessions injections inbox sources derived".split())
VECTORS, FACTS = "vectors", "facts"
# What a row from a broken page can raise, when it is read and when it is written.
_UNREADABLE = (apsw.CorruptError, apsw.ConstraintError, apsw.MismatchError)


def begin(connection: apsw.Connection, like: apsw.Connection, path: str, scripts: tuple[Migration, ...]) -> None:
    """A new file with our tables, in pages of the same size: SQLite puts no other in the place of a file with a log."""
    connection.execute(f"PRAGMA page_size = {like.pragma('page_size')}")
    migrate(connection, path, scripts)


def fill(connection: apsw.Connection, source: apsw.Connection) -> list[str]:
    """Every row of the source but the index of words and the tree. Gives the parts of which something is lost; raises
    where something canonical cannot be read."""
    lost: list[str] = []
    connection.execute("BEGIN IMMEDIATE")
    try:
        for table in CANONICAL:
            _copy(connection, source, table)
        lost.extend(table for table in NOTED if not _copy_readable(connection, source, table))
        # Vectors whose model is not known any more are worth nothing.
        if FACTS in lost or not is_sound(source, VECTORS):
            lost.append(VECTORS)
        else:
            _copy(connection, source, VECTORS)
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return lost


def is_sound(connection: apsw.Connection, table: str) -> bool:
    try:
        return [line for (line,) in connection.execute(f"PRAGMA integrity_check({table})")] == ["ok"]
    except apsw.Error:
        return False


def _copy(connection: apsw.Connection, source: apsw.Connection, table: str) -> None:
    columns = [name for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")]
    marks = ", ".join("?" for _ in columns)
    # The names are those of our own tables. Rows that were read from both ends are the same rows.
    rows = source.execute(f"SELECT {', '.join(columns)} FROM {table} NOT INDEXED")
    connection.executemany(f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({marks})", rows)


def _copy_readable(connection: apsw.Connection, source: apsw.Connection, table: str) -> bool:
    """Whether all of it was. Otherwise the rows before what is broken, and those after it."""
    with suppress(*_UNREADABLE):
        _copy(connection, source, table)
        return True
    source.execute("PRAGMA reverse_unordered_selects = ON")
    with suppress(*_UNREADABLE):
        _copy(connection, source, table)
    source.execute("PRAGMA reverse_unordered_selects = OFF")
    return False
