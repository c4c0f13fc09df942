"""Prove that the recipes of docs/operations.md carry sessions, streams and cancellations."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import httpx
import pytest

from tests.services.fetched import ROOT
from tests.services.proxies import proxying
from tests.services.served import serving
from tests.toolaccord.listener import Listener, listening
from tests.toolaccord.process import PATIENCE_S, call, request
from tests.toolaccord.transports.http.sessions.test_open_sessions import (
    DESK,
    as_caller,
    break_call,
    cancel,
    open_session,
    ping,
    some_log_has,
)

pytestmark = pytest.mark.hosts

TOKENS = ("first", "second", "third", "fourth")


@pytest.fixture(params=["haproxy", "nginx", "caddy"])
async def replicas(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[tuple[Listener, list[Listener]]]:
    """Two replicas, and the proxy before them as another server."""
    environ = {"MCP_AUTH_TOKEN": ",".join(TOKENS)}
    async with AsyncExitStack() as stack:
        behind = [await stack.enter_async_context(listening(module=DESK, environ=environ)) for _ in range(2)]
        addresses = [f"127.0.0.1:{each.port}" for each in behind]
        url = await stack.enter_async_context(proxying(request.param, addresses, tmp_path))
        client = httpx.AsyncClient(base_url=f"{url}/desk", timeout=PATIENCE_S, trust_env=False)
        front = Listener(behind[0].process, await stack.enter_async_context(client))
        async with asyncio.timeout(PATIENCE_S):
            while (await front.client.get("/ready")).status_code != 200:
                pass
        yield front, behind


async def test_haproxy_asks_living_replicas_if_none_is_ready_and_no_dead_one(tmp_path: Path) -> None:
    missing, module = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/nowhere"}, "generated.tradestream.decisions"
    async with AsyncExitStack() as stack:
        behind = [await stack.enter_async_context(serving(module, ROOT, env=missing)) for _ in range(2)]
        addresses = [each.url.removeprefix("http://") for each in behind]
        url = await stack.enter_async_context(proxying("haproxy", addresses, tmp_path))
        client = await stack.enter_async_context(httpx.AsyncClient(timeout=PATIENCE_S, trust_env=False))

        async def read_codes() -> set[str]:
            answers = [await client.post(f"{url}/desk/mcp/tools/get_recent_decisions", json={}) for _ in range(8)]
            return {answer.json()["error"]["code"] for answer in answers}

        async with asyncio.timeout(PATIENCE_S):
            while (tmp_path / "haproxy.log").read_text(encoding="utf-8").count(" is DOWN") < len(behind):
                await read_codes()
        assert await read_codes() == {"DATABASE_ERROR"}
        behind[0].signal(signal.SIGKILL)
        await behind[0].ended()
        assert await read_codes() == {"DATABASE_ERROR"}


async def test_each_session_stays_with_its_replica(replicas: tuple[Listener, list[Listener]]) -> None:
    front, _ = replicas
    sessions = [await open_session(front, token) for token in TOKENS]
    assert [await ping(front, headers) for headers in sessions * 3] == [200] * 12


async def test_a_stream_arrives_while_its_call_runs_and_is_resumed(replicas: tuple[Listener, list[Listener]]) -> None:
    front, behind = replicas
    headers = await open_session(front)
    resuming = await break_call(front, headers, "Ann", behind)
    await cancel(front, headers)
    async with front.client.stream("GET", "/mcp", headers=resuming) as stream:
        assert '"id":7,"error":{"code":-32800' in (await stream.aread()).decode()


async def test_a_cancellation_reaches_the_call_and_no_other_one(replicas: tuple[Listener, list[Listener]]) -> None:
    front, behind = replicas
    version = "2026-07-28"
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in {
        "protocolVersion": version, "clientCapabilities": {}, "clientInfo": {"name": "test", "version": "1"}
    }.items()}  # fmt: skip
    headers = as_caller("first") | {"MCP-Protocol-Version": version}
    calling = {"Mcp-Method": "tools/call", "Mcp-Name": "wait"}
    for name in ("Bob", "Cleo", "Dan"):
        message = call(1, "wait", name=name)
        message["params"]["_meta"] = meta
        waiting = asyncio.create_task(front.client.post("/mcp", json=message, headers=headers | calling))
        await some_log_has(behind, f"{name} waits")
        waiting.cancel()
        await some_log_has(behind, f"{name} left")
        others = [
            front.client.post(
                "/mcp", json=request(2, "tools/list", _meta=meta), headers=headers | {"Mcp-Method": "tools/list"}
            )
            for _ in range(20)
        ]
        assert [each.status_code for each in await asyncio.gather(*others)] == [200] * 20
