"""A server with tasks in this process, and clients of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.toolaccord.deferral.test_task_calls import Jobs, opened
from tests.toolaccord.demo.jobs import Clerk, create_server
from tests.toolaccord.process import PATIENCE_S
from toolaccord.config.access_rules import read_access_rules
from toolaccord.config.process_settings import list_settings
from toolaccord.config.session_settings import list_session_settings
from toolaccord.tasks.memory_store import MemoryStore
from toolaccord.transports.http.app import HttpApp, Pages
from toolaccord.transports.mcp import request_shapes

EXTENSION = "io.modelcontextprotocol/tasks"
ABLE: dict[str, Any] = {"extensions": {EXTENSION: {}}, "elicitation": {}}
"""The capabilities of a client that handles tasks and answers questions."""
VERSION = request_shapes.STATELESS_VERSION
NAMES = {"tools/call": "name", "tasks/get": "taskId", "tasks/update": "taskId", "tasks/cancel": "taskId"}
"""The parameter that a header repeats, by method."""
FINAL = {"completed", "failed", "cancelled"}


def envelope(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """Return the `_meta` of a request of the stateless era."""
    return {
        request_shapes.PROTOCOL_VERSION: VERSION,
        request_shapes.CLIENT_INFO: {"name": "test", "version": "1"},
        request_shapes.CLIENT_CAPABILITIES: dict(capabilities),
    }


def message(method: str, capabilities: Mapping[str, Any] = ABLE, **params: Any) -> dict[str, Any]:
    """Return a request of the stateless era."""
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params | {"_meta": envelope(capabilities)}}


def headers_of(request: Mapping[str, Any]) -> dict[str, str]:
    """Return the headers of a *request* of the stateless era."""
    method, params = request["method"], request["params"]
    name = {"mcp-name": params[NAMES[method]]} if method in NAMES else {}
    return {
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
    } | name


@dataclass(frozen=True)
class Wire:
    """A client over HTTP, and the server that it calls."""

    jobs: Jobs
    http: httpx.AsyncClient

    async def post(self, method: str, capabilities: Mapping[str, Any] = ABLE, **params: Any) -> httpx.Response:
        """Return the response to a request of the stateless era."""
        request = message(method, capabilities, **params)
        return await self.http.post("/mcp", json=request, headers=headers_of(request))

    async def result(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the result of a request of a client that handles tasks."""
        response = await self.post(method, **params)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()["result"]
        return found

    async def error(self, method: str, capabilities: Mapping[str, Any] = ABLE, **params: Any) -> tuple[int, int]:
        """Return the status and the code of the error that answers a request."""
        response = await self.post(method, capabilities, **params)
        return response.status_code, response.json()["error"]["code"]

    async def create(self, tool: str, **arguments: Any) -> str:
        """Return the id of the task that a call becomes."""
        created = await self.result("tools/call", name=tool, arguments=arguments)
        assert created["resultType"] == "task"
        task_id: str = created["taskId"]
        return task_id

    async def wait_for(self, task_id: str, *statuses: str) -> dict[str, Any]:
        """Return a task as soon as it has one of *statuses*, or an end."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                task = await self.result("tasks/get", taskId=task_id)
                if task["status"] in {*statuses, *FINAL}:
                    return task

    def of(self, caller: str) -> Wire:
        """Return the wire of another caller of the same server."""
        client = httpx.AsyncClient(transport=self.http._transport, base_url=self.http.base_url)
        client.headers["authorization"] = f"Bearer {caller}"
        return Wire(self.jobs, client)


@asynccontextmanager
async def wired(
    folder: Path, way: str = "fast path", *, store: MemoryStore | None = None, clerk: Clerk | None = None
) -> AsyncIterator[Wire]:
    """Give a client of the jobs, who is Ann; Bob is another caller."""
    tokens = {name: {"sha256": [sha256(name.encode()).hexdigest()]} for name in ("ann", "bob")}
    (folder / "callers.json").write_text(json.dumps({"callers": tokens}))
    server = create_server()
    settings = {each.name: each.default for each in (*list_settings(), *list_session_settings(server))}
    settings |= {"mcp_token_file": str(folder / "callers.json"), "mcp_allowed_origins": "https://shop.example"}
    async with opened(clerk, store) as jobs:
        access = read_access_rules(settings, "127.0.0.1", jobs.pipeline.server)
        app = HttpApp(jobs.pipeline, {}, access, Pages(None, None, tasks=jobs.tasks), reference=way == "SDK")
        async with AsyncExitStack() as stack:
            is_over, is_open = asyncio.Event(), asyncio.Event()
            serving = asyncio.create_task(_serve(app, is_open, is_over))
            stack.push_async_callback(asyncio.wait, {serving})
            stack.callback(is_over.set)
            await is_open.wait()
            transport = httpx.ASGITransport(app, client=("127.0.0.1", 1))
            http = httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")
            http.headers["authorization"] = "Bearer ann"
            yield Wire(jobs, http)


async def _serve(app: HttpApp, is_open: asyncio.Event, is_over: asyncio.Event) -> None:
    """Keep *app* open in one task, as the SDK demands; a fixture has several."""
    async with app.open():
        is_open.set()
        await is_over.wait()


@pytest.fixture(params=["fast path", "SDK"])
def way(request: pytest.FixtureRequest) -> str:
    """Way in which common requests are answered."""
    return str(request.param)


@pytest.fixture
async def wire(way: str, tmp_path: Path) -> AsyncIterator[Wire]:
    """Give a client of the jobs, in both ways to serve them."""
    async with wired(tmp_path, way) as found:
        yield found
