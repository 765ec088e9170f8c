"""Addresses of repositories: one form for all ways to write one, and no credentials in it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.repository.origin import any_case, is_local, normalise

_WORD = st.from_regex(re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.~+-]{0,8}[A-Za-z0-9_]", re.A), fullmatch=True)
_STEP = _WORD.filter(lambda word: not word.endswith(".git"))
_HOST = st.from_regex(re.compile(r"[a-z][a-z0-9-]{0,8}(\.[a-z][a-z0-9]{1,5}){1,2}", re.A), fullmatch=True).filter(
    lambda host: not host.startswith(("ssh.", "altssh.", "dev.azure"))
)
_PATH = st.lists(_STEP, min_size=2, max_size=4).map("/".join)
_SECRET = st.text("abcXYZ0189%:@/+=._-", min_size=1, max_size=12).map(lambda text: f"§{text}§")


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/org/name",
        "https://github.com/org/name.git",
        "https://github.com/org/name/",
        "https://github.com/org/name.git/",
        "HTTPS://GitHub.COM/org/name",
        "https://github.com:443/org/name",
        "https://me@github.com/org/name",
        "https://me:token@github.com/org/name.git",
        "https://oauth2:to@ken@github.com/org/name.git",
        "https://me:to/ken@github.com/org/name.git",
        "https://github.com/org/name.git?token=abc#x",
        "http://github.com//org///name",
        "git://github.com/org/name.git",
        "ssh://git@github.com/org/name.git",
        "ssh://git@github.com:22/org/name.git",
        "ssh://git@ssh.github.com:443/org/name.git",
        "git+ssh://git@github.com/org/name",
        "git@github.com:org/name.git",
        "github.com:org/name",
        "git@github.com:/org/name.git",
        "me:token@github.com:org/name",
        "me:token@github.com/org/name",
        "token@github.com/org/name",
        "git@[github.com:22]:org/name",
        " github.com/org/name \n",
        "https://github.com./org/./x/../name",
    ],
)
def test_all_ways_to_write_one_repository_give_one_name(address: str) -> None:
    assert normalise(address) == "github.com/org/name"


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("ssh://git@bitbucket.example.org:7999/team/name.git", "bitbucket.example.org/team/name"),
        ("git@gitlab.com:Group/Sub/Name.git", "gitlab.com/Group/Sub/Name"),
        ("git@github.com:@scope/name", "github.com/@scope/name"),
        ("ssh://me@host.example/~me/name", "host.example/~me/name"),
        ("ssh://[::1]:2222/srv/name.git", "[::1]/srv/name"),
        ("https://me@dev.azure.com/org/project/_git/name", "dev.azure.com/org/project/name"),
        ("git@ssh.dev.azure.com:v3/org/project/name", "dev.azure.com/org/project/name"),
        ("https://dev.azure.com/org/_git/name", "dev.azure.com/org/name/name"),
        ("localhost:name", "localhost/name"),
    ],
)
def test_hosts_with_their_own_ways_are_understood(address: str, name: str) -> None:
    assert normalise(address) == name


@pytest.mark.parametrize(
    "address",
    [
        "",
        "  ",
        "/srv/git/name.git",
        "./name",
        "../name",
        "~/name",
        "C:\\git\\name",
        "C:/git/name",
        "file:///srv/name",
        "name",
        "ext::sh -c true",
        "codecommit://profile@name",
        "https://",
        "https:///org/name",
        "https://host",
        "https://host/.git",
        "git@host:",
        "https://ho st/org/name",
        "https://host/a\x00b",
        "https://host/a\nb",
        "https://host/" + "a" * 5000,
    ],
)
def test_what_is_no_address_of_a_server_has_no_name(address: str) -> None:
    assert normalise(address) is None


@pytest.mark.parametrize("address", ["/a/b", "a/b", "a", "a/b:c", "./a:b", "file:///a", "C:\\a", "~/a"])
def test_places_on_this_machine_are_told_from_servers(address: str) -> None:
    assert is_local(address)


@pytest.mark.parametrize("address", ["a:b", "me@a:b/c", "https://a/b", "ssh://a/b"])
def test_servers_are_told_from_places_on_this_machine(address: str) -> None:
    assert not is_local(address)


@given(st.one_of(st.text(max_size=60), st.text("abcG.:/@[]~ \\?#%-_0git", max_size=40)))
def test_a_name_is_its_own_name(text: str) -> None:
    name = normalise(text)
    if name is not None:
        assert normalise(name) == name


@given(_HOST, _PATH, st.sampled_from(["", ".git", "/", ".git/"]), st.integers(1, 65535))
def test_the_forms_of_one_repository_agree(host: str, path: str, end: str, port: int) -> None:
    wanted = f"{host}/{path}"
    for address in (
        f"https://{host}/{path}{end}",
        f"https://{host.upper()}:{port}/{path}{end}",
        f"ssh://git@{host}/{path}{end}",
        f"ssh://git@{host}:{port}/{path}{end}",
        f"git@{host}:{path}{end}",
        f"{host}:{path}{end}",
        f"git://{host}/{path}{end}",
    ):
        assert normalise(address) == wanted


@given(_HOST, _PATH, _SECRET, st.sampled_from(["https://", "ssh://", "http://", ""]), st.booleans())
def test_credentials_never_survive(host: str, path: str, secret: str, scheme: str, short: bool) -> None:
    separator = ":" if short and not scheme else "/"
    name = normalise(f"{scheme}me:{secret}@{host}{separator}{path}") or ""
    assert "§" not in name


@given(_HOST, _PATH, _HOST, _PATH)
def test_two_repositories_have_two_names(host: str, path: str, other_host: str, other_path: str) -> None:
    one, other = normalise(f"git@{host}:{path}"), normalise(f"https://{other_host}/{other_path}")
    assert (one == other) == ((host, path) == (other_host, other_path))


def test_only_hosts_that_do_not_mind_case_have_a_second_spelling() -> None:
    assert any_case("github.com/Org/Name") == "github.com/org/name"
    assert any_case("github.com/org/name") is None
    assert any_case("git.example.org/Org/Name") is None
