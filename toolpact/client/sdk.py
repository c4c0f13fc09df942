"""A connection through the MCP SDK's client, whatever the transport."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Unpack, cast

import mcp_types as types
from mcp import Client, ClientSession, MCPError
from mcp.client import Transport
from mcp.server.lowlevel import Server as McpServer
from mcp_types import RequestParamsMeta
from pydantic import ValidationError

from toolpact.client.connection import ConnectionOptions, Era, Said
from toolpact.errors import BrokenAnswer, CallFailed, ServerGone, TimedOut, TransportError, Unauthorised
from toolpact.json_values import JsonObject

_LOG = logging.getLogger(__name__)
_MODES: dict[Era, str] = {"auto": "auto", "handshake": "legacy", "stateless": "2026-07-28"}
_OPEN_S = 60.0
_REFUSED_FOR = {
    401: "The client needs a token of those in the server's MCP_AUTH_TOKEN.",
    403: "What stands between sent an Origin that is not in the server's MCP_ALLOWED_ORIGINS, or refused by itself.",
}
"""What may be done about a caller who is not let in, by HTTP status."""

_DEPRECATION = ("deprecated_on", "sunset_on", "successor")


class SdkConnection:
    """The SDK's client, living in a task of its own: where its transport breaks, callers get errors and are not cancelled."""

    def __init__(
        self, server: str, target: Transport | McpServer[Any], *, hint: str = "", **options: Unpack[ConnectionOptions]
    ) -> None:
        self._server = server
        self._hint = hint
        self._open_timeout_s = options.get("open_timeout_s", _OPEN_S)
        era = options.get("era", "auto")
        self._asks_first = era == "stateless"  # the SDK would take such a server for granted, ready or not
        self._client = Client(
            target,
            mode=_MODES[era],
            client_info=types.Implementation(name=options.get("name", "toolpact"), version="1"),
            cache=None,
        )
        self._session: ClientSession | None = None
        self._opened = asyncio.Event()
        self._leaving = asyncio.Event()
        self._living: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Reach the server. Raises TransportError."""
        self._living = asyncio.create_task(self._live())
        opened = asyncio.create_task(self._opened.wait())
        try:
            await asyncio.wait(
                {self._living, opened}, timeout=self._open_timeout_s, return_when=asyncio.FIRST_COMPLETED
            )
        finally:
            opened.cancel()
            if self._session is None:
                self._living.cancel()
                await asyncio.wait({self._living})
        if self._session is None:
            raise self._unopened(self._living)

    async def _live(self) -> None:
        """Enter and leave the SDK's client in one task, as it must be."""
        async with self._client as client:
            if self._asks_first:
                await client.session.send_discover(_MODES["stateless"])
            self._session = client.session
            self._opened.set()
            await self._leaving.wait()

    def _unopened(self, living: asyncio.Task[None]) -> CallFailed:
        """Return why the connection could not be opened."""
        error = None if living.cancelled() else living.exception()
        if error is None:
            return TimedOut(f"{self._server} was not ready within {self._open_timeout_s:g} s.{self._hint}")
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, MCPError):
            return self._failure(error)
        return ServerGone(f"{self._server} could not be reached: {error}.")

    async def close(self) -> None:
        """Leave the server; calls that still wait end with ServerGone."""
        if self._living is None:
            return
        self._leaving.set()
        try:
            await asyncio.wait({self._living})
        finally:  # even for a caller who is cancelled: a second cancellation would leave the process behind
            await asyncio.wait({self._living})
        if not self._living.cancelled() and (error := self._living.exception()):
            _LOG.warning("the connection to %s broke", self._server, exc_info=error)

    async def call(self, tool: str, arguments: JsonObject, meta: JsonObject, timeout_s: float) -> Said:
        """Return what *tool* says. Raises TransportError, and BrokenAnswer where the answer is not one of a tool.

        The SDK's own `call_tool` would list the tools first and hold the result against the published schema, with a validator
        that takes two seconds to load; a client's models do that.
        """
        if self._session is None:
            raise ServerGone(f"The client of {self._server} is not open; enter it with `async with`.")
        params = types.CallToolRequestParams(name=tool, arguments=arguments, _meta=cast(RequestParamsMeta, meta))
        try:
            async with asyncio.timeout(timeout_s):
                result = await self._session.send_request(types.CallToolRequest(params=params), types.CallToolResult)
        except TimeoutError:
            raise TimedOut(f"{self._server} did not answer {tool} within {timeout_s:g} s.") from None
        except MCPError as error:
            raise self._failure(error) from error
        except ValidationError as error:
            raise BrokenAnswer(f"{self._server} answered {tool} with what is no result of a tool: {error}") from error
        return self._said(tool, result)

    def _said(self, tool: str, result: types.CallToolResult) -> Said:
        text = result.content[0] if result.content else None
        if not isinstance(text, types.TextContent):
            raise BrokenAnswer(f"{self._server} answered {tool} without a text.")
        beside = {name: said for name, said in (result.meta or {}).items() if isinstance(said, str)}
        return Said(
            text=text.text,
            is_error=result.is_error,
            corr_id=beside.get("corr_id"),
            deprecation={name: beside[name] for name in _DEPRECATION if name in beside},
        )

    def _failure(self, error: MCPError) -> CallFailed:
        """Return what an error of the protocol means."""
        status = error.data.get("http_status") if isinstance(error.data, dict) else None
        if status in _REFUSED_FOR:
            return Unauthorised(f"{self._server} refused the call ({status}): {error.message}. {_REFUSED_FOR[status]}")
        if error.code == types.CONNECTION_CLOSED:
            return ServerGone(f"No answer from {self._server}: {error.message}.{self._hint}")
        if status is not None:
            return TransportError(
                f"{self._server} answered with the HTTP status {status}: {error.message}.{self._hint}"
            )
        return BrokenAnswer(
            f"{self._server} refused the call ({error.code}): {error.message}. "
            "It may be another server than the client's, or have another version of the contract."
        )
