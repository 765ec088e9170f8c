"""Comparing a new text with a known one. The cosines are those of the embedder that comes with Marrow."""

from __future__ import annotations

import pytest

from marrow.providers.static import StaticEmbedder
from marrow.search.compare import CONTRADICTS, NEAR, REPLACES, compare

AT_ODDS = [
    # changed numbers and versions
    ("The API listens on port 9090.", "The API listens on port 8080."),
    ("The rate limit is 200 requests a minute.", "The rate limit is 100 requests a minute."),
    ("We use Python 3.12 in the workers.", "We use Python 3.11 in the workers."),
    ("Sessions expire after 30 minutes.", "Sessions expire after 60 minutes."),
    ("The pool has ten slots.", "The pool has forty slots."),
    ("The contract ends on 31 May 2026.", "The contract ends on 30 June 2026."),
    # negations
    ("Sessions do not expire.", "Sessions expire."),
    ("Do not cache the tracking pages at the edge.", "Cache the tracking pages at the edge."),
    ("Uploads are accepted without a signature.", "Uploads are accepted with a signature."),
    ("Wir verwenden Redis nicht als Cache.", "Wir verwenden Redis als Cache."),
    ("Nous n'utilisons plus Redis pour le cache.", "Nous utilisons Redis pour le cache."),
    ("Мы больше не используем Redis для кэша сессий.", "Мы используем Redis для кэша сессий."),
    ("我们不再使用Redis作为缓存。", "我们使用Redis作为缓存。"),
    ("キャッシュにはRedisを使用しない。", "キャッシュにはRedisを使用する。"),
    ("हम कैश के लिए Redis का उपयोग नहीं करते हैं।", "हम कैश के लिए Redis का उपयोग करते हैं।"),
    ("لا نستخدم Redis لتخزين الجلسات.", "نستخدم Redis لتخزين الجلسات."),
    # opposites
    ("Workers never retry failed uploads.", "Workers always retry failed uploads."),
    ("Debug logging is disabled in production.", "Debug logging is enabled in production."),
    ("The tenant header is optional.", "The tenant header is required."),
    ("The bucket with the labels is private.", "The bucket with the labels is public."),
    ("Backups are taken after the migration.", "Backups are taken before the migration."),
    ("Invoices are rounded after tax.", "Invoices are rounded before tax."),
    # one word for another
    ("Deploys go out on Mondays.", "Deploys go out on Fridays."),
]
# The first announces that it changes the second.
ANNOUNCED = [
    ("The nightly export no longer takes the write lock.", "The nightly export takes the write lock."),
    ("From now on the API listens on port 9090.", "The API listens on port 8080."),
    ("Deploys go out on Mondays instead of Fridays.", "Deploys go out on Fridays."),
]
ALIKE = [
    ("The nightly export takes the write lock.", "The nightly export takes the write lock for a while."),
    ("Money is stored as integer cents.", "Money amounts are stored as integer cents."),
    ("We chose Postgres because parcel events need joins.", "We chose Postgres, because parcel events need joins!"),
    ("Branches are squashed when merged into main.", "Branches get squashed when they are merged into main."),
    ("Credentials are read from Vault at start.", "At start, credentials are read from Vault."),
    ("ＡＰＩの制限は１００件", "APIの制限は100件"),
    ("Le café sert les données.", "Le cafe\u0301 sert les donne\u0301es."),
    ("Every call is retried three times.", "All calls get retried three times."),
]
UNLIKE = [
    ("Issue #412: the label printer prints umlauts wrongly.", "Issue #977: the tracking page is slow on phones."),
    ("Fixed in #412: retry the upload.", "Fixed in #977: retry the upload."),
    ("We chose Postgres for its transactions.", "Deploys go out on Tuesdays."),
    ("The worker leaked memory because of the DHL client.", "The worker is written in Python."),
    ("Maps are drawn with MapLibre.", "Labels are rendered as ZPL."),
    ("On 14 March checkout was down for forty minutes.", "On 2 June checkout was down for an hour."),
    ("The connection pool has ten slots.", "Requests are retried three times."),
    ("Priya owns billing.", "Tomas owns the carriers."),
]
PAIRS = [
    *((one, other, CONTRADICTS) for one, other in AT_ODDS),
    *((one, other, NEAR) for one, other in ALIKE),
    *((one, other, None) for one, other in UNLIKE),
]


@pytest.mark.parametrize(("one", "other", "verdict"), PAIRS)
def test_two_texts_are_at_odds_or_alike_or_two_things_whichever_is_new(
    static: StaticEmbedder, one: str, other: str, verdict: str | None
) -> None:
    vectors = static.documents([one, other])
    cosine = float(vectors[0] @ vectors[1])
    for new, known in ((one, other), (other, one)):
        found = compare(new, known, cosine)
        assert (found.what if found else None) == verdict


@pytest.mark.parametrize(("new", "known"), ANNOUNCED)
def test_what_announces_a_change_replaces_when_it_is_new_and_is_not_replaced_by_what_it_changed(
    static: StaticEmbedder, new: str, known: str
) -> None:
    vectors = static.documents([new, known])
    cosine = float(vectors[0] @ vectors[1])
    forward, back = compare(new, known, cosine), compare(known, new, cosine)
    assert forward is not None
    assert (forward.what, bool(forward.reason)) == (REPLACES, True)
    assert back is None or back.what != REPLACES


def test_a_contradiction_says_what_differs_on_which_side() -> None:
    found = compare("The API listens on port 9090.", "The API listens on port 8080.", 0.9123)
    assert found is not None
    assert found.reason == "8080 there, 9090 here"
    assert found.similarity == 0.912


def test_a_high_cosine_alone_makes_nothing_alike() -> None:
    assert compare("Maps are drawn with MapLibre.", "Labels are rendered as ZPL.", 0.99) is None


@pytest.mark.parametrize(("cosine", "verdict"), [(0.9, NEAR), (0.7, None)])
def test_texts_that_share_half_of_their_words_are_alike_only_when_they_are_close(
    cosine: float, verdict: str | None
) -> None:
    one, other = "Failed uploads get retried with jitter.", "Failed uploads get retried, logged and archived."
    found = compare(one, other, cosine)
    assert (found.what if found else None) == verdict


def test_the_same_words_are_alike_without_a_cosine() -> None:
    found = compare("Credentials are read from Vault.", "From Vault, credentials are read.", 0.0)
    assert found is not None
    assert found.what == NEAR


@pytest.mark.parametrize("text", ["", "the of and", "42", "!?"])
def test_a_text_that_says_nothing_is_like_nothing(text: str) -> None:
    assert compare(text, "The pool has forty slots.", 1.0) is None
    assert compare("The pool has forty slots.", text, 1.0) is None
