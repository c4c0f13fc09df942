"""A client of MCP's extension for tasks, which measures servers of whatever make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import count
from typing import Any

import aiohttp

_EXTENSION = "io.modelcontextprotocol/tasks"
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"extensions": {_EXTENSION: {}}},
}
_IDS = count(1)
FINAL = frozenset({"completed", "failed", "cancelled"})


class WireError(Exception):
    """A request was not answered with a result; the text says how."""


class TaskClient:
    """Creates tasks, and looks at them."""

    def __init__(self, session: aiohttp.ClientSession, path: str = "/mcp", timeout_s: float = 60.0) -> None:
        self._session = session
        self._path = path
        self._timeout = aiohttp.ClientTimeout(timeout_s)

    async def create(self, tool: str, arguments: Mapping[str, Any], meta: Mapping[str, Any] | None = None) -> str:
        """Return the id of the task that a call becomes. Raises WireError."""
        result = await self._send("tools/call", {"name": tool, "arguments": arguments}, tool, meta)
        if result.get("resultType") != "task":
            raise WireError(f"no task: {str(result)[:200]}")
        return str(result["taskId"])

    async def get(self, task_id: str) -> Mapping[str, Any]:
        """Return a task. Raises WireError."""
        return await self._send("tasks/get", {"taskId": task_id}, task_id)

    async def _send(
        self, method: str, params: Mapping[str, Any], name: str, meta: Mapping[str, Any] | None = None
    ) -> Mapping[str, Any]:
        """Return the result of a request. Raises WireError."""
        message = {
            "jsonrpc": "2.0",
            "id": next(_IDS),
            "method": method,
            "params": {**params, "_meta": {**_META, **(meta or {})}},
        }
        headers = {
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": _VERSION,
            "Mcp-Method": method,
            "Mcp-Name": name,
        }
        try:
            async with self._session.post(self._path, json=message, headers=headers, timeout=self._timeout) as response:
                text = await response.text()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise WireError(type(error).__name__) from error
        answer = _read(text)
        if "result" not in answer:
            raise WireError(f"{response.status} {answer.get('error', {}).get('code', text[:100])}")
        return dict(answer["result"])


def _read(text: str) -> Mapping[str, Any]:
    """Return the message in a body, or in the last event of a stream."""
    events = [line.removeprefix("data:") for line in text.splitlines() if line.startswith("data:")]
    try:
        return dict(json.loads(events[-1] if events else text))
    except ValueError:
        return {}
