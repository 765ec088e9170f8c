"""Reading a file with what is known about its lines, and the files that match a name."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.glob import glob
from marrow.memory.reading import read_file
from marrow.model.errors import Forbidden, Invalid

from ..conftest import asker_of
from .conftest import SOURCE, Hand


def contents(known: object) -> list[str]:
    return [one.record.node.content for one in known]  # type: ignore[attr-defined]


def test_a_file_is_read_whole_with_what_is_known_about_it(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Charges are retried three times", anchors=["src/payments.py:8-8"])
    hand.say("Payments go through one gateway", anchors=["src/payments.py"])
    hand.say("About another file", anchors=["src/cards.py"])
    found = read_file(engine, asker, "src/payments.py")
    assert "\n".join(found.lines) + "\n" == SOURCE
    assert (found.start, found.end, found.total) == (1, 12, 12)
    assert set(contents(found.known)) == {"Charges are retried three times", "Payments go through one gateway"}


def test_only_memories_about_the_lines_that_are_read_are_told(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Charges are retried three times", anchors=["src/payments.py:8-8"])
    hand.say("Refunds take the same card", anchors=["src/payments.py:11-12"])
    assert contents(read_file(engine, asker, "src/payments.py", offset=6, limit=3).known) == [
        "Charges are retried three times"
    ]
    assert contents(read_file(engine, asker, "src/payments.py", offset=1, limit=2).known) == []


def test_what_was_forgotten_or_replaced_is_not_told(engine: Engine, asker: Asker, hand: Hand) -> None:
    old = hand.say("The limit is 1000", anchors=["src/cards.py"])
    hand.supersede(old, "The limit is 5000")
    assert contents(read_file(engine, asker, "src/cards.py").known) == ["The limit is 5000"]


def test_observations_of_every_edit_are_left_out(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Edited cards.py", kind="observation", anchors=["src/cards.py"])
    assert read_file(engine, asker, "src/cards.py").known == ()


def test_a_budget_cuts_at_a_line_and_says_where(engine: Engine, asker: Asker) -> None:
    found = read_file(engine, asker, "src/payments.py", budget_tokens=40)
    assert 1 < found.end < found.total
    assert list(found.lines) == SOURCE.splitlines()[: found.end]


def test_secrets_in_a_file_are_taken_out(engine: Engine, asker: Asker, root: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    (root / "src" / "config.py").write_text(f'HOST = "x"\nTOKEN = "{key}"\nPORT = 1\n')
    found = read_file(engine, asker, "src/config.py")
    assert key not in "\n".join(found.lines)
    assert (found.redacted, len(found.lines), found.lines[2]) == (1, 3, "PORT = 1")


def test_lines_keep_their_numbers_when_a_secret_spans_several(engine: Engine, asker: Asker, root: Path) -> None:
    body = "\n".join("MIIEpAIBAAKCAQEA" + str(number) * 48 for number in range(4))
    text = f"before\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nafter\n"
    (root / "src" / "notes.txt").write_text(text)
    found = read_file(engine, asker, "src/notes.txt")
    assert len(found.lines) == found.total
    assert found.lines[-1] == "after"


def test_invalid_bytes_and_endless_lines_are_survived(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "odd.txt").write_bytes(b"\xff\xfe bytes\n" + b"x" * 1_000_000 + b"\n")
    found = read_file(engine, asker, "odd.txt")
    assert found.total == 2
    assert len(found.lines[1]) < 3_000


def test_a_generated_file_is_read_and_marked(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "poetry.lock").write_text("x\n")
    assert read_file(engine, asker, "poetry.lock").sort == "generated"


def test_an_empty_file_has_no_lines(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "empty.txt").write_text("")
    assert read_file(engine, asker, "empty.txt").total == 0


@pytest.mark.parametrize(("offset", "limit", "field"), [(-1, None, "offset"), (999, None, "offset"), (1, 0, "limit")])
def test_places_that_are_not_there_are_refused(
    engine: Engine, asker: Asker, offset: int, limit: int | None, field: str
) -> None:
    with pytest.raises(Invalid) as caught:
        read_file(engine, asker, "src/cards.py", offset=offset, limit=limit)
    assert caught.value.field == field


def test_who_may_not_read_the_project_reads_no_file_of_it(engine: Engine, asker: Asker) -> None:
    stranger = replace(asker_of("orchard", projects=["elsewhere"]), root=asker.root)
    with pytest.raises(Forbidden):
        read_file(engine, stranger, "src/cards.py")


def test_names_are_matched_and_annotated(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("The limit is 5000", anchors=["src/cards.py"])
    found = glob(engine, asker, "src/*.py")
    assert [(path, contents(known)) for path, known in found.files] == [
        ("src/cards.py", ["The limit is 5000"]),
        ("src/payments.py", []),
    ]


def test_a_glob_below_a_folder_is_from_there(engine: Engine, asker: Asker) -> None:
    assert [path for path, _ in glob(engine, asker, "*.py", "tests").files] == ["tests/test_payments.py"]
    assert [path for path, _ in glob(engine, asker, "./c*", "src").files] == ["src/cards.py"]


def test_a_glob_without_a_pattern_is_refused(engine: Engine, asker: Asker) -> None:
    with pytest.raises(Invalid):
        glob(engine, asker, " ")


KEY_BODY = "\n".join(f"MIIEpAIBAAKCAQEA{number:02d}qWeRtYuIoPaSdFgHjKlZxCvBnM1234567890abcdef" for number in range(9))
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_BODY}\n-----END RSA PRIVATE KEY-----\n"


def test_a_private_key_is_taken_out_wherever_reading_begins(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "notes.txt").write_text(f"before\n{KEY}after\n")
    for first in range(1, 13):
        found = read_file(engine, asker, "notes.txt", offset=first, limit=3)
        assert "MIIE" not in "\n".join(found.lines)
        assert len(found.lines) == min(3, 14 - first)
        assert found.redacted == (1 if first < 13 else 0)
    assert read_file(engine, asker, "notes.txt").lines[-1] == "after"


def test_a_secret_that_is_cut_off_with_its_line_is_taken_out_first(engine: Engine, asker: Asker, root: Path) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    (root / "long.txt").write_text("x " * 990 + key + " y" * 100)
    assert "ghp_" not in read_file(engine, asker, "long.txt").lines[0]


def test_lines_are_counted_as_git_counts_them(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "feed.txt").write_text("one\x0cstill one\ntwo\u2028still two\nthree\n")
    found = read_file(engine, asker, "feed.txt", offset=3)
    assert (found.total, found.lines) == (3, ("three",))


def test_only_files_that_are_there_are_listed(engine: Engine, asker: Asker, root: Path, tmp_path: Path) -> None:
    (root / "src" / "cards.py").unlink()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "test_payments.py").write_text("private\n")
    (root / "tests" / "test_payments.py").unlink()
    (root / "tests").rmdir()
    (root / "tests").symlink_to(tmp_path / "outside")
    assert [name for name, _ in glob(engine, asker, "*.py").files] == ["src/payments.py"]


def test_a_name_that_is_no_text_does_not_hide_the_others(engine: Engine, asker: Asker, root: Path) -> None:
    with open(os.path.join(os.fsencode(root), b"\xff\xfe.py"), "w") as file:
        file.write("x = 1\n")
    assert "src/payments.py" in [name for name, _ in glob(engine, asker, "*.py").files]


def test_what_was_read_out_of_a_file_is_not_told_beside_its_own_text(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("`charge` (src/payments.py): Take money from a card.", anchors=["src/payments.py"], tags=("scan",))
    hand.say("Payments go through one gateway", anchors=["src/payments.py"])
    assert contents(read_file(engine, asker, "src/payments.py").known) == ["Payments go through one gateway"]
