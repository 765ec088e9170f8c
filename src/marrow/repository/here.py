"""The folder that a program is in."""

from __future__ import annotations

import os

from ..model.errors import directory_gone


def current_directory() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise directory_gone() from None
