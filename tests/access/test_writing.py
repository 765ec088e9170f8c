"""Writing through a view: what is hidden can be neither changed nor linked, and no answer tells that it is there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from marrow.memory.audit_verify import audit_verify
from marrow.memory.engine import Asker, Engine
from marrow.memory.export import export
from marrow.memory.forget import forget
from marrow.memory.import_file import import_file
from marrow.memory.reinforce import reinforce
from marrow.memory.relate import relate
from marrow.memory.remember import remember
from marrow.memory.snapshot import snapshot_create, snapshot_list
from marrow.memory.update import update
from marrow.memory.views import view_define
from marrow.model.change import NEW, Restate
from marrow.model.draft import Draft
from marrow.model.errors import Forbidden, MarrowError, NotFound
from marrow.model.record import CURRENT, Filter
from marrow.model.session import Session
from marrow.model.source import Source

from .conftest import PUBLIC, Hand, asker_of

SPACE = "local"


@pytest.fixture
def secret(hand: Hand) -> str:
    return hand.say("The vault opens at nine", classification="secret", tags=("hush",), aliases=("safe",))


def verified(engine: Engine, asker: Asker) -> None:
    found = audit_verify(engine, asker)
    assert found.ok, found.problems


@pytest.mark.parametrize(
    "change",
    [
        lambda e, a, hidden, seen: update(e, a, hidden, content="It opens at ten"),
        lambda e, a, hidden, seen: update(e, a, hidden, standing={"classification": "public"}),
        lambda e, a, hidden, seen: forget(e, a, hidden),
        lambda e, a, hidden, seen: reinforce(e, a, hidden),
        lambda e, a, hidden, seen: relate(e, a, seen, hidden, "relates_to"),
        lambda e, a, hidden, seen: relate(e, a, hidden, seen, "relates_to"),
        lambda e, a, hidden, seen: remember(e, a, [Draft("new", links=(("relates_to", hidden),))]),
    ],
)
def test_what_is_hidden_is_not_found_whatever_is_done_to_it(
    engine: Engine, asker: Asker, hand: Hand, through: Any, secret: str, change: Callable[..., object]
) -> None:
    held, seen = through(), hand.say("seen")
    nobody = "0123456789ab"
    before = hand.head()
    with pytest.raises(NotFound) as hidden:
        change(held, asker, secret, seen)
    with pytest.raises(NotFound) as missing:
        change(held, asker, nobody, seen)
    assert hidden.value.code == missing.value.code
    assert hidden.value.message.replace(secret[:16], "") == missing.value.message.replace(nobody, "")
    assert hidden.value.hint == missing.value.hint
    assert hand.head() == before


def test_saving_a_text_that_is_there_and_hidden_tells_nothing_of_it(
    engine: Engine, asker: Asker, hand: Hand, through: Any, secret: str
) -> None:
    held = through()
    draft: dict[str, Any] = {"tags": ("mine",), "classification": "public", "anchors": ()}
    (hidden,) = remember(held, asker, [Draft("The vault opens at nine", **draft)]).saved
    (fresh,) = remember(held, asker, [Draft("The gate opens at nine", **draft)]).saved
    assert (hidden.what, hidden.domain, hidden.redacted) == (NEW, fresh.domain, ())
    assert fresh.what == NEW
    assert [one.address for one in fresh.similar] == []
    record = hand.record(secret)
    assert (record.standing.classification, record.standing.tags) == ("secret", ("hush",))
    assert record.standing.reinforced == 1
    with engine.store.reading() as reader:
        assert len(reader.occurrences([record.entry], CURRENT)[record.entry]) == 2
        assert [e for e, _ in reader.match(SPACE, ["safe"], None, None, 5)] == [record.entry]
    with held.store.reading() as reader:
        assert reader.placed(SPACE, [secret]) == {}
    verified(engine, asker)


def test_a_hidden_text_that_was_forgotten_comes_back_when_it_is_said_and_stays_hidden(
    engine: Engine, asker: Asker, hand: Hand, through: Any, secret: str
) -> None:
    newer = hand.supersede(secret, "The vault opens at ten")
    held = through()
    (saved,) = remember(held, asker, [Draft("The vault opens at nine")]).saved
    assert saved.what == NEW
    record = hand.record(secret)
    assert (record.standing.state, record.standing.classification, record.standing.generation) == (
        "active",
        "secret",
        2,
    )
    with engine.store.reading() as reader:
        assert reader.links(SPACE, [newer], None, CURRENT) == []
    with held.store.reading() as reader:
        assert reader.select(SPACE, Filter(include_superseded=True), CURRENT, 0) == []
    verified(engine, asker)


def test_what_is_seen_is_changed_as_ever(engine: Engine, asker: Asker, hand: Hand, through: Any, secret: str) -> None:
    held = through()
    one = remember(held, asker, [Draft("Apples are picked in May")]).saved[0].address
    other = remember(held, asker, [Draft("Pears are picked in June")]).saved[0].address
    relate(held, asker, one, other, "relates_to")
    update(held, asker, one, content="Apples are picked in April")
    forget(held, asker, other)
    assert hand.state(one) == "superseded"
    assert hand.state(other) == "retracted"
    verified(engine, asker)


def test_a_node_can_be_hidden_by_who_sees_it_and_is_then_gone_for_them(
    engine: Engine, asker: Asker, hand: Hand, through: Any
) -> None:
    held, address = through(), hand.say("soon secret")
    update(held, asker, address, standing={"classification": "secret"})
    with pytest.raises(NotFound):
        update(held, asker, address, standing={"classification": "public"})
    assert hand.record(address).standing.classification == "secret"


def test_closing_goes_on_behind_an_earlier_version_that_is_hidden_and_leaves_that_one_as_it_is(
    hand: Hand, asker: Asker, through: Any
) -> None:
    first = hand.say("The vault opens at nine")
    hidden = hand.supersede(first, "The vault opens at ten")
    last = hand.supersede(hidden, "The vault opens at noon")
    hand.restate(hidden, classification="confidential")
    told = update(through(), asker, last, standing={"classification": "secret"})
    assert hand.record(last).standing.classification == hand.record(first).standing.classification == "secret"
    assert hand.record(hidden).standing.classification == "confidential"
    assert told.receipt is not None
    assert hidden not in {outcome.address for outcome in told.receipt.outcomes}


def test_a_circle_through_what_is_hidden_is_not_told(engine: Engine, asker: Asker, hand: Hand, through: Any) -> None:
    held = through()
    first, last = hand.say("first"), hand.say("last")
    middle = hand.say("middle", classification="secret", links=(("caused_by", first),))
    relate(engine, asker, last, middle, "caused_by")
    assert relate(held, asker, first, last, "caused_by").is_new


@pytest.mark.parametrize("content", ['{"view": "team", "filter": {"approved": true}}', "any text"])
def test_no_view_is_defined_by_saving(
    engine: Engine, asker: Asker, writer_only: Asker, through: Any, content: str
) -> None:
    held = through()
    for who in (held, engine):
        with pytest.raises(Forbidden):
            remember(who, writer_only, [Draft(content, kind="view")], scope="global")
    with pytest.raises(Forbidden):
        remember(held, asker, [Draft(content, kind="view")], scope="global")


def test_a_view_is_changed_and_forgotten_by_an_administrator_alone(
    engine: Engine, asker: Asker, writer_only: Asker
) -> None:
    made = view_define(engine, asker, "team", PUBLIC)
    with pytest.raises(Forbidden):
        view_define(engine, writer_only, "team", {"approved": True})
    for change in (
        lambda: forget(engine, writer_only, made.address),
        lambda: update(engine, writer_only, made.address, content="x"),
    ):
        with pytest.raises(Forbidden):
            change()
    forget(engine, asker, made.address)


@pytest.mark.parametrize(
    "deed",
    [
        lambda store: store.backup("x"),
        lambda store: store.note_new_words(),
        lambda store: store.restore("x"),
        lambda store: _writing(store, "erase", SPACE, ["0" * 64]),
        lambda store: _writing(store, "erase_sessions", SPACE, "", None),
        lambda store: _writing(store, "clear_words"),
        lambda store: _writing(store, "clear_vectors", "other", 3),
        lambda store: _writing(store, "refine", []),
        lambda store: _writing(store, "keep_leaf", 1, b""),
    ],
)
def test_what_concerns_everything_is_refused(hand: Hand, through: Any, deed: Callable[..., object]) -> None:
    hand.say("something")
    with pytest.raises(Forbidden):
        deed(through().store)


def _writing(store: Any, method: str, *arguments: Any) -> None:
    with store.writing() as writer:
        getattr(writer, method)(*arguments)


def test_an_entry_that_is_hidden_takes_no_words_no_vectors_and_no_standing(
    engine: Engine, hand: Hand, through: Any, secret: str
) -> None:
    held, record = through(), hand.record(secret)
    with pytest.raises(NotFound), held.store.writing() as writer:
        writer.stand(record.entry, record.standing, b"", 99)
    with pytest.raises(NotFound), held.store.writing() as writer:
        writer.index_words(record.entry, "uncovered", "")
    with held.store.writing() as writer:
        writer.count_use([record.entry], used=True, at=1)
        writer.drop_sources(SPACE, [Source("orchard", "s", "p", "document", secret)])
        assert writer.drop_derived(SPACE, [secret]) == 0
    with engine.store.reading() as reader:
        assert dict(reader.uses([record.entry])) == {}


def test_the_words_of_a_session_survive_being_written_by_one_who_does_not_see_them(
    engine: Engine, through: Any
) -> None:
    held = through()
    whole = Session("s", "codex", "orchard", title="about the vault", detail={"subject": ["vault"]})
    with engine.store.writing() as writer:
        writer.keep_session(SPACE, whole)
    with held.store.reading() as reader:
        shown = reader.session(SPACE, "s")
    assert shown is not None
    with held.store.writing() as writer:
        writer.keep_session(SPACE, shown)
    with engine.store.reading() as reader:
        assert reader.session(SPACE, "s") == whole


def test_a_bundle_of_what_is_seen_can_be_taken_in_elsewhere(
    engine: Engine, asker: Asker, hand: Hand, through: Any, secret: str, tmp_path: Any
) -> None:
    from marrow.providers.embedder import FakeEmbedder
    from marrow.store import open_store

    held = through()
    one = hand.say("seen")
    hand.say("seen too", links=(("relates_to", one), ("relates_to", secret)))
    for project in ("orchard", None):
        bundle = str(tmp_path / f"{project}.bundle")
        done = export(held, asker, bundle, project=project)
        assert (done.nodes, done.links, done.events) == (2, 1, 0)
        other = Engine(open_store("memory:"), FakeEmbedder(), hand.clock)
        assert import_file(other, asker_of("orchard"), bundle).new == 2


def test_importing_what_is_there_and_hidden_uncovers_nothing(
    engine: Engine, asker: Asker, hand: Hand, through: Any, secret: str, tmp_path: Any
) -> None:
    from marrow.providers.embedder import FakeEmbedder
    from marrow.store import open_store

    other = Engine(open_store("memory:"), FakeEmbedder(), hand.clock)
    elsewhere = Hand(other, asker_of("orchard"), hand.clock)
    elsewhere.say("The vault opens at nine", classification="public", tags=("loud",))
    bundle = str(tmp_path / "other.bundle")
    export(other, elsewhere.asker, bundle, project="orchard")
    held = through()
    assert import_file(held, asker, bundle, dry_run=True).new == 1
    assert import_file(held, asker, bundle).new == 1
    record = hand.record(secret)
    assert (record.standing.classification, record.standing.tags) == ("secret", ("hush",))
    verified(engine, asker)


def test_one_who_is_held_to_a_view_cannot_verify_the_whole(asker: Asker, hand: Hand, through: Any) -> None:
    with pytest.raises(MarrowError) as caught:
        audit_verify(through(), asker)
    assert isinstance(caught.value, Forbidden)


def test_restating_through_the_door_finds_nothing_that_is_hidden(
    asker: Asker, hand: Hand, through: Any, secret: str
) -> None:
    held = Hand(through(), asker, hand.clock)
    with pytest.raises(NotFound):
        held.do(Restate(secret, (("classification", "public"),)))


def test_saving_does_not_uncover_but_looking_for_it_afterwards_does_tell(
    asker: Asker, hand: Hand, through: Any, secret: str
) -> None:
    """The limit that the documentation names: a text that is known word for word can be found to be hidden."""
    held = through()
    for content, is_found in (("The vault opens at nine", False), ("The gate opens at nine", True)):
        (saved,) = remember(held, asker, [Draft(content)]).saved
        assert saved.what == NEW
        with held.store.reading() as reader:
            assert bool(reader.placed(SPACE, [saved.address])) is is_found


def test_a_snapshots_words_do_not_pass_through_a_view(engine: Engine, asker: Asker, hand: Hand, through: Any) -> None:
    hand.say("something")
    snapshot_create(engine, asker, "before the move", tags=("vault",), note="the vault opens at nine")
    held = through()
    (shown,) = snapshot_list(held, asker).items
    assert (shown.name, shown.tags, shown.note) == ("before the move", (), "")
    made = snapshot_create(held, asker, "mine", tags=("own",), note="kept all the same")
    assert (made.tags, made.note) == ((), "")
    (_, kept) = snapshot_list(engine, asker).items
    assert (kept.tags, kept.note) == (("own",), "kept all the same")
