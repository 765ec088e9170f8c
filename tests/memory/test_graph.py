"""Graph: what hangs together, bounded and safe against circles."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.memory.compress import compress
from marrow.memory.engine import Asker, Engine
from marrow.memory.graph import DECAY, Graph, graph
from marrow.model.change import Relate
from marrow.model.errors import Invalid, NotFound
from marrow.model.moments import MICROS_PER_DAY

from .conftest import PROJECT, Clock, Hand, asker_of


def reached(found: Graph) -> dict[str, tuple[int, float]]:
    return {node.record.node.content: (node.distance, node.strength) for node in found.nodes}


def chain(hand: Hand, *rels: str) -> list[str]:
    """Nodes "0", "1", … where each is linked to the next."""
    nodes = [hand.say(str(number)) for number in range(len(rels) + 1)]
    for rel, (one, other) in zip(rels, itertools.pairwise(nodes), strict=True):
        hand.do(Relate(one, other, rel))
    return nodes


def test_strength_decays_with_every_link_and_less_over_causal_ones(engine: Engine, asker: Asker, hand: Hand) -> None:
    nodes = chain(hand, "relates_to", "caused_by", "relates_to")
    found = graph(engine, asker, nodes[0][:8], depth=3)
    assert reached(found) == {"0": (0, 1.0), "1": (1, 0.6), "2": (2, 0.48), "3": (3, 0.288)}
    assert found.nodes[0].by is None
    last = found.nodes[3].by
    assert last is not None
    assert (last.source, last.target, last.rel) == (nodes[2], nodes[3], "relates_to")


def test_nothing_beyond_the_depth_is_reached(engine: Engine, asker: Asker, hand: Hand) -> None:
    nodes = chain(hand, "relates_to", "relates_to", "relates_to")
    assert set(reached(graph(engine, asker, nodes[0]))) == {"0", "1", "2"}
    assert set(reached(graph(engine, asker, nodes[0], depth=1))) == {"0", "1"}


def test_the_strongest_path_wins_even_when_it_is_longer(engine: Engine, asker: Asker, hand: Hand) -> None:
    nodes = chain(hand, "caused_by", "depends_on", "relates_to")
    hand.do(Relate(nodes[0], nodes[2], "relates_to"))
    found = graph(engine, asker, nodes[0], depth=3)
    assert reached(found) == {"0": (0, 1.0), "1": (1, 0.8), "2": (2, 0.64), "3": (3, 0.384)}
    # Without the depth for the longer path the shorter one counts, and what lies behind it is reached over that.
    assert reached(graph(engine, asker, nodes[0], depth=1))["2"] == (1, 0.6)


def test_direction_chooses_which_way_links_are_followed(engine: Engine, asker: Asker, hand: Hand) -> None:
    nodes = chain(hand, "relates_to", "relates_to")
    assert set(reached(graph(engine, asker, nodes[1], direction="forward"))) == {"1", "2"}
    assert set(reached(graph(engine, asker, nodes[1], direction="reverse"))) == {"1", "0"}
    assert set(reached(graph(engine, asker, nodes[1]))) == {"0", "1", "2"}


def test_only_the_relations_asked_for_are_followed_and_shown(engine: Engine, asker: Asker, hand: Hand) -> None:
    nodes = chain(hand, "relates_to", "my_own_relation")
    hand.do(Relate(nodes[0], nodes[1], "contradicts"))
    found = graph(engine, asker, nodes[1], rels=["relates_to"])
    assert set(reached(found)) == {"0", "1"}
    assert [link.rel for link in found.links] == ["relates_to"]
    assert set(reached(graph(engine, asker, nodes[1], rels="my_own_relation"))) == {"1", "2"}


def test_inputs_appear_as_derived_from_in_both_directions(engine: Engine, asker: Asker, hand: Hand) -> None:
    source = hand.say("source")
    made = hand.say("made", inputs=[source])
    for start in (source, made):
        found = graph(engine, asker, start)
        assert set(reached(found)) == {"source", "made"}
        expected = (made, source, "derived_from", hand.record(made).first_at)
        assert [(x.source, x.target, x.rel, x.at) for x in found.links] == [expected]
        assert found.nodes[1].by == found.links[0]
    assert set(reached(graph(engine, asker, source, direction="forward"))) == {"source"}
    assert set(reached(graph(engine, asker, made, direction="forward"))) == {"source", "made"}
    assert set(reached(graph(engine, asker, made, direction="reverse"))) == {"made"}
    assert set(reached(graph(engine, asker, source, direction="reverse"))) == {"source", "made"}
    assert set(reached(graph(engine, asker, made, rels=["relates_to"]))) == {"made"}


def test_what_no_longer_holds_is_left_out_unless_asked_for(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    old = hand.say("old")
    hand.supersede(old, "new")
    leaves = [hand.say("leaf one"), hand.say("leaf two")]
    summary = compress(engine, asker, addresses=leaves, summary="both").address
    brief = hand.say("brief", expires_at=clock.now + MICROS_PER_DAY)
    hand.do(Relate(summary, old, "relates_to"), Relate(summary, brief, "relates_to"))
    clock.forward(days=2)
    assert set(reached(graph(engine, asker, summary))) == {"both"}
    assert set(reached(graph(engine, asker, summary, include_superseded=True))) == {
        "both",
        "leaf one",
        "leaf two",
        "old",
        "new",
        "brief",
    }
    assert set(reached(graph(engine, asker, old))) == {"old", "new", "both"}, "the node asked for is always there"


def test_links_between_the_shown_nodes_are_all_there(engine: Engine, asker: Asker, hand: Hand) -> None:
    centre, one, other = (hand.say(text) for text in ("centre", "one", "other"))
    hand.do(Relate(centre, one, "relates_to"), Relate(centre, other, "relates_to"), Relate(one, other, "blocks"))
    found = graph(engine, asker, centre, depth=1)
    assert {(x.source, x.target, x.rel) for x in found.links} == {
        (centre, one, "relates_to"),
        (centre, other, "relates_to"),
        (one, other, "blocks"),
    }


def test_a_graph_as_of_an_earlier_moment_has_the_links_and_nodes_of_then(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    one = hand.say("one")
    other = hand.say("other", expires_at=clock.now + MICROS_PER_DAY)
    before = hand.head()
    hand.do(Relate(one, other, "relates_to"))
    linked = hand.head()
    hand.do(Relate(one, other, "relates_to", closed=True))
    clock.forward(days=2)
    assert set(reached(graph(engine, asker, one))) == {"one"}
    assert set(reached(graph(engine, asker, one, as_of=before))) == {"one"}
    then = graph(engine, asker, one, as_of=linked)
    assert set(reached(then)) == {"one", "other"}
    assert len(then.links) == 1


def test_the_limit_keeps_the_strongest_and_says_that_it_cut(engine: Engine, asker: Asker, hand: Hand) -> None:
    hub = hand.say("hub")
    near = [hand.say(f"near {number}") for number in range(6)]
    hand.do(*(Relate(hub, one, "relates_to") for one in near))
    hand.do(Relate(hub, hand.say("cause"), "caused_by"))
    found = graph(engine, asker, hub, limit=3)
    assert [node.record.node.content for node in found.nodes[:2]] == ["hub", "cause"]
    assert (len(found.nodes), found.cut) == (3, True)
    assert all(link.source in {n.record.node.address for n in found.nodes} for link in found.links)
    assert not graph(engine, asker, hub, limit=8).cut


def test_hidden_neighbours_do_not_use_up_the_limit(engine: Engine, asker: Asker, hand: Hand) -> None:
    hub = hand.say("hub")
    gone = [hand.say(f"gone {number}") for number in range(5)]
    kept = [hand.say(f"kept {number}") for number in range(2)]
    hand.do(*(Relate(hub, one, "relates_to") for one in (*gone, *kept)))
    for one in gone:
        hand.restate(one, state="retracted")
    found = graph(engine, asker, hub, limit=3)
    assert set(reached(found)) == {"hub", "kept 0", "kept 1"}
    assert not found.cut


def test_nodes_and_links_of_other_projects_stay_out_of_sight(engine: Engine, asker: Asker, hand: Hand) -> None:
    shared = hand.say("shared", project="")
    own = hand.say("own")
    foreign = hand.say("foreign", project="other", inputs=[own])
    hand.do(Relate(own, shared, "relates_to"))
    hand.do(Relate(foreign, shared, "relates_to"), project="other")
    assert set(reached(graph(engine, asker, own, depth=3))) == {"own", "shared"}
    narrow = asker_of(PROJECT, projects=[PROJECT])
    found = graph(engine, narrow, own, depth=3)
    assert set(reached(found)) == {"own"}
    assert found.links == ()
    with pytest.raises(NotFound):
        graph(engine, asker, foreign)


def test_a_link_that_was_said_in_another_project_stays_out_of_sight(engine: Engine, asker: Asker, hand: Hand) -> None:
    one, other = hand.say("one", project=""), hand.say("other", project="")
    own = hand.say("own", links=[("relates_to", one), ("relates_to", other)])
    hand.do(Relate(one, other, "contradicts"), project="elsewhere")
    found = graph(engine, asker, own)
    assert set(reached(found)) == {"own", "one", "other"}
    assert {link.rel for link in found.links} == {"relates_to"}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"depth": 0}, "depth"),
        ({"depth": 6}, "depth"),
        ({"depth": True}, "depth"),
        ({"limit": 0}, "limit"),
        ({"direction": "sideways"}, "direction"),
        ({"rels": ["Not A Relation"]}, "rel"),
    ],
)
def test_bad_arguments_are_refused_and_named(
    engine: Engine, asker: Asker, hand: Hand, arguments: dict[str, object], field: str
) -> None:
    address = hand.say("one")
    with pytest.raises(Invalid) as caught:
        graph(engine, asker, address, **arguments)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_an_unknown_address_is_not_found(engine: Engine, asker: Asker) -> None:
    with pytest.raises(NotFound):
        graph(engine, asker, "abcdef")


COUNTER = itertools.count()
ENDS = st.tuples(st.integers(0, 7), st.integers(0, 7), st.sampled_from(["relates_to", "contradicts", "caused_by"]))


@given(ends=st.lists(ENDS, max_size=24), depth=st.integers(1, 5), limit=st.integers(1, 10))
def test_random_links_with_circles_give_what_trying_every_path_gives(
    engine: Engine, clock: Clock, ends: list[tuple[int, int, str]], depth: int, limit: int
) -> None:
    asker = asker_of(f"project {next(COUNTER)}")
    hand = Hand(engine, asker, clock)
    nodes = [hand.say(str(number)) for number in range(8)]
    ties: dict[tuple[int, int], float] = {}
    for one, other, rel in ends:
        # The door refuses circles of causes, so these only lead upwards.
        if one == other or (rel == "caused_by" and one > other):
            continue
        hand.do(Relate(nodes[one], nodes[other], rel))
        for pair in ((one, other), (other, one)):
            ties[pair] = max(ties.get(pair, 0.0), 0.8 if rel == "caused_by" else DECAY)
    best = {0: 1.0}
    edge = dict(best)
    for _ in range(depth):
        step: dict[int, float] = {}
        for (near, far), decay in ties.items():
            if near in edge:
                step[far] = max(step.get(far, 0.0), edge[near] * decay)
        edge = step
        for far, strength in step.items():
            best[far] = max(best.get(far, 0.0), strength)
    found = graph(engine, asker, nodes[0], depth=depth, limit=limit)
    strengths = [node.strength for node in found.nodes]
    assert strengths == pytest.approx(sorted(best.values(), reverse=True)[:limit], abs=1e-4)
    assert found.cut == (len(best) > limit)
