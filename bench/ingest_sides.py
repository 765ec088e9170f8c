"""The two sides of `bench/ingest.py`, each in processes of its own: Marrow, and Pixeltable with an environment that is
made on first use, in `.cache/pixeltable`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).parent
ROOT = HERE.parent
PIXELTABLE = ("pixeltable==0.7.21", "tokenizers==0.23.3")
NOWHERE = "http://127.0.0.1:9"


class Watched:
    """The memory of a process and all that it starts: the most at any one time, in MB."""

    def __init__(self, process: subprocess.Popen[Any]) -> None:
        self.process, self.most = process, 0.0
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()

    def _watch(self) -> None:
        while self.process.poll() is None:
            self.most = max(self.most, sum(_resident_mb(pid) for pid in _family(self.process.pid)))
            time.sleep(0.1)


def _family(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(one for child in children for one in _family(int(child)))]


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1024**2
    except (OSError, IndexError):
        return 0.0


class Marrow:
    """Our side: a new process for every step."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.stores = folder, 0

    def store(self) -> Path:
        self.stores += 1
        return self.folder / f"marrow-{self.stores}.db"

    def begun(self, step: str, store: Path, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, str(HERE / "ingest_marrow.py"), step, str(store), *arguments]
        given = subprocess.PIPE if step == "stay" else None
        return subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE, text=True)

    def step(self, step: str, store: Path, *arguments: str) -> dict[str, Any]:
        process = self.begun(step, store, *arguments)
        watched = Watched(process)
        said, _ = process.communicate()
        if process.returncode:
            raise SystemExit(f"Marrow's {step} ended with {process.returncode}.")
        found: dict[str, Any] = json.loads(said.splitlines()[-1])
        found["peak_mb"] = max(watched.most, found.get("peak_mb", 0.0))
        return found

    def interrupted(self, store: Path, folder: Path, size: float) -> bool:
        """Begin, and end it the hard way once the store has so many bytes. False where it was done before."""
        process = self.begun("ingest", store, str(folder), "anything")
        while process.poll() is None:
            if stored_bytes(store) >= size:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                return True
            time.sleep(0.02)
        process.communicate()
        return False


class Staying:
    """Our side in a process that stays up, as the daemon does: it has looked once, and is warm."""

    def __init__(self, marrow: Marrow, store: Path, folder: Path) -> None:
        self.process = marrow.begun("stay", store, str(folder), "anything")
        self._answer()

    def ask(self, op: str, **given: Any) -> dict[str, Any]:
        print(json.dumps({"op": op, **given}), file=self.process.stdin, flush=True)
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("Marrow's side ended without an answer.")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        self.process.communicate()


def stored_bytes(store: Path) -> int:
    return sum(path.stat().st_size for path in (store, Path(f"{store}-wal")) if path.exists())


class Pixeltable:
    """The other side, in a process and an environment of its own, with a server that it brings."""

    def __init__(self, folder: Path) -> None:
        self.log: IO[str] = (folder / "pixeltable.log").open("w", encoding="utf-8")
        paths = os.pathsep.join((str(ROOT / "src"), str(ROOT / "packages" / "marrow-embedder")))
        offline = {"HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE, "PYTHONPATH": paths, "PYTHONUTF8": "1"}
        self.process = subprocess.Popen(
            [str(pixeltable_python()), str(HERE / "ingest_pixeltable.py"), str(folder / "pixeltable")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **offline},
        )
        self.tables = 0
        self.start = self._answer()

    def ask(self, op: str, **given: Any) -> dict[str, Any]:
        print(json.dumps({"op": op, **given}), file=self.process.stdin, flush=True)
        return self._answer()

    def ingest(self, folder: Path, paths: Sequence[str], question: str, index_first: bool) -> dict[str, Any]:
        self.tables += 1
        table = f"bench.files_{self.tables}"
        given = {"folder": str(folder), "paths": paths, "question": question, "table": table}
        return self.ask("ingest", index_first=index_first, **given)

    def _answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"Pixeltable's side ended without an answer:\n{Path(self.log.name).read_text()[-3000:]}")
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        self.process.communicate()  # Closes its input, at which it ends, and its server with it.
        self.log.close()


def pixeltable_python() -> Path:
    """Its interpreter. The environment is made if it is not there."""
    folder = ROOT / ".cache" / "pixeltable"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    ready = folder / "ready.txt"
    if not ready.exists() or ready.read_text() != "\n".join(PIXELTABLE):
        print(f"installing {', '.join(PIXELTABLE)} …", file=sys.stderr)
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *PIXELTABLE], check=True)
        ready.write_text("\n".join(PIXELTABLE))
    return python
