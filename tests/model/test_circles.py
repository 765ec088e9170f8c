"""Decisions that take each other's place are found, and nothing else is."""

from __future__ import annotations

from marrow.model.circles import circles
from marrow.model.link import Link


def link(line: str, *, project: str = "p", rel: str = "supersedes", closed: bool = False) -> Link:
    return Link(line[0], line[1], rel, project, 1, closed)


def found(*links: Link) -> list[str]:
    return [one.source + one.target for one in circles(links)]


def test_a_line_however_long_is_no_circle() -> None:
    line = [Link(str(at), str(at + 1), "supersedes", "p", at) for at in range(20_000)]
    assert circles(line) == []


def test_what_leads_into_a_circle_or_out_of_it_is_not_of_it() -> None:
    assert found(link("xa"), link("ab"), link("bc"), link("ca"), link("cy"), link("yz")) == ["ab", "bc", "ca"]


def test_ended_links_other_relations_and_other_projects_close_none() -> None:
    assert found(link("ab"), link("ba", closed=True)) == []
    assert found(link("ab"), link("ba", rel="depends_on")) == []
    assert found(link("ab"), link("ba", project="q")) == []


def test_of_two_circles_both_are_found() -> None:
    assert found(link("ab"), link("ba"), link("cd"), link("dc")) == ["ab", "ba", "cd", "dc"]
