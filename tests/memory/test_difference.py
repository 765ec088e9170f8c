"""What changed, in a line: lines that belong together are paired, and the smallest change is told first."""

from __future__ import annotations

from marrow.memory.anchors.difference import difference

SPLIT = """def split_opt(opt):
    first = opt[:1]
    if opt[1:2] == first:
        return opt[:2], opt[2:]
    return first, opt[1:]
"""
SHORT_HELP = """def make_default_short_help(help, max_length=45):
    words = help.split()
    total_length = 0
    result = []
    done = False
    for word in words:
        done = True
"""


def test_a_line_is_compared_with_what_became_of_it() -> None:
    told = difference("a.py", SPLIT, SPLIT.replace("opt[2:]\n", "opt[2:].lower()\n"))
    assert told == "return opt[:2], opt[2:] -> opt[2:].lower()"


def test_lines_that_came_before_are_not_taken_for_what_changed() -> None:
    now = 'return ""\n\n\n' + SHORT_HELP.replace("45", "60")
    told = difference("a.py", SHORT_HELP, now)
    assert told.startswith("def make_default_short_help(help, max_length=45): -> max_length=60):")


def test_the_smallest_change_is_told_first_and_the_others_are_counted() -> None:
    now = SPLIT.replace("    first = opt[:1]\n", "").replace("opt[1:2] == first", "opt[1:3] == first")
    assert difference("a.py", SPLIT, now) == "if opt[1:2] == first: -> opt[1:3] == first: (and 1 more)"


def test_what_came_or_went_is_told_as_such() -> None:
    assert difference("a.py", SPLIT, SPLIT.replace("    first = opt[:1]\n", "    first = opt[:1]\n    log(opt)\n")) == (
        "nothing -> log(opt)"
    )
    assert difference("a.py", SPLIT, SPLIT.replace("    first = opt[:1]\n", "")) == "first = opt[:1] -> nothing"


def test_another_layout_beside_a_change_is_not_counted() -> None:
    laid_out = SPLIT.replace("return first, opt[1:]", "return (\n        first,\n        opt[1:],\n    )")
    told = difference("a.py", SPLIT, laid_out.replace("opt[:1]", "opt[:9]"))
    assert told == "first = opt[:1] -> opt[:9]"


def test_what_stands_behind_the_part_that_is_known_is_no_change() -> None:
    was = SPLIT[:80]
    assert difference("a.py", was, SPLIT, is_cut=True) == ""
    now = SPLIT.replace("opt[1:2] == first", "opt[1:3] == first")
    assert difference("a.py", was, now, is_cut=True) == "if opt[1:2] == first: -> opt[1:3] == first:"
    came = SPLIT.replace("    first", "    log(opt)\n    first", 1)
    assert difference("a.py", was, came, is_cut=True) == "nothing -> log(opt)"
