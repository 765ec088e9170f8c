#!/usr/bin/env python3
"""Measures the code map on a large repository, beside bare tree-sitter, grep and ctags.

    python bench/code.py [--files 6000] [--rounds 2] [--sources FOLDER ...] [--out bench/results/code.json]

The repository is put together from the sources of installed packages and of Python itself. In turns, two processes
parse and query every file with bare tree-sitter (the same grammars and queries, nothing done with what is found), and
the map is made. Then one file in a hundred is changed, then single files, and questions are asked. The limits are those
that the project set itself; a line that misses one says so. `cpu` beside a time is processor time of all processes: it
says more on a machine that others use too. Which interpreter it is matters: one that was built without optimisation by
profile (as `pyenv` builds it unless told otherwise) takes longer for all but the parsing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

SOURCES = Path(__file__).parents[1] / "src"
sys.path.insert(0, str(SOURCES))

from marrow.codemap.languages.table import language, language_of  # noqa: E402 found by the line above
from marrow.codemap.skipped import why_skipped  # noqa: E402
from marrow.memory.code.callees import callees  # noqa: E402
from marrow.memory.code.callers import callers  # noqa: E402
from marrow.memory.code.find import matching  # noqa: E402
from marrow.memory.code.kept_map import KeptMap  # noqa: E402
from marrow.store.code import MapFile  # noqa: E402

BYTES_MAX = 1024 * 1024
BARE = Path(__file__).with_name("code_bare.py")
QUESTIONS = 3_000
EDITS = 25
# Of installed packages only these: most of their other files are stubs of types and headers that programs have written,
# the same ones several times.
INSTALLED = (".py",)
WANTED = (".py", ".js", ".mjs", ".ts", ".tsx", ".go", ".rs", ".java", ".c", ".h", ".cc", ".rb", ".php", ".sh")
# A new function and a call of it, by language.
ADDED = {
    ".py": "\n\ndef {0}(given):\n    return given\n\n\n{0}(1)\n",
    ".go": "\nfunc {0}(given int) int {{ return given }}\n\nvar _{0} = {0}(1)\n",
    ".ts": "\nfunction {0}(given: number) {{ return given; }}\n{0}(1);\n",
    ".js": "\nfunction {0}(given) {{ return given; }}\n{0}(1);\n",
    ".rs": "\nfn {0}(given: u8) -> u8 {{ given }}\nfn of_{0}() -> u8 {{ {0}(1) }}\n",
    ".rb": "\ndef {0}(given)\n  given\nend\n{0}(1)\n",
}


def gather(folder: Path, sources: Sequence[Path], count: int, wanted: tuple[str, ...] = WANTED) -> int:
    """Copy so many sources into one repository, each package in a folder of its own."""
    copied = 0
    for n, source in enumerate(sources):
        for path in _sources(source, wanted):
            if copied >= count:
                break
            target = folder / f"part{n}" / path.relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
            copied += 1
    for arguments in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True)
    return copied


@cache
def _is_there(name: str) -> bool:
    try:
        language(name)
    except ImportError:
        return False
    return True


def is_read(path: str) -> bool:
    """Whether a file is in a language whose reader is there."""
    name = language_of(path)
    return bool(name) and _is_there(name)


def _sources(root: Path, wanted: tuple[str, ...]) -> Iterator[Path]:
    for here, folders, files in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith(".") and one != "__pycache__")
        for name in sorted(files):
            path = Path(here, name)
            if name.endswith(wanted) and is_read(name) and not path.is_symlink():
                source = path.read_bytes() if path.stat().st_size <= BYTES_MAX else b""
                if source.strip() and not why_skipped(source):
                    yield path


def learnt(root: Path, listed: Path, queries: Path) -> None:
    """Which queries the languages are read with: they are the same for who only parses."""
    subprocess.run([sys.executable, BARE, "learn", str(root), str(listed), str(queries)], check=True)


def bare_twice(root: Path, listed: Path, queries: Path) -> None:
    """Two processes that each take every other file; from their start to their end, as for the map."""
    command = [sys.executable, str(BARE), "run", str(root), str(listed), str(queries)]
    processes = [subprocess.Popen([*command, str(half)]) for half in (0, 1)]
    assert [process.wait() for process in processes] == [0, 0]


def cpu() -> float:
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def timed(work: Callable[[], Any]) -> tuple[float, float]:
    started, spent = time.perf_counter(), cpu()
    work()
    return time.perf_counter() - started, cpu() - spent


def change(root: Path, paths: Sequence[str], mark: str) -> None:
    for n, path in enumerate(paths):
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(ADDED[Path(path).suffix].format(f"added_{mark}_{n}"))


def quantile(times: Sequence[float], share: float) -> float:
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def ask(kept: KeptMap, pick: random.Random) -> dict[str, dict[str, float]]:
    """Milliseconds for each sort of question, at the middle and at the 99th of a hundred."""
    with kept.reading() as reader:
        last = reader.last_file()
        symbols = []
        while len(symbols) < QUESTIONS:
            some = reader.symbols_of(pick.randint(1, last))
            if some:
                symbols.append(pick.choice(some))
        kinds: dict[str, Callable[[Any], object]] = {
            "symbols by name": lambda one: reader.symbols_named(one.name, 50),
            "symbol by qualified name": lambda one: matching(reader, one.qualified)[:50],
            "callers": lambda one: callers(reader, one, limit=1_000, loose=False),
            "callers with loose": lambda one: callers(reader, one, limit=1_000),
            "callees": lambda one: callees(reader, one),
            "symbols of a file": lambda one: reader.symbols_of(one.id >> 20),
        }
        found = {}
        for name, question in kinds.items():
            times, spents = [], []
            for one in symbols:
                started, spent = time.perf_counter(), time.thread_time()
                question(one)
                times.append((time.perf_counter() - started) * 1000)
                spents.append((time.thread_time() - spent) * 1000)
            found[name] = {"p50": quantile(times, 0.5), "p99": quantile(times, 0.99), "max": max(times)}
            found[name]["cpu_p99"] = quantile(spents, 0.99)
    return found


def searched(root: Path, names: Sequence[str]) -> dict[str, float]:
    """What a plain search takes for the callers of a name: seconds for one, in the mean."""
    found: dict[str, float] = {}
    for tool, options in (("rg", ["-n", "-w"]), ("grep", ["-rnw", "--exclude-dir=.git"])):
        if shutil.which(tool) is None:
            continue
        started = time.perf_counter()
        for name in names:
            subprocess.run([tool, *options, name, str(root)], capture_output=True, check=False)
        found[tool] = (time.perf_counter() - started) / len(names)
    return found


def ctags(root: Path, folder: Path) -> dict[str, float]:
    """A peer: it indexes definitions, and knows no calls."""
    if shutil.which("ctags") is None:
        return {}
    target = folder / "tags"
    command = ["ctags", "-R", "--fields=+nKS", "--exclude=.git", "-f", str(target), str(root)]
    seconds, spent = timed(lambda: subprocess.run(command, capture_output=True, check=False))
    lines = sum(1 for _ in target.open("rb"))
    return {"seconds": seconds, "cpu": spent, "mb": target.stat().st_size / 1e6, "symbols": lines}


def measure(count: int, rounds: int, sources: Sequence[Path]) -> dict[str, Any]:
    installed = [Path(sysconfig.get_paths()[name]) for name in ("purelib", "stdlib")]
    pick = random.Random(11)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        root = folder / "repository"
        root.mkdir()
        copied = gather(root, sources, count) if sources else gather(root, installed, count, INSTALLED)
        paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if is_read(path.name))
        listed = folder / "files.txt"
        listed.write_text("\n".join(paths), encoding="utf-8")
        kept = KeptMap(os.path.realpath(root), MapFile(folder / "maps" / "x.map"))
        queries = folder / "queries.json"
        learnt(root, listed, queries)
        bares, firsts, wholes = [], [], []
        for _ in range(rounds):
            bares.append(timed(lambda: bare_twice(root, listed, queries)))
            firsts.append(timed(lambda: kept.rebuild(1, whole=False)))
            wholes.append(timed(lambda: kept.rebuild(1)))
        children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        with kept.reading() as reader:
            kinds = reader.kinds()
            states = {f"{state} {reason}".strip(): number for state, reason, number in reader.states()}
        disk = kept.file.bytes_on_disk() / 1e6
        changeable = [path for path in paths if Path(path).suffix in ADDED]
        kept.update(2)
        change(root, pick.sample(changeable, max(1, len(paths) // 100)), "many")
        remap = timed(lambda: kept.update(3))
        edits = []
        for n in range(EDITS):
            one = pick.choice(changeable)
            change(root, [one], f"single{n}")
            edits.append(timed(lambda path=one: kept.update(4, only=[path]))[0] * 1000)  # type: ignore[misc]
        looked = [timed(lambda: kept.update(5))[0] * 1000 for _ in range(5)]
        questions = ask(kept, pick)
        with kept.reading() as reader:
            names = [one.name for one in (reader.symbols_of(pick.randint(1, reader.last_file())) or [None])[:1] if one]
        return {
            "files": copied,
            "symbols": sum(kinds.values()),
            "states": states,
            "bare": _best(bares),
            "first": _best(firsts),
            "whole": _best(wholes),
            "remap": {"seconds": remap[0], "cpu": remap[1], "files": max(1, len(paths) // 100)},
            "edit_ms": {"p50": quantile(edits, 0.5), "max": max(edits)},
            "nothing_ms": min(looked),
            "questions_ms": questions,
            "disk_mb": disk,
            "memory_mb": {"main": own, "worker": children, "together": own + 2 * children},
            "search": searched(root, names or ["main"]),
            "ctags": ctags(root, folder),
        }


def _best(runs: Sequence[tuple[float, float]]) -> dict[str, float]:
    return {"seconds": min(one[0] for one in runs), "cpu": min(one[1] for one in runs)}


def lines_of(found: dict[str, Any]) -> Iterator[tuple[str, str, bool | None]]:
    """What was measured, as people read it, and whether it holds."""
    files, bare_, first, remap = found["files"], found["bare"], found["first"], found["remap"]
    yield f"{files:,} files, {found['symbols']:,} symbols", f"Python {' '.join(sys.version.split())}", None
    yield "bare tree-sitter, 2 processes", f"{files / bare_['seconds']:,.0f} files/s (cpu {bare_['cpu']:.1f} s)", None
    rate, by_cpu = bare_["seconds"] / first["seconds"], bare_["cpu"] / first["cpu"]
    said = f"{files / first['seconds']:,.0f} files/s (cpu {first['cpu']:.1f} s): {rate:.0%} of it (by cpu {by_cpu:.0%})"
    yield "first map: symbols, calls by name", said, rate >= 0.6
    whole = found["whole"]
    rate, by_cpu = bare_["seconds"] / whole["seconds"], bare_["cpu"] / whole["cpu"]
    said = f"{files / whole['seconds']:,.0f} files/s (cpu {whole['cpu']:.1f} s): {rate:.0%} of it (by cpu {by_cpu:.0%})"
    yield "first map: every call resolved", said, rate >= 0.6
    share = remap["seconds"] / whole["seconds"]
    yield f"{remap['files']} files changed", f"{remap['seconds']:.2f} s: {share:.1%} of the first", share <= 0.05
    edit = found["edit_ms"]
    yield "one file edited", f"{edit['p50']:.1f} ms (most {edit['max']:.1f})", edit["p50"] < 30
    yield "nothing changed", f"{found['nothing_ms']:.1f} ms", None
    for name, times in found["questions_ms"].items():
        is_bound = name in ("symbols by name", "callers", "callees")
        said = f"p50 {times['p50']:.3f} ms, p99 {times['p99']:.3f} ms (cpu {times['cpu_p99']:.3f} ms)"
        yield name, said, times["p99"] < 2 if is_bound else None
    scale = files / 10_000
    yield (
        "on disk",
        f"{found['disk_mb']:.0f} MB ({found['disk_mb'] / scale:.0f} for 10,000 files)",
        (found["disk_mb"] <= 200 * scale),
    )
    memory = found["memory_mb"]["together"]
    yield "memory at most, three processes", f"{memory:.0f} MB", memory <= 500
    for tool, seconds in found["search"].items():
        yield f"{tool} for one name", f"{seconds * 1000:,.0f} ms", None
    if found["ctags"]:
        peer = found["ctags"]
        said = f"{files / peer['seconds']:,.0f} files/s (cpu {peer['cpu']:.1f} s), {peer['mb']:.0f} MB, no calls"
        yield "ctags -R", said, None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=6_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sources", type=Path, nargs="*")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    found = measure(given.files, given.rounds, given.sources or ())
    missed = False
    for what, said, holds in lines_of(found):
        missed |= holds is False
        print(f"{what:<34} {said}{'' if holds is not False else '   <-- misses its limit'}")
    if given.out:
        given.out.parent.mkdir(parents=True, exist_ok=True)
        given.out.write_text(json.dumps(found, indent=2), encoding="utf-8")
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
