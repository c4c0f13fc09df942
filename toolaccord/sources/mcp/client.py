"""Client of another MCP server, over streamable HTTP or stdio."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, ClassVar

import orjson

from toolaccord.source_faults import BUSY, TOO_LARGE
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.mcp.api import McpLimits, McpRejected, McpResult, McpTimeout, McpUnavailable
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    from mcp import ClientSession

_CLOSE_TIMEOUT_S = 5.0
_SCHEMES = ("http://", "https://")


class _Connection:
    """One connection. The SDK's client is entered and left in one task."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token
        self._closing = asyncio.Event()
        self.session: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    @property
    def is_over(self) -> bool:
        """Return True after the end of the connection."""
        return self._task.done()

    async def _run(self) -> None:
        from mcp import Client  # noqa: PLC0415 - takes long to load, and only such servers need it

        try:
            async with _open_transport(self._address, self._token) as target, Client(target, cache=None) as client:
                self.session.set_result(client.session)
                await self._closing.wait()
        except Exception as error:
            if not self.session.done():
                self.session.set_exception(error)
                self.session.exception()  # raised where somebody waits

    async def opened(self) -> ClientSession:
        """Return the session as soon as it is open. Raises what the SDK raises."""
        return await asyncio.shield(self.session)

    async def close(self) -> None:
        """Leave the SDK's client, in bounded time."""
        self._closing.set()
        if not self.session.done():
            self._task.cancel()
        await asyncio.wait({self._task}, timeout=_CLOSE_TIMEOUT_S)
        self._task.cancel()


class McpClient:
    """Another MCP server. Connects at the first call, and again after the connection broke."""

    kind: ClassVar = "mcp"
    """Kind of the system that answers."""

    def __init__(self, limits: McpLimits, address: str, token: str, clock: Clock) -> None:
        self._limits, self._address, self._token, self._clock = limits, address, token, clock
        self._slots = asyncio.Semaphore(limits.max_in_flight)
        self._connection: _Connection | None = None
        place = describe_place(address) if address.startswith(_SCHEMES) else ""
        self.availability = Availability(self.kind, limits.name, place)
        """State of the source, as calls and checks found it."""

    async def start(self) -> None:
        """Connect, so that the first call need not. Raises McpTimeout or McpUnavailable."""
        await self._connect()

    async def check(self) -> None:
        """Connect, unless the connection stands. Raises McpTimeout or McpUnavailable."""
        with self.availability.attempt():
            await self._connect()

    async def close(self) -> None:
        """Close the connection, and end a process that was started."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> McpResult:
        """Return the result of a tool. Raises McpTimeout, McpUnavailable or McpRejected."""
        from mcp import MCPError  # noqa: PLC0415 - see _run
        from mcp_types import CONNECTION_CLOSED, CallToolRequest, CallToolRequestParams, CallToolResult  # noqa: PLC0415

        async with self._slot(name):
            with self.availability.attempt():
                session = await self._connect()
                params = CallToolRequestParams(name=name, arguments=dict(arguments))
                sending = session.send_request(CallToolRequest(params=params), CallToolResult)
                try:
                    result = await run_within(self._clock, self._limits.timeout_s, sending)
                except DeadlineExceeded as error:
                    raise McpTimeout(f"{name}: no answer within {self._limits.timeout_s} s") from error
                except MCPError as error:
                    if error.code != CONNECTION_CLOSED:
                        raise McpRejected(f"{name}: {error.message}") from error
                    await self.close()
                    raise McpUnavailable(f"{name}: {error.message}") from error
                return self._read(name, result.model_dump(mode="json", by_alias=True, exclude_none=True))

    def _read(self, name: str, result: Mapping[str, Any]) -> McpResult:
        """Return a result. Raises McpRejected for an error, and for one that is too large."""
        if len(orjson.dumps(result)) > self._limits.max_response_bytes:
            raise McpRejected(f"{name}: the result exceeds max_response_bytes", reason=TOO_LARGE)
        content = result.get("content", [])
        if result.get("isError"):
            raise McpRejected(f"{name}: {[block.get('text') for block in content]}")
        return McpResult(structured=result.get("structuredContent"), content=content)

    async def _connect(self) -> ClientSession:
        """Return the session. Raises McpTimeout or McpUnavailable."""
        if self._connection is None or self._connection.is_over:
            self._connection = _Connection(self._address, self._token)
        connection, seconds = self._connection, self._limits.connection_timeout_s
        try:
            return await run_within(self._clock, seconds, connection.opened())
        except DeadlineExceeded as error:
            raise McpTimeout(f"the server was not ready within {seconds} s") from error
        except Exception as error:
            await self.close()
            raise McpUnavailable(f"the server cannot be reached: {type(error).__name__}") from error

    @asynccontextmanager
    async def _slot(self, name: str) -> AsyncIterator[None]:
        """Hold one of the concurrent calls. Raises McpTimeout."""
        seconds, slots = self._limits.connection_timeout_s, self._slots
        attempt = self.availability.attempt()
        try:
            with attempt.waiting():
                await run_within(self._clock, seconds, slots.acquire(), dispose=lambda _: slots.release())
        except DeadlineExceeded as error:
            message = f"{name}: {self._limits.max_in_flight} calls were in flight for {seconds} s"
            raise attempt.failed(McpTimeout(message, reason=BUSY)) from error
        try:
            yield
        finally:
            slots.release()


@asynccontextmanager
async def _open_transport(address: str, token: str) -> AsyncIterator[Any]:
    """Provide the target of the SDK's client: HTTP without redirects, or a command."""
    if not address.startswith(_SCHEMES):
        from mcp import StdioServerParameters  # noqa: PLC0415 - see _run

        command, *arguments = shlex.split(address)
        yield StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
        return
    import httpx2  # noqa: PLC0415 - see _run
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - see _run

    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with httpx2.AsyncClient(headers=headers, follow_redirects=False, timeout=None) as http:
        yield streamable_http_client(address, http_client=http)
