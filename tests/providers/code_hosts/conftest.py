"""Both hosts on this machine, and clients of them in a time that only waiting moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from marrow.providers.code_hosts.github import GitHub
from marrow.providers.code_hosts.gitlab import GitLab
from marrow.providers.http import Waiting

from .github_service import GitHubService
from .gitlab_service import GitLabService
from .loopback import LoopbackHost
from .world import TOKEN

Client = GitHub | GitLab
Connected = Callable[..., Client]


def client_of(service: LoopbackHost, token: str = TOKEN, wait_s: float = 60.0) -> Client:
    waiting = Waiting(clock=service.time, sleep=service.time.sleep, chance=lambda: 1.0, wall=service.time)
    if isinstance(service, GitLabService):
        return GitLab(token, address=service.site, token_hint="Put a token into it.", wait_s=wait_s, waiting=waiting)
    return GitHub(token, address=service.url, token_hint="Put a token into it.", wait_s=wait_s, waiting=waiting)


@pytest.fixture
def github() -> Iterator[GitHubService]:
    with GitHubService() as running:
        assert isinstance(running, GitHubService)
        yield running


@pytest.fixture
def gitlab() -> Iterator[GitLabService]:
    with GitLabService() as running:
        assert isinstance(running, GitLabService)
        yield running


@pytest.fixture(params=["github", "gitlab"])
def service(request: pytest.FixtureRequest) -> Iterator[LoopbackHost]:
    with GitHubService() if request.param == "github" else GitLabService() as running:
        yield running


@pytest.fixture
def connected() -> Iterator[Connected]:
    """Makes clients, and closes them."""
    made: list[Client] = []

    def connect(service: LoopbackHost, token: str = TOKEN, wait_s: float = 60.0) -> Client:
        made.append(client_of(service, token, wait_s))
        return made[-1]

    yield connect
    for client in made:
        client.close()
