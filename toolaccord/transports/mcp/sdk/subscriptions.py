"""Subscriptions to changes of resources, on the MCP SDK's server in both eras.

A client of the handshake era subscribes to one URI after another, and its connection carries the notifications. A
client of the stateless era sends `subscriptions/listen`, whose response carries them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server as McpServer
from mcp.server.subscriptions import ListenHandler, ResourceUpdated, ServerEvent
from mcp.shared.exceptions import MCPError

from toolaccord.resources.changes import Changes
from toolaccord.transports.mcp.sdk.calls import Context, connection_of

_MAX_URIS = 1000
"""URIs to which one connection or one request may subscribe."""
_STATE = "toolaccord.subscriptions"
"""The member of a connection's state that holds its subscriptions."""


def add_subscriptions(mcp_server: McpServer[Any], changes: Changes, require: Callable[[Context, str], None]) -> None:
    """Serve subscriptions to *changes* by *mcp_server*.

    *require* raises MCPError for a URI to which nobody can subscribe.
    """
    handler = ListenHandler(_Bus(changes))
    changes.on_end(handler.close)

    async def listen(context: Context, params: types.SubscriptionsListenRequestParams) -> Any:
        if changes.has_ended:
            raise MCPError(types.INTERNAL_ERROR, "The server is stopping, and reports no more changes.")
        uris = params.notifications.resource_subscriptions or []
        _limit(len(uris))
        for uri in uris:
            require(context, uri)
        # The lists of this server change with its contract alone, so it sends no other kind of notification.
        wanted = types.SubscriptionFilter(resource_subscriptions=uris)
        return await handler(context, params.model_copy(update={"notifications": wanted}))

    async def subscribe(context: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        require(context, params.uri)
        _subscriptions_of(context, changes).add(params.uri)
        return types.EmptyResult()

    async def unsubscribe(context: Context, params: types.UnsubscribeRequestParams) -> types.EmptyResult:
        require(context, params.uri)
        _subscriptions_of(context, changes).remove(params.uri)
        return types.EmptyResult()

    mcp_server.add_request_handler("subscriptions/listen", types.SubscriptionsListenRequestParams, listen)
    mcp_server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, subscribe)
    mcp_server.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, unsubscribe)


class _Bus:
    """The SDK's interface to reports of changes."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes

    async def publish(self, event: ServerEvent) -> None:
        """Report a change, as handlers do."""
        if isinstance(event, ResourceUpdated):
            self._changes.report(event.uri)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Call *listener* with each change; return a function that ends this."""
        return self._changes.subscribe(lambda uri: listener(ResourceUpdated(uri=uri)))


class _Subscriptions:
    """The subscriptions of one connection of the handshake era."""

    def __init__(self, connection: Connection, changes: Changes) -> None:
        self._connection = connection
        self._changes = changes
        self._uris: set[str] = set()
        self._stop_listening: Callable[[], None] = _do_nothing
        self._unsent: dict[str, None] = {}
        """Changed URIs without a notification yet: a slow client gets one for several changes."""
        self._sender: asyncio.Task[None] | None = None
        connection.exit_stack.callback(self._end)

    def add(self, uri: str) -> None:
        """Subscribe to a URI. Raises MCPError for too many."""
        _limit(len(self._uris | {uri}))
        if not self._uris:
            self._stop_listening = self._changes.subscribe(self._on_change)
        self._uris.add(uri)

    def remove(self, uri: str) -> None:
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


def _subscriptions_of(context: Context, changes: Changes) -> _Subscriptions:
    """Return the subscriptions of the connection of a request.

    Raises MCPError for a connection that ends with the request.
    """
    connection = connection_of(context)
    if not connection.has_standalone_channel:
        message = "Notifications need a session, which this server does not keep over HTTP; read the resource again."
        raise MCPError(types.INVALID_REQUEST, message)
    if _STATE not in connection.state:
        connection.state[_STATE] = _Subscriptions(connection, changes)
    found: _Subscriptions = connection.state[_STATE]
    return found


def _limit(count: int) -> None:
    if count > _MAX_URIS:
        raise MCPError(types.INVALID_PARAMS, f"A client may subscribe to {_MAX_URIS} resources at once.")
