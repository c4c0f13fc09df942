"""A session as one process serves it: what cannot be stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.connection import Connection
from mcp.shared.dispatcher import CallOptions, coerce_request_id
from mcp.shared.exceptions import MCPError, NoBackChannelError

from toolaccord.errors import SourceError
from toolaccord.json_values import JsonObject
from toolaccord.resources.changes import Changes
from toolaccord.sources.availability import report_failure
from toolaccord.transports.http.sessions.asks import Asks
from toolaccord.transports.http.sessions.exchange import Exchange
from toolaccord.transports.http.sessions.responses import Standalone
from toolaccord.transports.http.sessions.store import Change, Message, Session, SessionStore
from toolaccord.transports.mcp.apps import can_show_views
from toolaccord.transports.mcp.sdk.log_messages import LEVEL
from toolaccord.transports.mcp.sdk.subscriptions import SUBSCRIPTIONS, limit_uris


class LiveSession:
    """A session as one process serves it, with its requests and streams here."""

    def __init__(self, session: Session, store: SessionStore, changes: Changes) -> None:
        self.session = session
        """The session, as it was when a request last came here."""
        self.asks = Asks(store.process)
        """The questions to the client."""
        self.running: dict[str | int, Exchange] = {}
        """Requests that run, by id."""
        self.connections = 0
        """Number of responses on their way."""
        self._standalone: Standalone | None = None
        self._store = store
        self._changes = changes
        self._stop_listening: Callable[[], None] | None = None
        self._connection: Connection | None = None
        self.update(session)

    @property
    def is_busy(self) -> bool:
        """Return whether something of it goes on in this process."""
        return bool(self.connections or self.running)

    @property
    def client_name(self) -> str:
        """Return the name of the client."""
        name: str = self.session.params["clientInfo"]["name"]
        return name

    @property
    def shows_views(self) -> bool:
        """Return whether the host shows views."""
        return can_show_views(self.session.params["capabilities"].get("extensions"))

    def connection(self) -> Connection:
        """Return the connection, as the SDK calls a session."""
        if self._connection is None:
            session = self.session
            made = Connection.for_loop(NO_REQUESTS, session_id=session.id, protocol_version_hint=session.version)
            made.client_params = types.InitializeRequestParams.model_validate(session.params, by_name=False)
            made.state |= {LEVEL: session.level, SUBSCRIPTIONS: self}
            self._connection = made
        return self._connection

    def update(self, session: Session) -> None:
        """Know *session* as it is now."""
        if self._connection is not None:
            self._connection.state[LEVEL] = session.level
            if session.fields["params"] != self.session.fields["params"]:
                self._connection = None
        self.session = session
        if session.uris and self._stop_listening is None:
            self._stop_listening = self._changes.subscribe(self._hear)
        elif not session.uris:
            self._end_listening()

    async def change(self, change: Change) -> None:
        """Change the session in all processes. Raises MCPError if the store is away."""
        try:
            self.update(await self._store.change(self.session, change))
            await self._store.tell(Message(self.session.id, "changed"))
        except SourceError as error:
            report_failure(error)
            raise MCPError(types.INTERNAL_ERROR, "The store of sessions does not answer: try again later.") from None

    async def keep_level(self) -> None:
        """Store the level that a request has set, if it has. Raises MCPError if the store is away."""
        level = None if self._connection is None else self._connection.state.get(LEVEL)
        if level != self.session.level and level is not None:
            await self.change(Change({"level": level}))

    async def add(self, uri: str) -> None:
        """Subscribe to a URI. Raises MCPError for too many, and if the store is away."""
        limit_uris(len(self.session.uris | {uri}))
        await self.change(Change.subscribed(uri))

    async def remove(self, uri: str) -> None:
        """End the subscription to a URI, if there is one. Raises MCPError if the store is away."""
        await self.change(Change.unsubscribed(uri))

    def begin(self, exchange: Exchange) -> None:
        """Note that a request runs."""
        self.running[coerce_request_id(exchange.request_id)] = exchange

    def finish(self, exchange: Exchange) -> None:
        """Note that a request runs no longer."""
        key = coerce_request_id(exchange.request_id)
        if self.running.get(key) is exchange:
            del self.running[key]

    def cancel(self, request_id: Any) -> None:
        """Stop a request, if it runs here."""
        if isinstance(request_id, str | int) and (found := self.running.get(coerce_request_id(request_id))):
            found.cancel()

    def listen(self) -> Standalone:
        """Return a new stream for notifications, which ends an earlier one.

        The client may have missed changes of everything to which it has subscribed.
        """
        self.end_standalone()
        self._standalone = Standalone()
        for uri in self.session.uris:
            self._standalone.note(uri)
        return self._standalone

    def end_standalone(self, which: Standalone | None = None) -> None:
        """End the stream for notifications, unless it is another one than *which*."""
        if self._standalone is not None and (which is None or which is self._standalone):
            self._standalone.end()
            self._standalone = None

    def end(self, ending: Callable[[Exchange], bytes | None] = lambda _: None) -> None:
        """End all requests and streams; answer each request with *ending*."""
        self.end_standalone()
        self._end_listening()
        for exchange in [*self.running.values()]:
            exchange.stop(ending(exchange))

    def _hear(self, uri: str) -> None:
        if self._standalone is not None and uri in self.session.uris:
            self._standalone.note(uri)

    def _end_listening(self) -> None:
        if self._stop_listening is not None:
            self._stop_listening()
            self._stop_listening = None


class _NoRequests:
    """The way to a client that has no stream of a request: only changes of resources go there."""

    async def send_raw_request(
        self, method: str, _params: Mapping[str, Any] | None, _opts: CallOptions | None = None
    ) -> JsonObject:
        """Raise NoBackChannelError."""
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """Send nothing."""


NO_REQUESTS = _NoRequests()
"""The way to the client of every session."""
