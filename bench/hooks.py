#!/usr/bin/env python3
"""Measures what a hook costs its host: whole processes, started as the hosts start them. Prints a table, writes JSON.

    python bench/hooks.py [--rounds 60] [--out bench/results/hooks.json]

Everything is compared with the same interpreter doing `import json, os, re, sys`, once as it is and once with the flags
of the installed hook (`-I -S`). The cases take turns, so that a busy machine slows all of them alike. The daemon that
answers is a stand-in in this process: what is measured is the hook, not the search.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HOOK = Path(__file__).parents[1] / "src" / "marrow" / "surfaces" / "hook" / "run.py"
IMPORTS = "import json, os, re, sys"
CAPTURE_MAX, RECALL_MAX = 1.6, 2.5
CONTEXT = "We deploy with the blue script, because the green one forgets the cache. " * 24
CODE = '''
def settle(account: Account, entries: list[Entry]) -> Balance:
    """Adds what is due and returns the new balance."""
    total = sum(entry.amount for entry in entries if entry.due <= account.today)
    for name, value in sorted(account.limits.items()):
        if total > value:
            raise LimitReached(name, limit=value, total=total, path="config/limits.yaml")
    return Balance(account.number, total, url="https://bank.example/accounts")
'''


def payloads() -> dict[str, dict[str, object]]:
    """What Claude Code sends, in four sizes and kinds."""
    shared = {
        "session_id": "0e4ce1b3-89a6-4f7c-8bd7-c6a2f2f1a001",
        "transcript_path": "projects/lamp/0e4ce1b3.jsonl",
        "cwd": tempfile.gettempdir(),
        "prompt_id": "5f1c0a52-6d1e-4d53-9a51-0b8f6d0c1e02",
        "permission_mode": "default",
    }
    tool = {**shared, "hook_event_name": "PostToolUse", "tool_use_id": "toolu_01", "duration_ms": 46}
    key = "sk-" + "proj-" + "a1B2c3D4" * 5
    return {
        "command": {
            **tool,
            "tool_name": "Bash",
            "tool_input": {"command": "npm test -- --run", "description": "Run the tests"},
            "tool_response": {"stdout": "42 passed in 3.1s\n" * 20, "stderr": "", "interrupted": False},
        },
        "edit": {
            **tool,
            "tool_name": "Edit",
            "tool_input": {"file_path": "src/settle.py", "old_string": CODE * 8, "new_string": CODE * 9},
            "tool_response": {"filePath": "src/settle.py", "originalFile": CODE * 60, "structuredPatch": []},
        },
        "secrets": {
            **tool,
            "tool_name": "Bash",
            "tool_input": {"command": f"export OPENAI_API_KEY={key}"},
            "tool_response": {"stdout": f'password = "hunter2x9"\ntoken: {key}\n', "stderr": "", "interrupted": False},
        },
        "prompt": {
            **shared,
            "hook_event_name": "UserPromptSubmit",
            "prompt": "How do we deploy the settlement service?",
        },
    }


def answering(path: str) -> None:
    """A stand-in for the daemon: tells every hook the same."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    answer = (json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"context": CONTEXT}}) + "\n").encode()

    def serve() -> None:
        while True:
            line, _ = listener.accept()
            with line, line.makefile("rb") as lines:
                if lines.readline():
                    line.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()


def measure(rounds: int, home: str) -> dict[str, list[float]]:
    python, sent = sys.executable, {name: json.dumps(value).encode() for name, value in payloads().items()}
    hook = [python, "-I", "-S", str(HOOK), "claude-code"]
    cases: dict[str, tuple[list[str], bytes]] = {
        "imports": ([python, "-c", IMPORTS], b""),
        "imports -I -S": ([python, "-I", "-S", "-c", IMPORTS], b""),
        "nothing -I -S": ([python, "-I", "-S", "-c", "pass"], b""),
        "capture a command": ([*hook, "PostToolUse"], sent["command"]),
        "capture an edit": ([*hook, "PostToolUse"], sent["edit"]),
        "capture with secrets": ([*hook, "PostToolUse"], sent["secrets"]),
        "recall on a prompt": ([*hook, "UserPromptSubmit"], sent["prompt"]),
    }
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("MARROW_", "PYTHON"))}
    environ["MARROW_HOME"] = home
    spent: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + 2):
        for name, (command, given) in cases.items():
            started = time.perf_counter()
            done = subprocess.run(command, input=given, env=environ, capture_output=True, check=True)
            if turn > 1:  # the first ones compile Marrow and its settings
                spent[name].append((time.perf_counter() - started) * 1000)
            if name.startswith("recall") and b"blue script" not in done.stdout:
                raise SystemExit("The recall hook told nothing; nothing is measured.")
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "hooks.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="marrow") as home:
        os.makedirs(os.path.join(home, "run"), mode=0o700)
        answering(os.path.join(home, "run", "daemon.sock"))
        spent = measure(options.rounds, home)
    median = {name: statistics.median(values) for name, values in spent.items()}
    found: dict[str, dict[str, float]] = {}
    print(f"{'':22}  median ms   least ms  of imports  of imports -I -S")
    for name, values in spent.items():
        ratio, strict = median[name] / median["imports"], median[name] / median["imports -I -S"]
        found[name] = {"median_ms": median[name], "least_ms": min(values), "ratio": ratio, "ratio_same_flags": strict}
        print(f"{name:22} {median[name]:10.2f} {min(values):10.2f} {ratio:10.2f}x {strict:16.2f}x")
    capture = max(found[name]["ratio"] for name in found if name.startswith("capture"))
    recall = found["recall on a prompt"]["ratio"]
    promised = {
        f"capture at most {CAPTURE_MAX}x": capture <= CAPTURE_MAX,
        f"recall at most {RECALL_MAX}x": recall <= RECALL_MAX,
    }
    for text, holds in promised.items():
        print(f"{'holds' if holds else 'MISSED'}: {text}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(
        json.dumps({"rounds": options.rounds, "cases": found, "promised": promised}, indent=1) + "\n"
    )
    sys.exit(0 if all(promised.values()) else 1)


if __name__ == "__main__":
    main()
