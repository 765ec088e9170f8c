"""One event of a host: read it, keep it, ask the daemon what to tell, print that. Exit code 0, whatever happens.

Keeping and asking do not depend on one another: an inbox that cannot be written costs the memory of this event and
nothing else, and a daemon that is away costs the answer and nothing else. Nothing is ever printed but what the host
expects on its standard output; nothing goes to standard error. With `--debug`, or MARROW_INTERNAL_HOOK_LOG set, a line
in `<home>/log/hook.log` says what was done; it never holds what was said.

Everything heavy is imported where it is needed: regular expressions for a text that may hold a secret, sockets for
asking, the settings module when they changed.
"""

from __future__ import annotations

import _thread
import os
import time

from marrow.capture import compiled, event, inbox, left_out, paused, trim, untold, where
from marrow.capture.json_text import parse
from marrow.model import sieve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType

INPUT_BYTES_MAX = 8 * 1024 * 1024
PATIENCE_S = 10.0  # Past it the hook gives up: a host may wait for minutes, and nothing here takes a second.
START_S = 2.0  # A session may wait so long for what it starts with.
INTERNAL, LOG = "MARROW_INTERNAL_", "MARROW_INTERNAL_HOOK_LOG"
_BOM = b"\xef\xbb\xbf"
_ASKING = (event.SESSION_START, event.PROMPT, event.PRE_TOOL, event.TOOL_FAILED)
_FILE_TOOLS = ("edit", "write", "read")


def main(arguments: Sequence[str]) -> int:
    """Runs the hook: `HOST EVENT [--debug]`. Always 0."""
    began = time.monotonic()
    debug = "--debug" in arguments or bool(os.environ.get(LOG))
    words = [word for word in arguments if not word.startswith("-")]
    note = ""
    try:
        _give_up_after(began + PATIENCE_S)
        note = _hook(words[0], words[1], os.environ) if len(words) == 2 else "wants HOST EVENT"
    except BaseException as problem:  # noqa: BLE001 the outermost edge: a host must never see a hook of ours fail
        note = _place_of(problem)
    if debug:
        _log(words, note, time.monotonic() - began)
    return 0


def _hook(host: str, fired: str, environ: Mapping[str, str]) -> str:
    """Does it all, and says in a word what was done."""
    if any(name.startswith(INTERNAL) and name != LOG for name in environ):
        return "a session of Marrow's own"
    adapter = _adapter(host)
    if adapter is None:
        return "unknown host"
    payload = _payload()
    if payload is None:
        return "no input"
    name = event.fired(fired, payload)
    trace = adapter.trace(fired, payload, environ)
    note, context = "not captured", ""
    if trace is not None:
        note, context = _turn(adapter, name, trace, environ)
    answer = adapter.answer(name, context, environ)
    if answer:
        _print(answer)
    return note


def _adapter(host: str) -> ModuleType | None:
    """The one adapter that is needed; the others are not loaded."""
    if host == "claude-code":
        from marrow.capture.hosts import claude_code

        return claude_code
    if host == "codex":
        from marrow.capture.hosts import codex

        return codex
    if host == "cursor":
        from marrow.capture.hosts import cursor

        return cursor
    if host in ("vscode", "copilot"):
        from marrow.capture.hosts import vscode

        return vscode
    if host in ("gemini", "antigravity"):
        from marrow.capture.hosts import gemini

        return gemini
    if host == "opencode":
        from marrow.capture.hosts import opencode

        return opencode
    return None


def _payload() -> dict[str, object] | None:
    """The host's JSON. Some hosts never close their end, so it is enough that the JSON is whole."""
    if os.isatty(0):
        return None
    data = b""
    while len(data) <= INPUT_BYTES_MAX:
        part = os.read(0, 1 << 20)
        data += part
        if part and not data.endswith((b"}", b"}\n", b"}\r\n")):
            continue
        try:
            value = parse(data.removeprefix(_BOM).decode("utf-8", "replace"))
        except ValueError:
            if part:
                continue
            return None
        return value if isinstance(value, dict) else None
    return None


def _turn(adapter: ModuleType, name: str, trace: dict[str, object], environ: Mapping[str, str]) -> tuple[str, str]:
    """Keeps the event and asks about it. Says what was done, and the context to tell."""
    home, cwd = where.home(environ), str(trace["cwd"])
    settings = _settings(cwd, home, environ)
    if not settings:
        return "settings are not valid", ""
    project, store = environ.get("MARROW_PROJECT", ""), environ.get("MARROW_STORE", "")
    if paused.is_paused(home, project or settings.get("project", ""), cwd):
        return "paused", ""
    now = time.time_ns() // 1000
    line: dict[str, object] = {"v": 1, "id": os.urandom(8).hex(), "at": now, **trace}
    own = {"project": project, "store": store}
    own |= {name: environ.get(f"MARROW_{name.upper()}", "") for name in ("namespace", "view")}
    line |= {key: value for key, value in own.items() if value}
    kept, text = _cleaned(line, compiled.items(settings, "redact.extra"))
    note = "off"
    tool = str(trace.get("tool", ""))
    wanted = not tool or left_out.is_wanted(tool, str(trace["does"]), compiled.items(settings, "capture.tools"))
    if not wanted:
        note = "not wanted"
    elif compiled.is_on(settings, "capture.enabled") and trace["event"] != event.PRE_TOOL:
        try:
            note = "captured" if inbox.append(home, text) else "inbox is full"
        except OSError as problem:
            note = f"inbox: {problem.strerror}"
    if not wanted and trace["event"] == event.TOOL_FAILED:
        return note, ""
    return note, _context(adapter, name, kept, settings, home, environ)


def _settings(cwd: str, home: str, environ: Mapping[str, str]) -> dict[str, str]:
    place = compiled.Place(cwd, home, environ)
    settings = compiled.read(place)
    if settings is None:
        from marrow.capture.compile_settings import compile_settings

        settings = compile_settings(place)
    return settings


def _cleaned(line: dict[str, object], extra: list[str]) -> tuple[dict[str, object], str]:
    """The line without secrets and without what is too long, and its text."""
    cut = trim.rough(line)
    if extra or sieve.suspects(cut):
        from marrow.model.redact import redact_value

        redacted = redact_value(cut, extra)
        if redacted.total and isinstance(redacted.value, dict):
            cut = {**redacted.value, "redacted": redacted.total}
    return trim.fitted(trim.finished(cut))


def _context(
    adapter: ModuleType,
    name: str,
    line: dict[str, object],
    settings: Mapping[str, str],
    home: str,
    environ: Mapping[str, str],
) -> str:
    """What the daemon has to tell about this event; starts it where it is away."""
    kind = line["event"]
    if kind in (event.STOP, event.SESSION_END):
        from marrow.capture.start import ensure_started

        ensure_started(home=home, environ=environ)
        return ""
    if kind not in _ASKING or (kind == event.PRE_TOOL and line.get("does") not in _FILE_TOOLS):
        return ""
    if adapter.answer(name, "x", environ) == adapter.answer(name, "", environ):
        return ""  # this host takes no context here
    if kind == event.SESSION_START:
        return _started_context(line, home, environ) if settings.get("context.budget_tokens") != "0" else ""
    if settings.get("recall.mode") == "off":
        return ""
    budget = compiled.number(settings, "recall.time_budget_ms", 300) / 1000
    if kind == event.PROMPT and untold.take(home, str(line["session"])):
        line, budget = {**line, "untold": True}, START_S  # what it should have started with is worth the wait
    _give_up_after(time.monotonic() + budget + PATIENCE_S)
    from marrow.capture.line import ask
    from marrow.version import __version__

    # A session may outlive an upgrade. A daemon of before gives way to a prompt, which starts the next one.
    version = __version__ if kind == event.PROMPT else ""
    try:
        answer = ask("marrow/hook", line, budget, version=version, home=home, environ=environ)
        return str(answer.get("context") or "")
    except TimeoutError:
        return ""
    except OSError:
        if kind == event.PROMPT:  # nobody is there: the next prompt will find someone
            from marrow.capture.start import ensure_started

            ensure_started(home=home, environ=environ)
        return ""


def _started_context(line: dict[str, object], home: str, environ: Mapping[str, str]) -> str:
    """What a session starts with; it is worth starting the daemon and waiting for it."""
    from marrow.capture.line import ask
    from marrow.capture.start import ensure_started
    from marrow.version import __version__

    deadline = time.monotonic() + START_S
    for attempt in range(2):
        left = deadline - time.monotonic()
        if left <= 0:
            break
        try:
            answer = ask("marrow/hook", line, left, version=__version__, home=home, environ=environ)
        except TimeoutError:
            break
        except OSError:
            if attempt or not ensure_started(deadline - time.monotonic(), home=home, environ=environ):
                break
        else:
            return str(answer.get("context") or "")
    if line.get("source") not in ("resume", "fork"):
        untold.leave(home, str(line["session"]))
    return ""


def _print(text: str) -> None:
    data = text.encode("utf-8", "replace") + b"\n"
    try:
        while data:
            data = data[os.write(1, data) :]
    except OSError:  # the host no longer listens
        return


# --- giving up, and saying what was done -----------------------------------------------------------------------------

_until: list[float] = []  # empty while nobody watches


def _give_up_after(moment: float) -> None:
    """Ends the process at that moment, whatever it waits for then. Said again, it moves the moment."""
    watched = bool(_until)
    _until[:] = [moment]
    if not watched:
        _thread.start_new_thread(_watch, ())


def _watch() -> None:
    while (left := _until[0] - time.monotonic()) > 0:
        time.sleep(left)
    os._exit(0)


def _place_of(problem: BaseException) -> str:
    """The kind of a problem and where it arose; not its text, which may quote what was said."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where_ = f" at {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"{type(problem).__name__}{where_}"


def _log(words: Sequence[str], note: str, seconds: float) -> None:
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    text = f"{moment} {' '.join(words)[:80]} {seconds * 1000:.1f} ms: {note}\n"
    try:
        folder = where.log(where.home())
        where.make(folder)
        path = os.path.join(folder, "hook.log")
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(file, text.encode("utf-8", "replace"))
        finally:
            os.close(file)
    except OSError:
        return
