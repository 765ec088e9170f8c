"""Circles of supersession: two memories, each of which let another of two decisions take the other's place.

Within one memory such a circle is refused. An exchange can close one, and then nothing of it would hold any more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from .link import Link

SUPERSEDES = "supersedes"


def closing_circles(links: Iterable[Link]) -> list[Link]:
    """The links that have to end so that no circle is left: of each circle the one said first, so that the last
    conclusion holds. The same for the same links, in whichever order they come."""
    by_project: dict[str, list[Link]] = defaultdict(list)
    for link in links:
        if link.rel == SUPERSEDES and not link.closed:
            by_project[link.project].append(link)
    return [ended for _, given in sorted(by_project.items()) for ended in _ended(_knot(given))]


def _knot(links: Collection[Link]) -> list[Link]:
    """What is left without the links that lead from nowhere or to nowhere: nearly always nothing."""
    left = list(links)
    while left:
        inner = {link.source for link in left} & {link.target for link in left}
        kept = [link for link in left if link.source in inner and link.target in inner]
        if len(kept) == len(left):
            break
        left = kept
    return left


def _ended(links: Collection[Link]) -> list[Link]:
    leads: dict[str, set[str]] = defaultdict(set)
    ended = []
    for link in sorted(links, key=lambda one: (one.at, one.source, one.target), reverse=True):
        if _reaches(leads, link.target, link.source):
            ended.append(link)
        else:
            leads[link.source].add(link.target)
    return ended


def _reaches(leads: dict[str, set[str]], start: str, goal: str) -> bool:
    seen, edge = {start}, {start}
    while edge and goal not in seen:
        edge = {after for one in edge for after in leads[one]} - seen
        seen |= edge
    return goal in seen
