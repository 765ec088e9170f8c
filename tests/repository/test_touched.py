"""Which lines commits touched is told from git's objects, whatever a repository holds or says about itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from marrow.repository import touched as module
from marrow.repository.touched import Piece, TouchedFile, newest_first, touched

from .conftest import Git

TEN = "".join(f"line {number}\n" for number in range(1, 11))


def commit(git: Git, root: Path, message: str = "a commit", **files: str | bytes) -> str:
    for name, text in files.items():
        (root / f"{name}.py").write_bytes(text if isinstance(text, bytes) else text.encode())
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(root, "rev-parse", "HEAD").strip()


def is_python(path: str) -> bool:
    return path.endswith(".py")


def files_of(root: Path, *commits: str, files_max: int = 20) -> dict[str, tuple[TouchedFile, ...]]:
    """All that can be told, asked for until there is nothing left to ask."""
    found: dict[str, tuple[TouchedFile, ...]] = {}
    rest = commits
    while rest:
        told = touched(root, rest, is_python, files_max=files_max)
        assert set(told.files).isdisjoint(told.untold)
        assert len(told.untold) < len(rest)
        found |= told.files
        rest = told.untold
    return found


def pieces(root: Path, commit: str) -> dict[str, tuple[Piece, ...]]:
    return {file.path: file.pieces for file in files_of(root, commit)[commit]}


def test_added_changed_and_removed_lines_are_told_of_many_commits_at_once(repository: Path, git: Git) -> None:
    new = commit(git, repository, a=TEN)
    changed = commit(git, repository, a=TEN.replace("line 3\n", "three\n").replace("line 7\nline 8\n", ""))
    git(repository, "rm", "--quiet", "a.py")
    gone = commit(git, repository)
    found = files_of(repository, gone, new, changed)
    assert list(found) == [gone, new, changed]
    assert [file.pieces for file in found[new]] == [(Piece(0, 0, 1, 10),)]
    assert [file.pieces for file in found[changed]] == [(Piece(3, 1, 3, 1), Piece(7, 2, 6, 0))]
    assert [file.pieces for file in found[gone]] == [(Piece(1, 8, 0, 0),)]
    assert found[new][0].before == found[gone][0].after == ""
    assert found[new][0].after == found[changed][0].before
    assert found[changed][0].after == found[gone][0].before


def test_a_renamed_file_is_one_that_went_and_one_that_came(repository: Path, git: Git) -> None:
    commit(git, repository, a=TEN)
    git(repository, "mv", "a.py", "b.py")
    assert pieces(repository, commit(git, repository)) == {"a.py": (Piece(1, 10, 0, 0),), "b.py": (Piece(0, 0, 1, 10),)}


def test_a_merge_an_empty_commit_and_one_of_many_files_have_none(repository: Path, git: Git) -> None:
    git(repository, "switch", "--quiet", "--create", "side")
    commit(git, repository, side=TEN)
    git(repository, "switch", "--quiet", "main")
    many = commit(git, repository, **{f"f{number}": TEN for number in range(3)})
    git(repository, "merge", "--quiet", "--no-edit", "side")
    merge = git(repository, "rev-parse", "HEAD").strip()
    empty = commit(git, repository)
    assert files_of(repository, merge, empty, many, files_max=2) == {merge: (), empty: (), many: ()}
    assert len(files_of(repository, many, files_max=3)[many]) == 3


def test_files_that_are_not_wanted_count_all_the_same(repository: Path, git: Git) -> None:
    for number in range(3):
        (repository / f"{number}.txt").write_text("x")
    last = commit(git, repository, a=TEN)
    assert files_of(repository, last, files_max=3)[last] == ()
    assert [file.path for file in files_of(repository, last, files_max=4)[last]] == ["a.py"]


def test_lines_that_look_like_a_patch_do_not_deceive(repository: Path, git: Git) -> None:
    sly = "-- a/other.py\n++ b/other.py\n@@ -1 +1 @@\ndiff --git a/x.py b/x.py\n\0" + "a" * 40 + "\n"
    late = "x = 1\n" * 2_000  # git looks for zeros at the beginning alone
    begin = commit(git, repository, a=late + "middle\n\nend\n", other="x\n")
    came = commit(git, repository, a=late + sly + "\nlast\n", other="y\n")
    went = commit(git, repository, a=late + "middle\n\nend\n", other="x\n")
    found = files_of(repository, went, came, begin)
    there = (Piece(2_001, 1, 2_001, 5), Piece(2_003, 1, 2_007, 1))
    back = (Piece(2_001, 5, 2_001, 1), Piece(2_007, 1, 2_003, 1))
    one = (Piece(1, 1, 1, 1),)
    assert {file.path: file.pieces for file in found[came]} == {"a.py": there, "other.py": one}
    assert {file.path: file.pieces for file in found[went]} == {"a.py": back, "other.py": one}


def test_odd_names_links_submodules_and_binaries_leave_the_others_told(repository: Path, git: Git) -> None:
    odd = ["tab\t.py", 'quote".py', "line\nbreak.py", "back\\slash.py", "\udcff.py", "x" * 240 + ".py"]
    fine = [" space .py", "größe.py", "a b/c d.py", "[x]*?.py", ":(top)x.py", "-p.py"]
    (repository / "a b").mkdir()
    for name in (*odd, *fine):
        (repository / os.fsencode(name).decode("utf-8", "surrogateescape")).write_text("x = 1\n")
    (repository / "link.py").symlink_to("file.txt")
    (repository / "zeros.py").write_bytes(b"\0\0\0")
    git(repository, "add", "--all")
    head = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{head},sub.py")
    git(repository, "commit", "--quiet", "--message", "odd")
    told = pieces(repository, git(repository, "rev-parse", "HEAD").strip())
    assert {path: some for path, some in told.items() if some} == dict.fromkeys(
        [*fine, "x" * 240 + ".py"], (Piece(0, 0, 1, 1),)
    )


def test_a_file_that_becomes_a_link_is_told_as_gone(repository: Path, git: Git) -> None:
    commit(git, repository, a=TEN)
    (repository / "a.py").unlink()
    (repository / "a.py").symlink_to("file.txt")
    last = commit(git, repository)
    (file,) = files_of(repository, last)[last]
    assert (bool(file.before), file.after) == (True, "")
    assert Piece(1, 10, 0, 0) in file.pieces


def test_no_program_that_a_repository_names_is_run(repository: Path, git: Git, tmp_path: Path) -> None:
    mark = tmp_path / "was-run"
    program = f"touch {mark}; cat"
    for name in ("diff.external", "diff.evil.command", "diff.evil.textconv", "core.fsmonitor", "core.pager"):
        git(repository, "config", name, program)
    for name in ("filter.evil.clean", "filter.evil.smudge", "gpg.program", "pager.log"):
        git(repository, "config", name, program)
    git(repository, "config", "log.showSignature", "true")
    before = commit(git, repository, a=TEN)
    (repository / ".git" / "info" / "attributes").write_text("*.py diff=evil filter=evil\n")
    (repository / ".gitattributes").write_text("*.py diff=evil filter=evil textconv=evil\n")
    (repository / "a.py").write_text(TEN.replace("line 3\n", "three\n"))
    git(repository, "-c", "filter.evil.clean=cat", "-c", "core.fsmonitor=", "add", "--all")
    tree = git(repository, "write-tree").strip()
    last = git(repository, "commit-tree", tree, "-p", before, "-m", "changed").strip()
    mark.unlink(missing_ok=True)
    assert pieces(repository, last) == {"a.py": (Piece(3, 1, 3, 1),)}
    assert newest_first(repository, [before, last])
    assert not mark.exists()
    git(repository, "log", "-p", last)
    assert mark.exists()  # it would have been


def test_how_somebody_likes_differences_shown_changes_nothing(repository: Path, git: Git) -> None:
    commit(git, repository, a=TEN)
    last = commit(git, repository, a=TEN.replace("line 3\n", "three\n").replace("line 5\n", "five\n"))
    plain = files_of(repository, last)
    for name, value in (
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.context", "9"),
        ("diff.interHunkContext", "9"),
        ("diff.orderFile", "not-there"),
        ("diff.submodule", "log"),
        ("diff.renames", "copies"),
        ("diff.wordRegex", "."),
        ("color.ui", "always"),
        ("format.pretty", "fuller"),
        ("log.abbrevCommit", "true"),
        ("log.date", "raw"),
        ("core.quotePath", "true"),
    ):
        git(repository, "config", name, value)
    assert files_of(repository, last) == plain
    assert [piece.to for piece in plain[last][0].pieces] == [3, 5]


@pytest.mark.parametrize("what", ["blob", "tree"])
def test_a_missing_object_costs_only_the_commits_that_need_it(repository: Path, git: Git, what: str) -> None:
    commits = [commit(git, repository, **{name: f"{name} = 1\n"}) for name in "abcde"]
    wanted = f"{commits[2]}:c.py" if what == "blob" else f"{commits[2]}^{{tree}}"
    lost = git(repository, "rev-parse", wanted).strip()
    (repository / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    found = files_of(repository, *commits)
    assert set(found) == set(commits)
    told = {commit for commit, files in found.items() if files}
    assert {commits[0], commits[1], commits[4]} <= told
    assert commits[2] not in told


def test_a_huge_difference_is_not_told_and_the_others_are(
    repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATCH_BYTES_MAX", 20_000)
    small = commit(git, repository, a=TEN)
    huge = commit(git, repository, b=TEN * 1_000)
    last = commit(git, repository, c=TEN)
    found = files_of(repository, last, huge, small)
    assert {commit: len(files) for commit, files in found.items()} == {last: 1, huge: 0, small: 1}


def test_a_file_that_is_large_is_not_compared(repository: Path, git: Git) -> None:
    last = commit(git, repository, a=TEN, large="x = 1\n" * 100_000)
    assert {path for path, some in pieces(repository, last).items() if some} == {"a.py"}


def test_commits_are_told_from_a_folder_within_by_their_paths_from_the_root(repository: Path, git: Git) -> None:
    (repository / "deep").mkdir()
    last = commit(git, repository, a=TEN)
    assert [file.path for file in files_of(repository / "deep", last)[last]] == ["a.py"]


def test_the_newest_come_first_and_what_git_does_not_have_is_left_out(repository: Path, git: Git) -> None:
    old = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "new", GIT_COMMITTER_DATE="2026-04-01T00:00:00Z")
    new = git(repository, "rev-parse", "HEAD").strip()
    assert newest_first(repository, [old, "0" * 40, "HEAD", "--all", new]) == [new, old]
    assert newest_first(repository, []) == []


def test_what_is_no_hash_is_not_asked_for(repository: Path) -> None:
    assert touched(repository, ["HEAD", "--output=x", ""], is_python, files_max=9).files == {}
