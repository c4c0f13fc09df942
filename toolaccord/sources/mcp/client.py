"""Client of another MCP server, over streamable HTTP or stdio."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import orjson

from toolaccord.contract.source_kinds.mcp import McpSource
from toolaccord.errors import UndeclaredEffect
from toolaccord.source_faults import BUSY, LOOK_AT_LOG, TOO_LARGE
from toolaccord.sources.addresses import describe_place
from toolaccord.sources.availability import Availability
from toolaccord.sources.client_tls import split_tls
from toolaccord.sources.mcp.api import McpRejected, McpResult, McpTimeout, McpUnavailable
from toolaccord.sources.read_only import ReadOnly
from toolaccord.timing.clock import Clock
from toolaccord.timing.deadline import DeadlineExceeded, run_within

if TYPE_CHECKING:
    import httpx2
    from mcp import ClientSession

T = TypeVar("T")

_CLOSE_TIMEOUT_S = 5.0
_SCHEMES = ("http://", "https://")
_NOT_FOUND, _SERVER_ERROR = 404, 500
_statuses: ContextVar[list[int] | None] = ContextVar("statuses", default=None)
"""HTTP statuses of the answers to a request, which the SDK sends in its caller's context."""


class _Connection:
    """One connection. The SDK's client is entered and left in one task."""

    def __init__(self, address: str, token: str) -> None:
        self._address, self._token = address, token
        self._closing = asyncio.Event()
        self._has_session = True
        self.readers: frozenset[str] | None = None
        """Names of the tools that only read, by their annotations; None before the first use."""
        self.session: asyncio.Future[ClientSession] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._run())

    @property
    def is_over(self) -> bool:
        """Return True after the end of the connection, or of the session at its other end."""
        return self._task.done() or not self._has_session

    async def _run(self) -> None:
        from mcp import Client  # noqa: PLC0415 - takes long to load, and only such servers need it

        try:
            async with self._open_transport() as target, Client(target, cache=None) as client:
                self.session.set_result(client.session)
                await self._closing.wait()
        except Exception as error:
            self._fail(error)
        finally:
            self._fail(ConnectionError("closed before it was open"))

    def _fail(self, error: Exception) -> None:
        """Raise *error* where somebody waits for the session."""
        if not self.session.done():
            self.session.set_exception(error)
            self.session.exception()

    @asynccontextmanager
    async def _open_transport(self) -> AsyncIterator[Any]:
        """Provide the target of the SDK's client: HTTP without redirects, or a command."""
        if not self._address.startswith(_SCHEMES):
            from mcp import StdioServerParameters  # noqa: PLC0415 - see _run

            command, *arguments = shlex.split(self._address)
            yield StdioServerParameters(command=command, args=arguments)  # without the secrets of this process
            return
        import httpx2  # noqa: PLC0415 - see _run
        from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415 - see _run

        address, files = split_tls(self._address)
        client = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {self._token}"} if self._token else {},
            verify=files.create_context() if files else True,
            follow_redirects=False,
            timeout=None,
            event_hooks={"response": [self._note_status]},
        )
        async with client:
            yield streamable_http_client(address, http_client=client)

    async def _note_status(self, response: httpx2.Response) -> None:
        """Note the status of an answer: the SDK reports a lost session like any other error."""
        if response.status_code == _NOT_FOUND and "mcp-session-id" in response.request.headers:
            self._has_session = False
        if (statuses := _statuses.get()) is not None:
            statuses.append(response.status_code)

    async def opened(self) -> None:
        """Wait until the session is open. Raises what the SDK raises."""
        await asyncio.shield(self.session)

    async def close(self) -> None:
        """Leave the SDK's client, in bounded time."""
        self._closing.set()
        if not self.session.done():
            self._task.cancel()
        await asyncio.wait({self._task}, timeout=_CLOSE_TIMEOUT_S)
        self._task.cancel()


class _ReadingClient(ReadOnly):
    """Another MCP server for operations that only read."""

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> McpResult:
        """Return the result of a tool that says that it only reads. Raises UndeclaredEffect, too."""
        result: McpResult = await self._source.call_tool(name, arguments, rejection=self._rejection)
        return result


class McpClient:
    """Another MCP server. Connects at the first call, and again after the connection broke."""

    kind: ClassVar = "mcp"
    """Kind of the system that answers."""

    def __init__(self, limits: McpSource, address: str, token: str, clock: Clock) -> None:
        self._limits, self._address, self._token, self._clock = limits, address, token, clock
        self._slots = asyncio.Semaphore(limits.max_in_flight)
        self._connection: _Connection | None = None
        place = describe_place(address) if address.startswith(_SCHEMES) else ""
        self.availability = Availability(self.kind, limits.name, place, clock, McpUnavailable)
        """State of the source, as calls and checks found it."""

    def reading(self, rejection: str) -> ReadOnly:
        """Return the client for tools that say that they only read; others raise UndeclaredEffect."""
        return _ReadingClient(self, (), rejection)

    async def start(self) -> None:
        """Connect, so that the first call need not. Raises McpTimeout or McpUnavailable."""
        await self._connect()

    async def check(self) -> None:
        """Connect, unless the connection stands. Raises McpTimeout or McpUnavailable."""
        with self.availability.request():
            await self._connect()

    async def close(self) -> None:
        """Close the connection, and end a process that was started."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    async def call_tool(self, name: str, arguments: Mapping[str, Any], *, rejection: str = "") -> McpResult:
        """Return the result of a tool. Raises McpTimeout, McpUnavailable or McpRejected.

        With a text *rejection*, raise UndeclaredEffect unless the tool says that it only reads.
        """
        from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult  # noqa: PLC0415 - see _run

        request = CallToolRequest(params=CallToolRequestParams(name=name, arguments=dict(arguments)))
        self.availability.admit()
        async with self._slot(name):
            with self.availability.attempt():
                connection = await self._connect()
                session = connection.session.result()
                if rejection and connection.readers is None:
                    connection.readers = await self._exchange(name, connection, _list_readers(session))
                if rejection and name not in (connection.readers or ()):
                    raise UndeclaredEffect(rejection)
                result = await self._exchange(name, connection, session.send_request(request, CallToolResult))
                return self._read(name, result.model_dump(mode="json", by_alias=True, exclude_none=True))

    async def _exchange(self, name: str, connection: _Connection, sending: Coroutine[Any, Any, T]) -> T:
        """Return the answer to what is sent. Raises McpTimeout, McpUnavailable or McpRejected."""
        from mcp import MCPError  # noqa: PLC0415 - see _run
        from mcp_types import CONNECTION_CLOSED  # noqa: PLC0415 - see _run

        statuses: list[int] = []
        token = _statuses.set(statuses)
        try:
            return await run_within(self._clock, self._limits.timeout_s, sending)
        except DeadlineExceeded as error:
            raise McpTimeout(f"{name}: no answer within {self._limits.timeout_s} s") from error
        except MCPError as error:
            status = max(statuses, default=0)
            if error.code != CONNECTION_CLOSED and not connection.is_over and status < _SERVER_ERROR:
                raise McpRejected(f"{name}: {error.message}") from error
            await self._drop(connection)
            reason = f"it answered with the status {status}; {LOOK_AT_LOG}" if status >= _SERVER_ERROR else None
            raise McpUnavailable(f"{name}: {error.message}", reason=reason) from error
        finally:
            _statuses.reset(token)

    def _read(self, name: str, result: Mapping[str, Any]) -> McpResult:
        """Return a result. Raises McpRejected for an error, and for one that is too large."""
        if len(orjson.dumps(result)) > self._limits.max_response_bytes:
            raise McpRejected(f"{name}: the result exceeds max_response_bytes", reason=TOO_LARGE)
        content = result.get("content", [])
        if result.get("isError"):
            raise McpRejected(f"{name}: {[block.get('text') for block in content]}")
        return McpResult(structured=result.get("structuredContent"), content=content)

    async def _connect(self) -> _Connection:
        """Return the open connection. Raises McpTimeout or McpUnavailable."""
        if self._connection is not None and self._connection.is_over:
            await self._drop(self._connection)
        if self._connection is None:
            self._connection = _Connection(self._address, self._token)
        connection, seconds = self._connection, self._limits.connection_timeout_s
        try:
            await run_within(self._clock, seconds, connection.opened())
        except DeadlineExceeded as error:
            await self._drop(connection)
            raise McpTimeout(f"the server was not ready within {seconds} s") from error
        except Exception as error:
            await self._drop(connection)
            raise McpUnavailable(f"the server cannot be reached: {type(error).__name__}") from error
        return connection

    async def _drop(self, connection: _Connection) -> None:
        """Close *connection*, and no newer one."""
        if self._connection is connection:
            self._connection = None
        await connection.close()

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


async def _list_readers(session: ClientSession) -> frozenset[str]:
    """Return the names of the tools whose annotation says that they only read."""
    from mcp_types import PaginatedRequestParams  # noqa: PLC0415 - see _run

    names: set[str] = set()
    params = None
    while True:
        listed = await session.list_tools(params=params)
        names |= {tool.name for tool in listed.tools if tool.annotations and tool.annotations.read_only_hint}
        if not listed.next_cursor:
            return frozenset(names)
        params = PaginatedRequestParams(cursor=listed.next_cursor)
