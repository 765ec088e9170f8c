"""`marrow bench recall`: a user measures a memory, compares an embedder, and nothing of it is left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import CommandLine, Here

NOTES = (
    "Reports are kept in SQLite because it needs no server and the files stay small.",
    "Uploads are retried three times, since the proxy drops idle connections after a minute.",
    "Fonts are pinned in the container, as reports looked different on every machine.",
    "The warehouse is closed for loading on every day but Tuesday, so we deploy on Tuesdays.",
)


@pytest.fixture
def filled(here: Here) -> Here:
    for note in NOTES:
        assert here("save", note).code == 0
    return here


def test_a_user_measures_the_memory_and_compares_an_embedder(filled: Here) -> None:
    alone = filled("bench", "recall")
    assert alone.code == 0
    assert alone.out.startswith("12 questions about 4 of 4 memories of ")
    header, first = alone.out.splitlines()[2:4]
    assert header.split()[:4] == ["style", "embedder", "asked", "first"]
    assert first.split()[:4] == ["words", "static", "4", "4"]
    assert "\nRecall works here: with static it has 4 of 4 asked by their words" in alone.out
    assert "p50, p95: ms of a recall" in alone.err
    both = filled("bench", "recall", "--embedder", "none", "--embedder", "fake", "--quiet")
    assert [line.split()[1] for line in both.out.splitlines() if line.startswith("words ")] == [
        "static",
        "none",
        "fake",
    ]
    assert both.out.splitlines()[-1].startswith("fake finds ")
    assert both.err == ""


def test_a_program_gets_the_same_every_time_and_can_ask_again_what_was_missed(filled: Here) -> None:
    shapes = [filled("bench", "recall", "--embedder", "none", "--questions", "3", "--json").json for _ in range(2)]
    for shape in shapes:
        assert (shape["nodes"], shape["active"], shape["seed"]) == (3, 4, 1)
        assert [side["name"] for side in shape["sides"]] == ["static", "none"]
        for side in shape["sides"]:
            assert [line.pop("p50_ms") + line.pop("p95_ms") > 0 for line in side["figures"]] == [True] * 4
    assert shapes[0] == shapes[1]
    for missed in shapes[0]["sides"][1]["missed"]:
        assert filled("explain", missed["address"], missed["question"]).code == 0


def test_measuring_leaves_no_trace(filled: Here) -> None:
    before = filled("audit", "--json").json["items"]
    assert len(before) == len(NOTES)
    filled("bench", "recall", "--embedder", "fake")
    assert filled("audit", "--json").json["items"] == before


def test_where_there_is_nothing_to_ask_about_it_says_so_and_makes_nothing(
    here: Here, environment: dict[str, str]
) -> None:
    ran = here("bench", "recall")
    assert ran.code == 3
    assert "long enough to be asked about" in ran.err
    assert not Path(environment["MARROW_HOME"]).exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--embedder", "wordlama"], "There is no embedder called 'wordlama'."),
        (["--questions", "0"], "questions is a number from 1 to"),
        (["--questions", "many"], "questions is a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(filled: Here, words: list[str], message: str) -> None:
    ran = filled("bench", "recall", *words)
    assert ran.code == 2
    assert message in ran.err


def test_vectors_that_are_another_embedders_are_told(filled: Here) -> None:
    filled("config", "set", "embedder", "fake")
    ran = filled("bench", "recall")
    assert "fake was asked by words only: the vectors are of " in ran.out
    assert "`marrow reindex vectors`" in ran.out


def test_a_terminal_gets_a_table_that_fits(marrow: CommandLine) -> None:
    for note in NOTES:
        marrow.run("save", note)
    out = marrow.on_terminal("bench", "recall", "--no-color", columns=80).out
    (header,) = (line for line in out.splitlines() if line.startswith("style"))
    assert header.split()[-2:] == ["p50", "p95"]
    assert all(len(line) <= 80 for line in out.splitlines()[2:7])
