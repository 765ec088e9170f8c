"""What comes from a code host, as items: conversations as people read them, files with where they are from."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from marrow.ingest.code_host import (
    TALK_LENGTH_MAX,
    file_items,
    repository_path,
    talk_item,
    why_left_out,
)
from marrow.ingest.item import Item, Skipped
from marrow.model.errors import Invalid
from marrow.providers.code_hosts.host import ISSUE, PULL, HostFile, Remark, Repository, Talk

SHOP = Repository("acme/shop", "main", "https://github.com/acme/shop")
COMMIT = "ab" * 20
TALK = Talk(
    PULL,
    12,
    "Keep orders in PostgreSQL",
    "SQLite locked up.\r\n\r\n<!-- Thank you for\n your work -->Under load.",
    "open",
    "ann",
    "https://github.com/acme/shop/pull/12",
    "2026-01-01T10:00:00Z",
    "2026-01-02T10:00:00Z",
    labels=("storage",),
)


def item_of(talk: Talk, host: str = "github") -> Item:
    found = talk_item(host, SHOP, talk, "shop")
    assert found is not None
    return found


def test_a_talk_reads_as_title_body_and_who_said_what() -> None:
    remarks = (
        Remark("bob", "Why not MySQL?\n\n\nOr Oracle?"),
        Remark("bob", "Name the pool size.", place="src/app.py:2"),
        Remark("cid", "", verdict="approved"),
    )
    item = item_of(replace(TALK, remarks=remarks))
    assert item.draft.content == (
        "Keep orders in PostgreSQL\n\nSQLite locked up.\n\nUnder load.\n\nbob: Why not MySQL?\nOr Oracle?\n\n"
        "bob: src/app.py:2: Name the pool size.\n\ncid: approved"
    )
    assert (item.draft.kind, item.draft.domain, item.draft.service) == ("conversation", "history", "shop")
    assert (item.path, item.draft.aliases, item.draft.source) == ("#pulls/12", ("#12",), "github")
    assert item.draft.at == datetime(2026, 1, 1, 10, tzinfo=UTC)
    assert item.draft.metadata == {
        "type": "pull",
        "number": 12,
        "title": "Keep orders in PostgreSQL",
        "state": "open",
        "author": "ann",
        "url": "https://github.com/acme/shop/pull/12",
        "repository": "acme/shop",
        "labels": ["storage"],
        "people": ["bob", "cid"],
        "approved_by": ["cid"],
    }
    assert item.draft.anchors == ()


def test_a_merged_one_is_anchored_to_its_commit_and_says_so() -> None:
    item = item_of(replace(TALK, state="merged", commit=COMMIT))
    assert item.draft.content.endswith(f"\n\nMerged as {COMMIT[:12]}.")
    assert [(anchor.type, anchor.target) for anchor in item.draft.anchors] == [("commit", COMMIT)]
    assert item.draft.metadata["commit"] == COMMIT


def test_one_that_is_closed_without_a_word_has_changed_all_the_same() -> None:
    item = item_of(replace(TALK, state="closed"))
    assert item.draft.content.endswith("Closed.")
    assert item.digest != item_of(TALK).digest


def test_a_later_verdict_takes_the_place_of_an_earlier_one() -> None:
    remarks = (Remark("bob", "", verdict="approved"), Remark("bob", "Wait.", verdict="changes requested"))
    assert "approved_by" not in item_of(replace(TALK, remarks=remarks)).draft.metadata


def test_programs_are_left_out_and_so_is_what_only_they_talk_about() -> None:
    chatter = Remark("codecov[bot]", "Coverage fell", is_bot=True)
    assert "Coverage" not in item_of(replace(TALK, remarks=(chatter,))).draft.content
    bump = replace(TALK, title="Bump lodash", body="Release notes", author="dependabot[bot]", is_bot=True)
    assert talk_item("github", SHOP, replace(bump, remarks=(chatter,)), "shop") is None
    answered = item_of(replace(bump, remarks=(Remark("ann", "This broke the build."),)))
    assert answered.draft.content == "Bump lodash\n\nann: This broke the build."


def test_a_long_talk_keeps_its_beginning_and_its_end() -> None:
    remarks = tuple(Remark("ann", f"{number}: " + "x" * 3900) for number in range(100))
    item = item_of(replace(TALK, remarks=remarks))
    assert len(item.draft.content) < TALK_LENGTH_MAX + 1000
    assert "ann: 0: " in item.draft.content
    assert "ann: 99: " in item.draft.content
    assert "ann: 50: " not in item.draft.content
    assert "of its 100 comments were left out" in item.problem


def test_long_words_are_cut_and_odd_characters_do_no_harm() -> None:
    remarks = (Remark("ann", "y" * 100_000), Remark("bob", "a\x00b\ud800"))
    item = item_of(replace(TALK, title="\x07Odd\nname", body="z" * 200_000, remarks=remarks, created="yesterday"))
    assert item.draft.content.startswith("Odd name\n\nzzz")
    assert len(item.draft.content) < 40_000
    assert item.draft.content.endswith("bob: ab?")
    assert item.draft.at is None


def test_a_talk_without_a_title_is_called_by_its_number() -> None:
    assert item_of(replace(TALK, title="", body="")).draft.content == "pull 12"


def test_gitlab_names_a_merge_request_as_people_do() -> None:
    assert item_of(TALK, "gitlab").draft.aliases == ("!12",)
    assert item_of(replace(TALK, sort=ISSUE), "gitlab").draft.aliases == ("#12",)
    assert item_of(replace(TALK, sort=ISSUE)).path == "#issues/12"


def test_what_is_confidential_there_is_so_here() -> None:
    assert item_of(replace(TALK, is_confidential=True)).draft.classification == "confidential"
    assert item_of(TALK).draft.classification is None


def test_one_that_is_made_confidential_or_labelled_anew_has_changed_though_its_words_have_not() -> None:
    before = item_of(TALK)
    changed = [
        item_of(replace(TALK, is_confidential=True)),
        item_of(replace(TALK, labels=("storage", "urgent"))),
        item_of(replace(TALK, state="draft")),
    ]
    assert item_of(TALK).digest == before.digest
    assert len({before.digest, *(item.digest for item in changed)}) == 4
    assert changed[0].draft.content == before.draft.content


def test_a_file_says_where_it_is_from() -> None:
    file = HostFile("docs/a b.md", "00")
    (item,) = file_items("github", SHOP, COMMIT, file, b"# Apples\n\nThey are red.\n", "shop")
    assert isinstance(item, Item)
    assert "They are red." in item.draft.content
    assert (item.draft.source, item.draft.service, item.path) == ("github", "shop", "docs/a b.md")
    assert item.draft.metadata["url"] == f"https://github.com/acme/shop/blob/{COMMIT}/docs/a%20b.md"
    assert item.draft.metadata["repository"] == "acme/shop"
    (other,) = file_items("gitlab", SHOP, COMMIT, file, b"# Apples\n\nThey are red.\n", "shop")
    assert isinstance(other, Item)
    assert "/-/blob/" in str(other.draft.metadata["url"])
    assert item.digest == other.digest != ""


def test_a_file_that_is_kept_elsewhere_is_not_read() -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
    (skipped,) = file_items("github", SHOP, COMMIT, HostFile("model.md", "00"), pointer, "shop")
    assert isinstance(skipped, Skipped)
    assert "LFS" in skipped.reason


def test_secrets_and_what_is_generated_are_not_asked_for() -> None:
    assert why_left_out(HostFile("src/app.py", "00", 10)) is None
    assert why_left_out(HostFile("node_modules/a.js", "00", 10)) == ""
    assert why_left_out(HostFile("yarn.lock", "00", 10)) == ""
    assert "secrets" in (why_left_out(HostFile("deploy/.env", "00", 10)) or "")
    assert "bytes" in (why_left_out(HostFile("big.md", "00", 10**8)) or "")
    assert why_left_out(HostFile("unsaid.md", "00")) is None


@pytest.mark.parametrize(
    "given",
    ["acme/shop", "/acme/shop/", "acme/shop.git", "https://github.com/acme/shop", "git@github.com:acme/shop.git"],
)
def test_a_repository_is_known_however_it_is_written(given: str) -> None:
    assert repository_path(given, "github", "github.com") == "acme/shop"


def test_a_gitlab_project_may_be_deep() -> None:
    assert repository_path("https://gitlab.com/acme/web/shop/-/issues", "gitlab", "gitlab.com") == "acme/web/shop"
    assert repository_path("acme/web/shop", "gitlab", "gitlab.com") == "acme/web/shop"


@pytest.mark.parametrize(
    "given",
    ["", "shop", "acme/shop/more", "acme/../shop", "https://github.com/acme", "https://evil.org/acme/shop", "a b/c"],
)
def test_what_names_no_repository_of_the_host_is_refused(given: str) -> None:
    with pytest.raises(Invalid) as caught:
        repository_path(given, "github", "github.com")
    assert caught.value.field == "repository"
