"""The names that a thing goes by, read from a memory with aliases."""

from __future__ import annotations

import pytest

from marrow.search.aliases import names_of, other_names
from marrow.store.terms import terms_of


def name(text: str) -> frozenset[str]:
    return frozenset(terms_of(text))


@pytest.mark.parametrize(
    ("content", "alias", "called"),
    [
        ("Kubernetes runs the workers.", "k8s", "Kubernetes"),
        pytest.param("Kubernetes restarts the pods.", "k8s", "Kubernetes"),
        ("The payment gateway needs a restart.", "PGW", "payment gateway"),
        ("Granny is the mainframe in the cellar.", "Granny", "mainframe"),
        ("We run the vehicle allocator (Deckmaster) at night.", "Deckmaster", "vehicle allocator"),
        ("DX stands for the data exchange.", "DX", "data exchange"),
        ("There is an admission controller now, which everybody calls the bouncer.", "bouncer", "admission controller"),
        ("The licence server, called Turnstile in-house, is one binary.", "Turnstile", "licence server"),
        ("Deckmaster is what the crews call the vehicle allocator.", "vehicle allocator", "Deckmaster"),
    ],
)
def test_what_a_thing_is_called_is_read_from_the_text(content: str, alias: str, called: str) -> None:
    assert {name(alias), name(called)} <= set(names_of(content, [alias]))


def test_a_text_that_only_mentions_its_alias_gives_no_other_name() -> None:
    assert names_of("Nobody knows who pays for k8s.", ["k8s"]) == [name("k8s")]


def test_several_aliases_are_names_of_one_thing() -> None:
    assert set(names_of("The gateway is old.", ["gw", "portal"])) >= {name("gw"), name("portal"), name("gateway")}


@pytest.mark.parametrize("aliases", [[], ["?"], [""]])
def test_an_alias_without_a_word_is_no_name(aliases: list[str]) -> None:
    assert frozenset() not in names_of("The gateway is old.", aliases)


def test_the_other_names_of_what_was_asked_are_given() -> None:
    group = [name("k8s"), name("container platform")]
    assert set(other_names(terms_of("k8s"), [group])["k8s"]) == {name("container platform")}
    assert set(other_names(["contain", "platform", "upgrad"], [group])) == {"contain", "platform"}


def test_a_part_of_a_name_is_not_the_name() -> None:
    assert other_names(["platform"], [[name("k8s"), name("container platform")]]) == {}
    assert other_names(["upgrad"], [[name("k8s"), name("container platform")]]) == {}


def test_who_asks_by_both_names_needs_no_other() -> None:
    assert other_names(["gateway", "gw"], [[name("gw"), name("gateway")]]) == {}
