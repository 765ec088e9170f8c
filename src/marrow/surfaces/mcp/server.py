"""The server: what it offers and how it answers, in both eras of the protocol. It knows nothing of the transport."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NoReturn

from mcp.server import Server
from mcp.server.caching import CacheHint
from mcp.server.connection import allowed_log_levels
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    EmptyResult,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    LoggingMessageNotification,
    LoggingMessageNotificationParams,
    PaginatedRequestParams,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    SetLevelRequestParams,
    TextContent,
    TextResourceContents,
)

from ...app import Memory
from ...model.errors import Internal, MarrowError, NotFound
from ...operations.catalogue import in_groups
from ...operations.run import Answer, find_operation
from ...version import __version__
from .access import Access, Reports
from .answers import answered, protocol_error, refused
from .hosts import host_named
from .instructions import instructions
from .prompts import journey_named, prompts
from .resources import MIME_TYPE, RESOURCES, TEMPLATES, asked
from .tools import listed

Context = ServerRequestContext[Any, Any]

ACTOR, ACTOR_MAX = "mcp", 64
# A list stays the same while the server runs, and it may be replaced by a newer one. It depends on who asks.
LISTS = CacheHint(ttl_ms=300_000, scope="private")
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")


class Handlers:
    """One method for each thing that a client can ask. `groups` None leaves the choice of tools to the host's row."""

    def __init__(self, access: Access, groups: tuple[str, ...] | None) -> None:
        self._access = access
        self._groups = groups
        self._level = "error"

    async def list_tools(self, ctx: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        _refuse_cursor(params)
        host = host_named(_client(ctx))
        return ListToolsResult(tools=listed(self._groups or host.groups, host))

    async def call_tool(self, ctx: Context, params: CallToolRequestParams) -> CallToolResult:
        try:
            self._check_offered(params.name)
            return answered(await self._perform(ctx, params.name, params.arguments or {}))
        except MarrowError as problem:
            await self._tell(ctx, problem)
            return refused(problem)

    def _check_offered(self, name: str) -> None:
        """What was chosen on the command line is a limit. A host's row is not: it only keeps the list short."""
        operation = find_operation(name)
        if self._groups is not None and operation not in in_groups(self._groups):
            raise NotFound(
                f"{operation.name} is not among the tools of this server.",
                hint=f"It was started with --tools {','.join(self._groups)}; {operation.group} has it.",
                field="name",
            )

    async def _perform(self, ctx: Context, name: str, arguments: Mapping[str, Any]) -> Answer:
        reports = Reports(ctx.session.report_progress)
        actor = _client(ctx) or ACTOR

        def work(memory: Memory) -> Answer:
            asker = replace(memory.call.asker, actor=actor)
            return memory.perform(name, arguments, asker=asker, progress=reports)

        return await self._access.run(work, reports)

    async def list_resources(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        _refuse_cursor(params)
        return ListResourcesResult(resources=RESOURCES)

    async def list_templates(self, ctx: Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        _refuse_cursor(params)
        return ListResourceTemplatesResult(resource_templates=TEMPLATES)

    async def read_resource(self, ctx: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        uri = str(params.uri)
        try:
            name, arguments = asked(uri)
            answer = await self._perform(ctx, name, arguments)
        except MarrowError as problem:
            await self._tell(ctx, problem)
            _raise(problem, ctx)
        return ReadResourceResult(contents=[TextResourceContents(uri=uri, mime_type=MIME_TYPE, text=answer.text)])

    async def list_prompts(self, ctx: Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        _refuse_cursor(params)
        return ListPromptsResult(prompts=prompts())

    async def get_prompt(self, ctx: Context, params: GetPromptRequestParams) -> GetPromptResult:
        try:
            journey = journey_named(params.name)
            given = params.arguments or {}
            told = (await self._perform(ctx, journey.performs, journey.asked(given))).text if journey.performs else ""
            text = TextContent(text=journey.filled(given, told))
        except MarrowError as problem:
            raise MCPError(INVALID_PARAMS, str(problem), problem.as_dict()) from None
        return GetPromptResult(description=journey.description, messages=[PromptMessage(role="user", content=text)])

    async def set_level(self, ctx: Context, params: SetLevelRequestParams) -> EmptyResult:
        self._level = params.level
        return EmptyResult()

    async def _tell(self, ctx: Context, problem: MarrowError) -> None:
        """A fault of ours is also a message in the host's log, where the host wants such messages."""
        is_wanted = "error" in allowed_log_levels(ctx.protocol_version, ctx.meta)
        if not isinstance(problem, Internal) or not is_wanted or LEVELS.index(self._level) > LEVELS.index("error"):
            return
        said = LoggingMessageNotificationParams(level="error", logger="marrow", data=problem.as_dict())
        await ctx.session.send_notification(LoggingMessageNotification(params=said), ctx.request_id)


def _client(ctx: Context) -> str:
    """How the client calls itself: once in the handshake, or with each request. It becomes the actor of events."""
    said = ctx.session.client_params
    name = said.client_info.name if said is not None else ""
    return "".join(letter for letter in name if letter.isprintable()).strip()[:ACTOR_MAX]


def _refuse_cursor(params: PaginatedRequestParams | None) -> None:
    """Our lists have one page, so no cursor can be ours."""
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, "There is no such page: lists have one.")


def _raise(problem: MarrowError, ctx: Context) -> NoReturn:
    raise MCPError.from_error_data(protocol_error(problem, ctx.protocol_version)) from None


def build_server(access: Access, groups: tuple[str, ...] | None) -> Server[Any]:
    """One server for one connection."""
    on = Handlers(access, groups)
    server: Server[Any] = Server(
        "marrow",
        version=__version__,
        title="Marrow",
        description="The memory of a software project.",
        instructions=instructions(),
        cache_hints={
            "tools/list": LISTS,
            "resources/list": LISTS,
            "resources/templates/list": LISTS,
            "prompts/list": LISTS,
        },
        on_list_tools=on.list_tools,
        on_call_tool=on.call_tool,
        on_list_resources=on.list_resources,
        on_list_resource_templates=on.list_templates,
        on_read_resource=on.read_resource,
        on_list_prompts=on.list_prompts,
        on_get_prompt=on.get_prompt,
    )
    # Not as an argument: the SDK warns there that logging is on its way out, and older hosts still ask for it.
    server.add_request_handler("logging/setLevel", SetLevelRequestParams, on.set_level)
    return server
