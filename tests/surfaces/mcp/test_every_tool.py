"""Every operation of the table is a tool that can be listed and called, by the SDK's own client, in both eras."""

from __future__ import annotations

import asyncio
from typing import Any

import jsonschema
import pytest
from mcp import Client
from mcp_types import CallToolResult, TextContent

from marrow.app import Memory
from marrow.model import errors
from marrow.operations.catalogue import NAMES, TABLE
from tests.providers.code_hosts.github_service import GitHubService

from .launch import ERAS, Started
from .samples import ADDRESS, BEFORE, FOLDER, HOST, OTHER, SAMPLES, capture_session, filled


def test_every_operation_has_a_sample_and_every_sample_an_operation() -> None:
    assert set(SAMPLES) == set(TABLE)


async def call_sample(client: Client, name: str, folder: str, host: str) -> CallToolResult:
    """Call an operation with its sample, on nodes of its own."""
    batch = [f"The first thing said for {name}: a server listens on a port.", f"The second for {name}: tests are slow."]
    saved = await client.call_tool("memory_save", {"batch": batch, "tags": ["db"]})
    places = {
        ADDRESS: saved.structured_content["items"][0]["address"],
        OTHER: saved.structured_content["items"][1]["address"],
        FOLDER: folder,
        HOST: host,
    }
    for earlier, arguments in SAMPLES[name].before:
        done = await client.call_tool(earlier, filled(arguments, places))
        assert not done.is_error, (name, earlier, done.content)
        places[BEFORE] = done.structured_content.get("address", "")
    return await client.call_tool(name, filled(SAMPLES[name].arguments, places))


@pytest.mark.parametrize("era", ERAS)
def test_every_tool_is_listed_and_answers_in_its_own_shape(era: str, started: Started) -> None:
    async def conversation(client: Client) -> None:
        assert client.protocol_version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[era]
        schemas = {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}
        assert list(schemas) == list(TABLE)
        for name in TABLE:
            result = await call_sample(client, name, str(started.folder), host.url)
            assert not result.is_error, (name, result.content)
            jsonschema.validate(result.structured_content, schemas[name])
            (text,) = result.content
            assert isinstance(text, TextContent)
            assert text.text.strip(), name

    capture_session(started.store)
    with GitHubService() as host:
        started.talk(conversation, era=era)


def test_every_alias_is_accepted_and_none_is_listed(talk: Any) -> None:
    aliases = [name for name, known in NAMES.items() if name != known]
    assert aliases

    async def conversation(client: Client) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert not listed.intersection(aliases)
        for alias in aliases:
            done = await client.call_tool(alias, {"no_such_argument": 1})
            # It got as far as the operation's own arguments: the name was found.
            assert done.structured_content["code"] == "invalid", alias
            assert NAMES[alias] in done.structured_content["message"]

    talk(conversation, groups=("all",))


def test_an_error_fits_every_output_schema(memory: Memory) -> None:
    """Some clients hold what an error carries against the tool's schema too."""
    problem = errors.Invalid("It was wrong.", hint="Do it right.", field="address").as_dict()
    for operation in TABLE.values():
        jsonschema.validate(problem, operation.output_schema())


def test_every_schema_is_a_valid_schema() -> None:
    for operation in TABLE.values():
        for schema in (operation.input_schema(), operation.output_schema()):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"


def test_calls_at_the_same_time_all_take_effect_once(started: Started) -> None:
    async def conversation(client: Client) -> None:
        saves = [client.call_tool("memory_save", {"content": f"Fact number {n} of the flood."}) for n in range(24)]
        reads = [client.call_tool("memory_search", {"query": "flood"}) for _ in range(12)]
        done = await asyncio.gather(*saves, *reads)
        assert not [result for result in done if result.is_error]
        numbers = {result.structured_content["seq"] for result in done[:24]}
        assert len(numbers) == 24
        status = await client.call_tool("memory_status", {})
        assert status.structured_content["active"] == 24

    started.talk(conversation, era="auto")
