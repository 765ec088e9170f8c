"""Text as it enters the memory: one form for equal texts, limits, and how long a text is for a model that reads it."""

from __future__ import annotations

import re

from .errors import Invalid, TooLarge

CONTENT_BYTES_MAX = 1024 * 1024
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_BINARY_SHARE_MAX = 0.05
_WORDS = re.compile(r"\w+|[^\w\s]|\n")
# Blanks between words count for nothing, until there are more than anybody writes.
_CHARACTERS_A_TOKEN_MAX = 40
# What is written without spaces, Chinese and Japanese first: about a token for each character.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ufaff\uff00-\uffdc\U00020000-\U0003ffff"
_LATIN = "A-Za-z\u00aa-\u024f\u1e00-\u1eff"
_LATIN_LETTERS, _OTHER_LETTERS = rf"[{_LATIN}]", rf"[^\W\d_{_LATIN}]"
_ANY_WORDS = rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+|[^\w\s]|\n"


def clean(text: object, *, field: str = "content", bytes_max: int = CONTENT_BYTES_MAX) -> str:
    """`text` in the form that is stored: line ends as `\\n`, no blank lines around it. Refuses what is not text."""
    if isinstance(text, bytes | bytearray):
        raise Invalid("Text was expected, and these are bytes.", hint="Decode them as UTF-8 first.", field=field)
    if not isinstance(text, str):
        raise Invalid(f"Text was expected, not {type(text).__name__}.", hint="Give it as text.", field=field)
    form = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()
    if not form.strip():
        raise Invalid("The text is empty.", hint="Say in a sentence or two what is to be remembered.", field=field)
    try:
        size = len(form.encode())
    except UnicodeEncodeError:
        raise Invalid("The text is not valid Unicode.", hint="Decode it as UTF-8 first.", field=field) from None
    if "\x00" in form:
        raise Invalid("The text contains a NUL character.", hint="Binary data is not kept as text.", field=field)
    if len(_CONTROLS.findall(form)) > _BINARY_SHARE_MAX * len(form):
        raise Invalid("This looks like binary data.", hint="Describe it in words, or keep it as a file.", field=field)
    if size > bytes_max:
        raise TooLarge(
            f"The text has {size:,} bytes; at most {bytes_max:,} are kept in one node.",
            hint="Split it, or keep a summary with the path of the file.",
            field=field,
        )
    return form


def name(text: object, *, field: str, length_max: int = 200) -> str:
    """A short single-line name: a project, a tag, a thread."""
    if isinstance(text, str) and not text.strip():
        raise Invalid(f"The {field} is empty.", hint="Give a word or a few, in one line.", field=field)
    form = clean(text, field=field, bytes_max=4 * length_max).strip()
    if len(form) > length_max or "\n" in form or _CONTROLS.search(form):
        raise Invalid(f"A {field} is one line of at most {length_max} characters.", field=field)
    return form


def token_estimate(text: str) -> int:
    """About how many tokens a model reads. Counts words, marks and line ends; long words count by length.

    Checked against a real tokenizer in the tests: it errs on the high side for prose and code.
    """
    if text.isascii():
        words = sum(1 + (len(word) - 1) // 6 for word in _WORDS.findall(text))
    else:
        words = sum(map(_tokens_in, re.findall(_ANY_WORDS, text)))
    return max(words, len(text) // _CHARACTERS_A_TOKEN_MAX)


def _tokens_in(word: str) -> int:
    """Tokens are made of what models read most: in other letters they are shorter."""
    return 1 + (len(word) - 1) // (6 if word.isascii() else 3)


def is_in_other_letters(text: str) -> bool:
    """Whether much of it is in other letters than Latin ones. Two Chinese characters say about what six letters do."""
    if text.isascii():
        return False
    others = len(re.findall(_OTHER_LETTERS, text))
    return 3 * others > len(re.findall(_LATIN_LETTERS, text))


def first_line(text: str, length: int = 100) -> str:
    """The first line, shortened at a word's end."""
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= length else line[: length - 1].rsplit(" ", 1)[0].rstrip() + "…"


def shorten(text: str, tokens: int) -> str:
    """`text` cut at a word's end so that it takes at most about `tokens`; says that it was cut."""
    if token_estimate(text) <= tokens:
        return text
    used = 0
    for word in re.finditer(_ANY_WORDS, text):
        used += _tokens_in(word[0])
        if max(used, word.end() // _CHARACTERS_A_TOKEN_MAX) >= tokens:
            return text[: word.start()].rstrip() + " …"
    return text


def on_a_line(name: str) -> str:
    """A name of a file as it is told in a line of text: what would end that, or cannot be seen, as `\\n` or `\\x07`."""
    if name.isprintable():
        return name
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in name)


def sized(count: int) -> str:
    """A number of bytes as people say it: `12 KB`."""
    if count < 1000:
        return counted(count, "byte")
    return f"{count / 1e3:.0f} KB" if count < 999_500 else f"{count / 1e6:,.1f} MB"


def counted(number: int, what: str) -> str:
    """`1 call`, `2 calls`, `2 memories`, `2 surveys`."""
    many = f"{what[:-1]}ies" if what.endswith("y") and what[-2:-1] not in "aeiou" else f"{what}s"
    return f"{number:,} {what if number == 1 else many}"
