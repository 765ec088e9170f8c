"""The canonical form is pinned by vectors: a change that breaks one of them changes every address ever given."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.address import address_of, canonical, field, fields, is_address, parse_prefix, shown
from marrow.model.errors import Invalid
from marrow.model.node import Node

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "address_vectors.json").read_text("utf-8"))

# What UTF-8 can carry: everything but lone surrogates, which the door refuses.
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


def content_of(vector: dict[str, Any]) -> str:
    return str(vector["content"]) * int(vector.get("times", 1))


@pytest.mark.parametrize("vector", VECTORS, ids=[vector["name"] for vector in VECTORS])
def test_canonical_form_is_the_pinned_one(vector: dict[str, Any]) -> None:
    form = canonical(vector["kind"], content_of(vector), vector["inputs"])
    if "canonical_hex" in vector:
        assert form.hex() == vector["canonical_hex"]
    assert len(form) == vector["canonical_length"]
    assert hashlib.sha256(form).hexdigest() == vector["address"]
    assert address_of(vector["kind"], content_of(vector), vector["inputs"]) == vector["address"]


def test_vectors_cover_what_they_are_for() -> None:
    names = {vector["name"] for vector in VECTORS}
    assert names >= {
        "ascii",
        "unicode",
        "empty content",
        "inputs in order",
        "inputs out of order and repeated",
        "newlines",
        "one mebibyte",
    }
    by_name = {vector["name"]: vector for vector in VECTORS}
    assert by_name["inputs in order"]["address"] == by_name["inputs out of order and repeated"]["address"]
    assert len({vector["address"] for vector in VECTORS}) == len(VECTORS) - 1


def test_composed_and_decomposed_letters_are_different_texts() -> None:
    assert address_of("claim", "caf\u00e9") != address_of("claim", "cafe\u0301")


@given(texts, texts, st.lists(texts, max_size=4), texts, texts, st.lists(texts, max_size=4))
def test_different_nodes_have_different_canonical_forms(
    kind: str, content: str, inputs: list[str], other_kind: str, other_content: str, other_inputs: list[str]
) -> None:
    same = (kind, content, set(inputs)) == (other_kind, other_content, set(other_inputs))
    assert (canonical(kind, content, inputs) == canonical(other_kind, other_content, other_inputs)) == same


@given(texts, texts, st.lists(texts, max_size=3))
def test_a_field_cannot_be_moved_into_its_neighbour(kind: str, content: str, inputs: list[str]) -> None:
    form = canonical(kind, content, inputs)
    assert canonical(kind + content, "", inputs) != form or not content
    assert canonical(kind, content + "".join(inputs), ()) != form or not inputs


@given(texts, texts, st.lists(texts, max_size=5), st.randoms(use_true_random=False))
def test_inputs_are_a_set(kind: str, content: str, inputs: list[str], chance: Any) -> None:
    shuffled = [*inputs, *inputs]
    chance.shuffle(shuffled)
    assert address_of(kind, content, shuffled) == address_of(kind, content, inputs)
    assert Node.make(kind, content, shuffled) == Node.make(kind, content, inputs)


def test_node_that_was_altered_is_not_true_to_its_address() -> None:
    node = Node.make("claim", "The port is 5432.")
    assert node.is_true_to_address()
    assert not Node(node.kind, "The port is 5433.", node.inputs, node.address).is_true_to_address()
    assert not Node("decision", node.content, node.inputs, node.address).is_true_to_address()


def test_shown_form_is_twelve_digits_and_a_prefix() -> None:
    address = address_of("claim", "x")
    assert len(shown(address)) == 12
    assert address.startswith(shown(address))
    assert is_address(address)
    assert not is_address(shown(address))
    assert not is_address(address.upper())
    assert not is_address(address + "\n")


@pytest.mark.parametrize("given_", ["abcdef", " ABCDEF ", "sha256:abcdef", "SHA256:abcdef", "a" * 64])
def test_prefix_is_accepted_as_people_write_it(given_: str) -> None:
    assert parse_prefix(given_) == given_.strip().lower().removeprefix("sha256:")


@pytest.mark.parametrize(
    "given_", ["abcde", "", "abcdeg", "a" * 65, "md5:abcdef", "abc def", "abcdef\nabcdef", 5, None, b"abcdef"]
)
def test_what_is_no_prefix_is_refused_with_the_field(given_: object) -> None:
    with pytest.raises(Invalid) as caught:
        parse_prefix(given_, field="target")
    assert caught.value.field == "target"
    assert caught.value.code == "invalid"


@given(st.lists(texts))
def test_several_fields_are_the_fields_one_after_another(several: list[str]) -> None:
    assert fields(*several) == b"".join(field(text.encode()) for text in several)
