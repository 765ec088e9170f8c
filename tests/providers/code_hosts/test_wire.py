"""The line to a code host: tokens, limits of calls, bad days, redirects. What holds for both of them."""

from __future__ import annotations

import socket
from email.utils import formatdate

import pytest

from marrow.model.errors import (
    Forbidden,
    NotFound,
    RateLimited,
    TooLarge,
    Unauthorized,
    Unavailable,
)
from marrow.providers.code_hosts.github import GitHub
from marrow.providers.code_hosts.host import HostFile

from .conftest import Connected
from .github_service import GitHubService
from .gitlab_service import GitLabService
from .loopback import Handler, LoopbackHost, Reply, hangs_up, says
from .world import TOKEN


def test_a_token_that_is_not_accepted_is_an_error_that_does_not_show_it(
    service: LoopbackHost, connected: Connected
) -> None:
    with pytest.raises(Unauthorized) as caught:
        connected(service, "ghp_wrong0123456789").repository("acme/shop")
    assert caught.value.hint == "Put a token into it."
    assert "wrong" not in str(caught.value)


def test_what_a_host_says_is_told_without_the_token(service: LoopbackHost, connected: Connected) -> None:
    service.troubles = [says(418, f"no\x1b[31m tea for {TOKEN}" + "x" * 500)]
    with pytest.raises(Unavailable) as caught:
        connected(service).repository("acme/shop")
    assert "tea for ***" in caught.value.message
    assert TOKEN not in str(caught.value)
    assert len(caught.value.message) < 300
    assert TOKEN not in repr(connected(service))


def test_a_private_repository_is_not_there_for_one_without_a_token(service: LoopbackHost, connected: Connected) -> None:
    service.is_private = True
    with pytest.raises(NotFound) as caught:
        connected(service, "").repository("acme/shop")
    assert "private" in caught.value.hint
    assert connected(service).repository("acme/shop").is_private


def test_legal_reasons_and_missing_rights_are_forbidden(service: LoopbackHost, connected: Connected) -> None:
    service.troubles = [says(451, "blocked"), says(403, "Resource not accessible by personal access token")]
    client = connected(service)
    with pytest.raises(Forbidden, match="legal reasons"):
        client.repository("acme/shop")
    with pytest.raises(Forbidden, match="not accessible"):
        client.repository("acme/shop")
    assert service.time.slept == []


def test_single_sign_on_is_named_where_it_is_the_reason(github: GitHubService, connected: Connected) -> None:
    github.troubles = [says(403, "Resource protected by SAML", X_GitHub_SSO="required; url=https://x")]
    with pytest.raises(Forbidden) as caught:
        connected(github).repository("acme/shop")
    assert "single sign-on" in caught.value.hint


def test_failures_that_pass_are_tried_again(service: LoopbackHost, connected: Connected) -> None:
    service.troubles = [hangs_up, says(502), says(500)]
    assert connected(service).repository("acme/shop").path == "acme/shop"
    assert service.time.slept == [0.5, 1.0, 2.0]


def test_failures_that_stay_are_unavailable(service: LoopbackHost, connected: Connected) -> None:
    service.troubles = [says(503)] * 4
    with pytest.raises(Unavailable, match="answered 503"):
        connected(service).repository("acme/shop")
    service.troubles = [hangs_up] * 4
    with pytest.raises(Unavailable, match="the connection broke"):
        connected(service).repository("acme/shop")
    assert len(service.asked) == 8


def test_one_connection_serves_many_requests(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    client.tree(repository, client.head(repository).commit)
    assert service.connections == 1
    assert client.requests == len(service.asked) == 3


def test_a_connection_that_was_closed_while_idle_costs_no_attempt(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    client.repository("acme/shop")
    service.troubles = [hangs_up]
    assert client.repository("acme/shop").branch == "main"
    assert service.time.slept == []
    assert service.connections == 2


def test_a_short_wait_for_the_limit_is_waited(service: LoopbackHost, connected: Connected) -> None:
    service.allowed, service.window_s = 1, 30
    client = connected(service)
    client.repository("acme/shop")
    assert client.limit.remaining == 0
    client.repository("acme/shop")
    assert client.waited_s == sum(service.time.slept) == pytest.approx(31.0)
    # It did not ask while it knew that it may not.
    assert len(service.asked) == 2


def test_a_wait_that_is_too_long_says_when_to_go_on(service: LoopbackHost, connected: Connected) -> None:
    service.allowed, service.window_s = 1, 1800
    connected(service).repository("acme/shop")
    with pytest.raises(RateLimited) as caught:
        connected(service).repository("acme/shop")  # one that does not know it yet, and is told
    assert "2026-03-01T12:30:00Z" in caught.value.message
    assert caught.value.wait_s == 1800
    assert caught.value.retryable
    assert service.time.slept == []


def test_waits_are_counted_together(service: LoopbackHost, connected: Connected) -> None:
    service.troubles = [says(429, Retry_After="40"), says(429, Retry_After="40")]
    with pytest.raises(RateLimited):
        connected(service, wait_s=60).repository("acme/shop")
    assert service.time.slept == [40.0]


def test_a_secondary_limit_is_waited_as_long_as_it_asks(github: GitHubService, connected: Connected) -> None:
    github.troubles = [
        says(403, "You have exceeded a secondary rate limit.", Retry_After="7"),
        says(429, "slow down", Retry_After=formatdate(github.time() + 7 + 9, usegmt=True)),
    ]
    assert connected(github).repository("acme/shop").number == 4711
    assert github.time.slept == [7.0, 9.0]


def test_a_secondary_limit_without_a_time_is_a_minute_and_then_two(github: GitHubService, connected: Connected) -> None:
    page = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#secondary"

    def limited(_: Handler) -> Reply:
        return Reply(403, {"message": "too fast", "documentation_url": page}, {"X-RateLimit-Remaining": "4000"})

    github.troubles = [limited, limited]
    assert connected(github, wait_s=200).repository("acme/shop").path == "acme/shop"
    assert github.time.slept == [60.0, 120.0]


def test_no_wait_at_all_is_possible(service: LoopbackHost, connected: Connected) -> None:
    service.troubles = [says(429, Retry_After="1")]
    with pytest.raises(RateLimited):
        connected(service, wait_s=0).repository("acme/shop")
    assert service.time.slept == []


def test_a_repository_that_was_renamed_is_followed(github: GitHubService, connected: Connected) -> None:
    assert connected(github).repository("acme/old-shop").path == "acme/shop"


def test_a_redirect_to_another_host_never_gets_the_token(service: LoopbackHost, connected: Connected) -> None:
    with GitHubService() as other:
        service.troubles = [says(302, Location=f"{other.url}/repos/acme/shop")]
        with pytest.raises(Unavailable) as caught:
            connected(service).repository("acme/shop")
        assert other.asked == []
    assert "another host" in caught.value.message


def test_redirects_without_end_end(service: LoopbackHost, connected: Connected) -> None:
    service.by_path = {"shop": lambda handler: Reply(302, {}, {"Location": handler.path})}
    with pytest.raises(Unavailable, match="answered 302"):
        connected(service).repository("acme/shop")
    assert len(service.asked) == 6


def test_an_answer_that_is_no_json_or_not_the_right_one_is_unavailable(
    service: LoopbackHost, connected: Connected
) -> None:
    service.troubles = [lambda _: Reply(200, b"<html>Sign in</html>"), lambda _: Reply(200, ["what"])]
    client = connected(service)
    with pytest.raises(Unavailable, match="not JSON"):
        client.repository("acme/shop")
    with pytest.raises(Unavailable, match="not as it should be"):
        client.repository("acme/shop")


def test_an_answer_shorter_than_announced_is_asked_for_again(service: LoopbackHost, connected: Connected) -> None:
    def short(handler: Handler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "4000")
        handler.end_headers()
        handler.wfile.write(b"{")
        handler.close_connection = True

    service.troubles = [short]
    assert connected(service).repository("acme/shop").path == "acme/shop"


def test_a_file_that_is_too_large_is_not_read_whole(service: LoopbackHost, connected: Connected) -> None:
    service.world.commit_files({"big.txt": b"x" * 100_000})
    client = connected(service)
    repository = client.repository("acme/shop")
    commit = client.head(repository).commit
    file = next(file for file in client.tree(repository, commit).files if file.path == "big.txt")
    with pytest.raises(TooLarge):
        client.bytes_of(repository, commit, file, 10_000)
    assert client.bytes_of(repository, commit, file, 100_000) == b"x" * 100_000


def test_a_place_where_nobody_listens_is_unavailable(github: GitHubService) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        waiting = GitHub(TOKEN, address=address)._wire._waiting
        client = GitHub(TOKEN, address=address, waiting=type(waiting)(sleep=github.time.sleep))
        with pytest.raises(Unavailable) as caught:
            client.who()
    assert TOKEN not in str(caught.value)


def test_no_proxy_is_used_for_this_machine(
    service: LoopbackHost, connected: Connected, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    assert connected(service).who() == "ada"


def test_a_proxy_of_the_environment_is_used_for_another_host(
    github: GitHubService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The loopback server plays the proxy: it is asked for the whole address."""
    monkeypatch.setenv("http_proxy", github.url.replace("http://", "http://user:word@"))
    monkeypatch.setenv("no_proxy", "")
    client = GitHub("", address="http://git.example.org")
    assert client.repository("acme/shop").path == "acme/shop"
    client.close()
    assert github.asked == ["http://git.example.org:80/repos/acme/shop"]
    assert github.headers[0]["proxy-authorization"].startswith("Basic ")


def test_gitlab_sends_its_token_in_its_own_header(gitlab: GitLabService, connected: Connected) -> None:
    connected(gitlab).who()
    assert gitlab.headers[0]["private-token"] == TOKEN
    assert "authorization" not in gitlab.headers[0]


def test_nothing_is_sent_as_a_token_where_there_is_none(service: LoopbackHost, connected: Connected) -> None:
    connected(service, "").who()
    assert not {"authorization", "private-token"} & service.headers[0].keys()


def test_a_file_of_any_name_is_one_step_of_the_address(service: LoopbackHost, connected: Connected) -> None:
    service.world.commit_files({"docs/a b#ü?.md": "odd"})
    client = connected(service)
    repository = client.repository("acme/shop")
    commit = client.head(repository).commit
    (file,) = [one for one in client.tree(repository, commit).files if one.path.startswith("docs/a b")]
    assert isinstance(file, HostFile)
    assert client.bytes_of(repository, commit, file, 1000) == b"odd"
    assert client.file(repository, "docs/a b#ü?.md") == b"odd"
