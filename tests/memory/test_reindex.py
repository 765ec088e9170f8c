"""Reindex: whatever is derived can be made again, and nothing canonical changes by it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import apsw
import pytest

from marrow.access.restricted import restrict
from marrow.memory.audit_verify import audit_verify
from marrow.memory.reindex import reindex
from marrow.memory.remember import remember
from marrow.memory.renew import renew_words
from marrow.memory.views import view_define
from marrow.model.draft import Draft
from marrow.model.errors import Forbidden, Invalid
from marrow.model.link import Anchor
from marrow.model.record import CURRENT, Filter
from marrow.providers.embedder import FakeEmbedder, NoEmbedder
from marrow.providers.static import StaticEmbedder

from . import fixtures_store
from .fixtures_store import NO_ADMIN, World, in_namespace, knowledge

world = fixtures_store.world
on_disk = fixtures_store.on_disk


def grown(world: World) -> World:
    a = world.say("The gate is green.", tags=("paint",), anchors=[Anchor("file", "gate_keeper.py")])
    world.supersede(a, "The gate is blue.")
    world.say("Plums are sold.", aliases=("prunes",))
    World(world.engine, in_namespace(world, "theirs"), world.clock).say("Theirs alone.")
    return world


def near(world: World, text: str) -> list[str]:
    vector = world.engine.embedder.query(text)
    entries = world.read(lambda r: [e for e, _ in r.nearest("local", vector, None, None, 9)])
    return [record.node.content for record in world.read(lambda r: r.records_of(entries, CURRENT))]


def has_own_vectors(world: World) -> bool:
    return world.read(lambda r: r.vector_model()) == world.engine.model()


def test_words_are_made_again_from_nothing(world: World) -> None:
    grown(world)
    before = knowledge(world)
    with world.engine.store.writing() as writer:
        writer.clear_words()
    assert world.words("gate") == set()
    done = reindex(world.engine, world.asker, "words")
    assert (done.words, done.vectors, done.trees) == (4, 0, 0)
    assert world.words("gate") == {"The gate is blue."}
    assert world.words("prune") == {"Plums are sold."}
    assert world.words("keeper") == {"The gate is blue."}
    assert knowledge(world) == before
    theirs = World(world.engine, in_namespace(world, "theirs"), world.clock)
    assert theirs.words("alon") == {"Theirs alone."}


def test_words_that_are_there_stay_the_same(world: World) -> None:
    grown(world)
    before = world.read(lambda r: r.match("local", ["gate", "blue", "plum"], None, None, 9))
    reindex(world.engine, world.asker, "words")
    after = world.read(lambda r: r.match("local", ["gate", "blue", "plum"], None, None, 9))
    assert [entry for entry, _ in after] == [entry for entry, _ in before]
    assert [score for _, score in after] == pytest.approx([score for _, score in before])
    assert world.read(lambda r: r.sizes())["words"] == 4


def test_vectors_of_another_embedder_take_the_place_of_the_old(world: World) -> None:
    grown(world)
    before = knowledge(world)
    changed = replace(world, engine=replace(world.engine, embedder=FakeEmbedder(32)))
    assert not has_own_vectors(changed)
    done = reindex(changed.engine, changed.asker, "vectors")
    assert (done.vectors, done.model) == (4, "fake-32/1")
    assert has_own_vectors(changed)
    assert near(changed, "The gate is blue.")[0] == "The gate is blue."
    assert changed.say("Said with the new embedder.")
    assert near(changed, "Said with the new embedder.")[0] == "Said with the new embedder."
    assert before["said"].items() <= knowledge(world)["said"].items()  # type: ignore[attr-defined]


def test_what_is_said_with_another_embedder_is_kept_found_by_words_and_gets_its_vector_with_all(world: World) -> None:
    grown(world)
    changed = replace(world, engine=replace(world.engine, embedder=FakeEmbedder(32)))
    assert changed.say("Pears are sold since the upgrade.")
    assert not has_own_vectors(changed)
    assert changed.words("pear") == {"Pears are sold since the upgrade."}
    assert near(world, "The gate is blue.")[0] == "The gate is blue."
    assert reindex(changed.engine, changed.asker, "vectors").vectors == 5
    assert near(changed, "Pears are sold since the upgrade.")[0] == "Pears are sold since the upgrade."


def test_real_embedder_can_take_over(world: World) -> None:
    grown(world)
    changed = replace(world, engine=replace(world.engine, embedder=StaticEmbedder()))
    reindex(changed.engine, changed.asker, "vectors")
    assert has_own_vectors(changed)
    assert near(changed, "fruit for sale")[0] == "Plums are sold."


def test_old_vectors_serve_until_the_new_ones_are_there(world: World) -> None:
    grown(world)
    seen: list[list[str]] = []

    class Watching(FakeEmbedder):
        def documents(self, texts: Sequence[str]) -> Any:
            seen.append(near(world, "The gate is blue."))
            return super().documents(texts)

    changed = replace(world.engine, embedder=Watching(32))
    reindex(changed, world.asker, "vectors")
    assert seen
    assert all(found[0] == "The gate is blue." for found in seen)


def test_what_is_said_and_erased_meanwhile_is_not_lost_and_not_revived(world: World) -> None:
    grown(world)
    plums = next(
        record.node.address
        for record in world.read(lambda r: r.records("local", r.addresses("local", "", None, 99), None, CURRENT))
        if record.node.content == "Plums are sold."
    )
    called: list[int] = []

    class Meanwhile(FakeEmbedder):
        def documents(self, texts: Sequence[str]) -> Any:
            called.append(len(texts))
            if len(called) == 1:
                world.say("Said meanwhile.")
                with world.engine.store.writing() as writer:
                    writer.erase("local", [plums])
            return super().documents(texts)

    done = reindex(replace(world.engine, embedder=Meanwhile(32)), world.asker, "vectors")
    assert done.vectors == 4
    sizes = world.read(lambda r: r.sizes())
    assert sizes["vectors"] == sizes["entries"] == 4


def test_failed_embedding_leaves_the_old_vectors(world: World) -> None:
    grown(world)

    class Failing(FakeEmbedder):
        def documents(self, texts: Sequence[str]) -> Any:
            raise RuntimeError("out of order")

    with pytest.raises(RuntimeError):
        reindex(replace(world.engine, embedder=Failing(32)), world.asker, "vectors")
    assert has_own_vectors(world)
    assert near(world, "The gate is blue.")[0] == "The gate is blue."


def test_without_an_embedder_vectors_stay_as_they_are(world: World) -> None:
    grown(world)
    done = reindex(replace(world.engine, embedder=NoEmbedder()), world.asker, "all")
    assert (done.words, done.vectors) == (4, 0)
    assert has_own_vectors(world)
    assert near(world, "The gate is blue.")[0] == "The gate is blue."


def test_tree_is_hashed_again(on_disk: World) -> None:
    grown(on_disk)
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("UPDATE merkle SET children = zeroblob(512)")
        connection.execute("UPDATE standings SET leaf = zeroblob(32) WHERE leaf IS NOT NULL")
    connection.close()
    assert not audit_verify(on_disk.engine, on_disk.asker).ok
    done = reindex(on_disk.engine, on_disk.asker, "tree")
    assert (done.trees, done.wrong_roots) == (2, ())
    assert audit_verify(on_disk.engine, on_disk.asker).ok
    on_disk.say("And it goes on.")
    assert audit_verify(on_disk.engine, on_disk.asker).ok


def test_root_that_the_standings_do_not_give_is_told_and_not_made_up(on_disk: World) -> None:
    grown(on_disk)
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("UPDATE standings SET confidence = 0.123 WHERE state = 'active'")
    connection.close()
    root = on_disk.root()
    done = reindex(on_disk.engine, on_disk.asker, "tree")
    assert set(done.wrong_roots) == {"local", "theirs"}
    assert on_disk.root() == root


def test_keyword_index_that_is_damaged_is_made_again(on_disk: World) -> None:
    grown(on_disk)
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("UPDATE words_data SET block = x'00112233' WHERE id > 10")
    connection.close()
    done = reindex(on_disk.engine, on_disk.asker, "words")
    assert done.words == 4
    assert on_disk.words("gate") == {"The gate is blue."}
    assert on_disk.engine.store.problems() == []


def test_words_from_before_terms_were_made_otherwise_are_told_and_made_again(on_disk: World) -> None:
    on_disk.say("Die Straße ist lang.")
    store = on_disk.engine.store
    assert (store.has_old_words(), store.problems(), renew_words(on_disk.engine)) == (False, [], 0)
    entry = on_disk.read(lambda r: r.select("local", Filter(), CURRENT, 0))[0]
    with store.writing() as writer:
        writer.index_words(entry, "die stra ß e straße ist lang", "")
    with apsw.Connection(str(on_disk.path)) as connection:
        connection.execute("DELETE FROM facts WHERE name = 'terms'")
    connection.close()
    assert store.has_old_words()
    assert store.problems() == []  # it serves; it is only older
    assert on_disk.words("strass") == set()
    view_define(on_disk.engine, on_disk.asker, "claims", {"kinds": ["claim"]})
    viewed = restrict(store, "local", "claims")
    assert renew_words(replace(on_disk.engine, store=viewed, views={})) == 0
    assert renew_words(on_disk.engine) == 2
    assert on_disk.words("strass") == {"Die Straße ist lang."}
    assert (store.has_old_words(), store.problems(), renew_words(on_disk.engine)) == (False, [], 0)


def test_all_is_everything_and_progress_is_told(world: World) -> None:
    grown(world)
    told: list[tuple[int, int | None]] = []
    done = reindex(world.engine, world.asker, progress=lambda d, t: told.append((d, t)))
    assert (done.words, done.vectors, done.trees) == (4, 4, 2)
    assert told == [(4, 4), (4, 4)]


def test_unknown_part_is_refused_and_so_is_who_may_not(world: World) -> None:
    with pytest.raises(Invalid) as problem:
        reindex(world.engine, world.asker, "everything")
    assert problem.value.field == "what"
    with pytest.raises(Forbidden):
        reindex(world.engine, world.as_(rights=NO_ADMIN))


def test_what_is_saved_with_another_embedder_is_held_against_nothing_it_cannot_be_compared_with(world: World) -> None:
    remember(world.engine, world.asker, [Draft("Invoices are rendered by a nightly batch.")])
    other = replace(world.engine, embedder=FakeEmbedder(world.engine.embedder.dimensions * 2))
    (saved,) = remember(other, world.asker, [Draft("Invoices are rendered by a nightly job.")]).saved
    assert saved.similar == ()
    assert len(world.words("render")) == 2
