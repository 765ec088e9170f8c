"""The symbols that commits touched are found newest first; what there is no time for, a later run goes on with."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.ingest.history import digest_of
from marrow.ingest.touched_symbols import TouchedSymbol, TouchedSymbols
from marrow.memory.engine import Asker
from marrow.memory.erase import erase
from marrow.memory.taking_in import talk
from marrow.memory.taking_in.bookmark import keep_bookmark
from marrow.memory.taking_in.committed import ingest_committed
from marrow.memory.taking_in.talk import Took, ingest_history
from marrow.memory.taking_in.touched_later import SYMBOLS, symbols_left
from marrow.model.record import CURRENT, Filter, Record

from .. import fixtures_store
from ..fixtures_store import World
from .test_committed import Counting

world = fixtures_store.world


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    root.mkdir()
    subprocess.run(["git", "-C", str(root), "init", "-q", "-b", "main"], check=True)
    return root


def commit(root: Path, message: str, day: int, name: str = "") -> str:
    """A commit with a function of its own."""
    called = name or f"sell_{day}"
    (root / f"{called}.py").write_text(f"def {called}():\n    return {day}\n", encoding="utf-8")
    git = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    date = f"2025-11-{day:02d}T12:00:00Z"
    environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
    subprocess.run([*git, "add", "-A"], check=True)
    subprocess.run([*git, "commit", "-q", "-m", message], check=True, env=environment)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


def at_home(world: World, root: Path) -> Asker:
    return replace(world.asker, root=str(root))


def take(world: World, root: Path, seconds: float = 60.0) -> Took:
    return ingest_history(world.engine, at_home(world, root), service="shop", symbol_seconds=seconds)


def records(world: World) -> list[Record]:
    found: list[Record] = world.read(
        lambda r: r.records_of(r.select("local", Filter(kinds=("commit",)), CURRENT, world.clock.now), CURRENT)
    )
    return found


def symbols(world: World) -> dict[str, set[str]]:
    """By message, the symbols that its commit is pinned to."""
    found = records(world)
    anchors = world.read(lambda r: r.anchors([record.entry for record in found], CURRENT))
    return {
        record.node.content: {f"{a.fields['path']}::{a.target}" for a in anchors[record.entry] if a.type == "symbol"}
        for record in found
    }


BOTH = {"Sell plums": {"sell_1.py::sell_1"}, "Sell pears": {"sell_2.py::sell_2"}}


def test_commits_are_read_with_the_symbols_that_they_touched(world: World, shop: Path) -> None:
    commit(shop, "Sell plums", 1)
    commit(shop, "Sell pears", 2)
    assert take(world, shop).symbols_left == 0
    assert symbols(world) == BOTH
    assert symbols_left(world.engine, at_home(world, shop), "shop") == 0


def test_what_there_was_no_time_for_is_found_by_the_next_run_and_nothing_is_said_or_embedded_again(
    world: World, shop: Path
) -> None:
    world.engine = replace(world.engine, embedder=Counting())
    commit(shop, "Sell plums", 1)
    commit(shop, "Sell pears", 2)
    assert take(world, shop, 0.0).symbols_left == 2
    assert symbols(world) == {"Sell plums": set(), "Sell pears": set()}
    before = records(world)
    said = world.read(lambda r: r.occurrences([one.entry for one in before], CURRENT))
    assert isinstance(world.engine.embedder, Counting)
    world.engine.embedder.texts.clear()
    again = take(world, shop)
    assert (again.files, again.taken.total, again.symbols_left) == (0, 2, 0)
    assert symbols(world) == BOTH
    assert [(one.node, one.standing) for one in records(world)] == [(one.node, one.standing) for one in before]
    assert world.read(lambda r: r.occurrences([one.entry for one in before], CURRENT)) == said
    assert world.engine.embedder.texts == []
    seq = world.seq()
    assert take(world, shop).symbols_left == 0
    assert world.seq() == seq  # and then there is nothing more to do


def test_a_commit_that_was_read_before_symbols_were_looked_for_gets_its_own(world: World, shop: Path) -> None:
    """A row of that time, and one that a restore made anew, do not say that they were found."""
    asker = at_home(world, shop)
    plums, pears = commit(shop, "Sell plums", 1), commit(shop, "Sell pears", 2)
    take(world, shop, 0.0)
    rows = world.read(lambda r: r.sources("local", ("orchard",), service="shop"))
    old = [row._replace(digest="") for row in rows if row.path == f"commit:{plums}"]
    assert [row.digest for row in rows if row.path == f"commit:{pears}"] == [digest_of(pears, with_symbols=False)]
    with world.engine.store.writing() as writer:
        writer.keep_sources("local", old)
    keep_bookmark(world.engine, asker, "shop", SYMBOLS, {"left": "nonsense"})
    assert symbols_left(world.engine, asker, "shop") == 0
    take(world, shop)
    assert symbols(world) == BOTH


def test_new_commits_come_before_those_that_were_left(
    world: World, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(shop, "Sell plums", 1)
    take(world, shop, 0.0)
    commit(shop, "Sell pears", 2)
    asked: list[list[str]] = []

    class Noting(TouchedSymbols):
        def of(self, commits: Sequence[str]) -> Iterator[tuple[str, tuple[TouchedSymbol, ...]]]:
            asked.append(list(commits))
            return super().of(commits)

    monkeypatch.setattr(talk, "TouchedSymbols", Noting)
    take(world, shop)
    hashes = subprocess.run(["git", "-C", str(shop), "rev-list", "HEAD"], capture_output=True, text=True, check=True)
    assert asked == [[one] for one in hashes.stdout.split()]
    assert symbols(world) == BOTH


def test_what_was_left_is_gone_on_with_though_head_stays_where_it_is(
    world: World, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asker = at_home(world, shop)
    commit(shop, "Sell plums", 1)
    commit(shop, "Sell pears", 2)
    defaults = {**(ingest_history.__kwdefaults__ or {})}
    monkeypatch.setattr(ingest_history, "__kwdefaults__", {**defaults, "symbol_seconds": 0.0})
    ingest_committed(world.engine, asker, str(shop), service="shop")
    assert symbols_left(world.engine, asker, "shop") == 2
    monkeypatch.setattr(ingest_history, "__kwdefaults__", defaults)
    done = ingest_committed(world.engine, asker, str(shop), service="shop")
    assert (done.taken.added, done.taken.gone) == (0, 0)
    assert symbols(world) == BOTH
    seq = world.seq()
    ingest_committed(world.engine, asker, str(shop), service="shop")
    assert world.seq() == seq


def test_what_was_forgotten_or_erased_since_does_not_stand_in_the_way(world: World, shop: Path) -> None:
    commit(shop, "Sell plums", 1)
    commit(shop, "Sell pears", 2)
    commit(shop, "Sell figs", 3)
    take(world, shop, 0.0)
    address = {record.node.content: record.node.address for record in records(world)}
    world.forget(address["Sell plums"])
    erase(world.engine, at_home(world, shop), address=address["Sell pears"], dry_run=False, confirm=True)
    assert take(world, shop).symbols_left == 0
    assert symbols(world)["Sell figs"] == {"sell_3.py::sell_3"}
    assert world.state(address["Sell plums"]) == "retracted"


def test_commits_that_say_the_same_are_one_memory_with_the_symbols_of_both(world: World, shop: Path) -> None:
    commit(shop, "Fix it", 1)
    commit(shop, "Fix it", 2)
    take(world, shop, 0.0)
    take(world, shop)
    assert symbols(world) == {"Fix it": {"sell_1.py::sell_1", "sell_2.py::sell_2"}}


def test_commits_of_another_repository_are_pinned_to_no_symbols_and_leave_none_to_be_found(
    world: World, shop: Path, tmp_path: Path
) -> None:
    commit(shop, "Sell plums", 1)
    for _ in range(2):
        took = ingest_history(world.engine, at_home(world, tmp_path), repo_path=str(shop), service="shop")
        assert took.symbols_left == 0
    assert symbols(world) == {"Sell plums": set()}


def test_a_commit_that_git_no_longer_has_here_is_not_counted(world: World, shop: Path) -> None:
    asker = at_home(world, shop)
    plums = commit(shop, "Sell plums", 1)
    take(world, shop, 0.0)
    rows = world.read(lambda r: r.sources("local", ("orchard",), service="shop"))
    other = next(row._replace(path=f"commit:{'0' * 40}") for row in rows if row.path == f"commit:{plums}")
    with world.engine.store.writing() as writer:
        writer.keep_sources("local", [other])
    assert take(world, shop).symbols_left == 0
    assert symbols_left(world.engine, asker, "shop") == 0
