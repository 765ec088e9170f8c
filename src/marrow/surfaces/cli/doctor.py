"""`marrow doctor`: the store, and every link of the chain from a host's hook to it, each tried for real."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...capture import inbox, line, start, where
from ...model.errors import MarrowError, StoreDamaged
from ...settings import load
from .hosts.checks import Check, checks, installed_hosts
from .hosts.table import place_here, repository_here
from .invocation import Invocation

START_SECONDS, ASK_SECONDS = 15.0, 30.0


def run_doctor(call: Invocation, repair: bool) -> int:
    """The exit code: that of a damaged store, when something is wrong with what Marrow holds."""
    with call.open(project=call.project, create=False, damaged=True) as memory:
        answer = memory.perform("doctor", {"repair": repair})
    was_there, store = line.is_there(), Path(load().get("store", str))  # the daemon's, whichever was looked at
    had_store = store.exists()
    chain = chain_checks()
    traces = [f"the store {store} was made"] if not had_store and store.exists() else []
    if not was_there and line.is_there():  # looking leaves nothing running
        line.ask("marrow/stop", {}, ASK_SECONDS)
        traces.append("the daemon was started, and ended again")
    if call.output.json:
        shape: dict[str, Any] = {**answer.plain(), "chain": [_shape(one) for one in chain]}
        call.output.data(shape)
    else:
        call.output.answer(answer)
        broken = sum(not one.ok for one in chain)
        state = "all is well" if not broken else f"{broken} of {len(chain)} links broken"
        call.output.text(f"\nThe chain from a host to the memory: {state}.")
        for one in chain:
            call.output.text(f"  {'ok  ' if one.ok else 'FAIL'}  {one.name}: {one.detail}")
            if not one.ok and one.hint:
                call.output.text(f"        {one.hint}")
        if traces:
            call.output.text(f"To try that, {' and '.join(traces)}.")
    return 0 if answer.result.ok and all(one.ok for one in chain) else StoreDamaged.exit_code


def chain_checks() -> list[Check]:
    found = [_attempt("daemon", _daemon), _attempt("inbox", _inbox), _attempt("answer to a hook", _answer)]
    found += settings_checks()
    places = {"": place_here()}
    if folder := repository_here():
        places[" in this repository"] = place_here(folder)
    installed = [(host, said, place) for said, place in places.items() for host in installed_hosts(place)]
    if not installed:
        found.append(Check("hosts", True, "Marrow is installed in none; `marrow install` does that"))
    for host, said, place in installed:
        found += [replace(one, name=f"{host.name}{said}: {one.name}") for one in checks(host, place)]
    return found


def settings_checks() -> list[Check]:
    """What was left out of the settings: whoever wrote a pattern believes that it redacts."""
    return [Check("settings", False, one, "Give each of its repeats an end, as {1,40}.") for one in load().left_out]


def _attempt(name: str, check: Callable[[], str]) -> Check:
    try:
        return Check(name, True, check())
    except (OSError, MarrowError) as problem:
        log = os.path.join(where.log(where.home()), "daemon.log")
        said = problem.message if isinstance(problem, MarrowError) else problem.strerror or str(problem)
        return Check(name, False, said, f"`marrow daemon restart`; {log} and daemon.out beside it say more.")


def _daemon() -> str:
    began = time.monotonic()
    was_there = line.is_there()
    if not was_there and not start.ensure_started(START_SECONDS, force=True):
        raise TimeoutError(f"it did not start within {START_SECONDS:.0f} seconds")
    found = line.ask("marrow/ping", {}, ASK_SECONDS)
    spent = (time.monotonic() - began) * 1000
    how = "answered" if was_there else "started"
    return f"version {found['version']}, process {found['pid']}, {how} in {spent:.0f} ms"


def _inbox() -> str:
    """A line as hooks write it, and whether the daemon takes it in. It leaves nothing in the memory."""
    home, name = where.home(), os.urandom(8).hex()
    if not inbox.append(home, json.dumps({"v": 1, "id": name, "event": "check"})):
        raise OSError("the inbox is full: the daemon does not drain it")
    drained = line.ask("marrow/drain", {}, ASK_SECONDS)["drained"]
    return f"written and drained ({drained} waited)"


def _answer() -> str:
    asked = {"host": "doctor", "event": "pre-tool", "cwd": os.getcwd(), "input": {"file_path": "marrow-doctor"}}
    began = time.monotonic()
    line.ask("marrow/hook", asked, ASK_SECONDS)
    return f"in {(time.monotonic() - began) * 1000:.0f} ms"


def _shape(one: Check) -> dict[str, Any]:
    return {"name": one.name, "ok": one.ok, "detail": one.detail, "hint": one.hint}
