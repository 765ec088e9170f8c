"""What the list of tools costs, and who is shown which."""

from __future__ import annotations

from typing import Any

import pytest
from anthropic_tokenizer import count_tokens
from mcp import Client

from marrow.model.errors import Invalid
from marrow.model.groups import chosen_groups
from marrow.operations.catalogue import GROUPS, TABLE, in_groups
from marrow.surfaces.mcp.hosts import EVERYDAY, EVERYTHING, HOSTS, host_named
from marrow.surfaces.mcp.instructions import instructions

from .launch import ERAS, Piped, Started, handshake, request, stateless

BUDGET_TOKENS = 2_500
HOST_CUTS_AT_BYTES = 2_048  # Claude Code cuts descriptions and instructions there.


def sent_list(piped: Piped, request_id: int) -> str:
    """The result of tools/list exactly as it went over the wire."""
    line = next(line for line in piped.lines if f'"id":{request_id},' in line)
    _, _, result = line.partition('"result":')
    return result.removesuffix("}")


def test_the_core_list_as_sent_costs_at_most_its_budget(started: Started) -> None:
    core = Started(started.folder, started.store, tools="core")
    by_handshake = sent_list(core.pipe(*handshake(), request(2, "tools/list")), 2)
    without = sent_list(core.pipe(stateless(2, "tools/list")), 2)
    for sent in (by_handshake, without):
        assert sent.count('"outputSchema"') == len(in_groups(EVERYDAY))
        assert count_tokens(sent) <= BUDGET_TOKENS


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_version_with_a_handshake_is_spoken(version: str, started: Started) -> None:
    piped = started.pipe(*handshake(version), request(2, "tools/list"))
    opened = piped.answer(1)["result"]
    assert opened["protocolVersion"] == version
    assert (opened["serverInfo"]["name"], opened["serverInfo"]["title"]) == ("marrow", "Marrow")
    assert opened["serverInfo"]["version"]
    assert len(piped.answer(2)["result"]["tools"]) == len(TABLE)


def test_the_era_without_handshakes_is_discovered(started: Started) -> None:
    found = started.pipe(stateless(1, "server/discover")).answer(1)["result"]
    assert found["supportedVersions"] == ["2026-07-28"]
    assert found["instructions"] == instructions()
    assert {"tools", "resources", "prompts"} <= set(found["capabilities"])


def test_instructions_and_descriptions_are_not_cut_by_hosts() -> None:
    assert len(instructions().encode()) < HOST_CUTS_AT_BYTES
    for operation in TABLE.values():
        assert len(f"{operation.summary}\n{operation.details}".encode()) < HOST_CUTS_AT_BYTES, operation.name


def test_instructions_say_that_the_code_is_known_too() -> None:
    for name in ("marrow code callers", "marrow code impact", "marrow verify"):
        assert name in instructions()


@pytest.mark.parametrize("era", ERAS)
def test_a_host_is_shown_the_tools_that_suit_it(era: str, talk: Any) -> None:
    everyday = [operation.name for operation in in_groups(EVERYDAY)]

    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    assert talk(names, era=era, client="nobody-knows-me") == everyday
    assert talk(names, era=era, client="claude-code") == list(TABLE)
    assert talk(names, era=era, client="claude-code", groups=EVERYDAY) == everyday
    tree = [operation.name for operation in in_groups(("tree",))]
    assert talk(names, era=era, client="claude-code", groups=("tree",)) == tree


def test_a_host_that_defers_keeps_the_everyday_tools_loaded(talk: Any) -> None:
    async def kept(client: Client) -> dict[str, object]:
        return {tool.name: tool.meta for tool in (await client.list_tools()).tools}

    everyday = {operation.name for operation in in_groups(EVERYDAY)}
    for name, meta in talk(kept, client="claude-code").items():
        assert meta == ({"anthropic/alwaysLoad": True} if name in everyday else None)
    assert not any(talk(kept, client="codex-mcp-client").values())


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("claude-code", "claude-code"),
        ("Codex", "codex"),
        ("codex-mcp-client", "codex"),
        ("cursor-vscode", "cursor"),
        ("Visual Studio Code", "visual-studio-code"),
        ("Visual-Studio-Code", "visual-studio-code"),
        ("Visual Studio Code - Insiders", "visual-studio-code"),
        ("github-copilot-developer", "github-copilot"),
    ],
)
def test_a_host_is_known_by_how_its_name_begins(client: str, name: str) -> None:
    assert host_named(client) is HOSTS[name]


@pytest.mark.parametrize("client", ["", "claude-ai", "codexology", "my-cursor", "Windsurf", "–"])
def test_a_host_that_is_not_in_the_table_is_shown_the_everyday_tools(client: str) -> None:
    assert host_named(client).groups == EVERYDAY


def test_hints_say_what_differs_from_the_protocols_defaults(talk: Any) -> None:
    async def hints(client: Client) -> dict[str, dict[str, bool]]:
        tools = (await client.list_tools()).tools
        return {tool.name: tool.annotations.model_dump(exclude_none=True) for tool in tools if tool.annotations}

    found = talk(hints, groups=EVERYTHING)
    for name, operation in TABLE.items():
        expected: dict[str, bool] = {"open_world_hint": False}
        if operation.right == "read" and not operation.changes:
            expected["read_only_hint"] = True
        elif not operation.destructive:
            expected["destructive_hint"] = False
        assert found[name] == expected, name
    for writer in ("memory_save", "memory_forget", "restore", "reindex"):
        assert "read_only_hint" not in found[writer]


def test_groups_are_chosen_by_name() -> None:
    assert chosen_groups(None) is None
    assert chosen_groups(" ") is None
    assert chosen_groups(",") is None
    assert chosen_groups("core, tree,core") == ("core", "tree")
    assert chosen_groups("all") == ("all",)
    with pytest.raises(Invalid) as raised:
        chosen_groups("core,forest")
    assert all(group in raised.value.hint for group in GROUPS)


def test_a_wrong_group_ends_the_start_with_a_message(started: Started) -> None:
    piped = Started(started.folder, started.store, tools="forest").pipe()
    assert piped.code == Invalid.exit_code
    assert piped.lines == []
    assert "forest" in piped.err


def test_lists_have_one_page(talk: Any) -> None:
    async def pages(client: Client) -> None:
        for ask in (client.list_tools, client.list_resources, client.list_resource_templates, client.list_prompts):
            assert (await ask()).next_cursor is None
            with pytest.raises(Exception, match="no such page"):
                await ask(cursor="2")

    talk(pages)
