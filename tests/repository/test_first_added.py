"""When files came into a repository."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

from marrow.repository.first_added import FirstAdded

from .conftest import Git


def commit(repository: Path, git: Git, at: int, **files: str) -> None:
    for name, text in files.items():
        path = repository / name.replace("__", "/")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", str(at), GIT_COMMITTER_DATE=f"@{at} +0000")


def test_the_first_commit_of_each_file_counts_and_not_a_later_one(repository: Path, git: Git) -> None:
    commit(repository, git, 1790000000, adr__one="1", adr__two="2", top="t")
    commit(repository, git, 1800000000, adr__one="1, mended", top="t, mended")
    added = FirstAdded(str(repository))
    assert [added(path) for path in ("adr/one", "adr/two", "top", "adr/none", "none")] == [1790000000] * 3 + [0, 0]


def test_a_folder_whose_name_looks_like_a_pattern_is_one_folder(repository: Path, git: Git) -> None:
    commit(repository, git, 1790000000, **{"a*__one": "1", "ab__one": "2"})
    assert FirstAdded(str(repository))("a*/one") == 1790000000


def test_below_a_folder_paths_are_counted_from_there(repository: Path, git: Git) -> None:
    commit(repository, git, 1790000000, docs__one="1")
    assert FirstAdded(str(repository / "docs"))("one") == 1790000000


def test_where_there_is_no_repository_nothing_is_told(tmp_path: Path) -> None:
    assert FirstAdded(str(tmp_path))("a.md") == 0


def test_git_is_not_waited_for_longer_than_there_is_time(repository: Path, git: Git) -> None:
    commit(repository, git, 1790000000, adr__one="1")
    lines = [
        f"commit refs/heads/long\ncommitter a <a@b.example> {1700000000 + at} +0000\ndata 1\nx\n"
        f"M 644 inline f{at % 7}\ndata {len(str(at))}\n{at}\n"
        for at in range(12_000)
    ]
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repository, input="".join(lines).encode(), check=True)
    git(repository, "checkout", "--quiet", "long")
    added = FirstAdded(str(repository), seconds=0.05)
    began = time.monotonic()
    assert [added(f"none{at}/a.md") for at in range(20)] == [0] * 20
    assert time.monotonic() - began < 1.0
