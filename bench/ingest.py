#!/usr/bin/env python3
"""Measures taking in a large repository, beside Pixeltable with the same chunks and the same embedder.

    python bench/ingest.py [--files 5000] [--rounds 2] [--sources FOLDER …] [--without-pixeltable] [--out FILE]

The repository is put together from what is installed (or from FOLDERs), with decision records and post-mortems written
for it. In each round, Marrow and Pixeltable take it in from nothing, in turns; then again with nothing changed, after
an interruption at a random moment, with one file in a hundred changed; then both are asked. Times that are compared end
when the first question is answered. The best of the rounds counts. `cpu` is processor time of all processes: it says
more on a machine that others use too. The limits are those that the project set itself.

What is compared: both cut the texts by the same function and embed them by the same one. Marrow also keeps an index of
words, the chain of what was said by whom, and finds out by itself what has changed; Pixeltable is told. Pixeltable is
measured with its index declared before the rows come (as its guides do) and built after them, and its better time
counts. It runs in `.cache/pixeltable`, an environment of its own that is made on first use; its server is started
before the clock is. See `ingest_pixeltable.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import signal
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
import venv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

from corpus import QUESTIONS as FORMS  # noqa: E402 found by the line above, as are the next
from corpus import Writer  # noqa: E402
from marrow.ingest.files import read_file  # noqa: E402
from marrow.ingest.item import Item  # noqa: E402
from marrow.memory.taking_in.codebase import is_chosen  # noqa: E402

PIXELTABLE = ("pixeltable==0.7.21", "tokenizers==0.23.3")
WANTED = (".py", ".js", ".ts", ".go", ".rs", ".java", ".kt", ".c", ".h", ".sh", ".md", ".rst", ".txt", ".toml")
BYTES_MAX = 256 * 1024
WRITTEN_SHARE = 50  # One file in so many is a decision record or a post-mortem.
ASKED = 200
CHANGED_SHARE = 100
FOLDER_FILES = 40
NOWHERE = "http://127.0.0.1:9"


def gather(folder: Path, sources: Sequence[Path], count: int, pick: random.Random) -> list[str]:
    """A repository of so many different texts: real ones, and some records of the organisation."""
    written = dict(records(count // WRITTEN_SHARE))
    for path, text in written.items():
        place(folder, path, text)
    candidates = [(n, path) for n, source in enumerate(sources) for path in _candidates(source)]
    pick.shuffle(candidates)
    seen: set[str] = set()
    paths = list(written)
    for n, path in candidates:
        if len(paths) >= count:
            break
        # Not at their own paths: below site-packages they would be left out, as anywhere.
        target = f"part{n}/{len(paths) // FOLDER_FILES:03d}/{path.name}"
        text = readable(path)
        if text and text not in seen and not (folder / target).exists() and is_taken(target, text):
            seen.add(text)
            paths.append(target)
            place(folder, target, text)
    if len(paths) < count:
        raise SystemExit(f"There are {len(paths):,} different texts in {', '.join(map(str, sources))}: name more.")
    for arguments in (["init", "-q"], ["add", "."], [*IDENTITY, "commit", "-q", "-m", "All of it"]):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
    return sorted(paths)


IDENTITY = ("-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


def records(count: int) -> Iterator[tuple[str, str]]:
    writer = Writer(seed=3)
    for n in range(1, count + 1):
        title = " ".join(writer.technical(3))
        first, second, third = (writer.text() for _ in range(3))
        if n % 2:
            parts = f"## Context\n\n{first}\n\n## Decision\n\n{second}\n\n## Consequences\n\n{third}"
            head = f"# {n}. {title}\n\nDate: 2024-03-01\n\n## Status\n\nAccepted"
            yield f"docs/adr/{n:04d}-{title.replace(' ', '-')}.md", f"{head}\n\n{parts}\n"
        else:
            parts = f"Severity: high\n\n## Summary\n\n{first}\n\n## Root cause\n\n{second}\n\n## Resolution\n\n{third}"
            yield f"docs/incidents/2024-{n:04d}.md", f"# Post-mortem: {title}\n\n{parts}\n"


def _candidates(root: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "__pycache__")
        yield from (Path(here, name) for name in sorted(files) if name.endswith(WANTED))


def readable(path: Path) -> str:
    """The text of a file, or nothing where one of the two could not take it."""
    if path.is_symlink() or not 0 < path.stat().st_size <= BYTES_MAX:
        return ""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.strip() and "\0" not in text else ""


def is_taken(path: str, text: str) -> bool:
    """Whether Marrow would take it in: what it leaves out, such as generated code, neither side is given."""
    return is_chosen(path) and any(isinstance(one, Item) for one in read_file(path, text.encode()))


def place(folder: Path, path: str, text: str) -> None:
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")


def change(folder: Path, paths: Sequence[str], writer: Writer) -> str:
    """A new last line in each file: the last of these lines, which is then asked for."""
    line = ""
    for path in paths:
        line = " ".join(writer.technical(40))
        with (folder / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\n{line}\n")
    return line


def questions_about(folder: Path, paths: Sequence[str], pick: random.Random) -> list[str]:
    """Whole sentences with words from the files in them."""
    asked = []
    while len(asked) < ASKED:
        words = re.findall(r"[A-Za-z_]{4,24}", (folder / pick.choice(paths)).read_text(encoding="utf-8"))
        if len(words) >= 3:
            asked.append(pick.choice(FORMS).format(*pick.sample(words, 3)))
    return asked


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

    def updated(self, store: Path, folder: Path, change: Callable[[], str]) -> dict[str, Any]:
        """What a process that stays up takes to look for a change and answer a question about it."""
        process = self.begun("stay", store, str(folder), "anything")
        assert process.stdin
        assert process.stdout
        process.stdout.readline()
        print(change(), file=process.stdin, flush=True)
        found: dict[str, Any] = json.loads(process.stdout.readline())
        process.communicate()
        return found

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


def measure(count: int, rounds: int, sources: Sequence[Path], beside: bool) -> dict[str, Any]:
    pick, writer = random.Random(11), Writer(seed=5)
    with tempfile.TemporaryDirectory(prefix="ingest") as name:
        folder = Path(name)
        root = folder / "repository"
        root.mkdir()
        paths = gather(root, sources, count, pick)
        known = change(root, paths[:1], writer)
        asked = questions_about(root, paths, pick)
        (folder / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
        size = sum((root / path).stat().st_size for path in paths)
        found: dict[str, Any] = {"files": count, "bytes": size, "rounds": []}
        peer = Pixeltable(folder) if beside else None
        marrow = Marrow(folder)
        try:
            for n in range(rounds):
                found["rounds"].append(
                    one_round(marrow, peer, root, paths, known, pick, writer, is_last=n == rounds - 1)
                )
        finally:
            if peer:
                found["pixeltable"] = peer.start
                peer.close()
    return found


def one_round(
    marrow: Marrow,
    peer: Pixeltable | None,
    root: Path,
    paths: Sequence[str],
    known: str,
    pick: random.Random,
    writer: Writer,
    is_last: bool,
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    store, again = marrow.store(), marrow.store()
    tell("Marrow takes it in")
    found["first"] = marrow.step("ingest", store, str(root), known)
    found["store_bytes"] = stored_bytes(store)
    if peer:
        tell("Pixeltable takes it in")
        found["peer_after"] = peer.ingest(root, paths, known, index_first=False)
        found["peer_before"] = peer.ingest(root, paths, known, index_first=True)
    tell("Marrow again, nothing changed")
    found["nothing"] = marrow.step("ingest", store, str(root), known)
    tell("Marrow interrupted, and begun again")
    share = pick.uniform(0.1, 0.9)
    was_cut = marrow.interrupted(again, root, share * found["store_bytes"])
    marrow.step("ingest", again, str(root), known)
    ours, theirs = (marrow.step("active", one, str(root))["active"] for one in (store, again))
    kinds = [one.partition(" ")[0] for one in ours]
    found["interrupted"] = {"at": share, "was_cut": was_cut, "same": ours == theirs, "active": len(ours)}
    found["interrupted"]["differ"] = sorted(set(ours) ^ set(theirs))[:5]
    found["kinds"] = {kind: kinds.count(kind) for kind in sorted(set(kinds))}
    changed = pick.sample(paths, max(1, len(paths) // CHANGED_SHARE))
    line = change(root, changed, writer)
    tell("One file in a hundred changed")
    found["changed"] = marrow.step("ingest", store, str(root), line)
    if peer:
        tell("The same in processes that stay up")
        peer.ask("update", folder=str(root), paths=changed, question=line)
        changed = pick.sample(paths, max(1, len(paths) // CHANGED_SHARE))
        asked: list[str] = []

        def change_some() -> str:
            asked.append(change(root, changed, writer))
            return asked[0]

        found["updated"] = marrow.updated(store, root, change_some)
        found["peer_changed"] = peer.ask("update", folder=str(root), paths=changed, question=asked[0])
    if is_last:
        tell("Questions")
        found["search"] = marrow.step("search", store, str(root), str(root.parent / "questions.json"))
        if peer:
            questions = json.loads((root.parent / "questions.json").read_text(encoding="utf-8"))
            found["peer_search"] = peer.ask("search", questions=questions)
    for one in (store, again):
        for path in one.parent.glob(f"{one.name}*"):
            path.unlink()
    return found


def tell(what: str) -> None:
    print(f"{what} …", file=sys.stderr, flush=True)


def best(found: dict[str, Any], name: str) -> dict[str, Any]:
    return min((one[name] for one in found["rounds"] if name in one), key=lambda one: one["seconds"])


def quantile(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def quantiles(times: Sequence[float]) -> str:
    return f"p50 {quantile(times, 0.5):.1f} ms, p99 {quantile(times, 0.99):.1f} ms"


def took(run: dict[str, Any], files: int) -> str:
    return f"{run['seconds']:.1f} s: {files / run['seconds']:,.0f} files/s (cpu {run['cpu_s']:.1f} s)"


def lines_of(found: dict[str, Any]) -> Iterator[tuple[str, str, bool | None]]:
    """What was measured, as people read it, and whether it holds."""
    files, last = found["files"], found["rounds"][-1]
    first, nothing, changed = (best(found, name) for name in ("first", "nothing", "changed"))
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in last["kinds"].items())
    megabytes = found["bytes"] / 1e6
    said = f"{files:,} files, {megabytes:.0f} MB, {first['embedded']:,} texts embedded; {kinds}"
    yield "taken in", said, None
    rate = files / first["seconds"]
    said = f"{took(first, files)}, {megabytes / first['seconds']:.2f} MB/s"
    yield "first, until searchable", said, rate >= 150
    yield "memory at most", f"{first['peak_mb']:.0f} MB", first["peak_mb"] <= 600
    yield "on disk", f"{last['store_bytes'] / 1e6:.0f} MB", None
    share = nothing["taken_in_s"] / first["taken_in_s"]
    said = f"{nothing['taken_in_s']:.2f} s: {share:.1%} of the first, {nothing['embedded']} texts embedded"
    yield "again, nothing changed", said, share <= 0.03 and nothing["embedded"] == 0
    share = changed["taken_in_s"] / first["taken_in_s"]
    said = f"{changed['taken_in_s']:.2f} s: {share:.1%} of the first, {changed['embedded']} texts embedded"
    yield "one in a hundred changed", said, share <= 0.06
    cuts = [one["interrupted"] for one in found["rounds"]]
    said = ", ".join(f"cut at {one['at']:.0%}{'' if one['was_cut'] else ' (it was done)'}" for one in cuts)
    same = all(one["same"] for one in cuts)
    yield "interrupted, begun again", f"{said}: {'the same' if same else 'NOT the same'}", same
    all_found = all(one[step]["found"] for one in found["rounds"] for step in ("first", "changed"))
    yield "what was written is found", str(all_found), all_found
    spent, worked = last["search"]["ms"], last["search"]["cpu_ms"]
    said = f"{quantiles(spent)} (cpu {quantiles(worked)})"
    yield "search", said, quantile(spent, 0.99) <= 60
    if "peer_search" in last:
        yield from beside(found, first)


def beside(found: dict[str, Any], first: dict[str, Any]) -> Iterator[tuple[str, str, bool | None]]:
    files, last = found["files"], found["rounds"][-1]
    before, after, update = (best(found, name) for name in ("peer_before", "peer_after", "peer_changed"))
    updated = best(found, "updated")
    said = f"{after['chunks']:,} chunks ({first['embedded']:,} of ours)"
    yield f"Pixeltable {found['pixeltable']['version']}", said, None
    for one, how in ((before, "index before"), (after, "index after")):
        yield f"  first, {how}", f"{took(one, files)}, found {one['found']}", None
    share = update["seconds"] / after["seconds"]
    yield "  one in a hundred changed", f"{update['seconds']:.2f} s: {share:.1%} of its first", None
    asked = last["peer_search"]
    yield "  search", f"{quantiles(asked['ms'])} (cpu {asked['cpu_ms_mean']:.1f} in the mean)", None
    ratio = min(before["seconds"], after["seconds"]) / first["seconds"]
    by_cpu = min(before["cpu_s"], after["cpu_s"]) / first["cpu_s"]
    usual = before["seconds"] / first["seconds"]
    said = f"{ratio:.1f} times as fast (by cpu {by_cpu:.1f}; {usual:.1f} beside the index declared before)"
    yield "Marrow takes in", said, ratio >= 3
    ratio = update["seconds"] / updated["seconds"]
    said = f"{ratio:.1f} times as fast ({updated['seconds']:.2f} s, {updated['embedded']} texts embedded), both warm"
    yield "Marrow updates", said, ratio >= 3
    ours, theirs = (quantile(last[name]["ms"], 0.5) for name in ("search", "peer_search"))
    yield "Marrow answers", f"{theirs / ours:.1f} times as fast", theirs / ours >= 3


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sources", type=Path, nargs="+")
    parser.add_argument("--without-pixeltable", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "ingest.json")
    given = parser.parse_args()
    installed = sysconfig.get_paths()
    sources = given.sources or [Path(installed["purelib"]), Path(installed["stdlib"])]
    found = measure(given.files, given.rounds, sources, not given.without_pixeltable)
    missed = False
    for what, said, holds in lines_of(found):
        missed |= holds is False
        print(f"{what:<28} {said}{'' if holds is not False else '   <-- misses its limit'}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
