"""The process in which derivations run that may hang, break or eat memory: users' own, and the parsing of code.

One line of JSON is a request, one an answer. First comes what is to be loaded, with the text of each file, so that what
runs is exactly what was looked at; it answers with what they declare. Then come calls. What a function prints goes
nowhere. It ends when its input does, even in the middle of a call: nothing of it stays when its parent is gone.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any, TextIO

from ..model.declared import declared_by
from ..model.derivation import Derivation, value_text
from .installed import GROUP
from .local import symbols_of

ERROR_LENGTH_MAX = 500
# A parent that lives has killed this process before: so many times as long as a call may take, and as loading may.
PATIENCE, SETUP_SECONDS_MAX = 2.0, 60.0
Function = Callable[..., Any]


def main() -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    requests: queue.Queue[str] = queue.Queue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    setup = json.loads(requests.get())
    _limit_memory(int(setup["memory"]))
    with _ending_after(SETUP_SECONDS_MAX):
        functions, shape = load(setup["files"], bool(setup["installed"]))
    _send(answers, shape)
    while True:
        asked = json.loads(requests.get())
        with _ending_after(PATIENCE * float(setup["seconds"])):
            told = answer(functions, asked)
        _send(answers, told)


def _listen(requests: queue.Queue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    if os.name == "posix" and os.getpgrp() == os.getpid():  # with what a function started
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


@contextmanager
def _ending_after(seconds: float) -> Iterator[None]:
    """The parent kills what takes too long. Where it was killed itself, and a function lets no other thread run, nobody
    is left to notice but the system."""
    if not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _send(answers: TextIO, shape: Mapping[str, Any]) -> None:
    answers.write(json.dumps(shape) + "\n")
    answers.flush()


def _limit_memory(bytes_max: int) -> None:
    """Where the system can. On Windows the time limit holds alone."""
    with suppress(ImportError, ValueError, OSError):
        resource = import_module("resource")
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))


def load(files: Sequence[Mapping[str, str]], installed: bool) -> tuple[dict[str, Function], dict[str, Any]]:
    """The functions that files and installed packages mark, by name; and what they declare, with what was wrong."""
    functions: dict[str, Function] = {}
    declared: list[dict[str, Any]] = []
    problems: dict[str, str] = {}

    def enter(source: str, found: Sequence[object]) -> None:
        for function in found:
            one = declared_by(function)
            if one is None or not callable(function):
                continue
            if one.name in functions:
                problems.setdefault(f"{one.name} in {source}", f"{one.name} is declared twice.")
                continue
            functions[one.name] = function
            declared.append(_shape(one, source))

    for file in files:
        found, problem = attempt(lambda file=file: _run(file["path"], file["text"]))  # type: ignore[misc]
        enter(file["path"], list((found or {}).values()))
        if problem:
            problems[file["path"]] = problem
    for point in entry_points(group=GROUP) if installed else ():
        found, problem = attempt(point.load)
        several = list(vars(found).values()) if isinstance(found, types.ModuleType) else [found]
        enter(f"{GROUP}:{point.name}", several)
        if problem:
            problems[f"{GROUP}:{point.name}"] = problem
    return functions, {"declared": declared, "problems": problems}


def _run(path: str, text: str) -> dict[str, object]:
    module = types.ModuleType(os.path.basename(path).removesuffix(".py"))
    module.__file__ = path
    sys.modules.setdefault(module.__name__, module)
    exec(compile(text, path, "exec"), module.__dict__)
    return module.__dict__


def _shape(one: Derivation, source: str) -> dict[str, Any]:
    return {
        "name": one.name,
        "version": one.version,
        "of": one.of,
        "kinds": one.kinds,
        "on_error": one.on_error,
        "source": source,
    }


def answer(functions: Mapping[str, Function], asked: Mapping[str, Any]) -> dict[str, Any]:
    """What a function gives for the values of one input, as JSON text."""
    if asked["name"] == "symbols":
        given, problem = attempt(lambda: value_text(symbols_of(asked["values"][0], asked["path"])))
    else:
        function = functions[asked["name"]]
        given, problem = attempt(lambda: value_text(function(*asked["values"])))
    return {"error": problem} if problem else {"value": given}


def attempt(act: Callable[[], Any]) -> tuple[Any, str]:
    """Whatever somebody's code does counts as its own failure: an error, running out of memory, an exit."""
    try:
        return act(), ""
    except BaseException as problem:  # noqa: BLE001 the outermost edge: it is anybody's code
        told = str(problem)[:ERROR_LENGTH_MAX]
        return None, f"{type(problem).__name__}: {told}" if told else type(problem).__name__


if __name__ == "__main__":
    main()
