"""Requests beside `tools/call`: reads of resources, messages of prompts and completions."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp import MCPError
from pydantic import ValidationError

from toolaccord.client.connection import COMPLETE, GET_PROMPT, LIST_TOOLS, READ, ToolResponse
from toolaccord.errors import BrokenAnswer, ResourceNotFound
from toolaccord.json_values import JsonObject

Send = Callable[[Any, Any], Awaitable[Any]]
"""Sends a request, whose result has a type. Raises MCPError and ValidationError."""

_NO_ENVELOPE = frozenset(
    {"has_token", "http_status", "name", "reason", "requiredCapabilities", "retry_after_s", "scopes"}
)
"""Members of the data of errors that are no envelope of the dialect."""


@dataclass(frozen=True, slots=True)
class _Operation:
    """A method with the SDK's types."""

    request: type[Any]
    params: type[Any]
    result: type[Any]
    to_text: Callable[[Any], str]


async def send_operation(server: str, send: Send, method: str, arguments: JsonObject, meta: JsonObject) -> ToolResponse:
    """Return the response of *server* to *method* with the parameters *arguments*.

    Raises ResourceNotFound, BrokenAnswer, or what *send* raises.
    """
    operation = OPERATIONS[method]
    params = operation.params.model_validate(arguments | {"_meta": meta}, by_name=False)
    try:
        result = await send(operation.request(params=params), operation.result)
    except MCPError as error:
        envelope = read_envelope(error)
        if envelope is None:
            raise
        if method == READ and "uri" in error.data:
            raise ResourceNotFound(error.message) from error
        return envelope
    if method == READ and len(result.contents) != 1:
        raise BrokenAnswer(f"{server} answered {arguments['uri']} with {len(result.contents)} contents instead of one.")
    corr_id = (result.meta or {}).get("corr_id")
    text = operation.to_text(result)
    return ToolResponse(text=text, is_error=False, corr_id=corr_id if isinstance(corr_id, str) else None)


def read_envelope(error: MCPError) -> ToolResponse | None:
    """Return the failure envelope of the dialect that an error carries; None without one."""
    if not isinstance(error.data, dict) or error.data.keys() <= _NO_ENVELOPE:
        return None
    return ToolResponse(text=json.dumps(error.data), is_error=True, corr_id=None)


def describe_fault(error: ValidationError) -> str:
    """Return the first fault of a message that is no MCP, with its place."""
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _content_text(result: types.ReadResourceResult) -> str:
    [content] = result.contents
    return content.text if isinstance(content, types.TextResourceContents) else content.blob


def _messages_text(result: types.GetPromptResult) -> str:
    return result.model_dump_json(by_alias=True, exclude_none=True, include={"messages"})


def _completion_text(result: types.CompleteResult) -> str:
    return result.completion.model_dump_json(by_alias=True, exclude_none=True)


def _tools_text(result: types.ListToolsResult) -> str:
    return result.model_dump_json(by_alias=True, exclude_none=True, include={"tools", "next_cursor"})


OPERATIONS: Mapping[str, _Operation] = {
    READ: _Operation(
        types.ReadResourceRequest, types.ReadResourceRequestParams, types.ReadResourceResult, _content_text
    ),
    GET_PROMPT: _Operation(types.GetPromptRequest, types.GetPromptRequestParams, types.GetPromptResult, _messages_text),
    LIST_TOOLS: _Operation(types.ListToolsRequest, types.PaginatedRequestParams, types.ListToolsResult, _tools_text),
    COMPLETE: _Operation(types.CompleteRequest, types.CompleteRequestParams, types.CompleteResult, _completion_text),
}
"""Methods by name."""
