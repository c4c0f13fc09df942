"""Serve a pipeline by the MCP SDK alone, and list the accepted differences from it.

The SDK's low-level server runs on its own transports, as its documentation shows. The pipeline answers calls and lists
tools; parsing, dispatch and transport are the SDK's.
"""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast

import mcp_types as types
import pydantic_core
from mcp.server.apps import client_supports_apps
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server as McpServer
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.types import ASGIApp

from tests.servers.contracts import nest_lists
from tests.servers.reference_prompts import add_prompts
from tests.servers.reference_resources import ReferenceServer, add_resources
from tests.toolaccord.twins import comparable
from toolaccord.call.pipeline import Pipeline
from toolaccord.errors import UnknownTool
from toolaccord.semantics.envelope_values import EnvelopeValues, render
from toolaccord.transports.mcp.tool_list import CACHE_TTL_MS, ToolList

_PATIENCE_S = 20


def create_server(pipeline: Pipeline) -> McpServer[Any]:
    """Return the SDK's server of the tools, resources and prompts of *pipeline*."""
    declared = pipeline.server
    tools = ToolList(pipeline, lambda tools: types.ListToolsResult.model_validate({"tools": tools}, by_name=False))

    async def list_tools(context: Any, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        if params is not None and params.cursor is not None:
            raise MCPError(types.INVALID_PARAMS, "There is one page of tools and no cursor")
        return tools.current(None, shows_views=client_supports_apps(context))

    unknown_tool = None
    if declared.dialect.failure_in_protocol_errors:
        code, message = declared.dialect.occasions.unknown_tool, "This server has no such tool."
        values: dict[str, Any] = {
            "code": code,
            "jsonrpc_code": declared.dialect.codes[code].jsonrpc,
            "message": message,
            "details": {},
        }
        unknown_tool = render(declared.dialect.failure, EnvelopeValues(values=values, returns={}))

    async def call_tool(context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        sent = context.params or {}
        try:
            answer = await pipeline.call(
                params.name, params.arguments or {}, sent.get("_meta"), version=sent.get("version")
            )
        except UnknownTool:
            raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:128]}", unknown_tool) from None
        structured = not answer.is_error or declared.dialect.errors_in_output_schema
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=answer.body if structured else None,
            is_error=answer.is_error,
            _meta={"corr_id": answer.corr_id},
        )

    has_views = any(tool.view for tool in declared.tools)
    served = ReferenceServer(
        declared.name,
        has_views=has_views,
        version=declared.version,
        title=declared.title,
        description=declared.description,
        instructions=declared.instructions,
        cache_hints={"tools/list": CacheHint(CACHE_TTL_MS, "private" if has_views else "public")},
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    add_resources(served, pipeline)
    add_prompts(served, pipeline)
    return served


async def serve_lines(pipeline: Pipeline, sent: Sequence[bytes]) -> list[Any]:
    """Return the answers of the SDK's stdio server to *sent*, sorted as `twins.answers` does."""
    served, host = create_server(pipeline), _Host(sent)
    async with asyncio.timeout(_PATIENCE_S):
        async with stdio_server(cast("Any", host), cast("Any", host)) as (reading, writing):
            await served.run(reading, writing, served.create_initialization_options())
    return sorted(map(comparable, host.answers), key=json.dumps)


class _Host:
    """Standard input and output of the SDK's server: sends lines and collects answers.

    The input ends once every request has its answer, because the SDK then cancels the calls in flight.
    """

    def __init__(self, sent: Sequence[bytes]) -> None:
        self.answers: list[Any] = []
        self._sent = sent
        self._expected = Counter(id_ for each in sent if (id_ := _read_request_id(each)) is not None)
        self._more = asyncio.Event()

    async def __aiter__(self) -> AsyncIterator[str]:
        for each in self._sent:
            yield each.decode("utf-8", "replace") + "\n"
        while self._expected - Counter(json.dumps(answer.get("id")) for answer in self.answers):
            self._more.clear()
            await self._more.wait()

    async def write(self, text: str) -> None:
        """Collect an answer."""
        self.answers.append(json.loads(text))
        self._more.set()

    async def flush(self) -> None:
        """Do nothing: nothing is buffered."""


def _read_request_id(line: bytes) -> str | None:
    """Return the request id that the SDK reads in *line*, as JSON; None if it reads no request."""
    message = _read_message(line.decode("utf-8", "replace"))
    return json.dumps(message.id) if isinstance(message, types.JSONRPCRequest) else None


@asynccontextmanager
async def open_application(pipeline: Pipeline) -> AsyncIterator[ASGIApp]:
    """Give the SDK's stateless HTTP application of *pipeline*."""
    app = create_server(pipeline).streamable_http_app(stateless_http=True)
    async with app.router.lifespan_context(app):
        yield app


@dataclass(frozen=True, slots=True)
class AcceptedDifference:
    """A kind of message that toolaccord answers otherwise than the SDK.

    `matches` uses the parsers of Python and of the SDK, never toolaccord's.
    """

    reason: str
    """Both behaviours, and why toolaccord's is better."""
    matches: Callable[[bytes], bool]
    """Recognises a line or a body of this kind."""
    example: bytes
    """A message of this kind."""
    only_fast_path: bool = False
    """True if the fast path alone differs, and `--reference` answers as the SDK does."""


def find_difference(text: bytes, accepted: Sequence[AcceptedDifference]) -> AcceptedDifference | None:
    """Return the accepted difference that *text* matches; None if the answers must be equal."""
    return next((each for each in accepted if each.matches(text)), None)


def _is_json(text: bytes) -> bool:
    """Return True if Python reads *text* as JSON."""
    try:
        json.loads(text.decode())
    except (ValueError, RecursionError):
        return False
    return True


def _is_readable(text: bytes) -> bool:
    """Return True if the SDK's parser reads *text*, which may not be UTF-8."""
    try:
        pydantic_core.from_json(text.decode("utf-8", "replace"))
    except ValueError:
        return False
    return True


def _read_message(text: bytes | str) -> types.JSONRPCMessage | None:
    """Return the message that the SDK reads in *text*; None if it reads none."""
    try:
        return types.jsonrpc_message_adapter.validate_json(text, by_name=False)
    except ValidationError:
        return None


def _has_odd_id(text: bytes) -> bool:
    return isinstance(_read_message(text), types.JSONRPCNotification) and "id" in json.loads(text)


def _has_long_id(text: bytes) -> bool:
    message = _read_message(text)
    return (
        isinstance(message, types.JSONRPCRequest) and isinstance(message.id, int) and not -(2**63) <= message.id < 2**64
    )


def _is_no_message(text: bytes) -> bool:
    return _is_json(text) and _is_readable(text) and _read_message(text) is None


def _is_unreadable_json(text: bytes) -> bool:
    return _is_json(text) and not _is_readable(text)


def _is_deep(text: bytes) -> bool:
    return b"[" * 200 in text


def _call(symbol: Any) -> bytes:
    params = {"name": "get_top_strategies", "arguments": {"symbol": symbol}}
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()


_ODD_ID = (
    "A request whose id is null, a fraction, a boolean or a list is rejected. The SDK takes it for a notification, and "
    "its sender waits for ever."
)
STDIO_DIFFERENCES = (
    AcceptedDifference(
        "Invalid JSON is rejected, under its id if that is readable. The SDK does not answer, and the host waits for ever.",
        lambda line: not _is_json(line) and not _is_readable(line),
        b'{"jsonrpc":"2.0","id":1,"method":"ping"',
    ),
    AcceptedDifference(
        "Bytes that are not UTF-8 are rejected. The SDK replaces them and answers the changed message.",
        lambda line: not _is_json(line) and _is_readable(line),
        b'{"jsonrpc":"2.0","id":"\xff","method":"ping"}',
    ),
    AcceptedDifference(
        "JSON that is no message, such as a batch, is rejected, under each id in it. The SDK does not answer.",
        _is_no_message,
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
    ),
    AcceptedDifference(_ODD_ID, _has_odd_id, b'{"jsonrpc":"2.0","id":null,"method":"ping"}'),
    AcceptedDifference(
        "An integer id beyond 64 bits is rejected: hosts in other languages cannot tell such ids apart. The SDK answers it.",
        _has_long_id,
        b'{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}',
    ),
    AcceptedDifference(
        "A lone surrogate or a deeply nested value is rejected by its pointer. The SDK's parser rejects the JSON, and the "
        "SDK does not answer.",
        _is_unreadable_json,
        _call("\ud800"),
    ),
)
"""Accepted differences on standard input and output."""

HTTP_DIFFERENCES = (
    AcceptedDifference(
        "Invalid JSON is rejected without the parser's text, which the SDK sends.",
        lambda body: not _is_json(body) or (not _is_readable(body) and not _is_deep(body)),
        b"{",
    ),
    AcceptedDifference(
        "JSON that is no message is rejected without the validator's text, which the SDK sends.",
        _is_no_message,
        b"[]",
    ),
    AcceptedDifference(_ODD_ID, _has_odd_id, b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}'),
    AcceptedDifference(
        "A deeply nested value is rejected by its pointer. The SDK's parser rejects the JSON.",
        lambda body: _is_unreadable_json(body) and _is_deep(body),
        _call(nest_lists(220)),
        only_fast_path=True,
    ),
)
"""Accepted differences over HTTP, on `/mcp`."""
