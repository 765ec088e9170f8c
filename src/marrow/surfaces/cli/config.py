"""`marrow config`: the settings, where they come from, and changing one."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from typing import Any

from ...model.errors import Invalid
from ...settings import (
    PROJECT_FILE,
    SETTINGS,
    USER_FILE,
    Setting,
    Settings,
    find,
    find_project_file,
    load,
    set_value,
    unset_value,
)
from .invocation import Invocation

HIDDEN = "********"


def show_all(call: Invocation) -> None:
    settings = load()
    if call.output.json:
        items, left_out = [_shape(s, settings) for s in SETTINGS], list(settings.left_out)
        call.output.data({"items": items, "files": list(settings.files), "left_out": left_out})
        return
    rows = [(s.name, _text(s, settings[s.name]), _source(settings, s), s.help) for s in SETTINGS]
    plain = "\n".join(f"{name} = {value}  # {source}: {meaning}" for name, value, source, meaning in rows)
    call.output.table(("setting", "value", "source", "meaning"), rows, plain, needed=3)
    for one in settings.left_out:
        call.output.note(one)


def show_one(call: Invocation, name: str) -> None:
    setting, settings = find(name), load()
    if call.output.json:
        call.output.data(_shape(setting, settings))
    elif sys.stdout.isatty():
        default = _text(setting, setting.default)
        lines = [
            f"{setting.name} = {_text(setting, settings[name])}",
            f"source: {_source(settings, setting)}",
            f"default: {default}",
            f"environment: {setting.environment}",
            f"takes: {setting.limits}",
            setting.help,
        ]
        call.output.text("\n".join(lines))
    else:
        call.output.text(_text(setting, settings[name]))


def set_one(call: Invocation, name: str, value: str, project_file: bool) -> None:
    setting = find(name)
    file = _file(project_file)
    set_value(file, name, value)
    _say(call, setting, file, f"{name} = {HIDDEN if setting.secret else value} in {file}", changed=True)


def unset_one(call: Invocation, name: str, project_file: bool) -> None:
    setting = find(name)
    file = _file(project_file)
    changed = unset_value(file, name)
    _say(call, setting, file, f"{name} is {'no longer' if changed else 'not'} set in {file}", changed=changed)


def _say(call: Invocation, setting: Setting, file: str, text: str, *, changed: bool) -> None:
    if call.output.json:
        call.output.data({"name": setting.name, "file": file, "changed": changed})
    else:
        call.output.text(text)
    if os.environ.get(setting.environment):
        call.output.note(f"{setting.environment} is set, and goes before the file.")


def _file(project_file: bool) -> str:
    """The file to change: the user's own, or the repository's. Found even where a setting in it is wrong."""
    home = os.environ.get("HOME") or os.path.expanduser("~")
    if project_file:
        here = os.environ.get("MARROW_PROJECT_ROOT") or os.getcwd()
        return find_project_file(here, home) or os.path.join(_top(here), PROJECT_FILE)
    try:
        return load().get("config", str)
    except Invalid:
        folder = os.environ.get("MARROW_HOME") or os.path.join(home, ".marrow")
        return os.environ.get("MARROW_CONFIG") or os.path.join(folder, USER_FILE)


def _top(here: str) -> str:
    """The repository's folder, or the current one outside of a repository."""
    folder = os.path.realpath(here)
    while not os.path.lexists(os.path.join(folder, ".git")):
        if os.path.dirname(folder) == folder:
            return os.path.realpath(here)
        folder = os.path.dirname(folder)
    return folder


def _shape(setting: Setting, settings: Settings) -> dict[str, Any]:
    return {
        "name": setting.name,
        "value": _plain(setting, settings[setting.name]),
        "default": _plain(setting, setting.default),
        "source": _source(settings, setting),
        "environment": setting.environment,
        "takes": setting.limits,
        "help": setting.help,
    }


def _plain(setting: Setting, value: Any) -> Any:
    """A value as JSON has it; of a secret only that there is one, and of an address no password."""
    if setting.secret:
        return HIDDEN if value else None
    if isinstance(value, Mapping):
        return {key: list(item) if isinstance(item, tuple) else item for key, item in value.items()}
    if isinstance(value, str):
        return re.sub("://.*@", f"://{HIDDEN}@", value) if setting.type == "store" else value
    return list(value) if isinstance(value, tuple) else value


def _text(setting: Setting, value: Any) -> str:
    """A value as it is typed."""
    plain = _plain(setting, value)
    if plain is None:
        return setting.absent or "none"
    if isinstance(plain, bool):
        return str(plain).lower()
    if isinstance(plain, dict):
        return ",".join(f"{key}={'|'.join(item) if isinstance(item, list) else item}" for key, item in plain.items())
    return ",".join(plain) if isinstance(plain, list) else str(plain)


def _source(settings: Settings, setting: Setting) -> str:
    return settings.source(setting.name)
