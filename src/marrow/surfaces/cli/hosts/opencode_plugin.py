"""OpenCode has no hooks that are programs: a small plugin in its own language passes its events on to ours."""

from __future__ import annotations

import json
from pathlib import Path

from .programs import Programs

_TEMPLATE = Path(__file__).parent / "opencode_plugin.js"
_HOOK = '["marrow", "hook"]'


def opencode_plugin(programs: Programs) -> str:
    """The plugin, with the program that it starts."""
    return _TEMPLATE.read_text(encoding="utf-8").replace(_HOOK, json.dumps(list(programs.hook)), 1)
