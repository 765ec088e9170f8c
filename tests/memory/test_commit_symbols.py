"""Commits are pinned to the symbols that they touched. One finds them there, and what was said keeps its room."""

from __future__ import annotations

import pytest

from marrow.memory.verify import verify_paths

from .desk_code import Desk, desk

__all__ = ["desk"]

SYMBOL = "src/app.py::Store.close"


@pytest.fixture
def said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> str:
    """A memory about `Store.close`, and a history in which many commits touched that, one a day."""

    def commit(message: str, day: int) -> None:
        dated(f"2026-01-{day:02d}T12:00:00Z")
        desk.commit(message)

    def dated(date: str) -> None:
        monkeypatch.setenv("GIT_AUTHOR_DATE", date)
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)

    dated("2025-12-31T12:00:00Z")
    desk.git("commit", "--quiet", "--amend", "--reset-author", "--no-edit")

    address = desk.save("Store.close must be harmless when it is called twice.", kind="decision", anchors=[SYMBOL])
    for number in range(1, 26):
        before = "True" if number == 1 else str(number - 1)
        desk.edit("src/app.py", f"self.done = {before}", f"self.done = {number}")
        commit(f"Tune the pear machine to {number}", number)
    desk.edit("src/app.py", "self.done = 25", "self.done = 26")
    commit("Close the store without waiting\n\nA close that waits for the disk held every request up.", 26)
    assert desk.memory.ingest_history().added == 27
    return address


def told(desk: Desk, message: str) -> list[str]:
    found = desk.memory.recall(message, symbols=["Store.close"])
    return [item.content.partition("\n")[0] for item in found.items]


def test_a_symbol_at_hand_brings_what_was_said_of_it_and_not_every_commit_that_touched_it(
    desk: Desk, said: str
) -> None:
    assert told(desk, "how may I change this") == ["Store.close must be harmless when it is called twice."]


def test_a_commit_that_touched_the_symbol_at_hand_is_told_when_it_speaks_of_what_was_asked(
    desk: Desk, said: str
) -> None:
    assert "Close the store without waiting" in told(desk, "why does close not wait for the disk")


def test_a_symbol_finds_the_commits_that_touched_it_though_they_do_not_name_it(desk: Desk, said: str) -> None:
    found = desk.memory.blame("Store.close").items
    assert said[:12] in {item["address"] for item in found}
    commits = [item["content"] for item in found if "commit" in item["what"]]
    assert len(commits) == 27
    assert sum("Tune the pear machine" in content for content in commits) == 25
    assert not desk.memory.blame("Store.rows").items[1:]  # only the first commit brought that


def test_commits_do_not_drift_when_what_they_touched_changes_or_goes(desk: Desk, said: str) -> None:
    desk.edit("src/app.py", "    def close(self):\n", "    def shut(self):\n")
    found = desk.memory.verify()
    assert [item.address for item in found.items] == [said[:12]]
    desk.write("src/app.py", None)
    asker = desk.memory.call.asker
    assert verify_paths(desk.memory.engine, asker, ["src/app.py"]).looked_at == 1
    said_of = {item["address"]: item["what"] for item in desk.memory.blame("Store.close").items}
    assert "code" in said_of.pop(said[:12])
    assert set(said_of.values()) == {"history/commit"}


def test_what_is_known_of_a_place_and_what_is_not_is_the_same_with_commits_there(desk: Desk, said: str) -> None:
    around = desk.memory.spatial("src/app.py", 17, 18)
    assert [item.address for item in around.items] == [said[:12]]
    gaps = {one for part in desk.memory.coverage().items for one in part.gaps}
    assert any("parse_date" in str(one) for one in gaps)  # that a commit touched it tells nothing about it
