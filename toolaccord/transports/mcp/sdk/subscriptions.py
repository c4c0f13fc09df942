"""Subscriptions to changes of resources, on the MCP SDK's server in the handshake era.

A client subscribes to one URI after another, and its connection carries the notifications. The stateless era has
`subscriptions/listen` instead: see `listening`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server as McpServer
from mcp.shared.exceptions import MCPError

from toolaccord.resources.changes import Changes
from toolaccord.transports.mcp.sdk.calls import Context, connection_of

_MAX_URIS = 1000
"""URIs to which one connection or one request may subscribe."""
SUBSCRIPTIONS = "toolaccord.subscriptions"
"""The member of a connection's state that holds its subscriptions."""


RequireWatched: TypeAlias = Callable[[Context, str], None]
"""Raises MCPError for a URI to which nobody can subscribe."""


class Subscriptions(Protocol):
    """The subscriptions of one connection of the handshake era."""

    async def add(self, uri: str) -> None:
        """Subscribe to a URI. Raises MCPError for too many."""

    async def remove(self, uri: str) -> None:
        """End the subscription to a URI, if there is one."""


def add_subscriptions(mcp_server: McpServer[Any], changes: Changes, require: RequireWatched) -> None:
    """Serve subscriptions to *changes* by *mcp_server*.

    *require* raises MCPError for a URI to which nobody can subscribe.
    """

    async def subscribe(context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        require(context, params.uri)
        await _subscriptions_of(context, changes).add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        require(context, params.uri)
        await _subscriptions_of(context, changes).remove(params.uri)
        return types.EmptyResult()

    mcp_server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    mcp_server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)


class _Subscriptions:
    """The subscriptions of a connection that lasts, and carries its notifications itself."""

    def __init__(self, connection: Connection, changes: Changes) -> None:
        self._connection = connection
        self._changes = changes
        self._uris: set[str] = set()
        self._stop_listening: Callable[[], None] = _do_nothing
        self._unsent: dict[str, None] = {}
        """Changed URIs without a notification yet: a slow client gets one for several changes."""
        self._sender: asyncio.Task[None] | None = None
        connection.exit_stack.callback(self._end)

    async def add(self, uri: str) -> None:
        """Subscribe to a URI. Raises MCPError for too many."""
        limit_uris(len(self._uris | {uri}))
        if not self._uris:
            self._stop_listening = self._changes.subscribe(self._on_change)
        self._uris.add(uri)

    async def remove(self, uri: str) -> None:
        """End the subscription to a URI, if there is one."""
        self._uris.discard(uri)
        self._unsent.pop(uri, None)
        if not self._uris:
            self._stop_listening()

    def _on_change(self, uri: str) -> None:
        if uri in self._uris:
            self._unsent[uri] = None
            if self._sender is None or self._sender.done():
                self._sender = asyncio.create_task(self._send())

    async def _send(self) -> None:
        while self._unsent:
            uri = next(iter(self._unsent))
            del self._unsent[uri]
            await self._connection.send_resource_updated(uri)

    def _end(self) -> None:
        self._stop_listening()
        if self._sender is not None:
            self._sender.cancel()


def _do_nothing() -> None:
    """Stop nothing."""


def _subscriptions_of(context: Context, changes: Changes) -> Subscriptions:
    """Return the subscriptions of the connection of a request.

    Raises MCPError for a connection that ends with the request.
    """
    connection = connection_of(context)
    if not connection.has_standalone_channel:
        message = "Notifications need a session, which this server does not keep over HTTP; read the resource again."
        raise MCPError(types.INVALID_REQUEST, message)
    if SUBSCRIPTIONS not in connection.state:
        connection.state[SUBSCRIPTIONS] = _Subscriptions(connection, changes)
    found: Subscriptions = connection.state[SUBSCRIPTIONS]
    return found


def limit_uris(count: int) -> None:
    """Raise MCPError if a client may not subscribe to *count* URIs."""
    if count > _MAX_URIS:
        raise MCPError(types.INVALID_PARAMS, f"A client may subscribe to {_MAX_URIS} resources at once.")
