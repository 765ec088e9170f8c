"""Text as it enters: one form for equal texts, what is refused, and how long it is for a model."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from marrow.model.errors import Invalid, TooLarge
from marrow.model.text import CONTENT_BYTES_MAX, clean, first_line, is_in_other_letters, name, shorten, token_estimate

printable = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=80)


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ("plain", "plain"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("\n\n  indented stays\n\n", "  indented stays"),
        ("trailing   \n\n", "trailing"),
        ("a\n\n\nb", "a\n\n\nb"),
        ("tab\tstays", "tab\tstays"),
        ("\x1b[31mred\x1b[0m", "\x1b[31mred\x1b[0m"),
    ],
)
def test_equal_texts_get_one_form(given_: str, kept: str) -> None:
    assert clean(given_) == kept


@given(printable)
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assume(text.strip())
    once = clean(text)
    assert clean(once) == once


@pytest.mark.parametrize(
    "given_",
    [
        "",
        "   ",
        "\n\t\n",
        b"bytes",
        bytearray(b"bytes"),
        5,
        None,
        ["text"],
        "a\x00b",
        "\ud800",
        "ok \udfff",
        "\x01\x02\x03ab",
    ],
)
def test_what_is_not_text_is_refused_with_field(given_: object) -> None:
    with pytest.raises(Invalid) as caught:
        clean(given_, field="note")
    assert caught.value.field == "note"
    assert caught.value.code == "invalid"


def test_limit_counts_bytes_and_is_inclusive() -> None:
    assert len(clean("a" * CONTENT_BYTES_MAX)) == CONTENT_BYTES_MAX
    with pytest.raises(TooLarge) as caught:
        clean("a" * (CONTENT_BYTES_MAX + 1))
    assert caught.value.code == "too_large"
    assert caught.value.hint
    with pytest.raises(TooLarge):
        clean("é" * (CONTENT_BYTES_MAX // 2 + 1))


def test_a_few_control_characters_are_text_and_many_are_not() -> None:
    assert clean("x" * 99 + "\x07")
    with pytest.raises(Invalid):
        clean("x" * 50 + "\x07" * 50)


def test_name_is_one_short_line() -> None:
    assert name("  my project ", field="project") == "my project"
    for bad in ("two\nlines", "x" * 201, "bell\x07", ""):
        with pytest.raises(Invalid) as caught:
            name(bad, field="project")
        assert caught.value.field == "project"
    with pytest.raises(Invalid, match="The project is empty"):
        name(" ", field="project")


def test_first_line_is_cut_at_a_word() -> None:
    assert first_line("\n  title here \nrest") == "title here"
    cut = first_line("word " * 60, 40)
    assert len(cut) <= 40
    assert cut.endswith("word…")


@given(st.text(max_size=400), st.integers(2, 60))
def test_shortened_text_is_within_the_budget_and_a_beginning(text: str, tokens: int) -> None:
    cut = shorten(text, tokens)
    assert cut == text or cut.endswith(" …")
    assert text.startswith(cut.removesuffix(" …"))
    assert token_estimate(cut) <= tokens


def test_estimate_errs_on_the_high_side_for_prose_and_code() -> None:
    tokenizer = pytest.importorskip("anthropic_tokenizer")
    code = Path(__file__).read_text("utf-8")
    prose = (
        "The nightly build fails because the disk fills up. We decided in the meeting of the eighth of May to move "
        "the artefacts to another volume, and to keep only the last ten of them there. Nobody objected; the change "
        "was made on the same day and has held since. "
    ) * 5
    for text in (code, prose):
        counted = tokenizer.count_tokens(text)
        assert counted <= token_estimate(text) <= 2 * counted


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("データベースにはサーバーが要らないものを使うことに決めた。", 20, 40),
        ("我们决定使用消息队列来处理订单，因为同步调用太慢。", 18, 35),
        ("Мы решили использовать очереди для всех сообщений.", 14, 30),
    ],
)
def test_estimate_counts_other_letters_as_a_model_reads_them(text: str, least: int, most: int) -> None:
    assert least <= token_estimate(text) <= most


def test_text_without_spaces_is_cut_within_itself() -> None:
    assert shorten("请记住" * 40, 10) == "请记住" * 3 + " …"


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("The cache expires.", False),
        ("Der Übergrößenzähler läuft.", False),
        ("We call it 猫 in the interface.", False),
        ("我们使用Redis作为缓存。", True),
        ("Кэш истекает через 15 минут.", True),
        ("कैश समाप्त हो जाता है।", True),
        ("🦊 → 15", False),
        ("", False),
    ],
)
def test_text_is_in_other_letters_where_much_of_it_is(text: str, other: bool) -> None:
    assert is_in_other_letters(text) is other


def test_a_megabyte_of_blanks_has_a_length_and_is_cut() -> None:
    text = f"The gate{' ' * 1_000_000}is green."
    assert token_estimate(text) > 10_000
    assert shorten(text, 100) == "The gate …"
