"""The diff within a budget: everything is named, what says most is told, and what is left out is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.git.told_diff import ToldFile, told_diff
from marrow.model.errors import Invalid
from marrow.model.text import token_estimate

from .conftest import Git, Saying


def by_path(engine: Engine, asker: Asker, budget: int = 4_000) -> dict[str, ToldFile]:
    return {file.path: file for file in told_diff(engine, asker, asker.root, budget).files}


def test_a_small_change_is_told_whole(engine: Engine, asker: Asker) -> None:
    (Path(asker.root) / "file.txt").write_text("changed\n")
    file = by_path(engine, asker)["file.txt"]
    assert file.content.splitlines()[1:] == ["-text", "+changed"]
    assert (file.step, file.left_out) == (0, "")


def test_sources_come_before_tests_documents_and_what_is_only_named(engine: Engine, asker: Asker, say: Saying) -> None:
    folder = Path(asker.root)
    names = ("a.lock.py", "docs.md", "tests/test_x.py", "src/z.py", "data.json", "poetry.lock")
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("one\n")
    say("all")
    for name in names:
        (folder / name).write_text("two\n")
    found = [file.path for file in told_diff(engine, asker, asker.root).files]
    assert found == ["a.lock.py", "src/z.py", "tests/test_x.py", "docs.md", "data.json", "poetry.lock"]


@pytest.mark.parametrize("budget", [50, 200, 600, 2_000])
def test_it_stays_within_the_budget(engine: Engine, asker: Asker, say: Saying, budget: int) -> None:
    folder = Path(asker.root)
    for number in range(30):
        (folder / f"part{number}.py").write_text("".join(f"value_{line} = {line}\n" for line in range(60)))
    say("many")
    for number in range(30):
        (folder / f"part{number}.py").write_text("".join(f"value_{line} = {line + 1}\n" for line in range(60)))
    found = told_diff(engine, asker, asker.root, budget)
    assert found.changed == 30
    assert len(found.files) + found.unlisted == 30
    assert sum(token_estimate(file.content) for file in found.files) <= budget
    assert all(file.content or file.left_out for file in found.files)


def test_what_does_not_fit_is_shortened_in_steps_and_says_so(engine: Engine, asker: Asker, say: Saying) -> None:
    folder = Path(asker.root)
    (folder / "long.py").write_text("".join(f"value_{line} = {line}\n" for line in range(200)))
    say("long")
    (folder / "long.py").write_text("".join(f"value_{line} = {line + 1}\n" for line in range(200)))
    whole, some = by_path(engine, asker, 20_000)["long.py"], by_path(engine, asker, 400)["long.py"]
    assert (whole.step, whole.left_out) == (0, "")
    assert some.step > 0
    assert "changed lines left out" in some.left_out
    assert "more changed lines" in some.content


def test_secrets_in_changed_lines_are_taken_out_and_counted(engine: Engine, asker: Asker) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    (Path(asker.root) / "config.py").write_text(f'TOKEN = "{key}"\n')
    found = told_diff(engine, asker, asker.root)
    assert found.redacted == 1
    assert key not in "".join(file.content for file in found.files)


def test_files_that_hold_secrets_are_named_and_not_told(engine: Engine, asker: Asker) -> None:
    (Path(asker.root) / ".env").write_text("PASSWORD=something\n")
    file = by_path(engine, asker)[".env"]
    assert (file.content, file.left_out) == ("", "holds secrets")


def test_a_renamed_file_says_what_it_was(engine: Engine, asker: Asker, git: Git) -> None:
    git(Path(asker.root), "mv", "file.txt", "other.txt")
    file = by_path(engine, asker)["other.txt"]
    assert (file.what, file.before, file.staged) == ("renamed", "file.txt", "staged")


def test_nothing_changed_is_nothing_told(engine: Engine, asker: Asker) -> None:
    found = told_diff(engine, asker, asker.root)
    assert (found.files, found.changed) == ((), 0)


@pytest.mark.parametrize("budget", [0, -5, 1_000_000])
def test_a_budget_out_of_bounds_is_refused(engine: Engine, asker: Asker, budget: int) -> None:
    with pytest.raises(Invalid) as caught:
        told_diff(engine, asker, asker.root, budget)
    assert caught.value.field == "budget_tokens"


@pytest.mark.parametrize("budget", [60, 120, 200, 400, 4_000])
def test_no_part_of_a_private_key_that_was_deleted_is_told(
    engine: Engine, asker: Asker, say: Saying, budget: int
) -> None:
    body = "\n".join(f"MIIEpAIBAAKCAQEA{number:02d}qWeRtYuIoPaSdFgHjKlZxCvBnM1234567890" for number in range(30))
    path = Path(asker.root) / "notes.txt"
    path.write_text(f"a\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nb\n")
    say("a key")
    path.write_text("a\nb\n")
    assert "MIIE" not in by_path(engine, asker, budget)["notes.txt"].content
