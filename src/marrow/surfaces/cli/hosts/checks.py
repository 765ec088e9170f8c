"""Whether what was installed into a host still works: the files, the interpreter, the hook program, the server."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ....model.errors import MarrowError
from ....model.text import counted
from ....version import __version__
from . import receipt as receipts
from .changes import read_bytes, to_install
from .programs import PORTABLE, Programs
from .receipt import Receipt
from .table import HOSTS, Host, Place, find_host, place_here

SECONDS = 20
EVENT = "SessionStart"


@dataclass(frozen=True, slots=True)
class Check:
    """One link of the chain. `hint` says how to mend it where it is broken."""

    name: str
    ok: bool
    detail: str
    hint: str = ""


def installed_hosts(place: Place | None = None) -> list[Host]:
    """The hosts that Marrow was put into."""
    repository = (place or place_here()).repository
    return [host for host in HOSTS if os.path.lexists(receipts.path_of(host, repository))]


def checks(host: Host | str, place: Place | None = None) -> list[Check]:
    """What there is to say about a host. A host without an installation has one check, which says so."""
    host, place = find_host(host) if isinstance(host, str) else host, place or place_here()
    again = f"Run `marrow install {host.name}{' --repository' if place.repository else ''}`."
    try:
        found = receipts.receipt_of(host, place.repository)
    except MarrowError as problem:
        return [Check("installed", False, problem.message, problem.hint)]
    if found is None:
        return [Check("installed", False, f"Marrow is not installed in {host.title}.", again)]
    version = "" if found.version == __version__ else f" by Marrow {found.version}; this is {__version__}"
    said = [Check("installed", True, f"{counted(len(found.records), 'file')} of {host.title}{version}")]
    said += _files(host, place, found, again)
    if found.parts.hooks:
        said += _hook(found.programs, host.name, again)
    if found.parts.server:
        said.append(_server(found.programs, again))
    return said


def _files(host: Host, place: Place, found: Receipt, again: str) -> list[Check]:
    """Whether every file holds what was put there."""
    try:
        changes = to_install(host.wants(place, found.programs, found.parts), found)
    except MarrowError as problem:
        return [Check("files", False, problem.message, problem.hint)]
    said = []
    for change in changes:
        is_there = read_bytes(change.path) is not None
        is_good = not change.is_one or found.version != __version__
        detail = change.path if is_good else f"{change.path} {'lacks what was put there' if is_there else 'is gone'}"
        said.append(Check(change.what, is_good, detail, "" if is_good else again))
    return said


def _hook(programs: Programs, host: str, again: str) -> list[Check]:
    """Starts the hook program as the host does, in a home of its own, and looks for the line that says it ran.

    The program ends with 0 whatever happens, so its exit code alone says nothing.
    """
    if programs != PORTABLE and (missing := [path for path in (programs.hook[0], programs.hook[-1]) if not _is(path)]):
        return [Check("hook", False, f"{missing[0]} is gone.", again)]
    with tempfile.TemporaryDirectory(prefix="marrow-check-") as home:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MARROW_")}
        problem = _problem((*programs.hook, host, EVENT, "--debug"), {**environment, "MARROW_HOME": home})
        log = Path(home, "log", "hook.log")
        if not problem and not (log.is_file() and host in log.read_text(encoding="utf-8", errors="replace")):
            problem = "it ended without doing anything"
    name = programs.hook[-1] if programs != PORTABLE else " ".join(programs.hook)
    return [Check("hook", not problem, f"{name}: {problem}" if problem else f"{name} runs", again if problem else "")]


def _is(path: str) -> bool:
    return os.path.isfile(path)


def _server(programs: Programs, again: str) -> Check:
    """Whether what starts the server starts this Marrow at all: its version, which costs nothing."""
    words = (*programs.mcp[:-1], "--version")
    problem = _problem(words, os.environ.copy(), wanted="marrow ")
    return Check(
        "server", not problem, f"{' '.join(programs.mcp)}{f': {problem}' if problem else ''}", problem and again
    )


def _problem(words: tuple[str, ...], environment: dict[str, str], wanted: str = "") -> str:
    """Why a program does not run as it should; "" where it does. It may print what is wanted, and nothing else."""
    try:
        done = subprocess.run(words, input=b"{}", capture_output=True, env=environment, timeout=SECONDS, check=False)
    except OSError as problem:
        return problem.strerror or type(problem).__name__
    except subprocess.TimeoutExpired:
        return f"no answer within {SECONDS} seconds"
    if done.returncode != 0:
        return f"exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()[-200:]}"
    said = done.stdout.decode(errors="replace")
    return "" if said.startswith(wanted) and bool(said) == bool(wanted) else f"it printed {said[:80]!r}"
