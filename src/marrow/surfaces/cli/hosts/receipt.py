"""What was written into a host's files: `<home>/installed/HOST.json`, so that exactly that can be taken out again.

Of a file that was there before, the receipt has the hash of what it was. It keeps a copy only where taking our entries
out would not give those bytes back: a host's files may hold keys, which are to be in one place and not in two.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from dataclasses import dataclass, field, replace
from typing import Any

from ....model.errors import Invalid, ReadOnly
from ....settings import load
from .programs import Programs
from .table import Host, Parts

FORMAT = 1
FILE_KIND = "file"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class Record:
    """One file. `before` is the hash of what it was, "" where there was none; `after` of what was written.

    `kind` is json, toml, or file for one that is ours alone; `detail` is what that kind needs to take ours out.
    """

    path: str
    kind: str
    before: str
    after: str
    detail: dict[str, Any] = field(default_factory=dict)
    copy: str | None = None

    @property
    def original(self) -> bytes | None:
        return None if self.copy is None else base64.b64decode(self.copy)

    def with_copy(self, data: bytes) -> Record:
        return replace(self, copy=base64.b64encode(data).decode("ascii"))


@dataclass(frozen=True, slots=True)
class Receipt:
    host: str
    version: str
    programs: Programs
    parts: Parts
    records: tuple[Record, ...]
    folders: tuple[str, ...] = ()
    repository: str = ""

    def record_of(self, path: str) -> Record | None:
        return next((record for record in self.records if record.path == path), None)

    def as_text(self) -> str:
        shape = {
            "format": FORMAT,
            "host": self.host,
            "version": self.version,
            "repository": self.repository,
            "programs": {
                "hook": list(self.programs.hook),
                "mcp": list(self.programs.mcp),
                "command": self.programs.command,
            },
            "parts": {"hooks": self.parts.hooks, "server": self.parts.server},
            "folders": list(self.folders),
            "files": [{name: getattr(record, name) for name in Record.__slots__} for record in self.records],
        }
        return json.dumps(shape, indent=2, ensure_ascii=False) + "\n"


def folder() -> str:
    return os.path.join(load().get("home", str), "installed")


def path_of(host: Host, repository: str = "") -> str:
    """Where the receipt of a host is; in a repository it is one for that repository."""
    tail = "@" + sha256(os.fsencode(repository))[:12] if repository else ""
    return os.path.join(folder(), f"{host.name}{tail}.json")


def receipt_of(host: Host, repository: str = "") -> Receipt | None:
    path = path_of(host, repository)
    try:
        with open(path, encoding="utf-8") as file:
            return _read(json.load(file))
    except FileNotFoundError:
        return None
    except OSError as problem:
        raise ReadOnly(
            f"{path} cannot be read: {problem.strerror}.", hint="See what it is and whose; nothing was changed."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise Invalid(
            f"{path} is no receipt of an installation ({type(problem).__name__}).",
            hint="Move it away and install again; then uninstalling takes out what Marrow put there.",
        ) from None


def _read(shape: Any) -> Receipt:
    if shape["format"] != FORMAT:
        raise ValueError("another format")
    programs, parts = shape["programs"], shape["parts"]
    return Receipt(
        host=shape["host"],
        version=shape["version"],
        programs=Programs(tuple(programs["hook"]), tuple(programs["mcp"]), programs["command"]),
        parts=Parts(parts["hooks"], parts["server"]),
        records=tuple(Record(**record) for record in shape["files"]),
        folders=tuple(shape["folders"]),
        repository=shape["repository"],
    )
