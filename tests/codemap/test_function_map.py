"""The function map of a file: within its tokens, with marks, and never without what changed."""

from __future__ import annotations

from marrow.codemap.compare import Difference
from marrow.codemap.function_map import draw, entries
from marrow.codemap.parse import map_of
from marrow.model.code import FileMap, Symbol
from marrow.model.text import token_estimate


def symbols(count: int) -> tuple[Symbol, ...]:
    head = Symbol("class", "Store", "Store", -1, 1, 900, "class Store(Base)")
    return (
        head,
        *(
            Symbol("method", f"step_{n}", f"Store.step_{n}", 0, 2 + n, 3 + n, f"def step_{n}(self, given: int) -> str")
            for n in range(count)
        ),
    )


def test_a_small_file_is_told_with_heads_and_lines() -> None:
    text = draw("src/store.py", entries(symbols(2), ()), 40).text
    assert "src/store.py (40 lines)" in text
    assert "def step_1(self, given: int) -> str 3-4" in text


def test_what_changed_is_marked() -> None:
    known = symbols(3)
    gone = Symbol("function", "old", "old", -1, 5, 6, "def old()")
    changed = [
        Difference("new", "a.py", known[1]),
        Difference("modified", "a.py", known[2]),
        Difference("deleted", "a.py", gone),
    ]
    found = entries(known, changed)
    assert [entry.mark for entry in found] == ["UNCHANGED", "NEW", "MODIFIED", "UNCHANGED", "DELETED"]
    text = draw("a.py", found).text
    assert "1 NEW, 1 MODIFIED, 1 DELETED" in text
    assert "old() 5-6 DELETED" in text


def test_a_large_file_stays_within_its_tokens_and_still_tells_what_changed() -> None:
    known = symbols(400)
    found = entries(known, [Difference("modified", "a.py", known[399])])
    text = draw("a.py", found, 900, 150).text
    assert token_estimate(text) <= 170
    assert "step_398" in text
    assert "MODIFIED" in text


def test_a_file_of_a_usual_size_needs_about_150_tokens() -> None:
    assert token_estimate(draw("src/store.py", entries(symbols(25), ()), 300).text) <= 150


def test_an_empty_file_says_so() -> None:
    assert "no functions or types" in draw("a.py", entries(FileMap("python").symbols, ())).text


def test_a_method_of_rust_is_told_with_its_type() -> None:
    source = (
        b"struct A;\nstruct B;\nimpl A {\n    pub fn new(x: u8) -> Self { A }\n}\n"
        b"impl fmt::Display for B {\n    fn fmt(&self) {}\n}\nfn new() {}\nmod tests {\n    fn one() {}\n}\n"
    )
    found = entries(map_of("a.rs", source).symbols, ())
    for tokens in (300, 60):
        text = draw("a.rs", found, tokens=tokens).text
        assert "A::new(x: u8) -> Self 4" in text
        assert "B::fmt(&self) 7" in text
        assert "fn ::" not in text
        assert " one() 11" in text
    assert "pub fn A::new(x: u8) -> Self 4-4" in draw("a.rs", found, tokens=300).text
    assert " fn new() 9-9" in draw("a.rs", found, tokens=300).text
