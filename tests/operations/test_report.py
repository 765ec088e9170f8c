"""Reports and evaluations as callers meet them: every form, within its budget, and JSON that can be read."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Invalid
from marrow.model.text import token_estimate

from .conftest import PROJECT, Do


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "shop.py").write_text("def price(item):\n    return item.cost\n\n\ndef total(items):\n    return 0\n")
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    for words in (["init", "--quiet"], ["add", "."], [*identity, "commit", "--quiet", "--message", "A shop"]):
        subprocess.run(["git", *words], cwd=place, check=True)
    return place


@pytest.fixture
def memory(tmp_path: Path, folder: Path) -> Iterator[Memory]:
    with open_memory(folder, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


@pytest.fixture
def busy(do: Do, folder: Path) -> None:
    do("memory_save", content="Prices are whole cents", kind="decision", domain="decisions")
    do("memory_save", content="Tests need the fake till", kind="learning")
    do("code_symbols", name="price")  # makes the map
    text = (folder / "shop.py").read_text().replace("return 0", "return sum(price(item) for item in items)")
    (folder / "shop.py").write_text(text + "\n\ndef receipt(items):\n    return total(items)\n")


@pytest.mark.usefixtures("busy")
def test_a_report_tells_what_was_said_and_how_the_code_changed(said: Do) -> None:
    text = said("report")
    assert "Prices are whole cents" in text
    assert "Tests need the fake till" in text
    assert "A shop" in text
    assert "receipt" in text
    assert "1 decision" in text


@pytest.mark.usefixtures("busy")
def test_every_form_can_be_asked_for(do: Do, said: Do) -> None:
    assert said("report", format="markdown").startswith("# Report: today")
    shape = json.loads(said("report", format="json"))
    assert shape["decisions"][0]["content"] == "Prices are whole cents"
    assert {one["name"] for one in shape["functions"]} >= {"receipt", "total"}
    for drawn in (said("report", format="mermaid"), said("report", mermaid=True)):
        assert drawn.startswith("flowchart")
        assert "receipt" in drawn
        assert "-->" in drawn
    assert do("report").graph is not None


def test_without_a_change_the_graph_says_so(said: Do) -> None:
    assert said("report", mermaid=True).startswith("flowchart")


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
@pytest.mark.parametrize("budget", [400, 1_000])
def test_a_report_keeps_its_budget_and_its_form(do: Do, said: Do, form: str, budget: int) -> None:
    for number in range(80):
        do("memory_save", content=f"Decision number {number} about the till and its drawers", kind="decision")
    text = said("report", format=form, budget_tokens=budget)
    assert token_estimate(text) <= budget
    if form == "json":
        assert json.loads(text)["decisions_left_out"] > 0
    else:
        assert "more" in text


def test_a_day_without_anything_is_told_as_that(said: Do) -> None:
    text = said("report", range="2020-01-01")
    assert "nothing" in text
    assert "Prices" not in text


def test_a_report_can_end_with_an_evaluation(do: Do, said: Do) -> None:
    do("memory_save", content="Prices are whole cents and never anything else in this shop")
    assert "evaluation: recall" in said("report", eval=True)


def test_evaluations_are_named_and_judged(do: Do, said: Do) -> None:
    do("memory_save", content="Prices are whole cents", anchors=["shop.py"])
    found = do("eval")
    assert [one["name"] for one in found.items] == ["recall", "injections", "compression", "coverage", "health"]
    assert said("eval", name="health").startswith("health: well.")
    assert do("eval", name="coverage").items[0]["figures"][0]["value"] == 1.0


def test_what_is_no_range_or_evaluation_is_refused(do: Do) -> None:
    for operation, arguments, field in (
        ("report", {"range": "whenever"}, "range"),
        ("report", {"format": "pdf"}, "format"),
        ("eval", {"name": "beauty"}, "name"),
    ):
        with pytest.raises(Invalid) as caught:
            do(operation, **arguments)
        assert caught.value.field == field


def test_a_report_of_yesterday_ends_with_yesterday(do: Do, folder: Path) -> None:
    identity = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    yesterday = datetime.now(UTC) - timedelta(days=1)
    for name, at in (("late", yesterday), ("today", datetime.now(UTC))):
        (folder / f"{name}.py").write_text(f"def {name}(items):\n    return [item for item in items if item]\n")
        when = {"GIT_AUTHOR_DATE": at.isoformat(), "GIT_COMMITTER_DATE": at.isoformat()}
        subprocess.run(["git", "add", "."], cwd=folder, check=True)
        words = [*identity, "commit", "--quiet", "--amend" if name == "late" else "--allow-empty", "--message", name]
        subprocess.run(words, cwd=folder, check=True, env={**os.environ, **when})
    do("memory_map")
    (folder / "uncommitted.py").write_text("def uncommitted():\n    return 1\n")
    assert {one["name"] for one in do("report", range="yesterday").functions} == {"price", "total", "late"}
    assert {one["name"] for one in do("report").functions} == {"today", "uncommitted"}
    assert do("report", range="2020-01-01").functions == ()


def test_calls_into_the_language_and_its_library_are_not_told_as_leading_nowhere(do: Do, folder: Path) -> None:
    do("memory_map")
    (folder / "shop.py").write_text(
        "import os\nimport requests\nfrom re import compile\n\n\ndef price(item, rate):\n"
        "    os.path.join(str(item), item.name.upper())\n    compile(round(hash(item)))\n"
        "    requests.fetch_rate(item)\n    rate.apply_to(item)\n    raise ValueError(item)\n"
    )
    assert {one["name"] for one in do("report").unresolved} == {"fetch_rate", "apply_to"}
