"""Errors have one shape, and no failure is a silence."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import apsw
import pytest
from mcp import Client
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, CallToolResult, TextContent

from marrow.app import Memory, open_memory
from marrow.model.errors import NotFound
from marrow.operations import table
from marrow.operations.catalogue import NAMES, TABLE
from marrow.operations.table import Call
from marrow.surfaces.mcp.answers import RESOURCE_NOT_FOUND

from .launch import ERAS, Started, call, handshake, request, stateless


def refused(result: CallToolResult) -> dict[str, Any]:
    """What an error carries, after its shape was checked."""
    assert result.is_error
    problem: dict[str, Any] = result.structured_content
    assert set(problem) - {"field"} == {"code", "message", "hint", "retryable"}
    (text,) = result.content
    assert isinstance(text, TextContent)
    assert text.text == f"{problem['code']}: {problem['message']} {problem['hint']}".strip()
    return problem


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    ("name", "arguments", "code", "field"),
    [
        ("memory_sav", {}, "not_found", "operation"),
        ("memory_get", {}, "invalid", "address"),
        ("memory_get", {"address": "abc"}, "invalid", "address"),
        ("memory_get", {"address": "ffffff"}, "not_found", "address"),
        ("memory_get", {"adress": "ffffff"}, "invalid", "adress"),
        ("memory_search", {"query": "x", "limit": "many"}, "invalid", "limit"),
        ("memory_search", {}, "invalid", "query"),
        ("memory_save", {"content": "x", "domain": "nonsense"}, "invalid", "domain"),
        ("memory_status", {"project": "nowhere"}, "not_found", "project"),
        ("memory_recall", {"message": "x", "budget_tokens": 0}, "invalid", "budget_tokens"),
    ],
)
def test_what_is_wrong_is_a_result_that_says_so(
    era: str, name: str, arguments: dict[str, Any], code: str, field: str, talk: Any
) -> None:
    problem = refused(talk(lambda client: client.call_tool(name, arguments), era=era, groups=("all",)))
    assert (problem["code"], problem["field"]) == (code, field)


def test_a_failed_write_changes_nothing(talk: Any, memory: Memory) -> None:
    memory.perform("memory_init", {})
    before = memory.perform("memory_status", {}).result.seq

    async def conversation(client: Client) -> None:
        refused(await client.call_tool("memory_save", {"batch": ["good", {"content": "bad", "domain": "nonsense"}]}))

    talk(conversation)
    assert memory.perform("memory_status", {}).result.seq == before


def test_a_group_that_was_not_chosen_is_not_offered(talk: Any) -> None:
    async def conversation(client: Client) -> CallToolResult:
        return await client.call_tool("memory_status", {})

    problem = refused(talk(conversation, groups=("core",)))
    assert problem["code"] == "not_found"
    assert "tree" in problem["hint"]
    # Nobody chose: the host's row keeps the list short, and forbids nothing.
    assert not talk(conversation, client="nobody-knows-me").is_error


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> str:
    """An operation with a fault in it."""

    def memory_broken(call: Call) -> object:
        """It fails."""
        raise ZeroDivisionError("a secret detail")

    entry = table.Operation("memory_broken", "core", memory_broken)
    monkeypatch.setitem(TABLE, entry.name, entry)
    monkeypatch.setitem(NAMES, entry.name, entry.name)
    return entry.name


@pytest.mark.parametrize("era", ERAS)
def test_a_fault_of_our_own_is_told_and_logged_and_the_server_goes_on(
    era: str, talk: Any, broken: str, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Any] = []

    async def hear(said: Any) -> None:
        heard.append(said)

    async def conversation(client: Client) -> CallToolResult:
        result = await client.call_tool(broken, {})
        assert not (await client.call_tool("memory_help", {})).is_error
        return result

    with caplog.at_level(logging.ERROR, "marrow.mcp"):
        problem = refused(talk(conversation, era=era, logging_callback=hear, log_level="error"))
    assert problem["code"] == "internal"
    assert "secret" not in str(problem)
    assert "a secret detail" in caplog.text
    assert [said.data["code"] for said in heard] == ["internal"]


def test_a_host_can_ask_for_less_in_its_log(talk: Any, broken: str) -> None:
    heard: list[Any] = []

    async def hear(said: Any) -> None:
        heard.append(said)

    async def conversation(client: Client) -> None:
        with pytest.warns(UserWarning, match="deprecated"):
            await client.set_logging_level("critical")
        await client.call_tool(broken, {})

    talk(conversation, era="legacy", logging_callback=hear)
    assert heard == []


def test_lines_that_are_no_message_are_answered_and_do_no_harm(started: Started) -> None:
    piped = started.pipe(
        *handshake(),
        "this is no JSON",
        "[]",
        '{"jsonrpc": "2.0", "id": 2}',
        '{"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": [1]}',
        '{"jsonrpc": "2.0", "id": [3], "method": "tools/call", "params": [1]}',
        request(4, "tools/call", {"name": "memory_help", "arguments": "text"}),
        request(5, "no/such/method"),
        call(6, "memory_help"),
    )
    nameless = [message["error"]["code"] for message in piped.messages if message.get("id") is None]
    assert nameless == [PARSE_ERROR, INVALID_REQUEST, INVALID_REQUEST]
    assert piped.answer(2)["error"]["code"] == INVALID_REQUEST
    assert piped.answer(3)["error"]["code"] == INVALID_REQUEST
    assert piped.answer(4)["error"]["code"] == INVALID_PARAMS
    assert piped.answer(5)["error"]["code"] == METHOD_NOT_FOUND
    assert not piped.answer(6)["result"].get("isError")
    assert piped.code == 0


def test_half_a_character_that_a_host_cut_is_no_reason_to_leave_a_request_without_its_answer(started: Started) -> None:
    piped = started.pipe(
        *handshake(),
        json.dumps(call(2, "memory_save", content="The gate is green \ud83d", tags=["\ud83c"])),
        json.dumps(call(3, "memory_search", query="which gate is green \ud83d")),
        json.dumps(call(4, "memory_save", content="Whole: \U0001f600 and half: \ude00")),
    )
    assert piped.answer(2)["result"]["structuredContent"]["items"][0]["content"] == "The gate is green \ufffd"
    assert not piped.answer(3)["result"].get("isError")
    assert piped.answer(4)["result"]["structuredContent"]["items"][0]["content"] == "Whole: \U0001f600 and half: \ufffd"
    assert piped.code == 0


def no_store(path: Path) -> str:
    path.write_bytes(b"something else altogether, long enough to be read" * 100)
    return "not a Marrow store"


def newer(path: Path) -> str:
    open_memory(path.parent, store=str(path), project="demo").close()
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", 9_999)
    connection.close()
    return "9999"


def a_folder(path: Path) -> str:
    path.mkdir()
    return "folder"


@pytest.mark.parametrize("spoil", [no_store, newer, a_folder])
def test_a_store_that_cannot_be_opened_does_not_fail_the_handshake(
    spoil: Any, started: Started, tmp_path: Path
) -> None:
    words = spoil(Path(started.store))
    piped = started.pipe(
        *handshake(), request(2, "tools/list"), call(3, "memory_recall", message="hello"), call(4, "memory_status")
    )
    assert len(piped.answer(2)["result"]["tools"]) == len(TABLE)
    for asked in (3, 4):
        result = piped.answer(asked)["result"]
        assert result["isError"]
        assert words in result["structuredContent"]["message"]
    assert piped.code == 0


def test_a_locked_store_says_that_it_is_worth_another_try(started: Started, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARROW_STORE_BUSY_TIMEOUT_MS", "50")
    open_memory(started.folder, store=started.store, project="demo").close()
    connection = apsw.Connection(started.store)
    connection.execute("BEGIN IMMEDIATE")
    piped = started.pipe(*handshake(), call(2, "memory_save", content="A fact."), call(3, "memory_projects"))
    connection.close()
    problem = piped.answer(2)["result"]["structuredContent"]
    assert (problem["code"], problem["retryable"]) == ("unavailable", True)
    assert not piped.answer(3)["result"].get("isError")  # Who reads does not wait for who writes.


def test_a_damaged_store_refuses_to_be_written_and_says_why(started: Started) -> None:
    with open_memory(started.folder, store=started.store, project="demo") as memory:
        memory.save("A fact.")
    with Path(started.store).open("r+b") as file:
        file.truncate(Path(started.store).stat().st_size // 2)
    piped = started.pipe(*handshake(), call(2, "memory_save", content="Another fact."))
    result = piped.answer(2)["result"]
    assert result["isError"]
    assert result["structuredContent"]["code"] == "unavailable"
    assert "damaged" in result["structuredContent"]["message"]


def test_a_store_that_was_mended_serves_without_a_restart(talk: Any, memory: Memory) -> None:
    is_mended = False

    def make() -> Memory:
        if not is_mended:
            raise NotFound("There is no store yet.")
        return memory

    async def conversation(client: Client) -> None:
        nonlocal is_mended
        assert refused(await client.call_tool("memory_projects", {}))["code"] == "not_found"
        is_mended = True
        assert not (await client.call_tool("memory_projects", {})).is_error

    talk(conversation, make=make)


def test_a_resource_that_is_not_there_is_an_error_of_the_protocol(started: Started) -> None:
    asked = {"uri": "marrow://node/ffffff"}
    legacy = started.pipe(*handshake(), request(2, "resources/read", asked)).answer(2)["error"]
    modern = started.pipe(stateless(2, "resources/read", asked)).answer(2)["error"]
    assert (legacy["code"], modern["code"]) == (RESOURCE_NOT_FOUND, INVALID_PARAMS)
    assert legacy["data"]["code"] == modern["data"]["code"] == "not_found"
