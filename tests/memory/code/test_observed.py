"""What is seen at run time confirms, adds to and weakens the map's calls."""

from __future__ import annotations

import pytest

from marrow.memory.code.callees import callees
from marrow.memory.code.callers import callers
from marrow.memory.code.observed import Observed, observed_in

from .conftest import Project, symbol


def trace(project: Project, *frames: tuple[str, int, str]) -> str:
    lines = [f'  File "{project.root}/{path}", line {line}, in {name}\n    pass' for path, line, name in frames]
    return "\n".join(["Traceback (most recent call last):", *lines, "ValueError: no"])


@pytest.fixture
def dynamic(mapped: Project) -> Project:
    mapped.write(
        "shop/plugins.py",
        "def handle(event):\n    return HANDLERS[event]()\n\n\ndef on_open():\n    return 1\n\n\nHANDLERS = {}\n",
    )
    mapped.update()
    return mapped


def test_a_call_that_the_map_has_is_confirmed(dynamic: Project) -> None:
    text = trace(dynamic, ("shop/main.py", 14, "<module>"), ("shop/main.py", 9, "main"), ("shop/lines.py", 2, "joined"))
    assert observed_in(dynamic.kept, text, 5).confirmed == 1
    with dynamic.kept.reading() as reader:
        (site,) = (one for one in callers(reader, symbol(reader, "joined")).sites if one.path == "shop/main.py")
    assert (site.reason, site.confidence) == ("seen", 0.99)


def test_a_call_that_the_text_does_not_show_is_added(dynamic: Project) -> None:
    text = trace(dynamic, ("shop/plugins.py", 2, "handle"), ("shop/plugins.py", 6, "on_open"))
    assert observed_in(dynamic.kept, text, 5) == Observed(added=1)
    with dynamic.kept.reading() as reader:
        (site,) = callers(reader, symbol(reader, "on_open")).sites
        assert (site.caller.qualified if site.caller else "", site.reason) == ("handle", "seen")
        found = callees(reader, symbol(reader, "handle")).found
        assert [one.target.qualified for one in found if one.target] == ["on_open"]


def test_a_call_that_went_elsewhere_weakens_what_the_map_says(dynamic: Project) -> None:
    dynamic.write("shop/late.py", "class Late:\n    def save(self, rows):\n        return 1\n")
    dynamic.update()
    text = trace(dynamic, ("shop/main.py", 7, "main"), ("shop/late.py", 3, "save"))
    assert observed_in(dynamic.kept, text, 5) == Observed(added=1, against=1)
    with dynamic.kept.reading() as reader:
        sites = callers(reader, symbol(reader, "Store.save")).sites
    assert next(one for one in sites if one.path == "shop/main.py").confidence < 0.6


def test_what_was_seen_stays_while_the_file_is_edited(dynamic: Project) -> None:
    observed_in(dynamic.kept, trace(dynamic, ("shop/plugins.py", 2, "handle"), ("shop/plugins.py", 6, "on_open")), 5)
    dynamic.replace("shop/plugins.py", "def handle", "def before():\n    return 1\n\n\ndef handle")
    dynamic.update()
    with dynamic.kept.reading() as reader:
        assert [site.reason for site in callers(reader, symbol(reader, "on_open")).sites] == ["seen"]


def test_frames_outside_and_names_that_do_not_fit_are_passed_over(dynamic: Project) -> None:
    text = trace(dynamic, ("shop/main.py", 9, "main"), ("../lib/other.py", 2, "run"), ("shop/lines.py", 2, "joined"))
    assert observed_in(dynamic.kept, text, 5) == Observed()
    text = trace(dynamic, ("shop/main.py", 9, "main"), ("shop/lines.py", 2, "another_name"))
    assert observed_in(dynamic.kept, text, 5) == Observed()
