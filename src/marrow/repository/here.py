"""The folder that a program is in."""

from __future__ import annotations

import os

from ..model.errors import NotFound


def current_directory() -> str:
    """One that was deleted under who works in it, as a worktree is, is nobody's fault, and can be left."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise NotFound("The current directory no longer exists.", hint="Change to one that does.") from None
