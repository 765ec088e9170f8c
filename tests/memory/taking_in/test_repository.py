"""A repository from a code host becomes memory: whole, once, in whatever pieces it comes, and later what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from marrow.ingest.item import Item
from marrow.memory.engine import Asker, Engine
from marrow.memory.taking_in import repository
from marrow.memory.taking_in.repository import Brought, take_in_repository
from marrow.memory.taking_in.take_in import TakenIn, take_in
from marrow.model.draft import Draft
from marrow.model.errors import (
    Conflict,
    Invalid,
    MarrowError,
    NotFound,
    RateLimited,
    StoreLocked,
    Unauthorized,
    Unavailable,
)
from marrow.model.record import CURRENT, Filter, Record
from marrow.model.source import CODEBASE, CURSOR, NO_ADDRESS, Source
from tests.memory.conftest import Clock, asker_of
from tests.providers.code_hosts.conftest import client_of
from tests.providers.code_hosts.github_service import GitHubService
from tests.providers.code_hosts.gitlab_service import GitLabService
from tests.providers.code_hosts.loopback import LoopbackHost, says
from tests.providers.code_hosts.world import TOKEN, Said, Spoken, World, blob

ORDERS = "The shop sells apples"


@pytest.fixture(params=["github", "gitlab"])
def service(request: pytest.FixtureRequest) -> Iterator[LoopbackHost]:
    with GitHubService() if request.param == "github" else GitLabService() as running:
        yield running


@pytest.fixture
def github() -> Iterator[LoopbackHost]:
    with GitHubService() as running:
        yield running


def take(engine: Engine, asker: Asker, there: LoopbackHost, token: str = TOKEN, **given: object) -> Brought:
    client = client_of(there, token, wait_s=float(given.pop("wait_s", 60.0)))  # type: ignore[arg-type]
    site = "github.com" if isinstance(there, GitHubService) else "gitlab.com"
    try:
        return take_in_repository(engine, asker, client, "acme/shop", site=site, **given)  # type: ignore[arg-type]
    finally:
        client.close()


def known(engine: Engine, asker: Asker) -> dict[str, str]:
    """What is remembered now: each document's path with its content."""
    with engine.store.reading() as reader:
        wanted = Filter(projects=(asker.scope.project,))
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
        records: Sequence[Record] = reader.records_of(entries, CURRENT)
        rows = reader.sources(asker.namespace, (asker.scope.project,))
    contents = {record.node.address: record.node.content for record in records}
    found = {row.path: contents[row.address] for row in rows if row.is_document}
    assert sorted(found.values()) == sorted(contents.values())  # nothing else is there, and nothing of it twice
    return found


EVERY = ["#issues/2", "#issues/4", "#pulls/1", "README.md", "docs/adr/0001-use-postgres.md", "src/app.py"]


def test_a_repository_is_taken_in_whole(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    done = take(engine, asker, service)
    found = known(engine, asker)
    assert sorted(found) == EVERY
    assert found["#pulls/1"].startswith("Keep orders in PostgreSQL\n\nSQLite locked up under load.\n\nbob: Why not")
    assert "Coverage" not in found["#pulls/1"]
    assert found["#issues/2"].endswith("ann: The backup held the lock.")
    assert (done.repository, done.service, done.commit) == ("acme/shop", "shop", service.world.head)
    assert (done.files.added, done.pulls.added, done.issues.added, done.left_out) == (3, 1, 2, 3)
    assert done.files.problems == ()


def test_what_is_taken_in_says_where_it_is_from(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    with engine.store.reading() as reader:
        (row,) = reader.sources(asker.namespace, (asker.scope.project,), service="shop", path="#pulls/1")
        (record,) = reader.records(asker.namespace, [row.address], (asker.scope.project,), CURRENT)
        (said,) = reader.occurrences([record.entry], CURRENT)[record.entry]
        anchors = reader.anchors([record.entry], CURRENT)[record.entry]
    assert (record.node.kind, record.standing.domain) == ("conversation", "history")
    assert (said.service, said.fields["number"], said.fields["state"]) == ("shop", 1, "merged")
    assert (said.fields["author"], said.fields["commit"]) == ("ann", "ab" * 20)
    assert [(anchor.type, anchor.target) for anchor in anchors] == [("commit", "ab" * 20)]


def test_nothing_new_costs_next_to_nothing(engine: Engine, asker: Asker, github: LoopbackHost) -> None:
    take(engine, asker, github)
    with engine.store.reading() as reader:
        before = reader.head(asker.namespace)
    github.charged = 0
    done = take(engine, asker, github)
    assert (done.files.total, done.pulls.total, done.issues.total) == (0, 0, 0)
    # The repository itself is asked for; the head and both lists are unchanged by their tags.
    assert (github.charged, done.requests) == (1, 4)
    assert done.commit == github.world.head
    with engine.store.reading() as reader:
        assert reader.head(asker.namespace) == before


def test_what_changed_is_read_and_no_more(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    service.world.commit_files({"src/app.py": "def order(pears: int) -> int:\n    return pears * 4\n"})
    talk = service.world.talks[2]
    talk.said.append(Said("cid", "It happened again.", "2026-02-01T10:00:00Z"))
    talk.updated = "2026-02-01T10:00:00Z"
    service.asked.clear()
    done = take(engine, asker, service)
    assert (done.files.changed, done.issues.changed, done.pulls.total) == (1, 1, 0)
    assert sum("blobs" in path or "raw" in path for path in service.asked) == 1
    found = known(engine, asker)
    assert sorted(found) == EVERY
    assert "pears" in found["src/app.py"]
    assert "It happened again." in found["#issues/2"]


def test_a_talk_that_was_closed_without_a_word_is_known_to_be(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    take(engine, asker, service)
    service.world.talks[4].state, service.world.talks[4].updated = "closed", "2026-02-01T10:00:00Z"
    assert take(engine, asker, service).issues.changed == 1
    assert known(engine, asker)["#issues/4"].endswith("Closed.")


def test_a_file_that_was_deleted_is_retracted(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    assert any(ORDERS in content for content in known(engine, asker).values())
    service.world.commit_files({"README.md": None, "docs/new.md": "# New\n\nPears are sold too.\n"})
    done = take(engine, asker, service, since="2026-02-01")
    assert (done.files.gone, done.files.added) == (1, 1)
    assert not any(ORDERS in content for content in known(engine, asker).values())


def test_a_file_that_was_renamed_keeps_its_node(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    text = service.world.commits[service.world.head]["README.md"]
    service.world.commit_files({"README.md": None, "docs/about.md": text})
    done = take(engine, asker, service)
    assert (done.files.moved, done.files.gone, done.files.added) == (1, 0, 0)
    assert ORDERS in known(engine, asker)["docs/about.md"]


def test_what_others_read_under_the_service_is_not_retracted(
    engine: Engine, asker: Asker, github: LoopbackHost
) -> None:
    take(engine, asker, github)
    own = Item(Draft("A note of our own.", kind="document", source="document"), "notes.md", "00")
    take_in(engine, asker, [own], operation="test", service="shop")
    github.world.commit_files({"README.md": None})
    take(engine, asker, github)
    assert "notes.md" in known(engine, asker)
    assert "README.md" not in known(engine, asker)


def test_a_file_that_can_no_longer_be_read_leaves(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    service.world.commit_files({"src/app.py": b"\0\1\2" * 50})
    done = take(engine, asker, service)
    assert [problem.path for problem in done.files.problems] == ["src/app.py"]
    assert "src/app.py" not in known(engine, asker)


def test_secrets_are_not_even_asked_for(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    service.world.commit_files({"config/secrets.yaml": "password: apples"})
    done = take(engine, asker, service)
    assert [problem.path for problem in done.files.problems] == ["config/secrets.yaml"]
    assert not any("secrets" in path for path in service.asked)


def test_stopped_at_any_request_it_ends_as_one_that_was_not(
    engine: Engine, asker: Asker, service: LoopbackHost, clock: Clock
) -> None:
    """Each project is interrupted one request later than the one before, until one is not interrupted any more."""
    take(engine, asker, service)
    whole, total = known(engine, asker), len(service.asked)
    assert total >= 12
    for stop in range(1, total + 1):
        other = asker_of(f"orchard-{stop}")
        service.asked.clear()
        service.stops_at = stop
        with pytest.raises(Unavailable):
            take(engine, other, service)
        service.asked.clear()
        service.stops_at = None
        take(engine, other, service)
        assert known(engine, other) == whole, stop
        # What had been read is not read again: only what tells how far that was.
        assert len(service.asked) <= total - min(stop, 4) + 6


def test_stopped_at_every_request_it_gets_there_all_the_same(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    """A host that lets a few calls through each hour."""
    service.allowed, service.window_s = 7, 3600
    stops: list[RateLimited] = []
    is_done = False
    while not is_done and len(stops) < 20:
        try:
            take(engine, asker, service)
            is_done = True
        except RateLimited as problem:
            stops.append(problem)
            service.time.now += problem.wait_s or 0.0
    assert 1 <= len(stops) < 20
    assert sorted(known(engine, asker)) == EVERY


@pytest.mark.parametrize("failing", [1, 2, 3, 4, 5, 6, 7, 8])
def test_what_could_not_be_written_is_read_again(
    engine: Engine, asker: Asker, github: LoopbackHost, monkeypatch: pytest.MonkeyPatch, failing: int
) -> None:
    """Another process holds the store at one of the writes."""
    whole = asker_of("whole")
    take(engine, whole, github)
    writes: list[int] = []

    def locked(*given: object, **more: object) -> TakenIn:
        writes.append(len(writes))
        if len(writes) == failing:
            raise StoreLocked("The store is locked by another process.")
        return take_in(*given, **more)  # type: ignore[arg-type]

    with monkeypatch.context() as busy:
        busy.setattr(repository, "FILES_AT_ONCE", 1)
        busy.setattr(repository, "TALKS_AT_ONCE", 1)
        busy.setattr(repository, "take_in", locked)
        try:
            take(engine, asker, github)
        except StoreLocked:
            assert len(writes) == failing, "nothing is written after it"
        else:
            assert len(writes) < failing
    take(engine, asker, github)
    assert known(engine, asker) == known(engine, whole)


def test_a_limit_says_when_to_go_on_and_what_is_kept(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    service.allowed, service.window_s = 8, 3600
    with pytest.raises(RateLimited) as caught:
        take(engine, asker, service)
    assert "2026-03-01T13:00:0" in caught.value.message
    assert "Kept so far: 3 files" in caught.value.hint
    assert {"README.md", "src/app.py"} <= known(engine, asker).keys()


def test_waiting_within_the_budget_it_reads_on(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    service.allowed, service.window_s = 8, 30
    done = take(engine, asker, service, wait_s=600)
    assert done.waited_s > 0
    assert sorted(known(engine, asker)) == EVERY


def test_talks_that_change_while_they_are_read_push_none_out_of_sight(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    """With pages of two, the first talk moves to the end of the list after the first page: by the numbers of pages,
    another would slip over the edge."""
    for number in range(10, 20):
        service.world.talk(Spoken(number, "issue", f"Issue {number}", updated=f"2026-01-{number}T10:00:00Z"))
    service.page_most = 2
    moved: list[int] = []

    def touch(path: str) -> None:
        if "issues" in path and "comments" not in path and len(moved) < 3:
            moved.append(10 + len(moved))
            service.world.talks[moved[-1]].updated = f"2026-02-0{len(moved)}T10:00:00Z"

    answer = service.answer

    def watched(path: str, query: dict[str, str], headers: dict[str, str]) -> object:
        reply = answer(path, query, headers)
        touch(path)
        return reply

    service.answer = watched  # type: ignore[method-assign, assignment]
    take(engine, asker, service, parts=["issues"])
    assert {f"#issues/{number}" for number in range(10, 20)} <= known(engine, asker).keys()


def test_many_talks_of_the_same_moment_are_all_read(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    for number in range(10, 17):
        service.world.talk(Spoken(number, "issue", f"Issue {number}", updated="2026-02-01T10:00:00Z"))
    service.page_most = 2
    take(engine, asker, service, parts=["issues"])
    assert {f"#issues/{number}" for number in range(10, 17)} <= known(engine, asker).keys()


def test_one_that_cannot_be_had_is_told_and_asked_for_again(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    service.by_path = {"issues/2": says(500)}
    done = take(engine, asker, service)
    assert [problem.path for problem in done.issues.problems] == ["#issues/2"]
    assert "#issues/2" not in known(engine, asker)
    service.by_path = {}
    take(engine, asker, service)
    assert sorted(known(engine, asker)) == EVERY


def test_a_file_that_cannot_be_had_is_told_and_asked_for_again(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    name = blob(service.world.commits[service.world.head]["src/app.py"])
    service.by_path = {name if isinstance(service, GitHubService) else "src/app.py": says(500)}
    done = take(engine, asker, service, parts=["files"])
    assert [problem.path for problem in done.files.problems] == ["src/app.py"]
    service.by_path = {}
    assert take(engine, asker, service, parts=["files"]).files.added == 1
    assert "src/app.py" in known(engine, asker)


def test_everything_can_be_read_again(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    done = take(engine, asker, service, since="all")
    assert (done.files.unchanged, done.pulls.unchanged, done.issues.unchanged) == (3, 1, 2)
    assert sorted(known(engine, asker)) == EVERY


def test_a_time_bounds_what_was_talked_about(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service, since="2026-01-04T12:00:00Z")
    assert [path for path in sorted(known(engine, asker)) if path.startswith("#")] == ["#issues/4"]


def test_only_the_parts_that_are_named_are_read(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service, parts=["pulls"])
    assert sorted(known(engine, asker)) == ["#pulls/1"]
    with pytest.raises(Invalid) as caught:
        take(engine, asker, service, parts=["wiki"])
    assert caught.value.field == "include"


def test_a_branch_that_was_rewritten_is_read_all_the_same(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    service.world.commits.clear()
    service.world.head = ""
    service.world.commit_files({"src/app.py": "x = 1\n", "README.md": "# Shop\n\nAnew.\n"})
    take(engine, asker, service)
    found = known(engine, asker)
    assert sorted(path for path in found if not path.startswith("#")) == ["README.md", "src/app.py"]
    assert "Anew." in found["README.md"]


def test_nothing_is_taken_for_gone_where_a_host_lists_only_a_part(
    engine: Engine, asker: Asker, github: LoopbackHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    take(engine, asker, github)
    monkeypatch.setattr("marrow.providers.code_hosts.github.FILES_MAX", 2)
    github.world.commit_files({"README.md": None, "docs/new.md": "# New\n\nPears are sold too.\n"})
    done = take(engine, asker, github)
    assert done.files.gone == 0
    assert any("did not list all" in problem.reason for problem in done.files.problems)
    assert "README.md" in known(engine, asker)


def test_progress_is_told_file_by_file_and_talk_by_talk(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    told: list[tuple[int, int | None]] = []
    take(engine, asker, service, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, 8))
    assert [total for _, total in told] == [3, 3, 3, None, None, None, None]


def test_an_empty_repository_is_no_error(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    service.world = World()
    done = take(engine, asker, service)
    assert (done.commit, done.files.total) == ("", 0)


def test_another_repository_of_the_same_name_needs_another_service(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    take(engine, asker, service)
    service.world.number += 1
    with pytest.raises(Conflict) as caught:
        take(engine, asker, service)
    assert "acme-shop" in caught.value.hint
    assert take(engine, asker, service, service="acme-shop").service == "acme-shop"


def test_a_service_that_was_read_from_another_folder_is_not_taken_over(
    engine: Engine, asker: Asker, github: LoopbackHost
) -> None:
    row = Source(asker.scope.project, "shop", CODEBASE, CURSOR, NO_ADDRESS, title="git.example.org/team/shop")
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [row])
    with pytest.raises(Conflict):
        take(engine, asker, github)


def test_no_token_is_written_anywhere(engine: Engine, asker: Asker, service: LoopbackHost) -> None:
    take(engine, asker, service)
    with engine.store.reading() as reader:
        rows = reader.sources(asker.namespace, (asker.scope.project,))
        events = list(reader.events(asker.namespace))
    assert TOKEN not in repr((rows, events, known(engine, asker)))


def test_what_cannot_be_asked_ends_before_anything_is_written(
    engine: Engine, asker: Asker, service: LoopbackHost
) -> None:
    errors: list[type[MarrowError]] = []
    service.is_private = True
    for token in ("", "glpat-wrong-wrong-wrong"):
        try:
            take(engine, asker, service, token)
        except (NotFound, Unauthorized) as problem:
            errors.append(type(problem))
    assert errors == [NotFound, Unauthorized]
    assert known(engine, asker) == {}
