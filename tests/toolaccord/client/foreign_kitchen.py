"""The kitchen as a server of another make, which speaks MCP's extension for tasks.

It is the SDK's server, and a test moves its tasks on. It refuses requests that do not declare the
extension, or whose header names another task.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, NamedTuple

import mcp_types as types
import uvicorn
from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from toolaccord.json_values import JsonObject

EXTENSION = "io.modelcontextprotocol/tasks"
CREATED_AT = "2026-07-28T10:00:00Z"
POLL_MS = 10


class Seen(NamedTuple):
    """A request as it arrived."""

    method: str
    params: JsonObject
    headers: dict[str, str]
    """Its headers; empty over other transports than HTTP."""


class _TaskParams(types.RequestParams):
    task_id: str
    input_responses: JsonObject | None = None


class Kitchen:
    """Keeps tasks, and what clients sent."""

    def __init__(self) -> None:
        self.tasks: dict[str, JsonObject] = {}
        self.seen: list[Seen] = []
        self.faults: list[MCPError] = []
        """Errors with which the next requests for tasks fail."""
        self._changed = asyncio.Condition()
        self._numbers = itertools.count(1)

    async def arrived(self, method: str, count: int = 1) -> Seen:
        """Wait until *count* requests of a *method* have arrived, and return the last one."""
        async with self._changed:
            await self._changed.wait_for(lambda: len(self.of(method)) >= count)
        return self.of(method)[count - 1]

    def of(self, method: str) -> list[Seen]:
        """Return the requests of a *method*."""
        return [each for each in self.seen if each.method == method]

    @property
    def task(self) -> JsonObject:
        """Return the newest task."""
        return list(self.tasks.values())[-1]

    def complete(self, data: JsonObject) -> None:
        """End the newest task with a result."""
        self.task.update(status="completed", result=to_result({"data": data}))

    def ask(self, **messages: str) -> None:
        """Let the newest task ask for numbers and names, by key."""
        requests = {key: to_form(text) for key, text in messages.items()}
        self.task.update(status="input_required", inputRequests=requests)

    def server(self) -> Server[Any]:
        """Return a server of this kitchen."""
        server = Server("kitchen-mcp", on_list_tools=self._list, on_call_tool=self._call)
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", _TaskParams, self._get)
        server.add_request_handler("tasks/update", _TaskParams, self._update)
        server.add_request_handler("tasks/cancel", _TaskParams, self._cancel)
        return server

    async def _list(self, *_: Any) -> types.ListToolsResult:
        tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("bake", "brew", "plate")]
        return types.ListToolsResult.model_validate({"tools": tools})

    async def _call(self, context: ServerRequestContext[Any], params: types.CallToolRequestParams) -> Any:
        await self._record(context)
        arguments = params.arguments or {}
        if not _declares(context):
            if params.name == "brew":
                raise _needs_extension()
            return to_result({"data": arguments})
        if arguments.get("cake") == "brick":
            return to_result({"error": {"code": "OVEN_BROKEN", "message": "cold"}}, isError=True)
        if arguments.get("cake") == "biscuit":
            return to_result({"data": arguments})
        if arguments.get("cake") == "wedding" and not params.input_responses:
            requests = {"name-1": to_form("Whose wedding?")}
            return {"resultType": "input_required", "requestState": "sealed", "inputRequests": requests}
        task = {"taskId": f"id-{next(self._numbers)}", "status": "working", "ttlMs": 60000, "pollIntervalMs": POLL_MS}
        self.tasks[str(task["taskId"])] = {**task, "createdAt": CREATED_AT, "lastUpdatedAt": CREATED_AT}
        return {**self.task, "resultType": "task"}

    async def _get(self, context: ServerRequestContext[Any], params: _TaskParams) -> JsonObject:
        return dict(await self._find(context, params))

    async def _update(self, context: ServerRequestContext[Any], params: _TaskParams) -> JsonObject:
        task = await self._find(context, params)
        left = {key: each for key, each in task["inputRequests"].items() if key not in (params.input_responses or {})}
        task["inputRequests"] = left
        if not left:
            del task["inputRequests"]
            task["status"] = "working"
        return {}

    async def _cancel(self, context: ServerRequestContext[Any], params: _TaskParams) -> JsonObject:
        task = await self._find(context, params)
        if task["status"] in {"working", "input_required"}:
            task["status"] = "cancelled"
        return {}

    async def _find(self, context: ServerRequestContext[Any], params: _TaskParams) -> JsonObject:
        await self._record(context)
        if not _declares(context):
            raise _needs_extension()
        if context.request is not None and context.request.headers.get("mcp-name") != params.task_id:
            raise MCPError(-32020, "the header names another task")
        if self.faults:
            raise self.faults.pop(0)
        if params.task_id not in self.tasks:
            raise MCPError(types.INVALID_PARAMS, "no such task")
        return self.tasks[params.task_id]

    async def _record(self, context: ServerRequestContext[Any]) -> None:
        headers = {} if context.request is None else dict(context.request.headers)
        async with self._changed:
            self.seen.append(Seen(context.method, dict(context.params or {}), headers))
            self._changed.notify_all()

    @asynccontextmanager
    async def listening(self, port: int = 0) -> AsyncIterator[int]:
        """Listen for HTTP on a *port*, and yield it; 0 for any that is free."""
        app = self.server().streamable_http_app()
        server = _Uvicorn(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        with socket.create_server(("127.0.0.1", port)) as listener:
            serving = asyncio.create_task(server.serve(sockets=[listener]))
            try:
                yield listener.getsockname()[1]
            finally:
                server.should_exit = True
                await serving


class _Uvicorn(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the tests."""
        yield


def to_result(body: JsonObject, **members: Any) -> JsonObject:
    """Return the result of a call with an envelope of the kitchen's dialect."""
    content = [{"type": "text", "text": json.dumps(body)}]
    return {"resultType": "complete", "content": content, "structuredContent": body, **members}


def to_form(message: str) -> JsonObject:
    """Return a request for a number and a name."""
    params = {"mode": "form", "message": message, "requestedSchema": _FORM}
    return {"method": "elicitation/create", "params": params}


_FORM = {"type": "object", "properties": {"number": {"type": "integer"}, "name": {"type": "string"}}}


def _declares(context: ServerRequestContext[Any]) -> bool:
    """Return whether a request declares the extension."""
    capabilities = (context.meta or {}).get(types.CLIENT_CAPABILITIES_META_KEY)
    return isinstance(capabilities, dict) and EXTENSION in (capabilities.get("extensions") or {})


def _needs_extension() -> MCPError:
    return MCPError(-32021, "the request must declare tasks", {"requiredCapabilities": {"extensions": {EXTENSION: {}}}})
