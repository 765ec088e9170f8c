"""Writing and changing files: whole or not at all, as they were, with a word about what may no longer hold."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.writing import edit_file, write_file
from marrow.model.errors import Conflict, Forbidden, Invalid, MarrowError, NotFound, TooLarge, Unavailable
from marrow.model.record import CURRENT
from marrow.model.scope import READ

from ..conftest import asker_of
from .conftest import SOURCE, Hand


def leftovers(root: Path) -> list[str]:
    return [path.name for path in root.rglob("*.partial")]


def test_a_new_file_is_made_with_the_folders_it_needs(engine: Engine, asker: Asker, root: Path) -> None:
    done = write_file(engine, asker, "docs/deep/notes.md", "# Notes\n\ntext\n")
    assert (root / "docs" / "deep" / "notes.md").read_text() == "# Notes\n\ntext\n"
    assert (done.is_new, done.first, done.last) == (True, 1, 3)
    assert leftovers(root) == []


def test_what_a_file_looks_like_is_kept(engine: Engine, asker: Asker, root: Path) -> None:
    path = root / "run.sh"
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    path.chmod(0o754)
    write_file(engine, asker, "run.sh", "one\nthree\n")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\nthree\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    edit_file(engine, asker, "run.sh", "one\nthree", "one\nfour\nfive")
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\nfour\r\nfive\r\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o754


def test_writing_what_is_there_changes_nothing(engine: Engine, asker: Asker, root: Path) -> None:
    before = (root / "src" / "cards.py").stat().st_mtime_ns
    done = write_file(engine, asker, "src/cards.py", "LIMIT = 5000\n")
    assert done.is_same
    assert (root / "src" / "cards.py").stat().st_mtime_ns == before


def test_an_edit_replaces_one_place(engine: Engine, asker: Asker, root: Path) -> None:
    done = edit_file(engine, asker, "src/payments.py", "retries=3", "retries=5")
    assert (root / "src" / "payments.py").read_text() == SOURCE.replace("retries=3", "retries=5")
    assert (done.replaced, done.first, done.last) == (1, 8, 8)


def test_an_old_text_that_occurs_more_than_once_needs_to_be_meant(engine: Engine, asker: Asker, root: Path) -> None:
    with pytest.raises(Conflict) as caught:
        edit_file(engine, asker, "src/payments.py", "gateway", "bank")
    assert caught.value.field == "old_string"
    assert "8, 12" in caught.value.message
    assert (root / "src" / "payments.py").read_text() == SOURCE
    done = edit_file(engine, asker, "src/payments.py", "gateway", "bank", replace_all=True)
    assert done.replaced == 2
    assert (root / "src" / "payments.py").read_text() == SOURCE.replace("gateway", "bank")


def test_an_old_text_that_is_not_there_says_where_it_may_be(engine: Engine, asker: Asker, root: Path) -> None:
    with pytest.raises(NotFound) as caught:
        edit_file(engine, asker, "src/payments.py", "raise ValueError(amount)\nelse", "x")
    assert "line 7" in caught.value.hint
    assert (root / "src" / "payments.py").read_text() == SOURCE


@pytest.mark.parametrize(("old", "new", "field"), [("", "x", "old_string"), ("same", "same", "new_string")])
def test_an_edit_that_changes_nothing_is_refused(engine: Engine, asker: Asker, old: str, new: str, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        edit_file(engine, asker, "src/cards.py", old, new)
    assert caught.value.field == field


def test_memories_about_the_lines_are_told_and_others_are_not(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("Charges are retried three times", anchors=["src/payments.py:8-8"])
    hand.say("Refunds take the same card", anchors=["src/payments.py:11-12"])
    hand.say("Payments go through one gateway", anchors=["src/payments.py"])
    done = edit_file(engine, asker, "src/payments.py", "retries=3", "retries=5")
    assert {one.record.node.content for one in done.touched} == {
        "Charges are retried three times",
        "Payments go through one gateway",
    }
    assert len(write_file(engine, asker, "src/payments.py", "x\n").touched) == 3


def test_a_claim_is_saved_with_an_anchor(engine: Engine, asker: Asker) -> None:
    done = edit_file(engine, asker, "src/payments.py", "retries=3", "retries=5", claim="Charges are retried five times")
    assert done.claim is not None
    with engine.store.reading() as reader:
        (record,) = reader.records(asker.namespace, [done.claim.address], asker.places(), CURRENT)
        anchors = reader.anchors([record.entry], CURRENT)[record.entry]
    assert record.node.content == "Charges are retried five times"
    assert [anchor.target for anchor in anchors] == ["src/payments.py"]
    assert {"start": 8, "end": 8}.items() <= anchors[0].fields.items()


@pytest.mark.parametrize("given", ["../out.txt", ".env", ".git/hooks/pre-commit", "poetry.lock", "src", "."])
def test_what_may_not_be_written_is_refused(engine: Engine, asker: Asker, root: Path, given: str) -> None:
    (root / "poetry.lock").write_text("x\n")
    with pytest.raises(MarrowError):
        write_file(engine, asker, given, "x\n")
    assert not (root.parent / "out.txt").exists()
    assert not (root / ".env").exists()
    assert (root / "poetry.lock").read_text() == "x\n"


def test_a_link_that_leads_out_is_not_written_through(engine: Engine, asker: Asker, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.txt").write_text("mine\n")
    (root / "link.txt").symlink_to(tmp_path / "outside" / "x.txt")
    (root / "folder").symlink_to(tmp_path / "outside")
    (root / "dangling.txt").symlink_to(tmp_path / "outside" / "new.txt")
    for given in ("link.txt", "folder/x.txt", "folder/new.txt", "dangling.txt"):
        with pytest.raises(Invalid):
            write_file(engine, asker, given, "yours\n")
    assert (tmp_path / "outside" / "x.txt").read_text() == "mine\n"
    assert not (tmp_path / "outside" / "new.txt").exists()


def test_a_file_that_cannot_be_changed_safely_is_left(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "latin.txt").write_bytes("größe\n".encode("latin-1"))
    (root / "blob.dat").write_bytes(b"one\0two")
    for name in ("latin.txt", "blob.dat"):
        before = (root / name).read_bytes()
        with pytest.raises(Invalid):
            edit_file(engine, asker, name, "e", "x", replace_all=True)
        assert (root / name).read_bytes() == before


def test_too_much_is_refused(engine: Engine, asker: Asker, root: Path) -> None:
    with pytest.raises(TooLarge):
        write_file(engine, asker, "big.txt", "x" * (5 * 1024 * 1024))
    assert not (root / "big.txt").exists()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_leaves_everything(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "src").chmod(0o555)
    with pytest.raises(Unavailable):
        edit_file(engine, asker, "src/cards.py", "5000", "6000")
    (root / "src").chmod(0o755)
    assert (root / "src" / "cards.py").read_text() == "LIMIT = 5000\n"


def test_who_may_only_read_writes_nothing(engine: Engine, asker: Asker, root: Path) -> None:
    reader = replace(asker_of("orchard", rights=[READ]), root=asker.root)
    with pytest.raises(Forbidden):
        write_file(engine, reader, "src/cards.py", "x\n")
    with pytest.raises(Forbidden):
        edit_file(engine, reader, "src/cards.py", "5000", "6000")
    assert (root / "src" / "cards.py").read_text() == "LIMIT = 5000\n"


def test_a_file_that_is_marked_as_read_only_is_left_alone(engine: Engine, asker: Asker, root: Path) -> None:
    path = root / "src" / "cards.py"
    path.chmod(0o444)
    with pytest.raises(Forbidden):
        write_file(engine, asker, "src/cards.py", "LIMIT = 1\n")
    with pytest.raises(Forbidden):
        edit_file(engine, asker, "src/cards.py", "5000", "1")
    assert path.read_text() == "LIMIT = 5000\n"


def test_an_edit_that_would_change_nothing_but_line_ends_is_refused(engine: Engine, asker: Asker, root: Path) -> None:
    (root / "ends.txt").write_bytes(b"a\r\nb\r\n")
    with pytest.raises(Invalid):
        edit_file(engine, asker, "ends.txt", "\r\n", "\n", replace_all=True)
    assert (root / "ends.txt").read_bytes() == b"a\r\nb\r\n"


def test_settings_that_could_not_be_read_are_not_written(engine: Engine, asker: Asker, root: Path) -> None:
    write_file(engine, asker, ".marrow.toml", "[recall]\ntop_k = 3\n")
    with pytest.raises(Invalid, match="would not be valid TOML"):
        write_file(engine, asker, ".marrow.toml", "x")
    with pytest.raises(Invalid, match="would not be valid TOML"):
        edit_file(engine, asker, ".marrow.toml", "[recall]", "[recall")
    assert (root / ".marrow.toml").read_text() == "[recall]\ntop_k = 3\n"
    write_file(engine, asker, "other.toml", "x")
    assert leftovers(root) == []
