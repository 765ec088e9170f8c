"""What says that something is not so."""

from __future__ import annotations

import unicodedata

import pytest

from marrow.search.negation import negates


@pytest.mark.parametrize(
    "text",
    [
        "We do not use Redis.",
        "Sessions aren't kept.",
        "Wir nutzen Redis nicht.",
        "Es gibt keinen Server.",
        "Nous n'utilisons pas Redis.",
        "Le cache ne sert plus.",
        "Non usiamo Redis.",
        "Não usamos Redis.",
        unicodedata.normalize("NFD", "Não usamos Redis."),
        "No usamos Redis.",
        "Мы не используем Redis.",
        "我们不使用缓存。",
        "キャッシュは使わない。",
        "캐시를 쓰지 않는다.",
        "हम रेडिस नहीं चलाते।",
        "نحن لا نستخدم الذاكرة.",
    ],
)
def test_denial_is_one_in_any_language(text: str) -> None:
    assert negates(text)


@pytest.mark.parametrize(
    "text",
    [
        "The PAS service runs on port 8080.",
        "Use -ne in the tests of the shell.",
        "The NE region hosts it.",
        "WHERE name = N'abc'",
        "The non-blocking IO is on.",
        "这个方案不错。",
        "我们不得不使用缓存。",
        "差不多完成了。",
        "それは危ない。",
        "잘못된 값",
        "Wir nutzen Redis.",
        "Nous utilisons Redis.",
    ],
)
def test_names_options_and_words_that_only_look_so_deny_nothing(text: str) -> None:
    assert not negates(text)
