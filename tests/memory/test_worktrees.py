"""Several working trees of one repository, and one memory: each is told what became of the code in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.jobs import drift
from marrow.jobs.place import Place
from marrow.memory import drift_here
from marrow.memory.telling.tell import Manner, Talks, tell
from marrow.model.trace import Trace
from marrow.repository.elsewhere import is_beside_main, is_linked

from .desk_code import Desk, desk

__all__ = ["desk"]

QUESTION = "What is TIMEOUT in src/app.py?"


@pytest.fixture
def beside(desk: Desk) -> Iterator[Desk]:
    """A second working tree of the desk's repository, on a branch of its own, with the same memory."""
    root = desk.root.parent / "beside"
    desk.git("worktree", "add", "--quiet", "-b", "other", str(root))
    with open_memory(root, store=desk.memory.store.url, project="orchard", embedder="fake") as memory:
        yield Desk(root, memory)


def told(memory: Memory, address: str) -> set[str]:
    """What is told of a memory, in every way in which it is."""
    recalled = next(one for one in memory.recall(QUESTION).items if one.address == address[:12])
    found = next(one for one in memory.search("TIMEOUT").items if one.address == address[:12])
    listed = next(one for one in memory.search(kinds=["claim"]).items if one.address == address[:12])
    cited = next(one for one in memory.ask(QUESTION).items if one.address == address[:12])
    held = next(one for one in memory.active().items if one.address == address[:12])
    begun = memory.context().text()
    assert address[:12] in begun
    lines = (recalled.line(), found.line(), listed.line(), memory.get(address).text(), cited.drift, held.line())
    is_told_first = "the code has changed" in begun
    return {"changed" if "code changed" in line else "" for line in lines} | {"changed" if is_told_first else ""}


def test_a_change_in_another_working_tree_is_told_there_and_not_here(desk: Desk, beside: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is thirty seconds because of the gateway.")
    beside.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    beside.commit()
    assert beside.memory.verify().items[0].verdict == "changed"
    assert desk.drift(address) == ""
    assert told(desk.memory, address) == {""}
    assert told(beside.memory, address) == {"changed"}


def test_a_change_here_is_not_told_in_the_working_tree_that_has_it_as_it_was(desk: Desk, beside: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is thirty seconds because of the gateway.")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify()
    assert told(desk.memory, address) == {"changed"}
    assert told(beside.memory, address) == {""}
    assert beside.memory.verify().items == ()
    assert desk.drift(address) == "changed"


def test_of_a_decision_it_is_told_what_became_of_the_code_here(desk: Desk, beside: Desk) -> None:
    desk.save("We keep TIMEOUT in src/app.py at thirty seconds.", domain="decisions")
    desk.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    desk.memory.verify()
    for topic in ("", "TIMEOUT seconds"):
        drifts = [one.memory.get_architectural_decisions(topic).items[0].drift[:12] for one in (desk, beside)]
        assert drifts == ["code changed", ""]


def test_what_moved_on_another_branch_stays_pinned_where_it_is_here(desk: Desk, beside: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is thirty seconds.")
    beside.git("mv", "src/app.py", "src/web.py")
    beside.commit()
    assert beside.memory.verify().items[0].verdict == "moved"
    assert desk.anchors(address) == ["file src/app.py", "symbol TIMEOUT"]


def test_what_is_accepted_in_another_working_tree_is_accepted_for_all(desk: Desk, beside: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is the gateway's.")
    beside.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    beside.memory.verify(address, accept=True)
    assert told(beside.memory, address) == {""}
    desk.memory.verify()
    assert told(desk.memory, address) == {"changed"}


def test_a_session_in_another_working_tree_is_told_what_changed_in_it(desk: Desk, beside: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is thirty seconds.")
    beside.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    for one, expected in ((beside, True), (desk, False)):
        hook = {"event": "pre-tool", "host": "claude-code", "session": "s", "cwd": str(one.root), "does": "read"}
        hook |= {"input": {"file_path": str(one.root / "src" / "app.py")}}
        call = one.memory.call
        said = tell(call.engine, call.asker, Manner(root=str(one.root)), Talks(), hook)
        assert address[:12] in said
        assert ("the code has changed" in said) is expected


def test_the_background_notes_nothing_of_another_working_tree(desk: Desk, beside: Desk) -> None:
    address = desk.save("TIMEOUT in src/app.py is thirty seconds.")
    beside.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    place = Place(beside.memory.engine, beside.memory.call.asker, beside.memory.settings)
    trace = Trace("t", 1, "claude-code", "s", "session-start", "", "", "", "{}")
    assert drift.follow(place, [trace]) == 0
    assert desk.drift(address) == ""


def test_who_waits_is_told_what_stands_where_looking_takes_too_long(
    desk: Desk, beside: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = desk.save("TIMEOUT in src/app.py is thirty seconds because of the gateway.")
    beside.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
    monkeypatch.setattr(drift_here, "SECONDS", -1.0)
    assert told(beside.memory, address) == {""}


def test_what_was_saved_before_there_was_a_map_is_not_pinned_to_the_code_of_another_branch(
    desk: Desk, beside: Desk
) -> None:
    address = desk.save("`parse_date` takes the day first.")
    beside.edit("src/app.py", 'split("-")', 'split(".")')
    for one in (beside, desk):
        one.memory.engine.maps(str(one.root)).update(one.memory.engine.clock())  # type: ignore[misc]
    beside.memory.verify()
    assert desk.anchors(address) == []
    desk.memory.verify()
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]
    desk.memory.verify()
    assert desk.drift(address) == ""


def test_where_there_is_no_main_working_tree_the_others_note_what_they_find(desk: Desk, tmp_path: Path) -> None:
    bare, root = tmp_path / "bare.git", tmp_path / "only"
    desk.git("clone", "--quiet", "--bare", str(desk.root), str(bare))
    desk.git("--git-dir", str(bare), "worktree", "add", "--quiet", "-b", "mine", str(root))
    assert (is_linked(str(root)), is_beside_main(str(root))) == (True, False)
    with open_memory(root, store=desk.memory.store.url, project="orchard", embedder="fake") as memory:
        only = Desk(root, memory)
        address = only.save("TIMEOUT in src/app.py is thirty seconds.")
        only.edit("src/app.py", "TIMEOUT = 30", "TIMEOUT = 60")
        only.memory.verify()
        assert only.drift(address) == "changed"


def test_which_working_tree_is_the_main_one(desk: Desk, beside: Desk, tmp_path: Path) -> None:
    assert (is_linked(str(desk.root)), is_beside_main(str(desk.root))) == (False, False)
    assert (is_linked(str(beside.root)), is_beside_main(str(beside.root))) == (True, True)
    desk.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(desk.root), "inner")
    for folder in (desk.root / "inner", tmp_path, tmp_path / "nowhere"):
        assert not is_linked(str(folder))
    shutil.rmtree(beside.root)
    assert not is_linked("")
