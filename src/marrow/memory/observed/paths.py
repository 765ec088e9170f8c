"""Paths of files as a memory names them: relative to the folder at hand where they are inside it."""

from __future__ import annotations

import re

_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_SCRATCH = re.compile(
    r"(?:^|/)(?:tmp|temp|var/folders|scratchpad)(?:/|$)|/\.(?:claude|codex|cursor|gemini)/(?:plans|projects|todos|"
    r"memories)/"
    r"|AppData/Local/Temp/",
    re.I,
)
_GENERATED = re.compile(
    r"(?:^|/)(?:package-lock\.json|yarn\.lock|pnpm-lock\.yaml|poetry\.lock|uv\.lock|Cargo\.lock|Gemfile\.lock|"
    r"composer\.lock|go\.sum|node_modules/.*|__pycache__/.*|\.git/.*|.*\.min\.(?:js|css)|.*\.map|.*\.pyc)\Z"
)


def relative(path: str, cwd: str) -> str:
    """`path` with forward slashes, without the folder `cwd` in front of it."""
    path = slashes(path.strip().removeprefix("file://"))
    folder = slashes(cwd).rstrip("/")
    same = path[: len(folder) + 1]
    if folder and (same == folder + "/" or (_DRIVE.match(path) and same.lower() == folder.lower() + "/")):
        path = path[len(folder) + 1 :]
    while path.startswith("./"):
        path = path[2:]
    return path


def slashes(path: str) -> str:
    """A path of Windows with the slashes of all others."""
    return path.replace("\\", "/") if "\\" in path and ("/" not in path or _DRIVE.match(path)) else path


def is_absolute(path: str) -> bool:
    return path.startswith(("/", "~")) or _DRIVE.match(path) is not None


def is_scratch(path: str) -> bool:
    """A file outside the folder at hand that is thrown away, or a host's own notes."""
    return is_absolute(path) and _SCRATCH.search(path) is not None


def is_generated(path: str) -> bool:
    """A file that a program writes: its changes say nothing that the program's run does not say."""
    return _GENERATED.search(path) is not None


def short(path: str, length: int = 40) -> str:
    """The end of a path, whole folders only."""
    if len(path) <= length:
        return path
    parts = path.split("/")
    kept = parts[-1]
    for part in reversed(parts[:-1]):
        if len(part) + len(kept) + 1 > length - 2:
            break
        kept = f"{part}/{kept}"
    return kept if len(kept) <= length else kept[: length - 1] + "…"
