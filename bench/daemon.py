#!/usr/bin/env python3
"""Measures the daemon as hosts meet it: hooks and bridges as whole processes, its memory, and how fast it drains.

    python bench/daemon.py [--nodes 100 100000] [--rounds 150] [--events 10000] [--out bench/results/daemon.json]

A store of each size is filled with texts whose words are as frequent as in real ones (`corpus.py`), the answers to the
prompts among them; a real daemon serves each. Hooks are compared with the same interpreter doing `import json, os, re,
sys`, bridges with a bare one, and the two sizes with each other, all in turns; both daemons go by the embedder that is
built in, or the small one would soon have better vectors than the large one. Memory and draining are then measured on
the large one as it is installed here. While the inbox is drained, recalls go on, and the slowest of them is printed.
The limits are those that the project set itself; a line that misses one says so.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from itertools import cycle, islice
from pathlib import Path
from typing import Any, TypeVar

SOURCES = Path(__file__).parents[1] / "src"
sys.path.insert(0, str(SOURCES))

from corpus import Writer  # noqa: E402 found by the line above, as are the next
from marrow.app import open_memory  # noqa: E402
from marrow.capture import inbox, line  # noqa: E402

HOOK = SOURCES / "marrow" / "surfaces" / "hook" / "run.py"
IMPORTS = "import json, os, re, sys"
BRIDGES = 20
QUIET_RECALLS = 50
# A store has so many projects, or fewer where there is not so much to remember of each.
PROJECTS, PROJECT_LEAST = 10, 100
PROMPTS = 10
BATCH = 1_000

K = TypeVar("K")


class House:
    """A home with a store of so many nodes, a repository, and the programs that run there."""

    def __init__(self, folder: Path, nodes: int) -> None:
        self.home = folder / "m"
        self.project = folder / "project"
        self.project.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environ = {**kept, "HOME": str(folder), "MARROW_HOME": str(self.home), "PYTHONPATH": str(SOURCES)}
        self.home.mkdir(mode=0o700)
        self.writer = Writer()
        known = [self.writer.exchange() for _ in range(PROMPTS)]
        self._prompts = cycle([question for question, _ in known])
        self._fill(nodes, [answer for _, answer in known])

    def _fill(self, nodes: int, answers: list[str]) -> None:
        """One project is the repository's own: there the prompts are answered, however large the store is."""
        store = str(self.home / "marrow.db")
        projects = max(1, min(PROJECTS, nodes // PROJECT_LEAST))
        for number in range(projects):
            name = None if number == 0 else f"project-{number}"
            given = answers if number == 0 else []
            drafts = [{"content": text} for text in given]
            drafts += islice(self.writer.drafts(nodes), max(0, nodes // projects - len(given)))
            with open_memory(self.project, store=store, project=name, home=str(self.home)) as memory:
                for at in range(0, len(drafts), BATCH):
                    memory.save(batch=drafts[at : at + BATCH])

    def prompt(self) -> str:
        return next(self._prompts)

    def run(self, command: list[str], given: bytes = b"") -> float:
        started = time.perf_counter()
        subprocess.run(command, input=given, env=self.environ, cwd=self.project, capture_output=True, check=True)
        return (time.perf_counter() - started) * 1000

    def payload(self, event: str, **more: object) -> bytes:
        said = {"session_id": os.urandom(6).hex(), "cwd": str(self.project), "hook_event_name": event}
        return json.dumps({**said, "transcript_path": "", **more}).encode()

    def hook(self, event: str, **more: object) -> float:
        command = [sys.executable, "-I", "-S", str(HOOK), "claude-code", event]
        return self.run(command, self.payload(event, **more))

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return line.ask(method, params or {}, 600, home=str(self.home), environ=self.environ)

    def start(self, embedder: str = "auto") -> None:
        self.environ["MARROW_EMBEDDER"] = embedder
        self.run([sys.executable, "-m", "marrow", "daemon", "start", "--json"])
        self.ask("marrow/drain")
        while self.ask("marrow/hook", self.asked())["context"] is None:
            time.sleep(0.05)
        self.bridge()  # so that MCP is loaded

    def asked(self) -> dict[str, Any]:
        about = {"host": "claude-code", "event": "prompt", "session": os.urandom(6).hex(), "cwd": str(self.project)}
        return {**about, "prompt": self.prompt()}

    def bridge(self) -> float:
        """Milliseconds from the start of a bridge to its first answer."""
        started = time.perf_counter()
        process = self.open_bridge()
        spent = (time.perf_counter() - started) * 1000
        self.close_bridge(process)
        return spent

    def open_bridge(self) -> subprocess.Popen[bytes]:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = subprocess.Popen([sys.executable, "-m", "marrow", "mcp"], env=self.environ, cwd=self.project, **pipes)
        about = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        process.stdout.readline()
        return process

    def close_bridge(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.wait(30)
        process.stdout.close()

    def stop(self) -> None:
        self.run([sys.executable, "-m", "marrow", "daemon", "stop"])


def resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def in_turns(cases: Mapping[K, Callable[[], float]], rounds: int) -> dict[K, float]:
    """The median of each case; they take turns, so that a busy machine slows all alike. With 30 rounds it scatters by
    more than a tenth from run to run."""
    times: dict[K, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, run in cases.items():
            times[name].append(run())
    return {name: statistics.median(found) for name, found in times.items()}


def hooks_and_bridges(house: House) -> dict[str, Callable[[], float]]:
    tool = {"tool_name": "Bash", "tool_input": {"command": "make build"}, "tool_response": {"stdout": "built\n" * 40}}
    return {
        "bare": lambda: house.run([sys.executable, "-c", "pass"]),
        "imports": lambda: house.run([sys.executable, "-c", IMPORTS]),
        "capture": lambda: house.hook("PostToolUse", **tool),
        "recall": lambda: house.hook("UserPromptSubmit", prompt=house.prompt()),
        "bridge": house.bridge,
    }


def side_by_side(houses: Mapping[int, House], rounds: int) -> dict[int, dict[str, float]]:
    """What hooks and bridges take with each store."""
    for house in houses.values():
        house.start(embedder="static")
    cases = {(nodes, name): run for nodes, house in houses.items() for name, run in hooks_and_bridges(house).items()}
    found = in_turns(cases, rounds)
    for house in houses.values():
        house.stop()
    return {nodes: {name: found[at, name] for at, name in cases if at == nodes} for nodes in houses}


def memory_of_bridges(house: House) -> float:
    made = [house.open_bridge() for _ in range(BRIDGES)]
    found = sum(resident_mb(process.pid) for process in made)
    for process in made:
        house.close_bridge(process)
    return found


def drained(house: House, events: int) -> dict[str, float]:
    """Events a second from the inbox to memories, and how long recalls took meanwhile. With them goes how long they
    take when nothing is drained: on a busy machine the slowest is slow because of the others."""
    quiet = [_recall(house) for _ in range(QUIET_RECALLS)]
    pick = random.Random(3)
    for number in range(events):
        at = {"v": 1, "id": f"{number:016x}", "at": time.time_ns() // 1000, "host": "claude-code"}
        at |= {"session": f"drain-{number // 200}", "cwd": str(house.project), "turn": f"t{number // 20}"}
        inbox.append(str(house.home), json.dumps({**at, **_event(number, pick, house.writer)}))
    found: list[float] = []
    stop = threading.Event()

    def recalls() -> None:
        while not stop.is_set():
            found.append(_recall(house))
            time.sleep(0.05)

    asking = threading.Thread(target=recalls)
    asking.start()
    started = time.perf_counter()
    house.ask("marrow/drain")
    while house.ask("marrow/status")["queue"]["raw"]:
        time.sleep(0.05)
    spent = time.perf_counter() - started
    stop.set()
    asking.join()
    medians = {"recall_ms": statistics.median(found), "quiet_recall_ms": statistics.median(quiet)}
    slowest = {"slowest_recall_ms": max(found), "slowest_quiet_recall_ms": max(quiet)}
    return {"a_second": events / spent, **medians, **slowest}


def _recall(house: House) -> float:
    started = time.perf_counter()
    house.ask("marrow/hook", house.asked())
    return (time.perf_counter() - started) * 1000


def _event(number: int, pick: random.Random, writer: Writer) -> dict[str, Any]:
    """A session as they are: a prompt, edits, commands that work and fail, a stop."""
    name = pick.choice(writer.words)
    place = number % 20
    if number % 200 == 0:
        return {"event": "session-start", "source": "startup"}
    if place == 1:
        return {"event": "prompt", "prompt": f"Please change how {' '.join(writer.technical(8))} works."}
    if place == 19:
        return {"event": "stop", "message": f"Changed {' '.join(writer.technical(8))}."}
    if place % 3 == 0:
        new = f"def {name}(x):\n    return {pick.choice(writer.words)}(x)"
        given = {"file_path": f"src/{name}.py", "old_string": f"def {name}(x):\n    return x", "new_string": new}
        return {"event": "post-tool", "tool": "Edit", "does": "edit", "input": given, "output": {}}
    if place % 3 == 1:
        given = {"command": f"pytest -q tests/test_{name}.py"}
        return {"event": "post-tool", "tool": "Bash", "does": "shell", "input": given, "output": {"stdout": "4 passed"}}
    error = f"make: *** No rule to make target '{name}'.  Stop."
    return {
        "event": "tool-failed",
        "tool": "Bash",
        "does": "shell",
        "input": {"command": f"make {name}"},
        "error": error,
    }


def report(rows: list[tuple[str, str, str, bool]]) -> None:
    width = max(len(row[0]) for row in rows)
    for name, found, limit, holds in rows:
        print(f"{name:<{width}}  {found:>14}  {limit:>14}  {'' if holds else 'MISSED'}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, nargs=2, default=[100, 100_000])
    parser.add_argument("--rounds", type=int, default=150)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "daemon.json")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        print(f"filling {' and '.join(f'{nodes:,}' for nodes in options.nodes)} nodes ...", file=sys.stderr, flush=True)
        houses = {nodes: House(Path(folder) / str(nodes), nodes) for nodes in options.nodes}
        found |= {str(nodes): {"ms": ms} for nodes, ms in side_by_side(houses, options.rounds).items()}
        large_house = houses[options.nodes[-1]]
        large_house.start()
        found["daemon_mb"] = large_house.ask("marrow/status")["memory_mb"]
        found["bridges_mb"] = memory_of_bridges(large_house)
        found["drain"] = drained(large_house, options.events)
        large_house.stop()
    small, large = (found[str(nodes)]["ms"] for nodes in options.nodes)
    rows = []
    for label, times in zip((f"{n:,} nodes" for n in options.nodes), (small, large), strict=True):
        floor, bare = times["imports"], times["bare"]
        rows += [
            (
                f"{label}: capture hook / imports",
                f"{times['capture'] / floor:.2f}",
                "1.60",
                times["capture"] <= 1.6 * floor,
            ),
            (
                f"{label}: recall hook / imports",
                f"{times['recall'] / floor:.2f}",
                "2.50",
                times["recall"] <= 2.5 * floor,
            ),
            (f"{label}: bridge / bare", f"{times['bridge'] / bare:.2f}", "3.00", times["bridge"] <= 3 * bare),
        ]
    for case in ("capture", "recall"):
        growth = large[case] / small[case]
        rows.append((f"{case} hook, growth with the store", f"{growth:.2f}", "1.15", growth <= 1.15))
    rows.append((f"{BRIDGES} bridges", f"{found['bridges_mb']:.0f} MB", "300 MB", found["bridges_mb"] < 300))
    size = found["daemon_mb"]
    rows.append((f"daemon at {options.nodes[-1]:,} nodes", f"{size:.0f} MB", "350 MB", size < 350))
    rate, slowest = found["drain"]["a_second"], found["drain"]["slowest_recall_ms"]
    rows.append((f"{options.events:,} events drained", f"{rate:.0f} /s", "500 /s", rate >= 500))
    rows.append(("slowest recall meanwhile", f"{slowest:.0f} ms", "50 ms", slowest <= 50))
    report(rows)
    print(
        f"imports {small['imports']:.1f} ms, bare {small['bare']:.1f} ms, capture {small['capture']:.1f} ms, ", end=""
    )
    print(f"recall {small['recall']:.1f} ms, bridge {small['bridge']:.1f} ms")
    drain = found["drain"]
    print(f"a recall in the daemon: {drain['quiet_recall_ms']:.1f} ms, the slowest of {QUIET_RECALLS} ", end="")
    print(f"{drain['slowest_quiet_recall_ms']:.1f} ms; while draining {drain['recall_ms']:.1f} ms")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
