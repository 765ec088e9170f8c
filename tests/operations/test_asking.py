"""knowledge: ask everything at once, with and without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, method_name, open_memory
from marrow.model.text import token_estimate
from marrow.operations.catalogue import TABLE
from marrow.surfaces.cli import commands

from ..providers.llm_service import FakeModel
from ..repository.conftest import Git, git, home
from .conftest import PROJECT, Do

__all__ = ["git", "home"]

QUESTION = "why do payments go through a queue?"


@pytest.fixture
def filled(memory: Memory) -> Memory:
    memory.save("Payments go through a queue because the bank is slow.", kind="decision", domain="decisions")
    memory.save("Payments did not go through the queue for 45 minutes.", kind="incident", domain="issues")
    for word in ("lamp", "river", "stone", "garden", "winter", "copper"):
        memory.save(f"The {word} is where it was.")
    return memory


def test_without_a_model_there_is_the_context_and_it_says_so(filled: Memory, do: Do, said: Do) -> None:
    found = do("ask", question=QUESTION)
    assert {one.kind for one in found.items} == {"decision", "incident"}
    assert [one.number for one in found.items] == [1, 2]
    assert (found.answer, found.model) == ("", "")
    text = said("ask", question=QUESTION)
    assert "[1] " in text
    assert "No language model is chosen" in text
    assert all(one.address in text and one.date in text for one in found.items)


def test_what_is_one_line_is_told_once(filled: Memory, said: Do) -> None:
    assert said("ask", question=QUESTION).count("because the bank is slow") == 1


def test_nothing_known_is_said(do: Do, said: Do) -> None:
    do("memory_save", content="Dates are written year first.", scope="global")
    found = do("ask", question=QUESTION)
    assert (found.items, found.is_empty) == ((), True)
    assert said("ask", question=QUESTION).startswith("Nothing that is known speaks of it.")
    assert "Nothing was saved or taken in here yet: ingest_codebase" in said("ask", question=QUESTION)


def test_where_something_is_known_other_words_may_find_it(filled: Memory, said: Do) -> None:
    text = said("ask", question="xyzzy plugh")
    assert "Other words may find it" in text
    assert "here yet" not in text


def test_the_answer_fits_the_budget_and_says_what_was_left_out(memory: Memory) -> None:
    for kind in ("document", "decision", "incident", "meeting", "commit"):
        for number in range(3):
            memory.save(f"Payments go through {kind} queue {number} because the bank is slow. " * 12, kind=kind)
    answer = memory.perform("ask", {"question": QUESTION, "budget_tokens": 400})
    assert answer.result.items
    assert token_estimate(answer.text) <= 400
    assert answer.result.left_out > 0
    assert f"({answer.result.left_out} more: raise budget_tokens" in answer.text


def test_a_view_narrows_what_is_asked(filled: Memory, do: Do) -> None:
    do("view_define", name="incidents", filter={"kinds": ["incident"]})
    assert [one.kind for one in do("ask", question=QUESTION, view="incidents").items] == ["incident"]


def test_a_commit_is_cited_by_its_hash(memory: Memory, do: Do, said: Do) -> None:
    memory.save("Payments go through a queue", kind="commit", metadata={"commit": "3fa9c1d20b7e5f7c6d8e" * 2})
    (found,) = do("ask", question=QUESTION).items
    assert found.path == "commit 3fa9c1d20b"
    assert "commit 3fa9c1d20b" in said("ask", question=QUESTION)


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel(key=None) as service:
        yield service


@pytest.fixture
def with_model(tmp_path: Path, model: FakeModel) -> Iterator[Memory]:
    about: dict[str, Any] = {"llm": f"{model.url}/v1#small", "llm_daily_tokens": 100_000}
    with open_memory(tmp_path, store=str(tmp_path / "m.db"), project=PROJECT, embedder="fake", **about) as opened:
        opened.save("Payments go through a queue because the bank is slow.", kind="decision", domain="decisions")
        yield opened


def test_with_a_model_the_answer_is_cited_checked_and_counted(with_model: Memory, model: FakeModel) -> None:
    model.answer = "Payments go through a queue because the bank is slow [1]. The queue holds 512 payments [1]."
    answer = with_model.perform("ask", {"question": QUESTION})
    found = answer.result
    assert found.model.endswith("small")
    assert [(one["why"], one["missing"]) for one in found.doubtful] == [("not in the source", ["512"])]
    assert "is slow [1]. The queue" in answer.text
    assert "512 payments [1]. [not in the source: 512]" in answer.text
    assert "1 of its sentences is not borne out" in answer.text
    assert "ask" in with_model.perform("usage", {}).text


def test_a_model_is_not_asked_when_only_the_sources_are_wanted(with_model: Memory, model: FakeModel) -> None:
    found = with_model.ask(QUESTION, answer=False)
    assert found.items
    assert (found.answer, found.note) == ("", "")
    assert model.requests == []


def test_a_spent_cap_leaves_the_sources_and_says_why(tmp_path: Path, model: FakeModel) -> None:
    about: dict[str, Any] = {"llm": f"{model.url}/v1#small"}
    with open_memory(tmp_path, store=str(tmp_path / "m.db"), project=PROJECT, embedder="fake", **about) as opened:
        opened.save("Payments go through a queue because the bank is slow.", kind="decision")
        found = opened.ask(QUESTION)
    assert found.items
    assert found.answer == ""
    assert "cap" in found.note
    assert model.requests == []


def test_ask_is_the_short_name_and_memory_ask_keeps_its_own() -> None:
    assert method_name(TABLE["ask"]) == "ask"
    assert method_name(TABLE["memory_ask"]) == "memory_ask"
    assert commands.entry_of("ask").words == ("ask",)
    assert commands.entry_of("memory_ask").words == ("memory", "ask")
    entry, length = commands.find(["ask", "who", "rotates", "the", "keys"])
    assert entry is not None
    assert (entry.about.name, length) == ("ask", 1)
    entry, length = commands.find(["memory", "ask", "who"])
    assert entry is not None
    assert (entry.about.name, length) == ("memory_ask", 2)


def test_both_are_methods_of_a_memory(memory: Memory) -> None:
    assert memory.memory_ask("Who rotates the keys?").content.startswith("Who rotates the keys?")
    assert memory.ask("Who rotates the keys?").question == "Who rotates the keys?"


@pytest.mark.parametrize("name", ["ADR-20", "ADR 20", "ADR-0020", "adr 0020", "ADR20", "ADR #20", "ADR  020"])
def test_a_decision_is_found_by_its_number_however_that_is_written(memory: Memory, tmp_path: Path, name: str) -> None:
    folder = tmp_path / "records" / "adr"
    folder.mkdir(parents=True)
    woods = "cedar birch oak ash elm fir yew lime teak beech maple alder aspen holly hazel larch pear plum cherry pine"
    for number, wood in enumerate(woods.split(), 1):
        decided = f"Use {wood} wood.\n\n## Consequences\n\nIt costs 20 euro.\n"
        (folder / f"{number:04}-{wood}.md").write_text(
            f"# {number}. Use {wood}\n\n## Status\n\nAccepted\n\n## Decision\n\n{decided}"
        )
    (folder.parent / "notes.md").write_text("# On ADR writing\n\nWrite 20 of them. An ADR has 20 lines and 20 words.\n")
    memory.ingest_codebase(str(folder.parent))
    for question in (f"What does {name} say?", f"Is {name} still accepted?"):
        assert memory.ask(question).items[0].path == "adr/0020-pine.md"
    assert memory.search(name).items[0].content.startswith("# 20. Use pine")
    assert memory.get_architectural_decisions(name).items[0].title == "Use pine"


def test_a_decision_called_by_its_number_stands_before_what_has_the_other_words(memory: Memory, tmp_path: Path) -> None:
    folder = tmp_path / "records" / "adr"
    folder.mkdir(parents=True)
    woods = "cedar birch oak ash elm fir yew lime teak beech maple alder".split()
    for number, wood in enumerate(woods, 1):
        said = f"The {wood} is sawn, planed and oiled before it is used. " * 40
        (folder / f"{number:04}-{wood}.md").write_text(
            f"# {number}. Use {wood}\n\n## Status\n\nProposed\n\n## Decision\n\n{said}\n"
        )
    process = "An ADR is still proposed until it is accepted. Who accepted it says so. "
    (folder.parent / "process.md").write_text(f"# How an ADR is accepted\n\n{process * 30}\n")
    memory.ingest_codebase(str(folder.parent))
    for question in ("Is ADR 7 still accepted?", "why was ADR-0007 accepted?"):
        assert memory.search(question, limit=1).items[0].content.startswith("# 7. Use yew")
        assert memory.ask(question).items[0].path == "adr/0007-yew.md"
        assert memory.recall(question).items[0].content.startswith("# 7. Use yew")


def test_a_record_is_not_taken_as_replaced_because_a_later_one_has_words_of_change(
    memory: Memory, tmp_path: Path
) -> None:
    folder = tmp_path / "records" / "adr"
    folder.mkdir(parents=True)
    for number, said in (
        (1, "Parameters of the kiln are kept by each module. "),
        (2, "Parameters of the kiln are shown by each module, as a table instead of a list; we no longer print them. "),
    ):
        (folder / f"{number:04}-kiln.md").write_text(
            f"# {number}. Parameters of the kiln\n\nDate: 2024-0{number}-01\n\n## Status\n\nAccepted\n\n"
            f"## Decision\n\n{said * 12}\n"
        )
    memory.ingest_codebase(str(folder.parent))
    found = [one.content[:3] for one in memory.recall("who keeps the parameters of the kiln, each module?").items]
    assert "# 1" in found


def test_a_decision_that_was_told_at_length_gives_way_to_what_changed_it(memory: Memory) -> None:
    before = "We keep the parameters of the kiln in a table. " + "The table lists each parameter with its unit. " * 12
    memory.save(before, kind="decision", domain="decisions")
    memory.save("We no longer keep the parameters of the kiln in a table, but in a file.", kind="decision")
    found = [one.content[:12] for one in memory.recall("where do we keep the parameters of the kiln?").items]
    assert found == ["We no longer"]


def test_a_commit_is_found_by_the_beginning_of_its_hash(memory: Memory, tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "--quiet")
    woods = ("oak", "ash", "elm", "fir")
    hashes = []
    for wood in woods:
        git(tmp_path, "commit", "--quiet", "--allow-empty", "--message", f"Oil the {wood} every spring")
        hashes.append(git(tmp_path, "rev-parse", "HEAD").strip())
    memory.ingest_history(str(tmp_path))
    memory.save("Every commit is made in spring, and each commit was made to change something.")
    for wood, digits in zip(woods, hashes, strict=True):
        for question in (f"why was commit {digits[:8]} made?", f"what did commit {digits[:12]} change?", digits[:10]):
            assert f"Oil the {wood}" in memory.search(question, limit=1).items[0].content
            assert f"commit {digits[:10]}" in memory.ask(question).items[0].line()
    pasted = "\n".join(f"{digits[:9]} Something else" for digits in hashes)
    assert all("Oil the" not in one.content for one in memory.recall(f"What did these change?\n{pasted}").items)


def test_a_name_that_many_share_does_not_stand_before_what_answers(memory: Memory) -> None:
    for week in range(8):
        said = f"Ada: the oven of week {week} was warm. " * 20
        memory.ingest_meeting(transcript=said, title="Weekly sync", date=f"2024-03-{week + 1:02}")
    memory.save("The weekly sync decided that retries end after five tries.", kind="decision", domain="decisions")
    found = memory.search("what did the weekly sync decide about retries?", limit=1).items[0]
    assert "five tries" in found.content


def test_an_incident_is_found_by_its_number(memory: Memory) -> None:
    for number in range(200, 210):
        said = f"The cache of shelf {number} was emptied while orders came in, and was warm again an hour later. " * 12
        memory.ingest_incident(title=f"INC-{number}: cache emptied", severity="high", description=said)
    memory.save("What caused an incident is said in its report, and what was done about it too.")
    for name in ("INC-204", "INC 204"):
        assert "INC-204" in memory.search(f"what caused {name}?", limit=1).items[0].content
        assert "INC-204" in memory.ask(f"what was done about {name}?").items[0].line()
