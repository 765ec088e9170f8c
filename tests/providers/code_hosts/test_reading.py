"""What is read from code hosts: trees, files, commits, talks. The same questions, and each host's own ways."""

from __future__ import annotations

import pytest

from marrow.model.errors import NotFound, Refused
from marrow.providers.code_hosts.host import ISSUE, PULL, Page

from .conftest import Client, Connected
from .github_service import GitHubService
from .gitlab_service import GitLabService
from .loopback import LoopbackHost
from .world import Said, Spoken, World, blob


def numbers(page: Page, sort: str) -> list[int]:
    return [talk.number for talk in page.talks if talk.sort == sort]


def every_path(client: Client) -> tuple[list[str], bool]:
    repository = client.repository("acme/shop")
    tree = client.tree(repository, client.head(repository).commit)
    return [file.path for file in tree.files], tree.is_cut


def test_a_tree_has_every_file_and_nothing_else(service: LoopbackHost, connected: Connected) -> None:
    service.world.others = {"link": ("120000", "blob"), "other": ("160000", "commit")}
    paths, is_cut = every_path(connected(service))
    assert paths == sorted(service.world.commits[service.world.head])
    assert not is_cut


def test_a_tree_of_many_pages_is_read_whole(gitlab: GitLabService, connected: Connected) -> None:
    gitlab.page_most = 2
    paths, is_cut = every_path(connected(gitlab))
    assert paths == sorted(gitlab.world.commits[gitlab.world.head])
    assert not is_cut


def test_a_tree_that_github_cuts_is_read_folder_by_folder(github: GitHubService, connected: Connected) -> None:
    files = {f"a/b/{n}.py": f"x = {n}" for n in range(5)} | {f"a/{n}.py": f"y = {n}" for n in range(3)}
    github.world.commit_files(dict(files))
    github.tree_most = 6
    paths, is_cut = every_path(connected(github))
    assert paths == sorted(github.world.commits[github.world.head])
    assert not is_cut


def test_a_file_has_its_bytes_by_name_and_by_path(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    commit = client.head(repository).commit
    for file in client.tree(repository, commit).files:
        data = service.world.commits[commit][file.path]
        assert file.blob == blob(data)
        assert client.bytes_of(repository, commit, file, 10_000) == data
    assert client.file(repository, "assets/logo.png") == b"\x89PNG\r\n\x1a\n\0\0"
    with pytest.raises(NotFound):
        client.file(repository, "nothing.md")


def test_a_folder_lists_its_names(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    commit = client.head(repository).commit
    listed = client.contents(repository, commit)
    assert sorted(listed) == ["README.md", "assets/", "docs/", "package-lock.json", "src/"]
    assert client.contents(repository, commit, "src") == ["app.py"]


def test_an_empty_repository_has_no_commit(service: LoopbackHost, connected: Connected) -> None:
    service.world = World()
    client = connected(service)
    repository = client.repository("acme/shop")
    assert client.commits(repository) == []
    assert not repository.branch or client.head(repository).commit == ""


def test_a_head_that_has_not_moved_costs_nothing(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    head = client.head(repository)
    charged = service.charged
    again = client.head(repository, tag=head.tag)
    assert again.is_unchanged
    assert again.tag == head.tag
    assert service.charged == charged
    service.world.commit_files({"new.py": "z = 1"})
    assert client.head(repository, tag=head.tag).commit == service.world.head


def test_a_name_that_no_commit_has_is_an_error(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    with pytest.raises((NotFound, Refused)):
        client.head(client.repository("acme/shop"), "no-such-branch")


def test_commits_come_newest_first_and_no_more_than_asked(service: LoopbackHost, connected: Connected) -> None:
    for number in range(4):
        service.world.commit_files({"a.py": f"{number}"})
    service.page_most = 2
    client = connected(service)
    found = client.commits(client.repository("acme/shop"), limit=3)
    assert [one.message for one in found] == ["Change 4", "Change 3", "Change 2"]
    assert client.commits(client.repository("acme/shop"), limit=300)[-1].message == "Change 0"


def test_talks_come_in_the_order_of_their_change(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    assert numbers(client.updated(repository, PULL), PULL) == [1, 3]
    assert numbers(client.updated(repository, ISSUE), ISSUE) == [2, 4]
    assert numbers(client.updated(repository, ISSUE, "2026-01-05T10:00:00Z"), ISSUE) == [4]
    page = client.updated(repository, ISSUE, "2026-01-05T10:00:00Z")
    assert client.updated(repository, ISSUE, "2026-01-05T10:00:00Z", page.tag).is_unchanged


def test_the_next_page_follows_where_it_is_named(service: LoopbackHost, connected: Connected) -> None:
    service.page_most = 1
    client = connected(service)
    repository = client.repository("acme/shop")
    found, rest = [], ""
    while True:
        page = client.updated(repository, ISSUE, rest=rest)
        found += numbers(page, ISSUE)
        rest = page.rest
        if not rest:
            break
    assert found == [2, 4]


def test_without_links_pages_go_by_their_numbers(gitlab: GitLabService, connected: Connected) -> None:
    gitlab.has_links, gitlab.page_most = False, 1
    client = connected(gitlab)
    repository = client.repository("acme/shop")
    page = client.updated(repository, ISSUE, "2026-01-01T00:00:00Z")
    assert numbers(page, ISSUE) == [2]
    last = client.updated(repository, ISSUE, rest=page.rest)
    assert (numbers(last, ISSUE), last.rest) == ([4], "")


def test_a_pull_request_has_its_remarks_in_order_and_the_commit_it_became(
    service: LoopbackHost, connected: Connected
) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    whole = client.talk(repository, client.listed(repository, PULL, 1))
    assert (whole.state, whole.commit, whole.author, whole.labels) == ("merged", "ab" * 20, "ann", ("storage",))
    assert [remark.author for remark in whole.remarks if not remark.is_bot] == ["bob", "ann", "bob", "bob"]
    assert [remark.place for remark in whole.remarks if remark.place] == ["src/app.py:2"]
    assert [remark.author for remark in whole.remarks if remark.is_bot] == ["codecov[bot]"]


def test_an_open_pull_request_has_no_commit_yet(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    whole = client.talk(repository, client.listed(repository, PULL, 3))
    assert (whole.state, whole.commit, whole.is_bot) == ("open", "", True)


def test_who_left_is_nobody(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    assert client.listed(repository, ISSUE, 4).author == "ghost"


def test_an_issue_without_comments_costs_no_more_requests(service: LoopbackHost, connected: Connected) -> None:
    client = connected(service)
    repository = client.repository("acme/shop")
    listed = client.listed(repository, ISSUE, 4)
    asked = len(service.asked)
    assert client.talk(repository, listed).remarks == ()
    assert len(service.asked) == asked


def test_comments_of_many_pages_are_read(service: LoopbackHost, connected: Connected) -> None:
    talk = Spoken(9, "issue", "Long")
    talk.said = [Said("ann", f"word {n}", f"2026-01-01T{n // 60:02}:{n % 60:02}:00Z") for n in range(7)]
    service.world.talk(talk)
    service.page_most = 3
    client = connected(service)
    repository = client.repository("acme/shop")
    whole = client.talk(repository, client.listed(repository, ISSUE, 9))
    assert [remark.text for remark in whole.remarks] == [f"word {n}" for n in range(7)]
    assert not whole.is_cut


def test_comments_without_end_are_cut_and_it_is_said(service: LoopbackHost, connected: Connected) -> None:
    talk = Spoken(9, "issue", "Endless")
    talk.said = [Said("ann", f"word {n}", "2026-01-01T10:00:00Z") for n in range(1001)]
    service.world.talk(talk)
    client = connected(service)
    repository = client.repository("acme/shop")
    whole = client.talk(repository, client.listed(repository, ISSUE, 9))
    assert len(whole.remarks) == 1000
    assert whole.is_cut


def test_what_gitlab_itself_notes_and_what_is_internal_is_left_out(gitlab: GitLabService, connected: Connected) -> None:
    gitlab.world.talks[2].said.append(Said("ann", "changed the title", "2026-01-04T11:00:00Z", is_system=True))
    client = connected(gitlab)
    repository = client.repository("acme/shop")
    whole = client.talk(repository, client.listed(repository, ISSUE, 2))
    assert [remark.text for remark in whole.remarks] == ["The backup held the lock."]


def test_a_repository_without_issues_has_none_and_says_so(service: LoopbackHost, connected: Connected) -> None:
    service.world.has_issues = False
    client = connected(service)
    repository = client.repository("acme/shop")
    assert repository.sorts == (PULL,)
    assert numbers(client.updated(repository, PULL), PULL) == [1, 3]
    assert numbers(client.updated(repository, ISSUE), ISSUE) == []


def test_the_limit_can_be_asked_for(service: LoopbackHost, connected: Connected) -> None:
    service.allowed = 60
    client = connected(service)
    client.who()
    found = client.rate_limit()
    assert found.limit == 60
    assert found.remaining is not None
    assert found.remaining >= 58


def test_odd_answers_break_nothing(service: LoopbackHost, connected: Connected) -> None:
    odd = Spoken(8, "issue", "", "", None, created="yesterday", updated="2026-02-01T00:00:00Z")
    service.world.talk(odd)
    client = connected(service)
    repository = client.repository("acme/shop")
    assert client.talk(repository, client.listed(repository, ISSUE, 8)).title == ""
