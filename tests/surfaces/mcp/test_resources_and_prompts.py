"""Resources and prompts, in both eras."""

from __future__ import annotations

import re
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, TextContent, TextResourceContents

from marrow.app import Memory
from marrow.model.errors import StoreDamaged
from marrow.operations.catalogue import in_groups
from marrow.surfaces.mcp.hosts import EVERYDAY
from marrow.surfaces.mcp.instructions import instructions
from marrow.surfaces.mcp.prompts import JOURNEYS

from .launch import ERAS

PROMPT_MAX = 700  # A prompt is read by a person before it is sent.


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    assert content.uri == uri
    return content.text


@pytest.mark.parametrize("era", ERAS)
def test_a_node_and_the_status_can_be_read_as_resources(era: str, talk: Any, memory: Memory) -> None:
    address = memory.save("The port of the API is 8080.").items[0].address

    async def conversation(client: Client) -> None:
        (listed,) = (await client.list_resources()).resources
        (template,) = (await client.list_resource_templates()).resource_templates
        assert "1 active" in await read(client, listed.uri)
        node = template.uri_template.replace("{address}", address)
        assert "The port of the API is 8080." in await read(client, node)

    talk(conversation, era=era)


@pytest.mark.parametrize(
    "uri",
    ["marrow://", "marrow://node/", "marrow://status/", "marrow://nodes/abcdef", "marrow://node/abcdef/x", "file:///x"],
)
@pytest.mark.parametrize("era", ERAS)
def test_an_unknown_resource_is_refused(era: str, uri: str, talk: Any) -> None:
    async def conversation(client: Client) -> None:
        with pytest.raises(MCPError, match="no resource") as raised:
            await client.read_resource(uri)
        assert raised.value.data["code"] == "not_found"

    talk(conversation, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_an_address_that_is_none_is_refused(era: str, talk: Any) -> None:
    async def conversation(client: Client) -> None:
        with pytest.raises(MCPError) as raised:
            await client.read_resource("marrow://node/abc")
        assert raised.value.code == INVALID_PARAMS

    talk(conversation, era=era)


def test_a_damaged_store_says_so_to_readers_of_resources(talk: Any) -> None:
    def make() -> Memory:
        raise StoreDamaged

    async def conversation(client: Client) -> None:
        with pytest.raises(MCPError, match="damaged") as raised:
            await client.read_resource("marrow://status")
        assert raised.value.code == INTERNAL_ERROR

    talk(conversation, make=make)


@pytest.mark.parametrize("era", ERAS)
def test_every_prompt_can_be_had_with_its_arguments_in_it(era: str, talk: Any) -> None:
    async def conversation(client: Client) -> None:
        listed = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in listed] == [journey.name for journey in JOURNEYS]
        for prompt in listed:
            given = {argument.name: f"<{argument.name}> {{braces}}" for argument in prompt.arguments or ()}
            (message,) = (await client.get_prompt(prompt.name, given)).messages
            assert isinstance(message.content, TextContent)
            for value in given.values():
                assert value in message.content.text
            needed = {a.name: "short" for a in prompt.arguments or () if a.required}
            (message,) = (await client.get_prompt(prompt.name, needed)).messages
            assert isinstance(message.content, TextContent)
            assert len(message.content.text) < PROMPT_MAX

    talk(conversation, era=era)


@pytest.mark.parametrize("era", ERAS)
def test_the_prompt_ask_has_the_cited_context_in_it(era: str, talk: Any, memory: Memory) -> None:
    saved = memory.save("Payments go through a queue because the {bank} is slow.", kind="decision").items[0]

    async def conversation(client: Client) -> None:
        found = await client.get_prompt("ask", {"question": "why do payments go through a queue?"})
        (message,) = found.messages
        assert isinstance(message.content, TextContent)
        text = message.content.text
        assert text.startswith("Question: why do payments go through a queue?")
        assert "[1] Payments go through a queue because the {bank} is slow." in text
        assert saved.address in text

    talk(conversation, era=era)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("no_such_prompt", {}),
        ("ask", {}),
        ("start_task", {}),
        ("start_task", {"task": " "}),
        ("hand_over", {"to": "Ada"}),
    ],
)
def test_a_prompt_that_cannot_be_filled_is_refused(name: str, arguments: dict[str, str], talk: Any) -> None:
    async def conversation(client: Client) -> None:
        with pytest.raises(MCPError) as raised:
            await client.get_prompt(name, arguments)
        assert raised.value.code == INVALID_PARAMS

    talk(conversation)


def test_prompts_and_instructions_name_only_everyday_tools() -> None:
    everyday = {operation.name for operation in in_groups(EVERYDAY)}
    for text in (instructions(), *(journey.text for journey in JOURNEYS)):
        named = set(re.findall(r"\bmemory_[a-z_]+", text))
        assert named
        assert named <= everyday


def test_what_the_prompts_ask_for_can_be_done(memory: Memory) -> None:
    asked = memory.perform("memory_save", {"content": "Done: all.", "kind": "handoff", "domain": "tasks"})
    assert asked.result.items[0].outcome == "new"
    memory.perform("memory_save", {"content": "We use tabs.", "kind": "decision", "domain": "decisions"})
    found = memory.perform("memory_search", {"since": "7 days ago", "include_superseded": True, "limit": 50})
    assert {item.kind for item in found.result.items} == {"handoff", "decision"}
