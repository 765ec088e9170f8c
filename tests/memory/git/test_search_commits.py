"""Search over commits: by words, by meaning, by hash; in step with the repository, for each working tree its own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.git import commit_index as index_module
from marrow.memory.git.commit_index import commit_index, index_folder
from marrow.memory.git.search_commits import FoundCommits, search_commits
from marrow.model.errors import Forbidden, Invalid
from marrow.providers.embedder import NoEmbedder
from marrow.repository.head import repository_at
from marrow.repository.whole_history import Told, told_commits

from ..conftest import asker_of
from .conftest import Git, Saying


def subjects(found: FoundCommits) -> list[str]:
    return [one.commit.subject for one in found.items]


@pytest.fixture
def history(say: Saying) -> dict[str, str]:
    texts = (
        "Cache the parsed templates: rendering took most of a request",
        "Close the socket when the client goes away",
        "Retry failed payments after a minute",
        "Update the licence year",
    )
    return {text: say(text) for text in texts}


@pytest.mark.usefixtures("history")
def test_words_find_the_message_that_has_them(engine: Engine, asker: Asker) -> None:
    found = search_commits(engine, asker, asker.root, "failed payments")
    assert subjects(found)[0] == "Retry failed payments after a minute"
    assert found.searched == 5
    assert found.items[0].words > 0.5


@pytest.mark.usefixtures("history")
def test_meaning_finds_what_is_said_in_other_words(engine: Engine, asker: Asker) -> None:
    found = search_commits(engine, asker, asker.root, "disconnected clients leave connections open")
    assert subjects(found)[0] == "Close the socket when the client goes away"


@pytest.mark.usefixtures("history")
def test_what_no_commit_is_about_finds_nothing(engine: Engine, asker: Asker) -> None:
    assert subjects(search_commits(engine, asker, asker.root, "giraffes in the savannah")) == []


def test_a_long_message_that_has_every_word_says_more_than_a_short_one_that_lacks_one(
    engine: Engine, asker: Asker, say: Saying
) -> None:
    say("Add BridgedEngine")
    say("Bug 2056071 - remove BridgedEngine, the side of the services\n\nThis joins how the engines of both are made.")
    for number in range(20):
        say(f"{'Remove' if number < 3 else 'Update'} what number {number} left behind")
    found = search_commits(engine, asker, asker.root, "remove BridgedEngine")
    shares = {one.commit.subject.split()[0]: one.words for one in found.items}
    assert shares["Bug"] > shares["Add"] + 0.1


def test_where_files_are_lacking_the_messages_are_found_all_the_same(
    engine: Engine, asker: Asker, say: Saying, git: Git, repository: Path
) -> None:
    say("Plant the first apple trees", tree="apple " * 40)
    blob = git(repository, "rev-parse", "HEAD:tree.txt").strip()
    say("Move the trees to the hill", tree=None, hill="apple " * 39 + "pear")
    say("Water the hill")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    assert "Water the hill" in subjects(search_commits(engine, asker, asker.root, "water the hill"))
    assert "Move the trees to the hill" in subjects(search_commits(engine, asker, asker.root, "move the trees"))


def test_a_hash_finds_its_commit(engine: Engine, asker: Asker, history: dict[str, str]) -> None:
    text, hash_ = next(iter(history.items()))
    for length in (6, 7, 12, 40):
        assert subjects(search_commits(engine, asker, asker.root, hash_[:length])) == [text]


def test_the_body_is_searched_too(engine: Engine, asker: Asker, say: Saying) -> None:
    say("Small change\n\nThe frobnicator overheated on leap days.")
    found = search_commits(engine, asker, asker.root, "frobnicator")
    assert found.items[0].commit.body == "The frobnicator overheated on leap days."


def test_a_new_commit_is_found_at_once(engine: Engine, asker: Asker, say: Saying) -> None:
    assert search_commits(engine, asker, asker.root, "quokka").items == ()
    say("Feed the quokka")
    assert subjects(search_commits(engine, asker, asker.root, "quokka")) == ["Feed the quokka"]


def test_a_commit_that_was_rewritten_is_not_found_any_more(engine: Engine, asker: Asker, say: Saying, git: Git) -> None:
    say("Feed the quokka twice")
    assert subjects(search_commits(engine, asker, asker.root, "quokka")) == ["Feed the quokka twice"]
    git(Path(asker.root), "commit", "--quiet", "--amend", "--allow-empty", "--message", "Feed the wombat")
    assert subjects(search_commits(engine, asker, asker.root, "quokka")) == []
    assert subjects(search_commits(engine, asker, asker.root, "wombat")) == ["Feed the wombat"]


def test_a_branch_has_its_own_history_and_gets_it_back(engine: Engine, asker: Asker, say: Saying, git: Git) -> None:
    folder = Path(asker.root)
    git(folder, "checkout", "--quiet", "-b", "side")
    say("Sidelong emu")
    assert len(search_commits(engine, asker, asker.root, "emu").items) == 1
    git(folder, "checkout", "--quiet", "main")
    found = search_commits(engine, asker, asker.root, "emu")
    assert (found.items, found.searched) == ((), 1)
    git(folder, "checkout", "--quiet", "side")
    assert len(search_commits(engine, asker, asker.root, "emu").items) == 1


def test_worktrees_share_an_index_and_see_their_own(
    engine: Engine, asker: Asker, say: Saying, git: Git, tmp_path: Path
) -> None:
    say("Common kiwi")
    assert len(search_commits(engine, asker, asker.root, "kiwi").items) == 1
    beside = tmp_path / "beside"
    git(Path(asker.root), "worktree", "add", "--quiet", "-b", "other", str(beside))
    Saying(git, beside)("Local cassowary")
    there = replace(asker, root=str(beside))
    assert len(search_commits(engine, there, there.root, "cassowary").items) == 1
    assert len(search_commits(engine, there, there.root, "kiwi").items) == 1
    assert search_commits(engine, asker, asker.root, "cassowary").items == ()
    assert len(list(index_folder(engine).glob("*.commits.db"))) == 1


def test_the_index_lasts_and_only_what_is_new_is_read(
    engine: Engine, asker: Asker, say: Saying, monkeypatch: pytest.MonkeyPatch
) -> None:
    say("Feed the quokka")
    search_commits(engine, asker, asker.root, "quokka")
    index_module._indexes.clear()  # as another process would begin
    read: list[str] = []

    def counted(folder: str, revision: str, most: int | None = None) -> Iterator[Told]:
        for one in told_commits(folder, revision, most):
            read.append(one.subject)
            yield one

    monkeypatch.setattr(index_module, "told_commits", counted)
    assert len(search_commits(engine, asker, asker.root, "quokka").items) == 1
    assert read == []
    say("Wash the quokka")
    assert len(search_commits(engine, asker, asker.root, "quokka").items) == 2
    assert read == ["Wash the quokka"]


def test_an_old_head_that_is_gone_leads_to_a_full_reading(engine: Engine, asker: Asker, say: Saying, git: Git) -> None:
    say("Feed the quokka")
    search_commits(engine, asker, asker.root, "quokka")
    folder = Path(asker.root)
    git(folder, "reset", "--quiet", "--hard", "HEAD~1")
    git(folder, "reflog", "expire", "--expire=now", "--all")
    git(folder, "gc", "--quiet", "--prune=now")
    found = search_commits(engine, asker, asker.root, "quokka")
    assert (found.items, found.searched) == ((), 1)


def test_a_shallow_repository_that_is_deepened_is_read_again(
    engine: Engine, asker: Asker, say: Saying, git: Git, tmp_path: Path
) -> None:
    say("Feed the quokka")
    say("Nothing of interest")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{asker.root}", "shallow")
    there = replace(asker, root=str(tmp_path / "shallow"))
    assert search_commits(engine, there, there.root, "quokka").searched == 1
    git(tmp_path / "shallow", "fetch", "--quiet", "--unshallow")
    found = search_commits(engine, there, there.root, "quokka")
    assert (subjects(found), found.searched) == (["Feed the quokka"], 3)


def test_a_damaged_index_is_dropped_and_made_again(engine: Engine, asker: Asker, say: Saying) -> None:
    say("Feed the quokka")
    search_commits(engine, asker, asker.root, "quokka")
    index_module._indexes.clear()
    (path,) = index_folder(engine).glob("*.commits.db")
    path.write_bytes(b"this is no database at all " * 1000)
    for beside in path.parent.glob("*-wal"):
        beside.unlink()
    assert len(search_commits(engine, asker, asker.root, "quokka").items) == 1


def test_an_empty_repository_has_nothing_to_find(engine: Engine, asker: Asker, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    there = replace(asker, root=str(tmp_path / "empty"))
    assert search_commits(engine, there, there.root, "anything").searched == 0


def test_secrets_in_messages_are_not_kept(engine: Engine, asker: Asker, say: Saying) -> None:
    key = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    say(f"Rotate the quokka token\n\nIt was {key} until now.")
    (found,) = search_commits(engine, asker, asker.root, "quokka token").items
    assert key not in found.commit.body
    for path in index_folder(engine).iterdir():
        assert key.encode() not in path.read_bytes()


def test_without_an_embedder_words_alone_are_searched(engine: Engine, asker: Asker, say: Saying) -> None:
    say("Feed the quokka")
    plain = replace(engine, embedder=NoEmbedder())
    index_module._indexes.clear()
    found = search_commits(plain, asker, asker.root, "quokka")
    assert subjects(found) == ["Feed the quokka"]
    assert found.degraded


def test_many_small_updates_become_one_segment(
    engine: Engine, asker: Asker, say: Saying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "SMALL_MOST", 4)
    for number in range(7):
        say(f"Animal number {number} is a quokka")
        assert len(search_commits(engine, asker, asker.root, "quokka").items) == number + 1
    index = commit_index(engine, repository_at(asker.root))
    with index.reading() as reader:
        assert len(reader.segment_sizes()) <= 4
        assert sum(count for _, count in reader.segment_sizes()) == 8


def test_a_reading_that_was_broken_off_is_taken_up_again(
    engine: Engine, asker: Asker, say: Saying, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_module, "BATCH", 2)
    for number in range(5):
        say(f"Animal number {number} is a quokka")

    def stop(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_commits(engine, asker, asker.root, "quokka", progress=stop)
    found = search_commits(engine, asker, asker.root, "quokka")
    assert (len(found.items), found.searched) == (5, 6)


def test_progress_is_told_while_the_history_is_read(engine: Engine, asker: Asker, say: Saying) -> None:
    say("Feed the quokka")
    told: list[tuple[int, int | None]] = []
    search_commits(engine, asker, asker.root, "quokka", progress=lambda done, total: told.append((done, total)))
    assert told == [(2, 2)]


@pytest.mark.parametrize(("query", "limit", "field"), [(" ", 5, "query"), ("x", 0, "limit"), ("x", 10_000, "limit")])
def test_bad_questions_are_refused(engine: Engine, asker: Asker, query: str, limit: int, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        search_commits(engine, asker, asker.root, query, limit)
    assert caught.value.field == field


def test_who_may_not_read_finds_nothing_out(engine: Engine, asker: Asker) -> None:
    stranger = replace(asker_of("orchard", projects=["elsewhere"]), root=asker.root)
    with pytest.raises(Forbidden):
        search_commits(engine, stranger, asker.root, "first")


@pytest.mark.parametrize("asked", ["lazyfile", "LazyFile", "lazy file"])
def test_an_identifier_is_found_however_it_is_written(engine: Engine, asker: Asker, say: Saying, asked: str) -> None:
    say("move LazyFile to its own module")
    say("Close the socket when the client goes away")
    engine = replace(engine, embedder=NoEmbedder())
    assert subjects(search_commits(engine, asker, asker.root, asked))[0] == "move LazyFile to its own module"
