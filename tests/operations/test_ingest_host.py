"""ingest_repository as callers meet it: its result, its text, its errors, and where the token goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory
from marrow.model.errors import Invalid, NotFound, RateLimited, Unauthorized
from tests.providers.code_hosts.github_service import GitHubService
from tests.providers.code_hosts.gitlab_service import GitLabService
from tests.providers.code_hosts.loopback import LoopbackHost
from tests.providers.code_hosts.world import TOKEN

from .conftest import Do

VARIABLES = "GITHUB_TOKEN GITHUB_PAT GITHUB_API_URL GITHUB_URL GITLAB_TOKEN GITLAB_PAT GITLAB_URL".split()


@pytest.fixture(autouse=True)
def _nothing_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHost]:
    with GitHubService(is_private=True) as running:
        monkeypatch.setenv("GITHUB_API_URL", running.url)
        yield running


def test_a_repository_comes_in_and_is_found(
    do: Do, said: Do, github: LoopbackHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    done = do("ingest_repository", host="github", repository="acme/shop")
    assert (done.repository, done.service, done.commit) == ("acme/shop", "shop", github.world.head)
    assert (done.files["added"], done.pulls["added"], done.issues["added"]) == (3, 1, 2)
    found = do("memory_search", query="why PostgreSQL and not MySQL")
    assert any("Why not MySQL?" in item.content for item in found.items)
    text = said("ingest_repository", host="github", repository="acme/shop")
    assert "acme/shop" in text
    assert "4 requests" in text


def test_gitlab_is_found_by_its_variable(do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    with GitLabService(is_private=True) as gitlab:
        assert isinstance(gitlab, GitLabService)
        monkeypatch.setenv("GITLAB_URL", gitlab.site)
        monkeypatch.setenv("GITLAB_PAT", TOKEN)
        done = do("ingest_repository", host="gitlab", repository="acme/shop", service="store", include=["issues"])
    assert (done.service, done.issues["added"], done.files["added"]) == ("store", 2, 0)


def test_a_token_does_not_follow_an_address_in_a_call(do: Do, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    with GitHubService() as elsewhere:
        do("ingest_repository", host="github", repository="acme/shop", base_url=elsewhere.url, include=["issues"])
        assert elsewhere.headers
        assert all("authorization" not in headers for headers in elsewhere.headers)


def test_without_a_token_what_is_private_is_not_there(do: Do, github: LoopbackHost) -> None:
    with pytest.raises(NotFound) as caught:
        do("ingest_repository", host="github", repository="acme/shop")
    assert "private" in caught.value.hint


def test_a_token_that_is_not_accepted_is_named_by_its_variable(
    do: Do, github: LoopbackHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_PAT", "ghp_0000000000000000")
    with pytest.raises(Unauthorized) as caught:
        do("ingest_repository", host="github", repository="acme/shop")
    assert "GITHUB_TOKEN" in caught.value.hint


def test_a_limit_beyond_the_wait_is_an_error_and_the_next_call_goes_on(
    do: Do, github: LoopbackHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    github.allowed, github.time.now = 7, 4_000_000_000.0
    with pytest.raises(RateLimited) as caught:
        do("ingest_repository", host="github", repository="acme/shop", wait_s=0)
    assert "Kept so far: 3 files" in caught.value.hint
    github.allowed = None
    done = do("ingest_repository", host="github", repository="acme/shop")
    assert (done.files["added"], done.pulls["added"]) == (0, 1)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"repository": "shop"}, "repository"),
        ({"repository": "acme/shop", "host": "bitbucket"}, "host"),
        ({"repository": "acme/shop", "wait_s": -1}, "wait_s"),
        ({"repository": "acme/shop", "include": ["wiki"]}, "include"),
        ({"repository": "acme/shop", "since": "soon"}, "since"),
        ({"repository": "acme/shop", "base_url": "git.example.org"}, "base_url"),
    ],
)
def test_bad_input_is_named(do: Do, github: LoopbackHost, given: dict[str, object], field: str) -> None:
    with pytest.raises(Invalid) as caught:
        do("ingest_repository", **{"host": "github", **given})
    assert caught.value.field == field
    assert github.asked == []


def test_the_token_is_in_no_event_and_no_file(
    do: Do, memory: Memory, github: LoopbackHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    do("ingest_repository", host="github", repository="acme/shop")
    memory.flush()
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert written
    assert not any(TOKEN.encode() in content for content in written)
    audit = do("audit", limit=50)
    assert audit.items
    assert TOKEN not in repr(audit)
