"""One request of a session while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import anyio
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import NoBackChannelError
from mcp.shared.jsonrpc_dispatcher import progress_token_from_params
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from starlette.requests import Request

from toolaccord.json_values import JsonObject, encode_json
from toolaccord.transports.http.sessions.asks import Asks
from toolaccord.transports.http.sessions.responses import ResponseStream
from toolaccord.transports.mcp import jsonrpc

_CANCELLED = -32800
"""Code of the response to a cancelled request, without which its stream would not end."""


class Exchange:
    """A request of a session while it runs.

    It is the context of the request for the SDK, and survives the connection of its client.
    """

    __slots__ = (
        "_asked",
        "_asks",
        "_cancel",
        "_progress_token",
        "cancel_requested",
        "ending",
        "message_metadata",
        "request_id",
        "stream",
    )
    transport: ClassVar = TransportContext(kind="streamable-http", can_send_request=True)

    def __init__(self, request_id: str | int, stream: ResponseStream, asks: Asks) -> None:
        self.request_id: str | int = request_id
        """The id of the request."""
        self.stream = stream
        """The messages that its client receives."""
        self.message_metadata: ServerMessageMetadata | None = None
        """The HTTP request, for the SDK."""
        self.cancel_requested = _NEVER
        """An event that the SDK reads; the call is cancelled at once instead."""
        self.ending: bytes | None = None
        """The response after an end by force; None if nobody waits for one."""
        self._asks = asks
        self._asked: list[str] = []
        self._progress_token: str | int | None = None
        self._cancel: Callable[[], object] | None = None

    def prepare(self, request: Request, params: Mapping[str, Any] | None) -> None:
        """Be the context of a request that the SDK answers."""
        self.message_metadata = ServerMessageMetadata(request_context=request)
        self._progress_token = progress_token_from_params(params)

    def run(self, cancel: Callable[[], object]) -> None:
        """Be cancelled by *cancel* from now on."""
        self._cancel = cancel

    def cancel(self) -> None:
        """Stop the request, as its client wants."""
        self.stop(jsonrpc.error_response(self.request_id, _CANCELLED, "Request cancelled"))

    def stop(self, ending: bytes | None) -> None:
        """Stop the request, and answer it with *ending*."""
        self.ending = ending
        if self._cancel is not None:
            self._cancel()

    @property
    def can_send_request(self) -> bool:
        """Return whether the client can still be asked."""
        return not self.stream.has_ended

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, _opts: CallOptions | None = None
    ) -> JsonObject:
        """Return the answer of the client. Raises MCPError."""
        if not self.can_send_request:
            raise NoBackChannelError(method)
        ask_id, answer = self._asks.open()
        self._asked.append(ask_id)
        try:
            await self._send(method, params, {"id": ask_id})
            return await answer
        except asyncio.CancelledError:
            await self._take_back(ask_id)
            raise
        finally:
            self._asked.remove(ask_id)
            self._asks.close(ask_id)

    async def take_back_questions(self) -> None:
        """Tell the client that nobody waits for its answers any more.

        The handler may notice it late.
        """
        for ask_id in [*self._asked]:
            await self._take_back(ask_id)

    async def _take_back(self, ask_id: str) -> None:
        await self._send("notifications/cancelled", {"requestId": ask_id, "reason": "caller cancelled"})

    async def notify(self, method: str, params: Mapping[str, Any] | None, _opts: CallOptions | None = None) -> None:
        """Send a notification on the stream of the request; wait while the client is slow."""
        await self._send(method, params)
        await self.stream.wait_for_room()

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """Report the progress of the request, if the client wants to know it."""
        if self._progress_token is not None:
            known = {"progress": progress, "total": total, "message": message}
            params = {name: value for name, value in known.items() if value is not None}
            await self.notify("notifications/progress", {"progressToken": self._progress_token, **params})

    async def _send(self, method: str, params: Mapping[str, Any] | None, members: JsonObject | None = None) -> None:
        message = {"jsonrpc": "2.0", **(members or {}), "method": method}
        await self.stream.send(encode_json(message | ({"params": params} if params else {})))


_NEVER = anyio.Event()
