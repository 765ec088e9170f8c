"""Decisions for a package that a session took out of the project: whatever was said, and in whichever language."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..codemap.manifests import is_manifest
from ..model.change import Restate, Step
from ..model.record import CURRENT, Record
from ..model.standing import ACTIVE
from ..store.protocol import Reader
from ..store.terms import terms_of
from .engine import Asker, Engine
from .observed.call import Call, call_of
from .observed.changes import changes_of
from .observed.command import take_apart
from .observed.paths import relative

LOOKED_AT = 60
KIND, GONE = "decision", "gone"
# A name with its version, as manifests write it.
_NAMED = re.compile(
    r"[\"']([@A-Za-z][\w./@-]*)[\"']\s*:\s*[\"'][\^~<>=v*\d]|^\s*([A-Za-z][\w.-]*)\s*=\s*(?:[\"'][\^~<>=*\d]|\{)|"
    r"(?<![\w-])([A-Za-z][\w.-]*)(?:\[[\w,-]+\])?\s*(?:[=~<>]=|[<>])\s*\d|^\s*([\w.-]+(?:/[\w.-]+)+)\s+v\d",
    re.M,
)
_REMOVES = re.compile(
    r"(?:npm|pnpm|yarn|bun|pip3?|uv(?: pip)?|poetry|pdm|cargo|gem|composer)\s+(?:uninstall|remove|rm|un)\s+(.+)"
)
# A decision that names it so is one against it.
_AGAINST = (
    r"(?:(?:instead of|rather than|over|from|without|off|drop(?:s|ped|ping)?|replac(?:e|es|ed|ing)|no) (?:the )?|"
    r"(?:not|never|avoid|against|stop|[a-z]+n['’]t)(?: \w+){0,3} )"
)


def taken_out(engine: Engine, asker: Asker, reader: Reader, bodies: Sequence[Mapping[str, Any]]) -> list[Step]:
    """What these calls took out or put back says of the decisions that name it."""
    steps: dict[str, Step] = {}
    for call in filter(None, map(call_of, bodies)):
        for name, path, is_gone in _moved(call) if not call.failed else ():
            for record in _deciding(reader, asker, name, engine.clock()):
                reason = f"{name} was taken out of {path}"
                if is_gone and not record.standing.drift:
                    steps[record.node.address] = Restate(record.node.address, (("drift", GONE),), reason, ACTIVE)
                elif not is_gone and record.standing.reason.startswith(f"{name} was taken out of "):
                    back = f"{name} is in {path} again"
                    steps[record.node.address] = Restate(record.node.address, (("drift", ""),), back, ACTIVE)
    return list(steps.values())


def _moved(call: Call) -> Iterator[tuple[str, str, bool]]:
    """The packages that a call took out (True) or put in (False), and of which manifest."""
    if call.does == "shell":
        for command in take_apart(call.command).commands:
            if found := _REMOVES.match(command):
                names = [word for word in found[1].split() if not word.startswith("-")]
                yield from ((name, "the project", True) for name in names)
        return
    for change in changes_of(call) if call.does in ("edit", "write") else ():
        if is_manifest(change.path) and not change.whole:
            went, came = _names(change.removed), _names(change.added)
            path = relative(change.path, call.cwd)
            yield from ((name, path, True) for name in went if name not in came)
            yield from ((name, path, False) for name in came if name not in went)


def _names(lines: Sequence[str]) -> dict[str, None]:
    found = _NAMED.findall("\n".join(lines))
    return dict.fromkeys(name for groups in found for name in groups if name)


def _deciding(reader: Reader, asker: Asker, name: str, now: int) -> list[Record]:
    """The decisions of the project that are for a package."""
    called = name.rpartition("/")[2]
    matched = reader.match(asker.namespace, terms_of(called), (asker.scope.project,), None, LOOKED_AT)
    records = reader.records_of([entry for entry, _ in matched], CURRENT)
    named = re.compile(rf"(?<![\w-]){re.escape(called)}(?![\w-])", re.I)
    against = re.compile(rf"(?<!\w){_AGAINST}{re.escape(called)}(?![\w-])", re.I)
    return [
        record
        for record in records
        if record.node.kind == KIND
        and record.standing.is_active(now)
        and named.search(record.node.content)
        and not against.search(record.node.content)
    ]
