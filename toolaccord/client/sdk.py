"""Connection through the MCP SDK's client, for every transport."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from functools import partial
from typing import Any, TypeVar, Unpack, cast

import mcp_types as types
from mcp import Client, ClientSession, MCPError
from mcp.client import Transport
from mcp.server.lowlevel import Server as McpServer
from mcp_types import RequestParamsMeta
from pydantic import ValidationError

from toolaccord.client.connection import TASK_METHODS, ConnectionOptions, Era, ToolResponse
from toolaccord.client.declarations import AskAnswers
from toolaccord.client.operations import OPERATIONS, Send, describe_fault, send_operation
from toolaccord.errors import (
    BrokenAnswer,
    CallFailed,
    ServerGone,
    TimedOut,
    TransportOutage,
    TransportRateLimit,
    TransportRejection,
    Unauthorised,
)
from toolaccord.json_values import JsonObject

T = TypeVar("T", bound=types.Result)

_LOG = logging.getLogger(__name__)
_MODES: dict[Era, str] = {"auto": "auto", "handshake": "legacy", "stateless": "2026-07-28"}
_OPEN_TIMEOUT_S = 60.0
_REJECTION_ADVICE = {
    401: "Give the client a valid token: of the server's MCP_AUTH_TOKEN or MCP_TOKEN_FILE, of its "
    "authorization server, or the server's own key.",
    403: "A proxy sent an Origin that is missing in the server's MCP_ALLOWED_ORIGINS, or rejected the call itself.",
}
"""Advice to a rejected caller, by HTTP status."""

_REJECTIONS: Mapping[int, type[TransportRejection]] = {429: TransportRateLimit, 503: TransportOutage}
"""Classes of rejections, by HTTP status."""
_DEPRECATION_FIELDS = ("deprecated_on", "sunset_on", "successor")


async def _send_once(session: ClientSession, request: Any, result_type: type[T]) -> T:
    """Return the result of a request that does not ask."""
    return await session.send_request(request, result_type)


class SdkConnection:
    """Connection that runs the SDK's client in a separate task.

    If the transport breaks, callers receive errors and are not cancelled.
    """

    def __init__(
        self,
        server: str,
        target: Transport | McpServer[Any],
        *,
        hint: str = "",
        ends_with_server: bool = False,
        **options: Unpack[ConnectionOptions],
    ) -> None:
        """*target* is the server, or the way to it; the connection may end with its process."""
        self._server = server
        self._ends_with_server = ends_with_server
        self._hint = hint
        self._open_timeout_s = options.get("open_timeout_s", _OPEN_TIMEOUT_S)
        era = options.get("era", "auto")
        self._send = _send_once
        self._must_discover = era == "stateless"  # on opening, the SDK would not contact such a server
        self._client = Client(
            target,
            mode=_MODES[era],
            client_info=types.Implementation(name=options.get("name", "toolaccord"), version="1"),
            cache=None,
            **self._callbacks(options.get("answers")),
        )
        self._session: ClientSession | None = None
        self._opened = asyncio.Event()
        self._closing = asyncio.Event()
        self._session_task: asyncio.Task[None] | None = None

    @property
    def client(self) -> Client:
        """The SDK's client, which is entered while the connection is open."""
        return self._client

    def _callbacks(self, answers: AskAnswers | Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the callbacks that answer asks."""
        if answers is None:
            return {}
        from toolaccord.client import asks  # noqa: PLC0415 - few clients answer asks

        self._send = asks.send_in_rounds
        return asks.make_callbacks(answers) if isinstance(answers, AskAnswers) else dict(answers)

    async def open(self) -> None:
        """Open the connection. Raises TransportError."""
        self._session_task = asyncio.create_task(self._run_session())
        opened = asyncio.create_task(self._opened.wait())
        try:
            await asyncio.wait(
                {self._session_task, opened}, timeout=self._open_timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            opened.cancel()
            if self._session is None:
                self._session_task.cancel()
                await asyncio.wait({self._session_task})
        if self._session is None:
            raise self._build_open_error(self._session_task)

    async def _run_session(self) -> None:
        """Enter and exit the SDK's client in one task, as the SDK requires."""
        async with self._client as client:
            if self._must_discover:
                await client.session.send_discover(_MODES["stateless"])
            self._session = client.session
            self._opened.set()
            await self._closing.wait()

    def _build_open_error(self, session_task: asyncio.Task[None]) -> CallFailed:
        """Return the error of a connection that did not open."""
        error = None if session_task.cancelled() else session_task.exception()
        if error is None:
            return TimedOut(f"{self._server} was not ready within {self._open_timeout_s:g} s.{self._hint}")
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, MCPError):
            return self._build_call_error(error)
        return ServerGone(f"{self._server} could not be reached: {error}.")

    async def close(self) -> None:
        """Close the connection; calls in flight raise ServerGone."""
        if self._session_task is None:
            return
        self._closing.set()
        try:
            await asyncio.wait({self._session_task})
        finally:  # also if the caller is cancelled: a second cancellation would leave the process running
            await asyncio.wait({self._session_task})
        if not self._session_task.cancelled() and (error := self._session_task.exception()):
            _LOG.warning("the connection to %s broke", self._server, exc_info=error)

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> ToolResponse:
        """Return the response of *tool*. Raises TransportError or BrokenAnswer.

        The SDK's `call_tool` would list the tools first, and validate the result against the published schema.
        Its validator takes two seconds to load; the client's models validate instead.
        """
        if self._session is None:
            raise ServerGone(f"The client of {self._server} is not open; enter it with `async with`.")
        try:
            async with asyncio.timeout(timeout_s):
                send = partial(self._send, self._session)
                if tool in OPERATIONS:
                    return await send_operation(self._server, send, tool, arguments, meta)
                if tool in TASK_METHODS:
                    return await self._send_task_method(self._session, send, tool, arguments, meta)
                params = types.CallToolRequestParams(
                    name=tool, arguments=arguments, _meta=cast(RequestParamsMeta, meta)
                )
                result = await send(types.CallToolRequest(params=params), types.CallToolResult)
        except TimeoutError:
            raise TimedOut(f"{self._server} did not answer {tool} within {timeout_s:g} s.") from None
        except MCPError as error:
            raise self._build_call_error(error) from error
        except ValidationError as error:
            fault = describe_fault(error)
            raise BrokenAnswer(f"{self._server} answered {tool} with an invalid result: {fault}") from error
        return self._read_result(tool, result)

    async def _send_task_method(
        self, session: ClientSession, send: Send, method: str, arguments: JsonObject, meta: JsonObject
    ) -> ToolResponse:
        from toolaccord.client.tasks import methods  # noqa: PLC0415 - few clients have tasks

        read = partial(self._read_result, str(arguments.get("name", method)))
        return await methods.send_task_method(session, send, read, method, arguments, meta)

    def _read_result(self, tool: str, result: types.CallToolResult) -> ToolResponse:
        first = result.content[0] if result.content else None
        if result.is_error and not isinstance(first, types.TextContent):
            raise BrokenAnswer(f"{self._server} answered {tool} with an error without text content.")
        meta = {name: value for name, value in (result.meta or {}).items() if isinstance(value, str)}
        return ToolResponse(
            text=first.text if isinstance(first, types.TextContent) else "",
            blocks=result.content,
            structured=result.structured_content,
            is_error=result.is_error,
            corr_id=meta.get("corr_id"),
            replayed=(result.meta or {}).get("replayed") is True,
            deprecation={name: meta[name] for name in _DEPRECATION_FIELDS if name in meta},
        )

    def _build_call_error(self, error: MCPError) -> CallFailed:
        """Return the exception for a protocol error."""
        message = error.message.rstrip(".")
        data = error.data if isinstance(error.data, dict) else {}
        status = data.get("http_status")
        scopes = str(data.get("scopes") or "")
        if status == 401 and data.get("has_token") is False:
            return Unauthorised(f"{self._server} was not called: {message}.", scopes=scopes.split())
        if status in _REJECTION_ADVICE:
            advice = f"Give the client a token with the scopes {scopes}." if scopes else _REJECTION_ADVICE[status]
            text = f"{self._server} rejected the call ({status}): {message}. {advice}"
            return Unauthorised(text, scopes=scopes.split())
        if error.code == types.CONNECTION_CLOSED:
            gone = ServerGone(f"No answer from {self._server}: {message}.{self._hint}")
            gone.is_final = self._ends_with_server
            return gone
        if status is not None:
            text = f"{self._server} answered with the HTTP status {status}: {message}.{self._hint}"
            return _REJECTIONS.get(status, TransportRejection)(text, retry_after_s=data.get("retry_after_s"))
        return BrokenAnswer(
            f"{self._server} rejected the call ({error.code}): {message}. "
            "The server may be another one than the client expects, or have another version of the contract."
        )
