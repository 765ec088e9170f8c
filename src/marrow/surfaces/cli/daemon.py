"""`marrow daemon start|stop|status|restart`: the daemon as a person sees it."""

from __future__ import annotations

import os
import time
from typing import Any

from ...capture import line, paused, start, where
from ...model.errors import Unavailable
from ...model.moments import iso
from ...model.text import counted
from .invocation import Invocation

START_SECONDS, STOP_SECONDS, ASK_SECONDS = 15.0, 10.0, 5.0
STEP_SECONDS = 0.05


def start_daemon(call: Invocation) -> None:
    if line.is_there():
        call.output.note("The daemon runs already.")
    elif not start.ensure_started(START_SECONDS, force=True):
        folder = where.log(where.home())
        raise Unavailable("The daemon did not start.", hint=f"daemon.log or daemon.out in {folder} says why.")
    show_status(call)


def stop_daemon(call: Invocation) -> None:
    if not line.is_there():
        call.output.note("The daemon does not run.")
        return
    pid = int(str(line.ask("marrow/ping", {}, ASK_SECONDS)["pid"]))
    line.ask("marrow/stop", {}, ASK_SECONDS)
    until = time.monotonic() + STOP_SECONDS
    while (line.is_there() or _is_running(pid)) and time.monotonic() < until:
        time.sleep(STEP_SECONDS)
    if _is_running(pid):
        raise Unavailable(f"The daemon was told to end, and process {pid} still runs.", hint="Try again in a moment.")
    call.output.text("The daemon has ended.")


def _is_running(pid: int) -> bool:
    """Whether there is such a process; not told where the system has no way to ask without ending it."""
    if os.name == "nt":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_ended(pid)


def _is_ended(pid: int) -> bool:
    """Ended, and not yet collected by who started it."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] == "Z"
    except (OSError, IndexError):
        return False


def restart_daemon(call: Invocation) -> None:
    if line.is_there():
        stop_daemon(call)
    start_daemon(call)


def status() -> dict[str, Any] | None:
    """What the daemon says of itself; None when it does not run."""
    try:
        return line.ask("marrow/status", {}, ASK_SECONDS)
    except OSError:
        return None


def show_status(call: Invocation) -> None:
    found = status()
    log = os.path.join(where.log(where.home()), "daemon.log")
    if call.output.json:
        call.output.data({"running": found is not None, **(found or {}), "log": log})
        return
    if found is None:
        call.output.text("The daemon does not run. It starts by itself when a hook or an agent needs it.")
    else:
        call.output.text(_told(found))
    for one in paused.read(where.home()):
        until = f" until {iso(one.until)}" if one.until else ""
        call.output.text(
            f"paused: {'every project' if one.project == paused.ALL else one.project}{until}; `marrow resume`"
        )
    call.output.text(f"log: {log}")


def _told(found: dict[str, Any]) -> str:
    queue = found.get("queue", {})
    lines = [
        f"The daemon runs: version {found.get('version')}, process {found.get('pid')}, "
        f"up {_duration(float(found.get('uptime_s', 0)))}, {found.get('memory_mb', 0):g} MB",
        f"connections: {found.get('connections', 0)}",
        f"captured events: {queue.get('raw', 0):,} waiting, {queue.get('done', 0):,} done, "
        f"{queue.get('failed', 0):,} failed",
    ]
    lines += [
        f"  failed: {one['event']} ({counted(one['attempts'], 'attempt')}): {one['error']}"
        for one in found.get("failed", ())
    ]
    since = found.get("since_start", {})
    if since:
        lines.append(
            "since its start: " + ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in since.items())
        )
    return "\n".join(lines)


def _duration(seconds: float) -> str:
    hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes else f"{int(seconds)} s"
