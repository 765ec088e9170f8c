"""A file of a checkout may be anything: what is no file is refused, and never waited for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from marrow.ingest.service_name import service_name
from marrow.memory.code.parsing import read_file
from marrow.repository.plain_file import read_plain, without_waiting

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names"),
    pytest.mark.timeout(20),
]


def test_a_file_is_read_up_to_what_was_asked_for_and_by_a_link_where_that_may_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"what it says")
    (tmp_path / "link").symlink_to("file")
    assert read_plain(tmp_path / "file", 4) == b"what"
    assert read_plain(str(tmp_path / "link"), 100) == b"what it says"
    with pytest.raises(OSError, match="symbolic links"):
        read_plain(tmp_path / "link", 100, follow=False)


@pytest.mark.parametrize("leads_to", ["pipe", "/dev/zero", "/dev/tty", ".", "nowhere"])
def test_what_is_no_file_is_refused_at_once(tmp_path: Path, leads_to: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "name").symlink_to(leads_to)
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(OSError):
        read_plain(tmp_path / "name", 100)
    assert len(os.listdir("/dev/fd")) <= before  # what another test left open may be closed meanwhile


def test_a_pipe_that_took_a_files_place_is_empty(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with open(tmp_path / "pipe", "rb", opener=without_waiting) as file:
        assert file.read() == b""


def test_a_service_whose_manifest_is_a_pipe_is_called_as_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "lamp"
    folder.mkdir()
    os.mkfifo(folder / "pyproject.toml")
    (folder / "package.json").symlink_to("/dev/tty")
    assert service_name(folder) == "lamp"


def test_code_that_is_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert read_file(str(tmp_path), "a.py").source == b""
