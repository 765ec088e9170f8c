"""What an exchange of memories makes of supersessions that neither side would have made: circles and forks.

Two memories may each have let another of two decisions take the other's place. Within one memory such a circle is
refused. An exchange can close one, and then nothing of it holds any more, on either side. Or each has let another
decision take the place of the same one: then two hold. Which of the conclusions was right is for people to say, so they
are told.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from .link import Link

SUPERSEDES = "supersedes"


def circles(links: Iterable[Link]) -> list[Link]:
    """The open links by which decisions take each other's place: those that lead from somewhere to somewhere however
    far one follows them, forwards and backwards."""
    left = [link for link in links if link.rel == SUPERSEDES and not link.closed]
    return _endless(_endless(left, lambda link: (link.source, link.target)), lambda link: (link.target, link.source))


def forks(links: Iterable[Link]) -> dict[tuple[str, str], list[str]]:
    """What more than one has taken the place of, by project and address, and those that did."""
    heirs: dict[tuple[str, str], list[str]] = defaultdict(list)
    for link in links:
        if link.rel == SUPERSEDES and not link.closed:
            heirs[link.project, link.target].append(link.source)
    return {place: sorted(sources) for place, sources in heirs.items() if len(sources) > 1}


def _endless(links: Sequence[Link], ends: Callable[[Link], tuple[str, str]]) -> list[Link]:
    """Without those from which one comes to an end."""
    into: dict[tuple[str, str], list[Link]] = defaultdict(list)
    onward = Counter((link.project, ends(link)[0]) for link in links)
    for link in links:
        into[link.project, ends(link)[1]].append(link)
    over: set[Link] = set()
    waiting = [place for place in into if not onward[place]]
    for place in waiting:
        for link in into[place]:
            over.add(link)
            before = (link.project, ends(link)[0])
            onward[before] -= 1
            if not onward[before]:
                waiting.append(before)
    return [link for link in links if link not in over]
