"""Which project a directory is: the same for worktrees, clones and moved folders, without starting git."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.model.errors import Invalid
from marrow.repository.identity import Identity, identify, locate

Git = Callable[..., str]
Environ = dict[str, str]
ORIGIN = "git@github.com:org/name.git"
NAME = "github.com/org/name"


def test_the_origin_names_the_project(repository: Path, git: Git, environ: Environ) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    assert identify(repository, environ=environ) == Identity(
        name=NAME,
        aliases=(NAME,),
        root=repository,
        common_dir=repository / ".git",
        source="origin",
        path_name=f"path:{repository}",
    )


def test_an_explicit_name_comes_first_and_the_origin_stays_an_alias(
    repository: Path, git: Git, environ: Environ
) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    found = identify(repository, name=" shop ", environ=environ)
    assert (found.name, found.aliases, found.source) == ("shop", ("shop", NAME), "explicit")


def test_an_explicit_address_is_brought_into_the_one_form(repository: Path, environ: Environ) -> None:
    assert identify(repository, name="https://me:s3cret@github.com/org/name.git", environ=environ).name == NAME
    for wrong in ("two\nlines", "x" * 300, "odd://me:s3cret@host/x"):
        with pytest.raises(Invalid) as caught:
            identify(repository, name=wrong, environ=environ)
        assert caught.value.field == "project"
        assert "s3cret" not in str(caught.value)


def test_without_an_origin_an_identity_is_kept_in_the_repository_when_asked_to(
    repository: Path, environ: Environ
) -> None:
    before = identify(repository, environ=environ)
    assert (before.source, before.name) == ("path", f"path:{repository}")
    assert not (repository / ".git" / "marrow-id").exists()
    made = identify(repository, create=True, environ=environ)
    assert made.source == "id"
    assert re.fullmatch(r"id:[0-9a-f]{32}", made.name)
    assert identify(repository, environ=environ) == made
    assert identify(repository, create=True, environ=environ) == made
    assert [f.name for f in (repository / ".git").iterdir() if "marrow" in f.name] == ["marrow-id"]


def test_an_origin_added_later_keeps_the_identity_as_an_alias(repository: Path, git: Git, environ: Environ) -> None:
    made = identify(repository, create=True, environ=environ)
    git(repository, "remote", "add", "origin", ORIGIN)
    assert identify(repository, environ=environ).aliases == (NAME, made.name)


def test_no_identity_is_written_where_the_origin_says_it(repository: Path, git: Git, environ: Environ) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    identify(repository, create=True, environ=environ)
    assert not (repository / ".git" / "marrow-id").exists()


def test_a_moved_folder_is_the_same_project(repository: Path, environ: Environ, tmp_path: Path) -> None:
    made = identify(repository, create=True, environ=environ)
    repository.rename(tmp_path / "moved")
    assert identify(tmp_path / "moved", environ=environ).name == made.name


def test_a_worktree_is_its_repository_with_a_root_of_its_own(
    repository: Path, git: Git, environ: Environ, tmp_path: Path
) -> None:
    made = identify(repository, create=True, environ=environ)
    git(repository, "worktree", "add", "--quiet", str(tmp_path / "tree"))
    found = identify(tmp_path / "tree", environ=environ)
    assert (found.name, found.path_name) == (made.name, made.path_name)
    assert (found.root, found.common_dir) == (tmp_path / "tree", repository / ".git")


def test_an_identity_made_in_a_worktree_is_its_repositorys(
    repository: Path, git: Git, environ: Environ, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "--quiet", "--detach", str(tmp_path / "tree"))
    assert identify(tmp_path / "tree", create=True, environ=environ).name == identify(repository, environ=environ).name


def test_a_subdirectory_a_file_and_a_link_into_the_repository_are_it(
    repository: Path, environ: Environ, tmp_path: Path
) -> None:
    (repository / "a" / "b").mkdir(parents=True)
    (tmp_path / "link").symlink_to(repository / "a")
    made = identify(repository, create=True, environ=environ)
    for path in (
        repository / "a" / "b",
        repository / "file.txt",
        tmp_path / "link" / "b",
        repository / ".git" / "refs",
    ):
        found = identify(path, environ=environ)
        assert (found.name, found.root) == (made.name, repository)


def test_a_relative_path_and_the_current_directory_are_understood(
    repository: Path, environ: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = identify(repository, create=True, environ=environ)
    monkeypatch.chdir(repository.parent)
    assert identify("repository", environ=environ) == made
    monkeypatch.chdir(repository)
    assert identify(environ=environ) == made


def test_a_submodule_is_a_project_of_its_own(repository: Path, git: Git, environ: Environ, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "--quiet")
    git(outer, "remote", "add", "origin", "https://github.com/org/outer")
    git(outer, "submodule", "--quiet", "add", str(repository), "inner")
    git(outer / "inner", "remote", "set-url", "origin", ORIGIN)
    assert (outer / "inner" / ".git").is_file()
    assert identify(outer / "inner", environ=environ).name == NAME
    assert identify(outer, environ=environ).name == "github.com/org/outer"


def test_a_bare_repository_has_a_name_and_no_root(repository: Path, git: Git, environ: Environ, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    git(tmp_path / "bare.git", "remote", "set-url", "origin", ORIGIN)
    found = identify(tmp_path / "bare.git", environ=environ)
    assert (found.name, found.root, found.common_dir) == (NAME, None, tmp_path / "bare.git")
    git(tmp_path / "bare.git", "worktree", "add", "--quiet", str(tmp_path / "tree"))
    assert identify(tmp_path / "tree", environ=environ).name == NAME


def test_a_git_directory_kept_elsewhere_is_found(git: Git, environ: Environ, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "--separate-git-dir", str(tmp_path / "store"), str(tmp_path / "work"))
    made = identify(tmp_path / "work", create=True, environ=environ)
    assert (made.root, made.common_dir) == (tmp_path / "work", tmp_path / "store")
    assert (tmp_path / "store" / "marrow-id").exists()


def test_git_dir_speaks_for_the_current_directory_only(
    repository: Path, git: Git, environ: Environ, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    other = tmp_path / "other"
    (other / "deep").mkdir(parents=True)
    variables = {**environ, "GIT_DIR": str(repository / ".git")}
    monkeypatch.chdir(other)
    found = identify(environ=variables)
    assert (found.name, found.root) == (NAME, other)
    assert identify(tmp_path / "elsewhere", environ=variables).source == "path"
    found = identify(other / "deep", environ={**variables, "GIT_WORK_TREE": str(other)})
    assert (found.name, found.root) == (NAME, other)
    assert identify(environ={**environ, "GIT_DIR": str(tmp_path / "nothing")}).source == "path"
    git(repository, "config", "core.bare", "true")
    assert identify(environ=variables).root is None


def test_a_local_origin_lends_its_own_identity(repository: Path, git: Git, environ: Environ, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(repository), "one")
    git(tmp_path, "clone", "--quiet", f"file://{repository}", "two")
    git(tmp_path, "clone", "--quiet", str(tmp_path / "one"), "three")
    clones = [tmp_path / name for name in ("one", "two", "three")]
    assert {identify(clone, environ=environ).name for clone in clones[:2]} == {f"path:{repository}"}
    assert all(f"path:{repository}" in identify(clone, environ=environ).aliases for clone in clones)
    made = identify(repository, create=True, environ=environ)
    assert {identify(clone, environ=environ).name for clone in clones} == {made.name}
    assert all(f"path:{repository}" in identify(clone, environ=environ).aliases for clone in clones)
    git(repository, "remote", "add", "origin", ORIGIN)
    assert {identify(clone, environ=environ).name for clone in clones} == {NAME}


def test_a_local_origin_that_is_gone_is_named_by_its_path(repository: Path, git: Git, environ: Environ) -> None:
    git(repository, "remote", "add", "origin", "../gone.git")
    found = identify(repository, create=True, environ=environ)
    assert found.name == f"path:{repository.parent / 'gone.git'}"
    assert found.aliases[1].startswith("id:")


def test_origins_in_a_circle_come_to_an_end(repository: Path, git: Git, environ: Environ, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", str(repository), "other")
    git(repository, "remote", "add", "origin", str(tmp_path / "other"))
    assert f"path:{tmp_path / 'other'}" in identify(repository, environ=environ).aliases
    git(repository, "remote", "set-url", "origin", ".")
    assert identify(repository, environ=environ).source == "path"


def test_the_only_remote_counts_whatever_it_is_called_and_two_do_not(
    repository: Path, git: Git, environ: Environ
) -> None:
    git(repository, "config", "remote.pushDefault", "mine")
    git(repository, "remote", "add", "upstream", ORIGIN)
    assert identify(repository, environ=environ).name == NAME
    git(repository, "remote", "add", "mine", "git@github.com:me/name.git")
    assert identify(repository, environ=environ).source == "path"
    git(repository, "remote", "add", "origin", "git@github.com:third/name.git")
    assert identify(repository, environ=environ).name == "github.com/third/name"


@pytest.mark.parametrize("place", [".gitconfig", ".config/git/config"])
def test_instead_of_in_the_users_configuration_is_followed(
    repository: Path, git: Git, environ: Environ, home: Path, place: str
) -> None:
    (home / place).parent.mkdir(parents=True, exist_ok=True)
    rules = '[url "https://wrong.example/"]\n insteadOf = g\n'
    rules += '[url "https://me:s3cret@github.com/"]\n\tinsteadOf = "gh:" ; mine\n'
    (home / place).write_text(rules)
    git(repository, "remote", "add", "origin", "gh:org/name")
    assert identify(repository, environ=environ).aliases == (NAME,)
    git(repository, "remote", "set-url", "origin", "gitlab.example:org/name")
    assert identify(repository, environ=environ).aliases == (
        "wrong.example/itlab.example:org/name",
        "gitlab.example/org/name",
    )


def test_includes_are_followed_where_their_condition_holds(
    repository: Path, git: Git, environ: Environ, home: Path
) -> None:
    (home / "origin").write_text(f'[remote "origin"]\n\turl = {ORIGIN}\n')
    for condition, holds in (
        ("[include]", True),
        (f'[includeIf "gitdir:{repository}/"]', True),
        (f'[includeIf "gitdir:{repository}/.git"]', True),
        ('[includeIf "gitdir:repository/"]', True),
        ('[includeIf "gitdir:**/repo*/**"]', True),
        ('[includeIf "gitdir/i:REPOSITORY/"]', True),
        ('[includeIf "gitdir:REPOSITORY/"]', False),
        ('[includeIf "gitdir:other/"]', False),
        ('[includeIf "gitdir:~/"]', False),
        ('[includeIf "onbranch:main"]', False),
    ):
        (repository / ".git" / "config").write_text(f"[core]\n\tbare = false\n{condition}\n\tpath = ~/origin\n")
        assert (identify(repository, environ=environ).name == NAME) is holds, condition
        if "onbranch" not in condition:
            found = "origin" in git(repository, "config", "--get-regexp", "remote|bare")
            assert found is holds, condition


@pytest.mark.parametrize(
    "text",
    [
        '[remote "origin"]\n\turl = {}\n',
        '[REMOTE "origin"] URL={} ; remark\n',
        '[remote "origin"]\r\n\turl = "{}" # remark\r\n',
        '\ufeff# remark \\\n[remote "origin"]\nfetch\nurl = {}\nurl = second\n',
        '[remote "origin"]\n url = {}\\\n\n[other]\n url = x\n',
        '[branch "[x"]\nremote = y\n[remote "origin"]\nurl = {}\n[broken\n',
        "[remote.origin]\nurl = {}\n",
    ],
)
def test_configuration_is_read_as_git_reads_it(repository: Path, environ: Environ, text: str) -> None:
    (repository / ".git" / "config").write_text(text.replace("{}", ORIGIN), newline="")
    assert identify(repository, environ=environ).name == NAME


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x00\xff" * 5000,
        b'[remote "origin"]\nurl = https://host/a\x00b\n',
        b'[remote "origin"]\nurl\n',
        b"[include]\npath = config\n",
        b"[include]\npath = /dev/zero\npath = /\npath = a\x00b\n",
        b"[include]\npath = pipe\n",
        b'[includeIf "gitdir:' + b"**/a*" * 300 + b'"]\npath = x\n',
        b'[includeIf "gitdir:' + b"**/*" * 8 + b'x"]\npath = x\n',
        b"[core]\na = x\\\n" + b"y\\\n" * 200_000,
        b'[remote "' + b"\\x" * 100_000,
        b"[core]\n" * 150_000,
    ],
)
def test_hostile_configuration_gives_no_origin_and_no_error(repository: Path, environ: Environ, data: bytes) -> None:
    os.mkfifo(repository / ".git" / "pipe")
    (repository / ".git" / "config").write_bytes(data)
    assert identify(repository, environ=environ).source == "path"


def test_includes_without_end_stop(repository: Path, environ: Environ) -> None:
    folder = repository / ".git"
    for count in range(60):
        (folder / f"c{count}").write_text(
            "".join(f"[include]\npath = c{(count + step) % 60}\n" for step in range(1, 9))
        )
    (folder / "config").write_text(f'[include]\npath = c0\n[remote "origin"]\nurl = {ORIGIN}\n')
    assert identify(repository, environ=environ).name == NAME


def test_a_huge_configuration_is_read_from_its_start(repository: Path, environ: Environ) -> None:
    with open(repository / ".git" / "config", "w") as file:
        file.write(f'[remote "origin"]\nurl = {ORIGIN}\n')
        file.writelines("# remark\n" for _ in range(500_000))
    assert identify(repository, environ=environ).name == NAME


def test_credentials_in_the_origin_appear_nowhere(repository: Path, git: Git, environ: Environ) -> None:
    for address in ("https://me:s3cret@github.com/org/name", "https://s3cret@github.com/org/name?x=s3cret"):
        git(repository, "config", "remote.origin.url", address)
        found = identify(repository, create=True, environ=environ)
        assert found.name == NAME
        assert "s3cret" not in repr(found)


def test_the_case_of_a_path_is_kept_and_its_other_spelling_is_an_alias(
    repository: Path, git: Git, environ: Environ
) -> None:
    git(repository, "remote", "add", "origin", "git@GitHub.com:Org/Name.git")
    assert identify(repository, environ=environ).aliases == ("github.com/Org/Name", NAME)


def test_where_nothing_can_be_written_the_path_names_the_project(repository: Path, environ: Environ) -> None:
    (repository / ".git" / "marrow-id").mkdir()
    assert identify(repository, create=True, environ=environ).name == f"path:{repository}"


def test_a_damaged_identity_is_not_believed(repository: Path, environ: Environ) -> None:
    (repository / ".git" / "marrow-id").write_text("github.com/someone/else\n")
    assert identify(repository, create=True, environ=environ).name == f"path:{repository}"


def test_processes_that_create_at_once_agree(repository: Path, child_environment: dict[str, str]) -> None:
    code = "import sys; from marrow.repository.identity import identify; sys.stdin.read(1)"
    code += "; print(identify(sys.argv[1], create=True, environ={}).name)"
    command = [sys.executable, "-c", code, str(repository)]
    racers = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=child_environment)
        for _ in range(4)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("x")
        racer.stdin.flush()
    names = {racer.communicate()[0].strip() for racer in racers}
    assert len(names) == 1
    assert names.pop().startswith("id:")


def test_without_links_the_first_to_take_the_name_wins(
    repository: Path, environ: Environ, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(*_: object, **__: object) -> None:
        raise PermissionError("no links on this disk")

    monkeypatch.setattr(os, "link", no_links)
    made = identify(repository, create=True, environ=environ)
    assert made.source == "id"
    assert identify(repository, create=True, environ=environ) == made


def test_outside_of_git_the_folder_or_its_marked_root_is_the_project(home: Path, environ: Environ) -> None:
    deep = home / "notes" / "deep"
    deep.mkdir(parents=True)
    found = identify(deep, create=True, environ=environ)
    assert (found.name, found.root, found.common_dir, found.source) == (f"path:{deep}", deep, None, "path")
    (home / ".marrow.toml").touch()
    assert identify(deep, environ=environ).root == deep
    (home / "notes" / ".marrow.toml").touch()
    assert identify(deep, environ=environ).root == home / "notes"
    assert identify(home, environ=environ).name == f"path:{home}"
    assert list(deep.iterdir()) == []


def test_a_pointer_to_nowhere_is_not_taken_for_what_lies_around_it(repository: Path, environ: Environ) -> None:
    inner = repository / "inner"
    inner.mkdir()
    (inner / ".git").write_text("gitdir: /nowhere\n")
    assert locate(inner, environ=environ) is None
    assert identify(inner, environ=environ).name == f"path:{inner}"
    (inner / ".git").unlink()
    (inner / ".git").mkdir()
    assert identify(inner, environ=environ).root == repository


def test_a_ceiling_stops_the_search(repository: Path, environ: Environ) -> None:
    deep = repository / "deep" / "er"
    deep.mkdir(parents=True)
    assert locate(deep, environ={**environ, "GIT_CEILING_DIRECTORIES": str(repository)}) is None
    assert locate(deep, environ=environ) is not None


def test_a_long_path_gives_a_name_of_bounded_length(tmp_path: Path, environ: Environ) -> None:
    one, other = (tmp_path.joinpath(*["x" * 60] * 5, end) for end in ("a", "b"))
    names = {identify(folder, environ=environ).name for folder in (one, other)}
    assert len(names) == 2
    assert all(len(name) <= 200 for name in names)


def test_a_path_that_is_not_text_still_gives_a_name_that_is(tmp_path: Path, environ: Environ) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    folder.mkdir()
    assert identify(folder, environ=environ).name.encode()
    with pytest.raises(Invalid):
        identify("a\0b", environ=environ)


def test_git_is_never_started(repository: Path, git: Git, child_environment: dict[str, str]) -> None:
    git(repository, "remote", "add", "origin", ORIGIN)
    code = "import sys; from marrow.repository.identity import identify; print(identify(sys.argv[1]).name)"
    command = [sys.executable, "-c", code, str(repository)]
    done = subprocess.run(
        command, env={**child_environment, "PATH": ""}, capture_output=True, text=True, check=True, cwd=repository
    )
    assert done.stdout.strip() == NAME
