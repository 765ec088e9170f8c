"""When files came into a repository."""

from __future__ import annotations

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
