"""What is found in an organisation's papers: records that were replaced, chats and logs by where they are from, and
enough of what stands around an answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory

OLD = "# 1. Leave Flagpole\n\nDate: 2026-03-24\n\n## Status\n\nSuperseded by 2\n\n## Decision\n\nIt is too dear.\n"
NEW = "# 2. Hosted switches\n\nDate: 2026-08-18\n\n## Status\n\nAccepted. Supersedes 1\n\n## Decision\n\nWe rent.\n"
LOG = '{"ts":"2026-03-02T10:00:00Z","level":"error","svc":"post","event":"banned","detail":"too many letters"}\n'
CHAT = "[2026-03-02 10:00] ann: who moved the anvil?\n[2026-03-02 10:01] bob: me, it is in the cellar\n" * 3


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    for name, text in (("adr/0001-leave.md", OLD), ("adr/0002-rent.md", NEW), ("logs/post.jsonl", LOG)):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture
def memory(root: Path, tmp_path: Path) -> Iterator[Memory]:
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as made:
        made.ingest_codebase(str(root))
        yield made


def test_a_record_that_another_replaced_is_found_and_marked_as_long_as_its_file_is_there(
    memory: Memory, root: Path
) -> None:
    found = memory.search("why did we leave Flagpole").items
    old = next(one for one in found if "too dear" in one.content)
    assert [one.content.partition("\n")[0] for one in found][:2] == ["# 2. Hosted switches", "# 1. Leave Flagpole"]
    assert "superseded" in " ".join(old.marks)
    assert [one for one in memory.search("why did we leave Flagpole", explain=True).items if "replaced" in one.why]
    assert not any("too dear" in one.content for one in memory.recall("why did we leave Flagpole").items)
    (root / "adr/0001-leave.md").unlink()
    memory.ingest_codebase(str(root))
    assert not any("too dear" in one.content for one in memory.search("why did we leave Flagpole").items)


def test_a_replaced_record_is_found_after_somebody_looked_through_a_view_that_hides_it(memory: Memory) -> None:
    memory.view_define("papers", {"kinds": ["document"]})
    assert not any("too dear" in one.content for one in memory.search("leave Flagpole", view="papers").items)
    assert any("too dear" in one.content for one in memory.search("leave Flagpole").items)
    assert not any("too dear" in one.content for one in memory.search("leave Flagpole", view="papers").items)


def test_an_earlier_version_of_a_record_is_not_found(memory: Memory, root: Path) -> None:
    (root / "adr/0001-leave.md").write_text(OLD.replace("too dear", "too slow"))
    memory.ingest_codebase(str(root))
    found = memory.search("Flagpole").items
    assert any("too slow" in one.content for one in found)
    assert not any("too dear" in one.content for one in found)


def test_a_replaced_record_is_found_beside_what_a_filter_leaves(memory: Memory) -> None:
    assert any("too dear" in one.content for one in memory.search("Flagpole", kinds=["decision"]).items)
    assert not memory.search("Flagpole", kinds=["incident"]).items


def test_a_chat_on_a_file_and_a_log_are_cited_by_their_files(memory: Memory, root: Path) -> None:
    (root / "chat.txt").write_text(CHAT)
    memory.ingest_conversation(str(root / "chat.txt"))
    memory.ingest_log(str(root / "logs/post.jsonl"))
    anvil = memory.search("who moved the anvil", kinds=["conversation"]).items[0]
    assert anvil.source == "chat.txt"
    banned = memory.search("banned: too many letters", kinds=["log"]).items[0]
    assert banned.source == "logs/post.jsonl · post"
    assert [one.path for one in memory.ask("who moved the anvil").items] == ["chat.txt"]


def test_a_chat_of_an_export_is_cited_by_its_channel_and_day(memory: Memory, tmp_path: Path) -> None:
    export = tmp_path / "unpacked" / "acme export"
    (export / "forge").mkdir(parents=True)
    (export / "users.json").write_text('[{"id": "U1", "name": "ann"}]')
    (export / "channels.json").write_text('[{"id": "C1", "name": "forge"}]')
    said = [{"type": "message", "user": "U1", "ts": "1772445600.000100", "text": "the anvil is in the cellar"}]
    (export / "forge" / "2026-03-02.json").write_text(json.dumps(said))
    memory.ingest_conversation(str(tmp_path / "unpacked"))  # the only folder in it is the export
    assert memory.search("where is the anvil", kinds=["conversation"]).items[0].source == "#forge, 2026-03-02"


def test_what_stands_around_an_answer_is_told_with_the_first_sources(memory: Memory, root: Path) -> None:
    lines = [f"[00:{at // 6:02d}:{at % 6}0] {('Ann', 'Bob')[at % 2]}: word{at} and {at} of them." for at in range(120)]
    lines[60] = "[00:10:00] Ann: When do we move the anvil to the new forge?"
    lines[66] = "[00:11:00] Bob: In January, then."
    (root / "meetings").mkdir()
    (root / "meetings/2026-03-02-forge.txt").write_text("\n".join(lines))
    memory.ingest_codebase(str(root))
    found = memory.ask("when do we move the anvil to the new forge?").items[0]
    assert "move the anvil" in found.content
    assert "In January, then." in found.content
    assert len(found.content) < 2_500
    small = memory.ask("when do we move the anvil to the new forge?", budget_tokens=200).items[0]
    assert len(small.content) < len(found.content)


def test_what_answers_at_the_end_of_a_text_is_not_cut_off_for_what_stands_before_it(memory: Memory, root: Path) -> None:
    marks = "\n".join(f"| {n} | {n * 7} | {n * 13} | x{n} |" for n in range(60))
    (root / "table.md").write_text(f"# Heats\n\n{marks}\n\nThe anvil is heated to 900 degrees before it is forged.\n")
    memory.ingest_codebase(str(root))
    found = memory.ask("to how many degrees is the anvil heated before it is forged?").items
    assert "900 degrees" in next(one.content for one in found if one.path == "table.md")


def test_a_replaced_record_does_not_undo_that_what_amends_comes_first(memory: Memory) -> None:
    memory.save("The anvil is cleaned with sand by the smith every single morning before work, says Flagpole.")
    memory.save("We no longer clean the anvil with sand every morning: the smith cleans it with water.")
    question = "anvil cleaned with sand by the smith every single morning before work Flagpole"
    found = [one.content for one in memory.search(question).items]
    assert any("too dear" in text for text in found)
    claims = [text for text in found if "anvil" in text]
    assert claims[0].startswith("We no longer clean")
