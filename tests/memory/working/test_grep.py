"""Looking through files: what matches, by file, with what is known; within its time and inside the project."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory import grep as module
from marrow.memory.engine import Asker, Engine
from marrow.memory.grep import Grepped, grep
from marrow.memory.project_files import listed
from marrow.model.errors import Invalid, Unavailable

from .conftest import Hand

ENGINES = ("git", "python", "no repository")


@pytest.fixture(params=ENGINES)
def searcher(request: pytest.FixtureRequest, asker: Asker, root: Path, monkeypatch: pytest.MonkeyPatch) -> Asker:
    """The same project as git looks through it, as Python does where there is no git, and outside of a repository."""
    if request.param == "python":
        (root / ".git").rename(root.parent / "elsewhere")
        monkeypatch.setenv("PATH", "/nonexistent")
    if request.param == "no repository":
        (root / ".git").rename(root.parent / "elsewhere")
    return replace(asker, root=str(root))


def lines(found: Grepped) -> dict[str, list[int]]:
    return {file.path: [match.line for match in file.matches] for file in found.files}


def test_lines_that_match_are_found_by_file(engine: Engine, searcher: Asker) -> None:
    found = grep(engine, searcher, r"\bcharge\b")
    assert lines(found) == {"src/payments.py": [4, 11, 12], "tests/test_payments.py": [1]}
    assert (found.found, found.matches) == (2, 4)


def test_expressions_mean_the_same_everywhere(engine: Engine, searcher: Asker) -> None:
    assert lines(grep(engine, searcher, r"^def (?!ref)\w+\(")) == {"src/payments.py": [4]}
    assert lines(grep(engine, searcher, "TAKE MONEY", ignore_case=True)) == {"src/payments.py": [5]}
    assert lines(grep(engine, searcher, "no such text")) == {}


def test_a_folder_and_a_glob_narrow_it(engine: Engine, searcher: Asker) -> None:
    assert set(lines(grep(engine, searcher, "charge", path="tests"))) == {"tests/test_payments.py"}
    assert set(lines(grep(engine, searcher, "charge", glob="src/*.py"))) == {"src/payments.py"}
    assert set(lines(grep(engine, searcher, "payments", glob="*.md"))) == {"README.md"}


def test_secrets_binary_and_generated_files_are_skipped(engine: Engine, searcher: Asker) -> None:
    folder = Path(searcher.root)
    (folder / ".env").write_text("needle=1\n")
    (folder / "blob.dat").write_bytes(b"needle\0\n")
    (folder / "yarn.lock").write_text("needle\n")
    (folder / "plain.txt").write_text("needle\n")
    found = grep(engine, searcher, "needle")
    assert set(lines(found)) == {"plain.txt"}
    assert found.skipped["generated"] == 1


def test_ignored_files_are_not_looked_through(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "noise.log").write_text("needle\n")
    (root / "new.txt").write_text("needle\n")
    assert set(lines(grep(engine, asker, "needle"))) == {"new.txt"}


def test_links_out_of_the_project_are_not_followed(engine: Engine, searcher: Asker, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.txt").write_text("needle\n")
    (Path(searcher.root) / "link").symlink_to(tmp_path / "outside")
    (Path(searcher.root) / "link.txt").symlink_to(tmp_path / "outside" / "x.txt")
    assert lines(grep(engine, searcher, "needle")) == {}


def test_what_is_known_about_a_file_comes_with_it(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Payments go through one gateway", anchors=["src/payments.py"])
    first = grep(engine, asker, "charge").files[0]
    assert first.path == "src/payments.py"
    assert [one.record.node.content for one in first.known] == ["Payments go through one gateway"]


def test_an_intent_puts_what_is_about_it_first(engine: Engine, asker: Asker, root: Path) -> None:
    for name, text in (("a.py", "value = 1"), ("z_limits.py", "value = 2  # of the credit limits")):
        (root / "src" / name).write_text(f"{text}\n")
    found = grep(engine, asker, "value", intent="where credit limits are set")
    assert [file.path for file in found.files] == ["src/z_limits.py", "src/a.py"]
    assert found.files[0].score > found.files[1].score


def test_secrets_in_lines_are_taken_out(engine: Engine, searcher: Asker) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    (Path(searcher.root) / "conf.py").write_text(f'token = "{key}"\n')
    (file,) = grep(engine, searcher, "token = ").files
    assert key not in file.matches[0].text


def test_a_long_line_is_told_around_the_match(engine: Engine, searcher: Asker) -> None:
    (Path(searcher.root) / "long.txt").write_text("x " * 200 + "needle" + " y" * 5000 + "\n")
    (file,) = grep(engine, searcher, "needle").files
    assert "needle" in file.matches[0].text
    assert len(file.matches[0].text) < 300


def test_a_pattern_that_is_none_is_refused(engine: Engine, searcher: Asker) -> None:
    for pattern in ("(", "[a", "*x", "", "x" * 2_000, "a\nb", "a\0b"):
        with pytest.raises(Invalid) as caught:
            grep(engine, searcher, pattern)
        assert caught.value.field == "pattern"


def test_a_pattern_that_never_ends_is_ended(engine: Engine, searcher: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SECONDS_MAX", 1.0)
    (Path(searcher.root) / "trap.txt").write_text("a" * 60 + "!\n")
    found: Grepped | None = None
    with suppress(Invalid):  # git gives up by itself, and says so
        found = grep(engine, searcher, r"^(a|a|aa)+$")
    assert found is None or lines(found) == {}


def test_a_working_tree_elsewhere_is_not_looked_through(
    engine: Engine, asker: Asker, root: Path, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "notes.txt").write_text("needle\n")
    config = root / ".git" / "config"
    config.write_text(config.read_text() + f"[core]\n\tworktree = {tmp_path / 'private'}\n")
    assert lines(grep(engine, asker, "needle")) == {}
    assert lines(grep(engine, asker, "LIMIT")) == {"src/cards.py": [1]}
    assert "notes.txt" not in set(listed(str(root)))


def test_options_of_git_in_a_pattern_are_no_options(engine: Engine, asker: Asker) -> None:
    assert lines(grep(engine, asker, "--open-files-in-pager=touch x")) == {}
    assert lines(grep(engine, asker, "-O")) == {}


def test_settings_of_the_repository_do_not_change_the_form(engine: Engine, asker: Asker, root: Path) -> None:
    config = root / ".git" / "config"
    config.write_text(config.read_text() + "[grep]\n\tcolumn = true\n\tlineNumber = false\n[color]\n\tgrep = always\n")
    assert lines(grep(engine, asker, "LIMIT")) == {"src/cards.py": [1]}


def test_a_line_of_a_private_key_is_not_shown(engine: Engine, searcher: Asker) -> None:
    body = "\n".join(f"MIIEpAIBAAKCAQEA{number:02d}qWeRtYuIoPaSdFgHjKlZxCvBnM1234567890" for number in range(9))
    key = f"-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\n"
    Path(searcher.root, "notes.txt").write_text(f"before\n{key}after\n")
    (file,) = grep(engine, searcher, "MIIE").files
    assert file.total == 9
    assert not any("MIIE" in match.text for match in file.matches)


def test_a_secret_is_taken_out_before_a_long_line_is_cut(engine: Engine, searcher: Asker) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    Path(searcher.root, "long.txt").write_text(f"{'x ' * 200}{key}{' y' * 40} wanted {' z' * 200}\n")
    (file,) = grep(engine, searcher, "wanted").files
    assert "wanted" in file.matches[0].text
    assert key[-12:] not in file.matches[0].text


def test_showing_a_long_line_takes_no_longer_than_finding_it(engine: Engine, asker: Asker, root: Path) -> None:
    """The beginning of this line by itself would keep Python's expressions busy for ever."""
    (root / "long.txt").write_text("a" * 1_000 + "b\n")
    (file,) = grep(engine, asker, "(a+)+b").files
    assert file.matches[0].text.startswith("aaa")


def test_the_match_is_shown_wherever_in_a_long_line_it_is(engine: Engine, searcher: Asker) -> None:
    Path(searcher.root, "long.txt").write_text("é" * 9_000 + "wanted" + "é" * 9_000 + "\n")
    (file,) = grep(engine, searcher, "wanted").files
    assert "wanted" in file.matches[0].text
    assert len(file.matches[0].text) < 300


def test_a_name_with_a_line_feed_is_told_as_it_is(engine: Engine, searcher: Asker) -> None:
    Path(searcher.root, "src", "odd\nsrc").mkdir()
    Path(searcher.root, "src", "odd\nsrc", "cards.py").write_text("wanted = 1\n")
    assert list(lines(grep(engine, searcher, "wanted"))) == ["src/odd\nsrc/cards.py"]


def test_a_repository_that_git_cannot_read_is_not_blamed_on_the_pattern(
    engine: Engine, asker: Asker, root: Path
) -> None:
    (root / ".git" / "HEAD").write_text("garbage")
    with pytest.raises(Unavailable):
        grep(engine, asker, "charge")


def test_what_people_said_comes_before_what_was_read_out_of_the_code(engine: Engine, asker: Asker, hand: Hand) -> None:
    for number in range(4):
        hand.say(f"`charge{number}`: takes money", anchors=["src/payments.py"], tags=("scan",), priority=1.0)
    hand.say("Charges are checked by hand", anchors=["tests/test_payments.py"])
    found = grep(engine, asker, "charge")
    assert [file.path for file in found.files] == ["tests/test_payments.py", "src/payments.py"]
    assert len(found.files[1].known) == 1
    hand.say("Payments go through one gateway", anchors=["src/payments.py"])
    known = next(file.known for file in grep(engine, asker, "charge").files if file.path == "src/payments.py")
    assert known[0].record.node.content == "Payments go through one gateway"
