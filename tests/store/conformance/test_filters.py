"""A store's own selection must agree with `model.record.matches` on any records and any filter."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.change import Say
from marrow.model.link import Anchor
from marrow.model.node import Occurrence, metadata_text
from marrow.model.record import CURRENT, Filter, as_text, matches
from marrow.model.standing import CLASSIFICATIONS, Standing
from marrow.store.protocol import Reader

from ..door import START, Door
from ..stores import STORES

# Small sets of values, so that filters often hit; odd ones among them.
PLACES = ("", "p", "q")
KINDS = ("claim", "task", "my_kind")
DOMAINS = ("context", "tasks", "ünïcode")
TAGS = ("a", "A", "Ä", "ä", "ß", "b c", "%", "İ")
NAMES = ("", "ada", "Ada", "a'b", "x%", "null")
PATHS = ("src", "src/", "src/a.py", "src/a", "s", "/", "src/%", "SRC", "docs/ü.md", "docs")
TIMES = (-5, 0, 1, START, START + 1)
KEYS = ("owner", "path", "n", "a.b", "$", 'q"t', "a b", "", "[0]", "ü", "\n", "\\")
VALUES: tuple[Any, ...] = (
    "ada",
    "",
    "1",
    1,
    1.0,
    1.5,
    -0.0,
    True,
    False,
    None,
    "true",
    "null",
    [1, "x"],
    {"b": 1, "a": [True]},
    10**20,
    1e100,
    2**53 + 1,
    'é"\\\n',
    'x"y',
)

paths = st.sampled_from(PATHS)
metadata = st.dictionaries(st.sampled_from(KEYS), st.one_of(st.sampled_from(VALUES), paths), max_size=3)
occurrences = st.builds(
    Occurrence,
    at=st.sampled_from(TIMES),
    thread=st.sampled_from(NAMES),
    user=st.sampled_from(NAMES),
    service=st.sampled_from(NAMES),
    metadata=metadata.map(metadata_text),
)
anchors = st.builds(Anchor, st.sampled_from(("file", "lines", "symbol", "pattern")), paths)
tags = st.lists(st.sampled_from(TAGS), max_size=3).map(tuple)
standings = st.builds(
    Standing,
    state=st.sampled_from(("active", "active", "active", "superseded", "retracted")),
    domain=st.sampled_from(DOMAINS),
    confidence=st.sampled_from((0.0, 0.5, 0.8, 1)),
    pinned=st.booleans(),
    approved=st.sampled_from((None, True, False)),
    classification=st.sampled_from(CLASSIFICATIONS),
    tags=tags,
    expires_at=st.sampled_from((None, None, START, START + 10)),
)
says = st.builds(
    Say,
    kind=st.sampled_from(KINDS),
    content=st.sampled_from([f"text {n}" for n in range(12)]),
    occurrence=occurrences,
    standing=standings,
    anchors=st.lists(anchors, max_size=2).map(tuple),
)
wanted_metadata = st.lists(
    st.tuples(st.sampled_from(KEYS), st.one_of(st.sampled_from(VALUES).map(as_text), paths)), max_size=2
).map(tuple)


def some(values: tuple[str, ...]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.one_of(st.just(()), st.lists(st.sampled_from((*values, "none")), min_size=1, max_size=2).map(tuple))


filters = st.builds(
    Filter,
    projects=st.one_of(st.none(), st.none(), st.lists(st.sampled_from((*PLACES, "nowhere")), max_size=2).map(tuple)),
    kinds=some(KINDS),
    domains=some(DOMAINS),
    tags=some(TAGS),
    tags_all=st.booleans(),
    service=st.sampled_from(("", "", *NAMES)),
    user=st.sampled_from(("", "", *NAMES)),
    thread=st.sampled_from(("", "", *NAMES)),
    metadata=st.one_of(st.just(()), wanted_metadata),
    path=st.sampled_from(("", "", *PATHS)),
    since=st.sampled_from((None, None, *TIMES)),
    until=st.sampled_from((None, None, *TIMES)),
    min_confidence=st.sampled_from((0.0, 0.0, 0.5, 0.81)),
    classification=st.sampled_from(("", "", *CLASSIFICATIONS)),
    pinned=st.sampled_from((None, None, True, False)),
    approved=st.sampled_from((None, None, True, False)),
    include_superseded=st.booleans(),
)
# One thing asked at a time as well: many at once rarely leave anything.
single = st.one_of(
    [
        st.builds(Filter, include_superseded=st.booleans(), **{name: strategy})
        for name, strategy in {
            "tags": some(TAGS),
            "metadata": wanted_metadata,
            "path": paths,
            "since": st.sampled_from(TIMES),
            "until": st.sampled_from(TIMES),
            "user": st.sampled_from(NAMES),
            "kinds": some(KINDS),
            "approved": st.sampled_from((True, False)),
        }.items()
    ]
)


@pytest.fixture(scope="module", params=sorted(STORES))
def shelf(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    door = Door(STORES[request.param](tmp_path_factory.mktemp("shelf")))
    yield door
    door.store.close()


def by_definition(reader: Reader, space: str, wanted: Filter, seq: int, now: int) -> list[int]:
    records = reader.records(space, reader.addresses(space, "", None, 10_000), None, seq)
    entries = [r.entry for r in records]
    said, pinned = reader.occurrences(entries, seq), reader.anchors(entries, seq)
    kept = [r for r in records if matches(wanted, r, said.get(r.entry, []), pinned.get(r.entry, []), now)]
    return [r.entry for r in sorted(kept, key=lambda r: (-r.last_at, -r.entry))]


def about_metadata(spoken: list[tuple[str, Say]]) -> list[Filter]:
    """Filters that ask for each value of metadata that was said, alone and with another of the same key."""
    pairs = {(key, as_text(value)) for _, say in spoken for key, value in say.occurrence.fields.items()}
    ordered = sorted(pairs)
    twins = [(one, two) for one, two in pairwise(ordered) if one[0] == two[0]]
    return [Filter(metadata=asked, include_superseded=True) for asked in (*((pair,) for pair in ordered), *twins)]


@given(
    spoken=st.lists(st.tuples(st.sampled_from(PLACES), says), min_size=1, max_size=12),
    asked=st.lists(st.one_of(filters, single), min_size=3, max_size=6),
    back=st.integers(0, 12),
    now=st.sampled_from((0, START, START + 5, START + 10)),
    part=st.tuples(st.one_of(st.none(), st.integers(0, 5)), st.integers(0, 3)),
)
def test_selection_is_what_the_filter_means(
    shelf: Door,
    spoken: list[tuple[str, Say]],
    asked: list[Filter],
    back: int,
    now: int,
    part: tuple[int | None, int],
) -> None:
    with shelf.store.reading() as reader:
        space = f"space-{len(reader.namespaces())}"
    for project, say in spoken:
        shelf.do(say, project=project, namespace=space, now=START)
    limit, offset = part
    asked = [*asked, *about_metadata(spoken)]
    with shelf.store.reading() as reader:
        for wanted in asked:
            for seq in (CURRENT, max(0, len(spoken) - back)):
                meant = by_definition(reader, space, wanted, seq, now)
                assert reader.select(space, wanted, seq, now) == meant
                end = None if limit is None else offset + limit
                assert reader.select(space, wanted, seq, now, limit, offset) == meant[offset:end]


def test_latest_said_comes_first(door: Door) -> None:
    door.say("old", at=START - 10)
    door.say("new", at=START)
    door.say("middle", at=START - 5)
    assert door.select() == ["new", "middle", "old"]
    door.say("old", at=START + 1)
    assert door.select() == ["old", "new", "middle"]


def test_selection_never_reaches_another_namespace(door: Door) -> None:
    door.say("mine")
    other = Door(door.store, namespace="theirs")
    other.say("theirs")
    assert door.select(include_superseded=True) == ["mine"]
    assert other.select(include_superseded=True) == ["theirs"]
    assert door.ask(lambda r: r.select("nobody", Filter(include_superseded=True), CURRENT, 0)) == []


def test_time_of_expiry_is_judged_by_the_moment_given(door: Door) -> None:
    door.say("for now", standing={"expires_at": START + 100})
    assert door.select(now=START + 99) == ["for now"]
    assert door.select(now=START + 100) == []
    assert door.select(now=START + 100, include_superseded=True) == ["for now"]
