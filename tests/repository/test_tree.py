"""The files of commits: what git says of them, and what it could not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import pytest

from marrow.model.errors import Unavailable
from marrow.repository import tree
from marrow.repository.command import conversation
from marrow.repository.tree import Blob, Content, contents, tree_of

from .conftest import Git


class Cut:
    """What a process writes, up to some bytes: then it was killed."""

    def __init__(self, stream: IO[bytes], left: int) -> None:
        self.stream, self.left = stream, left

    def readline(self) -> bytes:
        return self._of(self.stream.readline())

    def read(self, size: int) -> bytes:
        return self._of(self.stream.read(size))

    def _of(self, data: bytes) -> bytes:
        kept, self.left = data[: self.left], max(0, self.left - len(data))
        return kept


def killed_after(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = conversation

    @contextmanager
    def cut(*arguments: Any, **more: Any) -> Iterator[IO[bytes]]:
        with real(*arguments, **more) as told:
            yield cast("IO[bytes]", Cut(told, size))

    monkeypatch.setattr(tree, "conversation", cut)


@pytest.fixture
def three(repository: Path, git: Git) -> Path:
    for name in ("a", "b", "c"):
        (repository / f"{name}.md").write_text(f"the text of {name}\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "three")
    return repository


def test_what_files_hold_is_told_in_their_order(three: Path) -> None:
    found = [(one.blob.path, one.data) for one in contents(three, tree_of(three, "HEAD"), lambda _: 100)]
    assert found[0] == ("a.md", b"the text of a\n")
    assert [path for path, _ in found] == ["a.md", "b.md", "c.md", "file.txt"]


def test_what_is_larger_than_asked_for_or_not_there_is_told_as_such(three: Path) -> None:
    wanted = [*tree_of(three, "HEAD"), Blob("none.md", "0" * 40)]
    found = {one.blob.path: (one.size, one.data) for one in contents(three, wanted, lambda path: 14 * (path == "b.md"))}
    assert found["a.md"] == (14, None)
    assert found["b.md"] == (14, b"the text of b\n")
    assert found["none.md"] == (-1, None)


# A line of about fifty characters goes before each text of fourteen: in the middle of a line, of a text, after either.
@pytest.mark.parametrize("size", [0, 20, 48, 55, 62, 63, 80, 130])
def test_a_git_that_is_killed_midway_is_no_repository_without_files(
    three: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    wanted = tree_of(three, "HEAD")
    killed_after(size, monkeypatch)
    found: list[Content] = []
    with pytest.raises(Unavailable):
        found.extend(contents(three, wanted, lambda _: 100))
    assert all(one.data is not None and len(one.data) == one.size == 14 for one in found)


@pytest.mark.parametrize("size", [48, 55, 80])
def test_nor_while_a_large_file_is_passed_over(three: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    wanted = tree_of(three, "HEAD")
    killed_after(size, monkeypatch)
    with pytest.raises(Unavailable):
        list(contents(three, wanted, lambda _: 3))
