"""Exploring a subject and planning a task: every part from what is known, and silence where nothing is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.explore import GAPS, HISTORY, LINKED, LOCATE, RECALL, SEARCH, TENSIONS, Explored, explore
from marrow.memory.named_code import named_files
from marrow.memory.plan import ALSO, ARCHITECTURE, BLOCKERS, CONSTRAINTS, FILES, RISKS, STATE, plan
from marrow.model.change import Relate
from marrow.model.errors import Invalid

from .conftest import Hand


def contents(found: Explored, step: str) -> list[str]:
    return [clue.content for one in found.steps if one.name == step for clue in one.clues]


def whys(found: Explored, step: str) -> list[str]:
    return [clue.why for one in found.steps if one.name == step for clue in one.clues]


def relate(hand: Hand, source: str, target: str, rel: str) -> None:
    hand.do(Relate(source, target, rel))


def test_the_steps_come_in_their_order(engine: Engine, asker: Asker) -> None:
    shallow = [step.name for step in explore(engine, asker, "payments").steps]
    deep = [step.name for step in explore(engine, asker, "payments", deep=True).steps]
    assert shallow == [RECALL, LOCATE, SEARCH, GAPS, TENSIONS]
    assert deep == [RECALL, LOCATE, SEARCH, LINKED, HISTORY, GAPS, TENSIONS]


def test_what_is_remembered_and_where_it_is_are_told(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Payments by card are retried three times", anchors=["src/payments.py"])
    found = explore(engine, asker, "card payments retried")
    assert "Payments by card are retried three times" in contents(found, RECALL) + contents(found, SEARCH)
    assert "src/payments.py" in contents(found, LOCATE)
    assert any("1 memory about it" in why for why in whys(found, LOCATE))


def test_places_without_a_memory_and_open_questions_are_gaps(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("How long are payments kept?", kind="gap")
    found = explore(engine, asker, "payments")
    assert contents(found, GAPS)[0] == "How long are payments kept?"
    assert "src/payments.py" in contents(found, GAPS)
    assert "tests/test_payments.py" not in contents(found, GAPS)
    assert "How long are payments kept?" not in contents(found, SEARCH)


def test_what_contradicts_and_what_drifted_are_tensions(engine: Engine, asker: Asker, hand: Hand) -> None:
    one = hand.say("Payments are retried three times")
    other = hand.say("Payments are never retried")
    hand.say("Retried payments live in one file", drift="changed")
    relate(hand, one, other, "contradicts")
    found = explore(engine, asker, "payments retried")
    told = whys(found, TENSIONS)
    assert any(why.startswith("contradicts") for why in told)
    assert "its code changed" in told


def test_a_deep_look_finds_commits_and_what_is_linked(engine: Engine, asker: Asker, hand: Hand) -> None:
    known = hand.say("Payments by card need a gateway")
    cause = hand.say("The bank closes connections at night")
    relate(hand, known, cause, "caused_by")
    found = explore(engine, asker, "payments by card", deep=True)
    assert any("Take payments by card" in text for text in contents(found, HISTORY))
    everywhere = contents(found, LINKED) + contents(found, RECALL) + contents(found, SEARCH)
    assert "The bank closes connections at night" in everywhere


def test_nothing_known_is_said_step_by_step(engine: Engine, asker: Asker) -> None:
    found = explore(engine, asker, "zeppelin navigation", deep=True)
    assert all(step.clues == () for step in found.steps)
    assert all(step.found for step in found.steps)


def test_exploring_counts_nothing_as_recalled(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Payments by card are retried three times")
    explore(engine, asker, "payments", deep=True)
    plan(engine, asker, "payments")
    assert engine.recalled == []


def test_without_a_folder_the_memory_alone_is_explored(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Payments by card are retried three times")
    found = explore(engine, replace(asker, root=""), "payments by card", deep=True)
    assert contents(found, LOCATE) == []
    assert contents(found, RECALL) + contents(found, SEARCH)


@pytest.mark.parametrize("given", ["", "  "])
def test_a_subject_is_needed(engine: Engine, asker: Asker, given: str) -> None:
    with pytest.raises(Invalid):
        explore(engine, asker, given)
    with pytest.raises(Invalid):
        plan(engine, asker, given)


def test_a_plan_puts_each_thing_where_it_belongs(engine: Engine, asker: Asker, hand: Hand, root: Path) -> None:
    hand.say("The payments module talks to one gateway", domain="architecture", anchors=["src/payments.py"])
    hand.say("We decided that payments are never stored", domain="decisions", kind="decision")
    hand.say("Payments failed twice when the gateway timed out", domain="issues")
    hand.say("Which payments need a second signature?", kind="question")
    for other in ("Styles are written by hand", "The nightly job ends at four", "Names are sorted by locale"):
        for domain in ("architecture", "decisions", "issues"):
            hand.say(f"{other}, says {domain}", domain=domain)
    (root / "src" / "payments.py").write_text("changed\n")
    found = plan(engine, asker, "change how payments reach the gateway")
    told = {section: [line.content for line in found.of(section)] for section in (ARCHITECTURE, CONSTRAINTS, RISKS)}
    assert told[ARCHITECTURE] == ["The payments module talks to one gateway"]
    assert told[CONSTRAINTS] == ["We decided that payments are never stored"]
    assert told[RISKS] == ["Payments failed twice when the gateway timed out"]
    assert found.of(FILES)[0].content == "src/payments.py"
    assert "Which payments need a second signature?" in [line.content for line in found.of(BLOCKERS)]
    (state,) = [line for line in found.of(STATE) if line.source == "git"]
    assert "src/payments.py" in state.content
    assert all(line.source for line in found.lines)


def test_what_is_pinned_to_an_affected_file_is_in_the_plan(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Amounts are whole cents", domain="decisions", anchors=["src/payments.py"])
    found = plan(engine, asker, "rework payments")
    assert [line.content for line in found.of(CONSTRAINTS)] == ["Amounts are whole cents"]


def test_what_blocks_a_known_thing_is_a_blocker(engine: Engine, asker: Asker, hand: Hand) -> None:
    known = hand.say("Payments move to another gateway", domain="architecture")
    first = hand.say("The contract with the bank is not signed", domain="tasks")
    relate(hand, first, known, "blocks")
    found = plan(engine, asker, "payments move to another gateway")
    assert "The contract with the bank is not signed" in [line.content for line in found.of(BLOCKERS)]


def test_nothing_known_makes_an_empty_plan(engine: Engine, asker: Asker) -> None:
    found = plan(engine, replace(asker, root=""), "zeppelin navigation")
    assert found.lines == ()


def test_rare_words_in_a_files_own_name_count_most(asker: Asker, root: Path) -> None:
    for name in ("payments_a.py", "payments_b.py", "payments_refund.py"):
        (root / "src" / name).write_text("x\n")
    assert named_files(asker, "payments refund", 3)[0].path == "src/payments_refund.py"


def test_a_memory_without_a_domain_is_in_the_plan(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("The gateway times out after 30 seconds because the bank closes idle connections")
    for other in ("Styles are written by hand", "The nightly job ends at four", "Names are sorted by locale"):
        hand.say(other)
    found = plan(engine, asker, "raise the time after which the gateway times out")
    assert [line.content for line in found.of(ALSO)] == [
        "The gateway times out after 30 seconds because the bank closes idle connections"
    ]


def test_a_memory_without_a_domain_about_an_affected_file_is_in_the_plan(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say("Amounts are whole cents", anchors=["src/payments.py"])
    assert [line.content for line in plan(engine, asker, "rework payments").of(ALSO)] == ["Amounts are whole cents"]


def test_what_was_read_out_of_the_code_comes_last_and_is_few(engine: Engine, asker: Asker, hand: Hand) -> None:
    for number in range(12):
        hand.say(f"`charge{number}` (src/payments.py): take card payments", domain="patterns", tags=("scan",))
    hand.say("Our card payments follow one pattern: take, then book", domain="patterns")
    planned = [line.content for line in plan(engine, asker, "take card payments").of(ARCHITECTURE)]
    assert planned[0] == "Our card payments follow one pattern: take, then book"
    explored = explore(engine, asker, "take card payments")
    told = contents(explored, RECALL) + contents(explored, SEARCH)
    assert "Our card payments follow one pattern: take, then book" in told
    for step in (RECALL, SEARCH):
        assert sum(text.startswith("`charge") for text in contents(explored, step)) <= 2
    assert sum(text.startswith("`charge") for text in planned) <= 4


def test_words_that_say_only_what_is_done_name_no_files(asker: Asker, root: Path) -> None:
    for name in ("make_all.py", "add.py", "handle_write.py", "timeout.py"):
        (root / "src" / name).write_text("x\n")
    found = [file.path for file in named_files(asker, "make it possible to add and handle a timeout", 5)]
    assert found == ["src/timeout.py"]
    assert named_files(asker, "make add", 5), "where nothing else is said they are what it is about"


def test_words_that_every_file_has_do_not_stand_beside_a_rare_one(asker: Asker, root: Path) -> None:
    for number in range(20):
        (root / "src" / f"command_{number}.py").write_text("x\n")
    (root / "src" / "completion.py").write_text("x\n")
    assert [file.path for file in named_files(asker, "command completion", 5)] == ["src/completion.py"]
