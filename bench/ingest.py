#!/usr/bin/env python3
"""Measures taking in a large repository, beside Pixeltable with the same chunks and the same embedder.

    python bench/ingest.py [--files 5000] [--rounds 2] [--sources FOLDER …] [--without-pixeltable] [--out FILE]

The repository is put together from what is installed (or from FOLDERs), with decision records and post-mortems written
for it. In each round, Marrow and Pixeltable take it in from nothing, in turns; then Marrow again with nothing changed,
after an interruption at a random moment, and with one file in a hundred changed. Then both are up and warm, and in
turns one file in a hundred changes for them, time after time, and they are asked the same questions. Times that are
compared end when the first question is answered. Of taking in, the best of the rounds counts; of updates and questions
the one in the middle. `cpu` is processor time of all processes: it says more on a machine that others use too. The
limits are those that the project set itself.

What is compared: both cut the texts by the same function and embed them by the same one. Marrow also keeps an index of
words, the chain of what was said by whom, and finds out by itself what has changed; Pixeltable is told. It searches by
words too, weighs the best, and says where in them the answer stands; what it takes to search by meaning alone, as
Pixeltable does, is printed beside. Pixeltable is measured with its index declared before the rows come (as its guides
do) and built after them, and its better time counts. It runs in `.cache/pixeltable`, an environment of its own that is
made on first use; its server is started before the clock is. See `ingest_pixeltable.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

from corpus import QUESTIONS as FORMS  # noqa: E402 found by the line above, as are the next
from corpus import Writer  # noqa: E402
from ingest_sides import Marrow, Pixeltable, Staying, stored_bytes  # noqa: E402
from marrow.ingest.files import read_file  # noqa: E402
from marrow.ingest.item import Item  # noqa: E402
from marrow.memory.taking_in.codebase import is_chosen  # noqa: E402

WANTED = (".py", ".js", ".ts", ".go", ".rs", ".java", ".kt", ".c", ".h", ".sh", ".md", ".rst", ".txt", ".toml")
BYTES_MAX = 256 * 1024
WRITTEN_SHARE = 50  # One file in so many is a decision record or a post-mortem.
ASKED = 200
CHANGED_SHARE = 100
# How often both are updated, in turns, after once that does not count; and how many questions each is asked in a turn.
UPDATES, TURN = 9, 20
FOLDER_FILES = 40


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
    """A new last line in each file; that of the shortest, which is then asked for: of a very long text only the
    beginning is embedded, on both sides."""
    line = ""
    for path in sorted(paths, key=lambda one: -(folder / one).stat().st_size):
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


def measure(count: int, rounds: int, sources: Sequence[Path], beside: bool) -> dict[str, Any]:
    pick, writer = random.Random(11), Writer(seed=5)
    with tempfile.TemporaryDirectory(prefix="ingest") as name:
        folder = Path(name)
        root = folder / "repository"
        root.mkdir()
        paths = gather(root, sources, count, pick)
        known = change(root, paths[:1], writer)
        asked = questions_about(root, paths, pick)
        size = sum((root / path).stat().st_size for path in paths)
        found: dict[str, Any] = {"files": count, "bytes": size, "rounds": []}
        peer = Pixeltable(folder) if beside else None
        marrow = Marrow(folder)
        try:
            for _ in range(rounds):
                found["rounds"].append(one_round(marrow, peer, root, paths, known, pick, writer, asked))
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
    asked: Sequence[str],
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
    tell("The same in processes that stay up")
    staying = Staying(marrow, store, root)
    if peer:
        peer.ask("update", folder=str(root), paths=changed, question=line)
    found["updates"] = updates(staying, peer, root, paths, pick, writer)
    tell("Questions")
    found["searches"] = searches(staying, peer, asked)
    staying.close()
    for one in (store, again):
        for path in one.parent.glob(f"{one.name}*"):
            path.unlink()
    return found


def updates(
    ours: Staying, peer: Pixeltable | None, root: Path, paths: Sequence[str], pick: random.Random, writer: Writer
) -> dict[str, list[dict[str, Any]]]:
    """The same files change for both, time after time; who is first changes too. Ours looks for what has changed,
    Pixeltable is told."""
    found: dict[str, list[dict[str, Any]]] = {"ours": [], "theirs": []}
    for turn in range(UPDATES + 1):
        changed = pick.sample(paths, max(1, len(paths) // CHANGED_SHARE))
        line = change(root, changed, writer)
        for name in ("ours", "theirs") if turn % 2 else ("theirs", "ours"):
            if name == "ours":
                found[name].append(ours.ask("update", folder=str(root), question=line))
            elif peer:
                found[name].append(peer.ask("update", folder=str(root), paths=changed, question=line))
    return {name: runs[1:] for name, runs in found.items()}


def searches(ours: Staying, peer: Pixeltable | None, asked: Sequence[str]) -> dict[str, dict[str, list[float]]]:
    """The same questions to both, some at a time in turns, after some that do not count."""
    found: dict[str, dict[str, list[float]]] = {}
    for start in (-1, *range(0, len(asked), TURN)):
        questions = asked[max(0, start) : max(0, start) + TURN]
        for name, side in (("ours", ours), ("theirs", peer)):
            told = side.ask("search", questions=questions) if side else {}
            for what, times in told.items() if start >= 0 else ():
                found.setdefault(name, {}).setdefault(what, []).extend(times)
    return found


def tell(what: str) -> None:
    print(f"{what} …", file=sys.stderr, flush=True)


def best(found: dict[str, Any], name: str) -> dict[str, Any]:
    return min((one[name] for one in found["rounds"] if name in one), key=lambda one: one["seconds"])


def of_all(found: dict[str, Any], what: str, side: str) -> list[Any]:
    """What was measured of one side in every round."""
    return [one for a_round in found["rounds"] for one in a_round[what].get(side, ())]


def middle(runs: Sequence[dict[str, Any]], what: str) -> float:
    return statistics.median(one[what] for one in runs)


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
    again = of_all(found, "updates", "ours")
    said = f"{middle(again, 'seconds'):.2f} s in the middle of {len(again)} (cpu {middle(again, 'cpu_s'):.2f} s)"
    yield "  in a process that stays up", f"{said}, found {told(again)}", None
    spent, worked = (times(found, "ours", what) for what in ("ms", "cpu_ms"))
    said = f"{quantiles(spent)} (cpu {quantiles(worked)})"
    yield "search", said, quantile(spent, 0.99) <= 60
    if "peer_after" in last:
        yield from beside(found, first)


def told(runs: Sequence[dict[str, Any]]) -> str:
    """How often the line that was written last was found."""
    return f"{sum(one['found'] for one in runs)} of {len(runs)}"


def times(found: dict[str, Any], side: str, what: str) -> list[float]:
    return [one for a_round in found["rounds"] for one in a_round["searches"][side][what]]


def beside(found: dict[str, Any], first: dict[str, Any]) -> Iterator[tuple[str, str, bool | None]]:
    files = found["files"]
    before, after = (best(found, name) for name in ("peer_before", "peer_after"))
    updates, updated = (of_all(found, "updates", side) for side in ("theirs", "ours"))
    yield f"Pixeltable {found['pixeltable']['version']}", f"{after['chunks']:,} chunks ({first['chunks']:,} ours)", None
    for one, how in ((before, "index before"), (after, "index after")):
        yield f"  first, {how}", f"{took(one, files)}, found {one['found']}", None
    theirs, ours = (middle(runs, "seconds") for runs in (updates, updated))
    share = theirs / after["seconds"]
    said = f"{theirs:.2f} s in the middle (cpu {middle(updates, 'cpu_s'):.2f} s): {share:.1%} of its first"
    yield "  one in a hundred changed", f"{said}, found {told(updates)}", None
    asked = times(found, "theirs", "ms")
    yield "  search", f"{quantiles(asked)} (cpu {statistics.mean(times(found, 'theirs', 'cpu_ms')):.1f} mean)", None
    ratio = min(before["seconds"], after["seconds"]) / first["seconds"]
    by_cpu = min(before["cpu_s"], after["cpu_s"]) / first["cpu_s"]
    usual = before["seconds"] / first["seconds"]
    said = f"{ratio:.1f} times as fast (by cpu {by_cpu:.1f}; {usual:.1f} beside the index declared before)"
    yield "Marrow takes in", said, ratio >= 3
    by_cpu = middle(updates, "cpu_s") / middle(updated, "cpu_s")
    said = f"{theirs / ours:.1f} times as fast (by cpu {by_cpu:.1f}), {middle(updated, 'embedded'):.0f} texts embedded"
    yield "Marrow updates", said, theirs / ours >= 3
    theirs, ours = (quantile(times(found, side, "ms"), 0.5) for side in ("theirs", "ours"))
    yield "Marrow answers", f"{theirs / ours:.1f} times as fast", theirs / ours >= 3
    ours = quantile(times(found, "ours", "by_meaning_ms"), 0.5)
    yield "  by meaning alone", f"{theirs / ours:.1f} times as fast: p50 {ours:.1f} ms, as Pixeltable searches", None


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--files", type=int, default=5_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--sources", type=Path, nargs="+")
    parser.add_argument("--without-pixeltable", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "ingest.json")
    given = parser.parse_args()
    # As after an installation, whatever PYTHONDONTWRITEBYTECODE says of each process.
    subprocess.run([sys.executable, "-m", "compileall", "-q", str(ROOT / "src"), str(HERE)], check=True)
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
