"""Another program's SQLite file, read without touching it: what is not settled yet in its log is read from a copy."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ...model.errors import Invalid, Unavailable

MAGIC = b"SQLite format 3\x00"


@contextmanager
def opened_database(path: Path) -> Iterator[sqlite3.Connection]:
    """The database, for reading only. Opening one whose log is not empty would write beside it, so a copy is opened."""
    log = path.with_name(path.name + "-wal")
    try:
        if log.is_file() and log.stat().st_size:
            with tempfile.TemporaryDirectory(prefix="marrow-") as folder:
                copy = Path(folder, "copy.db")
                shutil.copyfile(path, copy)
                shutil.copyfile(log, copy.with_name(copy.name + "-wal"))
                with closing(_connection(f"{copy.as_uri()}")) as connection:
                    yield connection
        else:
            with closing(_connection(f"{path.resolve().as_uri()}?mode=ro&immutable=1")) as connection:
                yield connection
    except sqlite3.Error as problem:
        raise Invalid(
            f"{path.name!r} cannot be read as a database: {problem}.", hint="It may be damaged.", field="source"
        ) from problem
    except OSError as problem:
        raise Unavailable(f"{path.name!r} cannot be read: {problem.strerror or problem}.") from problem


def _connection(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(address, uri=True)
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    return connection


def columns_of(connection: sqlite3.Connection, table: str) -> set[str]:
    """The columns of a table; none for one that is not there. The names of tables are ours."""
    return {str(row["name"]) for row in connection.execute(f'PRAGMA table_info("{table}")')}


def rows_of(connection: sqlite3.Connection, table: str, wanted: Sequence[str], order: str) -> Iterator[dict[str, Any]]:
    """The rows of a table with the wanted columns; those that this version of it lacks are None."""
    there = columns_of(connection, table)
    chosen = [column for column in wanted if column in there]
    if not chosen:
        return
    ordered = f' ORDER BY "{order}"' if order in there else ""
    names = ", ".join(f'"{column}"' for column in chosen)
    for row in connection.execute(f'SELECT {names} FROM "{table}"{ordered}'):
        yield {column: row[column] if column in chosen else None for column in wanted}
