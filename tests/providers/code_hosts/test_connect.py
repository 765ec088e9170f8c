"""Which client a name gives, with which token, and where that token goes."""

from __future__ import annotations

import pytest

from marrow.model.errors import Invalid, Unauthorized
from marrow.providers.code_hosts.connect import connect
from marrow.providers.code_hosts.github import GitHub
from marrow.providers.code_hosts.gitlab import GitLab

from .gitlab_service import GitLabService
from .loopback import says
from .world import TOKEN


def sent(service: GitLabService, **given: str) -> str:
    """The token that a client made from this environment sends to the service, which it is told of by argument or by
    the environment."""
    base_url = given.pop("base_url", "")
    client = connect("gitlab", base_url=base_url, environ=given)
    try:
        client.who()
    finally:
        client.close()
    return service.headers[-1].get("private-token", "")


def test_the_token_comes_from_either_variable(gitlab: GitLabService) -> None:
    assert sent(gitlab, GITLAB_TOKEN=TOKEN, GITLAB_URL=gitlab.site) == TOKEN
    assert sent(gitlab, GITLAB_PAT=TOKEN, GITLAB_URL=gitlab.site) == TOKEN
    assert sent(gitlab, GITLAB_TOKEN=" ", GITLAB_PAT=f" {TOKEN}\n", GITLAB_URL=f"{gitlab.site}/") == TOKEN


def test_a_token_does_not_go_to_an_address_that_only_the_call_names(gitlab: GitLabService) -> None:
    assert sent(gitlab, GITLAB_TOKEN=TOKEN, base_url=gitlab.site) == ""
    assert sent(gitlab, GITLAB_TOKEN=TOKEN, base_url=gitlab.site, GITLAB_URL="https://git.example.org") == ""
    assert sent(gitlab, GITLAB_TOKEN=TOKEN, base_url=gitlab.site, GITLAB_URL=gitlab.site) == TOKEN


def test_the_error_of_a_missing_token_says_where_to_put_it(gitlab: GitLabService) -> None:
    gitlab.troubles = [says(401)]
    with pytest.raises(Unauthorized) as caught:
        sent(gitlab, GITLAB_TOKEN=TOKEN, base_url=gitlab.site)
    assert "GITLAB_URL" in caught.value.hint


def test_a_token_that_is_given_is_used(gitlab: GitLabService) -> None:
    client = connect("gitlab", base_url=gitlab.site, token=TOKEN, environ={})
    assert client.who() == "ada"
    assert gitlab.headers[-1]["private-token"] == TOKEN
    client.close()


def test_a_token_is_not_sent_in_the_clear_over_a_network() -> None:
    with pytest.raises(Invalid, match="not encrypted"):
        connect("gitlab", environ={"GITLAB_TOKEN": TOKEN, "GITLAB_URL": "http://git.example.org"})


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ("", "https://api.github.com"),
        ("https://github.com", "https://api.github.com"),
        ("https://api.github.com/", "https://api.github.com"),
        ("https://git.example.org", "https://git.example.org/api/v3"),
        ("https://git.example.org/api/v3/", "https://git.example.org/api/v3"),
        ("https://api.acme.ghe.com", "https://api.acme.ghe.com"),
    ],
)
def test_github_is_found_at_the_address_of_its_interface(given: str, address: str) -> None:
    assert connect("github", base_url=given, environ={}).address == address


def test_a_name_gives_its_client() -> None:
    assert isinstance(connect("github", environ={}), GitHub)
    assert isinstance(connect("gitlab", environ={}), GitLab)
    with pytest.raises(Invalid, match="no code host"):
        connect("bitbucket", environ={})


@pytest.mark.parametrize(
    "address",
    ["git.example.org", "ftp://git.example.org", "https://ann:word@git.example.org", "https://", "https://x:y"],
)
def test_what_is_no_address_is_refused_without_a_password_in_the_error(address: str) -> None:
    with pytest.raises(Invalid) as caught:
        connect("gitlab", base_url=address, environ={})
    assert caught.value.field == "base_url"
    assert "word" not in caught.value.message


def test_a_token_with_characters_that_none_has_is_refused() -> None:
    with pytest.raises(Unauthorized) as caught:
        connect("github", environ={"GITHUB_TOKEN": "ghp_x\r\nHost: evil"})
    assert "evil" not in str(caught.value)
