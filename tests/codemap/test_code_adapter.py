"""bench/code_adapter.py: questions as JSON lines, answered in order."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
FILES = {
    "shop/model.py": "class Base:\n    def save(self): pass\n\nclass Row(Base):\n    def save(self): helper()\n\n"
    "def helper(): pass\n\ndef nobody(): pass\n",
    "shop/app.py": "from shop.model import Row\n\ndef run():\n    row = Row()\n    row.save()\n",
    "shop/__init__.py": "",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return tmp_path


def asked(project: Path, *questions: object) -> list[dict[str, Any]]:
    lines = [q if isinstance(q, str) else json.dumps(q) for q in questions]
    ran = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "code_adapter.py"), str(project)],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in ran.stdout.splitlines()]


def names(answer: dict[str, Any]) -> set[str]:
    return {f"{one['path']}:{one['qualified']}" for one in answer["results"]}


def test_every_question_of_the_form_is_answered_in_order(project: Path) -> None:
    found = asked(
        project,
        {"id": 1, "op": "lookup", "symbol": "Row"},
        {"id": 2, "op": "callers", "symbol": "helper"},
        {"id": 3, "op": "callees", "symbol": "run"},
        {"id": 4, "op": "contained_by", "symbol": "Row.save"},
        {"id": 5, "op": "implementors", "symbol": "Base"},
        {"id": 6, "op": "orphans"},
        {"id": 7, "op": "file_symbols", "path": "shop/app.py"},
    )
    assert [one["id"] for one in found] == [1, 2, 3, 4, 5, 6, 7]
    assert names(found[0]) == {"shop/model.py:Row"}
    assert names(found[1]) == {"shop/model.py:Row.save"}
    assert names(found[2]) == {"shop/model.py:Row", "shop/model.py:Row.save"}
    assert [one["kind"] for one in found[3]["results"]] == ["class", "file"]
    assert names(found[4]) == {"shop/model.py:Row"}
    assert "shop/model.py:nobody" in names(found[5])
    assert "shop/model.py:helper" not in names(found[5])
    assert names(found[6]) == {"shop/app.py:run"}


def test_bad_questions_are_answered_too_and_the_next_ones_after_them(project: Path) -> None:
    found = asked(
        project, "{", {"id": 2, "op": "dance"}, {"id": 3, "op": "lookup"}, {"id": 4, "op": "lookup", "name": "x"}
    )
    assert [one["ok"] for one in found] == [False, False, False, True]
    assert found[3]["results"] == []


def test_what_was_changed_is_seen_after_a_refresh(project: Path) -> None:
    assert asked(project, {"id": 1, "op": "refresh"}, {"id": 2, "op": "lookup", "symbol": "run"})[1]["results"]
