"""What a text names, and with which words."""

from __future__ import annotations

import pytest

from marrow.ingest.mentions import (
    AMENDED_BY,
    AMENDS,
    CAUSED_BY,
    COMMIT,
    DECIDES,
    DECISION,
    DEPENDS_ON,
    EACH_MAX,
    FIXES,
    FOLLOWS,
    INCIDENT,
    PATH,
    REQUEST,
    REVERTS,
    SUPERSEDED_BY,
    SUPERSEDES,
    Mention,
    decision_numbers,
    incident_names,
    mentions,
    symbols,
)

HASH = "3fa9c1d20b7e5f7c6d8e9f001122334455667788"


def named(text: str, what: str, path: str = "") -> list[tuple[str, str]]:
    return [(one.name, one.how) for one in mentions(text, path) if one.what == what]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Supersedes ADR-0003 and ADR 7.", [("3", SUPERSEDES), ("7", SUPERSEDES)]),
        ("Superseded by ADR-12", [("12", SUPERSEDED_BY)]),
        ("Superceded by [12. Use a queue](0012-use-a-queue.md)", [("12", SUPERSEDED_BY)]),
        ("This does not supersede ADR-3.", [("3", "")]),
        ("Will be superseded by ADR-3.", [("3", "")]),
        ("It is to be replaced by ADR-3.", [("3", "")]),
        ("Rejected in favour of ADR-3.", [("3", "")]),
        ("This will supersede ADR-3.", [("3", "")]),
        ("This will implement ADR-3.", [("3", "follows")]),
        ("Deprecated in favour of ADR-3.", [("3", "superseded_by")]),
        ("It partially replaces adr-003.", [("3", "")]),
        ("This decision amends ADR-3 and ADR-4.", [("3", AMENDS), ("4", AMENDS)]),
        ("We follow ADR-7, which amends ADR-3.", [("7", ""), ("3", "")]),
        ("We follow [ADR-7](0007-a.md), which now supersedes ADR-3.", [("7", ""), ("3", "")]),
        ("Of ADR-3, which was superseded by ADR-7, only the crates are left.", [("3", ""), ("7", "")]),
        ("Accepted, amended by ADR-14", [("14", AMENDED_BY)]),
        ("This has since been refined by ADR-14.", [("14", AMENDED_BY)]),
        ("Pears use the crates of ADR-3, as refined in ADR-7.", [("3", ""), ("7", "")]),
        ("The rules were clarified in ADR-7.", [("7", "")]),
        ("It depends on ADR_9; agreed ADR#4.", [("9", DEPENDS_ON), ("4", DECIDES)]),
        ("Implements ADR 2.", [("2", FOLLOWS)]),
        ("ADRs 3, 4 and 5", [("3", ""), ("4", ""), ("5", "")]),
        ("See decision 17, decision record 18 and decision no. 19", [("17", ""), ("18", ""), ("19", "")]),
        ("quadr-12 and LADR1 are something else; so are ADR-12b and the adr folder", []),
        ("see 2024-01-02-standup.md", []),
    ],
)
def test_decisions_are_known_by_their_number_and_by_how_they_are_named(text: str, found: list[object]) -> None:
    assert named(text, DECISION) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Fixes INC-42: retry storm", [("INC-42", FIXES)]),
        ("after incident #7 we retry", [("INC-7", FOLLOWS)]),
        ("inc-0042, INC-2024-03-12", [("INC-42", ""), ("INC-2024-03-12", "")]),
        ("post-mortem 12", [("INC-12", "")]),
        ("a SEV-1 with 3 incidents", []),
        ("since-42 is no incident", []),
    ],
)
def test_incidents_are_known_by_their_name(text: str, found: list[object]) -> None:
    assert named(text, INCIDENT) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("caused by commit 3fa9c1d and fixed in 77e0aa1d2b", [("3fa9c1d", CAUSED_BY), ("77e0aa1d2b", FIXES)]),
        (f"This reverts commit {HASH}.", [(HASH, REVERTS)]),
        ("Rolled back by 3fa9c1d.", [("3fa9c1d", FIXES)]),
        (f"fixed in https://example.com/a/b/commit/{HASH}", [(HASH, FIXES)]),
        ("deadbeef 1234567 20240102 3fa9c1 #3fa9c1d", []),
    ],
)
def test_commits_are_hashes_of_at_least_seven_digits(text: str, found: list[object]) -> None:
    assert named(text, COMMIT) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Retry once (#123)", [("123", "")]),
        ("Closes #9, see PR 10, !11 and GH-12", [("9", FIXES), ("10", FIXES), ("12", FIXES), ("11", FIXES)]),
        ("https://example.com/a/b/pull/88", [("88", "")]),
        ("# 1 heading, #fff, &#39; and item#5", []),
    ],
)
def test_pull_requests_and_issues_are_known_by_number(text: str, found: list[object]) -> None:
    assert named(text, REQUEST) == found


def test_paths_are_told_from_the_root_and_addresses_and_products_are_none() -> None:
    text = (
        "In `src/store/door.py:12` and ../incidents/2024-05-db.md, see ./0002-b.md; node.js, e.g. https://a.b/c.html, "
        "/etc/hosts.conf, ~/x.py, Foo.bar and door.py"
    )
    found = [name for name, _ in named(text, PATH, "docs/adr/0001-a.md")]
    assert found == ["src/store/door.py", "docs/incidents/2024-05-db.md", "docs/adr/0002-b.md", "door.py"]


def test_a_path_that_leads_out_is_none() -> None:
    assert named("../../../secret.md", PATH, "docs/a.md") == []


def test_how_a_thing_is_named_counts_over_naming_it_by_the_way() -> None:
    assert named("ADR-3 was good. Now this supersedes ADR-3.", DECISION) == [("3", SUPERSEDES)]
    assert named("This supersedes ADR-3, see also ADR-4.", DECISION) == [("3", SUPERSEDES), ("4", "")]
    assert named("Superseded by the bus, see ADR-4.", DECISION) == [("4", SUPERSEDED_BY)]


def test_words_of_the_sentence_before_say_nothing() -> None:
    assert named("It was fixed. ADR-3 holds.", DECISION) == [("3", "")]
    assert named("- it fixes much\n- INC-3", INCIDENT) == [("INC-3", "")]


def test_each_sort_is_bounded() -> None:
    assert len(mentions(" ".join(f"INC-{n}" for n in range(1, 500)))) == EACH_MAX


def test_letters_that_grow_in_small_do_not_move_the_places() -> None:
    assert mentions("İİİİ fixes INC-3") == (Mention(INCIDENT, "INC-3", FIXES),)


def test_symbols_are_written_as_code_is() -> None:
    text = "`TokenBucket.take()` and `store::door`, RetryQueue, max_retry_count; `true`, `a.py`, plain words"
    assert symbols(text) == ("TokenBucket.take", "store.door", "TokenBucket", "RetryQueue", "max_retry_count")


def test_short_texts_give_their_numbers_and_names() -> None:
    assert decision_numbers("ADR-0012: use a queue") == (12,)
    assert incident_names("INC-7 and incident 8") == ("INC-7", "INC-8")
