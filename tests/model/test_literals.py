"""One look at a long text leaves out no literal that is in it, and most of the others."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model import literals
from marrow.model.literals import LONG, Literals
from marrow.model.redact import FOLDED, redact
from marrow.model.redact import LONG as TOKENS

from .secret_corpus import CORPUS, STAYS

EVERY = [literal for sought in (FOLDED, TOKENS) for _, literals in sought[0] for literal, _ in literals]
# Prose of a length that is looked at as a whole, and that no rule finds anything in.
PROSE = "The rows move in the night. Nobody waits for them, and nothing is lost on the way.\n" * 20


@given(st.lists(st.sampled_from(EVERY), max_size=6), st.text(max_size=400), st.randoms())
def test_what_is_in_a_long_text_is_never_left_out(held: list[str], beside: str, chance: object) -> None:
    sought = Literals(EVERY)
    text = beside.join(["", *held, PROSE[:LONG]])
    assert {one for one in EVERY if one in text} <= set(sought.likely_in(text))


def test_hardly_anything_else_is_named() -> None:
    assert np is sys.modules["numpy"]
    likely = Literals(EVERY).likely_in(PROSE)
    assert len([one for one in likely if one not in PROSE]) < len(EVERY) / 10


def test_halves_of_characters_and_very_short_literals_are_looked_for_too() -> None:
    sought = Literals(["", "pw", "7z", "密", "token"])
    assert set(sought.likely_in("\ud800" + PROSE)) == {"", "pw", "7z"}
    assert {"密", "token"} <= set(sought.likely_in(PROSE + "密 token"))
    assert "token" in sought.likely_in(PROSE + "\udfff token \ud800")
    assert set(Literals(["", "pw"]).likely_in(PROSE)) == {"", "pw"}


@pytest.mark.parametrize(("rule", "place", "secret"), CORPUS)
def test_a_secret_in_a_long_text_is_removed_as_if_each_literal_was_looked_for(
    rule: str, place: str, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"{PROSE}\n{place.format(secret)}\n{PROSE}"
    found = redact(text, keep_lines=True)  # which is kept nowhere
    monkeypatch.setattr(literals, "LONG", len(text) + 1)
    assert found == redact(text, keep_lines=True)
    assert found.counts


def test_what_only_speaks_of_secrets_stays_in_a_long_text() -> None:
    for text in STAYS:
        assert redact(f"{PROSE}\n{text}\n{PROSE}").text == f"{PROSE}\n{text}\n{PROSE}"


def test_while_another_thread_loads_numpy_each_literal_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    half = type(sys)("numpy")  # as `import` leaves it there before it has run
    half.__spec__ = type("Spec", (), {"_initializing": True})()
    monkeypatch.setitem(sys.modules, "numpy", half)
    assert set(Literals(EVERY).likely_in(PROSE)) == set(EVERY)


def test_where_numpy_is_not_loaded_it_stays_so_and_secrets_are_removed_all_the_same() -> None:
    _, place, secret = CORPUS[0]
    program = (
        "import sys; from marrow.model.redact import redact; text = sys.stdin.read(); found = redact(text);"
        "assert 'numpy' not in sys.modules; print(found.total)"
    )
    told = f"{PROSE}\n{place.format(secret)}\n"
    ran = subprocess.run([sys.executable, "-c", program], input=told, capture_output=True, text=True, check=True)
    assert int(ran.stdout) == redact(told).total == 1
