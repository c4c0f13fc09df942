"""MCP server of the SDK for the tools of a server, in both eras of the protocol."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import CallNext, HandlerResult
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from toolaccord.call.context import IncomingCall
from toolaccord.call.pipeline import Pipeline
from toolaccord.call.response import Answer
from toolaccord.declarations.tool import Server
from toolaccord.errors import UnknownTool
from toolaccord.json_values import JsonObject
from toolaccord.resources.view_pages import has_views
from toolaccord.transports.mcp import deprecation, tool_list
from toolaccord.transports.mcp.answer_content import list_content
from toolaccord.transports.mcp.capabilities import LISTS, has_completions, server_capabilities, stateless_capabilities
from toolaccord.transports.mcp.contract_lists import ContractList, contract_lists
from toolaccord.transports.mcp.scoped_lists import ScopedLists, cache_scope
from toolaccord.transports.mcp.sdk import log_messages
from toolaccord.transports.mcp.sdk.calls import (
    Context,
    proven_by,
    read_meta,
    receive_call,
    require_first_page,
    shows_views,
    to_question,
)
from toolaccord.transports.mcp.tool_list import ToolList
from toolaccord.transports.mcp.unknown_tool import unknown_tool

if TYPE_CHECKING:  # a server without asks or tasks loads nothing for them
    from toolaccord.deferral.calls import TaskCalls
    from toolaccord.sources.redis.api import Redis
    from toolaccord.transports.mcp.sdk.asking import AskChannels
    from toolaccord.transports.mcp.sdk.tasks import SdkTasks

_LOG = logging.getLogger(__name__)


class _SdkServer(McpServer[Any]):
    """The SDK's server with the capabilities of a declared one."""

    def __init__(self, server: Server[Any], tasks: SdkTasks | None, **options: Any) -> None:
        super().__init__(server.name, **options)
        self._capabilities = server_capabilities(server)
        self._modern_capabilities = stateless_capabilities(server, has_tasks=tasks is not None)

    def get_capabilities(
        self, *_args: Any, protocol_version: str | None = None, **_options: Any
    ) -> types.ServerCapabilities:
        """Return the capabilities that the fast path sends, too."""
        is_modern = protocol_version in MODERN_PROTOCOL_VERSIONS
        capabilities = self._modern_capabilities if is_modern else self._capabilities
        return types.ServerCapabilities.model_validate(capabilities, by_name=False)


def create_mcp_server(server: Server[Any], pipeline: Pipeline, calls: TaskCalls | None = None) -> McpServer[Any]:
    """Return an SDK server of *server*, whose calls and reads *pipeline* answers.

    *calls* makes tasks of calls; None for a server without tasks.
    """
    tasks = None if calls is None else _open_tasks(calls, server)
    tools = ToolList(pipeline, lambda tools: types.ListToolsResult.model_validate({"tools": tools}, by_name=False))
    tools.current(None)  # a list that cannot be encoded fails the start, not the first request
    channels = _open_channels(pipeline)

    async def list_tools(context: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        require_first_page(params, "tools")
        return tools.current(proven_by(context), shows_views=shows_views(context))

    async def call_tool(context: Context, params: types.CallToolRequestParams) -> JsonObject:
        try:
            call = receive_call(pipeline, context, params.name, params.arguments or {})
        except UnknownTool:
            error = unknown_tool(server.dialect, params.name, read_meta(context))
            raise MCPError(error.code, error.message, error.data) from None
        is_deferred = tasks is not None and tasks.takes(context, params.name)
        call = await _connect(call, context, params, channels)
        answer = await pipeline.answer(tasks.methods.defer(call) if tasks and is_deferred else call)
        if tasks and answer.task:
            return tasks.methods.describe_created(answer, answer.task)
        if answer.is_question or answer.missing_capability:
            return to_question(answer)
        return _to_result(
            answer, structured=answer.has_result and (not answer.is_error or server.dialect.errors_in_output_schema)
        )

    mcp_server = _SdkServer(
        server,
        tasks,
        version=server.version,
        title=server.title,
        description=server.description,
        instructions=server.instructions,
        cache_hints=dict.fromkeys(("tools/list", *LISTS), CacheHint(tool_list.CACHE_TTL_MS, cache_scope(server))),
        get_tool_input_schema={tool.name: tool.parameters for tool in server.tools}.get,
        on_list_tools=list_tools,
    )
    mcp_server.add_request_handler("tools/call", types.CallToolRequestParams, call_tool)
    _add_methods(mcp_server, pipeline, channels, tasks)
    # This replaces the SDK's spans, too: the pipeline makes one for each call.
    mcp_server.middleware[:] = [_hide_exceptions]
    if channels:
        mcp_server.middleware += channels.middleware
    if tasks:
        tasks.serve(mcp_server)
    return mcp_server


async def _connect(
    call: IncomingCall, context: Context, params: types.CallToolRequestParams, channels: AskChannels | None
) -> IncomingCall:
    """Return *call* with its ways to the caller. Raises MCPError for a foreign state."""
    # The session's reports go nowhere for a request without a progress token.
    call = call._replace(progress=context.session.report_progress)
    if call.bound.operation.logging:
        call = call._replace(send_log=log_messages.message_sender(context, params.name))
    return call if channels is None else await channels.connect(context, params, call)


def _add_methods(
    mcp_server: McpServer[Any], pipeline: Pipeline, channels: AskChannels | None, tasks: SdkTasks | None
) -> None:
    """Add the methods that only some contracts need."""
    server, require_watched = pipeline.server, None
    if any(tool.logging for tool in server.tools):
        mcp_server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, log_messages.set_level)
    for method, each in contract_lists(server).items():
        mcp_server.add_request_handler(method, types.PaginatedRequestParams, _page_handler(each, server))
    if server.resources or has_views(server):
        from toolaccord.transports.mcp.sdk.resources import add_resources  # noqa: PLC0415 - few servers have resources

        require_watched = add_resources(mcp_server, pipeline, channels)
    if require_watched or tasks:
        from toolaccord.transports.mcp.sdk.listening import add_listening  # noqa: PLC0415 - likewise

        add_listening(mcp_server, pipeline.changes, require_watched, tasks)
    if server.prompts:
        from toolaccord.transports.mcp.sdk.prompts import add_prompts  # noqa: PLC0415 - few servers have prompts

        add_prompts(mcp_server, pipeline, channels)
    if has_completions(server):
        from toolaccord.transports.mcp.sdk.completions import add_completions  # noqa: PLC0415 - few servers complete values

        add_completions(mcp_server, pipeline)


def _page_handler(listed: ContractList, server: Server[Any]) -> Callable[[Context, Any], Awaitable[JsonObject]]:
    """Return the handler that answers with the only page of a list."""
    lists = ScopedLists(server, lambda seen: {"resultType": "complete", **listed.page(seen)})

    async def answer(context: Context, params: types.PaginatedRequestParams | None) -> JsonObject:
        require_first_page(params, listed.noun)
        return lists.get(proven_by(context), shows_views=shows_views(context))

    return answer


def _open_channels(pipeline: Pipeline) -> AskChannels | None:
    """Return the ways to ask the callers of a server, if it has asks."""
    if not pipeline.server.asks:
        return None
    from toolaccord.config.ask_settings import read_ask_settings  # noqa: PLC0415 - only such a server needs it
    from toolaccord.transports.mcp.sdk.asking import AskChannels  # noqa: PLC0415

    shared = next((each for each in pipeline.sources.values() if each.kind == "redis"), None)
    return AskChannels(
        pipeline.server.name, read_ask_settings(pipeline.settings), pipeline.changes, cast("Redis | None", shared)
    )


def _open_tasks(calls: TaskCalls, server: Server[Any]) -> SdkTasks:
    from toolaccord.transports.mcp.sdk.tasks import SdkTasks  # noqa: PLC0415 - only such a server needs it
    from toolaccord.transports.mcp.tasks import TaskMethods  # noqa: PLC0415 - likewise

    return SdkTasks(TaskMethods(calls, server))


async def _hide_exceptions(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Replace the text of exceptions, which the SDK would send to clients of the handshake era."""
    try:
        return await call_next(ctx)
    except (MCPError, ValidationError):  # the SDK answers these without the text
        raise
    except Exception:
        _LOG.exception("%s failed", ctx.method)
        raise MCPError(types.INTERNAL_ERROR, "Internal error") from None


def _to_result(answer: Answer, *, structured: bool) -> JsonObject:
    """Return *answer* as the result of `tools/call`.

    A dict costs a quarter of the time of a model.
    """
    result: JsonObject = {
        "content": list_content(answer),
        "isError": answer.is_error,
        "resultType": "complete",
        "_meta": {"corr_id": answer.corr_id, **(deprecation.to_meta(answer.deprecation) if answer.deprecation else {})},
    }
    if answer.is_replayed:
        result["_meta"]["replayed"] = True
    if structured:  # some hosts check it against the output schema even in an error, and drop a mismatch
        result["structuredContent"] = answer.body
    return result
