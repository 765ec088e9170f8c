"""Patterns as in .gitignore, compared with what git itself makes of them."""

from __future__ import annotations

import itertools
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from marrow.repository.ignored import ignored

from .conftest import Git

PATHS = (
    "a.md",
    "notes.txt",
    "private/x.md",
    "private/deep/y.md",
    "src/private/x.py",
    "src/private.py",
    "src/a/b.py",
    "src/a/c/d/b.py",
    "src/build/out.log",
    "build/out.log",
    "build/keep.log",
    "docs/build",
    "#notes",
    "!odd",
    "with space.md",
    "trail ",
    "a[1].md",
    "star*.md",
    "dot.d/x",
    ".hidden/z.md",
    "back\\slash.md",
    "ünï/cödé.md",
)
PATTERNS: tuple[tuple[str, ...], ...] = (
    (),
    ("", "   ", "# a comment"),
    ("private/",),
    ("private",),
    ("/private",),
    ("/private/",),
    ("src/private",),
    ("src/private/",),
    ("*.md",),
    ("/*.md",),
    ("*.md", "!a.md"),
    ("!a.md", "*.md"),
    ("build/", "!build/keep.log"),
    ("build/*", "!build/keep.log"),
    ("/build/*", "!keep.log"),
    ("build",),
    ("src/**/b.py",),
    ("src/**",),
    ("**/private",),
    ("**/private/**",),
    ("src/a/**/b.py",),
    ("**/b.py",),
    ("**",),
    ("*",),
    ("/*", "!/src"),
    ("/*", "!/src/"),
    ("src/*/b.py",),
    ("sr?/a",),
    ("[a-n]*.md", "[!a-n]*.txt"),
    ("[^a-m]*.txt",),
    ("\\#notes",),
    ("#notes",),
    ("\\!odd",),
    ("!odd",),
    ("with space.md",),
    ("a.md   ",),
    ("trail\\ ",),
    ("trail ",),
    ("a\\[1\\].md",),
    ("a[1].md",),
    ("star\\*.md",),
    ("a.md\r",),
    ("back\\\\slash.md",),
    ("[",),
    ("a[1.md",),
    ("a\\",),
    ("/",),
    ("//",),
    ("!",),
    ("./a.md",),
    ("src/a/",),
    ("deep/y.md",),
    ("**/deep/y.md",),
    ("a**d",),
    ("src/**b.py",),
    ("dot.d",),
    (".hidden",),
    (".*",),
    ("ünï/*",),
    ("[[:alpha:]].md",),
    ("[]x].md", "a[]1[].md"),
    ("A.MD",),
)


def git_says(folder: Path, patterns: Sequence[str]) -> set[str]:
    (folder / ".git" / "info" / "exclude").write_text("\n".join(patterns) + "\n", encoding="utf-8")
    asked = "\0".join(PATHS).encode()
    told = subprocess.run(
        ["git", "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index", "-z", "--stdin"],
        cwd=folder,
        input=asked,
        capture_output=True,
        check=False,
    )
    assert told.returncode in (0, 1), told.stderr
    return {name for name in told.stdout.decode().split("\0") if name}


@pytest.fixture
def folder(tmp_path: Path, git: Git) -> Path:
    made = tmp_path / "patterns"
    made.mkdir()
    git(made, "init", "--quiet")
    (made / ".git" / "info").mkdir(exist_ok=True)
    for path in PATHS:
        (made / path).parent.mkdir(parents=True, exist_ok=True)
        (made / path).write_text("x")
    return made


def test_every_pattern_means_what_it_means_to_git(folder: Path) -> None:
    for patterns in PATTERNS:
        is_ignored = ignored(patterns)
        assert {path for path in PATHS if is_ignored(path)} == git_says(folder, patterns), patterns


def test_so_do_patterns_together(folder: Path) -> None:
    some = [one for one in PATTERNS if one][:22]
    for first, second in itertools.islice(itertools.permutations(some, 2), 0, None, 23):
        is_ignored = ignored((*first, *second))
        assert {path for path in PATHS if is_ignored(path)} == git_says(folder, (*first, *second)), (first, second)


def test_a_pattern_that_was_written_to_take_forever_ends() -> None:
    is_ignored = ignored(("*a" * 40 + "b", "/".join(["**", "a*"] * 30 + ["c"])))
    assert not is_ignored("a" * 200)
    assert not is_ignored("/".join(["aa"] * 100) + "/b")
    assert is_ignored("a" * 200 + "b")
    assert is_ignored("/".join(["aa"] * 100) + "/c")
