"""Requests of MCP's extension for tasks, through the SDK's session."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import mcp_types as types
from mcp import ClientSession, MCPError
from mcp_types import CLIENT_CAPABILITIES_META_KEY
from pydantic import ConfigDict, Field, TypeAdapter

from toolaccord.client.asks import answer_request
from toolaccord.client.connection import ANSWER, CALL_AS_TASK, ToolResponse
from toolaccord.client.operations import Send, read_envelope
from toolaccord.client.task_states import TaskState
from toolaccord.errors import TaskNotFound, UndeclaredOutage
from toolaccord.json_values import JsonObject

ReadResult = Callable[[types.CallToolResult], ToolResponse]
"""Returns the response in a result. Raises BrokenAnswer."""

_EXTENSION = "io.modelcontextprotocol/tasks"
_INPUT_REQUEST: TypeAdapter[types.InputRequest] = TypeAdapter(types.InputRequest)


class _DeclaringMeta(dict[str, Any]):
    """`_meta` that adds the extension to the capabilities, which the session writes into it."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name == CLIENT_CAPABILITIES_META_KEY:
            value = {**value, "extensions": {**value.get("extensions", {}), _EXTENSION: {}}}
        super().__setitem__(name, value)


def _declare(message: JsonObject) -> JsonObject:
    """Return a request that declares the extension; the session declares it in none or in all."""
    message["params"]["_meta"] = _DeclaringMeta(message["params"].get("_meta") or {})
    return message


class _CallRequest(types.CallToolRequest):
    def model_dump(self, **options: Any) -> JsonObject:
        return _declare(super().model_dump(**options))


class _CallResult(types.CallToolResult):
    """The result of a call, or the task that it became."""

    model_config = ConfigDict(extra="allow")

    content: list[types.ContentBlock] = Field(default_factory=list)
    result_type: Literal["complete", "task"] = "complete"


class _TaskParams(types.RequestParams):
    task_id: str
    input_responses: dict[str, Any] | None = None


class _TaskRequest(types.Request[_TaskParams, str]):
    name_param = "taskId"

    def model_dump(self, **options: Any) -> JsonObject:
        return _declare(super().model_dump(**options))


class _TaskResult(types.Result):
    """The state of a task, or nothing: an acknowledgement."""

    model_config = ConfigDict(extra="allow")


async def send_task_method(
    session: ClientSession, send: Send, read: ReadResult, method: str, arguments: JsonObject, meta: JsonObject
) -> ToolResponse:
    """Return the response to *method* with the parameters *arguments*.

    *send* sends a call, and answers what it asks. Raises TaskNotFound, BrokenAnswer, MCPError and ValidationError.
    """
    if method == ANSWER:
        request = _INPUT_REQUEST.validate_python(arguments["request"], by_name=False)
        answer = await answer_request(session, arguments["key"], request)
        return _acknowledge(answer.model_dump_json(by_alias=True, exclude_none=True))
    if method == CALL_AS_TASK:
        call = types.CallToolRequestParams.model_validate(arguments | {"_meta": meta}, by_name=False)
        called = await send(_CallRequest(params=call), _CallResult)
        return read(called) if called.result_type == "complete" else _acknowledge(task=_read_state(called))
    params = _TaskParams.model_validate(arguments | {"_meta": meta}, by_name=False)
    try:
        found = await session.send_request(_TaskRequest(method=method, params=params), _TaskResult)
    except MCPError as error:
        return _read_error(error)
    if "taskId" not in (found.model_extra or {}):
        return _acknowledge()
    state = _read_state(found)
    if state.status != "completed":
        return _acknowledge(task=state)
    return replace(read(types.CallToolResult.model_validate(state.result, by_name=False)), task=state)


def _acknowledge(text: str = "", task: TaskState | None = None) -> ToolResponse:
    return ToolResponse(text=text, is_error=False, corr_id=None, task=task)


def _read_state(result: types.Result) -> TaskState:
    return TaskState.model_validate({**(result.model_extra or {}), "_meta": result.meta or {}})


def _read_error(error: MCPError) -> ToolResponse:
    """Return the envelope in an error.

    Raises TaskNotFound, UndeclaredOutage, or an *error* without one.
    """
    if error.code == types.INVALID_PARAMS:
        raise TaskNotFound("There is no such task: it has expired, or belongs to another caller.") from error
    envelope = read_envelope(error)
    if envelope is not None:
        return envelope
    if error.code == types.INTERNAL_ERROR and error.data is None:  # such as a store of tasks that is away
        raise UndeclaredOutage(str(error.code), error.message, {}, retryable=True) from error
    raise error
